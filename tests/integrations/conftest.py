"""Packages that polyroc works with; with POLYROC_REQUIRE_INTEGRATIONS=1 a missing one fails."""

from __future__ import annotations

import importlib
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest


def package(name: str) -> Any:
    """A package, or a skip that says which is missing."""
    if os.environ.get("POLYROC_REQUIRE_INTEGRATIONS") == "1":
        return importlib.import_module(name)
    return pytest.importorskip(name, reason=f"{name} is not installed")


@pytest.fixture(scope="session")
def xgboost() -> Any:
    return package("xgboost")


@pytest.fixture(scope="session")
def catboost() -> Any:
    return package("catboost")


@pytest.fixture(scope="session")
def torch() -> Any:
    package("torchmetrics")
    return package("torch")


@pytest.fixture
def mlflow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """MLflow with a store of files of its own."""
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    monkeypatch.setenv("MLFLOW_ENABLE_ASYNC_LOGGING", "false")
    found = package("mlflow")
    before = found.get_tracking_uri()
    found.set_tracking_uri((tmp_path / "store").as_uri())
    yield found
    found.end_run()
    found.set_tracking_uri(before)


@pytest.fixture(scope="session")
def nbconvert() -> Any:
    package("ipykernel")
    return package("nbconvert")


@pytest.fixture(scope="session")
def lightning() -> Any:
    return package("lightning")


@pytest.fixture
def keras(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Keras on PyTorch."""
    monkeypatch.setenv("KERAS_BACKEND", "torch")
    return package("keras")


@pytest.fixture
def wandb(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Weights & Biases without a network."""
    monkeypatch.setenv("WANDB_MODE", "offline")
    found = package("wandb")
    yield found
    found.teardown()


@pytest.fixture(scope="session")
def skore() -> Any:
    return package("skore")


@pytest.fixture(scope="session")
def transformers() -> Any:
    package("accelerate")
    return package("transformers")


@pytest.fixture(scope="session")
def reticulate() -> str:
    """Rscript with reticulate and nnet, or a skip that says which is missing."""
    command = ["Rscript", "-e", "library(reticulate); library(nnet)"]
    found = shutil.which("Rscript") and subprocess.run(command, capture_output=True).returncode == 0
    if not found and os.environ.get("POLYROC_REQUIRE_INTEGRATIONS") != "1":
        pytest.skip("R with reticulate and nnet is not installed")
    assert found, "R with reticulate and nnet is not installed"
    return "Rscript"
