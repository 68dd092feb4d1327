"""What classifiers have in common that choose how to decide on out-of-fold probabilities."""

import warnings
from typing import Any

from polyroc.predictions._rows import rows_by_position
from polyroc.predictions._tables import check_order_known
from polyroc.surface.classifiers.cost_sensitive import CostDecisions
from polyroc.surface.classifiers.fitting import OutOfFold, fit_out_of_fold, routing_of
from polyroc.surface.classifiers.inner import check_probabilistic, takes_weights


class CrossFittedDecisions(CostDecisions):
    """Decisions chosen on the out-of-fold probabilities of ``estimator``."""

    costs: Any
    cv: Any
    n_jobs: int | None

    def _fit_out_of_fold(self, X: Any, y: Any, sample_weight: Any, params: Any) -> OutOfFold:
        """Fit ``estimator_`` to all cases, and a clone per fold for its probabilities."""
        check_probabilistic(self.estimator)
        if sample_weight is not None and not takes_weights(self.estimator):
            warnings.warn(
                f"{type(self.estimator).__name__}.fit takes no sample_weight, so the weights count "
                "in tuning only.",
                UserWarning,
                stacklevel=3,
            )
        rows_by_position({"y": y, "X": X, "sample_weight": sample_weight})
        if self.costs is not None:
            check_order_known(self.costs, y, "costs")
        return fit_out_of_fold(self, X, y, sample_weight, params, needs="Decisions need")

    def get_metadata_routing(self) -> Any:
        """What scikit-learn's metadata routing passes to tuner, classifier and splitter."""
        return routing_of(self)
