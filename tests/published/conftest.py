"""Public test vectors: data and numbers of other packages, kept outside the repository."""

from pathlib import Path

import pandas as pd
import pytest

VECTORS = Path(__file__).parents[2] / ".." / "shared" / "vectors"


@pytest.fixture(scope="session")
def vector():
    """Read a data file of the vectors by name, or skip where that folder is not there."""
    if not VECTORS.is_dir():
        pytest.skip(f"the public test vectors are not at {VECTORS.resolve()}")

    def read(name, **options):
        return pd.read_csv(VECTORS / f"{name}.csv", **options)

    return read
