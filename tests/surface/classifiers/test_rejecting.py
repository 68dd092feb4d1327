"""Referrals to a person: brute force on few cases, honest savings, limits, and bad input."""

import itertools

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from polyroc import RejectingClassifierCV
from polyroc.display import RiskCoverageDisplay
from polyroc.errors import InvalidInput
from polyroc.surface import risk_coverage
from polyroc.surface._referral import ReferralCosts, Referrals, referral_costs


@pytest.mark.system
@parametrize_with_checks([RejectingClassifierCV(LogisticRegression(C=1), cv=3)])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def cases(n, seed, n_classes=3):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % n_classes
    x = rng.normal(size=(n, n_classes))
    x[np.arange(n), y] += 1.2
    p = np.exp(2 * x)
    return y, p / p.sum(axis=1, keepdims=True), x


def test_the_threshold_is_the_best_of_all_on_twelve_cases():
    rng = np.random.default_rng(0)
    for seed in range(60):
        y, p, _ = cases(12, seed)
        p = p[rng.integers(12, size=12)] if seed % 2 else p  # ties are referred together
        table = rng.uniform(size=(3, 3)) * (1 - np.eye(3))
        costs = ReferralCosts(table, rng.uniform(0, 0.4, 3))
        most, limit = rng.choice([0.2, 0.5, 1.0]), rng.choice([0.0, 0.3, 1.0])
        limits = {"limited": ((0, 1),), "limits": np.array([limit]), "most": most}
        referrals = Referrals.of(p, y, rng.uniform(0.5, 2, 12), costs, **limits)

        def judged(referred, referrals=referrals, limit=limit):
            above = max(referrals.rates(referred)[0, 1] - limit, 0)
            return round(above, 9), float(referrals.weights @ referrals.spent(referred))

        cuts = [np.inf, -np.inf, *(referrals.excess[:, None] + [-1e-9, 1e-9]).ravel()]
        tried = [referrals.excess > cut for cut in cuts]
        allowed = [r for r in tried if referrals.weights[r].sum() <= most + 1e-12]
        found = judged(referrals.excess > referrals.best_threshold())
        assert found == pytest.approx(min(judged(r) for r in allowed), abs=1e-9)
        if limit == 1.0:
            assert found[1] <= judged(np.zeros(12, bool))[1] + 1e-12


def test_referring_saves_what_is_counted_plainly():
    y, _, x = cases(600, 1)
    names = np.array(["a", "b", "c"])[y]
    costs = [[0, 1, 3, 0.3], [1, 0, 1, 0.3], [4, 1, 0, 0.5]]
    rejecting = RejectingClassifierCV(GaussianNB(), costs=costs).fit(x, names)
    assert rejecting.chosen_ in ("bayes", "tuned")
    p, table = rejecting.predict_proba(x), np.array(costs)
    expected = p @ table
    if rejecting.chosen_ == "bayes":
        plain = expected[:, :3].min(axis=1) > expected[:, 3]
        assert (rejecting.refers(x) == plain).all()
    said, referred = rejecting.predict(x), rejecting.refers(x)
    assert (said[referred] == "refer").all()
    assert (
        said[~referred] == np.array(["a", "b", "c"])[expected[:, :3].argmin(axis=1)][~referred]
    ).all()
    rule = rejecting.rules_["never"]
    assert rejecting.gain_ == pytest.approx(rule.cost - rejecting.cost_)
    assert rejecting.cost_ == pytest.approx((rejecting.rates_ * table).sum() / 3)
    assert rejecting.rates_.sum(axis=1) == pytest.approx(np.ones(3))
    assert rejecting.verdict_ == (
        f"{100 * rejecting.referred_:.1f} % of the cases are referred, which saves "
        f"{rejecting.gain_:.4g} a case (standard error {rejecting.gain_standard_error_:.2g}) on "
        "out-of-fold cases."
    )
    by_name = RejectingClassifierCV(
        GaussianNB(),
        costs={("a", "c"): 3, ("c", "a"): 4},
        refer_cost={"b": 0.3, "c": 0.5, "a": 0.3},
    ).fit(x, names)
    assert by_name.threshold_ == rejecting.threshold_


def test_without_costs_every_error_costs_one():
    y, _, x = cases(200, 5)
    assert (referral_costs(None, 0.2, (0, 1, 2)).decisions == 1 - np.eye(3)).all()
    plain, written = (
        RejectingClassifierCV(GaussianNB(), costs=costs, refer_cost=0.2).fit(x, y)
        for costs in (None, 1 - np.eye(3))
    )
    assert (plain.cost_, plain.gain_) == (written.cost_, written.gain_)
    assert (plain.predict(x) == written.predict(x)).all()


def test_limits_are_kept_by_as_few_referrals_as_they_need():
    y, _, x = cases(900, 2)
    free = RejectingClassifierCV(GaussianNB(), limits={(0, 1): 0.05}).fit(x, y)
    assert free.rates_[0, 1] <= 0.05
    assert 0 < free.referred_ < 0.6
    assert free.verdict_ == (
        f"{100 * free.referred_:.1f} % of the cases are referred, so that the limits hold on "
        "out-of-fold cases."
    )
    with pytest.raises(ValueError, match=r"refers at most 0\.01 of the cases meets the limits"):
        RejectingClassifierCV(GaussianNB(), limits={(0, 1): 0.0}, reject_at_most=0.01).fit(x, y)
    few = RejectingClassifierCV(GaussianNB(), refer_cost=0.0, reject_at_most=0.1).fit(x, y)
    assert few.referred_ == pytest.approx(0.1, abs=0.011)
    never = RejectingClassifierCV(GaussianNB(), refer_cost=2.0).fit(x, y)
    assert (never.chosen_, never.referred_, never.predict(x).dtype) == ("never", 0.0, y.dtype)
    assert never.verdict_ == "No case is referred: no other rule saves enough."


def test_without_a_price_the_threshold_is_one_of_expected_costs():
    y, _, x = cases(300, 2)
    free = RejectingClassifierCV(GaussianNB(), limits={(0, 1): 0.05}).fit(x, y)
    assert (free.refer_costs_ == 0).all()
    expected = [min(1 - p) for p in free.predict_proba(x)]
    assert free.refers(x).tolist() == [cost > free.threshold_ for cost in expected]
    assert 0 < free.threshold_ < 1


def test_risk_by_coverage_is_that_of_a_loop():
    y, p, _ = cases(40, 3)
    p = np.round(p, 1) + 0.05
    p /= p.sum(axis=1, keepdims=True)
    weights = np.random.default_rng(4).integers(1, 4, 40)
    for costs in (None, np.array([[0, 1, 2], [3, 0, 1], [1, 1, 0.0]])):
        table = 1 - np.eye(3) if costs is None else costs
        expected = (p[:, :, None] * table).sum(axis=1)
        least, decided = np.round(expected.min(axis=1), 12), expected.argmin(axis=1)
        curve = risk_coverage(y, p, costs=costs, sample_weight=weights)
        for place, cut in enumerate(np.unique(least)):
            kept = least <= cut
            assert curve.coverage[place] == pytest.approx(weights[kept].sum() / weights.sum())
            paid = table[y, decided][kept]
            assert curve.risk[place] == pytest.approx(np.average(paid, weights=weights[kept]))
        assert len(curve.risk) == len(np.unique(least))
        assert (curve.low <= curve.risk).all()
        assert (curve.risk <= curve.high).all()
    display = RiskCoverageDisplay.from_predictions(y, p).plot()
    assert display.ax_.get_xlabel() == "share of cases decided (coverage)"
    pd.testing.assert_frame_equal(display.frame(), risk_coverage(y, p).frame())
    narrow, wide = (risk_coverage(y, p, level=level) for level in (0.5, 0.99))
    assert (wide.high - wide.low >= narrow.high - narrow.low).all()
    with pytest.raises(InvalidInput, match="level must lie between 0 and 1, got 95"):
        risk_coverage(y, p, level=95)


def test_limits_of_the_risk_are_those_of_a_loop():
    """Wilson's, of as many cases as would tell a mean of 0/1 costs as well as these costs."""
    y, p, _ = cases(40, 3)
    weights = np.random.default_rng(4).integers(1, 4, 40)
    table = np.array([[0, 1, 2], [3, 0, 1], [1, 1, 0.0]])
    for costs, given in ((None, None), (table, None), (table, weights)):
        curve = risk_coverage(y, p, costs=costs, sample_weight=given, level=0.9)
        used = 1 - np.eye(3) if costs is None else costs
        w = np.ones(40) if given is None else given
        expected = (p[:, :, None] * used).sum(axis=1)
        order, decided, narrower = np.argsort(expected.min(axis=1)), expected.argmin(axis=1), 0
        for place in range(40):
            kept = order[: place + 1]
            paid = used[y[kept], decided[kept]] / used.max()
            n = w[kept].sum() ** 2 / (w[kept] ** 2).sum()
            risk = np.average(paid, weights=w[kept])
            mean = (n * risk + 1) / (n + 1)  # with one more case that costs as much as any
            variance = (n * np.average(paid**2, weights=w[kept]) + 1) / (n + 1) - mean**2
            gain = max(1, mean * (1 - mean) / variance) if variance > 1e-15 else 1
            z2, narrower = 1.6448536269514722**2 / (n * gain), narrower + (gain > 1.01)
            centre = (risk + z2 / 2) / (1 + z2)
            reach = np.sqrt(z2 * (risk * (1 - risk) + z2 / 4)) / (1 + z2)
            limits = curve.low[place] / used.max(), curve.high[place] / used.max()
            assert limits == pytest.approx((centre - reach, centre + reach), abs=1e-12)
        assert (narrower > 20) == (costs is not None)


def test_limits_of_the_risk_cover_it():
    """At half coverage of 150 cases, 95 % limits contain the risk of very many cases."""
    y, p, _ = cases(150_000, 5)
    truth, rng = risk_coverage(y, p).at(0.5), np.random.default_rng(6)
    inside = []
    for _ in range(300):
        rows = rng.choice(len(y), 150)
        curve = risk_coverage(y[rows], p[rows])
        place = np.searchsorted(curve.coverage, 0.5 - 1e-12)
        inside.append(curve.low[place] <= truth <= curve.high[place])
    assert 0.92 <= np.mean(inside) <= 0.99


def test_costs_that_are_equal_as_decimals_are_decided_and_tied():
    costs = ReferralCosts(1 - np.eye(2), np.full(2, 0.1))
    p = np.array([[0.9, 0.1], [0.1, 0.9], [1 - 0.9, 0.9], [0.89, 0.11]])
    referrals = Referrals.of(p, np.array([0, 1, 1, 0]), np.ones(4), costs)
    assert (referrals.excess > 0).tolist() == [False, False, False, True]
    assert risk_coverage([0, 1, 1, 0], p).coverage.tolist() == [0.75, 1.0]


def test_weights_that_the_classifier_cannot_take_are_told():
    y, _, x = cases(60, 8)
    with pytest.warns(UserWarning, match="takes no sample_weight"):
        RejectingClassifierCV(KNeighborsClassifier(), refer_cost=0.1).fit(x, y, np.ones(60))
    with sklearn.config_context(enable_metadata_routing=True):
        learner = GaussianNB().set_fit_request(sample_weight=True)
        routed = RejectingClassifierCV(learner, refer_cost=0.1).fit(x, y, np.arange(60) + 1.0)
    plain = RejectingClassifierCV(GaussianNB(), refer_cost=0.1).fit(x, y, np.arange(60) + 1.0)
    assert (routed.predict_proba(x) == plain.predict_proba(x)).all()


def test_malformed_options_are_told():
    y, p, x = cases(60, 7)
    square = (1 - np.eye(3)).tolist()
    for options, words in (
        ({"refer_label": 1}, "is one of the classes"),
        ({"reject_at_most": 2}, "reject_at_most must be from 0 to 1"),
        ({"standard_errors": "a"}, "standard_errors must be a number"),
        ({"refer_cost": -1}, "finite and non-negative"),
        ({"refer_cost": [1, 2]}, "one for each of the 3 classes"),
        ({"refer_cost": {0: 1}}, "must name each class once"),
        ({"costs": [[*row, 0.1] for row in square], "refer_cost": 1}, "Give one"),
        ({"costs": [[0, 1], [1, 0]]}, "each of the 3 classes"),
    ):
        with pytest.raises(ValueError, match=words):
            RejectingClassifierCV(GaussianNB(), **options).fit(x, y)
    assert referral_costs(None, None, (0, 1)) is None
    for coverage, (truth, score) in itertools.product((0, 1.5), [(y, p)]):
        with pytest.raises(ValueError, match="coverage must be"):
            risk_coverage(truth, score).at(coverage)


def test_limits_of_the_risk_allow_for_dear_errors_that_were_not_seen():
    """Errors of class 1 cost 50 and happen in 1 % of the cases, those of class 0 in 21 %."""
    rng, covered = np.random.default_rng(0), 0
    for _ in range(200):
        y = rng.choice(2, 100, p=[0.6, 0.4])
        wrong = rng.random(100) < np.where(y == 1, 0.025, 0.35)
        p = np.where(y ^ wrong, 0.995, 0.005) + 1e-5 * rng.normal(size=100)
        found = risk_coverage(y, p, costs={(1, 0): 50})
        covered += found.low[-1] <= 0.4 * 0.025 * 50 + 0.6 * 0.35 <= found.high[-1]
    assert covered >= 184  # 92 %
