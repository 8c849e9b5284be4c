"""Raw ops that are made of other ops: `agog.raw_ops` offers them beside those of the registry."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agog import dtypes, linalg
from agog._core import Tensor, convert, handle
from agog.dtypes import as_dtype
from agog.errors import InvalidArgumentError

_bitcast = handle("Bitcast")
_normal = handle("StatelessRandomNormalV2")
_prod = handle("Prod")
_read_and_skip = handle("RngReadAndSkip")
_truncated_normal = handle("StatelessTruncatedNormalV2")
_uniform = handle("StatelessRandomUniformV2")
_uniform_full_int = handle("StatelessRandomUniformFullIntV2")
_uniform_int = handle("StatelessRandomUniformIntV2")


def einsum(inputs: Any, equation: str, name: str | None = None) -> Tensor:
    """Sums of products of one or two inputs; see `agog.einsum`, which takes any number."""
    if len(inputs) not in (1, 2):
        raise InvalidArgumentError(
            None,
            None,
            f"Einsum takes 1 or 2 inputs, got {len(inputs)}; agog.einsum takes more [Op:Einsum]",
        )
    try:
        return linalg.einsum(equation, *inputs)
    except (InvalidArgumentError, ValueError) as error:
        if "[Op:" in str(error):
            raise
        raise InvalidArgumentError(None, None, f"{error} [Op:Einsum]") from None


def _take(resource: Any, algorithm: Any, shape: Any) -> tuple[Tensor, Tensor, Tensor]:
    """Key, counter and algorithm of a generator's state, which moves on by as many numbers."""
    alg = convert(int(algorithm), dtypes.int32)
    sizes = convert(shape, None, dtypes.int64)
    count = convert(int(_prod(sizes, [0], False)), dtypes.uint64)
    state = _bitcast(_read_and_skip(resource, alg, count), dtypes.uint64)
    return state[2:3], state[:2], alg


def stateful_uniform(
    resource: Any, algorithm: Any, shape: Any, dtype: Any = dtypes.float32, name: str | None = None
) -> Tensor:
    """Numbers of [0, 1) from a generator's state."""
    return _uniform(shape, *_take(resource, algorithm, shape), as_dtype(dtype))


def stateful_standard_normal(
    resource: Any, algorithm: Any, shape: Any, dtype: Any = dtypes.float32, name: str | None = None
) -> Tensor:
    """Normal numbers from a generator's state."""
    return _normal(shape, *_take(resource, algorithm, shape), as_dtype(dtype))


def stateful_truncated_normal(
    resource: Any, algorithm: Any, shape: Any, dtype: Any = dtypes.float32, name: str | None = None
) -> Tensor:
    """Normal numbers between -2 and 2 from a generator's state."""
    return _truncated_normal(shape, *_take(resource, algorithm, shape), as_dtype(dtype))


def stateful_uniform_full_int(
    resource: Any, algorithm: Any, shape: Any, dtype: Any = dtypes.uint64, name: str | None = None
) -> Tensor:
    """Integers of all bits from a generator's state."""
    return _uniform_full_int(shape, *_take(resource, algorithm, shape), as_dtype(dtype))


def stateful_uniform_int(
    resource: Any, algorithm: Any, shape: Any, minval: Any, maxval: Any, name: str | None = None
) -> Tensor:
    """Integers of [minval, maxval) from a generator's state."""
    return _uniform_int(shape, *_take(resource, algorithm, shape), minval, maxval)


COMPOSED: dict[str, Callable[..., Any]] = {
    "Einsum": einsum,
    "StatefulStandardNormalV2": stateful_standard_normal,
    "StatefulTruncatedNormal": stateful_truncated_normal,
    "StatefulUniform": stateful_uniform,
    "StatefulUniformFullInt": stateful_uniform_full_int,
    "StatefulUniformInt": stateful_uniform_int,
}
