"""``--by COLUMN``: what is printed is what the library says of the slices."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from cli.running import document, refused, run

import polyroc
from polyroc.readers import read_predictions

rng = np.random.default_rng(7)
Y = np.arange(90) % 3
P = rng.dirichlet(np.ones(3), 90) + 0.4 * np.eye(3)[Y]
P /= P.sum(axis=1, keepdims=True)
Q = np.roll(P, 1, axis=0)
SITE = np.array(["north", "south"])[rng.integers(0, 2, 90)].astype(object)
SITE[:2] = "tiny"
SITE[2:20] = None
AGE = np.round(rng.normal(50, 12, 90), 3)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    columns = {"y": np.array(list("abc"))[Y], "site": SITE, "age": AGE, "half": np.arange(90) // 45}
    for model, scores in {"one": P, "two": Q}.items():
        columns |= {f"{model}:{label}": scores[:, k] for k, label in enumerate("abc")}
    path = tmp_path / "cases.csv"
    pd.DataFrame(columns).to_csv(path, index=False)
    return path


def test_evaluate_and_compare_by_slices(file: Path) -> None:
    by = {"site": SITE, "half": np.arange(90) // 45}
    options = ("--by", "site", "--by", "half", "-m", "hand_till,pdi")
    expected = polyroc.evaluate(Y, P, ["hand_till", "pdi"], by=by)
    made = document("evaluate", file, "--model", "one", *options)["models"][0]["by"]
    assert [each["attribute"] for each in made] == ["site", "half"]
    rows = [row for each in made for row in each["slices"]]
    frame = expected.frame()
    assert [row["slice"] for row in rows] == frame["slice"].astype(str).tolist()
    for name in ("cases", "value", "low", "high", "difference", "p_value", "p_adjusted"):
        np.testing.assert_allclose([row[name] for row in rows], frame[name], rtol=1e-9)
    tests = [test["p_value"] for each in made for test in each["tests"]]
    np.testing.assert_allclose(tests, expected.tests()["p_value"], rtol=1e-9)
    assert made[0]["withheld"][0] == {
        "slice": "tiny", "cases": 2, "counts": {"a": 1, "b": 1, "c": 0},
        "reason": "no cases of class c",
    }  # fmt: skip
    shown = " ".join(run("evaluate", file, "--model", "one", *options).stdout.split())
    assert "slices by 'site', 'half'" in shown
    worst = frame.iloc[0]
    interval = f"{worst['low']:.4f}–{worst['high']:.4f}"
    line = f"{worst['slice']} {worst['cases']} {worst['value']:.4f} {interval}"
    assert f"{line} {worst['difference']:+.4f} {worst['p_adjusted']:.4f}" in shown
    assert f"hand_till by site, worst first; all alike: p = {tests[0]:.4f}" in shown
    assert "Note. slice 'tiny' of site is withheld: no cases of class c (cases per class: " in shown
    compared = document("compare", file, *options)["comparison"]
    both = polyroc.compare(Y, {"one": P, "two": Q}, ["hand_till", "pdi"], by=by)
    rows = [row for each in compared["by"] for row in each["differences"]]
    np.testing.assert_allclose([r["difference"] for r in rows], both.frame()["difference"])
    tests = [row["p_value"] for each in compared["by"] for row in each["interactions"]]
    np.testing.assert_allclose(tests, both.interactions()["p_value"], rtol=1e-9)
    shown = " ".join(run("compare", file, *options).stdout.split())
    first, same = both.frame().iloc[0], both.same[0]
    line = f"{first['slice']} one − two {first['cases']} {first['difference']:+.4f}"
    limits = f"{first['low']:+.4f} … {first['high']:+.4f} {first['p_adjusted']:.4f}"
    assert f"{line} {limits}" in shown
    assert f"site hand_till one − two 3 {same.p_value:.4f} {same.p_adjusted:.4f}" in shown
    read = read_predictions(file, slices=["site"])
    assert read.roles.unused == ("age", "half") and read.slices is not None
    assert list(read.predictions("one").slices[0].slices) == [
        "north", "south", "tiny", "(missing)"
    ]  # fmt: skip


@pytest.mark.system
def test_the_report_has_a_section_on_slices(file: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    assert run("report", file, "--by", "site", "--by", "half", "-o", page).exit_code == 0
    text = " ".join(re.sub(r"<[^>]+>", " ", page.read_text().split("</head>")[1]).split())
    for name, scores in (("one", P), ("two", Q)):
        by = {"site": SITE, "half": np.arange(90) // 45}
        found = polyroc.evaluate(Y, scores, ["hand_till"], by=by)
        p = found.alike[0].p_adjusted
        told = "p < .001" if p < 0.001 else f"p = {p:.3f}"
        holm = "after Holm's adjustment over 2 attributes"
        assert f"({told} {holm}) in M of {name}." in text.replace("&#x27;", "'")
        for row in found.frame().itertuples():
            apart = f"{row.difference:+.3f}".replace("+0.000", "0.000").replace("-0.000", "0.000")
            cells = f"{row.value:.3f} {row.low:.3f} to {row.high:.3f} {apart}"
            assert cells.replace("-", "−") in text.replace("–", " to "), cells
    assert "tiny is withheld, it has no cases of class c (cases per class: a 1, b 1, c 0)." in text
    assert 'href="#slices"' in page.read_text()
    assert run("report", file, "-o", page).exit_code == 0
    assert 'id="slices"' not in page.read_text()


def test_what_is_refused(file: Path, tmp_path: Path) -> None:
    assert "there is no column 'sit'" in refused("evaluate", file, "--by", "sit")
    assert "pandas.cut" in refused("evaluate", file, "--by", "age")
    assert "--by cannot be combined with --streaming" in refused(
        "evaluate", file, "--by", "site", "--streaming"
    )
    bootstrap = refused("evaluate", file, "--by", "site", "--interval", "bootstrap")
    assert "Pass --interval influence" in bootstrap and "with --by" in bootstrap
    other = tmp_path / "other.csv"
    pd.read_csv(file).assign(half=0).to_csv(other, index=False)
    said = refused("compare", file, other, "--by", "half")
    assert "differ in the column 'half' in row 45" in said


def test_a_slice_with_few_cases_of_a_class_has_a_note(file: Path) -> None:
    few = pd.read_csv(file).assign(site=np.where(np.arange(90) < 12, "few", "many"))
    few.to_csv(file, index=False)
    told = " ".join(run("evaluate", file, "--by", "site", "-m", "hand_till,pdi").stdout.split())
    expected = "slice 'few' of site: hand_till, pdi: fewer than 10 cases: a (4), b (4), c (4)"
    assert told.count(f"Note. {expected}") == 1
    assert "slice 'many'" not in told
