"""Settings of all tests."""

from hypothesis import settings

# The first example of a compiled function waits for the compiler, and machines are noisy.
settings.register_profile("polyroc", deadline=None)
settings.load_profile("polyroc")

# ``pytest --hypothesis-profile long`` takes the place of the one above: the option is read after
# this file. Tests that say how many examples they want by ``differential.data_sets.examples``, or
# not at all, try twenty times as many.
settings.register_profile("long", deadline=None, max_examples=20 * settings().max_examples)
