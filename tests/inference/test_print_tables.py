"""Tables for papers say what the results say, rounded, and nothing in a name breaks them."""

import re

import numpy as np
import pytest

from polyroc import compare, evaluate
from polyroc.datasets import example_predictions
from polyroc.errors import InvalidInput

y, models, labels = example_predictions()


def test_values_are_those_of_the_frame() -> None:
    found = evaluate(y, models["bayes"], ["hand_till", "auc_mu", "saec", "pdi"], labels=labels)
    for level in (None, 0.9):
        frame = found.frame(level)
        for digits in (2, 4):
            lines = found.to_markdown(level, digits=digits).splitlines()
            assert lines[0] == f"| metric | value ({90 if level else 95} % interval) |"
            tables = lines[2:], found.to_latex(level, digits=digits).splitlines()[4:-2]
            for table, name in zip(tables, ("Markdown", "LaTeX"), strict=True):
                for line, row in zip(table, frame.itertuples(), strict=True):
                    numbers = re.findall(r"\d\.\d+", line)
                    wanted = [] if np.isnan(row.value) else [row.value, row.low, row.high]
                    assert numbers == [f"{value:.{digits}f}" for value in wanted], name
                    assert row.metric in line.replace("\\_", "_")
    assert "| saec | – |" in found.to_markdown()  # it is that of two classes


def test_names_of_models_are_literal() -> None:
    hard = {"a|b & 50 %": models["logistic"], "$x_1$\n#{~^\\}": models["forest"]}
    found = compare(y, hard, ["hand_till"], labels=labels)
    row = found.to_markdown().splitlines()[2]
    assert len(re.findall(r"(?<!\\)\|", row)) == 6  # five cells
    assert r"a\|b & 50 % − $x_1$ #{~^\\}" in row
    line = found.to_latex().splitlines()[4]
    assert line.startswith(
        r"hand\_till & a\textbar{}b \& 50 \% $-$ \$x\_1\$ \#\{\textasciitilde{}"
        r"\textasciicircum{}\textbackslash{}\} & 0.018 (0.006--0.029) & 0.003 & 0.003 \\"
    )


def test_digits_are_checked() -> None:
    found = evaluate(y, models["bayes"], ["hand_till"], labels=labels)
    for wrong in (-1, 16):
        with pytest.raises(InvalidInput, match="digits must be at"):
            found.to_markdown(digits=wrong)


def test_rows_of_slices_name_them() -> None:
    site = {"site": np.array(["north", "south"])[np.arange(len(y)) % 2]}
    found = evaluate(y, models["bayes"], ["hand_till"], labels=labels, by=site)
    alone = {
        name: evaluate(
            y[site["site"] == name],
            models["bayes"][site["site"] == name],
            ["hand_till"],
            labels=labels,
        )
        for name in ("north", "south")
    }
    head, _, whole, *rows = found.to_markdown().splitlines()
    assert head == "| slice | metric | value (95 % interval) |"
    assert whole == "| all cases " + found.overall.to_markdown().splitlines()[-1]
    assert rows == [
        f"| site = {name} " + each.to_markdown().splitlines()[-1] for name, each in alone.items()
    ]
    compared = compare(y, models, ["hand_till"], labels=labels, by=site)
    lines = compared.to_markdown().splitlines()[2:]
    for line, (_, row) in zip(lines, compared.frame().iterrows(), strict=True):
        place, metric, pair, difference, *_ = line.strip("| ").split(" | ")
        assert place == f"site = {row['slice']}"
        assert (metric, pair) == ("hand_till", f"{row['model_a']} − {row['model_b']}")
        assert difference.startswith(f"{row['difference']:.3f}".replace("-", "−"))


def test_tables_without_rows_have_their_columns() -> None:
    """Slices of one case are all withheld."""
    few = np.r_[tuple(np.flatnonzero(y == label)[:4] for label in labels)]
    by = {"case": [str(at) for at in range(len(few))]}
    some = {name: scores[few] for name, scores in models.items()}
    many = {"case": ["all"] * len(few)}
    for empty, full in zip(*(_tables(y[few], some, each) for each in (by, many)), strict=True):
        assert len(empty) == 0 or "no test: fewer than two slices" in empty["note"][0]
        assert list(empty.columns) == list(full.columns)


def test_tables_for_papers_without_rows_have_their_head() -> None:
    few = np.r_[tuple(np.flatnonzero(y == label)[:4] for label in labels)]
    some = {name: scores[few] for name, scores in models.items()}
    thin = {"case": [str(at) for at in range(len(few))]}
    for metrics, by in ((["hand_till"], thin), ([], None), ([], thin)):
        found = compare(y[few], some, metrics, labels=labels, by=by)
        assert len(found.frame()) == 0 and "p_adjusted" in found.frame()
        place = "| slice | " if by else "| "
        head = "metric | models | difference (95 % interval) | p | p, adjusted |"
        assert found.to_markdown().splitlines()[0] == place + head
        assert len(found.to_markdown().splitlines()) == 2
        assert found.to_latex().count(r"\\") == 1
    nothing = evaluate(y[few], some["bayes"], [], labels=labels)
    assert nothing.to_markdown().splitlines()[0] == "| metric | value (95 % interval) |"
    assert "standard_error" in nothing.frame()
    assert "statistic" in compare(y[few], some, [], labels=labels).omnibus()


def _tables(y: np.ndarray, some: dict[str, np.ndarray], by: dict[str, list[str]]) -> list:
    one = evaluate(y, some["bayes"], ["hand_till"], labels=labels, by=by)
    two = compare(y, some, ["hand_till"], labels=labels, by=by)
    return [one.frame(), one.against_rest(), one.tests(), two.frame(), two.interactions()]


def test_a_variance_that_cancels_is_not_rounding() -> None:
    """What is subtracted from the variance of a difference is all of it, but for the last digit."""
    few = slice(104, 112)
    pair = {name: models[name][few] for name in ("logistic", "bayes")}
    found = compare(y[few], pair, ["hand_till"], labels=labels).differences[0]
    assert found.difference == 0
    assert found.standard_error > 0.01
