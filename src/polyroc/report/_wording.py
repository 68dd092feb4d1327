"""Numbers, names and counts as they stand in the sentences of the page."""

from polyroc.report._markup import percent

_EXACT = 1e-12
"""Shares this near to 0 or 1 are 0 or 1: sums of weights are rounded."""


def spoken(label: str) -> str:
    """A class as it stands in a sentence: a bare number would read as a count.

    Examples
    --------
    >>> spoken("4"), spoken("benign"), spoken(" ")
    ('class 4', 'benign', '(empty)')
    """
    if not label.strip():
        return "(empty)"
    return f"class {label}" if not any(letter.isalpha() for letter in label) else label


def counted(count: int, word: str) -> str:
    """A count with its word.

    Examples
    --------
    >>> counted(1, "case"), counted(2, "class"), counted(1200, "case")
    ('1 case', '2 classes', '1,200 cases')
    """
    ending = "" if count == 1 else "es" if word.endswith("s") else "s"
    return f"{count:,} {word}{ending}"


def share(value: float, digits: int = 0) -> str:
    """A share in percent; one that is not 0 or 1 does not read as if it were.

    Examples
    --------
    >>> share(0.67), share(0.004), share(0.9996), share(1), share(1e-9)
    ('67\\xa0%', '0.4\\xa0%', '99.96\\xa0%', '100\\xa0%', 'less than 0.001\\xa0%')
    """
    if value < _EXACT or value > 1 - _EXACT:
        return percent(round(value), digits)
    for more in range(digits, digits + 4):
        if f"{100 * value:.{more}f}" not in (f"{0:.{more}f}", f"{100:.{more}f}"):
            return percent(value, more)
    return "less than 0.001\u00a0%" if value < 0.5 else "more than 99.999\u00a0%"


def number(value: float, digits: int = 3) -> str:
    """A value between 0 and 1; one that is below 1 does not read as 1, nor one above 0 as 0.

    Examples
    --------
    >>> number(0.8124), number(0.99974), number(1.0), number(1 - 1e-9)
    ('0.812', '0.9997', '1.000', '>0.99999')
    """
    if value < _EXACT or value > 1 - _EXACT:
        return f"{value:.{digits}f}"
    for more in range(digits, digits + 3):
        text = f"{value:.{more}f}"
        if 0 < float(text) < 1:
            return text
    return "<0.00001" if value < 0.5 else ">0.99999"


def signed(value: float) -> str:
    """A difference with its sign.

    Examples
    --------
    >>> signed(0.0124), signed(-0.5), signed(-0.0001)
    ('+0.012', '−0.500', '0.000')
    """
    text = f"{value:+.3f}".replace("-", "−")
    return text if text.strip("+−0.") else "0.000"


def p_value(value: float) -> str:
    """A p-value as an equation.

    Examples
    --------
    >>> p_value(0.0496), p_value(2e-5)
    ('p = 0.0496', 'p < 0.001')
    """
    return f"p = {value:.3g}" if value >= 0.001 else "p < 0.001"


def level_text(level: float) -> str:
    """A confidence level.

    Examples
    --------
    >>> level_text(0.95), level_text(0.999)
    ('95\\xa0%', '99.9\\xa0%')
    """
    return f"{100 * level:.6g}\u00a0%"


def limits(low: float, high: float) -> str:
    """Limits of an interval."""
    return f"{low:.3f} to {high:.3f}"
