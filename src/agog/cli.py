"""The command `agog`."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Sequence

import agog
from agog.demos import DEMOS

INTERRUPTED = 130
USAGE = 2


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    try:
        return _run(sys.argv[1:] if argv is None else list(argv))
    except KeyboardInterrupt:
        print("\ninterrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:  # the reader of a pipe, such as `head`, has had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _run(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="agog", description="TensorFlow's eager execution, small and fast."
    )
    parser.add_argument("--version", action="version", version=f"agog {agog.__version__}")
    commands = parser.add_subparsers(dest="command", metavar="command")
    demo = commands.add_parser(
        "demo",
        help="train a small model and show what it learned",
        description=f"Demos: {', '.join(f'{k} ({v})' for k, v in DEMOS.items())}.",
        usage="agog demo [mnist] [options]",
        add_help=False,
    )
    demo.add_argument("rest", nargs=argparse.REMAINDER)
    if argv[:1] == ["demo"]:
        return _demo(argv[1:])
    parser.parse_args(argv)
    parser.print_help()
    return 0


def _demo(argv: list[str]) -> int:
    name = argv.pop(0) if argv and not argv[0].startswith("-") else "mnist"
    if name not in DEMOS:
        print(f"agog demo: error: {_unknown(name)}", file=sys.stderr)
        return USAGE
    return importlib.import_module(f"agog.demos.{name}").main(argv)


def _unknown(name: str) -> str:
    import difflib

    near = difflib.get_close_matches(name, DEMOS, n=3, cutoff=0.4)
    hint = f"did you mean {' or '.join(near)}? " if near else ""
    return f"there is no demo {name!r}; {hint}demos: {', '.join(DEMOS)}"


if __name__ == "__main__":
    sys.exit(main())
