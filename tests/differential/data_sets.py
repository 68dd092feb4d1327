"""Random data sets for comparisons with other packages, and how many of them are tried.

Hypothesis draws a recipe: numbers of classes and cases, a kind of scores, weights and labels, and a
seed from which numpy fills the arrays. So thousands of data sets are cheap, and a disagreement is
shrunk to few classes, few cases and the plainest kind that shows it.

``pytest --hypothesis-profile long`` tries twenty times as many.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

USUAL = 100
"""Examples of the profile ``usual``; that of the README's command tries fewer."""

TINY = 5e-324
MANY = 50


def examples(number: int) -> settings:
    """So many examples in the profile ``usual``, and in proportion in others."""
    return settings(max_examples=number * settings().max_examples // USUAL, deadline=None)


@dataclass(frozen=True)
class DataSet:
    """Labels, scores and weights of the same cases, and the classes in the order of the columns."""

    classes: np.ndarray
    codes: np.ndarray
    scores: np.ndarray
    weights: np.ndarray | None

    @property
    def y(self) -> np.ndarray:
        return self.classes[self.codes]

    @property
    def tolerance(self) -> float:
        """Counts differ by the rounding of a few means, weights by that of their sums."""
        return 1e-13 if self.weights is None else 1e-12


# Scores: a generator, codes and the number of classes in, a table out.

Fill = Callable[[np.random.Generator, np.ndarray, int], np.ndarray]


def _dirichlet(rng: np.random.Generator, codes: np.ndarray, K: int) -> np.ndarray:
    """Continuous, from useless to certain."""
    signal = rng.choice([0, 2, 1000])
    return rng.dirichlet(np.ones(K), len(codes)) if signal == 0 else _towards(rng, codes, K, signal)


def _towards(rng: np.random.Generator, codes: np.ndarray, K: int, signal: float) -> np.ndarray:
    parts = rng.gamma(1 + signal * np.eye(K)[codes]) + 1e-300
    return parts / parts.sum(axis=1, keepdims=True)


def _grid(rng: np.random.Generator, codes: np.ndarray, K: int) -> np.ndarray:
    """Whole numbers of parts of a power of two: many ties, rows that sum to 1 exactly."""
    parts = rng.choice([1, 2, 4, 16])
    return rng.multinomial(parts, np.full(K, 1 / K), len(codes)) / parts


def _constant_columns(rng: np.random.Generator, codes: np.ndarray, K: int) -> np.ndarray:
    """Every column but two says the same of all cases; of two classes both may."""
    table = np.full((len(codes), K), 1 / K)
    moved = rng.choice([0, 0.25, 0.5, 1], len(codes)) / K if K > 2 or rng.random() < 0.5 else 0
    table[:, 0] -= moved
    table[:, -1] += moved
    return table


def _near_ties(rng: np.random.Generator, codes: np.ndarray, K: int) -> np.ndarray:
    """All scores within three units in the last place of 1/K."""
    return 1 / K + rng.integers(-3, 4, (len(codes), K)) * np.spacing(1 / K)


def _subnormal(rng: np.random.Generator, codes: np.ndarray, K: int) -> np.ndarray:
    """One column near 1, differences as small as there are in the others."""
    table = rng.integers(0, 4, (len(codes), K)) * TINY
    table[:, rng.integers(K)] = 1 - rng.integers(0, 3, len(codes)) * np.finfo(float).epsneg
    return table


PROBABILITIES: dict[str, Fill] = {
    "a grid": _grid,
    "continuous": _dirichlet,
    "constant columns": _constant_columns,
    "near ties": _near_ties,
    "subnormal": _subnormal,
}


def _normal(rng: np.random.Generator, codes: np.ndarray, K: int) -> np.ndarray:
    return rng.normal(np.eye(K)[codes] * rng.choice([0, 1, 5]))


def _whole(rng: np.random.Generator, codes: np.ndarray, K: int) -> np.ndarray:
    return rng.integers(-2, 3, (len(codes), K))


def _any_size(rng: np.random.Generator, codes: np.ndarray, K: int) -> np.ndarray:
    """Zeros of both signs, subnormal numbers and numbers of 300 digits."""
    values = [-1e300, -1.0, -TINY, -0.0, 0.0, TINY, 2 * TINY, 1e-300, 0.1, 1.0, 1e300]
    return rng.choice(values, (len(codes), K))


def _one_value(rng: np.random.Generator, codes: np.ndarray, K: int) -> np.ndarray:
    return np.full((len(codes), K), rng.normal())


SCORES: dict[str, Fill] = PROBABILITIES | {
    "whole numbers": _whole,
    "normal": _normal,
    "any size": _any_size,
    "one value": _one_value,
}


# Weights: a generator and codes in, weights out.


def _whole_weights(rng: np.random.Generator, codes: np.ndarray) -> np.ndarray:
    """Numbers of copies, 0 included; the first case of each class keeps a weight."""
    weights = rng.integers(0, 4, len(codes)).astype(float)
    weights[np.unique(codes, return_index=True)[1]] = 1
    return weights


def _uneven(rng: np.random.Generator, codes: np.ndarray) -> np.ndarray:
    """24 digits apart; sums from 1e-4 on, because scikit-learn takes 1e-8 for nothing."""
    return 10.0 ** rng.uniform(-4, 20, len(codes))


def _uneven_classes(rng: np.random.Generator, codes: np.ndarray) -> np.ndarray:
    """Classes of which one may be all there is but for forty digits."""
    return 10.0 ** rng.uniform(0, 40, codes.max() + 1)[codes] * rng.uniform(0.5, 2, len(codes))


WEIGHTS: dict[str, Callable[[np.random.Generator, np.ndarray], np.ndarray | None]] = {
    "none": lambda rng, codes: None,
    "ones": lambda rng, codes: np.ones(len(codes)),
    "whole": _whole_weights,
    "continuous": lambda rng, codes: rng.uniform(0.1, 2, len(codes)),
    "uneven": _uneven,
    "uneven classes": _uneven_classes,
}

LABELS: dict[str, Callable[[int], np.ndarray]] = {
    "from 0": np.arange,
    "strings": lambda K: np.array(sorted(f"class {k}" for k in range(7, 7 + K))),
    "integers": lambda K: 100 * np.arange(K) - 150,
    "whole floats": lambda K: np.arange(K) / 1.0,
    "small integers": lambda K: np.arange(K, dtype=np.int8) - 2,
    "booleans": lambda K: np.array([False, True]) if K == 2 else np.arange(K),
}


def _codes(rng: np.random.Generator, K: int, n: int, skew: float) -> np.ndarray:
    """At least one case of each class; the more skew, the more classes of one case."""
    shares = np.exp(-skew * np.arange(K))
    others = rng.choice(K, n - K, p=shares / shares.sum())
    return rng.permutation(np.concatenate([np.arange(K), others]))


@st.composite
def data_sets(
    draw: st.DrawFn,
    classes: st.SearchStrategy[int],
    scores: dict[str, Fill] = SCORES,
    weights: tuple[str, ...] = tuple(WEIGHTS),
    labels: tuple[str, ...] = tuple(LABELS),
) -> DataSet:
    """A data set with a case of each class, now and then of thousands of cases."""
    K = draw(classes)
    n = draw(st.integers(K, 200)) * draw(st.sampled_from([1] * (MANY - 1) + [MANY]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    codes = _codes(rng, K, n, draw(st.sampled_from([0.0, 1.0, 3.0])))
    table = scores[draw(st.sampled_from(list(scores)))](rng, codes, K)
    if draw(st.booleans()) and np.abs(table).max() < 1e30:
        table = table.astype(np.float32)
    weight = WEIGHTS[draw(st.sampled_from(weights))](rng, codes)
    return DataSet(LABELS[draw(st.sampled_from(labels))](K), codes, table, weight)
