"""Displays are tested without a screen."""

import matplotlib as mpl

mpl.use("Agg")
