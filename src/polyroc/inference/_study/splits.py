"""Running the splits of a study, in parallel, and keeping what is finished."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pickle import PicklingError
from typing import Any

import numpy as np

from polyroc._base.checks import reason_of
from polyroc._base.parallel import thread_count
from polyroc._base.progress import ProgressBar
from polyroc._storage.checkpoint import Autosave
from polyroc.errors import InvalidInput
from polyroc.inference._learners import (
    class_scores,
    reason_in_worker,
    seeded,
    state_of,
)
from polyroc.inference._orphans import end_with
from polyroc.inference._study.plan import Plan
from polyroc.inference._study.result import Study
from polyroc.metrics.declaration import Metric
from polyroc.metrics.measure import CaseStatistics, measure
from polyroc.predictions import Predictions
from polyroc.typing import Float64Array, IntArray

Reasons = dict[tuple[str, str], str]


@dataclass(frozen=True)
class Finished:
    """The splits that are done so far."""

    plan: Plan
    seed: int
    values: dict[int, Float64Array] = field(default_factory=dict)
    reasons: Reasons = field(default_factory=dict)

    def identity(self) -> dict[str, Any]:
        """What must be the same for splits to belong together."""
        return {**self.plan.fingerprint, "rng": self.seed}

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


def run_splits(
    finished: Finished,
    missing: list[int],
    n_splits: int,
    n_jobs: int | None,
    progress: bool,
    keeping: Autosave,
) -> None:
    """Run the missing splits, keep what is done, whatever stops the rest."""
    from joblib import effective_n_jobs
    from sklearn.utils.parallel import Parallel, delayed

    n_threads = max(1, thread_count() // effective_n_jobs(n_jobs))
    task, own = delayed(run_split_for), os.getpid()
    tasks = (task(own, finished.plan, finished.seed, b, n_threads) for b in missing)
    results = Parallel(n_jobs=n_jobs, return_as="generator_unordered")(tasks)
    try:
        done = n_splits - len(missing)
        with ProgressBar("splits", n_splits, shown=progress, done=done) as bar:
            for split, values, reasons in results:
                finished.values[split] = values
                finished.reasons.update(reasons)
                bar.advance()
                keeping.if_due()
    except PicklingError as error:
        raise InvalidInput(
            f"Cases and estimators cannot be sent to workers ({reason_in_worker(error)}). "
            "Use n_jobs=1, or fix that; the environment variable JOBLIB_TEMP_FOLDER names the "
            "folder through which large tables go."
        ) from error
    finally:
        results.close()
        keeping.at_the_end()


def run_split_for(
    parent: int, plan: Plan, seed: int, split: int, n_threads: int
) -> tuple[int, Float64Array, Reasons]:
    """A split in a worker, which ends with the process that started it."""
    end_with(parent)
    return run_split(plan, seed, split, n_threads)


def run_split(
    plan: Plan, seed: int, split: int, n_threads: int
) -> tuple[int, Float64Array, Reasons]:
    """Values (estimators, metrics) of one split, and why some do not exist."""
    from sklearn.model_selection import train_test_split

    arrays, state = (plan.X, plan.y, plan.codes), state_of(seed, split)
    options = {"test_size": plan.test_size, "stratify": plan.codes, "random_state": state}
    try:
        parts = train_test_split(*arrays, **options)
    except ValueError as error:
        raise InvalidInput(
            f"The cases cannot be split with test_size={plan.test_size:g} ({reason_of(error)}). "
            "Choose another test_size, or add cases."
        ) from None
    X_train, X_test, y_train, y_test, codes_train, codes_test = parts
    _check_classes(plan, codes_train, "training")
    _check_classes(plan, codes_test, "test")
    values, reasons = [], {}
    for number, (name, estimator) in enumerate(plan.estimators.items()):
        try:
            model = seeded(estimator, state_of(seed, split, number)).fit(X_train, y_train)
            scores, probabilities = class_scores(model, X_test, plan.classes)
            predictions = Predictions(y_test, scores, labels=plan.classes, n_threads=n_threads)
        except Exception as error:
            error.add_note(f"This was estimator {name!r} in split {split} of the study.")
            raise
        row = _values(predictions, plan.metrics, probabilities)
        values.append([np.nan if isinstance(value, str) else value for value in row])
        reasons.update(_reasons(name, plan.metric_names, row))
    return split, np.array(values), reasons


def _check_classes(plan: Plan, codes: IntArray, part: str) -> None:
    counts = np.bincount(codes, minlength=len(plan.classes))
    if counts.min() == 0:
        raise InvalidInput(
            f"Class {plan.classes[int(counts.argmin())]!r} has no cases in the {part} set of a "
            f"split with test_size={plan.test_size:g}. Choose another test_size, or add cases."
        )


def _values(
    predictions: Predictions, metrics: Sequence[Metric], probabilities: bool
) -> list[float | str]:
    """For each metric the value, or the reason why there is none."""
    usable: list[tuple[Metric, dict[str, Any]]] = [
        (each, {}) for each in metrics if probabilities or not each.needs_probabilities
    ]
    found = measure(CaseStatistics(predictions), usable, with_influence=False)
    known = {each.metric.name: each.reason or each.value for each in found}
    missing = "{} needs probabilities, and the estimator has no predict_proba"
    return [known.get(each.name, missing.format(each.name)) for each in metrics]


def _reasons(name: str, metrics: tuple[str, ...], row: list[float | str]) -> Reasons:
    return {
        (name, metric): value
        for metric, value in zip(metrics, row, strict=True)
        if isinstance(value, str)
    }
