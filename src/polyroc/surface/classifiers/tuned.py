"""Decision costs tuned by cross-validation, for any number of classes."""

import warnings
from collections.abc import Mapping
from numbers import Real
from typing import Any, Literal

import numpy as np
from sklearn.utils import check_random_state

from polyroc._base.checks import check_choice, shown
from polyroc._base.parallel import one_blas_thread
from polyroc.errors import InvalidInput, NotDefined
from polyroc.predictions._weights import checked_priors
from polyroc.surface._costs import CostsLike, checked_costs, pair_index
from polyroc.surface._limits import checked_limits, held_limits
from polyroc.surface.classifiers.candidates import Candidate, Trial
from polyroc.surface.classifiers.cost_sensitive import decide, relative_costs
from polyroc.surface.classifiers.cross_fitted import CrossFittedDecisions
from polyroc.surface.classifiers.inner import check_probabilistic
from polyroc.surface.classifiers.scoring import ScoreGoal, table_score
from polyroc.surface.classifiers.sweeps import Goal, Search, class_groups, class_totals, pair_groups
from polyroc.typing import Float64Array, Int64Array, Label, PriorsLike

RANDOM_STARTS = 2
PERTURBATIONS = 12
"""Times that a search under limits is perturbed and resumed: it has local optima."""

EXPENSIVE = 8.0
"""Factor on the costs of limited errors at a further start of the search."""

Pair = tuple[Any, Any]


class TunedCostClassifierCV(CrossFittedDecisions):
    """Classifier whose decision costs are tuned on out-of-fold probabilities.

    The classifier decides argmin_j Σ_k λ_kj p_k(x) (Everson & Fieldsend 2006 §2). With calibrated
    probabilities the best λ are the user's costs themselves; where probabilities are not
    calibrated other λ do better, and these are looked for. Three candidates compete: argmax, the
    Bayes rule of the user's costs, and tuned costs λ_kj = c_kj w_k. In this order, a later one is
    taken only if it saves more than one standard error of the paired differences on out-of-fold
    cases. The saving of tuned costs is cross-fitted: each fold is decided by costs tuned on the
    others.

    Parameters
    ----------
    estimator : classifier with ``predict_proba``; a clone is fitted per fold and one to all cases.
        Pass one that is already fitted as ``sklearn.frozen.FrozenEstimator(fitted)``.
    costs : what errors cost: a K × K table, a row per true class and a column per decision, in the
        order of the sorted classes (a frame is matched by its names), or a mapping from (truth,
        decided), where an error that is not named costs 1. None: every error costs 1, so that the
        share of errors is minimised.
    limits : mapping from (truth, decided) to the highest rate allowed, as a share of the cases of
        that truth. Among costs that meet the limits on cross-fitted decisions, the cheapest are
        taken.
    confidence : confidence with which the limits should hold on new cases, such as 0.95: then the
        upper confidence bounds (Clopper & Pearson) of the cross-fitted rates must not exceed them,
        all limits together. None: the rates themselves must not, and on new cases they do about
        every second time.
    minimise : (truth, decided), an error rate to minimise instead of the expected cost; among
        equals, the fewest errors. Makes sense only with limits on other errors.
    scoring : a score of decisions to maximise instead: the name of a scikit-learn scorer
        (``"f1_macro"``, ``"matthews_corrcoef"``, …), a scorer, or a function of a confusion table
        (K × K counts, a row per truth) that returns a number.
    priors : of the classes where the classifier will be used; None: as in the data.
    vary : ``"classes"``, a weight per true class (and a cost of its own for each error in
        ``limits`` and ``minimise``), or ``"pairs"``, every cost by itself, K² − K − 1 degrees of
        freedom, which need many cases.
    standard_errors : how many standard errors a saving must exceed.
    cv : folds as in scikit-learn, in which each case is tested exactly once; None is five
        stratified folds.
    n_jobs : folds in parallel, as in joblib.
    random_state : of the random starts of the search.

    Attributes
    ----------
    costs_ : (K, K) the costs in use, the largest 1; 0/1 where argmax stays.
    chosen_ : ``"argmax"``, ``"bayes"`` or ``"tuned"``.
    cost_ : expected cost, or rate, of the chosen costs on out-of-fold cases.
    score_ : ``scoring`` of the chosen costs on out-of-fold cases; NaN without ``scoring``.
    gain_, gain_standard_error_ : what is saved against argmax, or gained in score; 0 where argmax
        stays.
    verdict_ : a sentence on what was chosen, and how certain the gain is.
    rates_ : (K, K) share of each class, in rows, decided as each, on out-of-fold cases.
    candidates_ : mapping of names to all three, with the same facts about each.
    estimator_, classes_ : the classifier fitted to all cases, and its classes.
    n_features_in_, feature_names_in_ : where the inner classifier has them.

    Notes
    -----
    Raises ``NotDefined`` if no costs were found that keep the limits on the very cases they were
    tuned on, and says how close they came; warns if they do there but not when cross-fitted.
    A single fold's classifier must have seen every class.

    Examples
    --------
    A classifier fitted where both classes were equally frequent, used where one in ten is ill.

    >>> from sklearn.frozen import FrozenEstimator
    >>> from sklearn.naive_bayes import GaussianNB
    >>> rng = np.random.default_rng(0)
    >>> even, rare = np.repeat([0, 1], [500, 500]), np.repeat([0, 1], [900, 100])
    >>> fitted = GaussianNB().fit(rng.normal(even)[:, None], even)
    >>> tuner = TunedCostClassifierCV(FrozenEstimator(fitted)).fit(rng.normal(rare)[:, None], rare)
    >>> tuner.chosen_, bool(tuner.costs_[0, 1] > 5 * tuner.costs_[1, 0])
    ('tuned', True)
    """

    def __init__(
        self,
        estimator: Any,
        *,
        costs: CostsLike | None = None,
        limits: Mapping[Pair, float] | None = None,
        confidence: float | None = None,
        minimise: Pair | None = None,
        scoring: Any = None,
        priors: PriorsLike | None = None,
        vary: Literal["classes", "pairs"] = "classes",
        standard_errors: float = 1.0,
        cv: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.costs = costs
        self.limits = limits
        self.confidence = confidence
        self.minimise = minimise
        self.scoring = scoring
        self.priors = priors
        self.vary = vary
        self.standard_errors = standard_errors
        self.cv = cv
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, **fit_params: Any
    ) -> "TunedCostClassifierCV":
        """Fit the classifier to all cases and tune its costs on out-of-fold probabilities.

        ``sample_weight`` weighs the cases in the criterion and goes to the classifier's ``fit``;
        other parameters go to that ``fit``.
        """
        self._check_parameters()
        found = self._fit_out_of_fold(X, y, sample_weight, fit_params)
        weights = found.weights / found.weights.sum()
        goal, ratios = self._goal(found.probabilities, found.truths, weights, found.classes)
        with one_blas_thread():  # threads wait for each other in products of one row
            self._choose(goal, found.folds, ratios, found.classes)
        return self

    def _check_parameters(self) -> None:
        check_probabilistic(self.estimator)
        check_choice(self.vary, "vary", ("classes", "pairs"))
        if not (isinstance(self.standard_errors, Real) and self.standard_errors >= 0):
            raise InvalidInput(
                f"standard_errors must be a non-negative number, got {shown(self.standard_errors)}."
            )
        if self.costs is not None and self.minimise is not None:
            raise InvalidInput(
                "costs and minimise are two things to minimise. Give one of them, and limits."
            )
        if self.scoring is not None and not (self.costs is None and self.minimise is None):
            other = "minimise" if self.costs is None else "costs"
            raise InvalidInput(f"scoring and {other} are two goals. Give one of them, and limits.")
        if self.confidence is not None and not self.limits:
            raise InvalidInput("confidence applies to limits. Give limits, too.")

    def _goal(
        self,
        probabilities: Float64Array,
        truths: Int64Array,
        weights: Float64Array,
        classes: tuple[Label, ...],
    ) -> tuple[Goal, Float64Array]:
        """What to achieve, and by what factor priors change the share of each class."""
        present = class_totals(truths, weights, len(classes))
        ratios = np.ones(len(classes))
        if self.priors is not None:
            check_present(present, range(len(classes)), classes, "priors")
            ratios = checked_priors(self.priors, classes) / present
        limits = checked_limits(self.limits, classes)
        named = [truth for truth, _ in limits]
        criterion = in_units(self.costs, classes)
        if self.minimise is not None:
            pair = pair_index(self.minimise, classes)
            check_present(present, [pair[0]], classes, "minimise")
            criterion = np.zeros_like(criterion)
            criterion[pair] = 1 / (present * ratios)[pair[0]]
        check_present(present, named, classes, "limits")
        squares = class_totals(truths, weights**2, len(classes))
        effective = np.divide(present**2, squares, out=np.zeros_like(present), where=squares > 0)
        limits = held_limits(limits, self.confidence, effective, classes)
        bounds = np.array(list(limits.values()), dtype=np.float64)
        weights = weights * ratios[truths]
        known = probabilities, truths, weights, criterion, tuple(limits), bounds
        if self.scoring is None:
            return Goal(*known), ratios
        scoring, at_once = table_score(self.scoring, classes)
        total = float(len(truths))
        return ScoreGoal(*known, scoring=scoring, at_once=at_once, total=total), ratios

    def _choose(
        self, goal: Goal, folds: Int64Array, ratios: Float64Array, classes: tuple[Label, ...]
    ) -> None:
        bayes = relative_costs(self.costs, classes) * ratios[:, None]
        bayes /= bayes.max()
        by_class = self.priors is not None or self.minimise is not None
        trial = Trial(goal, folds, by_class, self.n_jobs)
        chosen, everyone = trial.run(
            bayes, self._search(goal, bayes, classes), self.standard_errors
        )
        if chosen.name == "tuned":
            check_honoured(goal, chosen, classes)
        self.costs_, self.chosen_, self.candidates_ = chosen.costs, chosen.name, everyone
        self._argmax, self._tie_order = chosen.name == "argmax", np.arange(len(classes))
        self.cost_, self.rates_ = chosen.cost, chosen.rates
        self.gain_, self.gain_standard_error_ = chosen.gain, chosen.standard_error
        self.score_, self.verdict_ = chosen.score, self._verdict(chosen, everyone["tuned"])

    def _verdict(self, chosen: Candidate, tuned: Candidate) -> str:
        """What was chosen, and by how much it is better than argmax on out-of-fold cases."""
        what = "the cost" if self.scoring is None else "the score"
        names = {"argmax": "Argmax", "bayes": "The Bayes rule of the costs", "tuned": "Tuned costs"}
        judged = tuned if chosen.name == "argmax" else chosen
        sign = "lower" if (self.scoring is None) == (judged.gain > 0) else "higher"
        size = f"{abs(judged.gain):.4g} {sign} than" if judged.gain else "the same as"
        told = (
            f"{what} is {size} that of argmax "
            f"(standard error {judged.standard_error:.2g}) on out-of-fold cases"
        )
        if chosen.name == "argmax":
            return f"Argmax is kept: with tuned costs {told}."
        return f"{names[chosen.name]}: {told}."

    def _search(self, goal: Goal, bayes: Float64Array, classes: tuple[Label, ...]) -> Search:
        """Start at the Bayes rule, equal class shares, expensive limited errors and at random."""
        n_classes = len(classes)
        own = set(goal.limited)
        if self.minimise is not None:
            own.add(pair_index(self.minimise, classes))
        base = bayes.copy()
        for pair in own:  # a factor cannot move a cost of 0
            base[pair] = base[pair] or 1.0
        shares = np.where(goal.class_weights > 0, goal.class_weights, 1.0)
        starts = [base, base / shares[:, None]]
        if own:
            starts.append(base * np.where(sum(pair_groups(n_classes, own)), EXPENSIVE, 1))
        random = check_random_state(self.random_state)
        starts += [base * np.exp(random.normal(size=(n_classes, 1))) for _ in range(RANDOM_STARTS)]
        groups = class_groups(n_classes) + pair_groups(n_classes, sorted(own))
        if self.vary == "pairs":
            starts, groups = [*starts, 1 - np.eye(n_classes)], pair_groups(n_classes)
        perturbed = [
            np.exp(sum(group * random.normal() for group in groups))
            for _ in range(PERTURBATIONS if goal.limited else 0)
        ]
        return Search(tuple(starts), tuple(groups), tuple(perturbed))


def in_units(costs: CostsLike | None, classes: tuple[Label, ...]) -> Float64Array:
    """Costs as a checked table in the units they were given in."""
    return 1 - np.eye(len(classes)) if costs is None else checked_costs(costs, classes)


def check_present(
    shares: Float64Array, needed: Any, classes: tuple[Label, ...], option: str
) -> None:
    """Whether the classes that an option names have cases."""
    for place in needed:
        if not shares[place] > 0:
            raise NotDefined(
                f"{option} name the class {shown(classes[place])}, of which there are no cases."
            )


def check_honoured(goal: Goal, chosen: Candidate, classes: tuple[Label, ...]) -> None:
    """An error where limits are broken on the cases tuned on, a warning where cross-fitted."""
    values = goal.values(decide(goal.probabilities, chosen.costs))
    reached = values[len(values) - len(goal.limits) :]
    names = [f"{classes[truth]!r} as {classes[decision]!r}" for truth, decision in goal.limited]
    told = ", ".join(
        f"{name} {rate:.4f} (limit {limit:g})"
        for name, rate, limit in zip(names, reached, goal.limits, strict=True)
    )
    if goal.score(chosen.costs).excess > 0:
        raise NotDefined(
            f"No decision costs were found that meet the limits. The closest reach {told}. "
            'Raise a limit, or try vary="pairs".'
        )
    if not chosen.feasible:
        rates = [chosen.rates[pair] for pair in goal.limited]
        told = ", ".join(f"{name} {rate:.4f}" for name, rate in zip(names, rates, strict=True))
        warnings.warn(
            "The limits hold on the cases that costs were tuned on, but not cross-fitted, where "
            f"the rates are {told}. Expect about these on new cases.",
            UserWarning,
            stacklevel=5,
        )
