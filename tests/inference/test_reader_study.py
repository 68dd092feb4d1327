"""Reader studies: formulas against loops, covariances against refits, tables against mistakes."""

from __future__ import annotations

import json
import math
import re
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy.stats import norm

from polyroc import Predictions, compare, evaluate, reader_study, registry
from polyroc.errors import InvalidInput, InvalidType, NotDefined, UnknownName
from polyroc.inference._reader_study.analysis import Analysis
from polyroc.inference._reader_study.power import Pilot
from polyroc.inference._reader_study.quantity import drawn_copies, quantity_of
from polyroc.inference._reader_study.table import _names
from polyroc.utility import _fits as fits

ROLES = {name: name for name in ("case", "reader", "modality", "truth")}
RATED = {**ROLES, "rating": "rating"}


def rated_table(
    n_cases: int = 30, n_readers: int = 3, n_modalities: int = 2, seed: int = 0
) -> pd.DataFrame:
    """Ratings 1 to 6 of two classes, correlated within cases."""
    rng = np.random.default_rng(seed)
    shape = n_cases, n_readers, n_modalities
    case, reader, modality = (each.ravel() for each in np.indices(shape))
    truth = (case % 3 == 0).astype(int)
    latent = 1.2 * truth + rng.normal(size=n_cases)[case] + rng.normal(size=case.size)
    rating = np.digitize(latent, [-1, 0, 1, 2, 3]) + 1
    names = np.array(["ct", "mr", "us", "xr"])[modality]
    columns = {"case": case, "reader": np.array(list("ABCDE"))[reader], "modality": names}
    return pd.DataFrame({**columns, "truth": truth, "rating": rating})


def scored_table(n_cases: int, n_readers: int, K: int, seed: int = 0) -> pd.DataFrame:
    """Probabilities of K classes named a, b, …, in columns p_a, p_b, …."""
    rng = np.random.default_rng(seed)
    case, reader, modality = (each.ravel() for each in np.indices((n_cases, n_readers, 2)))
    codes = case % K
    logits = rng.normal(size=(n_cases, K))[case] + rng.normal(size=(case.size, K))
    logits[np.arange(case.size), codes] += 1.0
    p = np.exp(logits)
    p /= p.sum(axis=1, keepdims=True)
    classes = list("abcdefgh"[:K])
    columns = {"case": case, "reader": reader, "modality": modality}
    truth = np.array(classes)[codes]
    scores = {f"p_{label}": p[:, k] for k, label in enumerate(classes)}
    return pd.DataFrame({**columns, "truth": truth, **scores})


def scores_of(K: int) -> list[str]:
    return [f"p_{label}" for label in "abcdefgh"[:K]]


# Formulas


def by_loops(values: np.ndarray, covariance: np.ndarray) -> dict[str, float]:
    """Mean squares, components and statistics as they are written in the papers."""
    I, J = values.shape  # noqa: E741
    cells = list(product(range(I), range(J)))
    mean_i = [sum(values[i, j] for j in range(J)) / J for i in range(I)]
    mean_j = [sum(values[i, j] for i in range(I)) / I for j in range(J)]
    grand = sum(mean_i) / I
    ms_t = J * sum((m - grand) ** 2 for m in mean_i) / (I - 1)
    ms_r = I * sum((m - grand) ** 2 for m in mean_j) / (J - 1)
    ms_tr = sum((values[i, j] - mean_i[i] - mean_j[j] + grand) ** 2 for i, j in cells)
    ms_tr /= (I - 1) * (J - 1)
    kinds: dict[tuple[bool, bool], list[float]] = {}
    for (i, j), (k, m) in product(cells, cells):
        kinds.setdefault((i == k, j == m), []).append(covariance[i, j, k, m])
    mean = {kind: sum(each) / len(each) for kind, each in kinds.items()}
    var, cov1 = mean[True, True], mean[False, True]
    cov2, cov3 = mean[True, False], mean[False, False]
    more = max(cov2 - cov3, 0)
    return {
        "var_r": (ms_r - ms_tr) / I - cov1 + cov3,
        "var_tr": ms_tr - var + cov1 + more,
        "F": ms_t / (ms_tr + J * more),
        "ddf": (ms_tr + J * more) ** 2 / (ms_tr**2 / ((I - 1) * (J - 1))),
        "chi2": (I - 1) * ms_t / (var - cov1 + (J - 1) * more),
        "F readers": ms_t / ms_tr,
    }


@pytest.mark.parametrize("sign", [1, -1])
def test_formulas_equal_loops(sign: int) -> None:
    """With sign −1, Cov2 < Cov3 and the difference counts as 0."""
    rng = np.random.default_rng(1)
    values = rng.random((3, 4))
    factor = rng.normal(size=(40, 12)) + rng.normal(size=(40, 1))
    shared = np.repeat(rng.normal(size=(40, 3)), 4, axis=1)
    covariance = np.cov((factor + shared).T).reshape(3, 4, 3, 4) / 1000
    if sign < 0:  # a covariance matrix for which readers agree more across modalities
        off = ~np.eye(4, dtype=bool)
        for i in range(3):
            covariance[i, :, i, :][off] *= -1
    found, expected = Analysis(values, covariance), by_loops(values, covariance)
    assert (found.excess > 0) == (sign > 0)
    for name in ("var_r", "var_tr"):
        assert found.components[name] == pytest.approx(expected[name], rel=1e-12)
    both, cases, readers = map(found.test, ["readers and cases", "cases", "readers"])
    assert both.statistic == pytest.approx(expected["F"], rel=1e-12)
    assert both.ddf == pytest.approx(expected["ddf"], rel=1e-12)
    assert cases.statistic == pytest.approx(expected["chi2"], rel=1e-12)
    assert readers.statistic == pytest.approx(expected["F readers"], rel=1e-12)
    assert both.df == cases.df == readers.df == 2
    if sign < 0:
        assert both[:4] == readers[:4]


def test_two_readers() -> None:
    study = reader_study(rated_table(n_readers=2), **RATED)
    assert study.test("readers").ddf == 1
    assert 0 < study.test().p_value <= 1


# Covariances


def test_leaving_out_each_case_equals_evaluating_without_it() -> None:
    for metric in registry.values():
        K = 2 if metric.classes.most == 2 else 3
        table = scored_table(14, 1, K)[lambda t: t["modality"] == 0].round(2)
        y, p = table["truth"].to_numpy(), table[scores_of(K)].to_numpy(copy=True)
        p /= p.sum(axis=1, keepdims=True)
        labels = list("abc"[:K])
        options = {"priors": Predictions(y, p).priors} if metric.prior_weighted else {}
        expected = [
            metric.function(y[keep], p[keep], labels=labels, **options)
            for keep in ~np.eye(len(y), dtype=bool)
        ]
        found = quantity_of(metric.name).without_each_case(Predictions(y, p))
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12, err_msg=metric.name)


def test_leaving_out_each_case_refits_curves() -> None:
    table = rated_table(24)[lambda t: (t["modality"] == "ct") & (t["reader"] == "A")]
    y, x = table["truth"].to_numpy(), table["rating"].to_numpy(float)
    for name in ("binormal_auc", "saec_hull"):
        quantity = quantity_of(name)
        expected = [
            quantity.value(Predictions(y[keep], x[keep])) for keep in ~np.eye(len(y), dtype=bool)
        ]
        found = quantity.without_each_case(Predictions(y, x))
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9, err_msg=name)


@pytest.mark.slow
def test_proper_fits_without_a_case_start_from_the_fit_to_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Two searches in place of six where d_a is near 0, and the same values."""
    table = rated_table(24)[lambda t: (t["modality"] == "ct") & (t["reader"] == "A")]
    y, x = table["truth"].to_numpy(), np.clip(table["rating"].to_numpy(float), 2, 4)
    quantity, predictions = quantity_of("proper_auc"), Predictions(y, x)
    rows, first, same = np.unique([y, x], axis=1, return_index=True, return_inverse=True)
    keeps = ~np.eye(len(y), dtype=bool)[first]
    expected = np.array([quantity.value(Predictions(y[keep], x[keep])) for keep in keeps])
    searches, search = [], fits.maximise

    def counted(*options: Any) -> Any:
        searches.append(options)
        return search(*options)

    monkeypatch.setattr(fits, "maximise", counted)
    found = quantity.without_each_case(predictions)
    np.testing.assert_allclose(found, expected[same.ravel()], rtol=0, atol=1e-7)
    assert len(searches) == 6 + 2 * rows.shape[1]


def test_the_jackknife_is_that_of_all_cases_together() -> None:
    table = scored_table(20, 2, 3)
    study = reader_study(table, scores=scores_of(3), metric="hand_till", **ROLES)
    cells = [
        table[(table["modality"] == i) & (table["reader"] == j)].sort_values("case")
        for i, j in product((0, 1), (0, 1))
    ]
    left = np.array(
        [
            [
                registry["hand_till"].function(
                    cell["truth"].to_numpy()[keep], cell[scores_of(3)].to_numpy()[keep]
                )
                for cell in cells
            ]
            for keep in ~np.eye(20, dtype=bool)
        ]
    )
    expected = 19 * np.cov(left.T, bias=True)
    np.testing.assert_allclose(study.covariance.reshape(4, 4), expected, atol=1e-15)


def test_influence_covariances_are_those_of_evaluate_and_compare() -> None:
    table = scored_table(40, 2, 3)
    for metric in ("hand_till", "aunp", "total_length"):
        study = reader_study(
            table, scores=scores_of(3), metric=metric, covariance="influence", **ROLES
        )
        own = table[table["reader"] == 1].sort_values(["modality", "case"])
        y = own["truth"].to_numpy()[:40]
        first, second = own[scores_of(3)].to_numpy().reshape(2, 40, 3)
        alone = evaluate(y, first, [metric])[metric]
        value = study.frame("values").iloc[1]
        assert value["value"] == pytest.approx(alone.value, abs=1e-15)
        assert value["standard_error"] == pytest.approx(alone.standard_error, rel=1e-12)
        paired = compare(y, {"0": first, "1": second}, [metric]).differences[0]
        row = study.frame("differences by reader").iloc[1]
        assert row["difference"] == pytest.approx(paired.difference, abs=1e-15)


def test_replicates_are_values_of_repeated_cases() -> None:
    table = rated_table(24)[lambda t: (t["modality"] == "ct") & (t["reader"] == "A")]
    y, x = table["truth"].to_numpy(), table["rating"].to_numpy(float)
    predictions = Predictions(y, x)
    copies = drawn_copies(predictions, 5, range(4))
    assert (copies[:, y == 1].sum(axis=1) == (y == 1).sum() - 1).all()
    for name in ("roc_auc", "saec_hull"):
        quantity = quantity_of(name)
        expected = [quantity.value(Predictions(*np.repeat([y, x], row, axis=1))) for row in copies]
        np.testing.assert_allclose(quantity.replicates(predictions, copies), expected, atol=1e-12)


@pytest.mark.slow
def test_replicates_without_a_value_are_counted() -> None:
    options: dict[str, Any] = {"metric": "binormal_auc", "covariance": "bootstrap", **RATED}
    study = reader_study(rated_table(12, 2, seed=1), n_replicates=30, rng=1, **options)
    assert [note.text for note in study.notes] == [
        "8 of 30 replicates have no value for some reader and are left out"
    ]


def test_metrics_of_class_shares_hold_them_fixed() -> None:
    study = reader_study(scored_table(30, 2, 3), scores=scores_of(3), metric="au1p", **ROLES)
    assert [note.code for note in study.notes] == ["priors-fixed"]


# Values without spread


def test_readers_who_agree_on_everything() -> None:
    table = rated_table(20)
    table["rating"] = table["truth"]
    study = reader_study(table, **RATED)
    assert study.means == {"ct": 1, "mr": 1}
    for random in ("readers and cases", "cases", "readers"):
        test = study.test(random)
        assert math.isnan(test.statistic)
        assert math.isnan(test.p_value)
        assert study.frame("differences", random=random)["p_value"].isna().all()
        assert study.frame(random=random)["low"].isna().all()
    assert len(study.notes) == 6
    assert study.notes[0].text == (
        "reader 'A' under modality 'ct': no standard error, since every case agrees on the value"
    )
    json.dumps(study.to_dict(), allow_nan=False)


def test_a_reader_without_errors_has_no_limits() -> None:
    """No case disagrees, which does not mean that none would among others."""
    table = rated_table(20)
    table.loc[table["reader"] == "A", "rating"] = table["truth"] * 5 + 1
    values = reader_study(table, **RATED).frame("values").set_index("reader")
    assert (values.loc["A", "value"] == 1).all()
    assert values.loc["A", ["standard_error", "low", "high"]].isna().all(axis=None)
    assert values.loc[["B", "C"], ["standard_error", "low", "high"]].notna().all(axis=None)


def test_readers_with_equal_differences() -> None:
    """MS(TR) is 0: with other cases there is an error term, of infinite degrees of freedom."""
    one = rated_table(40, n_readers=1)
    table = pd.concat([one.assign(reader="A"), one.assign(reader="B")])
    study = reader_study(table, **RATED)
    assert study.mean_squares["tr"] == 0
    assert math.isnan(study.test("readers").p_value)
    assert study.test().ddf == math.inf
    assert study.test().p_value == pytest.approx(study.test("cases").p_value, rel=0.1)


# What a study says


def test_the_value_of_a_reader_knows_what_is_better() -> None:
    options: dict[str, Any] = {"covariance": "bootstrap", "n_replicates": 20, "rng": 0, **RATED}
    table = rated_table(20)
    cost = reader_study(table, metric="saec_hull", **options).estimate(0, 0)
    area = reader_study(table, metric="roc_auc", **options).estimate(0, 0)
    assert cost.value > 0.05 and area.value < 0.95
    assert cost.test(0.05, "less").p_value < 0.5 < cost.test(0.05, "greater").p_value
    assert area.test(0.95, "less").p_value < 0.5 < area.test(0.95, "greater").p_value


def test_order_of_rows_and_container_do_not_matter() -> None:
    table = rated_table()
    expected = reader_study(table, **RATED).to_dict()
    others = (
        table.sample(frac=1, random_state=1),
        table.to_dict("list"),
        table.to_dict("records"),
        pa.Table.from_pandas(table),
        table.astype({"case": str, "truth": bool, "rating": float}),
    )
    for other in others:
        found = reader_study(other, **RATED).to_dict()
        assert found["components"] == pytest.approx(expected["components"], rel=1e-9)
        assert found["modalities"] == ["ct", "mr"]


def test_which_class_is_positive() -> None:
    table = rated_table()
    study = reader_study(table, **RATED)
    assert study.positive == 1
    named = table.assign(truth=table["truth"].map({1: "ill", 0: "well"}))
    turned = reader_study(named, **RATED)
    assert turned.positive == "well"
    assert "'well' is positive" in repr(turned)
    meant = reader_study(named, labels=["well", "ill"], **RATED)
    assert meant.positive == "ill"
    assert meant.means == study.means
    assert turned.means["ct"] == pytest.approx(1 - study.means["ct"])
    ordered = pd.Categorical(named["truth"], ["well", "ill"], ordered=True)
    with pytest.raises(InvalidInput, match=r"Name the classes in order with labels=\."):
        reader_study(named.assign(truth=ordered), **RATED)
    assert reader_study(scored_table(30, 2, 3), scores=scores_of(3), metric="pdi", **ROLES).positive is None  # fmt: skip # noqa: E501


def test_columns_of_scores_belong_to_classes_by_name() -> None:
    table = scored_table(30, 2, 3)
    options: dict[str, Any] = {"metric": "hand_till", **ROLES}
    expected = reader_study(table, scores=scores_of(3), **options).means
    mapping = {"c": "p_c", "a": "p_a", "b": "p_b"}
    renamed = table.rename(columns={"p_a": "x", "p_b": "y", "p_c": "z"})
    assert reader_study(table, scores=mapping, **options).means == expected
    assert reader_study(table, scores=scores_of(3)[::-1], **options).means == expected
    by_order = reader_study(renamed, scores=["z", "x", "y"], labels=["c", "a", "b"], **options)
    assert by_order.means == pytest.approx(expected)
    assert by_order.classes == ("c", "a", "b")
    with pytest.raises(InvalidInput, match="Pass a mapping from each class to its column"):
        reader_study(renamed, scores=["z", "x", "y"], **options)


def test_result_as_text_and_json() -> None:
    study = reader_study(rated_table(), level=0.9, **RATED)
    lines = repr(study).splitlines()
    assert lines[0] == "roc_auc of 2 modalities by 3 readers of 30 cases; 1 is positive"
    assert lines[1].split()[:2] == ["modality", "value"]
    assert lines[-1].startswith("random readers and cases: F(1, ")
    assert "<table>" in study._repr_html_()
    document = json.loads(json.dumps(study.to_dict(), allow_nan=False))
    assert document["positive"] == 1
    assert [each["random"] for each in document["analyses"]] == [
        "readers and cases", "cases", "readers",
    ]  # fmt: skip
    assert document["analyses"][1]["test"]["ddf"] is None
    assert document["level"] == 0.9
    wide, narrow = study.frame(level=0.99), study.frame(level=0.9)
    assert (wide["low"] < narrow["low"]).all()
    for table in ("means", "values", "differences", "differences by reader"):
        assert len(study.frame(table)) == len(study.rows(table))
    with pytest.raises(InvalidInput, match=r'table must be "means", "values", "differences" or'):
        study.frame("mean")
    with pytest.raises(InvalidInput, match='random must be "readers and cases", "cases" or'):
        study.test("case")  # type: ignore[arg-type]


def test_differences_of_three_modalities_are_adjusted() -> None:
    study = reader_study(rated_table(n_modalities=3), **RATED)
    frame = study.frame("differences")
    assert frame[["modality_a", "modality_b"]].to_numpy().tolist() == [
        ["ct", "mr"], ["ct", "us"], ["mr", "us"],
    ]  # fmt: skip
    smallest = frame["p_value"].idxmin()
    assert frame["p_adjusted"][smallest] == pytest.approx(min(3 * frame["p_value"][smallest], 1))
    with pytest.raises(InvalidInput, match="Name the difference between two modalities"):
        study.power(5, 100)
    assert 0.05 < study.power(5, 100, difference=0.1).power < 1


def test_power_of_plans() -> None:
    study = reader_study(rated_table(60, 4, seed=5), **RATED)
    powers = [study.power(6, cases, difference=0.1).power for cases in (50, 100, 200, 400)]
    assert powers == sorted(powers)
    assert study.power(12, 100, difference=0.1).power > powers[1]
    assert json.loads(json.dumps(study.power(6, 50, random="cases").to_dict()))["ddf"] is None
    assert "with 6 readers and 50 cases" in repr(study.power(6, 50))
    parts = {"var_tr": 2e-4, "cov1": 3.5e-4, "cov2": 3.4e-4, "cov3": 2.4e-4, "var_error": 8e-4}
    with pytest.raises(NotDefined, match=r"2 readers do not reach a power of 0\.9 with any number"):
        Pilot(parts, 2, 114).cases_needed(2, 0.9, 0.04, "readers and cases", 0.95)
    assert Pilot(parts, 2, 114).cases_needed(2, 0.9, 0.04, "cases", 0.95).cases > 100
    for bad, words in (
        ({"readers": 1, "cases": 50}, "readers must be at least 2, got 1"),
        ({"readers": 5, "cases": 1}, "cases must be at least 2, got 1"),
        ({"readers": 5, "cases": 50, "difference": 0.0}, "a number other than 0, got 0.0"),
        ({"readers": 5, "cases": 50, "level": 2}, "level must lie between 0 and 1, got 2"),
    ):
        with pytest.raises(InvalidInput, match=words):
            study.power(**bad)
    with pytest.raises(InvalidInput, match="power must lie between 0 and 1, got 80"):
        study.cases_needed(5, 80)


def test_readers_held_fixed_leave_no_degrees_of_freedom_to_lose() -> None:
    study = reader_study(rated_table(60, 4, seed=5), **RATED)
    fixed = study.power(6, 50, difference=0.1, random="cases")
    assert fixed.ddf == math.inf
    assert study.power(6, 50, difference=0.1).ddf < math.inf
    error = study.half_width(6, 50, random="cases")[1]
    z = norm.ppf(0.975)
    assert fixed.power == pytest.approx(norm.sf(z - 0.1 / error) + norm.cdf(-z - 0.1 / error))


def test_the_fewest_cases_where_more_cases_are_worse() -> None:
    """As cases grow, degrees of freedom fall to those of the readers."""
    parts = {"var_tr": 2e-4, "cov1": 3.5e-4, "cov2": 3.4e-4, "cov3": 2.4e-4, "var_error": 8e-4}
    pilot, both = Pilot(parts, 2, 114), "readers and cases"
    powers = [pilot.power(3, n, 0.05, both, 0.95).power for n in range(2, 6000)]
    widths = [pilot.interval(2, n, both, 0.95)[0] for n in range(2, 6000)]
    assert powers[-1] < max(powers) - 0.005
    assert widths[-1] > min(widths) + 0.04
    for share in (0.5, 0.9, 1 - 1e-9, 1):
        wanted = share * max(powers)
        fewest = next(n for n, power in enumerate(powers, start=2) if power >= wanted)
        assert pilot.cases_needed(3, wanted, 0.05, both, 0.95).cases == fewest
        narrow = min(widths) / share
        fewest = next(n for n, width in enumerate(widths, start=2) if width <= narrow)
        assert pilot.cases_for(2, narrow, both, 0.95) == fewest
    with pytest.raises(NotDefined, match=f"any number of cases: at most {max(powers):.4f}"):
        pilot.cases_needed(3, 0.65, 0.05, both, 0.95)
    with pytest.raises(NotDefined, match=f"any number of cases: at least {min(widths):.4f}"):
        pilot.cases_for(2, 0.1, both, 0.95)


def test_plans_without_variance() -> None:
    table = rated_table(20)
    table["rating"] = table["truth"]
    study = reader_study(table, **RATED)
    for ask in (
        lambda: study.power(5, 50, difference=0.1),
        lambda: study.cases_needed(5, 0.8, difference=0.1),
        lambda: study.half_width(5, 50),
        lambda: study.cases_for(5, 0.1),
    ):
        with pytest.raises(NotDefined, match=r"The pilot shows no variance .* to plan with\."):
            ask()


def test_numbers_of_plans() -> None:
    study = reader_study(rated_table(60, 4, seed=5), **RATED)
    expected = study.power(6, 50, difference=1)
    assert study.power(6, 50, difference=np.int64(1)) == expected
    assert study.power(6, 50, difference=np.float32(1)) == expected
    assert study.cases_needed(6, np.float32(0.75), difference=0.1).power >= 0.75
    with pytest.raises(InvalidInput, match="a number other than 0, got True"):
        study.power(6, 50, difference=True)
    for bad in (-1, 0, "x", math.nan, True):
        with pytest.raises(InvalidInput, match="half_width must be a"):
            study.cases_for(5, bad)  # type: ignore[arg-type]


# Tables with mistakes: one sentence says what is wrong, one what to do


def without(table: pd.DataFrame, **cell: Any) -> pd.DataFrame:
    """A table without the rows of a cell."""
    gone = np.logical_and.reduce([table[name] == value for name, value in cell.items()])
    return table[~gone]


def changed(table: pd.DataFrame, column: str, row: int, value: Any) -> pd.DataFrame:
    made = table.astype({column: object})
    made.loc[row, column] = value
    return made


TABLE = rated_table(6, 2)
CROSSED = (
    "reader_study analyses fully crossed studies only: every reader reads every case under every "
    "modality."
)
MISTAKES = [
    (
        changed(TABLE, "truth", 9, 1),
        "Case 2 has two truths: 0, but 1 for reader 'A' under modality 'mr'. Give all rows of a "
        "case the same truth.",
    ),
    (
        without(TABLE, reader="B", modality="ct", case=3),
        "1 reading is missing: case 3 by reader 'B' under modality 'ct'. Add it, or leave this "
        "case or reader out.",
    ),
    (
        without(without(TABLE, reader="B", case=3), reader="A", case=1),
        "4 readings are missing: case 1 by reader 'A' under modality 'ct'; case 3 by reader 'B' "
        "under modality 'ct'; case 1 by reader 'A' under modality 'mr'; case 3 by reader 'B' under "
        "modality 'mr'. Add them, or leave these cases or readers out.",
    ),
    (
        TABLE[TABLE["reader"] == "A"],
        "There is one reader, 'A', and a reader study needs at least two. Use compare, which "
        "compares modalities over cases.",
    ),
    (
        TABLE[TABLE["modality"] == "ct"],
        "There is one modality, 'ct', and a reader study compares at least two. Use evaluate for "
        "each reader.",
    ),
    (
        pd.concat([TABLE, TABLE.iloc[[5]]]),
        "There are 2 readings of case 1 by reader 'A' under modality 'mr'. Leave one row for each "
        "reading.",
    ),
    (
        without(TABLE, reader="B", modality="mr"),
        "Reader 'B' has no readings under modality 'mr': readers nested within modalities are a "
        f"split-plot design. {CROSSED}",
    ),
    (
        TABLE[(TABLE["reader"] == "A") == (TABLE["case"] < 3)],
        "The cases of reader 'A' occur with no other reader: cases nested within readers are a "
        f"split-plot design. {CROSSED}",
    ),
    (
        TABLE[(TABLE["modality"] == "ct") == (TABLE["case"] < 3)],
        "The cases of modality 'ct' occur with no other modality: cases nested within modalities "
        f"are a split-plot design. {CROSSED}",
    ),
    (
        without(
            without(TABLE, reader="B", modality="ct", case=0), reader="B", modality="mr", case=1
        )[lambda table: table["case"] < 2],
        "2 readings are missing: case 0 by reader 'B' under modality 'ct'; case 1 by reader 'B' "
        "under modality 'mr'. Add them, or leave these cases or readers out.",
    ),
    (
        changed(TABLE, "rating", 4, None),
        "The column 'rating' has no value for case 1 of reader 'A' under modality 'ct'. Every "
        "reader must rate every case under every modality with a finite number.",
    ),
    (
        changed(TABLE, "rating", 4, math.inf),
        "The column 'rating' has inf for case 1 of reader 'A' under modality 'ct'. Every reader "
        "must rate every case under every modality with a finite number.",
    ),
    (
        changed(TABLE, "reader", 4, None),
        "The column 'reader' has no reader in row 4. Name the reader of every reading, or remove "
        "the row.",
    ),
    (
        changed(TABLE, "truth", 4, None),
        "Case 1 has no truth in row 4. Give every row the true class of its case, or remove the "
        "case.",
    ),
    (
        changed(TABLE, "modality", 4, 3),
        "The column 'modality' mixes numbers and text, which have no common order. Use one kind of "
        "name.",
    ),
    (TABLE[:0], "The table has no rows. Pass a row for each case, reader and modality."),
    (
        TABLE.drop(columns="reader"),
        "The table has no column 'reader'. Its columns are 'case', 'modality', 'truth', 'rating'.",
    ),
    (
        TABLE.assign(truth=(TABLE["case"] == 3).astype(int)),
        "Class 1 has one case, and the spread over cases needs at least two in each class. Add "
        "cases.",
    ),
    (
        TABLE.assign(truth=1),
        "All cases belong to 1, and a reader study needs cases of at least two classes. Add cases "
        "of another class.",
    ),
    (
        TABLE.assign(truth=TABLE["case"] % 3),
        "rating= names one column, which is enough for two classes, but there are 3: 0, 1, 2. Name "
        "a column per class with scores=.",
    ),
]


@pytest.mark.parametrize(("table", "message"), MISTAKES, ids=[text[:40] for _, text in MISTAKES])
def test_mistakes_of_tables(table: pd.DataFrame, message: str) -> None:
    with pytest.raises(InvalidInput) as error:
        reader_study(table, **RATED)
    assert str(error.value) == message


def test_mistakes_of_calls() -> None:
    table = scored_table(12, 2, 3)
    options: dict[str, Any] = {"metric": "hand_till", **ROLES}
    for error, message, named in (
        (InvalidInput, "Name either rating=, the column of ratings of two classes, or scores=", {}),
        (InvalidType, "scores must be a list of columns or a mapping", {"scores": "p_a"}),
        (InvalidInput, "maps 'a', but the classes are 'a', 'b', 'c'", {"scores": {"a": "p_a"}}),
        (InvalidType, "case must be the name of a column, got 3", {"case": 3}),
        (
            InvalidInput,
            "The column 'case' has two roles",
            {"scores": scores_of(3), "truth": "case"},
        ),
        (
            InvalidInput,
            "Case 2 has the truth 'c', which is not among the classes 'a', 'b'",
            {"scores": ["p_a", "p_b"], "labels": ["a", "b"]},
        ),
        (
            InvalidInput,
            "No case belongs to 'd'. Name the classes that occur.",
            {"scores": scores_of(3), "labels": list("abcd")},
        ),
        (UnknownName, "There is no metric 'auc'. Did you mean 'roc_auc'", {"metric": "auc"}),
        (InvalidInput, 'covariance must be "jackknife", "influence" or', {"covariance": "delong"}),
    ):
        with pytest.raises(error, match=message):
            reader_study(table, **{**options, **named})
    for other in (3, None, [1, 2, 3], np.ones((4, 5)), {}):
        with pytest.raises(InvalidType, match="table must contain columns by name"):
            reader_study(other, rating="rating", **ROLES)
    for labels in ([1, 1], [0, 1, 1]):
        with pytest.raises(InvalidInput, match="labels name 1 more than once"):
            reader_study(rated_table(), labels=labels, **RATED)
    constant = rated_table().assign(rating=1)
    for metric in ("saec", "saec_proper"):
        with pytest.raises(NotDefined, match=f"modality 'ct': {metric} needs a curve with"):
            reader_study(constant, metric=metric, **RATED)
    with pytest.raises(NotDefined, match=r'^roc_auc is .* there are 3\. Pass metric="hand_till",'):
        reader_study(table, scores=scores_of(3), **ROLES)
    with pytest.raises(NotDefined, match=r"^binormal_auc is defined for 2 classes, but"):
        reader_study(table, scores=scores_of(3), **{**options, "metric": "binormal_auc"})
    with pytest.raises(InvalidInput, match="binormal_auc has no influence values"):
        reader_study(rated_table(), metric="binormal_auc", covariance="influence", **RATED)
    two = rated_table(12).assign(rating=lambda t: t["rating"] > 3)
    with pytest.raises(NotDefined, match="reader 'A' under modality 'ct': binormal_auc needs"):
        reader_study(two, metric="binormal_auc", **RATED)


@pytest.mark.parametrize("role", ["reader", "modality"])
def test_names_that_are_neither_text_nor_numbers_are_refused(role: str) -> None:
    table = rated_table()
    column = table[role].astype(object)
    column.iloc[3] = ("a", "b")
    words = re.escape(
        f"The column '{role}' contains ('a', 'b') in row 3. Name cases, readers and modalities by "
        "text or numbers."
    )
    with pytest.raises(InvalidType, match=f"^{words}$"):
        reader_study(table.assign(**{role: column}), **RATED)


def test_names_that_are_numbers_are_taken_as_they_are() -> None:
    """Also in the other order of bytes; cells of text become plain text."""
    for kind in (">i4", "f8", "bool"):
        column = pd.Series(np.array([1, 0, 1], dtype=kind))
        names = _names(column, "reader")
        assert names.dtype == np.dtype(kind).newbyteorder("=")
        assert names.tolist() == column.tolist()
    assert _names(pd.Series([np.str_("a"), "b"], dtype=object), "reader").dtype == object
