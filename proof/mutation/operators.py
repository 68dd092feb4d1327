"""The ways to break a piece of code: each gives the nodes that may take the place of a node.

An operator changes one thing that a person might get wrong. Changes that nobody would miss are
left out (``return None`` for every ``return``: nearly always noticed, so it would only flatter
the tests), and so is a change that is the same as another one (dropping ``flag=True`` where
turning it into ``flag=False`` is a mutant already).
"""

import ast
import copy
from collections.abc import Callable, Iterator
from typing import Any

Operator = Callable[[ast.AST, ast.AST], Iterator[ast.AST]]

ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Div,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.MatMult: ast.Mult,
    ast.LShift: ast.RShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}


def _both_ways(pairs: str) -> dict[str, str]:
    found = {}
    for one, other in (pair.split("/") for pair in pairs.split()):
        found[one], found[other] = other, one
    return found


FUNCTIONS = _both_ways(
    "min/max minimum/maximum any/all argmin/argmax floor/ceil ones/zeros ones_like/zeros_like "
    "triu/tril less/less_equal greater/greater_equal combinations/permutations std/var "
    "cumsum/cumprod startswith/endswith union/intersection vstack/hstack"
) | {"mean": "sum", "nansum": "nanmean", "sorted": "list"}
METHODS = {"sum": "mean"}
"""Only after a dot: the built-in ``sum`` has no partner of that name."""
UNWRAPPED = {"abs", "sqrt", "log", "exp", "ascontiguousarray", "triu", "sorted"}
"""Functions of one argument that may be forgotten."""
STRINGS = _both_ways("left/right fair/strict stratified/random first/last") | {"lenient": "fair"}


def arithmetic(node: ast.AST, _: ast.AST) -> Iterator[ast.AST]:
    """+ for −, × for / and so on."""
    if isinstance(node, ast.BinOp | ast.AugAssign) and type(node.op) in ARITHMETIC:
        yield _changed(node, op=ARITHMETIC[type(node.op)]())


def comparison(node: ast.AST, _: ast.AST) -> Iterator[ast.AST]:
    """The border the other way (< for ≤), and the opposite."""
    if not isinstance(node, ast.Compare):
        return
    for place, sign in enumerate(node.ops):
        for other in COMPARISONS[type(sign)]:
            yield _changed(node, ops=_with(node.ops, place, other()))


def boolean(node: ast.AST, _: ast.AST) -> Iterator[ast.AST]:
    """``and`` for ``or``; ``not`` forgotten."""
    if isinstance(node, ast.BoolOp):
        yield _changed(node, op=ast.Or() if isinstance(node.op, ast.And) else ast.And())
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield node.operand


def sign(node: ast.AST, _: ast.AST) -> Iterator[ast.AST]:
    """− or ~ forgotten."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.Invert):
        yield node.operand


def condition(node: ast.AST, _: ast.AST) -> Iterator[ast.AST]:
    """A condition that always holds, and one that never does."""
    if isinstance(node, ast.If | ast.IfExp):
        yield _changed(node, test=ast.Constant(True))
        yield _changed(node, test=ast.Constant(False))
    if isinstance(node, ast.comprehension) and node.ifs:
        yield _changed(node, ifs=[])


def constant(node: ast.AST, parent: ast.AST) -> Iterator[ast.AST]:
    """Another number; True for False; another choice of an option; −∞ for ∞; 0 for NaN."""
    if isinstance(node, ast.Attribute) and node.attr in {"inf", "nan"}:
        yield ast.UnaryOp(ast.USub(), node) if node.attr == "inf" else ast.Constant(0.0)
    if not isinstance(node, ast.Constant):
        return
    value = node.value
    if isinstance(value, str) and value in STRINGS:
        yield ast.Constant(STRINGS[value])
    if isinstance(value, bool):
        yield ast.Constant(not value)
    elif isinstance(value, int | float):
        yield from map(_number, _other_numbers(value, parent))


def _other_numbers(value: float, parent: ast.AST) -> Iterator[float]:
    if isinstance(parent, ast.keyword) and parent.arg == "axis":
        yield 1 - value
        return
    yield value + 1 if isinstance(value, int) or value == 0 else 2 * value
    negative = isinstance(parent, ast.UnaryOp) and isinstance(parent.op, ast.USub)
    if value and not negative:
        yield -value


def name(node: ast.AST, parent: ast.AST) -> Iterator[ast.AST]:
    """The partner of a function; half the precision."""
    if isinstance(node, ast.Attribute):
        if node.attr == "float64":
            yield _changed(node, attr="float32")
        partner = (FUNCTIONS | METHODS).get(node.attr)
        if partner and isinstance(parent, ast.Call):
            yield _changed(node, attr=partner)
    if isinstance(node, ast.Name) and node.id in FUNCTIONS and isinstance(parent, ast.Call):
        yield _changed(node, id=FUNCTIONS[node.id])


def call(node: ast.AST, parent: ast.AST) -> Iterator[ast.AST]:
    """A keyword forgotten; a function of one argument forgotten."""
    if not isinstance(node, ast.Call):
        return
    decorates = node in getattr(parent, "decorator_list", [])
    for place, keyword in enumerate(node.keywords):
        prose = decorates and isinstance(keyword.value, ast.Constant)
        flag = isinstance(keyword.value, ast.Constant) and isinstance(keyword.value.value, bool)
        if keyword.arg and not prose and not flag:
            yield _changed(node, keywords=node.keywords[:place] + node.keywords[place + 1 :])
    called = getattr(node.func, "attr", getattr(node.func, "id", None))
    if called in UNWRAPPED and len(node.args) == 1:
        yield node.args[0]


def slice_end(node: ast.AST, _: ast.AST) -> Iterator[ast.AST]:
    """A slice that starts one later, and one that ends one earlier."""
    if not isinstance(node, ast.Slice):
        return
    for end, missing, step in (("lower", 1, ast.Add()), ("upper", -1, ast.Sub())):
        bound = getattr(node, end)
        if bound is None:
            yield _changed(node, **{end: _number(missing)})
        elif not _is_number(bound):  # numbers are changed as numbers
            yield _changed(node, **{end: ast.BinOp(bound, step, ast.Constant(1))})


def statement(node: ast.AST, parent: ast.AST) -> Iterator[ast.AST]:
    """A statement forgotten, where forgetting it is not the same as a condition that fails."""
    if isinstance(parent, ast.If) and parent.body == [node] and not parent.orelse:
        return
    assigned = isinstance(node, ast.Assign) and isinstance(
        node.targets[0], ast.Attribute | ast.Subscript
    )
    called = isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
    early = isinstance(node, ast.Return) and isinstance(parent, ast.If | ast.For | ast.Try)
    if assigned or called or early or isinstance(node, ast.AugAssign | ast.Raise | ast.Continue):
        yield ast.Pass()


OPERATORS: tuple[Operator, ...] = (
    arithmetic,
    comparison,
    boolean,
    sign,
    condition,
    constant,
    name,
    call,
    slice_end,
    statement,
)


def _changed(node: Any, **fields: Any) -> Any:
    """A copy of a node with other fields; its children are shared."""
    new = copy.copy(node)
    for field, value in fields.items():
        setattr(new, field, value)
    return new


def _with(items: list[Any], place: int, item: Any) -> list[Any]:
    return [*items[:place], item, *items[place + 1 :]]


def _number(value: float) -> ast.expr:
    return ast.UnaryOp(ast.USub(), ast.Constant(-value)) if value < 0 else ast.Constant(value)


def _is_number(node: ast.expr) -> bool:
    operand = node.operand if isinstance(node, ast.UnaryOp) else node
    return isinstance(operand, ast.Constant)
