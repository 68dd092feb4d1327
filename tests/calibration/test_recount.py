"""What curves and calibration print about the data, counted by loops over the cases."""

import math
import re

import numpy as np
import pytest

from polyroc.calibration import cost_calibration, recalibration
from polyroc.curves import one_vs_one_roc, one_vs_rest_roc, scored_roc, tpr_surface

pytestmark = pytest.mark.system


def cases_of(kind: str) -> tuple[list[str], np.ndarray, list[float]]:
    rng = np.random.default_rng(len(kind))
    y = ["a"] * 9 + ["b"] * (2 if kind == "two cases" else 7) + ["c"] * 6
    own = np.eye(3)[["abc".index(k) for k in y]]
    p = rng.dirichlet(np.ones(3), len(y)) + 0.3 * own
    p = {"tied": np.ceil(4 * p), "perfect": own, "useless": np.ones(p.shape)}.get(kind, p)
    weights = [float(i % 3) if kind == "weights" else 1.0 for i in range(len(y))]
    return y, p / p.sum(axis=1, keepdims=True), weights


def test_costs_that_are_promised() -> None:
    """Expected and observed cost; no limits and no test are told in words."""
    for kind in ("plain", "tied", "weights", "perfect", "useless", "always wrong"):
        y, p, w = cases_of(kind)
        if kind == "always wrong":
            p = np.array([[0.1, 0.8, 0.1] if k == "a" else [0.8, 0.1, 0.1] for k in y])
        expected = observed = 0.0
        for k, row, weight in zip(y, p, w, strict=True):
            j = next(j for j in range(3) if row[j] >= max(row) - 1e-12)
            expected += weight * (1 - row[j]) / sum(w)
            observed += weight * ("abc"[j] != k) / sum(w)
        found = cost_calibration(y, p, sample_weight=w)
        told = re.fullmatch(
            r"expected cost (\S+), observed (\S+): off by (\S+) \((.*)\), (.*)", repr(found)
        )
        assert (told[1], told[2]) == (f"{expected:.4f}", f"{observed:.4f}")
        assert float(told[3]) == pytest.approx(observed - expected, abs=5.1e-5)
        assert "nan" not in repr(found) and told[3] != "-0.0000"
        assert (told[4] == "no interval") == (told[5] == "no test") == (kind == "perfect")


def test_few_groups() -> None:
    """For how many of the tests there are too few groups, or cases with weights."""
    rng = np.random.default_rng(0)
    y = np.arange(60) % 3
    p = rng.dirichlet(np.ones(3), 60) + 0.2 * np.eye(3)[y]
    p /= p.sum(axis=1, keepdims=True)
    for n in (3, 6, 7, 9, 10):
        found = recalibration(y, p, groups=np.arange(60) % n)
        notes = [note.text for note in found.notes if note.code == "few-groups"]
        missing = sum(math.isnan(each.p_value) for each in found.test().values())
        # 2, 4, 2 and 6 parameters are tested, each with more groups than parameters
        assert missing == sum(n <= parameters for parameters in (2, 4, 2, 6))
        if n > 9:
            assert not notes
        elif missing:
            assert notes == [f"{n} independent groups are too few for {missing} of the 4 tests"]
        else:
            assert notes == [f"{n} independent groups are few for tests of up to 6 parameters"]


def test_curves() -> None:
    """Points, areas, steps, corners and volumes."""
    for kind in ("plain", "tied", "weights", "two cases", "perfect", "useless"):
        y, p, w = cases_of(kind)
        there = [i for i in range(len(y)) if w[i]]
        for k, curve in one_vs_rest_roc(y, p, sample_weight=w).items():
            column = p[:, "abc".index(k)]
            right = total = 0.0
            for i in there:
                for j in there:
                    if y[i] == k != y[j]:
                        total += w[i] * w[j]
                        right += w[i] * w[j] * (np.sign(column[i] - column[j]) + 1) / 2
            points = len({column[i] for i in there}) + 1
            area = f"{right / total:.6g}"
            assert repr(curve) == f"RocCurve({k!r} against the rest: {points} points, area {area})"
        assert repr(one_vs_one_roc(y, p, sample_weight=w)) == "RocCurves(6 curves)"
        two = [i for i in there if y[i] != "c"]
        share = [p[i][1] / (p[i][0] + p[i][1]) if p[i][0] + p[i][1] else 0.5 for i in two]
        names, weights = [y[i] for i in two], [w[i] for i in two]
        lead = total = 0.0
        for i, a in enumerate(names):
            for j, b in enumerate(names):
                if (a, b) == ("b", "a"):
                    total += weights[i] * weights[j]
                    lead += weights[i] * weights[j] * max(share[i] - share[j], 0.0)
        text = repr(scored_roc(names, share, sample_weight=weights))
        steps, area = re.fullmatch(
            r"ScoredRoc\('b' against 'a': (1 step|[\d,]+ steps), area (\S+)\)", text
        ).groups()
        assert float(area) == pytest.approx(lead / total, rel=1e-5, abs=1e-12)
        told = re.fullmatch(
            r"TprSurface\((1 corner|\d+ corners), volume (\S+)\)", repr(tpr_surface(y, p))
        )
        strict, fair = (share_of_triplets(y, p, slack) for slack in (1e-12, -1e-12))
        assert float(told[2]) == pytest.approx(strict, abs=1e-6)
        assert strict == fair or kind in ("tied", "useless")
        if kind == "perfect":
            assert told[1] == "1 corner" and steps in ("1 step", "2 steps")


def share_of_triplets(y, p, slack: float) -> float:
    """Share of triplets whose own assignment has the largest product by a slack, by loops."""
    members = [[i for i, name in enumerate(y) if name == k] for k in "abc"]
    right = 0
    for a in members[0]:
        for b in members[1]:
            for c in members[2]:
                rows = (p[a], p[b], p[c])
                own = rows[0][0] * rows[1][1] * rows[2][2]
                others = [
                    rows[0][i] * rows[1][j] * rows[2][k]
                    for i, j, k in ((0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0))
                ]
                right += own > max(others) * (1 + slack)
    return right / math.prod(map(len, members))
