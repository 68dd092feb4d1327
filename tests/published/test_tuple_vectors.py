"""PDI and HUM of mcca on iris, and the ordinal VUS of trinROC on its cancer data."""

import numpy as np
import pytest

from polyroc import Predictions, hand_till, hum, ordinal_vus, pdi, registry, vus
from polyroc.statistics.placements import Placements

FLOWERS = ["setosa", "versicolor", "virginica"]


@pytest.fixture
def petals(vector):
    table = vector("mcca_iris_petal_length")
    return table["label"], table[FLOWERS].to_numpy()


@pytest.fixture
def iris(vector):
    table = vector("mcca_iris_all")
    return table["label"], table[FLOWERS].to_numpy()


def stratified_variance(predictions, first, second, ddof):
    """Σ_k S_k(φ, ψ)/n_k."""
    classes = [predictions.codes == k for k in range(predictions.n_classes)]
    return sum(
        first[c] @ second[c] / (np.count_nonzero(c) - ddof) / np.count_nonzero(c) for c in classes
    )


def test_pdi_of_petal_length(petals):
    assert pdi(*petals) == pytest.approx(0.9881333333, abs=1e-10)  # mcca prints 0.9881333


def test_pdi_of_petal_length_by_class(petals):
    predictions = Predictions(*petals)
    by_class = Placements.of(predictions).wins
    assert by_class == pytest.approx([1.0, 0.9822, 0.9822], abs=5e-5)
    assert np.mean(by_class) == pytest.approx(pdi(*petals), abs=1e-15)


def test_standard_error_of_pdi(petals):
    predictions = Predictions(*petals)
    phi = registry["pdi"].influence(predictions).cases
    jackknife = np.sqrt(stratified_variance(predictions, phi, phi, ddof=1))
    assert jackknife == pytest.approx(0.0065057588, abs=5e-11)
    printed = np.sqrt(stratified_variance(predictions, phi, phi, ddof=0))
    assert printed == pytest.approx(0.006440373, abs=5e-10)


def test_interval_of_pdi(petals):
    """mcca's 95 % interval, 0.9755104 … 1, from the standard error that it prints."""
    assert pdi(*petals) - 1.959963985 * 0.006440373 == pytest.approx(0.9755104, abs=5e-8)


@pytest.mark.parametrize("ties", ["strict", "fair", "lenient"])
@pytest.mark.parametrize("function", [vus, hum])
def test_hum_of_iris(iris, function, ties):
    assert function(*iris, ties=ties) == pytest.approx(0.9972, abs=1e-12)


def test_hand_till_of_iris(iris):
    assert hand_till(*iris) == pytest.approx(0.9990666667, abs=5e-11)


@pytest.mark.parametrize(
    ("marker", "published"),
    [
        ("Class1", 0.4762778568),
        ("Class2", 0.4410810811),
        ("Class3", 0.4354480797),
        ("Class4", 0.3774110953),
        ("Class5", 0.3661166430),
        ("Class6", 0.5316642959),
        ("Class7", 0.2918349929),
        ("Class8", 0.3114841157),
        ("Class9", 0.4185348506),
    ],
)
def test_ordinal_vus_of_trinroc(vector, marker, published):
    table = vector("trinroc_cancer")
    order = ["healthy", "intermediate", "diseased"]
    value = ordinal_vus(table["trueClass"], table[marker], labels=order)
    assert value == pytest.approx(published, abs=5e-11)
