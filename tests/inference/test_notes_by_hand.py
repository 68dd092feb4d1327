"""Notes with their numbers at the borders, and the cells whose intervals are known to miss."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from polyroc import Predictions, evaluate, registry
from polyroc.errors import InvalidInput
from polyroc.inference import _coverage, _notes
from polyroc.inference._coverage import Missed, coverage_note
from polyroc.inference._folds import (
    Pooled,
    check_every_class,
    check_strata,
    designs_of_folds,
    folds_note,
    measured,
    name_of,
    stratum_factor,
)
from polyroc.inference._influence import CaseDesign
from polyroc.inference._notes import (
    class_notes,
    design_notes,
    fault_note,
    notes_on,
    prior_notes,
    share_of_ties,
)
from polyroc.metrics.declaration import Metric
from polyroc.metrics.folds import FoldStatistics, statistics_of
from polyroc.results import Effective, Estimate
from polyroc.statistics.pairs import Pairs
from polyroc.statistics.statistic import Need


def cases(sizes: list[int], seed: int = 1, **given: object) -> Predictions:
    y = np.repeat(np.arange(len(sizes)), sizes)
    scores = np.random.default_rng(seed).normal(size=(len(y), len(sizes)))
    return Predictions(y, scores + np.eye(len(sizes))[y], **given)


def texts(notes: object) -> dict[str, str]:
    return {note.code: note.text for note in notes}  # type: ignore[attr-defined]


def test_small_classes_are_named_the_smallest_first() -> None:
    """Eight of them, and how many more there are."""
    (note,) = class_notes(cases([12, 9, 3, 10, 5]))
    assert note == ("small-class", "fewer than 10 cases: 2 (3), 4 (5), 1 (9)")
    assert class_notes(cases([10, 11])) == []
    eight = [9, 8, 7, 6, 5, 4, 3, 2]
    named = "7 (2), 6 (3), 5 (4), 4 (5), 3 (6), 2 (7), 1 (8), 0 (9)"
    for more, told in (([], ""), ([9], " and 1 more class"), ([9, 9], " and 2 more classes")):
        (note,) = class_notes(cases([*eight, *more, 20]))
        expected = f"fewer than 10 cases: {named}{told}"
        assert note.text == expected, more


def test_few_groups_and_rows_by_position() -> None:
    assert design_notes(CaseDesign()) == ()
    assert design_notes(CaseDesign(n_groups=10)) == ()
    (few,) = design_notes(CaseDesign(n_groups=9))
    assert few == ("few-groups", "9 groups: standard errors from fewer than 10 are rough")
    both = design_notes(CaseDesign(n_groups=2, by_position=("groups", "sex")))
    assert texts(both)["rows-by-position"] == (
        "rows of groups and sex taken by position: indexes differ"
    )
    assert [note.code for note in both] == ["few-groups", "rows-by-position"]


def test_what_is_assumed_about_priors() -> None:
    aunp, hand_till = registry["aunp"], registry["hand_till"]
    assert prior_notes(hand_till, "random", given=True) == []
    for sampling, given, code in (
        ("random", False, "priors-sampled"),
        ("stratified", False, "priors-fixed"),
        ("random", True, "priors-given"),
        ("stratified", True, "priors-given"),
    ):
        (note,) = prior_notes(aunp, sampling, given)
        assert note.code == code


def test_unions_of_few_cases_are_optimistic(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of three classes, where one of them has fewer than 300 cases."""
    told = "optimistic with fewer than 300 cases in a class: a union over many operating points"
    gini = registry["gini"]
    few = statistics_of(cases([12, 11, 13]))
    assert texts(notes_on(few, gini, "stratified", False))["union-of-points"] == told
    two = statistics_of(cases([12, 11]))
    assert "union-of-points" not in texts(notes_on(two, gini, "stratified", False))
    hand_till = texts(notes_on(few, registry["hand_till"], "stratified", False))
    assert "union-of-points" not in hand_till
    monkeypatch.setattr(_notes, "FEW_FOR_UNION", 11)
    assert "union-of-points" not in texts(notes_on(few, gini, "stratified", False))
    monkeypatch.setattr(_notes, "FEW_FOR_UNION", 12)
    told = texts(notes_on(few, gini, "stratified", False))["union-of-points"]
    assert "fewer than 12 cases" in told


def test_shares_of_tied_pairs_are_weighted() -> None:
    """By the weights of the two cases of a pair, over all pairs that are compared."""
    y = np.array([0, 0, 1, 1, 2, 2, 2])
    rng = np.random.default_rng(0)
    p = rng.integers(0, 3, size=(7, 3)).astype(float)
    w = np.array([1.0, 2, 3, 1, 2, 1, 4])
    given = Predictions(y, p, sample_weight=w)
    tied = pairs = 0.0
    for k in range(3):
        for i in np.flatnonzero(y == k):
            for j in np.flatnonzero(y != k):
                pairs += w[i] * w[j]
                tied += w[i] * w[j] * (p[i, k] == p[j, k])
    share = share_of_ties(statistics_of(given), registry["hand_till"], Need(Pairs))
    assert share == pytest.approx(tied / pairs)
    notes = notes_on(statistics_of(given), registry["hand_till"], "stratified", False)
    assert texts(notes)["tied-scores"] == f"{100 * tied / pairs:.1f} % of pairs are tied"


def test_ties_of_tuples_are_told_of_all_tuples_only() -> None:
    y = np.repeat([0, 1, 2], 12)
    p = np.random.default_rng(1).integers(0, 3, size=(36, 3)).astype(float)
    statistics = statistics_of(Predictions(y, p))
    hum = registry["hum"]
    assert "ties-matter" in texts(notes_on(statistics, hum, "stratified", False))
    assert "ties-matter" not in texts(notes_on(statistics, hum, "stratified", False, exact=False))
    assert "tied-scores" not in texts(notes_on(statistics, hum, "stratified", False))


ESTIMATE = Estimate("m", 0.8, 0.02, "influence", effective=Effective(50.0, 20.0))
CELL = Missed("m", 3, 20, 0.8, 91.4)


def resembles(cell: Missed, sizes: list[int], groups: int | None = None, **changed: float) -> bool:
    given = cases(sizes)
    design = CaseDesign(n_groups=groups)
    estimate = Estimate("m", **{"value": 0.8, "standard_error": 0.02, "method": "x", **changed})  # type: ignore[arg-type]
    return cell.resembles(estimate, given, design)


def test_numbers_of_classes_that_resemble_each_other() -> None:
    """Two or three are compared one by one, more within a factor of two."""
    three, four, six = CELL, CELL._replace(n_classes=4), CELL._replace(n_classes=6)
    two = CELL._replace(n_classes=2)
    assert resembles(three, [20] * 3) and not resembles(three, [20] * 2)
    assert resembles(two, [20] * 2) and not resembles(two, [20] * 3)
    assert resembles(three, [20] * 4) and resembles(three, [20] * 6)
    assert not resembles(three, [20] * 7)
    assert resembles(four, [20] * 2) and resembles(four, [20] * 8) and not resembles(four, [20] * 9)
    assert resembles(six, [20] * 3) and not resembles(six, [20] * 2)


def test_smallest_classes_groups_and_values_that_resemble_each_other() -> None:
    assert resembles(CELL, [10, 30, 30]) and not resembles(CELL, [9, 30, 30])
    assert resembles(CELL, [40, 70, 40]) and not resembles(CELL, [41, 70, 70])
    grouped = CELL._replace(groups=12)
    assert not resembles(grouped, [20] * 3) and not resembles(CELL, [20] * 3, groups=12)
    for n_groups, alike in ((6, True), (5, False), (24, True), (25, False)):
        assert resembles(grouped, [20] * 3, groups=n_groups) == alike
    for value, alike in ((0.86, True), (0.861, False), (0.74, True), (0.739, False)):
        near = value + (1e-9 if value < 0.8 else -1e-9)
        assert resembles(CELL, [20] * 3, value=near) == alike, value
    assert not resembles(CELL, [20] * 3, value=0.8 + 1e-9, standard_error=0.0)
    assert resembles(CELL, [20] * 3, value=0.8, standard_error=0.0)


def test_ratings_of_few_levels() -> None:
    """Where the cell has ratings, the result has at most twice as many different ones."""
    y = np.arange(60) % 3
    rated = Predictions(y, np.column_stack([np.arange(60) % 10, np.arange(60), np.arange(60)]))
    for levels, alike in ((5, True), (4, False), (None, True)):
        cell = CELL._replace(levels=levels)
        assert cell.resembles(ESTIMATE, rated, CaseDesign()) == alike


def test_the_worst_of_several_cells_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Furthest from 95 %, on either side, and with what was few there."""
    given = cases([20] * 3)

    def told(
        *cells: Missed, estimate: Estimate = ESTIMATE, design: CaseDesign | None = None
    ) -> str:
        monkeypatch.setattr(_coverage, "missed_cells", lambda: cells)
        notes = coverage_note(estimate, given, design or CaseDesign())
        assert len(notes) <= 1 and all(note.code == "coverage" for note in notes)
        return notes[0].text if notes else ""

    start = "95 % intervals of this metric covered "
    end = " % instead of 95 % in simulations with "
    assert told(CELL) == f"{start}91{end}a class this small"
    assert told(CELL, CELL._replace(coverage=99.2)) == f"{start}99{end}a class this small"
    further = CELL._replace(coverage=90.6)
    assert told(CELL._replace(coverage=99.2), further).startswith(f"{start}91 ")
    assert told(CELL, CELL._replace(metric="n", coverage=50.0)).startswith(f"{start}91 ")
    grouped = CELL._replace(groups=12)
    few = CaseDesign(n_groups=12)
    assert told(grouped, design=few) == f"{start}91{end}so few groups"
    rated = grouped._replace(levels=1000)
    assert told(rated, design=few) == f"{start}91{end}so few different ratings"
    assert told() == ""
    without = Estimate("m", 0.8, 0.02, "influence")
    assert told(CELL, estimate=without) == ""
    unknown = Estimate("m", 0.8, math.nan, "influence", effective=Effective(50.0, 20.0))
    assert told(CELL, estimate=unknown) == ""
    folded = cases([20] * 3, folds=np.arange(60) % 2)
    assert coverage_note(ESTIMATE, folded, CaseDesign()) == ()


def test_the_cells_are_read_once() -> None:
    assert _coverage.missed_cells() is _coverage.missed_cells()
    assert all(isinstance(cell, Missed) for cell in _coverage.missed_cells())


FOLDS = np.array([0, 0, 0, 0, 1, 1, 1, 0, 0, 1, 1, 1])
"""Of seven cases of the first class and five of the second."""


def test_the_factor_of_strata() -> None:
    """√(m_kv/(m_kv − 1) · (m_k − 1)/m_k), m being cases, or groups."""
    given = cases([7, 5], folds=FOLDS)
    statistics = statistics_of(given)
    assert isinstance(statistics, FoldStatistics)
    found = stratum_factor(statistics, CaseDesign())
    inside = {(0, 0): 4, (0, 1): 3, (1, 0): 2, (1, 1): 3}
    for i in range(12):
        k, v = int(i >= 7), int(FOLDS[i])
        m, m_k = inside[k, v], (7, 5)[k]
        assert found[i] == pytest.approx(math.sqrt(m / (m - 1) * (m_k - 1) / m_k))
    groups = np.array([0, 0, 1, 2, 3, 4, 4, 5, 6, 7, 7, 8])
    design = CaseDesign.of(groups, given)
    grouped = stratum_factor(statistics, design)
    units = {(0, 0): 3, (0, 1): 2, (1, 0): 2, (1, 1): 2}
    for i in range(12):
        k, v = int(i >= 7), int(FOLDS[i])
        m, m_k = units[k, v], (5, 4)[k]
        assert grouped[i] == pytest.approx(math.sqrt(m / (m - 1) * (m_k - 1) / m_k))
    asked = [(registry["roc_auc"], {}), (registry["pdi"], {})]
    plain, scaled = statistics.measure(asked), measured(statistics, asked, design)
    for one, other in zip(plain, scaled, strict=True):
        assert one.influence is not None and other.influence is not None
        np.testing.assert_allclose(other.influence.cases, one.influence.cases * grouped)
    without = measured(statistics, asked, design, with_influence=False)
    assert [each.influence for each in without] == [None, None]
    assert [each.value for each in without] == [each.value for each in plain]


def test_strata_of_one_case_are_refused() -> None:
    """Not those of none, nor of two."""
    check_strata(np.array([2.0, 0.0, 3.0]), "x", ["a", "b", "c"], grouped=False)
    with pytest.raises(InvalidInput, match=r"Fold 'x' has one case of the class 'c', which"):
        check_strata(np.array([2.0, 0.0, 1.0]), "x", ["a", "b", "c"], grouped=False)
    with pytest.raises(InvalidInput, match=r"Fold 3 has one group of the class 'a', which"):
        check_strata(np.array([1.0, 1.0]), 3, ["a", "b"], grouped=True)


def test_designs_of_folds_that_are_resampled_one_by_one() -> None:
    given = cases([7, 5], folds=FOLDS)
    parts = [given.part(rows) for rows in given.fold_rows]
    groups = np.array([5, 5, 1, 2, 3, 4, 4, 5, 6, 7, 7, 8])
    designs = designs_of_folds(given, parts, CaseDesign.of(groups, given))
    assert [each.n_groups for each in designs] == [4, 4]
    assert designs[0].groups is not None
    assert designs[0].groups.tolist() == [2, 2, 0, 1, 2, 3]
    spanning = CaseDesign.of(np.where(np.arange(12) == 6, 5, groups), given)
    with pytest.raises(InvalidInput, match="A group has cases in several folds"):
        designs_of_folds(given, parts, spanning)
    one = CaseDesign.of(np.array([0, 1, 1, 2, 3, 4, 4, 5, 5, 7, 7, 8]), given)
    with pytest.raises(InvalidInput, match="Fold 0 has one group of the class 1"):
        designs_of_folds(given, parts, one)
    lacking = Predictions(given.codes, given.scores, folds=[0] * 7 + [1] * 5, absent="skip")
    with pytest.raises(InvalidInput, match="A fold lacks a class"):
        check_every_class(lacking, [lacking.part(rows) for rows in lacking.fold_rows])
    check_every_class(given, parts)


def test_names_and_numbers_of_folds() -> None:
    assert name_of((2, "b")) == "2 b" and name_of(3) == "3" and name_of("x") == "x"
    plain = cases([8, 8])
    assert folds_note(plain, 2, grouped=False) == ()
    folded = cases([8, 8], folds=np.arange(16) % 4)
    assert folds_note(folded, 4, grouped=False) == (("mean-over-folds", "mean over 4 folds"),)
    assert folds_note(folded, 1, grouped=False) == (("mean-over-folds", "mean over 1 fold"),)
    assert folds_note(folded, 0, grouped=False) == (("mean-over-folds", "mean over 0 folds"),)
    repeated = cases([8, 8], folds=[(i // 4 % 2, i % 4) for i in range(16)])
    note, warning = folds_note(repeated, 4, grouped=False)
    assert note.text == "mean over 4 folds of 2 repeats"
    assert warning.code == "repeats-without-groups"
    assert warning.text.startswith("rows of all repeats are taken as different cases, ")
    assert folds_note(repeated, 4, grouped=True) == (note,)
    once = cases([8, 8], folds=[(0, i % 4) for i in range(16)])
    assert folds_note(once, 4, grouped=False) == (("mean-over-folds", "mean over 4 folds"),)


def test_the_smallest_class_of_a_fold() -> None:
    """Told below four cases: the first fold that has the fewest, and its smallest class."""
    sizes = [12, 8]
    for folds, told in (
        (np.concatenate([np.arange(12) % 2, np.arange(8) % 2]), None),
        (np.concatenate([np.arange(12) % 2, [0] * 5 + [1] * 3]), "3 cases of 1 in fold 1"),
        (np.concatenate([[0] * 2 + [1] * 10, np.arange(8) % 2]), "2 cases of 0 in fold 0"),
    ):
        given = cases(sizes, folds=folds)
        notes = texts(evaluate(given, metrics=["roc_auc"])["roc_auc"].notes)
        expected = None if told is None else f"{told}: intervals may be short"
        assert notes.get("small-class-in-fold") == expected
    alone = np.concatenate([np.arange(12) % 2, [0] * 7 + [1]])
    found = evaluate(cases(sizes, folds=alone), metrics=["roc_auc"], interval=None)["roc_auc"]
    assert texts(found.notes)["small-class-in-fold"] == (
        "1 case of 1 in fold 1: intervals may be short"
    )


def test_folds_that_lack_a_class_are_told() -> None:
    """The first of them by name, how many more, and what is left out of a metric."""
    y = np.tile([0, 1, 2], 16)
    folds = np.repeat([0, 1, 2, 3], 12)
    for without, more in (
        ([1], ""),
        ([1, 2], " and 1 more fold"),
        ([1, 2, 3], " and 2 more folds"),
    ):
        kept = ~(np.isin(folds, without) & (y == 2))
        scores = np.random.default_rng(1).normal(size=(48, 3)) + np.eye(3)[y]
        given = Predictions(y[kept], scores[kept], folds=folds[kept], absent="skip")
        found = evaluate(given, metrics=["hand_till", "pdi"])
        for name, what in (("hand_till", "pairs of classes"), ("pdi", "folds")):
            assert texts(found[name].notes)["class-missing-in-fold"] == (
                f"without the {what} that lack a class (2 in fold 1{more})"
            )
        used = {"hand_till": 4, "pdi": 4 - len(without)}
        for name, n_folds in used.items():
            word = "fold" if n_folds == 1 else "folds"
            assert texts(found[name].notes)["mean-over-folds"] == f"mean over {n_folds} {word}"
            assert found[name].settings["n_folds"] == 4
            assert list(found[name].settings["by_fold"]) == [
                str(v) for v in range(4) if v not in without
            ]
            assert found[name].settings["estimand"] == "mean over folds"


def test_all_classes_that_a_fold_lacks_are_named() -> None:
    """In order, though they are a set."""
    names = np.array(["w", "v", "u", "t", "s"])
    y = np.tile(np.arange(5), 12)
    folds = np.repeat(["one", "two"], 30)
    kept = ~((folds == "two") & (y > 1))
    scores = np.random.default_rng(1).normal(size=(60, 5)) + np.eye(5)[y]
    given = Predictions(
        names[y][kept], scores[kept], labels=list(names), folds=folds[kept], absent="skip"
    )
    notes = texts(evaluate(given, metrics=["hand_till"])["hand_till"].notes)
    assert notes["class-missing-in-fold"] == (
        "without the pairs of classes that lack a class (s, t, u in fold two)"
    )


def test_pooled_values_are_told_where_they_are_over_an_error_away() -> None:
    pooled = Pooled(pairs=0.75, cases=0.5)
    assert pooled.settings() == {"pair_pooled": 0.75, "cases_pooled": 0.5}
    assert Pooled(math.nan, 0.5).settings() == {"pair_pooled": None, "cases_pooled": 0.5}
    for error, codes in (
        (0.125, ["pairs-pooled", "cases-pooled"]),
        (0.25, ["cases-pooled"]),
        (0.5, []),
        (0.6, []),
        (math.nan, []),
    ):
        assert [note.code for note in pooled.notes(1.0, error)] == codes
    told = texts(pooled.notes(0.25, 0.1))
    assert told["pairs-pooled"] == (
        "pairs pooled over folds give 0.7500, over a standard error away"
    )
    assert told["cases-pooled"].startswith("all cases pooled would give 0.5000, over a standard ")


def test_the_first_fault_of_the_folds_is_told() -> None:
    """Of those that have all classes; without folds that of all cases."""
    asked: list[int] = []

    def metric(*answers: str | None) -> Metric:
        left = iter(answers)

        def fault(statistic: Pairs) -> str | None:
            asked.append(int(statistic.weights.sum()))
            return next(left)

        return replace(registry["hand_till"], fault=fault)

    folds = np.repeat([0, 1, 2], [10, 12, 14])
    y = np.arange(36) % 3
    y[folds == 0] = np.arange(10) % 2
    scores = np.random.default_rng(3).normal(size=(36, 3))
    given = statistics_of(Predictions(y, scores, folds=folds, absent="skip"))
    assert fault_note(given, metric("first")) == ("fit-at-limit", "first")
    assert fault_note(given, metric(None, "second")) == ("fit-at-limit", "second")
    assert fault_note(given, metric(None, None)) is None
    assert asked == [12, 12, 14, 12, 14]
    whole = statistics_of(Predictions(y, scores))
    assert fault_note(whole, metric("one")) == ("fit-at-limit", "one") and asked[-1] == 36
    assert fault_note(whole, registry["hand_till"]) is None
