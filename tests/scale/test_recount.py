"""What summaries print, counted by loops over the cases and their pairs."""

import math
import re
from statistics import NormalDist

import numpy as np
import pytest

from polyroc.scale import PairSummary, compare_parquet

pytestmark = pytest.mark.system

NAMES = ("plain", "tied", "coarse", "weights", "one case", "absent", "zeros", "perfect", "useless")


def cases_of(kind: str) -> tuple[list[str], np.ndarray, list[float], list[str]]:
    """Labels, probabilities, weights and classes; an absent class has a column."""
    rng = np.random.default_rng(len(kind))
    classes = ["a", "b c", "d"] + ["none"] * (kind in ("absent", "zeros"))
    counts = {"one case": (9, 1, 6), "useless": (9, 2, 4)}.get(kind, (14, 11, 7))
    names = [name for name, count in zip(classes, counts, strict=False) for _ in range(count)]
    codes = [classes.index(name) for name in names]
    p = rng.dirichlet(np.ones(len(classes)), len(names)) + 0.4 * np.eye(len(classes))[codes]
    if kind in ("tied", "perfect", "useless"):
        p = {"tied": np.round(4 * p), "perfect": np.eye(3)[codes], "useless": np.ones(p.shape)}[
            kind
        ]
        p += p.sum(axis=1, keepdims=True) == 0
    if kind == "zeros":
        p[:, 3] = 0
    weights = [float(i % 3) if kind == "weights" else 1.0 for i in range(len(names))]
    return names, p / p.sum(axis=1, keepdims=True), weights, classes


def auc(k: str, r: str, names: list[str], p, weights, classes) -> float:
    """Share of the pairs of two classes that the scores of the first order, by loops."""
    column, right, total = classes.index(k), 0.0, 0.0
    for i, own in enumerate(names):
        for j, other in enumerate(names):
            if own == k and other == r:
                a, b, weight = p[i][column], p[j][column], weights[i] * weights[j]
                right += weight * (1.0 if a > b else 0.5 if a == b else 0.0)
                total += weight
    return right / total


def hand_till(names, p, weights, classes) -> float:
    there = [k for k in classes if k in names]
    pairs = [(k, r) for k in there for r in there if k != r]
    return sum(auc(k, r, names, p, weights, classes) for k, r in pairs) / len(pairs)


def placements(names, p, classes) -> list[float]:
    """What each case adds to M less its mean, by loops (DeLong), without weights."""
    there = [k for k in classes if k in names]
    found = []
    for i, own in enumerate(names):
        moved = 0.0
        for r in there:
            if r == own:
                continue
            for column, sign in ((classes.index(own), 1), (classes.index(r), -1)):
                others = [j for j in range(len(names)) if names[j] == r]
                signs = [sign * np.sign(p[i][column] - p[j][column]) for j in others]
                moved += sum(0.5 + s / 2 for s in signs) / len(others)
        found.append(moved / (len(there) * (len(there) - 1)))
    means = {
        k: np.mean([x for x, name in zip(found, names, strict=True) if name == k]) for k in there
    }
    return [x - means[name] for x, name in zip(found, names, strict=True)]


def error_of(moved: list[float], names: list[str]) -> float:
    counts = {k: names.count(k) for k in names}
    return math.sqrt(
        sum(x**2 / counts[k] / (counts[k] - 1) for x, k in zip(moved, names, strict=True))
    )


def mean_metrics(names, p, classes) -> dict[str, float]:
    """M of class means and the length to the corners, of three classes."""
    there = [classes.index(k) for k in classes if k in names]
    means = [
        [np.mean([p[i][c] for i in range(len(names)) if names[i] == classes[k]]) for c in there]
        for k in there
    ]
    pairs = [(k, r) for k in range(3) for r in range(3) if k != r]
    apart = [0.5 + 0.5 * (means[k][k] - means[r][k]) for k, r in pairs]
    length = sum(math.dist(mean, [float(k == c) for c in range(3)]) for k, mean in enumerate(means))
    return {
        "hand_till_probabilistic": sum(apart) / 6,
        "total_length": 1 - length / (3 * math.sqrt(2)),
    }


def test_bounds_and_errors() -> None:
    """Each printed bound holds, a value is printed as one, and a reason where there is no error."""
    for kind in NAMES:
        names, p, weights, classes = cases_of(kind)
        summary = PairSummary(classes, mantissa_bits=2 if kind == "coarse" else 10)
        summary.update(names, p, weights if kind == "weights" else None)
        counted = sum(w > 0 for w in weights)
        assert repr(summary) == f"PairSummary({counted} cases, {len(classes)} classes)"
        skip = {"absent": "skip"} if "none" in classes else {}
        found = summary.compute(["hand_till", *mean_metrics(names, p, classes)], **skip)
        assert found.n_cases == counted
        value = hand_till(names, p, weights, classes)
        check_line(repr(found["hand_till"]), value)
        if kind == "coarse":
            assert " in [" in repr(found["hand_till"])
        check_table(repr(found), {"hand_till": value})
        check_reason(found["hand_till"], names, p, classes, kind)
        if kind == "weights":
            continue
        for metric, mean in mean_metrics(names, p, classes).items():
            if kind == "absent":
                told = repr(found[metric])
                assert told.startswith(f"{metric} is not defined: {metric} needs probabilities")
                assert "without the skipped 'none'" in told
            else:
                assert repr(found[metric]).startswith(f"{metric} = {mean:.6f}, ")


def check_line(line: str, value: float) -> None:
    one = re.match(r"hand_till = (\S+), ", line)
    two = re.match(r"hand_till in \[(\S+), (\S+)\], ", line)
    if one:
        assert abs(float(one[1]) - value) <= 5.1e-7
    else:
        assert float(two[1]) <= value <= float(two[2])


def check_table(table: str, values: dict[str, float]) -> None:
    for line in table.splitlines()[1:]:
        metric, low, high, *_ = line.split()
        if metric in values:
            room = 5.1e-5 if low == high else 0
            assert float(low) - room <= values[metric] <= float(high) + room


def check_reason(found, names, p, classes, kind: str) -> None:
    """The standard error by loops, or why there is none."""
    told = repr(found).split(", ", maxsplit=1 if " in [" not in repr(found) else 2)[-1]
    alone = [k for k in classes if names.count(k) == 1]
    if alone:
        assert told == f"no standard error: class {alone[0]!r} has one case"
    elif kind == "weights":
        assert told == f"standard error {found.standard_error:.2g}"
    elif (error := error_of(placements(names, p, classes), names)) < 1e-12:
        assert told == "no standard error: every case of the sample agrees on the value"
    else:
        assert found.standard_error == pytest.approx(error, rel=1e-9)
        assert told == f"standard error {error:.2g}"


def test_differences(tmp_path) -> None:
    """Bounds, limits, p-values and Holm's adjustment of a comparison of files."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    names, p, _, classes = cases_of("plain")
    models = {"new": p, "old": cases_of("tied")[1], "copy": p}
    ones = [1.0] * len(names)
    for name, scores in models.items():
        columns = {"y": names, **{k: scores[:, c] for c, k in enumerate(classes)}}
        pq.write_table(pa.table(columns), tmp_path / f"{name}.parquet")
    files = {name: str(tmp_path / f"{name}.parquet") for name in models}
    for bits in (2, 10):
        found = compare_parquet(files, target="y", metrics=["hand_till"], mantissa_bits=bits)
        p_values = []
        for row, line in zip(found.differences, repr(found).splitlines()[1:], strict=True):
            a, b = row.model_a, row.model_b
            apart = hand_till(names, models[a], ones, classes)
            apart -= hand_till(names, models[b], ones, classes)
            _, _, _, least, most, error, low, high, p_value, adjusted, *note = line.split()
            room = 5.1e-5 if least == most else 0
            assert float(least) - room <= apart <= float(most) + room
            moved = np.subtract(*(placements(names, models[m], classes) for m in (a, b)))
            if {a, b} == {"new", "copy"}:
                assert (error, low, high, p_value, adjusted) == ("–",) * 5
                assert " ".join(note).startswith("no standard error: every case of the sample")
                continue
            size = error_of(moved.tolist(), names)
            assert float(error) == pytest.approx(size, abs=5.1e-5)
            reach = NormalDist().inv_cdf(0.975) * size
            assert float(low) == pytest.approx(row.low - reach, abs=5.1e-5)
            assert float(high) == pytest.approx(row.high + reach, abs=5.1e-5)
            nearest = 0.0 if row.low <= 0 <= row.high else min(abs(row.low), abs(row.high))
            p_values.append(2 * NormalDist().cdf(-nearest / size))
            assert float(p_value) == pytest.approx(p_values[-1], abs=5.1e-5)
            p_values[-1] = (p_values[-1], float(adjusted))
        (small, first), (large, second) = sorted(p_values)
        assert first == pytest.approx(min(2 * small, 1), abs=1e-4)
        assert second == pytest.approx(min(max(2 * small, large), 1), abs=1e-4)
