"""Notes on folds: every number in them, counted by loops over the cases."""

import re

import numpy as np
import pytest

import polyroc
from polyroc import Predictions, compare, evaluate
from polyroc.inference._folds import FEW_IN_A_FOLD

pytestmark = pytest.mark.system


def folded(kind: str) -> tuple[list[str], np.ndarray, list]:
    """Labels, scores of three classes and folds: even, of few cases, lacking classes, repeated."""
    rng = np.random.default_rng(len(kind))
    names = {
        "even": ["a", "b c", "d"] * 40,
        "few": (["a"] * 16 + ["b c"] * 12 + ["d"] * 2) * 4,
        "lacking": ["a", "b c", "d"] * 10 + ["a", "b c"] * 6 + ["a"] * 9 + ["b c", "d"] * 4,
        "repeated": ["a", "b c", "d"] * 20,
        "scales": ["a", "b c", "d"] * 40,
    }[kind]
    codes = np.array([sorted(set(names)).index(each) for each in names])
    p = rng.dirichlet(np.ones(3), len(names)) + 0.5 * np.eye(3)[codes]
    folds: list = [i * 4 // len(names) for i in range(len(names))]
    if kind == "lacking":
        folds = ["one"] * 30 + ["two"] * 12 + ["three"] * 9 + ["four"] * 8
    if kind == "repeated":
        folds = [(i // 20, i // 3 % 2) for i in range(len(names))]
    if kind == "scales":
        p = p + np.array(folds)[:, None]
    return names, p, folds


def told(notes, code: str) -> str | None:
    return next((note.text for note in notes if note.code == code), None)


def test_notes_on_folds() -> None:
    """How many folds are averaged, which lack a class, and where a class is small."""
    seen = set()
    for kind in ("even", "few", "lacking", "repeated", "scales"):
        names, p, folds = folded(kind)
        classes = sorted(set(names))
        groups = list(range(len(names))) if kind == "even" else None
        given = Predictions(names, p, folds=folds, absent="skip")
        found = evaluate(given, metrics=["hand_till", "pdi"], groups=groups)
        both = {"x": given, "y": Predictions(names, p[::-1], folds=folds, absent="skip")}
        compared = {
            row.metric: row for row in compare(both, metrics=["hand_till", "pdi"]).differences
        }
        counts = {
            fold: {
                k: sum(a == k and b == fold for a, b in zip(names, folds, strict=True))
                for k in classes
            }
            for fold in dict.fromkeys(folds)
        }
        complete = [fold for fold, each in counts.items() if min(each.values()) > 0]
        for metric, estimate in found.items():
            used = len(counts) if metric == "hand_till" else len(complete)
            assert len(estimate.settings["by_fold"]) == len(complete)
            word = "fold" if used == 1 else "folds"
            repeats = " of 3 repeats" if kind == "repeated" else ""
            note = f"mean over {used} {word}{repeats}"
            assert told(estimate.notes, "mean-over-folds") == note
            assert note in compared[metric].note.split("; ")
            seen |= check_folds(estimate, counts, classes, metric)
            repeated = told(estimate.notes, "repeats-without-groups")
            assert (repeated is not None) == (kind == "repeated")
            seen |= check_pooled(estimate, names, p, metric, given)
    assert seen == {"lacking", "small", "cases"}


def check_folds(estimate, counts: dict, classes: list[str], metric: str) -> set[str]:
    seen = set()
    lacking = [
        (fold, [k for k in classes if each[k] == 0])
        for fold, each in counts.items()
        if min(each.values()) == 0
    ]
    text = told(estimate.notes, "class-missing-in-fold")
    assert (text is None) == (not lacking)
    if text is not None:
        what = "pairs of classes" if metric == "hand_till" else "folds"
        more = f" and {len(lacking) - 1} more fold{'s' * (len(lacking) > 2)}"
        more = more if len(lacking) > 1 else ""
        assert text in {
            f"without the {what} that lack a class ({', '.join(k)} in fold {fold}{more})"
            for fold, k in lacking
        }
        seen.add("lacking")
    least = min(n for each in counts.values() for n in each.values() if n)
    text = told(estimate.notes, "small-class-in-fold")
    assert (text is not None) == (least < FEW_IN_A_FOLD)
    if text is not None:
        count, label, fold = re.fullmatch(
            r"(\d+) cases? of (.+) in fold (.+): intervals may be short", text
        ).groups()
        named = {
            " ".join(map(str, each)) if isinstance(each, tuple) else str(each): each
            for each in counts
        }
        where = named[fold]
        assert int(count) == least == counts[where][label]
        seen.add("small")
    return seen


def check_pooled(estimate, names: list[str], p: np.ndarray, metric: str, given) -> set[str]:
    """All cases pooled, where that lies over a standard error away."""
    across = getattr(polyroc, metric)(names, p)
    text = told(estimate.notes, "cases-pooled")
    assert (text is not None) == (abs(across - estimate.value) > estimate.standard_error)
    if text is not None:
        assert text.startswith(f"all cases pooled would give {across:.4f}, over a standard error")
    pairs = told(estimate.notes, "pairs-pooled")
    assert pairs is None or f"give {estimate.settings['pair_pooled']:.4f}," in pairs
    return {name for name, note in (("cases", text), ("pairs", pairs)) if note is not None}


def test_a_pair_of_classes_that_no_fold_has() -> None:
    """Two different classes are named, also where one, or every class, has folds of its own."""
    p = np.random.default_rng(0).dirichlet(np.ones(3), 12)
    for folds in ("aaaabbbbcccc", "xxxxyyyyyyyy", "xxxxyyyyzzzz"):
        names = list("aaaabcbcbcbc" if folds[4] == folds[-1] else "aaaabbbbcccc")
        given = Predictions(names, p, folds=list(folds), absent="skip")
        found = evaluate(given, metrics=["hand_till"])["hand_till"]
        text = told(found.notes, "not-defined")
        a, b = re.fullmatch(
            r"no fold has cases of both '(.)' and '(.)'\. Use StratifiedKFold\.", text
        ).groups()
        assert a != b
        for fold in set(folds):
            assert not {a, b} <= {n for n, f in zip(names, folds, strict=True) if f == fold}
