"""Valid files changed at random in many ways: read or refused in one line, quickly.

``pytest --hypothesis-profile long`` tries twenty times as many.
"""

import random
import time
from pathlib import Path

import pytest
from differential.data_sets import examples
from hostile.child import warm_up
from hostile.loaders import LOADERS
from hostile.mutations import mutated, rebuilt
from hostile.oracle import Broken, outcome
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

ARCHIVES = ("npz", "surface_load", "search_checkpoint", "study_checkpoint", "summary_load")
SECONDS = 20
"""More than any small file may take, also where the machine is busy."""

reproducible = settings(
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
chances = st.integers(0, 2**64 - 1).map(random.Random)


def try_one(loader: str, content: bytes, folder: Path) -> None:
    """Read a file; it must not take long, and nothing may be left beside it."""
    path, start = folder / "file", time.perf_counter()
    path.write_bytes(content)
    outcome(lambda: LOADERS[loader].read(path), path)
    if time.perf_counter() - start > SECONDS:
        raise Broken(f"it took {time.perf_counter() - start:.0f} seconds")
    assert len(list(folder.iterdir())) == 1


@pytest.mark.parametrize("loader", LOADERS)
def test_changed_bytes(loader: str, tmp_path: Path) -> None:
    contents = LOADERS[loader].seeds()
    warm_up(loader, tmp_path / "file")

    @settings(reproducible, max_examples=examples(40).max_examples, deadline=None)
    @given(st.sampled_from(contents), st.sampled_from(contents), chances)
    def check(content: bytes, other: bytes, chance: random.Random) -> None:
        try_one(loader, mutated(content, other, chance), tmp_path)

    check()


@pytest.mark.parametrize("loader", ARCHIVES)
def test_changed_arrays_and_headers(loader: str, tmp_path: Path) -> None:
    contents = LOADERS[loader].seeds()
    warm_up(loader, tmp_path / "file")

    @settings(reproducible, max_examples=examples(60).max_examples, deadline=None)
    @given(st.sampled_from(contents), chances)
    def check(content: bytes, chance: random.Random) -> None:
        try_one(loader, rebuilt(content, chance), tmp_path)

    check()
