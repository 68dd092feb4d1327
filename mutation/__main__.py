"""Mutation testing of metrics, statistics and inference: ``python mutation``."""

import sys
from pathlib import Path

root = Path(__file__).resolve().parents[1]
sys.path[0] = str(root)
sys.path.insert(1, str(root / "src"))

from mutation.command import main  # noqa: E402

sys.exit(main())
