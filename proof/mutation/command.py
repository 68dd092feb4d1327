"""The command line: draw mutants, try those not tried yet, and print what became of them."""

import argparse
import json
import os
import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec
from itertools import zip_longest
from pathlib import Path
from typing import Any

from mutation import record as records
from mutation.mapping import Map, current_map
from mutation.places import ROOT, SOURCES, WORK, modules
from mutation.population import Mutant, population, sample
from mutation.trial import AT_IMPORT, MOST_SECONDS, Plan, Trial, plan, trials, warm_up


def main(arguments: list[str] | None = None) -> int:
    """Returns 0 if at least the share asked for was killed."""
    asked = _parser().parse_args(arguments)
    if find_spec("coverage") is None:
        raise SystemExit("Which tests reach a line is told by coverage: pip install coverage")
    os.chdir(ROOT)
    start, mutants = time.perf_counter(), population()
    chosen = _drawn(mutants, asked)
    print(f"{len(chosen)} of {len(mutants)} mutants, seed {asked.seed}.", flush=True)
    warm_up()
    found_map = current_map(asked.work / "map.json", asked.jobs)
    if found_map.failing:
        print(f"Left out, as they fail without any mutant: {', '.join(found_map.failing)}")
    found = _results(chosen, found_map, asked)
    record = _record(asked, mutants, chosen, found)
    record |= {"tests": len(found_map.tests), "seconds": round(time.perf_counter() - start)}
    print(records.printed(record))
    if asked.record:
        records.write(record, asked.record)
    return 0 if record["table"][-1]["share"] >= asked.least else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python proof/mutation", description=__doc__)
    parser.add_argument("--sample", type=int, default=300, help="mutants to draw")
    parser.add_argument("--seed", type=int, default=0, help="another seed: another sample")
    parser.add_argument(
        "--each",
        nargs="+",
        choices=sorted({str(path.parent.relative_to(SOURCES)) for path in modules()}),
        metavar="PACKAGE",
        help="draw as many of each of these, such as readers or surface/models",
    )
    parser.add_argument("--jobs", type=int, default=2, help="mutants tried at once")
    parser.add_argument("--least", type=float, default=0.85, help="share that must be killed")
    parser.add_argument(
        "--seconds", type=float, default=MOST_SECONDS, help="of tests that a mutant must outlive"
    )
    parser.add_argument("--record", type=Path, help="JSON file for counts and survivors")
    parser.add_argument("--work", type=Path, default=WORK, help="folder for what is resumed")
    parser.add_argument("--fresh", action="store_true", help="forget results of earlier runs")
    parser.add_argument("--again", action="store_true", help="try survivors of earlier runs again")
    return parser


def _drawn(mutants: list[Mutant], asked: argparse.Namespace) -> list[Mutant]:
    """A sample of all, or one of each package asked for."""
    if not asked.each:
        return sample(mutants, asked.sample, asked.seed)
    samples = [
        sample([mutant for mutant in mutants if mutant.within(name)], asked.sample, asked.seed)
        for name in asked.each
    ]
    return [mutant for group in zip_longest(*samples) for mutant in group if mutant is not None]


def _results(chosen: list[Mutant], found_map: Map, asked: argparse.Namespace) -> dict[str, Trial]:
    """Results of earlier runs on the same sources, and those of the mutants still to try."""
    kept = asked.work / "results.jsonl"
    if asked.fresh:
        kept.unlink(missing_ok=True)
    found = _kept(kept, found_map.sources)
    if asked.again:
        found = {key: trial for key, trial in found.items() if trial.verdict in records.DEAD}
    to_try = [mutant for mutant in chosen if mutant.key not in found]
    if to_try:
        _control(found_map)
    with kept.open("a", encoding="utf-8") as file:
        for number, trial in enumerate(_tried(to_try, found_map, asked), 1):
            found[trial.key] = trial
            line = {"sources": found_map.sources, **trial.to_dict()}
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
            file.flush()
            print(f"{number}/{len(to_try)} {trial.verdict} {trial.seconds:.1f} s {trial.key}")
            sys.stdout.flush()
    return found


def _kept(path: Path, sources: str) -> dict[str, Trial]:
    if not path.exists():
        return {}
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    trials_kept = [
        line for line in lines if line.pop("sources") == sources and line["verdict"] != "error"
    ]
    return {line["key"]: Trial(**line) for line in trials_kept}


def _control(found_map: Map) -> None:
    """The code as it is must survive the tests that a mutant would have to outlive."""
    everything = sorted(found_map.tests.values(), key=lambda test: test.seconds)
    total, chosen = 0.0, []
    for test in everything:
        total += test.seconds
        if total <= MOST_SECONDS:
            chosen.append(test)
    (trial,) = trials([(None, Plan(tuple(chosen)))], 1)
    if trial.verdict != "survived":
        raise SystemExit(f"The code as it is was {trial.verdict} by {trial.by}: nothing to learn.")
    print(f"The code as it is passes {trial.tests} tests in {trial.seconds:.0f} s.", flush=True)


def _tried(mutants: list[Mutant], found_map: Map, asked: argparse.Namespace) -> Iterator[Trial]:
    plans = [(mutant, plan(mutant, found_map, asked.seconds)) for mutant in mutants]
    for mutant, tests in plans:
        if not tests.tests:
            yield Trial(mutant.key, "not reached", None, 0.0, 0, 0)
    yield from trials([each for each in plans if each[1].tests], asked.jobs)


def _record(
    asked: argparse.Namespace,
    mutants: list[Mutant],
    chosen: list[Mutant],
    found: dict[str, Trial],
) -> dict[str, Any]:
    rows = records.table(chosen, found)
    lost = records.survivors(chosen, found)
    return {
        "population": len(mutants),
        "sample": len(chosen),
        "seed": asked.seed,
        "jobs": asked.jobs,
        "seconds_of_tests": asked.seconds,
        "table": rows,
        "killed_at_import": sum(found[mutant.key].by == AT_IMPORT for mutant in chosen),
        "without_equivalents": records.without_equivalents(rows, lost),
        "survivors": lost,
        "reasons_not_needed": records.not_needed(lost),
    }
