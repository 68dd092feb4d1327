"""Calibration of the probabilities of K classes: is it right, how far off is it, and repair."""

from polyroc.calibration._curves import CalibrationCurves, ReliabilityCurve, calibration_curves
from polyroc.calibration._error import CalibrationError, calibration_error
from polyroc.calibration._recalibration import recalibration
from polyroc.calibration._result import Recalibration
from polyroc.calibration._tests import CalibrationTest, CalibrationTests

__all__ = [
    "CalibrationCurves",
    "CalibrationError",
    "CalibrationTest",
    "CalibrationTests",
    "Recalibration",
    "ReliabilityCurve",
    "calibration_curves",
    "calibration_error",
    "recalibration",
]
