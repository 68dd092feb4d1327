"""Inference: intervals, comparisons and studies, written once for every metric."""

from polyroc.inference._chance import ChanceTest, chance_test
from polyroc.inference._checking import Check, check
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
