"""What the commands on calibration, reader studies, studies and plans print, recounted by loops."""

import itertools
import json
import math
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from cli.test_claims import holm, p_agrees
from cli.test_recount import check_summary, printed, rows_below, saved
from report.datasets import case, facts_of, special_cases
from report.recount import Facts, agrees
from scipy.stats import chi2
from scipy.stats import f as fisher
from scipy.stats import t as student

from polyroc import Predictions
from polyroc.calibration import calibration_curves, cost_calibration, recalibration
from polyroc.inference import Prices, plan

pytestmark = pytest.mark.system


def binned_error(facts: Facts, column: list[float], true: list[bool]) -> float:
    """Σ over ten bins of |share true − mean probability|, each counting as its cases weigh."""
    sums: dict[int, float] = {}
    for p, right, weight in zip(column, true, facts.weights, strict=True):
        place = next(b for b in range(10) if p <= np.linspace(0, 1, 11)[b + 1] or b == 9)
        sums[place] = sums.get(place, 0.0) + weight * (right - p)
    return math.fsum(map(abs, sums.values())) / sum(facts.weights)


def certain_cases() -> list[Facts]:
    """Cases that are all right with the same probability, few and many, and sure ones."""
    made = []
    for n, p in ((4, 0.7), (10, 0.7), (60, 0.7), (30, 1.0)):
        y = np.arange(n) % 2
        rows = np.where(y[:, None] == [0, 1], p, 1 - p)
        made.append(facts_of(y, {"a": rows}, 2))
    flat = np.full((30, 3), 1 / 3)
    return [*made, facts_of(np.arange(30) % 3, {"a": flat}, 3)]


def test_calibration(tmp_path: Path) -> None:
    """Costs promised and paid case by case, errors bin by bin, and when they are too far apart."""
    seen, special = set(), special_cases()
    for name in "bc":
        del special["weights"].models[name], special["weights"].inputs["scores"][name]
    kinds = [special["weights"], special["groups"], case("tied", 2, 1), *certain_cases()]
    for facts in kinds:
        path = saved(facts, tmp_path)
        text = printed("calibration", path)
        found = json.loads(printed("calibration", path, "--json"))["models"]
        check_summary(facts, path, text.splitlines()[0])
        for model in facts.models:
            of = f" of {model}" if len(facts.models) > 1 else ""
            (known,) = [each["errors"] for each in found if each["model"] in (model, "cases")]
            check_errors(facts, text, model, of, known)
            seen |= check_promise(facts, text, model, of)
    assert seen == {"more", "less", "same", "off", "fine", "no test"}


def check_errors(facts: Facts, text: str, model: str, of: str, known: list[dict]) -> None:
    title = f"How far are the probabilities{of} off? Calibration error of 10 bins"
    top, by_class = rows_below(text, title)
    rows, decided = facts.models[model], facts.decided(model)
    right = [d == k for d, k in zip(decided, facts.y, strict=True)]
    assert agrees(top[1], binned_error(facts, [max(row) for row in rows], right))
    each = [
        binned_error(facts, [row[k] for row in rows], [y == k for y in facts.y])
        for k in range(facts.n_classes)
    ]
    assert agrees(by_class[1], math.fsum(each) / len(each))
    for found, (name, _, debiased, limits, drawn, p) in zip(known, (top, by_class), strict=True):
        assert name == found["kind"].replace("_", "-") and agrees(debiased, found["debiased"])
        assert agrees(drawn, found["under_calibration"])
        low, high = found["low"], found["high"]
        assert (limits == "–") == (low is None)
        if low is not None:
            ends = limits.split("–")
            assert agrees(ends[0], low) and agrees(ends[1], high) and high - low > 1e-6
        assert agrees(p.removeprefix("≤ "), found["p_value"])
        assert p.startswith("≤") == (found["p_value"] < 1.5 / 501)


PROMISE = re.compile(
    r"predict a cost of ([\d.]+) per case, and the decisions cost ([\d.]+), "
    r"(?:([\d.]+) (more|less)|the same) \((?:standard error ([\d.]+)|no standard error), "
    r"(?:no test|(p .+?))\)(: they are miscalibrated at these costs)?\."
)


def check_promise(facts: Facts, text: str, model: str, of: str) -> set[str]:
    """The sentence on costs, where every error costs 1."""
    (line,) = [
        each
        for each in text.splitlines()
        if each.startswith(f"Note. The probabilities{of} predict")
    ]
    expected, observed, size, more, error, p_text, off = PROMISE.search(line).groups()
    promised = [1 - max(row) for row in facts.models[model]]
    paid = [float(d != k) for d, k in zip(facts.decided(model), facts.y, strict=True)]
    gaps = [b - a for a, b in zip(promised, paid, strict=True)]
    mean, spread = facts.mean(gaps)
    n = len(facts.y if facts.groups is None else set(facts.groups))
    spread *= math.sqrt(n / (n - 1))
    assert agrees(expected, facts.mean(promised)[0]) and agrees(observed, facts.mean(paid)[0])
    assert (size is None) == (abs(mean) < 1e-12)
    assert size is None or (agrees(size, abs(mean)) and (more == "more") == (mean > 0))
    parts = [w**2 * p * (1 - p) for w, p in zip(facts.weights, promised, strict=True)]
    least = math.sqrt(math.fsum(parts)) / sum(facts.weights)
    if facts.groups is not None:  # times the design effect
        squares = [(w * (g - mean)) ** 2 for w, g in zip(facts.weights, gaps, strict=True)]
        alone = math.sqrt(math.fsum(squares))
        least *= max(1, spread * math.sqrt((n - 1) / n) * sum(facts.weights) / alone)
    larger = max(spread, least)
    assert (error is None) == (larger < 1e-12) and (error is None or agrees(error, larger))
    if error is None:
        assert p_text is None and off is None
        return {"no test", more or "same"}
    p = 2 * student.sf(abs(mean) / larger, n - 1)
    assert p_agrees(p_text, p) and (off is not None) == (p < 0.05)
    return {more or "same", "off" if off else "fine"}


def readings(kind: str, modalities: tuple[str, ...]) -> pd.DataFrame:
    """Ratings by three readers: at random, of a perfect reader, or the same in all modalities."""
    rng, rows = np.random.default_rng(len(kind) + len(modalities)), []
    for number in range(22):
        ill = number % 2 if number < 16 else 0
        for reader in ("Ann", "Bo B", "C"):
            same = int(rng.integers(1, 6)) + ill
            for place, modality in enumerate(modalities):
                rating = int(rng.integers(1, 6)) + (1 + place) * ill
                rating = {"random": rating, "same": same, "perfect": 1 + ill}[kind]
                truth = "very ill" if ill else "well"
                rows.append((number, reader, modality, truth, rating))
    return pd.DataFrame(rows, columns=["case", "reader", "modality", "truth", "rating"])


class Readings:
    """The analysis of Obuchowski and Rockette with a jackknife, by loops."""

    def __init__(self, table: pd.DataFrame) -> None:
        self.modalities = list(dict.fromkeys(table["modality"]))
        self.readers = list(dict.fromkeys(table["reader"]))
        known = {
            (row.modality, row.reader, row.case): (row.truth == "very ill", row.rating)
            for row in table.itertuples()
        }
        cases = sorted(set(table["case"]))
        pairs = list(itertools.product(self.modalities, self.readers))
        self.n_cases, self.n_ill = len(cases), sum(known[(*pairs[0], i)][0] for i in cases)
        whole = {pair: area([known[(*pair, i)] for i in cases]) for pair in pairs}
        left = {
            pair: [area([known[(*pair, j)] for j in cases if j != i]) for i in cases]
            for pair in pairs
        }
        self.values = whole
        n = len(cases)
        moved = {pair: [v - math.fsum(left[pair]) / n for v in left[pair]] for pair in pairs}

        def covariance(a: tuple, b: tuple) -> float:
            products = (x * y for x, y in zip(moved[a], moved[b], strict=True))
            return (n - 1) / n * math.fsum(products)

        kinds: dict[tuple[bool, bool], list[float]] = {}
        for a, b in itertools.product(pairs, pairs):
            kinds.setdefault((a[0] == b[0], a[1] == b[1]), []).append(covariance(a, b))
        mean = {kind: math.fsum(each) / len(each) for kind, each in kinds.items()}
        self.variance, self.cov1 = mean[True, True], mean[False, True]
        self.cov2, self.cov3 = mean[True, False], mean[False, False]
        self.means = {
            m: math.fsum(whole[m, r] for r in self.readers) / len(self.readers)
            for m in self.modalities
        }

    def squares(self) -> tuple[float, float]:
        """MS(T) and MS(TR)."""
        t, r = len(self.modalities), len(self.readers)
        grand = math.fsum(self.values.values()) / t / r
        by_reader = {
            each: math.fsum(self.values[m, each] for m in self.modalities) / t
            for each in self.readers
        }
        of_modalities = r * math.fsum((v - grand) ** 2 for v in self.means.values()) / (t - 1)
        rest = math.fsum(
            (self.values[m, each] - self.means[m] - by_reader[each] + grand) ** 2
            for m, each in self.values
        )
        return of_modalities, rest / (t - 1) / (r - 1)

    def tests(self) -> dict[str, tuple[float, float, float, float]]:
        """Statistic, degrees of freedom and p-value by what is random; NaN if nothing varies."""
        t, r = len(self.modalities), len(self.readers)
        of_modalities, rest = self.squares()
        excess, freedom = max(self.cov2 - self.cov3, 0.0), (t - 1) * (r - 1)
        fixed = self.variance - self.cov1 + (r - 1) * excess
        none = (math.nan,) * 4
        both = rest + r * excess
        made = {"readers and cases": none, "cases": none, "readers": none}
        if both > 1e-12:
            ddf = freedom * (both / rest) ** 2
            ratio = of_modalities / both
            made["readers and cases"] = (ratio, t - 1, ddf, fisher.sf(ratio, t - 1, ddf))
        if fixed > 1e-12:
            squared = (t - 1) * of_modalities / fixed
            made["cases"] = (squared, t - 1, math.inf, chi2.sf(squared, t - 1))
        if rest > 1e-12:
            ratio = of_modalities / rest
            made["readers"] = (ratio, t - 1, freedom, fisher.sf(ratio, t - 1, freedom))
        return made


def area(rows: list[tuple[bool, float]]) -> float:
    high, low = [x for ill, x in rows if ill], [x for ill, x in rows if not ill]
    total = sum((a > b) + (a == b) / 2 for a in high for b in low)
    return total / len(high) / len(low)


def test_reader_study(tmp_path: Path) -> None:
    """Counts, values, means, differences and tests of all modalities."""
    for kind, modalities in (
        ("random", ("ct", "mr scan")),
        ("random", ("a", "b c", "d")),
        ("same", ("ct", "mr scan")),
        ("perfect", ("ct", "mr scan")),
    ):
        table = readings(kind, modalities)
        path = tmp_path / "r.csv"
        table.to_csv(path, index=False)
        text = printed("reader-study", path, "--rating", "rating", "--labels", "well,very ill")
        known = Readings(table)
        well = known.n_cases - known.n_ill
        assert text.splitlines()[0] == (
            f"{path}: {known.n_cases} cases ({well} well, {known.n_ill} very ill), 3 readers, "
            f"{len(modalities)} modalities; 'very ill' is the positive class"
        )
        rows = rows_below(text, "roc_auc of each reader")
        assert len(rows) == len(known.values)
        for modality, reader, value, *_ in rows:
            assert agrees(value, known.values[modality, reader])
        for modality, value, *_ in rows_below(text, "Means, readers and cases random"):
            assert agrees(value, known.means[modality])
        check_differences(known, text)
        told = text.split("Are all modalities equal?\n")[1].splitlines()
        for line, (random, (statistic, df, ddf, p)) in zip(
            told, known.tests().items(), strict=False
        ):
            if math.isnan(p):
                assert line == f"random {random}: no test, differences do not vary"
                continue
            of = f"χ²({df})" if random == "cases" else f"F({df}, {ddf:.2f})"
            found = re.fullmatch(
                rf"random {random}: {re.escape(of)} = ([\d.]+), p (=|<) (\S+)", line
            )
            assert agrees(found[1], statistic)
            assert agrees(found[3], p) if found[2] == "=" else p < float(found[3])
        notes = [line for line in told if line.startswith("Note. ")]
        assert len(notes) == (len(known.values) if kind == "perfect" else 0)


def check_differences(known: Readings, text: str) -> None:
    rows = [" ".join(cells) for cells in rows_below(text, "Differences between means")]
    pairs = list(itertools.combinations(known.modalities, 2))
    n_readers = len(known.readers)
    of_modalities, _ = known.squares()
    place = iter(rows)
    for random, (statistic, df, ddf, _) in known.tests().items():
        expected = []
        for a, b in pairs:
            gap = known.means[a] - known.means[b]
            p = math.nan
            if not math.isnan(statistic):
                square = of_modalities / (statistic / df if random == "cases" else statistic)
                p = 2 * student.sf(abs(gap) / math.sqrt(2 * square / n_readers), min(ddf, 1e12))
            expected.append((a, b, gap, p))
        for (a, b, gap, p), adjusted in zip(expected, holm([e[3] for e in expected]), strict=True):
            numbers = next(place).removeprefix(f"{a} − {b} {random} ").split()
            assert agrees(numbers[0].lstrip("+"), gap)
            if math.isnan(p):
                assert set(numbers[1:]) == {"–"}
                continue
            low, high = float(numbers[1]), float(numbers[3])
            assert (low > 0 or high < 0) == (p < 0.05)
            assert agrees(numbers[4], p)
            assert agrees(numbers[5], adjusted) if len(pairs) > 1 else len(numbers) == 5


def test_study(tmp_path: Path) -> None:
    """Means, average ranks, tests and Holm's method, from the values of the splits."""
    rng = np.random.default_rng(0)
    y = np.repeat(["a", "b c", "d"], [24, 20, 16])
    table = pd.DataFrame(
        {"u": rng.normal(size=60), "v w": rng.normal(size=60) + (y == "a"), "y": y}
    )
    path = tmp_path / "t.csv"
    table.to_csv(path, index=False)
    metrics = "hand_till,pdi,hand_till_probabilistic"
    names = ("logistic", "nystroem", "shrunken")
    for learners, splits in ((names, 3), (names[:2], 1), (names[:1], 2)):
        words = ("study", path, "-m", metrics, "--learners", ",".join(learners), "--seed", "3")
        words += ("--splits", splits, "--test-size", "0.25")
        text, content = printed(*words), json.loads(printed(*words, "--json"))["study"]
        values = np.array(content["values"], dtype=float)
        word = "split" if splits == 1 else "splits"
        assert f"{splits} {word}, 25 % of the cases for testing, seed 3." in text
        assert text.splitlines()[0] == f"{path}: 60 cases, 2 features, classes 'a', 'b c', 'd'."
        means = {row[0]: row[1:] for row in rows_below(text, "Mean over the splits")}
        ranks = {row[0]: row[1:] for row in rows_below(text, "Average rank (1 is best)")}
        for m, metric in enumerate(metrics.split(",")):
            own = values[:, :, m]
            assert all(map(agrees, means[metric], own.mean(axis=0).tolist()))
            place = [
                [1 + sum(b > a for b in row) + (sum(b == a for b in row) - 1) / 2 for a in row]
                for row in own.tolist()
            ]
            assert all(map(agrees, ranks[metric], np.mean(place, axis=0).tolist()))
        tested = len(learners) > 1 and splits > 1
        assert ("Which learner is better?" in text) == ("Tests: corrected" in text) == tested
        if tested:
            check_study_tests(text, metrics.split(","), learners, values)


def check_study_tests(text: str, metrics: list[str], learners: tuple, values: np.ndarray) -> None:
    rows = iter(rows_below(text, "Which learner is better?"))
    splits = len(values)
    for m, metric in enumerate(metrics):
        expected = []
        for a, b in itertools.combinations(range(len(learners)), 2):
            apart = values[:, a, m] - values[:, b, m]
            error = math.sqrt((1 / splits + 0.25 / 0.75) * apart.var(ddof=1))
            p = 2 * student.sf(abs(apart.mean()) / error, splits - 1)
            p = math.nan if metric.endswith("probabilistic") else p
            expected.append((f"{learners[a]} − {learners[b]}", float(apart.mean()), p))
        for (pair, gap, p), adjusted in zip(expected, holm([e[2] for e in expected]), strict=True):
            name, models, difference, *p_values = next(rows)
            assert (name, models) == (metric, pair)
            assert agrees(difference.split(" ")[0].lstrip("+"), gap)
            told = p_values[-2:]
            if math.isnan(p):
                assert told == ["–", "–"]
            else:
                assert agrees(told[0], p) and agrees(told[1], adjusted)
    assert next(rows, None) is None


STATED = re.compile(
    r"(.+?)(?: = (\S+))? is known to ± ([\d.]+) \((\S+) % interval; standard error ([\d.]+)\)\."
)


def test_plan() -> None:
    """Cases, shares, standard errors and prices from the plan; what is said of power and sides."""
    pilots = example_pilots()
    prices = {"common": 1.0, "frequent": 2.5, "rare": 10.0}
    for given, options in (
        (pilots["forest"], {"half_width": 0.03, "allocation": Prices(prices)}),
        (pilots["forest"], {"cases": 90, "against": 0.85, "alternative": "greater"}),
        (pilots, {"power": 0.8}),
        (pilots, {"cases": 2000, "level": 0.9}),
        (None, {"pair_auc": {("x y", "b"): 0.7}, "power": 0.9, "metric": "roc_auc"}),
    ):
        found = plan(given, **options)
        first, *others = found.sentences()
        what, value, width, level, error = STATED.fullmatch(first).groups()
        assert what == found.metric + (" of forest − bayes" if given is pilots else "")
        squared = sum(found.variances[k] / n for k, n in found.cases.items())
        assert agrees(error, math.sqrt(squared)) and agrees(width, found.half_width)
        assert agrees(value, found.value) and float(level) == 100 * found.level
        reach = student.isf((1 - found.level) / 2, found.degrees_of_freedom) * math.sqrt(squared)
        assert 0.8 * reach < found.half_width < 1.2 * reach
        power = re.fullmatch(
            r"A test against (\S+?)( \(greater\))? at (\S+) % finds it with a power of (.+)\.",
            others.pop(0),
        )
        against, side, percent, chance = power.groups()
        assert float(against) == found.against and float(percent) == pytest.approx(
            100 * (1 - found.level)
        )
        assert (side is not None) == (options.get("alternative") == "greater")
        if chance == "over 0.9999":
            assert 0.99995 <= found.power < 1 or found.power == 1
        else:
            assert agrees(chance, found.power) and float(chance) < 1
            shift = abs(found.value - found.against) / math.sqrt(squared)
            limit = student.isf((1 - found.level) / (1 if side else 2), found.degrees_of_freedom)
            assert abs(float(chance) - student.cdf(shift - limit, found.degrees_of_freedom)) < 0.12
        if found.prices is not None:
            cost = sum(prices[k] * n for k, n in found.cases.items())
            assert others.pop(0) == f"All cases cost {cost:,.6g}."
        assert not others
        counts = ", ".join(f"{n:,} {label}" for label, n in found.cases.items())
        assert repr(found).startswith(f"{sum(found.cases.values()):,} cases ({counts}): ")


def example_pilots() -> dict[str, Predictions]:
    from polyroc.datasets import example_predictions

    y, models, labels = example_predictions()
    return {name: Predictions(y, models[name], labels=labels) for name in ("forest", "bayes")}


def test_no_promise_is_broken_by_rounding() -> None:
    """Ten cases that are all right with probability 0.7 say little, however alike they are."""
    y = np.arange(10) % 2
    found = cost_calibration(y, np.where(y[:, None] == [0, 1], 0.7, 0.3))
    assert found.standard_error == pytest.approx(math.sqrt(0.21 / 10))
    assert 0.01 < found.p_value < 0.2


def test_zeros_and_bins_are_counted() -> None:
    """Probabilities of 0 that were raised, and bins whose limits leave out their probability."""
    seen = 0
    for n_classes in (2, 3):
        facts = case("tied", n_classes, 1)
        y, scores = facts.inputs["y"], facts.inputs["scores"]["model 0"]
        notes = {note.code: note.text for note in recalibration(y, scores).notes}
        rows = facts.models["model 0"]
        zeros = sum(p == 0 for row in rows for p in row)
        least = min(p for row in rows for p in row if p > 0)
        assert zeros and notes["raised-to-floor"] == (
            f"{zeros} probabilities of 0, in {sum(0 in row for row in rows)} of {len(rows)} cases, "
            f"were raised to {least / 2:.3g}, because 0 has no logarithm"
        )
        curve = calibration_curves(y, scores, bins=8).top_label
        off = sum(
            not a <= p <= b
            for p, a, b in zip(curve.probability, curve.low, curve.high, strict=True)
        )
        assert repr(curve) == f"ReliabilityCurve({len(curve.share)} bins, {off} off the diagonal)"
        seen += off
    assert seen
