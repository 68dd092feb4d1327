"""The variance of a difference of similar models, against plain loops and by simulation."""

import math

import numpy as np
import pytest

from polyroc import Design, compare

NAMES = ["hand_till", "au1p", "aunp", "auc_mu", "hand_till_scored"]


def models(y: np.ndarray, noise: float, rng: np.random.Generator) -> dict[str, np.ndarray]:
    n_classes = int(y.max()) + 1
    base = rng.normal(size=(len(y), n_classes))
    base[np.arange(len(y)), y] += 1
    made = [np.exp(base + noise * rng.normal(size=base.shape)) for _ in range(2)]
    return {name: p / p.sum(axis=1, keepdims=True) for name, p in zip("ab", made, strict=True)}


def step(gap: float) -> float:
    return 1.0 if gap > 0 else 0.5 if gap == 0 else 0.0


def kernel(name: str, p: np.ndarray, i: int, j: int, k: int, r: int, priors: list[float]) -> float:
    """What the pair of case i of class k and case j of class r adds to the metric."""
    n_classes = p.shape[1]
    each = 1 / (n_classes * (n_classes - 1))
    if name == "auc_mu":
        return 2 * each * step((p[i, k] - p[i, r]) - (p[j, k] - p[j, r]))
    credit = (lambda gap: max(gap, 0.0)) if name == "hand_till_scored" else step
    both = credit(p[i, k] - p[j, k]), credit(p[j, r] - p[i, r])
    if name == "au1p":
        each = (priors[k] + priors[r]) / 2 / (n_classes - 1)
    if name == "aunp":
        a, b = priors[k], priors[r]
        return a * b / (1 - a) * both[0] + a * b / (1 - b) * both[1]
    return each * sum(both)


def gamma(name: str, y: np.ndarray, scores: dict[str, np.ndarray]) -> float:
    """Σ over pairs of classes of γ̂/(mn)."""
    n_classes = int(y.max()) + 1
    priors = [float(np.mean(y == k)) for k in range(n_classes)]
    total = 0.0
    for k in range(n_classes):
        for r in range(k + 1, n_classes):
            first, second = np.flatnonzero(y == k), np.flatnonzero(y == r)
            d = [
                [
                    kernel(name, scores["a"], i, j, k, r, priors)
                    - kernel(name, scores["b"], i, j, k, r, priors)
                    for j in second
                ]
                for i in first
            ]
            m, n = len(first), len(second)
            rows = [sum(row) / n for row in d]
            columns = [sum(d[i][j] for i in range(m)) / m for j in range(n)]
            mean = sum(rows) / m
            squares = sum(
                (d[i][j] - rows[i] - columns[j] + mean) ** 2 for i in range(m) for j in range(n)
            )
            total += squares / ((m - 1) * (n - 1)) / (m * n)
    return total


def test_against_plain_loops():
    for seed, sizes in ((1, (7, 5, 6)), (2, (9, 8))):
        y = np.repeat(np.arange(len(sizes)), sizes)
        scores = models(y, 0.5, np.random.default_rng(seed))
        corrected = compare(y, scores, NAMES).differences
        plain = compare(y, scores, NAMES, reference="normal").differences
        for one, other in zip(corrected, plain, strict=True):
            left = other.standard_error**2 - gamma(one.metric, y, scores)
            assert left > 0, one.metric
            assert one.standard_error == pytest.approx(math.sqrt(left), rel=1e-9), one.metric


def test_it_is_the_pairs_of_different_classes_that_are_too_many(monkeypatch):
    """Of 43 cases 120 pairs are of two classes; one more than is allowed, and none is looked at."""
    y = np.repeat([0, 1], [40, 3])
    scores = models(y, 0.5, np.random.default_rng(4))
    (plain,) = compare(y, scores, ["auc_mu"], reference="normal").differences
    left = math.sqrt(plain.standard_error**2 - gamma("auc_mu", y, scores))
    for most, expected in ((120, left), (119, plain.standard_error)):
        monkeypatch.setattr("polyroc.inference._similar.MOST_PAIRS", most)
        (row,) = compare(y, scores, ["auc_mu"]).differences
        assert row.standard_error == pytest.approx(expected, rel=1e-9), most


def test_of_too_many_classes_none_is_looked_at(monkeypatch):
    y = np.repeat([0, 1, 2], 6)
    scores = models(y, 0.5, np.random.default_rng(5))
    (plain,) = compare(y, scores, ["auc_mu"], reference="normal").differences
    left = math.sqrt(plain.standard_error**2 - gamma("auc_mu", y, scores))
    for most, expected in ((3, left), (2, plain.standard_error)):
        monkeypatch.setattr("polyroc.inference._similar.MOST_CLASSES", most)
        (row,) = compare(y, scores, ["auc_mu"]).differences
        assert row.standard_error == pytest.approx(expected, rel=1e-9), most


def test_copies_groups_and_weights():
    y = np.repeat([0, 1, 2], [6, 5, 7])
    scores = models(y, 0.5, np.random.default_rng(3))
    times = 1 + np.arange(len(y)) % 3
    copies = np.repeat(np.arange(len(y)), times)
    written = compare(y[copies], {m: p[copies] for m, p in scores.items()}, NAMES)
    design = Design(weights="frequency")
    counted = compare(y, scores, NAMES, sample_weight=times, groups=design)
    plain = compare(y, scores, NAMES)
    twice = np.tile(np.arange(len(y)), 2)
    grouped = compare(y[twice], {m: p[twice] for m, p in scores.items()}, NAMES, groups=twice)
    scaled = compare(y, scores, NAMES, sample_weight=np.full(len(y), 0.3))
    for one, other in ((counted, written), (grouped, plain), (scaled, plain)):
        found = [[row.standard_error for row in each.differences] for each in (one, other)]
        assert found[0] == pytest.approx(found[1], rel=1e-9)


def test_falls_back_where_nothing_is_left():
    """Models that differ in one pair of cases: all of the variance is that of the pair."""
    y = np.repeat([0, 1], 6)
    a = np.linspace(0, 1, 12)
    b = a.copy()
    b[[5, 6]] = a[[6, 5]]
    (row,) = compare(y, {"a": a, "b": b}, ["roc_auc"]).differences
    (plain,) = compare(y, {"a": a, "b": b}, ["roc_auc"], reference="normal").differences
    assert 0 < row.standard_error <= plain.standard_error


@pytest.mark.slow
def test_the_variance_of_similar_models():
    """Three classes of eight cases: DeLong's variance is a fifth too large, the corrected not."""
    y, rng = np.repeat([0, 1, 2], 8), np.random.default_rng(5)
    found, squares, published = [], [], []
    for _ in range(600):
        scores = models(y, 0.4, rng)
        (row,) = compare(y, scores, ["hand_till"]).differences
        (plain,) = compare(y, scores, ["hand_till"], reference="normal").differences
        found.append(row.difference)
        squares.append(row.standard_error**2)
        published.append(plain.standard_error**2)
    true = float(np.var(found))
    assert np.mean(squares) == pytest.approx(true, rel=0.15)
    assert np.mean(published) > 1.1 * true


def test_many_classes_at_once_are_those_one_by_one(monkeypatch):
    """Also with weights, copies and groups within classes, and three models."""
    y = np.arange(100) % 22
    rng = np.random.default_rng(5)
    ties = np.eye(22)[rng.integers(0, 22, len(y))] * 0.5 + 0.5 / 22
    scores = {**models(y, 0.5, rng), "c": ties}
    w = 1.0 + np.arange(len(y)) % 3
    pairs = np.arange(len(y)) // 44 * 22 + y
    names = ["hand_till", "aunp", "hand_till_scored"]
    for options in (
        {},
        {"sample_weight": w},
        {"sample_weight": w, "groups": Design(weights="frequency")},
        {"groups": pairs},
    ):
        at_once = compare(y, scores, names, **options).differences
        with monkeypatch.context() as patch:
            patch.setattr("polyroc.inference._similar.MANY_CLASSES", 300)
            one_by_one = compare(y, scores, names, **options).differences
        plain = compare(y, scores, names, reference="normal", **options).differences
        for row, slow, before in zip(at_once, one_by_one, plain, strict=True):
            assert row.standard_error == pytest.approx(slow.standard_error, rel=1e-9)
            assert row.standard_error != before.standard_error
