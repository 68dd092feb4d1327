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
    for paragraph in _paragraphs(metric.function.__doc__ or ""):
        screen.print(f"{paragraph}\n")
    guessing = "" if metric.chance is None else f" Guessing gives {metric.chance.formula}."
    better = f"{metric.direction.capitalize()} is better."
    screen.print(
        f"Classes: {metric.classes}. {better}{guessing} Cost: {metric.complexity}. "
        f"{metric.reference}."
    )


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
