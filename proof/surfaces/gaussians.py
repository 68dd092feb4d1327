"""Three Gaussian classes in the plane, and posteriors of logistic regression."""

import numpy as np
from sklearn.linear_model import LogisticRegression

CENTRES = np.array([[0.0, 0.0], [1.6, 0.0], [0.8, 1.5]])


def draw(n, rng):
    """n cases, a third of each class: features and labels."""
    y = np.repeat(np.arange(3), n // 3)
    return CENTRES[y] + rng.normal(size=(len(y), 2)), y


def fitted(rng):
    """A classifier that was trained on other cases."""
    return LogisticRegression().fit(*draw(3_000, rng))


def softmax(logits):
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)
