"""Expected utility."""
