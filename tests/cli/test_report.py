"""``polyroc report`` and ``polyroc demo``: a page that is there, whole, and nowhere else."""

from pathlib import Path
from typing import Any

import pytest
from cli.running import EXAMPLE, FOUR_CASES, run, written

from polyroc.datasets import example_predictions


@pytest.mark.system
def test_report_writes_a_page_and_says_where(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    result = run("report", EXAMPLE, "-o", path, "--title", "Three <b>models</b>")
    assert result.exit_code == 0, result.stderr
    assert f"Report: {path}" in result.stdout
    page = path.read_text()
    assert "Three &lt;b&gt;models&lt;/b&gt;" in page and "<b>models</b>" not in page
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.system
def test_demo_shows_values_intervals_differences_and_a_report(tmp_path: Path) -> None:
    path = tmp_path / "demo.html"
    result = run("demo", "-o", path)
    assert result.exit_code == 0, result.stderr
    assert "850 cases of 3 classes: 440 common, 350 frequent, 60 rare." in result.stdout
    assert "hand_till                .892 (.868–.913)" in result.stdout
    assert "hand_till  logistic − forest     +0.0176  +0.0059 … +0.0293" in result.stdout
    assert f"Report: {path}" in result.stdout
    assert path.stat().st_size > 10_000


class Writer:
    """Stands in for the writer of reports where only what it is asked matters."""

    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []

    def __call__(self, path: Path, *cases: Any, **options: Any) -> Path:
        self.calls.append((path, *cases, options))
        path.write_text("a page")
        return path


@pytest.fixture
def writer(monkeypatch: pytest.MonkeyPatch) -> Writer:
    made = Writer()
    monkeypatch.setattr("polyroc.report.write_report", made)
    return made


def test_passes_what_the_file_and_the_options_say(tmp_path: Path, writer: Writer) -> None:
    run("report", EXAMPLE, "-o", tmp_path / "r.html", "--title", "T", "--level", "0.8")
    ((_, models, options),) = writer.calls
    example = example_predictions()
    for each in models.values():
        assert each.classes == tuple(example.labels)
        assert [each.classes[code] for code in each.codes] == list(example.y_true)
        assert each.weights is None and each.folds is None
    assert {name: each.scores.tolist() for name, each in models.items()} == {
        name: table.tolist() for name, table in example.models.items()
    }
    known = {"groups": None, "ids": None, "source": "example.csv", "include_cases": True}
    assert options == {**known, "title": "T", "level": 0.8, "earlier": None}
    head, *rows = FOUR_CASES.splitlines()
    named = "\n".join([f"image,{head}", *(f"i{n},{row}" for n, row in enumerate(rows))])
    path = written(tmp_path, named)
    run("report", path, "-o", tmp_path / "r.html", "--no-cases")
    run("report", path, "-o", tmp_path / "r.html", "--id", "none")
    *_, private, plain = (call[-1] for call in writer.calls)
    assert list(private["ids"]) == ["i0", "i1", "i2", "i3"] and not private["include_cases"]
    assert plain["ids"] is None and plain["include_cases"]


def test_a_column_that_names_the_cases_is_not_told_as_unused(tmp_path: Path) -> None:
    head, *rows = FOUR_CASES.splitlines()
    named = [f"image,site,{head}", *(f"i{n},s,{row}" for n, row in enumerate(rows))]
    path = written(tmp_path, "\n".join(named))
    other = written(tmp_path, "\n".join(named), "other.csv")
    page = ("-o", tmp_path / "r.html")
    told = "cases named in 'image'; not used: 'site'."
    assert told in " ".join(run("report", path, *page).stdout.split())
    assert told in " ".join(run("compare", path, other, "--id", "image").stdout.split())
    for options in (("--id", "none"), ("--no-cases",)):
        words = " ".join(run("report", path, *page, *options).stdout.split())
        assert "not used: 'image', 'site'." in words and "named in" not in words


def test_demo_without_a_path_leaves_the_folder_alone(
    tmp_path: Path, writer: Writer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run("demo")
    path = Path(result.stdout.rpartition("Report: ")[2].strip())
    assert path.is_file() and path.suffix == ".html"
    assert not list(tmp_path.iterdir())
    path.unlink()
    path.parent.rmdir()


def test_groups_and_weights_are_picked_up_as_by_evaluate(tmp_path: Path, writer: Writer) -> None:
    head, *rows = FOUR_CASES.splitlines()
    cases = [f"{row},p{n // 2},{n + 1}" for n, row in enumerate(rows * 3)]
    path = written(tmp_path, "\n".join([f"{head},patient,weight", *cases]))
    result = run("report", path, "-o", tmp_path / "r.html")
    assert "weights in 'weight'; groups in 'patient'" in " ".join(result.stdout.split())
    run("report", path, "-o", tmp_path / "r.html", "--groups", "none", "--weights", "none")
    taken = [(call[-1]["groups"], call[1]["x"].weights) for call in writer.calls]
    groups, weights = (list(each) for each in taken[0])
    assert groups == [groups[n - n % 2] for n in range(12)] and len(set(groups)) == 6
    assert weights == list(range(1, 13))
    assert taken[1] == (None, None)
