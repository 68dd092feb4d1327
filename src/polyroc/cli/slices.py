"""``polyroc evaluate --by`` and ``compare --by``: for whom does it work?"""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from polyroc.cli.notes import notes
from polyroc.cli.wording import limit
from polyroc.errors import InvalidInput

if TYPE_CHECKING:
    from polyroc.cli.screen import Titled
    from polyroc.inference import Comparison
    from polyroc.readers import FilePredictions
    from polyroc.results import Evaluation

MOST_ROWS = 20
"""Slices of a metric that are shown on a screen; JSON has all."""


def slices_of_files(files: "Sequence[FilePredictions]") -> Mapping[str, Any] | None:
    """Attributes of the cases, the same in all files that have them."""
    import numpy as np

    first = files[0].slices
    for other in files[1:]:
        for name, values in (first or {}).items():
            theirs = (other.slices or {}).get(name)
            if theirs is None or len(theirs) != len(values):
                continue  # other numbers of cases are told by themselves
            apart = np.flatnonzero(values.astype(str) != theirs.astype(str))
            if apart.size:
                row = int(apart[0])
                raise InvalidInput(
                    f"{files[0].path} and {other.path} differ in the column {name!r} in row {row}: "
                    f"{values[row]} and {theirs[row]}. Compare files of the same cases in the same "
                    "order, or join them with --id COLUMN."
                )
    return first


def slice_tables(results: "Mapping[str, Evaluation]", level: float) -> "list[Titled]":
    """A table per model, attribute and metric, the worst slices first."""
    from polyroc.inference import SlicedEvaluation

    made: list[Titled] = []
    for name, result in results.items():
        if isinstance(result, SlicedEvaluation):
            of = f" of {name}" if len(results) > 1 else ""
            rows = result.frame(level)
            for test in result.alike:
                own = rows[(rows["attribute"] == test.attribute) & (rows["metric"] == test.metric)]
                if len(own):
                    made.append(_table(own, test, of, level))
    return made


def _table(rows: Any, test: Any, of: str, level: float) -> "Titled":
    from polyroc._base.tables import cell, p_cell, table_rows
    from polyroc.cli.screen import table

    which = f"the {MOST_ROWS} worst of {len(rows)}" if len(rows) > MOST_ROWS else "worst first"
    title = f"For whom does it work? {test.metric}{of} by {test.attribute}, {which}"
    title += "" if math.isnan(test.p_value) else f"; {_alike(test, len(rows))}"
    numbers = ["cases", "value", f"{100 * level:.6g} % interval", "from rest", "p (Holm)"]
    made = table(title, [test.attribute], numbers)
    for row in table_rows(rows.head(MOST_ROWS)):
        limits = "–" if math.isnan(row.low) else f"{cell(row.low)}–{cell(row.high)}"
        apart = "–" if math.isnan(row.difference) else f"{row.difference:+.4f}"
        made.add(
            row.slice, f"{row.cases:,}", cell(row.value), limits, apart, p_cell(row.p_adjusted)
        )
    return made


def _alike(test: Any, n_slices: int) -> str:
    """The p-value of the test that slices are alike, and that adjusted over attributes."""
    from polyroc._base.tables import p_cell

    which = "all" if test.slices == n_slices else f"the {test.slices} with a standard error"
    adjusted = test.p_adjusted != test.p_value
    holm = f", Holm over attributes {p_cell(test.p_adjusted)}" if adjusted else ""
    return f"{which} alike: p = {p_cell(test.p_value)}{holm}"


_NOT_OF_INTERVALS = (
    "mean-over-folds",
    "pairs-pooled",
    "cases-pooled",
    "tied-scores",
    "ties-matter",
    "priors-fixed",
    "priors-given",
)
"""Codes of notes that say nothing against an interval; JSON has them."""


def slice_notes(results: "Mapping[str, Evaluation]") -> list[str]:
    """Slices that are withheld, and what to be careful about in others, each once."""
    from polyroc._base.checks import shown
    from polyroc.inference import SlicedEvaluation

    sliced = {name: each for name, each in results.items() if isinstance(each, SlicedEvaluation)}
    withheld = dict.fromkeys(note.text for each in sliced.values() for note in each.notes)
    told: list[str] = []
    for attribute, slices in next(iter(sliced.values())).slices.items() if sliced else ():
        for name in slices:
            own = {model: each.slices[attribute][name] for model, each in sliced.items()}
            lines = notes(own, left_out=_NOT_OF_INTERVALS)
            told += [f"slice {shown(name)} of {attribute}: {line}" for line in lines]
    more = len(told) - MOST_ROWS
    rest = [f"{more:,} more notes on slices: see --json"] if more > 0 else []
    return [*withheld, *told[:MOST_ROWS], *rest]


def withheld_notes(result: "Comparison") -> list[str]:
    """Slices that are withheld."""
    from polyroc.inference import SlicedComparison

    return [n.text for n in result.notes] if isinstance(result, SlicedComparison) else []


def sliced_comparison_tables(result: "Comparison") -> "list[Titled]":
    """A table per attribute and metric."""
    from polyroc._base.tables import p_cell, table_rows
    from polyroc.cli.screen import table
    from polyroc.inference import SlicedComparison

    if not isinstance(result, SlicedComparison):
        return []
    made: list[Titled] = []
    frame = result.frame()
    for (attribute, metric), rows in frame.groupby(["attribute", "metric"], sort=False):
        title = (
            f"Which is better for whom? {metric} by {attribute}, worst for the first model first"
        )
        numbers = ["cases", "difference", "interval", "p (Holm)"]
        made.append(table(title, [attribute, "models"], numbers))
        for row in table_rows(rows):
            ends = (limit(each, "+.4f") for each in (row.low, row.high))
            limits = "–" if math.isnan(row.low) else " … ".join(ends)
            apart = "–" if math.isnan(row.difference) else f"{row.difference:+.4f}"
            models = f"{row.model_a} − {row.model_b}"
            made[-1].add(row.slice, models, f"{row.cases:,}", apart, limits, p_cell(row.p_adjusted))
    if result.same:
        title = "Is the difference the same in all slices?"
        made.append(table(title, ["attribute", "metric", "models"], ["slices", "p", "p (Holm)"]))
        for test in result.same:
            models = f"{test.model_a} − {test.model_b}"
            cells = test.attribute, test.metric, models, test.slices
            made[-1].add(*cells, p_cell(test.p_value), p_cell(test.p_adjusted))
    return made
