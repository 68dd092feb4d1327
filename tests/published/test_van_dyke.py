"""Van Dyke's reader study: 114 cases, 5 readers, 2 modalities, ratings 1 to 5.

The numbers are those that OR-DBM MRMC 2.51 (University of Iowa) and RJafroc 2.1 print for these
data. Those of RJafroc's dataset04, of which only values and variance components are printed, check
the analysis of five modalities.
"""

import math
import re
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from cli.running import run
from scipy.optimize import root
from scipy.special import ndtr, ndtri
from scipy.stats import norm

from polyroc import reader_study
from polyroc.inference import ReaderStudy
from polyroc.inference._reader_study.analysis import Analysis
from polyroc.utility import fit_binormal, fit_proper

COLUMNS = {
    "case": "case",
    "reader": "reader",
    "modality": "treatment",
    "truth": "truth",
    "rating": "rating",
}


@pytest.fixture(scope="module")
def van_dyke(vector: Any) -> pd.DataFrame:
    return vector("vandyke", dtype={"case2": str, "case3": str})


@pytest.fixture(scope="module")
def study(van_dyke: pd.DataFrame) -> ReaderStudy:
    return reader_study(van_dyke, **COLUMNS)


def printed(value: float, text: str) -> bool:
    """Whether a number rounds to what was printed."""
    return f"{value:.{len(text.partition('.')[2])}f}" == text


def test_means_and_variance_components(study: ReaderStudy) -> None:
    assert study.positive == 1
    assert list(study.means) == [1, 2]
    assert all(map(printed, study.means.values(), ["0.89703704", "0.94083736"]))
    expected = {
        "var_r": "0.00153499935",
        "var_tr": "0.00020040252",
        "cov1": "0.00034661371",
        "cov2": "0.00034407483",
        "cov3": "0.00023902837",
        "var_error": "0.00080228827",
    }
    assert list(study.components) == list(expected)
    assert all(printed(study.components[name], text) for name, text in expected.items())
    assert printed(study.mean_squares["t"], "0.0047961705")
    assert printed(study.mean_squares["r"], "0.00383619999")
    assert printed(study.mean_squares["tr"], "0.00055103062")


def test_the_three_analyses(study: ReaderStudy) -> None:
    both, cases, readers = map(study.test, ["readers and cases", "cases", "readers"])
    assert both == study.test()
    assert printed(both.statistic, "4.4563187")
    assert both.df == 1
    assert printed(both.ddf, "15.259675")
    assert printed(both.p_value, "0.051665686")
    assert printed(cases.statistic, "5.4759532")
    assert (cases.df, cases.ddf) == (1, math.inf)
    assert printed(cases.p_value, "0.019279843")
    assert printed(readers.statistic, "8.704")
    assert (readers.df, readers.ddf) == (1, 4)
    assert printed(readers.p_value, "0.041958752")


@pytest.mark.parametrize(
    ("random", "means", "differences"),
    [
        (
            "readers and cases",
            [
                ("0.033173597", "12.744648", "0.82522360", "0.96885048"),
                ("0.021566368", "12.710190", "0.89413783", "0.98753689"),
            ],
            ("0.020748618", "15.259675", "-0.087959499", "0.00035885444", "0.051665686"),
        ),
        (
            "cases",
            [
                ("0.024289710", "inf", "0.84943008", "0.94464399"),
                ("0.016776324", "inf", "0.90795637", "0.97371835"),
            ],
            ("0.018717483", "inf", "-0.080485914", "-0.0071147303", "0.019279843"),
        ),
        (
            "readers",
            [
                ("0.024829936", "4.0", "0.82809808", "0.96597599"),
                ("0.016153030", "4.0", "0.89598936", "0.98568536"),
            ],
            ("0.014846287", "4.0", "-0.085020224", "-0.0025804202", "0.041958752"),
        ),
    ],
)
def test_intervals(
    study: ReaderStudy, random: str, means: list[tuple[str, ...]], differences: tuple[str, ...]
) -> None:
    numbers = ["standard_error", "degrees_of_freedom", "low", "high"]
    frame = study.frame(random=random)
    assert list(frame.columns) == ["modality", "value", *numbers]
    for row, texts in zip(frame[numbers].to_numpy().tolist(), means, strict=True):
        assert all(map(printed, row, texts))
    found = study.frame("differences", random=random).iloc[0]
    assert (found["modality_a"], found["modality_b"]) == (1, 2)
    assert printed(found["difference"], "-0.043800322")
    assert all(map(printed, found[[*numbers, "p_value"]], differences))
    assert found["p_adjusted"] == found["p_value"]


def test_differences_of_each_reader(study: ReaderStudy) -> None:
    frame = study.frame("differences by reader")
    errors = ["0.025512133", "0.026301827", "0.031209647", "0.017291289", "0.044057460"]
    p_values = ["0.269338854", "0.076831017", "0.566834139", "0.129017153", "0.023000993"]
    assert all(map(printed, frame["standard_error"], errors))
    assert all(map(printed, frame["p_value"], p_values))
    assert printed(frame["low"].iloc[4], "-0.186512066")
    assert printed(frame["high"].iloc[4], "-0.0138099949")


def test_influence_covariances_are_those_of_delong(van_dyke: pd.DataFrame) -> None:
    study = reader_study(van_dyke, covariance="influence", **COLUMNS)
    expected = {
        "var_error": "0.00079213", "cov1": "0.00034201", "cov2": "0.00033953", "cov3": "0.00023585",
    }  # fmt: skip
    assert all(printed(study.components[name], text) for name, text in expected.items())
    assert printed(study.test().statistic, "4.48485")
    assert printed(study.test().ddf, "15.0661")


def test_bootstrap_covariances_are_near(van_dyke: pd.DataFrame, study: ReaderStudy) -> None:
    drawn = reader_study(van_dyke, covariance="bootstrap", n_replicates=600, rng=1, **COLUMNS)
    assert drawn.settings == {"n_replicates": 600, "seed": 1}
    for name in ("cov1", "cov2", "cov3", "var_error"):
        assert drawn.components[name] == pytest.approx(study.components[name], rel=0.15)
    again = reader_study(van_dyke, covariance="bootstrap", n_replicates=600, rng=1, **COLUMNS)
    assert again.components == drawn.components


def slopes(pair: tuple[float, float], cuts: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Derivatives of the log-likelihood of ratings 1 to 5 by a, b and the four cuts."""
    (a, b), (negatives, positives) = pair, counts
    below = [np.diff(ndtr(np.r_[-np.inf, z, np.inf])) for z in (cuts, b * cuts - a)]
    first = -np.diff(negatives / below[0]) * norm.pdf(cuts)
    second = -np.diff(positives / below[1]) * norm.pdf(b * cuts - a)
    return np.r_[-second.sum(), second @ cuts, first + b * second]


def profile(pair: tuple[float, float], counts: np.ndarray) -> tuple[float, np.ndarray]:
    """Log-likelihood of (a, b) at the best cuts, and its derivatives by a and b."""
    start = ndtri(np.cumsum(counts[0] + 0.5)[:4] / (counts[0].sum() + 2.5))
    cuts = root(lambda z: slopes(pair, z, counts)[2:], start, tol=1e-14).x
    ends = np.r_[-np.inf, cuts, np.inf]
    shares = np.diff(ndtr([ends, pair[1] * ends - pair[0]]))
    return float((counts * np.log(shares)).sum()), slopes(pair, cuts, counts)[:2]


def test_fits_of_the_first_reader(van_dyke: pd.DataFrame) -> None:
    """The older program stops before the maximum: rounded, its last digit is one too small."""
    own = van_dyke[(van_dyke["reader"] == 1) & (van_dyke["treatment"] == 1)]
    counts = pd.crosstab(own["truth"], own["rating"]).to_numpy()
    binormal, older = fit_binormal(own["truth"], own["rating"]), (1.70215088, 0.53677324)
    assert abs(binormal.a - 1.70215) < 1e-5
    assert abs(binormal.b - 0.53677) < 1e-5
    assert printed(binormal.area, "0.93316")
    highest, slope = profile((binormal.a, binormal.b), counts)
    assert binormal.log_likelihood == pytest.approx(highest, abs=1e-11)
    assert np.abs(slope).max() < 1e-8
    reached, still_rising = profile(older, counts)
    assert highest - reached == pytest.approx(2.05e-10, abs=5e-12)
    assert np.abs(still_rising).max() > 5e-5
    proper = fit_proper(own["truth"], own["rating"])
    assert printed(proper.d_a, "2.13")
    assert printed(proper.c, "-0.298")


@pytest.mark.parametrize(
    ("metric", "fit", "what"),
    [
        ("binormal_auc", fit_binormal, "area"),
        pytest.param("saec_proper", fit_proper, "saec", marks=pytest.mark.slow),
    ],
)
def test_fitted_metrics_are_those_of_the_fits(
    metric: str, fit: Any, what: str, van_dyke: pd.DataFrame
) -> None:
    """Two readers, whose fits are quick."""
    part = van_dyke[van_dyke["reader"].isin([1, 5])]
    study = reader_study(part, metric=metric, **COLUMNS)
    for i, modality in enumerate((1, 2)):
        for j, reader in enumerate((1, 5)):
            own = part[(part["reader"] == reader) & (part["treatment"] == modality)]
            expected = getattr(fit(own["truth"], own["rating"]), what)
            assert study.values[i, j] == pytest.approx(expected, abs=1e-9)
    assert 0 < study.test().p_value < 1


def test_a_fit_at_its_limit_has_a_note(van_dyke: pd.DataFrame) -> None:
    part = van_dyke[van_dyke["reader"].isin([1, 4])]
    study = reader_study(part, metric="binormal_auc", **COLUMNS)
    assert [note.text for note in study.notes] == [
        "reader 4 under modality 2: the likelihood rises as the curve becomes perfect"
    ]


def test_power(study: ReaderStudy) -> None:
    """RJafroc's tests/testthat/test-SsSampleSizeRoc.R."""
    assert printed(study.power(10, 165).power, "0.80541995")
    assert printed(study.power(10, 131, random="cases").power, "0.80091813")
    assert printed(study.power(10, 53, random="readers").power, "0.80496663")
    assert printed(study.power(6, 111).power, "0.5526116")
    needed = study.cases_needed(6, 0.8)
    assert needed.cases == 251
    assert needed == study.power(6, 251)
    assert study.power(6, 250).power < 0.8
    assert study.power(6, 251, difference=0.05).power > needed.power


def test_five_modalities() -> None:
    """RJafroc's dataset04 as ROC data; its Var(T·R) is negative and printed as it is."""
    values = np.array(
        [
            [0.90425, 0.79820, 0.81175, 0.86645],
            [0.86425, 0.84470, 0.82050, 0.87160],
            [0.81295, 0.81635, 0.75275, 0.85730],
            [0.90235, 0.83150, 0.78865, 0.87980],
            [0.84140, 0.77300, 0.77115, 0.84800],
        ]
    )
    same_modality = np.eye(5, dtype=bool)[:, None, :, None]
    same_reader = np.eye(4, dtype=bool)[None, :, None, :]
    covariance = np.where(
        same_modality,
        np.where(same_reader, 7.8911924e-04, 2.3331406e-04),
        np.where(same_reader, 2.9480096e-04, 2.1212789e-04),
    )
    found = Analysis(values, covariance)
    assert printed(found.mean_squares["t"], "0.00189695737")
    assert printed(found.mean_squares["r"], "0.00729417750")
    assert printed(found.mean_squares["tr"], "0.00046220687")
    assert found.components["var_r"] == pytest.approx(1.2837211e-03, abs=1e-10)
    assert found.components["var_tr"] == pytest.approx(-1.0925227e-05, abs=1e-10)
    both, cases, readers = map(found.test, ["readers and cases", "cases", "readers"])
    assert both.statistic == pytest.approx(3.4682364, abs=1e-6)
    assert (both.df, both.ddf) == (4, pytest.approx(16.803749, abs=1e-5))
    assert both.p_value == pytest.approx(0.030544556, abs=1e-8)
    assert cases.statistic == pytest.approx(13.601264, abs=1e-5)
    assert cases.p_value == pytest.approx(0.0086826618, abs=1e-8)
    assert readers.statistic == pytest.approx(4.1041306, abs=1e-7)
    assert readers.p_value == pytest.approx(0.025328308, abs=1e-8)
    assert found.difference_spread("readers and cases").standard_error == pytest.approx(
        0.016537103, abs=1e-8
    )


PAGE = Path(__file__).parents[2] / "docs" / "reader-studies.md"


def test_the_page_shows_what_is_printed(
    van_dyke: pd.DataFrame,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Blocks that need the data have a space before their language, for this test alone."""
    van_dyke.to_csv(tmp_path / "vandyke.csv", index=False)
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, Any] = {}
    blocks = re.findall(r"^``` (python|text|sh)\n(.*?)^```", PAGE.read_text(), re.M | re.S)
    assert len(blocks) == 12
    for language, text in blocks:
        if language == "python":
            exec(compile(text, str(PAGE), "exec"), namespace)
        elif language == "text":
            assert capsys.readouterr().out.split() == text.split()
        else:
            assert run(*shlex.split(text)[1:]).exit_code == 0


@pytest.mark.parametrize(
    ("column", "words"),
    [("case2", "within readers are a split-plot"), ("case3", "within modalities are a split-plot")],
)
def test_its_split_plot_designs_are_recognised(
    van_dyke: pd.DataFrame, column: str, words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        reader_study(van_dyke, **{**COLUMNS, "case": column})
