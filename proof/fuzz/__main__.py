"""Fuzzing with coverage: ``python proof/fuzz [--seconds N | --runs N] [--record FILE] [TARGET …]``.

Each target runs in a process of its own, guided by atheris to inputs that reach new code of
polyroc. An input is a crash if anything but a result or an error of polyroc in one line comes of
it, if it takes too long or too much memory, or if it writes, starts or runs anything. Needs
``pip install atheris``, which has wheels for Linux.
"""

import argparse
import json
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from running import Outcome, run_input, run_target

HERE = Path(__file__).parent
NAMES = (
    "csv",
    "npz",
    "parquet",
    "parquet_stream",
    "arrow",
    "surface_load",
    "search_checkpoint",
    "study_checkpoint",
    "summary_load",
    "costs",
    "predictions",
    "cli_arguments",
)


def main() -> int:
    options = _options()
    folder = Path(options.crashes or tempfile.mkdtemp(prefix="polyroc-fuzz-"))
    folder.mkdir(parents=True, exist_ok=True)
    if options.input:
        return _again(options.targets, Path(options.input))
    limits = (options.seconds, options.runs, options.seed, folder)
    with ThreadPoolExecutor(options.jobs) as pool:
        found = []
        for outcome in pool.map(lambda name: run_target(name, *limits), options.targets or NAMES):
            print(outcome.line(), flush=True)
            for crash in outcome.crashes:
                print(_shown(crash, outcome), flush=True)
            found.append(outcome)
    if not any(folder.iterdir()):
        folder.rmdir()
    if options.record:
        _record(Path(options.record), found)
    return 1 if any(outcome.failed for outcome in found) else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python proof/fuzz", description=__doc__)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=f"of {', '.join(NAMES)}")
    limit = parser.add_mutually_exclusive_group()
    limit.add_argument("--seconds", type=int, default=5, help="for each target (default 5)")
    limit.add_argument("--runs", type=int, help="inputs for each target")
    parser.add_argument("--jobs", type=int, default=2, help="targets at a time (default 2)")
    parser.add_argument("--seed", type=int, default=1, help="of the mutations (default 1)")
    parser.add_argument("--record", metavar="FILE", help="write the figures as JSON")
    parser.add_argument("--crashes", metavar="FOLDER", help="where inputs that crash are kept")
    parser.add_argument("--input", metavar="FILE", help="try one input again, such as a crash")
    options = parser.parse_args()
    unknown = [name for name in options.targets if name not in NAMES]
    if unknown:
        parser.error(f"there is no target {unknown[0]!r}; there are {', '.join(NAMES)}")
    return options


def _again(targets: list[str], path: Path) -> int:
    """Try one input with one target."""
    (name,) = targets
    with tempfile.TemporaryDirectory() as folder:
        return run_input(name, path.resolve(), Path(folder))


def _shown(crash: Path, outcome: Outcome) -> str:
    """A crash with the bytes that bring it about, and what was said."""
    content = crash.read_bytes()
    start = f"{content[:200]!r}{' …' if len(content) > 200 else ''}"
    return f"  {crash} ({len(content)} bytes): {start}\n  {outcome.reason}"


def _record(path: Path, found: list[Outcome]) -> None:
    import atheris
    import numpy
    import pyarrow

    import polyroc

    versions = {
        "python": sys.version.split()[0],
        "polyroc": polyroc.__version__,
        "numpy": numpy.__version__,
        "pyarrow": pyarrow.__version__,
        "atheris": getattr(atheris, "__version__", "unknown"),
    }
    targets = [outcome.to_dict() for outcome in found]
    path.write_text(json.dumps({"versions": versions, "targets": targets}, indent=2) + "\n")


if __name__ == "__main__":
    sys.exit(main())
