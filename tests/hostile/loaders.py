"""Everything that reads a file, with what people do next with what was read."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from hostile import seeds

from polyroc.errors import PolyrocError
from polyroc.inference._study import checkpoint as studies
from polyroc.metrics import hand_till
from polyroc.readers import read_features, read_predictions
from polyroc.scale import PairSummary, evaluate_parquet
from polyroc.surface import RocSurface
from polyroc.surface import _checkpoint as searches

ROWS_TO_USE = 1000
"""What has more rows is read but not computed with, to try more files in the same time."""


class Loader(NamedTuple):
    """A reader of files, and valid files for it."""

    read: Callable[[Path], Any]
    seeds: Callable[[], Sequence[bytes]]


def predictions(path: Path) -> None:
    """A table of predictions, by both readers."""
    try:
        features = read_features(path)
        repr(features), features.describe(), features.classes
    except PolyrocError:
        pass  # most tables of predictions are no tables of features
    found = read_predictions(path)
    repr(found), found.roles.describe()
    for model in found.models:
        made = found.predictions(model, absent="skip")
        if len(made) <= ROWS_TO_USE:
            hand_till(found.y_true, found.models[model], labels=list(found.labels), absent="skip")


def streamed(path: Path) -> None:
    """A Parquet file piece by piece."""
    found = evaluate_parquet(path, target="y", exact=True, absent="skip", n_threads=1)
    repr(found), found.to_dict()


def surface(path: Path) -> None:
    """A surface, and what one asks of it."""
    found = RocSurface.load(path)
    repr(found), found.confusion, found.frame(), found.signed_distance()
    found.gini("monte_carlo", n_samples=50, rng=0, n_threads=1)
    for criterion in ("total_error", "farthest_from_chance"):
        repr(found.choose(criterion=criterion))
    if found.model is not None and len(found) and found.n_classes <= 50:
        width = {"scores": found.n_classes, "knn": 2}.get(found.model.name, 2)
        found.decide(np.full((2, width), 1 / width), 0)


def search_checkpoint(path: Path) -> None:
    """A stopped search: it goes on for a generation, and writes nothing here."""
    file = searches.checkpoint_of(path)
    file.seed()
    evolution = seeds.evolution(seeds.searched()[0])
    try:
        searches.restore(file, evolution)
    except PolyrocError as error:
        if "different model" not in str(error):
            raise
        evolution = seeds.evolution(seeds.searched()[1])
        searches.restore(file, evolution)
    evolution.advance()


def study_checkpoint(path: Path) -> None:
    """A stopped study."""
    file, finished = studies.checkpoint_of(path), seeds.finished()
    file.seed()
    studies.restore(file, finished)
    study = finished.study(10)
    if study is not None:
        repr(study), study.means(), study.to_dict()


def summary(path: Path) -> None:
    """A summary of predictions."""
    found = PairSummary.load(path)
    repr(found), found.to_bytes(), found.pairwise_auc()
    found.compute(absent="skip")


def costs(path: Path) -> None:
    """Costs for ``polyroc surface``."""
    from polyroc.cli.surface import read_costs

    read_costs(str(path), seeds.LABELS)


LOADERS = {
    "csv": Loader(predictions, seeds.csv),
    "npz": Loader(predictions, seeds.npz),
    "parquet": Loader(predictions, seeds.parquet),
    "arrow": Loader(predictions, seeds.arrow),
    "parquet_stream": Loader(streamed, seeds.parquet),
    "surface_load": Loader(surface, seeds.surface),
    "search_checkpoint": Loader(search_checkpoint, seeds.search_checkpoint),
    "study_checkpoint": Loader(study_checkpoint, seeds.study_checkpoint),
    "summary_load": Loader(summary, seeds.summary),
    "costs": Loader(costs, seeds.costs),
}
