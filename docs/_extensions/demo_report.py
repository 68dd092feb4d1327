"""The report of ``polyroc demo``, written beside the pages: ``demo-report.html``."""

from pathlib import Path
from typing import Any

from polyroc.datasets import example_predictions
from polyroc.report import write_report


def write(app: Any, exception: Exception | None) -> None:
    if exception is None and app.builder.format == "html":
        y_true, models, labels = example_predictions()
        path = Path(app.outdir, "demo-report.html")
        write_report(path, y_true, models, labels=labels, title="Three classifiers of 850 cases")


def setup(app: Any) -> dict[str, bool]:
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
