"""``polyroc metrics``: the registry as a table, or one metric explained."""

from typing import TYPE_CHECKING

import click

from polyroc.cli.completion import complete_metrics

if TYPE_CHECKING:
    from polyroc.metrics.declaration import Metric


@click.command()
@click.argument("name", required=False, shell_complete=complete_metrics)
def metrics(name: str | None) -> None:
    """List the metrics, or explain the one called NAME."""
    if name is None:
        _print_table()
    else:
        _explain(name)


def _explain(name: str) -> None:
    from polyroc.cli.screen import console
    from polyroc.metrics import registry

    metric, screen = registry[name], console()
    screen.print(f"{metric.title} ({metric.symbol})\n")
    for paragraph in _paragraphs(metric.function.__doc__ or ""):
        screen.print(f"{paragraph}\n")
    for about, fact in _facts(metric).items():
        screen.print(f"{about:<10}{fact}", soft_wrap=True)


def _facts(metric: "Metric") -> dict[str, str]:
    """What the declaration of a metric says, by keyword."""
    chance = "depends on the scores" if metric.chance is None else metric.chance.formula
    return {
        "classes": str(metric.classes),
        "range": f"{metric.lowest:g} to {metric.highest:g}, {metric.direction} is better",
        "guessing": chance,
        "needs": "probabilities" if metric.needs_probabilities else "scores",
        "work": metric.complexity,
        "paper": metric.reference,
        "try": f"polyroc evaluate FILE -m {metric.name}",
    }


def _paragraphs(docstring: str) -> list[str]:
    """What a docstring says before its sections, a line per paragraph.

    Examples
    --------
    >>> _paragraphs("How often\\n    it is ``right``.\\n\\n    Parameters\\n    ---")
    ['How often it is right.']
    """
    from inspect import cleandoc

    paragraphs = cleandoc(docstring).replace("``", "").split("\n\n")
    section = next((i for i, each in enumerate(paragraphs) if "\n---" in each), len(paragraphs))
    return [" ".join(each.split()) for each in paragraphs[:section]]


def _print_table() -> None:
    from polyroc.cli.screen import console, show, table
    from polyroc.metrics import registry

    screen = console()
    narrow = screen.width < 70
    columns = ["symbol", "what it is", "classes", "better", "chance"]
    made = table("Metrics", ["name", *(columns[1:2] if narrow else columns)])
    made.table.columns[0].no_wrap = True
    for metric in registry.values():
        chance = "varies" if metric.chance is None else metric.chance.formula
        rest = (
            (metric.title,)
            if narrow
            else (metric.symbol, metric.title, str(metric.classes), metric.direction, chance)
        )
        made.add(metric.name, *rest)
    show(screen, made)
