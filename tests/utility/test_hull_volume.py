"""The volume of Ferri et al. (2003): published ends, two classes, and the definition by loops."""

import itertools

import numpy as np
import pytest

from polyroc.utility import ferri_vus, roc_hull
from polyroc.utility._hull_volume import _dominated, _random_points


@pytest.mark.slow
def test_constant_rules_and_the_perfect_classifier_have_the_published_volumes():
    nothing = ferri_vus([[1, 0, 1, 0, 0, 1]], n_samples=20_000, rng=1)  # a mixture of constants
    assert abs(nothing.value - 1 / 180) < 4 * nothing.standard_error < 0.001
    share = nothing.value * 8
    assert nothing.standard_error == pytest.approx((share * (1 - share) / 19_999) ** 0.5 / 8)
    assert [note.text for note in nothing.notes] == ["standard error of the 20,000 points alone"]
    for n_classes in (2, 3, 4, 6):
        errors = np.zeros((1, n_classes * (n_classes - 1)))
        found = ferri_vus(errors, rng=2, n_samples=50)
        assert found.value == pytest.approx(np.prod(np.arange(1.0, n_classes)) ** -n_classes)
        assert ferri_vus(errors, rng=2, n_samples=50, normalize=True).value == 1


def test_two_classes_have_the_area_under_the_hull_of_their_curve():
    rng = np.random.default_rng(3)
    y, score = np.repeat([0, 1], 40), np.append(rng.normal(size=40), rng.normal(1, 1, 40))
    hull = roc_hull(y, score)
    rates = np.column_stack([hull.false_positive_rate, 1 - hull.true_positive_rate])
    found = ferri_vus(rates, n_samples=20_000, rng=4)
    assert abs(found.value - hull.area) < 4 * found.standard_error


def test_a_point_is_dominated_if_a_mixture_on_a_fine_grid_is_below_it():
    rng = np.random.default_rng(5)
    rules = rng.dirichlet(np.ones(3), (3, 3))[:, :, :2].reshape(3, 6) * 0.7
    points = _random_points(6, 3, 400)
    grid = [w for w in itertools.product(range(101), repeat=3) if sum(w) == 100]
    mixtures = np.array(grid) / 100 @ rules  # constant rules are not among these three
    below = np.array([(mixtures <= point).all(axis=1).any() for point in points])
    near = np.array([(mixtures <= point + 0.02).all(axis=1).any() for point in points])
    found = _dominated(points, rules)
    assert 20 < below.sum() < 300
    assert found[below].all()
    assert near[found].all()


def test_malformed_rates_are_told():
    with pytest.raises(ValueError, match="3 classes have 6 kinds"):
        ferri_vus([[0.1, 0.2]], n_classes=3)
    with pytest.raises(ValueError, match="n_samples"):
        ferri_vus([[0.1, 0.2]], n_samples=1)
