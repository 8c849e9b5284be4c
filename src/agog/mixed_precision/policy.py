"""Which dtypes layers compute in, and which their variables have."""

from __future__ import annotations

from typing import Any

from agog import dtypes
from agog._core import public


class Policy:
    """A pair of dtypes: "float32" or another name for both, "mixed_float16", "mixed_bfloat16".

    The mixed ones compute in the half type, with float32 variables. None leaves both to the
    inputs.

    >>> policy = agog.mixed_precision.Policy("mixed_bfloat16")
    >>> policy.compute_dtype.name, policy.variable_dtype.name
    ('bfloat16', 'float32')
    """

    @public
    def __init__(self, name: Any = None) -> None:
        self.compute_dtype: Any = None
        self.variable_dtype: Any = None
        if isinstance(name, str) and name.startswith("mixed_"):
            half = name.removeprefix("mixed_")
            if half not in ("float16", "bfloat16"):
                raise ValueError(
                    f"a mixed policy is 'mixed_float16' or 'mixed_bfloat16', got {name!r}"
                )
            self.compute_dtype, self.variable_dtype = dtypes.as_dtype(half), dtypes.float32
        elif name is not None:
            self.compute_dtype = self.variable_dtype = dtypes.as_dtype(name)
            name = self.compute_dtype.name
        self.name = name

    def __repr__(self) -> str:
        return f"Policy({self.name!r})"


_OPEN = Policy()
_current = _OPEN


@public
def set_global_policy(policy: Any) -> None:
    """Makes a policy, or its name, that of all layers that are made from now on; None undoes it.

    >>> agog.mixed_precision.set_global_policy("mixed_bfloat16")
    >>> layer = agog.layers.Dense(2)
    >>> agog.mixed_precision.set_global_policy(None)
    >>> layer(agog.zeros([1, 3])).dtype.name, layer.kernel.dtype.name
    ('bfloat16', 'float32')
    """
    global _current
    _current = policy if isinstance(policy, Policy) else Policy(policy)


@public
def global_policy() -> Policy:
    """The policy of layers that are given no dtype.

    >>> agog.mixed_precision.global_policy()
    Policy(None)
    """
    return _current


def policy_for(dtype: Any) -> Policy:
    """The policy of a layer whose argument `dtype` is this."""
    if dtype is None:
        return _current
    return dtype if isinstance(dtype, Policy) else Policy(dtype)
