"""Exact volumes that ROC surfaces dominate, against moocore's hypervolume."""

from collections.abc import Callable, Iterator

import numpy as np

from peers.contest import Contest, Rival
from peers.rows import Row
from peers.settings import Settings
from peers.work import Work
from polyroc.surface._gini import gini

NAME = "gini_volume"

DEFINITION = (
    "moocore has the volume that points dominate in the whole cube; G is the share of the part "
    "below the plane of chance, which moocore cannot restrict itself to. The row of the "
    "hypervolume has polyroc's kernel with that plane beyond the cube: the same number."
)


def moocore(points: np.ndarray) -> Callable[[], float]:
    from moocore import hypervolume

    return lambda: hypervolume(points, ref=1)


def our_hypervolume(points: np.ndarray) -> Callable[[], float]:
    from gini import whole_cube

    return lambda: whole_cube(points)


def our_gini(points: np.ndarray) -> Callable[[], float]:
    return lambda: gini(points, 3, method="exact", n_threads=1).value


def measure(settings: Settings) -> Iterator[Row]:
    sizes = settings.choose(tiny=(20,), quick=(30, 100, 200), full=(30, 100, 300, 1_000, 2_000))
    points = surface_points(settings)
    cube = [Rival("moocore", "hypervolume", moocore, 1e-10)]
    below = [Rival("moocore", "hypervolume", moocore, None, DEFINITION, lambda ours, theirs: None)]
    contests = [
        Contest(NAME, "hypervolume", our_hypervolume, cube, settings),
        Contest(NAME, "gini", our_gini, below, settings),
    ]
    for m in sizes:
        some = points[np.random.default_rng(m).choice(len(points), m, replace=False)]
        for contest in contests:
            yield from contest.at(m, {"points": m, "K": 3}, some)


def surface_points(settings: Settings) -> np.ndarray:
    """Error rates of a searched surface, no one dominating another."""
    from gini import searched_rates

    return searched_rates(settings.choose(tiny=1_000, quick=1_000, full=20_000))


WORK = Work(
    name=NAME,
    title="Volumes of ROC surfaces",
    axis="points",
    axis_title="points",
    peers=("moocore",),
    about=(
        "Exact volume that points of a three-class ROC surface (six error rates) dominate, on one "
        "thread."
    ),
    measure=measure,
)
