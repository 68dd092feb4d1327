"""Probabilities and parameters of the models, against the paper's formulas as loops."""

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import approx_fprime
from scipy.stats import kstest

from polyroc.datasets import three_class_mixture
from polyroc.errors import InvalidInput, NotDefined
from polyroc.surface import (
    AveragedKnnModel,
    KnnModel,
    LinearModel,
    MlpModel,
    Model,
    RocSurface,
    ScoreModel,
    search,
)

X, Y = three_class_mixture((8, 7, 6), rng=3)


def slow_neighbour_posterior(x, reference, labels, k, beta, own=None):  # type: ignore[no-untyped-def]
    """Everson & Fieldsend 2006 eq. 11 with the tricube kernel, as written."""
    others = [i for i in range(len(reference)) if i != own]
    nearest = sorted(others, key=lambda i: math.dist(x, reference[i]))
    reach = math.dist(x, reference[nearest[k]])
    weight = {i: (1 - (math.dist(x, reference[i]) / reach) ** 3) ** 3 for i in nearest[:k]}
    total = sum(weight.values())
    powers = [
        math.exp(beta * sum(w for i, w in weight.items() if labels[i] == j) / total)
        for j in range(3)
    ]
    return [power / sum(powers) for power in powers]


@pytest.mark.parametrize(("k", "beta"), [(1, 2.0), (4, 0.0), (5, 3.0), (19, 40.0)])
def test_knn_is_equation_11(k: int, beta: float) -> None:
    model = KnnModel(X, Y)
    found = model.probabilities(np.array([k + 0.3, beta]))
    slow = [slow_neighbour_posterior(x, X, Y, k, beta, own=i) for i, x in enumerate(X)]
    assert np.allclose(found, slow, atol=1e-12)


def slow_kernel_posterior(x, reference, labels, k, beta, kernel, own=None):  # type: ignore[no-untyped-def]
    """Eq. 11 with other weights of neighbours, and plain k-nn."""
    others = [i for i in range(len(reference)) if i != own]
    nearest = sorted(others, key=lambda i: math.dist(x, reference[i]))
    reach = math.dist(x, reference[nearest[k]])
    weight = {i: (1 - (math.dist(x, reference[i]) / reach) ** 3) ** 3 for i in nearest[:k]}
    if kernel in ("uniform", "share"):
        weight = dict.fromkeys(nearest[:k], 1 / k)
    sums = [sum(w for i, w in weight.items() if labels[i] == j) for j in range(3)]
    if kernel == "share":
        return sums
    powers = [math.exp(beta * each) for each in sums]
    return [power / sum(powers) for power in powers]


def test_other_kernels_and_plain_neighbours(tmp_path: Path) -> None:
    new, _ = three_class_mixture((3, 3, 3), rng=4)
    for kernel in ("tricube_unscaled", "uniform", "share"):
        model = KnnModel(X, Y, kernel=kernel)
        for k, beta in ((1, 2.0), (5, 0.7), (19, 3.0)):
            slow = [slow_kernel_posterior(x, X, Y, k, beta, kernel, i) for i, x in enumerate(X)]
            assert np.allclose(model.probabilities(np.array([k, beta])), slow, atol=1e-12)
            slow = [slow_kernel_posterior(x, X, Y, k, beta, kernel) for x in new]
            assert np.allclose(model.at(new).probabilities(np.array([k, beta])), slow, atol=1e-12)
        surface = search(model, generations=5, rng=0)
        assert surface.provenance["model_settings"] == {"kernel": kernel}
        surface.save(tmp_path / "surface.npz")
        loaded = RocSurface.load(tmp_path / "surface.npz")
        assert np.array_equal(loaded.decide(new, 0), surface.decide(new, 0))
    assert KnnModel(X, Y).settings() == {}  # as files of earlier versions have it
    with pytest.raises(InvalidInput, match="kernel must be"):
        KnnModel(X, Y, kernel="gauss")  # type: ignore[arg-type]


def test_the_average_over_k_and_beta_is_that_of_its_posterior(tmp_path: Path) -> None:
    model, plain = AveragedKnnModel(X, Y), KnnModel(X, Y)
    logs = []
    for k, beta in model.grid:
        likely = plain.probabilities(np.array([k, beta]))[np.arange(len(Y)), Y]
        logs.append(np.log(likely).sum() - (beta / 10) ** 2 / 2)
    ks = np.unique(model.grid[:, 0])
    stand_for = dict(zip(ks, np.gradient(ks), strict=True))  # uniform over all k
    weights = np.exp(np.array(logs) - max(logs)) * [stand_for[k] for k, _ in model.grid]
    assert np.allclose(model.grid_weights, weights / weights.sum(), atol=1e-12)
    mean = sum(
        w * plain.probabilities(row) for w, row in zip(model.grid_weights, model.grid, strict=True)
    )
    assert np.allclose(model.probabilities(np.zeros(0)), mean, atol=1e-4)
    assert np.allclose(model.probabilities(np.zeros(0)).sum(axis=1), 1)
    surface = search(model, generations=5, rng=0)
    assert surface.parameters.shape[1] == 0 and len(surface) > 1
    new, labels = three_class_mixture((5, 5, 5), rng=4)
    surface.save(tmp_path / "surface.npz")
    loaded = RocSurface.load(tmp_path / "surface.npz")
    assert np.array_equal(loaded.rescore(new, labels).rates, surface.rescore(new, labels).rates)


def test_the_average_over_one_k() -> None:
    """Half of three cases is one neighbour."""
    points, labels = np.array([[0.0], [1.0], [3.0]]), [0, 0, 1]
    model, plain = AveragedKnnModel(points, labels), KnnModel(points, labels)
    assert set(model.grid[:, 0]) == {1.0}
    total, mean = 0.0, np.zeros((3, 2))
    for k, beta in model.grid:
        p = plain.probabilities(np.array([k, beta]))
        weight = math.exp(-((beta / 10) ** 2) / 2) * math.prod(
            p[i, j] for i, j in enumerate(labels)
        )
        total, mean = total + weight, mean + weight * p
    assert np.allclose(model.probabilities(np.zeros(0)), mean / total, atol=1e-5)


def test_new_cases_do_not_change_how_k_and_beta_are_weighed() -> None:
    new, labels = three_class_mixture((3, 3, 3), rng=4)
    model, plain = AveragedKnnModel(X, Y), KnnModel(X, Y).at(new)
    mean = np.zeros((9, 3))
    for row, weight in zip(model.grid, model.grid_weights, strict=True):
        mean += weight * plain.probabilities(row)
    for other in (model.at(new), model.on(new, labels)):
        assert np.array_equal(other.grid_weights, model.grid_weights)
        assert np.allclose(other.probabilities(np.zeros(0)), mean, atol=1e-4)


def test_knn_for_new_cases_uses_all_reference_cases() -> None:
    new, labels = three_class_mixture((3, 3, 3), rng=4)
    model = KnnModel(X, Y)
    slow = [slow_neighbour_posterior(x, X, Y, 5, 3.0) for x in new]
    for other in (model.at(new), model.on(new, labels)):
        assert np.allclose(other.probabilities(np.array([5.0, 3.0])), slow, atol=1e-12)


def test_knn_with_equal_distances_counts_neighbours() -> None:
    points = np.array([[0.0], [0.0], [0.0], [0.0], [1.0], [1.0]])
    model = KnnModel(points, [0, 0, 1, 1, 0, 1])
    share = 2 / 3  # the neighbours of the first case at distance 0: one of 0, two of 1
    expected = math.exp(3 * share) / (math.exp(3 * share) + math.exp(3 / 3))
    assert model.probabilities(np.array([3, 3.0]))[0, 1] == pytest.approx(expected)
    spread = KnnModel([[0.0], [1.0], [-1.0], [1.0]], [0, 0, 1, 1])  # all at the same distance
    assert spread.probabilities(np.array([1, 2.0]))[0, 0] == pytest.approx(1 / (1 + math.exp(-2)))


def test_knn_parameters_stay_where_they_make_sense() -> None:
    model, rng = KnnModel(X, Y), np.random.default_rng(0)
    for _ in range(200):
        k, beta = model.perturb(model.draw(rng), rng, 5.0)
        assert 1 <= k <= len(X) - 2 and beta >= 0


def test_knn_draws_k_up_to_half_of_the_cases() -> None:
    """On the log scale k is uniform."""
    model, rng = KnnModel(X, Y), np.random.default_rng(0)
    k, beta = np.array([model.draw(rng) for _ in range(1000)]).T
    assert kstest(np.log(k) / math.log(len(X) / 2), "uniform").pvalue > 0.01
    assert kstest(beta / 5, "expon").pvalue > 0.01


def test_features_are_standardised_by_weighted_cases() -> None:
    """A case of weight 2 is two cases."""
    weights = np.arange(len(Y)) % 3 + 1
    once = LinearModel(X, Y, sample_weight=weights)
    often = LinearModel(np.repeat(X, weights, axis=0), np.repeat(Y, weights))
    parameters = once.draw(np.random.default_rng(0))
    assert np.allclose(once.probabilities(parameters), often.at(X).probabilities(parameters))


@pytest.mark.parametrize("kind", [MlpModel, LinearModel])
def test_softmax_models_know_their_gradient(kind: type[Model]) -> None:
    model = kind(X, Y, sample_weight=np.linspace(1, 2, len(Y)))
    parameters = model.draw(np.random.default_rng(1))
    numeric = approx_fprime(parameters, lambda w: model._loss(w)[0], 1e-6)  # type: ignore[attr-defined]
    assert np.allclose(model._loss(parameters)[1], numeric, atol=1e-3)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("kind", "sizes"),
    [
        (LinearModel, (100, 100, 100)),
        pytest.param(MlpModel, (25, 25, 25), marks=pytest.mark.slow),
        pytest.param(MlpModel, (100, 100, 100), marks=pytest.mark.slow),
    ],
)
def test_the_seed_is_a_maximum_of_the_likelihood(
    kind: type[Model], sizes: tuple[int, int, int]
) -> None:
    model = kind(*three_class_mixture(sizes, rng=5))
    seed, *others = model.seeds(np.random.default_rng(0))
    loss, gradient = model._loss(seed)  # type: ignore[attr-defined]
    rng = np.random.default_rng(1)
    assert np.abs(gradient).max() < 0.5
    assert all(loss <= model._loss(other)[0] for other in others)  # type: ignore[attr-defined]
    assert all(loss < model._loss(model.perturb(seed, rng))[0] for _ in range(20))  # type: ignore[attr-defined]


def test_the_mlp_of_the_paper_has_33_weights() -> None:
    assert len(MlpModel(X, Y, hidden=5).noise) == 33


def test_a_model_of_your_own_takes_ten_lines() -> None:
    class Stump(Model):
        name = "stump"
        noise = np.array([0.1, 1.0])

        def draw(self, rng: np.random.Generator) -> np.ndarray:
            return rng.normal(size=2)

        def probabilities(self, parameters: np.ndarray) -> np.ndarray:
            odds = parameters[1] * (self.X[:, 0] - parameters[0])
            return np.column_stack([1 / (1 + np.exp(odds)), 1 / (1 + np.exp(-odds))])

    from polyroc.surface import search

    points = np.concatenate([np.linspace(0, 1, 20), np.linspace(0.5, 1.5, 20)])[:, None]
    surface = search(Stump(points, np.repeat(["no", "yes"], 20)), generations=50, rng=0)
    assert surface.classes == ("no", "yes")
    assert [0.0, 0.5] in surface.rates.tolist()


def test_score_models_take_frames_by_name_and_one_column() -> None:
    import pandas as pd

    table = pd.DataFrame({"b": [0.9, 0.2, 0.4], "a": [0.1, 0.8, 0.6]})
    model = ScoreModel(["b", "a", "a"], table, labels=["a", "b"])
    assert model.X.tolist() == [[0.1, 0.9], [0.8, 0.2], [0.6, 0.4]]
    assert model.at(table).X.tolist() == model.X.tolist()
    assert model.at([0.25]).X.tolist() == [[0.75, 0.25]]


def test_scores_must_be_probabilities() -> None:
    with pytest.raises(NotDefined, match="needs probabilities"):
        ScoreModel([0, 1, 2], np.eye(3) * 2)
    normalized = ScoreModel([0, 1, 2], np.eye(3) * 2, normalize=True)
    assert normalized.at(np.eye(3) * 5).X.tolist() == np.eye(3).tolist()
    with pytest.raises(NotDefined, match="row 0 of y_score sums to 2"):
        ScoreModel([0, 1, 2], np.eye(3)).at(np.eye(3) * 2)


@pytest.mark.parametrize("kind", [KnnModel, MlpModel, LinearModel])
def test_bad_features_are_named(kind: type[Model]) -> None:
    with pytest.raises(InvalidInput, match="X has 20"):
        kind(X[:-1], Y)
    with pytest.raises(InvalidInput, match="nan"):
        kind(np.where(X > 1, np.nan, X), Y)
    with pytest.raises(InvalidInput, match="3 columns but the model was made with 2"):
        kind(X, Y).at(np.zeros((4, 3)))
    with pytest.raises(InvalidInput, match="two classes"):
        kind(X, np.zeros(len(X), dtype=int))


def test_fingerprints_tell_data_and_settings_apart() -> None:
    models = [
        KnnModel(X, Y),
        KnnModel(X + 1e-9, Y),
        KnnModel(X, Y[::-1].copy()),
        KnnModel(X, Y, sample_weight=np.linspace(1, 2, len(Y))),
        LinearModel(X, Y),
        MlpModel(X, Y),
        MlpModel(X, Y, hidden=4),
        MlpModel(X, Y, fits=1),
    ]
    assert len({model.fingerprint() for model in models}) == len(models)
    assert KnnModel(X, Y).fingerprint() == models[0].fingerprint()


def test_a_fingerprint_does_not_depend_on_the_order_of_the_arrays() -> None:
    class Turned(KnnModel):
        arrays = KnnModel.arrays[::-1]

    assert list(Turned(X, Y).state()) == list(KnnModel(X, Y).state())[::-1]
    assert Turned(X, Y).fingerprint() == KnnModel(X, Y).fingerprint()


def test_cases_of_weight_zero_are_left_out() -> None:
    weights = np.ones(len(Y))
    weights[3] = 0
    model = KnnModel(X, Y, sample_weight=weights)
    assert len(model.X) == len(model.cases) == len(Y) - 1


def test_an_outlier_does_not_drown_the_others() -> None:
    near = [[0.0], [1], [2], [3], [4], [5]]
    expected = KnnModel([*near, [1e3]], [0, 1, 0, 1, 0, 1, 0]).probabilities(np.array([2.0, 5.0]))
    for far in (1e103, 1e107, 1e150):
        found = KnnModel([*near, [far]], [0, 1, 0, 1, 0, 1, 0]).probabilities(np.array([2.0, 5.0]))
        assert np.allclose(found[:6], expected[:6])


def test_a_model_for_other_cases_has_no_labels() -> None:
    from polyroc.surface import search

    other = KnnModel(X, Y).at(X[:4])
    assert "without cases" in repr(other)
    with pytest.raises(InvalidInput, match=r"model\.on\(X, y\)"):
        search(other)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (lambda p: p[:-1], r"shape \(20, 3\)"),
        (lambda p: np.vstack([p, p]), "shape"),
        (lambda p: np.hstack([p, p]), "shape"),
        (lambda p: p.tolist(), "a list"),
        (lambda p: np.where(p > 0.5, np.nan, p), "not finite"),
    ],
)
def test_wrong_probabilities_of_your_own_model_are_named(wrong, says) -> None:  # type: ignore[no-untyped-def]
    from polyroc.surface import search

    class Mine(LinearModel):
        def probabilities(self, parameters: np.ndarray) -> np.ndarray:
            return wrong(super().probabilities(parameters))

        def seeds(self, rng: np.random.Generator) -> list[np.ndarray]:
            return []

    with pytest.raises(InvalidInput, match=says):
        search(Mine(X, Y), generations=3, rng=0)


def test_features_with_names_are_not_taken_for_one_another(tmp_path) -> None:  # type: ignore[no-untyped-def]
    X, y = three_class_mixture(20, rng=1)
    frame = pd.DataFrame(X, columns=["u", "v"])
    surface = search(LinearModel(frame, y), generations=5, rng=1, progress=False)
    surface.save(tmp_path / "surface.npz")
    for known in (surface, RocSurface.load(tmp_path / "surface.npz")):
        np.testing.assert_array_equal(known.rescore(frame, y).rates, known.rescore(X, y).rates)
        for call in (lambda X: known.rescore(X, y), lambda X: known.decide(X, 0)):  # noqa: B023
            with pytest.raises(InvalidInput, match="'v', 'u', but the model was made with 'u'"):
                call(frame[["v", "u"]])
    with pytest.raises(InvalidInput, match="X contains nan in row 3, column 'v'"):
        KnnModel(frame.assign(v=frame["v"].where(frame.index != 3)), y)


@pytest.mark.parametrize("place", [0, 5, -1])
@pytest.mark.parametrize("k", [0.0, len(X) - 1.0])
def test_a_grid_of_impossible_k_is_not_restored(place: int, k: float) -> None:
    model = AveragedKnnModel(X, Y)
    state = {name: array.copy() for name, array in model.state().items()}
    found = AveragedKnnModel.restored(model.classes, model.settings(), state).at(X)
    assert np.array_equal(found.grid, model.grid)
    state["grid"][place, 0] = k
    with pytest.raises(ValueError, match="its grid of parameters is not that of an averaged k-nn"):
        AveragedKnnModel.restored(model.classes, model.settings(), state)


@pytest.mark.parametrize("spread", [[1.0, 0.0], [0.0, 1.0], [1.0, -2.0], [1.0, 1e-320]])
def test_a_model_whose_features_do_not_spread_is_refused(spread: list[float]) -> None:
    model = LinearModel(X[:, :2], Y)
    model.check()
    model.spread = np.array(spread)
    with pytest.raises(ValueError, match=r"^the spread of its features is not positive$"):
        model.check()
