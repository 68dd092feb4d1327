"""Learners for a study of a table: the kinds that Van Calster et al. 2008 §IV compare."""

from collections.abc import Callable
from typing import Any

DESCRIPTIONS = {
    "logistic": "multinomial logistic regression",
    "network": "neural network with five hidden units",
    "shrunken": "logistic regression with strong shrinkage",
    "linear": "linear machine for each pair of classes, coupled",
    "kernel": "support vector machine for each pair of classes, coupled",
    "nystroem": "kernel logistic regression",
}


def learners(names: list[str] | None = None) -> dict[str, Any]:
    """Untrained classifiers by name, features standardised first."""
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    from polyroc._base.checks import did_you_mean
    from polyroc.errors import UnknownName

    made = {}
    for name in names or DESCRIPTIONS:
        if name not in _MAKERS:
            raise UnknownName(
                f"There is no learner {name!r}.{did_you_mean(name, _MAKERS)} "
                f"There are {', '.join(_MAKERS)}."
            )
        made[name] = make_pipeline(StandardScaler(), _MAKERS[name]())
    return made


def _logistic() -> Any:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(C=100, max_iter=2000)


def _shrunken() -> Any:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(C=0.02, max_iter=2000)


def _network() -> Any:
    from sklearn.neural_network import MLPClassifier

    return MLPClassifier(5, alpha=3, solver="lbfgs", max_iter=5000)


def _linear() -> Any:
    from sklearn.linear_model import RidgeClassifier

    return _coupled(RidgeClassifier())


def _kernel() -> Any:
    from sklearn.svm import SVC

    return _coupled(SVC())


def _nystroem() -> Any:
    from sklearn.kernel_approximation import Nystroem
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    return make_pipeline(Nystroem(), LogisticRegression(max_iter=2000))


def _coupled(machine: Any) -> Any:
    """Probabilities from a machine for each pair of classes, by pairwise coupling."""
    from sklearn.calibration import CalibratedClassifierCV

    from polyroc.coupling import PairwiseCoupling

    return PairwiseCoupling(CalibratedClassifierCV(machine, ensemble=False))


_MAKERS: dict[str, Callable[[], Any]] = {
    "logistic": _logistic,
    "network": _network,
    "shrunken": _shrunken,
    "linear": _linear,
    "kernel": _kernel,
    "nystroem": _nystroem,
}
