"""``polyroc check``: every exit code, every way to tell it, and each malformed input."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
import yaml
from cli.running import EXAMPLE, FOUR_CASES, document, refused, run, written
from report.datasets import case, special_cases
from report.recount import agrees

from polyroc import check, compare

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A classifier, one that is as good, one that is worse, and that one in another order."""
    folder, rng = tmp_path_factory.mktemp("check"), np.random.default_rng(5)
    y = np.arange(400) % 3
    base = rng.normal(size=(400, 3)) + 1.8 * np.eye(3)[y]
    made = {"good": base, "alike": base + 0.1 * rng.normal(size=base.shape)}
    made["poor"] = base + 2.5 * rng.normal(size=base.shape)
    paths = {}
    for name, scores in made.items():
        frame = pd.DataFrame(scores, columns=["p_0", "p_1", "p_2"]).assign(y=y, id=range(400))
        paths[name] = folder / f"{name}.csv"
        frame.to_csv(paths[name], index=False)
    frame.sample(frac=1, random_state=1).to_csv(folder / "mixed.csv", index=False)
    frame[:-3].to_csv(folder / "short.csv", index=False)
    return paths | {"mixed": folder / "mixed.csv", "short": folder / "short.csv"}


def test_every_exit_code(files: dict[str, Path]) -> None:
    good, poor, alike = files["good"], files["poor"], files["alike"]
    cases: list[tuple[tuple[object, ...], int, str]] = [
        ((good, "--min", "hand_till=.8"), 0, ""),
        ((good, "--min", "hand_till=.98"), 1, "Fail: 1 of 1 requirement is violated."),
        ((good, "--min", "hand_till=.9"), 3, "Too few cases to tell: 1 of 1 requirement is open."),
        (
            (good, "--min", "hand_till=.9", "--strict"),
            1,
            "open. With --strict that is a failure.",
        ),
        ((good, "--min", "hand_till=.8", "--strict"), 0, ""),
        ((good, "--baseline", good, "--max-drop", "hand_till=0"), 0, ""),
        ((good, "--baseline", alike, "--max-drop", "hand_till=.02"), 0, ""),
        (
            (alike, "--baseline", good, "--max-drop", "hand_till=0"),
            3,
            "1 of 1 requirement is open.",
        ),
        ((poor, "--min", "pdi=.1", "--baseline", good, "--max-drop", ".01"), 1, "1 of 2 requirem"),
        ((good, "--min", "hand_till=.98", "--min", "pdi=.99"), 1, "Fail: 2 of 2 requirements are"),
        ((good, "--min", "hand_till=.9", "--min", "pdi=.1"), 3, "1 of 2 requirements is open."),
    ]
    for words, code, told in cases:
        for form in ((), ("--json",), ("--markdown",)):
            result = run("check", *words, *form, columns=300)
            assert result.exit_code == code, (words, result.output)
            lines = result.stderr.splitlines()
            assert len(lines) == (code != 0) and all(told in line for line in lines), words
    printed = run("check", good, "--min", "hand_till=.8", columns=300).stdout
    assert "\nPASS  hand_till at least 0.8: " in printed
    assert "\nPass: the requirement is met.\n" in printed


def test_malformed_input(files: dict[str, Path], tmp_path: Path) -> None:
    good, poor = files["good"], files["poor"]
    drop = ("--max-drop", "pdi=.1")
    cases: list[tuple[tuple[object, ...], str]] = [
        (
            (good,),
            "Nothing is required. Pass --min, --max, --max-drop or --max-rise, such as",
        ),
        ((good, "--min", "hand_till"), "'hand_till' is not METRIC=NUMBER, such as hand_till=0.9."),
        ((good, "--min", ".9"), "'.9' is not METRIC=NUMBER"),
        ((good, "--min", "=.9"), "'=.9' is not METRIC=NUMBER"),
        ((good, "--min", "hand_till=high"), "'high' is not a number."),
        ((good, "--min", "hand_till="), "'' is not a number."),
        ((good, "--min", "hand_till=nan"), "--min of hand_till must lie in the range"),
        ((good, "--min", "hand_till=90"), "must lie in the range of the metric, 0 to 1, got 90.0"),
        ((good, "--min", "hand_til=.9"), "Did you mean 'hand_till'?"),
        ((good, "--min", "pdi=.9", "--min", "pdi=.8"), "pdi is given twice."),
        ((good, "--min", "saec=.1"), "Lower is better for saec, so --min makes no sense of it."),
        ((good, "--max", "pdi=.1"), "Higher is better for pdi"),
        ((good, "--min", "roc_auc=.9"), "roc_auc does not exist for these data"),
        ((good, *drop), "--max-drop and --max-rise need --baseline FILE."),
        ((good, "--min", "pdi=.1", "--baseline", poor), "Pass --max-drop or --max-rise."),
        (
            (good, "--max-drop", ".1", "--baseline", poor),
            "such as --max-drop hand_till=0.1",
        ),
        ((good, "--max-drop", "-.1", "--min", "pdi=.1", "--baseline", poor), "must be at least 0"),
        ((good, *drop, "--max-drop", ".1", "--baseline", poor), "give one number for all metrics"),
        ((good, *drop, "--baseline", tmp_path / "no.csv"), "There is no file"),
        ((good, *drop, "--baseline", EXAMPLE), "has the models 'logistic', 'forest', 'bayes'"),
        ((good, *drop, "--baseline", files["mixed"]), "have different cases in row 0"),
        ((good, *drop, "--baseline", files["short"]), "has 400 cases but"),
        ((good, *drop, "--baseline", files["short"], "--id", "id"), "lacks 3 of the 400 cases of"),
        ((good, *drop, "--baseline", poor, "--join", "inner"), "--join inner needs --id"),
        ((EXAMPLE, "--min", "pdi=.1"), "Choose one with --model."),
        ((EXAMPLE, "--min", "pdi=.1", "--model", "forrest"), "Did you mean 'forest'?"),
        ((good, "--min", "pdi=.1", "--level", "95"), "does not lie between 0 and 1"),
        ((good, "--min", "pdi=.1", "--json", "--markdown"), "Pass one of them."),
        ((good, "--min", "pdi=.1", "--junit", good), "are the same file"),
        ((good, "--min", "pdi=.1", "--junit", tmp_path / "no" / "x.xml"), "There is no folder"),
        ((good, "--min", "pdi=.1", "--junit", tmp_path), "is a folder"),
        (
            (written(tmp_path, "y,p_a,p_b\na,1,0\nb,x,1\n"), "--min", "pdi=.1"),
            "Remove the row, or correct it.",
        ),
    ]
    for words, message in cases:
        assert message in refused("check", *words), words
    assert run("check").exit_code == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["x.csv"]


def test_rows_in_another_order_are_joined(files: dict[str, Path]) -> None:
    """The same p-values as in the same order."""
    words = ("check", files["good"], "--max-drop", "pdi=.3", "--baseline")
    straight = document(*words, files["poor"])
    joined = document(*words, files["mixed"], "--id", "id")
    assert straight["join"] is None and straight["check"] == joined["check"]
    assert joined["join"] == {"column": "id", "matched": 400, "left_out": [0, 0]}
    inner = document(*words, files["short"], "--id", "id", "--join", "inner")
    assert inner["join"]["left_out"] == [3, 0]
    frames = [pd.read_csv(files[name])[:-3] for name in ("good", "poor")]
    scores = {str(i): frame[["p_0", "p_1", "p_2"]] for i, frame in enumerate(frames)}
    tested = {"margin": 0.3, "alternative": "noninferior"}
    expected = compare(
        frames[0]["y"], {k: v.to_numpy() for k, v in scores.items()}, ["pdi"], **tested
    )
    (row,) = inner["check"]["requirements"]
    assert row["p_met"] == pytest.approx(expected.differences[0].p_value, rel=1e-9)


# Recounts of what is printed


SENTENCE = re.compile(
    r"(PASS|FAIL|TOO FEW CASES)  (\w+) (at least|drops by at most) ([\d.]+): "
    r"(?:drop ([+-][\d.]+) from ([\d.]+) to )?([\d.]+)"
    r"(?: \(95 % limits ([+-]?[\d.]+) and ([+-]?[\d.]+)\))?, "
    r"(?:(met|violated), (?:p (=|<) ([\d.]+)|the same on every case)|too few cases to tell)\."
)


def test_sentences_are_recounted(tmp_path: Path) -> None:
    """Values by loops over cases, outcomes from limits, verdicts from outcomes."""
    seen = set()
    for facts in (case("random", 3, 2), case("tied", 3, 2), special_cases()["groups"]):
        names = list(facts.models)
        new, old = names[0], names[-1]
        paths = []
        for model in (new, old):
            columns = {
                f"p_{label}": facts.inputs["scores"][model][:, k]
                for k, label in enumerate(facts.inputs["labels"])
            }
            frame = pd.DataFrame({"y": facts.inputs["y"], **columns})
            if facts.groups is not None:
                frame["patient"] = facts.inputs["groups"]
            paths.append(tmp_path / f"{len(paths)}.csv")
            frame.to_csv(paths[-1], index=False)
        for minimum, drop in ((0.05, 0.5), (0.99, 0.0), (round(facts.value(new), 2), 0.01)):
            words = ("--min", f"{facts.main}={minimum}", "--max-drop", drop, "--baseline", paths[1])
            result = run("check", paths[0], *words, columns=400)
            lines = result.stdout.splitlines()
            assert lines[0].startswith(
                f"{paths[0]}: {len(facts.y):,} cases of {facts.n_classes} classes: "
            )
            assert lines[1].startswith("Read as: ") and lines[2].startswith(f"{paths[1]}: ")
            rows = [SENTENCE.fullmatch(line) for line in lines if "  " in line]
            assert len(rows) == 2 and all(rows), lines
            given = {key: facts.inputs[key] for key in ("labels", "groups")}
            expected = check(
                facts.inputs["y"],
                facts.inputs["scores"][new],
                baseline=facts.inputs["scores"][old],
                minimum={facts.main: minimum},
                max_drop=drop,
                **given,
            )
            outcomes = []
            for found, row in zip(rows, expected.rows, strict=True):
                word, metric, _, bound, loss, before, after, low, high, said, less, p = (
                    found.groups()
                )
                assert metric == facts.main and float(bound) == row.bound
                assert agrees(after, facts.value(new))
                if loss is not None:
                    assert agrees(loss, facts.value(old) - facts.value(new))
                    assert agrees(before, facts.value(old))
                if low is not None:
                    assert agrees(low, row.low) and agrees(high, row.high)
                sign = 1 if loss is None else -1  # a value is to be high, a drop low
                worst, best = sorted([sign * row.low, sign * row.high])
                shown = {"PASS": row.p_met, "FAIL": row.p_adjusted}.get(word)
                if word == "PASS":
                    assert said == "met" and not worst < sign * row.bound
                elif word == "FAIL":
                    assert said == "violated" and best < sign * row.bound
                if less == "=":
                    assert agrees(p, shown)
                elif less == "<":
                    assert shown < float(f"0{p}")
                outcomes.append(word)
            seen |= set(outcomes)
            failed, still_open = outcomes.count("FAIL"), outcomes.count("TOO FEW CASES")
            count = failed or still_open
            verb = "is" if count == 1 else "are"
            told = "Pass: all 2 are met."
            if count:
                told = f"polyroc: Fail: {count} of 2 requirements {verb} violated."
                if not failed:
                    told = f"polyroc: Too few cases to tell: {count} of 2 requirements {verb} open."
            assert (result.stderr.splitlines() or [told])[0] == told
            assert (told in lines) == (count == 0)
            assert "one-sided at 5 %" in result.stdout and "over 2 requirements" in result.stdout
    assert seen == {"PASS", "FAIL", "TOO FEW CASES"}


def test_markdown_and_junit_say_what_json_says(files: dict[str, Path], tmp_path: Path) -> None:
    odd = tmp_path / "a|b_<i>\x01.csv"
    odd.write_bytes(files["poor"].read_bytes())
    words = ("check", odd, "--min", "hand_till=.1", "--min", "pdi=.5", "--max-drop", ".01")
    words += ("--baseline", files["good"])
    for strict in ((), ("--strict",)):
        report = tmp_path / "junit.xml"
        content = json.loads(run(*words, *strict, "--json").stdout)["check"]
        assert content["strict"] == bool(strict)
        result = run(*words, *strict, "--markdown", "--junit", report)
        lines = result.stdout.splitlines()
        assert lines[0] == "### polyroc check: fail" and "a\\|b\\_\\<i\\>\\\\x01.csv" in lines[2]
        table = [
            [cell.strip() for cell in line.strip("|").split(" | ")]
            for line in lines
            if line.startswith("| ")
        ][1:]
        cases = ElementTree.parse(report).getroot().findall("testsuite/testcase")
        rows = content["requirements"]
        assert len(table) == len(cases) == len(rows) == 4
        for cells, test, row in zip(table, cases, rows, strict=True):
            assert cells[0].replace("\\", "") == test.get("name") == row["requirement"]
            assert agrees(cells[1], row["judged"]) and agrees(cells[3], row["value"])
            assert cells[2] == "–" if row["baseline"] is None else agrees(cells[2], row["baseline"])
            assert [float(each) for each in cells[4].split(" and ")] == pytest.approx(
                [row["low"], row["high"]], abs=6e-5
            )
            word = "too few cases" if row["outcome"] == "undecided" else row["outcome"]
            assert cells[5] == f"**{word}**"
            tag = {"fail": "failure", "undecided": "failure" if strict else "skipped"}
            assert [each.tag for each in test] == [
                tag[row["outcome"]] for _ in range(row["outcome"] != "pass")
            ]
        suite = ElementTree.parse(report).getroot()[0].attrib
        outcomes = [row["outcome"] for row in rows]
        failures = sum(
            each == "fail" or (each == "undecided" and bool(strict)) for each in outcomes
        )
        assert int(suite["failures"]) == failures and int(suite["tests"]) == 4
        assert int(suite["skipped"]) == (0 if strict else outcomes.count("undecided"))


def test_the_action_runs_the_gate(files: dict[str, Path], tmp_path: Path) -> None:
    """The script of action.yml with its inputs as GitHub gives them."""
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    step = action["runs"]["steps"][-1]
    assert action["runs"]["using"] == "composite" and "${{" not in step["run"]
    inputs = {name: each.get("default", "") for name, each in action["inputs"].items()}
    assert set(step["env"].values()) == {
        f"${{{{ inputs.{name} }}}}" for name in inputs if name != "python-version"
    }
    folder = tmp_path / "bin"
    folder.mkdir()
    program = folder / "polyroc"
    program.write_text(f"#!{sys.executable}\nfrom polyroc.cli import main\nmain()\n")
    program.chmod(0o755)
    summary = tmp_path / "summary.md"
    given = inputs | {"file": str(files["good"]), "min": "hand_till=.9\npdi=.1"}
    given |= {"arguments": "--labels 0,1,2", "junit": str(tmp_path / "report one.xml")}
    values = {
        name: given[re.search(r"inputs\.([\w-]+)", value)[1]] for name, value in step["env"].items()
    }
    environment = {**os.environ, **values, "GITHUB_STEP_SUMMARY": str(summary)}
    environment["PATH"] = f"{folder}:{os.environ['PATH']}"
    done = subprocess.run(["bash", "-c", step["run"]], env=environment, capture_output=True)
    assert done.returncode == 3, done.stderr
    assert b"### polyroc check: " in done.stdout
    assert summary.read_text().count("### polyroc check: ") == 1
    assert summary.read_text().count("| pdi at least 0.1 |") == 1
    assert (tmp_path / "report one.xml").is_file()


def test_two_classes_where_lower_is_better(tmp_path: Path) -> None:
    path = written(tmp_path, FOUR_CASES)
    result = run("check", path, "--max", "saec=.8", columns=300)
    assert result.exit_code == 3 and "saec at most 0.8: " in result.stdout
    rise = ("--max", "saec=.8", "--max-rise", ".1", "--baseline", path)
    assert "saec rises by at most 0.1: rise +0.0000 from" in run("check", path, *rise).stdout


def test_by_slices(files: dict[str, Path], tmp_path: Path) -> None:
    frame = pd.read_csv(files["good"])
    path = tmp_path / "sites.csv"
    frame.assign(site=np.where(frame.index < 395, "a|b", "c")).to_csv(path, index=False)
    words = ("check", path, "--min", "hand_till=.7", "--by", "site")
    result = run(*words, columns=300)
    assert result.exit_code == 3
    rows = [line for line in result.stdout.splitlines() if line.startswith(("PASS", "TOO"))]
    assert rows[0].startswith("PASS  hand_till at least 0.7: ")
    assert rows[1].startswith("PASS  hand_till at least 0.7, site a|b: ")
    assert rows[2].startswith(
        "TOO FEW CASES  hand_till at least 0.7, site c: no value (one case of"
    )
    asked = {"minimum": {"hand_till": 0.7}, "by": pd.read_csv(path)["site"].rename("site")}
    expected = check(frame["y"], frame[["p_0", "p_1", "p_2"]].to_numpy(), **asked)
    for line, row in zip(rows, expected.rows, strict=True):
        assert line.endswith(row.sentence(0.95))
    content = json.loads(run(*words, "--json").stdout)["check"]["requirements"]
    assert [row["slice"] for row in content] == ["", "a|b", "c"] and content[2]["value"] is None
    table = run(*words, "--markdown").stdout
    assert "| hand\\_till at least 0.7, site a\\|b |" in table
    assert "| hand\\_till at least 0.7, site c | – | – | – | – | **too few cases** |" in table
    assert "there is no column 'ward'" in refused(*words[:-1], "ward")
