"""Data sets of R's package mlbench as CSV files, which are not shipped.

    python proof/mlbench.py FOLDER Vehicle Glass

Needs R and mlbench (Debian: r-cran-mlbench).
"""

import subprocess
import sys
from pathlib import Path

SCRIPT = """
library(mlbench)
for (name in commandArgs(trailingOnly = TRUE)[-1]) {
  data(list = name)
  path <- file.path(commandArgs(trailingOnly = TRUE)[1], paste0(name, ".csv"))
  write.csv(get(name), path, row.names = FALSE)
}
"""


def convert(folder: Path, *names: str) -> None:
    """Write a CSV file for each set that is not there yet."""
    missing = [name for name in names if not (folder / f"{name}.csv").exists()]
    if missing:
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(["Rscript", "-e", SCRIPT, str(folder), *missing], check=True)


if __name__ == "__main__":
    convert(Path(sys.argv[1]), *sys.argv[2:])
