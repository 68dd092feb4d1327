"""Records of runs: JSON files in a folder, one for each run."""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

from peers.rows import Row

FORMAT = 1


@dataclass(frozen=True)
class InstructionCount:
    """Machine instructions of a call of a kernel, and of each of its ``size`` steps."""

    kernel: str
    size: int
    instructions: int
    per_case: float


@dataclass(frozen=True)
class Record:
    """All that a run measured, and where; nothing of it names the machine or a user.

    ``uncounted`` says why there are no instruction counts, if there are none.
    """

    made: str
    effort: str
    limit: float
    machine: dict[str, Any]
    versions: dict[str, str]
    left_out: tuple[str, ...]
    rows: tuple[Row, ...]
    instructions: tuple[InstructionCount, ...] = ()
    uncounted: str = ""

    def to_json(self) -> str:
        """As text, with a row on each line."""
        plain = {"format": FORMAT} | asdict(self)
        lists = {name: plain.pop(name) for name in ("rows", "instructions")}
        head = json.dumps(plain, indent=1, ensure_ascii=False).removesuffix("\n}")
        tails = [f' "{name}": [\n{_lines(items)} ]' for name, items in lists.items()]
        return ",\n".join([head, *tails]) + "\n}\n"

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The record that ``to_json`` wrote."""
        plain = json.loads(text)
        if plain.pop("format", None) != FORMAT:
            raise ValueError(f"A record of another format than {FORMAT}. Measure anew.")
        plain["rows"] = tuple(Row.from_dict(row) for row in plain["rows"])
        plain["instructions"] = tuple(InstructionCount(**each) for each in plain["instructions"])
        return cls(**plain | {"left_out": tuple(plain["left_out"])})

    def write(self, folder: Path) -> Path:
        """Into a file named after the time and the effort."""
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{self.made.replace(':', '')}-{self.effort}.json"
        path.write_text(self.to_json(), encoding="utf-8")
        return path


def _lines(items: list[dict[str, Any]]) -> str:
    written = [f"  {json.dumps(item, ensure_ascii=False)}" for item in items]
    return ",\n".join(written) + "\n" if written else ""


def read(path: Path) -> Record:
    """The record in a file."""
    return Record.from_json(path.read_text(encoding="utf-8"))


def earlier(folder: Path, record: Record) -> Iterator[Record]:
    """Records of the same machine made before this one, the newest first."""
    for path in sorted(folder.glob("*.json"), reverse=True):
        try:
            other = read(path)
        except (ValueError, TypeError, KeyError) as error:
            print(f"{path.name} is not compared: {error}")
            continue
        if other.machine == record.machine and other.made < record.made:
            yield other
