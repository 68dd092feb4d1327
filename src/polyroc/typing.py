"""Names for the kinds of values that pass between modules."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

Label: TypeAlias = str | int | bool
FloatArray: TypeAlias = NDArray[np.floating[Any]]
Float64Array: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.integer[Any]]
Int64Array: TypeAlias = NDArray[np.int64]
BoolArray: TypeAlias = NDArray[np.bool_]

LabelsLike: TypeAlias = Any  # sequence, array, Series, categorical or tensor of labels
ScoresLike: TypeAlias = Any  # sequence, array, frame or tensor of scores
WeightsLike: TypeAlias = Any
PriorsLike: TypeAlias = Mapping[Any, float] | Sequence[float] | NDArray[Any]
RandomState: TypeAlias = int | np.random.Generator | None

Ties: TypeAlias = Literal["fair", "strict", "lenient"]
Absent: TypeAlias = Literal["raise", "skip"]
