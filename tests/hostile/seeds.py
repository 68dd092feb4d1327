"""Valid files of every kind that polyroc reads, small, from which hostile ones are made."""

import gzip
import io
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from polyroc.inference._study import checkpoint as studies
from polyroc.inference._study.plan import plan_of
from polyroc.inference._study.splits import Finished
from polyroc.scale import PairSummary
from polyroc.surface import KnnModel, LinearModel, MlpModel, RocSurface, ScoreModel, search
from polyroc.surface import _checkpoint as searches
from polyroc.surface._evolution import Evolution, Settings
from polyroc.surface.models.model import Model

LABELS = ("a", "b", "c")
Y = np.array([*"abcabcabc"])
P = np.array([[0.7, 0.2, 0.1], [0.2, 0.5, 0.3], [0.1, 0.3, 0.6]] * 2 + [[0.2, 0.3, 0.5]] * 3)
X = np.array([[0.0, 1.5], [1.0, 0.5], [2.0, 0.0], [0.5, 1.0], [1.5, 0.5], [2.5, 1.0]] * 2)
Y_OF_X = np.array([*"abcabc"] * 2)


def columns() -> dict[str, Any]:
    """A table of predictions with weights and groups."""
    scores = {f"p_{label}": P[:, k] for k, label in enumerate(LABELS)}
    return {"y": Y, **scores, "weight": np.arange(1.0, 10.0), "patient": np.arange(9) // 2}


@cache
def csv() -> tuple[bytes, ...]:
    table = columns()
    rows = zip(*(values.tolist() for values in table.values()), strict=True)
    lines = [",".join(table), *(",".join(map(str, row)) for row in rows)]
    text = "\n".join(lines)
    models = "truth;m:1;m:2;n:1;n:2\n1;0.5;0.5;0,1;0.9\n2;.1;.9;nan;1e9\n"
    quoted = '"y","p ""x""","p z"\n"""x""",1,2\n"z",3,"4"\n'
    return (
        text.encode(),
        text.encode("utf-16"),
        gzip.compress(text.encode(), mtime=0),
        models.encode(),
        quoted.encode(),
        b"\xef\xbb\xbfclass\tscore\r\n0\t.5\r\n1\t.7\r\n",
    )


@cache
def npz() -> tuple[bytes, ...]:
    made = []
    for save in (np.savez, np.savez_compressed):
        file = io.BytesIO()
        save(file, y_true=Y, forest=P, labels=np.array(LABELS), weight=np.arange(1.0, 10.0))
        made.append(file.getvalue())
    return tuple(made)


def _arrow() -> Any:
    import pyarrow as pa

    return pa.table(columns())


@cache
def parquet() -> tuple[bytes, ...]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    made = []
    options: list[dict[str, Any]] = [
        {"compression": "none", "use_dictionary": False},
        {"compression": "snappy"},
        {"compression": "zstd", "data_page_version": "2.0", "row_group_size": 4},
        {"compression": "gzip", "store_schema": False, "use_byte_stream_split": ["p_a"]},
    ]
    for each in options:
        file = pa.BufferOutputStream()
        pq.write_table(_arrow(), file, **{"use_dictionary": ["y"], **each})
        made.append(file.getvalue().to_pybytes())
    return tuple(made)


@cache
def arrow() -> tuple[bytes, ...]:
    import pyarrow as pa

    table, made = _arrow(), []
    coded = table.set_column(0, "y", table.column("y").dictionary_encode())
    for content in (table, coded):
        for kind in (pa.ipc.new_file, pa.ipc.new_stream):
            for compression in (None, "zstd", "lz4"):
                file = pa.BufferOutputStream()
                options = pa.ipc.IpcWriteOptions(compression=compression)
                with kind(file, content.schema, options=options) as writer:
                    writer.write_table(content, max_chunksize=5)
                made.append(file.getvalue().to_pybytes())
    return tuple(made)


@cache
def models() -> tuple[Model, ...]:
    """A model of each kind."""
    return (
        ScoreModel(Y, P),
        KnnModel(X, Y_OF_X),
        LinearModel(X, Y_OF_X),
        MlpModel(X, Y_OF_X, hidden=2, fits=1),
    )


@cache
def surface() -> tuple[bytes, ...]:
    return tuple(_saved(_found(model)) for model in models())


def _found(model: Model) -> RocSurface:
    return search(model, generations=2, costs_per_generation=10, rng=1, progress=False)


def _saved(saver: Any, *arguments: Any) -> bytes:
    """The file that an object saves itself to."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "file")
        saver.save(path, *arguments)
        return path.read_bytes()


def evolution(model: Model) -> Evolution:
    """A search that has not begun."""
    return Evolution(model, Settings(10, "pairs", "inherit", None), seed=1, n_threads=1)


def searched() -> tuple[Model, Model]:
    """A model without parameters and one with some, whose searches are saved."""
    return models()[0], models()[2]


@cache
def search_checkpoint() -> tuple[bytes, ...]:
    made = []
    for model in searched():
        running = evolution(model)
        running.begin()
        for _ in range(2):
            running.advance()
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "file")
            searches.save(searches.checkpoint_of(path), running)
            made.append(path.read_bytes())
    return tuple(made)


def finished() -> Finished:
    """A study that has not begun."""
    from sklearn.naive_bayes import GaussianNB

    learners = {"bayes": GaussianNB(), "other": GaussianNB(var_smoothing=0.1)}
    plan = plan_of(learners, X, Y_OF_X, 0.5, ["hand_till", "vus"], None)
    return Finished(plan, 7)


@cache
def study_checkpoint() -> tuple[bytes, ...]:
    done = finished()
    done.values.update({0: np.array([[0.5, 0.6], [0.7, np.nan]]), 3: np.ones((2, 2))})
    done.reasons[("other", "vus")] = "it does not exist"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "file")
        studies.save(studies.checkpoint_of(path), done)
        return (path.read_bytes(),)


@cache
def summary() -> tuple[bytes, ...]:
    plain = PairSummary(list(LABELS), mantissa_bits=2).update(Y, P)
    margins = PairSummary(list(LABELS), mantissa_bits=2, auc_mu=True).update(Y, P, np.arange(1, 10))
    one = PairSummary([0, 1], mantissa_bits=1).update([0, 1, 1], [0.2, 0.4, 0.4])
    return plain.to_bytes(), margins.to_bytes(), one.to_bytes()


@cache
def costs() -> tuple[bytes, ...]:
    return (
        b"[[0, 1, 2], [1, 0, 1], [5, 1, 0]]",
        b'{"a": {"b": 1, "c": 2}, "b": {"a": 0.5, "c": 1}, "c": {"a": 5, "b": 1}}',
    )
