"""G, δ and the comparison of two surfaces, with the uncertainty of the cases."""

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from polyroc._base.levels import two_sided_quantile
from polyroc._base.parallel import thread_count
from polyroc._base.tables import text_table
from polyroc.errors import NotDefined
from polyroc.results import Estimate, Interval, Note
from polyroc.surface import _gini as volumes
from polyroc.surface._certainty import (
    AT_EDGE,
    Effect,
    Unknown,
    check_paired,
    effect_of,
    joined,
    model_with_cases,
    of_samples,
    on_selection,
    same_cases,
    with_cases,
    without_cases,
)
from polyroc.surface._gradient import gini_slopes
from polyroc.typing import Float64Array

if TYPE_CHECKING:
    import pandas as pd

    from polyroc.surface._front import RocSurface

PAIRED = Note("paired-cases", "paired: labels and weights of both surfaces agree row by row")
INDEPENDENT = Note("independent-cases", "the surfaces have different cases, treated as independent")
UNPAIRED = Note(
    "independent-cases",
    "the cases of the surfaces are treated as independent, although labels and weights of both "
    "agree row by row",
)


def gini_of(surface: "RocSurface", options: dict[str, Any]) -> Estimate:
    """G of a surface with the standard error of its cases."""
    found = volumes.gini(surface.rates, surface.n_classes, **options)
    try:
        spread, cases = joined([_gini_effect(surface, found, options)], paired=True)
    except Unknown as unknown:
        return without_cases(found, unknown.note)
    return with_cases(found, spread, cases, [on_selection([surface])])


def delta_of(x: "RocSurface", y: "RocSurface", options: dict[str, Any]) -> Estimate:
    """δ(X, Y) = G(X ∪ Y) − G(Y), with the standard error of the cases of both."""
    found = volumes.delta(x.rates, y.rates, x.n_classes, **options)
    of_both = _slopes(np.concatenate([x.rates, y.rates]), x.n_classes, found, options)
    of_y = _slopes(y.rates, x.n_classes, found, options)
    slopes = of_both[: len(x)], of_both[len(x) :] - of_y
    return _delta(x, y, found, slopes, same_cases([x, y]))


def _delta(
    x: "RocSurface",
    y: "RocSurface",
    found: Estimate,
    slopes: tuple[Float64Array, Float64Array],
    paired: bool,
) -> Estimate:
    """δ with its error, given its derivatives by the rates of both surfaces."""
    if found.value == 0 and found.method == "exact":
        return without_cases(found, AT_EDGE)
    if found.value == 0:  # no sample was in it, as a note says
        return replace(found, notes=tuple(of_samples(found, known=False)))
    try:
        effects = [effect_of(*each) for each in zip((x, y), slopes, strict=True)]
        spread, cases = joined(effects, paired)
    except Unknown as unknown:
        return without_cases(found, unknown.note)
    notes = [_pairing(x, y, paired), on_selection([x, y])]
    return with_cases(found, spread, cases, notes)


def _pairing(x: "RocSurface", y: "RocSurface", paired: bool) -> Note:
    if paired:
        return PAIRED
    return UNPAIRED if same_cases([x, y]) else INDEPENDENT


def _slopes(rates: Float64Array, n_classes: int, found: Estimate, options: Any) -> Float64Array:
    """∂G/∂rates; exact where the volume was and the work allows it."""
    spent = found.settings.get("work_done", math.inf)
    threads = thread_count(options["n_threads"])
    work = options["work"]
    return gini_slopes(rates, n_classes, work=work, spent=spent, n_threads=threads).values


def _gini_effect(surface: "RocSurface", found: Estimate, options: dict[str, Any]) -> Effect:
    model_with_cases(surface)  # derivatives are expensive, and useless without cases
    return effect_of(surface, _slopes(surface.rates, surface.n_classes, found, options))


@dataclass(frozen=True, eq=False, repr=False)
class SurfaceComparison:
    """Two surfaces compared by the share of the region that each dominates.

    Attributes
    ----------
    gini, other_gini : G of both.
    delta, other_delta : δ(X, Y) and δ(Y, X); their difference is that of G.
    difference : G(X) − G(Y), with its standard error and degrees of freedom.
    p_value : two-sided, of no difference, by t; NaN where there is no standard error.
    """

    gini: Estimate
    other_gini: Estimate
    delta: Estimate
    other_delta: Estimate
    difference: Estimate

    @property
    def statistic(self) -> float:
        """The difference over its standard error."""
        return self.difference.value / self.difference.standard_error

    @property
    def p_value(self) -> float:
        from scipy.special import ndtr, stdtr

        freedom, size = self.difference.degrees_of_freedom, -abs(self.statistic)
        return float(2 * (ndtr(size) if math.isinf(freedom) else stdtr(freedom, size)))

    def interval(self, level: float = 0.95) -> Interval:
        """Confidence limits of the difference."""
        error = self.difference.standard_error
        reach = two_sided_quantile(level, self.difference.degrees_of_freedom) * error
        value = self.difference.value
        return Interval(value - reach, value + reach, level, "plain")

    def frame(self, level: float = 0.95) -> "pd.DataFrame":
        """A row per quantity: quantity, value, standard_error, low, high, p_value."""
        import pandas as pd

        return pd.DataFrame(self._rows(level))

    def _rows(self, level: float) -> list[dict[str, Any]]:
        named = {
            "G": self.gini,
            "G of the other": self.other_gini,
            "δ": self.delta,
            "δ of the other": self.other_delta,
            "difference of G": self.difference,
        }
        return [
            {
                "quantity": name,
                "value": each.value,
                "standard_error": each.standard_error,
                "low": (self if each is self.difference else each).interval(level).low,
                "high": (self if each is self.difference else each).interval(level).high,
                "p_value": self.p_value if each is self.difference else math.nan,
            }
            for name, each in named.items()
        ]

    def __repr__(self) -> str:
        return text_table(self._rows(0.95))


def compared(
    x: "RocSurface", y: "RocSurface", paired: bool, options: dict[str, Any]
) -> SurfaceComparison:
    """Both values of G, both of δ, and the difference with its error."""
    if paired:
        check_paired([x, y])
    founds = [volumes.gini(each.rates, each.n_classes, **options) for each in (x, y)]
    crossed = [volumes.delta(a.rates, b.rates, a.n_classes, **options) for a, b in ((x, y), (y, x))]
    of_x, of_y = (
        _slopes(each.rates, each.n_classes, found, options)
        for each, found in zip((x, y), founds, strict=True)
    )
    of_both = _slopes(np.concatenate([x.rates, y.rates]), x.n_classes, crossed[0], options)
    in_x, in_y = of_both[: len(x)], of_both[len(x) :]
    effects = [_known(x, of_x), _known(y, of_y)]
    of_xs, of_ys = (
        with_cases(found, *joined([effect], True), [on_selection([surface])])
        for surface, found, effect in zip((x, y), founds, effects, strict=True)
    )
    delta = _delta(x, y, crossed[0], (in_x, in_y - of_y), paired)
    other = _delta(y, x, crossed[1], (in_y, in_x - of_x), paired)
    difference = _difference(x, y, [delta, other], effects, paired)
    return SurfaceComparison(of_xs, of_ys, delta, other, difference)


def _known(surface: "RocSurface", slopes: Float64Array) -> Effect:
    """Influence values, an error where there are none: no comparison without them."""
    try:
        return effect_of(surface, slopes)
    except Unknown as unknown:
        raise NotDefined(f"The surfaces cannot be compared: {unknown.note.text}.") from None


def _difference(
    x: "RocSurface", y: "RocSurface", deltas: list[Estimate], effects: list[Effect], paired: bool
) -> Estimate:
    """G(X) − G(Y) as the difference of δ: what both dominate is in neither."""
    less = [effects[0], Effect(-effects[1].influence, effects[1].cases)]
    spread, cases = joined(less, paired)
    sampled = [each.settings.get("monte_carlo_error", 0.0) for each in deltas]
    error = math.hypot(*sampled)
    plain = Estimate(
        "gini difference",
        deltas[0].value - deltas[1].value,
        error if error > 0 else math.nan,
        deltas[0].method,
        range=(-1.0, 1.0),
        error_of="samples" if error > 0 else "cases",
    )
    notes = [_pairing(x, y, paired), on_selection([x, y])]
    return with_cases(plain, spread, cases, notes)
