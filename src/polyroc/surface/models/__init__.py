"""Classifiers whose parameters a search may vary."""

from polyroc.surface.models.averaged_knn import AveragedKnnModel
from polyroc.surface.models.knn import KnnModel
from polyroc.surface.models.linear import LinearModel
from polyroc.surface.models.mlp import MlpModel
from polyroc.surface.models.model import Model
from polyroc.surface.models.scores import ScoreModel

__all__ = ["AveragedKnnModel", "KnnModel", "LinearModel", "MlpModel", "Model", "ScoreModel"]
