"""Draws of the bootstrap: what each of them keeps, and when it gives up."""

import numpy as np
import pytest

from polyroc import Bootstrap, Design, estimate
from polyroc._base.random import stream
from polyroc.errors import InvalidInput
from polyroc.inference._influence import CaseDesign
from polyroc.inference._resampling import Resampler
from polyroc.predictions import Predictions

Y = np.repeat([0, 1, 2], [9, 7, 4])
N = len(Y)
P = np.random.default_rng(3).dirichlet(np.ones(3), N)
WITHIN = np.concatenate([[0, 0, 0, 1, 1, 2, 2, 2, 2], [3, 3, 4, 4, 5, 5, 6], [7, 8, 8, 9]])
"""Ten groups, none with cases of two classes."""
ACROSS = np.where(np.arange(N) == N - 1, 0, WITHIN)
"""One case of the last class belongs to the first group."""


def draws(groups=None, weights=None, kind="sampling", sampling="stratified"):
    """Weights of 60 replicates, a row each."""
    predictions = Predictions(Y, P, sample_weight=weights)
    design = CaseDesign.of(Design(groups, sampling, kind), predictions)
    resampler = Resampler.of(predictions, design)
    return np.array([resampler.draw(stream(7, replicate)) for replicate in range(60)])


def class_sizes(drawn):
    return np.stack([drawn[:, k == Y].sum(axis=1) for k in range(3)], axis=1)


def test_classes_drawn_with_the_cases_vary_but_none_is_lost():
    sizes = class_sizes(draws(sampling="random"))
    assert (sizes.sum(axis=1) == N - 1).all()
    assert (sizes >= 1).all() and (sizes.std(axis=0) > 0.5).all()


def test_a_single_group_of_two_classes_makes_one_stratum_of_all():
    drawn = draws(ACROSS)
    _, first = np.unique(ACROSS, return_index=True)
    assert (drawn == drawn[:, first][:, ACROSS]).all()
    assert (drawn[:, first].sum(axis=1) == len(first) - 1).all()
    in_class_1 = drawn[:, first[Y[first] == 1]].sum(axis=1)
    assert in_class_1.min() < 4 < in_class_1.max()
    assert (class_sizes(drawn) > 0).all()


@pytest.mark.parametrize("sampling", ["stratified", "random"])
def test_copies_are_drawn_one_by_one(sampling):
    copies = np.arange(N) % 3 + 1
    drawn = draws(weights=copies, kind="frequency", sampling=sampling) * copies
    np.testing.assert_allclose(drawn, np.rint(drawn), atol=1e-12)
    fewer = 3 if sampling == "stratified" else 1  # one in each stratum
    np.testing.assert_allclose(drawn.sum(axis=1), copies.sum() - fewer)
    expected = [copies[k == Y].sum() - 1 for k in range(3)]
    kept = np.isclose(class_sizes(drawn), expected).all(axis=1)
    assert kept.all() if sampling == "stratified" else not kept.all()
    # A copy is drawn once on average, so cases with more copies are drawn more often.
    assert np.corrcoef(drawn.mean(axis=0), copies)[0, 1] > 0.9


def test_sampling_weights_do_not_change_the_draws():
    np.testing.assert_array_equal(draws(weights=np.arange(N) + 1.0), draws())


def test_classes_of_one_case_are_lost_again_and_again():
    """All of 20 cases come up in one draw of 20 with a chance of 20!/20²⁰ = 2 in 100 million."""
    y, p = np.arange(20), np.eye(20)
    with pytest.raises(InvalidInput, match=r"^1000 resamples in a row lost a class: it has too"):
        estimate(y, p, interval=Bootstrap(2), rng=0, groups=Design(sampling="random"))
