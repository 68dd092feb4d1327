"""How many threads are used, and that their number changes neither the answer nor the errors."""

import os
import threading

import joblib
import numpy as np
import pytest

import polyroc
from polyroc._base.parallel import map_threads, one_blas_thread, thread_count
from polyroc.errors import InvalidInput, PolyrocError


@pytest.fixture
def affinity(monkeypatch):
    """Pretend that the process may run on eight processors, and that no pool limits it."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)), raising=False)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)


def test_by_default_the_affinity_of_the_process(affinity):
    assert thread_count() == 8


def test_by_default_all_processors_where_there_is_no_affinity(affinity, monkeypatch):
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: 3)
    assert thread_count() == 3
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert thread_count() == 1


@pytest.mark.parametrize(
    ("granted", "expected"),
    [
        ("2", 2),
        ("1", 1),
        ("0", 1),
        ("64", 8),
        ("", 8),
        ("many", 8),
        ("-1", 8),
        ("1.5", 8),
        ("²", 8),
    ],
)
def test_a_pool_of_processes_limits_its_workers(affinity, monkeypatch, granted, expected):
    monkeypatch.setenv("OMP_NUM_THREADS", granted)
    assert thread_count() == expected


def test_the_first_number_of_nested_levels_limits(affinity, monkeypatch):
    """OMP_NUM_THREADS may be a list, one number per level of nesting."""
    for granted in ("2,1", " 2 , 1", "2,"):
        monkeypatch.setenv("OMP_NUM_THREADS", granted)
        assert thread_count() == 2


@pytest.mark.parametrize("asked", [1, 3, 100, np.int64(2), 4.0])
def test_a_number_asked_for_is_taken(affinity, monkeypatch, asked):
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    assert thread_count(asked) == asked


@pytest.mark.parametrize("asked", [0, -1])
def test_fewer_than_one_thread_is_an_error(asked):
    with pytest.raises(InvalidInput) as caught:
        thread_count(asked)
    assert str(caught.value) == f"n_threads must be at least 1, got {asked}."


@pytest.mark.parametrize("asked", ["2", 1.5, float("nan"), float("inf"), [2], np.array([2, 3])])
def test_a_number_of_threads_that_is_no_whole_number_is_an_error(asked):
    with pytest.raises(PolyrocError):
        thread_count(asked)


@pytest.mark.parametrize("n_threads", [None, 1, 2, 7])
def test_results_come_in_the_order_of_the_items(n_threads):
    assert map_threads(lambda x: x * x, range(50), n_threads) == [x * x for x in range(50)]
    assert map_threads(lambda x: x, iter(()), n_threads) == []
    assert map_threads(lambda x: x, (x for x in "abc"), n_threads) == ["a", "b", "c"]


def test_several_threads_do_work_at_the_same_time():
    """Both pass the barrier only if both are inside at once."""
    barrier = threading.Barrier(2, timeout=20)
    assert sorted(map_threads(lambda _: barrier.wait(), range(2), n_threads=2)) == [0, 1]


def test_one_thread_works_in_the_calling_one():
    caller = threading.get_ident()
    assert set(map_threads(lambda _: threading.get_ident(), range(5), n_threads=1)) == {caller}


def test_threads_inside_threads_do_not_multiply(affinity):
    assert map_threads(lambda _: thread_count(), range(4), n_threads=2) == [1] * 4
    assert map_threads(lambda _: thread_count(3), range(2), n_threads=2) == [3, 3]
    assert thread_count() == 8


def test_errors_of_the_work_arrive_and_leave_no_trace(affinity):
    def work(x):
        if x == 3:
            raise KeyError(x)
        return x

    for n_threads in (1, 2):
        with pytest.raises(KeyError, match="3"):
            map_threads(work, range(8), n_threads)
    assert thread_count() == 8


METRICS = [m for m in polyroc.registry.values() if 3 in m.classes]


@pytest.mark.parametrize("metric", METRICS, ids=lambda m: m.name)
def test_the_number_of_threads_changes_no_bit(metric):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 300)
    p = rng.multinomial(40, rng.dirichlet(np.ones(3), 300)) / 40
    weights = rng.uniform(0.5, 2, 300)
    values, influences = set(), set()
    for n_threads in (1, 2, 5):
        predictions = polyroc.Predictions(y, p, sample_weight=weights, n_threads=n_threads)
        values.add(metric.of(predictions))
        influences.add(metric.influence(predictions).cases.tobytes())
    assert len(values) == len(influences) == 1


@pytest.mark.parametrize("name", [metric.name for metric in METRICS])
def test_every_metric_refuses_zero_threads(name):
    with pytest.raises(InvalidInput, match=r"^n_threads must be at least 1, got 0\.$"):
        polyroc.registry[name].function([0, 1, 2], np.eye(3), n_threads=0)


def asked_inside(n_workers):
    with joblib.parallel_config("loky", n_jobs=n_workers):
        return joblib.Parallel()(joblib.delayed(thread_count)() for _ in range(n_workers))


@pytest.mark.slow
def test_workers_of_joblib_share_the_processors():
    available = len(os.sched_getaffinity(0))
    assert asked_inside(2) == [max(1, available // 2)] * 2


def test_blas_has_its_threads_back_after_overlapping_limits() -> None:
    """The first to come is the first to go: what it found must be put back by the last."""
    from threadpoolctl import threadpool_info, threadpool_limits

    def blas() -> set[int]:
        return {each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"}

    first, second = one_blas_thread(), one_blas_thread()
    with threadpool_limits(limits=2, user_api="blas"):
        before = blas()
        first.__enter__()
        second.__enter__()
        assert blas() == {1}
        first.__exit__(None, None, None)
        assert blas() == {1}
        second.__exit__(None, None, None)
        assert blas() == before
