"""Statistics: what metrics are functions of. Each is computed once for given predictions."""
