"""Planning: how many cases of each class a study needs, or what given numbers of them reach.

``variation`` is how much each class contributes to the variance of a value: from a pilot, from
Obuchowski's formula, or (``gaussian``) from assumed pair AUCs. ``reach`` turns it into half-widths
and power, ``allocation`` into cases of each class, ``readers`` plans reader studies, ``plan`` is
what a user calls and ``result`` what a user sees.
"""

from polyroc.inference._planning.allocation import Prices
from polyroc.inference._planning.plan import plan
from polyroc.inference._planning.result import Plan

__all__ = ["Plan", "Prices", "plan"]
