"""Findings about pairs of classes: which are hard to tell apart, which the wrong way round."""

from collections.abc import Iterator, Sequence

import numpy as np

from polyroc._base.wording import plural
from polyroc.report._content import Content
from polyroc.report._decisions import perfect_pairs
from polyroc.report._finding import Finding
from polyroc.report._wording import number
from polyroc.typing import BoolArray, Float64Array


def confused_pairs(content: Content) -> Iterator[Finding]:
    """The pair of classes that the leading model tells apart least, among those in order."""
    model, names = content.leading, content.classes
    pairs = np.triu(~model.reversed_pairs, 1)
    perfect = perfect_pairs(model)
    if len(names) == 2 or not (pairs & ~(perfect & perfect.T)).any():
        return
    both = np.where(pairs, (model.pairs + model.pairs.T) / 2, np.inf)
    a, b = (int(k) for k in np.unravel_index(np.argmin(both), both.shape))
    equal = int((both <= both[a, b] + 1e-12).sum()) - 1
    text = (
        f"With {model.name}, a case of {names[a]} gets a higher score for {names[a]} than a case "
        f"of {names[b]} with probability {number(model.pairs[a, b])}, and a case of {names[b]} a "
        f"higher score for {names[b]} than a case of {names[a]} with probability "
        f"{number(model.pairs[b, a])}; guessing gives 0.5."
    )
    text += f" For {plural(equal, 'other pair')} of classes the mean is the same." if equal else ""
    hardest = "among the hardest to tell apart" if equal else "hardest to tell apart"
    yield Finding("confused-pair", "fact", f"{names[a]} and {names[b]} are {hardest}", text)


def reversed_pairs(content: Content) -> Iterator[Finding]:
    """Pairs of classes that a model ranks the wrong way round by the scores of either."""
    names = content.classes
    for model in content.models:
        if model.reversed_pairs.any():
            a, b = _worst(model.pairs, model.reversed_pairs)
            title = f"{model.name}: {names[a]} and {names[b]} are ranked the wrong way round"
            text = swapped(names, model.pairs, model.reversed_pairs)
            yield Finding("reversed-pair", "warning", title, text)


def swapped(names: Sequence[str], auc: Float64Array, wrong: BoolArray) -> str:
    """The question whether the columns of two classes are swapped, with the reason for it.

    ``wrong`` are the pairs that are ranked the wrong way round by the scores of either class.
    """
    a, b = _worst(auc, wrong)
    others = int(np.triu(wrong, 1).sum()) - 1
    also = f" The same holds for {plural(others, 'other pair')} of classes." if others else ""
    return (
        f"AUC is {number(auc[a, b])} by the scores of {names[a]} and {number(auc[b, a])} by those "
        f"of {names[b]}, both clearly below 0.5, the value of guessing: are the columns of "
        f"{names[a]} and {names[b]} swapped?{also}"
    )


def _worst(auc: Float64Array, wrong: BoolArray) -> tuple[int, int]:
    both = np.where(np.triu(wrong, 1), (auc + auc.T) / 2, np.inf)
    a, b = np.unravel_index(np.argmin(both), both.shape)
    return int(a), int(b)
