"""Running pytest in children that print nothing and always do the same."""

import json
import os
import sys
import tempfile
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from mutation.places import ROOT


def pytest_options() -> list[str]:
    """The settings of the project, without output and without files left behind."""
    return [
        f"--rootdir={ROOT}",
        f"--config-file={ROOT / 'pyproject.toml'}",
        "-q",
        "--tb=no",
        "--no-header",
        "--assert=plain",  # nobody reads why an assertion failed
        "--capture=no",
        "-pno:cacheprovider",
        "-Wignore::pytest.PytestCollectionWarning",  # of a class named Test in the package
        "--numprocesses=0",  # trials are processes already
        "-mnot slow and not browser and not integrations",  # of the system too, and with PyTorch
    ]


def reproducible_examples() -> None:
    """Hypothesis draws the same examples each time, keeps none, and does not shrink failures."""
    from hypothesis import Phase, settings

    settings.register_profile(
        "mutation",
        deadline=None,
        derandomize=True,
        database=None,
        phases=(Phase.explicit, Phase.generate),
    )
    settings.load_profile("mutation")


def in_children(works: Sequence[Callable[[], Any]]) -> list[Any]:
    """What each of them returns when all are done at once in forked processes, as JSON."""
    with tempfile.TemporaryDirectory() as folder:
        answers = [Path(folder) / f"{number}.json" for number in range(len(works))]
        children = []
        for work, answer in zip(works, answers, strict=True):
            children.append(os.fork())
            if not children[-1]:
                _answer(work, answer)
        if any(os.waitpid(child, 0)[1] for child in children):
            raise RuntimeError("A child did not come to its end: see above.")
        return [json.loads(answer.read_text()) for answer in answers]


def _answer(work: Callable[[], Any], answer: Path) -> None:
    """Work silently, write the answer, and end without the clean-up of the parent."""
    try:
        silence()
        answer.write_text(json.dumps(work()))
        os._exit(0)
    except BaseException:
        traceback.print_exc(file=sys.__stderr__)
        os._exit(1)


def silence(*, errors: bool = False) -> None:
    """Nothing to read from, nowhere to print to; perhaps not even errors."""
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2) if errors else (0, 1):
        os.dup2(null, descriptor)
