"""One HTML page that says how good predictions are, and lets the reader weigh their errors."""

from polyroc.report._earlier import EarlierReport
from polyroc.report._page import write_report

__all__ = ["EarlierReport", "write_report"]
