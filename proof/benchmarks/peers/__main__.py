"""Run it as ``python proof/benchmarks/peers``; ``--help`` says what can be asked for."""

import sys
from pathlib import Path

# The folder above holds this package and the scripts it shares code with; this folder must not
# stand before it, because modules in both have the same names.
sys.path[0] = str(Path(__file__).resolve().parents[1])

from peers.command import main  # noqa: E402

if __name__ == "__main__":
    sys.exit(main())
