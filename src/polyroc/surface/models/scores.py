"""Fixed scores of any classifier: only the costs vary."""

import copy
from typing import Self

import numpy as np

from polyroc.errors import NotDefined
from polyroc.predictions import Predictions, predictions_of
from polyroc.predictions._gate import read_rows
from polyroc.predictions._scores import (
    Origin,
    column_fault,
    complement,
    normalized,
    row_fault,
)
from polyroc.surface._cases import Cases
from polyroc.surface.models.model import Model
from polyroc.typing import Float64Array, LabelsLike, ScoresLike, WeightsLike


class ScoreModel(Model):
    """Predicted probabilities that stay as they are; there are no parameters.

    Parameters
    ----------
    y_true, y_score, labels, sample_weight : as everywhere; rows must be probabilities.
    normalize : divide each row of scores by its sum first.
    """

    name = "scores"
    remembered = ("normalize",)
    noise = np.zeros(0)

    def __init__(
        self,
        y_true: LabelsLike | Predictions,
        y_score: ScoresLike | None = None,
        *,
        labels: LabelsLike | None = None,
        sample_weight: WeightsLike | None = None,
        normalize: bool = False,
    ) -> None:
        self.normalize = normalize
        predictions = predictions_of(y_true, y_score, labels, sample_weight, normalize=normalize)
        n_cases = len(predictions)
        self.classes = predictions.classes
        self.cases = Cases(
            predictions.classes,
            predictions.codes.astype(np.int64),
            np.array(predictions.case_weights, dtype=np.float64),
            np.arange(n_cases),
            n_cases,
            predictions.groups is not None,
        )
        self.take(np.array(predictions.probabilities("ScoreModel"), dtype=np.float64))

    def check(self) -> None:
        if not isinstance(self.normalize, bool):
            raise ValueError("whether it normalizes scores is neither true nor false")

    def draw(self, rng: np.random.Generator) -> Float64Array:
        return np.zeros(0)

    def probabilities(self, parameters: Float64Array) -> Float64Array:
        return self.X

    def at(self, X: ScoresLike) -> Self:
        """The same decisions for other cases; ``X`` are their scores."""
        given = read_rows(X, list(self.classes))
        origin = Origin(given.names, None, given.declared.columns)
        rows = given.table[:, list(given.declared.columns)]
        one_column = rows.shape[1] == 1
        if self.normalize:
            rows = normalized(rows, origin)
        fault = column_fault(rows, origin) if one_column else row_fault(rows, origin)
        if fault:
            raise NotDefined(f"Decisions by costs need probabilities, but {fault}.")
        rows = complement(rows) if one_column else rows
        other = copy.copy(self)
        vars(other).pop("cases", None)
        other.take(np.ascontiguousarray(rows, dtype=np.float64))
        return other

    def on(self, X: ScoresLike, y: LabelsLike, *, sample_weight: WeightsLike | None = None) -> Self:
        """The same decisions with their errors counted on other cases."""
        classes = list(self.classes)
        return type(self)(
            y, X, labels=classes, sample_weight=sample_weight, normalize=self.normalize
        )
