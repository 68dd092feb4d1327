"""The papers that the page cites by author and year, in full."""

from collections.abc import Iterable

REFERENCES = {
    "Edwards & Metz 2007": "D. C. Edwards, C. E. Metz, A utility-based performance metric for ROC "
    "analysis of N-class classification tasks, Medical Imaging 2007",
    "Everson & Fieldsend 2006": "R. M. Everson, J. E. Fieldsend, Multi-class ROC analysis from a "
    "multi-objective optimisation perspective, Pattern Recognition Letters 27 (2006)",
    "Ferri et al. 2009": "C. Ferri, J. Hernández-Orallo, R. Modroiu, An experimental comparison of "
    "performance measures for classification, Pattern Recognition Letters 30 (2009)",
    "Kleiman & Page 2019": "R. Kleiman, D. Page, AUC_μ: a performance metric for multi-class "
    "machine learning models, ICML 2019",
    "Li & Fine 2008": "J. Li, J. P. Fine, ROC analysis with multiple classes and multiple tests, "
    "Biostatistics 9 (2008)",
    "Nakas & Yiannoutsos 2004": "C. T. Nakas, C. T. Yiannoutsos, Ordered multiple-class ROC "
    "analysis with continuous measurements, Statistics in Medicine 23 (2004)",
    "Van Calster et al. 2008": "B. Van Calster, V. Van Belle, G. Condous, T. Bourne, D. Timmerman, "
    "S. Van Huffel, Multi-class AUC metrics and weighted alternatives, IJCNN 2008",
    "Van Calster et al. 2012": "B. Van Calster, V. Van Belle, Y. Vergouwe, D. Timmerman, S. Van "
    "Huffel, E. W. Steyerberg, Extending the c-statistic to nominal polytomous outcomes: the "
    "polytomous discrimination index, Statistics in Medicine 31 (2012)",
    "Vickers & Elkin 2006": "A. J. Vickers, E. B. Elkin, Decision curve analysis: a novel method "
    "for evaluating prediction models, Medical Decision Making 26 (2006)",
}


def cited(texts: Iterable[str]) -> list[tuple[str, str]]:
    """Those that are named in any of the texts: the short name and the paper.

    Examples
    --------
    >>> cited(["Li & Fine 2008"])[0][1][:22]
    'J. Li, J. P. Fine, ROC'
    """
    known = list(texts)
    return [each for each in REFERENCES.items() if any(each[0] in text for text in known)]
