"""How differences of models vary and how well that is known, from contributions made by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import chi2, f

from polyroc import Predictions
from polyroc.inference._influence import CaseDesign
from polyroc.inference._spread import Spread, joint_freedom, omnibus_test, spread_of
from polyroc.metrics.question import Influence
from polyroc.statistics.statistic import Drawn

Y = np.repeat([0, 1, 2], [6, 4, 3])
SIZES = [6, 4, 3]
RNG = np.random.default_rng(8)
P = RNG.dirichlet(np.ones(3), len(Y))
GIVEN = Predictions(Y, P)


@pytest.fixture(autouse=True)
def numbers_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test depends on how many numbers others have drawn."""
    monkeypatch.setitem(globals(), "RNG", np.random.default_rng(8))


def centred(n_models: int) -> np.ndarray:
    phi = RNG.normal(size=(n_models, len(Y)))
    for k in range(3):
        phi[:, k == Y] -= phi[:, k == Y].mean(axis=1, keepdims=True)
    return phi


PHI = centred(3)


def part(values: np.ndarray, k: int) -> float:
    """Variance of a mean over class k."""
    own = values[k == Y]
    return float(np.sum(own**2)) / (len(own) - 1) / len(own)


def freedom_of(parts: list[float], known: list[float]) -> float:
    return sum(parts) ** 2 / sum(v**2 / m for v, m in zip(parts, known, strict=True))


def test_models_on_the_same_cases() -> None:
    spread = spread_of([GIVEN] * 3, [CaseDesign()] * 3, [Influence(x) for x in PHI], True)
    for a in range(3):
        for b in range(3):
            parts = [part(PHI[a] - PHI[b], k) for k in range(3)]
            assert spread.differences[a, b] == pytest.approx(sum(parts))
            assert spread.parts[:, a, b].tolist() == pytest.approx(parts)
            expected = math.inf if a == b else freedom_of(parts, [5, 3, 2])
            assert spread.freedom[a, b] == pytest.approx(expected)
    assert spread.parts_freedom.tolist() == [5, 3, 2]
    assert np.isinf(spread.published).all() and spread.published.min() > 0
    assert spread.most == math.inf and spread.scale == 1 and spread.whole is None
    assert not spread.normal


def test_groups_of_paired_models() -> None:
    """What a group adds in several classes is added up first, but not in the parts."""
    groups = np.array([0, 1, 2, 3, 4, 4, 0, 1, 2, 3, 0, 1, 5])
    design = CaseDesign.of(groups, GIVEN)
    units = [5, 4, 3]
    moved = [Influence(x, scale=s) for x, s in zip(PHI, (1.0, 5.0, 2.0), strict=True)]
    spread = spread_of([GIVEN] * 3, [design] * 3, moved, True)
    scale = np.array([math.sqrt(units[k] / (units[k] - 1)) / SIZES[k] for k in Y])
    for a, b in ((0, 1), (0, 2), (1, 2)):
        apart = (PHI[a] - PHI[b]) * scale
        whole = sum(apart[groups == g].sum() ** 2 for g in range(6))
        parts = [
            sum(apart[(groups == g) & (k == Y)].sum() ** 2 for g in range(6)) for k in range(3)
        ]
        assert spread.differences[a, b] == spread.differences[b, a] == pytest.approx(whole)
        assert spread.parts[:, b, a].tolist() == pytest.approx(parts)
        expected = min(freedom_of(parts, [4, 3, 2]), 5)
        assert spread.freedom[a, b] == spread.freedom[b, a] == pytest.approx(expected)
    assert spread.most == 5 and spread.scale == 5


def test_independent_samples() -> None:
    """Variances add up; Welch's test counts all cases of a sample, ours those of each class."""
    other_y = np.repeat([0, 1, 2], [3, 7, 2])
    other = Predictions(other_y, RNG.dirichlet(np.ones(3), 12))
    phi = np.concatenate([[1.0, 0, -1], [3, -3, 2, -2, 1, -1, 0], [0.5, -0.5]])
    second = [2 / 2 / 3, 28 / 6 / 7, 0.5 / 1 / 2]
    samples, designs = [GIVEN, other, GIVEN], [CaseDesign()] * 3
    moved = [Influence(PHI[0]), Influence(phi, scale=3.0), Influence(PHI[1])]
    spread = spread_of(samples, designs, moved, False)
    parts = [[part(PHI[0], k) for k in range(3)], second, [part(PHI[1], k) for k in range(3)]]
    known, cases = [[5, 3, 2], [2, 6, 1], [5, 3, 2]], [12, 11, 12]
    for a in range(3):
        for b in range(3):
            variances = [sum(parts[a]), sum(parts[b])]
            if a == b:
                assert spread.differences[a, a] == 0
                assert spread.freedom[a, a] == spread.published[a, a] == math.inf
                continue
            assert spread.differences[a, b] == pytest.approx(sum(variances))
            own = [freedom_of(parts[a], known[a]), freedom_of(parts[b], known[b])]
            assert spread.freedom[a, b] == pytest.approx(freedom_of(variances, own))
            welch = freedom_of(variances, [cases[a], cases[b]])
            assert spread.published[a, b] == pytest.approx(welch)
    assert spread.parts_freedom.tolist() == [5, 3, 2, 2, 6, 1, 5, 3, 2]
    for number, each in enumerate(spread.parts):
        m, k = divmod(number, 3)
        for a in range(3):
            for b in range(3):
                expected = parts[m][k] if (a == m) != (b == m) else 0
                assert each[a, b] == pytest.approx(expected)
    assert spread.scale == 3 and spread.most == math.inf


def test_independent_samples_of_which_one_has_groups_across_classes() -> None:
    """Its variance is one part, as well known as the number of groups allows."""
    groups = np.array([0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 0, 1, 2])
    design = CaseDesign.of(groups, GIVEN)
    moved = [Influence(PHI[0]), Influence(PHI[1])]
    spread = spread_of([GIVEN, GIVEN], [CaseDesign(), design], moved, False)
    scale = np.array([math.sqrt(3 / 2) / SIZES[k] for k in Y])
    whole = sum((PHI[1] * scale)[groups == g].sum() ** 2 for g in range(3))
    assert spread.parts_freedom[:3].tolist() == [5, 3, 2] and len(spread.parts_freedom) == 4
    by_class = [
        sum((PHI[1] * scale)[(groups == g) & (k == Y)].sum() ** 2 for g in range(3))
        for k in range(3)
    ]
    own = min(freedom_of(by_class, [2, 2, 2]), 2)
    assert own == 2
    assert spread.parts_freedom[3] == pytest.approx(own)
    assert spread.parts[3].ravel().tolist() == pytest.approx([0, whole, whole, 0])
    first = [part(PHI[0], k) for k in range(3)]
    variances = [sum(first), whole]
    expected = freedom_of(variances, [freedom_of(first, [5, 3, 2]), own])
    assert spread.freedom[0, 1] == spread.freedom[1, 0] == pytest.approx(expected)


def drawn_models(n_models: int) -> list[Influence]:
    rng = np.random.default_rng(2)
    tuples = np.column_stack([rng.choice(np.flatnonzero(k == Y), 40) for k in range(3)])
    return [
        Influence(np.zeros(len(Y)), drawn=Drawn(tuples, rng.integers(0, 3, 40) / 2))
        for _ in range(n_models)
    ]


def test_random_tuples_of_paired_models() -> None:
    """Each difference is a mean of the differences of credits, over the same tuples."""
    from polyroc.inference._drawn import drawn_spread

    models = drawn_models(3)
    spread = spread_of([GIVEN] * 3, [CaseDesign()] * 3, models, True)
    found = {}
    for a in range(3):
        assert spread.differences[a, a] == 0 and spread.freedom[a, a] == math.inf
        for b in range(a):
            first, second = models[a].drawn, models[b].drawn
            assert first is not None and second is not None
            apart = Drawn(first.tuples, first.credit - second.credit)
            variance, known = drawn_spread(GIVEN, apart, CaseDesign())
            for pair in ((a, b), (b, a)):
                assert spread.differences[pair] == pytest.approx(variance, rel=1e-12)
                assert spread.freedom[pair] == pytest.approx(known, rel=1e-12)
            found[a, b] = known
    assert spread.parts_freedom.tolist() == pytest.approx([min(found.values())])
    assert spread.parts.shape == (1, 3, 3) and (spread.parts[0] == spread.differences).all()
    assert (spread.published == math.inf).all()


def test_random_tuples_of_independent_samples() -> None:
    from polyroc.inference._drawn import drawn_spread

    models = drawn_models(3)
    spread = spread_of([GIVEN] * 3, [CaseDesign()] * 3, models, False)
    alone = [drawn_spread(GIVEN, m.drawn, CaseDesign()) for m in models if m.drawn is not None]
    for a in range(3):
        for b in range(a):
            variances = [alone[a][0], alone[b][0]]
            assert spread.differences[b, a] == pytest.approx(sum(variances))
            expected = freedom_of(variances, [alone[a][1], alone[b][1]])
            assert spread.freedom[a, b] == spread.freedom[b, a] == pytest.approx(expected)


def some_spread(**changed: object) -> Spread:
    """Of three models in two classes: variances of differences 3, 5 and 4."""
    first = np.array([[0.0, 2, 1], [2, 0, 3], [1, 3, 0]])
    second = np.array([[0.0, 1, 4], [1, 0, 1], [4, 1, 0]])
    freedom = np.full((3, 3), 6.0)
    fields = {
        "differences": first + second,
        "freedom": freedom,
        "parts": np.stack([first, second]),
        "parts_freedom": np.array([8.0, 5.0]),
        "published": np.full((3, 3), math.inf),
    }
    return Spread(**{**fields, **changed})  # type: ignore[arg-type]


def contrasts(d: np.ndarray) -> np.ndarray:
    """Covariances of the differences from the last model."""
    last = len(d) - 1
    return np.array(
        [[(d[i, last] + d[j, last] - d[i, j]) / 2 for j in range(last)] for i in range(last)]
    )


def test_all_models_at_once_by_f() -> None:
    """Hotelling's T² with ν from traces of the whitened parts; F with ν − q + 1."""
    spread, values = some_spread(), np.array([0.9, 0.4, 0.1])
    total = contrasts(spread.differences)
    inverse = np.linalg.inv(total)
    apart = values[:2] - values[2]
    squared = float(apart @ inverse @ apart)
    unknown = 0.0
    for each, m in zip(spread.parts, (8, 5), strict=True):
        white = inverse @ contrasts(each)  # has the traces of the symmetric one
        unknown += (np.trace(white @ white) + np.trace(white) ** 2) / m
    known = (2 + 4) / unknown
    test = omnibus_test("m", values, spread)
    assert test.degrees_of_freedom == 2 and test.note == "" and test.metric == "m"
    assert test.denominator_degrees_of_freedom == pytest.approx(known - 1)
    assert test.statistic == pytest.approx(squared / 2 * (known - 1) / known)
    assert test.p_value == pytest.approx(f.sf(test.statistic, 2, known - 1))
    limited = omnibus_test("m", values, some_spread(most=4.0))
    assert limited.denominator_degrees_of_freedom == pytest.approx(3)
    assert limited.statistic == pytest.approx(squared / 2 * 3 / 4)


def test_all_models_at_once_by_chi_squared() -> None:
    spread, values = some_spread(), np.array([0.9, 0.4, 0.1])
    published = np.arange(9.0).reshape(3, 3)
    normal = some_spread(published=published).for_reference("normal")
    assert normal.normal and len(normal.parts_freedom) == 0
    assert (normal.freedom == published).all()
    assert (normal.differences == spread.differences).all()
    assert spread.for_reference("t") is spread
    apart = values[:2] - values[2]
    squared = float(apart @ np.linalg.inv(contrasts(spread.differences)) @ apart)
    test = omnibus_test("m", values, normal)
    assert test.statistic == pytest.approx(squared) and test.degrees_of_freedom == 2
    assert test.denominator_degrees_of_freedom == math.inf
    assert test.p_value == pytest.approx(chi2.sf(squared, 2))


def test_two_models_are_tested_by_one_difference() -> None:
    """F = (d/s)² with the degrees of freedom of t, after what was counted too much."""
    keep = np.ix_([0, 1], [0, 1])
    spread = some_spread()
    pair = some_spread(
        differences=spread.differences[keep],
        freedom=spread.freedom[keep],
        parts=spread.parts[:, :2, :2],
        published=spread.published[keep],
    )
    values = np.array([0.9, 0.2])
    known = 3.0**2 / (2.0**2 / 8 + 1.0**2 / 5)
    test = omnibus_test("m", values, pair)
    assert test.statistic == pytest.approx(0.49 / 3)
    assert test.denominator_degrees_of_freedom == pytest.approx(known)
    assert test.p_value == pytest.approx(f.sf(0.49 / 3, 1, known))
    less = pair.less(np.array([[0.0, 1.0], [1.0, 0.0]]))
    assert omnibus_test("m", values, less).statistic == pytest.approx(0.49 / 2)
    few = omnibus_test("m", values, some_spread(**{**vars(pair), "most": 0.5}))
    assert few.denominator_degrees_of_freedom == 0.5 and few.p_value > 0


def test_what_is_counted_too_much_is_taken_off_where_something_is_left() -> None:
    """Of three models at once the variances are those before, whose matrix has no negative part."""
    spread = some_spread()
    assert spread.less(None) is spread
    # Differences of 3, 5 and 4: a part, all but a rounding, and more than all.
    taken = np.array([[0.0, 1.0, 5.0], [1.0, 0.0, 4.5], [5.0, 4.5, 0.0]])
    less = spread.less(taken)
    assert less.differences.tolist() == [[0, 2, 5], [2, 0, 4], [5, 4, 0]]
    assert less.whole is not None and (less.whole == spread.differences).all()
    rounding = spread.less(spread.differences * (1 - 1e-13))
    assert (rounding.differences == spread.differences).all()
    little = spread.less(spread.differences * (1 - 1e-9))
    assert 0 < little.differences[0, 1] < 1e-8
    values = np.array([0.9, 0.4, 0.1])
    assert omnibus_test("m", values, less) == omnibus_test("m", values, spread)


def test_why_there_is_no_test_of_all_models() -> None:
    values = np.array([0.9, 0.4, 0.1])
    missing = some_spread(differences=np.full((3, 3), math.nan))
    test = omnibus_test("m", values, missing)
    assert test.note == "no test: a model has no standard error" and math.isnan(test.p_value)
    assert test.degrees_of_freedom == 0 and math.isnan(test.statistic)
    d = some_spread().differences
    agree = "no test: the models do not differ by more than rounding"
    for size, scale, told in ((1e-25, 1.0, agree), (1e-23, 1.0, ""), (1e-23, 10.0, agree)):
        tested = omnibus_test("m", values, some_spread(differences=d * size, scale=scale))
        assert tested.note == told, (size, scale)
    few = omnibus_test("m", values, some_spread(most=2.9))
    assert few.note == (
        "no test of 3 models at once: a class has too few cases, or there are too few groups. "
        'Compare pairs of models by method="permutation".'
    )
    assert few.degrees_of_freedom == 2 and math.isnan(few.statistic) and math.isnan(few.p_value)
    assert math.isnan(few.denominator_degrees_of_freedom)
    enough = omnibus_test("m", values, some_spread(most=3.0))
    assert enough.denominator_degrees_of_freedom == 2 and enough.p_value > 0


def test_two_models_that_are_the_same_leave_fewer_dimensions() -> None:
    """The second and third of three models are one: a test of one difference."""
    d = np.array([[0.0, 3.0, 3.0], [3.0, 0.0, 0.0], [3.0, 0.0, 0.0]])
    spread = some_spread(differences=d, parts=np.stack([d / 3, 2 * d / 3]))
    known = 1 / ((1 / 3) ** 2 / 8 + (2 / 3) ** 2 / 5)
    test = omnibus_test("m", np.array([0.9, 0.2, 0.2]), spread)
    assert test.degrees_of_freedom == 1
    assert test.statistic == pytest.approx(0.49 / 3)
    assert test.denominator_degrees_of_freedom == pytest.approx(known)


def test_joint_degrees_of_freedom_of_one_contrast_are_satterthwaites() -> None:
    """Parts of 0 say nothing, and without a variance there are none."""
    parts, freedom = np.array([2.0, 0.0, 1.0]), np.array([8.0, 0.0, 5.0])
    known = 9 / (4 / 8 + 1 / 5)
    assert joint_freedom(parts[:, None, None], freedom, math.inf) == pytest.approx(known)
    assert joint_freedom(parts[:, None, None], freedom, 3.0) == 3
    assert math.isnan(joint_freedom(np.zeros((2, 1, 1)), np.ones(2), math.inf))
    # Several contrasts: a class that adds nothing is left out, though it has no cases to spare.
    both = np.array([[2.0, 0.5], [0.5, 1.0]])
    with_none = joint_freedom(np.stack([both, 0 * both]), np.array([7.0, 0.0]), math.inf)
    assert with_none == pytest.approx(7)
    # A direction in which there is nothing but rounding does not count.
    flat = np.stack([np.diag([1.0, 0.0]), np.diag([0.0, 1e-17])])
    assert joint_freedom(flat, np.array([7.0, 3.0]), math.inf) == pytest.approx(7)
    narrow = np.stack([np.diag([1.0, 0.0]), np.diag([0.0, 1e-9])])
    assert joint_freedom(narrow, np.array([7.0, 3.0]), math.inf) == pytest.approx(
        6 / (2 / 7 + 2 / 3)
    )


def test_class_shares_that_were_sampled_vary_too() -> None:
    """They add to the variances, of paired and of independent models, but not to the parts."""
    design = CaseDesign(sampling="random")
    slopes = [np.array([0.5, -0.2, 0.9]), np.array([-0.4, 0.3, 0.1])]
    moved = [Influence(x, d) for x, d in zip(PHI, slopes, strict=False)]
    shares = np.array(SIZES) / len(Y)
    columns = []
    for x, d in zip(PHI, slopes, strict=False):
        mean = float(shares @ d)
        columns.append(
            [
                math.sqrt(SIZES[k] / (SIZES[k] - 1)) * phi / SIZES[k] + (d[k] - mean) / len(Y)
                for phi, k in zip(x, Y, strict=True)
            ]
        )
    first, second = map(np.array, columns)
    paired = spread_of([GIVEN] * 2, [design] * 2, moved, True)
    assert paired.differences[0, 1] == pytest.approx(float(np.sum((first - second) ** 2)))
    parts = [part(PHI[0] - PHI[1], k) for k in range(3)]
    assert paired.parts[:, 0, 1].tolist() == pytest.approx(parts)
    assert paired.freedom[0, 1] == pytest.approx(freedom_of(parts, [5, 3, 2]))
    apart = spread_of([GIVEN] * 2, [design] * 2, moved, False)
    variances = [float(np.sum(first**2)), float(np.sum(second**2))]
    assert apart.differences[0, 1] == pytest.approx(sum(variances))
    own = [freedom_of([part(x, k) for k in range(3)], [5, 3, 2]) for x in PHI[:2]]
    assert apart.freedom[0, 1] == pytest.approx(freedom_of(variances, own))
    fixed = spread_of([GIVEN] * 2, [CaseDesign()] * 2, moved, True)
    assert fixed.differences[0, 1] == pytest.approx(sum(parts))
