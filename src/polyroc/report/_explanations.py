"""What each finding means, and what to do about it: the text behind the links of the summary."""

from collections.abc import Collection

QUESTIONS = (
    (("AUC", "M", "AUNU", "PDI"), "Rank metrics ({}) ask whether cases are in the correct order."),
    (
        ("AUC_μ",),
        "{} asks whether cases lie on the correct side of the boundaries between classes.",
    ),
    (
        ("HUM", "VUS", "VUS₂", "wVUS", "wVUS₂"),
        "Volumes ({}) ask whether cases of all classes, one of each, are told apart at once.",
    ),
    (
        ("pAUC", "sAUC", "M_p", "M_s", "AOT", "AOT_K", "TL"),
        "Metrics of probabilities ({}) also reward probabilities that are far apart.",
    ),
    (
        ("AUNP", "AU1P"),
        "Metrics weighted by prevalence ({}) depend mostly on the frequent classes.",
    ),
)
"""Symbols of metrics, and what they ask."""

EXPLANATIONS: dict[str, str] = {
    "difference-clear": (
        "The models were compared on the same cases, so what matters is how their errors differ "
        "case by case, not whether two intervals overlap. The paired test rejects equality at the "
        "{alpha} level; with more than two models its p-value is adjusted by Holm's method for the "
        "number of pairs of models."
    ),
    "difference-unclear": (
        "The models were compared on the same cases, and the paired test does not reject equality "
        "at the {alpha} level. More cases, above all of the smallest class, may decide; until then "
        "choose by other criteria."
    ),
    "no-test": (
        "A difference has no standard error if a class has one case, if the models agree on every "
        "case, or if a value lies at the end of its range."
    ),
    "metric-choice": (
        "Metrics answer different questions.{questions} Decide which question is yours before you "
        "look at the values."
    ),
    "metrics-agree": (
        "No metric of the table has a higher value for another model. Whether that model is ahead "
        "by more than chance is a question for the tests."
    ),
    "confused-pair": (
        "AUC(k|r) is the share of pairs, one case of class k and one of class r, in which the "
        "case of class k has the higher score for k; ties count half. The two orientations use "
        "different columns and differ in general. The pair shown has the lowest mean of both. A "
        "low value means that no costs and no threshold will separate these two classes well: "
        "better features would."
    ),
    "reversed-pair": (
        "By the scores of either class the case of the other class tends to be higher, and not by "
        "chance: both intervals lie below 0.5 at a level adjusted for the number of pairs. A model "
        "rarely learns that. Most often two columns of the file have been exchanged; check their "
        "names, and the order of the labels if columns have no names."
    ),
    "confusion": (
        "Each case is assigned to its most probable class. The share is of the cases of the "
        "true class; no other pair of true and assigned class has a higher one. In the explorer, "
        "give this error a higher cost to make it rarer."
    ),
    "no-errors": (
        "Each case is assigned to its most probable class, and that is its true class. Check that "
        "these cases were not used for training, and that no feature contains the answer."
    ),
    "rare-class": (
        "A class with a small share barely affects accuracy or a metric weighted by prevalence, "
        "even if it is the class that matters. In the explorer, give its errors a higher cost and "
        "see what that costs the other classes."
    ),
    "few-cases": (
        "Every rate of a class is a share of its cases: with 20 cases a step is 5 %. Intervals "
        "use t quantiles and Wilson's limits, which remain valid for few cases, and are wide."
    ),
    "not-probabilities": (
        "Rows count as probabilities if nothing is negative and they sum to 1 within 0.0001. Rank "
        "metrics need only an order in each column. Costs need probabilities: pass them, or "
        "transform the scores by a softmax and calibrate them."
    ),
    "tied-scores": (
        "Equal scores cannot be ordered, so a tied pair counts half. Many ties come from trees, "
        "rounding, or few distinct inputs; they limit what any threshold can do."
    ),
    "perfect-separation": (
        "The scores of these classes do not overlap, so the AUC is exactly 1. That does not mean "
        "that it is 1 for new cases: the lower limit of its interval, if there is one, says how "
        "low it may be. With few cases chance is enough; with many, check that no feature contains "
        "the answer."
    ),
    "worse-than-guessing": (
        "Uninformative scores give 0.5 on average; below, a model orders cases "
        "worse than guessing. Most often the columns belong to other classes than was assumed."
    ),
    "not-better-than-guessing": (
        "Uninformative scores give 0.5 on average. These cases do not show "
        "that the model is better than that. With few cases a useful model can look like this, "
        "too; with many it is not useful."
    ),
    "overconfident": (
        "Among cases whose highest probability is 80 %, 80 % should be classified correctly. An "
        "overconfident model claims more than it achieves. Rank metrics are barely affected; "
        "expected costs are. Calibrate by temperature scaling or isotonic regression on other "
        "cases."
    ),
    "underconfident": (
        "Among cases whose highest probability is 80 %, 80 % should be classified correctly. An "
        "underconfident model achieves more than it claims. Rank metrics are barely affected; "
        "expected costs are. Calibrate by temperature scaling or isotonic regression on other "
        "cases."
    ),
    "class-shares": (
        "Averaged over all cases, the probabilities of a class should give its share. If they do "
        "not, the model may have been trained on other shares, or with balanced weights. Decisions "
        "by costs inherit the error."
    ),
    "grouped-cases": (
        "Cases of one group, such as images of one patient, are alike, so they carry less "
        "information than as many independent cases. Standard errors are computed from sums over "
        "groups."
    ),
    "mean-over-folds": (
        "Scores of different folds come from different fitted models. An interval is about the "
        "mean performance of these models; which learner is better on new training sets is another "
        "question, see cross_evaluate."
    ),
    "cases-pooled": (
        "Putting all folds together would give another value, by more than a standard error: the "
        "models of the folds score on different scales. Curves of all folds together mislead; the "
        "metrics of this page do not compare cases of different folds."
    ),
    "few-groups": (
        "Standard errors are computed from sums over groups. With fewer than ten groups they are "
        "too variable to rely on, and intervals tend to be too short."
    ),
    "rows-by-position": (
        "The tables have indexes that share no order, so the first row of one was taken to be the "
        "first row of the other. If that is not what they mean, give them the same index."
    ),
    "weighted-cases": (
        "A case of weight 2 counts as much as two cases of weight 1. Standard errors treat "
        "weights as sampling weights: multiplying all of them by a number changes nothing."
    ),
    "undefined-metric": (
        "A metric that is not defined for these scores is missing from the tables; it is not 0."
    ),
    "sample-in-page": (
        "The same proportion of every class is drawn, rounded down, and at least one case, so a "
        "class with few cases may have a larger share in the page than among all cases. Rates and "
        "costs of these cases may differ from those of all cases, most of all with few cases per "
        "class. With more than 12 classes the explorer opens, where it says so, with the "
        "decisions for all cases, every error costing the same, and uses the cases in the page "
        "for any other costs. The sample is the same each time the report is made."
    ),
}


def explanation(code: str, symbols: Collection[str], alpha: float = 0.05) -> str:
    """The explanation of a finding, which names only metrics of the page and its level.

    Examples
    --------
    >>> explanation("metric-choice", ["AUC"])[36:97]
    'Rank metrics (AUC) ask whether cases are in the correct order'
    """
    shown = [([each for each in known if each in symbols], text) for known, text in QUESTIONS]
    told = "".join(f" {text.format(', '.join(found))}" for found, text in shown if found)
    text = EXPLANATIONS[code].replace("{questions}", told)
    return text.replace("{alpha}", f"{100 * alpha:.6g} %").replace(" %", "\u00a0%")
