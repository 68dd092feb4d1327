"""Every public object can be pickled and copied, as workers and notebooks do."""

import copy
import inspect
import pickle
from collections.abc import Iterator, Mapping
from functools import partial
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from display.exhibits import EXHIBITS

import polyroc
from polyroc import (
    Bootstrap,
    calibration,
    curves,
    errors,
    inference,
    readers,
    report,
    results,
    scale,
    scorers,
    surface,
    utility,
)
from polyroc.datasets import example_predictions, three_class_mixture

MODULES = [import_module(f"polyroc.{name}") for name in polyroc._MODULES]


def public() -> Iterator[tuple[str, Any]]:
    """All that the package offers, by name."""
    for module in (polyroc, *MODULES):
        own = [name for name in vars(module) if not name.startswith("_")]
        for name in getattr(module, "__all__", own):
            value = getattr(module, name)
            home = getattr(value, "__module__", None) or ""
            if hasattr(module, "__all__") or home.startswith("polyroc"):
                yield f"{module.__name__}.{name}", value


def same(one: Any, other: Any) -> bool:
    """Whether two objects are of one type and hold the same."""
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray) and one.dtype != object:
        numbers = one.dtype.kind == "f"
        return one.dtype == other.dtype and np.array_equal(one, other, equal_nan=numbers)
    if isinstance(one, Mapping) and not hasattr(one, "__dict__"):
        return same(list(one.items()), list(other.items()))
    if isinstance(one, (list, tuple, np.ndarray)):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, (float, np.floating)):
        return one == other or (one != one and other != other)
    if isinstance(one, partial):
        return same((one.func, one.args, one.keywords), (other.func, other.args, other.keywords))
    if inspect.isroutine(one) or isinstance(one, (type, ModuleType)):
        return one == other
    if type(one).__getstate__ is not object.__getstate__:  # without what it has computed since
        return same(one.__getstate__(), other.__getstate__())
    fields = getattr(one, "__dict__", None)
    if not fields:
        return one == other or repr(one) == repr(other)
    return same(sorted(fields.items()), sorted(vars(other).items()))  # in whatever order they came


def instances() -> Iterator[Any]:
    """At least one object of every public class, most of them as results of functions."""
    y, models, labels = example_predictions()
    y, p = y[:200], models["forest"][:200]
    binary, s = np.arange(60) % 2, np.random.default_rng(0).normal(np.arange(60) % 2)
    probability = 1 / (1 + np.exp(-s))
    X, of_X = three_class_mixture((20, 20, 20), rng=0)
    yield from (polyroc.Predictions(y, p, labels=labels), example_predictions())
    yield from (polyroc.registry, *polyroc.registry.values(), scorers, *scorers.values())
    yield scorers["vus"].with_options(ties="strict").set_score_request(sample_weight=True)
    evaluation = polyroc.evaluate(y, p, ["hand_till", "pdi"], labels=labels)
    yield from (evaluation, evaluation["pdi"], evaluation["pdi"].interval(0.9))
    yield from (evaluation["pdi"].test(0.5), evaluation["pdi"].effective)
    yield polyroc.evaluate(y, p, ["hand_till"], interval=Bootstrap(20), rng=0)
    yield from (Bootstrap(20, 1), polyroc.Permutation(20), polyroc.Influence(9), polyroc.Design())
    yield polyroc.chance_test(y, p, labels=labels, n_permutations=9, rng=0)
    yield from (results.Note("a", "b"), polyroc.compare(y, {"a": p, "b": p[:, ::-1]}, ["pdi"]))
    slices = np.arange(len(y)) % 2
    yield polyroc.evaluate(y, p, ["pdi"], by=slices)
    yield polyroc.compare(y, {"a": p, "b": p[:, ::-1]}, ["pdi"], by=slices)
    yield polyroc.check(y, p, minimum={"pdi": 0.5})
    yield from studies(X, of_X)
    yield from (curves.one_vs_one_roc(y, p), curves.one_vs_rest_roc(y, p))
    yield from (curves.roc_curve(binary, s), curves.tpr_surface(y, p[:, :3]))
    roc_curves = (curves.probabilistic_roc, curves.scored_roc)
    yield from (curve(binary, probability) for curve in roc_curves)
    yield from (curves.BinormalCurve(1.0, 0.8), curves.ProperBinormalCurve(0.1, 1.0))
    yield from utilities(binary, s)
    yield from surfaces(X, of_X, y, p)
    found = calibration.recalibration(y, p, labels=labels)
    yield from (found, found.test(), found.test()["joint"])
    reliability = calibration.calibration_curves(y, p, labels=labels)
    yield from (reliability, reliability.top_label)
    yield calibration.calibration_error(y, p, labels=labels, n_resamples=9, rng=0)
    yield calibration.cost_calibration(y, p, labels=labels)
    summary = scale.PairSummary(list(labels), auc_mu=True).update(y, p)
    yield from (summary, summary.compute(), summary.compute()["hand_till"])
    difference = scale.CertifiedDifference("pdi", "a", "b", 0.1, 0.2, 0.05)
    yield from (difference, scale.CertifiedComparison({"a": summary.compute()}, (difference,)))
    yield scale.Layout("y", ("a", "b"), ("p_a", "p_b"))
    file = Path(polyroc.__file__).parent / "data" / "example.csv"
    yield from (readers.read_predictions(file), readers.read_table(file))
    yield readers.read_features(file, target="truth")
    yield readers.FileReadings("x.csv", {"case": np.arange(3)}, {"case": "case"})
    for kind in vars(errors).values():
        if inspect.isclass(kind):
            yield kind("a", last=True) if kind is errors.NotSaved else kind("what, got, do")
    yield scale.MissingExtra("dask")
    yield from (each.example() for each in EXHIBITS)


def studies(X: Any, y: Any) -> Iterator[Any]:
    import pandas as pd
    from sklearn.naive_bayes import GaussianNB

    learners = {"a": GaussianNB(), "b": GaussianNB(var_smoothing=0.1)}
    options = {"cv": 2, "metrics": ["hand_till"], "progress": False}
    yield from (polyroc.cross_evaluate(each, X, y, **options) for each in (learners["a"], learners))

    study = inference.study({"bayes": GaussianNB()}, X, y, n_splits=2, metrics=["pdi"], rng=0)
    yield from (study, inference.StudyInterrupted(study), inference.StudyInterrupted(None))
    rows = [(c, r, m) for c in range(20) for r in "pqr" for m in "ab"]
    table = pd.DataFrame(rows, columns=["case", "reader", "modality"])
    table["truth"], table["rating"] = table["case"] % 2, np.random.default_rng(0).random(len(rows))
    columns = {name: name for name in ("case", "reader", "modality", "truth", "rating")}
    found = inference.reader_study(table, **columns)
    yield from (found, found.test(), found.power(5, 50, difference=0.1))
    yield inference.Prices([1, 2])
    yield from (polyroc.plan(pair_auc=0.8, cases=20), inference.plan(found, cases=50))


def utilities(binary: Any, s: Any) -> Iterator[Any]:
    yield from (utility.fit_binormal(binary, s), utility.fit_proper(binary, s))
    yield from (utility.roc_hull(binary, s), utility.unit_costs([[0, -1], [-4, 0]], [0.9, 0.1]))
    curve = curves.roc_curve(binary, s)
    yield utility.best_operating_point(curve, [[0, -1], [-4, 0]], [0.9, 0.1])
    mixtures = [utility.GaussianMixture([[k, 0.0]], np.eye(2)) for k in range(3)]
    yield from (mixtures[0], utility.ideal_observer(mixtures))
    q = 1 / (1 + np.exp(-np.asarray(s)))
    costs = utility.compare_costs(binary, {"a": q, "b": q[::-1]}, {(0, 1): 2})
    yield from (costs, costs["a"], costs.differences[0])
    acted = utility.decision_curves(binary, {"a": q, "b": q[::-1]}, thresholds=[0.2, 0.5])
    yield from (acted, acted[1], acted[1].difference("a", "b"), acted[1].where()[0])
    yield utility.hull_facets([[0.1, 0.6], [0.5, 0.2]])
    yield report.EarlierReport("may.html", other_cases=True)


def surfaces(X: Any, of_X: Any, y: Any, p: Any) -> Iterator[Any]:
    from sklearn.naive_bayes import GaussianNB

    yield from (surface.MlpModel(X, of_X, hidden=2), surface.LinearModel(X, of_X))
    yield from (surface.KnnModel(X, of_X), surface.ScoreModel(y, p), surface.SearchStrategy())
    yield surface.AveragedKnnModel(X, of_X)
    found = surface.search(surface.ScoreModel(y, p), generations=3, rng=0, progress=False)
    yield found.choose(criterion="total_error", reject_at_most=0.1)
    yield from (found, found.choose(criterion="total_error"), found.hull(), found.compare(found))
    options = {"generations": 1, "n_resamples": 3, "rng": 0}
    yield surface.cross_fitted_gini(surface.ScoreModel(y, p), **options)
    yield surface.CostSensitiveClassifier(GaussianNB(), None).fit(X, of_X)
    yield surface.TunedCostClassifierCV(GaussianNB(), cv=2).fit(X, of_X)
    yield surface.RejectingClassifierCV(GaussianNB(), cv=2, refer_cost=0.1).fit(X, of_X)
    yield surface.risk_coverage(y, p)
    yield surface.cost_by_share(y, p, vary=np.unique(y)[0].item(), shares=[0.5])
    yield calibration.Recalibrated(GaussianNB(), cv=2).fit(X, of_X)
    yield polyroc.PairwiseCoupling(GaussianNB()).fit(X, of_X)


def test_names_lead_to_the_same_objects() -> None:
    checked = 0
    for name, value in public():
        if callable(value):
            assert pickle.loads(pickle.dumps(value)) is value, name
            checked += 1
    assert checked > 150


def test_round_trips() -> None:
    made: set[type] = set()
    for instance in instances():
        made.add(type(instance))
        name = type(instance).__name__
        assert same(pickle.loads(pickle.dumps(instance)), instance), name
        assert same(copy.deepcopy(instance), instance), name
        assert same(copy.copy(instance), instance), name
    classes = {value for _, value in public() if inspect.isclass(value)}
    assert {each.__name__ for each in classes - made} == {"Display", "Model"}, "to be subclassed"


def test_a_part_is_pickled_without_the_whole() -> None:
    y, models, labels = example_predictions()
    whole = polyroc.Predictions(y, models["forest"], labels=labels)
    part = whole.part(np.arange(0, len(y), 9))
    packed = pickle.dumps(part)
    assert len(packed) < len(pickle.dumps(whole)) / 4
    again = pickle.loads(packed)
    assert part.n_scores_of_whole == whole.scores.size and part.are_probabilities
    assert again.n_scores_of_whole == part.scores.size and again.are_probabilities
    assert same(polyroc.evaluate(again, metrics=["pdi"]), polyroc.evaluate(part, metrics=["pdi"]))
