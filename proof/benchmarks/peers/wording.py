"""Numbers as the screen and the page show them."""

from peers.contest import place
from peers.rows import Row, Spread


def amount(value: float, unit: str) -> str:
    """A time or a size of memory with three digits.

    >>> amount(0.01234, "s"), amount(45.6, "s"), amount(1234.0, "MB")
    ('12.3 ms', '45.6 s', '1.23 GB')
    """
    steps = {"s": ((1, "s"), (1e-3, "ms"), (1e-6, "µs")), "MB": ((1e3, "GB"), (1, "MB"))}[unit]
    size, name = next((step for step in steps if value >= step[0]), steps[-1])
    return f"{digits(value / size)} {name}"


def digits(value: float) -> str:
    """Three digits, without powers of ten.

    >>> digits(0.12345), digits(12.345), digits(12345.6)
    ('0.123', '12.3', '12,346')
    """
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}" if value >= 1 else f"{value:.3g}"


def factor(ratio: Spread) -> str:
    """A ratio with its quartiles, where there are several measurements."""
    if ratio.repeats == 1:
        return f"{digits(ratio.median)} ×"
    return f"{digits(ratio.median)} × ({digits(ratio.low)}–{digits(ratio.high)})"


def difference(row: Row) -> str:
    """How far the numbers are apart."""
    if row.agreement is None:
        return ""
    if row.agreement.difference is None:
        return "definition differs"
    return "0" if row.agreement.difference == 0 else f"{row.agreement.difference:.0e}"


def outcome(row: Row) -> str:
    """What else came out, in words."""
    return ", ".join(f"{name} {value:.4g}" for name, value in row.outcome.items())


def line(row: Row) -> str:
    """A row on the screen."""
    head = f"{place(row.quantity, row.sizes)}: polyroc {amount(row.ours.median, row.unit)}"
    if row.theirs is None or row.ratio is None:
        return f"{head}; {row.rival} not run: {row.absence.reason}"
    told = f"{head}, {row.rival} {amount(row.theirs.median, row.unit)}, {factor(row.ratio)}"
    further = [f"difference {difference(row)}" if row.agreement else "", outcome(row)]
    return "; ".join([told, *filter(None, further)])
