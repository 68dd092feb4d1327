"""Probabilistic and scored curves of pairs of classes: their mean areas are M_p and M_s."""

import numpy as np
import pytest

from polyroc import Predictions, hand_till_probabilistic, hand_till_scored
from polyroc.curves import (
    one_vs_one_probabilistic_roc,
    one_vs_one_scored_roc,
    probabilistic_roc,
    scored_roc,
)


def test_mean_areas_are_the_metrics_of_all_pairs():
    rng = np.random.default_rng(0)
    for n_classes, weighted in ((2, False), (3, True), (4, False)):
        codes = np.arange(60) % n_classes
        p = rng.dirichlet(np.ones(n_classes), 60) + (codes[:, None] == range(n_classes))
        p /= p.sum(axis=1, keepdims=True)
        weights = rng.uniform(0.5, 2, 60) if weighted else None
        y, labels = np.array(list("dabc"))[codes], list("dabc")[:n_classes]
        options = {"labels": labels, "sample_weight": weights}
        probabilistic = one_vs_one_probabilistic_roc(y, p, **options)
        scored = one_vs_one_scored_roc(y, p, **options)
        assert len(probabilistic) == len(scored) == n_classes * (n_classes - 1)
        for curves, metric in (
            (probabilistic, hand_till_probabilistic),
            (scored, hand_till_scored),
        ):
            areas = [curve.area for curve in curves.values()]
            assert np.mean(areas) == pytest.approx(metric(y, p, **options), abs=1e-12)
        both = np.isin(y, ["a", "d"])
        alone = None if weights is None else weights[both]
        one = {"labels": ["a", "d"], "sample_weight": alone}
        direct = probabilistic_roc(y[both], p[both][:, 0], **one)
        assert probabilistic["d", "a"].frame().equals(direct.frame())
        direct = scored_roc(y[both], p[both][:, 0], **one)
        assert scored["d", "a"].frame().equals(direct.frame())
        whole = one_vs_one_scored_roc(Predictions(y, p, **options), margins=[0.0, 0.5])
        assert whole["a", "d"].values[0] == pytest.approx(scored["a", "d"].values[0])


def test_scores_that_are_no_probabilities_are_refused():
    with pytest.raises(ValueError, match="one_vs_one_scored_roc"):
        one_vs_one_scored_roc([0, 1, 2], np.eye(3) * 3)
