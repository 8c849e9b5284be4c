"""Functions that bring their own gradient rule."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import agog
from agog._core import handle, public, record_custom, stop_recording

_identity = handle("Identity")


@public
def custom_gradient(f: Callable[..., Any] | None = None) -> Any:
    """Decorator for a function that returns its result together with its own gradient rule.

    `f(*args, **kwargs)` returns `(result, grad_fn)`. `grad_fn` gets one upstream gradient for each
    tensor in the result and returns one gradient (or None) for each tensor in the positional
    arguments, in the same structure; keyword arguments get none. If `f` reads trainable variables
    that are not among its arguments, `grad_fn` must take a keyword argument `variables`, a list,
    and return `(gradients, variable_gradients)`. `grad_fn` runs like any other code: gradients of
    it, of any order, follow its own operations, custom rules included.

    >>> @agog.custom_gradient
    ... def log1pexp(x):
    ...     e = agog.exp(x)
    ...     return agog.math.log(1 + e), lambda dy: dy * (1 - 1 / (1 + e))
    >>> x = agog.constant(100.0)
    >>> with agog.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = log1pexp(x)
    >>> float(tape.gradient(y, x))
    1.0
    """
    return custom_gradient if f is None else _WithGradient(f)


@public
def recompute_grad(f: Callable[..., Any]) -> Any:
    """Decorator that keeps nothing of `f` for the gradient and runs `f` again when it is needed.

    It saves memory and costs a second forward run. `f` must give the same result both times.
    Gradients flow to the positional arguments and to the variables that `f` reads.

    >>> block = agog.recompute_grad(lambda x: agog.sin(x) * x)
    >>> x = agog.constant(2.0)
    >>> with agog.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = block(x)
    >>> print(f"{float(tape.gradient(y, x)):.4f}")
    0.0770
    """

    return _Recomputed(f)


class _WithGradient:
    """A function with its own gradient rule; in a class body it binds like a method."""

    def __init__(self, f: Callable[..., Any]) -> None:
        functools.update_wrapper(self, f)
        self._f = f

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            return self
        return type(self)(functools.partial(self._f, instance))

    @public
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        leaves = agog.nest.flatten(args)
        inputs = [agog.convert_to_tensor(leaf) for leaf in leaves]
        result, grad_fn, read = self._run(args, kwargs)
        variables = [var for var in read if not any(var is leaf for leaf in leaves)]
        rule = _Rule(self._name(), grad_fn, len(inputs), variables)
        inputs += [var.value() for var in variables]
        with stop_recording():
            outputs = [_identity(part) for part in agog.nest.flatten(result)]
        rule.outputs = [(part.shape, part.dtype) for part in outputs]
        rule.dtypes = [part.dtype for part in inputs]
        record_custom(self._name(), outputs, inputs, rule)
        return agog.nest.pack_sequence_as(result, outputs)

    def _run(self, args: Any, kwargs: Any) -> tuple[Any, Callable[..., Any], Sequence[Any]]:
        """The result, its gradient rule and the trainable variables read on the way."""
        with agog.GradientTape() as tape:
            returned = self._f(*args, **kwargs)
        return *self._pair(returned), tape.watched_variables()

    def _name(self) -> str:
        f = self._f.func if isinstance(self._f, functools.partial) else self._f
        return getattr(f, "__name__", type(f).__name__)

    def _pair(self, returned: Any) -> tuple[Any, Callable[..., Any]]:
        if isinstance(returned, tuple | list) and len(returned) == 2 and callable(returned[1]):
            return returned[0], returned[1]
        raise TypeError(
            f"{self._name()}, decorated with custom_gradient, must return (result, grad_fn), "
            f"got {_outline(returned)}"
        )


class _Recomputed(_WithGradient):
    """A function whose gradient rule is to run it again under a tape."""

    def _run(self, args: Any, kwargs: Any) -> tuple[Any, Callable[..., Any], Sequence[Any]]:
        with stop_recording(), agog.GradientTape() as tape:
            result = self._f(*args, **kwargs)
        return (
            result,
            functools.partial(_run_again, self._f, args, kwargs),
            tape.watched_variables(),
        )


class _Rule:
    """What the tape calls: from the upstream gradients to those of the inputs."""

    outputs: list[tuple[Any, Any]]
    dtypes: list[Any]

    def __init__(
        self, name: str, grad_fn: Callable[..., Any], num_args: int, variables: Sequence[Any]
    ) -> None:
        self.name = name
        self.grad_fn = grad_fn
        self.num_args = num_args
        self.variables = list(variables)
        if variables and not _takes_variables(grad_fn):
            names = ", ".join(var.name for var in variables)
            raise TypeError(
                f"the grad_fn of {name} must take a keyword argument 'variables', because {name} "
                f"reads the variables [{names}]"
            )

    def __call__(self, dys: Sequence[Any]) -> list[Any]:
        dys = [
            agog.zeros(shape, dtype) if dy is None else dy
            for dy, (shape, dtype) in zip(dys, self.outputs, strict=True)
        ]
        found = self._of_args_and_variables(dys) if self.variables else self._of_args(dys)
        return [
            grad if grad is None else agog.convert_to_tensor(grad, dtype)
            for grad, dtype in zip(found, self.dtypes, strict=True)
        ]

    def _of_args(self, dys: Sequence[Any]) -> list[Any]:
        return self._counted(self.grad_fn(*dys))

    def _of_args_and_variables(self, dys: Sequence[Any]) -> list[Any]:
        returned = self.grad_fn(*dys, variables=list(self.variables))
        if not isinstance(returned, tuple | list) or len(returned) != 2:
            raise ValueError(
                f"the grad_fn of {self.name} was given variables, so it must return "
                f"(gradients, variable_gradients), got {_outline(returned)}"
            )
        of_variables = agog.nest.flatten(returned[1])
        if len(of_variables) != len(self.variables):
            raise ValueError(
                f"the grad_fn of {self.name} must return one gradient for each of its "
                f"{len(self.variables)} variables, got {len(of_variables)}"
            )
        return self._counted(returned[0]) + of_variables

    def _counted(self, returned: Any) -> list[Any]:
        grads = agog.nest.flatten(returned)
        if len(grads) == 1 and grads[0] is None:
            grads = [None] * self.num_args
        if len(grads) != self.num_args:
            raise ValueError(
                f"the grad_fn of {self.name} must return {self.num_args} gradients, one for each "
                f"tensor in the positional arguments, got {len(grads)}"
            )
        return grads


def _run_again(
    f: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    *dys: Any,
    variables: Sequence[Any] = (),
) -> Any:
    with agog.GradientTape() as tape:
        fresh = [_identity(leaf) for leaf in agog.nest.flatten(args)]
        tape.watch([leaf for leaf in fresh if leaf.dtype.is_floating or leaf.dtype.is_complex])
        result = f(*agog.nest.pack_sequence_as(args, fresh), **kwargs)
    outputs = agog.nest.flatten(result)
    kept = [i for i, part in enumerate(outputs) if part.dtype.is_floating or part.dtype.is_complex]
    grads = tape.gradient(
        [outputs[i] for i in kept],
        [*fresh, *variables],
        output_gradients=[dys[i] for i in kept],
    )
    of_args = agog.nest.pack_sequence_as(args, grads[: len(fresh)])
    return (of_args, grads[len(fresh) :]) if variables else of_args


def _takes_variables(grad_fn: Callable[..., Any]) -> bool:
    import inspect

    parameters = inspect.signature(grad_fn).parameters.values()
    return any(p.name == "variables" or p.kind is p.VAR_KEYWORD for p in parameters)


def _outline(value: Any) -> str:
    if isinstance(value, tuple | list):
        return f"a {type(value).__name__} of {len(value)}"
    return f"a {type(value).__name__}"
