"""Simulations that go round their cases, and may be stopped and resumed."""

import argparse
import json
import time
from collections.abc import Callable, Iterable
from pathlib import Path

ROOT = Path(__file__).parents[1]


def go_round(
    about: str | None,
    name: str,
    cases: Iterable[str],
    advance: Callable[[dict, str, int], bool],
    write: Callable[[dict], None],
) -> None:
    """Each case gets some runs before one gets the next; counts are kept under ``--cache``."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--cache", type=Path, default=ROOT / ".benchmarks" / f"{name}.json")
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--minutes", type=float, default=30)
    options = parser.parse_args()
    options.cache.parent.mkdir(parents=True, exist_ok=True)
    kept = json.loads(options.cache.read_text()) if options.cache.exists() else {}
    end, busy = time.monotonic() + 60 * options.minutes, True
    while busy and time.monotonic() < end:
        busy = False
        for case in cases:
            if time.monotonic() < end:
                busy |= advance(kept, case, options.runs)
                options.cache.write_text(json.dumps(kept))
    write(kept)
