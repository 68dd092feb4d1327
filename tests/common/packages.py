"""Packages that need a library of the system, which a bare machine may not have."""

from __future__ import annotations

import os
from typing import Any

import pytest


def light_gbm() -> Any:
    """LightGBM, or a skip that says why; POLYROC_REQUIRE_LIGHTGBM=1 forbids it."""
    try:
        import lightgbm
    except (ImportError, OSError) as error:  # without libgomp it is installed and does not load
        if os.environ.get("POLYROC_REQUIRE_LIGHTGBM") == "1":
            raise
        pytest.skip(f"LightGBM does not load: {error}", allow_module_level=True)
    return lightgbm
