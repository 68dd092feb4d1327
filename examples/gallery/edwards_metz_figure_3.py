"""Edwards & Metz 2007, Figure 3: two conventional binormal curves that A_z and SAEC rank apart.

The curve with less area has less cost. The caption prints a = 0.4189 where the text has 0.4819.
"""

import sys
from pathlib import Path

from polyroc.display import SaecPairDisplay

display = SaecPairDisplay.of("binormal", (0.4819, 0.5060), (0.2410, 0.0080)).plot()
caption = SaecPairDisplay.of("binormal", (0.4189, 0.5060), (0.2410, 0.0080))
for name, pair in ("text", display), ("caption", caption):
    for (a, b), area, cost in zip(pair.points, pair.areas, pair.costs, strict=True):
        print(f"{name}: a = {a:.4f}, b = {b:.4f}: A_z {area:.4f}, SAEC {cost:.4f}")
folder = Path(*sys.argv[1:2])  # the first argument, or the current folder
display.figure_.savefig(folder / f"{Path(__file__).stem}.png", dpi=100)
