"""Findings about classes and cases, decisions behind them, and how all cases are decided."""

import base64
import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from report.small import NBSP, content_of, scores_of, valued

from polyroc.predictions import Predictions
from polyroc.report import _all_cases, _on_cases, _on_classes
from polyroc.report._all_cases import all_cases_data, counts_all, most_probable
from polyroc.report._decisions import (
    Confusions,
    decided,
    error_if_calibrated,
    mean_with_error,
    perfect_pairs,
)
from polyroc.report._finding import Finding
from polyroc.results import Note

NET = {"net": valued(0.8, 0.7, 0.9)}


def decisions_as(y: list[int], chosen: list[int], n_classes: int = 3) -> np.ndarray:
    """Probabilities of which the largest is that of the class chosen for each case."""
    p = np.full((len(y), n_classes), 0.1)
    p[np.arange(len(y)), chosen] = 1 - 0.1 * (n_classes - 1)
    return p


def test_decisions_are_the_first_of_the_most_probable_classes() -> None:
    p = np.array([[0.2, 0.4, 0.4], [0.5, 0.1, 0.4], [0.3, 0.3, 0.4]])
    content = content_of(NET, y=[0, 1, 2], scores={"net": p})
    found = decided(content.models[0])
    assert found is not None and found.tolist() == [1, 0, 2] and found.dtype == np.int64
    assert decided(replace(content.models[0], probabilities=None)) is None


def test_confusions_are_counted_and_weighed() -> None:
    y, chosen = [0, 0, 0, 1, 1, 2, 2], [0, 1, 2, 1, 0, 2, 2]
    weights = np.array([1.0, 2, 3, 1, 3, 2, 2])
    content = content_of(NET, y=y, scores={"net": decisions_as(y, chosen)}, weights=weights)
    found = Confusions.of(content.models[0], np.array(chosen))
    assert found.counts.tolist() == [[1, 1, 1], [1, 1, 0], [0, 0, 2]]
    assert found.rates == pytest.approx(
        np.array([[1 / 6, 2 / 6, 3 / 6], [3 / 4, 1 / 4, 0], [0, 0, 1]])
    )
    assert found.n_errors == 3 and found.worst() == (1, 0)
    none = Confusions.of(content.models[0], np.array(y))
    assert none.n_errors == 0


def test_of_equal_error_rates_that_of_most_cases_is_told() -> None:
    counts = np.array([[1, 1, 0], [0, 2, 4], [1, 0, 2]])
    rates = np.array([[0.5, 0.5, 0], [0, 0.5, 0.5 - 1e-14], [0.4, 0, 0.6]])
    assert Confusions(rates, counts).worst() == (1, 2)
    rates[1, 2] = 0.4999
    assert Confusions(rates, counts).worst() == (0, 1)
    same = np.array([[1, 2, 0], [0, 2, 2], [1, 0, 2]])
    assert Confusions(np.array([[0.5, 0.5, 0], [0, 0.5, 0.5], [0, 0, 1]]), same).worst() == (0, 1)


def test_pairs_without_overlap_are_found_within_folds() -> None:
    rng = np.random.default_rng(1)
    y, folds = np.array([0, 1, 2] * 8), np.arange(24) // 12
    for strength in (0.0, 0.5, 0.9):
        scores = rng.random((24, 3)) + strength * np.eye(3)[y] + folds[:, None]
        for given in (None, folds):
            predictions = Predictions(y, scores, folds=given)
            found = perfect_pairs(SimpleNamespace(predictions=predictions))
            for k in range(3):
                for r in range(3):
                    beats = all(
                        scores[i, k] > scores[j, k]
                        for i in range(24)
                        for j in range(24)
                        if y[i] == k and y[j] == r and (given is None or folds[i] == folds[j])
                    )
                    assert found[k, r] == (beats and k != r)


def test_errors_of_means_are_those_of_loops() -> None:
    rng = np.random.default_rng(2)
    values, weights, groups = rng.random(12), rng.integers(1, 4, 12) / 2, np.arange(12) // 5
    total = weights.sum()
    mean = sum(v * w for v, w in zip(values, weights, strict=True)) / total
    alone = math.sqrt(sum((w * (v - mean)) ** 2 for v, w in zip(values, weights, strict=True)))
    assert mean_with_error(values, weights) == pytest.approx((mean, alone / total))
    sums = [sum(weights[groups == g] * (values[groups == g] - mean)) for g in range(3)]
    together = math.sqrt(sum(each**2 for each in sums))
    assert mean_with_error(values, weights, groups) == pytest.approx((mean, together / total))
    spread = sum(w * w * p * (1 - p) for p, w in zip(values, weights, strict=True))
    assert error_if_calibrated(values, weights) == pytest.approx(math.sqrt(spread) / total)
    assert error_if_calibrated(np.array([1 + 1e-9, -1e-9]), np.ones(2)) == 0


def test_the_most_frequent_confusion_is_told_with_its_cases() -> None:
    y, chosen = [0] * 4 + [1] * 5 + [2] * 3, [0, 0, 1, 2, 1, 1, 1, 2, 2, 2, 2, 2]
    scores = {"net": decisions_as(y, chosen)}
    content = content_of(NET, y=y, scores=scores)
    (found,) = _on_classes.confusions(content)
    assert found == Finding(
        "confusion",
        "fact",
        f"net classifies 40{NBSP}% of b as c",
        f"If every error costs the same, 40{NBSP}% of b are classified as c, 2 of 5 cases: no "
        "error rate between two classes is higher.",
    )
    weights = np.array([1.0, 1, 6, 1, *[1] * 8])
    (found,) = _on_classes.confusions(content_of(NET, y=y, scores=scores, weights=weights))
    assert f"67{NBSP}% of a are classified as b, by weight, 1 of 4 cases: no" in found.text
    sample = replace(content, cases=replace(content.cases, n_cases=1300))
    (found,) = _on_classes.confusions(sample)
    assert found.text.endswith("is higher among all 1,300 cases.")
    (found,) = _on_classes.confusions(replace(sample, holds_cases=False))
    assert found.text.endswith("two classes is higher.")
    (found,) = _on_classes.confusions(content_of(NET, y=y, scores={"net": decisions_as(y, y)}))
    assert found == Finding(
        "no-errors",
        "fact",
        "net classifies every case correctly",
        "If every error costs the same, all 12 cases are classified correctly.",
    )
    none = content_of(NET, of_models={"net": {"probabilities": None}})
    assert list(_on_classes.confusions(none)) == []


def sized(*sizes: int, **more):
    """Classes of these sizes."""
    y = [k for k, size in enumerate(sizes) for _ in range(size)]
    return content_of(NET, y=y, n_classes=len(sizes), **more)


def test_rare_classes_have_less_than_a_tenth_of_the_cases() -> None:
    assert list(_on_classes.rare_classes(sized(4, 4, 32))) == []  # a tenth
    (found,) = _on_classes.rare_classes(sized(3, 4, 34))
    assert found == Finding(
        "rare-class",
        "notice",
        "a, b: a small share of the cases",
        f"Of 41 cases, a has 3 (7.3{NBSP}%), b has 4 (9.8{NBSP}%). Metrics weighted by prevalence "
        "(AUNP, AU1P) are barely affected by such a class; M, AUNU, AUC_μ and PDI count it as much "
        "as any other.",
    )
    (found,) = _on_classes.rare_classes(sized(30, 3))
    assert found.text == (
        f"Of 33 cases, b has 3 (9.1{NBSP}%). AUC counts both classes equally; accuracy is barely "
        "affected by the smaller one."
    )
    weights = [20.0] * 10 + [1.0] * 20
    (found,) = _on_classes.rare_classes(sized(10, 10, 10, weights=weights))
    assert f"Of 30 cases, b has 10 (4.5{NBSP}% by weight), c has 10 (4.5{NBSP}% by " in found.text


def test_of_more_than_four_classes_rare_ones_have_half_of_the_mean_share() -> None:
    assert list(_on_classes.rare_classes(sized(9, 30, 30, 31))) != []  # 9 % of four
    assert list(_on_classes.rare_classes(sized(10, 22, 22, 22, 24))) == []  # a tenth of five
    (found,) = _on_classes.rare_classes(sized(24, 9, 22, 22, 22))
    assert found.title == "b: a small share of the cases"
    (found,) = _on_classes.rare_classes(sized(2, 3, 1, 2, 50, 50, 50))
    assert found.title == "c, a, d and 1 more class: a small share of the cases"
    assert "more class" not in found.text
    (found,) = _on_classes.rare_classes(sized(2, 2, 2, 2, 2, 2, 99, 99))
    assert f"e has 2 (1.0{NBSP}%); 1 more class with less than half of the mean" in found.text
    assert found.title == "a, b, c and 3 more classes: a small share of the cases"


def test_classes_of_fewer_than_thirty_cases() -> None:
    assert list(_on_classes.few_cases(sized(30, 30, 31))) == []
    (found,) = _on_classes.few_cases(sized(30, 29, 1))
    assert found == Finding(
        "few-cases",
        "warning",
        "c, b: few cases",
        f"Of 60 cases, c has 1 (1.7{NBSP}%), b has 29 (48.3{NBSP}%). Values that depend on so few "
        "cases are uncertain: read the intervals, not the third digit.",
    )
    (found,) = _on_classes.few_cases(sized(2, 2, 2, 2, 2, 2))
    assert f"e has 2 (16.7{NBSP}%); 1 more class with fewer than 30 cases. " in found.text
    (found,) = _on_classes.few_cases(sized(2, 2, 2, 2, 2))
    assert "more class" not in found.text
    assert found.title == "a, b, c and 2 more classes: few cases"


def sure_of(highest: float, n_right: int, n_cases: int, **more):
    """Two classes; the class chosen has always the same probability."""
    y = [k % 2 for k in range(n_cases)]
    chosen = np.array([k if i < n_right else 1 - k for i, k in enumerate(y)])
    p = np.full((n_cases, 2), 1 - highest)
    p[np.arange(n_cases), chosen] = highest
    return content_of(NET, y=y, n_classes=2, scores={"net": p}, **more)


@pytest.mark.parametrize(
    ("n_right", "n_cases", "code"),
    [
        (8199, 10_000, None),  # a difference of less than 0.02
        (8201, 10_000, "underconfident"),
        (7801, 10_000, None),
        (7799, 10_000, "overconfident"),
        (763, 1000, None),  # of less than three standard errors, 0.4/√1000 and more
        (759, 1000, "overconfident"),
        (837, 1000, None),  # of which that of calibrated probabilities is the larger one
        (839, 1000, "underconfident"),
        (30, 30, None),  # all alike
        (40, 40, "underconfident"),
    ],
)
def test_confidence_is_told_where_it_is_off_by_more_than_chance(n_right, n_cases, code) -> None:
    found = list(_on_classes.calibration(sure_of(0.8, n_right, n_cases)))
    right = f"{100 * n_right / n_cases:.0f}{NBSP}%"
    text = (
        f"The most probable class has a probability of 80{NBSP}% on average, and is the true class "
        f"in {right} of cases. Costs and thresholds set on these probabilities will mislead: "
        "calibrate them first."
    )
    assert found == ([Finding(code, "warning", f"net is {code}", text)] if code else [])


def test_confidence_counts_weights_and_groups() -> None:
    plain = sure_of(0.8, 700, 1000)
    (found,) = _on_classes.calibration(plain)
    assert found.code == "overconfident"
    grouped = replace(plain, groups=np.arange(1000) // 100)  # seven groups are right, three wrong
    assert list(_on_classes.calibration(grouped)) == []
    weights = [1.0] * 700 + [9.0] * 300
    (found,) = _on_classes.calibration(sure_of(0.8, 700, 1000, weights=weights))
    assert f"true class in 21{NBSP}% of cases by weight. " in found.text
    for more in ({"fault": "rows sum to 2"}, {"probabilities": None}):
        content = replace(plain, models=(replace(plain.models[0], **more),))
        assert list(_on_classes.calibration(content)) == []
        assert list(_on_classes.class_shares(content)) == []


@pytest.mark.parametrize(
    ("p", "n_cases", "word"),
    [
        (0.2199, 10_000, None),
        (0.2201, 10_000, "high"),
        (0.1801, 10_000, None),
        (0.1799, 10_000, "low"),
        (0.237, 1000, None),
        (0.243, 1000, "high"),
    ],
)
def test_shares_are_told_where_they_are_off_by_more_than_chance(p, n_cases, word) -> None:
    """The second of two classes has a share of 20 %."""
    y = [int(i % 5 == 0) for i in range(n_cases)]
    table = np.tile([1 - p, p], (n_cases, 1))
    found = list(_on_classes.class_shares(content_of(NET, y=y, n_classes=2, scores={"net": table})))
    title = f"net: probabilities of b too {word} on average"
    text = (
        f"The mean probability of b is {100 * p:.1f}{NBSP}%, while 20.0{NBSP}% of the cases belong "
        "to it."
    )
    assert found == ([Finding("class-shares", "notice", title, text)] if word else [])


def test_of_three_classes_the_share_that_is_most_off_is_told() -> None:
    y = [0, 0, 1, 2, 2] * 200
    table = np.tile([0.35, 0.25, 0.4], (1000, 1))
    (found,) = _on_classes.class_shares(content_of(NET, y=y, scores={"net": table}))
    assert found.title == "net: probabilities of a too low on average"
    assert f"of a is 35.0{NBSP}%, while 40.0{NBSP}% of the cases belong" in found.text
    weights = np.where(np.array(y) == 2, 3.0, 1.0)
    content = content_of(NET, y=y, scores={"net": table}, weights=weights)
    (found,) = _on_classes.class_shares(content)
    assert f"of c is 40.0{NBSP}%, while 66.7{NBSP}% of the cases by weight belong" in found.text
    assert list(_on_classes.class_shares(replace(content, groups=np.array(y)))) == []


def test_groups_of_cases() -> None:
    told = (
        "The 30 cases belong to {} groups. Every interval and test on this page treats groups, not "
        "cases, as independent."
    )
    content = content_of(NET)
    assert list(_on_cases.groups(content)) == []
    (many,) = _on_cases.groups(replace(content, groups=np.arange(30) // 3))
    assert many == Finding("grouped-cases", "fact", "Cases belong to groups", told.format(10))
    (few,) = _on_cases.groups(replace(content, groups=np.arange(30) % 9))
    text = f"{told.format(9)} With so few groups they are unreliable."
    assert few == Finding("few-groups", "warning", "Few groups", text)


def test_weights_of_cases() -> None:
    assert list(_on_cases.weights(content_of(NET))) == []
    weights = np.linspace(0.5, 2, 30)
    (found,) = _on_cases.weights(content_of(NET, weights=weights))
    assert found == Finding(
        "weighted-cases",
        "fact",
        "Cases are weighted",
        "Metrics, rates and shares count each case by its weight; the largest weight is 4 times "
        "the smallest. Numbers of cases are plain counts.",
    )
    weights[:2] = 0
    (found,) = _on_cases.weights(content_of(NET, weights=weights, y=(0, 1, 2) * 10))
    assert found.text.endswith("plain counts. 2 cases of weight 0 left out.")


def test_notes_of_folds_and_rows() -> None:
    notes = [
        Note("cases-pooled", "all cases pooled would give 0.9"),
        Note("rows-by-position", "rows were matched"),
        Note("rows-by-position", "rows were matched"),
        Note("other", "nothing"),
    ]
    content = content_of({"net": valued(0.8, notes=notes), "old": valued(0.7)})
    assert list(_on_cases.by_position(content)) == [
        Finding(
            "rows-by-position", "warning", "net: rows matched by position", "Rows were matched."
        )
    ]
    assert list(_on_cases.folds(content)) == []
    y = [0, 1, 2] * 10
    folded = Predictions(y, scores_of(y, 3), folds=np.arange(30) // 15)
    models = (replace(content.models[0], predictions=folded), content.models[1])
    first, second = _on_cases.folds(replace(content, models=models))
    assert (first.code, first.severity) == ("mean-over-folds", "fact")
    assert first.text.startswith("The cases were held out in 2 folds of a cross-validation. ")
    assert second == Finding(
        "cases-pooled",
        "warning",
        "net: folds are on different scales",
        "All cases pooled would give 0.9.",
    )


def test_a_page_with_some_of_the_cases() -> None:
    content = content_of(NET)
    assert list(_on_cases.sampled(content)) == []
    part = replace(content, cases=replace(content.cases, n_cases=2000))
    (found,) = _on_cases.sampled(part)
    assert found == Finding(
        "sample-in-page",
        "fact",
        "The explorer shows a sample of the cases",
        "All numbers outside the explorer are computed from all 2,000 cases. The page itself "
        "contains 30 of them, drawn at random within each class, so that it stays small; "
        "decisions, their costs and the points that mark them on ROC curves are of these.",
    )
    assert list(_on_cases.sampled(replace(part, holds_cases=False))) == []
    (found,) = _on_cases.sampled(replace(part, surfaces={"net": None}))
    assert found.text.startswith("All numbers outside the explorer and the ROC surface are ")
    two = content_of(NET, y=[0, 1] * 9, n_classes=2, surfaces={"net": None})
    (found,) = _on_cases.sampled(replace(two, cases=replace(two.cases, n_cases=99)))
    assert " and the ROC curve of all costs are computed from all 99 cases." in found.text


def many_classes(weights=None, n_classes: int = 13, **more):
    """Two models of thirteen classes, and a page that holds half of the cases."""
    y = list(range(n_classes)) * 4 + [0, 0, 1]
    values = {"one": valued(0.8, 0.7, 0.9), "two": valued(0.7, 0.6, 0.8)}
    scores = {name: scores_of(y, n_classes, seed, 1.5) for seed, name in enumerate(values)}
    content = content_of(values, y=y, n_classes=n_classes, scores=scores, weights=weights)
    cases = replace(content.cases, n_cases=len(y) + 1)
    return replace(content, cases=cases, **more), y, scores


def test_all_cases_are_counted_where_classes_are_many_and_cells_are_few(monkeypatch) -> None:
    content, y, _ = many_classes()
    assert counts_all(content)
    (found,) = _on_cases.sampled(content)
    assert found.text.endswith("are of these, unless every error costs the same.")
    assert not counts_all(many_classes(n_classes=12)[0])
    assert all_cases_data(many_classes(n_classes=12)[0]) is None
    assert not counts_all(replace(content, holds_cases=False))
    assert not counts_all(replace(content, groups=np.arange(len(y))))
    assert not counts_all(replace(content, cases=replace(content.cases, n_cases=len(y))))
    for most, fits in ((2 * (len(y) + 1), True), (2 * (len(y) + 1) - 1, False)):
        monkeypatch.setattr(_all_cases, "MOST_CELLS", most)
        assert counts_all(content) == fits
    large = replace(content, cases=replace(content.cases, n_cases=9999))
    for most, fits in ((2 * 13**2, True), (2 * 13**2 - 1, False)):  # no more cells than pairs
        monkeypatch.setattr(_all_cases, "MOST_CELLS", most)
        assert counts_all(large) == fits


def unpacked(each: dict[str, str]) -> list[float]:
    kind = {"Uint8": "u1", "Uint16": "<u2", "Uint32": "<u4", "Float32": "<f4", "Float64": "<f8"}
    raw = base64.b64decode(each["data"])
    return np.frombuffer(raw, kind[each["type"].removesuffix("Array")]).tolist()


@pytest.mark.parametrize("weighted", [False, True])
def test_decisions_for_all_cases_are_those_of_loops(weighted) -> None:
    n = 13 * 4 + 3
    weights = np.random.default_rng(3).integers(1, 5, n) / 2 if weighted else None
    content, y, scores = many_classes(weights)
    ones = [1.0] * n if weights is None else weights.tolist()
    data = all_cases_data(content)
    chosen = {
        name: [max(range(13), key=row.__getitem__) for row in table.tolist()]
        for name, table in scores.items()
    }
    assert {name: each.tolist() for name, each in most_probable(content).items()} == chosen
    sums = [sum(w for w, k in zip(ones, y, strict=True) if k == c) for c in range(13)]
    squares = [sum(w * w for w, k in zip(ones, y, strict=True) if k == c) for c in range(13)]
    assert unpacked(data["weights"]) == pytest.approx(sums)
    rested = [a * a / b for a, b in zip(sums, squares, strict=True)]
    assert unpacked(data["counts"]) == pytest.approx(rested)
    total = sum(ones)
    for found, (name, decisions) in zip(data["models"], chosen.items(), strict=True):
        cells: dict[int, list[float]] = {}
        for w, k, d in zip(ones, y, decisions, strict=True):
            cells.setdefault(13 * k + d, []).append(w)
        places = np.cumsum(unpacked(found["steps"])).tolist()
        assert places == sorted(cells)
        assert unpacked(found["counts"]) == [len(cells[place]) for place in places]
        if weighted:
            assert unpacked(found["sums"]) == pytest.approx([sum(cells[p]) for p in places])
        else:
            assert found["sums"] is None
        wrong = [k != d for k, d in zip(y, decisions, strict=True)]
        promised = [sum(row) - row[d] for row, d in zip(scores[name], decisions, strict=True)]
        paid = sum(w * each for w, each in zip(ones, wrong, strict=True)) / total
        assert found["observed"] == pytest.approx(paid)
        expected = sum(w * each for w, each in zip(ones, promised, strict=True)) / total
        assert found["expected"] == pytest.approx(expected)
        assert found["error"] > 0


def difference_by_loops(y, one, other, weights) -> tuple[float, float, float]:
    """Mean cost of one less that of another; errors within classes, Satterthwaite's freedom."""
    total, parts = sum(weights), []
    apart = [(a != k) - (b != k) for a, b, k in zip(one, other, y, strict=True)]
    value = sum(w * each for w, each in zip(weights, apart, strict=True)) / total
    for c in sorted(set(y)):
        own = [(w / total, each) for w, each, k in zip(weights, apart, y, strict=True) if k == c]
        mean = sum(w * each for w, each in own) / sum(w for w, _ in own)
        m = len(own)
        parts.append((sum((w * (each - mean)) ** 2 for w, each in own) * m / (m - 1), m - 1))
    variance = sum(part for part, _ in parts)
    return value, math.sqrt(variance), variance**2 / sum(part**2 / m for part, m in parts)


@pytest.mark.parametrize("weighted", [False, True])
def test_differences_for_all_cases_have_errors_within_classes(weighted) -> None:
    n = 13 * 4 + 3
    weights = np.random.default_rng(4).integers(1, 5, n) / 2 if weighted else None
    content, y, _ = many_classes(weights)
    ones = [1.0] * n if weights is None else weights.tolist()
    one, other = (each.tolist() for each in most_probable(content).values())
    table = all_cases_data(content)["differences"]
    for k, r, given in ((0, 1, (one, other)), (1, 0, (other, one))):
        value, error, freedom = difference_by_loops(y, *given, ones)
        assert table[k][r] == pytest.approx({"value": value, "error": error, "freedom": freedom})
    assert table[0][0] == table[1][1] == {"value": 0.0, "error": 0.0, "freedom": None}


def test_differences_of_classes_of_one_case_have_no_error() -> None:
    y = [*range(13), *range(12)]
    values = {"one": valued(0.8), "two": valued(0.7)}
    content = content_of(values, y=y, n_classes=13)
    content = replace(content, cases=replace(content.cases, n_cases=99))
    data = all_cases_data(content)
    assert data["differences"][0][1]["error"] is None
    assert data["differences"][0][1]["freedom"] is None
    both = content_of(values, y=[*range(13)] * 2, n_classes=13)
    both = replace(both, cases=replace(both.cases, n_cases=99))
    assert all_cases_data(both)["differences"][0][1]["error"] is not None


@pytest.mark.parametrize(("n_cases", "fits"), [(250_000, True), (250_001, False)])
def test_half_a_million_cells_of_all_models_may_be_in_a_page(n_cases, fits) -> None:
    cases = SimpleNamespace(sampled=True, n_cases=n_cases, scores={"a": None, "b": None})
    known = {"cases": cases, "holds_cases": True, "groups": None}
    assert counts_all(SimpleNamespace(classes=range(800), **known)) == fits
    assert counts_all(SimpleNamespace(classes=range(500), **known))  # 2 · 500² cells at most
