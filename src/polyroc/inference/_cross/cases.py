"""The cases of a cross-validation, checked before anything is fitted."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyroc.errors import InvalidInput
from polyroc.inference._study.plan import class_codes, number_of_cases
from polyroc.predictions._classes import classes_of
from polyroc.predictions._containers import read_labels, read_weights
from polyroc.predictions._groups import read_groups
from polyroc.predictions._rows import rows_by_position
from polyroc.predictions._weights import checked_weights
from polyroc.typing import Float64Array, IntArray, Label, LabelsLike, WeightsLike


@dataclass(frozen=True)
class Cases:
    """Features and classes of cases, and what else is known of them."""

    X: Any
    y: NDArray[Any]
    codes: IntArray
    classes: tuple[Label, ...]
    sample_weight: Float64Array | None
    groups: NDArray[np.intp] | None

    def units(self, rows: NDArray[Any]) -> Float64Array:
        """Cases, or groups, of each class among these cases; those of weight 0 do not count."""
        if self.sample_weight is not None:
            rows = rows[self.sample_weight[rows] > 0]
        unit = np.arange(len(self.codes)) if self.groups is None else self.groups
        pairs = np.unique(np.column_stack([self.codes[rows], unit[rows]]), axis=0)
        return np.bincount(pairs[:, 0], minlength=len(self.classes)).astype(np.float64)

    @classmethod
    def of(
        cls,
        X: Any,
        y: LabelsLike,
        labels: LabelsLike | None,
        sample_weight: WeightsLike | None,
        groups: Any,
    ) -> "Cases":
        """Checked: one label, and one weight and group if there are any, per row of X."""
        values, classes = read_labels(y)[0], classes_of(y, labels)
        codes = class_codes(values, classes, "A cross-validation")
        n_cases = number_of_cases(X)
        if n_cases != len(codes):
            raise InvalidInput(
                f"X has {n_cases} cases but y has {len(codes)}. Pass one label per case."
            )
        rows_by_position({"X": X, "y": y, "sample_weight": sample_weight, "groups": groups})
        if sample_weight is not None:
            checked_weights(sample_weight, n_cases)
            sample_weight = read_weights(sample_weight)
        together = None if groups is None else read_groups(groups)
        if together is not None and len(together) != n_cases:
            raise InvalidInput(
                f"groups has {len(together)} values but there are {n_cases} cases. "
                "Pass one group per case."
            )
        return cls(X, np.array(values.tolist()), codes, classes, sample_weight, together)
