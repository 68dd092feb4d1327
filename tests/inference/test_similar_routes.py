"""What DeLong's variance counts too much: three routes, and a recount of every pair of cases."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from polyroc import Design, Predictions, compare, registry
from polyroc.inference import _similar
from polyroc.inference._folds import measured
from polyroc.inference._influence import CaseDesign
from polyroc.inference._similar import Counted, overcounted
from polyroc.metrics.folds import statistics_of

SIZES = (6, 4, 5)
Y = np.random.default_rng(1).permutation(np.repeat([0, 1, 2], SIZES))
N = len(Y)
WEIGHTS = 1.0 + np.arange(N) % 3
WITHIN = Y * 10 + np.arange(N) % 3
"""Groups, none with cases of two classes."""


def models_of(y: np.ndarray, n_classes: int, n_models: int, seed: int) -> list[np.ndarray]:
    """Probabilities in sixteenths, of which many are tied."""
    rng = np.random.default_rng(seed)
    base = rng.normal(size=(len(y), n_classes)) + np.eye(n_classes)[y]
    made = []
    for _ in range(n_models):
        raw = np.exp(base + 0.6 * rng.normal(size=base.shape))
        p = np.floor(16 * raw / raw.sum(axis=1, keepdims=True)) / 16
        p[np.arange(len(y)), p.argmax(axis=1)] += 1 - p.sum(axis=1)
        made.append(p)
    return made


MODELS = models_of(Y, 3, 3, 2)


def step(gap: float) -> float:
    return 1.0 if gap > 0 else 0.5 if gap == 0 else 0.0


def credit(name: str, p: np.ndarray, i: int, j: int, k: int, r: int, priors: list[float]) -> float:
    """What case i of class k and case j of class r add to the metric together."""
    n_classes = p.shape[1]
    each = 1 / (n_classes * (n_classes - 1))
    if name == "auc_mu":
        return 2 * each * step((p[i, k] - p[i, r]) - (p[j, k] - p[j, r]))
    if name == "hand_till_scored":
        return each * (max(p[i, k] - p[j, k], 0.0) + max(p[j, r] - p[i, r], 0.0))
    forward, backward = step(p[i, k] - p[j, k]), step(p[j, r] - p[i, r])
    if name == "aunp":
        a, b = priors[k], priors[r]
        return a * b / (1 - a) * forward + a * b / (1 - b) * backward
    return each * (forward + backward)


def by_loops(
    name: str,
    y: np.ndarray,
    models: list[np.ndarray],
    weights: np.ndarray,
    units: np.ndarray,
    copies: np.ndarray,
) -> np.ndarray:
    """Σ of γ̂/(mn) over the pairs of classes, for each two models."""
    n_classes = int(y.max()) + 1
    sums = [float(weights[y == k].sum()) for k in range(n_classes)]
    priors = [each / sum(sums) for each in sums]
    total = np.zeros((len(models), len(models)))
    for k in range(n_classes):
        for r in range(k + 1, n_classes):
            sides = []
            for c in (k, r):
                names = sorted(set(units[y == c].tolist()))
                inside = [np.flatnonzero((units == u) & (y == c)).tolist() for u in names]
                share = [sum(weights[i] for i in each) / sums[c] for each in inside]
                own = [copies[each[0]] for each in inside]
                sides.append((inside, share, own, sum(own)))
            (first, s1, c1, m), (second, s2, c2, n) = sides
            for a in range(len(models)):
                for b in range(len(models)):
                    d = np.zeros((len(first), len(second)))
                    for x, cases in enumerate(first):
                        for z, others in enumerate(second):
                            for i in cases:
                                for j in others:
                                    apart = credit(name, models[a], i, j, k, r, priors)
                                    apart -= credit(name, models[b], i, j, k, r, priors)
                                    w = weights[i] * weights[j] / (sums[k] * sums[r])
                                    d[x, z] += apart * w / (s1[x] * s2[z])
                    rows, columns = d @ s2, s1 @ d
                    left = d - rows[:, None] - columns + float(np.array(s1) @ rows)
                    for x in range(len(first)):
                        for z in range(len(second)):
                            squared = (left[x, z] * s1[x] * s2[z]) ** 2 / (c1[x] * c2[z])
                            total[a, b] += squared * m * n / ((m - 1) * (n - 1))
    return total


def found(
    name: str,
    y: np.ndarray = Y,
    models: list[np.ndarray] = MODELS,
    design: Any = None,
    counted: Counted | None = None,
    **given: Any,
) -> np.ndarray | None:
    made = [Predictions(y, p, **given) for p in models]
    meant = CaseDesign.of(design, made[0])
    asked = [(registry[name], {})]
    each = [measured(statistics_of(one), asked, meant)[0] for one in made]
    return overcounted(made, each, meant, {} if counted is None else counted)


ONES = np.ones(N)
DESIGNS = {
    "plain": ({}, ONES, np.arange(N), ONES),
    "weights": ({"sample_weight": WEIGHTS}, WEIGHTS, np.arange(N), ONES),
    "copies": (
        {"sample_weight": WEIGHTS, "design": Design(weights="frequency")},
        WEIGHTS,
        np.arange(N),
        WEIGHTS,
    ),
    "groups": ({"sample_weight": WEIGHTS, "design": WITHIN}, WEIGHTS, WITHIN, ONES),
}


@pytest.mark.parametrize("name", ["hand_till", "aunp", "auc_mu", "hand_till_scored"])
@pytest.mark.parametrize("kind", DESIGNS)
def test_every_pair_of_cases(name: str, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pairs of classes one by one, in blocks of any size, and all at once: the same numbers."""
    options, *counted = DESIGNS[kind]
    expected = by_loops(name, Y, MODELS, *counted)
    assert (np.triu(expected, 1).sum(axis=1)[:2] > 1e-5).all()
    for constant, value in (("CELLS_AT_ONCE", 1 << 16), ("CELLS_AT_ONCE", 9), ("MANY_CLASSES", 2)):
        with monkeypatch.context() as patch:
            patch.setattr(_similar, constant, value)
            matrix = found(name, **options)
        assert matrix is not None
        np.testing.assert_allclose(matrix, expected, rtol=1e-9, atol=1e-12)
        np.testing.assert_array_equal(np.diag(matrix), 0)


@pytest.mark.parametrize("name", ["hand_till", "auc_mu"])
def test_classes_of_two_cases(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The fewest of which a part is left that neither case explains alone."""
    y = np.repeat([0, 1, 2], [2, 3, 2])
    models = models_of(y, 3, 2, 9)
    ones = np.ones(len(y))
    expected = by_loops(name, y, models, ones, np.arange(len(y)), ones)
    assert expected[0, 1] > 0
    for options in ({}, {"sample_weight": 2 * ones}, {"design": np.arange(len(y))}):
        for many in (20, 2):
            monkeypatch.setattr(_similar, "MANY_CLASSES", many)
            np.testing.assert_allclose(found(name, y, models, **options), expected, rtol=1e-10)


def test_a_class_of_one_unit_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    y = np.repeat([0, 1, 2], [4, 1, 4])
    models = models_of(y, 3, 2, 5)
    one_group = np.where(y == 0, 50, np.arange(len(y)))
    for name in ("hand_till", "auc_mu"):
        for options in ({}, {"sample_weight": 1.0 + np.arange(len(y)) % 2}, {"design": one_group}):
            for most in (20, 2):
                monkeypatch.setattr(_similar, "MANY_CLASSES", most)
                matrix = found(name, y, models, **options)
                assert matrix is not None and math.isnan(matrix[0, 1]), (name, most)


def test_what_is_counted_serves_metrics_of_the_same_columns() -> None:
    """Hand and Till's measure and AUNP rank the same scores; AUC_µ does not."""
    counted: Counted = {}
    first = found("hand_till", counted=counted)
    assert len(counted) == 1
    second = found("aunp", counted=counted)
    assert len(counted) == 1
    for own in counted.values():
        assert own.shape == (3, 2, 2, 3, 3)
    found("auc_mu", counted=counted)
    assert len(counted) == 2
    assert list(counted.values())[1].shape == (3, 1, 1, 3, 3)
    need = next(iter(counted))
    counted[need] = 2 * counted[need]
    again = found("hand_till", counted=counted)
    assert first is not None and again is not None and second is not None
    np.testing.assert_allclose(again, 2 * first)


def test_where_nothing_is_computed() -> None:
    """Folds, groups that span classes, and metrics that are no means over pairs of cases."""
    y = np.tile([0, 0, 1, 1, 2, 2], 3)
    models = models_of(y, 3, 2, 7)
    across = np.arange(len(y)) // 3
    folds = np.repeat([0, 1, 2], 6)
    assert found("hand_till", y, models) is not None
    assert found("hand_till", y, models, folds=folds) is None
    assert found("hand_till", y, models, design=across) is None
    assert found("pdi", y, models) is None
    assert found("triangle_area", y, models) is None


def test_up_to_a_million_pairs_of_cases() -> None:
    """1,000 cases against 1,000 are looked at; 101 against 9,901 are one pair more."""
    for sizes, looked_at in (((1000, 1000), True), ((101, 9901), False)):
        y = np.repeat([0, 1], sizes)
        scores = np.random.default_rng(1).normal(size=(2, len(y))) + y
        (row,) = compare(y, {"a": scores[0], "b": scores[1]}, ["roc_auc"]).differences
        given = {"reference": "normal"}
        (plain,) = compare(y, {"a": scores[0], "b": scores[1]}, ["roc_auc"], **given).differences
        assert (row.standard_error < plain.standard_error) == looked_at


def test_many_classes_are_looked_at_while_their_pairs_fit_a_matrix(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of few classes more cases than the matrix has room for change nothing."""
    monkeypatch.setattr(_similar, "MANY_CLASSES", 2)
    monkeypatch.setattr(_similar, "MOST_CLASSES", 2)
    for most, looked_at in ((N, True), (N - 1, False)):
        monkeypatch.setattr(_similar, "MOST_CASES", most)
        assert (found("hand_till") is not None) == looked_at
    monkeypatch.setattr(_similar, "MANY_CLASSES", 3)
    assert found("hand_till") is None
    monkeypatch.setattr(_similar, "MOST_CLASSES", 3)
    assert found("hand_till") is not None


def test_more_cases_than_a_byte_can_number() -> None:
    """Ranks of 300 cases are counted as those of weighted cases are compared."""
    y = np.arange(300) % 2
    rng = np.random.default_rng(3)
    models = [rng.normal(size=300) + y for _ in range(2)]
    counted, compared = (found("roc_auc", y, models, **w) for w in ({}, {"sample_weight": ONE}))
    assert counted is not None and compared is not None
    np.testing.assert_allclose(counted, compared, rtol=1e-9)


ONE = np.where(np.arange(300) == 299, 1 + 1e-13, 1.0)
"""Weights that are not quite equal."""


def test_huge_scores_are_compared_and_not_subtracted() -> None:
    y = np.repeat([0, 1], 4)
    base = np.array([1.0, 3.0, 2.0, 5.0, 4.0, 6.0, 8.0, 7.0])
    other = base[[1, 0, 2, 4, 3, 5, 6, 7]]
    weights = {"sample_weight": 1.0 + np.arange(8) % 2}
    plain = found("roc_auc", y, [base, other], **weights)
    largest = np.finfo(float).max
    huge = [(each - 4.5) / 4.5 * largest for each in (base, other)]
    same = found("roc_auc", y, huge, **weights)
    assert plain is not None and same is not None and plain[0, 1] > 0
    np.testing.assert_allclose(same, plain, rtol=1e-12)
