"""The skeleton of the cost explorer, which the scripts of the page fill in."""

from polyroc.report._content import Content
from polyroc.report._markup import Markup, element
from polyroc.report._sections import paragraph, section
from polyroc.report._surfaces import MOST_CLASSES


def explorer(content: Content) -> Markup:
    """Controls and pictures; a sentence where no model has probabilities."""
    if not content.cases.scores:
        reason = "Costs need probabilities, and no model here has them: see the summary."
        return section("explorer", "Cost explorer", paragraph(reason))
    if not content.holds_cases:
        reason = (
            "This page was written without its cases, which the explorer needs: it has no scores, "
            "true classes or names of single cases."
        )
        return section("explorer", "Cost explorer", paragraph(reason))
    return section(
        "explorer",
        "Cost explorer",
        paragraph(
            "Set the cost of each confusion and see how cases are then classified: every case gets "
            "the decision with the lowest expected cost."
        ),
        element("noscript", paragraph("The explorer needs JavaScript; the other sections do not.")),
        element("p", id="explorer-summary", class_="lead"),
        element("p", id="explorer-calibration", class_="muted"),
        element("p", id="explorer-live", class_="hidden", role="status", aria_live="polite"),
        element(
            "div",
            element("div", _controls(content), _export(), class_="column"),
            element("div", _views(content), class_="column"),
            class_="explorer",
        ),
        _cases(),
    )


def _controls(content: Content) -> Markup:
    options = [element("option", model, value=k) for k, model in enumerate(content.cases.scores)]
    return element(
        "form",
        element("label", "Model", for_="model"),
        element("select", *options, id="model"),
        _slices() if content.cases.slices else None,
        _modes() if content.surfaces else _left_out(content),
        element("div", id="cost-controls"),
        element("div", id="limit-controls", hidden=True),
        _practice(),
        id="controls",
        class_="panel-box",
        autocomplete="off",
    )


def _left_out(content: Content) -> Markup:
    """Why there is neither a surface nor limits on its rates."""
    n_rates = len(content.classes) * (len(content.classes) - 1)
    return paragraph(
        f"Limits on error rates and the ROC surface are for up to {MOST_CLASSES} classes: "
        f"{len(content.classes)} classes have {n_rates:,} error rates, too many to search here.",
        class_="muted",
    )


def _slices() -> Markup:
    """Which cases are in view; the slices are filled in."""
    every = element("option", "All", value="")
    label = element("label", "Cases", for_="slice")
    return element("p", label, " ", element("select", every, id="slice"), class_="slices")


def _practice() -> Markup:
    """Shares of the classes where decisions are made, and whether cases may be referred."""
    referring = element("input", type="checkbox", id="may-refer")
    return element(
        "div",
        element("div", element("label", referring, " Refer cases to a person"), id="referral"),
        element(
            "details",
            element("summary", "Shares of the classes in practice"),
            element("div", id="shares"),
        ),
        id="practice",
    )


def _modes() -> Markup:
    """Costs, or limits on rates, which need the points of a surface to choose from."""
    costs = element("input", type="radio", name="mode", value="costs", checked=True)
    limits = element("input", type="radio", name="mode", value="limits", id="mode-limits")
    return element(
        "fieldset",
        element("legend", "What do you know?"),
        element("label", costs, " Costs of confusions"),
        element("label", limits, " Limits on error rates"),
        class_="modes",
    )


def _export() -> Markup:
    return element(
        "div",
        element("h3", "Use these costs in Python"),
        element("pre", id="python", tabindex="0", role="region", aria_label="Costs as Python"),
        element(
            "p",
            element("button", "Copy as Python", type="button", id="copy-python"),
            element("button", "Copy as JSON", type="button", id="copy-json"),
            element("span", id="copied", role="status", class_="muted"),
            class_="buttons",
        ),
        class_="panel-box export",
    )


def _views(content: Content) -> Markup:
    parts = [_figure("confusion", "Decisions", element("div", id="confusion"))]
    pictures = [_canvas("simplex", _simplex_title(len(content.classes)))]
    if content.surfaces:
        kind = "surface" if len(content.classes) > 2 else "curve"
        pictures.append(_canvas("surface-view", f"Position on the ROC {kind}"))
    parts.append(element("div", *pictures, class_="pictures"))
    costs = element("div", id="model-costs")
    every = " of every model" if len(content.cases.scores) > 1 else ""
    parts.append(_figure("model-costs", f"Cost per case{every}", costs))
    return element("div", *parts)


def _simplex_title(n_classes: int) -> str:
    if n_classes == 2:
        return "Cases by probability"
    return "Cases and decision regions" if n_classes == 3 else "Cases by two probabilities"


def _figure(anchor: str, title: str, content: Markup) -> Markup:
    return element("div", element("h3", title, id=f"{anchor}-heading"), content, class_="panel-box")


def _canvas(anchor: str, title: str) -> Markup:
    canvas = element(
        "canvas",
        id=anchor,
        tabindex="0",
        role="img",
        aria_labelledby=f"{anchor}-heading",
        aria_describedby=f"{anchor}-told",
    )
    return element(
        "div",
        element("h3", title, id=f"{anchor}-heading"),
        element("div", id=f"{anchor}-choice", class_="choice"),
        element("div", canvas, element("div", class_="tip", hidden=True), class_="picture"),
        element("p", id=f"{anchor}-told", class_="muted"),
        class_="panel-box",
    )


def _cases() -> Markup:
    return element(
        "div",
        element("h3", "Cases of one cell", id="cases-heading"),
        element("div", id="cases"),
        class_="panel-box",
    )
