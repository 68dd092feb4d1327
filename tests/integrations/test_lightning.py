"""Lightning logs the metrics: at the end of an epoch they are polyroc's numbers of all cases."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import polyroc
from polyroc.integrations.torchmetrics import metric

pytestmark = [pytest.mark.integrations, pytest.mark.filterwarnings("ignore")]


def module_of(lightning: Any, torch: Any) -> Any:
    """A linear classifier that logs in both ways in its validation."""

    class Classifier(lightning.LightningModule):
        def __init__(self) -> None:
            super().__init__()
            self.linear = torch.nn.Linear(4, 3)
            self.alone = metric("hand_till", classes=3, logits=True, uncertainty=False)
            self.whole = metric("aunp", classes=3, logits=True, certified=True)

        def training_step(self, batch: Any, place: int) -> Any:
            return torch.nn.functional.cross_entropy(self.linear(batch[0]), batch[1])

        def validation_step(self, batch: Any, place: int) -> None:
            logits = self.linear(batch[0])
            self.alone(logits, batch[1])
            self.log("hand_till", self.alone, on_epoch=True)
            self.whole.update(logits, batch[1])

        def on_validation_epoch_end(self) -> None:
            self.log_dict(self.whole.compute())
            self.whole.reset()

        def configure_optimizers(self) -> Any:
            return torch.optim.SGD(self.parameters(), 0.1)

    return Classifier()


def test_logged_numbers_are_those_of_all_cases(torch: Any, lightning: Any, tmp_path: Path) -> None:
    lightning.seed_everything(0)
    x, y = torch.randn(90, 4), torch.arange(90) % 3
    x[:, 0] += y
    data = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, y), batch_size=20)
    module = module_of(lightning, torch)
    trainer = lightning.Trainer(
        max_epochs=2,
        accelerator="cpu",
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        num_sanity_val_steps=0,
        default_root_dir=tmp_path,
    )
    trainer.fit(module, data, data)
    with torch.no_grad():
        p = torch.softmax(module.linear(x).double(), dim=1).numpy()
    logged = {name: float(value) for name, value in trainer.callback_metrics.items()}
    assert set(logged) == {"hand_till", "aunp", "aunp_low", "aunp_high"}
    assert np.isclose(logged["hand_till"], polyroc.hand_till(y.numpy(), p), atol=1e-6)
    assert logged["aunp_low"] - 1e-6 <= polyroc.aunp(y.numpy(), p) <= logged["aunp_high"] + 1e-6
