"""Where things are: what is mutated, and which tests count."""

from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

SOURCES = ROOT / "src" / "polyroc"

PACKAGES = (
    "src/polyroc/metrics",
    "src/polyroc/statistics",
    "src/polyroc/inference",
    "src/polyroc/surface",
    "src/polyroc/utility",
    "src/polyroc/scale",
    "src/polyroc/readers",
    "src/polyroc/report",
)
"""What is mutated, with the packages inside. The doctests of these modules count as tests."""

TESTS = (
    "tests/calibration/test_*.py",
    "tests/cli/test_*.py",
    "tests/common/test_*.py",
    "tests/curves/test_*.py",
    "tests/differential/test_*.py",
    "tests/display/test_*.py",
    "tests/hostile/test_*.py",
    "tests/inference/test_*.py",
    "tests/predictions/test_*.py",
    "tests/published/test_*.py",
    "tests/readers/test_*.py",
    "tests/report/test_*.py",
    "tests/robustness/test_*.py",
    "tests/routes/test_*.py",
    "tests/scale/test_*.py",
    "tests/statistics/test_*.py",
    "tests/storage/test_*.py",
    "tests/surface/test_*.py",
    "tests/surface/classifiers/test_*.py",
    "tests/utility/test_*.py",
    "tests/test_bad_input.py",
    "tests/test_containers.py",
    "tests/test_dataclasses.py",
    "tests/test_datasets.py",
    "tests/test_generated.py",
    "tests/test_pickling.py",
    "tests/test_predictions.py",
    "tests/test_progress.py",
    "tests/test_scorers.py",
    "tests/test_threads.py",
    "tests/test_ties.py",
)
"""Files with tests that may kill a mutant. One that is not there is no error."""


def modules() -> Iterator[Path]:
    """The files of the packages."""
    for package in PACKAGES:
        yield from sorted((ROOT / package).rglob("*.py"))


WORK = ROOT / ".mutation"
"""The map of lines and the results of an interrupted run; not part of the repository."""
