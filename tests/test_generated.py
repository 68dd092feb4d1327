"""Files written from the registry are current."""

import importlib.util
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "docs" / "generate.py"
specification = importlib.util.spec_from_file_location("generate", SCRIPT)
assert specification is not None and specification.loader is not None
generate = importlib.util.module_from_spec(specification)
specification.loader.exec_module(generate)


@pytest.mark.parametrize("path", generate.OUTPUTS, ids=lambda path: path.name)
def test_generated_file_is_current(path: Path) -> None:
    assert path.read_text() == generate.OUTPUTS[path](), "run python docs/generate.py"
