"""The learners of Van Calster et al. 2008 that the examples add: what defines each of them."""

import runpy
from pathlib import Path

import numpy as np
from scipy.special import logsumexp, softmax
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.preprocessing import StandardScaler

LEARNERS = runpy.run_path(
    str(Path(__file__).parents[2] / "examples" / "learners_of_van_calster_2008.py")
)
X, Y = load_iris(return_X_y=True)
X = StandardScaler().fit_transform(X[:, :2])
PAIR = Y > 0


def test_the_least_squares_machine_solves_its_equations_at_the_greatest_evidence():
    """Suykens & Vandewalle's system of N + 1 equations; the evidence by its Gaussian density."""
    found = LEARNERS["LeastSquaresSVM"](widths=(1, 4)).fit(X[PAIR], Y[PAIR])
    n, targets, gamma = PAIR.sum(), np.where(Y[PAIR] == 2, 1.0, -1.0), found.model_.gamma
    kernel = rbf_kernel(X[PAIR], gamma=1 / found.width_)
    system = np.zeros((n + 1, n + 1))
    system[0, 1:], system[1:, 0] = targets, targets
    system[1:, 1:] = targets[:, None] * kernel * targets + np.eye(n) / gamma
    constant, *alpha = np.linalg.solve(system, [0, *np.ones(n)])
    expected = kernel @ (targets * alpha) + constant
    np.testing.assert_allclose(found.decision_function(X[PAIR]), expected, atol=1e-8)

    def log_density(log_gamma):
        """Of the targets less their mean, whose covariance is K/μ + I/ζ, at the best μ."""
        centring = np.eye(n) - 1 / n
        basis = np.linalg.svd(centring)[0][:, :-1]
        covariance = basis.T @ (kernel + np.eye(n) * np.exp(-log_gamma)) @ basis
        along = basis.T @ targets
        scale = along @ np.linalg.solve(covariance, along) / (n - 1)
        return -(np.linalg.slogdet(covariance)[1] + (n - 1) * np.log(scale)) / 2

    around = np.log(gamma) + np.array([-0.2, 0, 0.2])
    low, best, high = map(log_density, around)
    assert best > max(low, high)
    costs = [found.model_.cost(each) for each in around]
    np.testing.assert_allclose(np.diff(costs), -2 * np.diff([low, best, high]), atol=1e-8)
    proba = found.predict_proba(X[PAIR])
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    assert np.mean(found.predict(X[PAIR]) == Y[PAIR]) > 0.7
    assert (
        found.predict_proba([[40.0, 40.0]]).max() < 0.9
    )  # far from all cases: close to the priors


def test_the_variance_of_the_machine_is_that_of_its_weights():
    """With a linear kernel the weights can be written out."""
    found = LEARNERS["LeastSquaresSVM"]().fit(X[PAIR], Y[PAIR])
    model, centred = found.model_, X[PAIR] - X[PAIR].mean(axis=0)
    weights = np.linalg.inv(model.mu * (np.eye(2) + model.gamma * centred.T @ centred))
    new = np.array([[0.3, -2.0], [4.0, 1.0]])
    expected = np.einsum("ni,ij,nj->n", new, weights, new)
    np.testing.assert_allclose(model.variance(new @ X[PAIR].T, (new**2).sum(axis=1)), expected)


def test_kernel_logistic_regression_is_at_its_optimum():
    """No change of the coefficients α of f_k = K α_k + b_k lowers the penalised log-likelihood."""
    found = LEARNERS["KernelLogistic"](penalties=(0.5,)).fit(X, Y)
    outputs = np.log(found.predict_proba(X))
    outputs -= outputs.mean(axis=1, keepdims=True)
    kernel, one_hot = rbf_kernel(X, gamma=1 / (4 * 2)), np.eye(3)[Y]
    # At the optimum ν α_k is what is left unexplained of class k, and the constants leave no rest.
    alpha = (one_hot - softmax(outputs, axis=1)) / 0.5
    constants = outputs - kernel @ alpha
    np.testing.assert_allclose(constants - constants.mean(axis=0), 0, atol=2e-2)
    np.testing.assert_allclose(alpha.sum(axis=0), 0, atol=5e-2)


def test_the_penalty_of_a_perceptron_is_that_of_the_greatest_evidence():
    """Laplace's approximation, at the fit's own curvature as MacKay takes it, has its top at α."""
    found = LEARNERS["EvidencePerceptron"](rounds=25).fit(X, Y)
    fit = LogisticRegression(C=1 / found.alpha_, tol=1e-8, max_iter=5000).fit(X, Y)
    p, design = fit.predict_proba(X), np.column_stack([X, np.ones(len(X))])
    curved = np.einsum("nk,kl->nkl", p, np.eye(3)) - np.einsum("nk,nl->nkl", p, p)
    hessian = np.einsum("nkl,ni,nj->kilj", curved, design, design).reshape(9, 9)

    def log_evidence(alpha):
        values = np.linalg.eigvalsh(hessian + alpha * np.diag([1, 1, 0] * 3))
        logs = np.log(values[1:]).sum()  # a constant on all classes changes nothing
        return 3 * np.log(alpha) - alpha * (fit.coef_**2).sum() / 2 - logs / 2

    around = [log_evidence(found.alpha_ * factor) for factor in (0.9, 1, 1.1)]
    assert around[1] > max(around[0], around[2])
    hidden = LEARNERS["EvidencePerceptron"](hidden=3, rounds=2).fit(X, Y)
    step, (outputs, slopes, _) = 1e-6, hidden._slopes(X[:4])
    for name, at in ("coefs_", 0), ("intercepts_", 0), ("coefs_", 1), ("intercepts_", 1):
        getattr(hidden.network_, name)[at].flat[0] += step
        moved = (hidden._slopes(X[:4])[0] - outputs) / step
        getattr(hidden.network_, name)[at].flat[0] -= step
        assert min(np.abs(slopes - moved[:, :, None]).max(axis=(0, 1))) < 1e-4
    assert logsumexp(np.log(hidden.predict_proba(X)), axis=1).max() < 1e-9
