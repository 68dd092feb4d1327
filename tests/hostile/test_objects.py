"""Odd Python objects as any argument of any function: a result, or an error of polyroc in one line.

``pytest --hypothesis-profile long`` tries twenty times as many.
"""

import inspect
import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from differential.data_sets import examples
from hostile import objects
from hostile.calls import calls, file_of, takes_long
from hostile.oracle import Broken, outcome
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import polyroc
from polyroc.report import write_report

reproducible = settings(
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
READ = tuple(map(file_of, ("csv", "parquet", "surface")))
values = st.one_of(objects.scalars, objects.labels, objects.scores, objects.anything)


@pytest.fixture(scope="module", autouse=True)
def _warm() -> None:
    """Everything works as it is, and is loaded before it is watched."""
    for name, call in calls().items():
        try:
            repr(call.function(**call.arguments))
        except polyroc.errors.NotDefined:
            assert name in polyroc.registry, "only metrics of two classes refuse three"
    polyroc.hum(objects_y(), objects_p(), n_tuples=10)


def objects_y() -> Any:
    return calls()["hum"].arguments["y_true"]


def objects_p() -> Any:
    return calls()["hum"].arguments["y_score"]


PLACES = [(name, parameter) for name, call in calls().items() for parameter in call.parameters]


@settings(reproducible, max_examples=examples(900).max_examples, deadline=None)
@given(st.sampled_from(PLACES), values)
def test_any_object_as_any_argument(place: tuple[str, str], value: Any) -> None:
    name, parameter = place
    assume(not takes_long(parameter, value))
    outcome(calls()[name].with_odd(parameter, value), *READ)


@settings(reproducible, max_examples=examples(250).max_examples, deadline=None)
@given(objects.labels, objects.scores, st.one_of(st.none(), objects.labels), objects.anything)
def test_odd_predictions(y: Any, scores: Any, labels: Any, weights: Any) -> None:
    """Labels and scores that are both odd, so that the checks of both meet."""
    evaluate = polyroc.evaluate
    outcome(lambda: repr(polyroc.Predictions(y, scores, labels=labels)))
    outcome(lambda: repr(evaluate(y, scores, labels=labels, sample_weight=weights).frame()))
    outcome(lambda: repr(polyroc.compare(y, {"a": scores, "b": scores})))


@pytest.mark.parametrize("make", objects.MAKERS, ids=range(len(objects.MAKERS)))
def test_each_odd_object(make: Any) -> None:
    """Every one of them as labels, scores, weights, classes and priors."""
    y, p = objects_y(), objects_p()
    broken = []
    for arguments in (
        {"y_true": make()},
        {"y_score": make()},
        {"sample_weight": make()},
        {"labels": make()},
    ):
        try:
            outcome(lambda: polyroc.hand_till(**{"y_true": y, "y_score": p, **arguments}))  # noqa: B023
        except Broken as error:
            broken.append(f"{list(arguments)}: {error}")
    assert not broken


SOME = [name for name in calls() if name not in polyroc.registry] + ["hand_till", "auc_mu", "vus"]


@pytest.mark.slow
@pytest.mark.parametrize("name", SOME)
def test_each_odd_object_as_every_argument(name: str) -> None:
    call, broken = calls()[name], []
    for parameter, make in itertools.product(call.parameters, objects.MAKERS):
        value = make()
        if not takes_long(parameter, value):
            try:
                outcome(call.with_odd(parameter, value), *READ)
            except Broken as error:
                broken.append(f"{parameter}={make}: {error}")
    assert not broken


def test_signatures_are_complete() -> None:
    """Every public function of predictions is tried."""
    public = {"evaluate", "compare", "estimate", "study", *polyroc.registry}
    tried = {call.function for call in calls().values()}
    for name in public:
        function = getattr(polyroc, name)
        assert function in tried, name
        assert inspect.signature(function).parameters


# What was found once


def test_a_list_that_contains_itself_is_no_seed() -> None:
    """numpy follows it until the process ends."""
    inside = np.array([objects.within(), 1], dtype=object)
    for rng in (objects.within(), inside, objects.nested(20_000), [[1]], np.ones(1), "1", 1.5, {}):
        with pytest.raises(polyroc.errors.InvalidType, match="rng must be"):
            polyroc.evaluate(objects_y(), objects_p(), interval="bootstrap", rng=rng)
    for seed in ([1, 2], np.array([1, 2])):
        assert polyroc.evaluate(objects_y(), objects_p(), n_tuples=10, rng=seed)


def test_names_that_cannot_be_written_are_refused(tmp_path: Path) -> None:
    """Python does not write numbers of more than 4300 digits."""
    y, p, long = objects_y(), np.array(objects_p()), 10**5000
    each = [long, *range(len(y) - 1)]
    one = polyroc.Predictions(y, p)
    for call in (
        lambda: polyroc.compare(y, {long: p, "b": p}),
        lambda: polyroc.compare({long: one, "b": one}),
        lambda: polyroc.evaluate(each, p),
        lambda: polyroc.evaluate(y, p, folds=each),
        lambda: polyroc.evaluate(y, p, groups=each),
        lambda: polyroc.evaluate(y, p, by={"s": each}),
        lambda: polyroc.evaluate(y, p, by={long: y}),
        lambda: polyroc.Predictions(y, p, labels=[long, *"bc"]),
        lambda: polyroc.Bootstrap(3, rng=long),
        lambda: polyroc.compare(y, {"a": p, "b": p}, margin=long),
        lambda: write_report(tmp_path / "page.html", y, {long: p}),
        lambda: write_report(tmp_path / "page.html", y, {"a": p}, title=long),
        lambda: write_report(tmp_path / "page.html", y, {"a": p}, ids=each),
    ):
        with pytest.raises(polyroc.errors.PolyrocError):
            call()


def test_text_of_variable_length_names_groups() -> None:
    y, p = objects_y(), objects_p()
    plain = ["a" if row < len(y) // 2 else "b" for row in range(len(y))]
    text = np.array(plain, dtype=np.dtypes.StringDType())
    for name in ("groups", "folds", "slices"):
        found = polyroc.Predictions(y, p, **{name: text})
        assert repr(getattr(found, name)) == repr(
            getattr(polyroc.Predictions(y, p, **{name: plain}), name)
        )


def test_absurd_numbers_are_refused_at_once() -> None:
    for number in (10**10, 10**30, 10**5000, 1e300):
        for make in (polyroc.Bootstrap, polyroc.Permutation, polyroc.Influence):
            with pytest.raises(polyroc.errors.InvalidInput, match="at most 1000000000"):
                make(number)
        with pytest.raises(polyroc.errors.InvalidInput, match="at most 1000000000"):
            polyroc.evaluate(objects_y(), objects_p(), ["vus"], n_tuples=number)


def test_a_lazy_frame_is_not_collected() -> None:
    import polars as pl

    with pytest.raises(polyroc.errors.InvalidType, match=r"Pass its .collect\(\)"):
        polyroc.hand_till(objects_y(), pl.LazyFrame({"a": [1.0]}))
