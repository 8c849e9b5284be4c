"""Attention with several heads."""

from __future__ import annotations

import math
from typing import Any

import agog
from agog import initializers
from agog._core import public
from agog.layers.base import Layer


class _Projection(Layer):
    """Features to heads, or heads to features: a product and an offset."""

    @public
    def __init__(self, sizes: Any, inner: int, outer: Any, use_bias: bool, given: Any, name: str):
        super().__init__(name=name)
        self._sizes, self._inner, self._outer = sizes, inner, outer
        self._use_bias, self._initializers = use_bias, given
        self.kernel: Any = None
        self.bias: Any = None

    def make(self, dtype: Any) -> None:
        """Make the variables."""
        kernel, bias = self._initializers
        self.kernel = self.add_weight("kernel", self._sizes, kernel, dtype)
        if self._use_bias:
            self.bias = self.add_weight("bias", self._outer, bias, dtype)
        self.built = True

    def call(self, inputs: Any) -> Any:
        """The outputs: (..., heads, size) or (..., features)."""
        leading = [int(n) for n in inputs.shape[: len(inputs.shape) - self._inner]]
        flat = math.prod(int(n) for n in inputs.shape[len(leading) :])
        rows = agog.reshape(inputs, [math.prod(leading), flat])
        kernel = agog.reshape(self.read(self.kernel), [flat, math.prod(self._outer)])
        result = agog.reshape(agog.matmul(rows, kernel), [*leading, *self._outer])
        bias = self.read(self.bias)
        return result if bias is None else result + bias


class MultiHeadAttention(Layer):
    """Attention with `num_heads` heads of size `key_dim` (Vaswani and others, 2017).

    Called with a query (batch, T, features), a value (batch, S, features) and a key, by default the
    value. `attention_mask`, (batch, T, S) or broadcasting to it, says where a query may look;
    `value_mask` and `key_mask` say which steps count, `use_causal_mask` forbids looking ahead. A
    query that may look nowhere gets zeros. `query_mask` changes nothing, as in TensorFlow: outputs
    of masked queries are not to be used. `return_attention_scores` returns a pair, the second
    (batch, heads, T, S).

    >>> layer = agog.layers.MultiHeadAttention(num_heads=2, key_dim=3)
    >>> x = agog.zeros([1, 4, 6])
    >>> layer(x, x, use_causal_mask=True).shape.as_list()
    [1, 4, 6]
    """

    _takes_training = True

    @public
    def __init__(
        self,
        num_heads: int,
        key_dim: int,
        value_dim: int | None = None,
        dropout: float = 0.0,
        use_bias: bool = True,
        output_shape: Any = None,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        seed: int | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if num_heads < 1 or key_dim < 1:
            raise ValueError(
                f"num_heads and key_dim must be at least 1, got {num_heads} and {key_dim}"
            )
        self.num_heads, self.key_dim = num_heads, key_dim
        self.value_dim = key_dim if value_dim is None else value_dim
        self.dropout, self.use_bias, self.seed = dropout, use_bias, seed
        self._output_shape = [output_shape] if isinstance(output_shape, int) else output_shape
        self._given = initializers.get(kernel_initializer), initializers.get(bias_initializer)
        self.query_dense: Any = None
        self.key_dense: Any = None
        self.value_dense: Any = None
        self.output_dense: Any = None

    @public
    def __call__(  # type: ignore[override]
        self, query: Any, value: Any, key: Any = None, **kwargs: Any
    ) -> Any:
        value = self._converted(value)
        key = value if key is None else self._converted(key)
        query = self._converted(query)
        for name, given in (("query", query), ("value", value), ("key", key)):
            if len(given.shape) != 3:
                raise agog.errors.UnimplementedError(
                    None,
                    None,
                    f"{name} of {self.name!r} must have axes batch, steps and features, got shape "
                    f"{list(given.shape)}",
                )
        if not self.built:
            self._make(query, value, key)
        return super().__call__(query, value, key, **kwargs)

    def _differs(self) -> bool:
        return self.dropout > 0

    def _make(self, query: Any, value: Any, key: Any) -> None:
        if self._variable_dtype is None:
            self._variable_dtype = query.dtype
        heads, prefix = self.num_heads, self.name
        outer = list(self._output_shape or [int(query.shape[-1])])

        def made(name: str, sizes: list[int], inner: int, outer: list[int]) -> _Projection:
            layer = _Projection(sizes, inner, outer, self.use_bias, self._given, name)
            layer._name, layer._policy = f"{prefix}/{name}", self._policy
            layer.make(self._variable_dtype)
            return layer

        for name, given, size in (
            ("query", query, self.key_dim),
            ("key", key, self.key_dim),
            ("value", value, self.value_dim),
        ):
            sizes = [int(given.shape[-1]), heads, size]
            setattr(self, f"{name}_dense", made(name, sizes, 1, [heads, size]))
        sizes = [heads, self.value_dim, *outer]
        self.output_dense = made("attention_output", sizes, 2, outer)
        self.built = True

    def call(
        self,
        query: Any,
        value: Any,
        key: Any = None,
        query_mask: Any = None,
        value_mask: Any = None,
        key_mask: Any = None,
        attention_mask: Any = None,
        return_attention_scores: bool = False,
        training: Any = None,
        use_causal_mask: bool = False,
    ) -> Any:
        """The outputs, and the scores where asked for."""
        q = self.query_dense(query) * (1.0 / math.sqrt(self.key_dim))
        k, v = self.key_dense(key), self.value_dense(value)
        q, k, v = (agog.transpose(x, [0, 2, 1, 3]) for x in (q, k, v))
        logits = agog.matmul(q, k, transpose_b=True)
        allowed = _allowed(value_mask, key_mask, attention_mask)
        if use_causal_mask:
            steps = int(query.shape[1]), int(value.shape[1])
            causal = agog.range(steps[0])[:, None] >= agog.range(steps[1])[None, :]
            allowed = causal[None] if allowed is None else agog.logical_and(allowed, causal)
        if allowed is not None:
            forbidden = agog.cast(agog.logical_not(allowed), logits.dtype)
            lowest = -3e4 if logits.dtype is agog.float16 else -1e9
            logits = logits + agog.expand_dims(forbidden, 1) * lowest
        scores = agog.nn.softmax(logits)
        if allowed is not None:
            somewhere = agog.reduce_any(allowed, -1, keepdims=True)
            scores = scores * agog.expand_dims(agog.cast(somewhere, scores.dtype), 1)
        kept = scores
        if training and self.dropout:
            kept = agog.nn.dropout(scores, self.dropout, seed=self.seed)
        output = self.output_dense(agog.transpose(agog.matmul(kept, v), [0, 2, 1, 3]))
        return (output, scores) if return_attention_scores else output


def _allowed(value_mask: Any, key_mask: Any, attention_mask: Any) -> Any:
    """Where queries may look, (batch, T, S) or broadcasting to it; None for everywhere."""
    parts = [] if attention_mask is None else [agog.cast(attention_mask, agog.bool)]
    for mask in (value_mask, key_mask):
        if mask is not None:
            parts.append(agog.expand_dims(agog.cast(mask, agog.bool), -2))
    result = None
    for part in parts:
        result = part if result is None else agog.logical_and(result, part)
    return result
