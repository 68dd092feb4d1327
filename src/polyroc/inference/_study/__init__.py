"""``study``: estimators trained and tested on repeated splits."""

from polyroc.inference._study.result import Study
from polyroc.inference._study.study import StudyInterrupted, study

__all__ = ["Study", "StudyInterrupted", "study"]
