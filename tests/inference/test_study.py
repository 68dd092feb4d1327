"""Studies: the protocol, what follows from the values, stopping and going on."""

import json
import os
import sys

import numpy as np
import pandas as pd
import pytest
from scipy.stats import rankdata, spearmanr
from scipy.stats import t as student
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from polyroc import hand_till, registry
from polyroc._storage.checkpoint import Checkpoint
from polyroc.datasets import three_class_mixture
from polyroc.errors import InvalidInput, InvalidType
from polyroc.inference._learners import seeded, state_of
from polyroc.inference._study.result import Study
from polyroc.inference._study.study import StudyInterrupted, study
from polyroc.metrics.declaration import Occasion

X, CODES = three_class_mixture((60, 40, 12), rng=3)
Y = np.array(["failing", "iup", "ectopic"])[CODES]
CODES_OF_SORTED = np.unique(Y, return_inverse=True)[1]
TREE = DecisionTreeClassifier(max_features=1, max_depth=3)
MODELS = {"bayes": GaussianNB(), "tree": make_pipeline(StandardScaler(), TREE)}
PAPER_METRICS = ["hand_till", "vus", "vus2", "triangle_area", "total_length"]
PAPER_METRICS += ["hand_till_probabilistic", "hand_till_scored", "wvus", "wvus2"]
"""Of Van Calster et al. 2008, in the order of its Table 1."""
FEW = ["hand_till", "total_length"]


class Stopped(GaussianNB):
    """Presses Ctrl-C in its third fit of a study, as long as the flag file is there."""

    def __init__(self, flag=None, error="interrupt"):
        super().__init__()
        self.flag = flag
        self.error = error

    def fit(self, X, y):
        if self.flag is not None and os.path.exists(self.flag):  # noqa: PTH110
            with open(self.flag, "a") as file:  # noqa: PTH123
                file.write("x")
            if os.path.getsize(self.flag) == 3:  # noqa: PTH202
                raise KeyboardInterrupt if self.error == "interrupt" else ZeroDivisionError("oh")
        return super().fit(X, y)


@pytest.fixture(scope="module")
def result():
    return study(MODELS, X, Y, n_splits=6, rng=5, metrics=PAPER_METRICS)


def made(values, metrics=("a", "b")):
    values = np.asarray(values, dtype=float)
    names = tuple(f"m{number}" for number in range(values.shape[1]))
    return Study(values, names, tuple(metrics), (0, 1), tuple(range(len(values))), 0.4, 0)


def test_the_protocol_by_hand(result):
    for split in range(6):
        X_train, X_test, y_train, y_test = train_test_split(
            X, Y, test_size=0.4, stratify=CODES_OF_SORTED, random_state=state_of(result.seed, split)
        )
        for number, model in enumerate(MODELS.values()):
            fitted = seeded(model, state_of(result.seed, split, number)).fit(X_train, y_train)
            expected = hand_till(y_test, fitted.predict_proba(X_test))
            assert result.values[split, number, 0] == expected


def test_the_metrics_of_the_paper_for_three_classes(result):
    assert result.values.shape == (6, 2, 9)
    found = study({"bayes": GaussianNB()}, X, Y, n_splits=1, rng=0)
    assert set(found.metrics) > set(PAPER_METRICS) and len(found.metrics) == 15
    assert result.classes == ("ectopic", "failing", "iup")
    assert not np.isnan(result.values).any()


@pytest.mark.parametrize("n_classes", [2, 4])
def test_default_metrics_for_other_numbers_of_classes(n_classes):
    y = np.arange(len(X)) % n_classes
    found = study({"bayes": GaussianNB()}, X, y, n_splits=1, rng=0)
    occasion = Occasion(n_classes, len(X))
    assert list(found.metrics) == [m.name for m in registry.select(None, occasion)]
    assert not np.isnan(found.values).any()


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_workers_and_number_of_splits_change_nothing(result, n_jobs):
    options = {"n_splits": 4, "rng": 5, "metrics": PAPER_METRICS}
    again = study(MODELS, X, Y, n_jobs=n_jobs, **options)
    np.testing.assert_array_equal(again.values, result.values[:4])


def test_seeds(result):
    other = study(MODELS, X, Y, n_splits=6, rng=6, metrics=FEW)
    assert (other.values[:, :, 0] != result.values[:, :, 0]).any()
    again = study(MODELS, X, Y, n_splits=2, rng=result.seed, metrics=PAPER_METRICS)
    np.testing.assert_array_equal(again.values, result.values[:2])
    generator = np.random.default_rng(5)
    drawn = [study(MODELS, X, Y, n_splits=1, metrics=FEW, rng=generator) for _ in range(2)]
    assert (drawn[0].values != drawn[1].values).any()
    fixed = RandomForestClassifier(random_state=7)
    assert seeded(fixed, 1).random_state == 7
    parts = seeded(MODELS["tree"], 1).get_params()
    assert isinstance(parts["decisiontreeclassifier__random_state"], int)
    assert MODELS["tree"].get_params()["decisiontreeclassifier__random_state"] is None


def test_lists_frames_and_categories_serve(result):
    frame = pd.DataFrame(X, columns=["a", "b"])
    y = pd.Series(Y, dtype="category")
    again = study(list(MODELS.items()), frame, y, n_splits=2, rng=5, metrics=FEW)
    np.testing.assert_array_equal(again.values[:, :, 0], result.values[:2, :, 0])


def test_labels_order_the_columns():
    y = np.array(["low", "middle", "high"])[CODES]
    options = {"n_splits": 2, "rng": 1, "metrics": ["vus", "hand_till"]}
    named = study(MODELS, X, y, labels=["low", "middle", "high"], **options)
    coded = study(MODELS, X, CODES, **options)
    np.testing.assert_allclose(named.values[:, 0], coded.values[:, 0])
    assert named.classes == ("low", "middle", "high")


def test_a_decision_function_serves_metrics_of_ranks_only():
    found = study({"ridge": RidgeClassifier()}, X, Y, n_splits=2, rng=0, metrics=PAPER_METRICS)
    assert np.isfinite(found.values[:, 0, 0]).all()
    assert np.isnan(found.values[:, 0, 1]).all()
    assert "no predict_proba" in found.notes["ridge", "vus"]
    for labels in ([False, True], [True, False]):
        options = {"n_splits": 2, "rng": 0, "metrics": ["roc_auc"], "labels": labels}
        assert study({"r": RidgeClassifier()}, X, CODES > 0, **options).values.min() > 0.6


def test_a_metric_for_other_numbers_of_classes_is_nan_with_a_reason():
    found = study(MODELS, X, Y, n_splits=1, rng=0, metrics=["roc_auc", "hand_till"])
    assert np.isnan(found.values[..., 0]).all()
    assert "defined for 2 classes" in found.notes["bayes", "roc_auc"]


def test_means_and_corrected_standard_errors(result):
    means = result.means()
    assert means.loc["tree", "vus"] == pytest.approx(result.values[:, 1, 1].mean())
    both = result.means(standard_error=True)
    naive = result.values[:, 1, 1].std(ddof=1) / np.sqrt(6)
    expected = naive * np.sqrt(1 + 6 * 0.4 / 0.6)
    assert both.loc["tree", ("vus", "standard_error")] == pytest.approx(expected)
    assert both["vus"]["mean"].equals(means["vus"].rename("mean"))
    one = study(MODELS, X, Y, n_splits=1, rng=0, metrics=FEW).means(standard_error=True)
    assert np.isnan(one.loc["bayes", ("hand_till", "standard_error")])


def test_two_splits_have_a_standard_error():
    """Values 1 apart: variance ½, and the training sets of the splits overlap by 0.4/0.6."""
    both = made([[[3, 1]], [[4, 1]]]).means(standard_error=True)
    assert both.loc["m0", ("a", "standard_error")] == pytest.approx(np.sqrt((1 / 2 + 2 / 3) / 2))
    assert both.loc["m0", ("b", "standard_error")] == 0


def test_ranks_with_ties():
    found = made([[[3, 1], [3, 2], [1, 3]], [[5, 1], [4, 1], [3, 1]]])
    ranks = found.average_ranks()
    assert ranks["a"].tolist() == [(1.5 + 1) / 2, (1.5 + 2) / 2, 3]
    assert ranks["b"].tolist() == [(3 + 2) / 2, 2, (1 + 2) / 2]
    first = found.first_ranks()
    assert first["a"].tolist() == [0.75, 0.25, 0]
    np.testing.assert_allclose(first["b"], [1 / 6, 1 / 6, 2 / 3])


def test_ranks_leave_out_what_does_not_exist():
    nan = np.nan
    found = made([[[3, nan], [nan, nan], [1, nan]], [[1, nan], [nan, nan], [4, nan]]])
    np.testing.assert_array_equal(found.average_ranks()["a"], [1.5, nan, 1.5])
    np.testing.assert_array_equal(found.first_ranks()["a"], [0.5, nan, 0.5])
    assert found.first_ranks()["b"].isna().all()
    assert found.average_ranks()["b"].isna().all()
    assert found.means()["b"].isna().all()


def test_correlations_are_averaged_over_learners(result):
    expected = np.mean([spearmanr(result.values[:, m]).statistic for m in range(2)], axis=0)
    np.testing.assert_allclose(result.correlations("spearman"), expected, atol=1e-12)
    pearson = np.mean([np.corrcoef(result.values[:, m].T) for m in range(2)], axis=0)
    np.testing.assert_allclose(result.correlations("pearson"), pearson, atol=1e-12)
    with pytest.raises(InvalidInput, match="got 'kendall'"):
        result.correlations("kendall")


def test_correlations_of_what_does_not_vary_or_exist():
    values = np.random.default_rng(0).uniform(size=(5, 2, 3))
    values[:, 0, 1] = 0.1
    values[2, :, 2] = np.nan
    table = made(values, "abc").correlations().to_numpy()
    expected = np.corrcoef(rankdata(values[:, 1, :2], axis=0).T)[0, 1]
    assert table[0, 1] == pytest.approx(expected)
    assert np.isnan(table[2]).all()


def test_frame_dictionary_and_prints(result):
    frame = result.frame()
    assert frame.columns.tolist() == ["split", "estimator", "metric", "value"]
    assert len(frame) == 6 * 2 * 9
    row = frame.query("split == 3 and estimator == 'tree' and metric == 'wvus'")
    assert row.value.item() == result.values[3, 1, 7]
    content = json.loads(json.dumps(result.to_dict()))
    assert content["means"][1][7] == pytest.approx(result.means().loc["tree", "wvus"])
    assert content["splits"] == list(range(6))
    nothing = study({"r": RidgeClassifier()}, X, Y, n_splits=1, rng=0, metrics=["vus"]).to_dict()
    assert nothing["values"] == [[[None]]]
    assert nothing["notes"][0]["metric"] == "vus"
    assert repr(result).startswith("Study: 2 estimators, 9 metrics, 6 splits")
    marked = study({"<b>": GaussianNB()}, X, Y, n_splits=1, rng=0, metrics=FEW)
    assert "&lt;b&gt;" in marked._repr_html_()
    assert repr(marked).startswith("Study: 1 estimator, ") and " 1 split, test sets" in repr(marked)
    with pytest.raises(ValueError, match="read-only"):
        result.values[0] = 0


def test_inputs_are_not_changed():
    X_before, models = X.copy(), {"tree": clone(TREE)}
    study(models, X, Y, n_splits=1, rng=0, metrics=FEW)
    np.testing.assert_array_equal(X, X_before)
    assert not hasattr(models["tree"], "tree_")


def test_nothing_is_printed_where_there_is_no_terminal(capfd):
    study(MODELS, X, Y, n_splits=1, rng=0, metrics=FEW, progress=True)
    assert capfd.readouterr() == ("", "")


def test_a_bar_on_a_terminal(capfd, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    study(MODELS, X, Y, n_splits=2, rng=0, metrics=FEW)
    assert "2 of 2" in capfd.readouterr().err
    study(MODELS, X, Y, n_splits=2, rng=0, metrics=FEW, progress=False)
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(
    ("change", "kind", "message"),
    [
        ({"estimators": {}}, InvalidInput, "no estimators"),
        ({"estimators": [("a", TREE), ("a", TREE)]}, InvalidInput, "same name"),
        ({"estimators": {"a": GaussianNB}}, InvalidType, "not a scikit-learn estimator"),
        ({"n_splits": 0}, InvalidInput, "n_splits must be at least 1"),
        ({"test_size": 1.2}, InvalidInput, "test_size"),
        ({"metrics": ["nothing"]}, InvalidInput, "no metric 'nothing'"),
        ({"labels": ["failing", "iup"]}, InvalidInput, "label 'ectopic'"),
        ({"labels": ["failing", "iup", "ectopic", "z"]}, InvalidInput, "class 'z' has 0"),
        ({"test_size": 0.03}, InvalidInput, "no cases in the test set"),
        ({"checkpoint": "/nowhere/at/all.npz"}, InvalidInput, "no folder"),
    ],
)
def test_bad_input(change, kind, message):
    call = {"estimators": MODELS, "X": X, "y": Y, "n_splits": 1, "rng": 0, **change}
    with pytest.raises(kind, match=message):
        study(call.pop("estimators"), call.pop("X"), call.pop("y"), **call)


def test_an_error_of_an_estimator_names_it_and_keeps_the_rest(tmp_path):
    flag, path = tmp_path / "flag", tmp_path / "study.npz"
    flag.write_text("")
    models = {"good": GaussianNB(), "bad": Stopped(str(flag), "error")}
    with pytest.raises(ZeroDivisionError) as caught:
        study(models, X, Y, n_splits=4, rng=0, metrics=FEW, checkpoint=path)
    assert "'bad' in split 2" in caught.value.__notes__[0]
    assert np.load(path)["splits"].tolist() == [0, 1]


def test_ctrl_c_keeps_the_finished_splits_and_the_study_goes_on(tmp_path):
    flag, path = tmp_path / "flag", tmp_path / "study.npz"
    models = {"nb": GaussianNB(), "stop": Stopped(str(flag))}
    options = {"n_splits": 5, "rng": 0, "metrics": FEW}
    whole = study(models, X, Y, **options)
    flag.write_text("")
    with pytest.raises(StudyInterrupted, match="after 2 splits") as caught:
        study(models, X, Y, checkpoint=path, **options)
    assert isinstance(caught.value, KeyboardInterrupt)
    np.testing.assert_array_equal(caught.value.study.values, whole.values[:2])
    assert caught.value.study.splits == (0, 1)
    flag.unlink()
    resumed = study(models, X, Y, checkpoint=path, **options)
    np.testing.assert_array_equal(resumed.values, whole.values)
    assert [entry.name for entry in tmp_path.iterdir()] == ["study.npz"]


@pytest.mark.parametrize(("seconds", "sizes"), [(-1.0, [1, 2, 3, 3]), (1e9, [3])])
def test_splits_are_saved_on_the_way_once_in_a_while(tmp_path, monkeypatch, seconds, sizes):
    saved = []
    monkeypatch.setattr(Checkpoint, "save", lambda *parts: saved.append(len(parts[-1]["values"])))
    monkeypatch.setattr("polyroc._storage.checkpoint.SECONDS_BETWEEN_SAVES", seconds)
    options = {"n_splits": 3, "rng": 0, "metrics": FEW, "n_jobs": 1}
    study({"tree": TREE}, X, Y, checkpoint=tmp_path / "study.npz", **options)
    assert saved == sizes
    study({"tree": TREE}, X, Y, **options)  # without a file there is nothing to save
    assert saved == sizes


def test_a_finished_file_needs_no_work_and_can_be_extended(tmp_path):
    path = tmp_path / "study.npz"
    models = {"ridge": RidgeClassifier(), "tree": TREE}
    first = study(models, X, Y, n_splits=3, checkpoint=path, metrics=FEW)
    stamp = path.stat().st_mtime_ns
    again = study(models, X, Y, n_splits=3, checkpoint=path, metrics=FEW)
    np.testing.assert_array_equal(again.values, first.values)
    assert again.seed == first.seed and again.notes == first.notes != {}
    assert path.stat().st_mtime_ns == stamp
    longer = study(models, X, Y, n_splits=5, checkpoint=path, metrics=FEW)
    np.testing.assert_array_equal(longer.values[:3], first.values)
    shorter = study(models, X, Y, n_splits=2, checkpoint=path, metrics=FEW)
    assert shorter.splits == (0, 1)
    assert len(np.load(path)["splits"]) == 5


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"X": X + 1}, "data"),
        ({"y": Y[::-1]}, "data"),
        ({"labels": ["iup", "failing", "ectopic"]}, "data"),
        ({"estimators": {"tree": DecisionTreeClassifier(max_depth=4)}}, "estimators"),
        ({"metrics": ["hand_till"]}, "metrics"),
        ({"test_size": 0.3}, "test_size"),
        ({"rng": 1}, "rng"),
    ],
)
def test_a_file_of_another_study_is_an_error_and_stays(tmp_path, change, what):
    path = tmp_path / "study.npz"
    call = {"estimators": {"tree": TREE}, "X": X, "y": Y, "metrics": FEW, "rng": 0}
    study(**call, n_splits=2, checkpoint=path)
    before = path.read_bytes()
    with pytest.raises(InvalidInput, match=f"different {what}; it was left"):
        study(**{**call, **change}, n_splits=3, checkpoint=path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("content", [b"", b"not a study", b"PK\x03\x04 cut off"])
def test_an_unreadable_file_is_an_error_and_stays(tmp_path, content):
    path = tmp_path / "study.npz"
    path.write_bytes(content)
    with pytest.raises(InvalidInput, match="not a study that can be continued"):
        study(MODELS, X, Y, n_splits=1, rng=0, checkpoint=path)
    assert path.read_bytes() == content


def test_a_file_of_another_kind_is_an_error(tmp_path):
    path = tmp_path / "study.npz"
    np.savez(path, header=np.frombuffer(b'{"schema": "other"}', np.uint8))
    with pytest.raises(InvalidInput, match="its schema is 'other'"):
        study(MODELS, X, Y, n_splits=1, checkpoint=path)
    np.savez(path, values=np.ones(3))
    with pytest.raises(InvalidInput, match="not a study"):
        study(MODELS, X, Y, n_splits=1, rng=0, checkpoint=path)


def test_chance_learners_are_at_chance():
    found = study({"d": DummyClassifier()}, X, Y, n_splits=2, rng=0, metrics=["hand_till"])
    assert found.means().loc["d", "hand_till"] == pytest.approx(0.5)
    logistic = study({"l": LogisticRegression()}, X, Y, n_splits=2, rng=0, metrics=["hand_till"])
    assert logistic.means().loc["l", "hand_till"] > 0.8


def test_the_seed_repeats_the_study():
    X, y = three_class_mixture((30, 30, 30), rng=0)
    models = {"bayes": GaussianNB()}
    first = study(models, X, y, n_splits=2, metrics=["hand_till"], rng=5)
    assert first.seed == 5
    drawn = study(models, X, y, n_splits=2, metrics=["hand_till"])
    again = study(models, X, y, n_splits=2, metrics=["hand_till"], rng=drawn.seed)
    np.testing.assert_array_equal(again.values, drawn.values)


def test_ranks_have_intervals() -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(size=(20, 3, 2)) + np.array([[2.0], [0.0], [0.0]])
    values[:, :, 1] = [3.0, 2.0, 1.0]
    done = Study(values, ("a", "b", "c"), ("hand_till", "pdi"), (0, 1, 2), tuple(range(20)), 0.2, 0)
    found = done.rank_intervals().set_index(["quantity", "metric", "estimator"])
    for name, table in (("average_rank", done.average_ranks()), ("first_rank", done.first_ranks())):
        for metric in table:
            for learner, value in table[metric].items():
                row = found.loc[name, metric, learner]
                assert row.value == pytest.approx(value)
                assert row.low <= row.value <= row.high
    lowest, highest = found.loc["average_rank"][["low", "high"]].to_numpy().T
    assert lowest.min() >= 1 and highest.max() <= 3
    splits = (values[:, :, 0] == values[:, :, 0].max(axis=1, keepdims=True))[:, 0]
    share = splits.mean()
    error = np.sqrt((1 / 20 + 0.25) * splits.var(ddof=1))
    row = found.loc["first_rank", "hand_till", "a"]
    assert row.standard_error == pytest.approx(error)
    for limit in (row.low, row.high):  # Wilson's: the limits solve their equation
        moved = error * np.sqrt(limit * (1 - limit) / (share * (1 - share)))
        assert abs(share - limit) / moved == pytest.approx(student.ppf(0.975, 19))
    always = found.loc["first_rank", "pdi", "a"]
    assert (always.value, always.high, always.standard_error) == (1, 1, 0)
    assert 0.3 < always.low < 0.6
    one = Study(values[:1], ("a", "b", "c"), ("hand_till", "pdi"), (0, 1, 2), (0,), 0.2, 0)
    assert one.rank_intervals()[["low", "high"]].isna().all(axis=None)


def test_the_level_of_a_study_without_metrics_is_looked_at_too() -> None:
    nothing = Study(np.zeros((4, 2, 0)), ("a", "b"), (), (0, 1), (0, 1, 2, 3), 0.25, 0)
    assert nothing.rank_intervals().empty
    with pytest.raises(InvalidInput, match="level must lie between 0 and 1, got 95"):
        nothing.rank_intervals(95)


def test_a_study_has_a_hundred_splits_of_two_fifths() -> None:
    found = study({"bayes": GaussianNB()}, X, Y, metrics=["hand_till"], rng=0, progress=False)
    assert found.splits == tuple(range(100)) and found.test_size == 0.4
