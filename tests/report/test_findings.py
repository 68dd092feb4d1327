"""Each finding appears where it should, and only there."""

import re

import numpy as np
import pytest
from report.conftest import make_sample
from report.sources import codes_in_source
from scipy.stats import nct, t

from polyroc.metrics import registry
from polyroc.report._content import gather
from polyroc.report._explanations import EXPLANATIONS, QUESTIONS, explanation
from polyroc.report._finding import Finding
from polyroc.report._findings import RULES, SEVERITIES, findings
from polyroc.report._grouping import Group, above_the_fold, grouped
from polyroc.report._tables import differences_table
from polyroc.report._verdict import verdict

pytestmark = pytest.mark.usefixtures("short_search")


def codes_of(y, models, **options) -> set[str]:
    return {finding.code for finding in findings(gather(y, models, **options))}


def calibrated(n_cases=3000, n_classes=3, seed=3):
    """Classes drawn from the probabilities themselves."""
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.full(n_classes, 0.4), n_cases)
    y = (rng.random((n_cases, 1)) > p.cumsum(axis=1)).sum(axis=1).clip(0, n_classes - 1)
    return y, p


def sharpened(p, power):
    return p**power / (p**power).sum(axis=1, keepdims=True)


def test_a_sound_model_has_no_warning() -> None:
    y, p = calibrated()
    found = findings(gather(y, p))
    assert {each.code for each in found} == {"confused-pair", "confusion"}


def test_confidence() -> None:
    y, p = calibrated()
    p = np.clip(p, 1e-9, None)
    assert "overconfident" in codes_of(y, sharpened(p, 2.5))
    assert "underconfident" in codes_of(y, sharpened(p, 0.4))


def test_the_gap_of_confidence_is_told_as_it_is() -> None:
    y, p = calibrated()
    p = sharpened(np.clip(p, 1e-9, None), 2.5)
    text = next(f.text for f in findings(gather(y, p)) if f.code == "overconfident")
    mean, share = p.max(axis=1).mean(), (p.argmax(axis=1) == y).mean()
    assert f"{100 * mean:.0f}\u00a0%" in text and f"{100 * share:.0f}\u00a0%" in text


def test_class_shares() -> None:
    y, p = calibrated()
    shifted = p * [3, 1, 1]
    assert "class-shares" in codes_of(y, shifted / shifted.sum(axis=1, keepdims=True))


def test_shares_of_two_classes_are_told_by_the_second() -> None:
    """Or one model would have too much of one class, and the next too little of the other."""
    y, p = calibrated()
    two = np.column_stack([p[:, 0] + p[:, 1], p[:, 2]])[y != 1]
    y = np.where(y[y != 1] == 2, 1, 0)
    models = {f"times {by}": two * [1, by] for by in (0.2, 0.3, 3, 5)}
    models = {name: each / each.sum(axis=1, keepdims=True) for name, each in models.items()}
    found = [f.title for f in findings(gather(y, models)) if f.code == "class-shares"]
    assert found == [
        f"{name}: probabilities of class 1 too {'low' if k < 2 else 'high'} on average"
        for k, name in enumerate(models)
    ]


def test_rare_and_few() -> None:
    y, p = calibrated(2000)
    kept = np.flatnonzero((y != 2) | (np.cumsum(y == 2) <= 20))
    codes = codes_of(y[kept], p[kept])
    assert {"rare-class", "few-cases"} <= codes


def test_differences() -> None:
    y, p = calibrated(600)
    noise = np.random.default_rng(0).dirichlet(np.ones(3), 600)
    found = {f.code: f for f in findings(gather(y, {"good": p, "poor": 0.3 * p + 0.7 * noise}))}
    assert found["difference-clear"].title == "good is better than poor"
    near = codes_of(y[:90], {"good": p[:90], "near": 0.98 * p[:90] + 0.02 * noise[:90]})
    assert "difference-unclear" in near and "difference-clear" not in near
    assert "no-test" in codes_of(y, {"one": p, "same": p})


SETTLED = re.compile(r"80\u00a0% with ([\d,]+) cases of these shares of classes(?: in ([\d,]+) g)?")


@pytest.mark.parametrize("known", ["groups", "folds"])
def test_how_many_cases_settle_a_comparison(known) -> None:
    """With groups and folds, too: m times as many have the power, and a few fewer have it not."""
    rng = np.random.default_rng(3)
    y, signal = np.tile([0, 1, 2], 60), rng.normal(size=(180, 3))
    logits = signal + 1.2 * np.eye(3)[y]
    models = {
        name: np.exp(logits + noise * rng.normal(size=(180, 3)))
        for name, noise in (("a", 0.5), ("b", 0.7))
    }
    models = {name: each / each.sum(axis=1, keepdims=True) for name, each in models.items()}
    of_cases = np.arange(180) // 3
    content = gather(y, models, **{known: of_cases if known == "groups" else of_cases % 4})
    (told,) = [each for each in findings(content) if each.code == "difference-unclear"]
    cases, n_groups = SETTLED.search(told.text).groups()
    (row,) = [each for each in content.comparison.differences if each.metric == "hand_till"]
    needed = int(cases.replace(",", ""))
    for n_cases, enough in ((needed, True), (needed - 2, False)):
        freedom = row.degrees_of_freedom * n_cases / 180
        away = abs(row.difference) / row.standard_error * np.sqrt(n_cases / 180)
        assert (nct.sf(t.ppf(0.975, freedom), freedom, away) >= 0.8) == enough
    assert n_groups == (f"{-(-needed * 60 // 180):,}" if known == "groups" else None)


def test_cases_in_groups_of_one_are_planned_alike() -> None:
    rng = np.random.default_rng(5)
    y, noise = np.repeat([0, 1], 150), rng.normal(size=(2, 300))
    shared = rng.normal(size=300) + y
    models = {
        name: 1 / (1 + np.exp(-shared - 0.6 * each)) for name, each in zip("ab", noise, strict=True)
    }
    models = {name: np.column_stack([1 - each, each]) for name, each in models.items()}
    found = []
    for groups in (None, np.arange(300)):
        told = [each.text for each in findings(gather(y, models, groups=groups))]
        (match,) = filter(None, map(SETTLED.search, told))
        found.append(int(match[1].replace(",", "")))
    assert found[1] == pytest.approx(found[0], rel=0.05)


def test_metric_choice() -> None:
    """The example of Van Calster et al. 2008, section I: AUC prefers A, sAUC prefers B."""
    y = [1, 1, 1, 0, 0, 0]
    models = {"A": [1, 0.7, 0.6, 0.5, 0.4, 0], "B": [1, 0.9, 0.5, 0.6, 0.2, 0]}
    found = {finding.code: finding for finding in findings(gather(y, models))}
    assert "A is first by 1 metric (AUC)" in found["metric-choice"].text
    assert "perfect-separation" in found and "few-cases" in found


@pytest.mark.parametrize(("n_last", "severity"), [(40, "notice"), (4, "fact")])
def test_separation_of_small_classes_may_be_chance(n_last, severity) -> None:
    """Classes 0 and 1 overlap, 2 has three cases: only a large class 3 is a sign of leakage."""
    y = np.repeat([0, 1, 2, 3], [40, 40, 3, n_last])
    own = np.eye(4)[y]
    own[y < 2, :2] = 0.5
    p = own + 0.3 * np.random.default_rng(0).random(own.shape)
    found = {each.code: each for each in findings(gather(y, p / p.sum(axis=1, keepdims=True)))}
    told = found["perfect-separation"]
    assert told.severity == severity
    assert told.text.startswith(
        "Every case of class 0 has a higher score for class 0 than any case"
    )
    assert "case of class 3, and vice versa; the same holds for 4 other pairs" in told.text
    assert ("(leakage)" in told.text) == (severity == "notice")
    assert told.text.endswith("so this may be chance.") == (severity == "fact")


def test_metrics_agree() -> None:
    y, p = calibrated(600)
    noise = np.random.default_rng(0).dirichlet(np.ones(3), 600)
    found = {f.code: f for f in findings(gather(y, {"good": p, "poor": (p + 4 * noise) / 5}))}
    assert found["metrics-agree"].title == "Every metric prefers good"


def test_scores_that_are_no_probabilities() -> None:
    y, p = calibrated(300)
    content = gather(y, {"doubled": 2 * p, "logits": np.log(p + 1e-6)})
    found = [f for f in findings(content) if f.code == "not-probabilities"]
    assert [f.title.split(":")[0] for f in found] == ["doubled", "logits"]
    assert list(content.cases.scores) == ["doubled"]
    assert np.allclose(content.cases.scores["doubled"].sum(axis=1), 1)
    assert "undefined-metric" in {f.code for f in findings(content)}


def test_ties() -> None:
    y, p = calibrated(300)
    rounded = np.round(p * 4) / 4
    assert "tied-scores" in codes_of(y, rounded + (1 - rounded.sum(axis=1, keepdims=True)) / 3)


def test_worse_than_guessing() -> None:
    y, p = calibrated(600)
    assert "worse-than-guessing" in codes_of(y, p[:, [1, 2, 0]])


def test_sample_in_page(monkeypatch) -> None:
    monkeypatch.setattr("polyroc.report._cases.SCORE_BYTES", 2000)
    y, p = calibrated(600)
    found = {each.code: each.text for each in findings(gather(y, p))}
    assert "sample-in-page" in found
    assert found["confusion"].endswith(f" is higher among all {len(y):,} cases.")


def test_weights_count() -> None:
    """A class that is common among cases may be rare by weight."""
    y, p = calibrated(900)
    weights = np.where(y == 1, 0.05, 1.0)
    assert "rare-class" in codes_of(y, p, sample_weight=weights)


def test_every_code_has_an_explanation() -> None:
    assert codes_in_source() == set(EXPLANATIONS)
    assert len(RULES) == len(set(RULES))


@pytest.mark.parametrize("severity", SEVERITIES)
def test_what_matters_comes_first(severity) -> None:
    y, p = calibrated(300)
    found = findings(gather(y, {"doubled": 2 * p, "worse": p[:, [1, 2, 0]]}))
    order = [SEVERITIES.index(each.severity) for each in found]
    assert order == sorted(order)
    assert severity in {each.severity for each in found}


def test_a_group_is_as_severe_as_its_most_severe_member() -> None:
    y, p = calibrated(60)
    content = gather(y, {"one": p, "two": p, "three": p})
    mild, severe = (
        Finding("tied-scores", each, "t", "x") for each in (SEVERITIES[-1], SEVERITIES[0])
    )
    for members in ([mild, severe], [severe, mild]):
        (group,) = grouped(content, members)
        assert group.severity == SEVERITIES[0] and group.members == tuple(members)
    other = Finding("overconfident", SEVERITIES[1], "t", "x")
    codes = [group.code for group in grouped(content, [mild, other])]
    assert codes == ["overconfident", "tied-scores"], "what matters comes first"


def test_explanations_name_only_metrics_of_the_page() -> None:
    symbols = {each for known, _ in QUESTIONS for each in known}
    for some in (set(), {"AUC"}, symbols):
        for code in EXPLANATIONS:
            text = explanation(code, some)
            assert "()" not in text and "{" not in text and "  " not in text
            assert not [each for each in symbols - some if f"({each}" in text]


def test_explanations_name_every_metric_of_the_page() -> None:
    for n_classes in (2, 3, 5):
        y, models = make_sample(n_classes, 200, 2)
        content = gather(y, models)
        symbols = [registry[name].symbol for name in content.models[0].evaluation]
        told = re.findall(r"[\w₂]+", explanation("metric-choice", symbols))
        assert set(symbols) <= set(told)


@pytest.mark.parametrize(("n_found", "n_folded"), [(7, 0), (8, 2), (9, 2), (10, 3)])
def test_at_most_seven_findings_above_the_fold_and_none_alone_below(n_found, n_folded) -> None:
    groups = [Group(f"code-{k}", "fact", "", ()) for k in range(n_found)]
    first, rest = above_the_fold(groups)
    assert first + rest == groups and len(rest) == n_folded


def nearly_alike(n_cases=300, noise=0.55, seed=1):
    """Two models, the second a little worse."""
    rng = np.random.default_rng(seed)
    y, shared = np.arange(n_cases) % 3, rng.normal(size=(n_cases, 3))
    logits = shared + np.eye(3)[np.arange(n_cases) % 3]
    raw = {"a": logits, "b": logits + noise * rng.normal(size=logits.shape)}
    models = {name: np.exp(each) for name, each in raw.items()}
    return y, {name: each / each.sum(axis=1, keepdims=True) for name, each in models.items()}


@pytest.mark.parametrize("step", [-1e-4, 1e-4])
def test_tests_have_the_level_of_the_intervals(step) -> None:
    """What is said of two models turns where the level passes 1 − p, in all places at once."""
    y, models = nearly_alike()
    compared = gather(y, models).comparison.differences
    (p,) = [each.p_adjusted for each in compared if each.metric == "hand_till"]
    assert 0.001 < p < 0.3
    clear, level = step < 0, 1 - p + step
    content = gather(y, models, level=level)
    codes = {each.code for each in findings(content)}
    assert ("difference-clear" in codes) == clear == ("difference-unclear" not in codes)
    assert ("cannot be told apart" in verdict(content)) == (not clear)
    (row,) = [each for each in content.comparison.differences if each.metric == "hand_till"]
    low, high, *_ = row.interval(level)
    assert (low > 0 or high < 0) == clear
    table = str(differences_table(content, [row], "all"))
    assert ("<strong>" in table) == clear
    alpha = f"{100 * (1 - level):.6g}\u00a0% level"
    assert alpha in explanation("difference-unclear", [], content.alpha)


def test_a_comparison_is_settled_at_the_level_of_the_page() -> None:
    y, models = nearly_alike(noise=0.25)
    needed = []
    for level in (0.95, 0.99):
        for groups in (None, np.arange(len(y)) // 2):
            content = gather(y, models, level=level, groups=groups)
            text = " ".join(each.text for each in findings(content))
            needed.append(int(SETTLED.search(text)[1].replace(",", "")))
    assert needed[2] > 1.2 * needed[0] and needed[3] > 1.2 * needed[1]


def test_ties_and_separation_are_those_within_folds() -> None:
    rng = np.random.default_rng(0)
    y, folds = np.arange(240) % 3, (np.arange(240) // 3) % 2
    scores = 0.1 * rng.random((240, 3)) + 0.15 * np.eye(3)[y]
    scores[:, 0] += 0.3 * folds  # the classes overlap across folds only
    found = {each.code: each for each in findings(gather(y, scores, folds=folds))}
    assert "in the same fold" in found["perfect-separation"].text
    assert "confused-pair" not in found
    pooled = {each.code: each.text for each in findings(gather(y, scores))}
    assert "in the same fold" not in pooled["perfect-separation"] and "confused-pair" in pooled
    repeated, apart = np.tile(rng.dirichlet(np.ones(3), 24), (5, 1)), np.arange(120) // 24
    y = np.concatenate([rng.permutation(np.arange(24) % 3) for _ in range(5)])
    assert "tied-scores" in codes_of(y, repeated)
    assert "tied-scores" not in codes_of(y, repeated, folds=apart)


def test_ties_of_two_classes_are_those_of_the_column_that_counts() -> None:
    rng = np.random.default_rng(4)
    raw = rng.normal(size=(80, 2))
    raw[:, 0] = raw[:, 0].round()
    y = np.arange(80) % 2
    assert "tied-scores" not in codes_of(y, raw)
    assert "tied-scores" in codes_of(y, raw[:, ::-1])
