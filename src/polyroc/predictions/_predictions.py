"""Predictions: true classes and scores of the same cases, checked once and read-only after.

The only way into polyroc: whatever a user passes becomes one of these, and everything else may rely
on what is checked here.
"""

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyroc._base.checks import check_choice, flag, shown
from polyroc._base.lazy import lazy_property
from polyroc._base.parallel import map_threads, thread_count
from polyroc._base.sums import sum_by_class
from polyroc.errors import InvalidInput, InvalidType, NotDefined
from polyroc.predictions._classes import listed, present_classes
from polyroc.predictions._columns import Column
from polyroc.predictions._folds import Folds, check_fold_classes, read_folds
from polyroc.predictions._gate import read_cases
from polyroc.predictions._groups import read_groups
from polyroc.predictions._rows import RowLabels, rows_by_position
from polyroc.predictions._scores import (
    Origin,
    column_fault,
    complement,
    mirrored,
    normalized,
    row_fault,
)
from polyroc.predictions._side_by_side import SideBySide
from polyroc.predictions._slices import (
    Attribute,
    given_attributes,
    read_attribute,
    row_labels_of,
)
from polyroc.predictions._weights import check_spread, checked_priors, checked_weights, shares
from polyroc.typing import (
    Absent,
    Float64Array,
    FloatArray,
    IntArray,
    Label,
    LabelsLike,
    PriorsLike,
    ScoresLike,
    WeightsLike,
)

MANY_CASES = 1 << 18
"""From here on copying a column is worth a thread."""

MOST_KEPT_SCORES = 1 << 24
"""Columns stay sorted in memory between metrics up to so many scores (about 400 MB)."""


_FIELDS = (
    "_origin",
    "by_position",
    "classes",
    "codes",
    "declared",
    "folds",
    "groups",
    "n_threads",
    "one_column",
    "scores",
    "skipped",
    "slices",
    "weights",
)


class Predictions:
    """True classes and scores of n cases over K classes.

    Parameters
    ----------
    y_true : n labels: strings, integers, booleans, whole floats or a categorical.
    y_score : (n, K) scores, the higher the likelier; a frame's column names are class names. With
        two classes one column of scores is enough: it belongs to the second class. float32 and
        float64 are used as they are, float16 as float32, any other number as the nearest float64.
    labels : the classes in the order of columns without names. By default the names of the
        frame's columns, or the sorted distinct labels; a categorical whose categories are in
        another order needs names or ``labels``.
    sample_weight : n non-negative weights; cases of weight 0 are dropped.
    absent : what to do with a class without cases: ``"raise"``, or ``"skip"`` to leave it out.
    normalize : divide each row by its sum.
    n_threads : threads that statistics of these predictions may use.
    folds : the fold of a cross-validation in which each case was held out: a name or number per
        case, or a table with a column for the repeat and one for the fold. Metrics are then
        computed within folds, whose scores come from one fitted model, and averaged over folds.
    groups : group of each case where cases are not independent, such as the patient of an image.
    slices : attributes of the cases, such as sex or site, by whose values results are also given: a
        column, a mapping from names to columns, or a frame; see ``by`` of :func:`polyroc.evaluate`.

    Attributes
    ----------
    classes : the K classes.
    skipped : classes left out by ``absent="skip"``.
    codes : (n,) position in ``classes`` of each case's true class.
    scores : (n, K).
    weights : (n,), or None if every case weighs the same.
    folds : ``numbers`` (n,) of the folds and their ``names``, or None.
    groups : (n,) number of the group of each case, or None.
    slices : attributes with ``name``, ``numbers`` (n,) and the names of the ``slices``, or None.
    by_position : which of the parameters were matched with ``y_true`` row by row although their
        indexes differ. The same index labels in another order are an error.

    Scores and weights are copied, so that nothing done later to the arrays given changes a result.
    Functions such as :func:`polyroc.hand_till` need no copy.
    """

    classes: tuple[Label, ...]
    declared: tuple[Label, ...]
    skipped: tuple[Label, ...]
    codes: IntArray
    scores: FloatArray
    weights: Float64Array | None
    folds: Folds | None
    groups: NDArray[np.intp] | None
    slices: tuple[Attribute, ...] | None
    one_column: bool
    n_threads: int | None
    by_position: tuple[str, ...]
    _origin: Origin
    _whole: "Predictions | None" = None
    """Of a part, the cases that it was taken from."""
    _columns: dict[int, Column]

    def __init__(
        self,
        y_true: LabelsLike,
        y_score: ScoresLike,
        *,
        labels: LabelsLike | None = None,
        sample_weight: WeightsLike | None = None,
        absent: Absent = "raise",
        normalize: bool = False,
        n_threads: int | None = None,
        folds: Any = None,
        groups: Any = None,
        slices: Any = None,
    ) -> None:
        given: dict[str, Any] = {"labels": labels, "sample_weight": sample_weight, "absent": absent}
        given |= {"normalize": normalize, "n_threads": n_threads}
        given |= {"folds": folds, "groups": groups, "slices": slices}
        self._read(y_true, y_score, **given)
        own = {"scores": _owned(self.scores), "weights": _owned(self.weights)}
        self._fill(**{**self.__getstate__(), **own})

    @classmethod
    def borrowed(cls, y_true: LabelsLike, y_score: ScoresLike, **options: Any) -> "Predictions":
        """The same without copies, for a call during which the caller's arrays do not change."""
        predictions = object.__new__(cls)
        predictions._read(y_true, y_score, **options)
        return predictions

    def _read(
        self,
        y_true: LabelsLike,
        y_score: ScoresLike,
        labels: LabelsLike | None = None,
        sample_weight: WeightsLike | None = None,
        absent: Absent = "raise",
        normalize: bool = False,
        n_threads: int | None = None,
        folds: Any = None,
        groups: Any = None,
        slices: Any = None,
    ) -> None:
        """The cases and classes that count, scores and weights as views where possible."""
        _check_options(absent, normalize)
        n_threads = None if n_threads is None else thread_count(n_threads)
        given = read_cases(y_true, y_score, labels, sample_weight, folds)
        declared, codes, table = given.declared, given.codes, given.table
        weights, rows = checked_weights(sample_weight, len(codes))
        codes = codes if rows is None else codes[rows]
        present = present_classes(codes, declared.classes, absent)
        if len(present) < len(declared.classes):
            codes = np.searchsorted(present, codes).astype(codes.dtype)
        columns = declared.columns_of(present)
        origin = Origin(given.names, rows, columns, len(table), given.row_labels)
        self._fill(
            **declared.counted(present),
            codes=codes,
            scores=_final_scores(table, origin, normalize),
            weights=weights,
            folds=None if folds is None else read_folds(folds, len(given.codes)).of(rows),
            groups=None,
            slices=None,
            one_column=table.shape[1] == 1 and not normalize,
            n_threads=n_threads,
            by_position=given.by_position,
            _origin=origin,
        )
        if self.folds is not None and absent == "raise":
            check_fold_classes(self.folds, codes, self.classes)
        self._check_and_group(groups, slices)

    def _check_and_group(self, groups: Any, slices: Any) -> None:
        """Check the weights of classes, and keep the groups and slices of the cases."""
        if self.weights is not None:
            check_spread(self.class_weights, self.classes)
        if groups is not None:
            numbers, by_position = self.case_groups(groups)
            self._fill(groups=numbers, by_position=self.by_position + by_position)
        if slices is not None:
            attributes, by_position = self.case_slices(slices, "slices")
            self._fill(slices=attributes, by_position=self.by_position + by_position)

    def _fill(self, **fields: Any) -> None:
        """Set all attributes, arrays read-only, with no column sorted yet."""
        for name, value in fields.items():
            vars(self)[name] = _read_only(value) if isinstance(value, np.ndarray) else value
        vars(self)["_columns"] = {}

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"Predictions are read-only: make new ones to change {name}.")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"Predictions are read-only: {name} cannot be deleted.")

    def __getstate__(self) -> dict[str, Any]:
        return {name: vars(self)[name] for name in _FIELDS}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._fill(**state)

    def __repr__(self) -> str:
        weighted = "" if self.weights is None else ", weighted"
        folds = "" if self.folds is None else f", {len(self.folds.names)} folds"
        return f"Predictions({len(self)} cases, {self.n_classes} classes{weighted}{folds})"

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def n_classes(self) -> int:
        """K."""
        return len(self.classes)

    @property
    def given_rows(self) -> NDArray[np.intp]:
        """(n,) the row of each case in what was given, from which cases of weight 0 are dropped."""
        return np.arange(len(self)) if self._origin.rows is None else self._origin.rows

    def with_cases(
        self, codes: IntArray, scores: FloatArray, weights: Float64Array
    ) -> "Predictions":
        """Other cases of the same classes, taken as checked."""
        other = object.__new__(Predictions)
        cases = {"codes": codes, "scores": scores, "weights": weights, "_origin": Origin()}
        other._fill(
            **{**self.__getstate__(), **cases, "folds": None, "groups": None, "slices": None}
        )
        return other

    def part(
        self, rows: NDArray[np.intp], *, n_threads: int | None = None, keep_folds: bool = False
    ) -> "Predictions":
        """Some of the cases, such as those of a fold; classes without any are left out."""
        codes = self.codes[rows]
        there = np.flatnonzero(np.bincount(codes, minlength=self.n_classes))
        every = len(there) == self.n_classes
        if not every:
            codes = np.searchsorted(there, codes).astype(codes.dtype)
        origin = self._origin.part(rows, None if every else there.tolist())
        other = object.__new__(Predictions)
        cases = {
            "classes": tuple(self.classes[k] for k in there.tolist()),
            "codes": codes,
            "scores": self.scores[rows] if every else self.scores[np.ix_(rows, there)],
            "weights": None if self.weights is None else self.weights[rows],
            "one_column": self.one_column and every,
            "folds": self.folds.of(rows) if keep_folds and self.folds is not None else None,
            "slices": None,
            "groups": None if self.groups is None else self.groups[rows],
            "n_threads": n_threads,
            "_origin": origin,
        }
        other._fill(**{**self.__getstate__(), **cases})
        vars(other)["_whole"] = self if self._whole is None else self._whole
        return other

    @lazy_property
    def fold_rows(self) -> tuple[NDArray[np.intp], ...]:
        """The cases of each fold, in the order in which they were given; all, where none is."""
        if self.folds is None:
            return (_frozen(np.arange(len(self))),)
        order = _frozen(np.argsort(self.folds.numbers, kind="stable"))
        counts = np.bincount(self.folds.numbers, minlength=len(self.folds.names))
        return tuple(np.split(order, np.cumsum(counts)[:-1]))

    def check_independent(self, what: str) -> None:
        """Refuse groups where standard errors take cases as independent."""
        if self.groups is not None:
            raise InvalidInput(
                f"{what} treats cases as independent, and these belong to groups: its standard "
                "errors would be too small. Pass predictions without groups."
            )

    def column(self, k: int) -> Column:
        """Column k of the scores, the cases of class k positive: the one kept, or a new one."""
        if k in self._columns:
            return self._columns[k]
        return self._new_column(k)

    def _new_column(self, k: int, *, kept: bool = False) -> Column:
        scores = np.ascontiguousarray(self.scores[:, k])
        return Column(scores, self.codes, k, self.weights, kept)

    @lazy_property
    def side_by_side(self) -> SideBySide:
        """All columns sorted at once, which pays where they are short; they stay in memory."""
        return SideBySide(self.scores, self.codes)

    def sorted_together(self) -> SideBySide:
        """The same for one use: those in memory, or new ones."""
        kept: SideBySide | None = vars(self).get("side_by_side")
        return SideBySide(self.scores, self.codes) if kept is None else kept

    @property
    def n_scores_of_whole(self) -> int:
        """Scores of the table that this is a part of, such as a fold, or of this table itself."""
        return self.scores.size if self._whole is None else self._whole.scores.size

    @property
    def keeps_columns(self) -> bool:
        """Whether the columns stay sorted in memory."""
        return bool(self._columns)

    def keep_columns(self) -> None:
        """Keep the columns, sorted once, where memory allows: values and influences use them."""
        if self.scores.size <= MOST_KEPT_SCORES and not self._columns:
            kept = map_threads(
                lambda k: self._new_column(k, kept=True),
                range(self.n_classes),
                self.n_threads if len(self) >= MANY_CASES else 1,
            )
            self._columns.update(enumerate(kept))

    def forget_columns(self) -> None:
        """Let go of the columns that were kept, and of the memory that they take."""
        self._columns.clear()
        vars(self).pop("side_by_side", None)

    @lazy_property
    def class_counts(self) -> NDArray[np.intp]:
        """Cases in each class."""
        return _frozen(np.bincount(self.codes, minlength=self.n_classes))

    @lazy_property
    def members(self) -> tuple[NDArray[np.intp], ...]:
        """The cases of each class, in the order in which they were given."""
        order = _frozen(np.argsort(self.codes, kind="stable"))
        borders = [0, *np.cumsum(self.class_counts).tolist()]
        return tuple(order[start:stop] for start, stop in pairwise(borders))

    @lazy_property
    def class_weights(self) -> Float64Array:
        """Sum of the weights in each class: n_k where cases are not weighted."""
        if self.weights is None:
            return _frozen(self.class_counts.astype(np.float64))
        return _frozen(sum_by_class(self.codes, self.weights, self.n_classes))

    @property
    def row_labels(self) -> RowLabels | None:
        """The index of the rows as they were given, where there was one."""
        return self._origin.row_labels

    @property
    def n_given(self) -> int:
        """Rows given, with those of weight 0."""
        return self._origin.n_rows or len(self)

    def of_cases(self, values: NDArray[Any], what: str) -> NDArray[Any]:
        """One value per row as given, or per case: those of the cases of positive weight."""
        rows, n_given = self._origin.rows, self.n_given
        if values.shape not in ((n_given,), (len(self),)):
            raise InvalidInput(
                f"{what} has the shape {values.shape} but there are {n_given} cases. "
                f"Pass one {what.removesuffix('s')} per case."
            )
        return values if rows is None or len(values) == len(self) else values[rows]

    def case_groups(self, groups: Any) -> tuple[NDArray[np.intp], tuple[str, ...]]:
        """Groups of the cases as numbers, and whether they were matched by position."""
        if self.groups is not None:
            raise InvalidInput(
                "groups cannot be given together with Predictions that have groups. Pass them once."
            )
        by_position = rows_by_position({"groups": groups}, self.row_labels)
        return self.of_cases(read_groups(groups), "groups"), by_position

    def case_slices(
        self, by: Any, what: str = "by"
    ) -> tuple[tuple[Attribute, ...], tuple[str, ...]]:
        """Attributes of the cases, and which of them were matched by position."""
        columns = given_attributes(by, what)
        by_position = rows_by_position(row_labels_of(columns, what), self.row_labels)
        read = [read_attribute(name, values) for name, values in columns.items()]
        return tuple(self._of_attribute(each, what) for each in read), by_position

    def _of_attribute(self, attribute: Attribute, what: str) -> Attribute:
        n_values, n_given = len(attribute.numbers), self.n_given
        if n_values not in (n_given, len(self)):
            raise InvalidInput(
                f"{what} has {n_values} values of {shown(attribute.name)} but there are {n_given} "
                "cases. Pass one value per case."
            )
        return attribute.of(None if n_values == len(self) else self._origin.rows)

    @property
    def priors(self) -> Float64Array:
        """Share of each class in the sample."""
        return shares(self.class_weights)

    @property
    def case_weights(self) -> Float64Array:
        """Weights, ones where cases are not weighted."""
        return np.ones(len(self)) if self.weights is None else self.weights

    def priors_or(self, priors: PriorsLike | None) -> Float64Array:
        """The priors given, in the order of the classes, or those of the sample.

        They may name all declared classes; those without cases are then left out.
        """
        if priors is None:
            return self.priors
        if self.skipped and len(priors) == len(self.declared):
            return shares(checked_priors(priors, self.declared)[self.present])
        return checked_priors(priors, self.classes)

    @property
    def present(self) -> list[int]:
        """Positions of the classes among the declared ones."""
        return [self.declared.index(label) for label in self.classes]

    @property
    def are_probabilities(self) -> bool:
        """Whether every row sums to 1 and holds nothing negative."""
        return self._probability_fault is None

    def probabilities(self, needed_by: str) -> FloatArray:
        """The scores, if they are probabilities; otherwise an error that names who needs them."""
        fault = self._probability_fault
        if fault:
            raise NotDefined(f"{needed_by} needs probabilities, but {fault}. {self._mending()}")
        return self._probability_rows

    @lazy_property
    def _probability_rows(self) -> FloatArray:
        return complement(self.scores) if self.one_column else self.scores

    @lazy_property
    def _probability_fault(self) -> str | None:
        """What keeps the rows from being probabilities, in words; None if nothing does."""
        whole = self._whole
        if whole is not None and whole.classes == self.classes and whole.are_probabilities:
            return None
        judge = column_fault if self.one_column else row_fault
        return judge(self.scores, self._origin)

    def _mending(self) -> str:
        """What to do about scores that are no probabilities."""
        if self.one_column:
            own = f"Pass the probability of {shown(self.classes[1])}, between 0 and 1"
            return f"{own}, such as scipy.special.expit(score) for log-odds."
        if bool((self.scores < 0).any()):
            return "Pass probabilities, such as scipy.special.softmax(scores, axis=1) for logits."
        if self.skipped:
            return (
                f"The rows count without the skipped {listed(self.skipped)}: "
                "pass normalize=True to divide each row by the sum of what remains."
            )
        return "Pass probabilities, or normalize=True to divide each row by its sum."


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    view = array.view()
    view.flags.writeable = False
    return view


def _owned(array: Any) -> Any:
    """An array that nobody else can write to, in the same layout; None stays None."""
    return None if array is None else np.array(array, order="K")


def _frozen(array: NDArray[Any]) -> NDArray[Any]:
    array.flags.writeable = False
    return array


def _check_options(absent: Absent, normalize: bool) -> None:
    check_choice(absent, "absent", ("raise", "skip"))
    flag(normalize, "normalize")


def _final_scores(table: FloatArray, origin: Origin, normalize: bool) -> FloatArray:
    """The rows and columns that count: a view where that is all of them, in order, as they are."""
    if origin.columns != tuple(range(table.shape[1])):
        table = table[:, origin.columns]
    if origin.rows is not None:
        table = table[origin.rows]
    if normalize:
        return normalized(table, origin)
    return mirrored(table) if table.shape[1] == 1 else table


def predictions_of(
    y_true: LabelsLike | Predictions,
    y_score: ScoresLike | None = None,
    labels: LabelsLike | None = None,
    sample_weight: WeightsLike | None = None,
    absent: Absent = "raise",
    normalize: bool = False,
    n_threads: int | None = None,
    folds: Any = None,
) -> Predictions:
    """The predictions themselves, or those made from labels, scores and what else is given.

    What predictions already hold (``labels``, ``sample_weight``, …) may not be given again.
    """
    given: dict[str, Any] = {
        "labels": labels,
        "sample_weight": sample_weight,
        "absent": absent,
        "normalize": normalize,
        "n_threads": n_threads,
        "folds": folds,
    }
    if not isinstance(y_true, Predictions):
        if y_score is None:
            raise InvalidType("y_score is missing. Pass labels and scores, or one Predictions.")
        return Predictions.borrowed(y_true, y_score, **given)
    defaults = {"absent": "raise", "normalize": False, "y_score": None}
    asked = {"y_score": y_score, **given}
    again = [name for name, value in asked.items() if value is not defaults.get(name)]
    if again:
        raise InvalidInput(
            f"{', '.join(again)} cannot be given together with Predictions, which contain what is "
            "known about the cases. Pass it to Predictions instead."
        )
    return y_true
