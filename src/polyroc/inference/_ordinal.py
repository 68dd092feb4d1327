"""``estimate_ordinal_vus``: the volume of one ordered marker with its interval."""

from dataclasses import replace
from typing import Any

from polyroc._base.random import seed_of
from polyroc.inference._estimates import estimate_metrics
from polyroc.inference._influence import CaseDesign
from polyroc.inference._options import Bootstrap, IntervalMethod, interval_method
from polyroc.metrics.folds import statistics_of
from polyroc.metrics.ordinal import ORDINAL_VUS, marked_predictions
from polyroc.results import Estimate
from polyroc.typing import LabelsLike, RandomState, WeightsLike


def estimate_ordinal_vus(
    y_true: LabelsLike,
    marker: LabelsLike,
    *,
    labels: LabelsLike | None = None,
    sample_weight: WeightsLike | None = None,
    groups: Any = None,
    folds: Any = None,
    interval: IntervalMethod | None = "influence",
    rng: RandomState = None,
) -> Estimate:
    """The volume under the surface of one ordered marker, with its standard error and interval.

    Parameters
    ----------
    y_true, marker : the true class of each case, and its value of the marker.
    labels : the classes in the order in which the marker is to rise; by default the sorted ones, or
        the order of the categories.
    sample_weight : weight of each case.
    groups : group of each case where cases are not independent, or a :class:`polyroc.Design`.
    folds : the fold in which the marker of each case was computed: values are means over folds.
    interval : ``"influence"``, ``"bootstrap"`` or a :class:`polyroc.Bootstrap`, or None: no errors.
    rng : seed of the bootstrap.

    Returns
    -------
    Estimate
        ``value``, ``standard_error``, ``interval(level)``, ``test(against)``.

    Examples
    --------
    >>> from polyroc import estimate_ordinal_vus
    >>> stage = ["early", "early", "early", "mid", "mid", "mid", "late", "late", "late"]
    >>> marker = [1.0, 2.0, 4.0, 3.0, 5.0, 6.0, 5.5, 7.0, 8.0]
    >>> estimate_ordinal_vus(stage, marker, labels=["early", "mid", "late"])
    ordinal_vus = 0.7778 (95 % interval 0.2690 to 0.9708)
    """
    method = interval_method(interval)
    given = {"sample_weight": sample_weight, "folds": folds}
    predictions = marked_predictions(y_true, marker, labels, **given)
    design = CaseDesign.of(groups, predictions)
    if isinstance(method, Bootstrap):
        from polyroc.inference._bootstrap import bootstrap_estimates

        seeded = method if method.rng is not None else replace(method, rng=seed_of(rng))
        return bootstrap_estimates(predictions, [ORDINAL_VUS], design, None, seeded)[0]
    statistics = statistics_of(predictions)
    return estimate_metrics(statistics, [ORDINAL_VUS], design, None, method is not None)[0]
