"""The command line: ``polyroc demo``, ``evaluate``, ``compare``, ``study``, ``surface``, ….

Modules here import nothing heavy at their top, so that ``polyroc --help`` answers at once.
"""

from polyroc.cli.program import main

__all__ = ["main"]
