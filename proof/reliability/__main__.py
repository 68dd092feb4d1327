"""Measure how far the package can be trusted, and write docs/reliability.md.

    python proof/reliability                  every step, about an hour on two cores
    python proof/reliability fuzz mutation    some steps; the figures of the others stay
    python proof/reliability --render         the page from the figures as they are

Needs ``pip install -e '.[test,benchmark,torch,boosting,mlflow]' atheris``, Chromium, R with pROC,
and valgrind. Each step runs commands that can be run alone and leaves its figures in
docs/reliability/. A failure ends the measurement; that of fuzzing or mutation, if they left figures
that tell of it, ends it after the other steps.
"""

import argparse
import subprocess
import sys
from pathlib import Path

from page import branch_shares, write_page
from steps import RECORDS, STEPS, TELLING


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("steps", nargs="*", choices=[*STEPS, []], help="what to measure anew")
    parser.add_argument("--render", action="store_true", help="measure nothing, write the page")
    parser.add_argument(
        "--measured",
        type=Path,
        metavar="FOLDER",
        help="with the marks of tests, which are then not run again for the branches",
    )
    parser.add_argument(
        "--at-least", type=float, default=0, metavar="PERCENT", help="of branches, or it fails"
    )
    options = parser.parse_args()
    every = [name for name in STEPS if name != "branches"]  # they are measured with the tests
    chosen = [] if options.render else options.steps or every
    failed = []
    for name in chosen:
        print(f"== {name}", flush=True)
        figures = written(name)
        try:
            STEPS[name](*([options.measured] if name == "branches" else []))
        except subprocess.CalledProcessError:
            if name not in TELLING or written(name) == figures:
                raise
            failed.append(name)
    print(f"Written: {write_page()}")
    shares = branch_shares()
    print("Branches taken:", ", ".join(f"{name} {share:.1f} %" for name, share in shares.items()))
    faults = [f"Failed, as the page says: {', '.join(failed)}."] if failed else []
    if min(shares.values()) < options.at_least:
        faults.append(f"Fewer than {options.at_least:g} %.")
    if faults:
        sys.exit(" ".join(faults))


def written(name: str) -> int | None:
    """When the figures of a step were written."""
    record = RECORDS / f"{name}.json"
    return record.stat().st_mtime_ns if record.exists() else None


if __name__ == "__main__":
    main()
