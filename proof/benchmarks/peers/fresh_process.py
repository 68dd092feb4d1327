"""Peak memory of a call in a process of its own, beyond what was there before it.

The process imports, makes the input and warms up; then what lies unused goes back to the system,
the peak so far is forgotten (Linux, ``/proc/self/clear_refs``), and the call is made.
"""

import ctypes
import gc
import json
import re
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

BENCHMARKS = Path(__file__).resolve().parents[1]
LEAST = 0.1
"""Megabytes that count as the least: below, the system's own bookkeeping is larger."""


class Peak(NamedTuple):
    """Megabytes beyond the input, and the result."""

    megabytes: float
    value: Any


def peak_of(module: str, function: str, *arguments: Any) -> Peak:
    """Peak of the call that ``function(*arguments)`` of a module here prepares."""
    asked = json.dumps([module, function, arguments])
    command = [sys.executable, "-m", "peers.fresh_process", asked]
    printed = subprocess.check_output(command, text=True, cwd=BENCHMARKS)
    return Peak(*json.loads(printed.splitlines()[-1]))


def peak_of_call(call: Callable[[], Any]) -> Peak:
    """Peak of a call in this process."""
    gc.collect()
    if hasattr(ctypes.CDLL(None), "malloc_trim"):
        ctypes.CDLL(None).malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5")
    before = status("VmRSS")
    value = call()
    return Peak(max((status("VmHWM") - before) / 1e6, LEAST), value)


def status(name: str) -> int:
    """Bytes that the system counts for this process."""
    found = re.search(rf"^{name}:\s+(\d+) kB", Path("/proc/self/status").read_text(), re.MULTILINE)
    if found is None:
        raise RuntimeError(f"This system does not tell {name}: memory is measured on Linux only.")
    return int(found[1]) * 1024


if __name__ == "__main__":
    module, function, arguments = json.loads(sys.argv[1])
    prepared = getattr(import_module(f"peers.{module}"), function)(*arguments)
    print(json.dumps(peak_of_call(prepared)))
