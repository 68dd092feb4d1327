"""Samples of predictions, and a browser where there is one."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from polyroc.report import write_report


def make_sample(
    n_classes: int, n_cases: int, n_models: int = 2, seed: int = 1
) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """True classes (all present) and probabilities of models of different strength."""
    rng = np.random.default_rng(seed)
    y = np.append(np.arange(n_classes), rng.integers(0, n_classes, n_cases - n_classes))
    models = {}
    for m in range(n_models):
        logits = rng.normal(size=(n_cases, n_classes)) + (1.6 - 0.4 * m) * np.eye(n_classes)[y]
        scores = np.exp(1.3 * logits)
        models[f"model {m}"] = scores / scores.sum(axis=1, keepdims=True)
    return y, models


@pytest.fixture(scope="session")
def sample():
    """The function that makes samples."""
    return make_sample


@pytest.fixture(scope="session")
def example_page(tmp_path_factory) -> Path:
    """The report on the bundled example."""
    from polyroc.datasets import example_predictions

    example = example_predictions()
    path = tmp_path_factory.mktemp("report") / "example.html"
    return write_report(path, example.y_true, example.models, labels=example.labels)


def _chromium() -> str | None:
    return (
        shutil.which("chromium")
        or shutil.which("chromium-browser")
        or shutil.which("google-chrome")
    )


def _skip(reason: str, required: str = "POLYROC_REQUIRE_BROWSER") -> None:
    """Skip, or fail where what is missing is required."""
    if os.environ.get(required) == "1":
        pytest.fail(f"{required}=1, but {reason}")
    pytest.skip(reason)


@pytest.fixture(scope="session")
def chromium() -> Iterator[object]:
    """The system's Chromium, driven by Playwright."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        _skip("playwright is not installed: pip install playwright")
    path = _chromium()
    if path is None:
        _skip("there is no chromium: install it with the packages of the system")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def axe() -> str:
    """The script of axe-core, which POLYROC_AXE names; required where POLYROC_REQUIRE_AXE=1."""
    path = os.environ.get("POLYROC_AXE")
    if path is None:
        _skip("POLYROC_AXE does not name axe.min.js: npm install axe-core", "POLYROC_REQUIRE_AXE")
    return Path(path).read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def shoot():
    """Takes pictures of parts of the page, where POLYROC_SCREENSHOTS names a folder for them."""
    folder = os.environ.get("POLYROC_SCREENSHOTS")

    def take(part, name: str) -> None:
        if folder:
            Path(folder).mkdir(parents=True, exist_ok=True)
            part.screenshot(path=Path(folder) / name)

    return take


class OpenPage:
    """A page in the browser, with what went wrong in it and what it asked the network for."""

    def __init__(self, browser, path: Path, **options) -> None:
        options = {"viewport": {"width": 1280, "height": 900}, **options}
        self.context = browser.new_context(**options)
        self.page = self.context.new_page()
        self.errors: list[str] = []
        self.requests: list[str] = []
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", lambda line: self.errors.append(line.text))
        self.page.on("dialog", lambda dialog: self.errors.append(dialog.message))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(path.as_uri())
        self.page.wait_for_selector("html[data-ready]", state="attached", timeout=10_000)

    def run(self, script: str, argument: object = None):
        return self.page.evaluate(script, argument)

    def check(self) -> None:
        """Nothing went wrong, and the only request was for the page itself."""
        assert self.errors == []
        assert len(self.requests) == 1


@pytest.fixture
def open_page(chromium):
    """Opens pages, checks them at the end, and closes them."""
    opened: list[OpenPage] = []

    def open_one(path: Path, **options) -> OpenPage:
        opened.append(OpenPage(chromium, path, **options))
        return opened[-1]

    yield open_one
    for each in opened:
        each.check()
        each.context.close()


@pytest.fixture
def short_search(monkeypatch) -> None:
    """Surfaces searched only for a moment, where a test is about other things."""
    monkeypatch.setattr("polyroc.report._surfaces.GENERATIONS", 1)
    monkeypatch.setattr("polyroc.report._surfaces.GINI_SAMPLES", 1000)
