"""R's package pROC, kept running: questions go out and answers come back as doubles."""

import shutil
import socket
import subprocess
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np

SCRIPT = Path(__file__).with_name("proc.R")
PATIENCE = 60
"""Seconds for R to start, and for an answer."""

QUESTIONS = (
    "delong",
    "paired_test",
    "unpaired_test",
    "points_of_a_curve",
    "hand_till",
    "one_marker",
    "directed",
)
"""In the order of the script."""


class NoProc(Exception):
    """R or its package is not there."""


class ProcError(Exception):
    """What pROC says where it has no answer."""


class Proc:
    """A process of R with pROC loaded, as a context; it works in a folder of its own.

    pROC saves a file into the working folder where its results contradict each other.
    """

    def __init__(self, folder: Path) -> None:
        program = shutil.which("Rscript")
        if program is None:
            raise NoProc("there is no Rscript on the path")
        with socket.create_server(("localhost", 0)) as server:
            port = str(server.getsockname()[1])
            errors = (folder / "errors").open("w+")
            self._process = subprocess.Popen(
                [program, str(SCRIPT), port], cwd=folder, stdin=subprocess.DEVNULL, stderr=errors
            )
            self._errors = errors
            self._link = self._accepted(server)

    def _accepted(self, server: socket.socket) -> socket.socket:
        """The connection that R opens once pROC is loaded."""
        server.settimeout(1)
        for _ in range(PATIENCE):
            try:
                link, _ = server.accept()
            except TimeoutError:
                if self._process.poll() is None:
                    continue
                break
            link.settimeout(PATIENCE)
            return link
        raise NoProc(f"R does not run with pROC: {self._end()}")

    def ask(self, question: str, *numbers: object) -> np.ndarray:
        """The answer to a question about these numbers and arrays, tables column by column."""
        parts = [[QUESTIONS.index(question) + 1], *numbers]
        flat = np.concatenate([np.ravel(np.asarray(part, np.float64), "F") for part in parts])
        self._link.sendall(np.append(len(flat), flat).tobytes())
        count = int(self._received(1)[0])
        answer = self._received(abs(count))
        if count < 0:
            raise ProcError("".join(chr(int(letter)) for letter in answer))
        return answer

    def _received(self, number: int) -> np.ndarray:
        found = bytearray()
        while len(found) < 8 * number:
            part = self._link.recv(8 * number - len(found))
            if not part:
                raise RuntimeError(f"R has stopped: {self._end()}")
            found += part
        return np.frombuffer(found)

    def _end(self) -> str:
        """What R has said, after its end."""
        self._process.terminate()
        self._process.wait()
        self._errors.seek(0)
        said = self._errors.read().strip()
        self._errors.close()
        return said

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._link.close()  # the script ends where nothing is asked any more
        if not self._errors.closed:
            self._end()
