"""Odd Python objects as any argument of any function: a result, or an error of polyroc in one line.

``pytest --hypothesis-profile long`` tries fifty times as many.
"""

import inspect
from typing import Any

import pytest
from differential.data_sets import examples
from hostile import objects
from hostile.calls import calls, file_of, takes_long
from hostile.oracle import Broken, outcome
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import polyroc

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


def test_signatures_are_complete() -> None:
    """Every public function of predictions is tried."""
    public = {"evaluate", "compare", "estimate", "study", *polyroc.registry}
    tried = {call.function for call in calls().values()}
    for name in public:
        function = getattr(polyroc, name)
        assert function in tried, name
        assert inspect.signature(function).parameters


# What was found once


def test_a_list_that_holds_itself_is_no_seed() -> None:
    """numpy follows it until the process ends."""
    for rng in (objects.within(), objects.nested(20_000), [[1]], "1", 1.5, {}):
        with pytest.raises(polyroc.errors.InvalidType, match="rng must be"):
            polyroc.evaluate(objects_y(), objects_p(), interval="bootstrap", rng=rng)
    assert polyroc.evaluate(objects_y(), objects_p(), n_tuples=10, rng=[1, 2])


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
