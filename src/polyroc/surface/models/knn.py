"""Probabilistic k-nearest neighbours: Everson & Fieldsend 2006 §4.2."""

from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Self, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from polyroc._base.checks import check_choice
from polyroc.errors import InvalidInput
from polyroc.kernels.neighbours import neighbour_posteriors
from polyroc.surface._cases import check_columns
from polyroc.surface.models.model import LARGEST, Model
from polyroc.typing import Float64Array, IntArray, Label, LabelsLike, ScoresLike, WeightsLike

Kernel: TypeAlias = Literal["tricube", "tricube_unscaled", "uniform", "share"]
KERNELS: tuple[str, ...] = get_args(Kernel)


class KnnModel(Model):
    """Probabilistic k-nn; parameters are (k, β).

    P(j | x) ∝ exp(β Σ u(d) over those of the k nearest that belong to j), eq. 11. A case is not a
    neighbour of itself. k moves as a real number and is rounded where it is used.

    Neighbours are sorted once: O(n² log n) time and O(n²) memory, so n up to about 10,000.

    Parameters
    ----------
    X, y, labels, sample_weight : as for every model.
    kernel : the weights u of neighbours. ``"tricube"``: (1 − (d/h)³)³ with h the distance of
        neighbour k + 1, scaled to sum 1, so that β means the same for every k;
        ``"tricube_unscaled"``: the same without the scaling, so that β counts neighbours;
        ``"uniform"``: u = 1/k, as Holmes & Adams; ``"share"``: plain k-nn, P(j | x) = k_j/k, for
        which β has no meaning.

    Examples
    --------
    >>> import numpy as np
    >>> model = KnnModel([[0.0], [1.0], [2.0], [5.0]], [0, 0, 1, 1], kernel="share")
    >>> model.probabilities(np.array([2.0, 1.0]))
    array([[0.5, 0.5],
           [0.5, 0.5],
           [1. , 0. ],
           [0.5, 0.5]])
    """

    name = "knn"
    arrays: ClassVar[tuple[str, ...]] = ("reference", "reference_codes")
    kernel: Kernel = "tricube"

    def __init__(
        self,
        X: ScoresLike,
        y: LabelsLike,
        *,
        kernel: Kernel = "tricube",
        labels: LabelsLike | None = None,
        sample_weight: WeightsLike | None = None,
    ) -> None:
        check_choice(kernel, "kernel", KERNELS)
        self.kernel = kernel
        super().__init__(X, y, labels=labels, sample_weight=sample_weight)

    @property
    def noise(self) -> Float64Array:  # type: ignore[override]
        """A thirtieth of the cases for k, 1 for β."""
        return np.array([max(1.0, len(self.reference) / 30), 1.0])

    def draw(self, rng: np.random.Generator) -> Float64Array:
        """k log-uniform up to half of the cases, β exponential with mean 5."""
        half = max(1.0, len(self.reference) / 2)
        return np.array([np.exp(rng.uniform(0, np.log(half))), rng.exponential(5.0)])

    def within(self, parameters: Float64Array) -> Float64Array:
        """k from 1 to n − 2 (h is the distance of the neighbour after it), β reflected at 0."""
        k, beta = parameters
        return np.array([np.clip(k, 1, len(self.reference) - 2), abs(beta)])

    def probabilities(self, parameters: Float64Array) -> Float64Array:
        return self.posteriors(*KnnModel.within(self, parameters))

    def posteriors(self, k: float, beta: float) -> Float64Array:
        """(n, K) posteriors of the cases: eq. 11."""
        found = np.empty((len(self.X), len(self.classes)))
        which = KERNELS.index(self.kernel)
        neighbour_posteriors(self._cubes, self._codes, round(k), beta, which, found)
        return found

    def take(self, X: Float64Array) -> None:
        """Sort the reference cases by their distance from each case, once."""
        from scipy.spatial.distance import cdist

        super().take(X)
        own = not hasattr(self, "reference")
        if own:
            if len(X) < 3:
                raise InvalidInput(f"k-nn needs at least three cases, got {len(X)}.")
            self.reference, self.reference_codes = X, self.cases.codes
        check_columns(X, self.reference.shape[1])
        distances = cdist(X, self.reference)
        if own:
            np.fill_diagonal(distances, -1.0)  # first in order, and left out
        order = np.argsort(distances, axis=1, kind="stable")[:, int(own) :]
        ascending = np.take_along_axis(distances, order, axis=1)
        middle = np.median(ascending, axis=1, keepdims=True)
        with np.errstate(over="ignore"):  # a case so far away has the weight 0 all the same
            self._cubes: Float64Array = (ascending / np.where(middle > 0, middle, 1.0)) ** 3
        few = self.reference_codes.astype(np.min_scalar_type(len(self.classes)))
        self._codes: IntArray = few[order]

    def settings(self) -> dict[str, Any]:
        """The kernel, unless it is the one that models of earlier versions have."""
        return {} if self.kernel == "tricube" else {"kernel": self.kernel}

    @classmethod
    def restored(
        cls,
        classes: tuple[Label, ...],
        settings: Mapping[str, Any],
        state: Mapping[str, NDArray[Any]],
    ) -> Self:
        """A model without cases, from what a file holds."""
        kernel = settings.get("kernel", "tricube")
        if kernel not in KERNELS:
            raise ValueError("its kernel is not one of k-nn")
        model = super().restored(classes, settings, state)
        model.kernel = kernel
        return model

    def check(self) -> None:
        codes, n_cases = self.reference_codes, len(self.reference)
        shapes = self.reference.ndim == 2 and codes.shape == (n_cases,) and n_cases >= 3
        types = self.reference.dtype == np.float64 and codes.dtype.kind in "iu"
        whole = shapes and types and (np.abs(self.reference) <= LARGEST).all()
        if not (whole and codes.min() >= 0 and codes.max() < len(self.classes)):
            raise ValueError("its reference cases are not those of a k-nn model")
