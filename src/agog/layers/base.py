"""The base of layers: variables made on the first call, a phase, a policy of dtypes."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import agog
from agog import _core, mixed_precision
from agog._core import handle, public
from agog.module import Module

_cast = handle("Cast")


class Layer(Module):
    """Base of layers: a subclass defines `build(input_shape)`, which makes variables, and `call`.

    `build` runs before the first call. Variables take the dtype of the first inputs unless
    `dtype` names one; `dtype` may also be a policy such as "mixed_bfloat16", under which the
    layer computes in bfloat16 with float32 variables (see `agog.mixed_precision`).

    **Training.** Layers that behave differently in training take an argument `training`. Where it
    is None, that of the layer or network around counts; outermost it is False, as in TensorFlow,
    and if a tape records then, there is a warning: the layer would not be trained.

    >>> class Scale(agog.layers.Layer):
    ...     def build(self, input_shape):
    ...         self.factor = self.add_weight("factor", [input_shape[-1]], "ones")
    ...     def call(self, inputs):
    ...         return inputs * self.read(self.factor)
    >>> layer = Scale()
    >>> layer(agog.constant([[1.0, 2.0]])).numpy().tolist(), layer.factor.name
    ([[1.0, 2.0]], 'scale/factor:0')
    """

    _takes_training = False

    @public
    def __init__(self, trainable: bool = True, name: str | None = None, dtype: Any = None) -> None:
        super().__init__(name)
        self._named = name is not None
        self.trainable = trainable
        self.built = False
        self._policy = mixed_precision.policy_for(dtype)
        self._variable_dtype = self._policy.variable_dtype

    # What a subclass may override.

    def build(self, input_shape: Any) -> None:
        """Make the variables for inputs of that shape, with `add_weight`."""

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """What the layer computes."""
        raise NotImplementedError(f"{type(self).__name__} must define call")

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """Which of the outputs count, from which of the inputs do: the same, by default."""
        return mask

    # What it offers.

    @public
    def __call__(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        inputs = self._converted(inputs)
        if not self.built:
            self._build_for(inputs)
        training = kwargs.get("training")
        if self._takes_training:
            kwargs["training"] = self._phase(training)
        if training is None or training is phase():
            return self.call(inputs, *args, **kwargs)
        with Phase(training):
            return self.call(inputs, *args, **kwargs)

    @public
    def add_weight(
        self,
        name: str,
        shape: Any = (),
        initializer: Any = "glorot_uniform",
        dtype: Any = None,
        trainable: bool = True,
        constraint: Any = None,
    ) -> Any:
        """A new variable named after the layer; keep it as an attribute."""
        dtype = dtype or self._variable_dtype or agog.float32
        value = agog.initializers.get(initializer)([int(n) for n in shape], dtype)
        return agog.Variable(
            value,
            trainable=trainable and self.trainable,
            name=f"{self.name}/{name}",
            dtype=dtype,
            constraint=constraint,
        )

    @public
    def read(self, variable: Any) -> Any:
        """The variable, or its value in the dtype that the policy computes in."""
        compute = self._policy.compute_dtype
        if compute is None or variable is None or variable.dtype is compute:
            return variable
        return _cast(variable, compute, False)

    @property
    def weights(self) -> list[Any]:
        """All variables, in the order in which layers of TensorFlow have them."""
        return list(_ordered(self, set()))

    @public
    def get_weights(self) -> list[Any]:
        """The values of `weights`, as NumPy arrays."""
        return [weight.numpy() for weight in self.weights]

    @public
    def set_weights(self, weights: Any) -> None:
        """Gives each of `weights` a new value; their number and shapes must fit."""
        own, given = self.weights, list(weights)
        if len(own) != len(given):
            raise ValueError(
                f"layer {self.name!r} has {len(own)} weights, got {len(given)}: call or build it "
                "before, and give all of them"
            )
        for variable, value in zip(own, given, strict=True):
            variable._check_fits(agog.convert_to_tensor(value, variable.dtype))
        for variable, value in zip(own, given, strict=True):
            variable.assign(value)

    @public
    def count_params(self) -> int:
        """How many numbers the variables hold."""
        return sum(int(agog.size(weight)) for weight in self.weights)

    def _converted(self, inputs: Any) -> Any:
        """Inputs as tensors, floating ones in the dtype that the policy computes in."""
        if isinstance(inputs, (list, tuple)) and any(hasattr(x, "dtype") for x in inputs):
            return type(inputs)(self._converted(x) for x in inputs)
        inputs = agog.convert_to_tensor(inputs)
        compute = self._policy.compute_dtype
        if compute is None or inputs.dtype is compute or not inputs.dtype.is_floating:
            return inputs
        return _cast(inputs, compute, False)

    def _build_for(self, inputs: Any) -> None:
        first = inputs[0] if isinstance(inputs, (list, tuple)) else inputs
        if self._variable_dtype is None and first.dtype.is_floating:
            self._variable_dtype = first.dtype
        self.build(first.shape)
        self.built = True

    def _differs(self) -> bool:
        """Whether training is anything else than inference, beyond what inner layers do."""
        return False

    def _phase(self, training: Any) -> Any:
        if training is None:
            training = phase()
        if training is None:
            if self._differs() and _core.tape_depth() and not vars(self).get("_warned"):
                self._warned = True
                warnings.warn(
                    f"layer {self.name!r} runs as for inference while a tape records: pass "
                    "training=True to train it, or training=False if this is meant",
                    stacklevel=4,
                )
            return False
        return training


_local = threading.local()


def phase() -> Any:
    """What `training` is for calls inside this one: True, False, or None where nobody said."""
    return getattr(_local, "training", None)


class Phase:
    """A with-block inside which layers take `training` to be this."""

    def __init__(self, training: Any) -> None:
        self._training = training

    def __enter__(self) -> None:
        self._before = phase()
        _local.training = self._training

    def __exit__(self, *exc: Any) -> None:
        _local.training = self._before


def activation(given: str | Callable[[Any], Any] | None) -> Callable[[Any], Any] | None:
    """A function from its name in `agog.nn`; None and "linear" give None."""
    if given is None or given == "linear":
        return None
    if callable(given):
        return given
    if given == "exponential":
        return agog.exp
    if not hasattr(agog.nn, given):
        raise ValueError(f"activation must be a function or a name in agog.nn, got {given!r}")
    found: Callable[[Any], Any] = getattr(agog.nn, given)
    return found


def _ordered(value: Any, seen: set[int]) -> Iterator[Any]:
    """Variables in the order of attributes, those of inner modules where these stand."""
    if id(value) in seen:
        return
    if isinstance(value, agog.Variable):
        seen.add(id(value))
        yield value
        return
    if isinstance(value, Module):
        seen.add(id(value))
        parts: Any = vars(value).values()
    elif isinstance(value, (list, tuple)):
        parts = value
    else:
        parts = value.values() if isinstance(value, dict) else ()
    for part in list(parts):
        yield from _ordered(part, seen)
