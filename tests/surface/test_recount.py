"""What surfaces and operating points print, counted by loops over cases and points."""

import math
import re
from itertools import pairwise

import numpy as np
import pytest

from polyroc.surface import (
    RocSurface,
    ScoreModel,
    cost_by_share,
    cross_fitted_gini,
    risk_coverage,
    search,
)
from polyroc.surface._gini import delta, distance_histogram, gini

pytestmark = pytest.mark.system


def cases_of(kind: str, names: list[str]) -> tuple[list[str], np.ndarray, list[float]]:
    """Labels, probabilities and weights of a few cases that make it hard."""
    rng = np.random.default_rng(len(kind) + len(names))
    k = len(names)
    counts = {"one case": [9] * (k - 1) + [1], "two cases": [11] * (k - 1) + [2]}.get(
        kind, [12 + 3 * j for j in range(k)]
    )
    y = [name for name, count in zip(names, counts, strict=True) for _ in range(count)]
    own = np.eye(k)[[names.index(name) for name in y]]
    p = rng.dirichlet(np.ones(k), len(y)) + 0.25 * own
    if kind == "tied":
        p = np.ceil(5 * p)
    if kind == "perfect":
        p = own
    if kind == "useless":
        p = np.ones(p.shape)
    weights = [float(i % 3) if kind == "weights" else 1.0 for i in range(len(y))]
    return y, p / p.sum(axis=1, keepdims=True), weights


def found_on(kind: str, names: list[str], generations: int = 6) -> RocSurface:
    y, p, w = cases_of(kind, names)
    model = ScoreModel(y, p, labels=names, sample_weight=w)
    return search(model, generations=generations, rng=1, progress=False)


def decided(row, costs) -> int:
    """The decision of least expected cost, the first of equals up to rounding."""
    paid = [sum(row[k] * costs[k][j] for k in range(len(row))) for j in range(len(row))]
    return next(j for j, each in enumerate(paid) if each <= min(paid) + 1e-12)


def dominated(points) -> float:
    """Twice the area above and right of some point and below the diagonal, strip by strip."""
    edges = sorted({0.0, 1.0, *(x for x, _ in points), *(1 - y for _, y in points)})
    total = 0.0
    for left, right in pairwise(edges):
        height = min([y for x, y in points if x <= left], default=1.0)
        lengths = [max(1 - a - height, 0.0) for a in (left, right)]
        total += (right - left) * sum(lengths) / 2
    return 2 * total


def told(found, code: str) -> str | None:
    return next((note.text for note in found.notes if note.code == code), None)


def rates_of(surface, y, p, weights) -> list[tuple[float, float]]:
    """Error rates of two classes at each point, by loops over the cases."""
    names, found = list(surface.classes), []
    for costs in surface.costs:
        wrong, total = [0.0, 0.0], [0.0, 0.0]
        for name, row, w in zip(y, p, weights, strict=True):
            k = names.index(name)
            total[k] += w
            wrong[k] += w * (decided(row, costs) != k)
        found.append((wrong[0] / total[0], wrong[1] / total[1]))
    return found


def error_by_weights(surface, y, p, weights) -> float:
    """Standard error of G: how it moves as each case weighs a little more, class by class."""
    start, step, parts = dominated(rates_of(surface, y, p, weights)), 1e-6, {}
    for i, name in enumerate(y):
        if weights[i]:
            more = [w + (step if i == j else 0) for j, w in enumerate(weights)]
            slope = (dominated(rates_of(surface, y, p, more)) - start) / step
            parts.setdefault(name, []).append(weights[i] * slope)
    return math.sqrt(
        sum(len(u) / (len(u) - 1) * sum(each**2 for each in u) for u in parts.values())
    )


def test_gini_of_two_classes() -> None:
    """G, its standard error, and every note on cases and samples."""
    seen = set()
    for kind in (
        "plain",
        "tied",
        "weights",
        "two cases",
        "one case",
        "perfect",
        "useless",
    ):
        y, p, w = cases_of(kind, ["a", "b"])
        surface = found_on(kind, ["a", "b"])
        share = dominated(rates_of(surface, y, p, w))
        alone = [name for name in ("a", "b") if sum(a == name for a in y) == 1]
        error = math.nan if alone else error_by_weights(surface, y, p, w)
        for found in (surface.gini(), surface.gini(method="monte_carlo", n_samples=800, rng=2)):
            sampled = found.method == "monte carlo"
            assert found.value == pytest.approx(share, abs=0.07 if sampled else 1e-12)
            known = not (alone or error < 1e-9)
            assert (told(found, "one-case") is not None) == bool(alone)
            if alone:
                assert told(found, "one-case") == "no standard error: class 'b' has one case"
            elif not known:
                agree = f"no standard error: every case agrees on {found.value:.4g}"
                assert told(found, "no-variation") == agree
            assert math.isnan(found.standard_error) != known
            if known and not sampled:
                assert found.standard_error == pytest.approx(error, rel=1e-3)
            seen |= check_samples(found, 800, known) if sampled else set()
        few = surface.gini(method="monte_carlo", n_samples=1, rng=3)
        seen |= check_samples(few, 1, known)
        seen.add(check_correction(surface, share, alone))
    p = np.random.default_rng(5).dirichlet(np.ones(3), 30)
    noise = search(ScoreModel(np.arange(30) % 3, p), generations=3, rng=1, progress=False)
    seen.add(check_correction(noise, noise.gini().value, []))
    assert seen == {"monte-carlo-error", "agree", "agree, error", "", "cut off at 0"}


def check_samples(found, n: int, known: bool) -> set[str]:
    """What the notes say of the samples that a volume was counted with."""
    hits = found.value * n
    if 0 < hits < n:
        size = math.sqrt(found.value * (1 - found.value) / n)
        included = ", included" if known else ""
        text = f"Monte Carlo error {size:.1e} of the samples{included}"
        assert told(found, "monte-carlo-error") == text
        assert not known or found.standard_error > size
        return {"monte-carlo-error"}
    text = told(found, "samples-agree")
    bound = re.search(r"(?:under|within) ([\d.e-]+)", text)[1]
    assert (1 - float(bound)) ** n == pytest.approx(0.05, abs=0.005)
    assert ("under" in text) == (hits == 0)
    assert ("there is one sample" if n == 1 else f"{n} samples agree") in text
    assert text.startswith("no standard error") == (not known) == math.isnan(found.standard_error)
    return {"agree, error" if known else "agree"}


def check_correction(surface, share: float, alone: list[str]) -> str:
    found = surface.resampled_gini(n_resamples=30, rng=1)
    text = told(found, "corrected")
    before, moved, end = re.fullmatch(
        r"(\S+) before the correction by (\S+) for the number of cases(?:, (.*))?", text
    ).groups(default="")
    assert float(before) == pytest.approx(share, abs=5.1e-5) and moved != "-0.0000"
    if end:
        assert end == f"cut off at {found.value:g}" and found.value in (0, 1)
        assert not 0 <= share + float(moved) <= 1
    else:
        assert found.value == pytest.approx(share + float(moved), abs=5.1e-5)
    if alone:
        assert told(found, "one-case") == f"no standard error: class {alone[0]!r} has one case"
        assert told(found, "no-variation") is None
    return end


def test_comparisons_of_surfaces() -> None:
    """G, δ both ways, the difference, the p-value, and what is said of the cases."""
    both = {kind: found_on(kind, ["a", "b"]) for kind in ("plain", "tied", "one case")}
    rates = {kind: rates_of(both[kind], *cases_of(kind, ["a", "b"])) for kind in both}
    for x, y, paired in (
        ("plain", "tied", True),
        ("plain", "tied", False),
        ("plain", "one case", False),
        ("one case", "plain", False),
        ("plain", "plain", True),
    ):
        found = both[x].compare(both[y], paired=paired)
        values = [dominated(rates[x]), dominated(rates[y])]
        union = dominated(rates[x] + rates[y])
        values += [union - values[1], union - values[0], values[0] - values[1]]
        lines = repr(found).splitlines()[1:]
        for line, value in zip(lines, values, strict=True):
            name, shown = re.match(r"(\S.*?)  +(\S+)", line).groups()
            assert float(shown) == pytest.approx(value, abs=5.1e-5), name
        difference = found.difference
        counts = {k: sum(cases_of(z, ["a", "b"])[0].count(k) for z in ([x] if paired else [x, y]))
                  for k in "ab"}  # fmt: skip
        assert difference.counts == counts
        if "one case" in (x, y):
            reason = "no standard error: class 'b' of one of the surfaces has one case"
            assert told(difference, "one-case") == reason
            assert told(difference, "no-variation") is None
        elif x == y:
            assert told(difference, "no-variation") == "no standard error: every case agrees on 0"
            assert told(found.delta, "no-derivative").startswith("no standard error: δ is 0,")
        same = cases_of(x, ["a", "b"])[0] == cases_of(y, ["a", "b"])[0]
        assert (told(difference, "paired-cases") is not None) == paired
        if not paired:
            start = "the cases of the surfaces" if same else "the surfaces have different cases"
            assert told(difference, "independent-cases").startswith(start)
    points = [[0.3, 0.3]]
    empty = delta(points, [[0.1, 0.1]], 2, method="monte_carlo", n_samples=50, rng=1)
    assert empty.value == 0 and "50 samples agree" in told(empty, "samples-agree")
    sampled = both["plain"].delta(both["plain"], method="monte_carlo", n_samples=50, rng=1)
    assert told(sampled, "no-derivative") is None and told(sampled, "samples-agree")
    exceeded = gini([[0.1] * 6, [0.2, 0] * 3], 3, work=1, n_samples=10_000, rng=1)
    assert told(exceeded, "work-exceeded").startswith("exact volume takes more than 1 operation,")
    assert told(exceeded, "monte-carlo-error") == "standard error of the 10,000 samples alone"


def test_operating_points() -> None:
    """Shares, values, referrals and promised costs, for names that are words of the table."""
    for kind in ("plain", "tied", "weights", "two cases", "useless", "perfect"):
        names = ["truth", "referred", "p_value"]
        y, p, w = cases_of(kind, names)
        surface = found_on(kind, names, 3)
        asked = {("truth", "referred"): 4.0}
        for point in (surface.choose(criterion="total_error"), surface.choose(costs=asked)):
            check_point(point, y, p, w)
        check_referrals(surface.choose(costs={}, refer_cost=0.3, reject_at_most=0.4), y, p, w)
        total = sum(x > 0 for x in w)
        assert repr(surface.model) == f"ScoreModel({total} cases of 'truth', 'referred', 'p_value')"
        many = "operating point" if len(surface) == 1 else "operating points"
        assert repr(surface).startswith(f"RocSurface({len(surface)} {many} of ")


def check_point(point, y, p, w) -> None:
    names = list(point.classes)
    lines = repr(point).splitlines()
    table = point.costs_asked if point.costs_asked is not None else 1 - np.eye(3)
    shares, promised, paid = np.zeros((3, 3)), 0.0, 0.0
    for name, row, weight in zip(y, p, w, strict=True):
        k, j = names.index(name), decided(row, point.costs)
        own = sum(x for x, other in zip(w, y, strict=True) if other == name)
        shares[k, j] += weight / own
        promised += weight * sum(row[t] * table[t][j] for t in range(3)) / sum(w)
        paid += weight * table[k][j] / sum(w)
    start = re.match(r"(total error|expected cost) = (\S+); share of each class", lines[0])
    assert float(start[2]) == pytest.approx(paid, abs=5.1e-5)
    assert lines[1].split() == ["truth", *names]
    for name, row, line in zip(names, shares, lines[2:5], strict=True):
        assert line.split() == [name, *(f"{share:.4f}" for share in row)]
    if point.costs_asked is not None:
        assert lines[7].split() == ["truth", "0.0000", "4.0000", "1.0000"]
    off = [line for line in lines if line.startswith("the probabilities are off")]
    calibration = point.cost_calibration()
    assert calibration.expected == pytest.approx(promised)
    assert calibration.observed == pytest.approx(paid)
    assert bool(off) == (len(lines) > 6 and calibration.p_value < 0.001)


def check_referrals(point, y, p, w) -> None:
    names, shares = list(point.classes), np.zeros((3, 4))
    for name, row, weight in zip(y, p, w, strict=True):
        k, j = names.index(name), decided(row, point.costs)
        own = sum(x for x, other in zip(w, y, strict=True) if other == name)
        risk = sum(row[t] for t in range(3) if t != j) - 0.3
        shares[k, 3 if risk > point.threshold + 1e-12 else j] += weight / own
    lines = repr(point).splitlines()
    classes = [sum(x for x, other in zip(w, y, strict=True) if other == k) / sum(w) for k in names]
    referred = sum(a * b for a, b in zip(classes, shares[:, 3], strict=True))
    wrong = sum(classes[k] * (row[:3].sum() - row[k]) for k, row in enumerate(shares))
    start = re.match(r"expected cost = (\S+) with (\S+) % referred; share", lines[0])
    assert float(start[1]) == pytest.approx(wrong + 0.3 * referred, abs=5.1e-5)
    assert float(start[2]) == pytest.approx(100 * referred, rel=5e-3, abs=1e-9)
    assert lines[1].split() == ["truth", *names, "referred"]
    for name, row, line in zip(names, shares, lines[2:], strict=True):
        assert line.split() == [name, *(f"{share + 0:.4f}" for share in row)]


def test_curves_hulls_and_folds() -> None:
    """Counts and areas of risk and coverage, shares, hulls, distances, and the cross-fitted G."""
    for kind in ("plain", "tied", "weights", "perfect", "useless"):
        y, p, w = cases_of(kind, ["a", "b"])
        steps = sorted({round(1 - max(row), 12) for row, x in zip(p, w, strict=True) if x})
        area, before, total = 0.0, 0.0, sum(w)
        for step in steps:
            inside = [i for i, row in enumerate(p) if 1 - max(row) <= step + 1e-11]
            reached = sum(w[i] for i in inside)
            wrong = sum(w[i] * (decided(p[i], 1 - np.eye(2)) != "ab".index(y[i])) for i in inside)
            area += (reached - before) / total * wrong / reached
            before = reached
        points = "1 point" if len(steps) == 1 else f"{len(steps)} points"
        curve = risk_coverage(y, p, sample_weight=w)
        assert repr(curve) == f"RiskCoverage({points}, area {area:.4g})"
        surface = found_on(kind, ["a", "b"])
        points = [tuple(rate) for rate in surface.rates.tolist()]
        corners = [q for q in set(points) if on_hull(q, set(points))]
        assert repr(surface.hull()) == (
            f"SurfaceHull({len(corners)} of {len(points)} operating points)"
        )
        better = sum(x + y < 1 - 1e-9 for x, y in points)
        assert distance_histogram(surface.rates, 2).better_than_chance == better
    assert repr(cost_by_share(y, p, vary="a", shares=[0.3])) == "PrevalenceCurve('a', 1 share)"
    chance = [[i / 100, 1 - i / 100] for i in range(101)]
    assert distance_histogram(chance, 2).better_than_chance == 0
    y, p, w = cases_of("plain", ["a", "b"])
    model = ScoreModel(y, p, labels=["a", "b"])
    found = cross_fitted_gini(model, folds=3, generations=2, n_resamples=10, rng=1)
    lines = repr(found).splitlines()
    honest, whole, *folds = (float(line.split()[-4]) for line in lines[1:-1])
    assert honest == pytest.approx(sum(folds) / 3, abs=1e-4)
    assert float(lines[-1].removeprefix("optimism ")) == pytest.approx(whole - honest, abs=2e-4)
    text = "mean of 3 folds, each rated by a surface of the others"
    assert told(found.honest, "cross-fitted") == text
    assert found.honest.counts == {"a": y.count("a"), "b": y.count("b")}
    assert whole == pytest.approx(dominated(rates_of(found.surface, y, p, w)), abs=5.1e-5)


def on_hull(q, points) -> bool:
    """Whether no mixture of two other points is nowhere worse."""
    others = [each for each in points if each != q]
    for a in others:
        for b in others:
            # the mixtures of a and b that are no worse at the first rate, and at the second
            low, high = 0.0, 1.0
            for axis in (0, 1):
                slope, room = b[axis] - a[axis], q[axis] - a[axis] + 1e-9
                if abs(slope) < 1e-12:
                    high = high if room >= 0 else -1.0
                elif slope > 0:
                    high = min(high, room / slope)
                else:
                    low = max(low, room / slope)
            if low <= high:
                return False
    return True
