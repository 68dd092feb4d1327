"""The ROC surface of each model, searched briefly, as points that fit into the page."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polyroc.predictions import Predictions
from polyroc.report._cases import SCORE_BYTES, PageCases, stratified
from polyroc.results import Estimate
from polyroc.surface._costs import TIED_SINGLE, errors, matrices
from polyroc.surface._objectives import objective_values, on_front
from polyroc.typing import BoolArray, Float64Array, Int64Array

GENERATIONS = 20
COSTS_PER_GENERATION = 200
SEARCH_CASES = 2000
"""More cases than this are searched in a sample of so many; the points are counted on all."""
MOST_CLASSES = 5
MOST_POINTS = 1500
SURFACE_BYTES = (90_000, 400_000)
"""Of the points of all models together: the least, and the most where the cases leave room."""
GINI_SAMPLES = 50_000
MESH = 22
"""Steps along a side of the mesh that is drawn for three classes."""
SEED = 2006


@dataclass(frozen=True, eq=False)
class PageSurface:
    """Operating points of a model on the cases in the page.

    Attributes
    ----------
    costs : (m, D) in row-major order of the off-diagonal, of three significant digits, so that
        what is copied from the page is short and decides the same.
    tables : (m, D) weight of the cases of each class classified as each other class.
    front : (m,) which of them no other dominates in the three or more error rates of the classes.
    gini : G of all points found, on the cases searched.
    n_found, n_searched : points found, and cases they were found on.
    n_samples : random points at which G was measured.
    """

    costs: Float64Array
    tables: Float64Array
    front: BoolArray
    gini: Estimate
    n_found: int
    n_searched: int
    n_samples: int


def page_surface(cases: PageCases, name: str) -> PageSurface:
    """Search the surface of one model and choose points to show."""
    from polyroc.surface import ScoreModel, search

    scores = cases.scores[name]
    n_models, n_classes = len(cases.scores), scores.shape[1]
    searched = stratified(cases.codes, SEARCH_CASES)
    given = Predictions(
        cases.codes[searched],
        scores[searched].astype(np.float64),
        labels=list(range(n_classes)),
        sample_weight=None if cases.weights is None else cases.weights[searched],
        groups=None if cases.groups is None else cases.groups[searched],
    )
    surface = search(
        ScoreModel(given),
        generations=GENERATIONS,
        costs_per_generation=COSTS_PER_GENERATION,
        rng=SEED,
        progress=False,
    )
    gini = surface.gini("monte_carlo", n_samples=GINI_SAMPLES, rng=SEED)
    most = min(MOST_POINTS, room(cases) // (n_models * 8 * n_classes * (n_classes - 1)))
    by_class = class_costs(scores, most // 2)
    best_first = np.argsort(surface.rates @ np.repeat(surface.priors(), n_classes - 1))
    chosen = best_first[spaced(len(surface), most - len(by_class))]
    found = errors(surface.costs)[chosen]
    costs = short_costs(np.concatenate([by_class, found]))
    tables = errors(_tables(cases, scores, costs))
    # Rates are these sums over the size of a class: to be dominated does not depend on a scale.
    front = on_front(objective_values(tables, n_classes, "errors_of"))
    return PageSurface(costs, tables, front, gini, len(surface), len(searched), GINI_SAMPLES)


def room(cases: PageCases) -> int:
    """Bytes for the points of all surfaces."""
    least, most = SURFACE_BYTES
    return max(least, min(most, SCORE_BYTES + least - cases.n_bytes))


def spaced(size: int, number: int) -> NDArray[np.intp]:
    """At most so many positions, the denser the nearer to the first.

    Examples
    --------
    >>> spaced(9, 3), spaced(2, 3)
    (array([0, 2, 8]), array([0, 1]))
    """
    if size <= number:
        return np.arange(size)
    places = np.linspace(0, 1, max(0, number)) ** 2 * (size - 1)
    return np.unique(places.round().astype(np.intp))


def lattice(size: int) -> Int64Array:
    """Points (i, j, k) of whole numbers with i + j + k = size, row by row.

    Examples
    --------
    >>> lattice(1)
    array([[0, 0, 1],
           [0, 1, 0],
           [1, 0, 0]])
    """
    rows = [(i, j, size - i - j) for i in range(size + 1) for j in range(size + 1 - i)]
    return np.array(rows, dtype=np.int64)


def class_costs(scores: NDArray[np.float32], number: int) -> Float64Array:
    """Costs that depend on the true class only, over all ratios that matter: (m, D).

    With λ_k for any error on class k the decision is argmax_k λ_k p_k, so these are the rules that
    trade the errors of one class against those of another: the surface as the page draws it. For
    three classes log λ runs over a lattice, for the page to join the points; the classes of most
    and of least weight differ by up to three times the spread of the log odds, so that at its
    corners a class is never decided, whatever the other two do.
    """
    n_classes = scores.shape[1]
    logs = np.log(np.clip(scores.astype(np.float64), 1e-4, None))
    spread = np.quantile(logs.max(axis=1) - logs.min(axis=1), 0.9) + 1
    if n_classes == 3:
        shares = _towards_centre(lattice(MESH) / MESH)
    else:
        shares = np.random.default_rng(SEED).dirichlet(np.ones(n_classes), number)
    return np.repeat(np.exp(-3 * spread * shares), n_classes - 1, axis=1)


def _towards_centre(shares: Float64Array) -> Float64Array:
    """Shares moved to the centre, where costs are nearly equal and most of the surface lies."""
    rim = 1 - 3 * shares.min(axis=1, keepdims=True)
    return np.asarray(1 / 3 + (shares - 1 / 3) * (0.15 + 0.85 * rim**2))


def short_costs(costs: Float64Array) -> Float64Array:
    """Costs with three significant digits, their largest 10.

    Examples
    --------
    >>> short_costs(np.array([[0.5, 0.123456]]))
    array([[10.  ,  2.47]])
    """
    scaled = costs / costs.max(axis=-1, keepdims=True) * 10
    return np.array([[float(f"{cost:.3g}") for cost in row] for row in scaled])


def _tables(cases: PageCases, scores: NDArray[np.float32], costs: Float64Array) -> Float64Array:
    """(m, K, K) tables of confusion of the cases in the page."""
    from polyroc.kernels.confusion import confusion_tables

    n_classes = scores.shape[1]
    tables = np.zeros((len(costs), n_classes, n_classes))
    weights = np.ones(len(cases)) if cases.weights is None else np.array(cases.weights)
    square = matrices(costs, n_classes)
    confusion_tables(scores.astype(np.float64), cases.codes, weights, square, tables, TIED_SINGLE)
    return tables
