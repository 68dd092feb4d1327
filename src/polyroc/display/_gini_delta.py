"""G and δ of several surfaces: how the region better than chance is shared."""

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, Self

from polyroc._base.random import seed_of
from polyroc.display._base import Display
from polyroc.display._marks import COLOURS
from polyroc.display._naming import shown_names
from polyroc.display._room import makes_room
from polyroc.display._surfaces import named_surfaces
from polyroc.errors import NotDefined
from polyroc.results import Estimate
from polyroc.typing import RandomState

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

PARTS = {
    "only_first": ("dominated by the first only", COLOURS[0], ""),
    "both": ("by both", "#B0B0B0", ""),
    "only_second": ("by the second only", COLOURS[1], "////"),
    "neither": ("by neither", "white", ""),
}
NARROW = 4.6
"""Inches that numbers and a legend beside bars need."""


@dataclass(frozen=True, eq=False, repr=False)
class PairOfSurfaces:
    """G of two surfaces and δ both ways."""

    first: str
    second: str
    ginis: tuple[Estimate, Estimate]
    deltas: tuple[Estimate, Estimate]

    @property
    def shares(self) -> dict[str, float]:
        """Parts of the region better than chance, which add up to 1."""
        only_first, only_second = (delta.value for delta in self.deltas)
        both = max(self.ginis[0].value - only_first, 0.0)
        neither = max(1 - only_first - only_second - both, 0.0)
        return {
            "only_first": only_first,
            "both": both,
            "only_second": only_second,
            "neither": neither,
        }

    def row(self) -> dict[str, Any]:
        """Names, values, standard errors (0 if exact) and method."""
        found: dict[str, Any] = {"first": self.first, "second": self.second}
        for name, estimates in (("gini", self.ginis), ("delta", self.deltas)):
            for side, estimate in zip(("first", "second"), estimates, strict=True):
                found[f"{name}_{side}"] = estimate.value
                found[f"{name}_{side}_error"] = estimate.standard_error
        methods = dict.fromkeys(estimate.method for estimate in (*self.ginis, *self.deltas))
        return {**found, **self.shares, "method": " and ".join(methods)}

    def text(self) -> str:
        """The numbers, in the order of the surfaces."""
        g, d = (", ".join(map(_number, each)) for each in (self.ginis, self.deltas))
        return f"G {g}\nδ {d}"

    def short_text(self) -> str:
        """The same in one short line."""
        g, d = (", ".join(f"{e.value:.2f}" for e in each) for each in (self.ginis, self.deltas))
        return f"G {g}; δ {d}"


@dataclass(frozen=True, eq=False, repr=False)
class GiniDeltaDisplay(Display):
    """For each pair of surfaces, what one dominates and the other does not.

    The right part of Everson & Fieldsend 2006, Figure 8, for any number of surfaces and classes. A
    bar is the region better than chance: δ(X, Y), what both dominate, δ(Y, X), and what neither
    does; G of each surface is its own part and the common one.

    Examples
    --------
    >>> from polyroc.surface import ScoreModel, search
    >>> x = search(ScoreModel([0, 1, 0, 1], [0.1, 0.35, 0.4, 0.8]), generations=5, progress=False)
    >>> y = search(ScoreModel([0, 1, 0, 1], [0.1, 0.35, 0.9, 0.8]), generations=5, progress=False)
    >>> GiniDeltaDisplay.from_surfaces({"x": x, "y": y}).pairs[0].shares
    {'only_first': 0.25, 'both': 0.25, 'only_second': 0.0, 'neither': 0.5}
    """

    pairs: tuple[PairOfSurfaces, ...]

    @classmethod
    def from_surfaces(
        cls, surfaces: "dict[str, Any]", *, rng: RandomState = None, **options: Any
    ) -> Self:
        """From two or more surfaces by name; options as for ``RocSurface.gini``.

        All volumes that are not exact are counted with the same samples, so that they agree.
        """
        named = named_surfaces(surfaces)
        if len(named) < 2:
            raise NotDefined("δ compares surfaces, got one. Pass another, or ask surface.gini().")
        options["rng"] = seed_of(rng)
        ginis = {name: surface.gini(**options) for name, surface in named.items()}
        pairs = []
        for first, second in combinations(named, 2):
            x, y = named[first], named[second]
            deltas = x.delta(y, **options), y.delta(x, **options)
            pairs.append(PairOfSurfaces(first, second, (ginis[first], ginis[second]), deltas))
        return cls(tuple(pairs))

    def frame(self) -> "pd.DataFrame":
        """A row per pair: G and δ both ways with standard errors, and the four shares drawn."""
        import pandas as pd

        return pd.DataFrame([pair.row() for pair in self.pairs])

    def _size(self) -> tuple[float, float]:
        return 8.6, 1.6 + 0.62 * len(self.pairs)

    def _draw(self, ax: "Axes") -> None:
        for height, pair in enumerate(self.pairs):
            _draw_bar(ax, height, pair)
        narrow = _is_narrow(ax)
        size = "x-small" if narrow else None
        ax.set_yticks(range(len(self.pairs)), self._labels(), fontsize=size)
        ax.set(xlim=(0, 1), ylim=(len(self.pairs) - (0.2 if narrow else 0.5), -0.5))
        ax.set_xlabel("Share of the region better than chance", fontsize=size)
        if narrow:
            ax.tick_params(axis="x", labelsize=size, pad=2)
            ax.xaxis.labelpad = 1
        _number_bars(ax, self.pairs, narrow)
        ax.legend(
            loc="lower left", bbox_to_anchor=(0 if narrow else -0.15, 1.01),
            ncols=1 if narrow else 4, fontsize="x-small" if narrow else "small",
            columnspacing=1.0, handlelength=1.5,
        )  # fmt: skip

    def _labels(self) -> list[str]:
        names = list(dict.fromkeys(n for pair in self.pairs for n in (pair.first, pair.second)))
        short = dict(zip(names, shown_names(names, most=22), strict=True))
        return [f"{short[pair.first]}\n{short[pair.second]}" for pair in self.pairs]


def _is_narrow(ax: "Axes") -> bool:
    """Whether axes of the user's own have no room for numbers and a legend beside them."""
    return not makes_room(ax) and ax.get_window_extent().width < NARROW * ax.figure.dpi


def _draw_bar(ax: "Axes", height: int, pair: PairOfSurfaces) -> None:
    start = 0.0
    for part, share in pair.shares.items():
        name, colour, hatch = PARTS[part]
        ax.barh(
            height, share, left=start, height=0.6, color=colour, hatch=hatch,
            edgecolor="black", linewidth=0.6, label=name if height == 0 else None,
        )  # fmt: skip
        start += share


def _number_bars(ax: "Axes", pairs: tuple[PairOfSurfaces, ...], narrow: bool) -> None:
    """The numbers of each pair: beside its bar, or below it where the axes are narrow."""
    for height, pair in enumerate(pairs):
        if narrow:
            ax.text(0.0, height + 0.5, pair.short_text(), fontsize="x-small", va="center")
            continue
        ax.text(
            1.02, height, pair.text(), transform=ax.get_yaxis_transform(), va="center",
            fontsize="small", linespacing=1.3,
        )  # fmt: skip


def _number(estimate: Estimate) -> str:
    value, error = estimate.value, estimate.standard_error
    text = f"{value:.1e}" if 0 < value < 0.0005 else f"{value:.4f}"
    return text + (f" ± {error:.1g}" if error > 0 else "")
