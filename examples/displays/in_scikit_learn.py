"""
Inside scikit-learn
===================

A fitted classifier and new cases, drawn as by scikit-learn's own displays, into axes of your own.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from polyroc.display import PairwiseAucDisplay, RocCurvesDisplay

X, y = load_wine(return_X_y=True)
X = StandardScaler().fit_transform(X[:, :4])
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
model = LogisticRegression().fit(X_train, y_train)

figure, axes = plt.subplots(1, 2, figsize=(10, 4.5))
RocCurvesDisplay.from_estimator(model, X_test, y_test, ax=axes[0])
PairwiseAucDisplay.from_estimator(model, X_test, y_test, ax=axes[1])
