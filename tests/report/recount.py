"""Facts about predictions by plain loops over labels and scores, to hold sentences against."""

import functools
import math
import re
from dataclasses import dataclass, field

NBSP = "\u00a0"


@dataclass(eq=False)
class Facts:
    """Labels as positions of classes, scores as lists, weights and groups of the cases that count.

    ``names`` are the classes as sentences spell them; ``inputs`` is what the report was given.
    """

    names: list[str]
    y: list[int]
    models: dict[str, list[list[float]]]
    weights: list[float]
    weighted: bool
    groups: list[object] | None
    rows: list[int]
    inputs: dict = field(default_factory=dict)

    @property
    def n_classes(self) -> int:
        return len(self.names)

    @property
    def symbol(self) -> str:
        return "AUC" if self.n_classes == 2 else "M"

    @property
    def main(self) -> str:
        return "roc_auc" if self.n_classes == 2 else "hand_till"

    @functools.cached_property
    def members(self) -> list[list[int]]:
        found: list[list[int]] = [[] for _ in self.names]
        for i, k in enumerate(self.y):
            found[k].append(i)
        return found

    @functools.cached_property
    def counts(self) -> list[int]:
        return [len(each) for each in self.members]

    @functools.cached_property
    def shares(self) -> list[float]:
        total = sum(self.weights)
        return [sum(self.weights[i] for i in each) / total for each in self.members]

    @functools.cache  # noqa: B019
    def pairs(self, model: str) -> tuple[list[list[float]], list[list[float]]]:
        """AUC(k|r) and the share of its ties: each case of k against each of r, one by one."""
        scores, weights = self.models[model], self.weights
        cases = [[(weights[i], scores[i]) for i in each] for each in self.members]
        areas, ties = [], []
        for k in range(self.n_classes):
            columns = [[(w, row[k]) for w, row in each] for each in cases]
            row_areas, row_ties = [], []
            for others in columns:
                above = tied = total = 0.0
                for w, score in columns[k]:
                    for v, other in others:
                        total += w * v
                        if score > other:
                            above += w * v
                        elif score == other:
                            tied += w * v
                row_areas.append((above + tied / 2) / total)
                row_ties.append(tied / total)
            areas.append(row_areas)
            ties.append(row_ties)
        return areas, ties

    def pair(self, model: str, k: int, r: int) -> tuple[float, float]:
        """AUC(k|r) and the share of its ties."""
        areas, ties = self.pairs(model)
        return areas[k][r], ties[k][r]

    def pairs_of(self) -> list[tuple[int, int]]:
        return [(a, b) for a in range(self.n_classes) for b in range(a + 1, self.n_classes)]

    @functools.cache  # noqa: B019
    def value(self, model: str) -> float:
        """M, or the AUC of two classes."""
        if self.n_classes == 2:
            return self.pair(model, 1, 0)[0]
        both = [self.pair(model, a, b)[0] + self.pair(model, b, a)[0] for a, b in self.pairs_of()]
        return math.fsum(both) / 2 / len(both)

    @functools.cached_property
    def leading(self) -> list[str]:
        """The models that nothing exceeds."""
        best = max(self.value(model) for model in self.models)
        return [model for model in self.models if self.value(model) >= best - 1e-12]

    @functools.cache  # noqa: B019
    def perfect(self, model: str) -> list[tuple[int, int]]:
        """Pairs of classes without overlap, both ways."""
        scores, classes = self.models[model], range(self.n_classes)
        lowest = [min(scores[i][k] for i in self.members[k]) for k in classes]
        highest = [[max(scores[i][k] for i in each) for k in classes] for each in self.members]
        return [
            (a, b)
            for a, b in self.pairs_of()
            if lowest[a] > highest[b][a] and lowest[b] > highest[a][b]
        ]

    def probabilities(self, model: str) -> list[list[float]] | None:
        """Rows divided by their sums where they are not probabilities; None if that is no help."""
        rows = self.models[model]
        if self.fault(model) is None:
            return rows
        if any(value < 0 for row in rows for value in row) or any(sum(row) <= 0 for row in rows):
            return None
        return [[value / sum(row) for value in row] for row in rows]

    @functools.cache  # noqa: B019
    def fault(self, model: str) -> tuple[int, str] | None:
        """The first row that is no probability, and what it is."""
        for row, values in zip(self.rows, self.models[model], strict=True):
            if min(values) < 0:
                return row, f"contains {min(values):g}"
            if abs(math.fsum(values) - 1) > 1e-4:
                return row, f"sums to {math.fsum(values):g}"
        return None

    @functools.cache  # noqa: B019
    def decided(self, model: str) -> list[int]:
        """The most probable class, the first of equals."""
        return [row.index(max(row)) for row in self.probabilities(model) or []]

    @functools.cache  # noqa: B019
    def confusions(self, model: str) -> dict[tuple[int, int], tuple[float, int]]:
        """Share of the true class and number of cases of each truth and decision that occurs."""
        sums: dict[tuple[int, int], list[float]] = {}
        for truth, decision, weight in zip(self.y, self.decided(model), self.weights, strict=True):
            cell = sums.setdefault((truth, decision), [0.0, 0])
            cell[0] += weight
            cell[1] += 1
        whole = [sum(self.weights[i] for i in each) for each in self.members]
        return {cell: (w / whole[cell[0]], int(n)) for cell, (w, n) in sums.items()}

    def errors(self, model: str) -> dict[tuple[int, int], tuple[float, int]]:
        return {cell: each for cell, each in self.confusions(model).items() if cell[0] != cell[1]}

    def mean(self, values: list[float]) -> tuple[float, float]:
        """A weighted mean and its standard error, over groups if there are any."""
        total = sum(self.weights)
        mean = math.fsum(w * v for w, v in zip(self.weights, values, strict=True)) / total
        sums: dict[object, float] = {}
        for i, value in enumerate(values):
            unit = i if self.groups is None else self.groups[i]
            sums[unit] = sums.get(unit, 0.0) + self.weights[i] * (value - mean)
        return mean, math.sqrt(math.fsum(each**2 for each in sums.values())) / total


def number_in(text: str) -> float:
    """A printed number: signs and spaces of print, percent as shares."""
    plain = text.replace("−", "-").replace(",", "").replace(NBSP, " ").strip()
    return float(plain[:-1]) / 100 if plain.endswith("%") else float(plain)


def agrees(text: str, value: float) -> bool:
    """Whether a printed number is the value rounded to the digits shown, and no false 0 or 1."""
    less = re.fullmatch(r"(less than|more than|<|>) ?(.*)", text)
    if less:
        bound = number_in(less[2])
        return value < bound if less[1] in ("less than", "<") else value > bound
    digits = len(text.replace(NBSP, "").rstrip("%").partition(".")[2])
    unit = 10.0**-digits * (0.01 if "%" in text else 1)
    return abs(number_in(text) - value) <= unit * 0.500001 + 1e-12


def check_p(sign: str, told: str, p: float) -> None:
    """Three decimals, or as many as say on which side of 0.05 it lies."""
    if sign == "<":
        assert told == "0.001" and p < 0.001
        return
    assert agrees(told, p) and p >= 0.001 and (float(told) <= 0.05) == (p <= 0.05)
    assert re.fullmatch(r"\d\.\d{3}|0\.0(49|50)\d+", told)


def check_p_cell(text: str, p: float) -> None:
    sign, _, told = text.rpartition(NBSP)
    check_p(sign, told, p)


def exact_at_ends(text: str, value: float) -> bool:
    """Whether what reads as 0 or 1 is 0 or 1."""
    if text[0] in "<>lm":
        return True
    return number_in(text) not in (0.0, 1.0) or abs(value - number_in(text)) < 1e-9
