"""Counting what became of the mutants, and writing it down."""

import json
import math
import tomllib
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from mutation.population import Mutant
from mutation.trial import Trial

VERDICTS = ("killed", "timed out", "survived", "not reached", "error")
DEAD = {"killed", "timed out"}
REASONS = Path(__file__).with_name("survivors.toml")
EQUIVALENT = ("equivalent", "speed only")
"""Beginnings of the reasons of mutants that no test of the results can tell from the code."""


def wilson(hits: int, number: int, z: float = 1.959963984540054) -> tuple[float, float]:
    """Wilson's interval of a share.

    >>> [round(limit, 3) for limit in wilson(9, 10)]
    [0.596, 0.982]
    """
    if not number:
        return 0.0, 1.0
    share, spread = hits / number, z * z / number
    middle = share + spread / 2
    reach = z * math.sqrt(share * (1 - share) / number + spread / (4 * number))
    return (middle - reach) / (1 + spread), (middle + reach) / (1 + spread)


def reasons() -> dict[str, str]:
    """Why mutants survive, by their names."""
    if not REASONS.exists():
        return {}
    return {
        each["mutant"]: each["reason"] for each in tomllib.loads(REASONS.read_text())["survivor"]
    }


def table(mutants: Iterable[Mutant], found: dict[str, Trial]) -> list[dict[str, Any]]:
    """A row per package and one for all: verdicts, the share that died and its interval."""
    verdicts: dict[str, Counter[str]] = {}
    for mutant in mutants:
        for name in (mutant.package, "all"):
            verdicts.setdefault(name, Counter())[found[mutant.key].verdict] += 1
    return [_row(name, verdicts[name]) for name in [*sorted(verdicts.keys() - {"all"}), "all"]]


def _row(name: str, counts: Counter[str]) -> dict[str, Any]:
    number, dead = counts.total(), sum(counts[verdict] for verdict in DEAD)
    low, high = wilson(dead, number)
    return {
        "package": name,
        "mutants": number,
        **{verdict: counts[verdict] for verdict in VERDICTS},
        "share": round(dead / number, 4),
        "interval": [round(low, 4), round(high, 4)],
    }


def survivors(mutants: Iterable[Mutant], found: dict[str, Trial]) -> list[dict[str, Any]]:
    """Mutants that no test noticed, with the reason where one is known."""
    known = reasons()
    return [
        {
            "where": f"{mutant.file}:{mutant.line}",
            "function": mutant.function,
            "before": mutant.before,
            "after": mutant.after,
            "verdict": found[mutant.key].verdict,
            "reason": known.get(mutant.key),
            "mutant": mutant.key,
            "tests": found[mutant.key].tests,
            "left_out": found[mutant.key].left_out,
        }
        for mutant in sorted(mutants, key=lambda each: (each.file, each.number))
        if found[mutant.key].verdict not in DEAD
    ]


def not_needed(lost: list[dict[str, Any]]) -> list[str]:
    """Reasons for mutants that have not survived, or are no longer in the sample."""
    return sorted(reasons().keys() - {each["mutant"] for each in lost})


def without_equivalents(rows: list[dict[str, Any]], lost: list[dict[str, Any]]) -> dict[str, Any]:
    """The share among mutants that change a result."""
    same = [each for each in lost if (each["reason"] or "").startswith(EQUIVALENT)]
    number = rows[-1]["mutants"] - len(same)
    dead = sum(rows[-1][verdict] for verdict in DEAD)
    low, high = wilson(dead, number)
    return {
        "equivalent": len(same),
        "mutants": number,
        "share": round(dead / number, 4) if number else None,
        "interval": [round(low, 4), round(high, 4)],
    }


def printed(record: dict[str, Any]) -> str:
    """The record as text."""
    lines = [f"{'':12}" + "".join(f"{name:>12}" for name in ("mutants", *VERDICTS)) + "   share"]
    for row in record["table"]:
        numbers = "".join(f"{row[name]:>12}" for name in ("mutants", *VERDICTS))
        low, high = row["interval"]
        shares = f"{100 * row['share']:.1f} % ({100 * low:.1f} % – {100 * high:.1f} %)"
        lines.append(f"{row['package']:12}{numbers}   {shares}")
    other = record["without_equivalents"]
    if other["equivalent"] and other["share"] is not None:
        low, high = other["interval"]
        lines.append(
            f"Without the {other['equivalent']} that change no result: "
            f"{100 * other['share']:.1f} % ({100 * low:.1f} % – {100 * high:.1f} %)"
        )
    lines.append(f"Of those killed, {record['killed_at_import']} could not be imported.")
    if record["reasons_not_needed"]:
        lines.append(f"{len(record['reasons_not_needed'])} reasons fit no survivor of this sample.")
    for each in record["survivors"]:
        lines += [
            f"\n{each['where']} in {each['function']} ({each['verdict']})",
            f"    {each['before']}\n  → {each['after']}",
            f"    {each['reason'] or 'NO REASON GIVEN'}",
        ]
    return "\n".join(lines)


def write(record: dict[str, Any], path: Path) -> None:
    """The record as JSON."""
    path.write_text(json.dumps(record, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
