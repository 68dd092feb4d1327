"""Changed class shares: re-weighted posteriors by a plain loop, in decisions and in curves."""

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.linear_model import LogisticRegression

from polyroc import CostSensitiveClassifier, Predictions
from polyroc.errors import InvalidInput, NotDefined
from polyroc.surface import ScoreModel, cost_by_share, risk_coverage, search
from polyroc.utility import compare_costs, fit_binormal, fit_proper, saec_interval


def cases(n, seed):
    rng = np.random.default_rng(seed)
    y = rng.choice(3, n, p=[0.6, 0.3, 0.1])
    x = rng.normal(size=(n, 3))
    x[np.arange(n), y] += 1
    return y, x


def test_decisions_at_other_priors_are_those_of_reweighted_probabilities():
    y, x = cases(300, 0)
    names, weights = np.array(["a", "b", "c"])[y], np.random.default_rng(1).uniform(1, 2, 300)
    costs = {("c", "a"): 5, ("a", "b"): 2}
    priors = {"c": 0.5, "a": 0.2, "b": 0.3}
    classifier = CostSensitiveClassifier(LogisticRegression(), costs, priors=priors)
    classifier.fit(x, names, sample_weight=weights)
    table = np.array([[0, 2, 1], [1, 0, 1], [5, 1, 0.0]])
    shares = [weights[y == k].sum() / weights.sum() for k in range(3)]
    expected = []
    for row in classifier.predict_proba(x):
        moved = [p * new / old for p, new, old in zip(row, [0.2, 0.3, 0.5], shares, strict=True)]
        cost = [sum(moved[k] * table[k, j] for k in range(3)) for j in range(3)]
        expected.append("abc"[int(np.argmin(cost))])
    assert classifier.predict(x).tolist() == expected
    plain = CostSensitiveClassifier(LogisticRegression(), priors=priors).fit(x, names)
    assert (plain.predict(x) == "c").mean() > (classifier.estimator_.predict(x) == "c").mean()
    with pytest.raises(ValueError, match="priors name"):
        CostSensitiveClassifier(LogisticRegression(), priors={"a": 1}).fit(x, names)


def test_cost_by_share_is_that_of_a_loop():
    y, x = cases(120, 2)
    p = np.exp(x) / np.exp(x).sum(axis=1, keepdims=True)
    table = np.array([[0, 2, 1], [1, 0, 1], [5, 1, 0.0]])
    shares = [0.05, 0.3, 0.9]
    curve = cost_by_share(y, p, vary=2, costs=table, shares=shares)
    own = np.bincount(y) / 120
    for place, share in enumerate(shares):
        priors = np.append(own[:2] / own[:2].sum() * (1 - share), share)
        for name, scale in (("fixed", np.ones(3)), ("adapted", priors / own)):
            paid = table[y, (p * scale @ table).argmin(axis=1)]
            mean = sum(priors[k] * paid[y == k].mean() for k in range(3))
            spread = sum(
                priors[k] ** 2 * paid[y == k].var(ddof=1) / (y == k).sum() for k in range(3)
            )
            assert getattr(curve, name)[place] == pytest.approx(mean)
            assert getattr(curve, f"{name}_error")[place] == pytest.approx(np.sqrt(spread))
    frame = curve.frame()
    assert (frame["fixed_low"] <= frame["fixed"]).all()
    for place, share in enumerate(shares):  # adapted decisions are those of models at these priors
        priors = np.append(own[:2] / own[:2].sum() * (1 - share), share)
        low, high, *_ = compare_costs(y, {"p": p}, table, priors=priors)["p"].interval()
        assert frame["adapted_low"][place] == pytest.approx(low)
        assert frame["adapted_high"][place] == pytest.approx(high)
    assert curve.sample_share == own[2]
    assert len(cost_by_share(y, p, vary=0).share) == 99


def test_limits_where_few_errors_were_seen():
    """Means 3 apart, a fifth of the cases ill: in many samples no ill case is decided wrongly."""
    rng, covered = np.random.default_rng(6), np.zeros(3)
    y = np.repeat([0, 1], [32, 8])
    for _ in range(150):
        x = rng.normal(size=40) + 3 * (y - 0.5)
        frame = cost_by_share(y, 1 / (1 + np.exp(-3 * x)), vary=1, shares=[0.1, 0.5, 0.9]).frame()
        assert (frame["fixed_high"] > frame["fixed_low"] + 0.01).all()
        covered += (frame["fixed_low"] <= norm.cdf(-1.5)) & (norm.cdf(-1.5) <= frame["fixed_high"])
    assert (covered >= 137).all()


def test_the_share_of_the_sample_changes_nothing():
    y, x = cases(200, 3)
    p = np.exp(x) / np.exp(x).sum(axis=1, keepdims=True)
    own = float(np.mean(y == 1))
    curve = cost_by_share(y, p, vary=1, shares=[own])
    assert curve.fixed == pytest.approx(curve.adapted)
    assert curve.fixed[0] == pytest.approx(np.mean(p.argmax(axis=1) != y))


def test_malformed_shares_are_told():
    y, x = cases(30, 4)
    p = np.exp(x) / np.exp(x).sum(axis=1, keepdims=True)
    with pytest.raises(ValueError, match="is not a class"):
        cost_by_share(y, p, vary=7)
    for shares in ([0.0, 0.5], [], [[0.1]]):
        with pytest.raises(ValueError, match="shares must be numbers between 0 and 1"):
            cost_by_share(y, p, vary=1, shares=shares)


def test_a_class_of_one_case_leaves_the_error_unknown():
    y, x = cases(20, 4)
    y[y == 2] = 0
    y[0] = 2
    p = np.exp(x) / np.exp(x).sum(axis=1, keepdims=True)
    curve = cost_by_share(y, p, vary=2)
    assert np.isnan(curve.fixed_error).all() and np.isnan(curve.adapted_error).all()
    assert np.isfinite(curve.fixed).all()


def test_groups_are_refused_where_cases_are_taken_as_independent():
    """Or there is no interval: those of copies of cases would be too narrow."""
    y, x = cases(60, 5)
    p = np.exp(x) / np.exp(x).sum(axis=1, keepdims=True)
    grouped = Predictions(y, p, groups=np.arange(60) // 2)
    for function, options in ((cost_by_share, {"vary": 2}), (risk_coverage, {})):
        with pytest.raises(InvalidInput, match=f"{function.__name__} treats cases as independent"):
            function(grouped, **options)
    two = Predictions(y == 1, p[:, 1], groups=np.arange(60) // 2)
    for function in (fit_binormal, fit_proper, saec_interval):
        with pytest.raises(InvalidInput, match=f"{function.__name__} treats cases as independent"):
            function(two)
    found = [
        search(ScoreModel(each), generations=5, rng=0, progress=False)
        for each in (Predictions(y, p), grouped)
    ]
    (known, _), (none, notes) = [(each.gini(), each.gini().notes) for each in found]
    assert known.value == none.value and known.standard_error > 0
    assert np.isnan(none.standard_error) and "cases-in-groups" in [note.code for note in notes]
    points = [each.choose(criterion="total_error") for each in found]
    assert points[0].interval().low < points[0].interval().high
    assert np.isnan(points[1].interval()[:2]).all()
    for call in (
        lambda: found[1].resampled_gini(n_resamples=5),
        lambda: found[1].choose(costs=1 - np.eye(3), limits={(0, 1): 0.9}, confidence=0.9),
    ):
        with pytest.raises(NotDefined, match="belong to groups"):
            call()
