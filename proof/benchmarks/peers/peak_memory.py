"""Peak memory against the number of cases, each side in a fresh process."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import numpy as np
from timing import probabilities, softmax_scores

from peers.contest import Rival, place
from peers.fresh_process import Peak, peak_of
from peers.multiclass_auc import OURS, PEERS, RIVALS, Cases
from peers.rows import Absence, Row, Spread
from peers.settings import Settings
from peers.work import Work

NAME, N_CLASSES = "peak_memory", 10
CHUNK = 100_000  # cases drawn at a time, so that making the input leaves little behind


def measure(settings: Settings) -> Iterator[Row]:
    sizes = settings.choose(tiny=(20_000,), quick=(2 * 10**5,), full=(10**5, 3 * 10**5, 10**6))
    quantities = settings.choose(
        tiny=("hand_till",),
        quick=("aunu", "auc_mu"),
        full=("hand_till", "aunu", "auc_mu", "auc_mu, read before"),
    )
    for n in sizes:
        for quantity in quantities:
            sizes_of_row = {"n": n, "K": N_CLASSES}
            peak = partial(peak_of, NAME, "prepared", n, quantity)
            left_out = partial(Rival.left_out, settings=settings)
            yield from memory_rows(NAME, quantity, sizes_of_row, RIVALS[quantity], peak, left_out)


def memory_rows(
    work: str,
    quantity: str,
    sizes: dict[str, int],
    rivals: list[Rival],
    peak: Callable[[str], Peak],
    absence_of: Callable[[Rival], Absence | None],
) -> Iterator[Row]:
    """Peaks of polyroc, whose name is empty, and of each rival that is not absent."""
    ours = peak("")
    for rival in rivals:
        row = Row(work, quantity, sizes, rival.peer, rival.call, "MB", Spread.of([ours.megabytes]))
        absence = absence_of(rival)
        if absence is not None:
            yield replace(row, absence=Absence(absence.reason))  # what is predicted are seconds
            continue
        theirs = peak(rival.name)
        yield replace(
            row,
            theirs=Spread.of([theirs.megabytes]),
            ratio=Spread.of([theirs.megabytes / ours.megabytes]),
            agreement=rival.agreement(place(quantity, sizes), ours.value, theirs.value),
        )


def prepared(n: int, quantity: str, rival: str) -> Callable[[], float]:
    """The call of a rival, or of polyroc, in a process that has warmed up on few cases."""
    prepare = OURS[quantity] if not rival else named(quantity, rival).prepare
    prepare(Cases.drawn(1_000, N_CLASSES))()
    return prepare(drawn_in_chunks(n))


def named(quantity: str, rival: str) -> Rival:
    return next(each for each in RIVALS[quantity] if each.name == rival)


def drawn_in_chunks(n: int) -> Cases:
    """Cases without copies of all scores on the way."""
    y, raw, p = np.empty(n, int), np.empty((n, N_CLASSES)), np.empty((n, N_CLASSES))
    for start in range(0, n, CHUNK):
        rows = slice(start, min(start + CHUNK, n))
        y[rows], raw[rows] = softmax_scores(rows.stop - start, N_CLASSES, seed=start)
        p[rows] = probabilities(raw[rows])
    return Cases(y, raw, p)


WORK = Work(
    name=NAME,
    title="Memory",
    axis="n",
    axis_title="cases n",
    peers=PEERS,
    about=(
        f"Peak memory of the same calls beyond their input (80 bytes a case: {N_CLASSES} classes), "
        "each in a fresh process."
    ),
    measure=measure,
)
