"""Replicates against the statistics of predictions that carry the replicate's weights."""

from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyroc.errors import InvalidInput
from polyroc.predictions import Predictions
from polyroc.statistics.margins import Margins
from polyroc.statistics.means import Means
from polyroc.statistics.pairs import Pairs
from polyroc.statistics.resampled import BYTE_BLOCK, FLOAT_BLOCK, PairReplicates, ResampledPairs

FIELDS = [field.name for field in fields(PairReplicates) if field.name != "classes"]


def sample(rng, n, n_classes, levels=None):
    """Labels, every class present, and probabilities; levels makes them multiples of 1/levels."""
    y_true = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, n - n_classes)])
    logits = rng.normal(size=(n, n_classes)) + 1.5 * np.eye(n_classes)[y_true]
    scores = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    return y_true, scores if levels is None else rng.multinomial(levels, scores) / levels


def counts(rng, n_replicates, n, n_classes):
    """Bootstrap-like counts; the first case of each class stays, so that no class is lost."""
    weights = rng.poisson(1, (n_replicates, n)).astype(np.uint8)
    weights[:, :n_classes] += 1
    return weights


def reference(y_true, y_score, n_classes, weights, **options):
    """The same arrays from one set of predictions per replicate."""
    rows = {name: [] for name in FIELDS}
    for row in weights:
        predictions = Predictions(
            y_true, y_score, labels=range(n_classes), sample_weight=row, **options
        )
        margins, pairs = Margins.of(predictions), Pairs.of(predictions, scored=True)
        sums = [_off_diagonal(matrix) for matrix in (pairs.above, pairs.tied, pairs.excess)]
        means = Means.of(predictions).vectors
        values = (*sums, margins.above, margins.tied, means, predictions.class_weights)
        for name, value in zip(FIELDS, values, strict=True):
            rows[name].append(value)
    return PairReplicates(**{name: np.array(values) for name, values in rows.items()})


def _off_diagonal(matrix):
    return np.where(np.eye(len(matrix), dtype=bool), 0.0, matrix)


def assert_close(got, expected, exact=()):
    for name in FIELDS:
        left, right = getattr(got, name), getattr(expected, name)
        if name in exact:
            np.testing.assert_array_equal(left, right, err_msg=name)
        else:
            np.testing.assert_allclose(left, right, rtol=1e-12, atol=1e-12, err_msg=name)


def assert_same_bits(got, expected):
    for name in FIELDS:
        np.testing.assert_array_equal(
            getattr(got, name).view(np.int64), getattr(expected, name).view(np.int64), err_msg=name
        )


COUNTED = ("above", "tied", "margin_above", "margin_tied", "class_weights")


@pytest.mark.parametrize("n_classes", [2, 3, 4, 5])
@pytest.mark.parametrize("levels", [None, 1, 4, 50])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_counts_equal_weighted_predictions(n_classes, levels, dtype):
    rng = np.random.default_rng([n_classes, levels or 0])
    y_true, scores = sample(rng, 150, n_classes, levels)
    scores = scores.astype(dtype)
    weights = counts(rng, 7, 150, n_classes)
    got = ResampledPairs(Predictions(y_true, scores)).replicates(weights)
    assert_close(got, reference(y_true, scores, n_classes, weights), exact=COUNTED)


@given(
    seed=st.integers(0, 2**32),
    n_classes=st.integers(2, 5),
    n=st.integers(5, 60),
    levels=st.sampled_from([None, 1, 2, 3, 10]),
    fractional=st.booleans(),
    based=st.booleans(),
)
@settings(max_examples=60, deadline=None)
def test_any_weights_equal_weighted_predictions(seed, n_classes, n, levels, fractional, based):
    rng = np.random.default_rng(seed)
    y_true, scores = sample(rng, n, n_classes, levels)
    weights = counts(rng, 3, n, n_classes)
    if fractional:
        weights = weights * rng.random(weights.shape)
    base = rng.random(n) + 0.1 if based else None
    predictions = Predictions(y_true, scores, sample_weight=base)
    total = weights if base is None else weights * base
    got = ResampledPairs(predictions).replicates(weights)
    assert_close(got, reference(y_true, scores, n_classes, total))


def test_one_column_of_scores():
    rng = np.random.default_rng(3)
    y_true, scores = sample(rng, 80, 2, 6)
    weights = counts(rng, 5, 80, 2)
    got = ResampledPairs(Predictions(y_true, scores[:, 1])).replicates(weights)
    assert_close(got, reference(y_true, scores[:, 1], 2, weights), exact=COUNTED)


def test_scores_one_rounding_apart_are_not_tied():
    scores = np.array([0.5, np.nextafter(0.5, 1), 0.5, np.nextafter(0.5, 0)])
    got = ResampledPairs(Predictions([0, 1, 1, 0], scores)).replicates(np.ones((1, 4)))
    assert got.above[0, 1, 0] == 3 and got.tied[0, 1, 0] == 1


def test_zeros_of_both_signs_are_tied():
    predictions = Predictions([0, 1, 0, 1], [[0.0, 0.0], [-0.0, -0.0], [-0.0, -0.0], [0.0, 0.0]])
    got = ResampledPairs(predictions, means=False).replicates(np.ones((1, 4), dtype=np.uint8))
    assert not got.above.any() and not got.margin_above.any()
    assert got.tied[0, 0, 1] == got.tied[0, 1, 0] == got.margin_tied[0, 0, 1] == 4


def test_many_classes():
    rng = np.random.default_rng(5)
    y_true, scores = sample(rng, 300, 30, 20)
    weights = counts(rng, 3, 300, 30)
    got = ResampledPairs(Predictions(y_true, scores)).replicates(weights)
    assert_close(got, reference(y_true, scores, 30, weights), exact=COUNTED)


def test_unit_weights_give_the_sample():
    rng = np.random.default_rng(6)
    predictions = Predictions(*sample(rng, 200, 4, 30))
    got = ResampledPairs(predictions).replicates(np.ones((1, 200), dtype=bool))
    np.testing.assert_array_equal(got.above[0], _off_diagonal(Pairs.of(predictions).above))
    np.testing.assert_array_equal(got.margin_tied[0], Margins.of(predictions).tied)


def test_a_class_without_weight_has_no_pairs_and_no_mean():
    rng = np.random.default_rng(7)
    y_true, scores = sample(rng, 60, 3)
    got = ResampledPairs(Predictions(y_true, scores)).replicates((y_true != 1)[None])
    assert got.class_weights[0, 1] == 0
    assert not got.above[0, 1].any() and not got.above[0, :, 1].any()
    assert np.isnan(got.means[0, 1]).all() and np.isfinite(got.means[0, [0, 2]]).all()


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.int32, np.int64, np.float32, np.float64])
def test_type_of_the_weights_changes_no_bit(dtype):
    rng = np.random.default_rng(8)
    resampled = ResampledPairs(Predictions(*sample(rng, 120, 3, 40)))
    weights = counts(rng, 70, 120, 3)
    assert_same_bits(resampled.replicates(weights.astype(dtype)), resampled.replicates(weights))


@pytest.mark.parametrize("dtype", [bool, np.uint8, np.int16, np.int64, np.float32, np.float64])
def test_small_counts_go_as_bytes(dtype):
    """Blocks of 64 replicates on a cache line; other weights in blocks of 16 floats."""
    rng = np.random.default_rng(8)
    weights = counts(rng, 2 * BYTE_BLOCK + 3, 20, 2).astype(dtype)
    resampled = ResampledPairs(Predictions(*sample(rng, 20, 2)))
    blocks = list(resampled._blocks(weights, 5))
    assert [(block.where.start, block.where.stop) for block in blocks] == [
        (5, 5 + BYTE_BLOCK),
        (5 + BYTE_BLOCK, 5 + 2 * BYTE_BLOCK),
        (5 + 2 * BYTE_BLOCK, 8 + 2 * BYTE_BLOCK),
    ]
    assert all(block.given.dtype == block.laid.dtype == np.uint8 for block in blocks)
    wide = list(resampled._blocks(weights + 0.5, 0))
    assert all(block.given.dtype == np.float64 for block in wide)
    full = 2 * BYTE_BLOCK // FLOAT_BLOCK
    assert [len(block.given) for block in wide] == [*[FLOAT_BLOCK] * full, 3]


@pytest.mark.parametrize("dtype", [np.uint16, np.int16, np.int32, np.int64, np.float32])
def test_counts_past_a_byte_are_not_cut(dtype):
    rng = np.random.default_rng(8)
    resampled = ResampledPairs(Predictions(*sample(rng, 120, 3, 40)))
    weights = counts(rng, 5, 120, 3).astype(dtype)
    weights[:, ::7] += 255
    assert_same_bits(
        resampled.replicates(weights), resampled.replicates(weights.astype(np.float64))
    )
    doubled = resampled.replicates(2 * weights)
    np.testing.assert_array_equal(doubled.above, 4 * resampled.replicates(weights).above)


def test_large_and_fractional_neighbours_change_no_bit():
    rng = np.random.default_rng(9)
    resampled = ResampledPairs(Predictions(*sample(rng, 120, 3, 40)))
    weights = counts(rng, 2, 120, 3)
    alone = resampled.replicates(weights)
    for stray in (300, 0.5):
        mixed = resampled.replicates(np.vstack([weights, np.full((1, 120), stray)]))
        for name in FIELDS:
            np.testing.assert_array_equal(getattr(mixed, name)[:2], getattr(alone, name))


@pytest.mark.parametrize("scale", [1, 0.7])
@pytest.mark.parametrize("n_threads", [1, 2, 5])
def test_threads_and_batches_change_no_bit(monkeypatch, scale, n_threads):
    rng = np.random.default_rng(10)
    y_true, scores = sample(rng, 500, 4, 200)
    weights = counts(rng, 2 * BYTE_BLOCK + FLOAT_BLOCK + 3, 500, 4) * scale
    whole = ResampledPairs(Predictions(y_true, scores, n_threads=1)).replicates(weights)
    monkeypatch.setattr("polyroc.statistics.resampled.SMALL_WORK", 0)
    monkeypatch.setattr("polyroc.statistics.resampled.MEMORY", 500 * 8 * BYTE_BLOCK)
    resampled = ResampledPairs(Predictions(y_true, scores, n_threads=n_threads))
    assert_same_bits(resampled.replicates(weights), whole)
    for size in (1, 5, FLOAT_BLOCK + 1, BYTE_BLOCK + 1):
        pieces = [
            resampled.replicates(weights[at : at + size]) for at in range(0, len(weights), size)
        ]
        joined = {name: np.concatenate([getattr(p, name) for p in pieces]) for name in FIELDS}
        assert_same_bits(PairReplicates(**joined), whole)


@pytest.mark.parametrize(("kind", "times"), [(np.uint8, 2), (np.int64, 1)])
def test_as_many_replicates_as_memory_is_meant_for_are_laid_out(monkeypatch, kind, times):
    """In whole blocks: two of bytes, and one of numbers of eight bytes."""
    rng, sizes = np.random.default_rng(10), []
    fill = ResampledPairs._fill

    def filled(self, results, blocks):
        sizes.append(len(blocks))
        fill(self, results, blocks)

    monkeypatch.setattr(ResampledPairs, "_fill", filled)
    monkeypatch.setattr("polyroc.statistics.resampled.MEMORY", 60 * 2 * BYTE_BLOCK)
    resampled = ResampledPairs(Predictions(*sample(rng, 60, 3, 40)))
    resampled.replicates(counts(rng, 4 * BYTE_BLOCK, 60, 3).astype(kind))
    assert sizes == [times] * (4 // times)


def test_only_what_is_asked_for():
    rng = np.random.default_rng(11)
    predictions = Predictions(*sample(rng, 100, 3, 10))
    weights = counts(rng, 4, 100, 3)
    everything = ResampledPairs(predictions).replicates(weights)
    least = ResampledPairs(predictions, excess=False, margins=False, means=False)
    got = least.replicates(weights)
    for name in ("above", "tied", "class_weights"):
        np.testing.assert_array_equal(getattr(got, name), getattr(everything, name))
    for name in ("excess", "margin_above", "margin_tied", "means"):
        assert np.isnan(getattr(got, name)).all()


def test_no_replicates():
    resampled = ResampledPairs(Predictions([0, 1, 0], [0.1, 0.4, 0.3]))
    got = resampled.replicates(np.empty((0, 3)))
    assert len(got) == 0 and got.above.shape == (0, 2, 2)


def test_weights_are_not_modified():
    rng = np.random.default_rng(12)
    resampled = ResampledPairs(Predictions([0, 1, 0], [0.1, 0.4, 0.3], sample_weight=[1, 2, 3]))
    weights = rng.random((20, 3))
    kept = weights.copy()
    weights.flags.writeable = False
    resampled.replicates(weights)
    np.testing.assert_array_equal(weights, kept)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.ones(3), "one row of numbers per replicate"),
        (np.ones((2, 4)), "there are 3 cases"),
        (np.array([["a", "b", "c"]]), "one row of numbers"),
        (np.array([[1, 1, 1], [1, -1, 1]]), "replicate 1 contain -1 for case 1"),
        (np.array([[1.0, 1.0, np.nan]]), "replicate 0 contain nan for case 2"),
        (np.eye(300, 3) - np.eye(300, 3, -200), "replicate 200 contain -1.0 for case 0"),
        (np.where(np.eye(300, 3, -200), np.inf, 1), "replicate 200 contain inf for case 0"),
    ],
)
def test_wrong_weights_are_named(weights, message):
    resampled = ResampledPairs(Predictions([0, 1, 0], [0.1, 0.4, 0.3]))
    with pytest.raises(InvalidInput, match=message):
        resampled.replicates(weights)
