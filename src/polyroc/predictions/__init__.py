"""Predictions, the only way into polyroc: containers, classes and columns, weights and groups."""

from polyroc.predictions._predictions import Predictions, predictions_of

__all__ = ["Predictions", "predictions_of"]
