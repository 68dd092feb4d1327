"""A plugin of pytest: what Hypothesis generated is told through processes that share the tests.

Hypothesis writes it into the XML itself where the tests run in one process.
"""

import base64
from collections.abc import Generator
from typing import Any

import pytest


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, None]:
    """Keep the statistics of a test with its report, from where pytest writes them."""
    report = (yield).get_result()
    told = getattr(item, "hypothesis_statistics", None)
    if report.when == "teardown" and told is not None and hasattr(item.config, "workerinput"):
        encoded = base64.b64encode(told.encode()).decode()
        report.user_properties.append((f"hypothesis-statistics-{item.nodeid}", encoded))
