"""The exact metric: its state is all cases, joined and put into one order."""

from typing import Any

import numpy as np
import torch
from torchmetrics.utilities import dim_zero_cat

from polyroc.errors import InvalidInput
from polyroc.inference import estimate
from polyroc.integrations._torch_settings import Settings
from polyroc.integrations._torch_states import StateMetric
from polyroc.metrics import registry
from polyroc.predictions import Predictions
from polyroc.typing import Float64Array, FloatArray


class ExactMetric(StateMetric):
    """A metric of all cases that were passed.

    A case is a row of float64: the position of its class, its weight and its scores; the rows of
    all batches are one long vector, since a process without cases joins as an empty vector.
    """

    parts = ("", "_standard_error")
    cases: Any
    is_double: Any
    is_weighted: Any

    def __init__(self, settings: Settings, **options: Any) -> None:
        super().__init__(settings, **options)
        self._dtype = torch.float64  # of the vector that stands for no cases
        self.add_state("cases", default=[], dist_reduce_fx="cat")
        self.add_state("is_double", default=torch.tensor(0), dist_reduce_fx="max")
        self.add_state("is_weighted", default=torch.tensor(0), dist_reduce_fx="max")

    def update(self, preds: Any, target: Any, sample_weight: Any = None) -> None:
        """Add a batch: predictions, classes and weights."""
        batch = self.read(preds, target, sample_weight)
        scores = batch.scores.double()
        if scores.ndim == 1:  # the other column is not known
            scores = torch.stack([torch.full_like(scores, torch.nan), scores], dim=1)
        weights = torch.ones(len(scores)) if batch.weights is None else batch.weights
        parts = [batch.codes.double()[:, None], weights.to(scores)[:, None], scores]
        self.cases.append(torch.cat(parts, dim=1).reshape(-1))
        is_double = batch.scores.dtype == torch.float64
        self.is_double = torch.clamp(self.is_double, min=int(is_double))
        self.is_weighted = torch.clamp(self.is_weighted, min=int(sample_weight is not None))

    def class_counts(self) -> list[int]:
        codes = self._rows()[:, 0].astype(np.int64)
        counts: list[int] = np.bincount(codes, minlength=len(self.settings.classes)).tolist()
        return counts

    def values(self) -> tuple[float, ...]:
        rows = _in_one_order(self._rows())
        if not len(rows):
            raise InvalidInput("The metric has no cases yet. Update it with some first.")
        predictions = self._predictions(rows)
        if not self.settings.uncertainty:
            return (registry[self.settings.name].function(predictions),)
        found = estimate(predictions, metric=self.settings.name)
        self.reason = found.note
        return found.value, found.standard_error

    def _rows(self) -> Float64Array:
        if not len(self.cases):
            return np.empty((0, len(self.settings.classes) + 2))
        joined: Float64Array = dim_zero_cat(self.cases).cpu().numpy()
        return joined.reshape(-1, len(self.settings.classes) + 2)

    def _predictions(self, rows: Float64Array) -> Predictions:
        classes = np.array(self.settings.classes)
        return Predictions(
            classes[rows[:, 0].astype(np.int64)],
            self._scores(rows[:, 2:]),
            labels=classes,
            sample_weight=rows[:, 1] if int(self.is_weighted) else None,
            absent=self.settings.absent,
        )

    def _scores(self, scores: Float64Array) -> FloatArray:
        """Scores as they came: in single precision where all did, one column where all did."""
        given = scores if int(self.is_double) else scores.astype(np.float32)
        one_column = np.isnan(scores[:, 0])
        if one_column.all():
            return given[:, 1]
        if one_column.any():
            raise InvalidInput(
                "Some batches have one column of scores and some have one per class. Pass all "
                "batches in the same way."
            )
        return given


def _in_one_order(rows: Float64Array) -> Float64Array:
    """Sorted, so that sums over cases have the same bits whoever brought them."""
    return rows[np.lexsort(rows.T)]
