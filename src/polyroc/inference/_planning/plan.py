"""``plan``: how many cases of each class, or what given numbers of them reach."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from polyroc._base.checks import check_choice, real_number, share
from polyroc._base.levels import check_level
from polyroc.errors import InvalidInput, InvalidType
from polyroc.inference._planning.allocation import (
    Prices,
    by_class,
    fewest,
    given_cases,
    is_total,
    shares_of,
)
from polyroc.inference._planning.edge import doubts, expected_half_width
from polyroc.inference._planning.gaussian import Assumed, read_pair_auc
from polyroc.inference._planning.reach import (
    Alternative,
    Test,
    check_value,
    detectable,
    freedom,
    power,
    standard_error,
)
from polyroc.inference._planning.readers import plan_of_readers
from polyroc.inference._planning.result import Plan
from polyroc.inference._planning.variation import (
    Obuchowski,
    Variation,
    of_paired_pilot,
    of_pilot,
)
from polyroc.inference._reader_study import ReaderStudy
from polyroc.metrics import registry
from polyroc.metrics.declaration import Metric
from polyroc.predictions import Predictions
from polyroc.predictions._weights import checked_priors
from polyroc.typing import Float64Array, PriorsLike

Method = Literal["influence", "normal", "delong", "obuchowski"]
METHODS = ("influence", "normal", "delong", "obuchowski")
ALTERNATIVES = ("two-sided", "greater", "less")


@dataclass(frozen=True)
class Asked:
    """What a plan is for."""

    cases: Any
    half_width: float | None
    power: float | None
    difference: float | None

    @classmethod
    def of(cls, cases: Any, half_width: Any, power: Any, difference: Any) -> "Asked":
        """Checked: cases are what is asked for, or what is given, not both."""
        wanted = half_width is not None or power is not None
        if cases is None and not wanted:
            raise InvalidInput(
                "A plan needs an aim. Pass half_width= or power= to get the cases needed, or "
                "cases= to get what they reach."
            )
        if cases is not None and half_width is not None:
            raise InvalidInput("cases= and half_width= exclude each other: one follows from it.")
        if cases is not None and power is not None and difference is not None:
            raise InvalidInput(
                "cases=, power= and difference= exclude each other: each follows from the other "
                "two. Leave one out."
            )
        if half_width is not None and not real_number(half_width, "half_width") > 0:
            raise InvalidInput(f"half_width must be positive, got {half_width:g}.")
        return cls(
            cases,
            None if half_width is None else float(half_width),
            None if power is None else share(power, "power"),
            None if difference is None else real_number(difference, "difference"),
        )

    @property
    def detects(self) -> bool:
        """Whether the smallest difference that given cases detect is looked for."""
        return self.cases is not None and self.power is not None


def plan(
    pilot: Predictions | Mapping[str, Predictions] | ReaderStudy | None = None,
    *,
    metric: str | None = None,
    cases: Any = None,
    half_width: float | None = None,
    power: float | None = None,
    difference: float | None = None,
    against: float | None = None,
    pair_auc: Any = None,
    allocation: Any = None,
    priors: PriorsLike | None = None,
    readers: int | None = None,
    level: float = 0.95,
    alternative: Alternative = "two-sided",
    method: Method = "influence",
) -> Plan:
    """Find how many cases of each class a study needs, or what given numbers of cases achieve.

    With c_k the variance of the influence values within class k, n_k cases of each class give the
    variance Σ_k c_k/n_k, and with it the half-width of the interval and the power of a test. From a
    pilot the half-width is that of the interval of :func:`evaluate` at the value of the pilot, also
    near the end of the range. The fewest cases have n_k ∝ √c_k, the cheapest n_k ∝ √(c_k / price of
    a case).

    Parameters
    ----------
    pilot : Predictions; a mapping of two names to Predictions of the same cases, for a paired
        comparison; a :func:`reader_study`; or None, with ``pair_auc``.
    metric : name, by default ``"hand_till"``; a reader study has its own.
    cases : given numbers of cases, to get what they achieve: one per class or a total. With
        ``power`` also the smallest difference that they detect.
    half_width : desired half-width of the confidence interval.
    power : desired probability that the test rejects in the right direction. With ``half_width``
        the plan has enough cases for both.
    difference : to be detected: of the value from ``against``, or between the two models, or
        between two modalities. By default the one in the pilot, which is itself uncertain.
    against : value tested against: by default that of chance, and 0 for a paired comparison, where
        ``against=-0.02, difference=0, alternative="greater"`` plans a test of non-inferiority.
    pair_auc : AUCs assumed in place of a pilot, in an equal-variance Gaussian model of log scores:
        a number for two classes, a table with a row per positive class, or a mapping such as
        ``{("a", "b"): 0.8, …}``.
    allocation : ``"best"`` (the fewest or cheapest cases, the default), ``"pilot"`` (its shares),
        ``"equal"``, shares by class, or :class:`polyroc.inference.Prices` of a case of each class.
    priors : for metrics that weight classes by priors, which are held fixed while the numbers of
        cases vary: by default the shares of the pilot, or equal ones.
    readers : number of readers, for a reader study.
    level : of the interval; the test has α = 1 − level.
    alternative : ``"two-sided"``, ``"greater"`` or ``"less"`` than ``against``.
    method : ``"influence"``, tests by t as :func:`compare` and :func:`evaluate` make them;
        ``"normal"``, the same with normal quantiles; ``"delong"``, a paired comparison whose
        critical value has the variance 2 Var₁ − 2 Cov; ``"obuchowski"``, one AUC with Obuchowski's
        binormal variance. The last two are those of the R package pROC.

    Examples
    --------
    >>> from polyroc import Predictions, plan
    >>> from polyroc.datasets import example_predictions
    >>> y_true, models, labels = example_predictions()
    >>> pilot = Predictions(y_true, models["logistic"], labels=labels)
    >>> plan(pilot, half_width=0.02).cases
    {'common': 132, 'frequent': 219, 'rare': 171}
    >>> plan(pair_auc=0.75, power=0.9, against=0.6).total
    134
    """
    check_level(level)
    check_choice(alternative, "alternative", ALTERNATIVES)
    check_choice(method, "method", METHODS)
    asked = Asked.of(cases, half_width, power, difference)
    if isinstance(pilot, ReaderStudy):
        others = {"metric": metric, "against": against, "pair_auc": pair_auc}
        others |= {
            "allocation": allocation,
            "priors": priors,
            "alternative": None if alternative == "two-sided" else alternative,
            "method": None if method == "influence" else method,
        }
        return plan_of_readers(pilot, readers, asked, level, others)
    if readers is not None:
        raise InvalidInput("readers= is for a reader study. Pass a ReaderStudy as the pilot.")
    chosen = registry["hand_till" if metric is None else metric]
    _check_half_width(asked.half_width, chosen, 2 if isinstance(pilot, Mapping) else 1)
    variation = _variation(pilot, pair_auc, chosen, priors, method)
    tested = _against(against, chosen, variation)
    test = Test(level, alternative, tested, method == "influence")
    words = _priors_in_words(chosen, priors, variation)
    return _planned(variation, test, asked, allocation, chosen, method, words)


def _check_half_width(half_width: float | None, metric: Metric, models: int) -> None:
    """Whether an interval says something: one as long as the range is reached by any cases."""
    most = models * (metric.highest - metric.lowest) / 2
    if half_width is not None and half_width >= most:
        what = metric.name if models == 1 else f"differences in {metric.name}"
        raise InvalidInput(
            f"half_width must be below {most:g}, half the range of {what}, got {half_width:g}."
        )


def _variation(
    pilot: Any, pair_auc: Any, metric: Metric, priors: PriorsLike | None, method: Method
) -> Variation:
    if (pilot is None) == (pair_auc is None):
        got = "neither" if pilot is None else "both"
        raise InvalidInput(f"Pass a pilot or pair_auc=, got {got}.")
    if priors is not None and not metric.prior_weighted:
        raise InvalidInput(f"{metric.name} does not depend on priors. Leave priors= out.")
    if method == "delong" and not isinstance(pilot, Mapping):
        raise InvalidInput(
            'method="delong" is for a paired comparison. Pass a mapping of two names to '
            'Predictions, or use method="normal".'
        )
    if method == "obuchowski":
        return _obuchowski(pilot, pair_auc, metric)
    if pilot is None:
        classes, matrix = read_pair_auc(pair_auc)
        equal = np.full(len(classes), 1 / len(classes))
        return Assumed.of(
            classes, matrix, metric, equal if priors is None else checked_priors(priors, classes)
        )
    if isinstance(pilot, Mapping):
        return of_paired_pilot(pilot, metric, priors, equal=method == "delong")
    return of_pilot(_predictions(pilot), metric, priors)


def _predictions(pilot: Any) -> Predictions:
    if not isinstance(pilot, Predictions):
        raise InvalidType(
            "pilot must be Predictions, a mapping of two names to Predictions or a ReaderStudy, "
            f"got {type(pilot).__name__}. Pass Predictions(y_true, y_score)."
        )
    return pilot


def _obuchowski(pilot: Any, pair_auc: Any, metric: Metric) -> Variation:
    if isinstance(pilot, Mapping):
        raise InvalidInput(
            'method="obuchowski" is for one AUC. Use method="influence" or method="delong" for '
            "two models."
        )
    if pilot is None:
        classes, matrix = read_pair_auc(pair_auc)
        value, shares = float(matrix[-1, 0]), None
    else:
        classes, shares = _predictions(pilot).classes, _predictions(pilot).priors
        value = metric.of(pilot) if len(classes) == 2 else np.nan
    if len(classes) != 2 or metric.name not in ("roc_auc", "hand_till"):
        raise InvalidInput(
            f'method="obuchowski" is for the AUC of two classes, got {metric.name} of '
            f'{len(classes)}. Use method="influence".'
        )
    made = Obuchowski.of(classes, value, ("Obuchowski's binormal variance",))
    return made if shares is None else made.with_shares(shares)


def _against(against: Any, metric: Metric, variation: Variation) -> float | None:
    if variation.models is not None:
        return 0.0 if against is None else real_number(against, "against")
    if against is None:
        chance = None if metric.chance is None else metric.chance(len(variation.classes))
        # A value at the end of the range has no logit, and nothing is tested against it.
        inside = chance is not None and metric.lowest < chance < metric.highest
        return chance if inside else None
    value = real_number(against, "against")
    if not metric.lowest < value < metric.highest:
        raise InvalidInput(
            f"against must lie between {metric.lowest:g} and {metric.highest:g}, the range of "
            f"{metric.name}, got {value:g}."
        )
    return value


def _planned(
    variation: Variation,
    test: Test,
    asked: Asked,
    allocation: Any,
    metric: Metric,
    method: Method,
    words: tuple[str, ...],
) -> Plan:
    variation = _assumed(variation, test, asked, metric)
    priced = allocation if isinstance(allocation, Prices) else None
    prices = None if priced is None else by_class(priced.by_class, "prices", variation.classes)
    wanted = allocation if priced is None else priced.allocation
    shares, how = shares_of("best" if wanted is None else wanted, variation, prices)
    if asked.cases is None:
        counts = _needed(variation, test, asked, shares)
    else:
        counts = given_cases(asked.cases, variation.classes, shares)
        how = how if is_total(asked.cases) else "numbers of cases as given"
    if asked.detects:
        variation = detectable(variation, counts, test, float(asked.power or 0))
    return Plan(
        metric=metric.name,
        cases=dict(zip(variation.classes, (int(n) for n in counts), strict=True)),
        half_width=expected_half_width(variation, counts, test),
        power=power(variation, counts, test),
        value=variation.value,
        against=test.against,
        standard_error=standard_error(variation, counts),
        degrees_of_freedom=freedom(variation, counts, test),
        level=test.level,
        alternative=test.alternative,
        method=method,
        models=variation.models,
        variances=dict(zip(variation.classes, variation.variances.tolist(), strict=True)),
        prices=None
        if prices is None
        else dict(zip(variation.classes, prices.tolist(), strict=True)),
        assumptions=(*variation.words, *words, how, *doubts(variation, counts, test)),
    )


def _assumed(variation: Variation, test: Test, asked: Asked, metric: Metric) -> Variation:
    """The variation at the value that the plan assumes."""
    if asked.difference is not None:
        if variation.models is not None:
            variation = variation.at(asked.difference)
        elif test.against is None:
            raise InvalidInput(
                f"difference= is the difference from against=, and {metric.name} has no value of "
                "chance within its range. Pass against=."
            )
        else:
            _check_in_range(test.against + asked.difference, metric)
            variation = variation.at(test.against + asked.difference)
    if asked.power is not None:
        if test.against is None:
            raise InvalidInput(
                f"power= is that of a test, and {metric.name} has no value of chance within "
                "its range to test against. Pass against=."
            )
        if not asked.detects:
            check_value(variation, test)
    return variation


def _check_in_range(value: float, metric: Metric) -> None:
    if not metric.lowest < value < metric.highest:
        raise InvalidInput(
            f"against= and difference= give {metric.name} = {value:.4g}, but it lies between "
            f"{metric.lowest:g} and {metric.highest:g}. Pass a smaller difference=."
        )


def _needed(variation: Variation, test: Test, asked: Asked, shares: Float64Array) -> Float64Array:
    """The fewest cases that reach everything that is wanted."""

    def reached(counts: Float64Array) -> bool:
        width = math.inf if asked.half_width is None else asked.half_width
        narrow = expected_half_width(variation, counts, test) <= width
        return narrow and (asked.power is None or power(variation, counts, test) >= asked.power)

    return fewest(reached, shares)


def _priors_in_words(
    metric: Metric, priors: PriorsLike | None, variation: Variation
) -> tuple[str, ...]:
    if not metric.prior_weighted:
        return ()
    of = "those given" if priors is not None else "equal" if variation.shares is None else ""
    return (f"priors fixed: {of or 'the shares of the pilot'}, whatever the numbers of cases",)
