"""The machine in words that name neither it nor anyone: two runs on equal machines compare."""

import os
import platform
import re
from pathlib import Path

from polyroc._base.parallel import thread_count


def description() -> dict[str, str | int]:
    """Processor, processors this process may use, memory and system."""
    return {
        "processor": processor(),
        "cores": thread_count(),
        "memory": f"{memory_bytes() / 2**30:.0f} GiB",
        "system": f"{platform.system()} {platform.machine()}",
    }


def processor() -> str:
    """The name of the model, where the system tells it."""
    described = Path("/proc/cpuinfo")
    text = described.read_text() if described.exists() else ""
    found = re.search(r"^model name\s*: (.+)$", text, re.MULTILINE)
    return found[1] if found else platform.processor() or "unknown"


def memory_bytes() -> int:
    """All memory of the machine."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
