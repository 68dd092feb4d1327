"""Groups, weights and priors: what must be the same, and what not."""

import math

import numpy as np
import pytest
from twins.methods import designed

from polyroc import Bootstrap, Design, Predictions, compare, evaluate, registry
from polyroc.errors import InvalidInput

NAMES = [name for name in registry if 3 in registry[name].classes]
rng = np.random.default_rng(5)
Y = np.repeat([0, 1, 2], [14, 10, 7])
P = rng.dirichlet(np.ones(3), len(Y)).round(2)
P[:, 2] = 1 - P[:, :2].sum(axis=1)
W = rng.integers(1, 9, len(Y)) / 4
GROUPS = rng.integers(0, 12, len(Y))


def errors(y, p, **options):
    found = evaluate(y, p, NAMES, **designed(options))
    return np.array([found[name].standard_error for name in NAMES])


@pytest.mark.parametrize("weights", [None, W], ids=["plain", "weighted"])
@pytest.mark.parametrize("sampling", ["stratified", "random"])
def test_groups_of_one_case(weights, sampling):
    options = {"sample_weight": weights, "sampling": sampling}
    names = [f"case {i}" for i in rng.permutation(len(Y))]
    grouped = errors(Y, P, groups=names, **options)
    np.testing.assert_allclose(grouped, errors(Y, P, **options), rtol=1e-12)


@pytest.mark.parametrize("weights", [None, W], ids=["plain", "weighted"])
def test_copies_in_a_group_add_nothing(weights):
    """Every case three times, as one patient: the error of the cases themselves."""
    thrice = np.tile(np.arange(len(Y)), 3)
    copied = None if weights is None else weights[thrice]
    grouped = evaluate(Y[thrice], P[thrice], NAMES, groups=thrice, sample_weight=copied)
    single = evaluate(Y, P, NAMES, sample_weight=weights)
    for name in NAMES:
        assert grouped[name].value == pytest.approx(single[name].value, abs=1e-13)
        assert grouped[name].standard_error == pytest.approx(single[name].standard_error, rel=1e-12)
        assert grouped[name].degrees_of_freedom == pytest.approx(
            single[name].degrees_of_freedom, rel=1e-9
        )


def test_names_of_groups_do_not_matter():
    renamed = np.array([f"patient {100 - g}" for g in GROUPS])
    np.testing.assert_allclose(
        errors(Y, P, groups=renamed), errors(Y, P, groups=GROUPS), rtol=1e-12
    )


def test_groups_of_cases_without_weight_are_left_out():
    weights = np.where(np.arange(len(Y)) % 5 == 0, 0, W)
    kept = weights > 0
    left_out = errors(Y[kept], P[kept], groups=GROUPS[kept], sample_weight=weights[kept])
    np.testing.assert_allclose(
        errors(Y, P, groups=GROUPS, sample_weight=weights), left_out, rtol=1e-12
    )


def test_a_class_of_one_group():
    """No standard error where all cases of a class are one patient, and no warning."""
    found = evaluate(Y, P, NAMES, groups=np.where(Y == 2, 99, np.arange(len(Y))))
    for each in found.values():
        assert math.isnan(each.standard_error)
        assert "class 2 has one group" in each.note
    spanning = evaluate(Y, P, ["hand_till"], groups=np.zeros(len(Y)))["hand_till"]
    assert math.isnan(spanning.standard_error)


@pytest.mark.parametrize("scale", [1e-3, 8, 1e4])
def test_sampling_weights_have_no_scale(scale):
    for options in ({}, {"sampling": "random"}, {"groups": GROUPS}):
        np.testing.assert_allclose(
            errors(Y, P, sample_weight=scale * W, **options),
            errors(Y, P, sample_weight=W, **options),
            rtol=1e-9,
        )


def test_equal_weights_are_no_weights():
    np.testing.assert_allclose(errors(Y, P, sample_weight=np.full(len(Y), 3)), errors(Y, P), 1e-9)


@pytest.mark.parametrize("sampling", ["stratified", "random"])
def test_numbers_of_copies(sampling):
    times = np.random.default_rng(2).integers(0, 4, len(Y))
    copies = np.repeat(np.arange(len(Y)), times)
    np.testing.assert_allclose(
        errors(Y, P, sample_weight=times, weights="frequency", sampling=sampling),
        errors(Y[copies], P[copies], sampling=sampling),
        rtol=1e-10,
    )


def test_numbers_of_copies_in_a_comparison():
    times = np.random.default_rng(2).integers(1, 4, len(Y))
    copies = np.repeat(np.arange(len(Y)), times)
    models = {"p": P, "q": P[:, [1, 0, 2]]}
    weighted = compare(
        Y, models, NAMES, sample_weight=times, groups=Design(weights="frequency")
    ).frame()
    written = compare(Y[copies], {m: s[copies] for m, s in models.items()}, NAMES).frame()
    for column in ("difference", "standard_error", "p_value"):
        np.testing.assert_allclose(weighted[column], written[column], rtol=1e-8, atol=1e-12)


def test_random_sampling_matters_only_to_prior_weighted_metrics():
    fixed, sampled = errors(Y, P), errors(Y, P, sampling="random")
    for name, before, after in zip(NAMES, fixed, sampled, strict=True):
        assert (after > before) if registry[name].prior_weighted else after == before


@pytest.mark.slow
def test_random_sampling_is_right_in_simulation():
    """The spread of AU1P, AUNP and AUNU over samples whose class sizes vary."""
    generator, names = np.random.default_rng(0), ("au1p", "aunp", "aunu")
    values, squares = [], []
    for _ in range(1500):
        y = generator.choice(3, 150, p=[0.7, 0.2, 0.1])
        x = generator.normal(size=(150, 3)) + np.array([[2, 0, 0], [0, 0.4, 0], [0, 0, 1.0]])[y]
        found = evaluate(
            Predictions(y, x, n_threads=1), metrics=names, groups=Design(sampling="random")
        )
        values.append([found[name].value for name in names])
        squares.append([found[name].standard_error ** 2 for name in names])
    spread = np.std(values, axis=0, ddof=1)
    np.testing.assert_allclose(np.sqrt(np.mean(squares, axis=0)), spread, rtol=0.06)


@pytest.mark.parametrize("per_group", [4, 10])
def test_bootstrap_of_groups_that_span_classes_agrees_with_influence(per_group):
    """Groups of mixed classes, most of them with a mixture of their own."""
    generator = np.random.default_rng(3)
    groups = np.repeat(np.arange(30), per_group)
    y = np.concatenate([np.arange(3), generator.integers(0, 3, len(groups) - 3)])
    p = generator.dirichlet(np.ones(3), len(y)) + 0.3 * np.eye(3)[y]
    p += 0.3 * generator.random((30, 3))[groups]
    p /= p.sum(axis=1, keepdims=True)
    options = {"groups": groups, "metrics": ["hand_till"]}
    drawn = evaluate(y, p, interval=Bootstrap(1000), rng=1, **options)["hand_till"]
    linear = evaluate(y, p, **options)["hand_till"]
    assert drawn.standard_error == pytest.approx(linear.standard_error, rel=0.15)


def test_priors_of_a_class_without_cases_are_left_out():
    y, p = Y[Y < 2], P[Y < 2][:, :2] / P[Y < 2][:, :2].sum(axis=1, keepdims=True)
    whole = np.column_stack([p, np.zeros(len(p))])
    skipped = evaluate(y, whole, ["au1p"], labels=[0, 1, 2], absent="skip", priors=[0.2, 0.3, 0.5])
    assert skipped["au1p"].value == evaluate(y, p, ["au1p"], priors=[0.4, 0.6])["au1p"].value


def test_predictions_with_weights_take_the_same_groups_as_arrays():
    weights = np.where(np.arange(len(Y)) % 5 == 2, 0, W)
    made = Predictions(Y, P, sample_weight=weights)
    kept = GROUPS[weights > 0]
    expected = errors(Y, P, sample_weight=weights, groups=GROUPS)
    for groups in (GROUPS, kept):
        np.testing.assert_array_equal(errors(made, None, groups=groups), expected)
    pairs = {"a": made, "b": Predictions(Y, P[:, ::-1], sample_weight=weights, labels=[0, 1, 2])}
    whole, part = (compare(pairs, metrics=["au1p"], groups=each) for each in (GROUPS, kept))
    assert whole.frame().equals(part.frame())
    for refused in (
        evaluate,
        lambda given, **options: compare({"a": given, "b": given}, **options),
    ):
        with pytest.raises(InvalidInput, match='groups and weights="frequency" exclude each other'):
            refused(made, groups=Design(GROUPS, weights="frequency"))


def test_predictions_to_compare_hold_the_same_groups():
    a, b, none = (Predictions(Y, P, groups=each) for each in (GROUPS, GROUPS[::-1], None))
    other = Predictions(Y, P[::-1], groups=GROUPS)
    assert compare({"a": a, "b": other}, metrics=["au1p"]).differences
    for models in ({"a": a, "b": b}, {"a": a, "b": none}, {"a": none, "b": a}):
        with pytest.raises(InvalidInput, match="Model 'b' has other groups than 'a'"):
            compare(models, metrics=["au1p"])


def within_classes_alike(seed, copies=1):
    """Every case of a class is placed alike in its own column; the others hold anything below."""
    y = np.repeat(np.arange(5), [4, 5, 6, 7, 8])
    p = np.eye(5)[y]
    p[:, 0] = 0.5
    p[:, 1:] += np.random.default_rng(seed).integers(0, 4, (len(y), 4)) / 8
    return np.tile(y, copies), np.tile(p, (copies, 1))


@pytest.mark.parametrize("copies", [1, 9_000], ids=["few cases", "many cases"])
@pytest.mark.parametrize("seed", range(3))
def test_shares_of_classes_that_vary_alone_have_no_degrees_of_freedom(seed, copies):
    """What cases of a class add is then rounding, which the limits must not depend on."""
    y, p = within_classes_alike(seed, copies)
    found = evaluate(y, p, ["aunp", "au1p"], groups=Design(sampling="random"))
    for each in found.estimates:
        assert each.standard_error > 1e-4
        assert each.degrees_of_freedom == math.inf
        moved = each.standard_error / (each.value * (1 - each.value))
        limit = math.log(each.value / (1 - each.value)) - 1.959963984540054 * moved
        assert each.interval(scale="logit").low == pytest.approx(1 / (1 + math.exp(-limit)))


def test_differences_by_shares_of_classes_alone_have_no_degrees_of_freedom():
    y, p = within_classes_alike(0)
    q = p.copy()
    q[:, 4] = np.where(y == 0, 9.0, q[:, 4])  # all of class 0 are above class 4
    models = {"a": p, "b": q}
    found = compare(y, models, ["aunp", "au1p"], groups=Design(sampling="random"))
    for each in found.differences:
        assert each.standard_error > 1e-4
        assert each.degrees_of_freedom == math.inf
    apart = {name: Predictions(y, each) for name, each in models.items()}
    alone = compare(apart, metrics=["aunp", "au1p"], groups=Design(sampling="random"))
    assert [each.degrees_of_freedom for each in alone.differences] == [math.inf] * 2
