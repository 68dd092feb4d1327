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


@pytest.fixture(scope="module")
def otherwise(tmp_path_factory: pytest.TempPathFactory) -> dict[str, np.ndarray]:
    """Results of a process that interprets kernels if this one compiles them, or the reverse."""
    path = tmp_path_factory.mktemp("results") / "results.npz"
    mode = {"NUMBA_DISABLE_JIT": "0" if numba.config.DISABLE_JIT else "1"}
    command = [sys.executable, "-W", "error", str(Path(workloads.__file__)), str(path)]
    subprocess.run(command, env=os.environ | mode, check=True)
    with np.load(path) as results:
        return dict(results)


def test_compiled_and_interpreted_results_are_the_same_bits(
    otherwise: dict[str, np.ndarray],
) -> None:
    results = dict(workloads.results())
    assert results.keys() == otherwise.keys()
    for name, here in results.items():
        there = otherwise[name]
        assert here.size and np.isfinite(here).all() and here.any(), name
        assert (here.dtype, here.shape) == (there.dtype, there.shape), name
        if name in ROUNDED:
            np.testing.assert_allclose(here, there, rtol=ROUNDED[name], err_msg=name)
        else:
            assert here.tobytes() == there.tobytes(), name
