"""A classifier that refers cases to a person where every decision is too expensive."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from polyroc._base.checks import shown
from polyroc.errors import InvalidInput, NotDefined
from polyroc.surface._costs import CostsLike, checked_costs
from polyroc.surface._limits import checked_limits
from polyroc.surface._referral import ReferralCosts, Referrals, excess_of, referral_costs
from polyroc.surface.classifiers.candidates import MARGINS
from polyroc.surface.classifiers.cross_fitted import CrossFittedDecisions
from polyroc.surface.classifiers.fitting import OutOfFold
from polyroc.typing import BoolArray, Float64Array, Int64Array, Label

Pair = tuple[Any, Any]


@dataclass(frozen=True, eq=False)
class ReferralRule:
    """A rule for referrals, and what it achieves on out-of-fold cases.

    Attributes
    ----------
    name : ``"never"``, ``"bayes"`` (refer where that is expected to be cheaper) or ``"tuned"``.
    threshold : on the lowest expected cost minus the cost of referring.
    cost : mean cost of a case, referrals included; for the tuned rule cross-fitted.
    gain, standard_error : what is saved against deciding every case, and its standard error.
    referred : share of the cases.
    rates : (K, K + 1) share of each class, in rows, decided as each and referred.
    feasible : whether limits and the largest share of referrals are honoured.
    """

    name: str
    threshold: float
    cost: float
    gain: float
    standard_error: float
    referred: float
    rates: Float64Array
    feasible: bool


class RejectingClassifierCV(CrossFittedDecisions):
    """Classifier that decides for the lowest expected cost, or refers a case to a person.

    A case is referred if its lowest expected cost exceeds the cost of referring it by more than
    ``threshold_``. Three rules compete on out-of-fold probabilities: never to refer, to refer
    where it is expected to be cheaper (threshold 0, the best for calibrated probabilities), and a
    tuned threshold, whose saving is cross-fitted. In this order, a later one is taken only if it
    saves more than ``standard_errors`` standard errors, or if the one so far breaks a limit.

    Parameters
    ----------
    estimator : classifier with ``predict_proba``; a clone is fitted per fold and one to all cases.
    costs : what decisions cost: K × (K + 1), the last column for referring; or K × K, or a mapping
        from (truth, decided), with ``refer_cost``. None: every error costs 1.
    refer_cost : of referring a case: a number, or one per class (in the order of the sorted
        classes, or by name). None: referrals have no price, and only as many cases are referred
        as ``limits`` require; without limits none.
    refer_label : what ``predict`` returns for a referred case.
    limits : mapping from (truth, decided) to the highest rate allowed among all cases of the truth.
    reject_at_most : the largest share of cases that may be referred.
    standard_errors : how many standard errors a saving must exceed.
    cv : folds as in scikit-learn, in which each case is tested exactly once.
    n_jobs : folds in parallel, as in joblib.

    Attributes
    ----------
    threshold_, chosen_ : the rule in use; infinite where nothing is referred.
    referred_ : share of out-of-fold cases that are referred.
    cost_, gain_, gain_standard_error_ : on out-of-fold cases, in the units of the costs.
    rates_ : (K, K + 1) share of each class decided as each, and referred.
    rules_ : mapping of names to all three rules.
    verdict_ : a sentence on what was chosen.
    costs_, refer_costs_ : (K, K) and (K,) in the units given.
    estimator_, classes_ : the classifier fitted to all cases, and its classes.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(2, size=400)
    >>> X = rng.normal(2 * y)[:, None]
    >>> rejecting = RejectingClassifierCV(GaussianNB(), refer_cost=0.2).fit(X, y)
    >>> rejecting.chosen_, rejecting.predict([[-1.0], [1.0], [3.0]])
    ('bayes', array([0, 'refer', 1], dtype=object))
    """

    def __init__(
        self,
        estimator: Any,
        *,
        costs: CostsLike | None = None,
        refer_cost: Any = None,
        refer_label: Any = "refer",
        limits: Mapping[Pair, float] | None = None,
        reject_at_most: float = 1.0,
        standard_errors: float = 1.0,
        cv: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.costs = costs
        self.refer_cost = refer_cost
        self.refer_label = refer_label
        self.limits = limits
        self.reject_at_most = reject_at_most
        self.standard_errors = standard_errors
        self.cv = cv
        self.n_jobs = n_jobs

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, **fit_params: Any
    ) -> "RejectingClassifierCV":
        """Fit the classifier to all cases, and choose the rule on out-of-fold probabilities."""
        self._check_parameters()
        self._choose(self._fit_out_of_fold(X, y, sample_weight, fit_params))
        return self

    def _check_parameters(self) -> None:
        for name, most in (("reject_at_most", 1.0), ("standard_errors", np.inf)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(
                value, (int, float, np.integer, np.floating)
            ):
                raise InvalidInput(f"{name} must be a number, got {shown(value)}.")
            if not 0 <= value <= most:
                raise InvalidInput(f"{name} must be from 0 to {most:g}, got {shown(value)}.")

    def _choose(self, cases: OutOfFold) -> None:
        classes = cases.classes
        if self.refer_label in classes:
            raise InvalidInput(
                f"refer_label {shown(self.refer_label)} is one of the classes. Give another."
            )
        limits = checked_limits(self.limits, classes)
        costs, criterion = self._costs(classes)
        referrals = Referrals.of(
            *cases[:3],
            costs,
            limited=tuple(limits),
            limits=np.array(list(limits.values()), dtype=np.float64),
            most=float(self.reject_at_most) if criterion is not None else 0.0,
        )
        if criterion is not None:
            referrals = replace(referrals, costs=criterion)
        chosen, self.rules_ = _contest(referrals, cases.folds, self.standard_errors)
        self._check_limits(chosen, limits, classes)
        self.costs_, self.refer_costs_ = costs
        self._argmax, self._tie_order = self.costs is None, np.arange(len(classes))
        self.threshold_, self.chosen_ = chosen.threshold, chosen.name
        self.referred_ = chosen.referred
        self.cost_, self.gain_, self.rates_ = chosen.cost, chosen.gain, chosen.rates
        self.gain_standard_error_ = chosen.standard_error
        self.verdict_ = _verdict(chosen, counted=criterion is not costs)
        if chosen.name == "never":
            self.verdict_ = _why_never(self.rules_, self.standard_errors)
            if criterion is not costs:
                self.verdict_ = LIMITS_HOLD if self.limits else NOTHING_ASKED

    def _costs(self, classes: tuple[Label, ...]) -> tuple[ReferralCosts, ReferralCosts | None]:
        """Costs that decisions are made by, and costs that are counted; None: nothing is referred.

        Where referring has no cost, only the number of referrals counts.
        """
        found = referral_costs(self.costs, self.refer_cost, classes)
        if found is not None:
            return found, found
        n_classes = len(classes)
        table = 1 - np.eye(n_classes) if self.costs is None else checked_costs(self.costs, classes)
        free = ReferralCosts(table, np.zeros(n_classes))
        if not self.limits:
            return free, None
        return free, ReferralCosts(np.zeros_like(table), np.ones(n_classes))

    def _check_limits(
        self, chosen: ReferralRule, limits: Mapping[tuple[int, int], float], classes: Any
    ) -> None:
        if chosen.feasible:
            return
        told = ", ".join(
            f"{classes[k]!r} as {classes[j]!r} {chosen.rates[k, j]:.4f} (limit {limit:g})"
            for (k, j), limit in limits.items()
        )
        raise NotDefined(
            f"No rule that refers at most {self.reject_at_most:g} of the cases meets the limits on "
            f"out-of-fold cases. The closest reaches {told}. Raise a limit or reject_at_most."
        )

    def predict(self, X: Any) -> Any:
        """The class of lowest expected cost, or ``refer_label``."""
        decided = super().predict(X)
        referred = self.refers(X)
        if not np.isfinite(self.threshold_) and not referred.any():
            return decided
        if decided.dtype.kind == "U" and isinstance(self.refer_label, str):
            return np.where(referred, self.refer_label, decided)
        found = decided.astype(object)
        found[referred] = self.refer_label
        return found

    def refers(self, X: Any) -> BoolArray:
        """Whether each case is referred."""
        check_is_fitted(self, "costs_")
        costs = ReferralCosts(self.costs_, self.refer_costs_)
        return np.asarray(excess_of(self._probabilities(X), costs)[0] > self.threshold_)


def _contest(
    referrals: Referrals, folds: Int64Array, standard_errors: float
) -> tuple[ReferralRule, dict[str, ReferralRule]]:
    """The rule to use, and all three."""
    bayes = referrals.threshold_for_share(0.0) if referrals.most > 0 else np.inf
    rules = {
        "never": (np.inf, np.zeros(len(folds), dtype=bool)),
        "bayes": (bayes, referrals.excess > bayes),
        "tuned": _tuned(referrals, folds),
    }
    everyone = {name: _judged(name, *each, referrals) for name, each in rules.items()}
    best = "never"
    for name in ("bayes", "tuned"):
        gain, error = _gain(referrals, rules[best][1], rules[name][1])
        better = everyone[name].feasible and gain > standard_errors * error
        if better or (not everyone[best].feasible and everyone[name].feasible):
            best = name
    return everyone[best], everyone


def _tuned(referrals: Referrals, folds: Int64Array) -> tuple[float, BoolArray]:
    """The best threshold, and referrals of each fold by the best threshold of the others.

    Limits are tightened, by as little as makes the cross-fitted rates keep them.
    """
    for margin in MARGINS:
        aimed = referrals.tightened(margin)
        referred = np.zeros(len(folds), dtype=bool)
        for fold in np.unique(folds):
            inside = folds == fold
            referred[inside] = aimed.excess[inside] > aimed.part(~inside).best_threshold()
        if referrals.broken(referred) == 0:
            break
    return aimed.best_threshold(), referred


def _gain(referrals: Referrals, before: BoolArray, after: BoolArray) -> tuple[float, float]:
    """What is saved by the referrals after, and its standard error."""
    saved, weights = referrals.spent(before) - referrals.spent(after), referrals.weights
    mean, n_cases = float(weights @ saved), len(saved)
    variance = float(weights**2 @ (saved - mean) ** 2) * n_cases / max(n_cases - 1, 1)
    return mean, float(np.sqrt(variance))


def _judged(name: str, threshold: float, referred: BoolArray, referrals: Referrals) -> ReferralRule:
    share = float(referrals.weights[referred].sum())
    gain, error = _gain(referrals, np.zeros_like(referred), referred)
    # The share that is referred cross-fitted varies about the one that was tuned.
    few = share <= referrals.most + np.sqrt(referrals.most * (1 - referrals.most) / len(referred))
    return ReferralRule(
        name=name,
        threshold=float(threshold),
        cost=float(referrals.weights @ referrals.spent(referred)),
        gain=gain,
        standard_error=error,
        referred=share,
        rates=referrals.rates(referred),
        feasible=bool(few and referrals.broken(referred) == 0),
    )


def _verdict(chosen: ReferralRule, counted: bool) -> str:
    """What was chosen, and what it saves; ``counted``: whether only the referrals count."""
    share = f"{100 * chosen.referred:.1f} % of the cases are referred"
    if counted:
        return f"{share}, so that the limits hold on out-of-fold cases."
    saves = f"saves {chosen.gain:.4g}" if chosen.gain >= 0 else f"costs {-chosen.gain:.4g} more"
    return (
        f"{share}, which {saves} a case (standard error {chosen.standard_error:.2g}) on "
        "out-of-fold cases."
    )


LIMITS_HOLD = "No case is referred: the limits hold on out-of-fold cases without."
NOTHING_ASKED = "No case is referred: there is neither a cost of referring nor a limit."


def _why_never(rules: Mapping[str, ReferralRule], standard_errors: float) -> str:
    """Why no case is referred, where referring has a cost."""
    broken = [
        rule
        for rule in rules.values()
        if not rule.feasible and rule.gain > standard_errors * rule.standard_error
    ]
    why = "saves enough within the limits" if broken else "saves enough"
    return f"No case is referred: no other rule {why}."
