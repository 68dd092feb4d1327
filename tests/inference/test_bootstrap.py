"""Bootstrap: seeds, strata, groups, and intervals against slow twins and SciPy."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats
from twins.methods import designed, method_of

from polyroc import (
    Bootstrap,
    Design,
    Influence,
    Permutation,
    Predictions,
    compare,
    evaluate,
    registry,
)
from polyroc.errors import InvalidInput, InvalidType
from polyroc.inference._influence import CaseDesign
from polyroc.inference._resampling import KERNEL_STATISTICS, Resampler, drawn_weights, stream

rng = np.random.default_rng(7)
Y = np.repeat([0, 1, 2], [30, 20, 12])
P = rng.dirichlet(np.ones(3), len(Y))
P[np.arange(len(Y)), Y] += 0.3
P = np.round(64 * P / P.sum(axis=1, keepdims=True)) / 64
P[:, 0] += 1 - P.sum(axis=1)
OTHER = np.roll(P, 1, axis=0)
W = rng.integers(1, 9, len(Y)) / 4
GROUPS = rng.integers(0, 25, len(Y))
NAMES = [name for name in registry if 3 in registry[name].classes]
FEW = 16
PAIRS = [name for name in NAMES if registry[name].statistic in KERNEL_STATISTICS]


def boot(names=NAMES, n_replicates=FEW, seed=11, y=Y, p=P, n_threads=None, **options):
    weights = options.pop("sample_weight", None)
    cases = Predictions(y, p, sample_weight=weights, n_threads=n_threads)
    method = Bootstrap(n_replicates)
    return evaluate(cases, metrics=names, interval=method, rng=seed, **designed(options))


def replicates(found) -> np.ndarray:
    return np.column_stack([each.replicates for each in found.values()])


def weights_of(n_replicates: int, seed: int = 11, sample_weight=None, **design) -> np.ndarray:
    predictions = Predictions(Y, P, sample_weight=sample_weight)
    resampler = Resampler.of(predictions, CaseDesign(**design))
    return drawn_weights(resampler, seed, range(n_replicates), 1)


class TestSeeds:
    def test_are_kept(self):
        found = boot(["hand_till"], seed=5)["hand_till"]
        assert found.settings["n_replicates"] == FEW
        assert found.settings["seed"] == 5
        assert found.settings["sampling"] == "stratified"
        assert found.method == "bootstrap"

    @pytest.mark.parametrize("seed", [None, np.random.default_rng(3)])
    def test_drawn_ones_reproduce_the_result(self, seed):
        first = boot(["hand_till", "pdi"], seed=seed)
        again = boot(["hand_till", "pdi"], seed=first["pdi"].settings["seed"])
        np.testing.assert_array_equal(replicates(first), replicates(again))

    def test_differ(self):
        one, two = (boot(["hand_till"], seed=seed) for seed in (1, 2))
        assert (replicates(one) != replicates(two)).any()

    def test_without_a_seed_no_two_runs_are_the_same(self):
        one, two = (boot(["hand_till"], seed=None)["hand_till"] for _ in range(2))
        assert one.settings["seed"] != two.settings["seed"]

    def test_are_kept_in_a_comparison(self):
        made = compare(Y, {"a": P, "b": OTHER}, ["hand_till"], method=Bootstrap(30, 8))
        assert {name: made.settings[name] for name in ("n_replicates", "seed")} == {
            "n_replicates": 30,
            "seed": 8,
        }


class TestReplicates:
    """Do not depend on how they are computed."""

    def test_threads_batches_and_number(self, monkeypatch):
        expected = replicates(boot())
        for n_threads in (1, 2, 5):
            np.testing.assert_array_equal(replicates(boot(n_threads=n_threads)), expected)
        for batch in (1, 7, 1000):
            monkeypatch.setattr("polyroc.inference._bootstrap.BATCH", batch)
            np.testing.assert_array_equal(replicates(boot()), expected)
        np.testing.assert_array_equal(replicates(boot(n_replicates=6)), expected[:6])

    def test_company(self):
        """A metric's replicates are the same alone and among others."""
        together = boot(n_replicates=8)
        for name in NAMES:
            alone = boot([name], n_replicates=8)[name].replicates
            np.testing.assert_array_equal(alone, together[name].replicates, name)

    @pytest.mark.parametrize(
        ("weighted", "options"),
        [
            (False, {}),
            (True, {}),
            (False, {"groups": GROUPS}),
            (True, {"groups": GROUPS, "sampling": "random"}),
        ],
    )
    def test_are_values_of_reweighted_cases(self, weighted, options):
        """A loop over weights through the public functions."""
        sample_weight = W if weighted else None
        found = boot(n_replicates=5, sample_weight=sample_weight, **options)
        for b, drawn in enumerate(weights_of(5, sample_weight=sample_weight, **options)):
            w = drawn * (W if weighted else 1.0)
            shares = np.bincount(Y, W if weighted else None)
            for name in NAMES:
                fixed = registry[name].prior_weighted and options.get("sampling") != "random"
                held = {"priors": shares} if fixed else {}
                expected = registry[name].function(Y, P, sample_weight=w, **held)
                assert found[name].replicates[b] == pytest.approx(expected, rel=1e-12, abs=1e-14)

    def test_are_values_of_repeated_cases(self):
        found = boot(n_replicates=5)
        for b, drawn in enumerate(weights_of(5)):
            cases = np.repeat(np.arange(len(Y)), drawn)
            for name in NAMES:
                held = {"priors": np.bincount(Y)} if registry[name].prior_weighted else {}
                expected = registry[name].function(Y[cases], P[cases], **held)
                assert found[name].replicates[b] == pytest.approx(expected, rel=1e-12, abs=1e-14)

    def test_numbers_of_copies(self):
        """Weights that are copies: as many draws as copies."""
        times = rng.integers(1, 4, len(Y))
        found = boot(
            ["hand_till", "pdi"], n_replicates=400, sample_weight=times, weights="frequency"
        )
        copies = np.repeat(np.arange(len(Y)), times)
        written = boot(["hand_till", "pdi"], n_replicates=400, y=Y[copies], p=P[copies])
        for name in found:
            ratio = found[name].standard_error / written[name].standard_error
            assert ratio == pytest.approx(1, abs=0.15)


class TestStrata:
    def test_class_sizes_are_kept(self):
        """One case fewer than the class has, for the variance of a mean of all of them."""
        drawn = weights_of(50)
        for k, size in enumerate(np.bincount(Y)):
            assert (drawn[:, k == Y].sum(axis=1) == size - 1).all()

    def test_small_classes_have_the_right_standard_error(self):
        """The variance over draws of a mean of m cases is S²/m, not (m − 1)/m of it."""
        y = np.repeat([0, 1], [4, 6])
        p = np.random.default_rng(4).uniform(0.2, 0.8, len(y))
        found = boot(["probabilistic_auc"], n_replicates=4000, y=y, p=p)["probabilistic_auc"]
        exact = evaluate(y, p, ["probabilistic_auc"])["probabilistic_auc"]
        assert found.standard_error == pytest.approx(exact.standard_error, rel=0.05)

    def test_classes_keep_their_shares(self):
        """AUNP of a replicate is that of its cases at the shares of the sample."""
        found = boot(["aunp"])["aunp"].replicates
        for b, drawn in enumerate(weights_of(FEW)):
            kept = np.repeat(np.arange(len(Y)), drawn)
            expected = registry["aunp"].function(Y[kept], P[kept], priors=np.bincount(Y) / len(Y))
            assert found[b] == pytest.approx(expected, rel=1e-12)

    def test_sampled_class_sizes_vary(self):
        drawn = weights_of(50, sampling="random")
        assert (drawn.sum(axis=1) == len(Y) - 1).all()
        assert len(np.unique(drawn[:, Y == 2].sum(axis=1))) > 5

    def test_groups_stay_whole(self):
        for sampling in ("stratified", "random"):
            drawn = weights_of(50, groups=GROUPS, sampling=sampling)
            for group in np.unique(GROUPS):
                assert (np.ptp(drawn[:, group == GROUPS], axis=1) == 0).all()

    def test_numbers_of_groups_are_kept(self):
        """Groups within classes are drawn class by class, groups that span classes together."""
        within = Y * 100 + np.arange(len(Y)) % 5
        for groups, strata in ((within, Y), (GROUPS, np.zeros_like(Y))):
            firsts = np.unique(groups, return_index=True)[1]
            drawn = weights_of(50, groups=groups)
            for stratum in np.unique(strata):
                cases = firsts[strata[firsts] == stratum]
                assert (drawn[:, cases].sum(axis=1) == len(cases) - 1).all()

    @pytest.mark.parametrize("sampling", ["stratified", "random"])
    def test_no_class_vanishes(self, sampling):
        y = np.r_[np.zeros(20, int), np.ones(20, int), 2]
        p = np.random.default_rng(0).dirichlet(np.ones(3), 41)
        resampler = Resampler.of(Predictions(y, p), CaseDesign(sampling=sampling))
        drawn = drawn_weights(resampler, 1, range(200), 1)
        assert (drawn[:, 40] > 0).all()

    def test_no_class_vanishes_with_groups(self):
        """Class 2 lives in two groups that also hold other classes."""
        groups = np.where(Y == 2, np.arange(len(Y)) % 2, np.arange(len(Y)))
        found = boot(["hand_till"], n_replicates=100, groups=groups)
        assert np.isfinite(replicates(found)).all()

    def test_uniform_draws(self):
        """Every case is drawn (m − 1)/m times on average, with the variance of a multinomial."""
        drawn, share = weights_of(4000).astype(float), 1 / np.bincount(Y)[Y]
        assert np.abs(drawn.mean(axis=0) - (1 - share)).max() < 5 / math.sqrt(4000)
        np.testing.assert_allclose(drawn.var(axis=0), (1 - share) ** 2, atol=0.15)


class TestStandardErrors:
    @pytest.mark.parametrize(
        "options",
        [
            {},
            {"sample_weight": W},
            {"groups": np.arange(len(Y)) // 2},
            {"sampling": "random"},
        ],
        ids=["plain", "weighted", "groups", "random"],
    )
    def test_near_those_of_influence(self, options):
        found = boot(PAIRS, n_replicates=2000, **options)
        exact = evaluate(Y, P, PAIRS, **designed(options))
        for name in PAIRS:
            ratio = found[name].standard_error / exact[name].standard_error
            assert 0.85 < ratio < 1.12, name

    def test_is_the_spread_of_the_replicates(self):
        for each in boot().values():
            assert each.standard_error == each.replicates.std(ddof=1)

    def test_does_not_exist(self):
        """A perfect model, or a class of one case: NaN with the reason, as by influence."""
        perfect = boot(["hand_till"], p=np.eye(3)[Y])["hand_till"]
        alone = boot(["hand_till"], y=Y[:51], p=P[:51])["hand_till"]
        for each, code in ((perfect, "no-variation"), (alone, "one-case")):
            assert math.isnan(each.standard_error), code
            assert code in {note.code for note in each.notes}
        assert all(math.isnan(limit) for limit in alone.interval()[:2])
        assert perfect.interval() == evaluate(Y, np.eye(3)[Y])["hand_till"].interval()
        assert 0.5 < perfect.interval().low < perfect.interval().high == 1

    def test_metrics_that_do_not_exist(self):
        found = boot(["roc_auc", "hand_till"])
        assert math.isnan(found["roc_auc"].value) and "2 classes" in found["roc_auc"].note
        assert found["hand_till"].standard_error > 0


@pytest.fixture(scope="module")
def found():
    return boot(n_replicates=120)


class TestIntervals:
    @pytest.mark.parametrize("level", [0.5, 0.9, 0.95])
    def test_percentiles(self, found, level):
        for each in found.values():
            low, high, said, scale = each.interval(level, scale="percentile")
            ordered = np.sort(each.replicates)
            for limit, share in ((low, (1 - level) / 2), (high, (1 + level) / 2)):
                place = share * (len(ordered) - 1)
                below = int(place)
                expected = ordered[below] + (place - below) * (ordered[below + 1] - ordered[below])
                assert limit == pytest.approx(expected, rel=1e-12)
            assert (said, scale) == (level, "percentile")

    def test_bca_by_definition(self, found):
        """Efron: bias from the share below, acceleration from the skewness of influence values."""
        predictions = Predictions(Y, P)
        for name, each in found.items():
            phi = registry[name].influence(predictions).cases
            sizes = np.bincount(Y)[Y]
            moved = phi / sizes * np.sqrt(sizes / (sizes - 1))
            acceleration = np.sum(moved**3) / (6 * np.sum(moved**2) ** 1.5)
            below, level = np.mean(each.replicates < each.value), 0.9
            share = below + np.mean(each.replicates == each.value) / 2
            bias = stats.norm.ppf(share)
            limits = []
            for tail in ((1 - level) / 2, (1 + level) / 2):
                z = bias + stats.norm.ppf(tail)
                shifted = stats.norm.cdf(bias + z / (1 - acceleration * z))
                limits.append(np.quantile(each.replicates, shifted))
            assert each.interval(level)[:2] == pytest.approx(limits, rel=1e-9)
            assert each.interval(level).scale == "bca"

    @pytest.mark.parametrize("name", ["hand_till", "auc_mu", "total_length", "pdi"])
    def test_bca_of_scipy(self, found, name):
        """Fed with the same replicates SciPy differs only by n and n − 1 in the acceleration."""
        each = found[name]
        samples = [np.flatnonzero(k == Y) for k in range(3)]

        def statistic(*parts):
            cases = np.concatenate(parts).astype(int)
            return registry[name].function(Y[cases], P[cases])

        expected = stats.bootstrap(
            samples,
            statistic,
            n_resamples=0,
            vectorized=False,
            method="BCa",
            bootstrap_result=SimpleNamespace(bootstrap_distribution=each.replicates),
        ).confidence_interval
        width = expected.high - expected.low
        assert each.interval()[:2] == pytest.approx(tuple(expected), abs=0.02 * width)

    def test_other_scales(self, found):
        for each in found.values():
            logit = each.interval(scale="logit")
            assert each.range[0] <= logit.low < each.value < logit.high <= each.range[1]
            plain = each.interval(scale="plain")
            assert plain.high - plain.low == pytest.approx(
                2 * stats.norm.ppf(0.975) * each.standard_error
            )

    def test_near_those_of_influence(self):
        found, exact = boot(PAIRS, n_replicates=2000), evaluate(Y, P, PAIRS)
        for name in PAIRS:
            width = np.ptp(exact[name].interval()[:2])
            gaps = np.subtract(found[name].interval()[:2], exact[name].interval()[:2])
            assert np.abs(gaps).max() < 0.25 * width, name


class TestComparison:
    def made(self, names=NAMES, n_replicates=FEW, n_threads=None, **options):
        models = {"a": P, "b": OTHER}
        models = {name: Predictions(Y, p, n_threads=n_threads) for name, p in models.items()}
        return compare(models, metrics=names, method=Bootstrap(n_replicates, 4), **options)

    @pytest.mark.slow
    def test_the_same_resamples_for_both(self):
        one, two = (boot(seed=4, p=p) for p in (P, OTHER))
        for row in self.made().differences:
            gaps = one[row.metric].replicates - two[row.metric].replicates
            np.testing.assert_array_equal(row.replicates, gaps)
            assert row.standard_error == pytest.approx(gaps.std(ddof=1), rel=1e-9)
            assert row.interval(0.8)[:2] == pytest.approx(tuple(np.quantile(gaps, [0.1, 0.9])))

    def test_near_influence(self):
        exact = compare(Y, {"a": P, "b": OTHER}, PAIRS).differences
        for row, other in zip(self.made(PAIRS, 2000).differences, exact, strict=True):
            assert row.standard_error == pytest.approx(other.standard_error, rel=0.15)

    def test_batches_and_threads(self, monkeypatch):
        expected = self.made().frame()
        for batch in (1, 7):
            monkeypatch.setattr("polyroc.inference._bootstrap.BATCH", batch)
            assert self.made(n_threads=batch).frame().equals(expected)

    def test_groups(self):
        found = self.made(["hand_till"], groups=GROUPS).differences[0]
        one, two = (boot(["hand_till"], seed=4, p=p, groups=GROUPS) for p in (P, OTHER))
        gaps = one["hand_till"].replicates - two["hand_till"].replicates
        np.testing.assert_array_equal(found.replicates, gaps)


@pytest.mark.parametrize("n_replicates", [0, 1, -3])
def test_too_few_replicates(n_replicates):
    for method in ("bootstrap", "permutation"):
        if method == "permutation" and n_replicates == 1:
            continue  # the smallest test that there is
        with pytest.raises(InvalidInput, match="replicates"):
            compare(Y, {"a": P, "b": OTHER}, ["hand_till"], method=method_of(method, n_replicates))
    with pytest.raises(InvalidInput, match="replicates"):
        boot(["hand_till"], n_replicates=n_replicates)


def test_the_fewest_replicates():
    assert len(boot(["hand_till"], n_replicates=2)["hand_till"].replicates) == 2
    for method, fewest in (("bootstrap", 2), ("permutation", 1)):
        made = compare(Y, {"a": P, "b": OTHER}, ["hand_till"], method=method_of(method, fewest, 0))
        assert made.settings["n_replicates"] == fewest
        assert 0 <= made.differences[0].p_value <= 1


def test_streams_are_independent():
    first, again, other = (stream(*key).random(4) for key in ((1, 2), (1, 2), (1, 3)))
    assert (first == again).all() and (first != other).all()


def test_parts_of_copies_are_refused():
    with pytest.raises(InvalidInput, match="whole numbers of copies"):
        boot(["hand_till"], sample_weight=W, weights="frequency")


def test_a_seed_is_checked_where_it_is_given():
    for method in (Bootstrap, Permutation, Influence):
        for seed in ("one", -1, 1.5, [0.5]):
            with pytest.raises(InvalidType, match="rng must be a non-negative whole number"):
                method(rng=seed)
        assert method(rng=np.random.default_rng(0)).rng is not None


def test_a_class_of_one_case_leaves_differences_without_an_error():
    rng = np.random.default_rng(3)
    y = np.array([0] * 6 + [1] * 6 + [2])
    models = {name: rng.dirichlet(np.ones(3), 13) for name in "ab"}
    (found,) = compare(y, models, ["hand_till"], method=Bootstrap(20, rng=1)).differences
    assert np.isnan(found.standard_error) and np.isnan(found.p_value)
    assert np.isfinite(found.difference)


def test_groups_that_span_classes_leave_fixed_priors_fixed():
    """One patient has cases of two classes; the classes differ in how well they are told apart."""
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1, 2], 60)
    scores = rng.dirichlet(np.ones(3), 180)
    scores[y == 2] = 0.1 * scores[y == 2] + [0, 0, 0.9]
    patients = 8 * y + rng.integers(0, 8, 180)
    patients[0] = patients[-1]
    for name in ("aunp", "aunu", "au1p"):
        fixed, sampled = (
            evaluate(
                y,
                scores,
                [name],
                groups=Design(patients, sampling=sampling),
                interval=Bootstrap(replicates=400, rng=1),
            )[name].standard_error
            for sampling in ("stratified", "random")
        )
        known = evaluate(y, scores, [name], groups=patients)[name].standard_error
        assert fixed == pytest.approx(known, rel=0.25)
        assert sampled > 1.3 * fixed
