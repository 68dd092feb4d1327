"""Mutation testing: ``python proof/mutation``; places.py says of which packages."""

import sys
from pathlib import Path

proof = Path(__file__).resolve().parents[1]
sys.path[0] = str(proof)
sys.path.insert(1, str(proof.parent / "src"))

from mutation.command import main  # noqa: E402

sys.exit(main())
