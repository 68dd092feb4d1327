"""Recalibration against R's nnet::multinom."""

import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from polyroc.calibration import recalibration

SCRIPT = Path(__file__).with_name("multinom.R")


@pytest.fixture(scope="module")
def program():
    """Rscript, if it has nnet."""
    found = shutil.which("Rscript")
    loads = found and not subprocess.call([found, "-e", "library(nnet)"], stderr=subprocess.DEVNULL)
    if not loads and not os.environ.get("POLYROC_REQUIRE_R"):
        pytest.skip("no R with nnet")
    return found


def answer_of_r(program, folder, codes, logs):
    file = folder / "cases.txt"
    np.savetxt(file, np.column_stack([codes + 1, logs]), fmt="%.17g")
    said = subprocess.check_output([program, str(SCRIPT), str(file)], text=True)
    return np.array(said.split(), dtype=float)


def data(n_classes, n_cases, seed):
    """Probabilities that are too extreme and shifted, of classes drawn from the true ones."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=(n_cases, n_classes)) + np.linspace(0, 1, n_classes)
    given = 1.5 * truth + rng.normal(scale=0.7, size=truth.shape)
    drawn = np.argmax(truth + rng.gumbel(size=truth.shape), axis=1)
    logs = given - np.log(np.exp(given).sum(axis=1, keepdims=True))
    return drawn, logs


def test_intercepts_and_slopes(program, tmp_path):
    for n_classes, n_cases, seed in [(2, 200, 0), (3, 400, 1), (5, 900, 2)]:
        codes, logs = data(n_classes, n_cases, seed)
        found = recalibration(codes, np.exp(logs))
        n = n_classes - 1
        intercepts, full, likelihoods = np.split(
            answer_of_r(program, tmp_path, codes, logs), [n, n + n * n_classes]
        )
        np.testing.assert_allclose(found.intercepts, intercepts, rtol=0, atol=1e-5)
        full = full.reshape(n, n_classes)
        np.testing.assert_allclose(found.intercepts_beside_slopes, full[:, 0], rtol=0, atol=1e-5)
        np.testing.assert_allclose(found.slopes, full[:, 1:], rtol=0, atol=1e-5)
        ours = [found.log_likelihoods[name] for name in ("as_given", "intercepts", "full")]
        np.testing.assert_allclose(ours, likelihoods, rtol=1e-9)
        assert np.all(np.diag(found.slopes) < 0.9)
