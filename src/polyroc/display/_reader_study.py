"""Values of all readers under all modalities, with intervals, a line per reader."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from polyroc._base.checks import shown
from polyroc.display._base import Display
from polyroc.display._marks import mark_of
from polyroc.display._naming import literal, shown_names, wrapped_names
from polyroc.errors import InvalidType
from polyroc.inference import ReaderStudy

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

_MEAN = "mean of readers"
_SPREAD = 0.36
"""Width that the marks of one modality take of the distance to the next."""


@dataclass(frozen=True, eq=False, repr=False)
class ReaderStudyDisplay(Display):
    """Value of each reader under each modality, and the means over readers.

    Intervals of readers are over cases; those of the means over readers and cases, or as asked.

    Examples
    --------
    >>> import numpy as np
    >>> from polyroc import reader_study
    >>> case, reader, modality = (each.ravel() for each in np.mgrid[:8, :2, :2])
    >>> table = {"case": case, "reader": reader, "modality": modality, "truth": case % 2}
    >>> table["rating"] = (case * 5 + reader + modality * 3) % 8
    >>> study = reader_study(table, **{name: name for name in table})
    >>> ReaderStudyDisplay.from_study(study).frame()[["modality", "reader", "value"]].tail(2)
       modality reader  value
    4         0   None    0.5
    5         1   None    0.5
    """

    metric: str
    modalities: tuple[Any, ...]
    readers: tuple[Any, ...]
    rows: tuple[dict[str, Any], ...]
    means: tuple[dict[str, Any], ...]
    level: float

    @classmethod
    def from_study(
        cls, study: ReaderStudy, *, random: Any = "readers and cases", level: float | None = None
    ) -> Self:
        """From the result of ``reader_study``; ``random`` says which analysis gives the means."""
        if not isinstance(study, ReaderStudy):
            raise InvalidType(f"Pass the result of reader_study, got {shown(study)}.")
        return cls(
            study.metric,
            study.modalities,
            study.readers,
            tuple(study.rows("values", level=level)),
            tuple(study.rows("means", random=random, level=level)),
            study.level if level is None else level,
        )

    def frame(self) -> "pd.DataFrame":
        """A row per mark: modality, reader (none for a mean), value, low, high."""
        import pandas as pd

        names = ["modality", "reader", "value", "low", "high"]
        rows = [{"reader": None, **row} for row in (*self.rows, *self.means)]
        readers = pd.Series([row["reader"] for row in rows], dtype=object)
        return pd.DataFrame(rows).assign(reader=readers)[names]

    def _labels(self) -> list[str]:
        return [*shown_names(self.readers), _MEAN]

    def _size(self) -> tuple[float, float]:
        beside = 0.9 + 0.087 * max(map(len, self._labels()))
        return 1.2 + max(2.2 * len(self.modalities), 4.0) + beside, 4.8

    def _draw(self, ax: "Axes") -> None:
        labels = self._labels()
        steps = np.linspace(-_SPREAD / 2, _SPREAD / 2, len(labels))
        for j, reader in enumerate(self.readers):
            mark = mark_of(j + (j + 3) // 5)  # every sixth is black, which the means are
            own = [row for row in self.rows if row["reader"] == reader]
            line = {"color": mark.colour, "linestyle": mark.dashes, "linewidth": 1.2}
            _draw_series(ax, own, steps[j], labels[j], marker=mark.marker, **line)
        line = {"color": "black", "linestyle": "-", "linewidth": 2.4}
        _draw_series(ax, self.means, steps[-1], _MEAN, marker="D", **line)
        places = range(len(self.modalities))
        ax.set_xticks(places, wrapped_names(self.modalities, width=16))
        ax.set_xlim(-0.5, len(self.modalities) - 0.5)
        ax.set_xlabel("Modality")
        ax.set_ylabel(f"{literal(self.metric)} with {100 * self.level:g} % interval")
        ax.legend(
            loc="upper left", bbox_to_anchor=(1.01, 1.01), fontsize="small", title="Reader",
        )  # fmt: skip


def _draw_series(
    ax: "Axes", rows: "list[dict[str, Any]] | tuple[dict[str, Any], ...]", step: float, label: str,
    **line: Any,
) -> None:  # fmt: skip
    """Values joined by a line, each with a bar from its lower to its upper limit."""
    places = np.arange(len(rows)) + step
    ax.plot(places, [row["value"] for row in rows], label=label, markersize=5, **line)
    low, high = ([row[limit] for row in rows] for limit in ("low", "high"))
    ax.vlines(places, low, high, color=line["color"], linewidth=line["linewidth"] / 2)
