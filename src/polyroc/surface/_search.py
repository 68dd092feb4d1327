"""``search``: the ROC surface of a model, by evolution."""

from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike

from polyroc.errors import InvalidInput
from polyroc.surface._cost_space import CostBounds
from polyroc.surface._front import RocSurface
from polyroc.surface._islands import search_islands
from polyroc.surface._objectives import ObjectivesLike
from polyroc.surface._runner import check_model, search_once
from polyroc.surface._strategies import SearchStrategy, Strategy
from polyroc.surface.models.model import Model
from polyroc.typing import RandomState


def search(
    model: Model,
    *,
    generations: int = 10_000,
    costs_per_generation: int = 100,
    objectives: ObjectivesLike = "pairs",
    alpha: ArrayLike | None = None,
    cost_bounds: CostBounds | None = None,
    strategy: Strategy | SearchStrategy = "inherit",
    rng: RandomState = None,
    checkpoint: str | Path | None = None,
    progress: bool = True,
    tolerance: float | None = None,
    n_threads: int | None = None,
    islands: int | None = None,
    client: Any = None,
) -> RocSurface:
    """The ROC surface of a model: parameters and costs whose error rates nothing found dominates.

    Algorithm 1 of Everson & Fieldsend 2006. Each generation selects a member of the archive,
    perturbs its parameters and tries costs with them; what no member weakly dominates enters, what
    it dominates leaves. The same seed gives the same surface, on any number of threads.

    Parameters
    ----------
    model : ``KnnModel``, ``MlpModel``, ``LinearModel``, ``ScoreModel`` or one of your own.
    generations : at most so many in all, those in the checkpoint included. The search ends before
        if G has converged; see ``tolerance``.
    costs_per_generation : costs tried in a generation, with one perturbed set of parameters or
        divided between two.
    objectives : ``"pairs"``: all K(K − 1) error rates; ``"errors_of"``: for each class the errors
        made on its cases; ``"errors_into"``: for each class the errors that end in it. Or a
        function of the D rates of a point (in the order of ``RocSurface.rates``) that gives a
        number to minimise, or a list of names and functions, all of which are minimised together.
        Beside functions the search itself keeps the front of all rates.
    alpha : of the Dirichlet distribution of fresh costs: a number, or a K × K table (truth first,
        its diagonal is not used). By default 1, all costs alike; in the ratio of expected costs it
        focuses the search, the more so the larger it is.
    cost_bounds : what is known of the costs, which have sum 1: ``{(truth, decided): (low, high)}``
        for a cost, ``{((truth, decided), (truth, decided)): (low, high)}`` for the ratio of the
        first cost to the second, whose ``high`` may be infinite. Every point that is returned has
        costs within them; ``provenance["cost_share"]`` is the share of the cost space they leave.
    strategy : ``"paper"`` draws all costs afresh; ``"inherit"`` lets most descend from those of
        members, and finds more with fewer evaluations. A :class:`SearchStrategy` also says how
        members are selected.
    rng : seed or generator. Where a checkpoint exists its seed is used, unless a number is given
        that differs, which is an error.
    checkpoint : a file that the search saves itself to every few seconds. Where it exists the
        search resumes from it; a file of another search is an error and stays as it is, and so is
        one that another search is saving itself to at the moment.
    progress : show the generation, the size of the archive and G so far, on a terminal or in a
        notebook.
    tolerance : the search ends when its last 10,000 evaluations have changed G by less than this
        share of it (``provenance["stopped"]`` is ``"converged"``), or when the front has 50,000
        points (``"points"``); with 0 all generations run (``"generations"``). By default 0.005
        with ``strategy="inherit"`` and 0 with ``"paper"``.
    n_threads : by default all processors; used where there are many cases.
    islands : independent searches with seeds of their own, whose fronts are merged.
    client : a ``distributed.Client`` whose workers run the islands.

    Ctrl-C stops the search after the current generation and returns the surface so far.

    Examples
    --------
    >>> from polyroc.surface import ScoreModel, search
    >>> model = ScoreModel([0, 1, 0, 1], [0.1, 0.35, 0.4, 0.8])
    >>> search(model, generations=10, rng=0, progress=False).rates
    array([[0. , 0.5],
           [0.5, 0. ]])

    Missing class 1 costs at least twice as much as a false alarm, and at most ten times:

    >>> bounds = {((1, 0), (0, 1)): (2, 10)}
    >>> found = search(model, generations=10, cost_bounds=bounds, rng=0, progress=False)
    >>> found.rates, round(found.provenance["cost_share"], 3)
    (array([[0.5, 0. ]]), 0.242)
    """
    check_model(model)
    given: dict[str, Any] = {"generations": generations, "objectives": objectives}
    given |= {"costs_per_generation": costs_per_generation, "alpha": alpha, "rng": rng}
    given |= {"strategy": strategy, "checkpoint": checkpoint, "tolerance": tolerance}
    given |= {"cost_bounds": cost_bounds}
    if islands is not None:
        return search_islands(model, islands, client, **given, n_threads=n_threads)
    if client is not None:
        raise InvalidInput("client= runs islands on workers. Say how many with islands=.")
    return search_once(model, **given, progress=progress, n_threads=n_threads)
