"""TensorFlow's eager execution under its names of 2017.

>>> import agog.contrib.eager as tfe
>>> def square(x):
...     return agog.multiply(x, x)
>>> grad = tfe.gradients_function(square)
>>> float(square(3.0)), [float(g) for g in grad(3.0)]
(9.0, [6.0])
>>> gradgrad = tfe.gradients_function(lambda x: grad(x)[0])
>>> [float(g) for g in gradgrad(3.0)]
[2.0]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import agog
from agog._core import handle, public
from agog.contrib import metrics
from agog.contrib.network import Network, Sequential
from agog.custom_gradient import custom_gradient
from agog.near_names import no_attribute

__all__ = [
    "GradientTape",
    "Iterator",
    "Network",
    "Sequential",
    "Variable",
    "custom_gradient",
    "enable_eager_execution",
    "executing_eagerly",
    "gradients_function",
    "implicit_gradients",
    "implicit_value_and_gradients",
    "in_eager_mode",
    "in_graph_mode",
    "list_devices",
    "metrics",
    "num_gpus",
    "value_and_gradients_function",
]

if TYPE_CHECKING:
    from agog.contrib.iterator import Iterator

GradientTape = agog.GradientTape
Variable = agog.Variable

_identity = handle("Identity")


@public
def enable_eager_execution(
    config: Any = None, device_policy: Any = None, execution_mode: Any = None
) -> None:
    """Nothing to do: operations always run at once. Kept so that 2017's programs run."""


@public
def executing_eagerly() -> bool:
    """Whether an operation called here runs at once.

    >>> agog.contrib.eager.executing_eagerly()
    True
    """
    return True


in_eager_mode = executing_eagerly


@public
def in_graph_mode() -> bool:
    """Whether an operation called here becomes a node of a graph."""
    return False


@public
def list_devices() -> list[str]:
    """The names of the devices that operations can run on.

    >>> agog.contrib.eager.list_devices()
    ['/job:localhost/replica:0/task:0/device:CPU:0']
    """
    return ["/job:localhost/replica:0/task:0/device:CPU:0"]


@public
def num_gpus() -> int:
    """The number of GPUs that operations can run on: 0."""
    return 0


@public
def gradients_function(
    f: Callable[..., Any], params: Iterable[int] | Iterable[str] | None = None
) -> Callable[..., list[Any]]:
    """A function that takes the arguments of `f` and returns the gradients of `f` there.

    One gradient comes for each of `params`: positions or names of arguments, all of the given
    ones by default. A keyword argument `dy` of the returned function weighs the outputs.

    >>> grad = agog.contrib.eager.gradients_function(lambda x, y: x * x * y, params=["y"])
    >>> [float(g) for g in grad(3.0, 2.0)]
    [9.0]
    """
    with_value = value_and_gradients_function(f, params)

    def gradients(*args: Any, **kwargs: Any) -> list[Any]:
        return with_value(*args, **kwargs)[1]

    return public(gradients)


@public
def value_and_gradients_function(
    f: Callable[..., Any], params: Iterable[int] | Iterable[str] | None = None
) -> Callable[..., tuple[Any, list[Any]]]:
    """As `gradients_function`, but the returned function gives `(value, gradients)`.

    >>> both = agog.contrib.eager.value_and_gradients_function(lambda x: x * x)
    >>> value, (slope,) = both(3.0)
    >>> float(value), float(slope)
    (9.0, 6.0)
    """
    chosen = None if params is None else list(params)

    def value_and_gradients(*args: Any, dy: Any = None, **kwargs: Any) -> tuple[Any, list[Any]]:
        if kwargs:
            raise ValueError(
                "a function to be differentiated takes its arguments by position, got the "
                f"keywords {', '.join(kwargs)}"
            )
        positions = _positions(f, chosen, len(args))
        inputs = _fresh(args, positions)
        sources = [inputs[i] for i in positions]
        with agog.GradientTape() as tape:
            tape.watch(sources)
            value = _checked(f, f(*inputs))
        return value, tape.gradient(value, sources, output_gradients=dy)

    return public(value_and_gradients)


@public
def implicit_gradients(f: Callable[..., Any]) -> Callable[..., list[tuple[Any, Any]]]:
    """A function that takes the arguments of `f` and returns (gradient, variable) pairs.

    There is one pair for each trainable variable that `f` reads: what an optimizer's
    `apply_gradients` takes.

    >>> w = agog.Variable(3.0)
    >>> ((grad, var),) = agog.contrib.eager.implicit_gradients(lambda x: w * x)(2.0)
    >>> float(grad), var is w
    (2.0, True)
    """
    with_value = implicit_value_and_gradients(f)

    def gradients(*args: Any, **kwargs: Any) -> list[tuple[Any, Any]]:
        return with_value(*args, **kwargs)[1]

    return public(gradients)


@public
def implicit_value_and_gradients(
    f: Callable[..., Any],
) -> Callable[..., tuple[Any, list[tuple[Any, Any]]]]:
    """As `implicit_gradients`, but the returned function gives `(value, pairs)`.

    >>> w = agog.Variable(3.0)
    >>> value, pairs = agog.contrib.eager.implicit_value_and_gradients(lambda: w * w)()
    >>> float(value), float(pairs[0][0])
    (9.0, 6.0)
    """

    def value_and_gradients(*args: Any, **kwargs: Any) -> tuple[Any, list[tuple[Any, Any]]]:
        with agog.GradientTape() as tape:
            value = _checked(f, f(*args, **kwargs))
        variables = list(tape.watched_variables())
        if not variables:
            raise ValueError(f"{_name(f)} read no trainable variable, so it has no gradients")
        grads = tape.gradient(value, variables)
        return value, list(zip(grads, variables, strict=True))

    return public(value_and_gradients)


def __getattr__(name: str) -> Any:
    # Imported on first use, with all of `data`, so that importing agog is fast.
    if name == "Iterator":
        from agog.contrib.iterator import Iterator

        return Iterator
    raise no_attribute(__name__, name)


def _positions(f: Callable[..., Any], params: list[Any] | None, num_args: int) -> list[int]:
    """The positions of the arguments to differentiate by."""
    if params is None:
        return list(range(num_args))
    if all(isinstance(param, str) for param in params):
        params = [_position_of_name(f, param) for param in params]
    elif not all(isinstance(param, int) for param in params):
        raise ValueError(f"params must be all names or all positions, got {params}")
    for position in params:
        if not -num_args <= position < num_args:
            raise IndexError(f"params asks for argument {position}, but {num_args} were given")
    return [position % num_args for position in params]


def _position_of_name(f: Callable[..., Any], param: str) -> int:
    import inspect

    names = list(inspect.signature(f).parameters)
    if param not in names:
        raise ValueError(f"{_name(f)} has no argument {param!r}, only {', '.join(names)}")
    return names.index(param)


def _fresh(args: tuple[Any, ...], positions: list[int]) -> list[Any]:
    """The arguments, those to differentiate by as tensors, each an object of its own."""
    inputs = list(args)
    seen: set[int] = set()
    for i in sorted(set(positions)):
        tensor = agog.convert_to_tensor(inputs[i])
        if id(tensor) in seen:
            tensor = _identity(tensor)
        seen.add(id(tensor))
        inputs[i] = tensor
    return inputs


def _checked(f: Callable[..., Any], value: Any) -> Any:
    if value is None:
        raise ValueError(f"{_name(f)} returned None, which has no gradient: is a `return` missing?")
    return value


def _name(f: Callable[..., Any]) -> str:
    return getattr(f, "__name__", type(f).__name__)
