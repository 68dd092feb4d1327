"""Settings of all tests."""

from hypothesis import settings

# The first example of a compiled function waits for the compiler, and machines are noisy.
settings.register_profile("polyroc", deadline=None)
settings.load_profile("polyroc")
