"""Inference: intervals, comparisons and studies, written once for every metric."""

from polyroc.inference._planning import Plan, plan
from polyroc.inference._reader_study import Power, ReaderStudy, ReaderTest, reader_study
from polyroc.inference.compare import compare
from polyroc.inference.comparison import Comparison
from polyroc.inference.evaluate import estimate, evaluate

# The module of this name is bound to the package as it is imported; the function takes its place.
from polyroc.inference.study import StudyInterrupted, study
from polyroc.inference.study_result import Study

__all__ = [
    "Comparison",
    "Plan",
    "Power",
    "ReaderStudy",
    "ReaderTest",
    "Study",
    "StudyInterrupted",
    "compare",
    "estimate",
    "evaluate",
    "plan",
    "reader_study",
    "study",
]
