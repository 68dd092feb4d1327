"""Fitting the learners of a cross-validation, in parallel, and keeping what is finished."""

import os
from dataclasses import dataclass, field
from functools import cached_property, partial
from pickle import PicklingError
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyroc._base.checks import shown
from polyroc._base.progress import ProgressBar
from polyroc._storage.checkpoint import Autosave, Checkpoint
from polyroc._storage.fingerprint import fingerprint
from polyroc.errors import InvalidInput
from polyroc.inference._cross.cases import Cases
from polyroc.inference._cross.splits import Splits
from polyroc.inference._learners import (
    class_scores,
    reason_in_worker,
    seeded,
    state_of,
)
from polyroc.inference._orphans import end_with
from polyroc.inference._study.plan import hashed
from polyroc.predictions._gate import read_rows
from polyroc.typing import Float64Array, Label

KIND = "cross-validation"
"""What runs, in messages."""


@dataclass(frozen=True)
class Work:
    """What is fitted, and to what."""

    estimators: dict[str, Any]
    cases: Cases
    splits: Splits
    seed: int

    @cached_property
    def identity(self) -> dict[str, Any]:
        """What must be the same for scores to belong together."""
        import joblib

        cases = self.cases
        data = (cases.X, cases.y, cases.classes, cases.sample_weight)
        of = partial(joblib.hash, hash_name="sha1")
        return {
            "data": hashed("X", lambda: str(of(data)), KIND),
            "estimators": {
                name: hashed(f"the estimator {name!r}", partial(fingerprint, estimator), KIND)
                for name, estimator in self.estimators.items()
            },
            "folds": str(of((self.splits.train, self.splits.test))),
            "rng": self.seed,
        }


@dataclass(frozen=True)
class Held:
    """Scores (learners × cases × classes) of the splits that are done so far."""

    work: Work
    scores: dict[int, Float64Array] = field(default_factory=dict)

    def restore(self, file: Checkpoint) -> None:
        """Take over what the file holds, if it is there; an error if it is of other work."""
        identity = self.work.identity
        if not file.exists():
            return
        _, arrays = file.load(identity)
        with file.distrusted():
            tests = self.work.splits.test
            for split in arrays["splits"].tolist():
                found = arrays[f"scores_{split}"]
                shape = (len(self.work.estimators), len(tests[split]), len(self.work.cases.classes))
                if found.dtype != np.float64 or found.shape != shape:
                    raise ValueError("its scores are not those of its folds")
                if not np.isfinite(found).all():
                    raise ValueError("its scores are not all finite numbers")
                self.scores[split] = found

    def save(self, file: Checkpoint) -> None:
        """Write what is finished, if anything is."""
        if not self.scores:
            return
        done = sorted(self.scores)
        arrays = {f"scores_{split}": self.scores[split] for split in done}
        file.save(self.work.identity, {}, {"splits": np.array(done), **arrays})


def run_folds(held: Held, n_jobs: int | None, progress: bool, keeping: Autosave) -> None:
    """Run the missing splits, keep what is done, whatever stops the rest."""
    from sklearn.utils.parallel import Parallel, delayed

    n_splits = len(held.work.splits)
    missing = [split for split in range(n_splits) if split not in held.scores]
    task, own = delayed(fit_split_for), os.getpid()
    tasks = (task(own, held.work, split) for split in missing)
    results = Parallel(n_jobs=n_jobs, return_as="generator_unordered")(tasks)
    try:
        done = n_splits - len(missing)
        with ProgressBar("splits", n_splits, shown=progress, done=done) as bar:
            for split, scores in results:
                held.scores[split] = scores
                bar.advance()
                keeping.if_due()
    except PicklingError as error:
        raise InvalidInput(
            f"Cases and estimators cannot be sent to workers ({reason_in_worker(error)}). "
            "Use n_jobs=1."
        ) from error
    finally:
        results.close()
        keeping.at_the_end()


def fit_split_for(parent: int, work: Work, split: int) -> tuple[int, Float64Array]:
    """A split in a worker, which ends with the process that started it."""
    end_with(parent)
    return split, fit_split(work, split)


def fit_split(work: Work, split: int) -> Float64Array:
    """Scores of the tested cases by learners fitted to the others (learners × cases × classes)."""
    from sklearn.utils import _safe_indexing

    train, test, cases = work.splits.train[split], work.splits.test[split], work.cases
    X_train, X_test = _safe_indexing(cases.X, train), _safe_indexing(cases.X, test)
    found = []
    for number, (name, estimator) in enumerate(work.estimators.items()):
        try:
            model = seeded(estimator, state_of(work.seed, split, number))
            given = _fit_weights(model, name, cases.sample_weight, train)
            model.fit(X_train, cases.y[train], **given)
            scores, _ = class_scores(model, X_test, cases.classes)
            found.append(_table(scores, cases.classes))
        except Exception as error:
            error.add_note(f"This was estimator {name!r} in fold {split}.")
            raise
    return np.stack(found)


def _table(scores: Any, classes: tuple[Label, ...]) -> Float64Array:
    """Scores as numbers with a column per class, checked."""
    read = read_rows(scores, list(classes))
    columns = list(read.declared.columns_of(np.arange(len(classes))))
    return np.asarray(read.table[:, columns], dtype=np.float64)


def _fit_weights(
    estimator: Any, name: str, weights: Float64Array | None, train: NDArray[Any]
) -> dict[str, Any]:
    """The weights of the training cases, under the name by which the estimator takes them."""
    from sklearn.utils.validation import has_fit_parameter

    if weights is None:
        return {}
    steps = getattr(estimator, "steps", None)
    if steps and has_fit_parameter(steps[-1][1], "sample_weight"):
        return {f"{steps[-1][0]}__sample_weight": weights[train]}
    if not steps and has_fit_parameter(estimator, "sample_weight"):
        return {"sample_weight": weights[train]}
    raise InvalidInput(
        f"The estimator {shown(name)} takes no sample_weight in fit. Leave sample_weight out, or "
        "evaluate out-of-fold scores with polyroc.evaluate(…, folds=…, sample_weight=…)."
    )
