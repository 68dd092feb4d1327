"""Every writer with its reader, over generated sizes: what is written is read, bit for bit.

Files may grow a hundredfold in memory only beyond 1 GiB. Here the room without a limit is 1 kB, so
that small files stand for large ones.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli.running import run

from polyroc._storage import limits
from polyroc.datasets import example_predictions
from polyroc.inference import evaluate
from polyroc.inference._study import checkpoint as study_checkpoint
from polyroc.inference._study.plan import plan_of
from polyroc.inference._study.splits import Finished
from polyroc.readers import read_predictions
from polyroc.scale import PairSummary
from polyroc.surface import KnnModel, LinearModel, MlpModel, RocSurface, ScoreModel
from polyroc.surface import _checkpoint as checkpoint
from polyroc.surface._evolution import Evolution, Settings

SIZES = (2, 3, 17, 80)
"""Numbers of classes."""


@pytest.fixture(autouse=True)
def little_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "ROOM", 1000)


def labels_of(kind: str, n_classes: int) -> list[Any]:
    made = {
        "numbers": [3 * k - 7 for k in range(n_classes)],
        "names": [f"класс {k} <b>\n,;\"'" for k in range(n_classes)],
        "flags": [False, True],
    }
    return made[kind]


def scores(n_cases: int, n_classes: int, kind: str, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng([seed, n_cases, n_classes])
    codes = np.arange(n_cases) % n_classes
    if kind == "probabilities":
        return codes, rng.dirichlet(np.full(n_classes, 0.3), n_cases)
    if kind == "rounded":
        return codes, rng.dirichlet(np.ones(n_classes), n_cases).round(1)
    magnitudes = 10.0 ** rng.integers(-300, 300, (n_cases, n_classes))
    return codes, magnitudes * rng.choice([-1, 0, 1], (n_cases, n_classes))


def same_arrays(one: Any, other: Any, names: tuple[str, ...]) -> bool:
    pairs = ((getattr(one, name), getattr(other, name)) for name in names)
    return all(
        a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes() for a, b in pairs
    )


def test_summaries(tmp_path: Path) -> None:
    path, sizes = tmp_path / "summary.npz", []
    for n_classes in SIZES:
        bits = 10 if n_classes <= 17 else 2  # memory grows with bins and the square of classes
        for kind in ("probabilities", "rounded", *(["any size"] if n_classes <= 3 else [])):
            for n_cases in (0, 1, n_classes, 100):
                labels = labels_of("names" if n_cases % 2 else "numbers", n_classes)
                margins = n_classes <= 3
                summary = PairSummary(labels, mantissa_bits=bits, auc_mu=margins)
                codes, p = scores(n_cases, n_classes, kind, 0)
                weights = None if n_cases % 2 else np.arange(n_cases) / 3
                summary.update(np.array(labels, dtype=object)[codes], p, weights)
                summary.save(path)
                written = summary.to_bytes()
                assert path.read_bytes() == written
                assert PairSummary.load(path).to_bytes() == written
                assert PairSummary.from_bytes(written).to_bytes() == written
                sizes.append(len(written))
    assert len(sizes) == 40 and max(sizes) > 100 * min(sizes)


def test_a_summary_of_one_column_and_many_empty_ones(tmp_path: Path) -> None:
    one = PairSummary([False, True], auc_mu=True).update([True, False, True], [0.1, 0.2, 0.3])
    for summary in (one, PairSummary(range(300)), PairSummary(range(60), auc_mu=True)):
        written = summary.to_bytes()
        assert PairSummary.from_bytes(written).to_bytes() == written


def test_surfaces(tmp_path: Path) -> None:
    path, rng = tmp_path / "surface.npz", np.random.default_rng(0)
    names = ("rates", "costs", "parameters", "class_weights")
    for n_classes in SIZES:
        for kind in ("numbers", "names", *(["flags"] if n_classes == 2 else [])):
            for n_points, n_parameters in ((1, 0), (7, 5), (200 if n_classes < 80 else 3, 1)):
                surface = RocSurface(
                    rng.random((n_points, n_classes * (n_classes - 1))),
                    rng.random((n_points, n_classes, n_classes)),
                    rng.normal(size=(n_points, n_parameters)),
                    tuple(labels_of(kind, n_classes)),
                    rng.random(n_classes) + 0.1,
                    {"seed": 2**63, "history": [[1, 2, 0.1]], "note": "…\ud7ff"},
                )
                surface.save(path)
                again = RocSurface.load(path)
                assert same_arrays(surface, again, names)
                assert (again.classes, again.provenance) == (surface.classes, surface.provenance)
                again.save(path.with_name("again"))
                assert path.with_name("again").read_bytes() == path.read_bytes()


def test_models_in_surfaces_and_search_checkpoints(tmp_path: Path) -> None:
    for n_classes in (2, 3):
        codes, p = scores(20, n_classes, "probabilities", 1)
        y = np.array(labels_of("names", n_classes))[codes]
        X = np.random.default_rng(0).normal(size=(20, 2)) + codes[:, None]
        models = (KnnModel(X, y), LinearModel(X, y), MlpModel(X, y, hidden=2))
        for model in (ScoreModel(y, p), *models):
            settings = Settings(5, "pairs", "inherit", None)
            evolutions = [Evolution(model, settings, 7) for _ in range(2)]
            evolutions[0].begin()
            file = checkpoint.checkpoint_of(tmp_path / f"{n_classes} {model.name}")
            for _ in range(3):
                evolutions[0].advance()
                checkpoint.save(file, evolutions[0])
            assert checkpoint.restore(file, evolutions[1])
            for evolution in evolutions:
                evolution.advance()
            first, second = (evolution.snapshot() for evolution in evolutions)
            assert json.dumps(first[0]) == json.dumps(second[0])
            assert all(first[1][name].tobytes() == second[1][name].tobytes() for name in first[1])


def test_study_checkpoints(tmp_path: Path) -> None:
    from sklearn.naive_bayes import GaussianNB

    codes, p = scores(40, 3, "probabilities", 2)
    for number, n_learners in enumerate((1, 2, 30)):
        learners = {f"имя {k} \"'\n": GaussianNB() for k in range(n_learners)}
        plan = plan_of(learners, p, codes, 0.4, ["hand_till", "vus"], None)
        file = study_checkpoint.checkpoint_of(tmp_path / f"{number}.npz")
        for n_splits in (1, 3, 2000):
            values = np.random.default_rng(0).random((n_splits, n_learners, 2))
            values[:, 0, 1] = np.nan
            done = Finished(plan, 2**62, dict(zip(range(0, 2 * n_splits, 2), values, strict=True)))
            done.reasons[next(iter(learners)), "vus"] = "it does not exist: “…”"
            study_checkpoint.save(file, done)
            again = Finished(plan, file.seed())
            study_checkpoint.restore(file, again)
            assert again.values.keys() == done.values.keys() and again.reasons == done.reasons
            assert all(again.values[b].tobytes() == done.values[b].tobytes() for b in done.values)


def test_predictions_in_npz_files(tmp_path: Path) -> None:
    for n_classes in (*SIZES, 300):
        codes, p = scores(2 * n_classes, n_classes, "probabilities", 3)
        for kind in ("numbers", "names"):
            for dtype in (np.float64, np.float32):
                labels = np.array(labels_of(kind, n_classes))
                path = tmp_path / f"{n_classes}{kind}.npz"
                np.savez(path, y_true=labels[codes], forest=p.astype(dtype), labels=labels)
                found = read_predictions(path)
                assert list(found.y_true) == labels[codes].tolist()
                assert list(found.labels or ()) == labels.tolist()
                assert np.array_equal(np.asarray(found.models["forest"]), p.astype(dtype))


def test_what_the_command_line_prints_as_json() -> None:
    """Numbers are those of the library, to the last bit, after JSON and back."""
    import polyroc

    y, models, labels = example_predictions()
    file = Path(polyroc.__file__).parent / "data" / "example.csv"
    words = ("evaluate", file, "--model", "forest", "-m", "hand_till,pdi", "--json")
    printed = json.loads(run(*words).stdout)
    expected = evaluate(y, models["forest"], ["hand_till", "pdi"], labels=labels)
    rows = {row["metric"]: row for row in printed["models"][0]["metrics"]}
    assert list(rows) == list(expected)
    for name, each in expected.items():
        assert rows[name]["value"] == each.value
        assert rows[name]["standard_error"] == each.standard_error
