"""Random ops: no unique answer, so laws; see tests/ops/test_random.py."""

from __future__ import annotations

import numpy as np

from tests.spec.table import case, family

add = family(__name__)
_LAW = {"form": "law", "grad": "skip", "grad_why": "random numbers have no slope"}
KEY = np.array([0x1234ABCD5678], np.uint64)
COUNTER = np.array([7, 11], np.uint64)
PHILOX = np.int32(1)
SHAPE = np.array([2, 3], np.int64)

for _name in ("StatelessRandomUniformV2", "StatelessRandomNormalV2", "StatelessTruncatedNormalV2"):
    add(
        _name,
        main="dtype",
        cases=lambda s: [case("small", SHAPE, KEY, COUNTER, PHILOX, dtype=s.dtype)],
        **_LAW,
    )
add(
    "StatelessRandomUniformFullIntV2",
    main="dtype",
    **_LAW,
    cases=lambda s: [case("small", SHAPE, KEY, COUNTER, PHILOX, dtype=s.dtype)],
)
add(
    "StatelessRandomUniformIntV2",
    main="dtype",
    **_LAW,
    cases=lambda s: [case("small", SHAPE, KEY, COUNTER, PHILOX, s.cast(-5), s.cast(9))],
)
for _name in ("RandomUniform", "RandomStandardNormal", "TruncatedNormal"):
    add(_name, main="dtype", cases=lambda s: [case("small", SHAPE, dtype=s.dtype)], **_LAW)
add(
    "RandomUniformInt",
    main="Tout",
    cases=lambda s: [case("small", SHAPE, s.cast(-5), s.cast(9))],
    **_LAW,
)
add("RandomShuffle", cases=lambda s: [case("rows", s(5, 2)), case("vector", s(4))], **_LAW)
