"""The process in which a target runs: ``python child.py TARGET FOLDER libFuzzer's flags …``.

If it is still there after ``POLYROC_FUZZ_SECONDS``, it says where its threads are.
"""

import faulthandler
import json
import os
import sys
import time
from pathlib import Path

import atheris

ROOT = Path(__file__).parents[2]
INSTRUMENTED = ["polyroc", "zipfile", "json", "csv", "gzip"]
LEFT_OUT = [f"polyroc.kernels.{path.stem}" for path in ROOT.glob("src/polyroc/kernels/*.py")]
"""numba compiles these, and must find them as they are written."""

TELL_EVERY = 1.0
"""Seconds between figures, which are written as libFuzzer ends without a word to Python."""


class Figures:
    """How many inputs there were, and how long the slowest took."""

    def __init__(self, path: Path) -> None:
        self.path, self.inputs, self.slowest = path, 0, 0.0
        self.start = self.told = time.monotonic()

    def add(self, seconds: float) -> None:
        self.inputs += 1
        slower = seconds > 1.5 * self.slowest
        self.slowest = max(self.slowest, seconds)
        if slower or time.monotonic() - self.told > TELL_EVERY:
            self.tell()

    def tell(self) -> None:
        self.told = time.monotonic()
        figures = {
            "inputs": self.inputs,
            "slowest": self.slowest,
            "seconds": self.told - self.start,
        }
        self.path.write_text(json.dumps(figures))


def main() -> None:
    name, folder, flags = sys.argv[1], Path(sys.argv[2]), sys.argv[3:]
    if "POLYROC_FUZZ_SECONDS" in os.environ:
        faulthandler.dump_traceback_later(float(os.environ["POLYROC_FUZZ_SECONDS"]))
    sys.path.insert(0, str(ROOT / "tests"))
    with atheris.instrument_imports(include=INSTRUMENTED, exclude=LEFT_OUT):
        from targets import target_of

        target = target_of(name, folder / "input")
    for number, content in enumerate(target.seeds):
        (folder / "corpus" / f"{number:03}").write_bytes(content)
    last = folder / "last"
    figures = Figures(folder / "figures.json")

    def test_one_input(data: bytes) -> None:
        last.write_bytes(data)  # libFuzzer cannot save it where the stack overflows
        start = time.perf_counter()
        target.run(data)
        figures.add(time.perf_counter() - start)

    arguments = [sys.argv[0], *flags]
    if target.mutate is None:
        atheris.Setup(arguments, test_one_input)
    else:
        atheris.Setup(arguments, test_one_input, custom_mutator=target.mutate)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
