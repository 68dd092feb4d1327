"""The file of a study: what it must hold, and what happens when it cannot be written."""

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from polyroc._storage.checkpoint import Checkpoint
from polyroc._storage.npz import read_arrays, write_arrays
from polyroc.datasets import three_class_mixture
from polyroc.errors import InvalidInput, NotSaved
from polyroc.inference._study.checkpoint import checkpoint_of
from polyroc.inference._study.study import study

X, Y = three_class_mixture((20, 15, 10), rng=3)
SCHEMA = "polyroc study 2"
MODELS = {"bayes": GaussianNB()}
NAN_WITH_REASON = ["roc_auc", "hand_till"]


def run(path=None, n_splits=3, **options):
    options = {"metrics": NAN_WITH_REASON, "rng": 0, "n_jobs": 1, **options}
    return study(MODELS, X, Y, n_splits=n_splits, checkpoint=path, **options)


@pytest.fixture
def path(tmp_path):
    """A file of three splits."""
    run(tmp_path / "study.npz")
    return tmp_path / "study.npz"


def rewrite(path, change):
    """The file with other content, put together as a study would."""
    header, arrays = read_arrays(path, SCHEMA, "a study")
    arrays = dict(arrays)
    change(header, arrays)
    write_arrays(path, SCHEMA, header, arrays)


def test_content(path):
    header, arrays = read_arrays(path, SCHEMA, "a study")
    assert arrays["splits"].tolist() == [0, 1, 2]
    assert arrays["values"].shape == (3, 1, 2)
    (learner, metric, reason), *others = header["progress"]["reasons"]
    assert (learner, metric, others) == ("bayes", "roc_auc", [])
    assert "defined for 2 classes" in reason
    assert checkpoint_of(path).exists() and checkpoint_of(path).seed() == 0


def test_what_the_file_holds_is_taken_over(path):
    def change(_, arrays):
        arrays["splits"], arrays["values"] = np.array([1]), np.full((1, 1, 2), 0.25)

    rewrite(path, change)
    whole, resumed = run(), run(path)
    assert (resumed.values[1] == 0.25).all()
    np.testing.assert_array_equal(resumed.values[[0, 2]], whole.values[[0, 2]])
    assert resumed.splits == (0, 1, 2)


@pytest.mark.parametrize("key", ["identity", "progress", "reasons", "splits", "values"])
def test_parts_that_are_missing(path, key):
    rewrite(
        path,
        lambda header, arrays: next(
            part for part in (header, header["progress"], arrays) if key in part
        ).pop(key),
    )
    with pytest.raises(InvalidInput, match=f"can be continued .it has no '{key}'.; it was left"):
        run(path)


@pytest.mark.parametrize("reasons", [{}, "abc", [1], ["abc"], [["a", "b"]], [["a", "b", 1]]])
def test_reasons_that_are_none(path, reasons):
    rewrite(path, lambda header, _: header["progress"].update(reasons=reasons))
    with pytest.raises(InvalidInput, match="its reasons are not those of a study"):
        run(path)


@pytest.mark.parametrize(
    "splits", [[0, 0, 1], [2, 1, 0], [-1, 0, 1], [0.0, 1.0, 2.0], [[0], [1], [2]]]
)
def test_splits_that_are_none(path, splits):
    rewrite(path, lambda _, arrays: arrays.update(splits=np.array(splits)))
    with pytest.raises(InvalidInput, match="its splits are not increasing numbers from 0"):
        run(path)


@pytest.mark.parametrize(
    "values",
    [np.zeros((2, 1, 2)), np.zeros((3, 2, 2)), np.zeros((3, 1, 1)), np.full((3, 1, 2), np.inf)],
    ids=["splits", "learners", "metrics", "infinite"],
)
def test_values_that_are_none(path, values):
    rewrite(path, lambda _, arrays: arrays.update(values=values))
    with pytest.raises(InvalidInput, match="its values are not those of its splits"):
        run(path)


@pytest.mark.parametrize("seed", [-1, True, 0.0, "0", None])
def test_seeds_that_are_none(path, seed):
    """Asked for only where the call gives none."""
    rewrite(path, lambda header, _: header["identity"].update(rng=seed))
    with pytest.raises(InvalidInput, match=r"can be continued .its seed is"):
        run(path, rng=None)


def test_a_file_that_cannot_be_written_ends_no_study(tmp_path, monkeypatch):
    def refuse(*_):
        raise InvalidInput("there is no room.")

    monkeypatch.setattr(Checkpoint, "save", refuse)
    monkeypatch.setattr("polyroc._storage.checkpoint.SECONDS_BETWEEN_SAVES", -1.0)
    with pytest.warns(NotSaved) as told:
        found = run(tmp_path / "study.npz", n_splits=2)
    assert [str(each.message) for each in told] == [
        "The study continues, but there is no room.",
        "The study continues, but there is no room.",
        "The study ends, but there is no room.",
    ]
    np.testing.assert_array_equal(found.values, run(n_splits=2).values)
