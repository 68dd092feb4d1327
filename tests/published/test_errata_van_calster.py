"""Numbers of docs/errata.md on the probabilistic ROC curve of Van Calster et al. 2008."""

from pathlib import Path

import numpy as np

from polyroc import probabilistic_auc, roc_auc
from polyroc.curves import probabilistic_roc

PAGE = (Path(__file__).parents[2] / "docs" / "errata.md").read_text(encoding="utf-8")


def test_the_probabilistic_curve_stays_away_from_the_roc_curve():
    found = []
    for n in (50, 500, 5000):
        y = np.repeat([0, 1], n // 2)
        x = np.random.default_rng(1).normal(1.22 * y)
        p = 1 / (1 + np.exp(-1.22 * (x - 0.61)))
        curve = probabilistic_roc(y, p)
        assert abs(curve.area - probabilistic_auc(y, p)) < 1e-12
        found.append((roc_auc(y, p), curve.area, curve.width))
    aucs, areas, widths = zip(*found, strict=True)
    assert min(auc - area for auc, area in zip(aucs, areas, strict=True)) > 0.15
    told = " ".join(PAGE.split())
    for numbers, digits in ((aucs, 3), (areas, 3), (widths, 2)):
        first, second, third = (f"{number:.{digits}f}".lstrip("0") for number in numbers)
        assert f"{first}, {second} and {third}" in told
