"""What a stored summary may hold: each number at its limit is read, one beyond is refused."""

from __future__ import annotations

import io
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from polyroc.errors import InvalidInput
from polyroc.scale import PairSummary, _room
from polyroc.scale._codes import highest_code, ordered_codes
from polyroc.scale._room import NoRoom

Change = Callable[[dict[str, Any], dict[str, np.ndarray]], None]


def cases(n: int = 40) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(2)
    return np.r_[0, 1, 2, rng.integers(0, 3, n - 3)], rng.dirichlet(np.ones(3), n)


def example(weighted: bool = False, **options: Any) -> PairSummary:
    y, p = cases()
    w = np.random.default_rng(3).uniform(0.5, 2, len(y)) if weighted else None
    return PairSummary([0, 1, 2], **options).update(y, p, w)


def changed(summary: PairSummary, change: Change) -> bytes:
    """The contents of a file with its header or arrays changed, checksums right."""
    with np.load(io.BytesIO(summary.to_bytes())) as file:
        arrays = {key: file[key].copy() for key in file.files}
    header = json.loads(bytes(arrays.pop("header")).decode())
    change(header, arrays)
    stream = io.BytesIO()
    np.savez(stream, header=np.frombuffer(json.dumps(header).encode(), dtype=np.uint8), **arrays)
    return stream.getvalue()


def told(summary: PairSummary, change: Change) -> str:
    """Why such contents are refused."""
    with pytest.raises(InvalidInput) as caught:
        PairSummary.from_bytes(changed(summary, change))
    text = str(caught.value)
    before, after = (
        "This is not a summary that can be read (",
        ("). Pass what PairSummary.save or to_bytes wrote."),
    )
    assert text.startswith(before) and text.endswith(after)
    return text.removeprefix(before).removesuffix(after)


def in_header(**values: Any) -> Change:
    return lambda header, arrays: header.update(values)


def in_array(name: str, index: Any, value: Any) -> Change:
    def change(header: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        arrays[name][index] = value

    return change


def replaced(name: str, make: Callable[[np.ndarray], np.ndarray]) -> Change:
    def change(header: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        arrays[name] = make(arrays[name])

    return change


@pytest.mark.parametrize(
    ("header", "reason"),
    [
        ({"mantissa_bits": 0}, "its resolution is not sound"),
        ({"mantissa_bits": 15}, "its resolution is not sound"),
        ({"mantissa_bits": 10.0}, "its resolution is not sound"),
        ({"mantissa_bits": True}, "its resolution is not sound"),
        ({"classes": [0, 1]}, "its sums are not sound"),
        ({"classes": [0, 1, 2, 3]}, "its sums are not sound"),
        ({"auc_mu": True}, "its bins are not sound"),
        ({"unit": (1 << 20) + 1}, "its unit of weight is not sound"),
        ({"unit": -(1 << 20) - 1}, "its unit of weight is not sound"),
        ({"unit": 0.0}, "its unit of weight is not sound"),
        ({"n_faulty": -1}, "its number of faulty rows is not sound"),
        ({"n_faulty": 1.0}, "its number of faulty rows is not sound"),
        ({"one_column": 0}, "its number of columns is not sound"),
        ({"one_column": True}, "its number of columns is not sound"),
        ({"weighted": 1}, "its mark of weights is not sound"),
        ({"weighted": None}, "its mark of weights is not sound"),
    ],
)
def test_headers_that_are_not_sound(header: dict[str, Any], reason: str) -> None:
    assert told(example(), in_header(**header)) == reason


@pytest.mark.parametrize(
    "header",
    [
        {"unit": 1 << 20},
        {"unit": -(1 << 20)},
        {"n_faulty": 0},
        {"n_faulty": 7},
        {"one_column": None},
    ],
)
def test_headers_at_the_limits_are_read(header: dict[str, Any]) -> None:
    read = PairSummary.from_bytes(changed(example(), in_header(**header)))
    found = {"unit": read.totals.unit, "n_faulty": read.sums.n_faulty}
    found["one_column"] = read.one_column
    assert {name: found[name] for name in header} == header


def test_what_is_read_is_what_was_stored() -> None:
    """Every part of a summary, not only its bytes."""
    for weighted in (False, True):
        summary = example(weighted, auc_mu=True, mantissa_bits=6)
        read = PairSummary.from_bytes(summary.to_bytes())
        assert (read.classes, read.mantissa_bits, read.auc_mu) == ((0, 1, 2), 6, True)
        assert read.totals.weighted is weighted and read.totals.unit == summary.totals.unit
        assert read.one_column is False and read.n_cases == 40
        assert read.totals.weights.tolist() == summary.totals.weights.tolist()
        assert read.class_means().tobytes() == summary.class_means().tobytes()
        for one, other in zip(read.pairwise_auc(), summary.pairwise_auc(), strict=True):
            assert one.tobytes() == other.tobytes()
        assert repr(read.compute("all")) == repr(summary.compute("all"))
        for track, histogram in summary.histograms.items():
            again = read.histograms[track].bins()
            for name, mine, theirs in zip(again._fields, again, histogram.bins(), strict=True):
                assert (mine is None) == (theirs is None), name
                if mine is not None:
                    assert np.array_equal(mine, theirs), name
    column = PairSummary(["a", "b"]).update(["a", "b"], [0.1, 0.7])
    assert PairSummary.from_bytes(column.to_bytes()).one_column is True
    assert PairSummary.from_bytes(PairSummary([3, 5]).to_bytes()).one_column is None
    faulty = example().update([0], [[3.0, 1.0, 1.0]])
    assert PairSummary.from_bytes(faulty.to_bytes()).sums.n_faulty == 1


def test_summaries_that_were_read_take_more_cases() -> None:
    y, p = cases()
    stored = PairSummary.from_bytes(PairSummary(range(3)).update(y[:25], p[:25]).to_bytes())
    assert stored.update(y[25:], p[25:]).to_bytes() == example().to_bytes()
    other = PairSummary.from_bytes(PairSummary(range(3)).update(y[25:], p[25:]).to_bytes())
    first = PairSummary.from_bytes(PairSummary(range(3)).update(y[:25], p[:25]).to_bytes())
    for one, expected in zip(
        other.merge(first).pairwise_auc(), example().pairwise_auc(), strict=True
    ):
        assert one.tobytes() == expected.tobytes()


def test_members_and_types_of_arrays() -> None:
    def more(header: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        arrays["more"] = np.zeros(2)

    def fewer(header: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        del arrays["bin_extents"]

    for change in (more, fewer):
        assert told(example(), change) == "its members are not those of a summary"
    for name, kind in (("bin_values", "<f4"), ("sample_keys", "<i8"), ("counts", ">i8")):
        reason = told(example(), replaced(name, lambda array, kind=kind: array.astype(kind)))
        assert reason == f"{name} has the type {np.dtype(kind)}"


def test_sums_of_weights_have_limits() -> None:
    """A class weighs nothing, or between 2^-200 and 2^262."""

    def scaled(factor: float) -> Change:
        def change(header: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
            arrays["weights"][:] = factor
            arrays["bin_counts"][:] *= 0

        return change

    for factor in (np.nextafter(2.0**262, np.inf), np.nextafter(2.0**-200, 0)):
        assert told(example(True), scaled(factor)) == "its weights are not sound"
    for factor in (2.0**262, 2.0**-200):  # only the bins do not agree with it
        assert told(example(True), scaled(factor)) == "its counts are not sound"
    assert told(example(), in_array("weights", 1, 0.0)) == "its weights are not sound"
    assert told(example(), in_array("counts", 1, 0)) == "its weights are not sound"
    assert told(example(), in_array("counts", 1, -1)) == "its counts are not sound"
    assert told(example(), in_array("counts", 1, 1 << 62)) == "its counts are not sound"
    heavy = in_array("counts", 1, (1 << 62) - 41)
    assert told(example(), heavy) == "its sample is not sound", "only the sample does not agree"


def test_sums_of_scores_that_are_not_sound() -> None:
    for weighted in (False, True):
        for value in (-1.0, -math.inf, math.inf, math.nan, 1e308, 41.0):
            change = in_array("weighted_sums", (0, 1), value)
            assert told(example(weighted), change) == "its sums are not sound"
    for name in ("digits", "weighted_sums"):
        assert told(example(), replaced(name, lambda array: array[..., :2])).endswith("not sound")


def test_no_sum_of_probabilities_is_above_the_weight_of_its_class() -> None:
    count = int(np.bincount(cases()[0])[1])
    PairSummary.from_bytes(changed(example(), in_array("digits", (0, 1, 2), count - 1)))
    beyond = in_array("digits", (0, 1, 2), count + 1)
    assert told(example(), beyond) == "its sums are not sound"


def test_samples_that_are_not_sound() -> None:
    def shorter(header: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        for name in ("sample_keys", "sample_codes", "sample_rows", "sample_weights"):
            arrays[name] = arrays[name][1:]

    def moved(header: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        codes = arrays["sample_codes"]
        codes[codes == 0] = 1

    def flat(header: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        for name in ("sample_keys", "sample_codes", "sample_weights"):
            arrays[name] = arrays[name][:, None]

    for change in (
        shorter,
        moved,
        flat,
        replaced("sample_keys", lambda array: array[:-1]),
        replaced("sample_weights", lambda array: array[:-1]),
        replaced("sample_rows", lambda array: array[:, :2]),
        in_array("sample_codes", 0, 3),
        in_array("sample_codes", 0, -1),
        in_array("sample_weights", 0, 0.0),
        in_array("sample_rows", (-1, 2), np.nan),
    ):
        assert told(example(), change) == "its sample is not sound"
    reason = told(example(), in_array("sample_weights", 0, 2.0**201))
    assert reason.startswith("sample_weight contains")


def test_samples_are_in_order_after_reading() -> None:
    def reversed_(header: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        for name in ("sample_keys", "sample_codes", "sample_rows", "sample_weights"):
            arrays[name] = arrays[name][::-1]

    assert PairSummary.from_bytes(changed(example(), reversed_)).to_bytes() == example().to_bytes()


def test_large_samples_keep_their_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("polyroc.scale._sample.CASES_PER_CLASS", 5)
    monkeypatch.setattr("polyroc.scale._sample.FEWEST_CASES", 5)
    summary = example()
    summary.sample.tidy()
    assert np.bincount(summary.sample.codes).tolist() == [5, 5, 5]
    read = PairSummary.from_bytes(summary.to_bytes())
    assert read.sample.keys.tolist() == summary.sample.keys.tolist()


@pytest.mark.parametrize(
    ("name", "index", "value", "reason"),
    [
        ("bin_states", 0, 0, "its bins are"),
        ("bin_states", 0, 3, "its bins are"),
        ("bin_counts", 0, -1.0, "its counts are"),
        ("bin_counts", 0, np.inf, "its counts are"),
        ("bin_counts", slice(0, 3), 0.0, "its counts are"),
        ("bin_values", 0, np.inf, "its values are"),
        ("bin_values", 0, 0.77, "its values are"),
        ("lengths", 0, -1, "its bins are"),
    ],
)
def test_bins_that_are_not_sound(name: str, index: Any, value: Any, reason: str) -> None:
    assert told(example(), in_array(name, index, value)) == f"{reason} not sound"


def test_order_and_range_of_bins() -> None:
    def swapped(header: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        arrays["bin_codes"][[0, 1]] = arrays["bin_codes"][[1, 0]]

    def twice(header: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        arrays["bin_codes"][1] = arrays["bin_codes"][0]

    for change in (swapped, twice):
        assert told(example(), change) == "the order of its bins is not sound"
    last = example().histograms
    n_first = len(next(iter(last.values())).bins().codes)
    beyond = in_array("bin_codes", n_first - 1, highest_code(10) + 1)
    assert told(example(), beyond) == "its bins are not sound"
    largest = np.finfo(np.float64).max
    extreme = PairSummary([0, 1]).update([0, 1], [[largest, 0.0], [-largest, 1.0]])
    assert PairSummary.from_bytes(extreme.to_bytes()).to_bytes() == extreme.to_bytes()
    assert ordered_codes(np.array([-largest]), 10)[0] == -highest_code(10)


def test_bins_of_several_values_remember_none() -> None:
    p = np.array([[0.3, 0.7], [np.nextafter(0.3, 1), 0.7], [0.3, 0.7]])
    summary = PairSummary([0, 1]).update([0, 1, 1], p)
    several = int(np.flatnonzero(next(iter(summary.histograms.values())).bins().one_value == 0)[0])
    value = in_array("bin_values", several, 0.3)
    assert told(summary, value) == "its values are not sound"


def test_lengths_and_counts_of_bins_agree() -> None:
    def one_more(header: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        arrays["lengths"][0] += 1

    def moved(header: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        arrays["lengths"][:2] += [1, -1]

    def below(header: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        arrays["lengths"][:2] += (arrays["lengths"][0] + 1) * np.array([-1, 1])

    for change in (one_more, below):
        assert told(example(), change) == "its bins are not sound"
    assert told(example(), moved).endswith("not sound")
    for name in ("bin_codes", "bin_states", "bin_values", "bin_counts"):
        shorter = replaced(name, lambda array: array[:-1])
        assert told(example(), shorter) == "its bins are not sound"
    assert (
        told(example(), replaced("lengths", lambda array: array[:-1])) == "its bins are not sound"
    )


def test_bins_hold_the_weight_of_their_class() -> None:
    """Up to rounding, a millionth."""

    def heavier(share: float) -> Change:
        def change(header: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
            arrays["bin_counts"] *= 1 + share

        return change

    assert PairSummary.from_bytes(changed(example(True), heavier(9e-7))).n_cases == 40
    for share in (1.2e-6, 8e-6, -1.2e-6):
        assert told(example(True), heavier(share)) == "its counts are not sound"
    light = PairSummary([0, 1]).update([0, 1], [[0.5, 0.5], [0.25, 0.75]], [2.0**-60, 2.0**-61])
    assert told(light, heavier(1.2e-6)) == "its counts are not sound", "however little they weigh"


def test_no_bin_is_empty_or_holds_less_than_nothing() -> None:
    """Even where each class and each bin has its weight, or each class alone."""

    def below(header: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        arrays["bin_counts"][:6] += [50, -50, 0, -50, 50, 0]

    def emptied(header: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        counts = arrays["bin_counts"]
        counts[3:6] += counts[:3]
        counts[:3] = 0

    for change in (below, emptied):
        assert told(example(), change) == "its counts are not sound"


def margins_example() -> PairSummary:
    return example(auc_mu=True)


def test_extents_of_margins_that_are_not_sound() -> None:
    n = PairSummary.from_bytes(margins_example().to_bytes())
    held = sum(len(h.bins().codes) for h in n.histograms.values() if h.extents is not None)
    for change in (
        replaced("bin_extents", lambda array: array[:, :-1]),
        replaced("bin_extents", lambda array: array[:2]),
        in_array("bin_extents", (0, 0), np.inf),
        in_array("bin_extents", (1, held - 1), np.nan),
        in_array("bin_extents", (0, 0), 5.0),
        in_array("bin_extents", (1, 0), 5.0),
        in_array("bin_extents", (2, 0), -1e-9),
        in_array("bin_extents", (2, held - 1), np.inf),
    ):
        assert told(margins_example(), change) == "its extents are not sound"

    def wider(header: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        arrays["bin_extents"][1, 0] = np.nextafter(arrays["bin_extents"][1, 0], np.inf)

    assert told(margins_example(), wider) == "its extents are not sound", "one value has no width"
    assert (
        PairSummary.from_bytes(
            changed(margins_example(), in_array("bin_extents", (2, 0), 0.0))
        ).n_cases
        == 40
    )


def test_summaries_too_large_for_the_memory(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Three quarters of the memory may be taken, no byte more."""
    summary, path = example(), tmp_path / "summary.npz"
    data = summary.to_bytes()
    summary.save(path)
    need = summary.nbytes
    monkeypatch.setattr(_room, "memory_of_machine", lambda: need * 4 / 3 + 2)
    assert PairSummary.from_bytes(data).nbytes == need
    assert PairSummary.load(path).nbytes == need
    monkeypatch.setattr(_room, "memory_of_machine", lambda: need * 4 / 3 - 2)
    for read in (lambda: PairSummary.from_bytes(data), lambda: PairSummary.load(path)):
        with pytest.raises(NoRoom, match=r"^The summary of 3 classes needs .*, and this process"):
            read()
    with pytest.raises(NoRoom, match="A smaller mantissa_bits= makes it smaller"):
        example()


def test_files_that_are_no_summaries_are_named(tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    path.write_bytes(changed(example(), in_header(n_faulty=-1)))
    with pytest.raises(InvalidInput) as caught:
        PairSummary.load(path)
    assert str(caught.value) == f"{path} is not a summary (its number of faulty rows is not sound)."


def test_memory_that_runs_out_is_no_fault_of_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*arguments: Any) -> None:
        raise MemoryError

    data = example().to_bytes()
    monkeypatch.setattr("polyroc.scale._storage._restore_bins", full)
    with pytest.raises(MemoryError):
        PairSummary.from_bytes(data)
