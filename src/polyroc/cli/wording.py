"""Words for people at a terminal: names made harmless, messages that speak of options."""

import math
import re
from collections.abc import Callable, Iterable

_ALTERNATIVES = r"--alternative \1, \2, \3 or \4"


def _by_class(mapping: re.Match[str]) -> str:
    """Columns by class as an option: ``columns={0: 'p_a'}`` is ``--columns 0=p_a``."""
    pairs = mapping[1].replace("'", "").replace(": ", "=").replace(", ", ",")
    return f"--columns {pairs.replace('class=column', 'CLASS=COLUMN')}"


_SPOKEN: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = (
    (re.compile(r'\babsent="skip"'), "--absent skip"),
    (re.compile(r"\bnormalize=True"), "--normalize"),
    (re.compile(r'\binterval="(\w+)"'), r"--interval \1"),
    (re.compile(r'\bmethod="(\w+)"'), r"--method \1"),
    (re.compile(r'\bcovariance="(\w+)"'), r"--covariance \1"),
    (re.compile(r'\bmetric="(\w+)"'), r"-m \1"),
    (re.compile(r'\b([Uu]se) model="(\w+)"'), r"\1 the model \2 of polyroc.saec in Python"),
    (re.compile(r"\bweight=(')"), r"--weights \1"),
    (re.compile(r"\bgroup=(')"), r"--groups \1"),
    (re.compile(r"\b(?:sample_weight|weight)="), "--weights"),
    (re.compile(r"\bgroup="), "--groups"),
    (re.compile(r"\bfold="), "--folds"),
    (re.compile(r"\bby= \(or slices in Predictions\)"), "--by"),
    (re.compile(r"\binterval=None"), "--interval none"),
    (re.compile(r"\bcolumns=\{([^{}]*)\}"), _by_class),
    (re.compile(r"\b(target|columns|labels|costs|criterion|drop|model|rating|scores)="), r"--\1"),
    (re.compile(r"\b(case|reader|modality|truth)=(?=\.)"), r"--\1"),
    (re.compile(r"^ScoreModel\b"), "The surface"),
    (re.compile(r"\bclasses="), "--labels"),
    (re.compile(r"\bcase_id="), "--id"),
    (re.compile(r"Pass n_tuples= to the metric or to evaluate,"), "Pass --tuples to evaluate,"),
    (re.compile(r"\bn_tuples\b"), "--tuples"),
    (re.compile(r"\blimits="), "--limit"),
    (re.compile(r'\balternative="(\w+)", "(\w+)", "(\w+)" or "(\w+)"'), _ALTERNATIVES),
    (re.compile(r'\balternative="([\w-]+)"'), r"--alternative \1"),
    (re.compile(r'\ballocation="(\w+)"'), r"--allocation \1"),
    (re.compile(r"\bhalf_width\b=?"), "--half-width"),
    (re.compile(r"\bpair_auc\b=?"), "--pair-auc"),
    (re.compile(r"\bmargin=(?=\S)(?!,)"), "--margin "),
    (re.compile(r"\b(alternative|power|difference|against|prices|priors|margin)="), r"--\1"),
    (re.compile(r"\bcases=(?=[ ,]|$)"), "--cases"),
    (re.compile(r"\btest_size="), "--test-size "),
    (re.compile(r"\bn_jobs=(\w)"), r"--jobs \1"),
    (re.compile(r"\btest_size\b"), "--test-size"),
    (re.compile(r'\bmin(imum)?=\{"(\w+)": ([^}]*)\}'), r"--min \2=\3"),
    (re.compile(r'\bmax(imum)?=\{"(\w+)": ([^}]*)\}'), r"--max \2=\3"),
    (re.compile(r'\bmax_(drop|rise)=\{"(\w+)": ([^}]*)\}'), r"--max-\1 \2=\3"),
    (re.compile(r"\b(min|max)imum="), r"--\1"),
    (re.compile(r"^(min|max)imum of (?=\w+ must )"), r"--\1 of "),
    (re.compile(r"^(against|level|margin) must "), r"--\1 must "),
    (re.compile(r"\bmax_(drop|rise)=(?=\d)"), r"--max-\1 "),
    (re.compile(r"\bmax_(drop|rise)\b=?"), r"--max-\1"),
    (re.compile(r'\bdecimal=","'), "--decimal ,"),
    (re.compile(r"\bsample_weight\b"), "the column of weights"),
    (re.compile(r"\by_true\b"), "the target column"),
    (re.compile(r"\by_score\b"), "the table of scores"),
)
_JOINER = "\u200d"
"""Part of emoji, though it does not print by itself."""


def spoken(message: str) -> str:
    """A message of the library in words of the command line: ``labels=`` is ``--labels``."""
    for pattern, words in _SPOKEN:
        message = pattern.sub(words, message)
    return message[:1].upper() + message[1:] if message.startswith("the ") else message


def printable(text: object) -> str:
    """Text in which nothing moves the cursor, turns the direction or colours the terminal.

    Examples
    --------
    >>> printable("a\\x1b[31mb")
    'a\\\\x1b[31mb'
    """
    return "".join(
        sign
        if sign.isprintable() or sign == _JOINER
        else sign.encode("unicode_escape", "surrogatepass").decode()
        for sign in str(text)
    )


def one_line(message: str) -> str:
    """A message on one line."""
    return printable(" ".join(message.split()))


def short(number: str) -> str:
    """A number without the zero before its point.

    Examples
    --------
    >>> short("0.912"), short("-0.5"), short("10.2")
    ('.912', '-.5', '10.2')
    """
    return re.sub(r"^([+-]?)0\.", r"\1.", number)


def limit(value: float, form: str) -> str:
    """A limit of an interval, or that there is none on this side.

    Examples
    --------
    >>> limit(0.25, "+.3f"), limit(float("inf"), "+.3f")
    ('+0.250', '+∞')
    """
    return f"{value:{form}}" if math.isfinite(value) else f"{'+' if value > 0 else '−'}∞"


def costs_among(metrics: Iterable[str]) -> list[str]:
    """Which metrics are the better the lower they are, in a line; nothing if none is.

    Examples
    --------
    >>> costs_among(["roc_auc"])
    []
    """
    from polyroc.metrics import registry

    lower = [name for name in metrics if registry.sign_of(name) < 0]
    return [f"{', '.join(lower)}: lower is better."] if lower else []
