"""The order of the gallery: from values to decisions."""

ORDER = [
    "values_with_intervals",
    "which_is_better",
    "pairs_of_classes",
    "one_against_the_rest",
    "one_against_one",
    "several_models",
    "by_how_much",
    "mean_scores",
    "one_case_of_each_class",
    "for_whom",
    "several_readers",
    "many_splits",
    "operating_points",
    "calibrated",
    "what_errors_cost",
    "referred_cases",
    "in_scikit_learn",
]


class By:
    """What sphinx-gallery sorts the names of scripts by; one that is not named comes last."""

    def __init__(self, source: str) -> None:
        self.source = source

    def __call__(self, name: str) -> tuple[int, str]:
        stem = name.removesuffix(".py")
        return (ORDER.index(stem) if stem in ORDER else len(ORDER), stem)
