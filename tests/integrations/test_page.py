"""The page on integrations: code that needs the packages runs, after what comes before it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "integrations.md"
BLOCK = re.compile(r"^```(python3?)\n(.*?)^```", re.DOTALL | re.MULTILINE)


@pytest.mark.integrations
@pytest.mark.filterwarnings("ignore")
def test_the_code_of_the_page_runs(
    torch: Any,
    mlflow: Any,
    xgboost: Any,
    catboost: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, object] = {"__name__": "page"}
    found = BLOCK.findall(PAGE.read_text(encoding="utf-8"))
    assert sum(language == "python3" for language, _ in found) == 3
    for _, text in found:
        exec(compile(text, str(PAGE), "exec"), namespace)
