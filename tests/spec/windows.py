"""Loops over windows, for the references of convolutions and pools: channels last, any rank."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np


def channels_last(x: Any, data_format: str) -> Any:
    return np.moveaxis(x, 1, -1) if data_format.startswith("NC") else x


def as_given(y: Any, data_format: str) -> Any:
    return np.moveaxis(y, -1, 1) if data_format.startswith("NC") else y


def of_space(numbers: Any, data_format: str) -> list[int]:
    """The entries of space in a list with one for each dimension."""
    first = 2 if data_format.startswith("NC") else 1
    return [int(n) for n in numbers][first : first + len(numbers) - 2]


class Windows:
    """Where each window begins, by TensorFlow's rules for SAME, VALID and EXPLICIT."""

    def __init__(
        self,
        shape: Any,
        size: Any,
        strides: Any,
        padding: str,
        data_format: str,
        dilations: Any = (),
        explicit_paddings: Any = (),
    ) -> None:
        self.space = [int(n) for n in shape]
        self.size = [int(n) for n in size]
        self.strides = of_space(strides, data_format)
        self.dilations = of_space(dilations, data_format) if len(dilations) else [1] * len(size)
        pads = np.reshape(explicit_paddings, (-1, 2)) if len(explicit_paddings) else None
        self.before, self.count = [], []
        for d, length in enumerate(self.space):
            reach = (self.size[d] - 1) * self.dilations[d] + 1
            if padding == "SAME":
                count = -(-length // self.strides[d])
                before = max(0, (count - 1) * self.strides[d] + reach - length) // 2
            else:
                before, after = (
                    (0, 0) if pads is None else pads[d + (2 if data_format[1] == "C" else 1)]
                )
                count = (length + before + after - reach) // self.strides[d] + 1
            self.before.append(int(before))
            self.count.append(int(count))

    def each(self) -> Iterator[tuple[tuple[int, ...], list[tuple[tuple[int, ...], Any]]]]:
        """Each window's place, with the places of the input and of the filter that meet there."""
        for out in np.ndindex(*self.count):
            met = []
            for k in np.ndindex(*self.size):
                place = tuple(
                    o * s + j * r - b
                    for o, s, j, r, b in zip(
                        out, self.strides, k, self.dilations, self.before, strict=True
                    )
                )
                if all(0 <= p < n for p, n in zip(place, self.space, strict=True)):
                    met.append((place, k))
            yield out, met
