"""A summary as a file: arrays and a JSON text in an uncompressed NPZ, never pickles.

What is read is not trusted. Sizes are checked before memory is set aside, and every number before
it is used, so that a crafted file is refused with a reason.
"""

from collections.abc import Iterable
from math import comb
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from polyroc._base.checks import reason_of
from polyroc._storage.npz import (
    Arrays,
    arrays_from_bytes,
    arrays_to_bytes,
    read_arrays,
    write_arrays,
)
from polyroc.errors import InvalidInput
from polyroc.predictions._scores import SUM_TOLERANCE
from polyroc.scale._batch import check_weights
from polyroc.scale._class_sums import digits_are_sound
from polyroc.scale._codes import LEAST_BITS, MOST_BITS, highest_code, ordered_codes
from polyroc.scale._histogram import EMPTY, ONE_VALUE, PAGE, PAGE_BITS, SEVERAL, Histogram
from polyroc.scale._room import NoRoom, check_room

if TYPE_CHECKING:
    from polyroc.scale._summary import PairSummary

SCHEMA = "polyroc pair summary 2"

_TYPES = {
    "counts": "i8",
    "weights": "f8",
    "digits": "i8",
    "weighted_sums": "f8",
    "sample_keys": "u8",
    "sample_codes": "i8",
    "sample_rows": "f8",
    "sample_weights": "f8",
    "lengths": "i8",
    "bin_codes": "i8",
    "bin_states": "u1",
    "bin_values": "f8",
    "bin_counts": "f8",
    "bin_extents": "f8",
}


def to_bytes(summary: "PairSummary") -> bytes:
    """The contents of a file."""
    return arrays_to_bytes(SCHEMA, *_packed(summary))


def save(summary: "PairSummary", path: Path) -> None:
    """Write a summary to a file, which is whole at every moment."""
    write_arrays(path, SCHEMA, *_packed(summary))


def _packed(summary: "PairSummary") -> tuple[dict[str, Any], Arrays]:
    """Header and arrays."""
    summary.sample.tidy()
    header = {
        "classes": list(summary.classes),
        "mantissa_bits": summary.mantissa_bits,
        "auc_mu": summary.auc_mu,
        "one_column": summary.one_column,
        "unit": summary.totals.unit,
        "weighted": summary.totals.weighted,
        "n_faulty": summary.sums.n_faulty,
    }
    sample = summary.sample
    arrays: Arrays = {
        "counts": summary.totals.counts,
        "weights": summary.totals.weights,
        "digits": summary.sums.digits,
        "weighted_sums": summary.sums.weighted,
        "sample_keys": sample.keys,
        "sample_codes": sample.codes,
        "sample_rows": sample.rows,
        "sample_weights": sample.weights,
        **_bins_packed(list(summary.histograms.values())),
    }
    return header, arrays


def _bins_packed(histograms: list[Histogram]) -> Arrays:
    """The bins of all histograms one after the other; counts bin by bin, a number per row."""
    codes, states, values, counts, extents = [], [], [], [], [np.empty((3, 0))]
    for histogram in histograms:
        bins = histogram.bins()
        slots = histogram.slots_of_codes(bins.codes)
        codes.append(bins.codes)
        states.append(histogram.state.reshape(-1)[slots])
        values.append(histogram.values.reshape(-1)[slots])
        counts.append(bins.counts.T.reshape(-1))
        if bins.extents is not None:
            extents.append(np.stack(bins.extents))
    return {
        "lengths": np.array([len(each) for each in codes], dtype=np.int64),
        "bin_codes": np.concatenate(codes),
        "bin_states": np.concatenate(states),
        "bin_values": np.concatenate(values),
        "bin_counts": np.concatenate(counts),
        "bin_extents": np.concatenate(extents, axis=1),
    }


def from_bytes(data: bytes, make: "type[PairSummary]") -> "PairSummary":
    """The summary in such contents."""
    try:
        return _restored(*arrays_from_bytes(data, SCHEMA, "The summary"), make)
    except (NoRoom, MemoryError):
        raise
    except Exception as error:  # what a crafted file holds may be wrong in any way
        raise InvalidInput(
            f"This is not a summary that can be read ({reason_of(error)}). Pass what "
            "PairSummary.save or to_bytes wrote."
        ) from error


def load(path: Path, make: "type[PairSummary]") -> "PairSummary":
    """The summary in a file."""
    header, arrays = read_arrays(path, SCHEMA, "a summary")
    try:
        return _restored(header, arrays, make)
    except (NoRoom, MemoryError):
        raise
    except Exception as error:
        raise InvalidInput(f"{path} is not a summary ({reason_of(error)}).") from error


def _restored(header: dict[str, Any], arrays: Arrays, make: "type[PairSummary]") -> "PairSummary":
    _check_types(arrays)
    _check_tables(header, arrays)
    options = {name: header[name] for name in ("mantissa_bits", "auc_mu")}
    summary = make(header["classes"], **options)
    _restore_totals(summary, header, arrays)
    _restore_sample(summary, arrays)
    _restore_bins(summary, arrays)
    most = (1 + SUM_TOLERANCE) * summary.totals.weights[:, None]  # no probability is above 1
    _require((summary.sums.totals() <= most).all(), "its sums are")
    return summary


def _check_types(arrays: Arrays) -> None:
    if sorted(arrays) != sorted(_TYPES):
        raise ValueError("its members are not those of a summary")
    for name, kind in _TYPES.items():
        if arrays[name].dtype != np.dtype(f"<{kind}"):
            raise ValueError(f"{name} has the type {arrays[name].dtype}")


def _check_tables(header: dict[str, Any], arrays: Arrays) -> None:
    """Whether the tables of so many classes and bins are in the file."""
    n_classes, bits = len(header["classes"]), header["mantissa_bits"]
    _require(type(bits) is int and LEAST_BITS <= bits <= MOST_BITS, "its resolution is")
    _require(arrays["digits"].shape == (3, n_classes, n_classes), "its sums are")
    n_tracks = n_classes + (comb(n_classes, 2) if header["auc_mu"] else 0)
    _require(arrays["lengths"].shape == (n_tracks,), "its bins are")


def _require(sound: object, what: str) -> None:
    if not sound:
        raise ValueError(f"{what} not sound")


def _restore_totals(summary: "PairSummary", header: dict[str, Any], arrays: Arrays) -> None:
    n_classes = len(summary.classes)
    unit, n_faulty, one_column = header["unit"], header["n_faulty"], header["one_column"]
    _require(type(unit) is int and abs(unit) <= 1 << 20, "its unit of weight is")
    _require(type(n_faulty) is int and n_faulty >= 0, "its number of faulty rows is")
    _require(one_column is None or type(one_column) is bool, "its number of columns is")
    _require(type(header["weighted"]) is bool, "its mark of weights is")
    _require(one_column is not True or n_classes == 2, "its number of columns is")
    for name in ("counts", "weights"):
        _require(arrays[name].shape == (n_classes,) and _counts(arrays[name]), f"its {name} are")
    heavy, light = arrays["weights"].max(), arrays["weights"][arrays["weights"] > 0].min(initial=1)
    _require(arrays["counts"].sum(dtype=object) < 1 << 62, "its counts are")
    _require(heavy <= 2.0**262 and light >= 2.0**-200, "its weights are")
    _require(((arrays["counts"] > 0) == (arrays["weights"] > 0)).all(), "its weights are")
    for name, shape in (("digits", (3,)), ("weighted_sums", ())):
        _require(arrays[name].shape == (*shape, n_classes, n_classes), "its sums are")
    _require(digits_are_sound(arrays["digits"]), "its sums are")
    _require(_counts(arrays["weighted_sums"]), "its sums are")
    summary.totals.counts, summary.totals.weights = arrays["counts"], arrays["weights"]
    summary.totals.unit, summary.totals.weighted = unit, header["weighted"]
    summary.sums.digits, summary.sums.weighted = arrays["digits"], arrays["weighted_sums"]
    summary.sums.n_faulty, summary.one_column = n_faulty, one_column


def _counts(values: NDArray[Any]) -> bool:
    return bool((np.isfinite(values) & (values >= 0)).all())


def _restore_sample(summary: "PairSummary", arrays: Arrays) -> None:
    keys, codes = arrays["sample_keys"], arrays["sample_codes"]
    rows, weights = arrays["sample_rows"], arrays["sample_weights"]
    n_classes = len(summary.classes)
    _require(keys.ndim == 1 and keys.shape == codes.shape == weights.shape, "its sample is")
    _require(rows.shape == (len(keys), n_classes) and np.isfinite(rows).all(), "its sample is")
    _require(((codes >= 0) & (codes < n_classes)).all(), "its sample is")
    _require((weights > 0).all(), "its sample is")
    check_weights(weights, len(keys))
    drawn = np.bincount(codes, minlength=n_classes)
    expected = np.minimum(summary.totals.counts, summary.sample.size)
    _require((drawn == expected).all(), "its sample is")
    sample = summary.sample
    sample.keys, sample.codes, sample.rows, sample.weights = keys, codes, rows, weights
    sample.tidy()


def _restore_bins(summary: "PairSummary", arrays: Arrays) -> None:
    lengths = arrays["lengths"]
    rows = np.array([each.n_rows for each in summary.histograms.values()])
    _require(lengths.shape == rows.shape and (lengths >= 0).all(), "its bins are")
    for name in ("bin_codes", "bin_states", "bin_values"):
        _require(arrays[name].shape == (lengths.sum(),), "its bins are")
    _require(arrays["bin_counts"].shape == ((lengths * rows).sum(),), "its bins are")
    bounds, cells = np.cumsum(lengths)[:-1], np.cumsum(lengths * rows)[:-1]
    split = [np.split(arrays[f"bin_{name}"], bounds) for name in ("codes", "states", "values")]
    counts = np.split(arrays["bin_counts"], cells)
    extents = _extents_of(summary, lengths, arrays["bin_extents"])
    parts = zip(summary.histograms.items(), *split, counts, extents, strict=True)
    _check_room(summary, split[0])
    for (track, histogram), codes, states, values, cell, extent in parts:
        per_bin = cell.reshape(len(codes), track.n_rows)
        _restore_histogram(histogram, codes, states, values, per_bin)
        if histogram.extents is not None:
            _restore_extents(histogram, codes, extent)
        held = histogram.counts.sum(axis=(0, 2))
        expected = summary.totals.weights[list(track.rows)]
        _require(np.allclose(held, expected, rtol=1e-6, atol=0), "its counts are")


def _check_room(summary: "PairSummary", codes_of_tracks: Iterable[NDArray[np.int64]]) -> None:
    """Whether the memory suffices: a page is made for each bin in it, as when it was counted."""
    parts = zip(summary.histograms.values(), codes_of_tracks, strict=True)
    pages = ((each, np.unique(codes >> PAGE_BITS).size) for each, codes in parts)
    check_room(len(summary.classes), sum(each.room_for(number) for each, number in pages))


def _restore_histogram(
    histogram: Histogram,
    codes: NDArray[np.int64],
    states: NDArray[np.uint8],
    values: NDArray[np.float64],
    counts: NDArray[np.float64],
) -> None:
    _require((np.diff(codes) > 0).all(), "the order of its bins is")
    _require((np.abs(codes) <= highest_code(histogram.mantissa_bits)).all(), "its bins are")
    _require(np.isin(states, (ONE_VALUE, SEVERAL)).all() and EMPTY not in states, "its bins are")
    _require(_counts(counts) and (counts.sum(axis=1) > 0).all(), "its counts are")
    one = states == ONE_VALUE
    _require(np.isfinite(values).all() and not values[~one].any(), "its values are")
    remembered = ordered_codes(values[one], histogram.mantissa_bits)
    _require((remembered == codes[one]).all(), "its values are")
    histogram.make_pages(np.unique(codes >> PAGE_BITS))
    pages, inside = np.divmod(histogram.slots_of_codes(codes), PAGE)
    histogram.counts[pages, :, inside] = counts
    histogram.state[pages, inside] = states
    histogram.values[pages, inside] = values


def _extents_of(
    summary: "PairSummary", lengths: NDArray[np.int64], extents: NDArray[np.float64]
) -> list[NDArray[np.float64]]:
    """The extents of the bins of each histogram, none for those that keep none."""
    computed = [each.extents is not None for each in summary.histograms.values()]
    held = np.where(computed, lengths, 0)
    _require(extents.shape == (3, held.sum()), "its extents are")
    return np.split(extents, np.cumsum(held)[:-1], axis=1)


def _restore_extents(
    histogram: Histogram, codes: NDArray[np.int64], extents: NDArray[np.float64]
) -> None:
    low, high, slack = extents
    _require(np.isfinite(extents).all() and (low <= high).all(), "its extents are")
    _require((slack >= 0).all(), "its extents are")
    for each in (low, high):
        found = ordered_codes(each.copy(), histogram.mantissa_bits)
        _require((found == codes).all(), "its extents are")
    pages, inside = np.divmod(histogram.slots_of_codes(codes), PAGE)
    one = histogram.state[pages, inside] == ONE_VALUE
    _require(((low == high) == one).all(), "its extents are")
    assert histogram.extents is not None
    for array, values in zip(histogram.extents.arrays(), extents, strict=True):
        array[pages, inside] = values
