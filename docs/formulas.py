"""Formulas of the metrics as TeX, for the pages; docstrings have them in plain signs.

For each metric: how the paragraph begins that the formula takes the place of ("" for none), the
formula, and what stays to be said in words.
"""

from typing import NamedTuple


class Formula(NamedTuple):
    """A formula, and where it goes."""

    begins: str
    tex: str
    words: str = ""


_STEP = r"\frac{1}{n_k \, n_r} \sum_{a \in k} \sum_{b \in r} \mathrm{step}(p_{ak} - p_{bk})"
_PAIRS = r"\frac{1}{K(K-1)} \sum_{k \neq r}"
_SHARES = "π are the shares of the classes."
_MEAN = "p̄_k is the mean probability vector of class k."
_NEAR = r"1 - \frac{1}{K\sqrt{2}} \sum_{k} \| x_k - e_k \|"
_RIGHT2 = r"p_k(x_k) > p_k(x_r) \quad \text{for all } k \neq r"

FORMULAS = {
    "au1p": Formula(
        "AU1P = ",
        r"\mathrm{AU1P} = \frac{1}{K-1} \sum_{k \neq r} \frac{\pi_k + \pi_r}{2}"
        r" \, \mathrm{AUC}(k|r)",
        _SHARES,
    ),
    "auc_mu": Formula(
        "AUC_μ = ",
        r"\mathrm{AUC}_\mu = \frac{1}{\sum_{i<j} W_{ij}} \sum_{i<j} W_{ij} \frac{1}{n_i \, n_j}"
        r" \sum_{a \in i} \sum_{b \in j} \mathrm{step}(o(a, b))",
        "Here o(a, b) = [v · (e_i − e_j)] [v · (p_a − p_b)] with v = A_i − A_j, rows of the\n"
        "partition matrix A.",
    ),
    "aunp": Formula(
        "AUNP = ",
        r"\mathrm{AUNP} = \sum_{k} \pi_k \, \mathrm{AUC}(k|\mathrm{rest})",
        _SHARES,
    ),
    "aunu": Formula(
        "AUNU = ",
        r"\mathrm{AUNU} = \frac{1}{K} \sum_{k} \mathrm{AUC}(k|\mathrm{rest})",
    ),
    "gini": Formula(
        "",
        r"G = \frac{\mathrm{vol} \{ c \in P : c \text{ dominated by the surface} \}}"
        r"{\mathrm{vol}\, P}, \qquad P = \{ c \in [0, 1]^{K(K-1)} : \sum c < K - 1 \}",
    ),
    "hand_till": Formula(
        "M = ",
        rf"M = {_PAIRS} \mathrm{{AUC}}(k|r), \qquad \mathrm{{AUC}}(k|r) = {_STEP}",
    ),
    "hand_till_probabilistic": Formula(
        "M_p = ",
        rf"M_p = {_PAIRS} \mathrm{{pAUC}}(k|r), \qquad \mathrm{{pAUC}}(k|r) = \frac{{1}}{{2}} +"
        r" \frac{1}{2} \left( \bar{p}_{k} \text{ in } k - \bar{p}_{k} \text{ in } r \right)",
    ),
    "hand_till_scored": Formula(
        "M_s = ",
        rf"M_s = {_PAIRS} \mathrm{{sAUC}}(k|r), \qquad \mathrm{{sAUC}}(k|r) ="
        r" \frac{1}{n_k \, n_r} \sum_{a \in k} \sum_{b \in r} \max(p_{ak} - p_{bk}, 0)",
    ),
    "hum": Formula(
        "",
        r"\sum_{k} p_k(x_k) > \sum_{k} p_{q(k)}(x_k) \quad \text{for every permutation } q \neq"
        r" \mathrm{id}",
    ),
    "length_weighted_vus2": Formula("", rf"{_RIGHT2}, \qquad \text{{weight }} {_NEAR}"),
    "pdi": Formula(
        "PDI = ",
        r"\mathrm{PDI} = \frac{1}{K} \sum_{k} \frac{1}{n_1 \cdots n_K} \sum_{(x_1, \ldots, x_K)}"
        r" [\, p_k(x_k) > p_k(x_r) \text{ for all } r \neq k \,]",
        "Ties are split evenly.",
    ),
    "probabilistic_auc": Formula(
        "pAUC = ",
        r"\mathrm{pAUC} = \frac{1}{2} + \frac{1}{2} \left( \frac{1}{n_2} \sum_{a \in 2} p_a -"
        r" \frac{1}{n_1} \sum_{b \in 1} p_b \right)",
        "p is the probability of class 2.",
    ),
    "roc_auc": Formula(
        "AUC = ",
        r"\mathrm{AUC} = \frac{1}{n_1 \, n_2} \sum_{a \in 2} \sum_{b \in 1}"
        r" \mathrm{step}(p_a - p_b)",
        "p are the scores of class 2.",
    ),
    "saec": Formula(
        "",
        r"\mathrm{SAEC} = \frac{2 (1 - \mathrm{AUC})}{S}, \qquad S = \int_0^1"
        r" \sqrt{1 + \left( \frac{d\,\mathrm{TPR}}{d\,\mathrm{FPR}} \right)^2} \, d\,\mathrm{FPR}",
    ),
    "scored_auc": Formula(
        "sAUC = ",
        r"\mathrm{sAUC} = \frac{1}{n_1 \, n_2} \sum_{a \in 2} \sum_{b \in 1} \max(p_a - p_b, 0)",
        "p is the probability of class 2.",
    ),
    "simplex_volume": Formula(
        "abs(det ",
        r"| \det [\bar{p}_1; \ldots; \bar{p}_K] |",
        f"{_MEAN} For K = 3 it is the area of the triangle, AOT.",
    ),
    "total_length": Formula(
        "TL = ",
        r"\mathrm{TL} = 1 - \frac{1}{K\sqrt{2}} \sum_{k} \| \bar{p}_k - e_k \|",
        _MEAN,
    ),
    "triangle_area": Formula(
        "AOT = ",
        r"\mathrm{AOT} = \frac{\mathrm{area}(\bar{p}_1, \bar{p}_2, \bar{p}_3)}{\sqrt{3}/2} ="
        r" | \det [\bar{p}_1; \bar{p}_2; \bar{p}_3] |",
        "√3/2 is the area of the whole simplex.",
    ),
    "vus": Formula(
        "",
        r"\sum_{k} \| x_k - e_k \| < \sum_{k} \| x_k - e_{q(k)} \| \quad \text{for every"
        r" permutation } q \neq \mathrm{id}",
    ),
    "vus2": Formula("", _RIGHT2),
    "wvus": Formula(
        "",
        rf"\text{{right by the rule of VUS}}, \qquad \text{{weight }} {_NEAR}",
    ),
    "wvus2": Formula("", rf"{_RIGHT2}, \qquad \text{{weight }} | \det [x_1; \ldots; x_K] |"),
}
