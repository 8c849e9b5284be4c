"""The file `checkpoint` of a folder: which checkpoints it has, and which is the latest."""

from __future__ import annotations

import codecs
import logging
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from agog.checkpoint.files import write_file
from agog.io.paths import os_errors

_LINE = re.compile(r'^\s*(\w+)\s*:\s*("(?:[^"\\\n]|\\.)*"|[-+.\w]+)\s*$')
_TEXTS = ("model_checkpoint_path", "all_model_checkpoint_paths")
_NUMBERS = ("all_model_checkpoint_timestamps", "last_preserved_timestamp")


@dataclass
class CheckpointState:
    """The contents of the file, with TensorFlow's names."""

    model_checkpoint_path: str = ""
    all_model_checkpoint_paths: list[str] = field(default_factory=list)
    all_model_checkpoint_timestamps: list[float] = field(default_factory=list)
    last_preserved_timestamp: float | None = None

    def to_text(self) -> str:
        """In the text format of protocol buffers, as TensorFlow writes it."""
        lines = [f'model_checkpoint_path: "{_escaped(self.model_checkpoint_path)}"']
        for path in self.all_model_checkpoint_paths:
            lines.append(f'all_model_checkpoint_paths: "{_escaped(path)}"')
        for stamp in self.all_model_checkpoint_timestamps:
            lines.append(f"all_model_checkpoint_timestamps: {stamp!r}")
        if self.last_preserved_timestamp is not None:
            lines.append(f"last_preserved_timestamp: {self.last_preserved_timestamp!r}")
        return "\n".join(lines) + "\n"

    __str__ = to_text

    @classmethod
    def from_text(cls, text: str) -> CheckpointState:
        """From the text format; ValueError names the line that is not of it."""
        state = cls()
        for number, line in enumerate(text.splitlines(), 1):
            if not line.strip() or line.lstrip().startswith("#"):
                continue
            found = _LINE.match(line)
            if not found or found[1] not in (*_TEXTS, *_NUMBERS):
                raise ValueError(f"line {number}: {line.strip()!r}")
            state._take(found[1], found[2], number)
        return state

    def _take(self, name: str, text: str, number: int) -> None:
        if (text[0] == '"') != (name in _TEXTS):
            raise ValueError(f"line {number}: {name} cannot be {text}")
        value = _unescaped(text[1:-1]) if name in _TEXTS else float(text)
        if name.startswith("all_"):
            getattr(self, name).append(value)
        else:
            setattr(self, name, value)


def _escaped(text: str) -> str:
    out = text.replace("\\", "\\\\").replace('"', '\\"').encode()
    return "".join(chr(b) if 32 <= b < 127 else f"\\{b:03o}" for b in out)


def _unescaped(text: str) -> str:
    return codecs.escape_decode(text.encode())[0].decode()  # type: ignore[attr-defined]


def state_path(folder: str, latest_filename: str | None = None) -> Path:
    """The file in which a folder's state is."""
    return Path(folder, latest_filename or "checkpoint")


def write_state(
    folder: str,
    latest: str,
    paths: Iterable[str] | None = None,
    timestamps: Iterable[float] = (),
    last_preserved: float | None = None,
    latest_filename: str | None = None,
    relative: bool = True,
) -> None:
    """Replaces the state in one step; paths in the folder are written relative to it."""
    every = [latest] if paths is None else list(paths)

    def name(path: str) -> str:
        inside = os.path.dirname(os.path.abspath(path)) == os.path.abspath(folder)
        return os.path.basename(path) if relative and inside else path

    state = CheckpointState(name(latest), [name(path) for path in every], list(timestamps))
    state.last_preserved_timestamp = last_preserved
    path = state_path(folder, latest_filename)
    with os_errors(path):
        write_file(path, state.to_text().encode())


def read_state(folder: str, latest_filename: str | None = None) -> CheckpointState | None:
    """The state of a folder, with whole paths; None, and a warning, where it cannot be read."""
    path = state_path(folder, latest_filename)
    if not path.exists():
        return None
    try:
        state = CheckpointState.from_text(path.read_text())
    except (OSError, ValueError) as error:
        logging.getLogger("agog").warning("%s: checkpoint ignored: %s", path, error)
        return None
    state.model_checkpoint_path = _whole(folder, state.model_checkpoint_path)
    paths = state.all_model_checkpoint_paths
    state.all_model_checkpoint_paths = [_whole(folder, each) for each in paths]
    return state


def _whole(folder: str, path: str) -> str:
    return path if os.path.isabs(path) or not path else os.path.join(folder, path)
