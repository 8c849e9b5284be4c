"""Python values, lists and arrays as tensors: dtypes and errors as real TensorFlow 2.21 gives them.

The expected dtypes and values were printed by TensorFlow, except where a comment says why not.
"""

from __future__ import annotations

import array
import collections
import decimal
import enum
import fractions
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import agog as tf


class MyInt(int):
    pass


class MyFloat(float):
    pass


class MyList(list):
    pass


class MyStr(str):
    pass


class Color(enum.IntEnum):
    RED = 1


class WithArray:
    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return np.array([1, 2], np.int16)


class Broken:
    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        raise RuntimeError("boom")


class Indexable:
    def __index__(self) -> int:
        return 1


Pair = collections.namedtuple("Pair", "a b")

VALUES: list[tuple[Any, str, Any]] = [
    # value, dtype, result
    (1, "int32", 1),
    (1.5, "float32", 1.5),
    (True, "bool", True),
    (1j, "complex128", 1j),
    ("a", "string", b"a"),
    (b"a", "string", b"a"),
    ("é", "string", b"\xc3\xa9"),
    (2**31, "int64", 2**31),
    (-(2**31), "int32", -(2**31)),
    (-(2**31) - 1, "int64", -(2**31) - 1),
    (2**63 - 1, "int64", 2**63 - 1),
    (-(2**63), "int64", -(2**63)),
    ([1, 2.5], "float32", [1, 2.5]),
    ([1, True], "int32", [1, 1]),
    ([1.0, True], "float32", [1, 1]),
    (["a", b"b"], "string", [b"a", b"b"]),
    (["a\0b", ""], "string", [b"a\0b", b""]),
    ([], "float32", []),
    ([[], []], "float32", [[], []]),
    ([[[]]], "float32", [[[]]]),
    ([2**31, 1], "int64", [2**31, 1]),
    ([1, 2**31], "int64", [1, 2**31]),
    ([1, 2**40, 1.5], "float32", [1, 2**40, 1.5]),
    (range(3), "int32", [0, 1, 2]),
    ([range(3)], "int32", [[0, 1, 2]]),
    (range(0), "float32", []),
    (((1, 2), [3, 4]), "int32", [[1, 2], [3, 4]]),
    (Pair(1, 2), "int32", [1, 2]),
    (MyInt(3), "int32", 3),
    ([MyInt(3)], "int32", [3]),
    (MyFloat(3), "float32", 3),
    ([MyFloat(3)], "float32", [3]),
    (MyList([1, 2]), "int32", [1, 2]),
    (MyStr("x"), "string", b"x"),
    ([MyStr("x"), np.str_("y")], "string", [b"x", b"y"]),
    (Color.RED, "int32", 1),
    (WithArray(), "int16", [1, 2]),
    (array.array("i", [1, 2]), "int32", [1, 2]),
    (bytearray(b"ab"), "int32", [97, 98]),
    (memoryview(b"ab"), "int32", [97, 98]),
    (collections.deque([1, 2]), "int32", [1, 2]),
    (tf.TensorShape([1, 2]), "int32", [1, 2]),
    (tf.TensorShape([]), "int32", []),
    ([tf.TensorShape([1, 2])], "int32", [[1, 2]]),
]
ARRAYS: list[tuple[Any, str, Any]] = [
    (np.arange(3, dtype=">i4"), "int32", [0, 1, 2]),
    (np.arange(3, dtype=">f8"), "float64", [0, 1, 2]),
    (np.arange(3, dtype=">f2"), "float16", [0, 1, 2]),
    (np.arange(3, dtype=">c8"), "complex64", [0, 1, 2]),
    (np.arange(6).reshape(2, 3).T, "int64", [[0, 3], [1, 4], [2, 5]]),
    (np.arange(6)[::-2], "int64", [5, 3, 1]),
    (np.broadcast_to(np.float32(2), (2, 2)), "float32", [[2, 2], [2, 2]]),
    (np.asfortranarray(np.arange(4.0).reshape(2, 2)), "float64", [[0, 1], [2, 3]]),
    (np.array(5), "int64", 5),
    (np.array("x"), "string", b"x"),
    (np.array(["ab", "c"]), "string", [b"ab", b"c"]),
    (np.array([b"ab", b"c"]), "string", [b"ab", b"c"]),
    (np.array(["ab", b"c"], dtype=object), "string", [b"ab", b"c"]),
    (np.array([], dtype=object), "string", []),
    (np.zeros((2, 0, 3)), "float64", [[], []]),
    (np.float16(1), "float16", 1),
    (np.float64(1), "float64", 1),
    (np.int8(1), "int8", 1),
    (np.uint16(1), "uint16", 1),
    (np.bool_(True), "bool", True),
    (np.complex64(1), "complex64", 1),
    (np.str_("x"), "string", b"x"),
    (ml_dtypes.bfloat16(1), "bfloat16", 1),
    (np.array([1, 2], ml_dtypes.bfloat16), "bfloat16", [1, 2]),
    ([np.float64(1)], "float64", [1]),
    ([np.float64(1), 2.0], "float64", [1, 2]),
    ([2.0, np.float64(1)], "float32", [2, 1]),
    ([np.float32(1), np.float64(2)], "float32", [1, 2]),
    ([np.float16(1)], "float16", [1]),
    ([np.int32(1), np.float32(2)], "float32", [1, 2]),
    ([np.int64(1), 2], "int32", [1, 2]),
    ([np.int64(2**40), 2], "int64", [2**40, 2]),
    ([np.int8(1), np.uint8(2)], "int32", [1, 2]),
    ([np.bool_(True), False], "bool", [True, False]),
    ([np.complex64(1)], "complex128", [1]),
    ([np.array([1, 2]), np.array([3, 4])], "int32", [[1, 2], [3, 4]]),
    ([np.array([1, 2], np.float32), [3, 4]], "float32", [[1, 2], [3, 4]]),
    ([np.array(1.0), np.array(2.0)], "float64", [1, 2]),
    # TensorFlow refuses these two, for no reason that a user could see.
    ([ml_dtypes.bfloat16(1)], "bfloat16", [1]),
    ([WithArray(), WithArray()], "int32", [[1, 2], [1, 2]]),
]


@pytest.mark.parametrize("value, dtype, result", VALUES + ARRAYS)
def test_dtype_of_a_value(value: Any, dtype: str, result: Any) -> None:
    tensor = tf.constant(value)
    assert tensor.dtype.name == dtype
    shown = tensor.numpy()
    assert (shown.tolist() if hasattr(shown, "tolist") else shown) == result


ASKED: list[tuple[Any, Any, Any]] = [
    (2**64 - 1, "uint64", 2**64 - 1),
    ([2**63], "uint64", [2**63]),
    (10**100, "float64", 1e100),
    (1e300, "float32", float("inf")),
    (70000.0, "float16", float("inf")),
    (2**24 + 1, "float32", 2**24),
    (True, "int32", 1),
    ([True], "float32", [1.0]),
    (1, "complex64", 1),
    (1.5, "complex64", 1.5),
    (1, "bfloat16", 1),
    ([], "int32", []),
    ([1, 2**40], "float32", [1, 2**40]),
    (np.float64(1.5), "float32", 1.5),
    (np.float64(1.5), "int32", 1),
    (np.array([1.5, 2.7]), "int32", [1, 2]),
    (np.array([1, 0]), "bool", [True, False]),
    (np.array([300, -1]), "uint8", [44, 255]),
    (np.array([True, False]), "float32", [1, 0]),
    (np.array([1e300]), "float32", [float("inf")]),
    ([np.float64(1), 2], "float16", [1, 2]),
    ([np.int64(1), 2], "uint64", [1, 2]),
    (tf.TensorShape([1, 2]), "int64", [1, 2]),
]


@pytest.mark.parametrize("value, dtype, result", ASKED)
def test_a_dtype_that_is_asked_for(value: Any, dtype: str, result: Any) -> None:
    tensor = tf.constant(value, dtype)
    assert tensor.dtype.name == dtype and tensor.numpy().tolist() == result


HINTED: list[tuple[Any, str, str]] = [
    ([1, 2], "float32", "float32"),
    ([1.5, 2], "int32", "float32"),
    ("a", "int32", "string"),
    (1, "bool", "int32"),
    (True, "int32", "int32"),
    ([], "int64", "int64"),
    (np.array([1, 2]), "float32", "float32"),
    # TensorFlow cuts 1.5 to 1 here: a hint is no reason to lose a value.
    (np.array([1.5]), "int32", "float64"),
]


@pytest.mark.parametrize("value, hint, dtype", HINTED)
def test_a_dtype_hint_is_taken_where_it_fits(value: Any, hint: str, dtype: str) -> None:
    assert tf.convert_to_tensor(value, dtype_hint=hint).dtype.name == dtype


def endless() -> list[Any]:
    inner: list[Any] = []
    inner.append(inner)
    return inner


def endless_pair() -> list[Any]:
    inner: list[Any] = [None]
    inner += [inner, inner]
    return inner


def nested(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


ERRORS: list[tuple[Any, Any, type[Exception], str]] = [
    # value, dtype, class, part of the text
    (2**63, None, ValueError, "9223372036854775808 is out of range for dtype int64"),
    ([1, 2**63], None, ValueError, "out of range"),
    (10**400, "float64", ValueError, "out of range"),
    # TensorFlow wraps these around in silence.
    (300, "uint8", ValueError, "the number 300 is out of range for dtype uint8"),
    ([-1], "uint64", ValueError, "-1 is out of range for dtype uint64"),
    (2**40, "int32", ValueError, "out of range for dtype int32"),
    ([np.int64(300)], "uint8", ValueError, "300 is out of range for dtype uint8"),
    (1.5, "int32", TypeError, "cannot convert 1.5 to a tensor of dtype int32"),
    ([1, 2.5], "int32", TypeError, "cannot convert [1, 2.5] to a tensor of dtype int32"),
    ([np.float32(2)], "int32", TypeError, "int32"),
    (1, "bool", TypeError, "dtype bool"),
    (1, "string", TypeError, "dtype string"),
    ("a", "int32", TypeError, "'a'"),
    (1j, "float32", TypeError, "1j"),
    ([1.0] * 10_000, "int32", TypeError, "..."),
    ([True, 1], None, ValueError, "mixes bool and int"),
    ([[True], [2]], None, ValueError, "mixes bool and int"),
    (["a", 1], None, ValueError, "mixes str and int"),
    ([1, np.str_("a")], None, ValueError, "mixes int and str"),
    ([1, 2, "a"], None, ValueError, "mixes int and str"),
    ([[1, 2], [3]], None, ValueError, "ragged"),
    ([[1], []], None, ValueError, "ragged"),
    # TensorFlow gives an empty tensor here, without the 1.
    ([[], [1]], None, ValueError, "ragged"),
    ([[1, 2], 3], None, ValueError, "ragged"),
    ([1, [2]], None, ValueError, "ragged"),
    ([np.array([1, 2]), np.array([3])], None, ValueError, "inhomogeneous"),
    (None, None, ValueError, "NoneType"),
    ([None], None, ValueError, "NoneType"),
    ([1, None], None, ValueError, "NoneType"),
    ({"a": 1}, None, ValueError, "dict"),
    ({1, 2}, None, ValueError, "set"),
    ([{}], None, ValueError, "dict"),
    ((x for x in [1]), None, ValueError, "generator"),
    (fractions.Fraction(1, 2), None, ValueError, "Fraction"),
    ([fractions.Fraction(1, 2)], "float32", ValueError, "Fraction"),
    ([decimal.Decimal("1.5")], None, ValueError, "Decimal"),
    (Indexable(), None, ValueError, "Indexable"),
    (object(), None, ValueError, "object"),
    (len, None, ValueError, "builtin"),
    (int, None, ValueError, "type"),
    (np.ndarray, None, ValueError, "type"),
    (tf.float32, None, ValueError, "DType"),
    (np.array(["2020-01-01"], dtype="datetime64[D]"), None, ValueError, "datetime64"),
    (np.timedelta64(1, "s"), None, ValueError, "timedelta64"),
    (np.zeros(2, dtype=[("a", "i4"), ("b", "f4")]), None, ValueError, "dtype"),
    (np.zeros(2, dtype="V4"), None, ValueError, "V4"),
    (np.zeros(2, np.longdouble), None, ValueError, "NumPy array of dtype"),
    (np.array([1, 2], dtype=object), None, ValueError, "must hold strings"),
    (np.array([None], dtype=object), None, ValueError, "NoneType"),
    (np.array([[1, 2], [3]], dtype=object), None, ValueError, "list"),
    (Broken(), None, RuntimeError, "boom"),
    ([Broken()], None, RuntimeError, "boom"),
    ("\ud800", None, ValueError, "surrogates"),
    (tf.TensorShape([None, 2]), None, ValueError, "partly known"),
    (tf.TensorShape([1]), "float32", TypeError, "integers"),
    (endless(), None, NotImplementedError, "deeper than 16"),
    (endless_pair(), None, NotImplementedError, "deeper than 16"),
    (nested(100_000), None, NotImplementedError, "deeper than 16"),
    ([np.int8(1), nested(100)], None, (NotImplementedError, ValueError), ""),
    ([tf.constant(1), nested(100)], None, (NotImplementedError, ValueError), ""),
]


@pytest.mark.parametrize("value, dtype, kind, text", ERRORS)
def test_what_does_not_convert(value: Any, dtype: Any, kind: Any, text: str) -> None:
    with pytest.raises(kind) as caught:
        tf.constant(value, dtype)
    assert text in str(caught.value)
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize("dtype", ["nosuch", int, str, complex, 1000])
def test_what_is_no_dtype(dtype: Any) -> None:
    with pytest.raises(TypeError):
        tf.constant(1, dtype)


def test_a_tensor_of_another_dtype_is_not_converted():
    x = tf.constant([1.0])
    for convert in (tf.constant, tf.convert_to_tensor):
        # TensorFlow raises TypeError from one and ValueError from the other: this is both.
        with pytest.raises(TypeError, match="float64.*float32.*agog.cast"):
            convert(x, tf.float64)
        with pytest.raises(ValueError):
            convert(x, tf.float64)
    assert tf.convert_to_tensor(x, tf.float32) is x


def test_a_list_of_tensors_is_stacked_and_gradients_flow():
    a, v = tf.constant(2.0), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        tape.watch(a)
        y = tf.convert_to_tensor([[a, 1.0], [v, a]])
        loss = tf.reduce_sum(y * tf.constant([[1.0, 10.0], [100.0, 1000.0]]))
    assert y.numpy().tolist() == [[2, 1], [3, 2]] and y.dtype == tf.float32
    assert [g.numpy() for g in tape.gradient(loss, [a, v])] == [1001.0, 100.0]


def test_tensors_in_a_list_take_a_dtype_that_is_asked_for():
    one = tf.constant(1)
    assert tf.convert_to_tensor([one, 2], tf.float32).dtype == tf.float32
    assert tf.convert_to_tensor([one, 2]).dtype == tf.int32
    with pytest.raises(TypeError):
        tf.convert_to_tensor([one, 2.5])
    with pytest.raises(ValueError, match="NoneType"):
        tf.convert_to_tensor([one, None])


def test_a_list_that_changes_while_it_is_read():
    class Shortening:
        def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
            del values[2:]
            return np.array(1.0, np.float32)

    values: list[Any] = [tf.constant(1.0), Shortening(), *[tf.constant(2.0)] * 50]
    assert tf.convert_to_tensor(values).numpy().tolist() == [1.0, 1.0]


def test_changes_of_the_source_never_reach_the_tensor():
    for source in (np.zeros(3), np.zeros((4, 3))[::2], np.zeros(3, ">f8"), np.zeros((100, 100))):
        tensors = [
            tf.constant(source),
            tf.convert_to_tensor(source),
            tf.Variable(source),
            source + tf.constant(0.0, tf.float64),
        ]
        source[...] = 7
        for tensor in tensors:
            assert not np.any(tensor.numpy())
    x = tf.constant(np.ones(3))
    x.numpy()[:] = 5
    assert x.numpy().tolist() == [1, 1, 1]


SHAPED: list[tuple[Any, Any, Any]] = [
    (1, [2, 2], [[1, 1], [1, 1]]),
    ([1, 2, 3, 4], (4, 1), [[1], [2], [3], [4]]),
    ([1], [2, 2], [[1, 1], [1, 1]]),
    (1, [], 1),
    (1, [0], []),
    ([], [0, 2], []),
    (1, 3, [1, 1, 1]),
    (1, tf.TensorShape([2]), [1, 1]),
    ("ab", [2], [b"ab", b"ab"]),
    (np.arange(4), [2, 2], [[0, 1], [2, 3]]),
]


@pytest.mark.parametrize("value, shape, result", SHAPED)
def test_constant_with_a_shape(value: Any, shape: Any, result: Any) -> None:
    assert tf.constant(value, shape=shape).numpy().tolist() == result


def test_constant_with_a_shape_that_does_not_fit():
    with pytest.raises(TypeError, match="3 elements"):
        tf.constant([1, 2, 3], shape=[2, 2])
    with pytest.raises(ValueError):
        tf.constant([1, 2], shape=[-1])


# ---- tensors made by a rule

MADE: list[tuple[Any, str, Any]] = [
    (lambda: tf.zeros(3), "float32", [0, 0, 0]),
    (lambda: tf.zeros((2, 1), tf.int32), "int32", [[0], [0]]),
    (lambda: tf.zeros([]), "float32", 0),
    (lambda: tf.zeros(tf.constant(2)), "float32", [0, 0]),
    (lambda: tf.zeros([tf.constant(2), 1]), "float32", [[0], [0]]),
    (lambda: tf.zeros(tf.TensorShape([2])), "float32", [0, 0]),
    (lambda: tf.zeros(np.array([1, 2])), "float32", [[0, 0]]),
    (lambda: tf.zeros([2], tf.string), "string", [b"", b""]),
    (lambda: tf.zeros([1], tf.bool), "bool", [False]),
    (lambda: tf.zeros([1], float), "float32", [0]),
    (lambda: tf.ones([2], tf.bool), "bool", [True, True]),
    (lambda: tf.ones([1], tf.complex64), "complex64", [1]),
    (lambda: tf.ones([1], "bfloat16"), "bfloat16", [1]),
    (lambda: tf.zeros_like([1, 2]), "int32", [0, 0]),
    (lambda: tf.zeros_like(["a"]), "string", [b""]),
    (lambda: tf.zeros_like(tf.Variable([1.0])), "float32", [0]),
    (lambda: tf.zeros_like([1.5], tf.int32), "int32", [0]),
    (lambda: tf.ones_like([True]), "bool", [True]),
    (lambda: tf.ones_like([1.5], dtype=tf.int64), "int64", [1]),
    (lambda: tf.ones_like(np.zeros((1, 2))), "float64", [[1, 1]]),
    (lambda: tf.fill([2], 1.5), "float32", [1.5, 1.5]),
    (lambda: tf.fill([2], "a"), "string", [b"a", b"a"]),
    (lambda: tf.fill([], 3), "int32", 3),
    (lambda: tf.fill([0], 3), "int32", []),
    (lambda: tf.fill([2], np.int8(1)), "int8", [1, 1]),
    (lambda: tf.eye(2), "float32", [[1, 0], [0, 1]]),
    (lambda: tf.eye(2, 3), "float32", [[1, 0, 0], [0, 1, 0]]),
    (lambda: tf.eye(2, 1, dtype=tf.int32), "int32", [[1], [0]]),
    (lambda: tf.eye(1, batch_shape=[2]), "float32", [[[1]], [[1]]]),
    (lambda: tf.eye(2, dtype=tf.bool), "bool", [[True, False], [False, True]]),
    (lambda: tf.eye(0), "float32", []),
    (lambda: tf.range(3), "int32", [0, 1, 2]),
    (lambda: tf.range(3.0), "float32", [0, 1, 2]),
    (lambda: tf.range(1.5), "float32", [0, 1]),
    (lambda: tf.range(1, 6, 2), "int32", [1, 3, 5]),
    (lambda: tf.range(5, 1, -2), "int32", [5, 3]),
    (lambda: tf.range(0), "int32", []),
    (lambda: tf.range(0, 1, 0.25), "float32", [0, 0.25, 0.5, 0.75]),
    (lambda: tf.range(2, dtype=tf.int64), "int64", [0, 1]),
    (lambda: tf.range(2, dtype=tf.bfloat16), "bfloat16", [0, 1]),
    (lambda: tf.range(np.int64(2)), "int64", [0, 1]),
    (lambda: tf.range(0, np.float32(2)), "float32", [0, 1]),
    (lambda: tf.range(2**40, 2**40 + 1), "int64", [2**40]),
    (lambda: tf.range(2**31 - 1, 2**31 + 1), "int64", [2**31 - 1, 2**31]),
    (lambda: tf.linspace(0.0, 1.0, 5), "float32", [0, 0.25, 0.5, 0.75, 1]),
    (lambda: tf.linspace(0, 1, 3), "float64", [0, 0.5, 1]),
    (lambda: tf.linspace(0.0, 1.0, 1), "float32", [0]),
    (lambda: tf.linspace(0.0, 1.0, 0), "float32", []),
    (
        lambda: tf.linspace([0.0, 1.0], [1.0, 2.0], 3, axis=-1),
        "float32",
        [[0, 0.5, 1], [1, 1.5, 2]],
    ),
    (lambda: tf.linspace(np.float64(0), 1.0, 3), "float64", [0, 0.5, 1]),
    (lambda: tf.cast(-1.7, tf.int32), "int32", -1),
    (lambda: tf.cast([0.5, 0.0], tf.bool), "bool", [True, False]),
    (lambda: tf.cast(float("nan"), tf.bool), "bool", True),
    (lambda: tf.cast([300, -1], tf.uint8), "uint8", [44, 255]),
    (lambda: tf.cast(1 + 2j, tf.float32), "float32", 1),
    (lambda: tf.cast(2**40, tf.int32), "int32", 0),
    (lambda: tf.cast([1, 2.5], "int32"), "int32", [1, 2]),
    (lambda: tf.cast(tf.Variable([1.5]), tf.int32), "int32", [1]),
    (lambda: tf.cast([], tf.int32), "int32", []),
    (lambda: tf.cast([True], float), "float32", [1]),
    (lambda: tf.identity([1, 2]), "int32", [1, 2]),
    (lambda: tf.stop_gradient([1.0]), "float32", [1]),
]


@pytest.mark.parametrize("number", range(len(MADE)))
def test_made(number: int) -> None:
    make, dtype, result = MADE[number]
    tensor = make()
    assert (tensor.dtype.name, tensor.numpy().tolist()) == (dtype, result)


INVALID = tf.errors.InvalidArgumentError
MADE_WRONG: list[tuple[Any, Any, str]] = [
    (lambda: tf.zeros([-1]), INVALID, "-1"),
    (lambda: tf.zeros([2, None]), (ValueError, TypeError), "None"),
    (lambda: tf.zeros([2.0]), TypeError, "dims"),
    (lambda: tf.zeros("a"), TypeError, ""),
    (lambda: tf.zeros(None), ValueError, "None"),
    (lambda: tf.zeros([2**62, 2**62]), (INVALID, tf.errors.ResourceExhaustedError), ""),
    (lambda: tf.zeros([2**45]), tf.errors.ResourceExhaustedError, "bytes"),
    (lambda: tf.ones([1], tf.string), TypeError, "string"),
    (lambda: tf.fill([-1], 3), INVALID, "-1"),
    (lambda: tf.fill([2.0], 1), (INVALID, TypeError), "dims"),
    (lambda: tf.eye(-1), INVALID, "-1"),
    (lambda: tf.range(5, 1), INVALID, "5"),
    (lambda: tf.range(1, 5, 0), INVALID, "delta"),
    (lambda: tf.range([1, 2]), INVALID, "scalar"),
    (lambda: tf.range(float("nan")), INVALID, "nan"),
    (lambda: tf.range("a"), (TypeError, ValueError), ""),
    (lambda: tf.range(True), (TypeError, ValueError), ""),
    (lambda: tf.range(2**62), tf.errors.ResourceExhaustedError, ""),
    (lambda: tf.linspace(0.0, 1.0, -1), INVALID, "-1"),
    # TensorFlow counts modulo 2**32 here and gives no values.
    (lambda: tf.linspace(0.0, 1.0, 2**40), tf.errors.ResourceExhaustedError, ""),
    (lambda: tf.random.set_seed("a"), TypeError, "'a'"),
    (lambda: tf.random.Generator.from_seed("a"), TypeError, "string"),
    (lambda: tf.cast("1", tf.int32), tf.errors.UnimplementedError, "string"),
    (lambda: tf.cast(1, tf.string), tf.errors.UnimplementedError, "string"),
    (lambda: tf.cast(1, int), TypeError, "int"),
    (lambda: tf.cast(None, tf.int32), ValueError, "None"),
]


@pytest.mark.parametrize("number", range(len(MADE_WRONG)))
def test_made_wrong(number: int) -> None:
    make, kind, text = MADE_WRONG[number]
    with pytest.raises(kind) as caught:
        make()
    assert text in str(caught.value)


def test_gradients_through_casts_and_likes():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        wide = tf.cast(x, tf.float64) * 3.0
        whole = tf.cast(x, tf.int32)
        kept, cut = tf.identity(x), tf.stop_gradient(x)
    grad = tape.gradient(wide, x)
    assert (grad.dtype, grad.numpy().tolist()) == (tf.float32, [3.0, 3.0])
    assert tape.gradient(kept, x).numpy().tolist() == [1, 1]
    assert tape.gradient(cut, x) is None
    with pytest.warns(UserWarning):
        assert tape.gradient(whole, x) is None


def test_an_iterator_serves_as_a_list_input():
    ones = (tf.constant([1.0]) for _ in range(3))
    assert tf.raw_ops.ConcatV2(values=ones, axis=0).numpy().tolist() == [1.0, 1.0, 1.0]
    assert tf.raw_ops.AddN(inputs=iter([1.0, tf.constant(2.0)])).numpy() == 3.0


class _Stubborn:
    """No dtype: what asks for its code meets an exception or nonsense."""

    def __init__(self, code: Any) -> None:
        self.code = code

    @property
    def _code(self) -> Any:
        if isinstance(self.code, type):
            raise self.code
        return self.code


@pytest.mark.parametrize(
    ("code", "kind"),
    [(KeyboardInterrupt, KeyboardInterrupt), (AttributeError, TypeError), ("x", TypeError),
     (object(), TypeError), (-1, TypeError), (10**30, TypeError)],
    ids=str,
)  # fmt: skip
def test_what_is_no_dtype_is_refused(code: Any, kind: type[BaseException]) -> None:
    with pytest.raises(kind):
        tf.raw_ops.Cast(x=[1.0], DstT=_Stubborn(code))
    assert tf.raw_ops.Cast(x=[1.0], DstT=tf.int32).numpy().tolist() == [1]
