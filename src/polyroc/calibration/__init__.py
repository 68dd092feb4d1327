"""Calibration of the probabilities of K classes: recalibration, its tests, and what to do."""

from polyroc.calibration._recalibration import recalibration
from polyroc.calibration._result import Recalibration
from polyroc.calibration._tests import CalibrationTest, CalibrationTests

__all__ = ["CalibrationTest", "CalibrationTests", "Recalibration", "recalibration"]
