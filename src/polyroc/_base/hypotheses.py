"""What a test is to show, in the same words for values and for differences.

Let e be how far a value is ahead of another, or of a constant: the difference itself where higher
is better, its negative where lower is. With a margin m ≥ 0:

    two-sided     H₀: e = 0
    greater       H₀: e ≤ m
    less          H₀: e ≥ −m
    noninferior   H₀: e ≤ −m
    equivalent    H₀: |e| ≥ m, by two one-sided tests
"""

from typing import Any, Literal, get_args

from polyroc._base.checks import check_choice, is_real, shown
from polyroc.errors import InvalidInput, InvalidType

Alternative = Literal["two-sided", "greater", "less", "noninferior", "equivalent"]

NEEDS_MARGIN = ("noninferior", "equivalent")


def checked_margin(alternative: Any, margin: Any) -> float:
    """The margin as a number that makes sense for an alternative; 0 where none is needed."""
    check_choice(alternative, "alternative", get_args(Alternative))
    if margin is None:
        if alternative in NEEDS_MARGIN:
            raise InvalidInput(
                f'alternative="{alternative}" needs a margin. Pass margin=, the largest '
                "difference that does not matter."
            )
        return 0.0
    if isinstance(margin, bool) or not isinstance(margin, (int, float)):
        raise InvalidType(f"margin must be a number, got {shown(margin)}.")
    if alternative == "two-sided":
        raise InvalidInput(
            f"margin={shown(margin)} has no meaning for a two-sided test. Pass alternative="
            '"noninferior", "equivalent", "greater" or "less".'
        )
    least = "positive" if alternative in NEEDS_MARGIN else "at least 0"
    if not is_real(margin) or margin < 0 or (margin == 0 and alternative in NEEDS_MARGIN):
        raise InvalidInput(f"margin must be {least} and finite, got {shown(margin)}.")
    return float(margin)


def check_margin_of(margin: float, metric: str, allowed: tuple[float, float]) -> None:
    """A margin is smaller than the range of a metric: with a larger one every test rejects."""
    lowest, highest = allowed
    if not margin < highest - lowest:
        raise InvalidInput(
            f"margin must be less than {highest - lowest:g}, the range of {metric}, got "
            f"{margin:g}. Pass 0.01 for a hundredth."
        )


def tails_of(alternative: str, level: float, lower_is_better: bool) -> tuple[float, float]:
    """Probabilities that the interval of a test leaves out below and above.

    Examples
    --------
    >>> tails_of("two-sided", 0.5, False), tails_of("greater", 0.5, False)
    ((0.25, 0.25), (0.5, 0.0))
    """
    if alternative == "two-sided":
        return (1 - level) / 2, (1 - level) / 2
    if alternative == "equivalent":
        if level <= 0.5:
            raise InvalidInput(
                "level must be above 0.5 for a test of equivalence, whose interval has the level "
                f"2 level − 1, got {level:g}."
            )
        return 1 - level, 1 - level
    from_below = (alternative != "less") != lower_is_better
    return (1 - level, 0.0) if from_below else (0.0, 1 - level)


_CLAIMS = {
    "two-sided": ("{a} differs from {b}", "{a} and {b} differ"),
    "greater": ("{a} is better than {b}",) * 2,
    "less": ("{a} is worse than {b}",) * 2,
    "noninferior": ("{a} is not inferior to {b}",) * 2,
    "equivalent": ("{a} is equivalent to {b}", "{a} and {b} are equivalent"),
}
"""What a test is to show, of a value and a constant, and of two models."""


def limits_in_words(alternative: str, level: float) -> str:
    """What the limits of a test at 1 − level are, as :func:`tails_of` has them.

    Examples
    --------
    >>> limits_in_words("two-sided", 0.95), limits_in_words("equivalent", 0.95)
    ('95 % interval', '90 % interval')
    >>> limits_in_words("noninferior", 0.95)
    'one-sided 95 % limit'
    """
    if alternative == "two-sided":
        return f"{100 * level:.6g} % interval"
    if alternative == "equivalent":
        return f"{100 * (2 * level - 1):.6g} % interval"
    return f"one-sided {100 * level:.6g} % limit"


_ALIKE = ("{a} cannot be told apart from {b}", "{a} and {b} cannot be told apart")
"""What a two-sided test says that does not reject."""


def claim(alternative: str, rejected: bool, a: str, b: str, *, models: bool = False) -> str:
    """What a test says of a value and a constant, or of two models.

    Examples
    --------
    >>> claim("greater", False, "0.9000", "0.8")
    'it is not shown that 0.9000 is better than 0.8'
    >>> claim("two-sided", True, "forest", "logistic", models=True)
    'forest and logistic differ'
    """
    if alternative == "two-sided" and not rejected:
        return _ALIKE[models].format(a=a, b=b)
    said = _CLAIMS[alternative][models].format(a=a, b=b)
    return said if rejected else f"it is not shown that {said}"


def p_in_words(p_value: float) -> str:
    """A p-value in a sentence.

    Examples
    --------
    >>> p_in_words(0.0004), p_in_words(0.04)
    ('p < .001', 'p = 0.040')
    """
    return "p < .001" if p_value < 0.001 else f"p = {p_value:.3f}"
