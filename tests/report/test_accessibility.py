"""Everybody can read and use the page: what axe-core finds, names of links, and the keyboard.

POLYROC_AXE names the file axe.min.js of axe-core, which is not part of this repository:
``npm install --prefix FOLDER axe-core`` puts it at FOLDER/node_modules/axe-core/axe.min.js, and the
package axe-playwright-python of PyPI contains it.
"""

import numpy as np
import pytest

from polyroc.report import write_report

pytestmark = pytest.mark.browser

WIDTHS = (390, 768, 1280)

# A scheme changes colours and nothing else.
AXE = """async (scheme) => {
  const rules = scheme === "dark" ? { runOnly: ["color-contrast", "link-in-text-block"] } : {};
  const { violations } = await axe.run(document, { resultTypes: ["violations"], ...rules });
  return violations.map(({ impact, id, nodes }) =>
    `${impact} ${id}: ${nodes.map((each) => each.html.slice(0, 90)).slice(0, 5).join(" | ")}`);
}"""

UNFOLD = "() => document.querySelectorAll('details').forEach((each) => { each.open = true })"


def unequal_models(n_classes: int, n_cases: int) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """A good model and one that guesses, so that cells have every shade."""
    rng = np.random.default_rng(n_classes)
    y = np.append(np.arange(n_classes), rng.integers(0, n_classes, n_cases - n_classes))
    own = np.eye(n_classes)[y]
    logits = {"a good model": 3 * own, "a model that guesses": 0.1 * own}
    scores = {name: np.exp(each + rng.normal(size=own.shape)) for name, each in logits.items()}
    names = np.array([f"class {k}" for k in range(n_classes)])
    return names[y], {name: p / p.sum(axis=1, keepdims=True) for name, p in scores.items()}


@pytest.mark.parametrize("n_classes", [2, 3, 10, pytest.param(150, marks=pytest.mark.slow)])
def test_axe_finds_nothing(n_classes, axe, tmp_path, open_page, monkeypatch, short_search) -> None:
    """At three widths, light and dark, with all that can be folded open."""
    names = {2: ["roc_auc"], 3: ["hand_till", "aunu"]}.get(n_classes, ["hand_till"])
    monkeypatch.setattr("polyroc.report._content.metric_names", lambda _: names)
    y, models = unequal_models(n_classes, 60 + 4 * n_classes)
    path = write_report(tmp_path / "page.html", y, models)
    found = {}
    for scheme in ("light", "dark"):
        page = open_page(path, color_scheme=scheme, bypass_csp=True).page
        page.evaluate(axe)
        page.evaluate(UNFOLD)
        page.click("#confusion .cell >> nth=0")
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            found[scheme, width] = page.evaluate(AXE, scheme)
    print(f"\n{n_classes} classes:", found)
    assert not any(found.values()), found


LINKS = """() => [...document.querySelectorAll("a[href]")].map((link) =>
  [link.textContent.replace(/\\s+/g, " ").trim(), link.getAttribute("href")])"""

REACHABLE = """() => {
  const all = document.querySelectorAll("a[href], button, input, select, summary, [tabindex='0']");
  const visible = [...all].filter((each) => each.checkVisibility());
  visible.forEach((each, k) => { each.dataset.place = String(k); });
  const turns = visible.filter((each) => each.type !== "radio" || each.checked);
  return turns.map((each) => each.dataset.place);
}"""


def test_everything_by_keyboard(example_page, open_page) -> None:
    """The skip link comes first; then every link and control has its turn, and is seen."""
    page = open_page(example_page).page
    page.keyboard.press("Tab")
    box = page.locator(":focus").bounding_box()
    assert page.inner_text(":focus") == "Skip to the summary"
    assert box["x"] >= 0 and box["y"] >= 0
    page.keyboard.press("Enter")
    assert page.evaluate("() => location.hash") == "#summary"
    page.keyboard.press("Tab")
    inside = "() => document.activeElement.closest('section').id"
    assert page.evaluate(inside) == "summary"
    links = page.evaluate(LINKS)
    targets = dict(links)
    assert all(targets[name] == target for name, target in links)  # one name, one target
    page = open_page(example_page).page
    wanted, reached = page.evaluate(REACHABLE), []
    for _ in wanted:
        page.keyboard.press("Tab")
        reached.append(page.evaluate("() => document.activeElement.dataset.place ?? ''"))
    assert set(wanted) == set(reached)
