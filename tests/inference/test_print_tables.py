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
