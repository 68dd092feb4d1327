"""``polyroc evaluate --streaming``: Parquet files that do not fit into memory."""

from typing import TYPE_CHECKING, Any

from polyroc.cli.wording import plural, printable
from polyroc.errors import InvalidInput

if TYPE_CHECKING:
    from polyroc.scale.certified import CertifiedEvaluation


def evaluate_streaming(
    files: tuple[str, ...], target: str | None, as_json: bool, **options: Any
) -> None:
    """Print certified bounds of the metrics of all rows of some Parquet files."""
    from polyroc.scale import evaluate_parquet

    if target is None:
        raise InvalidInput("--streaming needs the column of true classes: pass --target COLUMN.")
    found = evaluate_parquet(list(files), target=target, progress=not as_json, **options)
    if as_json:
        _print_json(files, target, found)
    else:
        _print_table(files, found)


def _print_json(files: tuple[str, ...], target: str, found: "CertifiedEvaluation") -> None:
    from polyroc.cli.documents import print_document

    read = {"cases": found.n_cases, "classes": list(found.counts), "target": target}
    print_document("streaming", {"input": {**read, "paths": list(files)}, **found.to_dict()})


def _print_table(files: tuple[str, ...], found: "CertifiedEvaluation") -> None:
    from polyroc.cli.screen import console, show, table
    from polyroc.results import cell

    screen = console()
    names = ", ".join(files) if len(files) < 4 else plural(len(files), "file")
    counted = f"{plural(found.n_cases, 'case')} of {plural(len(found.counts), 'class')}"
    screen.print(printable(f"{names}: {counted}.") + "\n")
    made = table("Each value lies between these bounds", ["metric"], ["low", "high", "std. error"])
    for metric, bounds in found.items():
        low, high = (f"{bound:.6f}" for bound in (bounds.low, bounds.high))
        made.add(metric, low, high, cell(bounds.standard_error))
    show(screen, made)
    for metric, bounds in found.items():
        if bounds.note:
            screen.print(printable(f"Note. {metric}: {bounds.note}"))
