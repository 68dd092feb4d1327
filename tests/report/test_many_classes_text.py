"""What a page of many classes, small classes or numbered classes says."""

import numpy as np
import pytest
from report.conftest import make_sample

from polyroc.report._content import gather
from polyroc.report._methods import methods

pytestmark = [pytest.mark.system, pytest.mark.usefixtures("short_search", "one_metric")]


@pytest.fixture
def one_metric(monkeypatch) -> None:
    monkeypatch.setattr("polyroc.report._content.metric_names", lambda _: ["hand_till"])


def test_numbers_of_cases_of_numbered_classes() -> None:
    """Or "178 0, 182 1" would be all that is said of them."""
    y, models = make_sample(3, 60)
    counts = np.bincount(y)
    told = ", ".join(f"{count} of class {k}" for k, count in enumerate(counts))
    assert f"of 3 classes ({told}) by" in methods(gather(y, models))
    named = np.array(["a", "b", "c"])[y]
    told = ", ".join(f"{count} {name}" for name, count in zip("abc", counts, strict=True))
    assert f"of 3 classes ({told}) by" in methods(gather(named, models))
