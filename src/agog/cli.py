"""The command `agog`."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Sequence

import agog
from agog.demos import DEMOS, listing

INTERRUPTED = 130
USAGE = 2
RUN = "agog run script.py [arguments], or agog run -m module [arguments]"


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
        usage="agog demo [NAME] [options]",
        add_help=False,
    )
    demo.add_argument("rest", nargs=argparse.REMAINDER)
    commands.add_parser(
        "run",
        help="run a program written for TensorFlow",
        description="Runs a Python program in which `import tensorflow` gives agog.",
        usage=RUN,
    ).add_argument("rest", nargs=argparse.REMAINDER, help="a file, or -m and a module; arguments")
    coverage = commands.add_parser(
        "coverage",
        help="list the TensorFlow names that a program uses",
        description="Lists the names of TensorFlow that programs use, and which of them agog "
        "lacks, without running anything. The exit status is 1 if one is missing.",
    )
    coverage.add_argument("paths", nargs="+", metavar="path", help="a Python file, or a folder")
    if argv[:1] == ["demo"]:
        return _demo(argv[1:])
    if argv[:1] == ["run"] and argv[1:2] not in (["-h"], ["--help"]):
        return _run_program(argv[1:])
    options = parser.parse_args(argv)
    if options.command == "coverage":
        return importlib.import_module("agog.programs.names").report(options.paths)
    parser.print_help()
    return 0


def _run_program(argv: list[str]) -> int:
    error = None
    if not argv or argv == ["-m"]:
        error = f"usage: {RUN}"
    elif argv[0] != "-m":
        try:
            with open(argv[0], "rb"):
                pass
        except OSError as unreadable:
            error = f"{argv[0]}: {unreadable.strerror}"
    if error:
        print(f"agog run: error: {error}", file=sys.stderr)
        return USAGE
    importlib.import_module("agog.programs.run").run(argv)
    return 0


def _demo(argv: list[str]) -> int:
    from agog.demos.options import DemoError

    if argv == ["--list"]:
        print(listing())
        return 0
    name = argv.pop(0) if argv and not argv[0].startswith("-") else "mnist"
    try:
        if name not in DEMOS:
            raise DemoError(_unknown(name))
        module = importlib.import_module(f"agog.demos.{name.replace('-', '_')}")
        status: int = module.main(argv)
    except DemoError as error:
        print(f"agog demo: error: {error}", file=sys.stderr)
        return USAGE
    return status


def _unknown(name: str) -> str:
    import difflib

    near = difflib.get_close_matches(name, DEMOS, n=3, cutoff=0.4)
    hint = f"did you mean {' or '.join(near)}? " if near else ""
    return f"there is no demo {name!r}; {hint}demos: {', '.join(DEMOS)}"


if __name__ == "__main__":
    sys.exit(main())
