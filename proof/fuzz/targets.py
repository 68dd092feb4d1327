"""What is fuzzed: files of every kind, Python objects, and the arguments of commands."""

import io
import random
import warnings
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import atheris
from hostile import calls, commands, crafted, objects
from hostile.child import warm_up
from hostile.loaders import LOADERS
from hostile.mutations import mutated, rebuilt
from hostile.oracle import outcome

Mutator = Callable[[bytes, int, int], bytes]


class Target(NamedTuple):
    """A function of bytes, inputs to begin with, and how they are changed."""

    run: Callable[[bytes], None]
    seeds: Sequence[bytes]
    mutate: Mutator | None = None


def target_of(name: str, folder: Path) -> Target:
    """The target of a name, which keeps its files in a folder."""
    if name == "predictions":
        return _predictions()
    if name == "cli_arguments":
        return _arguments(folder)
    return _file(name, folder / "file")


# Files


def _file(name: str, path: Path) -> Target:
    loader = LOADERS[name]
    warm_up(name, path)
    seeds = loader.seeds()

    def run(data: bytes) -> None:
        path.write_bytes(data)
        outcome(lambda: loader.read(path), path)

    def mutate(data: bytes, most: int, seed: int) -> bytes:
        chance = random.Random(seed)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of members that an archive holds twice
                return _changed(data, seeds, most, chance)
        except Exception:  # no longer an archive
            return atheris.Mutate(data, most)

    return Target(run, seeds, mutate)


def _changed(data: bytes, seeds: Sequence[bytes], most: int, chance: random.Random) -> bytes:
    """Bytes changed by libFuzzer or by us, or a member of an archive with its checksum right."""
    if data.startswith(b"PK") and chance.random() < 0.7:
        changed = rebuilt(data, chance) if chance.random() < 0.4 else _member_changed(data, chance)
        return changed[:most]
    if chance.random() < 0.2:
        return mutated(data, chance.choice(seeds), chance)[:most]
    return atheris.Mutate(data, most)


def _member_changed(data: bytes, chance: random.Random) -> bytes:
    members = crafted.opened(data)
    name = chance.choice(list(members))
    members[name] = atheris.Mutate(members[name], len(members[name]) + 64)
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for each, content in members.items():
            archive.writestr(each, content)
    return file.getvalue()


# Objects

TYPES = ["f8", "f4", "f2", "i8", "i2", "u8", "u1", "?", ">f8", ">i4", "c8", "S2", "M8[D]", "f16"]


def _predictions() -> Target:
    known = calls.calls()
    read = tuple(map(calls.file_of, ("csv", "parquet", "surface")))
    for call in known.values():
        outcome_of_base(call)
    known["hum"].function(**known["hum"].arguments, n_tuples=10)

    def run(data: bytes) -> None:
        provider = atheris.FuzzedDataProvider(data)
        name = provider.PickValueInList(list(known))
        parameter = provider.PickValueInList(known[name].parameters)
        value = _object(provider)
        if not calls.takes_long(parameter, value):
            outcome(known[name].with_odd(parameter, value), *read)

    chance = random.Random(1)
    return Target(run, [chance.randbytes(size) for size in (8, 16, 32, 64, 128) for _ in range(8)])


def outcome_of_base(call: Any) -> None:
    """Call a function as it is meant, so that all it needs is loaded."""
    from contextlib import suppress

    from polyroc.errors import NotDefined

    with suppress(NotDefined):
        repr(call.function(**call.arguments))


def _object(provider: Any, depth: int = 0) -> Any:
    """A Python object: odd, random, or made of others."""
    kind = provider.ConsumeIntInRange(0, 9 if depth < 3 else 6)
    if kind == 0:
        return provider.PickValueInList(list(objects.NUMBERS))
    if kind == 1:
        return provider.PickValueInList(list(objects.WORDS))
    if kind == 2:
        made = provider.PickValueInList(list(objects.MAKERS))()
        return _part(made) if depth else made
    if kind == 3:
        return provider.ConsumeInt(provider.ConsumeIntInRange(1, 9))
    if kind == 4:
        return provider.ConsumeFloat()
    if kind == 5:
        return provider.ConsumeUnicode(provider.ConsumeIntInRange(0, 12))
    if kind == 6:
        return _array(provider)
    inside = [_object(provider, depth + 1) for _ in range(provider.ConsumeIntInRange(0, 9))]
    if kind == 7:
        return inside
    return tuple(inside) if kind == 8 else dict(enumerate(inside))


def _part(made: Any) -> Any:
    """A corner of a large view, which takes no memory, while each of its copies in a list does."""
    import numpy as np

    return made[:3, :3] if isinstance(made, np.ndarray) and made.size > 10**6 else made


def _array(provider: Any) -> Any:
    """An array of any type and shape, from bytes."""
    import numpy as np

    kind = np.dtype(provider.PickValueInList(TYPES))
    shape = [provider.ConsumeIntInRange(0, 9) for _ in range(provider.ConsumeIntInRange(0, 3))]
    size = int(np.prod(shape)) * kind.itemsize
    content = provider.ConsumeBytes(size).ljust(size, b"\0")
    return np.frombuffer(content, dtype=kind).reshape(shape)


# Commands


class Choices(random.Random):
    """Random choices that follow from bytes, so that libFuzzer can learn which lead on."""

    def __init__(self, provider: Any) -> None:
        self.provider = provider
        super().__init__(0)

    def random(self) -> float:
        return self.provider.ConsumeIntInRange(0, 2**24 - 1) / 2**24

    def getrandbits(self, k: int) -> int:
        return self.provider.ConsumeIntInRange(0, 2**k - 1) if k else 0

    def sample(self, population: Any, k: int) -> list[Any]:  # type: ignore[override]
        """Without drawing until something is new, which never ends where the bytes have ended."""
        left = list(population)
        return [left.pop(self.randrange(len(left))) for _ in range(k)]


def _arguments(folder: Path) -> Target:
    files = commands.fill(folder)
    commands.warm_up(folder)
    before = {name: (folder / name).read_bytes() for name in files}

    def run(data: bytes) -> None:
        commands.call(commands.arguments(Choices(atheris.FuzzedDataProvider(data)), files), folder)
        for path in folder.iterdir():
            if path.name not in before:
                path.unlink()
            elif path.read_bytes() != before[path.name]:
                path.write_bytes(before[path.name])

    chance = random.Random(1)
    return Target(run, [chance.randbytes(64) for _ in range(40)])
