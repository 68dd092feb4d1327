"""Two runs on one checkpoint: the second is refused and told who is there, and nothing is lost."""

import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from faults.processes import (
    EXAMPLE,
    command,
    forked,
    in_child,
    mount_disk,
    names,
    own_mounts,
    unmount,
)
from faults.writers import cases

from polyroc._storage.lock import sole_run
from polyroc.errors import InvalidInput

HOLDER = """
import os, sys, time
from pathlib import Path
from polyroc._storage.lock import sole_run
with sole_run(Path(sys.argv[1])):
    worker = os.fork() if "worker" in sys.argv else 1
    if worker == 0:
        time.sleep(60)
        os._exit(0)
    print(worker, flush=True)
    time.sleep(60)
"""


@contextmanager
def another_run(path: Path, *words: str) -> Iterator[tuple[int, int]]:
    """A process that holds the lock of a checkpoint, and its worker."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path), *words], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    worker = int(process.stdout.readline())
    try:
        yield process.pid, worker
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def in_use_by(pid: int) -> str:
    return f"is in use by process {pid} on {socket.gethostname()}, and two runs"


def test_the_second_is_refused_and_the_first_named(tmp_path: Path) -> None:
    from sklearn.naive_bayes import GaussianNB

    from polyroc.inference import study
    from polyroc.surface import ScoreModel, search

    y, X = cases(60)
    path, link = tmp_path / "run.npz", tmp_path / "link.npz"
    link.symlink_to(path)
    with another_run(path) as (pid, _):
        for name in (path, link):
            with pytest.raises(InvalidInput, match=in_use_by(pid)):
                search(ScoreModel(y, X), generations=1, checkpoint=name)
            with pytest.raises(InvalidInput, match=in_use_by(pid)):
                study({"bayes": GaussianNB()}, X, y, n_splits=1, checkpoint=name)
        words = ("surface", EXAMPLE, "--model", "forest", "--checkpoint", path)
        ended = command(*words)
    assert (ended.code, ended.printed) == (2, "")
    assert ended.said.startswith("polyroc: ") and len(ended.said.splitlines()) == 1
    assert in_use_by(pid) in ended.said
    assert not path.exists()


@pytest.mark.parametrize("workers", [(), ("worker",)], ids=["alone", "with a worker left behind"])
def test_a_killed_run_is_in_nobodys_way(workers: tuple[str, ...], tmp_path: Path) -> None:
    path = tmp_path / "run.npz"
    with another_run(path, *workers) as (pid, worker):
        os.kill(pid, signal.SIGKILL)
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
        if workers:
            os.kill(worker, 0)  # it lives, and has the descriptor of the lock
        with sole_run(path):
            assert names(tmp_path) == ["run.npz.polyroc-lock"]
        if workers:
            os.kill(worker, signal.SIGKILL)
    assert names(tmp_path) == []


def test_threads_and_forks_are_runs_too(tmp_path: Path) -> None:
    path, said = tmp_path / "run.npz", []

    def second() -> None:
        try:
            with sole_run(path):
                said.append("nothing")
        except InvalidInput as error:
            said.append(str(error))

    with sole_run(path):
        thread = threading.Thread(target=second)
        thread.start()
        thread.join()
        assert "another thread of this process" in said[0]
        with sole_run(tmp_path / "other.npz"):
            pass
    second()
    assert said[1] == "nothing" and names(tmp_path) == []
    assert in_child(fork_while_running, path, folder=tmp_path) == [1, 0]


def fork_while_running(path: str) -> list[int]:
    """Exit codes of forks that want the checkpoint while their parent has it, and afterwards."""

    def want() -> None:
        with sole_run(Path(path)):
            pass

    with sole_run(Path(path)):
        during = forked(want)
    return [during, forked(want)]


def contend(folder: str) -> dict[str, int]:
    """Processes that take a lock in turn and count, which goes wrong if two are in at a time."""
    path, counter = Path(folder, "run.npz"), Path(folder, "counter")
    counter.write_text("0")

    def work() -> None:
        done = 0
        while done < 50:
            try:
                with sole_run(path):
                    value = int(counter.read_text())
                    counter.write_text(str(value + 1))
                    done += 1
            except InvalidInput:
                pass

    workers = []
    for _ in range(4):
        child = os.fork()
        if child == 0:
            work()
            os._exit(0)
        workers.append(child)
    codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in workers]
    return {"count": int(counter.read_text()), "failed": sum(map(abs, codes))}


def test_never_two_at_a_time(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    """Locks are taken and removed 200 times by four processes that do not wait for each other."""
    record_property("faults", 200)
    found = in_child(contend, tmp_path, folder=tmp_path)
    assert found == {"count": 200, "failed": 0}


def on_a_full_disk(folder: str) -> str:
    disk = Path(folder)
    mount_disk(disk, 4096)
    (disk / "other").write_bytes(bytes(4096))
    said = ""
    with another_run(disk / "run.npz"):
        try:
            with sole_run(disk / "run.npz"):
                said = "nothing"
        except InvalidInput as error:
            said = str(error)
    unmount(disk)
    return said


def test_a_lock_needs_no_room(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    said = in_child(on_a_full_disk, disk, folder=tmp_path, prefix=own_mounts())
    assert "is in use by another process, and two runs" in said


def test_without_locks_runs_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fcntl", None)
    with sole_run(tmp_path / "run.npz"):
        assert names(tmp_path) == []
    monkeypatch.undo()
    with sole_run(tmp_path / "no folder" / "run.npz"):
        pass
