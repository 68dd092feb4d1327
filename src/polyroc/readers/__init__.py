"""Files of predictions or features: CSV, Parquet, Arrow and NPZ, read with their columns named.

Rows are counted from 0, as in Python; for text files messages also give the line.
"""

from polyroc.readers._cases import FileFeatures, read_features
from polyroc.readers._files import read_table
from polyroc.readers._predictions import FilePredictions, read_predictions
from polyroc.readers._readings import FileReadings, read_readings
from polyroc.readers._table import Table

__all__ = [
    "FileFeatures",
    "FilePredictions",
    "FileReadings",
    "Table",
    "read_features",
    "read_predictions",
    "read_readings",
    "read_table",
]
