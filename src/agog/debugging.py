"""`agog.debugging`: checks, tracebacks, and what a tape keeps."""

from __future__ import annotations

from typing import Any

from agog import _core
from agog._core import Tensor, handle, public
from agog.errors import InvalidArgumentError
from agog.near_names import missing
from agog.types import TensorLike

_all = handle("All")
_is_finite = handle("IsFinite")


@public
def disable_traceback_filtering() -> None:
    """Shows agog's own frames in tracebacks, too."""
    _core.set_full_tracebacks(True)


@public
def enable_traceback_filtering() -> None:
    """Ends tracebacks at the user's line, which is the default."""
    _core.set_full_tracebacks(False)


@public
def is_traceback_filtering_enabled() -> bool:
    """Whether tracebacks end at the user's line."""
    return not _core.has_full_tracebacks()


@public
def tape_saved(tape: Any) -> list[tuple[str, list[Tensor]]]:
    """What a GradientTape keeps: for each recorded op its name and the tensors held for it.

    >>> x = agog.constant(2.0)
    >>> with agog.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = agog.exp(x)
    >>> [(name, len(kept)) for name, kept in agog.debugging.tape_saved(tape)]
    [('Exp', 1)]
    """
    return tape._saved()


@public
def enable_gradient_lines() -> None:
    """Lets tapes note the user's line of each op, for `GradientTape.explain`.

    Ops that run while no tape records are noted, too. It costs a look at the stack for each op, so
    it is off unless asked for. It holds for this thread and for tapes started later.

    >>> agog.debugging.enable_gradient_lines()
    >>> agog.debugging.is_gradient_lines_enabled()
    True
    >>> agog.debugging.disable_gradient_lines()
    """
    _core.set_record_lines(True)


@public
def disable_gradient_lines() -> None:
    """Ends what `enable_gradient_lines` began."""
    _core.set_record_lines(False)


@public
def is_gradient_lines_enabled() -> bool:
    """Whether tapes note the user's lines."""
    return _core.records_lines()


def _holds(condition: Any) -> bool:
    axes = list(range(condition.shape.rank))
    return bool(_all(condition, axes, False))


def _shown(value: Any, summarize: int | None) -> str:
    flat = value.numpy().reshape(-1).tolist() if value.shape.rank else [value.item()]
    count = len(flat) if summarize == -1 else summarize or 3
    return ", ".join(map(repr, flat[:count])) + (", …" if len(flat) > count else "")


def _fail(rule: str, message: Any, summarize: int | None, **values: Any) -> None:
    parts = [str(message)] if message else []
    parts.append(rule)
    for name, value in values.items():
        parts.append(f"{name} (shape {value.shape}) = {_shown(value, summarize)}")
    raise InvalidArgumentError(None, None, "; ".join(parts))


def _compare(op: str, rule: str) -> Any:
    compare = handle(op)

    def check(
        x: TensorLike,
        y: TensorLike,
        message: str | None = None,
        summarize: int | None = None,
        name: str | None = None,
    ) -> None:
        if not isinstance(x, Tensor) and isinstance(y, Tensor):
            x = _core.convert(x, None, y.dtype)
        x = _core.convert(x)
        y = _core.convert(y, None, x.dtype)
        if not _holds(compare(x, y)):
            _fail(f"x {rule} y does not hold for every element", message, summarize, x=x, y=y)

    return check


_equal = _compare("Equal", "==")
_none_equal = _compare("NotEqual", "!=")
_less = _compare("Less", "<")
_less_equal = _compare("LessEqual", "<=")
_greater = _compare("Greater", ">")
_greater_equal = _compare("GreaterEqual", ">=")


@public
def assert_equal(
    x: TensorLike,
    y: TensorLike,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> None:
    """Raises InvalidArgumentError unless x == y in every element.

    >>> agog.debugging.assert_equal([1, 2], [1, 2])
    """
    _equal(x, y, message, summarize)


@public
def assert_none_equal(
    x: TensorLike,
    y: TensorLike,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> None:
    """Raises InvalidArgumentError unless x != y in every element."""
    _none_equal(x, y, message, summarize)


@public
def assert_less(
    x: TensorLike,
    y: TensorLike,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> None:
    """Raises InvalidArgumentError unless x < y in every element."""
    _less(x, y, message, summarize)


@public
def assert_less_equal(
    x: TensorLike,
    y: TensorLike,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> None:
    """Raises InvalidArgumentError unless x <= y in every element."""
    _less_equal(x, y, message, summarize)


@public
def assert_greater(
    x: TensorLike,
    y: TensorLike,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> None:
    """Raises InvalidArgumentError unless x > y in every element."""
    _greater(x, y, message, summarize)


@public
def assert_greater_equal(
    x: TensorLike,
    y: TensorLike,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> None:
    """Raises InvalidArgumentError unless x >= y in every element."""
    _greater_equal(x, y, message, summarize)


@public
def assert_positive(
    x: TensorLike,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> None:
    """Raises InvalidArgumentError unless x > 0 in every element."""
    _greater(x, 0, message, summarize)


@public
def assert_non_negative(
    x: TensorLike,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> None:
    """Raises InvalidArgumentError unless x >= 0 in every element."""
    _greater_equal(x, 0, message, summarize)


@public
def assert_rank(
    x: TensorLike, rank: int, message: str | None = None, name: str | None = None
) -> None:
    """Raises ValueError unless x has this many dimensions."""
    x = _core.convert(x)
    if x.shape.rank != rank:
        prefix = f"{message}; " if message else ""
        raise ValueError(f"{prefix}x must have rank {rank}, got shape {x.shape}")


@public
def assert_all_finite(x: TensorLike, message: str, name: str | None = None) -> Tensor:
    """x itself; raises InvalidArgumentError when an element is NaN or infinite."""
    x = _core.convert(x)
    if not _holds(_is_finite(x)):
        _fail("x has elements that are NaN or infinite", message, None, x=x)
    return x


@public
def check_numerics(tensor: TensorLike, message: str, name: str | None = None) -> Tensor:
    """The tensor itself; raises InvalidArgumentError when an element is NaN or infinite."""
    return assert_all_finite(tensor, message)


__getattr__ = missing(__name__)
