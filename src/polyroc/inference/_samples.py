"""Models to compare: predictions of the same cases, or of independent samples."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyroc._base.checks import name_of, shown
from polyroc.errors import InvalidInput, InvalidType
from polyroc.inference._influence import CaseDesign
from polyroc.inference._options import Design
from polyroc.inference._spread import Spread, spread_of
from polyroc.metrics.question import Influence
from polyroc.predictions import Predictions, predictions_of
from polyroc.predictions._classes import listed
from polyroc.predictions._folds import check_same_folds
from polyroc.predictions._gate import common_labels
from polyroc.predictions._given import are_predictions
from polyroc.predictions._rows import indexes_by_position
from polyroc.predictions._slices import same_slices
from polyroc.typing import ScoresLike


@dataclass(frozen=True)
class Samples:
    """Predictions of each model, on the same cases or on independent ones."""

    names: tuple[str, ...]
    predictions: tuple[Predictions, ...]
    designs: tuple[CaseDesign, ...]
    paired: bool

    def spread(self, influences: Sequence[Influence]) -> Spread:
        """How the values of the models vary."""
        return spread_of(self.predictions, self.designs, influences, self.paired)

    def matched_by_position(self, names: tuple[str, ...]) -> "Samples":
        """The same, with what else was matched by position."""
        designs = (replace(d, by_position=(*d.by_position, *names)) for d in self.designs)
        return replace(self, designs=tuple(designs))


def samples_of(y_true: Any, y_scores: Any, groups: Any, **given: Any) -> Samples:
    """The models to compare; other options are those of :class:`polyroc.Predictions`."""
    if are_predictions(y_true):
        return _samples_of_predictions(y_true, {"y_scores": y_scores, **given}, groups)
    return _samples_of_scores(y_true, y_scores, given, groups)


def _samples_of_predictions(
    models: Mapping[str, Predictions], given: dict[str, Any], groups: Any
) -> Samples:
    """Models whose predictions hold the same cases, in the same order."""
    _check_number(models)
    checked = [predictions_of(each, **_again(given)) for each in models.values()]
    _check_same_classes(tuple(models), checked)
    first = checked[0]
    for name, each in zip(models, checked, strict=True):
        same = len(each) == len(first) and (each.codes == first.codes).all()
        if not same or not np.array_equal(each.case_weights, first.case_weights):
            raise InvalidInput(
                f"Model {name!r} has other true classes or weights than {next(iter(models))!r}. "
                "Pass predictions of the same cases in the same order, or labels and scores of "
                "each model for independent samples."
            )
    check_same_folds({name: each.folds for name, each in zip(models, checked, strict=True)})
    _check_same_groups(tuple(models), checked)
    _check_same_slices(tuple(models), checked)
    designs = (CaseDesign.of(groups, first),) * len(checked)
    return _same_rows(Samples(tuple(models), tuple(checked), designs, paired=True))


def _check_same_groups(names: tuple[str, ...], models: Sequence[Predictions]) -> None:
    """Whether predictions of the same cases hold the same groups, or none hold any."""
    first = models[0].groups
    for name, each in zip(names, models, strict=True):
        if not _same(each.groups, first):
            raise InvalidInput(
                f"Model {name!r} has other groups than {names[0]!r}. Give the predictions of all "
                "models the same groups, or none of them and groups= to compare."
            )


def _check_same_slices(names: tuple[str, ...], models: Sequence[Predictions]) -> None:
    """Whether predictions of the same cases hold the same slices, or none hold any."""
    for name, each in zip(names, models, strict=True):
        if not same_slices(each.slices, models[0].slices):
            raise InvalidInput(
                f"Model {name!r} has other slices than {names[0]!r}. Give the predictions of all "
                "models the same slices, or none of them and by= to compare."
            )


def _same(groups: NDArray[np.intp] | None, first: NDArray[np.intp] | None) -> bool:
    if groups is None or first is None:
        return groups is first
    return np.array_equal(groups, first)


def _again(given: dict[str, Any]) -> dict[str, Any]:
    """Options as :func:`polyroc.predictions.predictions_of` knows them."""
    return {"y_score" if name == "y_scores" else name: value for name, value in given.items()}


def _check_number(models: Mapping[str, Any]) -> None:
    if len(models) < 2:
        raise InvalidInput(f"A comparison needs at least two models, got {len(models)}.")
    for name in models:
        name_of(name, "A model")


def _samples_of_scores(
    y_true: Any,
    y_scores: Mapping[str, ScoresLike] | None,
    given: dict[str, Any],
    groups: Any,
) -> Samples:
    if not isinstance(y_scores, Mapping):
        raise InvalidType(
            f"y_scores must map names of models to their scores, got {type(y_scores).__name__}."
        )
    _check_number(y_scores)
    paired = not isinstance(y_true, Mapping)
    design = Design.of(groups)
    shared = {name: given.get(name) for name in ("sample_weight", "folds")}
    _check_mappings(paired, y_true, y_scores, {**shared, "groups": design.groups})

    def own(values: Any, name: str) -> Any:
        return values.get(name) if isinstance(values, Mapping) else values

    labels = common_labels(y_scores, given["labels"], lambda name: own(y_true, name))
    predictions, designs = [], []
    for name, scores in y_scores.items():
        each = {option: own(values, name) for option, values in shared.items()}
        options = {**given, "labels": labels[name], **each}
        try:
            made = Predictions.borrowed(own(y_true, name), scores, **options)
        except (InvalidInput, InvalidType) as error:
            advice = (
                " Models on different cases are independent samples: pass y_true as a mapping "
                "from model to labels."
            )
            advised = paired and _differ_in_length(y_true, scores)
            raise type(error)(f"Model {name!r}: {error}{advice * advised}") from None
        predictions.append(made)
        designs.append(CaseDesign.of(replace(design, groups=own(design.groups, name)), made))
    _check_same_classes(tuple(y_scores), predictions)
    return _same_rows(Samples(tuple(y_scores), tuple(predictions), tuple(designs), paired))


def _differ_in_length(*tables: Any) -> bool:
    """Whether tables whose lengths are known have different numbers of rows."""
    known = set()
    for each in tables:
        with suppress(Exception):  # a number has none, and objects of the user may fail
            known.add(len(each))
    return len(known) > 1


def _same_rows(samples: Samples) -> Samples:
    """The samples, if the indexes of models of the same cases do not say that rows differ."""
    if not samples.paired:
        return samples
    known = [
        (f"y_scores[{name!r}]", None if each.row_labels is None else each.row_labels.index)
        for name, each in zip(samples.names, samples.predictions, strict=True)
    ]
    differing = indexes_by_position(known)
    designs = tuple(
        replace(design, by_position=(*design.by_position, *differing)) for design in samples.designs
    )
    return replace(samples, designs=designs)


def _check_mappings(
    paired: bool, y_true: Any, y_scores: Mapping[str, ScoresLike], shared: Mapping[str, Any]
) -> None:
    if not paired and set(y_true) != set(y_scores):
        raise InvalidInput(
            f"y_true names the models {listed(y_true)} but y_scores "
            f"{listed(y_scores)}. Independent samples need the labels of each model."
        )
    for option, given in shared.items():
        if paired and isinstance(given, Mapping):
            raise InvalidInput(
                f"{option} is a mapping, but the models share their cases. Pass one value per case."
            )
        if paired or given is None:
            continue
        if not isinstance(given, Mapping) or set(given) != set(y_scores):
            raise InvalidInput(
                f"{option} must be a mapping with the models {listed(y_scores)}, "
                "because they are independent samples."
            )


def _check_same_classes(names: tuple[str, ...], predictions: Sequence[Predictions]) -> None:
    if len({each.classes for each in predictions}) == 1:
        return
    each = "; ".join(
        f"{shown(name)}: {listed(given.classes)}"
        for name, given in zip(names, predictions, strict=True)
    )
    raise InvalidInput(
        f"The models have different classes ({each}). Compare models of the same classes."
    )
