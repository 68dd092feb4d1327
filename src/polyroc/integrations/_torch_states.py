"""What the objects for torchmetrics have in common: batches checked, results as tensors."""

from typing import Any, NamedTuple

import torch
from torchmetrics import Metric

from polyroc.errors import InvalidInput, InvalidType, NotDefined
from polyroc.integrations._options import NOT_PROBABILITIES, told_range
from polyroc.integrations._torch_settings import Settings
from polyroc.metrics import registry

Tensor = torch.Tensor


class TensorBatch(NamedTuple):
    """A batch of cases: positions of their classes, scores in columns, weights or None."""

    codes: Any
    scores: Any
    weights: Any


class StateMetric(Metric):
    """A metric of polyroc whose state is kept by torchmetrics."""

    is_differentiable = False
    full_state_update = False

    def __init__(self, settings: Settings, **options: Any) -> None:
        super().__init__(**options)
        self.settings = settings
        self._of_batch = False

    @property
    def higher_is_better(self) -> bool:  # type: ignore[override, unused-ignore]
        """Whether a higher value is better."""
        return registry[self.settings.name].direction == "higher"

    def forward(self, *given: Any, **named: Any) -> Any:
        """Add a batch and return the value of the batch alone, NaN where it has none."""
        self._of_batch = True
        try:
            return super().forward(*given, **named)
        finally:
            self._of_batch = False

    def compute(self) -> Any:
        """The value of all cases so far, with what is known of its uncertainty."""
        counts = self.class_counts()
        if not self._of_batch or self._whole(counts):
            return self._answer(self.values())
        return self._answer((float("nan"),) * len(self.parts))

    def _whole(self, counts: list[int]) -> bool:
        """Whether a batch has cases of the classes that it needs."""
        present = sum(count > 0 for count in counts)
        return present == len(counts) or (self.settings.absent == "skip" and present > 1)

    def _answer(self, found: tuple[float, ...]) -> Any:
        if found[0] != found[0] and not self._of_batch:
            raise NotDefined(self.reason)
        tensors = [torch.tensor(each, dtype=torch.float64, device=self.device) for each in found]
        if not self.settings.uncertainty:
            return tensors[0]
        names = [self.settings.name + part for part in self.parts]
        return dict(zip(names, tensors, strict=True))

    parts: tuple[str, ...] = ("",)
    """What is added to the name of the metric for each number that is returned."""
    reason = ""
    """Why there is no value."""

    def class_counts(self) -> list[int]:
        """Cases of each class so far."""
        raise NotImplementedError

    def values(self) -> tuple[float, ...]:
        """A number for each part."""
        raise NotImplementedError

    def read(self, preds: Any, target: Any, sample_weight: Any) -> TensorBatch:
        """A batch, checked; logits become probabilities."""
        settings = self.settings
        _check_shapes(preds, target, len(settings.classes))
        scores = preds.detach()
        if not bool(torch.isfinite(scores).all()):
            raise InvalidInput("The predictions contain NaN or infinite numbers. Pass finite ones.")
        if settings.logits:
            wide = scores.double()
            scores = torch.sigmoid(wide) if wide.ndim == 1 else torch.softmax(wide, dim=1)
        elif settings.logits is False and scores.numel():
            _check_range(float(scores.min()), float(scores.max()))
        return TensorBatch(_codes(target, settings.classes), scores, _weights(sample_weight, preds))


def _check_shapes(preds: Any, target: Any, n_classes: int) -> None:
    for name, given in (("preds", preds), ("target", target)):
        if not isinstance(given, Tensor):
            raise InvalidType(f"{name} must be a tensor, got {type(given).__name__}.")
    if not preds.is_floating_point():
        raise InvalidType(f"preds must be of a floating type, got {preds.dtype}.")
    if target.is_floating_point() or target.is_complex():
        raise InvalidType(f"target must contain whole numbers, got {target.dtype}.")
    n_cases = tuple(preds.shape[:1])
    wanted = (*n_cases, n_classes) if preds.ndim == 2 or n_classes > 2 else n_cases
    if not n_cases or tuple(preds.shape) != wanted or tuple(target.shape) != n_cases:
        raise InvalidInput(
            f"preds must have a row per case and {n_classes} columns, and target a number per "
            f"case, got the shapes {tuple(preds.shape)} and {tuple(target.shape)}."
        )


def _check_range(low: float, high: float) -> None:
    if low < 0 or high > 1:
        raise InvalidInput(f"{told_range(low, high)} {NOT_PROBABILITIES}")


def _codes(target: Any, classes: tuple[int, ...]) -> Any:
    """The position of each case's class."""
    listed = torch.tensor(classes, device=target.device)
    same = target.to(torch.int64)[:, None] == listed
    known = same.any(dim=1)
    if not bool(known.all()):
        unknown = int(target[~known][0])
        raise InvalidInput(
            f"target contains {unknown}, which is not among the classes "
            f"{', '.join(map(str, classes))}. Pass all of them as classes."
        )
    return same.to(torch.uint8).argmax(dim=1)


def _weights(sample_weight: Any, preds: Any) -> Any:
    if sample_weight is None:
        return None
    weights = torch.as_tensor(sample_weight, device=preds.device).detach().double()
    if tuple(weights.shape) != (len(preds),):
        raise InvalidInput(
            f"sample_weight has the shape {tuple(weights.shape)} but there are {len(preds)} cases."
        )
    return weights
