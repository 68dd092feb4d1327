"""Writes docs/pictures: what the code of a page saves under the name of a picture that it shows.

Run it after a change of a figure; pages may be named: ``python docs/pictures.py how-to/plan.md``.
"""

import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

DOCS = Path(__file__).parent.resolve()
SHOWN = re.compile(r"\]\((?:\.\./)*pictures/([\w.]+)\)")
CODE = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)


def shown_by(page: Path) -> list[str]:
    """Names of the pictures of a page that its own code writes; screenshots are made by hand."""
    names = SHOWN.findall(page.read_text(encoding="utf-8"))
    return [name for name in dict.fromkeys(names) if not name.startswith("report")]


def write(page: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        namespace: dict[str, object] = {"__name__": "page"}
        for text in CODE.findall(page.read_text(encoding="utf-8")):
            exec(compile(text, str(page), "exec"), namespace)
        for name in shown_by(page):
            shutil.copy(name, DOCS / "pictures" / name)
            print(page.relative_to(DOCS), name, Path(name).stat().st_size)
        os.chdir(DOCS)


if __name__ == "__main__":
    os.environ["MPLBACKEND"] = "Agg"
    pages = [DOCS / name for name in sys.argv[1:]] or sorted(DOCS.rglob("*.md"))
    for page in pages:
        if shown_by(page):
            write(page)
