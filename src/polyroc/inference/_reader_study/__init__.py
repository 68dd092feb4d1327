"""Reader studies: many readers, many cases, any metric.

``table`` and ``crossing`` read and check, ``quantity`` is the metric, ``covariance`` estimates
covariances over cases, ``analysis`` is the analysis of variance, ``power`` plans, and ``result`` is
what a user sees.
"""

from polyroc.inference._reader_study.analysis import ReaderTest
from polyroc.inference._reader_study.power import Power
from polyroc.inference._reader_study.result import ReaderStudy
from polyroc.inference._reader_study.study import reader_study

__all__ = ["Power", "ReaderStudy", "ReaderTest", "reader_study"]
