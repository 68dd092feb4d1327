"""Numbers and names as they stand in the sentences of the page."""

import math
import re
from decimal import Decimal

import numpy as np

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


def signed(value: float, digits: int = 3) -> str:
    """A difference with its sign.

    Examples
    --------
    >>> signed(0.0124), signed(-0.5), signed(-0.0001), signed(-0.0001, 5)
    ('+0.012', '−0.500', '0.000', '−0.00010')
    """
    text = f"{value:+.{digits}f}".replace("-", "−")
    return text if text.strip("+−0.") else f"{0:.{digits}f}"


def digits_for(value: float) -> int:
    """Decimals that a small difference needs not to read as 0: three, or up to six.

    Examples
    --------
    >>> digits_for(0.0124), digits_for(0.00007), digits_for(0)
    (3, 4, 3)
    """
    return next((d for d in range(3, 7) if abs(value) >= 0.5 / 10**d), 3)


def difference_digits(value: float, low: float, high: float) -> int:
    """Decimals of a difference and its limits: limits on one side of 0 do not read as 0.

    Examples
    --------
    >>> difference_digits(0.0112, 0.0058, 0.0166), difference_digits(0.0012, 0.0006, 0.0019)
    (3, 4)
    """
    nearest = min(abs(low), abs(high)) if low * high > 0 else 0.0
    needed = digits_for(nearest), interval_digits(low, high), width_digits(low, high)
    return max(digits_for(value), *needed)


def width_digits(low: float, high: float) -> int:
    """Decimals by which rounding moves a limit by at most a tenth of the width.

    Examples
    --------
    >>> width_digits(0.0058, 0.0166), width_digits(0.0006, 0.0019)
    (3, 4)
    """
    return digits_for((high - low) / 10) if high > low else 3


def size_of_difference(size: float, digits: int) -> str:
    """How large a difference is, which does not read as 0 if it is not.

    Examples
    --------
    >>> size_of_difference(0.0124, 3), size_of_difference(0.00124, 4), size_of_difference(1e-9, 3)
    ('0.012', '0.0012', 'less than 0.001')
    """
    text = f"{size:.{digits}f}"
    return text if float(text) else "less than 0.001"


def p_number(value: float, alpha: float = 0.05) -> str:
    """A p-value in a table: three decimals, or as many as say on which side of alpha it lies.

    Examples
    --------
    >>> p_number(0.0123), p_number(0.05003), p_number(2e-5), p_number(float("nan"))
    ('0.012', '0.05003', '<\\xa00.001', '–')
    """
    if math.isnan(value):
        return "–"
    if value < 0.001:
        return "<\u00a00.001"
    texts = [f"{value:.{digits}f}" for digits in range(3, 7)]
    side = np.sign(value - alpha)
    return next((text for text in texts if np.sign(float(text) - alpha) == side), texts[-1])


def p_value(value: float, alpha: float = 0.05) -> str:
    """A p-value as an equation.

    Examples
    --------
    >>> p_value(0.0496), p_value(2e-5)
    ('p = 0.0496', 'p < 0.001')
    """
    text = p_number(value, alpha).replace("\u00a0", " ")
    return f"p {text}" if text.startswith("<") else f"p = {text}"


def level_text(level: float) -> str:
    """A confidence level.

    Examples
    --------
    >>> level_text(0.95), level_text(0.999)
    ('95\\xa0%', '99.9\\xa0%')
    """
    return f"{100 * level:.6g}\u00a0%"


def interval_digits(low: float, high: float) -> int:
    """Decimals of a value and its limits: three, or up to five where they differ no sooner.

    What lies in the middle reads neither as one of the limits nor, next to 1, as 1. Limits below
    0.01 have four, or a value between them would read as one of them.

    Examples
    --------
    >>> interval_digits(0.5, 0.6), interval_digits(0.50996, 0.51012), interval_digits(0.5, 0.5)
    (3, 5, 3)
    >>> interval_digits(0.0002, 0.0014), interval_digits(0.00021, 0.00024)
    (4, 5)
    >>> interval_digits(0.99936, 0.99972), interval_digits(0.76, 0.99998)
    (4, 3)
    """
    if math.isnan(low) or high - low < _EXACT:
        return 3
    least = 4 if low >= 0 and high < 0.01 else 3
    ends = low, (low + high) / 2, high
    shown = {d: {f"{each:.{d}f}" for each in ends} for d in range(least, 5)}
    return next((d for d, texts in shown.items() if len(texts) == 3), 5)


def limits(low: float, high: float, between: str = " to ") -> str:
    """Limits of an interval; one below 1 does not read as 1 if five digits can tell.

    Examples
    --------
    >>> limits(0.8124, 0.9), limits(0.9991, 0.99996), limits(0.95, 1 - 1e-9)
    ('0.812 to 0.900', '0.9991 to 0.99996', '0.950 to 1.000')
    >>> limits(0.50996, 0.51012)
    '0.50996 to 0.51012'
    """
    digits = interval_digits(low, high)
    return between.join(_limit(each, digits) for each in (low, high))


def _limit(value: float, digits: int) -> str:
    text = number(value, digits)
    return f"{value:.{digits}f}" if text[0] in "<>" else text


def with_decimals(text: str) -> str:
    """Text in which no number has an exponent.

    Examples
    --------
    >>> with_decimals("with 95 % confidence the share is under 6.0e-05")
    'with 95 % confidence the share is under 0.00006'
    """
    return re.sub(r"\d(\.\d+)?e-\d+", lambda found: f"{Decimal(found[0]).normalize():f}", text)
