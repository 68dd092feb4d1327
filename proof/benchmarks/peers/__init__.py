"""polyroc beside its peers: the same work, in the same run, after the numbers agreed."""
