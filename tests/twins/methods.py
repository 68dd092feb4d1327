"""Methods of comparison and designs by name."""

from polyroc import Bootstrap, Design, Influence, Permutation


def method_of(name, replicates, rng=None):
    if name == "influence":
        return Influence()
    return {"bootstrap": Bootstrap, "permutation": Permutation}[name](replicates, rng)


def designed(options):
    """Options of evaluate, where those of a design are given one by one."""
    names = [name for name in ("groups", "sampling", "weights") if name in options]
    rest = {name: value for name, value in options.items() if name not in names}
    return {**rest, "groups": Design(**{name: options[name] for name in names})}
