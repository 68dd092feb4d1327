"""Types of the metrics. Written by docs/generate.py."""

from numpy.typing import ArrayLike

from polyroc.metrics.ordinal_vus import ordinal_vus as ordinal_vus
from polyroc.metrics.pairwise_auc import pairwise_auc as pairwise_auc
from polyroc.metrics.registry import registry as registry
from polyroc.metrics.saec import saec as saec
from polyroc.typing import (
    Absent,
    LabelsLike,
    PriorsLike,
    RandomState,
    ScoresLike,
    Ties,
    WeightsLike,
)

def au1p(
    y_true: LabelsLike,
    y_score: ScoresLike,
    *,
    labels: LabelsLike | None = ...,
    sample_weight: WeightsLike | None = ...,
    ties: Ties = ...,
    priors: PriorsLike | None = ...,
    absent: Absent = ...,
    n_threads: int | None = ...,
) -> float: ...
def auc_mu(
    y_true: LabelsLike,
    y_score: ScoresLike,
    *,
    labels: LabelsLike | None = ...,
    sample_weight: WeightsLike | None = ...,
    partition: ArrayLike | None = ...,
    pair_weights: ArrayLike | None = ...,
    ties: Ties = ...,
    absent: Absent = ...,
    n_threads: int | None = ...,
) -> float: ...
def aunp(
    y_true: LabelsLike,
    y_score: ScoresLike,
    *,
    labels: LabelsLike | None = ...,
    sample_weight: WeightsLike | None = ...,
    ties: Ties = ...,
    priors: PriorsLike | None = ...,
    absent: Absent = ...,
    n_threads: int | None = ...,
) -> float: ...
def aunu(
    y_true: LabelsLike,
    y_score: ScoresLike,
    *,
    labels: LabelsLike | None = ...,
    sample_weight: WeightsLike | None = ...,
    ties: Ties = ...,
    priors: PriorsLike | None = ...,
    absent: Absent = ...,
    n_threads: int | None = ...,
) -> float: ...
def hand_till(
    y_true: LabelsLike,
    y_score: ScoresLike,
    *,
    labels: LabelsLike | None = ...,
    sample_weight: WeightsLike | None = ...,
    ties: Ties = ...,
    absent: Absent = ...,
    n_threads: int | None = ...,
) -> float: ...
def hand_till_probabilistic(
    y_true: LabelsLike,
    y_score: ScoresLike,
    *,
    labels: LabelsLike | None = ...,
    sample_weight: WeightsLike | None = ...,
    absent: Absent = ...,
    normalize: bool = ...,
    n_threads: int | None = ...,
) -> float: ...
def hand_till_scored(
    y_true: LabelsLike,
    y_score: ScoresLike,
    *,
    labels: LabelsLike | None = ...,
    sample_weight: WeightsLike | None = ...,
    absent: Absent = ...,
    normalize: bool = ...,
    n_threads: int | None = ...,
) -> float: ...
def hum(
    y_true: LabelsLike,
    y_score: ScoresLike,
    *,
    labels: LabelsLike | None = ...,
    sample_weight: WeightsLike | None = ...,
    ties: Ties = ...,
    n_tuples: int | None = ...,
    rng: RandomState = ...,
    absent: Absent = ...,
    n_threads: int | None = ...,
) -> float: ...
def pdi(
    y_true: LabelsLike,
    y_score: ScoresLike,
    *,
    labels: LabelsLike | None = ...,
    sample_weight: WeightsLike | None = ...,
    absent: Absent = ...,
    n_threads: int | None = ...,
) -> float: ...
def probabilistic_auc(
    y_true: LabelsLike,
    y_score: ScoresLike,
    *,
    labels: LabelsLike | None = ...,
    sample_weight: WeightsLike | None = ...,
    absent: Absent = ...,
    normalize: bool = ...,
    n_threads: int | None = ...,
) -> float: ...
def roc_auc(
    y_true: LabelsLike,
    y_score: ScoresLike,
    *,
    labels: LabelsLike | None = ...,
    sample_weight: WeightsLike | None = ...,
    ties: Ties = ...,
    absent: Absent = ...,
    n_threads: int | None = ...,
) -> float: ...
def scored_auc(
    y_true: LabelsLike,
    y_score: ScoresLike,
    *,
    labels: LabelsLike | None = ...,
    sample_weight: WeightsLike | None = ...,
    absent: Absent = ...,
    normalize: bool = ...,
    n_threads: int | None = ...,
) -> float: ...
def simplex_volume(
    y_true: LabelsLike,
    y_score: ScoresLike,
    *,
    labels: LabelsLike | None = ...,
    sample_weight: WeightsLike | None = ...,
    absent: Absent = ...,
    normalize: bool = ...,
    n_threads: int | None = ...,
) -> float: ...
def total_length(
    y_true: LabelsLike,
    y_score: ScoresLike,
    *,
    labels: LabelsLike | None = ...,
    sample_weight: WeightsLike | None = ...,
    absent: Absent = ...,
    normalize: bool = ...,
    n_threads: int | None = ...,
) -> float: ...
def triangle_area(
    y_true: LabelsLike,
    y_score: ScoresLike,
    *,
    labels: LabelsLike | None = ...,
    sample_weight: WeightsLike | None = ...,
    absent: Absent = ...,
    normalize: bool = ...,
    n_threads: int | None = ...,
) -> float: ...
def vus(
    y_true: LabelsLike,
    y_score: ScoresLike,
    *,
    labels: LabelsLike | None = ...,
    sample_weight: WeightsLike | None = ...,
    ties: Ties = ...,
    n_tuples: int | None = ...,
    rng: RandomState = ...,
    absent: Absent = ...,
    normalize: bool = ...,
    n_threads: int | None = ...,
) -> float: ...
def vus2(
    y_true: LabelsLike,
    y_score: ScoresLike,
    *,
    labels: LabelsLike | None = ...,
    sample_weight: WeightsLike | None = ...,
    ties: Ties = ...,
    n_tuples: int | None = ...,
    rng: RandomState = ...,
    absent: Absent = ...,
    n_threads: int | None = ...,
) -> float: ...
def wvus(
    y_true: LabelsLike,
    y_score: ScoresLike,
    *,
    labels: LabelsLike | None = ...,
    sample_weight: WeightsLike | None = ...,
    ties: Ties = ...,
    n_tuples: int | None = ...,
    rng: RandomState = ...,
    absent: Absent = ...,
    normalize: bool = ...,
    n_threads: int | None = ...,
) -> float: ...
def wvus2(
    y_true: LabelsLike,
    y_score: ScoresLike,
    *,
    labels: LabelsLike | None = ...,
    sample_weight: WeightsLike | None = ...,
    ties: Ties = ...,
    n_tuples: int | None = ...,
    rng: RandomState = ...,
    absent: Absent = ...,
    normalize: bool = ...,
    n_threads: int | None = ...,
) -> float: ...
