"""What each finding means, and what to do about it: the text behind the links of the summary."""

EXPLANATIONS: dict[str, str] = {
    "difference-clear": (
        "The models were compared on the same cases, so what matters is how their errors differ "
        "case by case, not whether two intervals overlap. The interval of the difference leaves "
        "out 0, also after Holm's adjustment for the number of pairs of models."
    ),
    "difference-unclear": (
        "The models were compared on the same cases. The difference is within what other cases of "
        "the same kind could turn round. More cases, above all of the smallest class, would "
        "decide; until then choose by other merits."
    ),
    "no-test": (
        "A difference has no standard error if a class has one case, if the models agree on every "
        "case, or if a value lies at the end of its range."
    ),
    "metric-choice": (
        "Metrics ask different questions. Rank metrics (M, AUNU, PDI) ask whether cases are in the "
        "right order; AUC_μ whether they lie on the right side of the borders between classes; "
        "M_p, M_s, AOT and TL also reward probabilities that are far apart. Weighted by "
        "prevalence, AUNP and AU1P speak for the frequent classes. Decide which question is yours "
        "before you look at the answers."
    ),
    "metrics-agree": "Every metric of the table puts the same model first.",
    "confused-pair": (
        "AUC(k|r) is the share of pairs, one case of class k and one of class r, in which the "
        "case of k has the higher score of k; ties count half. The two orientations use different "
        "columns and differ in general. A low value means that no costs and no threshold will "
        "separate these two classes well: better features would."
    ),
    "rare-class": (
        "A class with a small share hardly moves accuracy or a metric weighted by prevalence, "
        "even if it is the class that matters. In the explorer, give its errors a higher cost and "
        "see what that costs the other classes."
    ),
    "few-cases": (
        "Every rate of a class is a share of its cases: with 20 cases a step is 5 %. Intervals "
        "use t quantiles and Wilson's limits, which stay honest for few cases, and are wide."
    ),
    "not-probabilities": (
        "Rows count as probabilities if nothing is negative and they sum to 1 within 0.0001. Rank "
        "metrics need only an order in each column. Costs need probabilities: pass them, or "
        "transform the scores by a softmax and calibrate them."
    ),
    "tied-scores": (
        "Equal scores cannot be ordered, so that a tied pair counts half. Many ties come from "
        "trees, rounding, or few distinct inputs; they limit what any threshold can do."
    ),
    "perfect-separation": (
        "A value of exactly 1 leaves nothing to estimate a standard error from: the interval is "
        "missing, not narrow. Check that no feature contains the answer."
    ),
    "worse-than-chance": (
        "Below ½ a model orders cases worse than guessing. Most often the columns belong to other "
        "classes than was assumed."
    ),
    "overconfident": (
        "Among cases with a highest probability of 80 %, 80 % should be right. An overconfident "
        "model claims more than it keeps. Ranks are not affected, expected costs are. Calibrate "
        "by temperature scaling or isotonic regression on other cases."
    ),
    "underconfident": (
        "Among cases with a highest probability of 80 %, 80 % should be right. An underconfident "
        "model keeps more than it claims. Ranks are not affected, expected costs are."
    ),
    "class-shares": (
        "Averaged over all cases, the probabilities of a class should give its share. If they do "
        "not, the model was perhaps trained on other shares, or with balanced weights. Decisions "
        "by costs inherit the error."
    ),
    "undefined-metric": (
        "A metric that is not defined for these scores is missing in the tables, never 0."
    ),
    "sample-in-page": (
        "The sample is stratified: every class keeps its share, and at least one case. It is the "
        "same each time the report is made."
    ),
}
