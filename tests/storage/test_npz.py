"""Files of arrays: whole at every moment, and never unpickled."""

from pathlib import Path

import numpy as np
import pytest

from polyroc._storage import atomic
from polyroc._storage.atomic import previous_of
from polyroc._storage.npz import read_arrays, write_arrays
from polyroc.errors import InvalidInput


def names(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


def test_what_is_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "file.npz"
    arrays = {"a": np.arange(3), "b": np.eye(2)}
    write_arrays(path, "polyroc test 1", {"names": ["ä", "<b>"]}, arrays)
    header, found = read_arrays(path, "polyroc test 1", "a test")
    assert header["names"] == ["ä", "<b>"]
    assert all(np.array_equal(found[name], arrays[name]) for name in arrays)
    assert names(tmp_path) == ["file.npz"]


def test_the_file_before_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "file.npz"
    for number in range(3):
        write_arrays(path, "polyroc test 1", {"number": number}, {}, keep_previous=True)
    assert read_arrays(path, "polyroc test 1", "a test")[0]["number"] == 2
    assert read_arrays(previous_of(path), "polyroc test 1", "a test")[0]["number"] == 1
    assert names(tmp_path) == ["file.npz", "file.npz.polyroc-previous"]


def test_without_links_the_file_before_is_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError("no links here")

    monkeypatch.setattr(atomic.os, "link", refuse)
    test = tmp_path / "file.npz"
    for number in range(2):
        write_arrays(test, "polyroc test 1", {"number": number}, {}, keep_previous=True)
    assert read_arrays(previous_of(test), "polyroc test 1", "a test")[0]["number"] == 0


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"\x93NUMPY", b"{}"])
def test_other_files_are_refused_in_one_line(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "file.npz"
    path.write_bytes(content)
    with pytest.raises(InvalidInput, match="is not a test") as caught:
        read_arrays(path, "polyroc test 1", "a test")
    assert "\n" not in str(caught.value)


def test_another_schema_pickles_and_folders_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "file.npz"
    write_arrays(path, "polyroc test 2", {}, {})
    with pytest.raises(InvalidInput, match="its schema is 'polyroc test 2'"):
        read_arrays(path, "polyroc test 1", "a test")
    np.savez(path, header=np.array([object()], dtype=object))
    with pytest.raises(InvalidInput, match="is not a test"):
        read_arrays(path, "polyroc test 1", "a test")
    with pytest.raises(InvalidInput, match="is not a test"):
        read_arrays(tmp_path, "polyroc test 1", "a test")
