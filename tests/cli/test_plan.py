"""``polyroc plan``."""

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from cli.running import EXAMPLE, FOUR_CASES, document, refused, run, written

from polyroc import Predictions, plan
from polyroc.datasets import example_predictions
from polyroc.inference import Prices


def predictions(model: str) -> Predictions:
    y_true, models, labels = example_predictions()
    return Predictions(y_true, models[model], labels=labels)


def test_gives_what_the_library_gives() -> None:
    forest, both = predictions("forest"), {n: predictions(n) for n in ("forest", "bayes")}
    shares = {"common": 2.0, "frequent": 1.0, "rare": 1.0}
    assumed = {("ill", "well"): 0.8, ("ill", "unclear"): 0.7, ("unclear", "well"): 0.75}
    two = ("--pair-auc", 0.73, "--labels", "well,ill")
    more = ("--allocation", "common=2,frequent=1,rare=1", "--alternative", "greater")
    more += ("-m", "aunp", "--priors", "common=1,frequent=1,rare=1")
    asked = [
        ((EXAMPLE, "--model", "forest", "--half-width", 0.03), plan(forest, half_width=0.03)),
        (
            (EXAMPLE, "--models", "forest,bayes", "--power", 0.8, "--difference", -0.02),
            plan(both, power=0.8, difference=-0.02),
        ),
        (
            (EXAMPLE, "--model", "forest", "--cases", "common=90,rare=30,frequent=40"),
            plan(forest, cases=[90, 40, 30]),
        ),
        (
            (EXAMPLE, "--model", "forest", "--cases", 120, "--allocation", "equal", "-m", "pdi"),
            plan(forest, cases=120, allocation="equal", metric="pdi"),
        ),
        (
            (EXAMPLE, "--model", "forest", "--power", 0.9, "--against", 0.8, "--level", 0.9, *more),
            plan(
                forest,
                power=0.9,
                against=0.8,
                level=0.9,
                allocation=shares,
                alternative="greater",
                metric="aunp",
                priors=[1, 1, 1],
            ),
        ),
        (
            ("--pair-auc", "ill>well=.8,ill>unclear=.7,unclear>well=.75", "--power", 0.9),
            plan(pair_auc=assumed, power=0.9),
        ),
        (
            ("--pair-auc", 0.8, "--labels", "x,y,z", "--half-width", 0.05),
            plan(pair_auc=np.full((3, 3), 0.8), half_width=0.05),
        ),
        (
            (*two, "--cases", "ill=41,well=72", "--method", "obuchowski", "-m", "roc_auc"),
            plan(pair_auc=0.73, cases=[72, 41], method="obuchowski", metric="roc_auc"),
        ),
    ]
    for arguments, expected in asked:
        found = document("plan", *arguments)["plan"]
        content = json.loads(json.dumps(expected.to_dict()))
        for made in (found, content):
            names = [row.pop("class") for row in made["classes"]]
        assert found == content, arguments
        assert len(names) == len(expected.cases)
    assert document("plan", *asked[-1][0])["input"] == {
        "cases": 0,
        "classes": ["well", "ill"],
        "files": [],
    }


def test_whole_numbers_are_classes(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 20)
    pd.DataFrame({"y": y, "score": y + rng.normal(size=40)}).to_csv(tmp_path / "x.csv", index=False)
    made = document("plan", tmp_path / "x.csv", "--cases", "0=30,1=50", "-m", "roc_auc")["plan"]
    assert [(row["class"], row["cases"]) for row in made["classes"]] == [(0, 30), (1, 50)]


def test_what_people_see_is_what_the_plan_says() -> None:
    """Every number that is printed, recounted from the result of the library."""
    prices = {"common": 1.0, "frequent": 2.0, "rare": 10.0}
    arguments = ("--half-width", 0.03, "--prices", "common=1,frequent=2,rare=10")
    result = run("plan", EXAMPLE, "--model", "forest", *arguments)
    assert result.exit_code == 0, result.output
    assert max(map(len, result.output.splitlines())) <= 80
    text = " ".join(result.output.split())
    expected = plan(predictions("forest"), half_width=0.03, allocation=Prices(prices))
    assert "850 cases of 3 classes: 440 common, 350 frequent, 60 rare." in text
    assert f"{sum(expected.cases.values())} cases class cases share" in text
    error2 = sum(expected.variances[label] / n for label, n in expected.cases.items())
    for label, count in expected.cases.items():
        row = re.search(rf"{label} (\d+) ([\d.]+) ([\d.]+) ([\d,]+)", text)
        assert int(row[1]) == count and int(row[4].replace(",", "")) == count * prices[label]
        assert float(row[2]) == pytest.approx(count / expected.total, abs=6e-5)
        assert float(row[3]) == pytest.approx(expected.variances[label] / count / error2, abs=6e-5)
    assert (
        f"hand_till = {expected.value:.4f} is known to ± {expected.half_width:.4f} (95 % interval; "
        f"standard error {error2**0.5:.4f})." in text
    )
    assert expected.power > 0.99995
    assert "A test against 0.5 at 5 % finds it with a power of over 0.9999." in text
    assert f"All cases cost {expected.price:,.6g}." in text
    assert f"Assumed: {'; '.join(expected.assumptions)}." in text
    alone = run("plan", "--pair-auc", "0.8", "--cases", "60")
    assert alone.stdout.startswith("60 cases\n")


MISTAKES = [
    (
        "",
        "A plan needs an aim. Pass --half-width or --power to get the cases needed, or --cases to "
        "get what they reach.",
    ),
    ("--power 0.8", "Pass a pilot or --pair-auc, got neither."),
    (
        "FILE --model forest --cases 50 --half-width 0.1",
        "--cases and --half-width exclude each other: one follows from it.",
    ),
    (
        "FILE --model forest --models a,b --power 0.8",
        "--model and --models exclude each other.",
    ),
    ("FILE --models forest --power 0.8", "--models takes two models, got forest."),
    ("FILE --model forest --cases rare", "--cases 'rare' has no number where one belongs."),
    (
        "FILE --model forest --cases rare=3,frequent",
        "--cases 'frequent' is not CLASS=NUMBER, such as 'ill=100'.",
    ),
    (
        "FILE --model forest --power 0.8 --allocation worst",
        "--allocation 'worst' is neither best, pilot, equal nor CLASS=NUMBER.",
    ),
    (
        "FILE --model forest --cases rare=30,x=9",
        "cases names 'rare', 'x' but the classes are 'common', 'frequent', 'rare'. Give one number "
        "per class.",
    ),
    (
        "--pair-auc a>b --power 0.8",
        "--pair-auc 'a>b' is not A>B=NUMBER, such as 'ill>well=0.8', nor one number.",
    ),
    (
        "--pair-auc a>b=.8 --labels a,b --power 0.8",
        "--pair-auc A>B=NUMBER names the classes. Leave --labels out.",
    ),
    (
        "--pair-auc 0.8 --power 0.8 --alternative less",
        "--alternative less looks on the other side of 0.5 than the value assumed, 0.8. Pass "
        "--difference, or another --alternative.",
    ),
    ("FILE --model forest --half-width 0", "--half-width must be positive, got 0."),
    (
        "FILE --model forest --half-width 0.5",
        "--half-width must be below 0.5, half the range of hand_till, got 0.5.",
    ),
    (
        "FILE --models forest,bayes --half-width 3",
        "--half-width must be below 1, half the range of differences in hand_till, got 3.",
    ),
]


def test_only_the_columns_planned_with_are_told_as_read() -> None:
    for options, models in (
        (("--model", "forest"), ["forest"]),
        (("--models", "forest,bayes"), ["forest", "bayes"]),
    ):
        command = ("plan", EXAMPLE, *options, "--half-width", 0.03)
        read = document(*command)["input"]["files"][0]
        assert list(read["scores"]) == models and "logistic:rare" in read["unused"]
        words = " ".join(run(*command).stdout.split())
        assert "scores in 'forest:common'" in words and "not used: 'logistic:common'" in words


def test_mistakes_are_one_line(tmp_path: Path) -> None:
    for arguments, message in MISTAKES:
        given = [EXAMPLE if each == "FILE" else each for each in arguments.split()]
        assert refused("plan", *given) == f"polyroc: {message}"
    forest = (EXAMPLE, "--model", "forest", "--power", 0.8)
    assert "There is no metric 'auc'" in refused("plan", *forest, "-m", "auc")
    assert "no model 'x'" in refused("plan", EXAMPLE, "--model", "x", "--power", 0.8)
    perfect = written(tmp_path, FOUR_CASES)
    assert "no variance to plan with" in refused("plan", perfect, "--power", 0.8, code=1)
    patients = ["patient", "1", "2", "1", "2"]
    lines = zip(patients, FOUR_CASES.splitlines(), strict=True)
    grouped = written(tmp_path, "\n".join(map(",".join, lines)) + "\n", "g.csv")
    assert refused("plan", grouped, "--groups", "patient", "--power", 0.8).endswith(
        "g.csv groups its cases by 'patient', and a plan treats cases as independent. Pass "
        "--groups none if they are."
    )
