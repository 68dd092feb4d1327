"""The gallery: a short script for each figure and table of the papers, all of them on one page."""

import ast
import re
import runpy
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8")
PICTURES = ROOT / "docs" / "gallery"
SCRIPTS = sorted((ROOT / "examples" / "gallery").glob("*.py"))
PAPERS = {
    "van_calster": ("Van Calster et al. 2008", ["figure_1", "figure_2", "table_1", "table_2"]),
    "kleiman_page": ("Kleiman & Page 2019", ["simplex", "surface", "properties"]),
    "multi_class_auc": ("Introduction to Machine Learning", ["example", "iris"]),
    "edwards_metz": (
        "Edwards & Metz 2007",
        [*(f"figure_{n}" for n in (1, 2, 3)), "three_classes"],
    ),
    "everson_fieldsend": (
        "Everson & Fieldsend 2006",
        [f"figure_{n}" for n in range(1, 9)] + ["four_classes"],
    ),
}
MOST_LINES = 40
MOST_BYTES = 100_000

each_script = pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)


def written_by(script: Path, folder: Path) -> list[str]:
    """Names of the files that the gallery's folders hold for a script."""
    return sorted(path.name for path in folder.iterdir() if path.stem == script.stem)


def run(script: Path, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> None:
    monkeypatch.setenv("MPLBACKEND", "Agg")
    monkeypatch.setattr(sys, "argv", [str(script), *arguments])
    import matplotlib.pyplot as plt

    try:
        runpy.run_path(str(script), run_name="__main__")
    finally:
        plt.close("all")


def test_each_figure_and_table_has_a_script() -> None:
    wanted = {f"{paper}_{part}" for paper, (_, parts) in PAPERS.items() for part in parts}
    assert {script.stem for script in SCRIPTS} == wanted


@each_script
def test_a_script_is_short_and_names_its_paper(script: Path) -> None:
    text = script.read_text(encoding="utf-8")
    title = next(title for name, (title, _) in PAPERS.items() if script.stem.startswith(name))
    assert len(text.splitlines()) <= MOST_LINES
    assert (ast.get_docstring(ast.parse(text)) or "").startswith(title)


@each_script
def test_the_page_lists_a_script_and_shows_what_it_writes(script: Path) -> None:
    written = written_by(script, PICTURES)
    assert f"`{script.name}`" in PAGE
    assert written
    for name in written:
        assert f"(gallery/{name})" in PAGE
        assert (PICTURES / name).stat().st_size <= MOST_BYTES


def test_the_page_shows_nothing_that_is_not_there() -> None:
    shown = set(re.findall(r"\(gallery/([^)]+)\)", PAGE))
    assert shown == {path.name for path in PICTURES.iterdir()}


def test_the_default_folder_is_the_current_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    script = next(script for script in SCRIPTS if script.stem == "multi_class_auc_example")
    run(script, monkeypatch)
    assert [path.name for path in tmp_path.iterdir()] == ["multi_class_auc_example.png"]


@pytest.mark.slow
@each_script
def test_a_script_writes_into_the_folder_given(
    script: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "pictures"
    folder.mkdir()
    run(script, monkeypatch, str(folder))
    assert [path.name for path in tmp_path.iterdir()] == ["pictures"]
    assert [path.name for path in folder.iterdir()] == written_by(script, PICTURES)
    for path in folder.iterdir():
        if path.suffix == ".png":
            assert path.read_bytes().startswith(b"\x89PNG")
        else:
            assert path.read_text("utf-8") == (PICTURES / path.name).read_text("utf-8")
