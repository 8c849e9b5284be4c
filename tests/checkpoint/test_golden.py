"""Checkpoints of earlier releases and of TensorFlow are restored for ever.

`tests/golden/checkpoints` has them with the values that were saved, as `tests/checkpoint/models.py`
wrote them: that of TensorFlow with 2.21, that of agog with 0.1.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.checkpoint.models import act

FOLDER = Path(__file__).parents[1] / "golden" / "checkpoints"


@pytest.mark.parametrize("action", ["restore", "defer"])
@pytest.mark.parametrize("writer", ["tensorflow", "agog"])
def test_golden_checkpoint(writer: str, action: str) -> None:
    want = json.loads((FOLDER / f"{writer}.json").read_text())
    found = act("agog", action, str(FOLDER / f"{writer}-1"))
    assert found["values"] == want["values"]
    assert found["save_counter"] == 1
