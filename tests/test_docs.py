"""The README and the docs do what they say: code runs, prints what is shown, and commands run."""

import re
import runpy
import shlex
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import pytest

pytestmark = pytest.mark.system

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
TASKS = [page for page in PAGES if page.parent.name == "how-to"]
"""Pages whose commands name files that the page itself writes."""
DISPLAYS = sorted((ROOT / "examples" / "displays").glob("*.py"))
STARTS = [ROOT / name for name in ("README.md", "docs/index.md", "docs/quickstart.md")]
LONG = {"docs/how-to/missing-class.md", "docs/surfaces.md", "docs/utility.md"}
"""Pages whose code takes seconds: searches and simulations."""
BLOCK = re.compile(r"^```(python|py|sh|text)\n(.*?)^```", re.DOTALL | re.MULTILINE)
"""``py`` is Python that needs PyTorch."""
CONTENTS = re.compile(r"^```\{toctree\}\n(.*?)^```", re.DOTALL | re.MULTILINE)


class Block(NamedTuple):
    """Code of a page and the line that it starts on."""

    language: str
    text: str
    line: int


def blocks_of(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    return [
        Block(found[1], found[2], text.count("\n", 0, found.start(2)))
        for found in BLOCK.finditer(text)
    ]


def pictures_of(page: Path) -> list[str]:
    """Pictures that a page shows and its own code writes; screenshots are made by hand."""
    found = re.findall(r"\]\((?:\.\./)*pictures/([\w.]+)\)", page.read_text(encoding="utf-8"))
    return [name for name in found if not name.startswith("report")]


def run_python(block: Block, page: Path, namespace: dict[str, object]) -> None:
    shown = "\n" * block.line + block.text  # so that a traceback points into the page
    exec(compile(shown, str(page), "exec"), namespace)


def run_commands(block: Block) -> None:
    from polyroc.cli import main

    for line in block.text.splitlines():
        name, *arguments = shlex.split(line)
        assert name == "polyroc"
        main(arguments, standalone_mode=False)


def pages_with_code() -> list[Any]:
    """Each with its name; long ones are in the slow tier."""
    names = {str(page.relative_to(ROOT)): page for page in PAGES}
    coded = [
        name
        for name, page in names.items()
        if any(block.language == "python" for block in blocks_of(page))
    ]
    assert set(coded) >= LONG
    marks = {name: pytest.mark.slow if name in LONG else () for name in coded}
    return [pytest.param(names[name], id=name, marks=marks[name]) for name in coded]


@pytest.mark.parametrize("page", pages_with_code())
def test_the_code_of_a_page_runs(
    page: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Page by page, in one namespace and a folder of its own; text after code is its output."""
    monkeypatch.chdir(tmp_path)  # what a page writes stays out of the repository
    namespace: dict[str, object] = {"__name__": "page"}
    printed = ""
    for block in blocks_of(page):
        if block.language == "python":
            run_python(block, page, namespace)
        elif block.language == "sh" and page in TASKS:
            run_commands(block)
        elif block.language == "text" and printed:
            assert printed.split() == block.text.split()
        printed = capsys.readouterr().out
    assert {path.name for path in tmp_path.iterdir()} >= set(pictures_of(page))


def reached_from(page: Path) -> list[Path]:
    """A page and those below it in the tables of contents, one after the other."""
    found = [page]
    for block in CONTENTS.findall(page.read_text(encoding="utf-8")):
        names = [line for line in block.splitlines() if line and not line.startswith(":")]
        for name in names:
            below = page.parent / f"{name}.md"
            if below.exists() or not name.endswith("/index"):  # an index may be made by the build
                found += reached_from(below)
    return found


def test_every_page_is_in_the_navigation_once() -> None:
    assert sorted(reached_from(ROOT / "docs" / "index.md")) == PAGES[1:]


def test_no_two_pages_have_the_same_title() -> None:
    heads = [page.read_text(encoding="utf-8").splitlines()[0] for page in PAGES[1:]]
    assert all(head.startswith("# ") for head in heads)
    scripts = [path.read_text(encoding="utf-8").splitlines() for path in DISPLAYS]
    assert all(set(lines[2]) == {"="} for lines in scripts)
    titles = Counter([*(head.removeprefix("# ") for head in heads), *(s[1] for s in scripts)])
    assert max(titles.values()) == 1, titles.most_common(3)


@pytest.mark.slow
def test_scripts_of_the_gallery_of_displays_are_short_and_draw() -> None:
    """The build of the documentation runs them too."""
    import matplotlib.pyplot as plt

    shown = ""
    for path in DISPLAYS:
        text = path.read_text(encoding="utf-8")
        assert len(text.splitlines()) <= 30, path
        plt.close("all")
        runpy.run_path(str(path))
        assert plt.get_fignums(), path
        shown += text
    from polyroc import display

    assert len([name for name in display.__all__ if name in shown]) >= 16


def test_pages_for_tasks_show_a_picture_and_no_picture_is_left_over() -> None:
    shown = {page: re.findall(r"!\[.+\]\(\S+\)", page.read_text("utf-8")) for page in PAGES}
    wanted = [page for page in TASKS if page.stem != "index"]
    assert [page for page in [*wanted, *STARTS] if not shown[page]] == []
    folder = ROOT / "docs" / "pictures"
    used = re.findall(r"pictures/([\w.]+)", "".join(map(Path.read_text, PAGES)))
    assert {path.name for path in folder.iterdir()} == set(used)
    assert max(path.stat().st_size for path in folder.iterdir()) <= 200_000


@pytest.mark.torch
def test_code_that_needs_torch_runs() -> None:
    pages = {page: [b for b in blocks_of(page) if b.language == "py"] for page in PAGES}
    assert any(pages.values())
    for page, blocks in pages.items():
        namespace: dict[str, object] = {"__name__": "page"}
        for block in blocks:
            run_python(block, page, namespace)
