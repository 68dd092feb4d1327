"""Edwards & Metz 2007, section 1 and eq. 15: volume and expected cost of three classes.

The paper has no figure of more than two classes. HUH is near 0 for observers that nearly guess and
for those that are nearly perfect; SAEC falls all the way from its limit near guessing, which
depends on the arrangement of the classes.
"""

import argparse
from pathlib import Path

from polyroc.display import ObserverCostDisplay
from polyroc.utility import guessing_limit

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("folder", nargs="?", default=".", type=Path)
parser.add_argument("--full", action="store_true", help="ten times as many draws: a minute")
given = parser.parse_args()
draws, steps = (150_000, 100_000) if given.full else (15_000, 5_000)
display = ObserverCostDisplay.of(n_draws=draws, rng=1).plot()
print(display.frame().round(6).to_string(index=False))
arrangements = {
    "equilateral triangle": [[0, 0], [1, 0], [0.5, 0.75**0.5]],
    "right angle": [[0, 0], [1, 0], [0, 1]],
    "(0, 0), (1, 0), (0, 3)": [[0, 0], [1, 0], [0, 3]],
    "(0, 0), (1, 0), (2.5, .3)": [[0, 0], [1, 0], [2.5, 0.3]],
}
for name, means in arrangements.items():
    limit = guessing_limit(means, n_blocks=8, n_steps=steps, rng=1)
    print(f"near guessing, {name}: {limit.value:.4f} ± {limit.standard_error:.4f}")
display.figure_.savefig(given.folder / f"{Path(__file__).stem}.png", dpi=100)
