"""The same data through scikit-learn and LightGBM: random, with ties and with weights."""

import numpy as np
import pytest
from common.packages import light_gbm
from sklearn.metrics import roc_auc_score

from polyroc import au1p, auc_mu, aunp, aunu, hand_till, roc_auc


def draw(seed, grid=None):
    """Labels of 3 to 6 classes, probabilities (on a grid: many ties) and whole weights."""
    rng = np.random.default_rng(seed)
    n_classes = int(rng.integers(3, 7))
    y = rng.permutation(np.r_[np.tile(range(n_classes), 3), rng.integers(0, n_classes, 80)])
    p = rng.dirichlet(np.ones(n_classes), len(y))
    if grid:
        p = rng.multinomial(grid, p) / grid
    return y, p, rng.integers(1, 5, len(y)).astype(float)


SEEDS = range(6)
GRIDS = [None, 4, 64]


@pytest.mark.parametrize("grid", GRIDS)
@pytest.mark.parametrize("seed", SEEDS)
def test_one_against_one_as_in_scikit_learn(seed, grid):
    y, p, _ = draw(seed, grid)
    for function, average in ((hand_till, "macro"), (au1p, "weighted")):
        expected = roc_auc_score(y, p, multi_class="ovo", average=average)
        assert function(y, p) == pytest.approx(expected, abs=1e-13)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("grid", GRIDS)
@pytest.mark.parametrize("seed", SEEDS)
def test_one_against_the_rest_as_in_scikit_learn(seed, grid, weighted):
    y, p, w = draw(seed, grid)
    weight = w if weighted else None
    for function, average in ((aunu, "macro"), (aunp, "weighted")):
        expected = roc_auc_score(y, p, multi_class="ovr", average=average, sample_weight=weight)
        assert function(y, p, sample_weight=weight) == pytest.approx(expected, abs=1e-13)


@pytest.mark.parametrize("grid", GRIDS)
@pytest.mark.parametrize("seed", SEEDS)
def test_two_classes_as_in_scikit_learn(seed, grid):
    y, p, w = draw(seed, grid)
    expected = roc_auc_score(y > 1, p[:, 0], sample_weight=w)
    assert roc_auc(y > 1, p[:, 0], sample_weight=w) == pytest.approx(expected, abs=1e-13)


def lightgbm_auc_mu(y, raw, weight=None, partition=None):
    """LightGBM's number for given raw scores: a booster without trees that starts from them."""
    lightgbm = light_gbm()
    data = lightgbm.Dataset(
        np.zeros((len(y), 1)),
        label=y,
        weight=weight,
        init_score=np.asarray(raw, dtype=float).ravel(order="F"),
        params={"verbosity": -1},
    )
    settings = {
        "objective": "multiclass",
        "num_class": raw.shape[1],
        "metric": "auc_mu",
        "boost_from_average": False,
        "verbosity": -1,
    }
    if partition is not None:
        settings["auc_mu_weights"] = np.ravel(partition).tolist()
    return lightgbm.Booster(settings, data).eval_train()[0][2]


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("seed", SEEDS)
def test_auc_mu_of_raw_scores_as_in_lightgbm(seed, tied):
    """Its tie handling is ours: ½ for a pair of equal margins."""
    y, p, w = draw(seed)
    raw = np.round(4 * np.log(p)) / 4 if tied else np.log(p)
    expected = lightgbm_auc_mu(y, raw)
    assert auc_mu(y, raw) == pytest.approx(expected, abs=1e-12)
    expected = lightgbm_auc_mu(y, raw, weight=w)
    assert auc_mu(y, raw, sample_weight=w) == pytest.approx(expected, abs=1e-12)
    costs = np.random.default_rng(seed).integers(1, 5, (raw.shape[1],) * 2).astype(float)
    np.fill_diagonal(costs, 0)
    expected = lightgbm_auc_mu(y, raw, partition=costs)
    assert auc_mu(y, raw, partition=costs) == pytest.approx(expected, abs=1e-12)


def test_auc_mu_of_probabilities_is_another_number():
    """LightGBM ranks raw scores; the paper ranks probabilities."""
    y, p, _ = draw(1)
    assert abs(auc_mu(y, p) - lightgbm_auc_mu(y, np.log(p))) > 1e-3


def test_auc_mu_of_constant_scores_as_in_lightgbm():
    y = np.array([0, 1, 2, 0, 1, 2])
    assert auc_mu(y, np.zeros((6, 3))) == lightgbm_auc_mu(y, np.zeros((6, 3))) == 0.5
