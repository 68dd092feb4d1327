"""Worker processes that do not outlive the process that started them.

A process that is killed cannot stop its workers, and joblib's would go on with what they were given
and then wait for minutes.
"""

import os
import threading
import time

SECONDS_BETWEEN_LOOKS = 0.5

_watching: set[int] = set()
"""Workers that watch, by their numbers: a fork inherits the set, but not the thread."""


def end_with(parent: int) -> None:
    """End this process soon after its parent has ended; nothing happens where it is no child of it.

    A worker of a cluster, or a thread of the process itself, has another parent.
    """
    if os.getppid() != parent or os.getpid() in _watching:
        return
    _watching.add(os.getpid())
    threading.Thread(target=_watch, args=(parent,), daemon=True, name="polyroc-parent").start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(SECONDS_BETWEEN_LOOKS)
    os._exit(1)
