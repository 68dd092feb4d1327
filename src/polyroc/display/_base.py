"""What every display has in common: data by name, ``plot`` into given axes, ``frame``.

A display computes all it shows when it is made; ``plot`` only draws it, as often as asked, and
``frame`` gives it as a tidy table. Nothing here imports matplotlib before something is drawn, and
nothing touches its settings.
"""

import base64
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from io import BytesIO
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar, Self

from polyroc._base.checks import shown
from polyroc._storage.atomic import write_whole
from polyroc._storage.paths import path_of
from polyroc.display._cross_validated import HeldOut, cross_validated
from polyroc.display._marks import styled
from polyroc.display._room import keep_in_place, makes_room
from polyroc.errors import InvalidType, NotDefined
from polyroc.predictions import Predictions
from polyroc.predictions._estimators import scores_of
from polyroc.predictions._rows import rows_by_position
from polyroc.typing import LabelsLike, ScoresLike, WeightsLike

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


class Display(ABC):
    """A figure as data.

    ``from_predictions``, ``from_estimator`` and ``from_cv_results`` draw at once, as those of
    scikit-learn do; ``plot`` draws again, in place of a figure that was made for it. Displays of
    results, such as evaluations, comparisons and studies, and of surfaces are made from those.

    Attributes
    ----------
    ax_, figure_ : where it was drawn last; there are none before that.
    """

    ax_: "Axes"
    figure_: "Figure"
    _made_figure: "Figure | None" = None
    """The figure that was made for it without being asked for."""
    projection: ClassVar[str | None] = None
    styles: ClassVar[tuple[str, ...]] = ()
    """What it draws whose style can be chosen: ``line_kw``, ``band_kw``."""

    @abstractmethod
    def frame(self) -> "pd.DataFrame":
        """What is drawn, as a tidy table."""

    @abstractmethod
    def _draw(self, ax: "Axes") -> None:
        """Draw into these axes only."""

    def _size(self) -> tuple[float, float]:
        """Width and height in inches of a figure made for it."""
        return 6.4, 4.8

    def plot(
        self,
        ax: "Axes | None" = None,
        *,
        line_kw: Mapping[str, Any] | None = None,
        band_kw: Mapping[str, Any] | None = None,
    ) -> Self:
        """Draw into the axes given, or into those of a new figure, and return the display.

        Parameters
        ----------
        ax : axes to draw into; nothing outside of them is touched.
        line_kw : options of matplotlib for the lines of curves, such as ``{"linewidth": 1}``.
        band_kw : options for the bands around them, such as ``{"alpha": 0.3}``.

        Returns
        -------
        Display
            Itself, with ``ax_`` and ``figure_``.
        """
        return self._plotted(ax, self._draw, line_kw, band_kw)

    def save(self, path: "str | PathLike[str]", **options: Any) -> None:
        """Write the figure to a file, as journals take it; drawn before, if it was not.

        Parameters
        ----------
        path : the file; its ending says what is written: ``.pdf``, ``.svg``, ``.png``, ``.eps`` …
            Fonts in PDF and EPS are embedded as TrueType, because many publishers refuse those of
            matplotlib's own type 3.
        options : those of ``FigureCanvasBase.print_figure``; by default 300 dots per inch and no
            margin.
        """
        import matplotlib as mpl

        target = path_of(path)
        canvas = (self.figure_ if hasattr(self, "figure_") else self.plot().figure_).canvas
        kind = target.suffix.removeprefix(".") or canvas.get_default_filetype()
        given = {"dpi": 300, "bbox_inches": "tight", "format": kind, **options}
        with mpl.rc_context({"pdf.fonttype": 42, "ps.fonttype": 42}):
            write_whole(target, lambda file: canvas.print_figure(file, **given))

    def _drawn(self, ax: "Axes | None") -> Self:
        """The display, drawn into the axes given, or into those of a new figure."""
        self.plot(ax)
        if ax is None:
            object.__setattr__(self, "_made_figure", self.figure_)
        return self

    def _repr_html_(self) -> str | None:
        """The figure, in a notebook that does not show it anyway because it was drawn."""
        if hasattr(self, "figure_"):
            return None
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        figure = Figure(figsize=self._size(), layout="compressed")
        self._draw(figure.add_subplot(projection=self.projection))
        picture = BytesIO()
        FigureCanvasAgg(figure).print_png(picture)  # type: ignore[no-untyped-call]
        data = base64.b64encode(picture.getvalue()).decode("ascii")
        return f'<img alt="{type(self).__name__}" src="data:image/png;base64,{data}">'

    def __getstate__(self) -> dict[str, Any]:
        """What it shows; where it was drawn stays behind."""
        drawn = ("ax_", "figure_", "_made_figure")
        return {name: value for name, value in vars(self).items() if name not in drawn}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)

    def _plotted(
        self,
        ax: "Axes | None",
        draw: "Callable[[Axes], None]",
        line_kw: Mapping[str, Any] | None = None,
        band_kw: Mapping[str, Any] | None = None,
    ) -> Self:
        self._check_styles({"line_kw": line_kw, "band_kw": band_kw})
        axes = new_axes(self._size(), self.projection) if ax is None else ax
        check_axes(axes, self.projection)
        self._discard_made_figure(axes)
        with styled(line_kw, band_kw):
            draw(axes)
        if not makes_room(axes):
            keep_in_place(axes)
        # Displays are frozen; where one was drawn is no part of what it shows.
        object.__setattr__(self, "ax_", axes)
        object.__setattr__(self, "figure_", axes.get_figure())
        return self

    def _check_styles(self, given: Mapping[str, Any]) -> None:
        for name, value in given.items():
            if value is not None and name not in self.styles:
                takes = " and ".join(self.styles) or "neither line_kw nor band_kw"
                raise NotDefined(
                    f"{type(self).__name__} does not draw what {name} is for. It takes {takes}."
                )

    def _discard_made_figure(self, axes: "Axes") -> None:
        """A figure that nobody asked for is closed once the display is drawn elsewhere."""
        if self._made_figure is not None and self._made_figure is not axes.get_figure():
            import matplotlib.pyplot as plt

            plt.close(self._made_figure)
            object.__setattr__(self, "_made_figure", None)


class PredictionsDisplay(Display):
    """A display of the predictions of one classifier."""

    @classmethod
    @abstractmethod
    def from_predictions(
        cls,
        y_true: LabelsLike | Predictions,
        y_score: ScoresLike | None = None,
        *,
        labels: LabelsLike | None = None,
        sample_weight: WeightsLike | None = None,
        ax: "Axes | None" = None,
    ) -> Self:
        """From true classes and scores, drawn at once, into the axes given or a new figure."""

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: LabelsLike,
        *,
        sample_weight: WeightsLike | None = None,
        **options: Any,
    ) -> Self:
        """From a fitted scikit-learn classifier and cases, drawn at once.

        Options are those of ``from_predictions``, such as ``ax``.
        """
        rows_by_position({"y": y, "X": X, "sample_weight": sample_weight})
        return cls.from_predictions(
            y,
            scores_of(estimator, X),
            labels=getattr(estimator, "classes_", None),
            sample_weight=sample_weight,
            **options,
        )

    @classmethod
    def from_cv_results(
        cls,
        cv_results: Mapping[str, Any],
        X: Any,
        y: LabelsLike,
        *,
        sample_weight: WeightsLike | None = None,
        **options: Any,
    ) -> Self:
        """From a cross-validation by scikit-learn, drawn at once.

        ``cv_results`` is what ``cross_validate(…, return_estimator=True, return_indices=True)``
        returned for the same ``X`` and ``y``; options are those of ``from_predictions``. What is
        drawn of the folds, the description of the display says.
        """
        return cls._from_folds(cross_validated(cv_results, X, y, sample_weight), **options)

    @classmethod
    def _from_folds(cls, held_out: HeldOut, **options: Any) -> Self:
        """From the cases of all folds as one sample: their scores are not ranked together."""
        return cls.from_predictions(held_out.together(cls.__name__), **options)


def require_classes(
    predictions: Predictions, display: str, least: int, most: int, instead: str
) -> None:
    """Raise an error unless the number of classes is one that can be drawn."""
    if least <= predictions.n_classes <= most:
        return
    allowed = f"{least}" if least == most else f"{least} to {most}"
    raise NotDefined(
        f"{display} shows {allowed} classes, got {predictions.n_classes}. Use {instead}."
    )


def new_axes(size: tuple[float, float], projection: str | None = None) -> "Axes":
    """Axes of a new figure that makes room for legends and labels by itself."""
    import matplotlib as mpl
    import matplotlib.pyplot as plt

    chosen, usual = mpl.rcParams["figure.figsize"], mpl.rcParamsDefault["figure.figsize"]
    own = list(chosen) != list(usual)  # a size that the user has set is obeyed
    figure = plt.figure(figsize=chosen if own else size, layout="compressed")
    return figure.add_subplot(projection=projection)


def check_axes(ax: Any, projection: str | None) -> None:
    """Whether this is something to draw into, of the right number of dimensions."""
    from matplotlib.axes import Axes

    if not isinstance(ax, Axes):
        raise InvalidType(f"ax must be matplotlib axes or None, got {shown(ax)}.")
    if projection == "3d" and ax.name != "3d":
        raise InvalidType('This display needs three axes, got two. Make them with projection="3d".')
