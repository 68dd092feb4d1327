"""What follows from how cases were sampled: units, degrees of freedom, scaled contributions."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pandas as pd
import pytest

from polyroc import Design, Predictions, evaluate
from polyroc.errors import InvalidInput, RowsByPosition
from polyroc.inference import _influence
from polyroc.inference._influence import (
    CaseDesign,
    ClassProducts,
    case_contributions,
    case_scale,
    contributions,
    contributions_by_class,
    covariance,
    degrees_of_freedom,
    satterthwaite,
    variance_of_parts,
    variance_parts,
)
from polyroc.metrics.question import Influence
from polyroc.statistics import means

Y = np.array([0, 1, 0, 2, 1, 0, 2, 1, 1, 0, 0])
W = np.array([1.0, 2.0, 3.0, 1.0, 1.0, 2.0, 3.0, 4.0, 1.0, 1.0, 2.0])
RNG = np.random.default_rng(4)
P = RNG.dirichlet(np.ones(3), len(Y))
PHI = RNG.normal(size=(2, len(Y)))
SLOPES = np.array([0.2, -0.7, 0.4])
COUNTS = [5, 4, 2]


@pytest.fixture(autouse=True)
def numbers_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test depends on how many numbers others have drawn."""
    monkeypatch.setitem(globals(), "RNG", np.random.default_rng(4))


def made(weights: np.ndarray | None = None, folds: list[object] | None = None) -> Predictions:
    return Predictions(Y, P, sample_weight=weights, folds=folds)


def by_loops(weights: np.ndarray, counts: list[float], *, frequency: bool, random: bool):
    """√(m/(m − 1)) w φ/n_k of each case and metric, with what moves priors, over √w of copies."""
    sums = [sum(w for w, k in zip(weights, Y, strict=True) if k == c) for c in range(3)]
    total = sum(sums)
    mean = sum(s / total * d for s, d in zip(sums, SLOPES, strict=True))
    rows = []
    for i, k in enumerate(Y):
        row = []
        for phi in PHI:
            u = math.sqrt(counts[k] / (counts[k] - 1)) * weights[i] * phi[i] / sums[k]
            if random:
                u += weights[i] * (SLOPES[k] - mean) / total
            row.append(u / math.sqrt(weights[i]) if frequency else u)
        rows.append(row)
    return np.array(rows)


@pytest.mark.parametrize("random", [False, True])
@pytest.mark.parametrize("kind", ["plain", "sampling", "frequency"])
def test_contributions_and_covariances(
    kind: str, random: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By loops over the cases; in blocks of any size, of which the last is not full."""
    weights = np.ones(len(Y)) if kind == "plain" else W
    given = made(None if kind == "plain" else W)
    meant = Design(
        sampling="random" if random else "stratified",
        weights="frequency" if kind == "frequency" else "sampling",
    )
    design = CaseDesign.of(meant, given)
    counts = [9.0, 8.0, 4.0] if kind == "frequency" else COUNTS
    moved = [Influence(phi, SLOPES) for phi in PHI]
    expected = by_loops(weights, counts, frequency=kind == "frequency", random=random)
    np.testing.assert_allclose(contributions(given, moved, design), expected, rtol=1e-13)
    some = case_contributions(given, moved, design, slice(3, 8))
    np.testing.assert_allclose(some, expected[3:8], rtol=1e-13)
    products = expected.T @ expected
    fixed = by_loops(weights, counts, frequency=kind == "frequency", random=False)
    for size in (1, 4, 11, 1000):
        monkeypatch.setattr(_influence, "CASES_AT_ONCE", size)
        monkeypatch.setattr(means, "CASES_AT_ONCE", size)
        np.testing.assert_allclose(covariance(given, moved, design), products, rtol=1e-12)
        together = ClassProducts.of(given, moved, design)
        np.testing.assert_allclose(together.covariance(), fixed.T @ fixed, rtol=1e-12)
        for metric in range(2):
            parts = [sum(u**2 for u in fixed[k == Y, metric]) for k in range(3)]
            np.testing.assert_allclose(together.parts(metric), parts, rtol=1e-12)


def test_contributions_of_groups_are_added_before_they_are_squared() -> None:
    groups = np.array([3, 0, 1, 1, 0, 3, 5, 4, 4, 2, 1])
    given = made(W)
    design = CaseDesign.of(groups, given)
    assert design.n_groups == 6
    assert design.counts(given).tolist() == [3, 2, 2]
    single = by_loops(W, [3, 2, 2], frequency=False, random=False)
    moved = [Influence(phi) for phi in PHI]
    together = np.array([single[groups == g].sum(axis=0) for g in range(6)])
    np.testing.assert_allclose(contributions(given, moved, design), together, rtol=1e-12)
    np.testing.assert_allclose(
        covariance(given, moved, design), together.T @ together, rtol=1e-12, atol=1e-12
    )
    sums, codes = contributions_by_class(given, moved, design)
    for g in range(6):
        for k in range(3):
            inside = (groups == g) & (k == Y)
            np.testing.assert_allclose(sums[k + 3 * g], single[inside].sum(axis=0), atol=1e-12)
            assert codes[k + 3 * g] == k
    parts = [sum(sums[k + 3 * g, 0] ** 2 for g in range(6)) for k in range(3)]
    np.testing.assert_allclose(variance_parts(given, moved[0], design), parts, rtol=1e-12)
    freedom = sum(parts) ** 2 / sum(v**2 / f for v, f in zip(parts, [2, 1, 1], strict=True))
    assert degrees_of_freedom(given, moved[0], design) == pytest.approx(min(freedom, 5))
    whole = variance_of_parts(np.array(parts), given, moved[0], design)
    assert whole == pytest.approx(float((together[:, 0] ** 2).sum()), rel=1e-12)
    assert whole != pytest.approx(sum(parts), rel=1e-3)


def test_the_variance_is_the_sum_of_its_parts_unless_shares_were_sampled() -> None:
    given = made()
    plain, sloped = Influence(PHI[0]), Influence(PHI[0], SLOPES)
    random = CaseDesign.of(Design(sampling="random"), given)
    parts = np.array([1.0, 2.0, 4.0])  # whatever they are
    assert variance_of_parts(parts, given, sloped, CaseDesign()) == 7
    assert variance_of_parts(parts, given, plain, random) == 7
    moved = by_loops(np.ones(len(Y)), COUNTS, frequency=False, random=True)[:, 0]
    found = variance_of_parts(parts, given, sloped, random)
    assert found == pytest.approx(float((moved**2).sum()), rel=1e-12)


def test_slopes_through_priors_that_are_known_by_case() -> None:
    """Where folds have shares of their own, they take the place of the slopes of all cases."""
    given, known = made(), RNG.normal(size=len(Y))
    design = CaseDesign.of(Design(sampling="random"), given)
    plain = case_contributions(given, [Influence(PHI[0])], CaseDesign())
    found = case_contributions(given, [Influence(PHI[0], SLOPES, through_priors=known)], design)
    np.testing.assert_allclose(found[:, 0], plain[:, 0] + known, rtol=1e-13)
    none = case_contributions(given, [Influence(PHI[0])], design)
    np.testing.assert_array_equal(none, plain)


def test_limits_of_the_degrees_of_freedom() -> None:
    """None without groups or where each has one class; else one less than there are groups."""
    given = made()
    within = CaseDesign.of(Y * 10 + np.arange(len(Y)) % 3, given)
    across = CaseDesign.of(np.arange(len(Y)) % 4, given)
    nearly = np.arange(len(Y))
    nearly[1] = 0  # one group of all has two classes
    assert CaseDesign().most_freedom(given) == math.inf
    assert within.most_freedom(given) == math.inf
    assert across.most_freedom(given) == 3
    assert CaseDesign.of(nearly, given).most_freedom(given) == len(Y) - 2
    spanning = CaseDesign.of(np.array([0, 0, 1, 1, 1, 0, 2, 2, 2, 1, 2]), given)
    assert degrees_of_freedom(given, Influence(PHI[0]), spanning) == 2


def test_degrees_of_freedom_within_folds() -> None:
    """A mean per fold that has the class; groups in several folds are counted once."""
    folds = [0, 0, 1, 0, 1, 1, 0, 0, 1, 0, 1]
    given = Predictions(Y, P, folds=folds, absent="skip")
    strata = [len({f for f, c in zip(folds, Y, strict=True) if c == k}) for k in range(3)]
    assert strata == [2, 2, 1]
    assert CaseDesign().freedom(made()).tolist() == [4, 3, 1]
    assert CaseDesign().freedom(given).tolist() == pytest.approx([3, 2, 1])
    groups = np.array([0, 1, 0, 2, 1, 3, 4, 5, 6, 7, 8])
    design = CaseDesign.of(groups, given)
    expected = []
    for k in range(3):
        inside = [(g, f) for g, f, c in zip(groups, folds, Y, strict=True) if c == k]
        n_groups, occurring = len({g for g, _ in inside}), len(set(inside))
        expected.append(n_groups * (1 - strata[k] / occurring))
    assert design.freedom(given).tolist() == pytest.approx(expected)
    assert expected == pytest.approx([4 * 3 / 5, 3 * 2 / 4, 2 * 1 / 2])


def test_a_part_of_the_cases_numbers_its_groups_anew() -> None:
    given = made()
    design = CaseDesign.of(np.array([9, 9, 4, 4, 7, 7, 7, 1, 1, 9, 4]), given)
    part = design.part(np.array([0, 4, 5, 9]))
    assert part.groups is not None and part.groups.tolist() == [1, 0, 0, 1]
    assert part.n_groups == 2 and design.n_groups == 4
    alone = CaseDesign(weights="frequency", sampling="random")
    assert alone.part(np.array([0])) is alone
    assert alone.settings() == {"sampling": "random", "weights": "frequency", "groups": False}
    assert design.settings() == {"sampling": "stratified", "weights": "sampling", "groups": True}


def test_groups_of_another_index_are_matched_by_position_and_said_so() -> None:
    index = pd.Index([f"row {i}" for i in range(len(Y))])
    given = Predictions(pd.Series(Y, index=index), P)
    other = pd.Series(np.arange(len(Y)) // 2, index=np.arange(100, 100 + len(Y)))
    with pytest.warns(RowsByPosition):
        assert CaseDesign.of(other, given).by_position == ("groups",)
    assert CaseDesign.of(other.to_numpy(), given).by_position == ()
    assert CaseDesign.of(None, given) == CaseDesign()


def test_predictions_that_hold_groups_bring_them_along() -> None:
    held = Predictions(Y, P, groups=np.arange(len(Y)) // 2)
    assert CaseDesign.of(None, held).n_groups == 6
    assert CaseDesign.of(Design(sampling="random"), held).settings() == {
        "sampling": "random",
        "weights": "sampling",
        "groups": True,
    }
    with pytest.raises(InvalidInput, match="Predictions that have groups"):
        CaseDesign.of(np.arange(len(Y)), held)


def test_the_scale_of_contributions() -> None:
    """√(m/(m − 1)) w/n_k; a class of one unit has none, and no warning says so."""
    given = made(W)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = case_scale(given, np.array([3.0, 1.0, 2.0]))
        some = case_scale(given, np.array([3.0, 1.5, 2.0]), slice(1, 4))
    for i, k in enumerate(Y):
        expected = {0: math.sqrt(1.5) / 9, 1: math.nan, 2: math.sqrt(2) / 4}[int(k)] * W[i]
        assert found[i] == pytest.approx(expected, nan_ok=True)
    expected = [math.sqrt(3) / 8 * 2, math.sqrt(1.5) / 9 * 3, math.sqrt(2) / 4 * 1]
    assert some.tolist() == pytest.approx(expected)
    plain = case_scale(made(), np.array([5.0, 4.0, 2.0]))
    assert plain[3] == pytest.approx(math.sqrt(2) / 2)


def test_satterthwaites_degrees_of_freedom() -> None:
    """Parts of 0 do not count, even with none of their own; what is known from none has none."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert satterthwaite(np.zeros(3), np.array([1.0, 2, 3])) == math.inf
        assert satterthwaite(np.array([0.0, 2.0]), np.array([0.0, 7.0])) == 7
        assert satterthwaite(np.array([1.0, 2.0]), np.array([0.0, 7.0])) == 0
        of_one = satterthwaite(np.array([1.0, 2.0]), np.array([math.inf, 7.0]))
        assert of_one == pytest.approx(9 / (4 / 7))
        assert math.isnan(satterthwaite(np.array([math.nan, 2.0]), np.array([1.0, 7.0])))
        assert satterthwaite(np.array([1e-200, 1e-200]), np.array([9.0, 9.0])) == 18
    found = satterthwaite(np.array([1.0, 2.0, 4.0]), np.array([3.0, 5.0, 6.0]))
    assert found == pytest.approx(49 / (1 / 3 + 4 / 5 + 16 / 6))


@pytest.mark.parametrize("scores", [np.eye(2), np.full((2, 2), 0.5)])
def test_nothing_varies_where_all_cases_agree(scores: np.ndarray) -> None:
    """Nor do sampled classes change that, and no warning says so."""
    y = np.repeat([0, 1], [50, 33])
    found = evaluate(y, scores[y], ["aunp"], groups=Design(sampling="random"))["aunp"]
    assert found.value == scores[0, 0] and math.isnan(found.standard_error)
    assert [note.code for note in found.notes if note.code == "no-variation"]
