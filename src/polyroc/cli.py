"""The command line."""

from typing import TYPE_CHECKING

import click

from polyroc._version import __version__

if TYPE_CHECKING:
    from rich.table import Table

    from polyroc.inference import Comparison
    from polyroc.results import Evaluation


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, package_name="polyroc")
def main() -> None:
    """Multi-class ROC analysis: how good, how sure, which is better."""


@main.command()
def demo() -> None:
    """Evaluate and compare three bundled classifiers."""
    from rich.console import Console

    from polyroc.datasets import example_predictions
    from polyroc.inference import compare, evaluate

    console = Console()
    example = example_predictions()
    counts = ", ".join(f"{sum(example.y_true == label)} {label}" for label in example.labels)
    console.print(f"{len(example.y_true)} cases of {len(example.labels)} classes: {counts}.\n")
    results = {
        name: evaluate(example.y_true, scores, labels=example.labels)
        for name, scores in example.models.items()
    }
    console.print(_evaluation_table(results))
    metrics = ["hand_till", "auc_mu", "pdi"]
    differences = compare(example.y_true, example.models, metrics, labels=example.labels)
    console.print(_comparison_table(differences))
    console.print(
        "Differences are paired: the same cases were scored by all three. "
        "`polyroc metrics` lists every metric, `polyroc metrics hand_till` explains one."
    )


@main.command()
@click.argument("name", required=False)
def metrics(name: str | None) -> None:
    """List the metrics, or explain the one called NAME."""
    from rich.console import Console

    from polyroc.errors import PolyrocError
    from polyroc.metrics import registry

    console = Console()
    if name is None:
        console.print(_metrics_table())
        return
    try:
        metric = registry[name]
    except PolyrocError as error:
        raise click.UsageError(str(error)) from None
    console.print(f"{metric.title} ({metric.symbol})\n", markup=False)
    console.print(metric.function.__doc__, markup=False, highlight=False)
    console.print(f"\nClasses: {metric.classes}. Cost: {metric.complexity}. {metric.reference}.")


def _table(title: str) -> "Table":
    from rich import box
    from rich.table import Table

    return Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))


def _evaluation_table(results: "dict[str, Evaluation]") -> "Table":
    from rich.markup import escape

    table = _table("How good, and how sure? Values with 95 % intervals")
    table.add_column("metric", no_wrap=True)
    for name in results:
        table.add_column(escape(name))
    for metric in next(iter(results.values())):
        cells = []
        for result in results.values():
            low, high, *_ = result[metric].interval()
            cells.append(f"{result[metric].value:.3f} ({low:.3f}–{high:.3f})".replace("0.", "."))
        table.add_row(metric, *cells)
    return table


def _comparison_table(comparison: "Comparison") -> "Table":
    from rich.markup import escape

    from polyroc.results import cell

    table = _table("Which is better? Differences with 95 % intervals")
    for column in ("metric", "models"):
        table.add_column(column)
    for column in ("difference", "interval", "p", "p (Holm)"):
        table.add_column(column, justify="right", no_wrap=True)
    for row in comparison.differences:
        low, high, *_ = row.interval()
        table.add_row(
            row.metric,
            escape(f"{row.model_a} − {row.model_b}"),
            f"{row.difference:+.4f}",
            f"{low:+.4f} … {high:+.4f}",
            cell(row.p_value),
            cell(row.p_adjusted),
        )
    return table


def _metrics_table() -> "Table":
    from polyroc.metrics import registry

    table = _table("Metrics")
    table.add_column("name", no_wrap=True)
    for column in ("symbol", "what it is", "classes", "chance"):
        table.add_column(column)
    for metric in registry.values():
        table.add_row(
            metric.name,
            metric.symbol,
            metric.title,
            str(metric.classes),
            "varies" if metric.chance is None else metric.chance.formula,
        )
    return table
