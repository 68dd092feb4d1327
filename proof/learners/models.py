"""Ten learners of scikit-learn, as a first attempt would set them."""

from typing import Any

from sklearn.calibration import CalibratedClassifierCV
from sklearn.discriminant_analysis import (
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier


def learners() -> dict[str, Any]:
    """By name, each after standardisation."""
    parts = {
        "logistic": LogisticRegression(max_iter=1000),
        "linear discriminant": LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto"),
        "quadratic discriminant": QuadraticDiscriminantAnalysis(reg_param=0.1),
        "naive Bayes": GaussianNB(var_smoothing=1e-3),
        "neighbours": KNeighborsClassifier(15),
        "tree": DecisionTreeClassifier(min_samples_leaf=2),
        "forest": RandomForestClassifier(100),
        "boosting": HistGradientBoostingClassifier(max_iter=50, max_leaf_nodes=15),
        "support vectors": CalibratedClassifierCV(SVC(), ensemble=False, cv=3),
        "network": MLPClassifier((50,), max_iter=200),
    }
    return {name: make_pipeline(StandardScaler(), part) for name, part in parts.items()}
