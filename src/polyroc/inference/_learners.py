"""Learners at work: seeds, and scores with a column per class."""

from pickle import PicklingError
from typing import Any

import numpy as np

from polyroc.predictions._classes import columns_of
from polyroc.predictions._estimators import gives_probabilities, scores_of
from polyroc.predictions._frames import column_names
from polyroc.predictions._names import as_label
from polyroc.typing import Label


def state_of(seed: int, *stream: int) -> int:
    """Seed for scikit-learn from a stream of the study's seed."""
    return int(np.random.SeedSequence(seed, spawn_key=stream).generate_state(1)[0])


def seeded(estimator: Any, state: int) -> Any:
    """A clone in which every random_state that was None is set, also of parts."""
    from sklearn.base import clone

    copy = clone(estimator)
    states = sorted(
        name
        for name, value in copy.get_params(deep=True).items()
        if value is None and name.rpartition("__")[2] == "random_state"
    )
    draws = np.random.SeedSequence(state).generate_state(len(states)).tolist()
    return copy.set_params(**dict(zip(states, draws, strict=True)))


def class_scores(model: Any, X: Any, classes: tuple[Label, ...]) -> tuple[Any, bool]:
    """Scores with columns in the order of the classes, and whether they are probabilities."""
    scores = scores_of(model, X)
    known = [as_label(label) for label in model.classes_]
    if column_names(scores) is None:
        scores = np.asarray(scores)
        scores = np.column_stack([-scores, scores]) if scores.ndim == 1 else scores
        scores = scores[:, list(columns_of(classes, known, "The estimator"))]
    return scores, gives_probabilities(model)


def reason_in_worker(error: PicklingError) -> str:
    """The last line of what joblib hands on, which is the traceback of another process."""
    lines = [line.strip('" ') for line in str(error.__cause__ or error).splitlines()]
    return next((line for line in reversed(lines) if line), type(error).__name__)
