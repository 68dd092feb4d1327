"""``study``: learners compared by many metrics over repeated splits into training and test set.

The protocol of Van Calster et al. 2008 §IV: draw R stratified splits, train every learner on the
training set of each, evaluate every metric on its test set. From the R × learners × metrics values
follow means, average ranks and shares of first ranks (Table 2), and the correlations between
metrics over the splits, averaged over learners (Table 1).

Split b draws from stream b of the seed, and learner m from stream (b, m): the values do not depend
on the order or the number of workers, a study of 100 splits begins with the study of 50, and a
stopped one resumes where it was.
"""

import os
from collections.abc import Iterable
from contextlib import nullcontext
from functools import partial
from typing import Any

from polyroc._base.checks import flag, repeats
from polyroc._base.random import seed_of
from polyroc._storage.checkpoint import Autosave, Checkpoint
from polyroc._storage.lock import sole_run
from polyroc.inference._study.checkpoint import checkpoint_of, restore, save
from polyroc.inference._study.plan import Estimators, plan_of
from polyroc.inference._study.result import Study
from polyroc.inference._study.splits import Finished, run_splits
from polyroc.typing import LabelsLike, RandomState


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
    """Compare learners by several metrics over random stratified splits.

    The protocol of Van Calster et al. 2008 §IV–V.

    Parameters
    ----------
    estimators : scikit-learn classifiers by name. Each is cloned for every split; where
        ``random_state`` is None, also of parts, it gets a seed of that split.
    X, y : cases and their true classes.
    n_splits, test_size : number of splits, and share of the cases in each test set.
    metrics : names of metrics, ``"all"``, or None: as for :func:`polyroc.evaluate` of a test set.
        For three classes and up to 3,000 test cases the nine of Van Calster et al. 2008 are among
        them.
    n_jobs : splits that run in parallel, as in joblib.
    rng : seed or generator of the splits and of the learners.
    labels : the classes in order; by default the categories of y, or its sorted distinct labels.
    checkpoint : a file that keeps the finished splits. Where it exists and matches the data and
        the settings the study resumes from it, up to ``n_splits`` in all, with its seed if ``rng``
        is None; where it does not match, or another study is running on it, there is an error, and
        the file stays as it is. Estimators match if their parameters do, the versions of their
        packages, and the code of your own functions and classes among them; what these call in
        other modules of yours is not compared.
    progress : show a progress bar, on a terminal or in a notebook.

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
    logistic       0.94  0.85
    bayes          0.96  0.89
    """
    plan = plan_of(estimators, X, y, test_size, metrics, labels)
    n_splits, shown = repeats(n_splits, "n_splits", least=1), flag(progress, "progress")
    file = None if checkpoint is None else checkpoint_of(checkpoint)
    with nullcontext() if file is None else sole_run(file.path):
        finished = Finished(plan, _seed(rng, file))
        if file is not None:
            restore(file, finished)
        missing = [split for split in range(n_splits) if split not in finished.values]
        if file is not None and missing:
            file.check_place()
        keeping = Autosave("study", partial(save, file, finished) if file and missing else None)
        try:
            run_splits(finished, missing, n_splits, n_jobs, shown, keeping)
        except KeyboardInterrupt:
            raise StudyInterrupted(finished.study(n_splits)) from None
    complete = finished.study(n_splits)
    assert complete is not None
    return complete


class StudyInterrupted(KeyboardInterrupt):
    """A study was stopped; ``study`` holds the splits that were finished, None if none was."""

    def __init__(self, study: "Study | None") -> None:
        done = 0 if study is None else len(study.splits)
        super().__init__(f"The study was stopped after {done} splits.")
        self.study = study

    def __reduce__(self) -> "tuple[type[StudyInterrupted], tuple[Study | None]]":
        return type(self), (self.study,)


def _seed(rng: RandomState, file: Checkpoint | None) -> int:
    """The number that all streams come from: drawn once, or that of the file."""
    if rng is None and file is not None and file.exists():
        return file.seed()
    return seed_of(rng)
