"""What figures say about the data in words, counted by loops over the cases."""

import math
import re

import numpy as np
import pytest

from polyroc import evaluate
from polyroc.display import (
    CalibrationDisplay,
    DistanceHistogramDisplay,
    ForestDisplay,
    GiniAreasDisplay,
    NetBenefitDisplay,
    RiskCoverageDisplay,
    RocCurvesDisplay,
    SimplexDisplay,
    SliceDisplay,
)
from polyroc.surface import ScoreModel, search
from polyroc.utility import utility_curves


def texts(display) -> list[str]:
    """All that a figure says."""
    from matplotlib.text import Text

    if getattr(display, "figure_", None) is None:
        display.plot()
    return [each.get_text() for each in display.figure_.findobj(Text) if each.get_text().strip()]


def cases_of(kind: str) -> tuple[list[str], np.ndarray, list[float]]:
    rng = np.random.default_rng(len(kind))
    y = ["a", "b", "c"] * 16
    own = np.eye(3)[["abc".index(k) for k in y]]
    p = rng.dirichlet(np.ones(3), 48) + 0.4 * own
    p = {"tied": np.ceil(4 * p), "perfect": own}.get(kind, p)
    weights = [float(i % 5 > 0) if kind == "weights" else 1.0 for i in range(48)]
    return y, p / p.sum(axis=1, keepdims=True), weights


def auc(k: str, others: str, y, p, w) -> float:
    """AUC of a class against others by its own scores, by loops."""
    right = total = 0.0
    for i in range(len(y)):
        for j in range(len(y)):
            if y[i] == k and y[j] in others and y[j] != k:
                apart = p[i]["abc".index(k)] - p[j]["abc".index(k)]
                total += w[i] * w[j]
                right += w[i] * w[j] * (np.sign(apart) + 1) / 2
    return right / total


def hand_till(y, p, w) -> float:
    pairs = [(k, r) for k in "abc" for r in "abc" if k != r]
    return sum(auc(k, r, y, p, w) for k, r in pairs) / 6


def test_values_of_metrics() -> None:
    """Values, numbers of cases, levels and what the lines are."""
    for kind, level in (("plain", 0.95), ("tied", 0.9), ("weights", 0.8)):
        y, p, w = cases_of(kind)
        there = [i for i in range(48) if w[i]]
        forest = ForestDisplay.from_evaluations(
            evaluate(y, p, ["hand_till"], sample_weight=w), level=level
        )
        said = texts(forest)
        assert f"Value with {100 * level:g} % interval; grey: chance" in said
        value, low, high = re.search(r"(\S+) \((\S+)–(\S+)\)", "\n".join(said)).groups()
        assert float(value) == pytest.approx(hand_till(y, p, w), abs=5.1e-4)
        assert float(low) < float(value) < float(high)
        site = ["x" if i % 4 else "z" for i in range(48)]
        sliced = evaluate(y, p, ["hand_till"], by={"site": site}, sample_weight=w)
        said = texts(SliceDisplay.from_evaluation(sliced, level=level))
        told = f"{100 * level:g} % interval; line: all cases, {hand_till(y, p, w):.3f}"
        assert f"hand_till with {told}" in said
        table = sliced.frame(level).set_index("slice")
        for name in ("x", "z"):
            rows = [i for i in there if site[i] == name]
            own = hand_till(*([each[i] for i in rows] for each in (y, p, w)))
            star = " *" * bool(table.loc[name, "p_adjusted"] <= 1 - level)
            assert f"{own:.3f}  n = {len(rows)}{star}" in said
        curves = "\n".join(texts(RocCurvesDisplay.from_predictions(y, p, sample_weight=w)))
        for k in "abc":
            assert f"AUC {auc(k, 'abc', y, p, w):.3f} (" in curves
    without = texts(ForestDisplay.from_evaluations(evaluate(y, p, ["vus2"])))
    assert "Value with 95 % interval" in without


def test_cases_and_curves() -> None:
    """Cases that are drawn, means and their triangle, areas, calibration and the names of axes."""
    for kind in ("plain", "tied", "weights", "perfect"):
        y, p, w = cases_of(kind)
        n, total = sum(x > 0 for x in w), sum(w)
        said = texts(SimplexDisplay.from_predictions(y, p, sample_weight=w, most_cases=10))
        step = math.ceil(n / 10)
        assert f"{len(range(0, n, step))} of {n} cases" in said
        means = [
            [sum(x * row[c] for x, row, k in zip(w, p, y, strict=True) if k == name)
             / sum(x for x, k in zip(w, y, strict=True) if k == name) for c in range(3)]
            for name in "abc"
        ]  # fmt: skip
        area = abs(np.linalg.det(means))
        length = 1 - sum(math.dist(m, np.eye(3)[k]) for k, m in enumerate(means)) / math.sqrt(18)
        assert f"means, AOT {area:.3f}" in said
        assert f"to the corners, TL {length:.3f}" in said
        area, order = 0.0, sorted({round(max(row), 12) for row, x in zip(p, w, strict=True) if x})
        for high in order:
            share = sum(x for x, row in zip(w, p, strict=True) if abs(max(row) - high) < 1e-11)
            inside = [i for i in range(48) if max(p[i]) > high - 1e-11]
            wrong = sum(w[i] * (p[i].argmax() != "abc".index(y[i])) for i in inside)
            area += share / total * wrong / sum(w[i] for i in inside)
        said = texts(RiskCoverageDisplay.from_predictions(y, p, sample_weight=w))
        assert any(f"area {area:.3g}" == each for each in said)
        shown = texts(CalibrationDisplay.from_predictions(y, p, sample_weight=w, kind="top_label"))
        assert any(f"{n} cases" in each for each in shown)
    found = utility_curves(y, {"m": p}, costs=lambda x: {("a", "b"): x}, over=[1, 2], name="MRI £")
    assert "MRI £" in texts(NetBenefitDisplay.of(found))


def test_surfaces() -> None:
    """Points better than chance, and the areas that two surfaces dominate."""
    y = ["a", "b"] * 15
    rng = np.random.default_rng(1)
    surfaces = {}
    for name in ("one", "two"):
        p = np.round(np.clip(rng.normal(0.4, 0.2, 30) + 0.2 * (np.array(y) == "b"), 0, 1), 1)
        surfaces[name] = search(ScoreModel(y, p), generations=10, rng=1, progress=False)
    said = texts(DistanceHistogramDisplay.from_surfaces(surfaces))
    shares = {}
    for name, surface in surfaces.items():
        points = surface.rates.tolist()
        better = sum(a + b < 1 - 1e-9 for a, b in points)
        assert f"{name}\n{better} of {len(points)} better than chance" in said
        shares[name] = dominated(points)
    both = dominated([*surfaces["one"].rates.tolist(), *surfaces["two"].rates.tolist()])
    said = texts(GiniAreasDisplay.from_surfaces(surfaces))
    assert f"G(one) = {shares['one']:.4f}" in said
    assert f"δ(one, two) = {both - shares['two']:.4f}".replace("-0.0000", "0.0000") in said
    assert f"δ(two, one) = {both - shares['one']:.4f}".replace("-0.0000", "0.0000") in said


def dominated(points) -> float:
    """Twice the area above and right of some point and below the diagonal, strip by strip."""
    edges = sorted({0.0, 1.0, *(x for x, _ in points), *(1 - y for _, y in points)})
    total = 0.0
    for place, left in enumerate(edges[:-1]):
        right = edges[place + 1]
        height = min([y for x, y in points if x <= left], default=1.0)
        total += (right - left) * sum(max(1 - a - height, 0.0) for a in (left, right)) / 2
    return 2 * total
