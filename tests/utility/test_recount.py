"""What net benefit and costs of models print, counted by loops over the cases."""

import math
import re

import numpy as np
import pytest
from scipy.stats import t as student

from polyroc.utility import compare_costs, decision_curves, saec_surface
from polyroc.utility._surface_average import share_of_dearest, tail_notes

pytestmark = pytest.mark.system


def gains(t: float, own: list[bool], acted: list[bool]) -> list[float]:
    """What each case adds to the net benefit of acting."""
    paid = t / (1 - t)
    return [(1.0 if a else -paid) if b else 0.0 for a, b in zip(own, acted, strict=True)]


def mean_error(values, weights, groups) -> tuple[float, float, int]:
    """Weighted mean, its standard error from independent units, and their number."""
    total = sum(weights)
    mean = sum(w * x for w, x in zip(weights, values, strict=True)) / total
    parts: dict = {}
    for x, w, group in zip(values, weights, groups, strict=True):
        if w:
            parts[group] = parts.get(group, 0.0) + w * (x - mean) / total
    n = len(parts)
    spread = sum(u**2 for u in parts.values())
    return mean, math.sqrt(spread * n / (n - 1)) if n > 1 else math.nan, n


def best_of(values: dict, weights, groups) -> tuple[str, bool]:
    """The first of the best strategies, and whether it beats each other one at 95 %."""
    means = {name: mean_error(each, weights, groups)[0] for name, each in values.items()}
    best = next(name for name in means if means[name] >= max(means.values()) - 1e-9)
    clear = True
    for other in means:
        if other != best:
            apart = [a - b for a, b in zip(values[best], values[other], strict=True)]
            mean, error, n = mean_error(apart, weights, groups)
            reach = student.ppf(0.975, n - 1) * error if n > 1 else math.nan
            clear = clear and mean - reach > 1e-9
    return best, clear


def test_best_strategies() -> None:
    """Which strategy is best, where, and whether clearly; equals, groups and weights of 0."""
    rng = np.random.default_rng(4)
    seen = set()
    for kind in ("plain", "tied", "constant", "groups", "one group", "weights", "perfect"):
        y = [0] * 28 + [1] * 12
        q = np.clip(rng.normal(0.3, 0.2, 40) + 0.35 * np.array(y), 0.01, 0.99)
        models = {"one": q, "two": np.clip(q + rng.normal(0, 0.1, 40), 0.01, 0.99)}
        if kind in ("tied", "constant", "perfect"):
            models["one"] = {"tied": np.round(q, 1), "constant": np.full(40, 0.3),
                             "perfect": np.array(y, dtype=float)}[kind]  # fmt: skip
        weights = [float(i % 3) if kind == "weights" else 1.0 for i in range(40)]
        groups = [{"groups": i % 9, "one group": 0}.get(kind, i) for i in range(40)]
        at = [0.1, 0.2, 0.3, 0.5, 0.7]
        options = {"groups": groups} if "group" in kind else {}
        found = decision_curves(y, models, thresholds=at, sample_weight=weights, **options)[1]
        lines: list[list] = []
        for t in at:
            own = [each == 1 for each in y]
            acted = {name: [x >= t - 1e-12 and x > 0 for x in p] for name, p in models.items()}
            acted |= {"all": [True] * 40, "none": [False] * 40}
            values = {name: gains(t, own, each) for name, each in acted.items()}
            best = best_of(values, weights, groups)
            if lines and lines[-1][2] == best:
                lines[-1][1] = t
            else:
                lines.append([t, t, best])
            if kind == "one group":
                assert np.isnan(found.difference("one", "none").standard_error).all()
        told = [
            f"threshold {a:g}{'' if a == b else f' to {b:g}'}: {name}"
            f"{'' if clear else ' (not clearly)'}"
            for a, b, (name, clear) in lines
        ]
        assert repr(found).splitlines() == told
        seen |= {best for *_, best in lines}
    assert {clear for _, clear in seen} == {True, False}


def test_costs_of_models() -> None:
    """Mean costs, paired differences with their errors, and a class of one case."""
    rng = np.random.default_rng(1)
    for counts in ((12, 9, 5), (9, 2, 4), (9, 1, 4)):
        y = [k for k, count in enumerate(counts) for _ in range(count)]
        own = np.eye(3)[y]
        models = {
            "one": rng.dirichlet(np.ones(3), len(y)) + 0.2 * own,
            "two": np.ceil(4 * rng.dirichlet(np.ones(3), len(y))),
            "right": own,
        }
        models = {name: p / p.sum(axis=1, keepdims=True) for name, p in models.items()}
        table = [[0, 5, 1], [1, 0, 1], [1, 1, 0]]
        found = compare_costs(y, models, {(0, 1): 5})
        paid = {}
        for name, p in models.items():
            costs = [[sum(row[k] * table[k][j] for k in range(3)) for j in range(3)] for row in p]
            ways = [next(j for j in range(3) if c[j] <= min(c) + 1e-12) for c in costs]
            paid[name] = [table[k][j] for k, j in zip(y, ways, strict=True)]
        lines = repr(found).splitlines()
        for name, line in zip(models, lines, strict=False):
            mean = sum(paid[name]) / len(y)
            start = f"{name}: expected cost = {mean:.4f} ("
            assert line.startswith(start)
            if min(counts) == 1:
                assert line == f"{start}no interval: a class has one case)"
            else:
                low, high = re.search(r"95 % interval (\S+) to (\S+)\)", line).groups()
                assert float(low) - 1e-4 <= mean <= float(high) + 1e-4
        for row, line in zip(found.differences, lines[4:], strict=True):
            apart = np.subtract(paid[row.model_a], paid[row.model_b])
            parts = [
                np.array([x for x, k in zip(apart, y, strict=True) if k == j]) for j in range(3)
            ]
            value, error = line.split()[2:4]
            assert float(value) == pytest.approx(apart.mean(), abs=5.1e-5)
            if min(counts) == 1:
                assert error == "–"
                continue
            variance = sum((len(u) / len(y)) ** 2 * u.var(ddof=1) / len(u) for u in parts)
            assert float(error) == pytest.approx(math.sqrt(variance), abs=5.1e-5)


def test_hulls_of_points() -> None:
    """How many points a hull was drawn of, and of how many classes."""
    rng = np.random.default_rng(0)
    for k, n in ((3, 40), (3, 1600), (4, 20)):
        rates = rng.dirichlet(np.ones(k), (n, k))[:, ~np.eye(k, dtype=bool)]
        if n > 1500:
            rates = np.repeat(rates[:40], 40, axis=0)
        notes = {note.code: note.text for note in saec_surface(rates, n_sizes=1, rng=1).notes}
        assert notes["biased"].startswith(f"the hull of the points of {k} classes is biased")
        assert ("subset" in notes) == (n > 1500)
        if n > 1500:
            assert notes["subset"] == "hull of 1,500 of 1,600 points, drawn at random"


def test_heavy_tails() -> None:
    """What the most expensive hundredth of a surface pays, facet by facet."""
    for n in (1, 3, 60, 500):
        for power in (0, 1, 6):
            rng = np.random.default_rng(n)
            costs, sizes = rng.random(n) ** power, rng.random(n)
            left, paid = sizes.sum() / 100, 0.0
            for cost, size in sorted(zip(costs, sizes, strict=True), reverse=True):
                paid += cost * min(size, left)
                left -= min(size, left)
            share = paid / float(costs @ sizes)
            assert share_of_dearest(costs, sizes) == pytest.approx(share)
            notes = [note.text for note in tail_notes(share_of_dearest(costs, sizes))]
            text = (
                f"the most expensive hundredth of the surface pays {100 * share:.0f} % of the cost"
            )
            assert len(notes) == (share >= 0.05) and all(each.startswith(text) for each in notes)
