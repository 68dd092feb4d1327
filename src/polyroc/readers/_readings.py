"""``read_readings``: a long table of a reader study, from a file."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from polyroc.errors import InvalidInput
from polyroc.predictions._names import Naming
from polyroc.readers._cells import ids_in, labels_in, numbers_in
from polyroc.readers._files import read_table
from polyroc.readers._names import check_name
from polyroc.readers._table import PathLike

ScoreColumns = Sequence[str] | Mapping[Any, str]


@dataclass(frozen=True, eq=False)
class FileReadings:
    """Columns of a reader study in a file, and the options of ``reader_study`` that name them.

    Attributes
    ----------
    path : of the file.
    columns : by name, the order of rows as in the file.
    options : case, reader, modality, truth, rating, scores and labels.
    """

    path: str
    columns: dict[str, NDArray[Any]]
    options: dict[str, Any]

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def __repr__(self) -> str:
        return f"FileReadings({len(self)} rows of {self.path})"


def read_readings(
    path: PathLike,
    *,
    case: str,
    reader: str,
    modality: str,
    truth: str,
    rating: str | None = None,
    scores: ScoreColumns | None = None,
    labels: Sequence[Any] | None = None,
) -> FileReadings:
    """The columns of a reader study from a CSV, Parquet, Arrow or NPZ file.

    The options are those of :func:`polyroc.reader_study`; classes may be given as text, ``"1"`` for
    a class 1.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "readings.csv")
    ...     _ = path.write_text("case,reader,modality,truth,rating\\n1,A,ct,0,3\\n1,A,mr,0,2\\n")
    ...     roles = {name: name for name in ("case", "reader", "modality", "truth", "rating")}
    ...     found = read_readings(path, **roles)
    >>> found.columns["rating"]
    array([3., 2.])
    """
    ids = {"case": case, "reader": reader, "modality": modality}
    for option, name in {**ids, "truth": truth, "rating": rating}.items():
        check_name(name, option)
    if (rating is None) == (scores is None):
        raise InvalidInput(
            "Name either rating=, the column of ratings of two classes, or scores=, a column per "
            "class."
        )
    table = read_table(path, target=truth)
    numbers = _columns_in(rating, scores)
    for option, name in {**ids, "truth": truth}.items():
        table.check_has([name], f" Name the column with {option}=.")
    table.check_has(numbers)
    columns = {name: ids_in(table, name, option) for option, name in ids.items()}
    columns[truth] = labels_in(table, truth)
    columns |= {name: numbers_in(table, name) for name in numbers}
    known = Naming(set(columns[truth].tolist()))
    options: dict[str, Any] = {**ids, "truth": truth, "rating": rating, "scores": scores}
    if isinstance(scores, Mapping):
        options["scores"] = {_typed(label, known): name for label, name in scores.items()}
    options["labels"] = None if labels is None else [_typed(label, known) for label in labels]
    return FileReadings(table.path, columns, options)


def _columns_in(rating: str | None, scores: ScoreColumns | None) -> list[str]:
    if rating is not None:
        return [rating]
    return list(scores.values() if isinstance(scores, Mapping) else scores or ())


def _typed(name: Any, known: Naming) -> Any:
    """A class as a label of the type that the column has: "1" as 1."""
    label = known.label_of(name)
    return name if label is None else label
