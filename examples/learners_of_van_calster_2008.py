"""The learners of Van Calster et al. 2008 §IV that scikit-learn does not have.

`LeastSquaresSVM`: the classifier of Suykens & Vandewalle (1999) in the evidence framework of Van
Gestel et al. (2002), for two classes; `PairwiseCoupling` joins those of all pairs, as in the paper.
`KernelLogistic`: multinomial logistic regression in the feature space of an RBF kernel, exactly,
where Karsmakers et al. (2007) approximate the space by a part of the cases.
`EvidencePerceptron`: MacKay's (1992) evidence framework for a perceptron with or without a hidden
layer, by the Gauss–Newton form of the Hessian, with moderated outputs.

They show what the paper means and are no part of polyroc's interface.
"""

import numpy as np
from scipy.linalg import eigh
from scipy.optimize import minimize_scalar
from scipy.special import expit, softmax
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.metrics.pairwise import linear_kernel, rbf_kernel
from sklearn.model_selection import cross_val_score
from sklearn.neural_network import MLPClassifier
from sklearn.utils.validation import check_is_fitted, validate_data

SPAN = -14.0, 14.0
"""Logarithms of γ that the evidence is searched over."""


class LeastSquaresSVM(ClassifierMixin, BaseEstimator):
    """min ½‖w‖² + ½ γ Σ (t_i − w·φ(x_i) − b)², t = ±1; γ and the width of the kernel by evidence.

    widths : σ² of exp(−‖x − z‖² / σ²) as multiples of the number of features; none: linear kernel.
    """

    def __init__(self, widths=()):
        self.widths = widths

    def fit(self, X, y):
        X, y = validate_data(self, X, y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        self._X, self._in_class = X, np.eye(2)[codes] / np.bincount(codes)
        self._log_priors = np.log(np.bincount(codes) / len(codes))
        widths = [width * X.shape[1] for width in self.widths] or [None]
        models = [_Evidence(self._kernel(X, X, width), 2.0 * codes - 1) for width in widths]
        best = int(np.argmax([model.log_evidence for model in models]))
        self.width_, self.model_ = widths[best], models[best]
        fitted = self.model_.outputs(self.model_.kernel)
        off = fitted - (fitted @ self._in_class)[codes]
        self._noise = float(off @ off) / (len(y) - 2)  # within the classes, one for both
        return self

    def _kernel(self, X, Z, width):
        return linear_kernel(X, Z) if width is None else rbf_kernel(X, Z, gamma=1 / width)

    def decision_function(self, X):
        check_is_fitted(self)
        X = validate_data(self, X, reset=False)
        return self.model_.outputs(self._kernel(X, self._X, self.width_))

    def predict_proba(self, X):
        """Bayes' rule for Gaussian outputs of each class, the uncertainty of w included."""
        output = self.decision_function(X)
        kernel = self._kernel(validate_data(self, X, reset=False), self._X, self.width_)
        own = np.sum(X * X, axis=1) if self.width_ is None else np.ones(len(output))
        logs = []
        for k in (0, 1):
            share = self._in_class[:, k]
            to_mean = self.model_.kernel @ share
            squared = own - 2 * kernel @ share + share @ to_mean
            spread = self._noise + self.model_.variance(kernel - to_mean, squared)
            off = output - self.model_.outputs(to_mean[None])[0]
            logs.append(self._log_priors[k] - (off**2 / spread + np.log(spread)) / 2)
        return softmax(np.transpose(logs), axis=1)

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


class _Evidence:
    """Regression of t on a kernel with a free constant; γ = ζ/μ where the evidence is greatest.

    With the eigenvalues λ of the centred kernel, levels 2 and 3 of Van Gestel et al. (2002).
    """

    def __init__(self, kernel, targets):
        self.kernel, self._targets = kernel, targets
        self._means = kernel.mean(axis=0)
        centred = kernel - self._means - self._means[:, None] + self._means.mean()
        # The constant vector has the value 0, as others may: lifted to the top, it is left out.
        values, vectors = eigh(centred + (1 + centred.trace()) / len(centred))
        self._values, self._vectors = np.maximum(values[:-1], 0), vectors[:, :-1]
        self._along = self._vectors.T @ (targets - targets.mean())
        found = minimize_scalar(self.cost, bounds=SPAN, method="bounded")
        self.gamma = float(np.exp(found.x))
        self._alpha = self._vectors @ (self._along / (self._values + 1 / self.gamma))
        self.constant = float(targets.mean() - self._means @ self._alpha)
        self._precisions()

    def cost(self, log_gamma):
        """Σ log(λ + 1/γ) + (N − 1) log(E_W + γ E_D), less a constant: level 2."""
        ridge = self._values + np.exp(-log_gamma)
        return np.log(ridge).sum() + len(ridge) * np.log(self._along**2 @ (1 / ridge) / 2)

    def _precisions(self):
        ridge, n = self._values + 1 / self.gamma, len(self._targets)
        energy = (self._along / ridge) ** 2 @ self._values / 2
        error = (self._along / (ridge * self.gamma)) ** 2 @ np.ones(n - 1) / 2
        effective = 1 + (self._values / ridge).sum()
        self.mu, zeta = (effective - 1) / (2 * energy), (n - effective) / (2 * error)
        known = self._values > 1e-10 * self._values.max()
        terms = known.sum() * np.log(self.mu) + (n - 1) * np.log(zeta)
        terms -= np.log(effective - 1) + np.log(n - effective)
        logs = np.log(self.mu + zeta * self._values[known]).sum()
        self.log_evidence = (terms - logs) / 2

    def outputs(self, kernel):
        return kernel @ self._alpha + self.constant

    def variance(self, to_cases, squared):
        """vᵀ Cov(w) v for vectors v with these products with the cases and themselves."""
        along = (to_cases - to_cases.mean(axis=1, keepdims=True)) @ self._vectors
        known = along**2 @ (1 / (self._values + 1 / self.gamma))
        return np.maximum(squared - known, 0) / self.mu


class KernelLogistic(ClassifierMixin, BaseEstimator):
    """Multinomial logistic regression with penalty ½ν Σ_k ‖w_k‖² in the space of an RBF kernel.

    The eigenvectors of the kernel of the cases span all that w_k can be, so that these coordinates
    are exact. ν is chosen by the log-likelihood of three folds.
    """

    def __init__(self, width=4.0, penalties=(0.03, 0.3, 3.0)):
        self.width, self.penalties = width, penalties

    def fit(self, X, y):
        self._X, y = validate_data(self, X, y)
        values, vectors = eigh(rbf_kernel(self._X, gamma=self._gamma))
        kept = values > 1e-9 * values[-1]
        self._to_features = vectors[:, kept] / np.sqrt(values[kept])
        features = self._features(self._X)
        models = [LogisticRegression(C=1 / each, max_iter=2000) for each in self.penalties]
        scores = [cross_val_score(m, features, y, cv=3, scoring="neg_log_loss") for m in models]
        self.model_ = models[np.argmax(np.mean(scores, axis=1))].fit(features, y)
        self.classes_ = self.model_.classes_
        return self

    @property
    def _gamma(self):
        return 1 / (self.width * self._X.shape[1])

    def _features(self, X):
        return rbf_kernel(X, self._X, gamma=self._gamma) @ self._to_features

    def predict_proba(self, X):
        check_is_fitted(self)
        return self.model_.predict_proba(self._features(validate_data(self, X, reset=False)))

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


class EvidencePerceptron(ClassifierMixin, BaseEstimator):
    """A perceptron whose penalty α on all weights is re-estimated: effective number / ‖w‖²."""

    def __init__(self, hidden=0, rounds=4, random_state=0):
        self.hidden, self.rounds, self.random_state = hidden, rounds, random_state

    def fit(self, X, y):
        X, y = validate_data(self, X, y)
        self.alpha_ = 1.0
        self.network_ = MLPClassifier(
            (self.hidden,) if self.hidden else (), activation="tanh", solver="lbfgs",
            max_iter=5000, random_state=self.random_state, warm_start=True,
        )  # fmt: skip
        for _ in range(self.rounds):
            self.network_.set_params(alpha=self.alpha_).fit(X, y)
            self.classes_ = self.network_.classes_
            penalised = self._hessian(X)
            spread = np.diag(self._covariance)[penalised].sum()
            effective = penalised.sum() - self.alpha_ * spread
            self.alpha_ = float(effective / sum((each**2).sum() for each in self.network_.coefs_))
        return self

    def _slopes(self, X):
        """Outputs before the softmax, their derivatives, and which of these are by weights."""
        (*inner, last), (*shifts, shift) = self.network_.coefs_, self.network_.intercepts_
        units = np.tanh(X @ inner[0] + shifts[0]) if inner else X
        n, k = len(X), last.shape[1]
        outer = np.einsum("nh,kl->nkhl", units, np.eye(k)).reshape(n, k, -1)
        parts, penalised = [outer, np.broadcast_to(np.eye(k), (n, k, k))], [1, 0]
        if inner:
            back = (1 - units**2)[:, None] * last.T
            parts = [np.einsum("nd,nkh->nkdh", X, back).reshape(n, k, -1), back, *parts]
            penalised = [1, 0, *penalised]
        mask = np.repeat(np.array(penalised, bool), [part.shape[2] for part in parts])
        return units @ last + shift, np.concatenate(parts, axis=2), mask

    def _hessian(self, X):
        """Covariance of weights and constants at the fit; which of them are penalised."""
        outputs, slopes, penalised = self._slopes(X)
        p = _shares(outputs)
        mixed = p[:, :, None] * (slopes - np.einsum("nk,nkw->nw", p, slopes)[:, None])
        if outputs.shape[1] == 1:
            mixed = (p * (1 - p))[:, :, None] * slopes
        hessian = np.tensordot(slopes, mixed, axes=([0, 1], [0, 1]))
        precision = hessian + self.alpha_ * np.diag(penalised)
        self._covariance = np.linalg.pinv(precision, hermitian=True)
        return penalised

    def predict_proba(self, X):
        """Outputs shrunk by their variance, MacKay's moderation."""
        check_is_fitted(self)
        outputs, slopes, _ = self._slopes(validate_data(self, X, reset=False))
        variance = np.einsum("nkv,vw,nkw->nk", slopes, self._covariance, slopes, optimize=True)
        p = _shares(outputs / np.sqrt(1 + np.pi * variance / 8))
        return np.hstack([1 - p, p]) if p.shape[1] == 1 else p

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


def _shares(outputs):
    return expit(outputs) if outputs.shape[1] == 1 else softmax(outputs, axis=1)
