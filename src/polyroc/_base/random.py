"""Seeds and streams: what makes a random result repeatable, on any number of threads."""

import numpy as np

from polyroc._base.checks import generator_of
from polyroc.typing import RandomState


def seed_of(rng: RandomState) -> int:
    """A whole number that reproduces the replicates: the one given, or one drawn."""
    if isinstance(rng, (int, np.integer)) and rng >= 0:
        return int(rng)
    return int(generator_of(rng).integers(2**63))


def stream(seed: int, replicate: int) -> np.random.Generator:
    """The generator of one replicate."""
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence((seed, replicate))))
