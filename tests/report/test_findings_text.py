"""The text of findings about models and pairs, for given values, differences and p-values."""

import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from report.small import NBSP, content_of, row, scores_of, valued
from scipy.stats import nct, t

from polyroc.errors import NotDefined
from polyroc.metrics import registry
from polyroc.predictions import Predictions
from polyroc.report import _on_models as on_models
from polyroc.report._content import Content
from polyroc.report._explanations import explanation
from polyroc.report._finding import Finding
from polyroc.report._grouping import grouped
from polyroc.report._methods import HOLM, WILSON, methods
from polyroc.report._on_pairs import confused_pairs, reversed_pairs, swapped
from polyroc.results import Note

TWO = {"new": valued(0.9, 0.85, 0.95), "old": valued(0.85, 0.8, 0.9)}
THREE = {**TWO, "bad": valued(0.6, 0.55, 0.65)}


@pytest.fixture(autouse=True)
def unplanned(monkeypatch) -> None:
    """How many cases would settle a comparison is told by tests of its own."""
    monkeypatch.setattr(on_models, "_planned", lambda *_: None)


def test_clear_differences_are_those_of_the_leading_model() -> None:
    rows = [
        row("new", "old", 0.05, 0.01),
        row("new", "old", 0.05, 0.01, metric="aunu"),
        row("bad", "old", -0.25, 0.01),
        row("bad", "new", -0.3, 0.05),
    ]
    found = list(on_models.differences(content_of(THREE, rows)))
    assert found == [
        Finding(
            "difference-clear",
            "fact",
            "new is better than old",
            f"M of new is 0.050 higher (95{NBSP}% interval +0.040 to +0.060; paired test, p = "
            "0.010 after Holm's adjustment).",
        ),
        Finding(
            "difference-clear",
            "fact",
            "new is better than bad",
            f"M of new is 0.300 higher (95{NBSP}% interval +0.290 to +0.310; paired test, p = "
            "0.050 after Holm's adjustment).",
        ),
    ]


def test_unclear_differences_of_two_models() -> None:
    (found,) = on_models.differences(content_of(TWO, [row("old", "new", -0.005, 0.0504)]))
    assert found == Finding(
        "difference-unclear",
        "notice",
        "new and old cannot be told apart",
        f"M of new is 0.005 higher (95{NBSP}% interval −0.005 to +0.015; paired test, p = 0.0504). "
        "Another sample of cases could reverse the order.",
    )
    content = content_of(TWO, [row("old", "new", -0.005, 0.0504, half=0.1)], level=0.9)
    (found,) = on_models.differences(content)
    assert found.code == "difference-clear"
    assert f"(90{NBSP}% interval −0.045 to +0.055; paired test, p = 0.050)." in found.text
    (found,) = on_models.differences(content_of(TWO, [row("new", "old", 0.0, 0.9)]))
    assert found.text.startswith(f"M is the same for both (95{NBSP}% interval −0.010 to +0.010;")
    assert list(on_models.differences(content_of({"one": valued(0.8)}))) == []


@pytest.mark.parametrize(
    ("notes", "reason"),
    [
        ((), "no standard error"),
        (("no standard error: the models agree", "more"), "the models agree"),
    ],
)
def test_differences_without_a_test(notes, reason) -> None:
    content = content_of(TWO, [row("old", "new", -0.05, math.nan, notes=notes)])
    assert list(on_models.differences(content)) == [
        Finding(
            "no-test",
            "notice",
            "new against old: no test",
            f"The difference in M cannot be tested: {reason}.",
        )
    ]


def test_a_plan_for_the_two_models_at_the_level_of_the_page(monkeypatch) -> None:
    """The pilot has the models in the order of the difference; fewer cases are not asked for."""
    monkeypatch.undo()
    asked = []

    def planned(pilot, **options):
        asked.append((list(pilot), options))
        return SimpleNamespace(total=total)

    monkeypatch.setattr(on_models, "plan", planned)
    content = content_of(THREE, [row("old", "new", -0.005, 0.2)], level=0.9)
    for total, told in ((1234, True), (31, True), (30, False), (29, False)):
        (found,) = on_models.differences(content)
        settled = (
            " If the difference is as large as here, a paired test has a power of "
            f"80{NBSP}% with {total:,} cases of these shares of classes."
        )
        assert found.text.endswith(settled) == told
    options = {"metric": "hand_till", "power": 0.8, "level": 0.9, "allocation": "pilot"}
    assert asked == [(["old", "new"], options)] * 4

    def refused(*_, **__):
        raise NotDefined("no")

    monkeypatch.setattr(on_models, "plan", refused)
    (found,) = on_models.differences(content)
    assert found.text.endswith("reverse the order.")


def needed_by_counting(n: int, by: float, error: float, freedom: float, alpha: float) -> int | None:
    """The fewest cases with a power of 0.8, up to 1000 times as many."""
    for cases in range(n, 1000 * n + 1):
        times = cases / n
        df, away = freedom * times, by / error * math.sqrt(times)
        if nct.sf(t.ppf(1 - alpha / 2, df), df, away) >= 0.8:
            return cases
    return None


@pytest.mark.parametrize(
    ("by", "freedom", "level", "told"),
    [(-0.02, 20, 0.95, True), (0.03, 15, 0.9, True), (0.2, 20, 0.95, False)],
)
def test_how_many_more_groups_settle_a_comparison(by, freedom, level, told) -> None:
    """As many cases, and groups rounded up, as counting them one by one gives."""
    only = row("old", "new", by, 0.4, standard_error=0.02, degrees_of_freedom=freedom)
    groups = np.arange(30) // 4
    content = content_of(TWO, [only], groups=groups, level=level)
    needed = needed_by_counting(30, abs(by), 0.02, freedom, 1 - level)
    assert (needed > 30) == told
    text = (
        f" with {needed:,} cases of these shares of classes in {math.ceil(needed * 8 / 30):,} "
        "groups."
    )
    (found,) = on_models.differences(content)
    assert found.text.endswith(text) == told


def test_more_than_a_thousand_times_as_many_cases_are_not_asked_for() -> None:
    """The power of the normal test is 0.8 where the difference is 2.8 standard errors."""
    edge = (1.959964 + 0.841621) / math.sqrt(1000)
    for by, told in ((1.01 * edge, True), (0.99 * edge, False)):
        only = row("old", "new", -by, 0.4, standard_error=1.0, degrees_of_freedom=40)
        (found,) = on_models.differences(content_of(TWO, [only], groups=np.arange(30) // 4))
        assert (" with " in found.text) == told
    only = row("old", "new", -0.5, 0.4, standard_error=1.0, degrees_of_freedom=math.inf)
    (found,) = on_models.differences(content_of(TWO, [only], groups=np.arange(30) // 4))
    assert " with " not in found.text


def metrics_of(**values: float):
    return {name: valued(value) for name, value in values.items()}


def test_metrics_that_disagree_about_the_best_model() -> None:
    content = content_of(
        {
            "one": metrics_of(hand_till=0.9, aunu=0.8, auc_mu=0.7, pdi=0.6, hum=0.3),
            "two": metrics_of(hand_till=0.8, aunu=0.9, auc_mu=0.6, pdi=0.6, hum=math.nan),
        }
    )
    assert on_models.first_by_metric(content) == {
        "hand_till": ("one",),
        "aunu": ("two",),
        "auc_mu": ("one",),
        "pdi": ("one", "two"),
    }
    (found,) = on_models.metric_choice(content)
    assert found == Finding(
        "metric-choice",
        "notice",
        "The best model depends on the metric",
        "one is first by 2 metrics (M, AUC_μ); two is first by 1 metric (AUNU); one and two are "
        "equal first by 1 metric (PDI). Choose the metric by the question it answers, not by the "
        "model it favours.",
    )


def test_metrics_that_agree_about_the_best_model() -> None:
    models = {
        "one": metrics_of(hand_till=0.9, saec=0.1),
        "two": metrics_of(hand_till=0.8, saec=0.2),
    }
    (found,) = on_models.metric_choice(content_of(models))
    assert found == Finding(
        "metrics-agree",
        "fact",
        "Every metric prefers one",
        "one is first by all 2 metrics of this page.",
    )
    models["two"]["saec"] = valued(0.1 + 5e-13)
    (found,) = on_models.metric_choice(content_of(models))
    assert found == Finding(
        "metrics-agree",
        "fact",
        "No metric prefers another model to one",
        "one is first by 1 metric (M); one and two are equal first by 1 metric (SAEC).",
    )
    models["two"]["saec"] = valued(0.1 - 5e-12)
    (found,) = on_models.metric_choice(content_of(models))
    assert found.code == "metric-choice"


def test_ties_among_three_models_that_leave_out_the_winner() -> None:
    """One is first alone by M, and not among those that are equal first by AUNU."""
    models = {
        "one": metrics_of(hand_till=0.9, aunu=0.8),
        "two": metrics_of(hand_till=0.8, aunu=0.9),
        "three": metrics_of(hand_till=0.7, aunu=0.9),
    }
    (found,) = on_models.metric_choice(content_of(models))
    assert found.code == "metric-choice"
    assert "; two and three are equal first by 1 metric (AUNU). " in found.text


def test_nothing_is_said_of_metrics_without_a_winner() -> None:
    same = metrics_of(hand_till=0.9, aunu=0.8)
    assert list(on_models.metric_choice(content_of({"one": same, "two": same}))) == []
    assert list(on_models.metric_choice(content_of({"one": same}))) == []


WORSE = "Check that the columns are in the order of the classes."


@pytest.mark.parametrize(
    ("value", "code", "text"),
    [
        ((0.52, 0.501, 0.6), None, ""),
        (
            (0.52, 0.5, 0.6),
            "not-better-than-guessing",
            f"M is 0.520 (95{NBSP}% interval 0.500 to 0.600), and the interval contains 0.5, the "
            "value of guessing.",
        ),
        (
            (0.45, 0.4, 0.5),
            "not-better-than-guessing",
            f"M is 0.450 (95{NBSP}% interval 0.400 to 0.500), and the interval contains 0.5, the "
            "value of guessing.",
        ),
        (
            (0.45, 0.4, 0.499),
            "worse-than-guessing",
            f"M is 0.450 (95{NBSP}% interval 0.400 to 0.499), and the interval lies below 0.5, the "
            f"value of guessing. {WORSE}",
        ),
        (
            (0.0,),
            "worse-than-guessing",
            "M is 0.000: every pair of cases is in the wrong order; guessing gives 0.5. " + WORSE,
        ),
        (
            (0.5,),
            "not-better-than-guessing",
            "M is 0.500, which is the value of guessing. No interval.",
        ),
        (
            (0.5 + 5e-13,),
            "not-better-than-guessing",
            "M is 0.500, which is the value of guessing. No interval.",
        ),
        ((0.5 + 5e-12,), None, ""),
        (
            (0.25,),
            "not-better-than-guessing",
            "M is 0.250, below 0.5, the value of guessing. No interval.",
        ),
    ],
)
def test_models_that_may_guess(value, code, text) -> None:
    found = list(on_models.guessing(content_of({"net": valued(*value)})))
    title = {
        "worse-than-guessing": "net: worse than guessing",
        "not-better-than-guessing": "net: not better than guessing, as far as these cases show",
    }
    assert found == ([Finding(code, "warning", title[code], text)] if code else [])


def test_guessing_is_judged_at_the_level_of_the_page() -> None:
    values = {"net": valued(0.6, 0.48, 0.7)}
    assert len(list(on_models.guessing(content_of(values)))) == 1
    assert list(on_models.guessing(content_of(values, level=0.9))) == []
    (found,) = on_models.guessing(content_of({"net": valued(0.6, 0.4, 0.7)}, level=0.9))
    assert f"(90{NBSP}% interval 0.450 to 0.650)" in found.text


@pytest.mark.parametrize(
    ("notes", "told"),
    [
        ([], "No interval"),
        ([Note("other", "something else")], "No interval"),
        (
            [Note("x", "other"), Note("one-case", "no standard error: class 'a' has one case")],
            "No interval: class 'a' has one case",
        ),
        ([Note("y", "no interval: under 6.0e-05")], "No interval: under 0.00006"),
        (
            [
                Note(
                    "samples-agree",
                    "all samples agree; the standard error is that of the cases alone",
                )
            ],
            "No interval: all samples agree",
        ),
    ],
)
def test_why_there_is_no_interval(notes, told) -> None:
    assert on_models.why_no_interval(valued(0.5, notes=notes)) == told


Y = [0] * 40 + [1] * 30 + [2] * 29


def separated(*pairs: tuple[int, int]) -> np.ndarray:
    """Scores that overlap except between these classes."""
    own = np.eye(3)[Y]
    p = 0.5 + 0.1 * own + 0.4 * np.random.default_rng(0).random((len(Y), 3))
    for a, b in pairs:
        for k, r in ((a, b), (b, a)):
            p[np.array(Y) == k, k] = 2.0 + k
            p[np.array(Y) == r, k] = 0.1
    return p


def separation_of(scores: np.ndarray) -> list[Finding]:
    content = content_of({"net": valued(0.9, 0.8, 0.95)}, y=Y, scores={"net": scores})
    return list(on_models.separation(content))


LEAKAGE = "Check that no feature contains the answer (leakage)."


def test_separated_classes_and_how_telling_they_are() -> None:
    assert separation_of(separated()) == []
    (some,) = separation_of(separated((0, 1)))
    assert some == Finding(
        "perfect-separation",
        "notice",
        "net: perfect separation of some classes",
        f"Every case of a has a higher score for a than any case of b, and vice versa. {LEAKAGE}",
    )
    (few,) = separation_of(separated((1, 2)))
    assert few == Finding(
        "perfect-separation",
        "fact",
        "net: perfect separation of some classes",
        "Every case of b has a higher score for b than any case of c, and vice versa. This pair "
        "has a class with fewer than 30 cases, so this may be chance.",
    )
    (all_,) = separation_of(separated((0, 1), (1, 2), (0, 2)))
    assert all_ == Finding(
        "perfect-separation",
        "warning",
        "net: perfect separation",
        "Every case has a higher score for its own class than any case of another class. "
        + LEAKAGE,
    )


def test_of_several_separated_pairs_the_largest_is_named() -> None:
    """Once one case of the third class scores high for the second, two pairs are left."""
    scores = separated((0, 1), (1, 2), (0, 2))
    scores[-1, 1] = 9.0
    (found,) = separation_of(scores)
    assert found.text == (
        "Every case of a has a higher score for a than any case of b, and vice versa; the same "
        f"holds for 1 other pair of classes. {LEAKAGE}"
    )
    scores = separated((0, 1), (1, 2), (0, 2))
    scores[0, 1] = 9.0
    (found,) = separation_of(scores)
    assert found.text == (
        "Every case of a has a higher score for a than any case of c, and vice versa; the same "
        "holds for 1 other pair of classes. Each of these pairs has a class with fewer than 30 "
        "cases, so this may be chance."
    )


def test_scores_that_are_no_probabilities_are_told_with_what_is_done() -> None:
    content = content_of(
        {"sound": valued(0.9), "counts": valued(0.8), "logits": valued(0.7)},
        of_models={
            "counts": {"fault": "rows sum to 2"},
            "logits": {"fault": "some are negative", "probabilities": None},
        },
    )
    assert list(on_models.not_probabilities(content)) == [
        Finding(
            "not-probabilities",
            "warning",
            "counts: the scores are not probabilities",
            "Rows sum to 2. The explorer divides each row by its sum; rank metrics use the scores "
            "as given.",
        ),
        Finding(
            "not-probabilities",
            "warning",
            "logits: the scores are not probabilities",
            "Some are negative. The explorer leaves this model out, because costs need "
            "probabilities.",
        ),
    ]


@pytest.mark.parametrize(("tied", "told"), [(0.0099, ""), (0.01, "1.0"), (0.255, "25.5")])
def test_ties_are_told_from_one_percent_on(tied, told, monkeypatch) -> None:
    monkeypatch.setattr(on_models, "share_of_ties", lambda *_: tied)
    found = list(on_models.ties(content_of({"net": valued(0.8)})))
    text = (
        f"{told}{NBSP}% of the pairs of cases compared, one of each of two classes, have equal "
        "scores and count half."
    )
    assert found == ([Finding("tied-scores", "notice", "net: tied scores", text)] if told else [])


def test_metrics_without_a_value() -> None:
    models = {
        "whole": metrics_of(hand_till=0.9, pdi=0.5, hum=0.2),
        "one": metrics_of(hand_till=0.9, pdi=math.nan, hum=0.2),
        "two": metrics_of(hand_till=0.9, pdi=math.nan, hum=math.nan),
    }
    found = list(on_models.undefined(content_of(models)))
    assert [(each.code, each.severity) for each in found] == [("undefined-metric", "notice")] * 2
    assert [each.title for each in found] == [
        "one: metrics that are not defined",
        "two: metrics that are not defined",
    ]
    assert [each.text for each in found] == [
        "PDI has no value here; the table of metrics says why.",
        "PDI, HUM have no value here; the table of metrics says why.",
    ]


def square(**cells: float) -> np.ndarray:
    """AUC(k|r) of three classes, 0.9 where nothing else is given (``ab``: by the scores of a)."""
    made = np.full((3, 3), 0.9)
    np.fill_diagonal(made, np.nan)
    for (k, r), value in cells.items():
        made["abc".index(k), "abc".index(r)] = value
    return made


def paired(pairs: np.ndarray, *wrong: tuple[int, int], **more):
    turned = np.zeros((3, 3), dtype=bool)
    for a, b in wrong:
        turned[a, b] = turned[b, a] = True
    return content_of(
        {"net": valued(0.8, 0.7, 0.9)},
        of_models={"net": {"pairs": pairs, "reversed_pairs": turned}},
        **more,
    )


def test_the_pair_that_is_hardest_to_tell_apart() -> None:
    (found,) = confused_pairs(paired(square(bc=0.7, cb=0.75, ac=0.6)))
    assert found == Finding(
        "confused-pair",
        "fact",
        "b and c are hardest to tell apart",
        "With net, a case of b gets a higher score for b than a case of c with probability 0.700, "
        "and a case of c a higher score for c than a case of b with probability 0.750; guessing "
        "gives 0.5.",
    )
    (found,) = confused_pairs(paired(square(bc=0.7, cb=0.75, ac=0.725, ca=0.725 + 5e-13)))
    assert found.title == "b and c are among the hardest to tell apart"
    assert found.text.endswith(" For 1 other pair of classes the mean is the same.")
    (found,) = confused_pairs(paired(square()))
    assert found.title == "a and b are among the hardest to tell apart"
    assert found.text.endswith(" For 2 other pairs of classes the mean is the same.")


def test_pairs_that_are_reversed_or_separated_are_not_called_hard() -> None:
    (found,) = confused_pairs(paired(square(bc=0.1, cb=0.2, ac=0.7), (1, 2)))
    assert found.title == "a and c are hardest to tell apart"
    assert list(confused_pairs(paired(square(), (0, 1), (0, 2), (1, 2)))) == []
    apart = {"scores": {"net": separated((0, 1), (1, 2), (0, 2))}, "y": Y}
    assert list(confused_pairs(paired(square(), **apart))) == []
    some = {"scores": {"net": separated((0, 1))}, "y": Y}
    assert len(list(confused_pairs(paired(square(), **some)))) == 1
    two = content_of({"net": valued(0.8)}, y=[0, 1] * 9, n_classes=2)
    assert list(confused_pairs(two)) == []


def test_pairs_that_are_ranked_the_wrong_way_round() -> None:
    pairs = square(ab=0.3, ba=0.4, bc=0.1, cb=0.2)
    (found,) = reversed_pairs(paired(pairs, (0, 1), (1, 2)))
    assert found == Finding(
        "reversed-pair",
        "warning",
        "net: b and c are ranked the wrong way round",
        "AUC is 0.100 by the scores of b and 0.200 by those of c, both clearly below 0.5, the "
        "value of guessing: are the columns of b and c swapped? The same holds for 1 other pair of "
        "classes.",
    )
    (found,) = reversed_pairs(paired(pairs, (0, 1)))
    assert found.title == "net: a and b are ranked the wrong way round"
    assert found.text.endswith("are the columns of a and b swapped?")
    assert list(reversed_pairs(paired(pairs))) == []
    every = np.ones((3, 3), dtype=bool)
    assert swapped("xyz", pairs, every).endswith("The same holds for 2 other pairs of classes.")


def test_headlines_of_findings_of_several_models() -> None:
    """By how many models have it; of the others where they are compared with the best."""
    values = {name: valued(0.9 - k / 10) for k, name in enumerate("abcd")}
    content = content_of(values)

    def headline(code: str, n_found: int) -> str:
        (group,) = grouped(content, [Finding(code, "fact", "t", "x")] * n_found)
        return group.title

    assert headline("difference-clear", 1) == "t"
    assert headline("difference-clear", 2) == "a is better than 2 of 3 other models"
    assert headline("difference-clear", 3) == "a is better than all 3 other models"
    assert headline("difference-unclear", 2) == "a cannot be told apart from 2 of 3 other models"
    assert headline("no-test", 3) == "a: no test against any of the 3 other models"
    assert headline("overconfident", 3) == "3 of 4 models are overconfident"
    assert headline("overconfident", 4) == "All 4 models are overconfident"
    assert headline("not-probabilities", 4) == "The scores of all 4 models are not probabilities"
    start = "better than guessing, as far as these cases show"
    assert headline("not-better-than-guessing", 3) == f"3 of 4 models are not {start}"
    assert headline("not-better-than-guessing", 4) == f"None of the 4 models is {start}"
    three = content_of({name: values[name] for name in "abc"})
    both = [Finding("no-test", "fact", "t", "x")] * 2
    assert grouped(three, both)[0].title == "a: no test against either other model"
    two = content_of({name: values[name] for name in "ab"})
    both = [Finding("tied-scores", "fact", "t", "x")] * 2
    assert grouped(two, both)[0].title == "Both models: tied scores"
    both = [Finding("not-better-than-guessing", "fact", "t", "x")] * 2
    assert grouped(two, both)[0].title == f"Neither model is {start}"


def test_groups_of_findings_keep_their_order_within_a_severity() -> None:
    content = content_of({"a": valued(0.8), "b": valued(0.7)})
    found = [
        Finding("tied-scores", "fact", "first", ""),
        Finding("overconfident", "warning", "second", ""),
        Finding("class-shares", "notice", "third", ""),
        Finding("confusion", "fact", "fourth", ""),
    ]
    groups = grouped(content, found)
    assert [each.title for each in groups] == ["second", "third", "first", "fourth"]
    assert [each.members for each in groups] == [(found[k],) for k in (1, 2, 0, 3)]


def test_explanations_have_the_level_of_the_tests() -> None:
    for alpha, told in ((0.05, "5"), (0.1, "10"), (0.0027, "0.27")):
        text = explanation("difference-clear", [], alpha)
        assert f"rejects equality at the {told}{NBSP}% level;" in text
    assert f"at the 5{NBSP}% level" in explanation("difference-unclear", [])
    asked = explanation("metric-choice", ["M", "AUC_μ", "PDI"])
    assert asked == (
        "Metrics answer different questions. Rank metrics (M, PDI) ask whether cases are in the "
        "correct order. AUC_μ asks whether cases lie on the correct side of the boundaries between "
        "classes. Decide which question is yours before you look at the values."
    )


def test_the_methods_name_cases_models_and_design() -> None:
    y = [0, 1, 1, 2, 2, 2] * 4
    content = content_of({"net": valued(0.8, 0.7, 0.9)}, y=y, level=0.9)
    first, second = methods(content).split(". Discrimination ")
    assert first.startswith("Predictions for 24 cases of 3 classes (4 a, 8 b, 12 c) by 1 model ")
    assert second == (
        "was measured by M (Hand & Till's M (AU1U); D. J. Hand, R. J. Till, Machine Learning 45 "
        f"(2001) 171–186), with 90{NBSP}% confidence intervals in Wilson's form ({WILSON}) from "
        "influence values."
    )
    values = {"a": valued(0.9), "b": valued(0.8)}
    compared = (
        "Models were compared on the same cases by paired tests of the differences of their "
        "influence values"
    )
    assert methods(content_of(values)).endswith(f"values. {compared}.")
    told = methods(content_of({**values, "c": valued(0.7)}))
    assert told.endswith(f"{compared}, with p-values adjusted for pairs of models ({HOLM}).")
    known = {"weights": np.arange(1, 25), "groups": np.arange(24) // 5}
    told = methods(content_of({"net": valued(0.8)}, y=y, **known))
    assert told.endswith(
        "influence values; 5 groups of cases were treated as independent; cases were weighted."
    )


def test_the_methods_leave_out_sizes_of_more_than_twelve_classes() -> None:
    for n_classes in (12, 13):
        y = list(range(n_classes)) * 2
        told = methods(content_of({"net": valued(0.8)}, y=y, n_classes=n_classes))
        assert ("(2 a, 2 b," in told) == (n_classes == 12)
        assert f"of {n_classes} classes" in told


def test_the_methods_count_folds() -> None:
    y, folds = [0, 1] * 12, np.arange(24) // 2 % 3
    content = content_of({"net": valued(0.8)}, y=y, n_classes=2)
    model = content.models[0]
    folded = Predictions(y, scores_of(y, 2), folds=folds)
    object.__setattr__(model, "predictions", folded)
    told = methods(content)
    assert told.endswith("influence values; values are means over 3 folds of a cross-validation.")
    assert "measured by AUC (" in told and "Radiology 143 (1982) 29–36" in told


def test_guessing_and_differences_where_lower_is_better(monkeypatch) -> None:
    monkeypatch.setattr(Content, "main_metric", property(lambda _: "saec"))

    def told(*value: float) -> list[str]:
        content = content_of({"net": {"saec": valued(*value)}})
        return [f"{each.code}: {each.text}" for each in on_models.guessing(content)]

    assert told(0.3, 0.2, 0.4) == [] and told(0.6) == []
    assert told(0.9, 0.8, 1.0) == [
        f"worse-than-guessing: SAEC is 0.900 (95{NBSP}% interval 0.800 to 1.000), and the interval "
        f"lies above 0.707107, the value of guessing. {WORSE}"
    ]
    assert told(registry["saec"].highest) == [
        "worse-than-guessing: SAEC is 1.060: every pair of cases is in the wrong order; guessing "
        f"gives 0.707107. {WORSE}"
    ]
    assert told(0.8) == [
        "not-better-than-guessing: SAEC is 0.800, above 0.707107, the value of guessing. No "
        "interval."
    ]
    values = {"new": {"saec": valued(0.3)}, "old": {"saec": valued(0.4)}}
    content = content_of(values, [row("old", "new", 0.1, 0.01, metric="saec")])
    (found,) = on_models.differences(content)
    assert found.title == "new is better than old"
    assert found.text.startswith(f"SAEC of new is 0.100 lower (95{NBSP}% interval −0.110 to −0.090")


def test_guessing_is_a_half_where_a_metric_does_not_say(monkeypatch) -> None:
    monkeypatch.setattr(Content, "main_metric", property(lambda _: "hand_till_scored"))
    content = content_of({"net": {"hand_till_scored": valued(0.55, 0.45, 0.65)}})
    (found,) = on_models.guessing(content)
    assert "and the interval contains 0.5, the value of guessing." in found.text


def test_separation_within_folds_is_told_as_such() -> None:
    content = content_of(
        {"net": valued(0.9, 0.8, 0.95)}, y=Y, scores={"net": separated((0, 1), (1, 2), (0, 2))}
    )
    (model,) = content.models
    for pairs, start in (
        (((0, 1), (1, 2), (0, 2)), "any case of another class in the same fold. "),
        (((0, 1),), "than any case of b in the same fold, and vice versa. "),
    ):
        folded = Predictions(Y, separated(*pairs), folds=np.arange(len(Y)) % 2)
        (found,) = on_models.separation(
            replace(content, models=(replace(model, predictions=folded),))
        )
        assert start in found.text
