"""Names stay short, distinct and literal."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.cbook import is_math_text

from polyroc.display._marks import mark_of
from polyroc.display._naming import literal, short_names, shown_names, wrapped_names
from polyroc.errors import InvalidInput

words = st.text(st.characters(exclude_categories=["C"], exclude_characters="…"), max_size=60)


@given(st.lists(words, max_size=12), st.integers(9, 40))
def test_short_names_fit_and_stay_distinct(names: list[str], most: int) -> None:
    short = short_names(names, most)
    assert all(len(name) <= most for name in short)
    whole = [" ".join(name.split()) for name in names]
    taken = {(each, name) for each, name in zip(short, whole, strict=True) if each == name}
    numbered = [each for each, name in zip(short, whole, strict=True) if (each, name) not in taken]
    assert len(set(numbered)) == len(numbered)


def test_numbers_tell_names_apart_that_are_cut_alike() -> None:
    names = [f"the same beginning {k} the same end" for k in range(12)]
    assert len(set(short_names(names, 20))) == 12


@given(words)
def test_literal_text_is_never_mathematics(text: str) -> None:
    shown = literal(text)
    assert not is_math_text(shown)
    assert shown.replace(r"\$", "$").removeprefix("\u2009") in (" ".join(text.split()), "(empty)")


@pytest.mark.parametrize("name", ["_hidden", "", " ", "$x$", "_$_"])
def test_every_name_is_in_the_legend(name: str) -> None:
    _, ax = plt.subplots()
    ax.plot([0, 1], label=literal(name))
    assert len(ax.legend().get_texts()) == 1


@given(st.lists(words, min_size=1, max_size=12), st.integers(8, 30), st.integers(1, 3))
def test_wrapped_names_have_few_lines(names: list[str], width: int, lines: int) -> None:
    for name in wrapped_names(names, width, lines):
        parts = name.replace(r"\$", "$").split("\n")
        assert len(parts) <= lines
        assert all(len(part) <= width + 1 or part == "(empty)" for part in parts)


def test_names_of_any_type_are_shown() -> None:
    assert shown_names([1, True, "a", 2.5]) == ["1", "True", "a", "2.5"]


def test_a_length_that_shows_nothing_is_refused() -> None:
    with pytest.raises(InvalidInput, match="at least 5"):
        short_names(["a"], most=2)


def test_twelve_marks_differ_in_print_and_in_colour() -> None:
    marks = [mark_of(k) for k in range(12)]
    assert len({(mark.colour, str(mark.dashes)) for mark in marks}) == 12
    assert len({mark.marker for mark in marks}) == 12
    assert len({str(mark.dashes) for mark in marks[:4]}) == 4
    assert mark_of(1000).marker in {mark.marker for mark in marks}
