"""Predictions: true classes and scores of the same cases, checked once and read-only after.

The only way into polyroc: whatever a user passes becomes one of these, and everything else may rely
on what is checked here.
"""

from collections.abc import Callable, Hashable
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from polyroc.errors import InvalidInput, NotDefined
from polyroc.intake import read_labels, read_scores, read_weights
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

SUM_TOLERANCE = 1e-4
"""Rows whose scores sum to 1 within this count as probabilities (float16 rows do)."""

_ROWS_PER_BLOCK = 1 << 16
_Statistic = TypeVar("_Statistic")


class Predictions:
    """True classes and scores of n cases over K classes.

    Parameters
    ----------
    y_true : n labels: strings, integers, booleans, whole floats or a categorical.
    y_score : (n, K) scores, the higher the likelier; a frame's column names are class names. With
        two classes one column of scores is enough: it belongs to the second class.
    labels : the classes in the order of the columns. By default the names of the frame's columns,
        the categories, or the sorted distinct labels.
    sample_weight : n non-negative weights; cases of weight 0 are dropped.
    absent : what to do with a class without cases: ``"raise"``, or ``"skip"`` to leave it out.
    normalize : divide each row by its sum.
    n_threads : threads that statistics of these predictions may use.

    Attributes
    ----------
    classes : the K classes.
    skipped : classes left out by ``absent="skip"``.
    codes : (n,) position in ``classes`` of each case's true class.
    scores : (n, K).
    weights : (n,), or None if every case weighs the same.
    """

    __slots__ = (
        "_memo",
        "classes",
        "codes",
        "declared",
        "n_threads",
        "one_column",
        "scores",
        "skipped",
        "weights",
    )
    classes: tuple[Label, ...]
    declared: tuple[Label, ...]
    skipped: tuple[Label, ...]
    codes: IntArray
    scores: FloatArray
    weights: Float64Array | None
    one_column: bool
    n_threads: int | None
    _memo: dict[Hashable, Any]

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
    ) -> None:
        if absent not in ("raise", "skip"):
            raise InvalidInput(f'absent must be "raise" or "skip", got {absent!r}.')
        scores, names = read_scores(y_score)
        values, categories = read_labels(y_true)
        scores = _as_table(scores)
        _check_lengths(len(values), len(scores))
        declared = _declared_classes(labels, names, categories, values, scores.shape[1])
        scores = _in_order(scores, names, declared)
        codes = _encode(values, declared)
        scores, one_column = _two_columns(scores)
        _check_finite(scores)
        codes, scores, weights = _weighted(codes, scores, sample_weight)
        if normalize:
            scores, one_column = _normalized(scores, one_column), False
        present = _present(codes, declared, absent)
        if len(present) < len(declared):
            scores = scores[:, present]
            codes = np.searchsorted(present, codes).astype(codes.dtype)
        self._fill(declared, present, codes, scores, weights, one_column, n_threads)

    def _fill(
        self,
        declared: tuple[Label, ...],
        present: NDArray[np.intp],
        codes: IntArray,
        scores: FloatArray,
        weights: Float64Array | None,
        one_column: bool,
        n_threads: int | None,
    ) -> None:
        kept = set(present.tolist())
        fields: dict[str, Any] = {
            "declared": declared,
            "classes": tuple(declared[k] for k in present),
            "skipped": tuple(label for k, label in enumerate(declared) if k not in kept),
            "codes": _read_only(codes),
            "scores": _read_only(scores),
            "weights": None if weights is None else _read_only(weights),
            "one_column": one_column,
            "n_threads": n_threads,
            "_memo": {},
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"Predictions are read-only: make new ones to change {name}.")

    def __repr__(self) -> str:
        weighted = "" if self.weights is None else ", weighted"
        return f"Predictions({len(self)} cases, {self.n_classes} classes{weighted})"

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def n_classes(self) -> int:
        """K."""
        return len(self.classes)

    def derived(self, compute: Callable[..., _Statistic], *arguments: Hashable) -> _Statistic:
        """``compute(self, *arguments)``, kept, so that metrics share what is dear."""
        key = (compute, *arguments)
        if key not in self._memo:
            self._memo[key] = compute(self, *arguments)
        return cast("_Statistic", self._memo[key])

    def supply(
        self, compute: Callable[..., _Statistic], value: _Statistic, *arguments: Hashable
    ) -> None:
        """Say what ``derived(compute, *arguments)`` is, where it was computed otherwise."""
        self._memo[(compute, *arguments)] = value

    def replaced(self, codes: IntArray, scores: FloatArray, weights: Float64Array) -> "Predictions":
        """Other cases of the same classes, taken as checked; weights may be 0."""
        other = object.__new__(Predictions)
        for name in self.__slots__:
            object.__setattr__(other, name, getattr(self, name))
        fields = {"codes": codes, "scores": scores, "weights": weights}
        for name, value in fields.items():
            object.__setattr__(other, name, _read_only(value))
        object.__setattr__(other, "_memo", {})
        return other

    def reweighted(self, weights: Float64Array) -> "Predictions":
        """The same cases with other weights, 0 included: what resampling is made of."""
        other = self.replaced(self.codes, self.scores, weights)
        for compute in (_class_counts, _probability_rows, _probability_fault):
            other.supply(compute, self.derived(compute))
        return other

    @property
    def class_counts(self) -> NDArray[np.intp]:
        """Cases in each class."""
        return self.derived(_class_counts)

    @property
    def class_weights(self) -> Float64Array:
        """Sum of the weights in each class: n_k where cases are not weighted."""
        return self.derived(sum_of_weights)

    @property
    def priors(self) -> Float64Array:
        """Share of each class in the sample."""
        return shares(self.class_weights)

    @property
    def case_weights(self) -> Float64Array:
        """Weights, ones where cases are not weighted."""
        return np.ones(len(self)) if self.weights is None else self.weights

    def priors_or(self, priors: PriorsLike | None) -> Float64Array:
        """The priors given, in the order of the classes, or those of the sample."""
        return self.priors if priors is None else _checked_priors(priors, self.classes)

    def probabilities(self, needed_by: str) -> FloatArray:
        """The scores, if they are probabilities; otherwise an error that names who needs them."""
        rows = self.derived(_probability_rows)
        fault = self.derived(_probability_fault)
        if fault:
            raise NotDefined(
                f"{needed_by} needs probabilities, but {fault}. "
                "Pass probabilities, or normalize=True to divide each row by its sum."
            )
        return rows


def shares(values: Float64Array) -> Float64Array:
    """Values divided by their sum."""
    divided: Float64Array = values / values.sum()
    return divided


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    view = array.view()
    view.flags.writeable = False
    return view


def _as_table(scores: FloatArray) -> FloatArray:
    if scores.ndim == 1:
        return scores[:, None]
    if scores.ndim != 2:
        raise InvalidInput(
            f"y_score must have two dimensions, cases and classes, got shape {scores.shape}."
        )
    return scores


def _check_lengths(n_labels: int, n_rows: int) -> None:
    if n_labels != n_rows:
        raise InvalidInput(
            f"y_true has {n_labels} cases but y_score has {n_rows}. "
            "Pass one label and one row of scores per case."
        )
    if n_labels == 0:
        raise InvalidInput("There are no cases: y_true is empty. Pass at least one case per class.")


def _declared_classes(
    labels: LabelsLike | None,
    names: tuple[Any, ...] | None,
    categories: tuple[Label, ...] | None,
    values: NDArray[Any],
    n_columns: int,
) -> tuple[Label, ...]:
    """The classes in order, by the first of: labels, column names, categories, what occurs."""
    if labels is not None:
        array, _ = read_labels(labels, "labels")
        classes = tuple(array.tolist())
        source = "labels"
    elif names is not None and n_columns > 1:
        classes, source = _named_classes(names, values), "the column names of y_score"
    elif categories is not None:
        classes, source = categories, "the categories of y_true"
    else:
        classes, source = _distinct(values), "y_true"
    _check_classes(classes, source, n_columns)
    return classes


def classes_of(y_true: LabelsLike, labels: LabelsLike | None = None) -> tuple[Label, ...]:
    """The classes that labels alone declare: as given, else the categories, else what occurs."""
    values, categories = read_labels(y_true if labels is None else labels)
    if labels is not None:
        return tuple(values.tolist())
    return _distinct(values) if categories is None else categories


def _check_classes(classes: tuple[Label, ...], source: str, n_columns: int) -> None:
    repeated = sorted({str(label) for label in classes if classes.count(label) > 1})
    if repeated:
        raise InvalidInput(
            f"{_sentence(source)} name {', '.join(repeated)} more than once. Name each class once."
        )
    if len(classes) < 2:
        raise InvalidInput(
            f"At least two classes are needed, but {source} has only {_listed(classes)}. "
            "Name the classes without cases in labels=."
        )
    if n_columns == len(classes) or (n_columns == 1 and len(classes) == 2):
        return
    raise InvalidInput(
        f"y_score has {n_columns} column{'s' * (n_columns != 1)} but {source} "
        f"{'has' if source == 'y_true' else 'have'} {len(classes)} classes: {_listed(classes)}. "
        "Pass one column per class and name their classes in labels=."
    )


def _sentence(source: str) -> str:
    return source[0].upper() + source[1:] if source.startswith("the") else source


def _listed(labels: tuple[Label, ...], most: int = 10) -> str:
    shown = ", ".join(repr(label) for label in labels[:most])
    return shown + (f" and {len(labels) - most} more" if len(labels) > most else "")


def _named_classes(names: tuple[Any, ...], values: NDArray[Any]) -> tuple[Label, ...]:
    """Column names as labels: '0', '1' stand for 0, 1 where the labels are numbers."""
    occurring = _distinct(values)
    if all(isinstance(name, str) for name in names) and not isinstance(occurring[0], str):
        by_text = {str(label): label for label in occurring}
        return tuple(by_text.get(name, _number(name)) for name in names)
    return names


def _number(name: str) -> Label:
    return int(name) if name.lstrip("-").isdigit() else name


def _distinct(values: NDArray[Any]) -> tuple[Label, ...]:
    if values.dtype != object:
        return tuple(np.unique(values).tolist())
    distinct = set(values.tolist())
    if len({isinstance(label, str) for label in distinct}) > 1:
        text = next(label for label in distinct if isinstance(label, str))
        number = next(label for label in distinct if not isinstance(label, str))
        raise InvalidInput(
            f"y_true mixes strings and numbers, for instance {text!r} and {number!r}. "
            "Use one kind of label."
        )
    return tuple(sorted(distinct))


def _in_order(
    scores: FloatArray, names: tuple[Any, ...] | None, classes: tuple[Label, ...]
) -> FloatArray:
    """Columns in the order of the classes, by name where the frame has names."""
    if names is None or scores.shape[1] == 1:
        return scores
    position = {str(name): column for column, name in enumerate(names)}
    unmatched = [label for label in classes if str(label) not in position]
    if unmatched:
        raise InvalidInput(
            f"y_score has no column for {_listed(tuple(unmatched))}; its columns are "
            f"{_listed(names)}. Name the columns as the classes, or pass an array."
        )
    columns = [position[str(label)] for label in classes]
    return scores if columns == list(range(len(columns))) else scores[:, columns]


def _encode(values: NDArray[Any], classes: tuple[Label, ...]) -> IntArray:
    """Position of each label in classes; labels that are not there are an error."""
    dtype = np.min_scalar_type(len(classes))
    unknown = len(classes)
    if values.dtype != object and all(isinstance(label, int) for label in classes):
        codes = _encode_integers(values.view(np.uint8) if values.dtype == bool else values, classes)
    else:
        position = {label: k for k, label in enumerate(classes)}
        codes = np.array([position.get(label, unknown) for label in values.tolist()])
    strays = np.flatnonzero(codes == unknown)
    if strays.size:
        row = int(strays[0])
        label = values[row : row + 1].tolist()[0]
        raise InvalidInput(
            f"y_true has the label {label!r} in row {row}, which is not among "
            f"the classes {_listed(classes)}. Correct the label, or add it to labels=."
        )
    return codes.astype(dtype, copy=False)


def _encode_integers(values: NDArray[Any], classes: tuple[Label, ...]) -> IntArray:
    low, high = int(values.min()), int(values.max())
    unknown = len(classes)
    if high - low > max(1 << 16, 4 * len(values)):
        order = np.argsort(classes)
        known = np.array(classes)[order]
        place = np.minimum(np.searchsorted(known, values), unknown - 1)
        return np.where(known[place] == values, order[place], unknown)
    table = np.full(high - low + 1, unknown, dtype=np.min_scalar_type(unknown))
    for k, label in enumerate(classes):
        if low <= int(label) <= high:
            table[int(label) - low] = k
    codes: IntArray = table[values if low == 0 else values - values.dtype.type(low)]
    return codes


def _two_columns(scores: FloatArray) -> tuple[FloatArray, bool]:
    """One column s of scores for the second class as the pair (−s, s): no tie is made or lost."""
    if scores.shape[1] > 1:
        return scores, False
    return np.hstack([-scores, scores]), True


def _check_finite(scores: FloatArray) -> None:
    for start in range(0, len(scores), _ROWS_PER_BLOCK):
        block = scores[start : start + _ROWS_PER_BLOCK]
        finite = np.isfinite(block)
        if not finite.all():
            row, column = (int(index) for index in np.argwhere(~finite)[0])
            raise InvalidInput(
                f"y_score holds {block[row, column]} in row {start + row}, column {column}. "
                "Scores must be finite numbers: remove the case or mend its scores."
            )


def _weighted(
    codes: IntArray, scores: FloatArray, sample_weight: WeightsLike | None
) -> tuple[IntArray, FloatArray, Float64Array | None]:
    """Checked weights; cases of weight 0 are left out."""
    if sample_weight is None:
        return codes, scores, None
    weights = read_weights(sample_weight)
    if weights.shape != codes.shape:
        raise InvalidInput(
            f"sample_weight has the shape {weights.shape} but there are {len(codes)} cases. "
            "Pass one weight per case."
        )
    wrong = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if wrong.size:
        row = int(wrong[0])
        raise InvalidInput(
            f"sample_weight holds {weights[row]} in row {row}. "
            "Weights must be finite and not negative."
        )
    kept = weights > 0
    if not kept.any():
        raise InvalidInput("sample_weight is 0 for every case. Give some case a positive weight.")
    if kept.all():
        return codes, scores, weights
    return codes[kept], scores[kept], weights[kept]


def _normalized(scores: FloatArray, one_column: bool) -> FloatArray:
    rows = _complement(scores) if one_column else scores
    negative = np.argwhere(rows < 0)
    if negative.size:
        row, column = (int(index) for index in negative[0])
        raise InvalidInput(
            f"normalize=True needs scores that are not negative, got {rows[row, column]} in row "
            f"{row}, column {column}. Transform the scores first, for instance by a softmax."
        )
    sums = rows.sum(axis=1, dtype=np.float64)
    if not sums.all():
        row = int(np.flatnonzero(sums == 0)[0])
        raise InvalidInput(f"normalize=True cannot divide row {row} by its sum 0. Remove the case.")
    return cast("FloatArray", rows / sums[:, None])


def _present(codes: IntArray, classes: tuple[Label, ...], absent: Absent) -> NDArray[np.intp]:
    counts = np.bincount(codes, minlength=len(classes))
    present = np.flatnonzero(counts)
    if len(present) == len(classes):
        return present
    missing = tuple(classes[k] for k in np.flatnonzero(counts == 0))
    if absent == "raise":
        plural = "es" * (len(missing) > 1)
        raise InvalidInput(
            f"The class{plural} {_listed(missing)} {'have' if plural else 'has'} no cases. "
            'Pass absent="skip" to evaluate the other classes, or remove the column.'
        )
    if len(present) < 2:
        raise InvalidInput(
            f"At least two classes with cases are needed, but only {classes[int(present[0])]!r} "
            "has some. Add cases of another class."
        )
    return present


def _class_counts(predictions: Predictions) -> NDArray[np.intp]:
    return np.bincount(predictions.codes, minlength=predictions.n_classes)


def sum_of_weights(predictions: Predictions) -> Float64Array:
    """Sum of the weights in each class."""
    return np.bincount(
        predictions.codes, weights=predictions.weights, minlength=predictions.n_classes
    ).astype(np.float64)


def _complement(scores: FloatArray) -> FloatArray:
    own = scores[:, 1:]
    return np.hstack([1 - own, own])


def _probability_rows(predictions: Predictions) -> FloatArray:
    if not predictions.one_column:
        return predictions.scores
    return _read_only(_complement(predictions.scores))


def _probability_fault(predictions: Predictions) -> str | None:
    """What keeps the rows from being probabilities, in words; None if nothing does."""
    rows = predictions.derived(_probability_rows)
    for start in range(0, len(rows), _ROWS_PER_BLOCK):
        block = rows[start : start + _ROWS_PER_BLOCK]
        wrong = np.abs(block.sum(axis=1, dtype=np.float64) - 1) > SUM_TOLERANCE
        wrong |= (block < 0).any(axis=1)
        if wrong.any():
            row = int(np.flatnonzero(wrong)[0])
            lowest = float(block[row].min())
            found = (
                f"holds {lowest:g}" if lowest < 0 else f"sums to {block[row].sum(dtype=float):g}"
            )
            return f"row {start + row} of y_score {found}"
    return None


def _checked_priors(priors: PriorsLike, classes: tuple[Label, ...]) -> Float64Array:
    if hasattr(priors, "keys"):
        by_class = cast("dict[Any, float]", priors)
        if set(by_class) != set(classes):
            raise InvalidInput(
                f"priors name {_listed(tuple(by_class))} but the classes are {_listed(classes)}. "
                "Give one prior per class."
            )
        priors = [by_class[label] for label in classes]
    values = np.asarray(priors, dtype=np.float64)
    if values.shape != (len(classes),):
        raise InvalidInput(
            f"priors have the shape {values.shape} but there are {len(classes)} classes. "
            "Give one prior per class."
        )
    if not (np.isfinite(values).all() and (values > 0).all()):
        raise InvalidInput(f"priors must be positive, got {values.tolist()}.")
    return shares(values)
