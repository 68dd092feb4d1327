"""Inference: intervals, comparisons and studies, written once for every metric.

Names are loaded when they are first used: a comparison does not wait for reader studies.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

# Loaded with the package, so that the first call does not wait for them.
import scipy.special as _special  # noqa: F401

from polyroc.kernels import compile as _compile  # noqa: F401

if TYPE_CHECKING:
    from polyroc.inference._chance import ChanceTest, chance_test
    from polyroc.inference._checking.check import check
    from polyroc.inference._checking.result import Check
    from polyroc.inference._compare import compare
    from polyroc.inference._comparison import Comparison
    from polyroc.inference._cross import CrossComparison, CrossEvaluation, cross_evaluate
    from polyroc.inference._evaluate import estimate, evaluate
    from polyroc.inference._options import Bootstrap, Design, Influence, Permutation
    from polyroc.inference._ordinal import estimate_ordinal_vus
    from polyroc.inference._pairs import evaluate_pairs
    from polyroc.inference._planning import Plan, Prices, plan
    from polyroc.inference._reader_study import Power, ReaderStudy, ReaderTest, reader_study
    from polyroc.inference._slices import SlicedComparison, SlicedEvaluation
    from polyroc.inference._study import Study, StudyInterrupted, study

_HOMES = {
    "_chance": "ChanceTest chance_test",
    "_checking": "Check check",
    "_compare": "compare",
    "_comparison": "Comparison",
    "_cross": "CrossComparison CrossEvaluation cross_evaluate",
    "_evaluate": "estimate evaluate",
    "_options": "Bootstrap Design Influence Permutation",
    "_ordinal": "estimate_ordinal_vus",
    "_pairs": "evaluate_pairs",
    "_planning": "Plan Prices plan",
    "_reader_study": "Power ReaderStudy ReaderTest reader_study",
    "_slices": "SlicedComparison SlicedEvaluation",
    "_study": "Study StudyInterrupted study",
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names.split()}

__all__ = [
    "Bootstrap",
    "ChanceTest",
    "Check",
    "Comparison",
    "CrossComparison",
    "CrossEvaluation",
    "Design",
    "Influence",
    "Permutation",
    "Plan",
    "Power",
    "Prices",
    "ReaderStudy",
    "ReaderTest",
    "SlicedComparison",
    "SlicedEvaluation",
    "Study",
    "StudyInterrupted",
    "chance_test",
    "check",
    "compare",
    "cross_evaluate",
    "estimate",
    "estimate_ordinal_vus",
    "evaluate",
    "evaluate_pairs",
    "plan",
    "reader_study",
    "study",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOME_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
