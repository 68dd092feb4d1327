"""The finished splits of a study in a checkpoint."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyroc._storage.checkpoint import Checkpoint
from polyroc._storage.paths import path_of
from polyroc.inference._study.splits import Finished

LARGEST = 1e100
"""No metric has larger values; means and squares of these exist."""


def checkpoint_of(path: Any) -> Checkpoint:
    """The file of a study."""
    return Checkpoint(path_of(path, "checkpoint"), "study")


def restore(file: Checkpoint, finished: Finished) -> None:
    """Take over what the file holds, if it is there; an error if it is of another study."""
    identity = finished.identity()  # what has none is better known now
    if not file.exists():
        return
    progress, arrays = file.load(identity)
    with file.distrusted():
        reasons, splits, values = progress["reasons"], arrays["splits"], arrays["values"]
        _check(reasons, splits)
        shape = (len(splits), len(finished.plan.estimators), len(finished.plan.metrics))
        sound = values.dtype == np.float64 and values.shape == shape
        if not sound or (np.abs(values) > LARGEST).any():
            raise ValueError("its values are not those of its splits")
        quiet = np.where(np.isnan(values), np.nan, values)  # a signalling NaN breaks arithmetic
        finished.values.update(zip(splits.tolist(), quiet, strict=True))
        finished.reasons.update({(e, m): reason for e, m, reason in reasons})


def save(file: Checkpoint, finished: Finished) -> None:
    """Write what is finished, if anything is."""
    splits = sorted(finished.values)
    if not splits:
        return
    reasons = [[e, m, reason] for (e, m), reason in finished.reasons.items()]
    values = np.array([finished.values[split] for split in splits])
    arrays = {"splits": np.array(splits), "values": values}
    file.save(finished.identity(), {"reasons": reasons}, arrays)


def _check(reasons: Any, splits: NDArray[Any]) -> None:
    if not (isinstance(reasons, list) and all(map(_is_reason, reasons))):
        raise ValueError("its reasons are not those of a study")
    whole = splits.ndim == 1 and splits.dtype == np.int64
    if not (whole and (splits >= 0).all() and (np.diff(splits) > 0).all()):
        raise ValueError("its splits are not increasing numbers from 0")


def _is_reason(each: Any) -> bool:
    """Whether it is a learner, a metric and why there is no value, in words."""
    return isinstance(each, list) and len(each) == 3 and all(isinstance(w, str) for w in each)
