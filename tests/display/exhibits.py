"""One example of every display for a number of classes, and what its axes must contain."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import polyroc.display as displays
from polyroc import compare, evaluate, reader_study
from polyroc.inference import Study
from polyroc.surface import KnnModel, RocSurface, ScoreModel, search
from polyroc.utility import utility_curves

HARD_NAMES = [
    "$cost_{1} <of> & so on, at some length 0001",
    "$cost_{1} <of> & so on, at some length 0002",
    "_private_name_that_begins_with_a_mark_003",
    "имя класса, которое не кончается, класс 4",
    "όνομα κλάσης που δεν τελειώνει εύκολα, 05",
    "שם של מחלקה שאינו נגמר במהרה ועוד קצת 006",
    r"back\slash and ^caret and #hash %percent 7",
    "averyveryverylongnamewithoutanyspaceatall8",
    "two $dollars$ make no mathematics here 009",
    "<b>bold</b> &amp; {braces} [brackets] 00010",
    "one\nname\ton several lines of the input 11",
    "name with trailing spaces and dots ... 012 ",
]
MODELS = ("first", "second", "third")


def sample(K: int, names: list[str], n: int = 240, seed: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """Labels, all of them present, and informative probabilities."""
    rng = np.random.default_rng([seed, K])
    codes = np.concatenate([np.arange(K), np.arange(K), rng.integers(0, K, n - 2 * K)])
    logits = rng.normal(size=(n, K))
    logits[np.arange(n), codes] += 1.5
    p = np.exp(logits)
    return np.array(names)[codes], p / p.sum(axis=1, keepdims=True)


def plain_names(K: int) -> list[str]:
    return [f"class {k + 1}" for k in range(K)]


def of_predictions(cls: type, **options: Any) -> Callable[[int, list[str]], Any]:
    def make(K: int, names: list[str]) -> Any:
        y, p = sample(K, names)
        return cls.from_predictions(y, p, labels=names, **options)

    return make


def of_models(cls: type) -> Callable[[int, list[str]], Any]:
    """Names stand for models; there are K classes, of which these displays allow two."""

    def make(K: int, names: list[str]) -> Any:
        y, p = sample(K, plain_names(K), n=60)
        models = dict.fromkeys(names[:2], (p + 0.1) / (1 + 0.1 * K)) | {"plain": p}
        return cls.from_models(y, models, labels=plain_names(K))

    return make


def forest(K: int, names: list[str]) -> Any:
    y, p = sample(K, plain_names(K))
    evaluations = {name: evaluate(y, p, ["hand_till", "pdi", "total_length"]) for name in names}
    return displays.ForestDisplay.from_evaluations(evaluations)


def comparison(K: int, names: list[str]) -> Any:
    y, p = sample(K, plain_names(K))
    other = sample(K, plain_names(K), seed=4)[1]
    models = {name: (p + t * other) / (1 + t) for t, name in enumerate(names[:4])}
    return displays.ComparisonDisplay.from_comparison(compare(y, models, ["hand_till", "pdi"]))


def slices(K: int, names: list[str]) -> Any:
    y, p = sample(2, plain_names(2))
    by = {"site": np.array(names[:6], dtype=object)[np.arange(len(y)) % min(K, 6)]}
    return displays.SliceDisplay.from_evaluation(evaluate(y, p[:, 1], ["roc_auc"], by=by))


def correlation(K: int, names: list[str]) -> Any:
    values = np.random.default_rng(K).random((20, 2, K))
    fields = ("a", "b"), tuple(names), (0, 1), tuple(range(20)), 0.4, 0
    return displays.CorrelationDisplay.from_study(Study(values, *fields))


def readers(K: int, names: list[str]) -> Any:
    """Names stand for readers, and for both modalities."""
    case, reader, modality = (each.ravel() for each in np.indices((20, K, 2)))
    rng = np.random.default_rng(K)
    table = {
        "case": case,
        "reader": np.array(names)[reader],
        "modality": np.array(names)[modality],
        "truth": case % 2,
        "rating": case % 2 + rng.normal(size=case.size),
    }
    study = reader_study(table, **{name: name for name in table})
    return displays.ReaderStudyDisplay.from_study(study)


@cache
def _searched(K: int) -> RocSurface:
    y, p = sample(K, plain_names(K), n=max(40, 3 * K))
    model = ScoreModel(y, p, labels=plain_names(K))
    return search(model, generations=30, costs_per_generation=20, rng=3, progress=False)


def surface(K: int, names: list[str]) -> RocSurface:
    """A small ROC surface of fixed scores, searched once and renamed."""
    return replace(_searched(K), classes=tuple(names))


def of_surface(cls: type, chosen: bool = False, **options: Any) -> Callable[[int, list[str]], Any]:
    def make(K: int, names: list[str]) -> Any:
        found = surface(K, names)
        points = {names[0]: found.choose(criterion="total_error")} if chosen else None
        return cls.from_surface(found, **options, **({"chosen": points} if chosen else {}))

    return make


def of_surfaces(cls: type, number: int = 3, **options: Any) -> Callable[[int, list[str]], Any]:
    """Names stand for surfaces, two or three parts of one, and for the classes."""

    def make(K: int, names: list[str]) -> Any:
        parts = slice(0, None, 2), slice(1, None, 2), slice(0, None, 3)
        whole = surface(K, names)
        found = {name: whole[part] for name, part in zip(names[:number], parts, strict=False)}
        return cls.from_surfaces(found, **options)

    return make


def plane(K: int, names: list[str]) -> tuple[np.ndarray, np.ndarray, Callable[[Any], Any]]:
    """Cases around K points of a circle, and the probabilities they were drawn with."""
    rng = np.random.default_rng(K)
    centres = 3 * np.array([(np.cos(a), np.sin(a)) for a in 2 * np.pi * np.arange(K) / K])
    codes = np.arange(60) % K

    def posteriors(X: Any) -> Any:
        heights = np.exp(-((X[:, None] - centres) ** 2).sum(axis=2) / 2)
        return heights / heights.sum(axis=1, keepdims=True)

    return centres[codes] + rng.normal(size=(60, 2)), np.array(names)[codes], posteriors


def regions(K: int, names: list[str]) -> Any:
    X, y, posteriors = plane(K, names)
    model = KnnModel(X, y, labels=names)
    found = search(model, generations=10, costs_per_generation=20, rng=0, progress=False)
    point = found.choose(criterion="total_error")
    make = displays.DecisionRegionsDisplay.from_point
    return make(point, boundary=posteriors, n_grid=41)


def cases_alone(K: int, names: list[str]) -> Any:
    X, y, posteriors = plane(K, names)
    options = {"labels": names, "boundary": posteriors, "n_grid": 41}
    return displays.DecisionRegionsDisplay.from_data(X, y, **options)


def of_grid(make: Callable[[], Any]) -> Callable[[int, list[str]], Any]:
    return lambda K, names: make()


def lines(ax: Any) -> list[np.ndarray]:
    """The data of all lines in the axes and in what is inset."""
    inset = [line for child in ax.child_axes for line in child.lines]
    return [np.column_stack(line.get_data()).astype(float) for line in [*ax.lines, *inset]]


def has_line(ax: Any, x: Any, y: Any) -> bool:
    wanted = np.column_stack([x, y]).astype(float)
    return any(data.shape == wanted.shape and np.array_equal(data, wanted) for data in lines(ax))


def rates_are_drawn(by: str) -> Callable[[Any, Any], None]:
    def check(ax: Any, frame: Any) -> None:
        for _, part in frame.groupby(by.split(), sort=False):
            assert has_line(ax, part["false_positive_rate"], part["true_positive_rate"])

    return check


def bands_are_drawn(ax: Any, frame: Any) -> None:
    rates_are_drawn("positive")(ax, frame[frame["part"] == "curve"])
    bands = [part for _, part in frame[frame["part"] == "band"].groupby("positive", sort=False)]
    assert len(ax.patches) == (len(bands) if len(bands) <= 4 else 0)
    for patch, part in zip(ax.patches, bands, strict=False):
        upper = part[["false_positive_rate", "true_positive_rate_high"]].to_numpy()
        lower = part[["false_positive_rate", "true_positive_rate_low"]].to_numpy()
        corners = np.concatenate([upper, lower[::-1]])
        np.testing.assert_array_equal(patch.get_xy()[: len(corners)], corners)


def risk_is_drawn(ax: Any, frame: Any) -> None:
    assert has_line(ax, frame["coverage"], frame["risk"])


def margins_are_drawn(ax: Any, frame: Any) -> None:
    for _, part in frame.groupby("model", sort=False):
        assert has_line(ax, part["margin"], part["value"])


def cells_are_drawn(ax: Any, frame: Any) -> None:
    rows, columns, value = (frame.iloc[:, i] for i in range(3))
    drawn = np.asarray(ax.images[0].get_array().filled(np.nan))
    assert np.count_nonzero(~np.isnan(drawn)) == len(frame)
    np.testing.assert_array_equal(drawn[~np.isnan(drawn)], value)
    written = {(round(t.get_position()[1]), round(t.get_position()[0])): t for t in ax.texts}
    order = list(dict.fromkeys([*rows, *columns]))
    order = order if len(order) > 2 else sorted(order, key=list(rows).index)
    for row, column, number in zip(rows, columns, value, strict=True):
        place = order.index(row), order.index(column)
        assert written[place].get_text() == f"{number:.2f}"


def points_are_drawn(ax: Any, frame: Any) -> None:
    for label, part in frame[frame["kind"] == "case"].groupby("class", sort=False):
        assert has_line(ax, part["x"], part["y"]), label
    for _, point in frame[frame["kind"] != "case"].iterrows():
        assert has_line(ax, [point["x"]], [point["y"]])


def surface_is_drawn(ax: Any, frame: Any) -> None:
    """No corner is above the surface at the point of the grid before it, and the ends are drawn."""
    grid, rates = np.unique(frame.iloc[:, 0]), frame.iloc[:, :3].to_numpy()
    heights = rates[:, 2].reshape(len(grid), len(grid))
    corners = np.asarray(ax.collections[0]._faces).reshape(-1, 3)
    before = np.searchsorted(grid, corners[:, :2] + 1e-9, side="right") - 1
    assert (corners[:, 2] <= heights[before[:, 0], before[:, 1]] + 1e-9).all()
    step = np.diff(grid).max()
    reached = [rates[rates[:, 2] > 0, k].max() for k in range(3)]
    assert corners.max(axis=0) == pytest.approx(reached, abs=step)


def intervals_are_drawn(value: str) -> Callable[[Any, Any], None]:
    def check(ax: Any, frame: Any) -> None:
        drawn = np.concatenate(lines(ax))[:, 0]
        for column in (value, "low", "high"):
            assert np.isin(frame[column].dropna(), drawn).all()
        assert len(ax.texts) == len(frame)

    return check


def readers_are_drawn(ax: Any, frame: Any) -> None:
    heights = [each[:, 1].tolist() for each in lines(ax)]
    assert heights[-1] == frame[frame["reader"].isna()]["value"].tolist()
    for _, part in frame.dropna(subset="reader").groupby("reader"):
        assert part["value"].tolist() in heights
    segments = [each for part in ax.collections for each in part.get_segments()]
    bars = [each[:, 1].tolist() for each in segments if each.size]
    for _, row in frame.dropna(subset="low").iterrows():
        assert [row["low"], row["high"]] in bars


def reliability_is_drawn(ax: Any, frame: Any) -> None:
    parts = frame.groupby("class", sort=False)
    for _, part in parts:
        assert has_line(ax, part["probability"], part["share"])
    edges = [patch.get_xy()[:, 1] for patch in ax.patches]
    for (_, part), edge in zip(parts, edges, strict=False):
        wanted = [*part["high"], *part["low"][::-1]]
        np.testing.assert_array_equal(edge[: len(wanted)], wanted)
    assert len(edges) == (len(parts) if len(parts) <= 4 else 0)


def benefits(K: int, names: list[str]) -> Any:
    """Names stand for models of two classes."""
    y, p = sample(2, ["no", "yes"])
    models = {name: (p[:, 1] + k / 10) / (1 + k / 10) for k, name in enumerate(names[:K])}
    return displays.NetBenefitDisplay.from_models(y, models, thresholds=np.arange(1, 16) / 20)


def benefits_of_costs(K: int, names: list[str]) -> Any:
    y, p = sample(3, ["a", "b", "c"])
    models = {name: np.roll(p, k * 5, axis=0) for k, name in enumerate(names[:K])}
    costs = lambda x: {("a", "b"): x}  # noqa: E731
    found = utility_curves(y, models, costs=costs, over=[0.5, 1, 2, 4], name="cost of a as b")
    return displays.NetBenefitDisplay.of(found)


def benefits_are_drawn(ax: Any, frame: Any) -> None:
    position = frame.columns[1]
    for _, part in frame.groupby("strategy", sort=False):
        assert has_line(ax, part[position], part["benefit"])
    low, high = ax.get_ylim()
    near = low + 0.05 * (high - low)
    marks = [each for each in lines(ax) if len(each) == 2 and (each[:, 1] < near).all()]
    room = 4 / 72 / ax.get_window_extent().height * ax.figure.dpi * (high - low)
    assert all((mark[:, 1] >= low + room).all() for mark in marks)  # the axis cuts no thick line
    ends = [mark[:, 0].tolist() for mark in marks]
    assert ends[0][0] == frame[position].min() and ends[-1][1] == frame[position].max()
    assert all(one[1] == two[0] for one, two in pairwise(ends))


def isopleths_are_drawn(ax: Any, frame: Any) -> None:
    for lines_, column in zip(ax.collections, ("area", "saec"), strict=True):
        assert frame[column].min() < min(lines_.levels) < max(lines_.levels) < frame[column].max()
        assert sum(len(path.vertices) for path in lines_.get_paths()) > 100


def crossing_is_drawn(ax: Any, frame: Any) -> None:
    assert 0 < frame["disagrees"].mean() < 0.5
    assert len(ax.collections) == 3


def discordance_is_drawn(ax: Any, frame: Any) -> None:
    np.testing.assert_array_equal(
        ax.collections[0].get_array().ravel(), 100 * frame["discordant"].to_numpy()
    )


def triples(ax: Any) -> list[np.ndarray]:
    """The data of all lines in axes of three dimensions."""
    return [np.column_stack([np.asarray(part) for part in each.get_data_3d()]) for each in ax.lines]


def draws_are_drawn(ax: Any, frame: Any) -> None:
    np.testing.assert_array_equal(triples(ax)[1], frame.to_numpy())


def regions_are_drawn(ax: Any, frame: Any) -> None:
    cases, places = (frame[frame["kind"] == kind] for kind in ("case", "place"))
    for label, part in cases.groupby("class", sort=False):
        assert has_line(ax, part["x"], part["y"]), label
    if "class" in places and places["class"].notna().all():
        codes = np.asarray(ax.images[0].get_array()).ravel()
        assert len(set(zip(codes.tolist(), places["class"], strict=True))) == len(set(codes))
    else:
        assert not ax.images
    assert ax.collections
    assert places["ideal"].nunique() > 1


def front_is_drawn(ax: Any, frame: Any) -> None:
    drawn = triples(ax) if ax.name == "3d" else lines(ax)
    names = [name for name in frame.columns if name.startswith("errors")]
    for (_, _), part in frame.groupby(["most_errors_into", "on_front"], sort=False):
        wanted = part[names].to_numpy()
        assert any(np.array_equal(wanted, each) for each in drawn)


def areas_are_drawn(ax: Any, frame: Any) -> None:
    """By the shoelace formula on the polygons, twice the area of each is its share."""
    by_area = frame.dropna(subset=["share"]).groupby("area", sort=False)["share"].sum()
    drawn = sum(2 * shoelace(patch.get_xy()) for patch in ax.patches)
    assert abs(drawn - by_area.sum()) < 1e-12


def shoelace(corners: np.ndarray) -> float:
    x, y = corners.T
    return abs(float(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)))) / 2


def shares_are_drawn(ax: Any, frame: Any) -> None:
    shares = frame[["only_first", "both", "only_second", "neither"]].to_numpy()
    np.testing.assert_allclose(shares.sum(axis=1), 1, atol=1e-12)
    widths = [bar.get_width() for bar in ax.patches]
    np.testing.assert_allclose(widths, shares.ravel(), rtol=0, atol=1e-12)


def histograms_are_drawn(ax: Any, frame: Any) -> None:
    outlines = ax.patches[1::2]  # the other half is their filling
    for patch, (_, part) in zip(outlines, frame.groupby("surface", sort=False), strict=True):
        values, edges, _ = patch.get_data()
        np.testing.assert_array_equal(values, part["points"])
        np.testing.assert_array_equal(edges, [*part["from"], part["to"].iloc[-1]])


def progress_is_drawn(ax: Any, frame: Any) -> None:
    for _, part in frame.groupby("surface", sort=False):
        assert has_line(ax, part["generation"], part["gini"])
        assert has_line(ax, part["generation"], part["points"])


def coordinates_are_drawn(ax: Any, frame: Any) -> None:
    rates, chosen = frame.iloc[:, 2:].to_numpy(), frame["chosen"] != ""
    drawn = next(each for each in ax.collections if len(each.get_segments()) == sum(~chosen))
    np.testing.assert_array_equal([path[:, 1] for path in drawn.get_segments()], rates[~chosen])
    for row in rates[chosen]:
        assert has_line(ax, np.arange(len(row)), row)


def observers_are_drawn(ax: Any, frame: Any) -> None:
    assert has_line(ax, frame["separation"], frame["huh"])
    assert has_line(ax, frame["separation"], frame["saec"])


@cache
def _made(make: Callable[[int, list[str]], Any], K: int) -> Any:
    return make(K, plain_names(K))


@dataclass(frozen=True)
class Exhibit:
    """A display, the numbers of classes (or of names) it allows, and a check of its axes."""

    name: str
    make: Callable[[int, list[str]], Any]
    check: Callable[[Any, Any], None]
    allowed: tuple[int, ...] = (2, 3, 5, 12)

    @property
    def projection(self) -> str | None:
        return self.example().projection

    def example(self) -> Any:
        """The display of a few classes; displays are read-only, so that tests may share it."""
        K = 3 if 3 in self.allowed else 2
        return _made(self.make, K)


EXHIBITS = [
    Exhibit("RocCurvesDisplay", of_predictions(displays.RocCurvesDisplay), bands_are_drawn),
    Exhibit("RiskCoverageDisplay", of_predictions(displays.RiskCoverageDisplay), risk_is_drawn),
    Exhibit(
        "OneVsOneRocDisplay",
        of_predictions(displays.OneVsOneRocDisplay),
        rates_are_drawn("positive negative"),
        (2, 3, 5),
    ),
    Exhibit("PairwiseAucDisplay", of_predictions(displays.PairwiseAucDisplay), cells_are_drawn),
    Exhibit(
        "ProbabilisticRocDisplay",
        of_models(displays.ProbabilisticRocDisplay),
        rates_are_drawn("model"),
        (2,),
    ),
    Exhibit("ScoredRocDisplay", of_models(displays.ScoredRocDisplay), margins_are_drawn, (2,)),
    Exhibit(
        "SimplexDisplay",
        of_predictions(displays.SimplexDisplay, triplets=[(0, 1, 2), (5, 4, 3)]),
        points_are_drawn,
        (3,),
    ),
    Exhibit(
        "TprSurfaceDisplay",
        of_predictions(displays.TprSurfaceDisplay, n_grid=11),
        surface_is_drawn,
        (3,),
    ),
    Exhibit(
        "CalibrationDisplay", of_predictions(displays.CalibrationDisplay), reliability_is_drawn
    ),
    Exhibit(
        "CalibrationDisplay, top label",
        of_predictions(displays.CalibrationDisplay, kind="top_label", bins=4),
        reliability_is_drawn,
    ),
    Exhibit("NetBenefitDisplay", benefits, benefits_are_drawn),
    Exhibit("NetBenefitDisplay, costs", benefits_of_costs, benefits_are_drawn),
    Exhibit("ForestDisplay", forest, intervals_are_drawn("value")),
    Exhibit("ComparisonDisplay", comparison, intervals_are_drawn("difference")),
    Exhibit("SliceDisplay", slices, intervals_are_drawn("value")),
    Exhibit("ReaderStudyDisplay", readers, readers_are_drawn),
    Exhibit("CorrelationDisplay", correlation, cells_are_drawn),
    Exhibit(
        "SaecPairDisplay",
        of_grid(displays.SaecPairDisplay.of),
        rates_are_drawn("a b"),
    ),
    Exhibit(
        "SaecPairDisplay, proper",
        of_grid(lambda: displays.SaecPairDisplay.of("proper")),
        rates_are_drawn("c d_a"),
    ),
    Exhibit(
        "SaecIsoplethDisplay",
        of_grid(lambda: displays.SaecIsoplethDisplay.over_grid(n_values=60)),
        isopleths_are_drawn,
    ),
    Exhibit(
        "SaecIsoplethDisplay, proper",
        of_grid(lambda: displays.SaecIsoplethDisplay.over_grid("proper", n_values=60)),
        isopleths_are_drawn,
    ),
    Exhibit(
        "SaecCrossingDisplay",
        of_grid(lambda: displays.SaecCrossingDisplay.of(n_values=60)),
        crossing_is_drawn,
    ),
    Exhibit(
        "SaecCrossingDisplay, proper",
        of_grid(lambda: displays.SaecCrossingDisplay.of("proper", n_values=60)),
        crossing_is_drawn,
    ),
    Exhibit(
        "SaecDiscordanceDisplay",
        of_grid(lambda: displays.SaecDiscordanceDisplay.over_grid(n_values=40)),
        discordance_is_drawn,
    ),
    Exhibit(
        "DirichletCostsDisplay",
        of_grid(lambda: displays.DirichletCostsDisplay.draw((1, 1, 2), n=50, rng=0)),
        draws_are_drawn,
    ),
    Exhibit("DecisionRegionsDisplay", regions, regions_are_drawn),
    Exhibit("DecisionRegionsDisplay, cases alone", cases_alone, regions_are_drawn),
    Exhibit(
        "FalsePositiveFrontDisplay",
        of_surface(displays.FalsePositiveFrontDisplay),
        front_is_drawn,
        (2, 3),
    ),
    Exhibit(
        "FalsePositiveFrontDisplay, errors of",
        of_surface(displays.FalsePositiveFrontDisplay, objectives="errors_of", most_points=20),
        front_is_drawn,
        (2, 3),
    ),
    Exhibit("GiniAreasDisplay", of_surfaces(displays.GiniAreasDisplay, 2), areas_are_drawn, (2,)),
    Exhibit(
        "GiniDeltaDisplay",
        of_surfaces(displays.GiniDeltaDisplay, rng=0, method="monte_carlo", n_samples=300),
        shares_are_drawn,
    ),
    Exhibit(
        "DistanceHistogramDisplay",
        of_surfaces(displays.DistanceHistogramDisplay, bins=10),
        histograms_are_drawn,
    ),
    Exhibit(
        "SearchProgressDisplay", of_surfaces(displays.SearchProgressDisplay), progress_is_drawn
    ),
    Exhibit(
        "ParallelCoordinatesDisplay",
        of_surface(displays.ParallelCoordinatesDisplay, chosen=True, most_points=40),
        coordinates_are_drawn,
        (2, 3, 5),
    ),
    Exhibit(
        "ParallelCoordinatesDisplay, per class",
        of_surface(displays.ParallelCoordinatesDisplay, objectives="errors_into"),
        coordinates_are_drawn,
    ),
    Exhibit(
        "ObserverCostDisplay",
        of_grid(lambda: displays.ObserverCostDisplay.of((1, 2), n_blocks=2, n_draws=2000, rng=0)),
        observers_are_drawn,
    ),
]
NAMELESS = ("Saec", "Dirichlet", "Observer")
NAMED = [each for each in EXHIBITS if not each.name.startswith(NAMELESS)]
