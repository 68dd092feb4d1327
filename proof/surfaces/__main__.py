"""What the intervals and tests of ROC surfaces achieve, by simulation.

Run: python proof/surfaces NAME [--seconds 200] [--jobs 1], NAME one of standard_errors,
difference, cross_fitted, limits. Runs have seeds of their own and are kept in a file
(--kept FILE), so that a later call goes on with more of them; the table is that of all.
"""

import argparse
import json
import sys
import time
from pathlib import Path

from joblib import Parallel, delayed

sys.path.insert(0, str(Path(__file__).parent))
import cross_fitted
import difference
import limits
import standard_errors

PARTS = {
    "standard_errors": standard_errors,
    "difference": difference,
    "cross_fitted": cross_fitted,
    "limits": limits,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", choices=list(PARTS))
    parser.add_argument("--seconds", type=float, default=200.0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--kept", type=Path, default=None)
    options = parser.parse_args()
    part, kept = PARTS[options.name], options.kept
    lines = kept.read_text().splitlines() if kept and kept.exists() else []
    found = [json.loads(line) for line in lines]
    begun = time.monotonic()
    with Parallel(n_jobs=options.jobs) as parallel:
        while time.monotonic() - begun < options.seconds and len(found) < part.MOST:
            seeds = range(len(found), min(len(found) + options.jobs, part.MOST))
            new = parallel(delayed(part.run)(seed) for seed in seeds)
            found += new
            if kept:
                with kept.open("a") as file:
                    file.writelines(json.dumps(each) + "\n" for each in new)
    part.table(found)


if __name__ == "__main__":
    main()
