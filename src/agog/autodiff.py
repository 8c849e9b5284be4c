"""`agog.autodiff`: GradientTape and forward-mode derivatives."""

from __future__ import annotations

import warnings
from typing import Any

from agog import _core, nest
from agog._core import ForwardMode, Tensor, VariableBase, handle, public
from agog.gradient_tape import GradientTape as GradientTape
from agog.gradient_tape import UnconnectedGradients
from agog.near_names import missing

_zeros_like = handle("ZerosLike")

__getattr__ = missing(__name__)

__all__ = ["ForwardAccumulator", "GradientTape"]


class ForwardAccumulator:
    """Computes Jacobian-vector products while the operations run.

    `primals` are tensors or variables, in any structure, and `tangents` the directions along which
    they move, in the same structure and of the same shapes. Operations in the with-block carry the
    directions on; `jvp` gives what arrived at a tensor. Accumulators nest, in one another and with
    tapes, for higher derivatives: an outer one sees what an inner one computes. Where
    `custom_gradient` is used, the operations of the function count, and its own rule only where
    they give nothing, as in TensorFlow. Every rule is the op's backward rule, differentiated with
    respect to the upstream gradient, in which it is linear.

    Raises ValueError where structures, shapes or dtypes of primals and tangents disagree or a
    primal is named twice, TypeError where a primal is no tensor or variable.

    >>> x = agog.constant([2.0, 3.0])
    >>> with agog.autodiff.ForwardAccumulator(x, agog.constant([1.0, 0.0])) as acc:
    ...     y = agog.reduce_sum(x * x)
    >>> float(acc.jvp(y))
    4.0
    """

    @public
    def __init__(self, primals: Any, tangents: Any) -> None:
        self._mode = ForwardMode()
        self._recording = False
        nest.assert_same_structure(primals, tangents)
        flat = nest.flatten(primals)
        seen: set[int] = set()
        for primal, tangent in zip(flat, nest.flatten(tangents), strict=True):
            self._watch(primal, tangent)
            if _identity(primal) in seen:
                raise ValueError(
                    f"the primal {primal!r} is named twice; if that is meant, name it once, with "
                    "the sum of its tangents"
                )
            seen.add(_identity(primal))

    def _watch(self, primal: Any, tangent: Any) -> None:
        if not isinstance(primal, Tensor | VariableBase):
            raise TypeError(
                f"a primal must be a tensor or a variable, got {primal!r} of type "
                f"{type(primal).__name__}"
            )
        if not (primal.dtype.is_floating or primal.dtype.is_complex):
            warnings.warn(
                f"a primal has dtype {primal.dtype.name}, which has no derivative; cast it to a "
                "floating dtype first",
                stacklevel=4,
            )
        if tangent is None:
            raise ValueError("a tangent is None: give zeros for a primal that does not move")
        direction = _core.convert(tangent, primal.dtype)
        if not primal.shape.is_compatible_with(direction.shape):
            raise ValueError(
                f"a tangent must have its primal's shape {primal.shape}, got {direction.shape}"
            )
        self._mode.watch(primal, direction)

    @public
    def __enter__(self) -> ForwardAccumulator:
        if not self._mode.start():
            raise ValueError("the accumulator is recording already")
        return self

    @public
    def __exit__(self, *exc: Any) -> None:
        self._mode.stop()

    @public
    def jvp(self, primals: Any, unconnected_gradients: Any = UnconnectedGradients.NONE) -> Any:
        """The direction along which each of `primals` moves, in their structure.

        None (or zeros, by `unconnected_gradients`) stands where a tensor does not depend on what
        the accumulator was made with, or was computed outside its with-block.

        >>> x = agog.constant(3.0)
        >>> with agog.autodiff.ForwardAccumulator(x, agog.constant(1.0)) as acc:
        ...     y = x * x
        >>> float(acc.jvp(y)), acc.jvp(agog.constant(1.0))
        (6.0, None)
        """
        zero = UnconnectedGradients(unconnected_gradients) is UnconnectedGradients.ZERO

        def one(t: Any) -> Any:
            if not isinstance(t, Tensor | VariableBase):
                raise TypeError(
                    f"jvp takes tensors and variables, got {t!r} of type {type(t).__name__}"
                )
            tangent = self._mode.tangent(t)
            return _zeros_like(t) if tangent is None and zero else tangent

        return nest.map_structure(one, primals)


def _identity(t: Any) -> int:
    return t.handle._id if isinstance(t, VariableBase) else t._id
