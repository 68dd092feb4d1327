"""G corrected by resampling, step by step: weights, rates, shares, and what is told."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from surface.few_cases import CODES, COSTS, NAMES, WEIGHTS, P, Y, decided_by, small, surface_of

from polyroc import Predictions
from polyroc.datasets import three_class_mixture
from polyroc.errors import InvalidInput, NotDefined
from polyroc.surface import LinearModel, RocSurface, ScoreModel, _resampled
from polyroc.surface._certainty import AS_GIVEN, OPTIMISTIC
from polyroc.surface._costs import errors
from polyroc.surface._gini import gini, sample_region
from polyroc.surface._resampled import (
    _correction,
    resample_weights,
    resampled_gini,
    resampled_rates,
    shares_dominated,
)


@pytest.fixture
def few_samples(monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(_resampled, "SAMPLES", 500)
    return 500


def stream(seed: int, replicate: int) -> np.random.Generator:
    return np.random.default_rng(np.random.SeedSequence((seed, replicate)))


def test_cases_are_drawn_anew_within_their_class() -> None:
    surface = small(WEIGHTS)
    assert isinstance(surface.model, ScoreModel)
    found = resample_weights(surface.model.cases, 4, 7)
    assert found.shape == (5, 25) and found[0].tolist() == WEIGHTS.tolist()
    for b in range(4):
        times = np.zeros(25)
        for k in range(3):
            own = [i for i in range(25) if k == CODES[i]]
            for place in stream(7, b * 3 + k).integers(len(own), size=len(own)):
                times[own[place]] += 1
        assert found[1 + b] == pytest.approx(times * WEIGHTS)
    assert not (found[1] == found[2]).all()


def test_rates_of_each_row_of_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    surface = small(WEIGHTS)
    assert isinstance(surface.model, ScoreModel)
    weights = resample_weights(surface.model.cases, 2, 3)
    wanted = np.zeros((3, 3, 6))
    for b, row in enumerate(weights):
        for point, costs in enumerate(COSTS):
            table = np.zeros((3, 3))
            np.add.at(table, (CODES, decided_by(costs)), row)
            wanted[b, point] = errors(table / table.sum(axis=1, keepdims=True))
    (found,) = resampled_rates(surface, weights)
    assert found == pytest.approx(wanted)
    many = surface_of(surface.model, np.tile(COSTS, (4, 1, 1)))
    for at_once in (1, 5, 12, 13):
        monkeypatch.setattr(_resampled, "AT_ONCE", at_once)
        parts = list(resampled_rates(many, weights))
        assert np.concatenate(parts, axis=1) == pytest.approx(np.tile(wanted, (1, 4, 1)))
    assert list(resampled_rates(many[:0], weights)) == []


def test_points_with_parameters_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts are handed on as soon as they hold enough points, the last one as it is."""
    X, y = three_class_mixture((6, 5, 4), rng=0)
    model = LinearModel(X, y)
    parameters = np.repeat([model.draw(np.random.default_rng(k)) for k in range(3)], [2, 1, 2], 0)
    costs = np.concatenate([COSTS, COSTS[:2]])
    none = np.zeros((5, 6))
    surface = RocSurface(
        none, costs, parameters, model.classes, model.cases.class_weights, {}, model
    )
    weights = resample_weights(model.cases, 1, 0)
    order = np.argsort(np.unique(parameters, axis=0, return_inverse=True)[1].ravel(), kind="stable")
    wanted = np.zeros((2, 5, 6))
    for place, point in enumerate(order):
        ways = decided_by(costs[point], model.probabilities(parameters[point]))
        for b in range(2):
            table = np.zeros((3, 3))
            np.add.at(table, (y, ways), weights[b])
            wanted[b, place] = errors(table / table.sum(axis=1, keepdims=True))
    for at_once, n_parts in ((100, 1), (5, 1), (1, 3)):
        monkeypatch.setattr(_resampled, "AT_ONCE", at_once)
        parts = list(resampled_rates(surface, weights))
        assert len(parts) == n_parts
        assert np.concatenate(parts, axis=1) == pytest.approx(wanted)


def test_the_share_of_samples_that_some_point_dominates(
    monkeypatch: pytest.MonkeyPatch, few_samples: int
) -> None:
    surface = small(WEIGHTS)
    assert isinstance(surface.model, ScoreModel)
    weights = resample_weights(surface.model.cases, 3, 11)
    (rates,) = resampled_rates(surface, weights)
    samples = sample_region(3, few_samples, stream(11, 2**31))
    wanted = [
        np.mean([any((point <= x).all() for point in of_row) for x in samples]) for of_row in rates
    ]
    for at_once, n_threads in ((2048, 1), (1, 2)):
        monkeypatch.setattr(_resampled, "AT_ONCE", at_once)
        found = shares_dominated(surface, weights, 11, n_threads)
        assert found.tolist() == wanted and 0 < min(wanted) < max(wanted) < 1


def test_the_corrected_coefficient(few_samples: int) -> None:
    surface = small(WEIGHTS)
    assert isinstance(surface.model, ScoreModel)
    found = resampled_gini(surface, 6, 5, 1)
    plain = gini(surface.rates, 3, rng=5)
    counted = shares_dominated(surface, resample_weights(surface.model.cases, 6, 5), 5, 1)
    optimism = counted[1:].mean() - counted[0]
    assert found.value == pytest.approx(plain.value - optimism)
    spread = math.sqrt(sum((each - counted[1:].mean()) ** 2 for each in counted[1:]) / 5)
    sampled = 0.0 if math.isnan(plain.standard_error) else plain.standard_error
    assert found.standard_error == pytest.approx(math.hypot(spread, sampled))
    assert found.method == f"{plain.method}, corrected by resampling"
    assert found.counts == dict(zip(NAMES, (12, 8, 5), strict=True))
    assert found.degrees_of_freedom == 4 and found.error_of == "cases"
    assert found.settings == {
        **plain.settings, "n_resamples": 6, "seed": 5, "plain": plain.value,
    }  # fmt: skip
    texts = [note.text for note in found.notes]
    assert (
        f"{plain.value:.4f} before the correction by {-optimism:+.4f} for the number of cases"
        in texts
    )
    assert OPTIMISTIC in found.notes and AS_GIVEN not in found.notes
    again = replace(surface, provenance={"rescored_on": "x"}).resampled_gini(n_resamples=6, rng=5)
    assert again.value == found.value and AS_GIVEN in again.notes
    other = resampled_gini(surface, 6, 6, 1)
    assert other.value != found.value


def test_a_class_of_one_or_two_cases(few_samples: int) -> None:
    kept = np.flatnonzero((CODES < 2) | (np.arange(25) == 20))
    y = np.array(NAMES)[CODES]
    one = small(y=y[kept], p=P[kept]).resampled_gini(n_resamples=4, rng=1)
    assert math.isnan(one.standard_error) and one.degrees_of_freedom == 1
    assert "no standard error: class 'c' has one case" in [note.text for note in one.notes]
    assert one.counts["c"] == 1
    both = np.append(kept, 21)
    two = small(y=y[both], p=P[both]).resampled_gini(n_resamples=4, rng=1)
    assert two.standard_error > 0 and two.degrees_of_freedom == 1
    assert not [note for note in two.notes if note.code in ("one-case", "no-variation")]
    sure = small(p=np.eye(3)[CODES]).resampled_gini(n_resamples=4, rng=1)
    assert (sure.value, sure.degrees_of_freedom) == (1, 4) and math.isnan(sure.standard_error)
    assert "no standard error: the resamples agree" in [note.text for note in sure.notes]


@pytest.mark.parametrize(
    ("value", "optimism", "wanted"),
    [
        (0.5, 0.125, "0.5000 before the correction by -0.1250 for the number of cases"),
        (0.5, -0.25, "0.5000 before the correction by +0.2500 for the number of cases"),
        (0.5, 0.00001, "0.5000 before the correction by +0.0000 for the number of cases"),
        (0.25, 0.25, "0.2500 before the correction by -0.2500 for the number of cases"),
        (0.75, -0.25, "0.7500 before the correction by +0.2500 for the number of cases"),
        (0.1, 0.2, "0.1000 before the correction by -0.2000 for the number of cases, cut off at 0"),
        (
            0.9,
            -0.2,
            "0.9000 before the correction by +0.2000 for the number of cases, cut off at 1",
        ),
    ],
)
def test_the_correction_in_words(value: float, optimism: float, wanted: str) -> None:
    note = _correction(value, optimism)
    assert (note.code, note.text) == ("corrected", wanted)


def test_a_corrected_value_is_a_share(monkeypatch: pytest.MonkeyPatch) -> None:
    surface = small()
    for counted, value in (([0.1, 0.9, 0.95], 0.0), ([0.99, 0.0, 0.01], 1.0)):

        def shares(*_: Any, counted: Any = counted) -> np.ndarray:
            return np.array(counted)

        monkeypatch.setattr(_resampled, "shares_dominated", shares)
        found = resampled_gini(surface, 2, 0, 1)
        assert found.value == value
        assert next(note.text for note in found.notes if note.code == "corrected").endswith(
            f", cut off at {value:g}"
        )


def test_what_cannot_be_corrected() -> None:
    surface = small()
    for n_resamples in (0, 1, 2.5):
        with pytest.raises(InvalidInput, match="n_resamples"):
            surface.resampled_gini(n_resamples=n_resamples)  # type: ignore[arg-type]
    for model in (None, surface.model.at(P)):  # type: ignore[union-attr]
        with pytest.raises(NotDefined, match=r"cannot be corrected: no interval: .*have the case"):
            replace(surface, model=model).resampled_gini()


def test_the_error_of_samples_is_part_of_it(
    monkeypatch: pytest.MonkeyPatch, few_samples: int
) -> None:
    """Where G itself is counted with samples, their error adds to that of the cases."""
    seen: list[Any] = []

    def sampled(rates: Any, n_classes: int, *, rng: Any, n_threads: Any) -> Any:
        seen.append((rng, n_threads))
        return gini(rates, n_classes, method="monte_carlo", n_samples=400, rng=rng)

    def noted(surface: Any, weights: Any, seed: int, n_threads: int) -> Any:
        seen.append((seed, n_threads))
        return shares_dominated(surface, weights, seed, n_threads)

    monkeypatch.setattr(_resampled.volumes, "gini", sampled)
    monkeypatch.setattr(_resampled, "shares_dominated", noted)
    surface = small(WEIGHTS)
    found = resampled_gini(surface, 3, 5, 2)
    assert seen == [(5, 2), (5, 2)]
    plain = gini(surface.rates, 3, method="monte_carlo", n_samples=400, rng=5)
    weights = resample_weights(surface.model.cases, 3, 5)  # type: ignore[union-attr]
    error = shares_dominated(surface, weights, 5, 1)[1:].std(ddof=1)
    assert found.standard_error == pytest.approx(math.hypot(error, plain.standard_error))
    told = {note.code: note.text for note in found.notes}
    size = f"Monte Carlo error {plain.standard_error:.1e} of the samples"
    assert told["monte-carlo-error"] == f"{size}, included"
    assert found.settings["plain"] == plain.value
    one = np.flatnonzero((CODES < 2) | (np.arange(25) == 20))
    alone = small(y=np.array(NAMES)[CODES][one], p=P[one]).resampled_gini(n_resamples=3, rng=5)
    texts = {note.code: note.text for note in alone.notes}
    assert texts["monte-carlo-error"].endswith("of the samples")


def test_cases_in_groups_are_not_resampled() -> None:
    surface = small()
    grouped = ScoreModel(Predictions(Y, P, groups=np.arange(25) // 2))
    with pytest.raises(NotDefined, match=r"G cannot be corrected: .*groups"):
        replace(surface, model=grouped).resampled_gini(n_resamples=3)
    assert surface.resampled_gini(n_resamples=2, rng=1).settings["n_resamples"] == 2
