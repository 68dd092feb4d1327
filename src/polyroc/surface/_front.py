"""RocSurface: operating points that nothing found dominates, and what they are worth."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from polyroc._base.checks import check_choice, flag, shown, whole_number
from polyroc._base.random import seed_of
from polyroc._base.wording import plural
from polyroc._storage.paths import path_of
from polyroc._version import __version__
from polyroc.errors import InvalidInput, InvalidType, NotDefined
from polyroc.predictions._classes import listed, some_of
from polyroc.predictions._weights import checked_priors, shares
from polyroc.results import Estimate, Note
from polyroc.surface import _gini as volumes
from polyroc.surface._choosing import (
    Criterion,
    Wish,
    choose,
    choose_with_referrals,
    knees,
    space_of,
)
from polyroc.surface._cost_space import CostBounds
from polyroc.surface._costs import CostsLike, errors, least_cost, matrices
from polyroc.surface._curvature import N_SAMPLES, knee_table
from polyroc.surface._objectives import (
    ObjectivesLike,
    RatesFunction,
    checked_objectives,
    objective_values,
    on_front,
)
from polyroc.surface._operating_point import SurfacePoint
from polyroc.surface._rates import error_rates, model_probabilities, sharing_parameters
from polyroc.surface._referring_point import ReferringPoint
from polyroc.surface.models.model import Model
from polyroc.typing import (
    Float64Array,
    Label,
    LabelsLike,
    PriorsLike,
    RandomState,
    ScoresLike,
    WeightsLike,
)

if TYPE_CHECKING:
    import pandas as pd

    from polyroc.surface._comparison import SurfaceComparison
    from polyroc.surface._evolution import Evolution
    from polyroc.surface._hull import SurfaceHull


@dataclass(frozen=True, eq=False, repr=False)
class RocSurface:
    """Operating points of a classifier that trade its kinds of errors against each other.

    Attributes
    ----------
    rates : (m, D) error rates C_kj, share of class k decided as j, in row-major order of the
        off-diagonal (truth first), D = K(K − 1).
    costs : (m, K, K) costs whose decisions have these rates.
    parameters : (m, P) parameters of the classifier.
    classes : the K classes.
    class_weights : (K,) number (or weight) of cases in each class.
    provenance : model, settings, seed, data hash, version, and history of the search.
    model : the classifier; None where a file of a model of your own was loaded without it.
    """

    rates: Float64Array
    costs: Float64Array
    parameters: Float64Array
    classes: tuple[Label, ...]
    class_weights: Float64Array
    provenance: Mapping[str, Any] = field(default_factory=dict)
    model: Model | None = None

    def __len__(self) -> int:
        return len(self.rates)

    @property
    def n_classes(self) -> int:
        return len(self.classes)

    @property
    def confusion(self) -> Float64Array:
        """(m, K, K) rates with the right decisions on the diagonal; rows sum to 1."""
        tables = matrices(self.rates, self.n_classes)
        diagonal = np.arange(self.n_classes)
        tables[:, diagonal, diagonal] = np.maximum(0, 1 - tables.sum(axis=2))
        return tables

    # What the surface is worth

    def gini(
        self,
        method: volumes.VolumeMethod = "auto",
        *,
        n_samples: int = volumes.N_SAMPLES,
        rng: RandomState = None,
        work: int = volumes.DEFAULT_WORK,
        n_threads: int | None = None,
    ) -> Estimate:
        """G, the share of the region better than chance that the surface dominates.

        Everson & Fieldsend 2006 §5. ``"auto"`` is exact within a budget of work, and Monte Carlo
        beyond it; the result names which. Standard error and interval are those of the cases, with
        the operating points treated as fixed; the Monte Carlo error of the samples, where there is
        one, is included and named. Points found on the same cases make G optimistic:
        :func:`cross_fitted_gini` says by how much. A surface without its cases, from a file, has
        no interval.

        Parameters
        ----------
        method : ``"auto"``, ``"exact"`` or ``"monte_carlo"``.
        n_samples : points of the region that Monte Carlo counts.
        rng : seed of the samples.
        work : elementary operations allowed to the exact volume, and to its derivatives; beyond
            them these are estimated from a fixed set of 131,072 rays.
        n_threads : threads to use; by default all that the process may run on.

        Returns
        -------
        Estimate
            ``interval(level)`` on the logit scale with a t quantile.

        Examples
        --------
        >>> from polyroc.datasets import example_predictions
        >>> from polyroc.surface import ScoreModel, search
        >>> y, models, labels = example_predictions()
        >>> model = ScoreModel(y, models["logistic"], labels=labels)
        >>> found = search(model, generations=1, rng=1, progress=False)
        >>> found[::50].gini().interval().low > 0
        True
        """
        from polyroc.surface._comparison import gini_of

        return gini_of(self, _volume_options(method, n_samples, rng, work, n_threads))

    def resampled_gini(
        self, *, n_resamples: int = 200, rng: RandomState = None, n_threads: int | None = None
    ) -> Estimate:
        """G corrected for few cases: 2G − mean(G*) over resamples of the cases.

        G is a union over thousands of points whose rates are noisy, and so is too large on few
        cases even where the points were found on others: by .09 on 150 new cases, .03 on 300 in a
        simulation. The mean over resamples exceeds G by about as much. What is left of it then was
        .02 and .01. The standard error is the deviation of G over the resamples.

        Parameters
        ----------
        n_resamples : stratified resamples of the cases.
        rng : seed of the resamples.
        n_threads : threads to use; by default all that the process may run on.

        Returns
        -------
        Estimate
            ``settings["plain"]`` is G before the correction.
        """
        from polyroc.surface._resampled import resampled_gini

        return resampled_gini(self, n_resamples, rng, n_threads)

    def delta(
        self,
        other: "RocSurface",
        method: volumes.VolumeMethod = "auto",
        *,
        n_samples: int = volumes.N_SAMPLES,
        rng: RandomState = None,
        work: int = volumes.DEFAULT_WORK,
        n_threads: int | None = None,
    ) -> Estimate:
        """δ, the share of that region dominated by this surface and not by the other.

        Options as for :meth:`gini`. The standard error is paired where both surfaces have the
        same cases, that is where labels and weights agree row by row; else it is that of
        independent samples, and a note says which. δ is never negative, so it is no test of which
        surface is better: :meth:`compare` is.
        """
        from polyroc.surface._comparison import delta_of

        self._check_comparable(other)
        return delta_of(self, other, _volume_options(method, n_samples, rng, work, n_threads))

    def compare(
        self,
        other: "RocSurface",
        method: volumes.VolumeMethod = "auto",
        *,
        paired: bool = True,
        n_samples: int = volumes.N_SAMPLES,
        rng: RandomState = None,
        work: int = volumes.DEFAULT_WORK,
        n_threads: int | None = None,
    ) -> "SurfaceComparison":
        """Whether this surface has a larger G than another: difference, interval and test.

        G(X) − G(Y) = δ(X, Y) − δ(Y, X): what X dominates beyond Y, less what Y dominates beyond X.
        Cases that both surfaces were rated on enter as pairs.

        Parameters
        ----------
        other : a surface of the same classes.
        method, n_samples, rng, work, n_threads : as for :meth:`gini`.
        paired : whether row i is the same case in both; False for independent samples.

        Returns
        -------
        SurfaceComparison
            ``difference``, ``p_value``, ``interval(level)``, G and δ of both, ``frame()``.

        Examples
        --------
        >>> from polyroc.datasets import example_predictions
        >>> from polyroc.surface import ScoreModel, search
        >>> y, models, labels = example_predictions()
        >>> a, b = (
        ...     search(ScoreModel(y, models[name], labels=labels), generations=1, rng=1,
        ...            progress=False)
        ...     for name in list(models)[:2]
        ... )
        >>> result = a[::50].compare(b[::50])
        >>> bool(0 <= result.p_value <= 1)
        True
        """
        from polyroc.surface._comparison import compared

        self._check_comparable(other)
        options = _volume_options(method, n_samples, rng, work, n_threads)
        return compared(self, other, flag(paired, "paired"), options)

    def _check_comparable(self, other: Any) -> None:
        if not isinstance(other, RocSurface):
            raise InvalidType(f"Expected a RocSurface, got {shown(other)}.")
        if self.classes != other.classes:
            raise InvalidInput(
                f"The surfaces have different classes, {listed(self.classes)} and "
                f"{listed(other.classes)}. Compare surfaces of the same classes in the same order."
            )

    def signed_distance(self) -> Float64Array:
        """(m,) distances from the simplex of random allocation, negative if better than chance."""
        return volumes.signed_distance(self.rates, self.n_classes)

    def distance_histogram(self, bins: int = 30) -> "volumes.DistanceHistogram":
        """How many points lie how far from random allocation (Figure 8 of the paper)."""
        return volumes.distance_histogram(self.rates, self.n_classes, bins=bins)

    # Where to operate

    @overload
    def choose(
        self,
        *,
        costs: CostsLike | None = None,
        limits: Mapping[tuple[Any, Any], float] | None = None,
        criterion: Criterion | None = None,
        objective: RatesFunction | None = None,
        priors: PriorsLike | None = None,
        confidence: float | None = None,
        cost_bounds: CostBounds | None = None,
        alpha: ArrayLike | None = None,
        rng: RandomState = 0,
        reject_at_most: None = None,
        refer_cost: None = None,
    ) -> SurfacePoint: ...

    @overload
    def choose(
        self,
        *,
        costs: CostsLike | None = None,
        limits: Mapping[tuple[Any, Any], float] | None = None,
        criterion: Criterion | None = None,
        priors: PriorsLike | None = None,
        confidence: float | None = None,
        cost_bounds: CostBounds | None = None,
        reject_at_most: float,
        refer_cost: Any = None,
    ) -> ReferringPoint: ...

    def choose(
        self,
        *,
        costs: CostsLike | None = None,
        limits: Mapping[tuple[Any, Any], float] | None = None,
        criterion: Criterion | None = None,
        objective: RatesFunction | None = None,
        priors: PriorsLike | None = None,
        confidence: float | None = None,
        cost_bounds: CostBounds | None = None,
        alpha: ArrayLike | None = None,
        rng: RandomState = 0,
        reject_at_most: float | None = None,
        refer_cost: Any = None,
    ) -> SurfacePoint | ReferringPoint:
        """The best operating point for costs, within limits on rates, or by a criterion.

        Parameters
        ----------
        costs : K × K table (a frame is matched by its names) or mapping from (truth, decided) to a
            cost, 1 where an error is not named; the expected cost is minimised. The result lists
            all costs as ``costs_asked``.
        limits : highest allowed rates, ``{("ill", "well"): 0.05}``, truth first. They go together
            with costs or a criterion; alone, the total error is minimised. The best point within a
            limit lies at the limit: on new cases a limit of 5 % chosen on 300 cases was broken in
            68 to 88 % of runs. Check the point on held-out cases.
        criterion : ``"total_error"``: share of all cases decided wrongly;
            ``"farthest_from_chance"``: distance from random allocation; ``"knee"``: greatest
            expected marginal utility (Branke et al. 2004), that is E max(0, cost of the best other
            point − cost of this one) over costs, uniform unless ``alpha`` or ``cost_bounds`` say
            otherwise; always deciding for one class counts as another point. See :meth:`knees`.
        objective : any function of the D rates of a point, in the order of ``rates``, that gives a
            number to minimise: costs that are not linear in the rates.
        priors : of the classes, for the expected cost and the total error; by default those of the
            sample.
        confidence : confidence with which each limit should hold on new cases, such as 0.95: then
            the upper confidence bound (Clopper & Pearson) of the rate must not exceed it; several
            limits hold together with this confidence.
        cost_bounds : as for :func:`polyroc.surface.search`: only points whose own costs lie within
            them are chosen, and the costs of a knee do. ``cost_share`` of the point is the share of
            the cost space that they leave.
        alpha : of the Dirichlet distribution of the costs of a knee, as for ``search``.
        rng : seed of the costs of a knee, for three classes and more.
        reject_at_most : the largest share of the cases that may be referred to a person, for costs,
            limits and the total error. The result is then a ``ReferringPoint``: the point
            decides, and cases whose decision is expected to cost more than a threshold, which is
            chosen with the point, are referred. A referred case is no error, and limits are on
            shares of all cases of a class. For a gain that is estimated honestly, use
            :class:`~polyroc.RejectingClassifierCV`.
        refer_cost : of referring a case, with ``reject_at_most``: a number, or one per class; by
            default 0, so that as many are referred as saves anything. ``costs`` may be
            K × (K + 1) instead, the last column for referring.

        Examples
        --------
        >>> from polyroc.surface import ScoreModel, search
        >>> model = ScoreModel([0, 0, 0, 1, 1, 1], [0.1, 0.2, 0.6, 0.3, 0.75, 0.9])
        >>> surface = search(model, generations=10, rng=0, progress=False)
        >>> surface.choose(criterion="knee").confusion.round(2)
        array([[1.  , 0.  ],
               [0.33, 0.67]])
        >>> surface.choose(objective=lambda rates: max(rates)).value  # the worst of the rates
        0.3333333333333333
        >>> surface.choose(limits={(1, 0): 0}, reject_at_most=0.4)
        total error = 0.0000 with 33.3 % referred; share of each class classified as …
        truth       0       1  referred
        0      0.6667  0.0000    0.3333
        1      0.0000  0.6667    0.3333
        """
        told = costs, limits, criterion, objective, priors, confidence, cost_bounds, alpha, rng
        wish = Wish(*told, reject_at_most, refer_cost)
        return choose(self, wish) if reject_at_most is None else choose_with_referrals(self, wish)

    def curvature(
        self,
        *,
        alpha: ArrayLike | None = None,
        cost_bounds: CostBounds | None = None,
        priors: PriorsLike | None = None,
        n_samples: int = N_SAMPLES,
        rng: RandomState = 0,
    ) -> Float64Array:
        """(m,) share of cost vectors for which each point is the best choice; their sum is 1.

        The measure of the point's normal cone on the lower convex hull, a discrete Gauss curvature
        with costs in the place of angles: 0 for a point that no costs prefer, large for a corner.
        The cost of a point is Σ λ_kj C_kj, with λ uniform on the simplex: λ weighs rates, and has
        absorbed the priors. With ``alpha``, ``cost_bounds`` or ``priors`` λ are costs of a case, as
        in the search, and classes count by their priors, those of the sample unless given.

        Exact for two classes. For more it is the share of ``n_samples`` random costs; a share s
        has the standard error √(s(1 − s)/n_samples), at most .0028. Of equal points the first has
        the share of all. See :meth:`knees` for a table with standard errors.

        Parameters
        ----------
        alpha, cost_bounds : distribution of the costs and bounds on them, as for
            :func:`polyroc.surface.search`.
        priors : of the classes.
        n_samples : random costs, for three classes and more: O(n_samples · m · D) time.
        rng : seed of the costs.

        Returns
        -------
        ndarray of m shares.

        Examples
        --------
        A ROC curve with one corner, at a false positive rate of .1 and a true positive one of .6:

        >>> rates = np.array([[0.0, 1.0], [0.1, 0.4], [1.0, 0.0]])
        >>> costs = np.tile([[0.0, 0.5], [0.5, 0.0]], (3, 1, 1))
        >>> weights = np.array([10.0, 10.0])
        >>> curve = RocSurface(rates, costs, np.zeros((3, 0)), ("no", "yes"), weights)
        >>> curve.curvature().round(4)  # slopes 6 and .4444 before and after the corner
        array([0.1429, 0.5495, 0.3077])
        """
        space = space_of(self, alpha, cost_bounds)
        found = knees(self, space, priors, n_samples=n_samples, rng=rng, trivial=False)
        return found.shares

    def knees(
        self,
        number: int = 5,
        *,
        alpha: ArrayLike | None = None,
        cost_bounds: CostBounds | None = None,
        priors: PriorsLike | None = None,
        n_samples: int = N_SAMPLES,
        rng: RandomState = 0,
    ) -> "pd.DataFrame":
        """The points of greatest expected marginal utility, with curvature and standard errors.

        What a point saves beyond the best other one, averaged over costs: large where giving up a
        little of one rate costs much of another. Always deciding for one class counts as another
        point, here for the curvature too, and is no knee. Errors are 0 for two classes, where the
        values are exact. Parameters as for :meth:`curvature`.

        Parameters
        ----------
        number : rows, at most.

        Returns
        -------
        DataFrame with the columns point, marginal_utility, marginal_utility_error, curvature,
        curvature_error, total_error.
        """
        space = space_of(self, alpha, cost_bounds)
        found = knees(self, space, priors, n_samples=n_samples, rng=rng)
        return knee_table(self, found, whole_number(number, "number", least=1))

    def priors(self, priors: PriorsLike | None = None) -> Float64Array:
        """The priors given, checked, or the shares of the classes in the sample."""
        if priors is None:
            return shares(self.class_weights)
        return checked_priors(priors, self.classes)

    def hull(self, *others: "RocSurface") -> "SurfaceHull":
        """Points of this and other surfaces on their lower convex hull, where the optimal lie."""
        from polyroc.surface._hull import hull_of

        return hull_of((self, *others))

    # Other cases, other objectives

    def rescore(
        self, X: ScoresLike, y: LabelsLike, *, sample_weight: WeightsLike | None = None
    ) -> "RocSurface":
        """The same operating points with their error rates on other cases.

        A front is chosen for its rates on the cases it was found on, and so is optimistic. The
        rates of a single point are not so on other cases; G, a union over all points, still is on
        few of them: by .09 on 150 cases, .03 on 300, nothing on 1,000 in a simulation, for which
        :meth:`resampled_gini` corrects. The points
        keep their order, and on the new cases some dominate others. For a ``ScoreModel``,
        ``X`` are the scores of the new cases. Cases are taken as new: a ``KnnModel`` that rescores
        the cases it was made with counts each as a neighbour of itself.
        """
        model = self._model("Rescoring").on(X, y, sample_weight=sample_weight)
        source = {**self.provenance, "rescored_on": model.fingerprint()}
        weights = model.cases.class_weights
        rates = member_rates(model, self.parameters, errors(self.costs))
        return replace(self, rates=rates, class_weights=weights, provenance=source, model=model)

    def front(self, objectives: ObjectivesLike) -> "RocSurface":
        """The members that no other dominates in these objectives (eq. 13 for one per class).

        ``objectives`` as for :func:`polyroc.surface.search`.
        """
        chosen = checked_objectives(objectives)
        return self[on_front(objective_values(self.rates, self.n_classes, chosen))]

    def __getitem__(self, which: Any) -> "RocSurface":
        """Some of the members: a mask, positions or a slice."""
        if isinstance(which, (int, np.integer)):
            which = [which]
        return replace(
            self,
            rates=self.rates[which],
            costs=self.costs[which],
            parameters=self.parameters[which],
        )

    def decide(self, X: ScoresLike, index: int) -> NDArray[Any]:
        """Decisions of one operating point for new cases (for a ``ScoreModel``, their scores)."""
        index = self._position(index)
        with np.errstate(over="ignore", invalid="ignore"):
            probabilities = self._model("Deciding").at(X).probabilities(self.parameters[index])
        if not np.isfinite(probabilities).all():
            raise NotDefined("The model has no probabilities for X: its numbers are too large.")
        return label_array(self.classes)[least_cost(probabilities, self.costs[index])]

    def _position(self, index: int) -> int:
        """A position from 0 on; a negative one counts from the end."""
        position = whole_number(index, "index", least=-len(self))
        if position >= len(self):
            raise InvalidInput(f"There is no operating point {position}: there are {len(self)}.")
        return position

    def _model(self, purpose: str) -> Model:
        if self.model is None:
            raise NotDefined(
                f"{purpose} needs the model, which a file does not contain for models of your own. "
                "Pass it to RocSurface.load(path, model=…)."
            )
        return self.model

    @property
    def notes(self) -> tuple[Note, ...]:
        """For scores: what their probabilities promise that decisions cost, and what they cost.

        With every error costing 1, on the cases of the search; a point of :meth:`choose` has the
        note for its own costs. Empty for models that are searched and where there are no cases.
        """
        from polyroc.calibration._cost_calibration import on_cases

        cases = getattr(self.model, "cases", None)
        if self.model is None or cases is None or self.parameters.shape[1]:
            return ()
        q = np.asarray(self.model.probabilities(np.zeros(0)), dtype=np.float64)
        table = 1 - np.eye(self.n_classes)
        decided = least_cost(q, table)
        return (on_cases(q, cases, decided, table).note(),)

    # Files and tables

    def save(self, path: str | Path) -> None:
        """Write the surface to an NPZ file without pickles, replaced as a whole."""
        from polyroc.surface._storage import save

        save(self, path_of(path))

    @classmethod
    def load(cls, path: str | Path, *, model: Model | None = None) -> Self:
        """Read a surface from a file; ``model`` is needed for models of your own only."""
        from polyroc.surface._storage import load

        return load(cls, path_of(path), model)

    def frame(self) -> "pd.DataFrame":
        """A row per operating point: its rates and costs by (truth → decision), its parameters."""
        import pandas as pd

        pairs = [f"{a} → {b}" for a in self.classes for b in self.classes if a != b]
        columns: dict[str, NDArray[Any]] = {}
        for name, table in (("rate", self.rates), ("cost", errors(self.costs))):
            columns |= {f"{name} {pair}": table[:, d] for d, pair in enumerate(pairs)}
        columns |= {f"parameter {p}": column for p, column in enumerate(self.parameters.T)}
        return pd.DataFrame(columns)

    def __repr__(self) -> str:
        names = some_of([str(label) for label in self.classes])
        kind = self.provenance.get("model", "surface")
        return f"RocSurface({plural(len(self), 'operating point')} of {kind} for {names})"


def _volume_options(
    method: volumes.VolumeMethod, n_samples: int, rng: RandomState, work: int, n_threads: int | None
) -> dict[str, Any]:
    """Options of a volume by name; one seed for all volumes of a comparison."""
    check_choice(method, "method", volumes.VOLUME_METHODS)
    seed = rng if method == "exact" else seed_of(rng)
    return {
        "method": method,
        "n_samples": n_samples,
        "rng": seed,
        "work": work,
        "n_threads": n_threads,
    }


def label_array(classes: tuple[Label, ...]) -> NDArray[Any]:
    """Classes as an array that keeps labels of different types apart."""
    mixed = len({type(label) for label in classes}) > 1
    return np.array(classes, dtype=object) if mixed else np.array(classes)


def member_rates(model: Model, parameters: Float64Array, costs: Float64Array) -> Float64Array:
    """(m, D) error rates of members on the cases of a model.

    Members that share their parameters share the probabilities.
    """
    rates = np.empty_like(costs)
    for rows in sharing_parameters(parameters):
        probabilities = model_probabilities(model, parameters[rows[0]])
        rates[rows] = error_rates(probabilities, model.cases, costs[rows])
    return rates


def surface_of(evolution: "Evolution", stopped: str) -> RocSurface:
    """The archive of a search in order of its rates, with where it came from and how it ended."""
    archive, model, wanted = evolution.archive, evolution.model, evolution.settings.objectives
    order = np.lexsort(archive.rates.T[::-1])
    if archive.kind != wanted:
        values = objective_values(archive.rates[order], archive.n_classes, wanted)
        order = order[on_front(values)]
    provenance = {
        "model": model.name,
        "model_settings": model.settings(),
        "data": model.fingerprint(),
        **evolution.settings.to_dict(),
        **({"cost_share": evolution.space.share} if evolution.space.bounded else {}),
        "seed": evolution.seed,
        "generations": evolution.generation,
        "evaluations": evolution.evaluations,
        "stopped": stopped,
        "history": [list(entry) for entry in evolution.history],
        "version": __version__,
    }
    return RocSurface(
        archive.rates[order],
        matrices(archive.costs[order], archive.n_classes),
        archive.parameters[order],
        model.cases.classes,
        model.cases.class_weights,
        provenance,
        model,
    )
