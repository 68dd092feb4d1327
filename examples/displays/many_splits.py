"""
Do the metrics agree?
=====================

Several learners over several random splits: rank correlations between metrics. Metrics that
correlate highly ask nearly the same question.
"""

from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

import polyroc
from polyroc.display import CorrelationDisplay

X, y = load_wine(return_X_y=True)
learners = {"bayes": GaussianNB(), "logistic": LogisticRegression(C=1e-3, max_iter=2000)}
metrics = ["hand_till", "auc_mu", "pdi", "triangle_area", "hand_till_scored"]
study = polyroc.study(learners, X[:, :3], y, n_splits=20, metrics=metrics, rng=0, n_jobs=1)
CorrelationDisplay.from_study(study).plot()
