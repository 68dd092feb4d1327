"""The section of ROC curves: a panel per class, and what the scripts need of the curves."""

import math
from typing import Any

import numpy as np

from polyroc.report._content import Content
from polyroc.report._curves import MOST_BANDS, PageCurve
from polyroc.report._figures import line_key, roc_panel
from polyroc.report._markup import Markup, element
from polyroc.report._packing import packed
from polyroc.report._tables import name
from polyroc.report._wording import interval_digits, level_text, limits, number

RATE_STEPS = 65_535
"""Rates are whole numbers of these in the page: three digits are shown."""


def told_first(content: Content) -> str:
    """What is drawn, and of which classes."""
    n_classes = len(content.classes)
    if n_classes == 2:
        return "The second class against the first, by the scores of the second."
    told = "Each class against all others together, by its own scores."
    if len(content.panels) < n_classes:
        mean = " on average over the models" if len(content.models) > 1 else ""
        told += (
            f" Shown are the {len(content.panels)} of {n_classes} classes with the smallest area"
            f"{mean}."
        )
    return told


def told_of_legend(content: Content) -> Markup:
    """What the legend and the marks are, and what pointing and dragging do on a screen."""
    level = level_text(content.level)
    told = f"The legend has the area under each curve with its {level} interval."
    if len(content.models) <= MOST_BANDS:
        told += f" Bands are {level} intervals of a curve at each false positive rate."
    touch = "Point at a curve to read its rates, with their intervals."
    if content.holds_cases and content.cases.scores:
        told += " Diamonds are the decisions of the explorer."
        touch += _dragging(len(content.classes))
    return element("p", told, " ", element("span", touch, class_="hint"), class_="muted")


def _dragging(n_classes: int) -> str:
    """What a threshold does, and where it is right; of two classes there are no others."""
    others = ", and among the other classes by its costs" if n_classes > 2 else ""
    costs = "a false positive costs t and a false negative 1\u00a0−\u00a0t"
    if n_classes > 2:
        costs = (
            "a false positive costs t, a false negative 1\u00a0−\u00a0t, and confusions of the "
            "other classes next to nothing"
        )
    return (
        " Drag along it, or move the slider below it, to set a threshold t on the probability of "
        f"the class: the explorer then classifies cases as this class from t upwards{others}. That "
        f"has the lowest expected cost where {costs}."
    )


def roc_figure(content: Content, k: int) -> Markup:
    """The curves of one class with their areas."""
    curves = content.panels[k]
    bands = [each.band(content.level) for each in curves] if len(curves) <= MOST_BANDS else []
    items = (
        element(
            "li",
            line_key(m),
            name(model.name),
            element("span", area_text(curve), class_="number"),
        )
        for m, (model, curve) in enumerate(zip(content.models, curves, strict=True))
    )
    label = f"ROC curves of {content.classes[k]} against the rest"
    return element(
        "figure",
        element("figcaption", name(content.classes[k])),
        roc_panel([each.curve for each in curves], bands, label),
        element("ul", *items, class_="legend"),
        class_="roc",
        data_class=k,
    )


def area_text(curve: PageCurve) -> str:
    """The area with its interval, as papers print it: "0.912 (0.880–0.940)"."""
    low, high, *_ = curve.area
    value = number(curve.curve.area, interval_digits(low, high))
    return value if math.isnan(low) else f"{value} ({limits(low, high, '–')})"


def curves_data(content: Content) -> dict[str, Any]:
    """Names of the models, and of each panel the class and the points of each curve."""
    return {
        "names": [model.name for model in content.models],
        "panels": [
            {"k": k, "curves": [_curve_data(content, m, each) for m, each in enumerate(curves)]}
            for k, curves in content.panels.items()
        ],
    }


def _curve_data(content: Content, m: int, page: PageCurve) -> dict[str, Any]:
    """Rates and what they rest on; thresholds are scores of cases, so they go where cases go."""
    curve, model = page.curve, content.models[m]
    places = {name: place for place, name in enumerate(content.cases.scores)}
    linked = content.holds_cases and not model.fault
    rates = curve.false_positive_rate, curve.true_positive_rate
    known = content.holds_cases and len(curve.thresholds)
    return {
        "place": places.get(model.name, -1) if linked else -1,
        "rates": [packed(np.rint(RATE_STEPS * each).astype(np.int64)) for each in rates],
        "thresholds": packed(curve.thresholds.astype(np.float32)) if known else None,
        "counts": [_counts(each) for each in (page.false_count, page.true_count)],
    }


def _counts(counts: np.ndarray[Any, Any]) -> float | dict[str, str]:
    """One number where it is the same at every point."""
    if (counts == counts[0]).all():
        return float(counts[0])
    return packed(counts.astype(np.float32))
