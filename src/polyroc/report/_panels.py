"""Square panels with lines: how probabilities fit shares, and what decisions by them gain."""

from collections.abc import Iterable
from typing import NamedTuple

from polyroc.report._figures import N_COLOURS
from polyroc.report._markup import Markup, element, joined

LEFT, RIGHT, TOP, BOTTOM = 40, 240, 6, 212


class Line(NamedTuple):
    """Points of a line, and the classes of the style sheet that draw it."""

    x: list[float]
    y: list[float]
    kind: str
    marks: bool = False

    @classmethod
    def of_model(cls, k: int, x: list[float], y: list[float], marks: bool = False) -> "Line":
        return cls(x, y, f"curve model-{k % N_COLOURS} dash-{k % 4}", marks)


class Frame(NamedTuple):
    """What the axes of a panel are."""

    across: str
    upright: str
    low: float = 0.0
    high: float = 1.0

    def place(self, x: float, y: float) -> tuple[float, float]:
        """In the picture."""
        share = (y - self.low) / (self.high - self.low)
        return LEFT + (RIGHT - LEFT) * x, BOTTOM - (BOTTOM - TOP) * share

    def inside(self, line: "Line") -> list[list[tuple[float, float]]]:
        """The pieces of a line that lie in the picture, which end where it leaves."""
        pieces: list[list[tuple[float, float]]] = [[]]
        points = list(zip(line.x, line.y, strict=True))
        for k, (x, y) in enumerate(points):
            if k and (self._within(points[k - 1][1]) != self._within(y)):
                pieces[-1].append(self._edge(points[k - 1], (x, y)))
            if self._within(y):
                pieces[-1].append((x, y))
            else:
                pieces.append([])
        return [piece for piece in pieces if piece]

    def _within(self, y: float) -> bool:
        return self.low - 1e-9 <= y <= self.high + 1e-9

    def _edge(self, a: tuple[float, float], b: tuple[float, float]) -> tuple[float, float]:
        """Where the line between two points leaves the picture."""
        edge = self.high if max(a[1], b[1]) > self.high + 1e-9 else self.low
        share = (edge - a[1]) / (b[1] - a[1])
        return a[0] + share * (b[0] - a[0]), edge


class Band(NamedTuple):
    """What lies between two lines, and the classes of the style sheet that draw it."""

    x: list[float]
    low: list[float]
    high: list[float]
    kind: str


def panel(frame: Frame, lines: Iterable[Line], label: str, bands: Iterable[Band] = ()) -> Markup:
    """A picture of lines over bands, x from 0 to 1."""
    return element(
        "svg",
        element("rect", x=LEFT, y=TOP, width=RIGHT - LEFT, height=BOTTOM - TOP, class_="frame"),
        *_grid(frame),
        *(_filled(frame, band) for band in bands),
        *(_drawn(frame, line) for line in lines),
        *_labels(frame),
        viewBox="-14 0 260 246",
        class_="panel",
        role="img",
        aria_label=label,
    )


def _points(places: list[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in places)


def _filled(frame: Frame, band: Band) -> Markup:
    """A band, cut at the edges of the picture."""
    ends = list(zip(band.x, band.low, strict=True))
    ends += zip(band.x[::-1], band.high[::-1], strict=True)
    edge = [frame.place(x, min(frame.high, max(frame.low, y))) for x, y in ends]
    return element("polygon", points=_points(edge), class_=band.kind)


def _drawn(frame: Frame, line: Line) -> Markup:
    pieces = [[frame.place(*point) for point in piece] for piece in frame.inside(line)]
    drawn = joined(element("polyline", points=_points(piece), class_=line.kind) for piece in pieces)
    if not line.marks:
        return drawn
    places = [place for piece in pieces for place in piece]
    dots = (element("circle", cx=f"{x:.1f}", cy=f"{y:.1f}", r=2.4) for x, y in places)
    return element("g", drawn, element("g", *dots, class_=line.kind.split()[1] + " dots"))


def _grid(frame: Frame) -> list[Markup]:
    start = max(frame.low, 0.0)  # quarters of what is positive: none lies beside the line at 0
    found = []
    for share in (0.25, 0.5, 0.75):
        x, y = frame.place(share, start + share * (frame.high - start))
        y = round(y, 1)
        found.append(element("line", x1=x, x2=x, y1=TOP, y2=BOTTOM, class_="grid"))
        found.append(element("line", x1=LEFT, x2=RIGHT, y1=y, y2=y, class_="grid"))
    return found


def _labels(frame: Frame) -> list[Markup]:
    def text(words: str, x: float, y: float, anchor: str = "middle", **more: object) -> Markup:
        return element("text", words, x=x, y=y, text_anchor=anchor, **more)

    turned = f"translate(-3 {(TOP + BOTTOM) / 2}) rotate(-90)"
    return [
        *(text(tick, LEFT + (RIGHT - LEFT) * at, 226) for at, tick in ((0, "0"), (1, "1"))),
        text(f"{frame.high:.2g}", LEFT - 5, TOP + 8, "end"),
        text(f"{frame.low:.2g}".replace("-", "−"), LEFT - 5, BOTTOM, "end"),
        *(text("0", LEFT - 5, y + 4, "end") for y in _zero(frame)),
        text(frame.across, (LEFT + RIGHT) / 2, 242),
        text(frame.upright, 0, 0, transform=turned),
    ]


def _zero(frame: Frame) -> list[float]:
    """Where 0 is on the upright axis, if it lies apart from both ends."""
    y = frame.place(0.0, 0.0)[1]
    return [y] if TOP + 24 <= y <= BOTTOM - 14 else []
