"""The command line: ``polyroc demo``, ``evaluate``, ``compare``, ``study``, ``surface``, ….

Modules here import nothing heavy at their top, so that ``polyroc --help`` answers at once.
"""

try:
    from polyroc.cli.program import main
except KeyboardInterrupt:  # before the program can say so itself
    raise SystemExit(130) from None

__all__ = ["main"]
