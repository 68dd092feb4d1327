"""``study``: learners compared by many metrics over repeated splits into training and test set.

The protocol of paper 000 §IV: draw R stratified splits, train every learner on the training set of
each, evaluate every metric on its test set. From the R × learners × metrics values follow means,
average ranks and shares of first ranks (Table 2), and the correlations between metrics over the
splits, averaged over learners (Table 1).

Split b draws from stream b of the seed, and learner m from stream (b, m): the values do not depend
on the order or the number of workers, a study of 100 splits begins with the study of 50, and a
stopped one goes on where it was.
"""

import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from zipfile import BadZipFile

import numpy as np

from polyroc.errors import InvalidInput, InvalidType, NotDefined
from polyroc.intake import read_labels
from polyroc.metrics import registry
from polyroc.metrics.declaration import Metric
from polyroc.predictions import Predictions, classes_of
from polyroc.results import html_table, text_table
from polyroc.threads import thread_count
from polyroc.typing import Float64Array, IntArray, Label, LabelsLike, RandomState

if TYPE_CHECKING:
    import pandas as pd

PAPER_METRICS = (
    "hand_till",
    "vus",
    "vus2",
    "triangle_area",
    "total_length",
    "hand_till_probabilistic",
    "hand_till_scored",
    "wvus",
    "wvus2",
)
"""The metrics of paper 000, in the order of its Table 1."""

SCHEMA = "polyroc study 1"
SECONDS_BETWEEN_SAVES = 5.0

Correlation = Literal["spearman", "pearson"]
Estimators = Mapping[str, Any] | Sequence[tuple[str, Any]]
Reasons = dict[tuple[str, str], str]


def study(
    estimators: Estimators,
    X: Any,
    y: LabelsLike,
    *,
    n_splits: int = 100,
    test_size: float = 0.4,
    metrics: Iterable[str] | str | None = None,
    n_jobs: int | None = None,
    rng: RandomState = None,
    labels: LabelsLike | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    progress: bool = True,
) -> "Study":
    """Compare learners by several metrics over random stratified splits (paper 000 §IV–V).

    Parameters
    ----------
    estimators : scikit-learn classifiers by name. Each is cloned for every split; where
        ``random_state`` is None, also of parts, it gets a seed of that split.
    X, y : cases and their true classes.
    n_splits, test_size : number of splits, and share of the cases in each test set.
    metrics : names of metrics, ``"all"``, or None: for three classes the nine of paper 000,
        otherwise the default metrics for that number of classes.
    n_jobs : splits that run in parallel, as in joblib.
    rng : seed or generator of the splits and of the learners.
    labels : the classes in order; by default the categories of y, or its sorted distinct labels.
    checkpoint : a file that keeps the finished splits. Where it exists and matches the data and
        the settings the study goes on from it, up to ``n_splits`` in all, with its seed if ``rng``
        is None; where it does not match there is an error, and the file stays as it is.
    progress : show a progress bar, if standard error is a terminal.

    Returns
    -------
    Study
        A metric that does not exist for a learner, such as one that needs probabilities for a
        learner with only a decision function, is NaN, and ``notes`` say why.

    Raises
    ------
    StudyInterrupted
        On Ctrl-C, a KeyboardInterrupt whose ``study`` holds the finished splits.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from polyroc.datasets import three_class_mixture
    >>> X, y = three_class_mixture(rng=1)
    >>> models = {"logistic": LogisticRegression(), "bayes": GaussianNB()}
    >>> result = study(models, X, y, n_splits=5, metrics=["hand_till", "vus"], rng=1)
    >>> result.means().round(2)
              hand_till   vus
    logistic       0.94  0.86
    bayes          0.95  0.86
    """
    plan = _plan(estimators, X, y, test_size, metrics, labels)
    _check_count(n_splits)
    store = None if checkpoint is None else _Checkpoint(Path(checkpoint))
    seed = _seed(rng, store)
    finished = _Finished(plan, seed)
    if store is not None:
        store.restore(finished)
    missing = [split for split in range(n_splits) if split not in finished.values]
    try:
        _run(finished, missing, n_splits, n_jobs, progress, store)
    except KeyboardInterrupt:
        raise StudyInterrupted(finished.study(n_splits)) from None
    complete = finished.study(n_splits)
    assert complete is not None
    return complete


class StudyInterrupted(KeyboardInterrupt):
    """A study was stopped; ``study`` holds the splits that were finished, None if none was."""

    def __init__(self, study: "Study | None") -> None:
        done = 0 if study is None else len(study.splits)
        super().__init__(f"the study was stopped after {done} splits")
        self.study = study


@dataclass(frozen=True)
class Study:
    """Values of metrics for learners over splits, and what follows from them.

    A value is NaN where a metric does not exist; so is every mean and rank that would need it.
    """

    values: Float64Array = field(repr=False)
    """(splits, estimators, metrics)."""
    estimators: tuple[str, ...]
    metrics: tuple[str, ...]
    classes: tuple[Label, ...]
    splits: tuple[int, ...]
    """Numbers of the splits: 0 … R − 1 in a complete study."""
    test_size: float
    seed: int
    notes: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """For (estimator, metric): why there is no value."""

    def means(self, *, standard_error: bool = False) -> "pd.DataFrame":
        """Mean of each metric (columns) for each learner (rows) over the splits.

        ``standard_error=True`` puts a column of standard errors beside each mean. Splits overlap,
        so the usual s/√R is far too small; this is √((1/R + n_test/n_train) s²), the correction of
        Nadeau & Bengio (Machine Learning 52 (2003) 239–281), which is a rule of thumb.
        """
        means = self._table(self.values.mean(axis=0))
        if not standard_error:
            return means
        import pandas as pd

        errors = self._table(self._standard_errors())
        both = pd.concat({"mean": means, "standard_error": errors}, axis=1)
        return both.swaplevel(axis=1)[
            [(metric, kind) for metric in self.metrics for kind in ("mean", "standard_error")]
        ]

    def _standard_errors(self) -> Float64Array:
        n_splits = len(self.splits)
        if n_splits < 2:
            return np.full(self.values.shape[1:], np.nan)
        overlap = self.test_size / (1 - self.test_size)
        errors: Float64Array = np.sqrt((1 / n_splits + overlap) * self.values.var(axis=0, ddof=1))
        return errors

    def average_ranks(self) -> "pd.DataFrame":
        """Mean over the splits of each learner's rank by each metric; 1 is best, ties averaged."""
        return self._table(self._ranks().mean(axis=0))

    def first_ranks(self) -> "pd.DataFrame":
        """Share of the splits in which each learner is best; learners tied on top share it."""
        ranks = self._ranks()
        best = np.fmin.reduce(ranks, axis=1, keepdims=True)
        first = np.where(np.isnan(ranks), np.nan, ranks == best)
        return self._table((first / np.nansum(first, axis=1, keepdims=True)).mean(axis=0))

    def _ranks(self) -> Float64Array:
        from scipy.stats import rankdata

        ranks: Float64Array = rankdata(-self.values, axis=1, nan_policy="omit")
        return ranks

    def correlations(self, method: Correlation = "spearman") -> "pd.DataFrame":
        """Correlations between metrics over the splits, averaged over the learners.

        A learner for which one of two metrics does not vary, or does not exist, has no correlation
        of the two and is left out of that average.
        """
        import pandas as pd

        if method not in ("spearman", "pearson"):
            raise InvalidInput(f'method must be "spearman" or "pearson", got {method!r}.')
        each = np.array([_correlations(self.values[:, m], method) for m in range(self._n_learners)])
        known = ~np.isnan(each)
        total = np.where(known, each, 0).sum(axis=0)
        counts = known.sum(axis=0)
        mean = np.divide(total, counts, out=np.full(total.shape, np.nan), where=counts > 0)
        return pd.DataFrame(mean, index=list(self.metrics), columns=list(self.metrics))

    @property
    def _n_learners(self) -> int:
        return len(self.estimators)

    def _table(self, values: Float64Array) -> "pd.DataFrame":
        import pandas as pd

        return pd.DataFrame(values, index=list(self.estimators), columns=list(self.metrics))

    def frame(self) -> "pd.DataFrame":
        """A row per value: split, estimator, metric, value."""
        import pandas as pd

        index = pd.MultiIndex.from_product(
            [self.splits, self.estimators, self.metrics], names=["split", "estimator", "metric"]
        )
        return pd.DataFrame({"value": self.values.ravel()}, index=index).reset_index()

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON: a number that does not exist is None."""
        return {
            "estimators": list(self.estimators),
            "metrics": list(self.metrics),
            "classes": list(self.classes),
            "splits": list(self.splits),
            "test_size": self.test_size,
            "seed": self.seed,
            "values": _plain(self.values),
            "means": _plain(self.means().to_numpy()),
            "average_ranks": _plain(self.average_ranks().to_numpy()),
            "first_ranks": _plain(self.first_ranks().to_numpy()),
            "correlations": _plain(self.correlations().to_numpy()),
            "notes": [
                {"estimator": estimator, "metric": metric, "note": note}
                for (estimator, metric), note in self.notes.items()
            ],
        }

    def _rows(self) -> list[dict[str, Any]]:
        return [
            {"mean": name, **dict(zip(self.metrics, row.tolist(), strict=True))}
            for name, row in zip(self.estimators, self.values.mean(axis=0), strict=True)
        ]

    def _heading(self) -> str:
        return (
            f"Study: {self._n_learners} estimators, {len(self.metrics)} metrics, "
            f"{len(self.splits)} splits, test sets of {self.test_size:.0%}"
        )

    def __repr__(self) -> str:
        return f"{self._heading()}\n{text_table(self._rows())}"

    def _repr_html_(self) -> str:
        return f"<p>{self._heading()}</p>{html_table(self._rows())}"


def _correlations(values: Float64Array, method: Correlation) -> Float64Array:
    """Correlations between columns; NaN for a column that is constant or not all there."""
    from scipy.stats import rankdata

    columns = rankdata(values, axis=0, nan_policy="propagate") if method == "spearman" else values
    centred = columns - columns.mean(axis=0)
    lengths = np.sqrt((centred**2).sum(axis=0))
    scaled = centred / np.where((lengths > 0) & (np.ptp(values, axis=0) > 0), lengths, np.nan)
    correlations: Float64Array = np.clip(scaled.T @ scaled, -1, 1)
    return correlations


def _plain(values: Float64Array) -> Any:
    """Nested lists with None for NaN."""
    plain = values.astype(object)
    plain[np.isnan(values)] = None
    return plain.tolist()


@dataclass(frozen=True)
class _Plan:
    """What every split does."""

    estimators: dict[str, Any]
    X: Any
    y: Any
    codes: IntArray
    classes: tuple[Label, ...]
    metrics: tuple[Metric, ...]
    test_size: float

    @property
    def metric_names(self) -> tuple[str, ...]:
        return tuple(metric.name for metric in self.metrics)

    @cached_property
    def fingerprint(self) -> dict[str, Any]:
        """What must be the same for splits to belong together, besides the seed."""
        import joblib  # type: ignore[import-untyped]
        from sklearn.base import clone

        return {
            "data": joblib.hash((self.X, self.y, self.classes), hash_name="sha1"),
            "estimators": {
                name: joblib.hash(clone(estimator), hash_name="sha1")
                for name, estimator in self.estimators.items()
            },
            "metrics": list(self.metric_names),
            "test_size": self.test_size,
        }


def _plan(
    estimators: Estimators,
    X: Any,
    y: LabelsLike,
    test_size: float,
    metrics: Iterable[str] | str | None,
    labels: LabelsLike | None,
) -> _Plan:
    values, _ = read_labels(y)
    classes = classes_of(y, labels)
    codes = _codes(values, classes)
    if not 0 < test_size < 1:
        raise InvalidInput(f"test_size must lie between 0 and 1, got {test_size}.")
    chosen = _chosen(metrics, len(classes))
    named = _named(estimators)
    return _Plan(named, X, np.array(values.tolist()), codes, classes, chosen, float(test_size))


def _codes(values: Any, classes: tuple[Label, ...]) -> IntArray:
    position = {label: code for code, label in enumerate(classes)}
    strays = [label for label in dict.fromkeys(values.tolist()) if label not in position]
    if strays:
        raise InvalidInput(f"y has the label {strays[0]!r}, which is not among the labels.")
    codes = np.array([position[label] for label in values.tolist()])
    counts = np.bincount(codes, minlength=len(classes))
    if len(classes) < 2 or counts.min() < 2:
        fewest = classes[int(counts.argmin())]
        raise InvalidInput(
            "A study needs at least two classes with two cases each, for training and test; "
            f"class {fewest!r} has {counts.min()} of {len(codes)} cases."
        )
    return codes


def _chosen(metrics: Iterable[str] | str | None, n_classes: int) -> tuple[Metric, ...]:
    if metrics is None and n_classes == 3:
        return tuple(registry.select(PAPER_METRICS))
    chosen = registry.select(metrics)
    if metrics is None:
        return tuple(metric for metric in chosen if n_classes in metric.classes)
    return tuple(chosen)


def _named(estimators: Estimators) -> dict[str, Any]:
    pairs = list(estimators.items() if isinstance(estimators, Mapping) else estimators)
    named = {str(name): estimator for name, estimator in pairs}
    if not pairs:
        raise InvalidInput("There are no estimators. Pass at least one, by name.")
    if len(named) < len(pairs):
        raise InvalidInput("Two estimators have the same name. Give each its own.")
    for name, estimator in named.items():
        if not hasattr(estimator, "fit") or isinstance(estimator, type):
            raise InvalidType(
                f"{name!r} is {estimator!r}, which is no scikit-learn estimator. "
                "Pass unfitted classifiers, such as LogisticRegression()."
            )
    return named


def _check_count(n_splits: int) -> None:
    if n_splits < 1:
        raise InvalidInput(f"n_splits must be at least 1, got {n_splits}.")


def _seed(rng: RandomState, store: "_Checkpoint | None") -> int:
    """The number that all streams come from: drawn once, or that of the file."""
    if rng is None and store is not None and store.exists():
        return int(store.settings()["seed"])
    return int(np.random.default_rng(rng).integers(2**63))


@dataclass(frozen=True)
class _Finished:
    """The splits that are done so far."""

    plan: _Plan
    seed: int
    values: dict[int, Float64Array] = field(default_factory=dict)
    reasons: Reasons = field(default_factory=dict)

    def settings(self) -> dict[str, Any]:
        return {**self.plan.fingerprint, "seed": self.seed}

    def study(self, n_splits: int) -> Study | None:
        """What is done of the first so many splits; None if nothing is."""
        splits = [split for split in sorted(self.values) if split < n_splits]
        if not splits:
            return None
        values = np.array([self.values[split] for split in splits])
        values.flags.writeable = False
        return Study(
            values=values,
            estimators=tuple(self.plan.estimators),
            metrics=self.plan.metric_names,
            classes=self.plan.classes,
            splits=tuple(splits),
            test_size=self.plan.test_size,
            seed=self.seed,
            notes=dict(self.reasons),
        )


def _run(
    finished: _Finished,
    missing: list[int],
    n_splits: int,
    n_jobs: int | None,
    progress: bool,
    store: "_Checkpoint | None",
) -> None:
    """Run the missing splits, keep what is done, whatever stops the rest."""
    from joblib import effective_n_jobs
    from sklearn.utils.parallel import Parallel, delayed

    n_threads = max(1, thread_count() // effective_n_jobs(n_jobs))
    tasks = (delayed(_split)(finished.plan, finished.seed, b, n_threads) for b in missing)
    results = Parallel(n_jobs=n_jobs, return_as="generator_unordered")(tasks)
    saved = time.monotonic()
    try:
        with _progress_bar(progress, n_splits, n_splits - len(missing)) as advance:
            for split, values, reasons in results:
                finished.values[split] = values
                finished.reasons.update(reasons)
                advance()
                if store is not None and time.monotonic() - saved > SECONDS_BETWEEN_SAVES:
                    store.save(finished)
                    saved = time.monotonic()
    finally:
        results.close()
        if store is not None and missing:
            store.save(finished)


@contextmanager
def _progress_bar(wanted: bool, total: int, done: int) -> Iterator[Callable[[], None]]:
    if not (wanted and sys.stderr.isatty()):
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import MofNCompleteColumn, Progress, TimeRemainingColumn

    columns = (*Progress.get_default_columns()[:2], MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task("splits", total=total, completed=done)
        yield lambda: bar.advance(task)


def _split(plan: _Plan, seed: int, split: int, n_threads: int) -> tuple[int, Float64Array, Reasons]:
    """Values (estimators, metrics) of one split, and why some do not exist."""
    from sklearn.model_selection import train_test_split

    X_train, X_test, y_train, y_test, codes_train, codes_test = train_test_split(
        plan.X,
        plan.y,
        plan.codes,
        test_size=plan.test_size,
        stratify=plan.codes,
        random_state=_state(seed, split),
    )
    _check_classes(plan, codes_train, "training")
    _check_classes(plan, codes_test, "test")
    values, reasons = [], {}
    for number, (name, estimator) in enumerate(plan.estimators.items()):
        try:
            model = _seeded(estimator, _state(seed, split, number)).fit(X_train, y_train)
            scores, probabilities = _scores(model, X_test, plan.classes)
            predictions = Predictions(y_test, scores, labels=plan.classes, n_threads=n_threads)
        except Exception as error:
            error.add_note(f"This was estimator {name!r} in split {split} of the study.")
            raise
        row = [_value(predictions, metric, probabilities) for metric in plan.metrics]
        values.append([np.nan if isinstance(value, str) else value for value in row])
        reasons.update(_reasons(name, plan.metric_names, row))
    return split, np.array(values), reasons


def _state(seed: int, *stream: int) -> int:
    """Seed for scikit-learn from a stream of the study's seed."""
    return int(np.random.SeedSequence(seed, spawn_key=stream).generate_state(1)[0])


def _check_classes(plan: _Plan, codes: IntArray, part: str) -> None:
    counts = np.bincount(codes, minlength=len(plan.classes))
    if counts.min() == 0:
        raise InvalidInput(
            f"Class {plan.classes[int(counts.argmin())]!r} has no cases in the {part} set of a "
            f"split with test_size={plan.test_size:g}. Choose another test_size, or add cases."
        )


def _seeded(estimator: Any, state: int) -> Any:
    """A clone in which every random_state that was None is set, also of parts."""
    from sklearn.base import clone

    copy = clone(estimator)
    states = sorted(
        name
        for name, value in copy.get_params(deep=True).items()
        if value is None and name.rpartition("__")[2] == "random_state"
    )
    draws = np.random.SeedSequence(state).generate_state(len(states)).tolist()
    return copy.set_params(**dict(zip(states, draws, strict=True)))


def _scores(model: Any, X: Any, classes: tuple[Label, ...]) -> tuple[Float64Array, bool]:
    """Scores with columns in the order of the classes, and whether they are probabilities."""
    probabilities = hasattr(model, "predict_proba")
    if not probabilities and not hasattr(model, "decision_function"):
        raise InvalidType(
            f"{type(model).__name__} has neither predict_proba nor decision_function. "
            "Pass a classifier with one of them."
        )
    scores = np.asarray(model.predict_proba(X) if probabilities else model.decision_function(X))
    if scores.ndim == 1:
        scores = np.column_stack([-scores, scores])
    position = {label: column for column, label in enumerate(model.classes_.tolist())}
    return scores[:, [position[label] for label in classes]], probabilities


def _value(predictions: Predictions, metric: Metric, probabilities: bool) -> float | str:
    """The value, or the reason why there is none."""
    if metric.needs_probabilities and not probabilities:
        return f"{metric.name} needs probabilities, and the estimator has no predict_proba"
    try:
        return metric.value(predictions)
    except NotDefined as reason:
        return str(reason)


def _reasons(name: str, metrics: tuple[str, ...], row: list[float | str]) -> Reasons:
    return {
        (name, metric): value
        for metric, value in zip(metrics, row, strict=True)
        if isinstance(value, str)
    }


@dataclass(frozen=True)
class _Checkpoint:
    """A file of finished splits: arrays and a JSON text, never pickles, replaced as a whole."""

    path: Path

    def exists(self) -> bool:
        return self.path.exists()

    def settings(self) -> dict[str, Any]:
        """The settings of the study in the file."""
        settings: dict[str, Any] = self._read()[0]["settings"]
        return settings

    def restore(self, finished: _Finished) -> None:
        """Take over what the file holds; an error if it belongs to another study."""
        if not self.exists():
            if not self.path.parent.is_dir():
                raise InvalidInput(f"There is no folder {self.path.parent} for the checkpoint.")
            return
        header, splits, values = self._read()
        wanted = finished.settings()
        other = [key for key in wanted if header["settings"].get(key) != wanted[key]]
        if other:
            raise InvalidInput(
                f"{self.path} belongs to a study with different {', '.join(other)}; it was left as "
                "it is. Name another file, or repeat the call that began it."
            )
        finished.values.update(zip(splits.tolist(), values, strict=True))
        finished.reasons.update({(e, m): reason for e, m, reason in header["reasons"]})

    def _read(self) -> tuple[dict[str, Any], IntArray, Float64Array]:
        try:
            with self.path.open("rb") as raw, np.load(raw, allow_pickle=False) as file:
                header = json.loads(bytes(file["header"]).decode())
                if header["schema"] != SCHEMA:
                    raise ValueError(f"its schema is {header['schema']!r}")
                return header, file["splits"], file["values"]
        except (OSError, EOFError, ValueError, KeyError, TypeError, BadZipFile) as error:
            raise InvalidInput(
                f"{self.path} is not a study that can be continued ({error}); it was left as it "
                "is. Name another file."
            ) from error

    def save(self, finished: _Finished) -> None:
        """Write beside the file, then put it in its place: it is whole at every moment."""
        splits = sorted(finished.values)
        if not splits:
            return
        reasons = [[e, m, reason] for (e, m), reason in finished.reasons.items()]
        header = {"schema": SCHEMA, "settings": finished.settings(), "reasons": reasons}
        temporary = self.path.with_name(f"{self.path.name}.{os.getpid()}.part")
        try:
            with temporary.open("wb") as file:
                np.savez(
                    file,
                    header=np.frombuffer(json.dumps(header).encode(), dtype=np.uint8),
                    splits=np.array(splits),
                    values=np.array([finished.values[split] for split in splits]),
                )
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(self.path)
        finally:
            temporary.unlink(missing_ok=True)
