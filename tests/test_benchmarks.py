"""The benchmarks beside peers: the runner end to end, the rules it applies, and the page."""

import doctest
import math
import pkgutil
import platform
import re
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT / "proof" / "benchmarks"))  # where the command finds itself

import peers  # noqa: E402
from peers import command, machine, multiclass_auc, packages  # noqa: E402
from peers import contest as contest_module  # noqa: E402
from peers.contest import Contest, Rival  # noqa: E402
from peers.growth import exponent  # noqa: E402
from peers.page import render  # noqa: E402
from peers.plots import figure_of, kept_apart  # noqa: E402
from peers.records import InstructionCount, Record, earlier, read  # noqa: E402
from peers.regressions import regressions  # noqa: E402
from peers.rows import Absence, Agreement, Disagreement, Row, Spread  # noqa: E402
from peers.settings import Settings  # noqa: E402
from peers.work import Work  # noqa: E402
from peers.works import WORKS  # noqa: E402

pytestmark = pytest.mark.system

INSTALLED = ["growth_in_cases", "growth_in_classes", "triplets", "bootstrap"]
"""Work whose peers belong to the tests, but for torchmetrics."""
TINY = Settings.of("tiny", frozenset({"torchmetrics"}))
MODULES = [
    f"peers.{module.name}"
    for module in pkgutil.iter_modules(peers.__path__)
    if module.name != "__main__"
]


def row(ratio: Spread | float = 10.0, **changes: object) -> Row:
    """A row of a work that does not exist."""
    spread = Spread(ratio, 0.95 * ratio, 1.05 * ratio, 5) if isinstance(ratio, float) else ratio
    theirs = Spread(spread.median, spread.low, spread.high, 5)
    made = Row("made_up", "area", {"n": 100}, "scikit-learn", "ovo", "s", Spread(1.0, 1.0, 1.0, 5))
    return replace(made, **{"theirs": theirs, "ratio": spread} | changes)


def not_run(**changes: object) -> Row:
    """The row where the peer was not run."""
    return replace(row(), theirs=None, ratio=None, absence=Absence("a reason"), **changes)


def record(*rows: Row, made: str = "2024-05-01T10:00:00", **changes: object) -> Record:
    versions = {"scikit-learn": "1.6", "numba": "0.60"}
    blank = Record(made, "full", 40.0, {"processor": "abacus", "cores": 2}, versions, (), rows)
    return replace(blank, **changes)


LATER = "2024-05-02T10:00:00"


def worse(now: Record, *before: Record) -> list[str]:
    return [regression.what for regression in regressions(now, before)]


# ------------------------------------------------------------------------------- the whole command


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which all work of installed peers was measured on tiny data."""
    folder = tmp_path_factory.mktemp("run")
    assert command.run(TINY, INSTALLED, folder, folder) == 0
    return folder


def test_a_run_records_every_size_and_peer(run: Path) -> None:
    (path,) = run.glob("*.json")
    made = read(path)
    assert [work for work in WORKS if any(row.work == work for row in made.rows)] == INSTALLED
    for row in made.rows:
        left_out = row.peer == "torchmetrics"
        assert (row.theirs is None) == (row.ratio is None) == left_out
        assert left_out or row.agreement.difference <= row.agreement.tolerance <= 1e-9
        assert row.ours.low <= row.ours.median <= row.ours.high
    assert made.left_out == ("torchmetrics",)
    assert {"scikit-learn", "lightgbm", "numpy", "polyroc", "python"} <= set(made.versions)
    assert "torchmetrics" not in made.versions


def test_a_record_names_neither_machine_nor_folder(run: Path) -> None:
    (path,) = run.glob("*.json")
    text = path.read_text(encoding="utf-8")
    assert set(read(path).machine) == {"processor", "cores", "memory", "system"}
    for private in (platform.node(), str(Path.home()), str(ROOT), sys.prefix):
        assert not private or f'"{private}' not in text


def test_the_page_shows_all_work_and_what_was_left_out(run: Path) -> None:
    page = (run / "benchmarks.md").read_text(encoding="utf-8")
    for name in INSTALLED:
        assert f"## {WORKS[name].title}\n" in page
        assert f"(benchmarks/{name}.svg)" in page
        assert (run / "benchmarks" / f"{name}.svg").read_text("utf-8").startswith("<?xml")
    assert "| left out | torchmetrics |" in page
    assert "left out with --without torchmetrics" in page
    assert "| `hand_till` | 100 | 10 |" in page
    assert "Not counted in this run: not asked for." in page


def test_the_page_is_made_from_the_record_alone(run: Path, tmp_path: Path) -> None:
    kept = run / "benchmarks" / "record.json"
    assert command.main(["--render", str(kept), "--page", str(tmp_path)]) == 0
    for path in [Path("benchmarks.md"), *(p.relative_to(run) for p in run.glob("benchmarks/*"))]:
        assert (tmp_path / path).read_bytes() == (run / path).read_bytes()


def test_the_committed_page_is_that_of_the_committed_record() -> None:
    made = read(ROOT / "docs" / "benchmarks" / "record.json")
    assert (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8") == render(made)
    shown = set(re.findall(r"\(benchmarks/(\w+\.svg)\)", render(made)))
    assert shown == {path.name for path in (ROOT / "docs" / "benchmarks").glob("*.svg")}
    assert {row.work for row in made.rows} == set(WORKS)
    assert made.left_out == ()
    other = [line for line in render(made).splitlines() if "`gini`" in line]
    assert len(other) > 2 and all("definition differs" in line for line in other)


def test_different_numbers_stop_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    right = multiclass_auc.OURS["hand_till"]
    monkeypatch.setitem(
        multiclass_auc.OURS, "hand_till", lambda cases: lambda: right(cases)() + 1e-6
    )
    folder = ["--record", str(tmp_path)]
    asked = ["--quick", "--only", "growth_in_classes", "--without", "torchmetrics", *folder]
    assert command.main(asked) == 2
    printed = capsys.readouterr().out
    assert "hand_till (n = 2,000, K = 2): polyroc and scikit-learn ovo differ by 1e-06" in printed
    assert "The run stops" in printed
    assert list(tmp_path.iterdir()) == []


def test_a_missing_peer_is_an_error_that_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(packages.MODULES, "moocore", "moocore_that_is_not_there")
    assert command.main(["--only", "gini_volume", "--record", str(tmp_path)]) == 2
    assert capsys.readouterr().out == (
        "Not installed: moocore. Install all peers with pip install -e '.[benchmark]', or leave "
        "them out openly with --without moocore.\n"
    )
    assert list(tmp_path.iterdir()) == []


def test_every_peer_takes_part_and_can_be_installed() -> None:
    assert {peer for work in WORKS.values() for peer in work.peers} == set(packages.MODULES)
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    listed = text.split("benchmark = [")[1].split("]")[0]
    for peer in set(packages.MODULES) - {"numpy", "scikit-learn"}:
        assert f'"{peer}>=' in listed


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_the_modules(name: str) -> None:
    assert doctest.testmod(import_module(name)).failed == 0


# ------------------------------------------------------------------------------- how it is measured


def contest(rival: Callable[[], float], settings: Settings, tolerance: float = 1e-12) -> Contest:
    rivals = [Rival("scikit-learn", "call", lambda data: rival, tolerance)]
    return Contest("made_up", "area", lambda data: lambda: 0.5, rivals, settings)


def test_what_a_peer_loads_in_its_first_call_is_no_time_of_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """However long it takes: such a call counted as one of the measurements."""
    monkeypatch.setattr(contest_module, "WARM", 0.0)
    called = []

    def rival() -> float:
        if not called:
            time.sleep(0.1)
        called.append(1)
        return 0.5

    (row,) = contest(rival, TINY).at(10, {"n": 10}, None)
    assert row.theirs.high < 0.05


def test_a_size_out_of_reach_is_predicted_and_not_run() -> None:
    limited = replace(TINY, limit=10.0)
    made = contest(lambda: 0.5, limited)
    made.seen["scikit-learn call"] = [(1, 0.05), (10, 0.5), (100, 5.0)]
    (stopped,) = made.at(1000, {"n": 1000}, None)
    assert stopped.theirs is None
    assert stopped.absence.predicted == pytest.approx(50)
    assert stopped.absence.reason == "50 s predicted, limit 10 s"
    (far,) = made.at(1001, {"n": 1001}, None)  # more than a decade beyond the last size
    assert far.absence == Absence(contest_module.UNKNOWN.format(limit=10))
    made.seen["scikit-learn call"] = [(10, 0.5), (100, 5.0)]  # no standard error
    (unknown,) = made.at(1000, {"n": 1000}, None)
    assert unknown.absence == far.absence and unknown.theirs is None
    made.seen["scikit-learn call"] = [(1, 1.0), (10, 1.0), (100, 50.0)]  # a large one
    (unknown,) = made.at(1000, {"n": 1000}, None)
    assert unknown.absence == far.absence
    made.seen["scikit-learn call"] = [(10, 0.5), (100, 5.0)]
    (reached,) = made.at(150, {"n": 150}, None)
    assert reached.absence is None
    assert reached.agreement == Agreement(0.0, 1e-12)


def test_no_page_is_written_on_a_busy_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page, records = tmp_path / "page", tmp_path / "records"
    arguments = ["--quick", "--page", str(page), "--record", str(records)]
    monkeypatch.setattr("os.getloadavg", lambda: (1000.0, 0.0, 0.0))
    assert command.main(arguments) == 2
    assert "The load is" in capsys.readouterr().out
    monkeypatch.setattr("os.getloadavg", lambda: (0.0, 0.0, 0.0))
    monkeypatch.setattr(command, "measured", lambda settings, only: record(row()))
    monkeypatch.setattr(command, "write_page", lambda record, page: page)
    monkeypatch.setattr(machine.Watch, "others", lambda watch: 0.06)
    assert command.main(arguments) == 2
    assert "used 6% of the processors" in capsys.readouterr().out and list(records.iterdir())
    monkeypatch.setattr(machine.Watch, "others", lambda watch: 0.04)
    assert command.main(arguments) == 0


def test_others_are_what_this_process_is_not() -> None:
    watch = machine.Watch()
    busy, own = machine.busy_seconds(), machine.own_seconds()
    assert own > 0 and (math.isnan(busy) or busy > 0)
    others = watch.others()
    assert math.isnan(others) or others < 1.5


@pytest.mark.parametrize("value", [0.6, math.nan])
def test_a_difference_or_a_missing_number_is_a_disagreement(value: float) -> None:
    with pytest.raises(Disagreement, match=r"area \(n = 10\): polyroc and scikit-learn call"):
        list(contest(lambda: value, TINY).at(10, {"n": 10}, None))


def test_a_call_does_several_pieces_of_work() -> None:
    made = contest(lambda: 0.5, replace(TINY, budget=0.01))
    ten = replace(made.rivals[0], pieces=10)
    one = dict(zip(["", ten.name], [[1.0, 1.0], [20.0, 40.0]], strict=True))
    amounts = made.amounts({"n": 1}, ten, one)
    assert amounts["theirs"].median == 3.0
    assert amounts["ratio"] == Spread(3.0, 2.5, 3.5, 2)


@pytest.mark.skipif(platform.system() != "Linux", reason="memory is measured on Linux only")
def test_memory_is_counted_beyond_the_input() -> None:
    from peers.fresh_process import peak_of

    small, large = (
        peak_of("peak_memory", "prepared", n, "hand_till", "") for n in (2_000, 400_000)
    )
    assert small.megabytes < 5
    assert 10 < large.megabytes < 100  # the scores alone are 32 MB and must not be counted twice
    assert 0.7 < large.value < 0.8


# ------------------------------------------------------------------------------------ growth, plots


def test_the_exponent_of_a_power_is_found_in_the_upper_sizes() -> None:
    sizes = [1, 2, 10, 100, 1000, 10_000]
    found = exponent(sizes, [7.0, 7.0] + [3e-6 * size**1.5 for size in sizes[2:]])
    assert found.slope == pytest.approx(1.5)
    assert found.standard_error == pytest.approx(0, abs=1e-9)
    assert found.sizes == (10, 100, 1000, 10_000)


def test_the_standard_error_of_an_exponent_is_that_of_least_squares() -> None:
    from scipy.stats import linregress

    rng = np.random.default_rng(0)
    sizes = [10, 30, 100, 300]
    amounts = [size**1.2 * math.exp(rng.normal(0, 0.2)) for size in sizes]
    expected = linregress(np.log(sizes), np.log(amounts))
    found = exponent(sizes[::-1], amounts[::-1])
    assert found.slope == pytest.approx(expected.slope)
    assert found.standard_error == pytest.approx(expected.stderr)


def test_two_sizes_have_no_standard_error_and_one_no_exponent() -> None:
    assert str(exponent([10, 100], [1.0, 10.0])) == "1.00"
    assert exponent([10, 10], [1.0, 2.0]) is None


def test_labels_do_not_meet() -> None:
    placed = kept_apart([0.1, 0.1, 0.15, 0.9])
    assert placed == sorted(placed)
    assert min(np.diff(placed)) > 0.15


def test_a_plot_labels_every_series_that_was_measured() -> None:
    work = Work("made_up", "Made up", "n", "cases n", (), "", lambda settings: iter(()))
    rows = [row(sizes={"n": n}) for n in (10, 100)]
    rows.append(not_run(sizes={"n": 10}, peer="absent"))
    (ax,) = figure_of(work, rows).axes
    assert [text.get_text() for text in ax.texts] == [
        "polyroc\nexponent 0.00",
        "scikit-learn ovo\nexponent 0.00",
    ]


# -------------------------------------------------------------------------------------- regressions


def test_a_record_survives_its_file(tmp_path: Path) -> None:
    counts = (InstructionCount("scan", 100, 900, 9.0),)
    absent = not_run(agreement=Agreement(None, None, "differs"))
    made = record(row(), absent, instructions=counts, left_out=("pymoo",), uncounted="é")
    assert read(made.write(tmp_path)) == made


def test_a_ratio_worse_by_more_than_a_fifth_is_flagged() -> None:
    before = record(row(10.0))
    assert worse(record(row(8.5), made=LATER), before) == []
    assert worse(record(row(12.5), made=LATER), before) == []
    (found,) = regressions(record(row(8.0), made=LATER), [before])
    assert str(found) == (
        "REGRESSION made_up: area (n = 100), ratio to scikit-learn ovo in s, 10 before, 8 now, "
        "worse by 25 %"
    )


def test_noise_is_not_flagged() -> None:
    noisy = record(row(Spread(5.0, 3.0, 9.6, 5)), made=LATER)
    assert worse(noisy, record(row(10.0))) == []
    assert worse(record(row(Spread(5.0, 3.0, 9.4, 5)), made=LATER), record(row(10.0))) != []


@pytest.mark.parametrize(
    "change",
    [
        {"versions": {"scikit-learn": "1.7", "numba": "0.60"}},
        {"rows": (row(10.0, sizes={"n": 99}),)},
        {"rows": (row(10.0, unit="MB"),)},
        {"rows": (not_run(),)},
    ],
    ids=["another version of the peer", "another size", "another unit", "not run then"],
)
def test_only_the_same_work_is_compared(change: dict[str, object]) -> None:
    now = record(row(1.0), made=LATER)
    assert worse(now, record(row(10.0))) != []
    assert worse(now, record(row(10.0), **change)) == []


def test_a_ratio_is_compared_with_the_newest_that_has_it() -> None:
    now = record(row(8.0), made=LATER)
    assert worse(now, record(row(8.0)), record(row(20.0))) == []
    assert worse(now, record(), record(row(20.0))) != []


def test_instructions_are_compared_to_two_percent() -> None:
    def counted(instructions: int, **changes: object) -> Record:
        count = InstructionCount("scan", 100, instructions, instructions / 100)
        return record(instructions=(count,), **changes)

    assert worse(counted(1019, made=LATER), counted(1000)) == []
    assert worse(counted(1021, made=LATER), counted(1000)) != []
    other = {"scikit-learn": "1.6", "numba": "0.61"}
    assert worse(counted(1021, made=LATER), counted(1000, versions=other)) == []


def test_earlier_records_are_those_of_the_same_machine(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    now = record(made="2024-05-09T10:00:00")
    for day in (1, 3, 2):
        record(made=f"2024-05-0{day}T10:00:00").write(tmp_path)
    record(made="2024-05-04T10:00:00", machine={"processor": "slide rule"}).write(tmp_path)
    record(made="2024-05-10T10:00:00").write(tmp_path)
    (tmp_path / "broken.json").write_text("{")
    assert [each.made[8:10] for each in earlier(tmp_path, now)] == ["03", "02", "01"]
    assert "broken.json is not compared" in capsys.readouterr().out


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """A work whose ratios are those of the list, one after the other."""
    ratios: list[float] = []

    def measure(settings: Settings) -> Iterator[Row]:
        yield row(ratios.pop(0))

    work = Work("made_up", "Made up", "n", "cases n", ("scikit-learn",), "Nothing.", measure)
    monkeypatch.setitem(WORKS, "made_up", work)
    return ratios


@pytest.mark.parametrize(("second", "status"), [(5.0, 1), (10.0, 0)])
def test_what_seems_worse_is_measured_again(
    second: float,
    status: int,
    scripted: list[float],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    days = iter(range(1, 3))
    monkeypatch.setattr(command, "now", lambda: f"2024-05-0{next(days)}T10:00:00")
    scripted += [10.0, 5.0, second]
    assert command.run(TINY, ["made_up"], tmp_path, tmp_path) == 0
    assert command.run(TINY, ["made_up"], tmp_path, tmp_path) == status
    printed = capsys.readouterr().out
    assert "Worse than before, so measured again: made_up" in printed
    assert ("REGRESSION made_up: area (n = 100)" in printed) == (status == 1)
    assert scripted == []
    newest = read(max(tmp_path.glob("*.json")))
    assert [row.ratio.median for row in newest.rows] == [second]
