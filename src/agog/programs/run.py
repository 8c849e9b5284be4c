"""`agog run`: a program written for TensorFlow, run with agog."""

from __future__ import annotations

import os
import runpy
import sys
from collections.abc import Sequence

from agog.programs.as_tensorflow import install_as_tensorflow


def run(arguments: Sequence[str]) -> None:
    """Run `script.py ...` or `-m module ...` as Python would, with agog as its TensorFlow."""
    install_as_tensorflow()
    if arguments[0] == "-m":
        sys.argv = list(arguments[1:])
        sys.path.insert(0, os.getcwd())
        runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
        return
    script = arguments[0]
    sys.argv = list(arguments)
    sys.path.insert(0, os.path.dirname(os.path.abspath(script)))
    runpy.run_path(script, run_name="__main__")
