"""A property that is computed once and kept, without a lock.

``functools.cached_property`` holds one lock for all instances up to Python 3.11, which makes
threads that sort different columns wait for each other. Here two threads that ask the same instance
at the same moment may both compute the value; it is the same.
"""

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

Owner = TypeVar("Owner")
Value = TypeVar("Value")


class lazy_property(Generic[Owner, Value]):  # noqa: N801  (used as a decorator)
    """Decorator for a method without arguments: its result takes the place of the method."""

    def __init__(self, compute: Callable[[Owner], Value]) -> None:
        self.compute = compute
        self.__doc__ = compute.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, instance: None, owner: type) -> "lazy_property[Owner, Value]": ...
    @overload
    def __get__(self, instance: Owner, owner: type) -> Value: ...
    def __get__(self, instance: Any, owner: type) -> Any:
        if instance is None:
            return self
        value = vars(instance)[self.name] = self.compute(instance)
        return value
