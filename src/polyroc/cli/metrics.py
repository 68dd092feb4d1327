"""``polyroc metrics``: the registry as a table, or one metric explained."""

import click


@click.command()
@click.argument("name", required=False)
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
    screen.print(metric.function.__doc__)
    screen.print(f"\nClasses: {metric.classes}. Cost: {metric.complexity}. {metric.reference}.")


def _print_table() -> None:
    from polyroc.cli.screen import console, show, table
    from polyroc.metrics import registry

    screen = console()
    narrow = screen.width < 70
    columns = ["symbol", "what it is", "classes", "chance"]
    made = table("Metrics", ["name", *(columns[1:2] if narrow else columns)])
    made.table.columns[0].no_wrap = True
    for metric in registry.values():
        chance = "varies" if metric.chance is None else metric.chance.formula
        rest = (
            (metric.title,)
            if narrow
            else (metric.symbol, metric.title, str(metric.classes), chance)
        )
        made.add(metric.name, *rest)
    show(screen, made)
