"""One processor: the same bits as with several, and nothing that waits for a thread of its own."""

import os
from pathlib import Path
from typing import Any

import pytest
from faults.processes import EXAMPLE, command, in_child
from faults.writers import cases

from polyroc import Bootstrap

if not hasattr(os, "sched_setaffinity"):
    pytest.skip("processors are assigned to processes on Linux only", allow_module_level=True)


def on_one_core() -> None:
    os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])


def everything_with_threads() -> dict[str, Any]:
    """What uses threads, as texts that hold every bit."""
    from polyroc import hand_till
    from polyroc._base.parallel import map_threads, thread_count
    from polyroc.inference import evaluate
    from polyroc.scale import PairSummary
    from polyroc.surface import KnnModel, search
    from polyroc.surface import _rates as rates

    rates._WORTH_A_THREAD = 0
    y, scores = cases(3000)
    found = search(KnnModel(scores[:90, :2], y[:90]), generations=4, rng=1)
    resampled = evaluate(y, scores, ["hand_till"], interval=Bootstrap(200), rng=1)
    summary = PairSummary([0, 1, 2]).update(y, scores).to_bytes()
    nested = map_threads(lambda n: map_threads(lambda m: n * m, range(3)), range(40))
    return {
        "threads": thread_count(),
        "nested": nested,
        "hand_till": hand_till(y, scores).hex(),
        "rates": [value.hex() for value in found.rates.ravel().tolist()],
        "bootstrap": resampled["hand_till"].standard_error.hex(),
        "summary": summary.hex(),
    }


@pytest.mark.slow
def test_the_same_bits(tmp_path: Path) -> None:
    one = in_child(everything_with_threads, folder=tmp_path, before=on_one_core)
    more = in_child(everything_with_threads, folder=tmp_path)
    assert one.pop("threads") == 1
    assert more.pop("threads") == len(os.sched_getaffinity(0))
    assert one == more


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        (
            "evaluate",
            EXAMPLE,
            "--interval",
            "bootstrap",
            "--seed",
            "1",
            "-m",
            "hand_till",
            "--json",
        ),
        ("surface", EXAMPLE, "--model", "forest", "--generations", "5", "--seed", "1", "--json"),
        ("compare", EXAMPLE, "--json"),
    ],
    ids=lambda words: words[0],
)
def test_commands_print_the_same(words: tuple[str, ...]) -> None:
    one, more = command(*words, before=on_one_core), command(*words)
    assert one == more
    assert one.code == 0 and one.said == ""


@pytest.mark.slow
def test_more_workers_than_processors(tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    y, X = cases(60)
    rows = [f"{a},{b},{label}" for (a, b, _), label in zip(X, y, strict=True)]
    table.write_text("\n".join(["u,v,class", *rows]))
    words = ("study", table, "--learners", "shrunken", "--splits", "6", "--seed", "1", "--json")
    one = command(*words, "--jobs", "3", before=on_one_core)
    assert one.code == 0 and one == command(*words)
