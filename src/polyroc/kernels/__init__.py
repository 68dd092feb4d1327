"""Compiled inner loops: arrays in, arrays out, no validation, exact comparisons."""
