"""Which way is better is followed wherever something is called best, better or worse.

Every metric is declared the other way round: what was best is worst, and the numbers stay.
"""

import math
from dataclasses import replace

import numpy as np
import pytest
from cli.running import run
from scipy.stats import rankdata
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from polyroc import compare, evaluate, registry, scorers
from polyroc.datasets import three_class_mixture
from polyroc.inference._study.study import study

RNG = np.random.default_rng(5)
Y = np.repeat([0, 1, 2], [70, 60, 50])
GOOD = RNG.dirichlet(np.ones(3), 180) + 0.5 * np.eye(3)[Y]
MODELS = {
    name: p / p.sum(axis=1, keepdims=True)
    for name, p in (("good", GOOD), ("poor", RNG.dirichlet(np.ones(3), 180) + 0.1 * np.eye(3)[Y]))
}


@pytest.fixture
def costs(monkeypatch):
    """All metrics are the better the lower they are."""
    for name, metric in dict(registry._metrics).items():
        monkeypatch.setitem(registry._metrics, name, replace(metric, direction="lower"))


def test_best_of_values():
    higher = registry["hand_till"]
    lower = replace(higher, direction="lower")
    assert (higher.best([0.2, math.nan, 0.9]), lower.best([0.2, math.nan, 0.9])) == (0.9, 0.2)
    assert math.isnan(higher.best([math.nan])) and math.isnan(lower.best([]))
    for low, high, worse in ((0.1, 0.4, higher), (0.6, 0.9, lower), (0.4, 0.6, None)):
        for each in (higher, lower):
            assert each.worse_than_guessing(low, high, 3) == (each is worse)
    assert not replace(lower, chance=None).worse_than_guessing(0.9, 1.0, 3)


def test_ranks_and_correlations_of_a_study(monkeypatch):
    X, y = three_class_mixture((40, 30, 20), rng=1)
    learners = {"bayes": GaussianNB(), "near": KNeighborsClassifier(), "dummy": DummyClassifier()}
    found = study(learners, X, y, n_splits=4, rng=2, metrics=["hand_till", "pdi"])
    before = found.average_ranks(), found.first_ranks(), found.correlations()
    monkeypatch.setitem(registry._metrics, "pdi", replace(registry["pdi"], direction="lower"))
    ranks = rankdata(found.values[:, :, 1], axis=1)
    after = found.average_ranks(), found.first_ranks(), found.correlations()
    np.testing.assert_allclose(after[0]["pdi"], ranks.mean(axis=0))
    np.testing.assert_allclose(after[1]["pdi"], (ranks == 1).mean(axis=0))
    assert after[1]["pdi"]["dummy"] == 1 and before[1]["pdi"]["dummy"] == 0
    assert before[0]["hand_till"].equals(after[0]["hand_till"])
    assert after[2]["pdi"]["hand_till"] == -before[2]["pdi"]["hand_till"] != 0
    assert after[2]["pdi"]["pdi"] == 1


@pytest.mark.usefixtures("costs")
def test_scorers_are_the_higher_the_better():
    X, y = three_class_mixture((40, 30, 20), rng=1)
    model = GaussianNB().fit(X, y)
    scorer = scorers["hand_till"]
    assert scorer(model, X, y) == -registry["hand_till"].function(y, model.predict_proba(X))
    assert repr(scorer) == 'scorers["hand_till"]  # neg_hand_till'
    grid = {"var_smoothing": [1e-9, 1e6]}
    search = GridSearchCV(GaussianNB(), grid, scoring=scorer).fit(X, y)
    values = -search.cv_results_["mean_test_score"]
    assert values[search.best_index_] == values.min() < values.max()


@pytest.mark.usefixtures("costs")
def test_results_and_the_command_line_say_it(tmp_path):
    made = evaluate(Y, MODELS["good"], ["hand_till"]).to_dict()
    assert made["metrics"][0]["direction"] == "lower"
    for method in ("influence", "permutation"):
        rows = compare(Y, MODELS, ["hand_till"], method=method).to_dict()["differences"]
        assert [row["direction"] for row in rows] == ["lower"]
    better = compare(Y, MODELS, ["hand_till"], alternative="less").differences[0]
    assert better.conclusion().startswith("hand_till: good is worse than poor")
    path = tmp_path / "cases.csv"
    columns = [f"{name}:{k}" for name in MODELS for k in range(3)]
    rows = np.column_stack([Y, *MODELS.values()])
    np.savetxt(path, rows, delimiter=",", header=",".join(["y", *columns]), comments="")
    for command in ("evaluate", "compare"):
        shown = " ".join(run(command, str(path), "-m", "hand_till").stdout.split())
        assert "Note. hand_till: lower is better." in shown, shown
    shown = " ".join(run("evaluate", str(path), "-m", "hand_till").stdout.split())
    assert "hand_till of good: worse than guessing" in shown
    assert ", lower is better\n" in run("metrics", "hand_till").stdout
