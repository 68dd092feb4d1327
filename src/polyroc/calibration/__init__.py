"""Calibration of the probabilities of K classes: is it right, how far off is it, and repair.

The wrapper for scikit-learn is loaded when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from polyroc.calibration._curves import CalibrationCurves, ReliabilityCurve, calibration_curves
from polyroc.calibration._error import CalibrationError, calibration_error
from polyroc.calibration._recalibration import recalibration
from polyroc.calibration._result import Recalibration
from polyroc.calibration._tests import CalibrationTest, CalibrationTests

if TYPE_CHECKING:
    from polyroc.calibration._recalibrated import Recalibrated

__all__ = [
    "CalibrationCurves",
    "CalibrationError",
    "CalibrationTest",
    "CalibrationTests",
    "Recalibrated",
    "Recalibration",
    "ReliabilityCurve",
    "calibration_curves",
    "calibration_error",
    "recalibration",
]


def __getattr__(name: str) -> Any:
    if name != "Recalibrated":
        raise AttributeError(f"module 'polyroc.calibration' has no attribute {name!r}")
    value = globals()[name] = import_module("polyroc.calibration._recalibrated").Recalibrated
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
