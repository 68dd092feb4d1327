"""Calibration of the probabilities of K classes: is it right, how far off is it, and repair.

The wrapper for scikit-learn, and what is about costs, are loaded when they are first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from polyroc.calibration._curves import CalibrationCurves, ReliabilityCurve, calibration_curves
from polyroc.calibration._error import CalibrationError, calibration_error
from polyroc.calibration._recalibration import recalibration
from polyroc.calibration._result import Recalibration
from polyroc.calibration._tests import CalibrationTest, CalibrationTests

if TYPE_CHECKING:
    from polyroc.calibration._cost_calibration import CostCalibration, cost_calibration
    from polyroc.calibration._recalibrated import Recalibrated

_HOMES = {
    "CostCalibration": "_cost_calibration",
    "Recalibrated": "_recalibrated",
    "cost_calibration": "_cost_calibration",
}

__all__ = [
    "CalibrationCurves",
    "CalibrationError",
    "CalibrationTest",
    "CalibrationTests",
    "CostCalibration",
    "Recalibrated",
    "Recalibration",
    "ReliabilityCurve",
    "calibration_curves",
    "calibration_error",
    "cost_calibration",
    "recalibration",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'polyroc.calibration' has no attribute {name!r}")
    home = import_module(f"polyroc.calibration.{_HOMES[name]}")
    value = globals()[name] = getattr(home, name)
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
