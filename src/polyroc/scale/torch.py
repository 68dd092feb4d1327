"""Metrics of tensors, computed where the tensors are: on a GPU, or on a CPU.

    import torch
    from polyroc import scale

    scale.torch.evaluate(y, p)["hand_till"].interval()     # y, p on any one device
    scale.torch.compare(y, {"new": p, "old": q}).frame()   # models on the same cases
    scale.torch.pairwise_auc(y, p)                         # a K × K tensor beside them

Counts are whole numbers, so the values are those of :mod:`polyroc.metrics`, ties included. Needs
``pip install 'polyroc[torch]'``.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from polyroc._base.checks import check_choice, whole_number
from polyroc._base.random import seed_of
from polyroc.errors import InvalidInput, NotDefined
from polyroc.predictions._scores import SUM_TOLERANCE
from polyroc.results import Estimate
from polyroc.scale._device_cases import check_tensor, memory_for, present_positions, read_cases
from polyroc.scale._device_gini import dominated_share
from polyroc.scale._device_pairs import credit_sums
from polyroc.scale._device_placements import pair_moments
from polyroc.scale._extras import Tensor, required
from polyroc.statistics.pairs import tie_credit
from polyroc.typing import Absent, RandomState, Ties

if TYPE_CHECKING:
    from polyroc.metrics.declaration import Occasion
    from polyroc.scale._certified import CertifiedEvaluation
    from polyroc.scale._comparison import CertifiedComparison
    from polyroc.scale._device_evaluation import DeviceCases, DeviceMeasures

OFFERED = ("hand_till", "au1p", "aunu", "aunp", "roc_auc", "auc_mu")


def pairwise_auc(
    y: Tensor,
    p: Tensor,
    *,
    labels: Sequence[int] | None = None,
    ties: Ties = "fair",
    absent: Absent = "raise",
    memory: int | None = None,
) -> Tensor:
    """AUC(k|r) of all ordered pairs of classes as a K × K tensor, as :func:`polyroc.pairwise_auc`.

    Parameters
    ----------
    y : (n,) whole numbers or booleans, the class of each case.
    p : (n, K) scores of a floating type on the same device, or (n,) those of the second of two
        classes. float16 and bfloat16 are compared as float32.
    labels : the K numbers that stand for the classes in ``y``; by default 0 … K − 1.
    ties : credit of a tie: ``"fair"`` shares it, ``"strict"`` gives none, ``"lenient"`` all of it.
    absent : a class without cases: ``"raise"`` an error, or ``"skip"``: NaN.
    memory : bytes for a batch of columns; by default half of what is free on the device.

    Few positives are sorted and all cases looked up among them; for many, the column is sorted:
    O(K n log n) at most.
    """
    from polyroc.scale._device_evaluation import means_of

    tie_credit(ties)
    cases, classes, allowed = read_cases(y, p, labels, memory)
    credit = credit_sums(cases, ties, allowed)
    present_positions(cases, classes, absent)  # while the device is at work
    return means_of(credit, cases)


class PairwiseEstimates(NamedTuple):
    """AUC(k|r) of all ordered pairs of classes, row k, with NaN on the diagonal."""

    value: Tensor
    """(K, K) values."""
    standard_error: Tensor
    """(K, K) standard errors: NaN where a class has one case, or every case agrees on the value."""


def evaluate_pairs(
    y: Tensor,
    p: Tensor,
    *,
    labels: Sequence[int] | None = None,
    absent: Absent = "raise",
    memory: int | None = None,
) -> PairwiseEstimates:
    """AUC(k|r) of all ordered pairs with standard errors, as :func:`polyroc.evaluate_pairs`.

    The variances are DeLong's. Parameters are those of :func:`pairwise_auc`; a tie counts one half.
    O(K n log n).
    """
    from polyroc.metrics.question import NO_VARIATION
    from polyroc.scale._device_evaluation import means_of

    cases, classes, allowed = read_cases(y, p, labels, memory)
    present_positions(cases, classes, absent)
    credit, positives, others = pair_moments(cases, allowed)
    n = cases.counts.double()
    own, other = n[:, None], n[None, :]
    variance = positives / (4 * other**2 * own * (own - 1))
    variance += others / (4 * own**2 * other * (other - 1))
    error = variance.sqrt().fill_diagonal_(math.nan)
    known = (error > NO_VARIATION) & (own > 1) & (other > 1)
    return PairwiseEstimates(means_of(credit, cases), error.masked_fill_(~known, math.nan))


def evaluate(
    y: Tensor,
    p: Tensor,
    metrics: Iterable[str] | str | None = None,
    *,
    labels: Sequence[int] | None = None,
    ties: Ties = "fair",
    absent: Absent = "raise",
    interval: Literal["influence"] | None = "influence",
    memory: int | None = None,
) -> "CertifiedEvaluation":
    """M, AU1P, AUNU, AUNP and AUC_mu of tensors, and the AUC of two classes.

    Both bounds of each metric are its value. Standard errors are those of
    :func:`polyroc.evaluate`, from the placement of every case in every column.

    Parameters
    ----------
    metrics : names, ``"all"``, or None: those that differ for the number of classes.
    interval : ``"influence"``, or None: values alone, in less than half of the time.
    y, p, labels, ties, absent, memory : see :func:`pairwise_auc`.
    """
    with_errors = _with_errors(interval)
    cases, chosen = _asked(y, p, metrics, labels, ties, absent, memory)
    return cases.measure(chosen, with_errors).evaluation()


def compare(
    y: Tensor,
    models: Mapping[str, Tensor],
    metrics: Iterable[str] | str | None = None,
    *,
    labels: Sequence[int] | None = None,
    ties: Ties = "fair",
    absent: Absent = "raise",
    memory: int | None = None,
) -> "CertifiedComparison":
    """Differences of metrics of models on the same cases, with standard errors and tests.

    The standard errors are those of :func:`polyroc.compare` with ``reference="normal"``, from the
    placements of the same cases by both models; so are limits and p values. Holm's adjustment is
    over all rows.

    Parameters
    ----------
    models : the scores of each model by its name, each as ``p`` of :func:`evaluate`.
    metrics : names, ``"all"``, or None: those that differ for the number of classes.
    y, labels, ties, absent, memory : see :func:`pairwise_auc`.
    """
    from polyroc.scale._comparison import CertifiedComparison, checked_models
    from polyroc.scale._device_evaluation import differences

    measures: dict[str, DeviceMeasures] = {}
    for name, p in checked_models(models, "scores").items():
        cases, chosen = _asked(y, p, metrics, labels, ties, absent, memory)
        first = next(iter(measures.values()), None)
        if first is not None and cases.classes != first.of.classes:
            raise InvalidInput(
                f"The scores of {name!r} have {len(cases.classes)} columns, those of "
                f"{next(iter(measures))!r} {len(first.of.classes)}. Pass a column per class."
            )
        measures[name] = cases.measure(chosen if first is None else first.metrics, True)
    evaluations = {name: each.evaluation() for name, each in measures.items()}
    return CertifiedComparison(evaluations, differences(measures))


def gini(
    rates: Tensor,
    n_classes: int,
    *,
    n_samples: int = 1_000_000,
    rng: RandomState = None,
    memory: int | None = None,
) -> Estimate:
    """G of a ROC surface by Monte Carlo on the device of its rates, as ``surface.gini``.

    ``rates`` is an (m, D) tensor of error rates in [0, 1], D = K(K − 1). The same seed gives the
    same estimate on the same kind of device; NumPy's samples are others.
    """
    torch = required("torch", "torch")
    n_classes = whole_number(n_classes, "n_classes", least=2)
    n_samples = whole_number(n_samples, "n_samples", least=1)
    check_tensor(rates, "rates")
    n_rates = n_classes * (n_classes - 1)
    if rates.ndim != 2 or rates.shape[1] != n_rates:
        raise InvalidInput(
            f"rates must have a row per point and {n_rates} columns, one per error of {n_classes} "
            f"classes, got the shape {tuple(rates.shape)}."
        )
    if not bool(((rates >= 0) & (rates <= 1)).all()):
        raise InvalidInput("rates must lie between 0 and 1. Divide errors by the cases of a class.")
    seed = seed_of(rng)
    generator = torch.Generator(rates.device).manual_seed(seed)
    allowed = memory_for(memory, rates)
    share = dominated_share(rates.double(), n_classes, n_samples, generator, allowed)
    error = math.sqrt(share * (1 - share) / n_samples) or math.nan  # all samples agree: unknown
    sampled = {"n_samples": n_samples, "seed": seed, "device": rates.device.type}
    settings = {"n_classes": n_classes, **sampled}
    return Estimate("gini", share, error, "monte carlo", settings=settings)


# What is asked for


def _asked(
    y: Tensor,
    p: Tensor,
    metrics: Iterable[str] | str | None,
    labels: Sequence[int] | None,
    ties: Ties,
    absent: Absent,
    memory: int | None,
) -> tuple["DeviceCases", list[Any]]:
    """Checked cases of one model, and the metrics."""
    from polyroc.metrics.declaration import Occasion
    from polyroc.scale._device_evaluation import DeviceCases

    tie_credit(ties)
    cases, classes, allowed = read_cases(y, p, labels, memory)
    n_present = len(present_positions(cases, classes, absent))
    occasion = Occasion(n_present, len(y), n_present > 2 or _one_sum(p))
    chosen = _chosen(metrics, occasion)
    return DeviceCases(cases, classes, n_present, ties, allowed), chosen


def _with_errors(interval: str | None) -> bool:
    if interval is not None:
        check_choice(interval, "interval", ("influence",))
    return interval is not None


def _one_sum(p: Tensor) -> bool:
    """Whether the scores of every case have the same sum."""
    if p.ndim == 1 or p.shape[1] == 1:
        return True
    sums = p.double().sum(dim=1)
    return float(sums.max() - sums.min()) <= SUM_TOLERANCE * max(1.0, float(p.abs().max()))


def _chosen(names: Iterable[str] | str | None, occasion: "Occasion") -> list[Any]:
    from polyroc.metrics import registry

    offered = [registry[name] for name in OFFERED]
    if names is None:
        return [metric for metric in offered if metric.by_default(occasion)]
    if isinstance(names, str) and names == "all":
        return [metric for metric in offered if occasion.n_classes in metric.classes]
    chosen = registry.named(names)
    for metric in chosen:
        if metric.name not in OFFERED:
            raise NotDefined(
                f"{metric.name} is not computed on tensors, only {', '.join(OFFERED)} are. "
                "Use polyroc.evaluate, which takes tensors on the CPU."
            )
    return chosen
