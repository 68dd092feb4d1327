"""Several metrics of the same cases: each statistic is made once, and carried once."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from polyroc.errors import NotDefined
from polyroc.metrics.question import Influence, Question, influences
from polyroc.predictions import Predictions
from polyroc.statistics.long_tables import is_long
from polyroc.statistics.mixture import Mixture
from polyroc.statistics.pairs import Pairs
from polyroc.statistics.placements import Placements
from polyroc.statistics.statistic import Need, Statistic
from polyroc.typing import Float64Array

if TYPE_CHECKING:
    from polyroc.metrics.declaration import Metric

_SHARING = Pairs, Placements
"""Statistics that long tables make from one sort of each column."""


class CaseStatistics:
    """The statistics of cases in memory, made when they are first asked for.

    Of classes shrunken towards a pool, ``predictions`` are those without the pool.
    """

    def __init__(self, cases: Predictions | Mixture) -> None:
        self.cases = cases
        self.predictions = cases.predictions if isinstance(cases, Mixture) else cases
        self._made: dict[Need, Statistic] = {}
        self._carried: set[Need] = set()
        self._expected: set[Need] = set()

    def __getitem__(self, need: Need) -> Any:
        if need not in self._made:
            covering = (made for other, made in self._made.items() if other.covers(need))
            made = next(covering, None)
            self._made[need] = self._make(need) if made is None else made
        return self._made[need]

    def _make(self, need: Need) -> Statistic:
        """A statistic, together with another one that is expected if both share their work."""
        carried, cases = need in self._carried, self.cases
        together = {each.statistic: each for each in self._expected if each.statistic in _SHARING}
        if len(together) < 2 or need not in together.values() or carried:
            return need.of(cases, carried=carried)
        if isinstance(cases, Mixture) or not is_long(cases):
            return need.of(cases)
        made = Placements.with_pairs(cases)
        self._made.update({together[type(each)]: each for each in made})
        return self._made[need]

    def expect(self, needs: Iterable[Need]) -> None:
        """These statistics will be asked for, none of them carried."""
        self._expected.update(needs)

    def will_carry(self, need: Need) -> None:
        """Influence values of a statistic will be asked for, if it exists."""
        self._carried.add(need)

    def value(self, question: Question) -> float:
        """θ of these cases."""
        return question.value(self[question.need])

    def measure(
        self, asked: "Sequence[tuple[Metric, Mapping[str, Any]]]", *, with_influence: bool = True
    ) -> list["Measured"]:
        """Values, and influence values of the cases, of metrics with their options."""
        return measure(self, asked, with_influence=with_influence)


class Measured(NamedTuple):
    """A metric of some cases, or the reason why it is not defined for them."""

    metric: "Metric"
    value: float = float("nan")
    influence: Influence | None = None
    reason: str | None = None
    by_fold: Float64Array | None = None
    """The value in each fold that has all classes, where the cases have folds."""
    need: Need | None = None
    """The statistic that was asked, where it is one of all cases."""


def measure(
    statistics: CaseStatistics,
    asked: "Sequence[tuple[Metric, Mapping[str, Any]]]",
    *,
    with_influence: bool = True,
) -> list[Measured]:
    """Values, and influence values of the cases, of metrics with their options."""
    found: dict[int, Measured] = {}
    groups: dict[Need, list[tuple[int, Question]]] = {}
    for place, (metric, options) in enumerate(asked):
        try:
            question = metric.question(statistics.predictions, **options)
        except NotDefined as reason:
            found[place] = Measured(metric, reason=str(reason))
        else:
            groups.setdefault(question.need, []).append((place, question))
    of_pairs = [need for need in groups if need.statistic is Pairs]
    if with_influence and of_pairs:  # sorted once for values and influence values
        scored = any(need.options for need in of_pairs)
        Pairs.keep_columns(statistics.predictions, scored)
    joined = _joined(groups)
    if not with_influence:
        statistics.expect(joined)
    for need, group in joined.items():
        places, questions = zip(*group, strict=True)
        found.update(
            zip(places, _of_need(statistics, need, questions, with_influence), strict=True)
        )
    return [found[place] for place in range(len(asked))]


def _joined(
    groups: dict[Need, list[tuple[int, Question]]],
) -> dict[Need, list[tuple[int, Question]]]:
    """The groups, each with those whose statistic is a part of its own."""
    whole = [need for need in groups if not any(o != need and o.covers(need) for o in groups)]
    joined: dict[Need, list[tuple[int, Question]]] = {need: [] for need in whole}
    for need, group in groups.items():
        joined[next(each for each in whole if each.covers(need))] += group
    return joined


def _of_need(
    statistics: CaseStatistics, need: Need, questions: Sequence[Question], with_influence: bool
) -> list[Measured]:
    """Answers to questions about one statistic."""
    if with_influence:
        statistics.will_carry(need)
    found = [_answer(statistics, need, question) for question in questions]
    defined = [place for place, each in enumerate(found) if each.reason is None]
    if with_influence and defined:
        asked = [questions[place] for place in defined]
        moved = influences(asked, statistics[need], statistics.cases)
        for place, influence in zip(defined, moved, strict=True):
            found[place] = found[place]._replace(influence=influence)
    return found


def _answer(statistics: CaseStatistics, need: Need, question: Question) -> Measured:
    try:
        value = question.value(statistics[need])
        return Measured(question.metric, value, need=question.need)
    except NotDefined as reason:
        return Measured(question.metric, reason=str(reason))
