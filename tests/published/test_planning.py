"""Planning: the numbers that ``power.roc.test`` of pROC 1.18 prints."""

import pytest

from polyroc import Predictions, plan


def test_one_auc_by_obuchowski() -> None:
    options = {"pair_auc": 0.73, "method": "obuchowski", "metric": "roc_auc"}
    made = plan(cases={"negative": 72, "positive": 41}, **options)
    assert made.power == pytest.approx(0.9897453, abs=5e-8)
    found = plan(cases=[72, 41], power=0.95, **options)
    assert found.value == pytest.approx(0.69610, abs=5e-6)
    needed = plan(power=0.9, allocation=[72, 41], **options)
    fewer = plan(cases=[n - 1 for n in needed.cases.values()], **options)
    assert fewer.power < 0.9 <= needed.power


def test_two_aucs_on_the_same_cases(vector) -> None:
    table = vector("proc_aSAH")
    poor = (table["outcome"] == "Poor").astype(int)
    pilot = {name: Predictions(poor, table[name].to_numpy()) for name in ("ndka", "wfns")}
    counts = {0: 72, 1: 41}
    powers = {
        method: plan(pilot, metric="roc_auc", cases=counts, method=method).power
        for method in ("delong", "normal", "influence")
    }
    assert powers["delong"] == pytest.approx(0.7131594, abs=5e-8)
    assert powers["normal"] == pytest.approx(0.7989319, abs=1.1e-7)
    assert 0.78 < powers["influence"] < powers["normal"]  # t is more careful
