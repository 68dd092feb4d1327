"""Tensors give the values of arrays, on whatever device they are."""

from __future__ import annotations

import importlib
import os
from typing import Any

import numpy as np
import pytest

import polyroc
from polyroc import scale
from polyroc.errors import InvalidInput, InvalidType, NotDefined

pytestmark = pytest.mark.torch


@pytest.fixture
def torch() -> Any:
    if os.environ.get("POLYROC_REQUIRE_TORCH"):
        return importlib.import_module("torch")  # a missing torch is then a failure
    return pytest.importorskip("torch", reason="PyTorch is not installed")


def scores(
    n: int, n_classes: int, seed: int = 0, skew: float = 0.0, digits: int | None = None
) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    shares = np.exp(-skew * np.arange(n_classes))
    y = np.concatenate(
        [np.arange(n_classes), rng.choice(n_classes, n - n_classes, p=shares / shares.sum())]
    )
    raw = rng.normal(size=(n, n_classes))
    raw[np.arange(n), y] += 1
    p = np.exp(raw)
    p /= p.sum(axis=1, keepdims=True)
    order = rng.permutation(n)
    return y[order], (p if digits is None else np.round(p, digits))[order]


def by_definition(y: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Mean of step(p_ak − p_bk) over the pairs, in loops."""
    n_classes = p.shape[1]
    auc = np.full((n_classes, n_classes), np.nan)
    for k in range(n_classes):
        for r in range(n_classes):
            if k != r:
                pairs = [(a > b) + 0.5 * (a == b) for a in p[y == k, k] for b in p[y == r, k]]
                auc[k, r] = np.mean(pairs)
    return auc


@pytest.mark.parametrize("route", ["search", "sort"])
def test_definition(torch: Any, route: str) -> None:
    from polyroc.scale._device_pairs import credit_sums, grouped

    y, p = scores(60, 4, digits=1)
    cases = grouped(torch.tensor(p), torch.tensor(y))
    counts = np.bincount(y)
    found = credit_sums(cases, "fair", 1 << 20, route).numpy() / (2 * np.outer(counts, counts))
    pairs = ~np.eye(4, dtype=bool)
    assert found[pairs] == pytest.approx(by_definition(y, p)[pairs], abs=1e-14)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("n_classes", [2, 3, 40])
@pytest.mark.parametrize(("skew", "digits"), [(0.0, None), (0.5, None), (0.0, 2), (0.3, 1)])
def test_both_routes_equal_numpy_to_the_bit(
    torch: Any, dtype: str, n_classes: int, skew: float, digits: int | None
) -> None:
    from polyroc.scale._device_pairs import credit_sums, grouped

    y, p = scores(900, n_classes, n_classes, skew, digits)
    p = p.astype(dtype)
    expected = polyroc.pairwise_auc(y, p)
    result = scale.torch.pairwise_auc(torch.tensor(y), torch.tensor(p))
    assert np.array_equal(result.numpy(), expected, equal_nan=True)
    cases = grouped(torch.tensor(p), torch.tensor(y))
    for ties in ("fair", "strict", "lenient"):
        ways = [credit_sums(cases, ties, 1 << 30, route) for route in ("search", "sort")]
        assert torch.equal(*ways)


@pytest.mark.parametrize("ties", ["fair", "strict", "lenient"])
@pytest.mark.parametrize("memory", [60_000, 1 << 30])
def test_metrics_equal_those_of_the_registry(torch: Any, ties: Any, memory: int) -> None:
    for n_classes, skew, digits in ((2, 0.0, None), (3, 0.0, 1), (9, 1.2, 2), (30, 0.1, None)):
        y, p = scores(600, n_classes, 3, skew, digits)
        p = p.astype(np.float32)
        given = torch.tensor(y), torch.tensor(p)
        result = scale.torch.evaluate(*given, "all", ties=ties, memory=memory)
        names = [name for name in scale.torch.OFFERED if n_classes == 2 or name != "roc_auc"]
        assert list(result) == names
        differing = ["roc_auc"] if n_classes == 2 else names
        assert list(scale.torch.evaluate(*given, ties=ties, memory=memory)) == differing
        for name in names:
            expected = polyroc.registry[name].function(y, p, ties=ties)
            assert result[name].low == pytest.approx(expected, abs=1e-12)
            assert result[name].width == 0
        assert result.counts == dict(enumerate(np.bincount(y).tolist()))


def test_many_positives_are_sorted(torch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from polyroc.scale import _device_pairs as device_pairs

    y, p = scores(5000, 5, skew=0.7, digits=3)
    for few in (0, 500, 10**6):
        monkeypatch.setattr(device_pairs, "FEW_ELSEWHERE", few)
        result = scale.torch.pairwise_auc(torch.tensor(y), torch.tensor(p))
        assert np.array_equal(result.numpy(), polyroc.pairwise_auc(y, p), equal_nan=True)


def test_ranks_of_very_many_cases_are_wide(torch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Twice the number of cases must fit; tensors without memory stand for the many."""
    from polyroc.scale import _device_pairs as device_pairs

    def counted(own: Any, runs: Any, kind: Any, ties: Any) -> Any:
        return torch.empty(own.shape, dtype=kind, device="meta")

    monkeypatch.setattr(device_pairs, "_counted_along", counted)
    for n, kind in (((1 << 30) - 1, torch.int32), (1 << 30, torch.int64)):
        table = torch.empty((n, 2), device="meta")
        order = torch.empty(n, dtype=torch.int64, device="meta")
        counts = torch.empty(2, dtype=torch.int64, device="meta")
        cases = device_pairs.Grouped(table, order, counts, [1, n - 1])
        assert device_pairs._by_sorting(cases, [0, 1], "half").dtype == kind


def test_extreme_scores(torch: Any) -> None:
    largest = np.finfo(np.float64).max
    values = np.array([-largest, -1.0, -5e-324, -0.0, 0.0, 5e-324, 1.0, largest])
    y, rng = np.tile([0, 1, 2], 40), np.random.default_rng(0)
    p = rng.choice(values, (120, 3))
    result = scale.torch.evaluate(torch.tensor(y), torch.tensor(p))
    assert np.array_equal(result.pairwise_low, polyroc.pairwise_auc(y, p), equal_nan=True)
    with np.errstate(over="ignore"):
        expected = polyroc.auc_mu(y, p, n_threads=1)
    assert result["auc_mu"].low == pytest.approx(expected, abs=1e-14)


def margins_that_are_close() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Decimals, with masked scores, numbers about one slack apart, and a dense stretch."""
    rng, cases = np.random.default_rng(0), {}
    y = np.arange(210) % 7
    for digits in (1, 2, 3):
        p = np.round(rng.dirichlet(np.ones(7), len(y)), digits)
        masked = p.copy()
        masked[3, 0], masked[5, :2] = -1e30, -1e30
        cases |= {f"{digits} digits": (y, p), f"{digits} digits, masked": (y, masked)}
        cases[f"{digits} digits in float32"] = (y, p.astype(np.float32))
    near = rng.choice([1, 1 - 2.0**-41, 1 - 2.0**-40, 1 - 2.0**-39, 0.5, 0, 1e-13], (len(y), 7))
    dense = np.zeros((9000, 3))
    dense[:, 0] = 1 - rng.integers(0, 4000, len(dense)) * 2.0**-41
    return cases | {"near": (y, near), "dense": (np.arange(len(dense)) % 3, dense)}


def test_margins_that_are_close(torch: Any) -> None:
    for name, (y, p) in margins_that_are_close().items():
        for ties in ("fair", "strict", "lenient"):
            found = scale.torch.evaluate(torch.tensor(y), torch.tensor(p), ["auc_mu"], ties=ties)
            expected = polyroc.auc_mu(y, p, ties=ties)
            assert found["auc_mu"].low == pytest.approx(expected, abs=1e-13), (name, ties)


def test_labels_one_column_and_kinds(torch: Any) -> None:
    y, p = scores(300, 3)
    named = np.array([7, -2, 40])
    result = scale.torch.pairwise_auc(
        torch.tensor(named[y]), torch.tensor(p), labels=named.tolist()
    )
    assert np.array_equal(result.numpy(), polyroc.pairwise_auc(y, p), equal_nan=True)
    y, p = scores(300, 2)
    one = scale.torch.evaluate(torch.tensor(y == 1), torch.tensor(p[:, 1]), "roc_auc")
    assert one["roc_auc"].low == polyroc.roc_auc(y, p[:, 1])
    for kind in (torch.float16, torch.bfloat16):
        rough = torch.tensor(p).to(kind)
        found = scale.torch.pairwise_auc(torch.tensor(y), rough)
        expected = polyroc.pairwise_auc(y, rough.double().numpy())
        assert np.array_equal(found.numpy(), expected, equal_nan=True)


def test_layouts_of_memory_and_inputs_untouched(torch: Any) -> None:
    y, p = scores(400, 6)
    wide = torch.tensor(np.repeat(p, 2, axis=1))
    expected = polyroc.pairwise_auc(y, p)
    for given in (wide[:, ::2], torch.tensor(p.T).T, torch.tensor(p, requires_grad=True)):
        before = given.detach().clone()
        found = scale.torch.pairwise_auc(torch.tensor(y), given)
        assert np.array_equal(found.numpy(), expected, equal_nan=True)
        assert torch.equal(before, given.detach())
        assert not found.requires_grad


def test_absent_classes(torch: Any) -> None:
    y, p = scores(200, 4)
    keep = y != 2
    tensors = torch.tensor(y[keep]), torch.tensor(p[keep])
    with pytest.raises(InvalidInput, match="class 2 has no cases"):
        scale.torch.pairwise_auc(*tensors)
    found = scale.torch.pairwise_auc(*tensors, absent="skip").numpy()
    expected = polyroc.pairwise_auc(y[keep], p[keep], labels=range(4), absent="skip")
    assert np.array_equal(found, expected, equal_nan=True)
    result = scale.torch.evaluate(*tensors, absent="skip")
    names = ["hand_till", "au1p", "aunu", "aunp", "auc_mu"]
    in_memory = polyroc.evaluate(y[keep], p[keep], names, labels=range(4), absent="skip")
    for name in names:
        assert result[name].low == pytest.approx(in_memory[name].value, abs=1e-14)
        error = in_memory[name].standard_error
        assert result[name].standard_error == pytest.approx(error, rel=1e-12), name
    assert result.counts[2] == 0


def test_what_is_refused(torch: Any) -> None:
    y, p = (torch.tensor(each) for each in scores(20, 3))
    auc, holed = scale.torch.pairwise_auc, p.clone()
    holed[4, 1] = np.nan
    for wrong_y, wrong_p, error, message in (
        (y.numpy(), p, InvalidType, "y must be a dense torch tensor, got ndarray"),
        (y, p.to_sparse(), InvalidType, "p must be a dense torch tensor, got torch.sparse"),
        (y.double(), p, InvalidType, r"y\.long\(\)"),
        (y, p.long(), InvalidType, r"p\.double\(\)"),
        (y[:-1], p, InvalidInput, "one label and one row"),
        (y[:0], p[:0], InvalidInput, "one label and one row"),
        (y, p[:, :1], InvalidInput, "at least two columns"),
        (y + 1, p, InvalidInput, "label 3 in row"),
        (y, holed, InvalidInput, "nan in row 4, column 1"),
    ):
        with pytest.raises(error, match=message):
            auc(wrong_y, wrong_p)
    with pytest.raises(InvalidInput, match="different whole number"):
        auc(y, p, labels=[0, 1, 1])
    with pytest.raises(InvalidInput, match="ties"):
        auc(y, p, ties="none")
    with pytest.raises(InvalidInput, match="absent"):
        auc(y, p, absent="none")
    with pytest.raises(InvalidInput, match="memory"):
        auc(y, p, memory=0)
    with pytest.raises(NotDefined, match="vus is not computed on tensors"):
        scale.torch.evaluate(y, p, "vus")


def test_gini_agrees_with_the_exact_volume(torch: Any) -> None:
    from polyroc.surface._gini import gini

    rng = np.random.default_rng(0)
    for n_classes, n_points in ((2, 40), (3, 40), (4, 5)):
        rates = rng.random((n_points, n_classes * (n_classes - 1))) / n_classes**2
        exact = gini(rates, n_classes, method="exact").value
        given = torch.tensor(rates)
        found = scale.torch.gini(given, n_classes, n_samples=70_000, rng=1)
        assert abs(found.value - exact) < 4 * found.standard_error < 0.01
        few = scale.torch.gini(
            torch.tensor(rates), n_classes, n_samples=70_000, rng=1, memory=1 << 21
        )
        assert few.value == found.value
    perfect = scale.torch.gini(torch.zeros(1, 6), 3, n_samples=1000)
    assert perfect.value == 1 and np.isnan(perfect.standard_error)
    assert scale.torch.gini(torch.ones(1, 6), 3, n_samples=1000).value == 0
    assert scale.torch.gini(torch.ones(0, 6), 3, n_samples=1000).value == 0
    with pytest.raises(InvalidInput, match="6 columns"):
        scale.torch.gini(torch.zeros(1, 2), 3)
    with pytest.raises(InvalidInput, match="between 0 and 1"):
        scale.torch.gini(torch.full((1, 6), 1.5), 3)


# Standard errors


def two_models(n: int, n_classes: int, digits: int | None, kind: str) -> tuple[Any, Any, Any]:
    """The same cases, two of each class at least, scored twice."""
    y, p = scores(n, n_classes, 1, 0.02, digits)
    rng = np.random.default_rng(2)
    y[: 2 * n_classes] = np.tile(np.arange(n_classes), 2)
    raw = rng.normal(size=p.shape)
    raw[np.arange(n), y] += 1
    q = np.exp(raw) / np.exp(raw).sum(axis=1, keepdims=True)
    return y, p.astype(kind), (q if digits is None else np.round(q, digits)).astype(kind)


def in_memory(y: np.ndarray, p: np.ndarray, name: str, ties: Any) -> tuple[float, float]:
    """A metric and its standard error from influence values, by the variance as it is defined."""
    predictions = polyroc.Predictions(y, p)
    metric = polyroc.registry[name]
    moved = metric.influence(predictions, ties=ties).cases
    variance = sum(moved[y == k].var(ddof=1) / (y == k).sum() for k in np.unique(y))
    return metric.of(predictions, ties=ties), variance**0.5


def test_standard_errors_equal_those_in_memory(torch: Any) -> None:
    for n_classes, digits, kind in ((2, None, "float32"), (5, 1, "float32"), (35, 2, "float64")):
        y, p, _ = two_models(150, n_classes, digits, kind)
        names = [name for name in scale.torch.OFFERED if n_classes == 2 or name != "roc_auc"]
        for ties in ("fair", "strict", "lenient"):
            for memory in (None, 96 * 150 * 7):
                given = torch.tensor(y), torch.tensor(p)
                found = scale.torch.evaluate(*given, names, ties=ties, memory=memory)
                for name in names:
                    value, error = in_memory(y, p, name, ties)
                    assert found[name].low == found[name].high == pytest.approx(value, abs=1e-13)
                    assert found[name].standard_error == pytest.approx(error, rel=1e-12), name
                    assert found[name].note == ""
        values = scale.torch.evaluate(*given, names, interval=None)
        assert np.isnan(values[names[0]].standard_error)
        assert values[names[0]].note == "no standard error: not requested"


def test_comparisons_equal_those_in_memory(torch: Any) -> None:
    for n_classes, digits in ((2, 2), (6, None), (6, 1)):
        y, p, q = two_models(200, n_classes, digits, "float32")
        models = {"a": p, "b": q, "c": np.roll(p, 1, axis=0)}
        names = ["hand_till", "aunp", "auc_mu"]
        tensors = {name: torch.tensor(each) for name, each in models.items()}
        found = scale.torch.compare(torch.tensor(y), tensors, names)
        expected = polyroc.compare(y, models, names, reference="normal").frame()
        made = found.frame()
        for column in ("metric", "model_a", "model_b"):
            assert made[column].tolist() == expected[column].tolist()
        assert made["least"].to_numpy() == pytest.approx(expected["difference"], abs=1e-13)
        for column in ("standard_error", "p_value"):
            assert made[column].to_numpy() == pytest.approx(expected[column], rel=1e-10)
        alone = scale.torch.evaluate(torch.tensor(y), tensors["b"], names)
        assert found["b"].metrics == alone.metrics


def test_errors_of_every_pair(torch: Any) -> None:
    for n_classes, digits, kind in ((2, None, "float64"), (5, 1, "float32"), (40, 2, "float32")):
        y, p, _ = two_models(300, n_classes, digits, kind)
        expected, pairs = polyroc.evaluate_pairs(y, p), ~np.eye(n_classes, dtype=bool)
        for memory in (None, 96 * 300 * 7):
            found = scale.torch.evaluate_pairs(torch.tensor(y), torch.tensor(p), memory=memory)
            error = found.standard_error.numpy()
            assert found.value.numpy()[pairs] == pytest.approx(expected["value"], abs=1e-14)
            near = pytest.approx(expected["standard_error"].to_numpy(), rel=1e-11, nan_ok=True)
            assert error[pairs] == near
            assert np.isnan(np.diag(error)).all()


def test_weights_of_pairs_are_those_of_the_registry(torch: Any) -> None:
    from polyroc.scale._device_weights import pair_weights
    from polyroc.statistics.margins import Margins

    y, p = scores(200, 5, skew=0.6)
    for name in scale.torch.OFFERED:
        if name == "roc_auc":
            y, p = y % 2, p[:, :2]
        predictions = polyroc.Predictions(y, p)
        metric = polyroc.registry[name]
        made = metric.statistic.of(predictions)
        expected = metric.gradient(made).of_statistic.matrix
        if metric.statistic is Margins:
            expected = (expected + expected.T) / 2
        np.fill_diagonal(expected := expected.copy(), 0)
        counts = torch.tensor(np.bincount(y, minlength=p.shape[1]))
        found = pair_weights(name, counts).matrix().numpy()
        assert found == pytest.approx(expected, rel=1e-13), name
        y, p = scores(200, 5, skew=0.6)


def test_errors_where_numbers_are_extreme_or_classes_small(torch: Any) -> None:
    largest = np.finfo(np.float32).max
    values = np.array([-largest, -1.0, -1e-45, -0.0, 0.0, 1e-45, 1.0, largest], dtype=np.float32)
    rng = np.random.default_rng(0)
    for n_classes in (3, 40):  # searched column by column, and all at once
        y = np.tile(np.arange(n_classes), 6)
        p = rng.choice(values, (len(y), n_classes))
        found = scale.torch.evaluate(torch.tensor(y), torch.tensor(p), ["hand_till"])
        value, error = in_memory(y, p, "hand_till", "fair")
        assert found["hand_till"].low == pytest.approx(value, abs=1e-13)
        assert found["hand_till"].standard_error == pytest.approx(error, rel=1e-12)
    y, first = np.array([0, 0, 0, 1, 1, 2]), np.array([0.9, 0.2, 0.5, 0.3, 0.1, 0.4])
    p = np.column_stack([first, 1 - first, first])
    one = scale.torch.evaluate(torch.tensor(y), torch.tensor(p), ["aunu"])["aunu"]
    assert np.isnan(one.standard_error) and one.note == "no standard error: class 2 has one case"
    every = scale.torch.evaluate_pairs(torch.tensor(y), torch.tensor(p)).standard_error
    assert torch.isnan(every[2]).all() and not torch.isnan(every[0, 1])
    perfect = scale.torch.evaluate(torch.tensor(y[:5]), torch.eye(2)[y[:5]], "roc_auc")["roc_auc"]
    assert perfect.low == 1 and "every case agrees" in perfect.note
    rest = torch.tensor(y[:5]), torch.tensor(p[:5])
    skipped = scale.torch.evaluate(*rest, ["hand_till"], absent="skip")["hand_till"]
    expected = polyroc.evaluate(y[:5], p[:5], ["hand_till"], labels=range(3), absent="skip")
    error = expected["hand_till"].standard_error
    assert skipped.standard_error == pytest.approx(error, rel=1e-12)


def test_comparisons_that_are_refused(torch: Any) -> None:
    y, p = (torch.tensor(each) for each in scores(30, 3))
    with pytest.raises(InvalidInput, match="interval"):
        scale.torch.evaluate(y, p, interval="bootstrap")
    with pytest.raises(InvalidInput, match="two models or more, got 1"):
        scale.torch.compare(y, {"a": p})
    with pytest.raises(InvalidType, match="map names of models to their scores"):
        scale.torch.compare(y, [p, p])
    wide = torch.cat([p, p[:, :1]], dim=1)
    with pytest.raises(InvalidInput, match="'b' have 4 columns, those of 'a' 3"):
        scale.torch.compare(y, {"a": p, "b": wide}, absent="skip")


def test_another_default_device_changes_nothing(torch: Any) -> None:
    y, p = scores(40, 3)
    given = torch.tensor(y), torch.tensor(p)
    before = scale.torch.evaluate(*given)
    torch.set_default_device("meta")
    try:
        found = scale.torch.evaluate(*given)
    finally:
        torch.set_default_device("cpu")
    assert repr(found) == repr(before)
