"""Metrics of tensors, computed where the tensors are: on a GPU, or on a CPU.

    import torch
    from polyroc import scale

    scale.torch.evaluate(y, p)["hand_till"].low        # y, p on any one device
    scale.torch.pairwise_auc(y, p)                     # a K × K tensor beside them

Counts are whole numbers, so the values are those of :mod:`polyroc.metrics`, ties included. Needs
``pip install 'polyroc[torch]'``.
"""

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from polyroc._base.checks import shown, whole_number
from polyroc._base.random import seed_of
from polyroc.errors import InvalidInput, InvalidType, NotDefined
from polyroc.predictions._classes import listed, present_classes
from polyroc.predictions._scores import SUM_TOLERANCE
from polyroc.results import Estimate
from polyroc.scale._device_gini import dominated_share
from polyroc.scale._device_margins import margin_credit_sums
from polyroc.scale._device_pairs import Grouped, credit_sums, grouped
from polyroc.scale._extras import Tensor, required
from polyroc.statistics.pairs import tie_credit
from polyroc.typing import Absent, Float64Array, RandomState, Ties

if TYPE_CHECKING:
    from polyroc.metrics.declaration import Occasion
    from polyroc.scale._certified import CertifiedEvaluation

OFFERED = ("hand_till", "au1p", "aunu", "aunp", "roc_auc", "auc_mu")

MEMORY = 1 << 30
"""Bytes for a batch of columns where a device does not say how much is free."""


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
    cases, classes = _read(y, p, labels)
    _present(cases, classes, absent)
    tie_credit(ties)
    credit = credit_sums(cases, ties, _memory(memory, p))
    return _means(credit, cases)


def evaluate(
    y: Tensor,
    p: Tensor,
    metrics: Iterable[str] | str | None = None,
    *,
    labels: Sequence[int] | None = None,
    ties: Ties = "fair",
    absent: Absent = "raise",
    memory: int | None = None,
) -> "CertifiedEvaluation":
    """M, AU1P, AUNU, AUNP and AUC_mu of tensors, and the AUC of two classes; options as above.

    Both bounds of each metric are its value. There are no standard errors: they need the placement
    of every case, which :func:`polyroc.evaluate` computes. By default those that differ for the
    number of classes; AUC_mu about doubles the work.
    """
    from polyroc.metrics.declaration import Occasion
    from polyroc.scale._certified import CertifiedEvaluation

    cases, classes = _read(y, p, labels)
    present = _present(cases, classes, absent)
    tie_credit(ties)
    occasion = Occasion(len(present), len(y), len(present) > 2 or _one_sum(p))
    chosen = _chosen(metrics, occasion)
    allowed = _memory(memory, p)
    credit = credit_sums(cases, ties, allowed)
    margins = None
    if any(metric.name == "auc_mu" for metric in chosen):
        margins = _halved(margin_credit_sums(cases, ties, allowed))
    counts = np.array(cases.sizes)
    values = _values(chosen, classes, counts, present, _halved(credit), margins)
    matrix: Float64Array = _means(credit, cases).cpu().numpy()
    return CertifiedEvaluation(values, dict(zip(classes, cases.sizes, strict=True)), matrix, matrix)


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
    _check_tensor(rates, "rates")
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
    share = dominated_share(rates.double(), n_classes, n_samples, generator, _memory(memory, rates))
    error = math.sqrt(share * (1 - share) / n_samples) or math.nan  # all samples agree: unknown
    sampled = {"n_samples": n_samples, "seed": seed, "device": rates.device.type}
    settings = {"n_classes": n_classes, **sampled}
    return Estimate("gini", share, error, "monte carlo", settings=settings)


# Reading tensors


def _read(y: Tensor, p: Tensor, labels: Sequence[int] | None) -> tuple[Grouped, tuple[int, ...]]:
    """Checked cases, grouped by class, and the classes."""
    torch = required("torch", "torch")
    _check_tensor(y, "y")
    _check_tensor(p, "p")
    if y.device != p.device:
        raise InvalidInput(f"y is on {y.device} and p on {p.device}. Move both to one device.")
    if p.ndim == 1:
        p = torch.stack([-p, p], dim=1)
    if y.ndim != 1 or p.ndim != 2 or len(y) != len(p) or not len(y):
        raise InvalidInput(
            f"y has the shape {tuple(y.shape)} and p {tuple(p.shape)}. Pass one label and one row "
            "of scores per case."
        )
    if not p.is_floating_point():
        raise InvalidType(f"p has the type {p.dtype}; expected scores. Pass p.double().")
    p = p.detach()
    p = p if p.dtype in (torch.float32, torch.float64) else p.float()
    _check_finite(p)
    classes = _classes(labels, p.shape[1])
    return grouped(p, _codes(y, classes)), classes


def _check_finite(p: Tensor) -> None:
    """Whether all scores are finite: one pass over memory where they are."""
    torch = required("torch", "torch")
    if math.isfinite(p.sum(dtype=torch.float64).item()):
        return
    finite = torch.isfinite(p)  # large numbers may add up to infinity
    if not bool(finite.all()):
        row, column = (~finite).nonzero()[0].tolist()
        raise InvalidInput(
            f"p holds {p[row, column].item()} in row {row}, column {column}. Scores must be finite."
        )


def _check_tensor(values: Any, name: str) -> None:
    torch = required("torch", "torch")
    if not isinstance(values, torch.Tensor) or values.layout != torch.strided:
        kind = getattr(values, "layout", type(values).__name__)
        raise InvalidType(
            f"{name} must be a dense torch tensor, got {kind}. Use polyroc.evaluate for arrays."
        )


def _classes(labels: Sequence[int] | None, n_columns: int) -> tuple[int, ...]:
    classes = tuple(range(n_columns)) if labels is None else tuple(labels)
    whole = all(isinstance(label, (int, np.integer)) for label in classes)
    if not whole or len(set(classes)) != n_columns or n_columns < 2:
        raise InvalidInput(
            f"p has {n_columns} columns and the classes are {listed(classes)}. Pass at least two "
            "columns, and in labels= a different whole number for each."
        )
    return tuple(int(label) for label in classes)


def _codes(y: Tensor, classes: tuple[int, ...]) -> Tensor:
    """Positions of the labels among the classes."""
    torch = required("torch", "torch")
    if y.is_floating_point() or y.is_complex():
        raise InvalidType(f"y has the type {y.dtype}; expected whole numbers. Pass y.long().")
    y = y.long()
    if classes == tuple(range(len(classes))):
        low, high = (int(end) for end in torch.aminmax(y))
        if low >= 0 and high < len(classes):
            return y
        strays, codes = (y < 0) | (y >= len(classes)), y
    else:
        known, places = torch.tensor(classes, device=y.device).sort()
        found = torch.searchsorted(known, y).clamp_(max=len(classes) - 1)
        strays, codes = known[found] != y, places[found]
    if bool(strays.any()):
        row = int(strays.nonzero()[0])
        raise InvalidInput(
            f"y has the label {y[row].item()} in row {row}, which is not among the classes "
            f"{listed(classes)}. Name the classes of the columns in labels=."
        )
    return codes


def _present(cases: Grouped, classes: tuple[int, ...], absent: Absent) -> Any:
    """Positions of the classes with cases."""
    if absent not in ("raise", "skip"):
        raise InvalidInput(f'absent must be "raise" or "skip", got {shown(absent)}.')
    one_each = np.repeat(np.arange(len(classes)), np.minimum(cases.sizes, 1))
    return present_classes(one_each, classes, absent)


def _memory(memory: int | None, values: Tensor) -> int:
    if memory is not None:
        return whole_number(memory, "memory", least=1)
    torch = required("torch", "torch")
    if values.device.type != "cuda":
        return MEMORY
    free: int = torch.cuda.mem_get_info(values.device)[0]
    cached = torch.cuda.memory_reserved(values.device) - torch.cuda.memory_allocated(values.device)
    return int((free + cached) // 2)


# Values


def _means(credit: Tensor, cases: Grouped) -> Tensor:
    """Credit per pair, NaN on the diagonal and for classes without cases."""
    pairs = 2 * cases.counts[:, None] * cases.counts
    means = credit.double() / pairs.double()
    return means.fill_diagonal_(math.nan)


def _halved(credit: Tensor) -> Float64Array:
    """Twice the credit as credit."""
    halved: Float64Array = credit.double().cpu().numpy() / 2
    return halved


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


def _values(
    chosen: list[Any],
    classes: tuple[int, ...],
    counts: Any,
    present: Any,
    credit: Float64Array,
    margins: Float64Array | None,
) -> tuple[Any, ...]:
    """The formulas of the registry over the sums."""
    from polyroc.scale._certified import Certified
    from polyroc.statistics.margins import Margins
    from polyroc.statistics.pairs import Pairs

    pairs, nothing = np.ix_(present, present), np.zeros((len(present),) * 2)
    shared: dict[str, Any] = {
        "classes": tuple(classes[k] for k in present),
        "weights": counts[present].astype(np.float64),
    }
    found: dict[Any, Any] = {
        Pairs: Pairs(above=credit[pairs], tied=nothing, excess=nothing, **shared)
    }
    if margins is not None:
        found[Margins] = Margins(above=margins[pairs], tied=nothing, **shared)

    def certified(metric: Any) -> Certified:
        limits = (metric.lowest, metric.highest)
        try:
            value = metric.at(found[metric.statistic])
        except NotDefined as reason:
            return Certified(metric.name, math.nan, math.nan, note=str(reason), range=limits)
        note = "no standard error: only sums over pairs are computed on a device"
        return Certified(metric.name, value, value, math.nan, note, limits)

    return tuple(certified(metric) for metric in chosen)
