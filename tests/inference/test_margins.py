"""Tests with a direction or a margin, by their definitions, and one-sided limits."""

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from scipy.stats import norm, t

from polyroc import Bootstrap, compare, registry
from polyroc.errors import InvalidInput, InvalidType
from polyroc.inference._comparison import holm

RNG = np.random.default_rng(3)
Y = np.repeat(["a", "b", "c"], [30, 20, 12])
P = np.eye(3)[np.searchsorted(["a", "b", "c"], Y)]
MODELS = {f"m{i}": RNG.dirichlet(np.ones(3), 62) + 0.3 * i * P for i in range(3)}
ALTERNATIVES = ("greater", "less", "noninferior", "equivalent")


def p_value(alternative: str, ahead: float, error: float, margin: float, tail) -> float:
    """The definitions, with e = ahead > 0 if model_a is better."""
    if alternative == "greater":
        return tail((ahead - margin) / error)
    if alternative == "less":
        return tail(-(ahead + margin) / error)
    lower = tail((ahead + margin) / error)
    return lower if alternative == "noninferior" else max(lower, tail((margin - ahead) / error))


@pytest.mark.parametrize("direction", ["higher", "lower"])
def test_p_values_and_limits_are_those_of_the_definitions(monkeypatch, direction):
    metric = replace(registry["hand_till"], direction=direction)
    monkeypatch.setitem(registry._metrics, "hand_till", metric)
    sign = 1 if direction == "higher" else -1
    for alternative, margin, reference in product(ALTERNATIVES, (0.03, 0.4), ("t", "normal")):
        options = {"alternative": alternative, "margin": margin, "reference": reference}
        found = compare(Y, MODELS, ["hand_till"], **options)
        plain = compare(Y, MODELS, ["hand_till"], reference=reference)
        assert {**found.settings, **options} == found.settings
        for row, two_sided in zip(found.differences, plain.differences, strict=True):
            assert row.difference == two_sided.difference
            nu = row.degrees_of_freedom
            law = norm if reference == "normal" else t(nu)
            expected = p_value(
                alternative, sign * row.difference, row.standard_error, margin, law.sf
            )
            assert row.p_value == pytest.approx(expected, rel=1e-9)
            check_limits(row, sign, law)


def check_limits(row, sign: int, law) -> None:
    """The limits agree with the tests at 5 %, on the scale of what is better."""
    low, high, *_ = row.interval(0.95)
    reach = law.ppf(0.95) * row.standard_error
    ahead = sign * row.difference
    below, above = (low, high) if sign == 1 else (-high, -low)
    if row.alternative == "less":
        assert below == -math.inf and above == pytest.approx(ahead + reach)
        assert (above < -row.margin) == (row.p_value < 0.05)
    elif row.alternative == "equivalent":
        assert (below, above) == pytest.approx((ahead - reach, ahead + reach))
        assert (-row.margin < below and above < row.margin) == (row.p_value < 0.05)
    else:
        assert above == math.inf and below == pytest.approx(ahead - reach)
        bound = row.margin if row.alternative == "greater" else -row.margin
        assert (below > bound) == (row.p_value < 0.05)


def test_limits_of_a_bootstrap_are_percentiles():
    options = {"alternative": "noninferior", "margin": 0.05}
    for row in compare(Y, MODELS, ["hand_till"], method=Bootstrap(99, 1), **options).differences:
        low, high, *_ = row.interval(0.9)
        assert low == pytest.approx(np.quantile(row.replicates, 0.1)) and high == math.inf


def test_infinite_limits_are_none_in_json():
    made = compare(Y, MODELS, ["hand_till"], alternative="greater").to_dict()
    assert all(row["high"] is None and row["low"] is not None for row in made["differences"])


def test_conclusions_are_recounted():
    for alternative in ("two-sided", *ALTERNATIVES):
        margin = None if alternative in ("two-sided", "greater", "less") else 0.1
        found = compare(Y, MODELS, ["hand_till", "pdi"], alternative=alternative, margin=margin)
        for row in found.differences:
            text = row.conclusion(0.95)
            negated = "not shown" in text or "cannot be told apart" in text
            assert negated == (row.p_adjusted > 0.05)
            assert f"difference {row.difference:+.4f}" in text and row.model_a in text
    none = replace(found.differences[0], p_adjusted=math.nan)
    assert none.conclusion() == ""


def test_adjustment_over_all_rows():
    found = compare(Y, MODELS, ["hand_till", "pdi", "au1p"])
    every = found.adjusted("all")
    assert [row.p_adjusted for row in every.differences] == [
        row.p_adjusted for row in holm(list(found.differences))
    ]
    assert every.settings["adjusted_for"] == "pairs of models and metrics together"
    assert every.adjusted("pairs").differences == found.differences


def test_refusals():
    def refused(error, match, **options):
        with pytest.raises(error, match=match):
            compare(Y, MODELS, ["hand_till"], **options)

    refused(InvalidInput, "needs a margin", alternative="noninferior")
    refused(InvalidInput, "needs a margin", alternative="equivalent")
    refused(InvalidInput, "no meaning for a two-sided test", margin=0.1)
    refused(InvalidInput, "margin must be positive", alternative="equivalent", margin=0)
    refused(InvalidInput, "above 0.5", alternative="equivalent", margin=0.1, level=0.4)
    refused(InvalidInput, "margin must be at least 0", alternative="greater", margin=-0.1)
    refused(InvalidInput, "finite", alternative="greater", margin=math.inf)
    refused(InvalidInput, "less than 1, the range of hand_till", alternative="less", margin=5)
    refused(InvalidType, "margin must be a number", alternative="greater", margin="0.1")
    refused(InvalidInput, "alternative must be", alternative="better")
    refused(InvalidInput, "reference must be", reference="z")
    refused(InvalidInput, "shows whether models differ", method="permutation", alternative="less")
