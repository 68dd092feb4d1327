"""The sections on probabilities: can they be trusted, and is deciding by them of use?"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyroc.calibration import calibration_curves, calibration_error, cost_calibration
from polyroc.calibration._curves import ReliabilityCurve
from polyroc.calibration._error import SEED, CalibrationError, p_text
from polyroc.report._content import Content, ModelContent
from polyroc.report._curves import MOST_BANDS, MOST_CURVES
from polyroc.report._figures import N_COLOURS, line_key
from polyroc.report._markup import Markup, element
from polyroc.report._panels import Band, Frame, Line, panel
from polyroc.report._tables import head, key, name, right, scrolled
from polyroc.report._wording import interval_digits, limits, number, p_number, share
from polyroc.typing import Float64Array, Int64Array

BINS = 8
THRESHOLDS = np.arange(1, 50) / 50
TITLES = ("Calibration error", "If calibrated", "p", "Errors expected", "Errors observed")
CURVE = Frame("probability", "share that is true")


def usable(content: Content) -> list[tuple[int, ModelContent]]:
    """Models whose scores are probabilities, with their places."""
    return [(m, model) for m, model in enumerate(content.models) if not model.fault]


def _groups(content: Content, model: ModelContent) -> Int64Array | None:
    """Groups of the cases, unless the predictions of the model hold them."""
    return content.groups if model.predictions.groups is None else None


def error_of(content: Content, model: ModelContent) -> CalibrationError:
    """The calibration error of the most probable class, as ``polyroc calibration`` has it."""
    groups = _groups(content, model)
    return calibration_error(model.predictions, groups=groups, rng=SEED)


def calibration_table(content: Content) -> Markup:
    """A row per model: calibration error, and errors expected and observed."""
    titles = head("Model", *(right(title) for title in TITLES))
    rows = [_row(content, m, model) for m, model in usable(content)]
    table = element("table", titles, element("tbody", *rows), class_="calibration stacked")
    return scrolled(table, "Calibration of each model")


def _row(content: Content, m: int, model: ModelContent) -> Markup:
    error = error_of(content, model)
    paid = cost_calibration(model.predictions)  # groups change its standard error alone
    low, high, *_ = error.interval(content.level)
    interval = "no interval" if math.isnan(low) else limits(low, high)
    cells = [
        (number(error.debiased, interval_digits(low, high)), interval),
        (number(error.under_calibration), ""),
        (p_text(error, p_number).replace(" ", "\u00a0"), ""),
        (share(paid.expected, 1), ""),
        (share(paid.observed, 1), ""),
    ]
    return element(
        "tr",
        element("th", key(m), name(model.name), scope="row"),
        *(
            element(
                "td",
                text,
                element("small", small) if small else None,
                class_="number",
                data_label=title,
            )
            for title, (text, small) in zip(TITLES, cells, strict=True)
        ),
    )


def calibration_figures(content: Content) -> Markup:
    """Reliability curves: of the most probable class, then of each class of few."""
    curves = {
        m: calibration_curves(
            model.predictions, groups=_groups(content, model), bins=BINS, level=content.level
        )
        for m, model in usable(content)
    }
    tops = {m: each.top_label for m, each in curves.items()}
    panels = [_reliability(content, "Most probable class", tops)]
    if 2 < len(content.classes) <= MOST_CURVES:
        for label, shown in zip(content.predictions.classes, content.classes, strict=True):
            panels.append(
                _reliability(content, shown, {m: c.classes[label] for m, c in curves.items()})
            )
    return element("div", *panels, class_="panels")


def _reliability(content: Content, title: str, curves: dict[int, ReliabilityCurve]) -> Markup:
    lines = [Line([0.0, 1.0], [0.0, 1.0], "chance")]
    for m, curve in curves.items():
        x, y = curve.probability.tolist(), curve.share.tolist()
        lines.append(Line.of_model(m, x, y, marks=True))
    caption = element("figcaption", name(title))
    names = {m: content.models[m].name for m in curves}
    bands = [_band(m, curve) for m, curve in curves.items()] if banded(content) else []
    figure = panel(CURVE, lines, f"Calibration: {title}", bands)
    return element("figure", caption, figure, _legend({m: (names[m], "") for m in names}))


def banded(content: Content) -> bool:
    """Whether curves have bands: those of many models would cover each other."""
    return len(usable(content)) <= MOST_BANDS


def _band(m: int, curve: ReliabilityCurve) -> Band:
    edges = curve.probability.tolist(), curve.low.tolist(), curve.high.tolist()
    return Band(*edges, f"band model-{m % N_COLOURS}")


def _legend(entries: dict[int, tuple[str, str]]) -> Markup:
    items = (
        element("li", line_key(m), name(model), element("span", text, class_="number"))
        for m, (model, text) in entries.items()
    )
    return element("ul", *items, class_="legend")


class Benefit(NamedTuple):
    """Net benefit at each threshold of acting by a model, and of acting on all cases."""

    model: Float64Array
    everyone: Float64Array

    def useful(self) -> tuple[float, float] | None:
        """The longest range of thresholds at which the model beats acting on all and on none."""
        above = self.model > np.maximum(self.everyone, 0.0) + 1e-12
        best: tuple[int, int] | None = None
        start = None
        for place, inside in enumerate([*above.tolist(), False]):
            if inside and start is None:
                start = place
            elif not inside and start is not None:
                if best is None or place - start > best[1] - best[0]:
                    best = start, place
                start = None
        return None if best is None else (THRESHOLDS[best[0]], THRESHOLDS[best[1] - 1])


def net_benefit(model: ModelContent, k: int) -> Benefit:
    """Of acting on class k where its probability is at least the threshold."""
    predictions = model.predictions
    weights = predictions.case_weights / predictions.case_weights.sum()
    p = np.asarray(predictions.probabilities("Net benefit"), dtype=np.float64)[:, k]
    true = predictions.codes == k
    reached = np.searchsorted(THRESHOLDS, p + 1e-12, side="right")
    odds = THRESHOLDS / (1 - THRESHOLDS)
    hits, false = (_at_least(reached, weights * each) for each in (true, ~true))
    prior = float(weights[true].sum())
    return Benefit(hits - false * odds, prior - (1 - prior) * odds)


def _at_least(reached: NDArray[np.intp], weights: Float64Array) -> Float64Array:
    """Weight of the cases that reach each threshold."""
    sums = np.bincount(reached, weights, len(THRESHOLDS) + 1)
    return np.asarray(np.cumsum(sums[::-1])[::-1][1:])


def _drawn(content: Content) -> list[int]:
    """Each class of few; of two, the second; of many, the most frequent."""
    n_classes = len(content.classes)
    if n_classes == 2:
        return [1]
    if n_classes <= MOST_CURVES:
        return list(range(n_classes))
    order: list[int] = np.argsort(-content.predictions.priors, kind="stable").tolist()
    return order[:MOST_CURVES]


def benefit_figures(content: Content) -> Markup:
    """A panel per class that is drawn."""
    return element("div", *(_benefit_panel(content, k) for k in _drawn(content)), class_="panels")


def hides_everyone(content: Content) -> bool:
    """Whether acting on all cases is, in some panel, below its edge at every threshold."""
    odds = THRESHOLDS[0] / (1 - THRESHOLDS[0])
    priors = content.predictions.priors[_drawn(content)]
    return bool((priors - (1 - priors) * odds < -priors / 4).any())


def _benefit_panel(content: Content, k: int) -> Markup:
    found = {m: net_benefit(model, k) for m, model in usable(content)}
    prior = float(content.predictions.priors[k])
    frame = Frame("threshold probability", "net benefit", -prior / 4, prior)
    everyone = next(iter(found.values())).everyone
    places = THRESHOLDS.tolist()
    lines = [
        Line([0.0, 1.0], [0.0, 0.0], "chance"),
        Line(places, everyone.tolist(), "chance"),
    ]
    lines += [Line.of_model(m, places, each.model.tolist()) for m, each in found.items()]
    told = {}
    for m, each in found.items():
        ends = each.useful()
        text = "of no use" if ends is None else f"{ends[0]:.2f}–{ends[1]:.2f}"
        told[m] = (content.models[m].name, text)
    caption = element("figcaption", name(content.classes[k]))
    figure = panel(frame, lines, f"Net benefit of acting on {content.classes[k]}")
    return element("figure", caption, figure, _legend(told))
