"""GradientTape: records what happens to watched tensors and gives the gradients."""

from __future__ import annotations

import enum
import warnings
from functools import partial
from typing import Any

from agog import _core
from agog._core import TapeBase, Tensor, VariableBase, handle, public, public_with
from agog.indexed_slices import IndexedSlices

_zeros_like = handle("ZerosLike")


class UnconnectedGradients(enum.Enum):
    """What stands for the gradient of a source that the target does not depend on."""

    NONE = "none"
    ZERO = "zero"


def _flatten(structure: Any) -> list[Any]:
    if isinstance(structure, (Tensor, VariableBase)):
        return [structure]
    from agog import nest

    return nest.flatten(structure)


def _pack(structure: Any, flat: list[Any]) -> Any:
    if isinstance(structure, (Tensor, VariableBase)):
        return flat[0]
    is_flat = type(structure) is list and len(structure) == len(flat)
    if is_flat and all(isinstance(s, (Tensor, VariableBase)) for s in structure):
        return flat
    from agog import nest

    return nest.pack_sequence_as(structure, flat)


def _check_sources(sources: list[Any]) -> None:
    for source in sources:
        if isinstance(source, (Tensor, VariableBase)):
            continue
        raise TypeError(
            f"a source must be a tensor or a variable, got {source!r} of type "
            f"{type(source).__name__}"
        )


class GradientTape(TapeBase):
    """Records operations, so that gradients can be taken of what they computed.

    Trainable variables are watched when they are read, unless `watch_accessed_variables` is
    false; tensors are watched by `watch`. A tape gives gradients once, or any number of times if
    it is `persistent`. Tapes nest, and a gradient taken inside another tape can be differentiated
    again.

    >>> x = agog.constant(3.0)
    >>> with agog.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = x * x
    >>> float(tape.gradient(y, x))
    6.0
    """

    # Each of these methods has a fast path in the core for the arguments it mostly gets; what
    # stands here serves all others.

    _has_stopped = False  # whether stop_recording was ever used

    @partial(public_with, "GradientTape.__init__")
    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True) -> None:
        self._persistent = persistent
        self._watch_accessed = watch_accessed_variables

    # ---- recording

    @partial(public_with, "GradientTape.__enter__")
    def __enter__(self) -> GradientTape:
        raise AssertionError("the core enters tapes")

    @partial(public_with, "GradientTape.__exit__")
    def __exit__(self, *exc: Any) -> None:
        raise AssertionError("the core leaves tapes")

    @partial(public_with, "GradientTape.watch")
    def watch(self, tensor: Any) -> None:
        """Follows a tensor or variable, or every one of a nested structure.

        Only floating and complex tensors have gradients: watching another one warns.
        """
        for t in _flatten(tensor):
            if not isinstance(t, (Tensor, VariableBase)):
                raise ValueError(
                    f"only tensors and variables can be watched, got {t!r} of type "
                    f"{type(t).__name__}"
                )
            if not (t.dtype.is_floating or t.dtype.is_complex):
                warnings.warn(
                    f"the watched tensor has dtype {t.dtype.name}, which has no gradient; "
                    "cast it to a floating dtype first",
                    stacklevel=2,
                )
            self._watch(t)

    @public
    def watched_variables(self) -> tuple[Any, ...]:
        """The variables watched so far, in order of first use."""
        from agog.variable import variable_of_handle

        return tuple(variable_of_handle(h) for h in self._watched_handles())

    @public
    def stop_recording(self) -> _Stopped:
        """A with-block in which this tape does not record."""
        if not self._recording:
            raise RuntimeError("the tape is not recording, so it cannot stop")
        return _Stopped(self)

    @public
    def reset(self) -> None:
        """Forgets all that was recorded and starts anew."""
        self._renew()

    # ---- gradients

    @partial(public_with, "GradientTape.gradient")
    def gradient(
        self,
        target: Any,
        sources: Any,
        output_gradients: Any = None,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
    ) -> Any:
        """The gradient of the sum of `target` with respect to each of `sources`.

        The result has the structure of `sources`; None (or zeros, by `unconnected_gradients`)
        stands where the target does not depend on a source: `explain` says why. `output_gradients`
        weighs the targets. The gradient of a variable of which only rows were read (`gather`,
        `nn.embedding_lookup`) is an IndexedSlices.
        Raises RuntimeError when a tape that is not persistent is asked twice, TypeError for a
        target of None.

        >>> w = agog.Variable([1.0, 2.0])
        >>> with agog.GradientTape() as tape:
        ...     loss = agog.reduce_sum(w * w)
        >>> tape.gradient(loss, w).numpy().tolist()
        [2.0, 4.0]
        """
        self._begin("gradient")
        flat_targets = _targets(target)
        flat_sources = _flatten(sources)
        _check_sources(flat_sources)
        zero = UnconnectedGradients(unconnected_gradients) is UnconnectedGradients.ZERO
        weights = [] if output_gradients is None else _weights(output_gradients, flat_targets)
        self._leave(keep=self._persistent)
        grads = self._gradient(flat_targets, flat_sources, weights, False)
        if zero:
            grads = [
                _zeros_like(s) if g is None else g for g, s in zip(grads, flat_sources, strict=True)
            ]
        return _pack(sources, grads)

    def _begin(self, what: str) -> None:
        if self._used:
            raise RuntimeError(
                f"a tape that is not persistent gives one set of gradients, and {what}() is the "
                "second to be asked of it; make it with persistent=True"
            )

    def _leave(self, keep: bool) -> None:
        """Inside its own block a tape stops before it answers, unless it is persistent."""
        if keep:
            return
        self._used = True
        self._stop()

    @public
    def explain(self, target: Any, sources: Any) -> Any:
        """Says why the gradient of `target` with respect to a source is None, or that it is not.

        The answer, an `agog.explain.Explanation` in the place of each source, prints as text: the
        cause, the op where the way from the source to the target ends, and what would mend it.
        It may be asked at any time; a tape that is not persistent must be asked before it gives
        its gradients. To find out, it may run the gradient rules, once. The user's lines are
        known while `agog.debugging.enable_gradient_lines` is on. Raises TypeError for a target
        that is not one tensor or variable.

        >>> x = agog.constant(3.0)
        >>> with agog.GradientTape() as tape:
        ...     tape.watch(x)
        ...     y = agog.stop_gradient(x * x) + 1.0
        >>> report = tape.explain(y, x)
        >>> report.cause, report.op
        ('blocked', 'StopGradient')
        >>> print(report.reason)
        StopGradient has no gradient with respect to its input 0
        """
        from agog.explain import explain

        if not isinstance(target, (Tensor, VariableBase)):
            raise TypeError(
                f"the target must be one tensor or variable, got {target!r} of type "
                f"{type(target).__name__}"
            )
        flat = _flatten(sources)
        _check_sources(flat)
        return _pack(sources, [explain(self, target, source) for source in flat])

    @public
    def jacobian(
        self,
        target: Any,
        sources: Any,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """The derivative of every element of `target` with respect to every element of `sources`.

        Each result has the target's shape followed by the source's.

        >>> x = agog.constant([1.0, 2.0])
        >>> with agog.GradientTape() as tape:
        ...     tape.watch(x)
        ...     y = x * x
        >>> tape.jacobian(y, x).numpy().tolist()
        [[2.0, 0.0], [0.0, 4.0]]
        """
        from agog.jacobian import jacobian

        return jacobian(self, target, sources, unconnected_gradients)

    @public
    def batch_jacobian(
        self,
        target: Any,
        source: Any,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """The Jacobian of each row of `target` with respect to the same row of `source`.

        The result has shape `[batch] + target.shape[1:] + source.shape[1:]`. Right only where rows
        do not depend on each other.

        >>> x = agog.constant([[1.0], [2.0]])
        >>> with agog.GradientTape() as tape:
        ...     tape.watch(x)
        ...     y = x * x
        >>> tape.batch_jacobian(y, x).numpy().ravel().tolist()
        [2.0, 4.0]
        """
        from agog.jacobian import batch_jacobian

        return batch_jacobian(self, target, source, unconnected_gradients)


class _Stopped:
    """The with-block of stop_recording."""

    def __init__(self, tape: GradientTape) -> None:
        self._tape = tape

    def __enter__(self) -> None:
        self._tape._has_stopped = True
        self._tape._stop()

    def __exit__(self, *exc: Any) -> None:
        self._tape._start()


def _targets(target: Any) -> list[Any]:
    if target is None:
        raise TypeError("the target of a gradient is None: it must be a tensor or variable")
    flat = []
    for t in _flatten(target):
        if t is None:
            raise TypeError("a target of a gradient is None: it must be a tensor or variable")
        if not isinstance(t, (Tensor, VariableBase)):
            t = t.values if isinstance(t, IndexedSlices) else _core.convert(t)
        if not (t.dtype.is_floating or t.dtype.is_complex):
            warnings.warn(
                f"the target has dtype {t.dtype.name}, which has no gradient; "
                "tape.explain(target, source) names the op that made it",
                stacklevel=3,
            )
        flat.append(t)
    return flat


def _weights(output_gradients: Any, targets: list[Any]) -> list[Any]:
    weights = _flatten(output_gradients)
    if len(weights) != len(targets):
        raise ValueError(
            f"{len(targets)} targets need as many output_gradients, got {len(weights)}"
        )
    result: list[Any] = []
    for weight, target in zip(weights, targets, strict=True):
        if weight is None:
            result.append(None)
            continue
        weight = _core.convert(weight, None, target.dtype)
        if weight.shape != target.shape:
            raise ValueError(
                f"output_gradients must have the target's shape {target.shape}, got {weight.shape}"
            )
        result.append(weight)
    return result
