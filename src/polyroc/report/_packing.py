"""Arrays inside the JSON of a page."""

import base64
from typing import Any

import numpy as np
from numpy.typing import NDArray


def packed(array: NDArray[Any]) -> dict[str, str]:
    """An array as base64 with the name of its JavaScript type; whole numbers in few bytes.

    Examples
    --------
    >>> packed(np.array([1, 2, 300]))
    {'type': 'Uint16Array', 'data': 'AQACACwB'}
    """
    kind = array.dtype
    if kind.kind in "iu":
        largest = int(array.max(initial=0))
        kind = np.dtype("u1" if largest < 1 << 8 else "<u2" if largest < 1 << 16 else "<u4")
    names = {"u1": "Uint8", "u2": "Uint16", "u4": "Uint32", "f4": "Float32", "f8": "Float64"}
    raw = np.ascontiguousarray(array, dtype=kind.newbyteorder("<")).tobytes()
    return {
        "type": f"{names[kind.str[1:]]}Array",
        "data": base64.b64encode(raw).decode("ascii"),
    }
