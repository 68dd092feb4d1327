"""Metrics of polyroc as objects of torchmetrics, for training loops and Lightning.

    from polyroc.integrations.torchmetrics import metric

    m = metric("hand_till", classes=10)
    for x, y in batches:
        m.update(model(x).softmax(dim=1), y)
    m.compute()      # {"hand_till": …, "hand_till_standard_error": …}, tensors

Several processes give the same bits as one. Needs ``pip install 'polyroc[torch]'``.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from polyroc._base.checks import check_choice, flag, shown, whole_number
from polyroc.errors import InvalidInput, InvalidType, NotDefined
from polyroc.integrations._options import checked_logits
from polyroc.integrations._torch_settings import MANTISSA_BITS, Settings
from polyroc.metrics import registry
from polyroc.typing import Absent

if TYPE_CHECKING:
    from polyroc.integrations._torch_states import StateMetric

__all__ = ["metric"]


def metric(
    name: str,
    *,
    classes: int | Sequence[int],
    certified: bool = False,
    absent: Absent = "raise",
    logits: bool | None = False,
    uncertainty: bool = True,
    mantissa_bits: int = MANTISSA_BITS,
    **options: Any,
) -> "StateMetric":
    """A metric as an object of torchmetrics.

    Parameters
    ----------
    name : of a metric in :data:`polyroc.registry`.
    classes : the number of classes, which targets number 0 … K − 1, or the whole numbers that
        stand for the classes, in the order of the columns of scores.
    certified : False keeps all cases, and the value is exact. True keeps counts in bins of the
        scores, a memory that does not grow, and the value lies between two bounds for certain;
        for M, AU1P, AUNU, AUNP, the AUC, AUC_mu, and for metrics of class means, whose bounds
        meet. Cases are counted, so that weights are an error.
    absent : a class without cases: ``"raise"`` an error, or ``"skip"`` it. The value of a single
        batch, which ``forward`` returns, is NaN where the batch lacks a class that it needs.
    logits : False: predictions are probabilities, and any outside of 0 … 1 are an error; True: they
        are logits, and softmax is applied in double precision (the logistic function to one
        column); None: they are scores of any kind, used as they are, not with ``certified``.
    uncertainty : whether ``compute`` also returns the standard error, or the bounds. False: the
        value alone, as a scalar, which Lightning's ``self.log(name, metric)`` needs.
    mantissa_bits : of certified metrics: one more halves the width of the bins and doubles the
        memory, which is K² × 2^mantissa_bits × 800 bytes or so.
    **options : of ``torchmetrics.Metric``, such as ``dist_sync_on_step``.

    Returns
    -------
    torchmetrics.Metric
        ``update(preds, target, sample_weight=None)`` takes (n, K) predictions, or (n,) those of
        the second of two classes, and n whole numbers. ``compute()`` returns a dict of scalars:
        ``{"hand_till": value, "hand_till_standard_error": error}``, or for a certified metric
        ``{"hand_till": middle, "hand_till_low": low, "hand_till_high": high}``.

    Notes
    -----
    The states are joined by concatenation, and those of a certified metric by sums, minima and
    maxima of whole arrays. Cases are put into one order before anything is computed, so that the
    result does not depend on how they were divided into batches and processes. A sampler that
    repeats cases to give every process the same number changes the result.
    """
    from polyroc.scale._extras import required

    for module in ("torch", "torchmetrics"):
        required(module, "torch")
    check_choice(absent, "absent", ("raise", "skip"))
    settings = Settings(
        registry[name].name,
        _checked_classes(classes),
        absent,
        checked_logits(logits),
        flag(uncertainty, "uncertainty"),
        whole_number(mantissa_bits, "mantissa_bits", 1, 14),
    )
    registry[name].check_classes(len(settings.classes))
    if not flag(certified, "certified"):
        from polyroc.integrations._torch_exact import ExactMetric

        return ExactMetric(settings, **options)
    _check_summary(settings)
    from polyroc.integrations._torch_certified import certified_metric

    return certified_metric(settings, **options)


def _checked_classes(classes: Any) -> tuple[int, ...]:
    if not isinstance(classes, (str, bytes)) and hasattr(classes, "__len__"):
        listed = tuple(whole_number(each, "a class", -(1 << 62)) for each in classes)
    elif isinstance(classes, bool) or not isinstance(classes, int):
        raise InvalidType(
            f"classes must be the number of classes or a list of whole numbers, got "
            f"{shown(classes)}. Targets in a training loop are whole numbers."
        )
    else:
        listed = tuple(range(classes))
    if len(listed) < 2 or len(set(listed)) < len(listed):
        raise InvalidInput(f"classes must be two or more different ones, got {shown(classes)}.")
    return listed


def _check_summary(settings: Settings) -> None:
    from polyroc.scale._evaluation import OF_MARGINS, OF_MEANS, OF_PAIRS

    offered = (*OF_PAIRS, *OF_MARGINS, *OF_MEANS)
    if settings.name not in offered:
        raise NotDefined(
            f"{settings.name} cannot be computed from counts of a fixed size, which offer "
            f"{', '.join(offered)}. Pass certified=False to keep all cases."
        )
    if settings.logits is None:
        raise InvalidInput(
            "A certified metric counts probabilities in bins between 0 and 1, and logits=None "
            "means scores of any kind. Pass logits=True or False, or certified=False."
        )
