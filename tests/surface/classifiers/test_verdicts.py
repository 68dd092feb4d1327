"""What classifiers that tune costs or refer cases say of themselves, recounted from their rates."""

import itertools
import math
import re
import warnings

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from polyroc import RejectingClassifierCV, TunedCostClassifierCV
from polyroc.surface.classifiers.candidates import Candidate
from polyroc.surface.classifiers.rejecting import ReferralRule, _verdict, _why_never

pytestmark = pytest.mark.system

TUNED = re.compile(
    r"(Argmax is kept: with tuned costs|The Bayes rule of the costs:|Tuned costs:) "
    r"the (cost|score) is (?:([\d.e-]+) (lower|higher) than|the same as) that of argmax "
    r"\(standard error (\S+)\) on out-of-fold cases\."
)
CHOSEN = {"Argmax": "argmax", "The": "bayes", "Tuned": "tuned"}


def cases(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = np.repeat(["a", "b c", "d"], [n // 2, n // 3, n - n // 2 - n // 3])
    x = rng.normal(size=(n, 2)) + (y == "a")[:, None] - 0.5 * (y == "d")[:, None]
    return x, y


def mean_cost(rates: np.ndarray, y: np.ndarray, table: np.ndarray) -> float:
    """Cost of a case, class by class."""
    total = 0.0
    for k, label in enumerate(sorted(set(y))):
        share = sum(each == label for each in y) / len(y)
        total += share * sum(r * c for r, c in zip(rates[k], table[k], strict=True))
    return total


def check_size(text: str, gain: float, size: str | None, way: str | None, up: str) -> None:
    """By how much, and which way: a gain is ``up``."""
    assert (size is None) == (gain == 0), text
    if size is not None:
        assert float(size) == pytest.approx(abs(gain), rel=6e-4)
        assert (way == up) == (gain > 0)


def test_tuned_costs() -> None:
    """The gain is the difference of the costs, or of the shares decided correctly."""
    seen = set()
    dear = {("d", "a"): 8.0}
    for seed, options in enumerate(
        ({}, {"costs": dear}, {"limits": {("a", "d"): 0.02}}, {"scoring": "accuracy"})
    ):
        x, y = cases(90, seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            made = TunedCostClassifierCV(LogisticRegression(), cv=3, **options).fit(x, y)
        start, what, size, way, error = TUNED.fullmatch(made.verdict_).groups()
        assert made.chosen_ == CHOSEN[start.split(" ")[0]]
        assert (what == "score") == ("scoring" in options)
        told = made.candidates_["tuned" if made.chosen_ == "argmax" else made.chosen_]
        assert float(error) == pytest.approx(told.standard_error, rel=0.06)
        table = 1 - np.eye(3)
        if "costs" in options:
            table[2, 0] = 8.0
        before, after = (
            mean_cost(each.rates, y, table) for each in (made.candidates_["argmax"], told)
        )
        gain = before - after  # accuracy is one minus the mean of these costs
        assert told.gain == pytest.approx(gain, abs=1e-12), (told.gain, gain)
        check_size(made.verdict_, told.gain, size, way, "higher" if what == "score" else "lower")
        seen.add(way)
    assert {"lower", "higher"} <= seen


def test_every_gain_is_told_the_right_way_round() -> None:
    nothing = np.zeros((2, 2))
    for gain, name, scoring in itertools.product(
        (0.25, -0.125, 0.0), ("argmax", "bayes", "tuned"), (None, "accuracy")
    ):
        own = Candidate(name, nothing, 0.0, gain, 0.01, nothing, True)
        other = Candidate("tuned", nothing, 0.0, gain, 0.01, nothing, True)
        text = TunedCostClassifierCV(None, scoring=scoring)._verdict(own, other)
        start, what, size, way, _ = TUNED.fullmatch(text).groups()
        assert CHOSEN[start.split(" ")[0]] == name and (what == "score") == bool(scoring)
        check_size(text, gain, size, way, "higher" if scoring else "lower")
        rule = ReferralRule("bayes", 0.0, 0.0, gain, 0.01, 0.125, nothing, True)
        saves = f"saves {gain:g}" if gain >= 0 else f"costs {-gain:g} more"
        assert _verdict(rule, counted=False) == (
            f"12.5 % of the cases are referred, which {saves} a case (standard error 0.01) on "
            "out-of-fold cases."
        )
        broken = ReferralRule("tuned", 0.0, 0.0, gain, 0.2, 0.5, nothing, False)
        within = " within the limits" if gain > 0.2 else ""
        assert _why_never({"tuned": broken}, 1.0) == (
            f"No case is referred: no other rule saves enough{within}."
        )


def test_referrals() -> None:
    """The share referred and what that saves, from the rates of the rule and of never referring."""
    x, y = cases(150, 5)
    limited = [(None, {("d", "a"): rate}) for rate in (0.05, 0.9)]
    for refer_cost, limits in ((0.2, None), (2.0, None), (None, None), *limited):
        made = RejectingClassifierCV(
            LogisticRegression(), refer_cost=refer_cost, limits=limits, cv=3
        )
        made.fit(x, y)
        if made.chosen_ == "never":
            why = "no other rule saves enough" if refer_cost else "the limits hold on out-of-fold"
            why = why if refer_cost or limits else "there is neither a cost of referring"
            assert made.verdict_.startswith(f"No case is referred: {why}")
            assert not limits or made.rates_[2, 0] <= limits["d", "a"]
            assert made.referred_ == 0 and math.isfinite(made.cost_)
            continue
        table = np.column_stack([1 - np.eye(3), np.full(3, refer_cost or 0)])
        share = mean_cost(made.rates_, y, np.eye(4)[[3, 3, 3]])
        percent, rest = re.fullmatch(
            r"([\d.]+) % of the cases are referred, (.+)", made.verdict_
        ).groups()
        assert abs(float(percent) - 100 * share) < 0.0501
        if limits:
            assert rest == "so that the limits hold on out-of-fold cases."
            assert made.rates_[2, 0] <= 0.05
            continue
        never = mean_cost(made.rules_["never"].rates, y, table)
        saved, error = re.fullmatch(
            r"which saves (\S+) a case \(standard error (\S+)\) on out-of-fold cases\.", rest
        ).groups()
        assert float(saved) == pytest.approx(never - mean_cost(made.rates_, y, table), rel=1e-3)
        assert float(error) == pytest.approx(made.gain_standard_error_, rel=0.06)
