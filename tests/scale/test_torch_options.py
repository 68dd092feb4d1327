"""Options of metrics of tensors: each is passed on, and wrong ones are told."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import polyroc
from polyroc import scale
from polyroc.errors import InvalidInput, InvalidType, NotDefined, UnknownName

pytestmark = pytest.mark.torch


@pytest.fixture
def torch() -> Any:
    return pytest.importorskip("torch", reason="PyTorch is not installed")


def cases(n_classes: int = 3, n: int = 36) -> tuple[np.ndarray, np.ndarray]:
    """Classes of unequal sizes, scores with ties."""
    rng = np.random.default_rng(n_classes)
    y = np.repeat(np.arange(n_classes), [2 + n * (k + 1) // 9 for k in range(n_classes)])
    p = rng.dirichlet(np.ones(n_classes), len(y)) + 0.3 * np.eye(n_classes)[y]
    return y, np.round(p / p.sum(axis=1, keepdims=True), 1)


@pytest.mark.parametrize("ties", ["fair", "strict", "lenient"])
def test_labels_and_ties_are_passed_on(torch: Any, ties: Any) -> None:
    y, p = cases()
    labels = np.array([7, -2, 5])
    exact = polyroc.pairwise_auc(labels[y], p, labels=labels, ties=ties)
    given = torch.tensor(labels[y]), torch.tensor(p)
    found = scale.torch.pairwise_auc(*given, labels=[7, -2, 5], ties=ties)
    np.testing.assert_array_equal(found.numpy(), exact)
    result = scale.torch.evaluate(*given, "all", labels=[7, -2, 5], ties=ties)
    np.testing.assert_array_equal(result.pairwise_low, exact)
    assert result.counts == {
        7: int((y == 0).sum()),
        -2: int((y == 1).sum()),
        5: int((y == 2).sum()),
    }
    for name, each in result.items():
        value = polyroc.registry[name].function(labels[y], p, labels=labels, ties=ties)
        assert each.low == pytest.approx(value, abs=1e-12), name
        assert not math.isnan(each.standard_error)
    models = {"a": given[1], "b": given[1].flip(0)}
    compared = scale.torch.compare(given[0], models, ["aunp"], labels=[7, -2, 5], ties=ties)
    assert compared["a"]["aunp"].low == result["aunp"].low
    if ties == "fair":
        pairs = scale.torch.evaluate_pairs(*given, labels=[7, -2, 5])
        np.testing.assert_array_equal(pairs.value.numpy(), exact)
    with pytest.raises(
        InvalidInput, match=r"label 7 in row 0, which is not among the classes 0, 1"
    ):
        scale.torch.evaluate_pairs(*given)


def test_classes_without_cases_are_refused_unless_they_are_skipped(torch: Any) -> None:
    y, p = cases()
    wide = np.column_stack([p, np.zeros(len(y))])
    given = torch.tensor(y), torch.tensor(wide)
    calls = {
        "pairwise_auc": lambda **o: scale.torch.pairwise_auc(*given, **o),
        "evaluate_pairs": lambda **o: scale.torch.evaluate_pairs(*given, **o),
        "evaluate": lambda **o: scale.torch.evaluate(*given, **o),
        "compare": lambda **o: scale.torch.compare(given[0], {"a": given[1], "b": given[1]}, **o),
    }
    for name, call in calls.items():
        with pytest.raises(InvalidInput, match="class 3 has no cases"):
            call()
        assert call(absent="skip") is not None, name
        for wrong in (0, -1):
            with pytest.raises(InvalidInput, match="memory"):
                call(absent="skip", memory=wrong)
    pairs = calls["evaluate_pairs"](absent="skip")
    assert torch.isnan(pairs.value[3]).all() and torch.isnan(pairs.standard_error[:, 3]).all()
    expected = polyroc.evaluate_pairs(y, p)
    inner = ~np.eye(3, dtype=bool)
    np.testing.assert_allclose(pairs.value.numpy()[:3, :3][inner], expected["value"], rtol=1e-13)
    np.testing.assert_allclose(
        pairs.standard_error.numpy()[:3, :3][inner], expected["standard_error"], rtol=1e-11
    )
    assert list(calls["evaluate"](absent="skip")) == ["hand_till", "au1p", "aunu", "aunp", "auc_mu"]


@pytest.mark.parametrize(
    ("n_classes", "by_default", "all_of_them"),
    [
        (2, ["roc_auc"], ["hand_till", "au1p", "aunu", "aunp", "roc_auc", "auc_mu"]),
        (3, ["hand_till", "au1p", "aunu", "aunp", "auc_mu"],
         ["hand_till", "au1p", "aunu", "aunp", "auc_mu"]),
    ],
)  # fmt: skip
def test_metrics_by_default_and_all(
    torch: Any, n_classes: int, by_default: list[str], all_of_them: list[str]
) -> None:
    y, p = cases(n_classes)
    p = p / p.sum(axis=1, keepdims=True)
    given = torch.tensor(y), torch.tensor(p)
    assert list(scale.torch.evaluate(*given)) == by_default
    assert list(scale.torch.evaluate(*given, "all")) == all_of_them
    assert list(scale.torch.evaluate(*given, "aunp")) == ["aunp"]
    assert list(scale.torch.evaluate(*given, iter(["aunp", "au1p"]))) == ["aunp", "au1p"]
    with pytest.raises(UnknownName):
        scale.torch.evaluate(*given, ["nothing"])
    with pytest.raises(NotDefined) as told:
        scale.torch.evaluate(*given, ["total_length"])
    assert str(told.value) == (
        "total_length is not computed on tensors, only hand_till, au1p, aunu, aunp, roc_auc, "
        "auc_mu are. Use polyroc.evaluate, which takes tensors on the CPU."
    )
    if n_classes == 3:
        undefined = scale.torch.evaluate(*given, ["roc_auc"])["roc_auc"]
        assert math.isnan(undefined.low) and undefined.note


def test_two_columns_of_one_sum_are_one(torch: Any) -> None:
    """Columns that say the same have one AUC; where rows have other sums, each has its own."""
    y, p = cases(2)
    p = p / p.sum(axis=1, keepdims=True)
    one, several = ["roc_auc"], ["hand_till", "aunp", "roc_auc", "auc_mu"]

    def names(scores: np.ndarray) -> list[str]:
        return list(scale.torch.evaluate(torch.tensor(y), torch.tensor(scores)))

    assert names(p) == one and names(p[:, 1]) == one and names(3 * p) == one
    assert names(p + np.array([[0.0, 1.0]])) == one, "all sums are the same"
    moved = p.copy()
    moved[4, 0] += 0.01
    assert names(moved) == several
    nearly = p.copy()
    nearly[4, 0] += 1e-9
    assert names(nearly) == one
    assert names(p * 1e6 + 1e-4 * np.eye(len(y), 2)) == one, "the tolerance grows with the scores"
    assert names(-1e6 * p + 1e-4 * np.eye(len(y), 2)) == one
    assert names(1e-6 * p) == one and names(1e-12 * moved) == one


def test_intervals_are_asked_for_or_not(torch: Any) -> None:
    y, p = cases()
    given = torch.tensor(y), torch.tensor(p)
    asked = scale.torch.evaluate(*given, interval="influence")
    assert scale.torch.evaluate(*given).metrics == asked.metrics
    values = scale.torch.evaluate(*given, interval=None)
    for name, each in values.items():
        assert each.low == asked[name].low and math.isnan(each.standard_error)
        assert each.note == "no standard error: not requested"
    with pytest.raises(InvalidInput, match="interval"):
        scale.torch.evaluate(*given, interval="none")


def test_errors_of_pairs_by_loops(torch: Any) -> None:
    """Variances of placements; none for one case, nor where every case agrees."""
    y, p = cases()
    found = scale.torch.evaluate_pairs(torch.tensor(y), torch.tensor(p))
    for k in range(3):
        for r in set(range(3)) - {k}:
            own, others = p[y == k, k], p[y == r, k]
            above = (own[:, None] > others) + 0.5 * (own[:, None] == others)
            variance = sum(np.var(above.mean(axis=a), ddof=1) / above.shape[1 - a] for a in (0, 1))
            assert float(found.value[k, r]) == pytest.approx(above.mean())
            assert float(found.standard_error[k, r]) == pytest.approx(math.sqrt(variance))
    apart = scale.torch.evaluate_pairs(torch.tensor([0, 0, 1, 1]), torch.eye(2)[[0, 0, 1, 1]])
    assert apart.value.tolist()[0][1] == 1 and torch.isnan(apart.standard_error).all()
    couples = scale.torch.evaluate_pairs(
        torch.tensor([0, 0, 1, 1]), torch.tensor([[0.5, 0.1], [0.2, 0.6], [0.3, 0.4], [0.1, 0.3]])
    )
    assert couples.standard_error.tolist()[0][1] == pytest.approx(math.sqrt(0.125))
    assert couples.standard_error.tolist()[1][0] == pytest.approx(math.sqrt(0.25))
    single = scale.torch.evaluate_pairs(
        torch.tensor([0, 1, 1]), torch.tensor([[0.5, 0.2], [0.4, 0.9], [0.6, 0.1]])
    )
    assert torch.isnan(single.standard_error).all() and single.value.tolist()[0][1] == 0.5


def test_models_take_the_metrics_of_the_first(torch: Any) -> None:
    """Whose scores may say the same in two columns, while those of another do not."""
    y, p = cases(2)
    p = p / p.sum(axis=1, keepdims=True)
    moved = p.copy()
    moved[4, 0] += 0.2
    one, two = torch.tensor(p), torch.tensor(moved)
    found = scale.torch.compare(torch.tensor(y), {"a": one, "b": two})
    assert list(found["a"]) == list(found["b"]) == ["roc_auc"]
    found = scale.torch.compare(torch.tensor(y), {"b": two, "a": one})
    assert list(found["a"]) == list(found["b"]) == ["hand_till", "aunp", "roc_auc", "auc_mu"]
    with pytest.raises(InvalidInput) as told:
        scale.torch.compare(
            torch.tensor(y), {"a": one, "b": torch.cat([one, one[:, :1]], 1)}, absent="skip"
        )
    assert str(told.value) == (
        "The scores of 'b' have 3 columns, those of 'a' 2. Pass a column per class."
    )


def test_gini_says_what_was_drawn(torch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    rates = torch.tensor([[0.1, 0.4], [0.5, 0.1]])
    found = scale.torch.gini(rates, 2, n_samples=500, rng=3)
    assert found.metric == "gini" and found.method == "monte carlo"
    assert found.settings == {"n_classes": 2, "n_samples": 500, "seed": 3, "device": "cpu"}
    share = found.value
    assert found.standard_error == pytest.approx(math.sqrt(share * (1 - share) / 500))
    again = scale.torch.gini(rates, 2, n_samples=500, rng=3)
    assert again.value == share and scale.torch.gini(rates, 2, n_samples=500, rng=4).value != share
    assert scale.torch.gini(rates.float(), 2, n_samples=1, rng=3).value in (0.0, 1.0)
    assert scale.torch.gini(torch.tensor([[0.0, 0.0]]), 2, n_samples=1).value == 1.0
    monkeypatch.setattr("polyroc.scale.torch.dominated_share", lambda *given: 0.5)
    usual = scale.torch.gini(rates, 2, rng=0)
    assert usual.settings["n_samples"] == 1_000_000 and usual.standard_error == 0.0005
    monkeypatch.undo()
    for options, message in (
        ({"n_classes": 1}, "n_classes"),
        ({"n_classes": 2, "n_samples": 0}, "n_samples"),
        ({"n_classes": 2, "memory": 0}, "memory"),
    ):
        with pytest.raises(InvalidInput, match=message):
            scale.torch.gini(rates, **options)
    with pytest.raises(InvalidInput) as told:
        scale.torch.gini(rates, 3)
    assert str(told.value) == (
        "rates must have a row per point and 6 columns, one per error of 3 classes, got the shape "
        "(2, 2)."
    )
    with pytest.raises(InvalidInput, match=r"got the shape \(2,\)"):
        scale.torch.gini(rates[0], 2)
    for wrong in (-0.01, 1.01, math.nan):
        with pytest.raises(InvalidInput, match="rates must lie between 0 and 1"):
            scale.torch.gini(torch.tensor([[0.1, wrong]]), 2)
    with pytest.raises(InvalidType, match="rates must be a dense torch tensor"):
        scale.torch.gini(rates.numpy(), 2)
