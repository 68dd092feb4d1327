"""Which decision costs to deploy: argmax, the Bayes rule of the user's costs, or tuned ones.

Costs tuned on some cases look better on those than they are. So each fold is decided by costs that
were tuned on the other folds, and the gain of tuning is the mean over cases of what these
cross-fitted decisions save, with the standard error of that mean of paired differences. Argmax and
the Bayes rule learn nothing from the cases and need no such care.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from sklearn.utils.parallel import Parallel, delayed

from polyroc.surface.classifiers.cost_sensitive import decide
from polyroc.surface.classifiers.sweeps import Goal, Search, class_totals
from polyroc.typing import Float64Array, Int64Array

MOST_PARTS = 10
"""Cross-fitting tunes once per fold; more folds than this are joined."""

MARGINS = (0.0, 0.5, 1.0, 2.0)
"""By how many standard errors limits are tightened, in turn, until other folds honour them."""


@dataclass(frozen=True, eq=False)
class Candidate:
    """Decision costs and what they achieve on out-of-fold cases, honestly.

    Attributes
    ----------
    name : ``"argmax"``, ``"bayes"`` or ``"tuned"``.
    costs : (K, K), the largest 1.
    cost : mean of the criterion; for tuned costs cross-fitted.
    gain, standard_error : what is saved against argmax, or gained in score, and its certainty.
    rates : (K, K) share of each class, in rows, that is decided as each; NaN for an absent class.
    feasible : whether the limits are honoured.
    score : value of ``scoring``; NaN where costs are minimised.
    """

    name: str
    costs: Float64Array
    cost: float
    gain: float
    standard_error: float
    rates: Float64Array
    feasible: bool
    score: float = float("nan")


@dataclass(frozen=True, eq=False)
class Trial:
    """A goal, the fold of each of its cases, and how candidates are compared on it."""

    goal: Goal
    folds: Int64Array
    by_class: bool
    """Whether priors or a single rate fix the weight of each class, so that only cases vary."""

    n_jobs: int | None = None

    def gain(self, before: Int64Array, after: Int64Array) -> tuple[float, float]:
        """What the decisions after save against those before: mean and standard error."""
        goal = self.goal
        gain, saved = goal.saved(before, after)
        centre = (
            self._class_means(saved)[goal.truths] if self.by_class else float(goal.weights @ saved)
        )
        n_cases = len(saved)
        variance = float(goal.weights**2 @ (saved - centre) ** 2) * n_cases / max(n_cases - 1, 1)
        return gain, float(np.sqrt(variance))

    def _class_means(self, values: Float64Array) -> Float64Array:
        goal = self.goal
        totals = class_totals(goal.truths, goal.weights * values, len(goal.criterion))
        return np.asarray(totals / np.where(goal.class_weights > 0, goal.class_weights, 1))

    def rates(self, decisions: Int64Array) -> Float64Array:
        """Share of each class that is decided as each."""
        goal = self.goal
        confusion = np.zeros(goal.criterion.shape)
        np.add.at(confusion, (goal.truths, decisions), goal.weights)
        totals = goal.class_weights[:, None]
        return np.divide(confusion, totals, out=np.full_like(confusion, np.nan), where=totals > 0)

    def candidate(
        self, name: str, costs: Float64Array, decisions: Int64Array, argmax: Int64Array
    ) -> Candidate:
        """A candidate, judged by its out-of-fold decisions."""
        goal = self.goal
        feasible = goal.score_of(decisions).excess == 0
        gained, rates = self.gain(argmax, decisions), self.rates(decisions)
        score = goal.value_of(decisions)
        return Candidate(name, costs, goal.cost(decisions), *gained, rates, feasible, score)

    def cross_fitted(
        self, search: Search, goal: Goal | None = None
    ) -> tuple[Int64Array, list[Float64Array]]:
        """Decisions for each fold by costs tuned on the other folds, and those costs."""
        goal = goal or self.goal
        parts = np.unique(self.folds, return_inverse=True)[1] % MOST_PARTS
        inside = [parts == part for part in range(parts.max() + 1)]
        tuned = Parallel(n_jobs=self.n_jobs)(
            delayed(search.best)(goal.part(~rows)) for rows in inside
        )
        decisions = np.zeros(len(parts), dtype=np.int64)
        for rows, costs in zip(inside, tuned, strict=True):
            decisions[rows] = decide(goal.probabilities[rows], costs)
        return decisions, tuned

    def spread_of_tuning(self, argmax: Int64Array, tuned: Sequence[Float64Array]) -> float:
        """Variance of a gain's error because other cases would have led to other costs.

        That of one set of costs is a jackknife of folds: of the gains on all cases of costs tuned
        without each fold. It counts twice, for the costs of the folds, by which the gain is
        estimated, and for those of all cases, whose gain is meant: where tuning is unstable the
        two are nearly independent, and where it is stable both are small.
        """
        goal = self.goal
        gains = [goal.saved(argmax, decide(goal.probabilities, each))[0] for each in tuned]
        return float(2 * (len(gains) - 1) * np.var(gains))

    def tuned(self, search: Search) -> tuple[Float64Array, tuple[Int64Array, list[Float64Array]]]:
        """Costs tuned on all cases, and the cross-fitted decisions that show what they are worth.

        A rate that was tuned to its limit is above it on other cases about every second time. So
        limits are tightened, by as little as makes the cross-fitted rates honour them.
        """
        found = search.best(self.goal), self.cross_fitted(search, self.goal)
        for margin in MARGINS if self.goal.limited else ():
            if self.goal.score_of(found[1][0]).excess == 0:
                break
            goal = self._tightened(margin)
            costs = search.best(goal)
            if goal.score(costs).excess > 0:
                break  # tighter limits cannot be met, not even on the cases tuned on
            found = costs, self.cross_fitted(search, goal)
        return found

    def _tightened(self, margin: float) -> Goal:
        goal = self.goal
        cases = np.bincount(goal.truths, minlength=len(goal.criterion))
        n_cases = np.array([cases[truth] for truth, _ in goal.limited], dtype=np.float64)
        spread = np.sqrt(goal.limits * (1 - goal.limits) / np.maximum(n_cases, 1))
        return replace(goal, limits=np.maximum(goal.limits - margin * spread, 0))

    def run(
        self, bayes: Float64Array, search: Search, standard_errors: float
    ) -> tuple[Candidate, dict[str, Candidate]]:
        """The candidate to deploy, and all of them.

        In the order argmax, Bayes rule, tuned, a later one takes over only if it saves more than so
        many standard errors against the one so far, or if that one breaks a limit.
        """
        p = self.goal.probabilities
        argmax, (costs, (decisions, of_folds)) = 1 - np.eye(p.shape[1]), self.tuned(search)
        decided = {
            "argmax": (argmax, decide(p, None)),
            "bayes": (bayes, decide(p, bayes)),
            "tuned": (costs, decisions),
        }
        plain = decided["argmax"][1]
        everyone = {name: self.candidate(name, *each, plain) for name, each in decided.items()}
        of_tuning, found = self.spread_of_tuning(plain, of_folds), everyone["tuned"]
        error = float(np.hypot(found.standard_error, np.sqrt(of_tuning)))
        everyone["tuned"] = replace(found, standard_error=error)
        best = "argmax"
        for name in ("bayes", "tuned"):
            gain, error = self.gain(decided[best][1], decided[name][1])
            error = float(np.hypot(error, np.sqrt(of_tuning if name == "tuned" else 0.0)))
            better = everyone[name].feasible and gain > standard_errors * error
            if better or not everyone[best].feasible:
                best = name
        return everyone[best], everyone
