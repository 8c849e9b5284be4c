"""Random ops that take a seed: laws in tests/ops/test_random_seeds.py; keys have a reference."""

from __future__ import annotations

import numpy as np

from tests.spec.table import case, family

add = family(__name__)
_LAW = {"form": "law", "grad": "skip", "grad_why": "random numbers have no slope"}
_NO_FLOAT = {"grad": "skip", "grad_why": "no float input"}
SHAPE = np.array([2, 3], np.int64)
SEED = np.array([3, 5], np.int64)
KEY = np.array([0x1234ABCD5678], np.uint64)
COUNTER = np.array([7, 11], np.uint64)
PHILOX = 1


def philox(counter, key):
    """Philox4x32 with ten rounds: four words out of four words and a key of two."""
    word = 0xFFFFFFFF
    c, k = list(counter), list(key)
    for _ in range(10):
        a, b = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(b >> 32) ^ c[1] ^ k[0], b & word, (a >> 32) ^ c[3] ^ k[1], a & word]
        k = [(k[0] + 0x9E3779B9) & word, (k[1] + 0xBB67AE85) & word]
    return c


def key_counter(seed):
    """The seed scrambled under a fixed key."""
    words = [int(part) & (2**64 - 1) for part in seed]
    mix = philox(
        [w >> shift & 0xFFFFFFFF for w in words for shift in (0, 32)], (0x3EC8F720, 0x02461E29)
    )
    key = np.array([mix[0] | mix[1] << 32], np.uint64)
    return key, np.array([0, mix[2] | mix[3] << 32], np.uint64)


def seed_cases(s):
    return [
        case("small", s.cast([3, 5])),
        case("zero", s.cast([0, 0])),
        case("negative", s.cast([-1, -7])),
        case("any", s(2, ints=(-(2**31), 2**31))),
    ]


_SEEDS = {
    "main": "Tseed",
    "cases": seed_cases,
    "ulp": 0,
    "positional": False,
    "edge_why": "a seed is always two numbers",
    **_NO_FLOAT,
}
add("StatelessRandomGetKeyCounter", ref=key_counter, **_SEEDS)
add(
    "StatelessRandomGetKeyCounterAlg",
    ref=lambda seed: [*key_counter(seed), np.array(PHILOX, np.int32)],
    **_SEEDS,
)
add(
    "StatelessRandomGetAlg",
    ref=lambda: np.array(PHILOX, np.int32),
    cases=lambda s: [case("plain")],
    ulp=0,
    positional=False,
    edge_why="no input",
    **_NO_FLOAT,
)

for _name in (
    "StatelessRandomUniform",
    "StatelessRandomNormal",
    "StatelessTruncatedNormal",
    "StatelessRandomUniformFullInt",
):
    add(
        _name,
        main="dtype",
        cases=lambda s: [case("small", SHAPE, SEED, dtype=s.dtype)],
        **_LAW,
    )
add(
    "StatelessRandomUniformInt",
    main="dtype",
    cases=lambda s: [case("small", SHAPE, SEED, s.cast(-5), s.cast(9))],
    **_LAW,
)
add("Multinomial", cases=lambda s: [case("rows", s(2, 3), np.int32(4))], **_LAW)
add("StatelessMultinomial", cases=lambda s: [case("rows", s(2, 3), np.int32(4), SEED)], **_LAW)
add(
    "StatelessShuffle",
    cases=lambda s: [
        case("rows", s(5, 2), KEY, COUNTER, np.int32(PHILOX)),
        case("vector", s(4), KEY, COUNTER, np.int32(PHILOX)),
    ],
    **_LAW,
)
