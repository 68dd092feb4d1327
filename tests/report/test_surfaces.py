"""Points of the surface in the page."""

import numpy as np
import pytest

from polyroc.predictions import Predictions
from polyroc.report._cases import confusion, page_cases
from polyroc.report._surfaces import (
    MESH,
    _towards_centre,
    class_costs,
    lattice,
    page_surface,
    short_costs,
)
from polyroc.surface._costs import errors, matrices

pytestmark = pytest.mark.usefixtures("short_search")


def surface_of(y, models, weights=None):
    predictions = Predictions(y, models["model 0"], sample_weight=weights)
    cases = page_cases(predictions, np.arange(len(y)), models)
    return cases, page_surface(cases, "model 0")


@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_tables_are_those_of_the_page(n_classes, sample) -> None:
    cases, surface = surface_of(*sample(n_classes, 200))
    for costs, table in zip(matrices(surface.costs, n_classes), surface.tables, strict=True):
        counted = confusion(cases.scores["model 0"], cases.codes, costs)
        assert (errors(counted) == table).all()


def test_tables_add_weights(sample) -> None:
    weights = np.random.default_rng(0).random(150)
    cases, surface = surface_of(*sample(3, 150), weights)
    costs = matrices(surface.costs[7], 3)
    counted = confusion(cases.scores["model 0"], cases.codes, costs, cases.weights)
    assert (errors(counted) == surface.tables[7]).all()


@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_surfaces_of_all_models_share_the_room(n_classes, sample, monkeypatch) -> None:
    """A point is a float32 cost and a count of as many bytes for each kind of error."""
    y, models = sample(n_classes, 200)
    n_points = 400
    n_bytes = n_points * len(models) * n_classes * (n_classes - 1) * (4 + 4)
    monkeypatch.setattr("polyroc.report._surfaces.room", lambda _: n_bytes)
    _, surface = surface_of(y, models)
    assert 0.5 * n_points < len(surface.costs) <= n_points


def test_the_front_is_what_nothing_dominates(sample) -> None:
    cases, surface = surface_of(*sample(3, 200))
    rates = surface.tables.reshape(-1, 3, 2).sum(axis=2) / np.bincount(cases.codes)
    for index, rate in enumerate(rates):
        dominated = ((rates <= rate).all(axis=1) & (rates < rate).any(axis=1)).any()
        assert not (surface.front[index] and dominated)
        again = (rates[:index] == rate).all(axis=1).any()
        twin = (rates == rate).all(axis=1).sum() > 1
        assert surface.front[index] or dominated or again or twin


def test_the_sheet_reaches_the_corners(sample) -> None:
    """Its ends decide for one class always."""
    cases, surface = surface_of(*sample(3, 300))
    n_sheet = (MESH + 1) * (MESH + 2) // 2
    wrong = surface.tables[:n_sheet].reshape(-1, 3, 2).sum(axis=2) / np.bincount(cases.codes)
    for k in range(3):
        only = 1 - np.eye(3)[k]
        assert np.abs(wrong - only).max(axis=1).min() < 0.02


def test_costs_by_class_weigh_the_truth_only(sample) -> None:
    _, models = sample(4, 50)
    rows = class_costs(models["model 0"].astype(np.float32), 30).reshape(30, 4, 3)
    assert (rows == rows[:, :, :1]).all() and (rows > 0).all()


def test_lattice_and_short_costs() -> None:
    points = lattice(4)
    assert len(points) == 15 and (points.sum(axis=1) == 4).all()
    costs = short_costs(np.random.default_rng(0).dirichlet(np.ones(6), 50))
    assert (costs.max(axis=1) == 10).all()
    assert all(float(f"{np.float32(cost):.3g}") == cost for cost in costs.ravel())


def test_a_surface_has_at_most_1500_points(sample, monkeypatch) -> None:
    """Half of them by class, the others from the front, where many more are found."""
    monkeypatch.setattr("polyroc.report._surfaces.COSTS_PER_GENERATION", 900)
    monkeypatch.setattr("polyroc.report._surfaces.spaced", lambda size, most: np.arange(most))
    y, models = sample(4, 100)
    _, surface = surface_of(y, {"model 0": models["model 0"]})
    assert len(surface.costs) == 1500
    assert surface.n_found > 800


def test_the_volume_of_cases_in_groups_has_no_interval(sample) -> None:
    """Those searched keep their groups."""
    y, models = sample(3, 120)
    predictions = Predictions(y, models["model 0"])
    for groups, known in ((None, True), (np.arange(120) // 2, False)):
        cases = page_cases(predictions, np.arange(120), models, groups)
        gini = page_surface(cases, "model 0").gini
        assert np.isfinite(gini.interval().low) == known, gini


def test_costs_crowd_at_the_centre() -> None:
    """Each point is moved by how far it is from the rim: not at all there, at the centre most."""
    shares = np.array([[1, 0, 0], [0.6, 0.4, 0], [0.5, 0.25, 0.25], [0.4, 0.3, 0.3]])
    moved = _towards_centre(shares)
    assert moved.sum(axis=1) == pytest.approx(np.ones(4))
    left = (moved - 1 / 3)[:, 0] / (shares - 1 / 3)[:, 0]
    assert left == pytest.approx([1, 1, 0.15 + 0.85 * 0.25**2, 0.15 + 0.85 * 0.1**2])
