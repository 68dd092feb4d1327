"""Standard errors of G and δ from the cases, and tests of two surfaces."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from polyroc import roc_auc
from polyroc.errors import InvalidInput, NotDefined
from polyroc.statistics.spread import class_spread
from polyroc.surface import RocSurface, ScoreModel, search
from polyroc.surface._certainty import effect_of
from polyroc.surface._gini import gini
from polyroc.surface._gradient import gini_slopes


def cases(n, seed, classes=3, noise=1.0):
    """Labels and softmax scores around them."""
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(classes), n)
    logits = 1.6 * np.eye(classes)[y] + noise * rng.normal(size=(len(y), classes))
    p = np.exp(logits)
    return y, p / p.sum(axis=1, keepdims=True)


def found(y, p, weights=None, generations=3, rng=1):
    model = ScoreModel(y, p, sample_weight=weights)
    return search(model, generations=generations, costs_per_generation=20, rng=rng, progress=False)


def thin(surface, most=60):
    return surface[:: max(1, len(surface) // most)]


def by_loops(surface, p, y):
    """φ_i by the definition: what each point decides for each case, plain loops."""
    slopes = gini_slopes(surface.rates, surface.n_classes, work=math.inf, spent=0).values
    K = surface.n_classes
    pairs = [(k, j) for k in range(K) for j in range(K) if k != j]
    influence = np.zeros(len(y))
    for i in range(len(y)):
        for t in range(len(surface)):
            costs = [sum(surface.costs[t, k, j] * p[i, k] for k in range(K)) for j in range(K)]
            decided = int(np.argmin(costs))
            for d, (k, j) in enumerate(pairs):
                if k == y[i]:
                    influence[i] += ((decided == j) - surface.rates[t, d]) * slopes[t, d]
    return influence


def test_influence_by_loops_and_by_weights():
    y, p = cases(12, 3)
    weights = np.random.default_rng(0).uniform(0.5, 2, len(y))  # so that no rates tie by chance
    for given in (None, weights):
        surface = thin(found(y, p, given), 25)
        slopes = gini_slopes(surface.rates, 3, work=math.inf, spent=0).values
        effect = effect_of(surface, slopes)
        np.testing.assert_allclose(effect.influence, by_loops(surface, p, y), rtol=0, atol=1e-9)
    step = 1e-6
    totals = np.bincount(y, weights)
    for i in (0, 13, 30):
        moved = []
        for sign in (1, -1):
            changed = weights.copy()
            changed[i] += sign * step
            again = surface.rescore(p, y, sample_weight=changed)
            moved.append(gini(again.rates, 3, method="exact").value)
        numeric = (moved[0] - moved[1]) / (2 * step) * totals[y[i]]
        assert effect.influence[i] == pytest.approx(numeric, abs=2e-3)


def test_two_classes_are_delong_on_strict_pairs():
    """G = 2·AUC − 1 with every threshold on the front; its error is twice that of the AUC."""
    from polyroc import estimate

    y, p = cases(60, 4, classes=2)
    surface = found(y, p)
    g, auc = surface.gini(), estimate(y, p[:, 1], "roc_auc")
    assert g.value == pytest.approx(2 * roc_auc(y, p[:, 1]) - 1, abs=0.01)
    assert g.standard_error == pytest.approx(2 * auc.standard_error, rel=0.02)
    assert g.interval().low < g.value < g.interval().high
    assert g.counts == {0: 60, 1: 60} and g.error_of == "cases"


def resampled_error(surface, p, y, n_replicates, seed=0):
    """SD of G over stratified resamples of the cases, the points as they are."""
    rng, members = np.random.default_rng(seed), [np.flatnonzero(y == k) for k in np.unique(y)]
    values = []
    for _ in range(n_replicates):
        rows = np.concatenate([rng.choice(own, len(own)) for own in members])
        values.append(gini(surface.rescore(p[rows], y[rows]).rates, 3).value)
    return float(np.std(values, ddof=1))


def test_error_of_g_against_resamples_and_what_the_result_says():
    y, p = cases(120, 1)
    surface = thin(found(y, p), 60)
    g = surface.gini(rng=1)
    assert g.standard_error == pytest.approx(resampled_error(surface, p, y, 200), rel=0.15)
    assert [note.code for note in g.notes] == ["points-chosen-here"]
    assert surface.rescore(p, y).gini().notes[0].code == "points-as-given"
    assert surface.rescore(p, y).gini().standard_error == g.standard_error
    drawn = surface.gini("monte_carlo", n_samples=2000, rng=1)
    error = drawn.settings["monte_carlo_error"]
    assert drawn.notes[0].text == f"Monte Carlo error {error:.1e} of the samples, included"
    rays = math.sqrt(drawn.standard_error**2 - error**2)
    assert rays == pytest.approx(g.standard_error, rel=0.02)
    weighted = found(y, p, np.full(len(y), 2.5)).gini()  # a common weight changes nothing
    assert weighted.standard_error == pytest.approx(found(y, p).gini().standard_error, rel=1e-3)


def test_without_cases_there_is_no_interval(tmp_path):
    y, p = cases(30, 2)
    surface = thin(found(y, p))
    surface.save(tmp_path / "surface.npz")
    loaded = RocSurface.load(tmp_path / "surface.npz")
    g = loaded.gini()
    assert g.value == surface.gini().value and math.isnan(g.interval().low)
    assert g.note.startswith("no interval: the surface does not have the cases")
    assert loaded[:9].delta(surface[20:29]).note.startswith("no interval: the surface")
    with pytest.raises(InvalidInput, match="needs the cases of both surfaces"):
        loaded.compare(surface)
    other = RocSurface.load(tmp_path / "surface.npz", model=ScoreModel(*cases(40, 9)))
    assert other.gini().note.startswith("no interval: the rates of the surface are not those")
    with pytest.raises(NotDefined, match="cannot be compared: no interval: the rates"):
        other.compare(other)
    perfect = found(np.array([0, 1, 2, 0, 1, 2]), np.eye(3)[[0, 1, 2, 0, 1, 2]]).gini()
    assert perfect.value == 1 and math.isnan(perfect.interval().low)
    assert perfect.notes[-1].text == "no standard error: every case agrees on 1"
    alone = found(np.array([0, 0, 0, 1]), np.array([0.1, 0.4, 0.7, 0.6])).gini()
    assert alone.notes[-1].text == "no standard error: class 1 has one case"


def test_comparisons():
    y, p = cases(60, 5)
    _, q = cases(60, 5, noise=1.4)
    x, z = thin(found(y, p)), thin(found(y, q))
    result, back = x.compare(z), z.compare(x)
    assert result.difference.value == pytest.approx(result.gini.value - result.other_gini.value)
    assert result.p_value == pytest.approx(back.p_value)
    assert result.difference.value == pytest.approx(-back.difference.value)
    low, high, *_ = result.interval(0.9)
    assert (low > 0) == (result.p_value < 0.1) or high < 0
    apart = x.compare(z, paired=False).difference
    errors = [each.gini().standard_error for each in (x, z)]
    assert apart.standard_error == pytest.approx(math.hypot(*errors))
    assert result.difference.standard_error < apart.standard_error
    assert result.delta.notes[0].code == "paired-cases"
    assert list(result.frame()["quantity"])[-1] == "difference of G"
    # δ(X, Y) = G(X ∪ Y) − G(Y): so are its influence values.
    both = replace(
        x,
        rates=np.concatenate([x.rates, x.rates]),
        costs=np.concatenate([x.costs, x.costs]),
        parameters=np.zeros((2 * len(x), 0)),
    )
    assert both.gini().standard_error == pytest.approx(x.gini().standard_error, rel=0.02)
    same = x.delta(x)
    assert same.value == 0 and math.isnan(same.standard_error)
    assert same.note == "no standard error: δ is 0, which it cannot fall below"
    with pytest.raises(InvalidInput, match="rated on different cases: their labels or weights"):
        x.compare(found(*cases(50, 5)))


def test_spread_is_that_of_class_means():
    rng = np.random.default_rng(0)
    values, codes = rng.normal(size=50), np.repeat([0, 1], [20, 30])
    for k in (0, 1):
        values[codes == k] -= values[codes == k].mean()
    spread = class_spread(values, codes, np.ones(50), 2)
    parts = [values[codes == k].var(ddof=1) / (codes == k).sum() for k in (0, 1)]
    assert spread.variance == pytest.approx(sum(parts))
    assert spread.freedom == pytest.approx(
        sum(parts) ** 2 / (parts[0] ** 2 / 19 + parts[1] ** 2 / 29)
    )
