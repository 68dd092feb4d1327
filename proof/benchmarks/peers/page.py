"""The page of a record: wholly made from it, so that it can be written anew at any time."""

from collections.abc import Iterable
from pathlib import Path

from peers.contest import place
from peers.packages import INSTALL
from peers.plots import write_plot
from peers.records import Record
from peers.rows import Row
from peers.series import panels
from peers.wording import amount, difference, factor, outcome
from peers.work import Work
from peers.works import WORKS

FOLDER = "benchmarks"

HEAD = """# Benchmarks

polyroc and its peers on the same work, in the same run of `python proof/benchmarks/peers`, which
wrote this page. The numbers are compared first: the run stops where they differ by more than
rounding, and the page says where a definition differs. Ratios are the peer's amount over
polyroc's: **above 1 polyroc needs less, below 1 the peer does.**

Times are medians of repeats, with the rivals in turn, after a warm-up, in one process; each package
uses as many threads as it does by default. In brackets are the quartiles of the ratio over the
rounds. Exponents are slopes of log amount on log size over the four largest sizes, with their
standard errors.

Peers are packages that compute the same by a program of their own. skore reports these areas by
calling scikit-learn, so that its times are those of scikit-learn; MAPIE has sets of predictions,
none of these quantities. The variance of M was published by Xu in 2024 and is measured as a twin of
its formula.
"""

TAIL = f"""## Run it

```sh
{INSTALL}
python proof/benchmarks/peers --quick      # about a minute: every work and every peer, small sizes
python proof/benchmarks/peers --page docs  # about ten minutes: writes this page
```

`--only NAME …` measures some of the work, `--without PEER …` leaves peers out, openly. Records go
to `.benchmarks/`. A ratio that is more than 20 % worse than in the newest earlier run of the same
machine is flagged, if the quartiles over the rounds do not overlap and a second measurement says
the same; so are kernels of 2 % more instructions. `--render RECORD --page FOLDER` writes the page
from a record again. With `--page` the machine must be idle: the command refuses to start under
load, and to write the page if others used more than a twentieth of the processors during the run.
Amounts that were not measured are predicted up to one decade beyond the last size that was, and
only from an exponent with a standard error of at most 0.3.
"""


def write_page(record: Record, folder: Path) -> Path:
    """``benchmarks.md`` with its plots and the record beside it."""
    pictures = folder / FOLDER
    pictures.mkdir(parents=True, exist_ok=True)
    for name, rows in by_work(record).items():
        write_plot(WORKS[name], rows, pictures / f"{name}.svg")
    (pictures / "record.json").write_text(record.to_json(), encoding="utf-8")
    path = folder / "benchmarks.md"
    path.write_text(render(record), encoding="utf-8")
    return path


def render(record: Record) -> str:
    """The page as Markdown."""
    works = by_work(record)
    parts = [HEAD, run_of(record), summary(works)]
    parts += [section(WORKS[name], rows) for name, rows in works.items()]
    return "\n".join([*parts, instructions(record), TAIL])


def by_work(record: Record) -> dict[str, list[Row]]:
    """Rows of each work, in the order of the page."""
    found = {name: [row for row in record.rows if row.work == name] for name in WORKS}
    return {name: rows for name, rows in found.items() if rows}


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A table in Markdown."""
    head = list(head)
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def run_of(record: Record) -> str:
    """Where and with what the record was made."""
    machine = record.machine
    where = f"{machine['processor']}, {machine['cores']} cores, {machine['memory']}"
    versions = ", ".join(f"{name} {version}" for name, version in record.versions.items())
    left_out = ", ".join(record.left_out) or "nothing"
    facts = [
        ("made", f"{record.made[:10]}, {record.effort} run"),
        ("machine", f"{where}, {machine['system']}"),
        ("versions", versions),
        ("left out", left_out),
        ("not run", f"calls of peers predicted to take over {record.limit:g} s"),
    ]
    return table(("run", ""), facts)


def summary(works: dict[str, list[Row]]) -> str:
    """The ratio at the largest size that both were run at, of each quantity and peer."""
    rows = [cells for name, found in works.items() for cells in _largest(WORKS[name], found)]
    head = ("work", "quantity and size", "peer", "ratio", "exponent of polyroc", "of the peer")
    return f"## In short\n\nAt the largest size that both were run at:\n\n{table(head, rows)}"


def _largest(work: Work, rows: list[Row]) -> Iterable[list[str]]:
    link = f"[{work.title}](#{_anchor(work.title)})"
    for panel in panels(rows, work.axis):
        ours, *rivals = panel.series
        for rival in rivals:
            series = panel.quantity, panel.unit, rival.name
            both = [row for row in rows if row.series == series and row.ratio is not None]
            if both:
                row = max(both, key=lambda each: each.sizes[work.axis])
                what = "memory, " if row.unit == "MB" else ""
                grown = [str(series.exponent or "") for series in (ours, rival)]
                size = place(f"`{row.quantity}`", row.sizes)
                differs = row.agreement is not None and row.agreement.difference is None
                ratio = factor(row.ratio) + (", definition differs" if differs else "")
                yield [link, what + size, row.rival, ratio, *grown]
                link = ""


def _anchor(title: str) -> str:
    return title.lower().replace(" ", "-")


def section(work: Work, rows: list[Row]) -> str:
    """What is done, the plot, the table, and where definitions differ."""
    parts = [f"## {work.title}\n", f"{work.about}\n"]
    parts.append(f"![{work.title}]({FOLDER}/{work.name}.svg)\n")
    if any(row.absence and row.absence.predicted for row in rows):
        parts.append("Open marks are predicted from smaller sizes, not run.\n")
    parts.append(_amounts(rows))
    noted = dict.fromkeys(row.agreement.definition for row in rows if row.agreement)
    parts += [f"- {definition}" for definition in noted if definition]
    return "\n".join(parts) + "\n"


def _amounts(rows: list[Row]) -> str:
    """A row for each size, the sizes of a quantity and a peer together."""
    sizes = list(dict.fromkeys(name for row in rows for name in row.sizes))
    extra = any(row.outcome for row in rows)
    head = ["quantity", *sizes, "polyroc", "peer", "its amount", "ratio", "difference"]
    places = {series: k for k, series in enumerate(dict.fromkeys(row.series for row in rows))}
    ordered = sorted(rows, key=lambda row: places[row.series])
    return table([*head, *["outcome"] * extra], (_cells(row, sizes, extra) for row in ordered))


def _cells(row: Row, sizes: list[str], extra: bool) -> list[str]:
    of_row = [f"{row.sizes[name]:,}" if name in row.sizes else "" for name in sizes]
    cells = [f"`{row.quantity}`", *of_row, amount(row.ours.median, row.unit), row.rival]
    if row.theirs is None or row.ratio is None:
        reason = row.absence.reason if row.absence else ""
        return [*cells, "not run", reason, "", *[""] * extra]
    cells += [amount(row.theirs.median, row.unit), factor(row.ratio), difference(row)]
    return [*cells, *[outcome(row)] * extra]


def instructions(record: Record) -> str:
    """Instruction counts, or why there are none."""
    title = "## Instructions\n\n"
    if not record.instructions:
        return f"{title}Not counted in this run: {record.uncounted}\n"
    rows = [
        (f"`{each.kernel}`", f"{each.size:,}", f"{each.instructions:,}", f"{each.per_case:.2f}")
        for each in record.instructions
    ]
    about = (
        "Machine instructions of the two hottest kernels, counted by Valgrind's Callgrind: without "
        "the noise of times. A step is a decision of `confusion_tables`, a pair of cases of "
        "`assignment_pairs`.\n\n"
    )
    return title + about + table(("kernel", "steps of a call", "instructions", "a step"), rows)
