"""Weights of pairs of classes in metrics, as products of a factor of each class.

W_kr = Σ_t rows[t, k] columns[t, r] for k ≠ r, so that a sum of W_kr over one of two classes is a
product with a matrix of few rows, and the K × K weights need not be multiplied with anything of the
size of the scores. They are those of :mod:`polyroc.metrics`, where they are derived.
"""

from collections.abc import Callable
from dataclasses import dataclass

from polyroc.metrics.combination import combined
from polyroc.scale._device_pairs import FEW_CLASSES
from polyroc.scale._extras import Tensor, torch


@dataclass(frozen=True)
class PairWeights:
    """Factors of the weights of one metric; 0 for classes without cases."""

    rows: Tensor
    """(T, K) of the class whose cases should have the higher score."""
    columns: Tensor
    """(T, K) of the other class."""

    def matrix(self) -> Tensor:
        """(K, K) weights, 0 on the diagonal."""
        return (self.rows.T @ self.columns).fill_diagonal_(0)

    def mean(self, theta: Tensor) -> Tensor:
        """Σ W_kr θ_kr over Σ W_kr; entries of θ that are NaN do not count.

        Few are combined as in memory, so that not a bit differs; many where they are.
        """
        weights, theta = self.matrix().masked_fill_(theta.isnan(), 0), theta.nan_to_num()
        if len(theta) <= FEW_CLASSES:
            return theta.new_tensor(combined(weights.cpu().numpy(), theta.cpu().numpy()))
        return (weights * theta).sum() / weights.sum()


def pair_weights(name: str, counts: Tensor) -> PairWeights:
    """The weights of a metric, for so many cases of each class."""
    present = (counts > 0).double()
    n_classes, n_cases = present.sum(), counts.sum()
    priors, rest = counts.double() / n_cases, (n_cases - counts).double() / n_cases
    made: dict[str, Callable[[], list[tuple[Tensor, Tensor]]]] = {
        "hand_till": lambda: [(present / (n_classes * (n_classes - 1)), present)],
        "auc_mu": lambda: [(present / (n_classes * (n_classes - 1)), present)],
        "au1p": lambda: [
            (priors / (2 * (n_classes - 1)), present),
            (present / (2 * (n_classes - 1)), priors),
        ],
        "aunu": lambda: [(present / rest / n_classes, priors)],
        "aunp": lambda: [(priors / rest, priors)],
        "roc_auc": lambda: [_second_against_first(present)],
    }
    rows, columns = zip(*made[name](), strict=True)
    return PairWeights(torch.stack(rows), torch.stack(columns))


def _second_against_first(present: Tensor) -> tuple[Tensor, Tensor]:
    """The one pair of two classes."""
    first = present * (present.cumsum(0) == 1)
    return present - first, first
