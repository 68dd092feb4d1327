"""Kernels give the same bits compiled and interpreted, so tests of the one hold for the other.

Coverage of kernels is measured without the compiler, whose code it cannot see.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest
from kernels import workloads

ROUNDED = {"neighbours": 4e-16}
"""Compiled or not, exp comes from another library, and the last digit may differ."""


def in_another_process(folder: Path, interpreted: bool) -> dict[str, np.ndarray]:
    """Results of a process that interprets the kernels, or compiles them or finds them compiled."""
    path, mode = folder / "results.npz", {"NUMBA_DISABLE_JIT": str(int(interpreted))}
    command = [sys.executable, "-W", "error", str(Path(workloads.__file__)), str(path)]
    subprocess.run(command, env=os.environ | mode, check=True)
    with np.load(path) as results:
        return dict(results)


@pytest.mark.system
def test_compiled_and_interpreted_results_are_the_same_bits(tmp_path: Path) -> None:
    results = dict(workloads.results())
    otherwise = in_another_process(tmp_path, interpreted=not numba.config.DISABLE_JIT)
    assert results.keys() == otherwise.keys()
    for name, here in results.items():
        there = otherwise[name]
        assert here.size and np.isfinite(here).all() and here.any(), name
        assert (here.dtype, here.shape) == (there.dtype, there.shape), name
        if name in ROUNDED:
            np.testing.assert_allclose(here, there, rtol=ROUNDED[name], err_msg=name)
        else:
            assert here.tobytes() == there.tobytes(), name


@pytest.mark.system
@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")
def test_a_process_that_finds_all_kernels_compiled_gives_the_same_bits(tmp_path: Path) -> None:
    """They are loaded before Numba's compiler is ready, so each must need nothing of it."""
    results = dict(workloads.results())
    loaded = in_another_process(tmp_path, interpreted=False)
    assert {name: each.tobytes() for name, each in results.items()} == {
        name: each.tobytes() for name, each in loaded.items()
    }
