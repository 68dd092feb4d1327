"""Time to import polyroc and to the first hand_till, each in fresh processes."""

import json
import statistics
import subprocess
import sys

from timing import report

IMPORT = """
import json, sys, time
start = time.perf_counter()
import polyroc
imported = time.perf_counter() - start
heavy = [name for name in ("numba", "matplotlib", "pandas", "sklearn") if name in sys.modules]
y, p = [0, 1, 2] * 2, [[0.5, 0.3, 0.2], [0.2, 0.6, 0.2], [0.1, 0.2, 0.7]] * 2
start = time.perf_counter()
polyroc.hand_till(y, p)
first = time.perf_counter() - start  # with the import of numpy, which nothing needed before
print(json.dumps([imported, first, heavy]))
"""

if __name__ == "__main__":
    runs = [
        json.loads(subprocess.check_output([sys.executable, "-c", IMPORT], text=True))
        for _ in range(7)
    ]
    assert runs[0][2] == [], f"import polyroc loads {runs[0][2]}"
    met = report("import polyroc", statistics.median(run[0] for run in runs), 0.3, False, " s")
    met &= report("first hand_till", statistics.median(run[1] for run in runs), 0.2, False, " s")
    sys.exit(not met)
