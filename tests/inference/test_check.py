"""``check``: outcomes against intervals and differences, one by one."""

import math
from typing import Any

import numpy as np
import pytest

import polyroc
from polyroc import Predictions, check, compare, evaluate
from polyroc.errors import InvalidInput, InvalidType, NotDefined, UnknownName


def drawn(seed: int, sizes: tuple[int, ...] = (30, 20, 12)) -> tuple[Any, Any, Any]:
    """Labels, and probabilities of a classifier and of a better one."""
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(len(sizes)), sizes)
    noise = rng.normal(size=(len(y), len(sizes)))
    tables = []
    for signal in (1.0, 1.6):
        raw = np.exp(noise + 0.5 * rng.normal(size=noise.shape) + signal * np.eye(len(sizes))[y])
        tables.append(raw / raw.sum(axis=1, keepdims=True))
    return y, tables[0], tables[1]


def by_hand(y: Any, scores: Any, baseline: Any, metric: str, rule: str, bound: float) -> str:
    """The outcome of one requirement, from one-sided 95 % limits: the ends of 90 % intervals."""
    sign = -1 if metric == "saec" else 1
    if rule in ("minimum", "maximum"):
        low, high, *_ = evaluate(y, scores, [metric])[metric].interval(0.90)
    else:
        found = compare(y, {"a": scores, "b": baseline}, [metric], level=0.90)
        (row,) = found.frame().to_dict("records")
        low, high = row["low"], row["high"]
        bound = -bound if sign > 0 else bound
    if sign < 0:
        low, high, bound = -high, -low, -bound
    return "pass" if low > bound else "fail" if high < bound else "undecided"


def test_a_requirement_is_judged_by_one_sided_limits() -> None:
    seen = set()
    for seed in range(2):
        y, scores, better = drawn(seed)
        for metric in ("hand_till", "pdi", "aunp"):
            for bound in (0.4, 0.6, 0.7, 0.75, 0.8, 0.95):
                (row,) = check(y, scores, minimum={metric: bound}).rows
                assert row.outcome == by_hand(y, scores, None, metric, "minimum", bound)
                assert row.judged == row.value == getattr(polyroc, metric)(y, scores)
                seen.add(("minimum", row.outcome))
            for bound in (0.0, 0.05, 0.15, 0.5):
                given = {"baseline": better, "max_drop": {metric: bound}}
                (row,) = check(y, scores, **given).rows
                assert row.outcome == by_hand(y, scores, better, metric, "max_drop", bound)
                assert row.judged == pytest.approx(row.baseline - row.value, abs=1e-12)
                seen.add(("max_drop", row.outcome))
    assert len(seen) == 6


def test_where_lower_is_better_everything_turns_round() -> None:
    y, scores, better = drawn(0, (40, 30))
    new, old = scores[:, 1], better[:, 1]
    seen = []
    for bound in (0.05, 0.9):
        (row,) = check(y, new, maximum={"saec": bound}).rows
        assert row.outcome == by_hand(y, new, None, "saec", "maximum", bound)
        seen.append(row.outcome)
    for bound in (0.0, 0.6):
        (row,) = check(y, new, baseline=old, max_rise={"saec": bound}).rows
        assert row.outcome == by_hand(y, new, old, "saec", "max_rise", bound)
        assert row.judged == pytest.approx(row.value - row.baseline, abs=1e-12)
        seen.append(row.outcome)
    assert seen[:2] == ["fail", "pass"] and seen[3] == "pass" != seen[2]


def test_a_change_without_a_name_is_one_of_the_metrics_that_it_fits() -> None:
    y, scores, better = drawn(0, (40, 30))
    new, old = scores[:, 1], better[:, 1]
    values = {"minimum": {"roc_auc": 0.5}, "maximum": {"saec": 0.9}}
    found = check(y, new, **values, baseline=old, max_drop=0.3, max_rise=0.4)
    asked = [(row.metric, row.rule, row.bound) for row in found.rows]
    assert asked[:2] == [("roc_auc", "minimum", 0.5), ("saec", "maximum", 0.9)]
    assert asked[2:] == [("roc_auc", "max_drop", 0.3), ("saec", "max_rise", 0.4)]
    with pytest.raises(InvalidInput, match="does not say which metric it is about, and maximum= n"):
        check(y, new, minimum={"roc_auc": 0.5}, baseline=old, max_rise=0.4)


def test_failures_are_adjusted_and_passes_are_not() -> None:
    y, scores, better = drawn(1)
    metrics = ("hand_till", "pdi", "au1p")
    high = {}
    for name in metrics:  # minima that are violated at 4 %
        found, low, up = evaluate(y, scores, [name])[name], 0.0, 1.0
        while up - low > 1e-9:
            middle = (low + up) / 2
            low, up = (low, middle) if found.test(middle, "less").p_value < 0.04 else (middle, up)
        high[name] = up
    for name, bound in high.items():
        assert check(y, scores, minimum={name: bound}).outcome == "fail"
    together = check(y, scores, minimum=high)
    assert together.outcome == "undecided"
    p_values = [row.p_violated for row in together.rows]
    assert [row.p_adjusted for row in together.rows] == pytest.approx([3 * max(p_values)] * 3)
    low = dict.fromkeys(("hand_till", "au1p"), 0.5)
    passed = check(y, better, minimum=low, baseline=scores, max_drop=0.2)
    assert passed.outcome == "pass" and len(passed.rows) == 4
    assert all(row.p_met <= 0.05 for row in passed.rows)
    assert (
        "over 4 requirements" in passed.explain()
        and "Holm" not in check(y, scores, minimum={"pdi": 0.1}).explain()
    )
    mixed = check(y, scores, minimum={"hand_till": 0.1, "pdi": 0.99})
    assert [row.outcome for row in mixed.rows] == ["pass", "fail"] and mixed.outcome == "fail"


def test_it_is_explained_how_one_requirement_is_tested() -> None:
    y, scores, _ = drawn(1)
    assert check(y, scores, minimum={"pdi": 0.1}).explain() == (
        "The requirement is tested twice, each time one-sided at 5 %: that it is met (pass) and "
        "that it is violated (fail); neither shown is too few cases to tell."
    )


def test_no_variation() -> None:
    y, scores, _ = drawn(2)
    same = check(y, scores, baseline=scores, max_drop={"hand_till": 0.0})
    assert same.outcome == "pass" and "the same on every case" in same.rows[0].sentence(0.95)
    alike = check(y, scores**3, baseline=scores, max_drop={"hand_till": 0.0})
    assert alike.outcome == "pass"
    for n, outcome in ((5, "undecided"), (500, "pass")):  # two that are perfect on these cases
        truth, score = np.repeat([0, 1], n), np.arange(2.0 * n)
        wave = score + 0.4 * np.sin(score)
        found = check(truth, score, baseline=wave, max_drop={"roc_auc": 0.01})
        assert found.outcome == outcome, n
        assert found.rows[0].p_violated == 1, "no loss was seen"
    one = check([0, 0, 0, 1], [0.1, 0.3, 0.2, 0.9], minimum={"roc_auc": 0.5})
    assert one.outcome == "undecided"
    both = {"baseline": [0.1, 0.4, 0.2, 0.9], "max_drop": {"roc_auc": 0.5}}
    assert check([0, 0, 0, 1], [0.1, 0.3, 0.2, 0.9], **both).outcome == "undecided"


def test_predictions_groups_and_folds() -> None:
    y, scores, better = drawn(3)
    groups, folds = np.arange(len(y)) // 2, np.arange(len(y)) % 2
    asked: dict[str, Any] = {"minimum": {"hand_till": 0.6}, "max_drop": 0.3}
    for given in ({"groups": groups}, {"folds": folds}):
        found = check(y, scores, baseline=better, **asked, **given)
        held = {key: value for key, value in given.items() if key == "folds"}
        again = check(
            Predictions(y, scores, **held),
            baseline=Predictions(y, better, **held),
            groups=given.get("groups"),
            **asked,
        )
        assert repr(found.rows) == repr(again.rows)  # NaN is in them, which equals nothing
        assert found.rows[0] != check(y, scores, **{**asked, "max_drop": None})
        (row,) = compare(y, {"a": scores, "b": better}, ["hand_till"], **given).differences
        assert found.rows[1].judged == -row.difference
    frame = found.frame()
    assert frame["requirement"].tolist() == [
        "hand_till at least 0.6",
        "hand_till drops by at most 0.3",
    ]
    assert math.isnan(frame["baseline"][0])
    assert found.to_dict()["requirements"][0]["baseline"] is None


def test_malformed_requirements() -> None:
    y, scores, better = drawn(0)
    held = Predictions(y, better)
    wrong: list[tuple[dict[str, Any], type[Exception], str]] = [
        ({}, InvalidInput, "Nothing is required."),
        ({"minimum": {}}, InvalidInput, "Nothing is required."),
        ({"minimum": 0.9}, InvalidType, "minimum must be a mapping from metric to number"),
        ({"minimum": {"handtill": 0.9}}, UnknownName, "Did you mean 'hand_till'"),
        ({"minimum": {"hand_till": "x"}}, InvalidType, "minimum of hand_till must be a number"),
        ({"minimum": {"hand_till": True}}, InvalidType, "must be a number, got True"),
        (
            {"minimum": {"hand_till": 90}},
            InvalidInput,
            "minimum of hand_till must lie in",
        ),
        ({"minimum": {"hand_till": math.nan}}, InvalidInput, "must lie in the range"),
        ({"minimum": {"saec": 0.1}}, InvalidInput, "Lower is better for saec"),
        ({"maximum": {"pdi": 0.1}}, InvalidInput, "Higher is better for pdi"),
        ({"max_drop": {"pdi": 0.1}}, InvalidInput, "max_drop= needs a baseline"),
        ({"minimum": {"pdi": 0.1}, "baseline": better}, InvalidInput, "baseline= is given, but"),
        ({"max_drop": 0.1, "baseline": better}, InvalidInput, "does not say which metric"),
        ({"max_drop": {"pdi": -0.1}, "baseline": better}, InvalidInput, "at least 0 and less than"),
        ({"max_drop": {"pdi": 1}, "baseline": better}, InvalidInput, "at least 0 and less than 1"),
        ({"max_drop": {"pdi": math.nan}, "baseline": better}, InvalidInput, "at least 0"),
        ({"max_rise": {"pdi": 0.1}, "baseline": better}, InvalidInput, "Pass max_drop="),
        ({"minimum": {"roc_auc": 0.9}}, NotDefined, "roc_auc does not exist for these data"),
        ({"max_drop": {"roc_auc": 0.1}, "baseline": better}, NotDefined, "roc_auc does not exist"),
        ({"minimum": {"pdi": 0.9}, "level": 95}, InvalidInput, "level must lie between 0 and 1"),
        ({"max_drop": {"pdi": 0.1}, "baseline": better[:5]}, InvalidInput, "Model 'baseline'"),
        ({"max_drop": {"pdi": 0.1}, "baseline": held}, InvalidType, "one is a Predictions"),
    ]
    for given, kind, message in wrong:
        with pytest.raises(kind) as caught:
            check(y, scores, **given)
        assert message in str(caught.value), given


def test_by_slices_every_requirement_is_one_of_each_slice() -> None:
    y, scores, better = drawn(4, (60, 60, 60))
    site = np.array(["north", "south", "north"])[np.arange(180) % 3]
    site = site.astype(object)
    site[[0, 60]] = "tiny"
    bad = scores.copy()
    south = site == "south"
    bad[south] = np.roll(bad[south], 1, axis=1)
    found = check(
        *(y, bad), minimum={"hand_till": 0.5}, baseline=better, max_drop=0.9, by={"site": site}
    )
    places = [(row.attribute, row.slice, row.rule) for row in found.rows]
    rules = ("minimum", "max_drop")
    slices = [("", ""), ("site", "north"), ("site", "south"), ("site", "tiny")]
    assert places == [(*place, rule) for place in slices for rule in rules]
    for row in found.rows[2:6]:  # as if there were no other cases
        here = site == row.slice
        alone = check(
            *(y[here], bad[here]), minimum={"hand_till": 0.5}, baseline=better[here], max_drop=0.9
        )
        other = alone.rows[row.rule == "max_drop"]
        assert (row.value, row.p_met, row.p_violated) == pytest.approx(
            (other.value, other.p_met, other.p_violated), rel=1e-9
        )
    assert found.rows[4].outcome == "fail" and found.outcome == "fail"
    tiny = found.rows[6]
    assert tiny.outcome == "undecided" and math.isnan(tiny.value)
    assert tiny.sentence(0.95) == (
        "hand_till at least 0.5, site tiny: no value (no cases of class 2), too few cases to tell."
    )
    counted = [row.p_violated for row in found.rows if not math.isnan(row.p_violated)]
    assert len(counted) == 6 and found.rows[4].p_adjusted == pytest.approx(6 * min(counted))
