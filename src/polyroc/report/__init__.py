"""One HTML page that tells what predictions are worth, and lets the reader weigh their errors."""

from polyroc.report.page import write_report

__all__ = ["write_report"]
