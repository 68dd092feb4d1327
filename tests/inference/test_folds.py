"""Cases held out in folds: means within folds, their standard errors, tests and notes."""

import math
import pickle
from itertools import permutations, product

import numpy as np
import pandas as pd
import pytest
from scipy.stats import rankdata
from twins import metrics as twins

import polyroc
from polyroc import Design, Permutation, Predictions, compare, evaluate, registry
from polyroc.errors import InvalidInput, InvalidType, NotAligned, RowsByPosition
from polyroc.inference._permutation import _coins

rng = np.random.default_rng(12)
Y = np.arange(45) % 3
FOLDS = np.array(["one", "two", "three"])[np.repeat([0, 1, 2], [12, 15, 18])]
P = rng.dirichlet(np.ones(3), len(Y)) + 0.5 * np.eye(3)[Y]
P = (P / P.sum(axis=1, keepdims=True)).round(2)
P[:, 2] = (1 - P[:, :2].sum(axis=1)).round(2)
Q = rng.dirichlet(np.ones(3), len(Y)) + 0.3 * np.eye(3)[Y]
Q /= Q.sum(axis=1, keepdims=True)
W = rng.integers(1, 9, len(Y)) / 4
NAMES = [name for name in registry if 3 in registry[name].classes]
LINEAR = ["hand_till", "auc_mu", "pdi", "vus"]
"""Linear in the distribution of each class: the jackknife is exact."""


def held_out(p=P, *, keep=None, **options):
    rows = np.arange(len(Y)) if keep is None else keep
    given = {name: value[rows] for name, value in options.items() if name == "sample_weight"}
    return Predictions(Y[rows], p[rows], folds=FOLDS[rows], labels=[0, 1, 2], **given)


def mean_of_folds(name, rows):
    """The mean over folds in plain loops, by the definition of the metric."""
    values = []
    for fold in sorted(set(FOLDS)):
        own = [i for i in rows if FOLDS[i] == fold]
        if name == "hand_till":
            values.append(twins.hand_till(Y[own].tolist(), P[own].tolist(), [1] * len(own), 3))
        else:
            values.append(getattr(polyroc, name)(Y[own], P[own]))
    return sum(values) / len(values)


def test_value_and_error_equal_a_jackknife_within_classes_and_folds():
    found = evaluate(held_out(), metrics=LINEAR)
    everyone = range(len(Y))
    for name in LINEAR:
        assert found[name].value == pytest.approx(mean_of_folds(name, everyone), abs=1e-13)
        assert getattr(polyroc, name)(held_out()) == found[name].value
        variance = 0.0
        for fold in set(FOLDS):
            for k in range(3):
                stratum = [i for i in everyone if FOLDS[i] == fold and Y[i] == k]
                without = [mean_of_folds(name, [j for j in everyone if j != i]) for i in stratum]
                centre, m = sum(without) / len(stratum), len(stratum)
                variance += (m - 1) / m * sum((value - centre) ** 2 for value in without)
        assert found[name].standard_error == pytest.approx(math.sqrt(variance), rel=1e-10)


def contributions(name, predictions, groups=None):
    """u_i of each row, with the factor of its stratum, from influence values within folds."""
    whole, folds = predictions, predictions.folds.numbers
    weights, moved = whole.case_weights, np.zeros(len(whole))
    n_folds = len(whole.folds.names)
    for v in range(n_folds):
        own = np.flatnonzero(folds == v)
        part = Predictions(whole.codes[own], whole.scores[own], sample_weight=weights[own])
        phi = registry[name].influence(part).cases
        for k in range(whole.n_classes):
            here = own[whole.codes[own] == k]
            m = len(here) if groups is None else len(set(groups[here]))
            u = weights[here] / weights[here].sum() * phi[whole.codes[own] == k] / n_folds
            moved[here] = np.sqrt(m / (m - 1)) * u
    return moved


def summed(moved, groups):
    return np.array([moved[groups == group].sum() for group in sorted(set(groups))])


def test_errors_of_all_metrics_with_weights_groups_and_repeats():
    twice = np.tile(np.arange(len(Y)), 2)
    other = np.roll(FOLDS, 7)  # the folds of the second repeat
    labels = pd.DataFrame({"repeat": np.repeat([0, 1], len(Y)), "fold": [*FOLDS, *other]})
    scores = np.concatenate([P, Q])
    patients = rng.integers(0, 20, len(Y))  # span folds and classes
    for weights in (None, W):
        once = held_out(sample_weight=weights) if weights is not None else held_out()
        often = None if weights is None else weights[twice]
        repeated = Predictions(Y[twice], scores, folds=labels, sample_weight=often)
        assert repeated.folds.names[0] == (0, "one") and len(repeated.folds.names) == 6
        for predictions, groups in ((once, None), (once, patients), (repeated, twice)):
            found = evaluate(predictions, metrics=NAMES, groups=groups)
            for name in NAMES:
                moved = contributions(name, predictions, groups)
                unit = np.arange(len(moved)) if groups is None else groups
                error = math.sqrt((summed(moved, unit) ** 2).sum())
                assert found[name].standard_error == pytest.approx(error, rel=1e-9), name


def test_sampled_classes_move_the_priors_of_their_fold():
    """Derivatives by weights, priors included, as differences of the mean over folds."""
    y = np.array([0] * 30 + [1] * 9 + [2] * 6)
    folds = np.array([0] * 5 + [1] * 25 + [0] * 3 + [1] * 6 + [0] * 2 + [1] * 4)

    def mean(name, weights):
        parts = [folds == fold for fold in (0, 1)]
        values = [
            getattr(polyroc, name)(y[part], P[part], sample_weight=weights[part]) for part in parts
        ]
        return sum(values) / 2

    for weights in (np.ones(len(y)), W):
        whole = Predictions(y, P, folds=folds, sample_weight=weights)
        found = evaluate(whole, metrics=["au1p", "aunu", "aunp"], groups=Design(sampling="random"))
        for name in found:
            error = 0.0
            for i, scaled in enumerate(contributions(name, whole)):
                m = np.count_nonzero((y == y[i]) & (folds == folds[i]))
                step = 1e-5 * weights[i] * np.eye(len(y))[i]
                both = mean(name, weights + step) - mean(name, weights - step)
                within = scaled / math.sqrt(m / (m - 1))
                error += (scaled + both / 2e-5 - within) ** 2
            assert found[name].standard_error == pytest.approx(math.sqrt(error), rel=1e-7)


def test_degrees_of_freedom():
    """A mean per fold and class is lost; repeats of a case count once."""
    found = evaluate(held_out(), metrics=["hand_till"])["hand_till"]
    squares = contributions("hand_till", held_out()) ** 2
    parts = [squares[k == Y].sum() for k in range(3)]
    known = [sum((k == Y) & (fold == FOLDS)) - 1 for k in range(3) for fold in set(FOLDS)]
    known = np.reshape(known, (3, 3)).sum(axis=1)
    freedom = sum(parts) ** 2 / sum(part**2 / n for part, n in zip(parts, known, strict=True))
    assert found.degrees_of_freedom == pytest.approx(freedom)
    other = held_out(Q)
    compared = compare({"a": held_out(), "b": other}, metrics=["hand_till"]).differences[0]
    assert compared.degrees_of_freedom <= known.sum()
    twice = np.tile(np.arange(len(Y)), 2)
    folds = [(repeat, fold) for repeat in (0, 1) for fold in FOLDS]
    often = evaluate(Y[twice], P[twice], ["hand_till"], folds=folds, groups=twice)["hand_till"]
    assert often.degrees_of_freedom == pytest.approx(freedom)


def test_a_repeat_with_the_same_scores_says_nothing_new():
    twice = np.tile(np.arange(len(Y)), 2)
    folds = np.column_stack(
        [np.repeat([0, 1], len(Y)), np.unique(FOLDS, return_inverse=True)[1][twice]]
    )
    rows = Predictions(Y[twice], P[twice], folds=folds)
    repeated = evaluate(rows, metrics=NAMES, groups=twice)
    assert "mean over 6 folds of 2 repeats" in repeated["hand_till"].note
    assert "pass the case of each row as groups" not in repeated["hand_till"].note
    naive = evaluate(rows, metrics=["hand_till"])["hand_till"]
    assert "pass the case of each row as groups" in naive.note
    once = evaluate(held_out(), metrics=NAMES)
    for name in NAMES:
        assert repeated[name].value == pytest.approx(once[name].value, abs=1e-14)
        assert repeated[name].standard_error == pytest.approx(once[name].standard_error, rel=1e-12)


def test_differences_omnibus_and_holm():
    R = 0.5 * P + 0.5 * rng.permutation(P)
    models = {name: held_out(p) for name, p in {"a": P, "b": Q, "c": R}.items()}
    found = compare(models, metrics=NAMES, reference="normal")
    for name in NAMES:
        values = np.array([registry[name].of(each) for each in models.values()])
        columns = np.column_stack([contributions(name, each) for each in models.values()])
        rows = [row for row in found.differences if row.metric == name]
        for row, (a, b) in zip(rows, ((0, 1), (0, 2), (1, 2)), strict=True):
            assert row.difference == pytest.approx(values[a] - values[b], abs=1e-14)
            error = math.sqrt(((columns[:, a] - columns[:, b]) ** 2).sum())
            assert row.standard_error == pytest.approx(error, rel=1e-9)
            assert "mean over 3 folds" in row.note
        p_values = sorted(row.p_value for row in rows)
        adjusted = sorted(row.p_adjusted for row in rows)
        assert adjusted[0] == pytest.approx(min(1, 3 * p_values[0]))
        apart = np.array([values[0] - values[2], values[1] - values[2]])
        both = np.column_stack([columns[:, 0] - columns[:, 2], columns[:, 1] - columns[:, 2]])
        statistic = apart @ np.linalg.solve(both.T @ both, apart)
        test = next(each for each in found.omnibus_tests if each.metric == name)
        assert test.statistic == pytest.approx(statistic, rel=1e-6)
    with pytest.raises(InvalidInput, match="Model 'b' has other folds than 'a'"):
        compare({"a": models["a"], "b": Predictions(Y, Q)}, metrics=["hand_till"])


def test_pairs_pooled_over_folds_and_cases_pooled():
    shifted = P.copy()
    shifted[FOLDS == "two"] = shifted[FOLDS == "two"] ** 4  # a model on another scale
    settings = evaluate(held_out(shifted), metrics=["hand_till", "vus"])["hand_till"].settings
    pairs = {}
    for k, r in permutations(range(3), 2):
        credit = [
            (shifted[i, k] > shifted[j, k]) + 0.5 * (shifted[i, k] == shifted[j, k])
            for i in range(len(Y))
            for j in range(len(Y))
            if Y[i] == k and Y[j] == r and FOLDS[i] == FOLDS[j]
        ]
        pairs[k, r] = sum(credit) / len(credit)
    assert settings["pair_pooled"] == pytest.approx(np.mean(list(pairs.values())), abs=1e-14)
    assert settings["cases_pooled"] == pytest.approx(polyroc.hand_till(Y, shifted), abs=1e-14)
    assert settings["estimand"] == "mean over folds"
    assert list(settings["by_fold"]) == ["one", "three", "two"]
    # One fold ranks all pairs correctly; the other, with more pairs and higher scores, by chance.
    y, folds = np.arange(90) % 2, np.repeat([0, 1], [10, 80])
    score = np.where(folds == 0, y / 8, 0.5 + rng.uniform(size=90) / 2)
    found = evaluate(Predictions(y, score, folds=folds), metrics=["roc_auc"])["roc_auc"]
    assert found.settings["by_fold"]["0"] == 1
    pooled = np.average(list(found.settings["by_fold"].values()), weights=[25, 1600])
    assert found.settings["pair_pooled"] == pytest.approx(pooled, abs=1e-14)
    assert f"pairs pooled over folds give {pooled:.4f}, over a standard error away" in found.note
    across = polyroc.roc_auc(y, score)
    assert f"all cases pooled would give {across:.4f}, over a standard error away" in found.note


@pytest.mark.parametrize("weighted", [False, True])
def test_tuples_pooled_over_folds(weighted):
    """Tuples of a case of each class within a fold, each with the product of its weights."""
    weights = W if weighted else np.ones(len(Y))
    given = {"sample_weight": weights} if weighted else {}
    found = evaluate(held_out(**given), metrics=["pdi", "vus", "total_length"])
    for name, credit in (("pdi", twins.pdi), ("vus", twins.vus)):
        total = right = 0.0
        for fold in set(FOLDS):
            own = [i for i in range(len(Y)) if FOLDS[i] == fold]
            members = [[i for i in own if Y[i] == k] for k in range(3)]
            for rows in product(*members):
                weight = math.prod(weights[list(rows)])
                right += weight * credit([0, 1, 2], P[list(rows)].tolist(), [1, 1, 1], 3)
                total += weight
        pooled = found[name].settings["pair_pooled"]
        assert pooled == pytest.approx(right / total, abs=1e-13)
        assert pooled != pytest.approx(found[name].value, abs=1e-4)  # the mean over folds
    assert found["total_length"].settings["pair_pooled"] is None


def test_a_class_that_is_missing_in_a_fold():
    y, folds = np.array(list("aabbccccaabbaabb")), np.repeat([0, 1, 2], [8, 4, 4])
    p = np.random.default_rng(3).dirichlet(np.ones(3), len(y))
    with pytest.raises(InvalidInput) as error:
        Predictions(y, p, folds=folds)
    assert str(error.value) == (
        "Fold 1 has no cases of the class 'c'. Use StratifiedKFold or fewer folds, or pass "
        'absent="skip" to leave out what cannot be computed in that fold.'
    )
    skipped = Predictions(y, p, folds=folds, absent="skip")
    found = evaluate(skipped, metrics=["hand_till", "vus"])
    matrices = [polyroc.pairwise_auc(y[folds == 0], p[folds == 0])]
    matrices += [polyroc.pairwise_auc(y[folds == v], p[folds == v][:, :2]) for v in (1, 2)]
    pairs = [
        np.mean([matrix[k, r] for matrix in matrices[: 3 if k + r == 1 else 1]])
        for k, r in permutations(range(3), 2)
    ]  # a and b are in all folds
    assert found["hand_till"].value == pytest.approx(np.mean(pairs), abs=1e-14)
    assert polyroc.hand_till(skipped) == found["hand_till"].value
    assert (
        "without the pairs of classes that lack a class (c in fold 1 and 1 more fold)"
        in found["hand_till"].note
    )
    assert found["vus"].value == pytest.approx(polyroc.vus(y[folds == 0], p[folds == 0]))
    # The jackknife of the same value, class by class and fold by fold.
    variance = 0.0
    for v in range(3):
        for label in "abc":
            stratum = np.flatnonzero((folds == v) & (y == label))
            without = [
                polyroc.hand_till(
                    Predictions(
                        np.delete(y, i),
                        np.delete(p, i, axis=0),
                        folds=np.delete(folds, i),
                        absent="skip",
                    )
                )
                for i in stratum
            ]
            if without:
                m = len(stratum)
                variance += (m - 1) ** 2 / m * np.var(without, ddof=1)
    assert found["hand_till"].standard_error == pytest.approx(math.sqrt(variance), rel=1e-9)
    apart = Predictions(
        list("aabbccdd"),
        np.eye(4)[[0, 0, 1, 1, 2, 2, 3, 3]],
        folds=[0] * 4 + [1] * 4,
        absent="skip",
    )
    assert (
        "no fold has cases of both 'a' and 'c'"
        in evaluate(apart, metrics=["hand_till"])["hand_till"].note
    )


def test_a_single_case_of_a_class_in_a_fold():
    keep = np.array([i for i in range(len(Y)) if not (FOLDS[i] == "two" and Y[i] == 1)] + [13])
    assert Y[13] == 1 and FOLDS[13] == "two"
    with pytest.raises(InvalidInput, match="Fold 'two' has one case of the class 1, which says"):
        evaluate(held_out(keep=keep), metrics=["hand_till"])
    value = evaluate(held_out(keep=keep), metrics=["hand_till"], interval=None)["hand_till"].value
    assert value == pytest.approx(mean_of_folds("hand_till", keep))
    two = np.append(keep, 16)
    note = evaluate(held_out(keep=two), metrics=["hand_till"])["hand_till"].note
    assert "2 cases of 1 in fold two: intervals may be short" in note
    with pytest.raises(InvalidInput, match="Fold 'one' has one group of the class 0"):
        evaluate(
            held_out(), metrics=["hand_till"], groups=np.where(FOLDS == "one", 99, np.arange(45))
        )


def test_bootstrap_within_folds():
    found = evaluate(held_out(), metrics=["hand_till"], interval="bootstrap", rng=1)["hand_till"]
    plain = evaluate(held_out(), metrics=["hand_till"])["hand_till"]
    assert found.value == plain.value
    assert 0.75 < found.standard_error / plain.standard_error < 1.15
    with pytest.raises(InvalidInput, match="A group has cases in several folds"):
        evaluate(held_out(), metrics=["hand_till"], interval="bootstrap", groups=np.arange(45) % 15)


def test_random_tuples_have_no_standard_error_within_folds():
    y, folds = np.arange(64) % 4, np.arange(64) // 32
    p = rng.dirichlet(np.ones(4), 64)
    found = evaluate(y, p, ["vus"], folds=folds, n_tuples=100, rng=1)["vus"]
    assert math.isnan(found.standard_error) and "leave n_tuples out" in found.note


def test_permutation_within_folds():
    """Scores are exchanged case by case, ranked within the folds of a model first."""
    test = Permutation(replicates=40, rng=3)
    models = {"a": P, "b": Q}
    found = compare(Y, models, ["hand_till", "total_length"], folds=FOLDS, method=test)
    ranked = {name: np.empty_like(p) for name, p in models.items()}
    for name, p in models.items():
        for fold in set(FOLDS):
            ranked[name][fold == FOLDS] = rankdata(p[fold == FOLDS], axis=0)
    for row, (one, two) in zip(found.differences, (ranked.values(), models.values()), strict=True):
        metric = getattr(polyroc, row.metric)
        observed = metric(held_out(P)) - metric(held_out(Q))
        assert row.difference == pytest.approx(observed, abs=1e-14)
        reached = 0
        for replicate in range(40):
            swap = _coins(3, replicate, np.arange(len(Y)))[:, None] == 1
            first, second = np.where(swap, two, one), np.where(swap, one, two)
            apart = metric(held_out(first)) - metric(held_out(second))
            reached += abs(apart) >= abs(observed) - 1e-12
        assert row.p_value == pytest.approx((1 + reached) / 41)


def test_folds_at_the_gate():
    for folds, kind, message in (
        (FOLDS[:44], InvalidInput, "folds names the fold of 44 cases but there are 45"),
        (FOLDS[:1], InvalidInput, "folds names the fold of 1 case but there are 45"),
        ([*range(44), math.nan], InvalidInput, "folds has a missing value in row 44 of 45. Name"),
        ([*[0] * 44, "1"], InvalidType, "folds must be strings or numbers, all of one kind"),
        (np.zeros((45, 2, 2)), InvalidInput, "folds must have one fold per case, got an array"),
    ):
        with pytest.raises(kind, match=message):
            Predictions(Y, P, folds=folds)
    index = pd.RangeIndex(100, 145)
    series, folds = pd.Series(Y, index=index), pd.Series(FOLDS, index=index)
    with pytest.raises(NotAligned, match="folds and y_true have the same index labels"):
        Predictions(series, P, folds=folds[::-1])
    with pytest.warns(RowsByPosition, match="folds and y_true have different indexes"):
        assert Predictions(series, P, folds=folds.reset_index(drop=True)).by_position == ("folds",)
    weights = np.where(FOLDS == "two", 0, 1)
    dropped = Predictions(Y, P, folds=FOLDS, sample_weight=weights)
    assert dropped.folds.names == ("one", "three") and len(dropped.folds.numbers) == len(dropped)
    again = pickle.loads(pickle.dumps(held_out()))
    assert again.folds.names == ("one", "three", "two")
    assert repr(again) == "Predictions(45 cases, 3 classes, 3 folds)"
    with pytest.raises(InvalidInput, match="folds cannot be given together with Predictions"):
        polyroc.predictions.predictions_of(again, folds=FOLDS)


def test_names_of_folds_that_are_tuples_of_several_lengths():
    for folds, said in (([()] * 4, "tuples of 0 values"), ([(1,), (1, 2)] * 2, "of 1, 2 values")):
        with pytest.raises(InvalidInput, match=said):
            Predictions([0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4], folds=folds)
