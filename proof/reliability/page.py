"""docs/reliability.md, written from the figures of the steps."""

import json
import math
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from steps import RECORDS, ROOT

PAGE = ROOT / "docs" / "reliability.md"

FAULTS = {
    "disk_full": "disk full",
    "read_only_folder": "read-only folder",
    "killed_while_writing": "killed in the middle of writing, at each call of the system",
    "killed_runs": "killed at any time of a search or study, and resumed",
    "two_runs_one_checkpoint": "two runs on one checkpoint",
    "numba_cache": "cache folder that cannot be written, broken or missing cache",
    "no_home": "no home",
    "one_core": "one core",
    "locale": "locale C",
    "closed_pipe": "pipe or stream closed early",
    "line_ends_and_encodings": "Windows and old line ends, byte-order marks, UTF-16",
    "many_columns": "a million columns",
}

TIERS = {
    "system": "tests of processes, files, figures and reports",
    "torch": "tests with PyTorch and other packages",
    "second": "slow tests",
}

HEAD = """# Reliability

What was tried against polyroc, and what came of it. `python proof/reliability` measures all of it
and writes this page; each step can be run alone with the command that is named.

"""


def write_page() -> Path:
    """Write the page; a step without figures is an error."""
    PAGE.write_text(page())
    return PAGE


def page() -> str:
    """The page as text."""
    found = {path.stem: json.loads(path.read_text()) for path in RECORDS.glob("*.json")}
    sections = (_summary, _numbers, _faults, _hostile, _mutants, _branches, _repeat)
    return HEAD + "\n".join(section(found) for section in sections)


def branch_shares() -> dict[str, float]:
    """Per cent of the branches that the tests take, outside the kernels and in them."""
    found = json.loads((RECORDS / "branches.json").read_text())
    return {name: 100 * each["taken"] / each["branches"] for name, each in found.items()}


def _summary(found: dict[str, Any]) -> str:
    tiers = found["tests"]
    first = tiers["first"]
    everything, kernels = found["branches"].values()
    mutants = found["mutation"]["table"][-1]
    low, high = mutants["interval"]
    inputs = sum(sum(each["inputs"].values()) for each in _runs(found))
    guided = sum(each["inputs"] for each in found["fuzz"]["targets"])
    rows = [
        ("generated inputs tried", f"{inputs:,} by Hypothesis, {guided:,} by atheris", ""),
        (
            "… that ended in anything but a result or one line",
            str(sum(len(each["crashes"]) for each in found["fuzz"]["targets"]) + _failures(found)),
            "0",
        ),
        ("faults injected", f"{sum(_injected(found).values()):,}", ""),
        ("… after which something was lost", str(sum(_lost(found).values())), "0"),
        (
            "mutants killed",
            f"{_dead(mutants)} of {mutants['mutants']}: {100 * mutants['share']:.1f} % "
            f"(95 % interval {100 * low:.1f} % – {100 * high:.1f} %){_before(found['mutation'])}",
            "≥ 90 % but for those that change no result",
        ),
        ("branches taken outside the kernels", _share(everything), "≥ 95 %"),
        ("branches taken in the kernels, interpreted", _share(kernels), "≥ 95 %"),
        (
            "tests of the README's command",
            f"{first['passed']:,} passed, {first['failed']} failed",
            "",
        ),
        ("… on two cores", _minutes(first["seconds"]), "≤ 5 minutes"),
        *(
            (TIERS[name], _outcome(run), "")
            for name, run in found["tests"].items()
            if name in TIERS
        ),
    ]
    return _table(("", "figure", "bar"), rows)


def _before(record: dict[str, Any]) -> str:
    """That the sample has been looked at before, where it has."""
    if "first_look" not in record:
        return ""
    return (
        f"; {100 * record['first_look']['share']:.1f} % before tests were written for its survivors"
    )


def _numbers(found: dict[str, Any]) -> str:
    tiers = (run["inputs"] for name, run in found["tests"].items() if name in ("first", "system"))
    tried = sum(map(Counter, tiers), Counter())
    rows = [(f"`{folder}`", f"{tried[folder]:,}") for folder in sorted(tried)]
    return f"""
## The numbers are right

Every fast algorithm has a slow twin in the tests: the definition of the paper as plain loops. Both
are compared on generated data, and with numbers that papers and other packages have published. The
areas of pairs are compared with exact fractions: they are the nearest float, and no metric is more
than four units of the last place away. `tests/differential` compares with scikit-learn and with
R's pROC on random data; where they define something else, a test states what each of them does.

Inputs that Hypothesis generates each time the tests are run
(`pytest --hypothesis-profile long` tries twenty times as many{_long(found)}):

{_table(("tests", "inputs"), rows)}
[Benchmarks](benchmarks.md) compares times with other packages, after the numbers agreed.
"""


def _long(found: dict[str, Any]) -> str:
    """What the long mode tried, where it was run."""
    if "long" not in found:
        return ""
    run = found["long"]
    return (
        f"; {sum(run['inputs'].values()):,} in {_minutes(run['seconds'])}, {run['failed']} failed"
    )


def _faults(found: dict[str, Any]) -> str:
    injected, lost = _injected(found), _lost(found)
    rows = [(words, f"{injected[name]:,}", lost[name]) for name, words in FAULTS.items()]
    rows.append(("together", f"{sum(injected.values()):,}", sum(lost.values())))
    return f"""
## Nothing is lost

Each fault is injected for real: a small disk is filled, a process is killed by the system at every
call that it makes while it writes, rights are taken away. After each, a file is the old one or the
new one, byte for byte, and the program has said in one line what happened.
`pytest tests/faults -m system`, and `-m slow` for the longer ones:

{_table(("fault", "times", "times that something was lost"), rows)}"""


def _injected(found: dict[str, Any]) -> dict[str, int]:
    """Faults of each kind: as many as its tests say they injected, or one for each test."""
    totals = dict.fromkeys(FAULTS, 0)
    for tier in found["tests"].values():
        said = tier["properties"].get("faults", {})
        for module, number in tier["modules"].items():
            name = module.rpartition("test_")[2]
            if ".faults." in module:
                totals[name] += max(said.get(module, 0), number)
    return totals


def _lost(found: dict[str, Any]) -> dict[str, int]:
    """Tests of faults that failed: each compares all files and results with what they must be."""
    totals = dict.fromkeys(FAULTS, 0)
    for tier in found["tests"].values():
        for module, number in tier["failing"].items():
            if ".faults." in module:
                totals[module.rpartition("test_")[2]] += number
    return totals


def _runs(found: dict[str, Any]) -> list[dict[str, Any]]:
    """All runs of tests, the long one where it was made."""
    return [*found["tests"].values(), *([found["long"]] if "long" in found else [])]


def _failures(found: dict[str, Any]) -> int:
    """Tests of hostile input that failed."""
    runs = _runs(found)
    return sum(n for run in runs for name, n in run["failing"].items() if ".hostile." in name)


def _hostile(found: dict[str, Any]) -> str:
    rows = [
        (
            f"`{each['target']}`",
            f"{each['inputs']:,}",
            f"{each['seconds']:.0f} s",
            str(len(each["crashes"])),
            f"{each['slowest']:.2f} s",
            f"{each['peak_mb']:,.0f} MB",
        )
        for each in found["fuzz"]["targets"]
    ]
    head = ("reader", "inputs", "in", "crashes", "slowest input", "peak memory")
    return f"""
## Hostile input is refused

A result or one line of error is all that any input may lead to: no other exception, no warning, no
hang, no memory beyond what the file may hold, nothing written, nothing executed, no other file
read. An audit hook in the process watches for the last three. `tests/hostile` holds crafted files
(archives and pages that unpack to terabytes, false shapes, pickled code, names with markup and
control characters), generated objects for every public function and generated options for every
command. `python proof/fuzz --seconds 100` lets atheris search for inputs that reach new code; what
it found in earlier runs is fixed, with a test:

{_table(head, rows)}"""


def _mutants(found: dict[str, Any]) -> str:
    record = found["mutation"]
    rows = [
        (
            each["package"],
            each["mutants"],
            each["killed"],
            each["timed out"],
            each["survived"] + each["not reached"],
            f"{100 * each['share']:.1f} % ({{:.1f}} % – {{:.1f}} %)".format(
                *(100 * limit for limit in each["interval"])
            ),
        )
        for each in record["table"]
    ]
    other = record["without_equivalents"]
    head = ("package", "mutants", "killed", "timed out", "survived", "dead (95 % interval)")
    lost = [
        (f"`{each['where'].removeprefix('src/polyroc/')}`", _change(each), each["reason"] or "")
        for each in record["survivors"]
    ]
    return f"""
## The tests notice mistakes

`python proof/mutation` puts one mistake at a time into metrics, statistics, inference, surface,
utility, scale, readers and report: another operator, constant, comparison, argument, a statement
left out. Of {record["population"]:,} that it
can make, {record["sample"]} were drawn (seed {record["seed"]}) and the tests that reach the line
were run.

{_table(head, rows)}
{_history(record)}{other["equivalent"]} of the survivors change no result; without them
{100 * other["share"]:.1f} % were killed. {_others(record)}All survivors:

{_table(("where", "mistake", "why no test fails"), lost)}{_packages(found)}"""


def _packages(found: dict[str, Any]) -> str:
    """Larger samples of single packages, where they were drawn: too long to be drawn each time."""
    if "packages" not in found:
        return ""
    record = found["packages"]
    rows = [_package(row, record["survivors"]) for row in record["table"]]
    head = (
        "package",
        "mutants",
        "killed",
        "change no result",
        "left out",
        "gaps",
        "killed of others",
    )
    return f"""
Larger samples, drawn in each of {len(rows) - 1} packages by
`python proof/mutation --sample {rows[0][1]} --seed {record["seed"]} --each …` before any test was
written for them. Some change no result, others fail tests that the trials leave out, and the gaps
were closed afterwards. All survivors, with the reason of each, are in
`docs/reliability/packages.json`.

{_table(head, rows)}"""


def _package(row: dict[str, Any], lost: Iterable[dict[str, Any]]) -> tuple[object, ...]:
    """Survivors of a package by their reasons, and the share of those killed that can be."""
    own = [each for each in lost if row["package"] in ("all", Path(each["where"]).parent.name)]
    kinds = Counter((each["reason"] or "").partition(":")[0] for each in own)
    same = kinds["equivalent"] + kinds["speed only"]
    share = f"{100 * _dead(row) / (row['mutants'] - same):.1f} %"
    counts = row["mutants"], _dead(row), same, kinds["left out"], kinds["gap"]
    return row["package"], *counts, share


def _others(record: dict[str, Any]) -> str:
    """Survivors that tests outside of the trials notice, and gaps that were closed afterwards."""
    kinds = Counter((each["reason"] or "").split(":")[0] for each in record["survivors"])
    text = ""
    if kinds["left out"]:
        text += f"{kinds['left out']} fail tests that the trials leave out. "
    if kinds["gap"]:
        text += f"{kinds['gap']} were gaps; tests for them were written after this run. "
    return text


def _history(record: dict[str, Any]) -> str:
    """What is to be known of the sample: how it began, and another that no test was fitted to."""
    text = ""
    if "first_look" in record:
        text += (
            f"When this sample was first tried, {_killed(record['first_look'])}. Tests were then "
            "written for the gaps that its survivors showed, so the figure above tells of these "
            f"{record['sample']} mutants, not of all. "
        )
    if "fresh" in record:
        text += (
            f"Of a fresh sample, with seed {record['fresh']['seed']}, for which no test was "
            f"written, {_killed(record['fresh']['table'][-1])}. "
        )
    return text


def _killed(row: dict[str, Any]) -> str:
    low, high = row["interval"]
    return (
        f"{_dead(row)} of {row['mutants']} were killed: {100 * row['share']:.1f} % "
        f"(95 % interval {100 * low:.1f} % – {100 * high:.1f} %)"
    )


def _branches(found: dict[str, Any]) -> str:
    outside, kernels = found["branches"].values()
    most = list(outside["missing"].items())[:8]
    listed = ", ".join(f"`{name}` {number}" for name, number in most)
    return f"""
## Every branch is taken

With branch coverage, compiled kernels left out, the tests take {_share(outside)} of the branches;
not taken are most in {listed}. The kernels run a second time without the compiler
(`NUMBA_DISABLE_JIT=1 pytest tests/kernels`), where they give the same bits: {_share(kernels)}.
"""


def _repeat(found: dict[str, Any]) -> str:
    return """
## Repeat it

`.ci/run` runs every test of this page, measures the branches, and runs the fuzzers for 500 inputs
a reader and the benchmarks at small sizes. The figures above need longer:

```sh
pip install -e '.[test,benchmark,torch,boosting,mlflow]' atheris
python proof/reliability            # all steps
python proof/reliability mutation   # one of tests, branches, long, fuzz, mutation, peers
```
"""


def _change(each: dict[str, Any]) -> str:
    return f"`{_cell(each['before'])}` → `{_cell(each['after'])}`"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("`", "'")


def _dead(row: dict[str, Any]) -> int:
    return int(row["killed"] + row["timed out"])


def _share(totals: dict[str, Any]) -> str:
    """Rounded down: 100 % is said of all only."""
    share = math.floor(1000 * totals["taken"] / totals["branches"]) / 10
    return f"{totals['taken']:,} of {totals['branches']:,} ({share:g} %)"


def _outcome(run: dict[str, Any]) -> str:
    minutes = _minutes(run["seconds"])
    return f"{run['passed']:,} passed, {run['failed']} failed, in {minutes}"


def _minutes(seconds: float) -> str:
    return f"{int(seconds) // 60} min {int(seconds) % 60} s"


def _table(head: Iterable[object], rows: Iterable[Iterable[object]]) -> str:
    lines = [list(map(str, head)), *(list(map(str, row)) for row in rows)]
    lines.insert(1, ["---"] * len(lines[0]))
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
