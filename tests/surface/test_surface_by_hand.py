"""A surface of a few points made by hand: choices, tables, messages and options recounted."""

import math
from dataclasses import FrozenInstanceError, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from polyroc.errors import InvalidInput, InvalidType, NotDefined
from polyroc.predictions import Predictions
from polyroc.surface import LinearModel, RocSurface, ScoreModel
from polyroc.surface import _front as fronts
from polyroc.surface._choosing import Wish, knees, space_of
from polyroc.surface._curvature import curvature_of
from polyroc.surface._front import label_array, member_rates

CLASSES = ("a", "b", "c")
PAIRS = [(a, b) for a in CLASSES for b in CLASSES if a != b]
RATES = np.array(
    [
        [0.10, 0.20, 0.30, 0.05, 0.20, 0.15],
        [0.30, 0.10, 0.05, 0.20, 0.10, 0.35],
        [0.00, 0.40, 0.20, 0.30, 0.05, 0.10],
        [0.20, 0.00, 0.15, 0.10, 0.45, 0.25],
    ]
)
OFF = ~np.eye(3, dtype=bool)


def tables(entries: Any) -> np.ndarray:
    found = np.zeros((len(entries), 3, 3))
    found[:, OFF] = entries
    return found


COSTS = tables(
    [
        [0.1, 0.2, 0.1, 0.3, 0.1, 0.2],
        [0.5, 0.1, 0.1, 0.1, 0.1, 0.1],
        [0.2, 0.2, 0.2, 0.2, 0.1, 0.1],
        [1.2, 0.6, 0.3, 0.3, 0.3, 0.3],  # of sum 3: only ratios mean anything
    ]
)
WEIGHTS = np.array([10.0, 20.0, 50.0])
PRIORS = [0.125, 0.25, 0.625]


def made(**changes: Any) -> RocSurface:
    surface = RocSurface(RATES, COSTS, np.zeros((4, 0)), CLASSES, WEIGHTS)
    return replace(surface, **changes)


def with_cases(groups: Any = None, weights: Any = None) -> RocSurface:
    rng = np.random.default_rng(3)
    y = np.repeat(["a", "b", "c"], [9, 14, 22])
    p = rng.dirichlet(np.ones(3), 45) + 0.6 * (y[:, None] == np.array(CLASSES))
    p /= p.sum(axis=1, keepdims=True)
    if groups is not None:
        model = ScoreModel(Predictions(y, p, labels=list(CLASSES), groups=groups))
    else:
        model = ScoreModel(y, p, labels=list(CLASSES), sample_weight=weights)
    rates = member_rates(model, np.zeros((4, 0)), COSTS[:, OFF])
    return made(rates=rates, class_weights=model.cases.class_weights, model=model)


def expected(table: Any, priors: Any = PRIORS, rates: np.ndarray = RATES) -> list[float]:
    """Σ priors · cost · rate of each point, by loops."""
    found = []
    for row in rates:
        cells = zip(row, PAIRS, strict=True)
        found.append(
            sum(
                priors[CLASSES.index(a)] * table[CLASSES.index(a)][CLASSES.index(b)] * rate
                for rate, (a, b) in cells
            )
        )
    return found


# The surface itself


def test_confusion_has_the_right_decisions_on_its_diagonal() -> None:
    found = made().confusion
    for m, row in enumerate(RATES):
        for k in range(3):
            assert found[m, k, k] == pytest.approx(1 - row[2 * k] - row[2 * k + 1], abs=1e-12)
    # Rates of sum above 1 by rounding leave nothing, not less.
    over = made(rates=np.array([[0.7, 0.3 + 1e-12, 0, 0, 0, 0]]), costs=COSTS[:1])
    assert over.confusion[0, 0, 0] == 0


def test_surfaces_are_frozen_and_compared_by_identity() -> None:
    one = made()
    with pytest.raises(FrozenInstanceError):
        one.rates = RATES  # type: ignore[misc]
    assert one == one and one != made()
    assert one.provenance == {} and one.model is None
    assert repr(one) == "RocSurface(4 operating points of surface for a, b, c)"
    assert repr(one[:1]).startswith("RocSurface(1 operating point of surface")
    with pytest.raises(FrozenInstanceError):
        Wish().rng = 1  # type: ignore[misc]
    assert Wish() != Wish() and Wish().rng == 0


def test_members_by_mask_positions_slice_and_number() -> None:
    one = made(parameters=np.arange(8.0).reshape(4, 2))
    for which in (2, np.int64(2), [2], slice(2, 3), np.arange(4) == 2, np.array([2])):
        part = one[which]
        assert len(part) == 1
        assert np.array_equal(part.rates, RATES[2:3]) and np.array_equal(part.costs, COSTS[2:3])
        assert part.parameters.tolist() == [[4.0, 5.0]]
    assert np.array_equal(one[-1].rates, RATES[3:])
    assert np.array_equal(one[[3, 0]].costs, COSTS[[3, 0]])


def test_a_frame_has_a_column_per_rate_cost_and_parameter() -> None:
    one = made(parameters=np.arange(8.0).reshape(4, 2))
    frame = one.frame()
    names = [f"{kind} {a} → {b}" for kind in ("rate", "cost") for a, b in PAIRS]
    assert list(frame) == [*names, "parameter 0", "parameter 1"]
    for d, (a, b) in enumerate(PAIRS):
        assert frame[f"rate {a} → {b}"].tolist() == RATES[:, d].tolist()
        wanted = COSTS[:, CLASSES.index(a), CLASSES.index(b)].tolist()
        assert frame[f"cost {a} → {b}"].tolist() == wanted
    assert frame["parameter 1"].tolist() == [1.0, 3.0, 5.0, 7.0]


def test_labels_keep_their_types() -> None:
    assert label_array((1, 2)).dtype.kind == "i"
    assert label_array(("a", "bc")).dtype.kind == "U"
    for mixed in ((1, "a"), (1, "a", 2.5), (True, 1)):
        found = label_array(mixed)
        assert found.dtype == object and [type(x) for x in found] == [type(x) for x in mixed]


def test_priors_are_shares_of_the_cases_unless_given() -> None:
    assert made().priors().tolist() == PRIORS
    assert made().priors([0.2, 0.3, 0.5]).tolist() == [0.2, 0.3, 0.5]
    assert made().priors({"c": 0.2, "a": 0.7, "b": 0.1}).tolist() == [0.7, 0.1, 0.2]


def test_distances_have_thirty_bins_or_those_asked_for() -> None:
    assert len(made().distance_histogram().counts) == 30
    assert len(made().distance_histogram(4).counts) == 4
    wanted = [(sum(row) - 2) / math.sqrt(6) for row in RATES]
    assert made().signed_distance() == pytest.approx(wanted, abs=1e-12)


def test_only_surfaces_of_the_same_classes_are_compared() -> None:
    other = made(classes=("a", "c", "b"))
    for method in ("delta", "compare"):
        with pytest.raises(
            InvalidInput, match="The surfaces have different classes, 'a', 'b', 'c'"
        ):
            getattr(made(), method)(other)
        with pytest.raises(InvalidType, match="Expected a RocSurface, got 3"):
            getattr(made(), method)(3)


def test_positions_count_from_either_end() -> None:
    surface = with_cases()
    scores = surface.model.X[:5]  # type: ignore[union-attr]
    for index in range(4):
        paid = [
            [sum(q[k] * COSTS[index, k, j] for k in range(3)) for j in range(3)] for q in scores
        ]
        wanted = [CLASSES[int(np.argmin(row))] for row in paid]
        assert surface.decide(scores, index).tolist() == wanted
        assert surface.decide(scores, index - 4).tolist() == wanted
    with pytest.raises(InvalidInput, match="There is no operating point 4: there are 4"):
        surface.decide(scores, 4)
    with pytest.raises(InvalidInput, match="index must be at least -4"):
        surface.decide(scores, -5)
    with pytest.raises(NotDefined, match="Deciding needs the model"):
        made().decide(scores, 0)
    with pytest.raises(NotDefined, match="Rescoring needs the model"):
        made().rescore(scores, ["a"] * 5)


def test_features_too_large_have_no_probabilities() -> None:
    y = np.repeat(["a", "b", "c"], 3)
    model = LinearModel(np.arange(18.0).reshape(9, 2), y)
    parameters = np.full((4, len(model.noise)), 1e80)
    surface = made(model=model, parameters=parameters)
    with np.errstate(all="raise"), pytest.raises(NotDefined, match="its numbers are too large"):
        surface.decide(np.array([[1e300, 1e300], [0.0, 1.0]]), 0)


def test_rescoring_counts_weights_and_says_so() -> None:
    surface = with_cases()
    model = surface.model
    assert model is not None
    y = np.array(CLASSES)[model.cases.codes]
    weights = np.linspace(0.5, 3, 45)
    again = surface.rescore(model.X, y, sample_weight=weights)
    totals = [weights[y == name].sum() for name in CLASSES]
    assert again.class_weights == pytest.approx(totals)
    assert again.provenance["rescored_on"] == again.model.fingerprint()  # type: ignore[union-attr]
    assert surface.provenance == {} and again.model is not model
    for m in range(4):
        decided = surface.decide(model.X, m)
        for d, (a, b) in enumerate(PAIRS):
            share = weights[(y == a) & (decided == b)].sum() / totals[CLASSES.index(a)]
            assert again.rates[m, d] == pytest.approx(share, abs=1e-9)
    plain = surface.rescore(model.X, y)
    assert np.array_equal(plain.rates, surface.rates)


def test_members_that_share_parameters_have_rates_of_their_own() -> None:
    rng = np.random.default_rng(0)
    y = np.repeat(["a", "b", "c"], [5, 6, 7])
    model = LinearModel(rng.normal(size=(18, 2)) + (y[:, None] == np.array(["a", "b"])), y)
    size = len(model.noise)
    one, two = rng.normal(size=size), rng.normal(size=size)
    parameters = np.array([one, two, one, two])
    found = member_rates(model, parameters, COSTS[:, OFF])
    for m in range(4):
        alone = member_rates(model, parameters[m : m + 1], COSTS[m : m + 1][:, OFF])
        assert np.array_equal(found[m], alone[0])


def test_notes_are_for_scores_with_cases() -> None:
    surface = with_cases()
    (note,) = surface.notes
    model = surface.model
    assert model is not None
    best = model.X.argmax(axis=1)
    promised = float((1 - model.X.max(axis=1)).mean())
    paid = float((best != model.cases.codes).mean())
    said = f"the probabilities predict a cost of {promised:.4f} per case, and the decisions cost "
    assert note.text.startswith(f"{said}{paid:.4f}, {promised - paid:.4f} less")
    assert made().notes == ()
    assert replace(surface, model=model.at(model.X)).notes == ()
    assert replace(surface, parameters=np.zeros((4, 2))).notes == ()


def test_loading_and_saving_take_paths_and_text(tmp_path: Path) -> None:
    surface = with_cases()
    surface.save(str(tmp_path / "one.npz"))
    assert np.array_equal(RocSurface.load(str(tmp_path / "one.npz")).rates, surface.rates)


# Choices


def test_costs_are_weighed_by_priors() -> None:
    table = [[0, 1, 5], [2, 0, 0.5], [1, 3, 0]]
    values = expected(table)
    point = made().choose(costs=table)
    assert point.index == int(np.argmin(values)) and point.value == pytest.approx(min(values))
    assert point.criterion == "expected cost" and point.cost_share == 1
    assert point.priors is not None and point.priors.tolist() == PRIORS
    others = [0.7, 0.2, 0.1]
    values = expected(table, others)
    point = made().choose(costs=table, priors=others)
    assert point.index == int(np.argmin(values)) and point.value == pytest.approx(min(values))
    assert np.array_equal(point.confusion, made().confusion[point.index])
    assert np.array_equal(point.costs, COSTS[point.index])
    assert point.parameters.shape == (0,)


def test_criteria_have_names_and_values() -> None:
    ones = [[0, 1, 1], [1, 0, 1], [1, 1, 0]]
    values = expected(ones)
    total = made().choose(criterion="total_error")
    assert (total.criterion, total.index) == ("total error", int(np.argmin(values)))
    assert total.value == pytest.approx(min(values)) and total.costs_asked is None
    far = made().choose(criterion="farthest_from_chance")
    sums = RATES.sum(axis=1)
    assert far.index == int(np.argmin(sums)) and far.criterion == "signed distance from chance"
    assert far.value == pytest.approx((sums.min() - 2) / math.sqrt(6)) and far.value < 0
    own = made().choose(objective=lambda rates: -float(rates[0]))
    assert (own.index, own.value, own.criterion) == (1, -0.3, "objective")
    alone = made().choose(limits={("a", "b"): 1.0})
    assert alone.criterion == "total error" and alone.index == total.index


def test_the_first_of_equal_points_is_chosen() -> None:
    twice = made(rates=RATES[[2, 1, 2, 1]], costs=COSTS)
    assert twice.choose(objective=lambda rates: float(rates[0])).index == 0
    assert twice.choose(objective=lambda rates: -float(rates[0])).index == 1
    assert twice.choose(criterion="farthest_from_chance").index in (0, 1)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "Say what to optimise: costs=, limits=, objective=, or criterion= one of total_error, "
             "farthest_from_chance, knee."),
        ({"costs": 1 - np.eye(3), "criterion": "knee"}, "not both"),
        ({"costs": 1 - np.eye(3), "objective": max}, "not both"),
        ({"criterion": "knee", "objective": max}, "not both"),
        ({"costs": 1 - np.eye(3), "criterion": "knee", "objective": max}, "not both"),
        ({"criterion": "best"}, "criterion must be"),
        ({"criterion": "total_error", "alpha": 2}, "alpha is the distribution of costs of"),
        ({"objective": max, "alpha": 2}, "alpha is the distribution of costs of"),
        ({"costs": 1 - np.eye(3), "alpha": 2}, "alpha is the distribution of costs of"),
        ({"criterion": "total_error", "refer_cost": 1}, "refer_cost goes with reject_at_most"),
        ({"criterion": "total_error", "refer_cost": 0}, "refer_cost goes with reject_at_most"),
        ({"criterion": "total_error", "confidence": 0.9}, "confidence applies to limits"),
    ],
)  # fmt: skip
def test_wishes_that_contradict_themselves(given: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        made().choose(**given)


def test_nothing_can_be_chosen_from_nothing() -> None:
    empty = made()[:0]
    for options in ({"criterion": "total_error"}, {"criterion": "knee"}):
        with pytest.raises(NotDefined, match="There is nothing to choose from"):
            empty.choose(**options)
    with pytest.raises(NotDefined, match="There is nothing to choose from"):
        empty.choose(criterion="total_error", reject_at_most=0.5)


def test_limits_are_kept_one_after_the_other() -> None:
    """A rate at its limit is within it, a rate above by more than rounding is not."""
    assert made().choose(limits={("a", "b"): 0.1, ("c", "b"): 0.1}).index == 2
    assert made().choose(limits={("a", "b"): 0.1 - 5e-13}, costs={("b", "a"): 0}).index in (0, 2)
    assert made()[:2].choose(limits={("a", "b"): 0.1 - 5e-13}).index == 0
    with pytest.raises(NotDefined) as error:
        made()[:2].choose(limits={("a", "b"): 0.1 - 2e-12})
    said = "No operating point keeps the rate of 'a' decided as 'b' at or below 0.1: the least is "
    assert str(error.value) == said + "0.1. Allow more, or drop another limit."
    with pytest.raises(NotDefined) as error:
        made().choose(limits={("a", "b"): 0.15, ("a", "c"): 0.15})
    said = "No operating point keeps the rate of 'a' decided as 'c' at or below 0.15: the least "
    assert str(error.value).startswith(said + "within the limits before it is 0.2. Allow more")
    # The limit of the other pair alone can be kept.
    assert made().choose(limits={("a", "c"): 0.15}).confusion[0, 2] <= 0.15


def test_limits_with_confidence_are_bounds_of_clopper_and_pearson() -> None:
    from scipy.stats import beta

    surface = with_cases()
    column = surface.confusion[:, 2, 0]
    order = np.sort(np.unique(column))
    assert len(order) >= 2
    counts = np.round(column * 22)
    upper = [1.0 if k >= 22 else float(beta.ppf(0.9, k + 1, 22 - k)) for k in counts]
    limit = sorted(set(upper))[0] + 1e-6
    point = surface.choose(limits={("c", "a"): limit}, confidence=0.9)
    assert upper[point.index] <= limit
    allowed = [m for m in range(4) if upper[m] <= limit]
    priors = surface.class_weights / surface.class_weights.sum()
    ones = [[0, 1, 1], [1, 0, 1], [1, 1, 0]]
    values = expected(ones, priors, surface.rates)
    assert point.index == min(allowed, key=lambda m: values[m])
    worst = surface[np.flatnonzero(column == order[-1])]
    with pytest.raises(NotDefined, match=r"to hold .* with confidence 0\.9: the least is"):
        worst.choose(limits={("c", "a"): sorted(set(upper))[0]}, confidence=0.9)
    for options in ({}, {"reject_at_most": 0.2}):
        with pytest.raises(
            NotDefined, match="depends on the cases, which the surface does not have"
        ):
            made().choose(limits={("c", "a"): 0.5}, confidence=0.9, **options)
        grouped = with_cases(groups=np.arange(45) // 3)
        with pytest.raises(NotDefined, match="computed for independent cases, and these belong to"):
            grouped.choose(limits={("c", "a"): 0.5}, confidence=0.9, **options)
        with pytest.raises(InvalidInput, match=r"confidence applies to limits\. Give limits=, too"):
            surface.choose(criterion="total_error", confidence=0.9, **options)


def test_bounds_on_costs_hold_for_the_costs_of_points_on_any_scale() -> None:
    """The fourth point has costs of sum 3: its first share is .4."""
    bounds = {("a", "b"): (0.3, 0.45)}
    point = made().choose(criterion="total_error", cost_bounds=bounds)
    assert point.index == 3
    assert point.cost_share == space_of(made(), None, bounds).share != 1
    with pytest.raises(NotDefined) as error:
        made().choose(criterion="total_error", cost_bounds={("a", "b"): (0.6, 1)})
    share = space_of(made(), None, {("a", "b"): (0.6, 1)}).share
    assert f"which leave {100 * share:.3g} % of the cost space. Search with" in str(error.value)
    with pytest.raises(NotDefined, match="No operating point meets both the limits and the cost_b"):
        made().choose(limits={("a", "b"): 0.1}, cost_bounds=bounds)
    assert made().choose(limits={("a", "b"): 0.2}, cost_bounds=bounds).index == 3
    wide = {("a", "b"): (0.05, 0.45)}
    values = expected([[0, 1, 1], [1, 0, 1], [1, 1, 0]])
    inside = [0, 2, 3]
    best = min(inside, key=lambda m: values[m])
    assert made().choose(criterion="total_error", cost_bounds=wide).index == best


def test_knees_use_priors_where_costs_are_those_of_a_case() -> None:
    surface = made()
    times = np.repeat(PRIORS, 2)
    plain = knees(surface, space_of(surface, None, None), None, n_samples=500)
    wanted = curvature_of(RATES, 3, space_of(surface, None, None), n_samples=500, rng=0,
                          trivial=True)  # fmt: skip
    assert np.array_equal(plain.utilities, wanted.utilities)
    table = np.ones((3, 3))
    table[0, 1] = 3.0  # all but one of the parameters are 1
    spaces = [
        (space_of(surface, 2, None), None, times),
        (space_of(surface, table, None), None, times),
        (space_of(surface, None, {("a", "b"): (0.1, 0.9)}), None, times),
        (space_of(surface, None, None), [0.5, 0.3, 0.2], np.repeat([0.5, 0.3, 0.2], 2)),
    ]
    for space, priors, weights in spaces:
        found = knees(surface, space, priors, n_samples=300, rng=3, trivial=False)
        wanted = curvature_of(RATES, 3, space, weights, n_samples=300, rng=3, trivial=False)
        assert np.array_equal(found.shares, wanted.shares)
        assert np.array_equal(found.utilities, wanted.utilities)


def test_curvature_and_knees_pass_their_options_on() -> None:
    surface = made()
    space = space_of(surface, 2, None)
    times = np.repeat(PRIORS, 2)
    for options in ({"rng": 0}, {"rng": 4}, {}):
        wanted = curvature_of(RATES, 3, space, times, n_samples=400, **options)
        found = surface.curvature(alpha=2, n_samples=400, **options)
        assert np.array_equal(found, wanted.shares)
        table = surface.knees(alpha=2, n_samples=400, **options)
        wanted = curvature_of(RATES, 3, space, times, n_samples=400, trivial=True, **options)
        order = np.argsort(-wanted.utilities, kind="stable")
        order = [m for m in order if wanted.utilities[m] > 0]
        assert table["point"].tolist() == order[:5]
        assert table["marginal_utility"].tolist() == wanted.utilities[order].tolist()
        assert table["curvature"].tolist() == wanted.shares[order].tolist()
        knee = surface.choose(criterion="knee", alpha=2, **options)
        whole = curvature_of(RATES, 3, space, times, trivial=True, **options)
        assert knee.value == whole.utilities.max() and knee.index == whole.utilities.argmax()
    assert surface.curvature(n_samples=400).sum() == pytest.approx(1)
    assert not np.array_equal(surface.curvature(n_samples=400), surface.curvature(n_samples=401))


def test_the_number_of_knees() -> None:
    corners = np.array([[0.0, 0.8], [0.05, 0.6], [0.12, 0.45], [0.2, 0.32], [0.32, 0.2],
                        [0.45, 0.12], [0.6, 0.05]])  # fmt: skip
    costs = np.tile([[0.0, 0.5], [0.5, 0.0]], (7, 1, 1))
    curve = RocSurface(corners, costs, np.zeros((7, 0)), ("a", "b"), np.array([4.0, 6.0]))
    assert len(curve.knees()) == 5 and len(curve.knees(1)) == 1 and len(curve.knees(99)) == 7
    table = curve.knees(7)
    assert (np.diff(table["marginal_utility"]) <= 0).all()
    wanted = [0.4 * corners[m, 0] + 0.6 * corners[m, 1] for m in table["point"]]
    assert table["total_error"].tolist() == pytest.approx(wanted)
    assert not table["curvature_error"].any() and not table["marginal_utility_error"].any()
    for number in (0, -1):
        with pytest.raises(InvalidInput, match="number must be at least 1"):
            curve.knees(number)


def test_a_trivial_point_is_no_knee_even_where_no_other_is_allowed() -> None:
    curve = RocSurface(
        np.array([[0.0, 1.0], [0.1, 0.4], [1.0, 0.0]]),
        np.tile([[0.0, 0.5], [0.5, 0.0]], (3, 1, 1)),
        np.zeros((3, 0)),
        ("a", "b"),
        np.array([4.0, 6.0]),
    )
    knee = curve.choose(criterion="knee")
    assert knee.index == 1 and knee.value > 0 and knee.criterion == "expected marginal utility"
    with pytest.raises(
        NotDefined, match="so there is no knee: others, or always choosing one class"
    ):
        curve.choose(criterion="knee", limits={("a", "b"): 0.05})


# Choices that refer cases


def test_referrals_go_with_costs_limits_and_the_total_error() -> None:
    surface = with_cases()
    for options in (
        {"criterion": "knee"},
        {"criterion": "farthest_from_chance"},
        {"objective": max},
    ):
        with pytest.raises(InvalidInput, match="Leave reject_at_most out for another criterion"):
            surface.choose(reject_at_most=0.2, **options)
    named = {("a", "b"): 3.0}
    table = np.array([[0, 3.0, 1], [1, 0, 1], [1, 1, 0]])
    plain = surface.choose(criterion="total_error", reject_at_most=0.2)
    assert plain.criterion == "total error"
    assert surface.choose(limits={("a", "b"): 1}, reject_at_most=0.2).criterion == "total error"
    dear = surface.choose(criterion="total_error", reject_at_most=0.2, refer_cost=0.4)
    assert dear.criterion == "expected cost" and dear.value > plain.value
    one_only = surface.choose(criterion="total_error", reject_at_most=0.2, refer_cost=[0.4, 0, 0])
    assert one_only.criterion == "expected cost"
    by_name = surface.choose(costs=named, reject_at_most=0.2)
    assert by_name.criterion == "expected cost"
    assert by_name.value == surface.choose(costs=table, reject_at_most=0.2).value
    wide = np.column_stack([table, [0.1, 0.2, 0.3]])
    in_table = surface.choose(costs=wide, reject_at_most=0.2)
    beside = surface.choose(costs=table, reject_at_most=0.2, refer_cost=[0.1, 0.2, 0.3])
    assert in_table.value == beside.value and in_table.index == beside.index
    with pytest.raises(InvalidInput):
        surface.choose(costs=wide, reject_at_most=0.2, refer_cost=0.0)


def test_referrals_stay_within_the_bounds_on_costs() -> None:
    surface = with_cases()
    found = surface.choose(criterion="total_error", reject_at_most=0.3,
                           cost_bounds={("a", "b"): (0.3, 0.45)})  # fmt: skip
    assert found.index == 3
    with pytest.raises(NotDefined, match="decides by costs within cost_bounds"):
        surface.choose(criterion="total_error", reject_at_most=0.3,
                       cost_bounds={("a", "b"): (0.6, 1)})  # fmt: skip


def test_referrals_with_other_priors_are_counted_with_them() -> None:
    surface = with_cases()
    priors = [0.6, 0.3, 0.1]
    found = surface.choose(criterion="total_error", reject_at_most=0.25, priors=priors)
    assert found.confusion.shape == (3, 4)
    wrong = [1 - row[k] - row[3] for k, row in enumerate(found.confusion)]
    assert found.value == pytest.approx(sum(p * w for p, w in zip(priors, wrong, strict=True)))
    assert found.confusion[:, 3] @ np.array(priors) <= 0.25


# Options of volumes


def test_options_of_volumes_by_name() -> None:
    options = fronts._volume_options("auto", 7, 3, 11, 2)
    assert options == {"method": "auto", "n_samples": 7, "rng": 3, "work": 11, "n_threads": 2}
    assert fronts._volume_options("exact", 7, None, 11, None)["rng"] is None
    for method in ("auto", "monte_carlo"):
        seed = fronts._volume_options(method, 7, None, 11, None)["rng"]
        assert isinstance(seed, int)
    with pytest.raises(InvalidInput, match="method must be"):
        fronts._volume_options("x", 7, None, 11, None)  # type: ignore[arg-type]


def test_two_hundred_resamples_unless_said_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    from polyroc.surface import _resampled

    seen: list[tuple[Any, ...]] = []
    monkeypatch.setattr(_resampled, "resampled_gini", lambda *given: seen.append(given))
    surface = made()
    surface.resampled_gini()
    surface.resampled_gini(n_resamples=9, rng=4, n_threads=2)
    assert seen == [(surface, 200, None, None), (surface, 9, 4, 2)]


def test_spaces_follow_alpha_and_bounds() -> None:
    surface = made()
    assert space_of(surface, None, None).alpha.tolist() == [1.0] * 6
    assert space_of(surface, 3, None).alpha.tolist() == [3.0] * 6
    both = space_of(surface, 3, {("b", "c"): (0.2, 0.5)})
    assert both.alpha.tolist() == [3.0] * 6 and both.bounds[0].cost == 3
