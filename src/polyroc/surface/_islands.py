"""Several independent searches for one ROC surface, and the front of all that they found.

Searches that do not know of each other can run on any machine. Each has a seed of its own that
follows from the common one, and their archives are merged in the order of the islands: the same
number of islands gives the same surface, wherever and in whatever order they ran.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from polyroc._base.checks import repeats, shown
from polyroc._base.random import seed_of, stream
from polyroc.errors import InvalidInput, InvalidType
from polyroc.surface._archive import Archive
from polyroc.surface._costs import errors, matrices
from polyroc.surface._front import RocSurface
from polyroc.surface._objectives import Minimised, checked_objectives
from polyroc.surface._runner import search_once
from polyroc.surface.models.model import Model
from polyroc.typing import RandomState


def search_islands(
    model: Model,
    islands: int,
    client: Any = None,
    *,
    generations: int = 10_000,
    rng: RandomState = None,
    checkpoint: str | Path | None = None,
    **options: Any,
) -> RocSurface:
    """The front of ``islands`` searches of a model, each with a seed derived from one.

    Parameters
    ----------
    client : a ``distributed.Client`` whose workers search; None searches here, one after the other.
        The model travels to the workers, so it must be picklable.
    generations : at most so many of each island.
    rng : seed or generator, from which the seeds of the islands follow.
    checkpoint : not for islands, whose searches save nothing.
    options : of :func:`polyroc.surface.search`.

    Ctrl-C, where the search is here, stops it and returns the surface so far.

    Examples
    --------
    >>> from polyroc.surface import ScoreModel
    >>> model = ScoreModel([0, 1, 0, 1], [0.1, 0.35, 0.4, 0.8])
    >>> surface = search_islands(model, 2, rng=0, generations=5)
    >>> surface.rates
    array([[0. , 0.5],
           [0.5, 0. ]])
    >>> surface.provenance["islands"]
    2
    """
    islands = repeats(islands, "islands", least=1)
    if checkpoint is not None:
        raise InvalidInput(
            "Islands keep no checkpoint. Leave checkpoint= out, or search without islands=."
        )
    seed = seed_of(rng)
    seeds = [island_seed(seed, island) for island in range(islands)]
    options = {**options, "generations": generations, "progress": False}
    run = partial(_here, seeds) if client is None else partial(_on_workers, seeds, client)
    objectives = checked_objectives(options.get("objectives", "pairs"))
    return merged(run(model, options), model, seed, objectives)


def island_seed(seed: int, island: int) -> int:
    """The seed of one island."""
    return int(stream(seed, island).integers(2**63))


def _here(seeds: Sequence[int], model: Model, options: dict[str, Any]) -> list[RocSurface]:
    """One after the other, since each search uses the processors itself; up to an interruption."""
    found: list[RocSurface] = []
    for seed in seeds:
        found.append(_island(model, options, seed))
        if found[-1].provenance["stopped"] == "interrupted":
            break
    return found


def _on_workers(
    seeds: Sequence[int], client: Any, model: Model, options: dict[str, Any]
) -> list[RocSurface]:
    """A task per island; one whose worker is lost runs again, from the same seed."""
    if not hasattr(client, "submit") or not hasattr(client, "gather"):
        raise InvalidType(f"client must be a distributed.Client, got {shown(client)}.")
    sent = client.submit(_itself, model, pure=False)  # once, for all islands
    futures = [client.submit(_island, sent, options, seed, pure=False) for seed in seeds]
    found: list[RocSurface] = client.gather(futures)
    return found


def _itself(model: Model) -> Model:
    return model


def _island(model: Model, options: dict[str, Any], seed: int) -> RocSurface:
    """The surface of one island, without the model, which need not travel back."""
    return replace(search_once(model, rng=seed, **options), model=None)


def merged(
    surfaces: Sequence[RocSurface], model: Model, seed: int, objectives: Minimised
) -> RocSurface:
    """What no other member of any surface dominates; of equal points those of the first."""
    first = surfaces[0]
    archive = Archive(first.n_classes, first.parameters.shape[1], objectives)
    for surface in surfaces:
        archive.insert(surface.rates, errors(surface.costs), surface.parameters)
    order = np.lexsort(archive.rates.T[::-1])
    return RocSurface(
        archive.rates[order],
        matrices(archive.costs[order], first.n_classes),
        archive.parameters[order],
        first.classes,
        first.class_weights,
        _provenance(surfaces, seed),
        model,
    )


def _provenance(surfaces: Sequence[RocSurface], seed: int) -> dict[str, Any]:
    """That of the first island, with what all of them did."""
    sources = [surface.provenance for surface in surfaces]
    return {
        **sources[0],
        "seed": seed,
        "islands": len(sources),
        "island_seeds": [source["seed"] for source in sources],
        "generations": sum(source["generations"] for source in sources),
        "evaluations": sum(source["evaluations"] for source in sources),
        "stopped": _how_ended([source["stopped"] for source in sources]),
        "history": [],  # of no single search
        "island_histories": [source["history"] for source in sources],
    }


def _how_ended(ways: Sequence[str]) -> str:
    """How all islands ended: interrupted if one was, converged if all have."""
    for way in ("interrupted", "generations", "points"):
        if way in ways:
            return way
    return "converged"
