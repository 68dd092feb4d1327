"""Pairwise coupling: one binary classifier per pair of classes, joined into class probabilities.

For classes i and j let r_ij be the probability of i against j that the classifier of the pair gives
a case, r_ji = 1 − r_ij. Class probabilities p would have r_ij = p_i / (p_i + p_j); K(K − 1)/2 such
equations for K − 1 unknowns have no common solution in general, and the two methods here differ in
what they call nearest.

Wu, Lin & Weng (2004), second method: minimise Σ_i Σ_{j≠i} (r_ji p_i − r_ij p_j)² over Σ p_i = 1.
That is pᵀQp with Q_ii = Σ_{j≠i} r_ji², Q_ij = −r_ji r_ij, a linear system with one multiplier. The
system is regular and its solution is not negative, whatever the r_ij in [0, 1].

Hastie & Tibshirani (1998): minimise the Kullback–Leibler divergence between r_ij and
p_i / (p_i + p_j), weighted by the cases n_ij that the pair was learned from, by the iteration
p_i ← p_i Σ_j n_ij r_ij / Σ_j n_ij μ_ij, with μ_ij = p_i / (p_i + p_j).
"""

from itertools import combinations
from typing import Any, Literal

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils import check_array, check_consistent_length, get_tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted, column_or_1d, has_fit_parameter, validate_data

from polyroc._base.checks import shown
from polyroc.errors import InvalidInput, InvalidType
from polyroc.predictions._rows import rows_by_position
from polyroc.typing import Float64Array, IntArray

Method = Literal["wu_lin_weng", "hastie_tibshirani"]

MOST_ITERATIONS = 10_000
LEAST_CHANGE = 1e-9
_SMALLEST = np.finfo(np.float64).tiny


def couple(r: Float64Array) -> Float64Array:
    """Class probabilities (n, K) from pairwise ones (n, K, K) by least squares, all cases at once.

    Wu, Lin & Weng (2004), second method; O(n K³).

    Examples
    --------
    >>> r = np.array([[[0, 0.6, 0.75], [0.4, 0, 2 / 3], [0.25, 1 / 3, 0]]])
    >>> couple(r).round(6)
    array([[0.5  , 0.333333, 0.166667]])
    """
    n_classes = r.shape[1]
    against = r.transpose(0, 2, 1)
    system = np.ones((len(r), n_classes + 1, n_classes + 1))
    system[:, :-1, :-1] = -against * r
    diagonal = np.arange(n_classes)
    off_diagonal = 1 - np.eye(n_classes)
    system[:, diagonal, diagonal] = ((against * off_diagonal) ** 2).sum(axis=2)
    system[:, -1, -1] = 0
    target = np.zeros((n_classes + 1, 1))
    target[-1] = 1
    solved = np.linalg.solve(system, np.broadcast_to(target, (len(r), *target.shape)))
    return _shares(np.maximum(solved[:, :-1, 0], 0))


def couple_by_iteration(r: Float64Array, n: Float64Array) -> Float64Array:
    """Class probabilities (n, K) by the iteration of Hastie & Tibshirani (1998).

    ``n[i, j]`` is the number of cases behind r_ij. A case is done when no probability changes by
    more than 1e-9. Where pairwise probabilities are exactly 0 or 1 the iteration may approach its
    limit slowly; it is stopped after 10,000 rounds.
    """
    n = n * (1 - np.eye(len(n)))
    won = np.einsum("ij,cij->ci", n, r)
    p = np.full(won.shape, 1 / len(n))
    active = np.arange(len(p))
    for _ in range(MOST_ITERATIONS):
        before = p[active]
        expected = np.einsum("ij,cij->ci", n, before[:, :, None] / _pair_totals(before))
        after = _shares(np.maximum(before * won[active] / expected, _SMALLEST))
        p[active] = after
        active = active[np.abs(after - before).max(axis=1) > LEAST_CHANGE]
        if not active.size:
            break
    return p


def _pair_totals(p: Float64Array) -> Float64Array:
    totals: Float64Array = p[:, :, None] + p[:, None, :]
    return totals


def _shares(p: Float64Array) -> Float64Array:
    divided: Float64Array = p / p.sum(axis=1, keepdims=True)
    return divided


class PairwiseCoupling(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """One binary classifier per pair of classes, joined into class probabilities.

    The one-versus-one models of Van Calster et al. 2008 §IV are joined in this way.

    Parameters
    ----------
    estimator : binary classifier with ``predict_proba``; wrap one that has only a decision
        function in ``sklearn.calibration.CalibratedClassifierCV``.
    method : ``"wu_lin_weng"``, least squares solved exactly, or ``"hastie_tibshirani"``, the
        Kullback–Leibler divergence minimised by iteration.
    n_jobs : pairs fitted in parallel, as in joblib.

    Attributes
    ----------
    classes_ : the K classes, sorted.
    pairs_ : the pairs (i, j), i < j, as positions in ``classes_``.
    estimators_ : the fitted classifier of each pair; its class 1 is class i.
    pair_weights_ : (K, K) number of cases, or their weight, that each pair was learned from.

    References
    ----------
    T.-F. Wu, C.-J. Lin, R. C. Weng: Probability estimates for multi-class classification by
    pairwise coupling. Journal of Machine Learning Research 5 (2004) 975–1005, §4.2.
    T. Hastie, R. Tibshirani: Classification by pairwise coupling. Annals of Statistics 26 (1998)
    451–471.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = load_iris(return_X_y=True)
    >>> model = PairwiseCoupling(LogisticRegression(max_iter=1000)).fit(X, y)
    >>> model.predict_proba(X[:1]).round(2)
    array([[0.98, 0.02, 0.  ]])
    """

    def __init__(
        self, estimator: Any, *, method: Method = "wu_lin_weng", n_jobs: int | None = None
    ) -> None:
        self.estimator = estimator
        self.method = method
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "PairwiseCoupling":
        """Fit a classifier for each pair of classes."""
        self._check_parameters(sample_weight)
        rows_by_position({"y": y, "X": X, "sample_weight": sample_weight})
        X, y = validate_data(self, X, y, **_checks(X))
        y = column_or_1d(y)
        check_consistent_length(X, y)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise InvalidInput(
                f"Pairs need at least two classes, but y has one class: {self.classes_[0]!r}."
            )
        weights = _checked_weights(sample_weight, X)
        self.pairs_ = list(combinations(range(len(self.classes_)), 2))
        self.estimators_ = Parallel(n_jobs=self.n_jobs)(
            delayed(_fit_pair)(self.estimator, X, codes, weights, pair) for pair in self.pairs_
        )
        totals = np.bincount(codes, weights=weights).astype(np.float64)
        self.pair_weights_ = totals[:, None] + totals
        return self

    def predict_proba(self, X: Any) -> Float64Array:
        """Class probabilities (n, K), rows summing to 1."""
        r = self.pairwise_proba(X)
        if self.method == "wu_lin_weng":
            return couple(r)
        return couple_by_iteration(r, self.pair_weights_)

    def predict(self, X: Any) -> Any:
        """The class of highest probability."""
        best = np.argmax(self.predict_proba(X), axis=1)
        return self.classes_[best]

    def pairwise_proba(self, X: Any) -> Float64Array:
        """Pairwise probabilities r_ij as an array (n, K, K) with zeros on the diagonal."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, **_checks(X))
        n_classes = len(self.classes_)
        r = np.zeros((X.shape[0], n_classes, n_classes))
        for (i, j), fitted in zip(self.pairs_, self.estimators_, strict=True):
            of_first = fitted.predict_proba(X)[:, list(fitted.classes_).index(1)]
            r[:, i, j], r[:, j, i] = of_first, 1 - of_first
        return r

    def _check_parameters(self, sample_weight: Any) -> None:
        if self.method not in ("wu_lin_weng", "hastie_tibshirani"):
            raise InvalidInput(
                f'method must be "wu_lin_weng" or "hastie_tibshirani", got {shown(self.method)}.'
            )
        name = type(self.estimator).__name__
        if not hasattr(self.estimator, "predict_proba"):
            raise InvalidType(
                f"Pairwise coupling joins probabilities, but {name} has no predict_proba. "
                "Wrap it in sklearn.calibration.CalibratedClassifierCV."
            )
        if sample_weight is not None and not has_fit_parameter(self.estimator, "sample_weight"):
            raise InvalidType(f"{name}.fit takes no sample_weight. Fit without weights.")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator)
        tags.input_tags.sparse = inner.input_tags.sparse
        tags.input_tags.allow_nan = inner.input_tags.allow_nan
        return tags


def _checks(X: Any) -> dict[str, Any]:
    """Arrays and sparse matrices are checked; frames pass whole, for what selects by column."""
    if hasattr(X, "iloc"):
        return {"skip_check_array": True}
    return {"accept_sparse": "csr", "dtype": None, "ensure_all_finite": False}


def _checked_weights(sample_weight: Any, X: Any) -> Float64Array | None:
    if sample_weight is None:
        return None
    weights: Float64Array = check_array(
        sample_weight, ensure_2d=False, dtype=np.float64, input_name="sample_weight"
    )
    check_consistent_length(weights, X)
    return weights


def _fit_pair(
    estimator: Any, X: Any, codes: IntArray, weights: Float64Array | None, pair: tuple[int, int]
) -> Any:
    rows = np.flatnonzero(np.isin(codes, pair))
    cases = X.iloc[rows] if hasattr(X, "iloc") else X[rows]
    options = {} if weights is None else {"sample_weight": weights[rows]}
    return clone(estimator).fit(cases, (codes[rows] == pair[0]).astype(int), **options)
