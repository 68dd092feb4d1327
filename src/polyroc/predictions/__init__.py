"""Predictions, the only way into polyroc: containers, classes and columns, weights and groups."""

from polyroc.predictions._predictions import Predictions

__all__ = ["Predictions"]
