"""Print the lowest version that pyproject.toml allows of each requirement, as pip reads it.

``python .ci/lowest.py test`` adds those of an extra.
"""

import re
import sys
import tomllib
from pathlib import Path

project = tomllib.loads(Path("pyproject.toml").read_text())["project"]
extras = project["optional-dependencies"]
chosen = [each for name in sys.argv[1:] for each in extras[name]]
for requirement in [*project["dependencies"], *chosen]:
    found = re.fullmatch(r"([\w.\[\],-]+)>=([\d.]+)(,<.*)?", requirement)
    if found is None:
        raise SystemExit(f"{requirement!r} has no lower bound that can be read.")
    print(f"{found[1]}=={found[2]}")
