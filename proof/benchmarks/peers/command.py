"""The command: which work to measure, the record, the page, and what became worse."""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path

from peers import machine
from peers.packages import MODULES, MissingPeer, require, versions
from peers.page import write_page
from peers.records import InstructionCount, Record, earlier, read
from peers.regressions import Regression, regressions
from peers.rows import Disagreement, Row
from peers.settings import Settings
from peers.wording import line
from peers.works import WORKS

ROOT = Path(__file__).resolve().parents[3]
COUNTED = "instructions"
NOT_COUNTED = f"not asked for. A full run counts them, and `--only {COUNTED}`."


def main(arguments: Sequence[str] | None = None) -> int:
    """Status 0; 1 if something became worse; 2 if numbers disagree, a peer is missing or a page
    is asked for on a machine that has other work."""
    asked = parser().parse_args(arguments)
    page = asked.page or asked.record
    if asked.render is not None:
        print(f"written: {write_page(read(asked.render), page)}")
        return 0
    settings = Settings.of("quick" if asked.quick else "full", frozenset(asked.without))
    try:
        if asked.page is not None:
            machine.check_idle()
        return run(settings, asked.only or usual(settings), asked.record, page)
    except (MissingPeer, Disagreement, machine.Busy) as error:
        print(error)
        return 2


def usual(settings: Settings) -> list[str]:
    """What is measured unless something is asked for: counting takes as long as all quick work."""
    return [*WORKS, COUNTED] if settings.effort == "full" else list(WORKS)


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="python proof/benchmarks/peers",
        description="polyroc and its peers on the same work: equal numbers first, then ratios.",
    )
    names = [*WORKS, COUNTED]
    all_but = f"; by default all, with --quick all but {COUNTED}"
    made.add_argument("--quick", action="store_true", help="small sizes, about a minute")
    made.add_argument(
        "--only", nargs="+", metavar="NAME", choices=names, help=", ".join(names) + all_but
    )
    made.add_argument(
        "--without", nargs="+", metavar="PEER", choices=MODULES, default=[], help=", ".join(MODULES)
    )
    folder = ROOT / ".benchmarks"
    made.add_argument("--record", type=Path, metavar="FOLDER", default=folder, help="for records")
    made.add_argument("--page", type=Path, metavar="FOLDER", help="for the page; else with records")
    made.add_argument("--render", type=Path, metavar="RECORD", help="only write a record's page")
    return made


def run(settings: Settings, only: Sequence[str], folder: Path, page: Path) -> int:
    """Measure, record, write the page, and say what became worse.

    A page in a folder of its own is not written where others used the machine.
    """
    watch = machine.Watch()
    record = measured(settings, only)
    before = list(earlier(folder, record))
    found = regressions(record, before)
    if found:
        record, found = measured_again(record, found, before, settings)
    print(f"written: {record.write(folder)}")
    if page != folder:
        watch.check()
    print(f"written: {write_page(record, page)}")
    for regression in found:
        print(regression)
    return 1 if found else 0


def measured(settings: Settings, only: Sequence[str]) -> Record:
    """The record of a run."""
    chosen = [work for name, work in WORKS.items() if name in only]
    peers = dict.fromkeys(peer for work in chosen for peer in work.peers)
    wanted = [peer for peer in peers if peer not in settings.without]
    require(wanted)
    record = Record(
        made=now(),
        effort=settings.effort,
        limit=settings.limit,
        machine=machine.description(),
        versions=versions(wanted),
        left_out=tuple(peer for peer in peers if peer in settings.without),
        rows=(),
    )
    print(", ".join(f"{name} {version}" for name, version in record.versions.items()))
    print(", ".join(str(fact) for fact in record.machine.values()))
    record = replace(record, rows=tuple(rows_of([work.name for work in chosen], settings)))
    return with_counts(record) if COUNTED in only else replace(record, uncounted=NOT_COUNTED)


def now() -> str:
    """The time, by which records are ordered."""
    return datetime.now(UTC).isoformat(timespec="seconds").removesuffix("+00:00")


def rows_of(names: Sequence[str], settings: Settings) -> Iterator[Row]:
    """Measure and print row by row."""
    for name in names:
        print(f"\n{WORKS[name].title}")
        for row in WORKS[name].measure(settings):
            print(f"  {line(row)}", flush=True)
            yield row


def with_counts(record: Record) -> Record:
    """The record with instruction counts, or with the reason why there are none."""
    from peers.instructions import Unavailable, count

    print("\nInstructions")
    try:
        counts = tuple(InstructionCount(**asdict(each)) for each in count())
    except Unavailable as reason:
        print(f"  not counted: {reason}")
        return replace(record, uncounted=str(reason))
    for each in counts:
        print(f"  {each.kernel}, {each.size:,} steps: {each.per_case:.2f} instructions a step")
    return replace(record, instructions=counts)


def measured_again(
    record: Record, found: list[Regression], before: list[Record], settings: Settings
) -> tuple[Record, list[Regression]]:
    """Measure the work that seems worse a second time; what is worse twice is."""
    names = [name for name in WORKS if any(each.work == name for each in found)]
    print(f"\nWorse than before, so measured again: {', '.join(names) or 'nothing'}")
    kept = [row for row in record.rows if row.work not in names]
    second = replace(record, rows=(*kept, *rows_of(names, settings)))
    twice = {each.what for each in found}
    return second, [each for each in regressions(second, before) if each.what in twice]
