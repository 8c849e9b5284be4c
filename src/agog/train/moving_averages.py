"""Moving averages of variables, for evaluation with steadier weights."""

from __future__ import annotations

from typing import Any

import agog
from agog._core import public

_FLOATS = ("float16", "bfloat16", "float32", "float64")


class ExponentialMovingAverage:
    """Keeps for each variable a shadow: `shadow -= (1 - decay) * (shadow - variable)`.

    A shadow begins with the variable's value; with `zero_debias` it is divided by 1 - decay^n, the
    weight of the n updates so far. With `num_updates` (a number or a variable) the decay is at most
    (1 + num_updates) / (10 + num_updates), so that early averages move fast.

    >>> w = agog.Variable(1.0)
    >>> ema = agog.train.ExponentialMovingAverage(0.75)
    >>> ema.apply([w])
    >>> _ = w.assign(5.0)
    >>> ema.apply([w])
    >>> float(ema.average(w))
    2.0
    """

    @public
    def __init__(
        self,
        decay: Any,
        num_updates: Any = None,
        zero_debias: bool = False,
        name: str = "ExponentialMovingAverage",
    ) -> None:
        self._decay = decay
        self._num_updates = num_updates
        self._zero_debias = zero_debias
        self._name = name
        self._shadows: dict[int, tuple[Any, Any]] = {}  # id(var) -> (var, shadow)

    @property
    def name(self) -> str:
        """The name given."""
        return self._name

    @public
    def apply(self, var_list: Any = None) -> None:
        """Moves the shadows of the variables towards them; a first call makes the shadows."""
        variables = [shadowed for shadowed, _ in self._shadows.values()]
        for var in variables if var_list is None else var_list:
            self._check(var)
            if id(var) not in self._shadows:
                self._make(var)
            shadow = self._shadows[id(var)][1]
            rate = agog.cast(1.0 - self._current_decay(), var.dtype)
            shadow.assign_sub(rate * (shadow.value() - var.value()))

    @public
    def average(self, var: Any) -> Any:
        """The shadow variable of `var`, or None where `apply` has not seen it."""
        found = self._shadows.get(id(var))
        return None if found is None else found[1]

    @public
    def average_name(self, var: Any) -> str:
        """The name of the shadow of `var`, without ":0".

        >>> w = agog.Variable(1.0, name="w")
        >>> agog.train.ExponentialMovingAverage(0.9).average_name(w)
        'w/ExponentialMovingAverage'
        """
        found = self._shadows.get(id(var))
        stem = f"{var.name.partition(':')[0]}/{self._name}" if found is None else found[1].name
        return str(stem.partition(":")[0])

    @public
    def variables_to_restore(self, moving_avg_variables: Any = None) -> dict[str, Any]:
        """Names in a checkpoint, by which variables are to take the values of their shadows.

        Without an argument, the variables that `apply` has seen.

        >>> w = agog.Variable(1.0, name="w")
        >>> list(agog.train.ExponentialMovingAverage(0.9).variables_to_restore([w]))
        ['w/ExponentialMovingAverage']
        """
        if moving_avg_variables is None:
            moving_avg_variables = [var for var, _ in self._shadows.values()]
        return {self.average_name(var): var for var in moving_avg_variables}

    def _current_decay(self) -> Any:
        decay = agog.cast(self._decay, agog.float32)
        if self._num_updates is None:
            return decay
        count = agog.cast(self._num_updates, agog.float32)
        return agog.minimum(decay, (1.0 + count) / (10.0 + count))

    def _make(self, var: Any) -> None:
        name = f"{var.name.partition(':')[0]}/{self._name}"
        shadow = agog.Variable(var.value(), trainable=False, name=name)
        self._shadows[id(var)] = (var, shadow)

    def _check(self, var: Any) -> None:
        if not hasattr(var, "handle"):
            raise TypeError(f"a moving average is of variables only, got {type(var).__name__}")
        if var.dtype.name not in _FLOATS:
            raise TypeError(
                f"a moving average is of floating-point variables, got '{var.name}' of dtype "
                f"{var.dtype.name}"
            )

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_shadows": list(self._shadows.values())}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._shadows = {id(var): (var, shadow) for var, shadow in state["_shadows"]}
