"""Every AUC(k|r) with its interval: DeLong by plain loops, and evaluate of two classes alone."""

import math

import numpy as np
import pandas as pd
import pytest

from polyroc import Predictions, evaluate, evaluate_pairs, pairwise_auc
from polyroc.errors import InvalidInput
from polyroc.inference import _pair_spread


def delong(positive: list[float], negative: list[float]) -> tuple[float, float]:
    """AUC and its variance from structural components, by loops."""

    def credit(a: float, b: float) -> float:
        return 1.0 if a > b else 0.5 if a == b else 0.0

    of_positive = [sum(credit(a, b) for b in negative) / len(negative) for a in positive]
    of_negative = [sum(credit(a, b) for a in positive) / len(positive) for b in negative]
    auc = sum(of_positive) / len(positive)
    variance = 0.0
    for components in (of_positive, of_negative):
        squares = sum((each - auc) ** 2 for each in components)
        variance += squares / (len(components) - 1) / len(components)
    return auc, variance


def sample(seed: int, n: int = 90, n_classes: int = 4, signal: float = 1.0):
    rng = np.random.default_rng(seed)
    y = np.append(np.arange(n_classes), rng.integers(0, n_classes, n - n_classes))
    y = np.append(y, y[:n_classes])
    return y, rng.normal(size=(len(y), n_classes)).round(1) + signal * np.eye(n_classes)[y], rng


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_delong_of_each_pair(n_classes):
    y, scores, _ = sample(n_classes, n_classes=n_classes)
    found = evaluate_pairs(y, scores)
    assert list(found) == ["positive", "negative", "value", "standard_error", "low", "high"]
    assert len(found) == n_classes * (n_classes - 1)
    matrix = pairwise_auc(y, scores)
    for row in found.itertuples():
        k, r = row.positive, row.negative
        value, variance = delong(scores[y == k, k].tolist(), scores[y == r, k].tolist())
        assert row.value == matrix[k, r]
        assert math.isclose(row.value, value, abs_tol=1e-14)
        assert math.isclose(row.standard_error, math.sqrt(variance), rel_tol=1e-12)
        assert row.low < row.value < row.high


def of_two_classes(y, scores, k, r, level, **options):
    kept = np.isin(y, [k, r])
    own = {name: np.asarray(each)[kept] for name, each in options.items()}
    alone = (y[kept] == k).astype(int)
    return evaluate(alone, scores[kept, k], ["roc_auc"], level=level, **own).frame().iloc[0]


@pytest.mark.parametrize("kind", ["plain", "weights", "groups", "folds", "folds of patients"])
@pytest.mark.parametrize("signal", [1.0, 5.0])
def test_a_row_is_what_evaluate_says_of_two_classes(kind, signal):
    y, scores, rng = sample(7, signal=signal)
    n = len(y)
    patients = rng.integers(0, 15, n)
    options = {
        "plain": {},
        "weights": {"sample_weight": rng.integers(1, 5, n) / 4},
        "groups": {"groups": patients},
        "folds": {"folds": np.arange(n) % 2},
        "folds of patients": {"folds": patients % 2, "groups": patients},
    }[kind]
    for row in evaluate_pairs(y, scores, level=0.9, **options).itertuples():
        alone = of_two_classes(y, scores, row.positive, row.negative, 0.9, **options)
        for name in ("value", "standard_error", "low", "high"):
            expected = alone[name]
            close = math.isclose(getattr(row, name), expected, rel_tol=1e-9, abs_tol=1e-13)
            assert close or (math.isnan(expected) and math.isnan(getattr(row, name))), name


def test_pairs_without_errors_and_large_classes():
    rng = np.random.default_rng(3)
    y = np.repeat(["a", "b", "c"], [600, 700, 12])
    scores = rng.normal(size=(len(y), 3)) + 1.5 * (y[:, None] == ["a", "b", "c"])
    scores[y == "c", 2] += 20
    pairs = evaluate_pairs(y, scores).set_index(["positive", "negative"])
    assert (pairs.loc["c", "value"] == 1).all() and pairs.loc["c", "standard_error"].isna().all()
    assert (pairs.loc["c", "high"] == 1).all() and (pairs.loc["c", "low"] > 0.7).all()
    large = of_two_classes((y == "b") * 1 + 2 * (y == "c"), scores, 0, 1, 0.95)
    assert np.allclose(pairs.loc["a", "b"], large[list(pairs)].astype(float), rtol=1e-12)


def test_one_case_gives_values_alone_and_blocks_change_nothing(monkeypatch):
    y, scores, rng = sample(11, n_classes=6)
    groups = rng.integers(0, 20, len(y))
    whole = evaluate_pairs(y, scores, groups=groups)
    monkeypatch.setattr(_pair_spread, "MOST_PLACEMENTS", 1)
    by_blocks = evaluate_pairs(Predictions(y, scores), groups=groups)
    pd.testing.assert_frame_equal(whole, by_blocks, rtol=1e-13)
    alone = evaluate_pairs([0, 1, 1, 2, 2], np.eye(3)[[0, 1, 0, 2, 1]])
    assert alone.iloc[:, 3:][(alone.positive == 0) | (alone.negative == 0)].isna().all(axis=None)
    assert alone["value"].notna().all()
    with pytest.raises(InvalidInput, match="level must lie between 0 and 1, got 2"):
        evaluate_pairs(y, scores, level=2)


def test_a_block_of_classes_that_a_fold_does_not_have(monkeypatch):
    y = np.arange(48) % 4
    folds = np.where(y == 3, 0, np.arange(48) // 4 % 3)
    scores = np.random.default_rng(0).normal(size=(48, 4))
    predictions = Predictions(y, scores, folds=folds, absent="skip")
    at_once = evaluate_pairs(predictions)
    monkeypatch.setattr(_pair_spread, "MOST_PLACEMENTS", 1)
    pd.testing.assert_frame_equal(evaluate_pairs(predictions), at_once, rtol=1e-13)


def test_very_large_scores_are_compared_without_a_warning():
    most = np.finfo(np.float32).max
    scores = [[most, -most], [-most, 0.5], [0.5, most], [most, -most], [0.5, 0.25]]
    found = evaluate_pairs([0, 0, 1, 1, 1], np.array(scores, dtype=np.float32))
    ranks = np.array([[2, 0], [0, 2], [1, 3], [2, 0], [1, 1]])
    expected = evaluate_pairs([0, 0, 1, 1, 1], ranks)
    pd.testing.assert_frame_equal(found, expected, rtol=1e-13)
