"""AUC, DeLong's variances and tests, curves and Hand & Till's M against R's pROC."""

import math
import os
from fractions import Fraction
from itertools import combinations
from statistics import median

import numpy as np
import pytest
from differential.data_sets import PROBABILITIES, SCORES, DataSet, data_sets, examples
from differential.proc import NoProc, Proc, ProcError
from hypothesis import assume, given
from hypothesis import strategies as st

import polyroc
from polyroc import Design
from polyroc.curves import roc_curve
from polyroc.metrics.question import NO_VARIATION

MARKERS = data_sets(st.just(2), SCORES, weights=("none", "whole"), labels=("from 0",))
"""Two classes; each of the two columns is a marker. pROC has no weights: cases are repeated."""

TABLES = data_sets(
    st.sampled_from([3, 3, 3, 4, 5]), PROBABILITIES, weights=("none",), labels=("from 0",)
)
ROUNDING = 1e-11
SMALLEST = 1e-300
"""Below, numbers have few bits, and their means are rounded coarsely."""


@pytest.fixture(scope="module")
def proc(tmp_path_factory):
    try:
        running = Proc(tmp_path_factory.mktemp("proc"))
    except NoProc as reason:
        if os.environ.get("POLYROC_REQUIRE_R"):
            raise
        pytest.skip(f"no R with pROC: {reason}")
    with running:
        yield running


def repeated(data: DataSet) -> tuple[np.ndarray, np.ndarray]:
    """Codes and scores as pROC takes them, a case of weight w w times."""
    if data.weights is None:
        return data.codes, data.scores
    copies = np.repeat(np.arange(len(data.codes)), data.weights.astype(int))
    return data.codes[copies], data.scores[copies]


def falls(low: np.ndarray, high: np.ndarray) -> bool:
    """Whether the median falls; R rounds medians otherwise, so nearly equal ones tell nothing."""
    one, other = (median([Fraction(score) for score in each.tolist()]) for each in (low, high))
    least = max(ROUNDING * max(abs(one), abs(other)), SMALLEST)
    assume(one == other or abs(one - other) > least)
    return one > other


def question(codes: np.ndarray, marker: np.ndarray) -> tuple[object, ...]:
    return len(codes), codes, marker


@examples(200)
@given(data=MARKERS)
def test_delong(proc, data):
    codes, scores = repeated(data)
    auc, variance, low, high = proc.ask("delong", *question(codes, scores[:, 1]))
    found = polyroc.estimate(
        data.y,
        data.scores[:, 1],
        "roc_auc",
        sample_weight=data.weights,
        groups=Design(weights="frequency"),
    )
    assert found.value == pytest.approx(auc, rel=0, abs=1e-13)
    if math.isnan(variance):
        assert np.bincount(codes).min() == 1
        assert [note.code for note in found.notes][-1] == "one-case"
    elif math.isnan(found.standard_error):  # 0 for pROC, which warns where the AUC is 1
        assert variance <= NO_VARIATION**2
        assert [note.code for note in found.notes][-1] == "no-variation"
    else:
        assert found.standard_error**2 == pytest.approx(variance, rel=ROUNDING)
        limits = found.interval(0.95, scale="plain", small_sample=False)[:2]
        np.testing.assert_allclose(np.clip(limits, 0, 1), (low, high), rtol=0, atol=ROUNDING)


@examples(150)
@given(data=MARKERS)
def test_paired_test(proc, data):
    codes, scores = repeated(data)
    first, second = scores.T
    (found,) = polyroc.compare(
        codes, {"a": first, "b": second}, "roc_auc", reference="normal"
    ).differences
    if np.bincount(codes).min() == 1:
        assert math.isnan(found.p_value) and "a class has one case" in found.note
        return
    statistic, p_value, low, high = proc.ask("paired_test", len(codes), 2, codes, scores)
    if math.isnan(found.standard_error):  # pROC rounds: a difference of variances that should be 0
        assert "agree on every case" in found.note or "no variation" in found.note
        assert math.isnan(high - low) or high - low < 1e-7
        return
    spread = [polyroc.estimate(codes, each, "roc_auc").standard_error ** 2 for each in scores.T]
    lost = 1e-14 * np.nansum(spread) / found.standard_error**2  # where its difference cancels
    assert found.difference / found.standard_error == pytest.approx(
        statistic, rel=ROUNDING + lost, abs=ROUNDING
    )
    assert found.p_value == pytest.approx(p_value, rel=0, abs=ROUNDING + lost)
    np.testing.assert_allclose(found.interval()[:2], (low, high), rtol=0, atol=ROUNDING + lost)


def test_paired_test_with_a_class_of_one_case(proc):
    """pROC has NaN, or stops in its own code where the areas are equal."""
    codes, apart = [0, 0, 1], [[1.0, 3], [2, 1], [3, 2]]
    assert np.isnan(proc.ask("paired_test", 3, 2, codes, apart)).all()
    with pytest.raises(ProcError, match="missing value where TRUE/FALSE needed"):
        proc.ask("paired_test", 3, 2, codes, [[1.0, 1], [2, 2], [3, 3]])


def test_paired_test_of_equal_models(proc):
    """p = 1 with pROC, from a variance of 0; here there is no test, and the note says why."""
    codes, marker = [0, 0, 1, 1], [1.0, 3, 2, 4]
    twice = np.column_stack([marker, marker])
    assert proc.ask("paired_test", 4, 2, codes, twice)[:2].tolist() == [0, 1]
    (found,) = polyroc.compare(codes, {"a": marker, "b": marker}, "roc_auc").differences
    assert math.isnan(found.p_value) and "the models agree on every case" in found.note


@examples(120)
@given(one=MARKERS, other=MARKERS)
def test_unpaired_test(proc, one, other):
    samples = [repeated(one), repeated(other)]
    asked = [part for codes, scores in samples for part in question(codes, scores[:, 1])]
    (found,) = polyroc.compare(
        {name: codes for name, (codes, _) in zip("ab", samples, strict=True)},
        {name: scores[:, 1] for name, (_, scores) in zip("ab", samples, strict=True)},
        "roc_auc",
        reference="normal",
    ).differences
    if min(np.bincount(codes).min() for codes, _ in samples) == 1:
        assert math.isnan(found.p_value) and "a class has one case" in found.note
        return
    statistic, freedom, p_value = proc.ask("unpaired_test", *asked)
    if math.isnan(found.standard_error):  # neither sample varies
        assert "agree on every case" in found.note or "no variation" in found.note
        assert statistic == 0 or not math.isfinite(statistic)
        return
    assert found.difference / found.standard_error == pytest.approx(
        statistic, rel=ROUNDING, abs=ROUNDING
    )
    assert found.degrees_of_freedom == pytest.approx(freedom, rel=ROUNDING)
    assert found.p_value == pytest.approx(p_value, rel=0, abs=ROUNDING)


@examples(150)
@given(data=MARKERS)
def test_points_of_a_curve(proc, data):
    codes, scores = repeated(data)
    theirs = proc.ask("points_of_a_curve", *question(codes, scores[:, 1])).reshape(2, -1)
    curve = roc_curve(data.y, data.scores[:, 1], sample_weight=data.weights)
    ours = np.array([curve.false_positive_rate, curve.true_positive_rate])
    np.testing.assert_allclose(ours[:, ::-1], theirs, rtol=0, atol=1e-15)


@examples(60)
@given(data=TABLES, ahead=st.booleans())
def test_hand_till(proc, data, ahead):
    """``direction=">"``, pROC's default here; with "<" every curve is turned round."""
    theirs = proc.ask("hand_till", ahead, *data.scores.shape, data.codes, data.scores)[0]
    ours = polyroc.hand_till(data.y, data.scores)
    assert (ours if ahead else 1 - ours) == pytest.approx(theirs, rel=0, abs=1e-13)


@examples(20)
@given(data=TABLES)
def test_one_marker_of_many_classes(proc, data):
    """The mean over pairs of classes; "auto" turns round each pair whose medians fall."""
    marker, codes = data.scores[:, 0], data.codes
    up, down, turned = proc.ask("one_marker", len(codes), 1, codes, marker)
    areas, directed = [], []
    for low, high in combinations(range(len(data.classes)), 2):
        pair = np.isin(codes, (low, high))
        areas.append(polyroc.roc_auc(codes[pair], marker[pair]))
        turn = falls(marker[codes == low], marker[codes == high])
        directed.append(1 - areas[-1] if turn else areas[-1])
    assert np.mean(areas) == pytest.approx(up, rel=0, abs=1e-13)
    assert 1 - np.mean(areas) == pytest.approx(down, rel=0, abs=1e-13)
    assert np.mean(directed) == pytest.approx(turned, rel=0, abs=1e-13)


@examples(60)
@given(data=MARKERS)
def test_a_direction_that_looks_at_the_answer(proc, data):
    """By default pROC gives the AUC, or 1 − AUC where the median of the cases is the lower one."""
    codes, scores = repeated(data)
    marker = scores[:, 1]
    theirs = proc.ask("directed", len(codes), 1, codes, marker)[0]
    ours = polyroc.roc_auc(codes, marker)
    turn = falls(marker[codes == 0], marker[codes == 1])
    assert (1 - ours if turn else ours) == pytest.approx(theirs, rel=0, abs=1e-13)


@examples(100)
@given(data=MARKERS)
def test_two_slices(proc, data):
    codes, scores = data.codes, data.scores[:, 1]
    sides = np.arange(len(codes)) % 2
    if min(np.bincount(codes[sides == s], minlength=2).min() for s in (0, 1)) < 2:
        return
    found = polyroc.evaluate(data.y, scores, ["roc_auc"], by=sides)
    curves = [question(codes[sides == s], scores[sides == s]) for s in (0, 1)]
    first, second = (proc.ask("delong", *each) for each in curves)
    row = next(each for each in found.differences if each.slice == 0)
    assert row.difference == pytest.approx(first[0] - second[0], abs=1e-12)
    if min(first[1], second[1]) > NO_VARIATION:
        expected = math.sqrt(first[1] + second[1])
        assert row.standard_error == pytest.approx(expected, rel=1e-9, abs=0)
        statistic, _, _ = proc.ask("unpaired_test", *curves[0], *curves[1])
        assert row.difference / row.standard_error == pytest.approx(statistic, rel=1e-9, abs=1e-9)
