"""Cases in the page: which are kept, and how they are decided."""

import base64
import json
from itertools import product

import numpy as np
import pytest

from polyroc.predictions import Predictions
from polyroc.predictions._slices import read_attribute
from polyroc.report._cases import SCORE_BYTES, confusion, decide, page_cases, stratified
from polyroc.report._packing import packed


def decided_by_loops(scores, costs):
    """The rule of the page, one case at a time, in Python's double precision."""
    decided = []
    for row in scores.tolist():
        expected = []
        for j in range(len(costs)):
            total = row[0] * costs[0][j]
            for k in range(1, len(costs)):
                total += row[k] * costs[k][j]
            expected.append(total)
        decided.append(expected.index(min(expected)))
    return decided


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_decisions_are_those_of_loops(n_classes, sample) -> None:
    rng = np.random.default_rng(n_classes)
    y, models = sample(n_classes, 200)
    scores = models["model 0"].astype(np.float32)
    for _ in range(20):
        costs = rng.integers(0, 4, (n_classes, n_classes)).astype(float)
        np.fill_diagonal(costs, 0)
        decided = decided_by_loops(scores, costs.tolist())
        assert decide(scores, costs).tolist() == decided
        table = np.zeros((n_classes, n_classes))
        for truth, decision in zip(y, decided, strict=True):
            table[truth, decision] += 1
        assert (confusion(scores, y, costs) == table).all()


def test_weights_are_added_in_the_order_of_the_cases(sample) -> None:
    y, models = sample(3, 300)
    weights = np.random.default_rng(0).random(300)
    scores, costs = models["model 0"].astype(np.float32), 1 - np.eye(3)
    table = np.zeros((3, 3))
    for truth, decision, weight in zip(y, decide(scores, costs), weights, strict=True):
        table[truth, decision] += weight
    assert (confusion(scores, y, costs, weights) == table).all()


def test_everything_is_kept_where_it_fits(sample) -> None:
    y, models = sample(3, 500)
    cases = page_cases(Predictions(y, models["model 0"]), np.arange(500), models)
    assert len(cases) == 500 and not cases.sampled
    assert cases.scores["model 1"].dtype == np.float32


def test_a_sample_keeps_the_shares_and_every_class() -> None:
    codes = np.repeat([0, 1, 2], [90_000, 9_998, 2])
    chosen = stratified(codes, 1000)
    counts = np.bincount(codes[chosen])
    assert counts.tolist() == [900, 99, 1]
    assert (np.diff(chosen) > 0).all()
    assert (stratified(codes, 1000) == chosen).all()


def test_a_sample_stays_within_the_bytes(sample) -> None:
    y, models = sample(4, 60_000, n_models=3)
    cases = page_cases(Predictions(y, models["model 0"]), np.arange(60_000), models)
    held = sum(scores.nbytes for scores in cases.scores.values())
    assert cases.sampled and 0.9 * SCORE_BYTES < held <= SCORE_BYTES
    assert (cases.codes == y[cases.rows]).all()
    assert (cases.scores["model 1"] == models["model 1"][cases.rows].astype(np.float32)).all()


def test_bytes_are_those_of_the_arrays(sample) -> None:
    """Rows are too large here for fewer than four bytes; as many are counted for groups."""
    for n in (500, 90_000):
        y, models = sample(3, n, n_models=1)
        site = read_attribute("site", np.arange(n) % 2)
        rows, groups = np.arange(n) + 70_000, np.arange(n)
        options = [{}, {"groups": groups}, {"slices": (site,)}, {"ids": np.full(n, "ab")}]
        for weights, given in product((None, np.arange(n) + 1.0), options):
            predictions = Predictions(y, models["model 0"], sample_weight=weights)
            cases = page_cases(predictions, rows, models, **given)
            arrays = [cases.codes, *cases.scores.values(), *(each.numbers for each in cases.slices)]
            arrays += [each for each in (cases.weights,) if each is not None]
            arrays += [cases.rows] if cases.sampled else []
            held = sum(len(base64.b64decode(packed(each)["data"])) for each in arrays)
            held += 0 if cases.groups is None else 4 * len(cases)
            names = "" if cases.ids is None else json.dumps(cases.ids, separators=(",", ":"))
            assert cases.n_bytes == held + max(0, len(names) - 1)
            assert cases.sampled == (n > 500)
