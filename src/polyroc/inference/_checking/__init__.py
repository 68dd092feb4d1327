"""``check``: does a classifier meet requirements, beyond what chance allows for?"""

from polyroc.inference._checking.check import check
from polyroc.inference._checking.result import Check, Checked

__all__ = ["Check", "Checked", "check"]
