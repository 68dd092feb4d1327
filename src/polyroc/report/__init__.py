"""One HTML page that says how good predictions are, and lets the reader weigh their errors."""

from polyroc.report.page import write_report

__all__ = ["write_report"]
