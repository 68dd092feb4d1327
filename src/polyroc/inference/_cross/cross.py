"""``cross_evaluate``: fit on some folds, score the others, evaluate within folds."""

import os
from collections.abc import Iterable
from contextlib import nullcontext
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyroc._base.checks import flag
from polyroc._base.levels import check_level
from polyroc._base.random import seed_of
from polyroc._storage.checkpoint import Autosave, Checkpoint
from polyroc._storage.lock import sole_run
from polyroc._storage.paths import path_of
from polyroc.errors import InvalidInput
from polyroc.inference._compare import compare
from polyroc.inference._cross.cases import Cases
from polyroc.inference._cross.result import CrossComparison, CrossEvaluation, split_values
from polyroc.inference._cross.run import KIND, Held, Work, run_folds
from polyroc.inference._cross.splits import Splits
from polyroc.inference._evaluate import evaluate
from polyroc.inference._study.plan import named_estimators
from polyroc.metrics import registry
from polyroc.metrics.declaration import Occasion
from polyroc.predictions import Predictions
from polyroc.typing import Absent, LabelsLike, RandomState, WeightsLike


def cross_evaluate(
    estimator: Any,
    X: Any,
    y: LabelsLike,
    *,
    cv: Any = 5,
    metrics: Iterable[str] | str | None = None,
    labels: LabelsLike | None = None,
    sample_weight: WeightsLike | None = None,
    groups: Any = None,
    level: float = 0.95,
    n_jobs: int | None = None,
    rng: RandomState = None,
    absent: Absent = "raise",
    checkpoint: str | os.PathLike[str] | None = None,
    progress: bool = True,
) -> CrossEvaluation | CrossComparison:
    """Fit and evaluate estimators by cross-validation, with valid intervals and tests.

    Scores of different folds come from different fitted models, so pairs and tuples of cases are
    formed within folds, and values are means over folds.

    Parameters
    ----------
    estimator : a scikit-learn classifier, or a mapping from names to several, which are compared
        on the same folds. Each is cloned for every fold; where ``random_state`` is None, also of
        parts, it gets a seed of that fold.
    X, y : cases and their true classes.
    cv : a number of stratified folds (shuffled; with ``groups`` no group is in two folds), a
        splitter such as ``RepeatedStratifiedKFold``, or pairs of training and test rows.
    metrics : names of metrics, ``"all"``, or None: as for :func:`polyroc.evaluate`.
    labels : the classes in order; by default the sorted ones of y.
    sample_weight : weight of each case, in fitting and in evaluating.
    groups : group of each case where cases are not independent, such as the patient of an image.
        The splitter gets them, and standard errors take account of them.
    level : confidence level of the limits in the tables.
    n_jobs : folds that run in parallel, as in joblib.
    rng : seed or generator of the folds and of the estimators.
    absent : what to do with a class without cases in a fold: ``"raise"``, or ``"skip"`` to leave
        out what cannot be computed there.
    checkpoint : a file that keeps the scores of finished folds. Where it exists and matches the
        data and the settings the work resumes from it; where it does not match, there is an error,
        and the file stays as it is.
    progress : show a progress bar, on a terminal or in a notebook.

    Returns
    -------
    CrossEvaluation or CrossComparison
        An ``Evaluation``, or for a mapping a ``Comparison``, with ``predictions`` (out of
        fold, holding folds and groups; a case that is tested several times is a group),
        ``fold_values()``, and ``learners()``: values or tests about new training sets, where the
        intervals are about the models fitted here.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from polyroc import cross_evaluate
    >>> from polyroc.datasets import three_class_mixture
    >>> X, y = three_class_mixture(rng=1)
    >>> result = cross_evaluate(LogisticRegression(), X, y, metrics=["hand_till"], rng=1)
    >>> round(result["hand_till"].value, 2)
    0.93
    """
    check_level(level)
    cases = Cases.of(X, y, labels, sample_weight, groups)
    named = _named(estimator)
    file = None if checkpoint is None else Checkpoint(path_of(checkpoint, "checkpoint"), KIND)
    seed = file.seed() if rng is None and file is not None and file.exists() else seed_of(rng)
    splits = Splits.of(cv, X, cases.y, cases.groups, seed)
    splits.check(cases, absent)
    work = Work(named, cases, splits, seed)
    _fit(held := Held(work), file, n_jobs, flag(progress, "progress"))
    predictions = _predictions(held, absent)
    return _result(work, predictions, metrics, level, single=hasattr(estimator, "fit"))


def _named(estimator: Any) -> dict[str, Any]:
    """Estimators by name; a single one by its type."""
    single = hasattr(estimator, "fit")
    named = named_estimators({type(estimator).__name__: estimator} if single else estimator)
    if not single and len(named) < 2:
        raise InvalidInput(
            "A mapping of estimators is compared, and there is one. Pass the estimator itself."
        )
    return named


def _fit(held: Held, file: Checkpoint | None, n_jobs: int | None, progress: bool) -> None:
    """Fit what is not in the file, and keep it there."""
    with nullcontext() if file is None else sole_run(file.path):
        if file is not None:
            held.restore(file)
        missing = len(held.scores) < len(held.work.splits)
        if file is not None and missing:
            file.check_place()
        save = partial(held.save, file) if file is not None and missing else None
        run_folds(held, n_jobs, progress, Autosave(KIND, save))


def _predictions(held: Held, absent: Absent) -> dict[str, Predictions]:
    """Out-of-fold predictions of each learner."""
    work = held.work
    rows, folds = work.splits.rows, work.splits.folds
    weights = work.cases.sample_weight
    scores = np.concatenate([held.scores[split] for split in range(len(work.splits))], axis=1)
    return {
        name: Predictions(
            work.cases.y[rows],
            own,
            labels=list(work.cases.classes),
            sample_weight=None if weights is None else weights[rows],
            absent=absent,
            folds=folds,
            groups=_units(work),
        )
        for name, own in zip(work.estimators, scores, strict=True)
    }


def _units(work: Work) -> NDArray[Any] | None:
    """What the rows of the predictions belong to: groups, or cases tested several times."""
    rows = work.splits.rows
    if work.cases.groups is not None:
        return work.cases.groups[rows]
    return rows if work.splits.repeated else None


def _result(
    work: Work,
    predictions: dict[str, Predictions],
    metrics: Iterable[str] | str | None,
    level: float,
    single: bool,
) -> CrossEvaluation | CrossComparison:
    first = next(iter(predictions.values()))
    tested = max(len(test) for test in work.splits.test)
    chosen = registry.select(metrics, Occasion.of(first)._replace(n_cases=tested))
    given: dict[str, Any] = {"metrics": [m.name for m in chosen], "level": level}
    shared: dict[str, Any] = {
        "split_values": split_values(predictions, chosen),
        "overlap": work.splits.overlap,
    }
    if single:
        found = evaluate(first, **given)
        return CrossEvaluation(found.estimates, level, found.joint, predictions=first, **shared)
    compared = compare(predictions, **given)
    return CrossComparison(**vars(compared), predictions=predictions, **shared)
