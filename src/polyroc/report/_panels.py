"""Square panels with lines: how probabilities fit shares, and what decisions by them gain."""

from collections.abc import Iterable
from typing import NamedTuple

from polyroc.report._figures import N_COLOURS
from polyroc.report._markup import Markup, element

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
        """In the picture; what lies outside is at the edge."""
        share = min(1.0, max(0.0, (y - self.low) / (self.high - self.low)))
        return LEFT + (RIGHT - LEFT) * x, BOTTOM - (BOTTOM - TOP) * share


def panel(frame: Frame, lines: Iterable[Line], label: str) -> Markup:
    """A picture of lines, x from 0 to 1."""
    return element(
        "svg",
        element("rect", x=LEFT, y=TOP, width=RIGHT - LEFT, height=BOTTOM - TOP, class_="frame"),
        *_grid(frame),
        *(_drawn(frame, line) for line in lines),
        *_labels(frame),
        viewBox="-14 0 260 246",
        class_="panel",
        role="img",
        aria_label=label,
    )


def _drawn(frame: Frame, line: Line) -> Markup:
    places = [frame.place(x, y) for x, y in zip(line.x, line.y, strict=True)]
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    drawn = element("polyline", points=points, class_=line.kind)
    if not line.marks:
        return drawn
    dots = (element("circle", cx=f"{x:.1f}", cy=f"{y:.1f}", r=2.4) for x, y in places)
    return element("g", drawn, element("g", *dots, class_=line.kind.split()[1] + " dots"))


def _grid(frame: Frame) -> list[Markup]:
    ends = frame.low, frame.high
    found = []
    for share in (0.25, 0.5, 0.75):
        x, y = frame.place(share, ends[0] + share * (ends[1] - ends[0]))
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
        text(frame.across, (LEFT + RIGHT) / 2, 242),
        text(frame.upright, 0, 0, transform=turned),
    ]
