"""The same cases written otherwise are the same cases: order, names, unit and decimals of scores.

Rows of all inputs are permuted together, columns with their names, classes are renamed, scores are
multiplied by a power of two, and written as counts or with one to three decimals. Over all metrics,
with standard errors, comparisons, the bootstrap, summaries and error rates, for 2 to 300 classes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import polyroc
from polyroc import Predictions
from polyroc.metrics.declaration import Property
from polyroc.scale import PairSummary
from polyroc.statistics.tuples import Tuples
from polyroc.surface import ScoreModel
from polyroc.surface._rates import error_rates

SIZES = {2: 40, 3: 40, 4: 16, 5: 12, 16: 40, 17: 42, 257: 520, 300: 610}
BRIEFLY = {
    "deadline": None,
    "derandomize": True,
    "database": None,
    "phases": [Phase.generate],  # a case is small enough to read, and long to make smaller
}
UNCHANGED = {"rel": 1e-9, "abs": 1e-12, "nan_ok": True}


@dataclass(frozen=True, repr=False)
class Data:
    """Cases with their scores, weights and groups; column k belongs to ``labels[k]``."""

    y: np.ndarray
    scores: np.ndarray
    labels: list[Any]
    weights: np.ndarray | None = None
    groups: np.ndarray | None = None

    @property
    def n_classes(self) -> int:
        return len(self.labels)

    def __repr__(self) -> str:
        kinds = [name for name in ("weights", "groups") if getattr(self, name) is not None]
        return f"{len(self.y)} cases of {self.n_classes} classes {kinds}"

    def rows(self, order: np.ndarray) -> Data:
        weights = None if self.weights is None else self.weights[order]
        groups = None if self.groups is None else self.groups[order]
        return Data(self.y[order], self.scores[order], self.labels, weights, groups)

    def columns(self, order: np.ndarray) -> Data:
        labels = [self.labels[k] for k in order]
        return replace(self, scores=self.scores[:, order], labels=labels)

    def renamed(self, names: list[Any]) -> Data:
        named = dict(zip(self.labels, names, strict=True))
        return replace(self, y=np.array([named[label] for label in self.y.tolist()]), labels=names)

    def times(self, factor: float) -> Data:
        return replace(self, scores=self.scores * factor)


@st.composite
def counted(draw: st.DrawFn) -> tuple[Data, int, np.random.Generator]:
    """Data of few classes, the number of parts that each row is made of, and a generator."""
    K = draw(st.sampled_from([2, 3, 3, 4, 5, 16, 17]))
    parts = draw(st.sampled_from([1, 7, 10, 100, 1000]))
    rng = np.random.default_rng(draw(st.integers(0, 999)))
    return made(K, parts, rng, draw(st.booleans()), draw(st.booleans())), parts, rng


def made(K: int, parts: int, rng: np.random.Generator, weighted: bool, grouped: bool) -> Data:
    """Rows of whole numbers that sum to ``parts``, with or without weights and groups."""
    y = np.concatenate([np.arange(K), np.arange(K), rng.integers(0, K, SIZES[K] - 2 * K)])
    shares = rng.dirichlet(np.full(K, 0.5), len(y))
    shares[np.arange(len(y)), y] += 0.3
    scores = np.stack([rng.multinomial(parts, row / row.sum()) for row in shares]).astype(float)
    weights = rng.integers(1, 9, len(y)) / 4 if weighted else None
    groups = rng.integers(0, 20, len(y)) if grouped else None
    return Data(y, scores, list(range(K)), weights, groups)


def metrics_for(K: int, needs: Property | None = None) -> list[str]:
    """Metrics for so many classes that are done in a moment."""
    some = [metric for metric in polyroc.registry.values() if K in metric.classes]
    if K > 5:
        some = [metric for metric in some if metric.statistic is not Tuples]
    if K > 17:
        some = [metric for metric in some if metric.name not in ("pdi", "simplex_volume")]
    return [metric.name for metric in some if needs is None or needs in metric.properties]


def evaluated(data: Data, names: list[str], normalize: bool = False, **options: Any) -> dict:
    """Values, standard errors and notes by metric."""
    found = polyroc.evaluate(
        Predictions(
            data.y, data.scores, labels=data.labels, sample_weight=data.weights, normalize=normalize
        ),
        metrics=names,
        groups=data.groups,
        **options,
    )
    return {name: (found[name].value, found[name].standard_error) for name in names}


def assert_same(found: dict, expected: dict, what: str) -> None:
    for name, numbers in expected.items():
        assert found[name] == pytest.approx(numbers, **UNCHANGED), (what, name)


def names_of(K: int, rng: np.random.Generator) -> list[str]:
    return [f"species {number}" for number in rng.permutation(K)]


@given(counted())
@settings(max_examples=8, **BRIEFLY)
def test_values_and_standard_errors(drawn):
    check_values(*drawn)


@pytest.mark.slow
@given(counted())
@settings(max_examples=20, **BRIEFLY)
def test_values_and_standard_errors_long(drawn):
    check_values(*drawn)


@pytest.mark.slow
@pytest.mark.parametrize(("K", "parts"), [(257, 10), (300, 1000)])
def test_many_classes(K, parts):
    rng = np.random.default_rng(K)
    data = made(K, parts, rng, weighted=K == 257, grouped=False)
    check_values(data, parts, rng)
    check_comparisons(data, parts, rng, ["hand_till", "auc_mu"])


def check_values(data: Data, parts: int, rng: np.random.Generator) -> None:
    K = data.n_classes
    decimals = replace(data, scores=data.scores / parts)
    names, order = metrics_for(K), rng.permutation(K)
    expected = evaluated(decimals, names)
    moved = decimals.rows(rng.permutation(len(data.y))).columns(order)
    assert_same(evaluated(moved, names), expected, "order of rows and columns")
    named = decimals.renamed(names_of(K, rng))
    assert_same(evaluated(named, names), expected, "names of classes")
    assert_same(evaluated(data, names, normalize=True), expected, "counts, normalized")
    doubled = decimals.times(2.0**-7)
    assert_same(evaluated(doubled, names, normalize=True), expected, "divided by 128, normalized")
    free = metrics_for(K, Property.COMMON_SCALE)
    scaled = {name: expected[name] for name in free}
    assert_same(evaluated(decimals.times(2.0**30), free), scaled, "times 2³⁰")
    assert_same(evaluated(data, free), scaled, "counts")
    assert evaluated(data, ["auc_mu"]) == {"auc_mu": expected["auc_mu"]}


@given(counted())
@settings(max_examples=8, **BRIEFLY)
def test_comparisons_and_the_bootstrap(drawn):
    check_comparisons(*drawn, metrics_for(drawn[0].n_classes, Property.COMMON_SCALE))


def check_comparisons(data: Data, parts: int, rng: np.random.Generator, names: list[str]) -> None:
    K = data.n_classes
    shifted = np.roll(data.scores, 1, axis=0)

    def compared(given: Data, other: np.ndarray) -> np.ndarray:
        found = polyroc.compare(
            given.y,
            {"a": given.scores, "b": other},
            names,
            labels=given.labels,
            sample_weight=given.weights,
            groups=given.groups,
        )
        return found.frame()[["difference", "standard_error", "p_value"]].to_numpy(float)

    expected = compared(data, shifted)
    rows, columns = rng.permutation(len(data.y)), rng.permutation(K)
    moved = data.rows(rows).columns(columns)
    other = shifted[np.ix_(rows, columns)]
    np.testing.assert_allclose(compared(moved, other), expected, rtol=1e-8, atol=1e-11)
    named = data.times(1 / 4).renamed(names_of(K, rng))
    np.testing.assert_allclose(compared(named, shifted / 4), expected, rtol=1e-8, atol=1e-11)
    if parts > 1:
        decimals = replace(data, scores=data.scores / parts)
        found = compared(decimals, shifted / parts)
        np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-11)
    if K > 17:  # every pair is sorted for the bootstrap
        return
    few = {"interval": polyroc.Bootstrap(20, 3)}
    data, named = replace(data, groups=None), replace(named, groups=None)
    once = evaluated(data, ["hand_till", "auc_mu"], **few)
    again = evaluated(named, ["hand_till", "auc_mu"], **few)
    assert_same(again, once, "bootstrap")
    decimals = replace(data, scores=data.scores / parts)
    assert_same(evaluated(decimals, ["hand_till", "auc_mu"], **few), once, "bootstrap of decimals")


@given(counted())
@settings(max_examples=8, **BRIEFLY)
def test_summaries(drawn):
    """Bounds do not depend on the order of cases, and contain the value of counts."""
    data, parts, rng = drawn
    K = data.n_classes
    scores = data.scores / parts

    def bounds(order: np.ndarray, columns: np.ndarray) -> dict:
        summary = PairSummary([data.labels[k] for k in columns], auc_mu=True)
        for part in np.array_split(order, 3):
            weights = None if data.weights is None else data.weights[part]
            summary.update(data.y[part], scores[np.ix_(part, columns)], weights)
        found = summary.compute(["hand_till", "aunu", "auc_mu"])
        return {name: (each.low, each.high) for name, each in found.items()}

    found = bounds(np.arange(len(data.y)), np.arange(K))
    again = bounds(rng.permutation(len(data.y)), rng.permutation(K))
    for name, (low, high) in found.items():
        assert again[name] == pytest.approx((low, high), rel=0, abs=1e-12)
        value = polyroc.registry[name].function(data.y, data.scores, sample_weight=data.weights)
        assert low - 1e-12 <= value <= high + 1e-12


@given(counted())
@settings(max_examples=8, **BRIEFLY)
def test_rates_of_decisions(drawn):
    """Error rates of costs are those of counts, for any order of the cases."""
    data, parts, rng = drawn
    K = data.n_classes
    costs, errors = rng.integers(1, 5, (6, K, K)) * (1.0 - np.eye(K)), ~np.eye(K, dtype=bool)

    def rates(given: Data) -> np.ndarray:
        model = ScoreModel(given.y, given.scores, labels=given.labels, sample_weight=given.weights)
        return error_rates(model.probabilities(np.empty(0)), model.cases, costs[:, errors], 1)

    decimals = replace(data, scores=data.scores / parts)
    expected = rates(decimals)
    moved = decimals.rows(rng.permutation(len(data.y)))
    np.testing.assert_allclose(rates(moved), expected, rtol=0, atol=1e-11)
    by_hand = np.zeros((6, K, K))
    weights = np.ones(len(data.y)) if data.weights is None else data.weights
    for m in range(6):
        for row, truth, weight in zip(data.scores, data.y, weights, strict=True):
            by_hand[m, truth, int(np.argmin(row @ costs[m]))] += weight
    by_hand /= np.bincount(data.y, weights, K)[None, :, None]
    np.testing.assert_allclose(expected, by_hand[:, errors], rtol=0, atol=1e-11)


@pytest.mark.parametrize("K", [17, 257, 300])
def test_counts_beyond_one_byte(K):
    """Sums over codes times classes are those of plain loops where neither fits a byte."""
    rng = np.random.default_rng(K)
    y = np.concatenate([np.arange(K), rng.integers(0, K, K)])
    scores = rng.integers(0, 5, (len(y), K)) / 4
    predictions = Predictions(y, scores)
    matrix = polyroc.pairwise_auc(predictions)
    for k, r in rng.integers(0, K, (40, 2)).tolist():
        if k != r:
            gaps = scores[y == k, k][:, None] - scores[y == r, k]
            assert matrix[k, r] == np.mean((gaps > 0) + 0.5 * (gaps == 0))
    if K > 17:
        return
    chance = [_placed(scores[:, k], y, k) for k in range(K)]
    assert polyroc.pdi(predictions) == pytest.approx(np.mean(chance), rel=1e-9)


def _placed(column: np.ndarray, y: np.ndarray, k: int) -> float:
    """Share of tuples in which the case of class k is highest, by a sum over thresholds."""
    nodes, weights = np.polynomial.legendre.leggauss(9)
    total = 0.0
    for score in column[y == k]:
        below = np.bincount(y, column < score) / np.bincount(y)
        tied = np.bincount(y, column == score) / np.bincount(y)
        levels = below[:, None] + (nodes + 1) / 2 * tied[:, None]
        levels[k] = 1
        total += float(np.prod(levels, axis=0) @ weights / 2)
    return total / np.count_nonzero(y == k)
