"""A hash of an object and of the code it runs, by which a checkpoint knows its run again.

Functions and classes are named where they are installed, with the version of their package, and
read where they are the user's own: their bytecode, constants, defaults, and what they use of their
own module. What they call in other modules of the user is not read.
"""

import copyreg
import dis
import hashlib
import sys
import sysconfig
from collections.abc import Iterator, Mapping, Set
from contextlib import suppress
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

_INSTALLED = tuple(
    str(Path(sysconfig.get_path(name)).resolve()) for name in ("stdlib", "purelib", "platlib")
)
_OF_THE_PLACE = {"__firstlineno__", "__static_attributes__", "__annotations_cache__"}
"""What Python 3.13 and 3.14 add to a class: the line it is on, and what follows from its code."""
_PLAIN = (int, float, complex, str, bytes, type(None), type(Ellipsis))


def fingerprint(value: object) -> str:
    """The same for two objects only if they are made of the same parts and the same code.

    A TypeError or another error of pickling where an object does not say what it is made of.

    Examples
    --------
    >>> fingerprint(lambda x: x + 1) == fingerprint(lambda x: x + 1)
    True
    >>> fingerprint(lambda x: x + 1) == fingerprint(lambda x: x + 2)
    False
    """
    digest = hashlib.sha256()
    for part in _Reading().parts(value):
        digest.update(len(part).to_bytes(8, "little") + part)
    return digest.hexdigest()


class _Reading:
    """Goes through an object, each part of it once."""

    def __init__(self) -> None:
        self._seen: dict[int, tuple[int, Any]] = {}
        """Number of each object, and the object, lest another takes its place in memory."""

    def parts(self, value: Any) -> Iterator[bytes]:
        if isinstance(value, _PLAIN):
            yield f"{type(value).__name__} {value!r}".encode(errors="surrogatepass")
            return
        if id(value) in self._seen and not isinstance(value, (tuple, CodeType)):
            yield f"again {self._seen[id(value)][0]}".encode()
            return
        self._seen[id(value)] = len(self._seen), value
        yield type(value).__name__.encode()
        yield from self._inside(value)

    def _inside(self, value: Any) -> Iterator[bytes]:
        if isinstance(value, np.ndarray) and value.dtype != object:
            yield f"{value.dtype.str} {value.shape}".encode()
            yield np.ascontiguousarray(value).tobytes()
        elif isinstance(value, ModuleType):
            yield value.__name__.encode()
        elif isinstance(value, (type, FunctionType)):
            yield from self._own(value) if _is_own(value) else _named(value)
        else:
            for each in self._pieces(value):
                yield from self.parts(each)

    def _pieces(self, value: Any) -> Iterator[Any]:
        if isinstance(value, CodeType):
            content = (value.co_code, value.co_names, value.co_varnames, value.co_consts)
            yield from content if _OF_THE_PLACE.isdisjoint(value.co_names) else _class_body(value)
        elif type(value) is dict:
            for item in value.items():
                yield from item
        elif type(value) in (list, tuple):
            yield from value
        elif type(value) in (set, frozenset):
            yield from sorted(value, key=repr)
        elif hasattr(value, "get_params") and not isinstance(value, type):
            yield from (type(value), value.get_params(deep=False))  # all that a clone is made of
        else:
            reduce = copyreg.dispatch_table.get(type(value))
            reduced = reduce(value) if reduce else value.__reduce_ex__(4)
            yield from [reduced] if isinstance(reduced, str) else map(_listed, reduced)

    def _own(self, value: Any) -> Iterator[bytes]:
        """The code of a function, or of what a class defines."""
        yield value.__qualname__.encode()
        if isinstance(value, FunctionType):
            cells = [_cell(each) for each in value.__closure__ or ()]
            content: list[Any] = [value.__code__, value.__defaults__, value.__kwdefaults__, cells]
            content += [used for _, used in sorted(_used(value).items())]
        else:
            attributes = {
                name: _unwrapped(each)
                for name, each in vars(value).items()
                if name not in _OF_THE_PLACE
            }
            kinds = (*_PLAIN, tuple, list, dict, FunctionType)
            content = [each for _, each in sorted(attributes.items()) if isinstance(each, kinds)]
            content = [*value.__bases__, *content]
        for each in content:
            yield from self.parts(each)


def _class_body(code: CodeType) -> Iterator[tuple[str, Any]]:
    """Instructions of the body of a class, but for those that say where it is."""
    found = [(each.opname, each.argval) for each in dis.get_instructions(code)]
    for own, (_, stored) in zip(found, [*found[1:], ("", None)], strict=True):
        if own[1] not in _OF_THE_PLACE and stored not in _OF_THE_PLACE:
            yield own


def _listed(piece: Any) -> Any:
    """Items that pickle would go through; other pieces as they are."""
    return list(piece) if isinstance(piece, Iterator) else piece


def _cell(cell: Any) -> Any:
    with suppress(ValueError):  # a name that has no value yet
        return cell.cell_contents
    return None


def _unwrapped(attribute: Any) -> Any:
    """The function behind a property, a class method and the like."""
    return getattr(attribute, "fget", None) or getattr(attribute, "__func__", attribute)


def _used(function: FunctionType) -> dict[str, Any]:
    """What a function uses of its module: functions and classes of that module, and constants."""
    found = {}
    for name in _names(function.__code__):
        value = function.__globals__.get(name)
        own = isinstance(value, (type, FunctionType)) and value.__module__ == function.__module__
        if own or isinstance(value, (*_PLAIN, tuple, list, Mapping, Set, np.ndarray)):
            found[name] = value
    return found


def _names(code: CodeType) -> set[str]:
    """Names in a function and in those inside it."""
    inner = (_names(each) for each in code.co_consts if isinstance(each, CodeType))
    return set(code.co_names).union(*inner)


def _is_own(value: Any) -> bool:
    """Whether code is the user's, or has no name by which a package can be asked for it."""
    if "<" in value.__qualname__:
        return True
    root = (value.__module__ or "").partition(".")[0]
    file = getattr(sys.modules.get(root), "__file__", None)
    if root in ("polyroc", "builtins") or (file is None and root in sys.builtin_module_names):
        return False
    return file is None or not str(Path(file).resolve()).startswith(_INSTALLED)


def _named(value: Any) -> Iterator[bytes]:
    root = (value.__module__ or "").partition(".")[0]
    version = getattr(sys.modules.get(root), "__version__", "") if root != "polyroc" else ""
    yield f"{value.__module__}.{value.__qualname__} {version}".encode()
