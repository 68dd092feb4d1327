"""``polyroc demo``: everything, on bundled predictions."""

import tempfile
from pathlib import Path

import click

from polyroc.cli.wording import printable

DIFFERENCES = ["hand_till", "auc_mu", "pdi"]


@click.command(short_help="Evaluate, compare and report bundled predictions.")
@click.option(
    "-o", "--output", metavar="PATH", help="File to write the report to.  [default: temporary]"
)
def demo(output: str | None) -> None:
    """Evaluate and compare three bundled classifiers, and write a report."""
    from polyroc.cli.compare import comparison_tables
    from polyroc.cli.evaluate import evaluation_tables
    from polyroc.cli.report import check_output
    from polyroc.cli.screen import console, show
    from polyroc.datasets import example_predictions
    from polyroc.inference import compare, evaluate

    if output is not None:
        check_output(output)
    screen, example = console(), example_predictions()
    counts = ", ".join(f"{sum(example.y_true == label)} {label}" for label in example.labels)
    screen.print(f"{len(example.y_true)} cases of {len(example.labels)} classes: {counts}.\n")
    results = {
        name: evaluate(example.y_true, scores, labels=example.labels)
        for name, scores in example.models.items()
    }
    for made in evaluation_tables(results, 0.95, screen.width):
        show(screen, made)
    differences = compare(example.y_true, example.models, DIFFERENCES, labels=example.labels)
    for made in comparison_tables(differences, screen.width):
        show(screen, made)
    screen.print(
        "Differences are paired: the same cases were scored by all three. "
        "`polyroc metrics` lists every metric, `polyroc metrics hand_till` explains one. "
        "`polyroc evaluate FILE` does this for your own predictions."
    )
    screen.print(printable(f"Report: {_report(output)}"), soft_wrap=True)


def _report(output: str | None) -> Path:
    from polyroc.cli.screen import working
    from polyroc.datasets import example_predictions
    from polyroc.report import write_report

    example = example_predictions()
    path = Path(output or Path(tempfile.mkdtemp(prefix="polyroc-"), "demo.html"))
    with working("writing the report"):
        title = "Three classifiers of 850 cases"
        write_report(path, example.y_true, example.models, labels=example.labels, title=title)
    return path
