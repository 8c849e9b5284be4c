"""Dropout that depends on nothing but its arguments."""

from __future__ import annotations

from typing import Any

from agog._core import Tensor, public
from agog.nn.activations import dropped
from agog.types import ShapeLike, TensorLike


@public
def stateless_dropout(
    x: TensorLike,
    rate: Any,
    seed: TensorLike,
    rng_alg: str | None = None,
    noise_shape: ShapeLike | None = None,
    name: str | None = None,
) -> Tensor:
    """`agog.nn.dropout` whose random numbers follow from `seed`, a pair of integers.

    >>> agog.nn.experimental.stateless_dropout([1.0, 2.0], 0.0, [1, 2]).numpy().tolist()
    [1.0, 2.0]
    """
    from agog.random.stateless import stateless_uniform

    alg = rng_alg or "auto_select"
    return dropped(
        x,
        rate,
        noise_shape,
        lambda shape, dtype: stateless_uniform(shape, seed, dtype=dtype, alg=alg),
    )


__all__ = ["stateless_dropout"]
