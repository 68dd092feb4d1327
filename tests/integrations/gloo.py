"""One of several processes of a training run: ``python gloo.py RANK SIZE FOLDER``.

Each takes its share of the cases, in batches of odd sizes; all write what they computed.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

NAMES = ("hand_till", "auc_mu", "aunp", "total_length")
CERTIFIED = ("hand_till", "aunp", "auc_mu", "total_length")


def cases() -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(5)
    logits = rng.normal(size=(900, 3)).astype(np.float32)
    y = rng.integers(0, 3, 900)
    logits[np.arange(900), y] += 1
    return logits, y, rng.uniform(0.2, 3, 900)


def computed(
    rank: int, size: int, name: str, *, weighted: bool = False, uneven: bool = False, **options: Any
) -> dict[str, str]:
    """Numbers of a metric to the bit, after this process has seen its share."""
    import torch

    from polyroc.integrations.torchmetrics import metric

    logits, y, w = cases()
    made = metric(name, classes=3, logits=True, **options)
    rows = np.arange(len(y))[rank::size] if not uneven else np.arange(len(y) * (rank == 0))
    for part in np.array_split(rows, [7, 50, 51, 200]) if len(rows) else ():
        given = torch.tensor(logits[part]), torch.tensor(y[part])
        made.update(*given, **({"sample_weight": torch.tensor(w[part])} if weighted else {}))
    return {name: value.item().hex() for name, value in made.compute().items()}


def all_of_them(rank: int, size: int) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in NAMES:
        for weighted in (False, True):
            kind = f"exact {name}{' with weights' * weighted}"
            found[kind] = computed(rank, size, name, weighted=weighted)
    for name in CERTIFIED:
        found[f"certified {name}"] = computed(rank, size, name, certified=True)
    for certified in (False, True):
        kind = f"all cases in one process, certified: {certified}"
        found[kind] = computed(rank, size, "hand_till", uneven=True, certified=certified)
    return found


if __name__ == "__main__":
    import torch.distributed

    rank, size, folder = int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3])
    meeting = f"file://{folder / 'meeting'}"
    torch.distributed.init_process_group("gloo", meeting, rank=rank, world_size=size)
    (folder / f"{rank}.json").write_text(json.dumps(all_of_them(rank, size)))
    torch.distributed.destroy_process_group()
