"""What every integration asks: a metric with its options, and whether scores are logits."""

import inspect
from typing import Any

from polyroc._base.checks import shown
from polyroc.errors import InvalidType
from polyroc.metrics import registry
from polyroc.metrics.declaration import Metric

_FROM_THE_CALL = ("y_true", "y_score", "labels", "sample_weight")

Options = tuple[tuple[str, Any], ...]


def asked_metric(name: str, options: dict[str, Any]) -> tuple[Metric, Options]:
    """A metric by name, and the options that its function has."""
    metric = registry[name]
    known = inspect.signature(metric.function).parameters
    allowed = [each for each in known if each not in _FROM_THE_CALL]
    unknown = [each for each in options if each not in allowed]
    if unknown:
        raise InvalidType(
            f"{name} has no option {', '.join(unknown)}. Its options are {', '.join(allowed)}."
        )
    return metric, tuple(options.items())


def checked_logits(logits: Any) -> bool | None:
    """True: softmax is applied; False: they are probabilities; None: scores as they are."""
    if logits is None or isinstance(logits, bool):
        return logits
    raise InvalidType(f"logits must be True, False or None, got {shown(logits)}.")


NOT_PROBABILITIES = (
    "Pass logits=True if these are logits, to which softmax is to be applied, or logits=None to "
    "evaluate the scores as they are."
)


def told_range(low: float, high: float) -> str:
    """What is wrong with scores that were said to be probabilities."""
    worst = low if low < 0 else high
    return f"The scores should be probabilities, but there is {shown(round(worst, 4))} among them."
