"""A scikit-learn classifier whose probabilities are recalibrated on out-of-fold cases."""

from typing import Any, Literal

import numpy as np
from sklearn.utils.validation import check_is_fitted

from polyroc._base.checks import check_choice, is_real, shown
from polyroc.calibration._log_ratios import checked_floor
from polyroc.calibration._maps import fit_map, floor_of, log_loss
from polyroc.calibration._recalibration import MOST_CLASSES
from polyroc.errors import InvalidInput
from polyroc.predictions._rows import rows_by_position
from polyroc.surface.classifiers.fitting import OutOfFold, fit_out_of_fold, routing_of
from polyroc.surface.classifiers.inner import Wrapper, check_probabilistic, check_takes_weights
from polyroc.typing import Float64Array, Int64Array

METHODS = ("none", "temperature", "vector", "multinomial")
"""From the simplest: of equals the first is chosen."""


class Recalibrated(Wrapper):
    """A classifier with recalibrated probabilities, softmax(W u + c).

    u_k is log q_k minus the mean of these logarithms over classes, q the probabilities of the
    classifier. Its out-of-fold probabilities for the training cases show how far they are off; the
    map that corrects them is fitted by maximum likelihood, and the classifier itself to all cases.
    One temperature for all classes leaves the order of the classes as it is; ``"vector"`` and
    ``"multinomial"`` can change it.

    Parameters
    ----------
    estimator : classifier with ``predict_proba``; a clone is fitted per fold and one to all cases.
        Pass one that is already fitted as ``sklearn.frozen.FrozenEstimator(fitted)``, and is
        recalibrated on the cases given.
    method : ``"temperature"`` (one slope), ``"vector"`` (a slope and an intercept per class),
        ``"multinomial"`` (all slopes and intercepts, K² + K) or ``"auto"``, the one with the
        lowest cross-validated log loss, leaving the probabilities as they are included.
    ridge : how strongly slopes are drawn to 1 and 0 and intercepts to 0: ridge/2 times the squares
        of what separates them, beside the log-likelihood of the cases.
    floor : probabilities below it are raised to it, because 0 has no logarithm; None: half the
        smallest positive out-of-fold probability.
    cv : folds as in scikit-learn, in which each case is tested exactly once; None is five
        stratified folds.
    n_jobs : folds in parallel, as in joblib.

    Attributes
    ----------
    estimator_, classes_ : the classifier fitted to all cases, and its classes.
    method_ : the method in use; ``"none"`` where ``"auto"`` leaves the probabilities as they are.
    coefficients_ : (K, K + 1) intercepts c and slopes W.
    floor_ : the floor in use.
    losses_ : cross-validated log loss of each method; of the one given, and of ``"none"``.
    n_features_in_, feature_names_in_ : where the inner classifier has them.

    References
    ----------
    C. Guo, G. Pleiss, Y. Sun, K. Q. Weinberger: On calibration of modern neural networks. ICML
    2017 (temperature and vector scaling).
    K. Van Hoorde, Y. Vergouwe, D. Timmerman, S. Van Huffel, E. W. Steyerberg, B. Van Calster:
    Assessing calibration of multinomial risk prediction models. Statistics in Medicine 33 (2014)
    2585–2596 (the multinomial map; see :func:`recalibration`).

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_wine(return_X_y=True)
    >>> model = Recalibrated(GaussianNB(), method="temperature").fit(X[:, :3], y)
    >>> bool(model.coefficients_[0, 1] < 1)  # naive Bayes is too certain
    True
    >>> model.losses_["temperature"] < model.losses_["none"]
    True
    """

    def __init__(
        self,
        estimator: Any,
        *,
        method: Literal["auto", "temperature", "vector", "multinomial"] = "auto",
        ridge: float = 1.0,
        floor: float | None = None,
        cv: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.method = method
        self.ridge = ridge
        self.floor = floor
        self.cv = cv
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **fit_params: Any) -> "Recalibrated":
        """Fit the classifier to all cases, and the map to out-of-fold probabilities.

        ``sample_weight`` and other parameters go to the classifier's ``fit``; a weight counts as
        so many cases in the fit of the map.
        """
        self._check_parameters(sample_weight)
        rows_by_position({"y": y, "X": X, "sample_weight": sample_weight})
        held = fit_out_of_fold(self, X, y, sample_weight, fit_params, needs="Recalibration needs")
        self._learn(held)
        return self

    def _check_parameters(self, sample_weight: Any) -> None:
        check_probabilistic(self.estimator)
        check_choice(self.method, "method", ("auto", *METHODS[1:]))
        if not (is_real(self.ridge) and self.ridge > 0):
            raise InvalidInput(f"ridge must be a positive number, got {shown(self.ridge)}.")
        checked_floor(self.floor)
        check_takes_weights(self.estimator, sample_weight)

    def _learn(self, held: OutOfFold) -> None:
        """The method, and its map, from out-of-fold probabilities."""
        q, codes, weights, folds, _ = held
        self.floor_ = floor_of(q) if self.floor is None else float(self.floor)
        methods = self._candidates(q.shape[1])
        self.losses_ = {method: self._loss(method, q, codes, folds, weights) for method in methods}
        best = min(methods, key=lambda method: self.losses_[method])
        self.method_ = best if self.method == "auto" else self.method
        self._map = fit_map(q, codes, weights, self.method_, self.ridge, self.floor_)
        self.coefficients_ = self._map.coefficients

    def _candidates(self, n_classes: int) -> tuple[str, ...]:
        if self.method != "auto":
            if self.method == "multinomial" and n_classes > MOST_CLASSES:
                raise InvalidInput(
                    f'method="multinomial" fits K² + K parameters, too many for {n_classes} '
                    f'classes; at most {MOST_CLASSES} are allowed. Use "vector" or "temperature".'
                )
            return "none", self.method
        return METHODS if n_classes <= MOST_CLASSES else METHODS[:-1]

    def _loss(
        self,
        method: str,
        q: Float64Array,
        codes: Int64Array,
        folds: Int64Array,
        weights: Float64Array,
    ) -> float:
        """Log loss of each fold's cases by the map of the other folds."""
        after = q.copy()
        for fold in np.unique(folds):
            own = folds == fold
            others = q[~own], codes[~own], weights[~own]
            after[own] = fit_map(*others, method, self.ridge, self.floor_)(q[own])
        return log_loss(after, codes, weights, self.floor_)

    @property
    def classes_(self) -> Any:
        """The classes, in the order of the columns of ``predict_proba``."""
        return self.estimator_.classes_

    def predict_proba(self, X: Any) -> Float64Array:
        """Recalibrated probabilities (n, K)."""
        check_is_fitted(self, "coefficients_")
        return self._map(np.asarray(self.estimator_.predict_proba(X), dtype=np.float64))

    def predict(self, X: Any) -> Any:
        """The class of highest recalibrated probability; the first of equals."""
        best = np.argmax(self.predict_proba(X), axis=1)
        return self.classes_[best]

    def get_metadata_routing(self) -> Any:
        """What scikit-learn's metadata routing passes to wrapper, classifier and splitter."""
        return routing_of(self)
