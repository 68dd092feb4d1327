"""A page as a tree, as far as tests need one."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

_VOID = {"meta", "input", "br", "hr"}


@dataclass
class Node:
    """An element: text and elements in it, in order."""

    tag: str
    attributes: dict[str, str | None] = field(default_factory=dict)
    children: list["Node | str"] = field(default_factory=list)

    def walk(self) -> Iterator["Node"]:
        yield self
        for child in self.children:
            if isinstance(child, Node):
                yield from child.walk()

    def all(self, tag: str, class_: str = "") -> list["Node"]:
        """Elements with a tag and a class, in order."""
        return [
            node
            for node in self.walk()
            if node.tag == tag
            and (not class_ or class_ in (node.attributes.get("class") or "").split())
        ]

    def one(self, id_: str) -> "Node":
        """The element with an id."""
        (found,) = [node for node in self.walk() if node.attributes.get("id") == id_]
        return found

    @property
    def text(self) -> str:
        """The text in it, spaces as on the screen; those that do not break stay."""
        parts = [child.text if isinstance(child, Node) else child for child in self.children]
        return " ".join("".join(parts).split(" ")).strip(" \n")

    @property
    def rows(self) -> list[list[str]]:
        """The cells of a table, row by row."""
        return [
            [cell.text for cell in row.walk() if cell.tag in ("th", "td")]
            for row in self.walk()
            if row.tag == "tr"
        ]


class _Parser(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open = [Node("")]

    def handle_starttag(self, tag, attrs) -> None:
        node = Node(tag, dict(attrs))
        self.open[-1].children.append(node)
        if tag not in _VOID:
            self.open.append(node)

    def handle_endtag(self, tag) -> None:
        assert self.open.pop().tag == tag

    def handle_data(self, data) -> None:
        self.open[-1].children.append(data)


def parsed(html: str) -> Node:
    """The tree of a page whose elements are all closed."""
    parser = _Parser()
    parser.feed(html)
    assert len(parser.open) == 1
    return parser.open[0]
