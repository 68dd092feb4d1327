"""The machine in words that name neither it nor anyone: two runs on equal machines compare."""

import os
import platform
import re
import time
from pathlib import Path

from polyroc._base.parallel import thread_count

MOST_LOAD = 0.25
"""Load of a core before a run whose page is to be published."""

MOST_OTHERS = 0.05
"""Share of all processors that others may use during such a run."""

STAT = Path("/proc/stat")


class Busy(Exception):
    """Other processes use the machine, so that times are not worth publishing."""


def check_idle() -> None:
    """Raise an error if the machine has work to do before the run has begun."""
    load = os.getloadavg()[0] / (os.cpu_count() or 1)
    if load > MOST_LOAD:
        raise Busy(
            f"The load is {load:.2f} a core, more than {MOST_LOAD:g}: a page of times needs an "
            "idle machine. Wait until other work has ended, or leave out --page."
        )


class Watch:
    """What other processes use of the machine from now on."""

    def __init__(self) -> None:
        self.start = time.perf_counter(), busy_seconds(), own_seconds()

    def others(self) -> float:
        """Their share of all processors; NaN where the system does not tell."""
        elapsed, busy, own = (
            now - then
            for now, then in zip(
                (time.perf_counter(), busy_seconds(), own_seconds()), self.start, strict=True
            )
        )
        return (busy - own) / (elapsed * (os.cpu_count() or 1))

    def check(self) -> None:
        """Raise an error if others used more than a little."""
        share = self.others()
        if share > MOST_OTHERS:
            raise Busy(
                f"Other processes used {share:.0%} of the processors during the run, more than "
                f"{MOST_OTHERS:.0%}: the page is not written. Run it again on an idle machine."
            )


def busy_seconds() -> float:
    """Seconds that all processors were at work since the system was started."""
    if not STAT.exists():
        return float("nan")
    user, nice, system, _, _, irq, soft, steal = map(int, STAT.read_text().split()[1:9])
    return (user + nice + system + irq + soft + steal) / os.sysconf("SC_CLK_TCK")


def own_seconds() -> float:
    """Seconds that this process and those that it has started and awaited were at work."""
    return sum(os.times()[:4])


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
