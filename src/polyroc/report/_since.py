"""The section on an earlier report: each metric before and now."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from polyroc._base.levels import two_sided_quantile
from polyroc._base.wording import plural
from polyroc.errors import InvalidInput
from polyroc.metrics import registry
from polyroc.predictions._classes import some_of
from polyroc.report._content import Content
from polyroc.report._earlier import Earlier, Known, is_over_folds
from polyroc.report._markup import Markup, element
from polyroc.report._tables import difference_texts, head, name, right, scrolled, symbol
from polyroc.report._wording import level_text, number
from polyroc.results import Estimate


class Change(NamedTuple):
    """A metric of one model, then and now; limits of the difference, if there are any."""

    metric: str
    model_then: str
    model: str
    before: float
    now: float
    low: float
    high: float

    @property
    def difference(self) -> float:
        return self.now - self.before


def check_comparable(content: Content) -> None:
    """Refuse an earlier report on other classes, or without a model to compare with."""
    if content.earlier is None:
        return
    earlier, classes = content.earlier, content.classes
    same = set(earlier.classes) == set(classes) and len(earlier.classes) == len(classes)
    if not same or (len(classes) == 2 and earlier.classes != classes):
        raise InvalidInput(
            f"The earlier report {earlier.source!r} is about the classes "
            f"{some_of(earlier.classes)}; these predictions have {some_of(classes)}. Pass an "
            "earlier report on the same classes."
        )
    names = [model.name for model in content.models]
    if not paired(content, earlier):
        raise InvalidInput(
            f"The earlier report {earlier.source!r} has the models "
            f"{some_of(list(earlier.models))}, none of which is among {some_of(names)}. Name "
            "models as they were named then."
        )
    if not changes(content, earlier):
        metrics = {metric: None for values in earlier.models.values() for metric in values}
        raise InvalidInput(
            f"The earlier report {earlier.source!r} has the metrics {some_of(list(metrics))} of "
            f"these models, none of which is among {some_of(list(content.models[0].evaluation))}. "
            "Pass an earlier report with one of these metrics."
        )


def paired(content: Content, earlier: Earlier) -> dict[str, str]:
    """From each model to the earlier one: of the same name, or the only ones on both sides."""
    names = [model.name for model in content.models]
    found = {each: each for each in names if each in earlier.models}
    if not found and len(names) == len(earlier.models) == 1:
        return {names[0]: next(iter(earlier.models))}
    return found


def changes(content: Content, earlier: Earlier) -> list[Change]:
    """A row per metric that both have, and model."""
    pairs = paired(content, earlier)
    found = []
    for metric in content.models[0].evaluation:
        for model in content.models:
            then = pairs.get(model.name)
            if then is None or metric not in earlier.models[then]:
                continue
            before, now = earlier.models[then][metric], model.evaluation[metric]
            known = _known(now)
            limits = math.nan, math.nan
            if earlier.other_cases:
                limits = _limits(before, known, content.level)
            found.append(Change(metric, then, model.name, before.value, now.value, *limits))
    return found


def _known(now: Estimate) -> Known:
    folds = is_over_folds(now.settings)
    return Known(now.value, now.standard_error, now.degrees_of_freedom, folds)


def _limits(before: Known, now: Known, level: float) -> tuple[float, float]:
    """Of the difference of independent samples, by Welch's t."""
    parts = [each.standard_error**2 for each in (before, now)]
    variance = sum(parts)
    if not variance > 0:  # also where one is unknown
        return math.nan, math.nan
    freedoms = before.degrees_of_freedom, now.degrees_of_freedom
    spread = sum(part**2 / freedom for part, freedom in zip(parts, freedoms, strict=True))
    freedom = variance**2 / spread if spread > 0 else math.inf
    reach = two_sided_quantile(level, freedom) * math.sqrt(variance)
    return now.value - before.value - reach, now.value - before.value + reach


def since_text(content: Content, earlier: Earlier) -> str:
    """Which report, of which cases, and what is known of differences."""
    told = (
        f"Compared with {earlier.source} ({earlier.made}), on {plural(earlier.n_cases, 'case')}; "
        f"this report is on {plural(len(content.predictions), 'case')}. "
    )
    if earlier.other_cases:
        return told + (
            "The cases are different ones, as stated when this page was written: intervals of "
            "differences are those of independent samples, where both values have a standard "
            f"error.{_folds(content, earlier)}{_only(content, earlier)}"
        )
    counts = content.predictions.class_counts.tolist()
    if dict(earlier.counts) == dict(zip(content.classes, counts, strict=True)):
        told += "It has as many cases of each class, as if they were the same. "
    return told + (
        "It does not say which cases it is about, so differences have no interval and no test "
        "here. If the cases are the same, polyroc compare tests both files of predictions case by "
        "case; if they are others, --other-cases gives intervals."
        f"{_folds(content, earlier)}{_only(content, earlier)}"
    )


def _folds(content: Content, earlier: Earlier) -> str:
    """That values are means over folds on one side alone: they are not of the same quantity."""
    then = any(each.over_folds for values in earlier.models.values() for each in values.values())
    now = any(
        is_over_folds(each.settings)
        for model in content.models
        for each in model.evaluation.values()
    )
    if then == now:
        return ""
    over, other = ("there", "here") if then else ("here", "there")
    return (
        f" Values are means over folds {over} and of all cases together {other}: they differ by "
        "that, too."
    )


def _only(content: Content, earlier: Earlier) -> str:
    """Models without a counterpart."""
    pairs = paired(content, earlier)
    gone = [each for each in earlier.models if each not in pairs.values()]
    new = [model.name for model in content.models if model.name not in pairs]
    told = f" Only there: {some_of(gone)}." if gone else ""
    return told + (f" Only here: {some_of(new)}." if new else "")


def since_table(content: Content, rows: Sequence[Change]) -> Markup:
    """Before, now, difference, and its interval where there is one."""
    bounded = any(not math.isnan(row.low) for row in rows)
    titles = ["Metric", "Model", right("Earlier"), right("Now"), right("Difference")]
    titles += [right(f"{level_text(content.level)} interval")] if bounded else []
    body = [_row(row, bounded) for row in rows]
    table = element("table", head(*titles), element("tbody", *body), class_="since")
    return scrolled(table, "Since the earlier report")


def _row(row: Change, bounded: bool) -> Markup:
    declared = registry[row.metric]
    change, interval = difference_texts(row.difference, row.low, row.high)
    then = None if row.model == row.model_then else element("small", "then ", name(row.model_then))
    worse = None if declared.sign > 0 else element("small", "lower is better")
    return element(
        "tr",
        element("th", symbol(declared.symbol), worse, scope="row"),
        element("td", name(row.model), then),
        *(
            element("td", "–" if math.isnan(each) else number(each), class_="number")
            for each in (row.before, row.now)
        ),
        element("td", change, class_="number"),
        element("td", interval, class_="number") if bounded else None,
    )
