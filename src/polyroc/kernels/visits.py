"""Facets that walks over a ROC hypersurface visit, what they cost, and how they move.

The facets are those of ``facets``: tuples of cases that some positive costs leave undecided.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from polyroc.kernels.compile import compiled
from polyroc.kernels.facets import cost_of, equal, facet, first_facet, spread_out

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]


@compiled
def visited_facets(
    likelihoods: Floats,
    heights: Floats,
    pairs: Ints,
    groups: Ints,
    limits: Ints,
    rng: np.random.Generator,
    ends: Floats,
    begin: Floats,
    n_burn: int,
    n_looks: int,
    every: int,
) -> tuple[Ints, Ints]:
    """Members and pairs of the facets that a Metropolis walk visits, a row for every so many steps.

    Facets are visited in proportion to their size times the weights of their members; ``ends`` are
    the running sums of the weights, and ``begin`` costs at which all decisions occur. No row if the
    walk did not leave its made-up start.
    """
    size, n_classes = likelihoods.shape
    k = n_classes * (n_classes - 1) - 1
    rows, labels, members = np.empty((k, n_classes)), np.empty(k, np.int64), np.full(k, -1)
    rises, row, rise = np.zeros((k, n_classes)), np.empty(n_classes), np.empty(n_classes)
    costs, slopes = np.zeros((n_classes, n_classes)), np.zeros((n_classes, n_classes))
    volume = first_facet(likelihoods, pairs, groups, limits, rng, begin, rows, rises, labels, costs)
    seen, between = np.empty((n_looks, k), np.int64), np.empty((n_looks, k), np.int64)
    if volume == 0:
        return seen[:0], between[:0]
    for step in range(-n_burn, n_looks * every):
        a, label = rng.integers(0, k), rng.integers(0, len(pairs))
        new = min(np.searchsorted(ends, rng.random() * ends[-1], side="right"), size - 1)
        row[:], rise[:], former, trial = rows[a], rises[a], labels[a], 0.0
        rows[a], rises[a], labels[a] = likelihoods[new], heights[new], label
        if new not in members and spread_out(labels, groups, limits):
            trial = facet(rows, rises, labels, pairs, costs, slopes)
        if trial > volume * rng.random():
            volume, members[a] = trial, new
        else:
            rows[a], rises[a], labels[a] = row, rise, former
        if step == 0 and members.min() < 0:
            return seen[:0], between[:0]
        if step >= 0 and step % every == every - 1:
            seen[step // every], between[step // every] = members, labels
    return seen, between


@compiled
def _decided(row: Floats, costs: Floats, chosen: Floats) -> None:
    """Shares of the decisions for one case: the cheapest, or equal shares of those that tie."""
    lowest, n_best = np.inf, 0
    for decision in range(len(row)):
        cost = cost_of(row, costs, decision)
        if n_best > 0 and equal(cost, lowest):
            chosen[decision] = 1.0
            n_best += 1
        elif cost < lowest:
            chosen[:decision] = 0.0
            chosen[decision] = 1.0
            lowest, n_best = cost, 1
        else:
            chosen[decision] = 0.0
    for decision in range(len(row)):
        chosen[decision] /= n_best


@compiled
def _add_costs(
    costs: Floats, counted: Floats, modelled: Floats, rates: Floats, mean: Floats, found: Floats
) -> None:
    """Rates and mean cost of each class, and what all classes cost by labels and likelihoods."""
    for t in range(len(costs)):
        total, other = counted[t].sum(), modelled[t].sum()
        mean[t] = 0.0
        for d in range(len(costs)):
            rates[t, d] = counted[t, d] / total if total > 0 else 0.0
            mean[t] += costs[t, d] * rates[t, d]
            found[1] += costs[t, d] * modelled[t, d] / other
        found[0] += mean[t]


@compiled
def costs_of_visits(
    likelihoods: Floats,
    heights: Floats,
    pairs: Ints,
    seen: Ints,
    between: Ints,
    truth: Ints,
    weights: Floats,
    paid: Floats,
) -> tuple[Floats, Floats]:
    """What the facets visited cost, by the labels of the cases and by their likelihoods.

    The rates at the costs γ̂ of a facet are those of all cases but its members. ``paid`` receives,
    for each case and summed over the facets, what it pays there beyond the mean of its class.
    Returns (m, N, N) rates by the labels, and (m, 2) expected costs: by labels, by likelihoods.
    """
    size, n_classes = likelihoods.shape
    square = (n_classes, n_classes)
    costs, slopes = np.zeros(square), np.zeros(square)
    counted, modelled = np.zeros(square), np.zeros(square)
    rates, found = np.empty((len(seen), n_classes, n_classes)), np.zeros((len(seen), 2))
    chosen, of_case, mean = np.empty(n_classes), np.empty(size), np.empty(n_classes)
    for m in range(len(seen)):
        members = seen[m]
        facet(likelihoods[members], heights[members], between[m], pairs, costs, slopes)
        counted[:], modelled[:] = 0.0, 0.0
        for i in range(size):
            of_case[i] = -1.0
            if i in members:
                continue
            _decided(likelihoods[i], costs, chosen)
            of_case[i] = 0.0
            for d in range(n_classes):
                if chosen[d] > 0:
                    share = weights[i] * chosen[d]
                    counted[truth[i], d] += share
                    of_case[i] += costs[truth[i], d] * chosen[d]
                    for t in range(n_classes):
                        modelled[t, d] += share * likelihoods[i, t]
        _add_costs(costs, counted, modelled, rates[m], mean, found[m])
        for i in range(size):
            if of_case[i] >= 0:
                paid[i] += of_case[i] - mean[truth[i]]
    return rates, found


@compiled
def moved_facets(
    likelihoods: Floats, heights: Floats, pairs: Ints, seen: Ints, between: Ints, rates: Floats
) -> tuple[Floats, Floats]:
    """Sizes of facets and their costs γ̂·P at given rates, for other likelihoods of the cases.

    A size of 0 says that the facet is not on the surface any more.
    """
    n_classes = likelihoods.shape[1]
    costs, slopes = np.zeros((n_classes, n_classes)), np.zeros((n_classes, n_classes))
    sizes, found = np.zeros(len(seen)), np.zeros(len(seen))
    for m in range(len(seen)):
        members = seen[m]
        sizes[m] = facet(likelihoods[members], heights[members], between[m], pairs, costs, slopes)
        if sizes[m] > 0:
            found[m] = (costs * rates[m]).sum()
    return sizes, found
