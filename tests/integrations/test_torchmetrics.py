"""Objects for torchmetrics: polyroc's numbers, whatever the batches, the processes, the copies."""

from __future__ import annotations

import copy
import json
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from integrations import gloo

import polyroc
from polyroc.errors import InvalidInput, InvalidType, NotDefined
from polyroc.integrations.torchmetrics import metric

pytestmark = pytest.mark.integrations


def example(n_classes: int, n: int = 150, seed: int = 0) -> tuple[Any, Any]:
    """Probabilities with ties and classes."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % n_classes
    p = rng.dirichlet(np.ones(n_classes), n) + 0.4 * np.eye(n_classes)[y]
    p /= p.sum(axis=1, keepdims=True)
    p[::3] = p[::3].round(2)
    p[::3, 0] += 1 - p[::3].sum(axis=1)
    return np.clip(p, 0, 1), y


def fed(torch: Any, made: Any, p: Any, y: Any, **options: Any) -> Any:
    for part in np.array_split(np.random.default_rng(1).permutation(len(y)), 4):
        made.update(torch.tensor(p[part]), torch.tensor(y[part]), **options)
    return made


def test_every_metric_is_that_of_polyroc(torch: Any) -> None:
    for name, declared in polyroc.registry.items():
        n_classes = next(k for k in (3, 2) if k in declared.classes)
        p, y = example(n_classes, 45)
        found = fed(torch, metric(name, classes=n_classes), p, y).compute()
        scalar = fed(torch, metric(name, classes=n_classes, uncertainty=False), p, y)
        expected = polyroc.evaluate(y, p, [name])[name]
        assert list(found) == [name, f"{name}_standard_error"]
        assert np.isclose(found[name], expected.value, rtol=0, atol=1e-13)
        error = float(found[f"{name}_standard_error"])
        assert np.isclose(error, expected.standard_error, rtol=1e-9, atol=0, equal_nan=True)
        assert float(scalar.compute()) == float(found[name]) and scalar.compute().ndim == 0
        assert scalar.higher_is_better == (declared.direction == "higher")


def test_certified_bounds_contain_the_value_and_nearly_meet(torch: Any) -> None:
    for n_classes, names in (
        (4, ("hand_till", "au1p", "aunu", "aunp", "auc_mu", "hand_till_probabilistic")),
        (3, ("triangle_area", "simplex_volume", "total_length", "auc_mu")),
        (2, ("roc_auc", "probabilistic_auc")),
    ):
        p, y = example(n_classes, 3000)
        p[:5] = np.eye(n_classes)[:1]  # 0 and 1, and what is next to them
        p[5] = [1 - 2.0**-40, 2.0**-40] + [0.0] * (n_classes - 2)
        p[6] = [1 - 2.0**-70, 2.0**-70] + [0.0] * (n_classes - 2)
        for name in names:
            value = getattr(polyroc, name)(y, p)
            made = fed(torch, metric(name, classes=n_classes, certified=True), p, y)
            found = made.compute()
            assert list(found) == [name, f"{name}_low", f"{name}_high"]
            middle, low, high = (float(each) for each in found.values())
            assert low <= middle <= high
            assert low - 1e-12 <= value <= high + 1e-12
            assert high - low < 3e-3
            fine = metric(name, classes=n_classes, certified=True, mantissa_bits=13)
            _, low, high = (float(each) for each in fed(torch, fine, p, y).compute().values())
            assert low - 1e-12 <= value <= high + 1e-12
            assert high - low < 5e-4
    rough = p.round(1)
    exact = fed(torch, metric("roc_auc", classes=2, certified=True), rough, y).compute()
    assert float(exact["roc_auc_low"]) == float(exact["roc_auc_high"])  # ties are known


def test_bins_never_fall_where_values_rise(torch: Any) -> None:
    from polyroc.integrations._torch_grid import Grid, SignedGrid
    from polyroc.scale._codes import ordered_codes

    rng = np.random.default_rng(2)
    small = np.exp2(-rng.uniform(0, 80, 4000))
    values = np.unique(np.concatenate([[0, 0.5, 1], small, 1 - small]))
    for bits in (1, 4, 8, 10):
        grid = Grid(bits)
        bins = grid.bins_of(torch.tensor(values)).numpy()
        assert (np.diff(bins) >= 0).all() and bins[0] == 0 and bins[-1] == grid.n_bins - 1
        inside = (values > 2.0**-64) & (values < 1 - 2.0**-32)
        codes = ordered_codes(values[inside].copy(), bits)
        assert ((codes - codes[0]) == (bins[inside] - bins[inside][0])).all()
        both = SignedGrid(bits)
        signed = both.bins_of(torch.tensor(np.concatenate([-values[::-1], values]))).numpy()
        assert (np.diff(signed) >= 0).all() and (signed[0], signed[-1]) == (0, both.n_bins - 1)


def test_two_processes_equal_one_to_the_bit(torch: Any, tmp_path: Path) -> None:
    command = [sys.executable, gloo.__file__]
    started = [
        subprocess.Popen([*command, str(rank), "2", str(tmp_path)], stderr=subprocess.PIPE)
        for rank in range(2)
    ]
    for process in started:
        _, said = process.communicate(timeout=120)
        assert process.returncode == 0, said.decode()
    alone = gloo.all_of_them(0, 1)
    assert len(alone) == 14
    for rank in range(2):
        assert json.loads((tmp_path / f"{rank}.json").read_text()) == alone


@pytest.mark.parametrize("certified", [False, True])
def test_copies_collections_and_states(torch: Any, certified: bool) -> None:
    from torchmetrics import MetricCollection

    p, y = example(3)
    tensors = torch.tensor(p), torch.tensor(y)
    made = metric("hand_till", classes=3, certified=certified)
    fed(torch, made, p, y)
    expected = made.compute()
    for other in (made.clone(), copy.deepcopy(made), pickle.loads(pickle.dumps(made))):
        assert other.compute() == expected
        other.update(*tensors)  # and goes on
        assert other.compute() != expected or certified
    made.persistent(True)
    loaded = metric("hand_till", classes=3, certified=certified)
    loaded.persistent(True)
    loaded.load_state_dict(made.state_dict())
    with pytest.warns(UserWarning, match="before the"):  # torchmetrics counts updates of its own
        assert loaded.compute() == expected
    loaded.reset()
    with (
        pytest.warns(UserWarning, match="before the"),
        pytest.raises(InvalidInput, match="no cases yet"),
    ):
        loaded.compute()
    halves = [slice(0, 75), slice(75, 150)]
    for rows in halves:
        batch = loaded(torch.tensor(p[rows]), torch.tensor(y[rows]))
        alone = metric("hand_till", classes=3, certified=certified)
        alone.update(torch.tensor(p[rows]), torch.tensor(y[rows]))
        assert batch == alone.compute()
    assert loaded.compute() == expected
    collection = MetricCollection(
        {name: metric(name, classes=3, certified=certified) for name in ("hand_till", "aunp")}
    )
    collection.update(*tensors)
    found = collection.compute()
    assert found["hand_till"] == expected["hand_till"]
    assert float(found["aunp"]) == pytest.approx(polyroc.aunp(y, p), abs=1e-3)


def test_logits_are_accepted_where_it_is_said(torch: Any) -> None:
    logits = np.random.default_rng(3).normal(size=(60, 3)) * 2
    y = np.arange(60) % 3
    with pytest.raises(InvalidInput, match=r"should be probabilities.*Pass logits=True if"):
        fed(torch, metric("hand_till", classes=3), logits, y)
    soft = torch.softmax(torch.tensor(logits), dim=1).numpy()
    for logits_are, scores in ((True, soft), (None, logits)):
        made = fed(torch, metric("hand_till", classes=3, logits=logits_are), logits, y)
        assert float(made.compute()["hand_till"]) == polyroc.hand_till(y, scores)
    column, two = logits[:, 0], y % 2
    for logits_are in (True, None):
        made = fed(torch, metric("roc_auc", classes=2, logits=logits_are), column, two)
        assert float(made.compute()["roc_auc"]) == polyroc.roc_auc(two, column)


def test_classes_weights_and_precision(torch: Any) -> None:
    """Classes by their numbers, in the order given; weights; single precision as it came."""
    p, y = example(3)
    w = np.random.default_rng(4).uniform(0, 2, len(y))
    names = np.array([7, 3, 5])
    made = metric("auc_mu", classes=[7, 3, 5])
    made.update(torch.tensor(p), torch.tensor(names[y]), sample_weight=torch.tensor(w))
    expected = polyroc.auc_mu(names[y], p, labels=names, sample_weight=w)
    assert float(made.compute()["auc_mu"]) == pytest.approx(expected, abs=1e-13)
    single = p.astype(np.float32)
    made = fed(torch, metric("auc_mu", classes=3), single, y)
    assert float(made.compute()["auc_mu"]) == polyroc.auc_mu(y, single)
    half = fed(torch, metric("hand_till", classes=3), p.astype(np.float16), y)
    assert float(half.compute()["hand_till"]) == polyroc.hand_till(y, p.astype(np.float16))


def test_an_absent_class_follows_the_option(torch: Any) -> None:
    p, _ = example(3, 60)
    y = np.arange(60) % 2
    for certified in (False, True):
        with pytest.raises(InvalidInput, match="The class 2 has no cases"):
            fed(torch, metric("hand_till", classes=3, certified=certified), p, y).compute()
        made = metric("hand_till", classes=3, absent="skip", certified=certified)
        found = float(fed(torch, made, p, y).compute()["hand_till"])
        assert abs(found - polyroc.hand_till(y, p, labels=[0, 1, 2], absent="skip")) < 1e-3
        strict = metric("hand_till", classes=3, certified=certified, uncertainty=False)
        assert bool(strict(torch.tensor(p), torch.tensor(y)).isnan())  # of the batch alone
        strict(torch.tensor(p), torch.tensor((y + 1) % 3))
        assert not bool(strict.compute().isnan())


def test_what_cannot_be_is_refused(torch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(NotDefined, match=r"pdi cannot be computed from counts.*certified=False"):
        metric("pdi", classes=3, certified=True)
    with pytest.raises(InvalidInput, match="Pass logits=True or False, or certified=False"):
        metric("hand_till", classes=3, certified=True, logits=None)
    with pytest.raises(InvalidInput, match=r"would take 11\.\d GiB .* Pass fewer mantissa_bits"):
        metric("hand_till", classes=250, certified=True)
    with pytest.raises(InvalidType, match="classes must be the number of classes or a list"):
        metric("hand_till", classes="abc")  # type: ignore[arg-type]
    for classes in (1, [0], [1, 1, 2]):
        with pytest.raises(InvalidInput, match="two or more different"):
            metric("hand_till", classes=classes)
    with pytest.raises(NotDefined, match="roc_auc is defined for 2 classes"):
        metric("roc_auc", classes=3)
    made = metric("hand_till", classes=3)
    p, y = (torch.tensor(each) for each in example(3, 9))
    for given, said in (
        ((p.numpy(), y), "preds must be a tensor, got ndarray"),
        ((p.long(), y), "preds must be of a floating type"),
        ((p, p[:, 0]), "target must contain whole numbers"),
        ((p[:, :2], y), "a row per case and 3 columns"),
        ((p[0, 0], y[0]), r"got the shapes \(\) and \(\)"),
        ((p, y + 1), "target contains 3, which is not among the classes 0, 1, 2"),
        ((p * torch.nan, y), "NaN or infinite"),
        ((p, y, y[:4]), r"shape \(4,\) but there are 9 cases"),
    ):
        with pytest.raises((InvalidInput, InvalidType), match=said):
            made.update(*given)
    certified = metric("hand_till", classes=3, certified=True)
    with pytest.raises(InvalidInput, match=r"has no weights. Pass certified=False"):
        certified.update(p, y, y)
    with pytest.raises(InvalidInput, match="a column per class"):
        metric("roc_auc", classes=2, certified=True).update(p[:, 0], y % 2)
    both = metric("roc_auc", classes=2)
    both.update(p[:, 0], y % 2)
    both.update(torch.softmax(p[:, :2], 1), y % 2)
    with pytest.raises(InvalidInput, match="Some batches have one column"):
        both.compute()
