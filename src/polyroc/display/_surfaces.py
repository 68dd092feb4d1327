"""ROC surfaces by name, checked, and which of their points are drawn."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from polyroc._base.checks import shown, whole_number
from polyroc.errors import InvalidInput, InvalidType, NotDefined
from polyroc.predictions._classes import listed
from polyroc.surface._operating_point import SurfacePoint
from polyroc.typing import Label

if TYPE_CHECKING:
    from polyroc.surface._front import RocSurface


def checked_surface(surface: Any) -> "RocSurface":
    """A ROC surface with points on it."""
    from polyroc.surface._front import RocSurface  # loads compiled kernels

    if not isinstance(surface, RocSurface):
        raise InvalidType(f"Pass a RocSurface, as search returns it, got {shown(surface)}.")
    if not len(surface):
        raise NotDefined("The surface has no operating points, so there is nothing to show.")
    return surface


def named_surfaces(surfaces: Any) -> "dict[str, RocSurface]":
    """Surfaces of the same classes by name; one alone is named by its model."""
    if not isinstance(surfaces, Mapping):
        surface = checked_surface(surfaces)
        return {str(surface.provenance.get("model", "surface")): surface}
    if not surfaces:
        raise NotDefined("There are no surfaces to show. Pass at least one.")
    named = {str(name): checked_surface(surface) for name, surface in surfaces.items()}
    first, *others = named.values()
    for other in others:
        if other.classes != first.classes:
            raise InvalidInput(
                f"The surfaces have different classes, {listed(first.classes)} and "
                f"{listed(other.classes)}. Show surfaces of the same classes in the same order."
            )
    return named


def thinned(number: int, most: int) -> NDArray[np.intp]:
    """Positions of at most so many of a number of points, evenly spaced, first and last included.

    The points of a surface are in order of their rates, so that these are spread over all of it.

    Examples
    --------
    >>> thinned(5, 3), thinned(2, 3)
    (array([0, 2, 4]), array([0, 1]))
    """
    most = whole_number(most, "most_points", least=1)
    if number <= most:
        return np.arange(number)
    return np.linspace(0, number - 1, most).round().astype(np.intp)


def named_points(chosen: Any, classes: tuple[Label, ...]) -> dict[str, SurfacePoint]:
    """Chosen points by name: of one, what it was chosen by."""
    if chosen is None:
        return {}
    if isinstance(chosen, SurfacePoint):
        chosen = {chosen.criterion: chosen}
    if not isinstance(chosen, Mapping):
        raise InvalidType(
            f"chosen must be an operating point or a mapping from names, got {shown(chosen)}."
        )
    for name, point in chosen.items():
        if not isinstance(point, SurfacePoint):
            raise InvalidType(f"{shown(name)} must be an operating point, got {shown(point)}.")
        if point.classes != classes:
            raise InvalidInput(
                f"{shown(name)} is of a surface with other classes, {listed(point.classes)}."
            )
    return {str(name): point for name, point in chosen.items()}
