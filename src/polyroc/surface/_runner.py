"""The search for a ROC surface: checked options, progress, interruption, checkpoints."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from types import FrameType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from polyroc._base.checks import flag, is_real, repeats, shown, whole_number
from polyroc._base.parallel import one_blas_thread, thread_count
from polyroc._base.random import seed_of
from polyroc._storage.checkpoint import Autosave, Checkpoint
from polyroc._storage.lock import sole_run
from polyroc.errors import InvalidInput, InvalidType
from polyroc.surface._checkpoint import checkpoint_of, restore, save
from polyroc.surface._cost_space import CostBounds, checked_alpha, cost_space
from polyroc.surface._evolution import Evolution, Settings
from polyroc.surface._front import RocSurface, surface_of
from polyroc.surface._objectives import ObjectivesLike, checked_objectives
from polyroc.surface._progress import SearchProgress
from polyroc.surface._strategies import SearchStrategy, Strategy, checked_strategy
from polyroc.surface.models.model import Model
from polyroc.typing import RandomState

TOLERANCE = 0.005
"""Least growth of G, as a share of it, for which 10,000 further evaluations are spent."""

MOST_POINTS = 50_000
"""Points of a front that is searched no further: with four classes or more nearly every trade-off
is a new point, each of which is compared with all others, and G grows without an end in sight."""


def search_once(
    model: Model,
    *,
    generations: int,
    costs_per_generation: int = 100,
    objectives: ObjectivesLike = "pairs",
    alpha: ArrayLike | None = None,
    cost_bounds: CostBounds | None = None,
    strategy: Strategy | SearchStrategy = "inherit",
    rng: RandomState = None,
    checkpoint: Any = None,
    progress: bool = False,
    tolerance: float | None = None,
    n_threads: int | None = None,
) -> RocSurface:
    """One search; the options are those of :func:`polyroc.surface.search`."""
    generations = whole_number(generations, "generations", least=0)
    known = (alpha, cost_bounds)
    settings = _settings(model, costs_per_generation, objectives, strategy, known)
    file = None if checkpoint is None else checkpoint_of(checkpoint)
    threads = None if n_threads is None else thread_count(n_threads)
    shows = flag(progress, "progress")
    end = End(generations, _checked_tolerance(tolerance, settings))
    with nullcontext() if file is None else sole_run(file.path):
        evolution = Evolution(model, settings, _seed(rng, file), threads)
        with one_blas_thread():  # its threads slow small products down
            _run(evolution, end, file, SearchProgress(generations, shown=shows))
    return surface_of(evolution, end.reason(evolution))


def _settings(
    model: Model,
    costs: int,
    objectives: ObjectivesLike,
    strategy: Strategy | SearchStrategy,
    costs_known: tuple[Any, CostBounds | None],
) -> Settings:
    """Checked settings of a search; of the costs are known ``alpha`` and bounds."""
    alpha, bounds = costs_known
    how, classes = checked_strategy(strategy), model.cases.classes
    weights = None if alpha is None else checked_alpha(alpha, len(classes))
    space = cost_space(bounds, None if weights is None else np.array(weights), classes)
    return Settings(
        repeats(costs, "costs_per_generation", least=1),
        checked_objectives(objectives),
        how.costs,
        weights,
        space.bounds,
        how.selection,
    )


def check_model(model: Any) -> None:
    if not isinstance(model, Model):
        raise InvalidType(
            f"model must be a polyroc.surface.Model, got {shown(model)}. "
            "Use KnnModel, MlpModel, LinearModel or ScoreModel, or subclass Model."
        )
    if not hasattr(model, "cases"):
        raise InvalidInput("The model has no labelled cases. Give it some with model.on(X, y).")


@dataclass(frozen=True)
class End:
    """When a search ends."""

    generations: int
    tolerance: float

    def reached(self, evolution: Evolution) -> bool:
        """Whether there is nothing more to do."""
        return self.reason(evolution) != "interrupted"

    def reason(self, evolution: Evolution) -> str:
        """``"converged"``, ``"points"``, ``"generations"``, or ``"interrupted"`` before the end."""
        if evolution.converged(self.tolerance):
            return "converged"
        if self.tolerance > 0 and evolution.archive.size >= MOST_POINTS:
            return "points"
        return "generations" if evolution.generation >= self.generations else "interrupted"


def _run(evolution: Evolution, end: End, file: Checkpoint | None, line: SearchProgress) -> None:
    with _interruption() as stopped, line:
        restored = file is not None and restore(file, evolution)
        if restored and end.reached(evolution):
            return  # all there is to know is in the file, which need not be writable
        if not restored:
            evolution.begin()
        if file:
            save(file, evolution)  # a file that cannot be written is better known now
        keeping = Autosave("search", partial(save, file, evolution) if file else None)
        while not (end.reached(evolution) or stopped.is_set()):
            evolution.advance()
            line.of(evolution)
            keeping.if_due()
    keeping.at_the_end()


@contextmanager
def _interruption() -> Iterator[threading.Event]:
    """An event that Ctrl-C sets; a second Ctrl-C interrupts at once.

    A generation is never cut in two, so that what is returned or saved can be resumed bit for bit.
    A handler that a host program has installed without Python stays: it could not be put back.
    """
    stopped = threading.Event()
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or before is None:
        yield stopped
        return

    def handle(number: int, frame: FrameType | None) -> None:
        if stopped.is_set():
            raise KeyboardInterrupt
        stopped.set()

    signal.signal(signal.SIGINT, handle)
    try:
        yield stopped
    finally:
        signal.signal(signal.SIGINT, before)


def _checked_tolerance(tolerance: float | None, settings: Settings) -> float:
    if tolerance is None:
        return 0.0 if settings.strategy == "paper" else TOLERANCE
    if not (is_real(tolerance) and 0 <= tolerance < 1):
        raise InvalidInput(f"tolerance must be a share from 0 to below 1, got {shown(tolerance)}.")
    return float(tolerance)


def _seed(rng: RandomState, file: Checkpoint | None) -> int:
    """The seed given; that of the checkpoint where there is one and no number is given."""
    if file is not None and file.exists() and not isinstance(rng, (int, np.integer)):
        return file.seed()
    return seed_of(rng)
