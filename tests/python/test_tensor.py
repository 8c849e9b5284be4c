"""What a Tensor is: its properties, Python protocols, operators, printing and copies.

Expected texts and dtypes were printed by TensorFlow 2.21 unless a comment says otherwise.
"""

from __future__ import annotations

import copy
import gc
import operator
import pickle
import weakref
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import agog as tf

NUMERIC = [d for d in tf.dtypes.ALL if d.is_numeric]
DTYPES = [d for d in tf.dtypes.ALL if d.is_numpy_compatible]
A = tf.constant([[1.0, 2.0], [3.0, 4.0]])


def sample(dtype: Any) -> Any:
    return tf.constant(["a", "bc", ""] if dtype == tf.string else np.array([1, 2, 0]), dtype)


# ---- properties


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda d: d.name)
def test_properties(dtype: Any) -> None:
    x = sample(dtype)
    assert x.dtype is dtype and x.shape == (3,) and x.shape[0] == 3 and x.ndim == 1 and len(x) == 3
    assert isinstance(x.shape, tf.TensorShape) and x.get_shape() == x.shape
    assert x.device == "/job:localhost/replica:0/task:0/device:CPU:0"
    array = x.numpy()
    assert array.dtype == dtype.as_numpy_dtype and array.flags.writeable
    assert isinstance(x, tf.Tensor) and tf.is_tensor(x) and not callable(x)
    assert [tf.is_tensor(y) and y.shape == () for y in x] == [True] * 3
    np.testing.assert_array_equal(np.array([y.numpy() for y in x]), array)


def test_numpy_of_a_scalar_is_a_numpy_scalar():
    assert type(tf.constant(2.0).numpy()) is np.float32
    assert type(tf.constant(1.5, tf.bfloat16).numpy()) is ml_dtypes.bfloat16
    assert type(tf.constant(True).numpy()) is np.bool_
    assert tf.constant("a").numpy() == b"a"


def test_set_shape_checks():
    A.set_shape([2, None])
    with pytest.raises(ValueError, match="3"):
        A.set_shape([3, 2])


# ---- as Python numbers and sequences


@pytest.mark.parametrize("dtype", NUMERIC, ids=lambda d: d.name)
def test_as_a_number(dtype: Any) -> None:
    x = tf.constant(2, dtype)
    assert complex(x) == 2
    if not dtype.is_complex:
        assert (int(x), float(x), bool(x)) == (2, 2.0, True)
    if dtype.is_integer:
        assert operator.index(x) == 2 and [10, 20, 30][x] == 30 and list(range(x)) == [0, 1]
    else:
        with pytest.raises(TypeError):
            operator.index(x)
    assert not tf.constant(0, dtype)


@pytest.mark.parametrize(
    "value, truth",
    [
        (True, True),
        (0, False),
        (float("nan"), True),
        ("", False),
        ("a", True),
        ([[0]], False),
        ([1], True),
    ],
)
def test_truth_of_one_element(value: Any, truth: bool) -> None:
    assert bool(tf.constant(value)) is truth


def test_truth_of_several_or_no_elements():
    for x in (tf.constant([1, 2]), tf.zeros([0])):
        with pytest.raises(ValueError, match="ambiguous"):
            bool(x)


@pytest.mark.parametrize("convert", [int, float, complex, operator.index])
def test_no_number_of_several_elements(convert: Any) -> None:
    with pytest.raises(TypeError, match="shape"):
        convert(tf.constant([1, 2]))


def test_numbers_from_strings_and_others():
    assert int(tf.constant("5")) == 5 and float(tf.constant("5.5")) == 5.5
    assert int(tf.constant(2.7)) == 2 and int(tf.constant(True)) == 1
    with pytest.raises(ValueError):
        int(tf.constant("a"))
    with pytest.raises(ValueError):
        int(tf.constant(float("nan")))
    with pytest.raises(TypeError):
        float(tf.constant(1j))
    for wrong in (tf.constant(True), tf.constant([1])):
        with pytest.raises(TypeError):
            [10, 20][wrong]


def test_as_a_sequence():
    assert [x.numpy().tolist() for x in A] == [[1, 2], [3, 4]]
    assert [float(x) for x in reversed(tf.constant([1.0, 2.0]))] == [2, 1]
    assert list(tf.zeros([0, 3])) == [] and [x.shape for x in tf.zeros([2, 0])] == [(0,), (0,)]
    first, second = A
    assert first.numpy().tolist() == [1, 2] and float(sum(second)) == 7
    for use in (len, list, iter):
        with pytest.raises(TypeError, match="scalar"):
            use(tf.constant(1))


def test_membership_and_order():
    x = tf.constant([1.0, 3.0, 2.0])
    assert 3.0 in x and 5.0 not in x
    assert float(max(x)) == 3 and [float(y) for y in sorted(x)] == [1, 2, 3]
    scalar = tf.constant(2.0)
    assert scalar in [1.0, 2.0] and [scalar].index(scalar) == 0
    assert x in [x]  # the same object needs no comparison
    with pytest.raises(ValueError, match="ambiguous"):
        assert x in [tf.constant([1.0, 3.0, 2.0])]


# ---- equality and identity


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda d: d.name)
def test_equality_is_elementwise(dtype: Any) -> None:
    x, y = sample(dtype), tf.reverse(sample(dtype), [0])
    assert (x == y).dtype == tf.bool
    np.testing.assert_array_equal((x == y).numpy(), x.numpy() == y.numpy())
    np.testing.assert_array_equal((x != y).numpy(), x.numpy() != y.numpy())


def test_equality_with_others():
    x = tf.constant([1.0, 2.0])
    assert (x == [1, 5]).numpy().tolist() == [True, False]
    assert (x == np.array([1.0, 2.0])).numpy().tolist() == [True, True]
    assert (np.array([1.0, 2.0]) == x).numpy().tolist() == [True, True]
    assert (1 == x).numpy().tolist() == [True, False]
    assert (x == None) is False and (x != None) is True and (None == x) is False  # noqa: E711
    assert not (x == tf.zeros([3])) and (x != tf.zeros([3]))
    assert (tf.constant(["a", "b"]) == "a").numpy().tolist() == [True, False]
    for other in ("a", tf.constant([1, 2]), tf.constant([1.0, 2.0], tf.float64)):
        with pytest.raises(TypeError):
            x == other  # noqa: B015


def test_hashing():
    x = tf.constant([1.0])
    with pytest.raises(TypeError, match="unhashable.*ref"):
        hash(x)
    with pytest.raises(TypeError, match="ref"):
        {x: 1}
    table = {x.ref(): "x"}
    assert table[x.ref()] == "x" and tf.identity(x).ref() not in table
    assert x.ref() == x.ref() and hash(x.ref()) == hash(x.ref()) and x.ref().deref() is x
    assert len({x.ref(), x.ref(), tf.constant([1.0]).ref()}) == 2


# ---- operators

ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
}
ORDER = [operator.lt, operator.le, operator.gt, operator.ge]


@pytest.mark.parametrize("op", ARITHMETIC.values(), ids=ARITHMETIC)
@pytest.mark.parametrize("dtype", NUMERIC, ids=lambda d: d.name)
def test_arithmetic_follows_the_tensor(dtype: Any, op: Any) -> None:
    """Numbers, lists and arrays on either side take the tensor's dtype; the result is a tensor."""
    x = tf.constant([4, 2, 3], dtype)
    own = x.numpy()
    scalars = [2, True, np.array(1), np.int8(2)]
    lists = [[1, 2, 1], (3, 2, 1), np.array([1, 2, 2]), own]
    if not dtype.is_integer:
        scalars += [1.5, np.float64(1.5), np.float32(0.5)]
        lists += [[1.5, 2, 1], np.array([1.5, 2.0, 1.0]), np.array([1.5, 2, 1], np.float32)]
    for other in scalars + lists:
        same = np.asarray(other).astype(own.dtype)
        if op is operator.sub and dtype.is_unsigned:
            x, own = tf.constant([4, 2, 3], dtype) + 9, np.array([13, 11, 12], own.dtype)
        for result, want in ((op(x, other), op(own, same)), (op(other, x), op(same, own))):
            assert isinstance(result, tf.Tensor) and result.dtype is dtype
            np.testing.assert_array_equal(result.numpy(), want)


@pytest.mark.parametrize("dtype", [d for d in NUMERIC if not d.is_complex], ids=lambda d: d.name)
def test_comparisons_and_floor_division(dtype: Any) -> None:
    x = tf.constant([5, 2, 3], dtype)
    for op in ORDER:
        for other in (3, [1, 2, 3], np.array([1, 2, 3]), tf.constant([1, 2, 3], dtype)):
            want = op(np.array([5, 2, 3]), np.asarray(other))
            np.testing.assert_array_equal(op(x, other).numpy(), want)
            want = op(np.asarray(other), np.array([5, 2, 3]))
            np.testing.assert_array_equal(op(other, x).numpy(), want)
    for op in (operator.floordiv, operator.mod):
        for left, right in ((x, 2), (7, x), (x, [2, 2, 2]), (np.array([7, 7, 7]), x)):
            result = op(left, right)
            assert result.dtype is dtype
            want = op(
                np.asarray(getattr(left, "numpy", lambda: left)()),
                right if right is not x else x.numpy(),
            )
            np.testing.assert_array_equal(
                result.numpy().astype(float), np.asarray(want).astype(float)
            )


TRUE_DIVISION = {
    **dict.fromkeys(["int8", "uint8", "int16", "uint16"], "float32"),
    **dict.fromkeys(["int32", "uint32", "int64", "uint64"], "float64"),
}


@pytest.mark.parametrize("dtype", NUMERIC, ids=lambda d: d.name)
def test_true_division_and_power(dtype: Any) -> None:
    x = tf.constant([1, 2, 4], dtype)
    for result, want in (
        (x / 2, [0.5, 1, 2]),
        (x / x, [1, 1, 1]),
        (8 / x, [8, 4, 2]),
        (np.array([8, 8, 8]) / x, [8, 4, 2]),
    ):
        assert result.dtype.name == TRUE_DIVISION.get(dtype.name, dtype.name)
        assert result.numpy().tolist() == want
    if dtype.is_unsigned:  # TensorFlow has no power of these either
        with pytest.raises(TypeError):
            x**2
        return
    for result, want in ((x**2, [1, 4, 16]), (2**x, [2, 4, 16]), (pow(x, 2), [1, 4, 16])):
        assert result.dtype is dtype
        np.testing.assert_allclose(result.numpy().astype(complex), want, rtol=1e-6)


def test_bits_and_truth():
    b, i = tf.constant([True, False]), tf.constant([6, 3])
    assert (b & True).numpy().tolist() == [True, False] == (True & b).numpy().tolist()
    assert (b | b).numpy().tolist() == [True, False] and (b ^ b).numpy().tolist() == [False, False]
    assert (~b).numpy().tolist() == [False, True] and (~i).numpy().tolist() == [-7, -4]
    assert (i & 2).numpy().tolist() == [2, 2] and (8 | i).numpy().tolist() == [14, 11]
    assert (i ^ [1, 1]).numpy().tolist() == [7, 2]
    for wrong in (lambda: b & 1, lambda: ~A, lambda: A & A, lambda: i << 1, lambda: i >> 1):
        with pytest.raises(TypeError):
            wrong()


def test_unary_operators():
    x = tf.constant([-1.5, 2.0])
    assert (-x).numpy().tolist() == [1.5, -2] and abs(x).numpy().tolist() == [1.5, 2]
    assert abs(tf.constant([3 + 4j])).numpy().tolist() == [5.0]
    assert abs(tf.constant([3 + 4j], tf.complex64)).dtype == tf.float32
    for wrong in (
        lambda: -tf.constant(True),
        lambda: -tf.constant("a"),
        lambda: abs(tf.constant(True)),
    ):
        with pytest.raises(TypeError):
            wrong()


def test_matrix_products():
    ones = np.ones((2, 2), np.float32)
    for result in (A @ ones, A @ ones.tolist(), A @ tf.constant(ones)):
        assert isinstance(result, tf.Tensor) and result.numpy().tolist() == [[3, 3], [7, 7]]
    for result in (ones @ A, ones.tolist() @ A, np.ones((2, 2)) @ A):
        assert isinstance(result, tf.Tensor) and result.dtype == tf.float32
        assert result.numpy().tolist() == [[4, 6], [4, 6]]
    assert (A @ tf.ones([3, 2, 2])).shape == [3, 2, 2]
    for wrong in (lambda: A @ tf.ones([2]), lambda: A @ tf.ones([3, 3]), lambda: A @ 2):
        with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
            wrong()


F, I = tf.constant([1.0, 2.0]), tf.constant([1, 2])  # noqa: E741
MIXED: list[Callable[[], Any]] = [
    lambda: F + I,
    lambda: F * tf.constant([1.0, 2.0], tf.float64),
    lambda: I + 1.5,
    lambda: 1.5 + I,
    lambda: I + [1.5, 2],
    # TensorFlow cuts these three to integers in silence.
    lambda: I + np.array([1.5, 2.5]),
    lambda: I * np.float64(2.5),
    lambda: np.float32(2.5) * I,
    lambda: F + 1j,
    lambda: F + "a",
    lambda: F < I,
    lambda: F + tf.constant("a"),
    lambda: F + object(),
    lambda: F + {},
    lambda: F + None,
    lambda: None + F,
    lambda: tf.constant(["a"]) * 2,
]


@pytest.mark.parametrize("number", range(len(MIXED)))
def test_operands_that_do_not_go_together(number: int) -> None:
    with pytest.raises((TypeError, ValueError)):
        MIXED[number]()


def test_a_number_out_of_range_is_refused():
    """TensorFlow wraps it around."""
    for wrong in (lambda: tf.constant([1], tf.int8) + 300, lambda: -1 + tf.constant([1], tf.uint8)):
        with pytest.raises(ValueError, match="out of range"):
            wrong()


def test_other_classes_may_answer():
    class Other:
        def __radd__(self, other: Any) -> str:
            return "mine"

        def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
            return np.ones(2, np.float32)

    class Scalar:
        def __rmul__(self, other: Any) -> str:
            return "mine"

    assert F * Scalar() == "mine"
    assert isinstance(F + Other(), tf.Tensor)  # what converts is converted
    with pytest.raises(TypeError, match="unsupported operand"):
        F + Scalar()


def test_operators_in_place_make_new_tensors():
    x = y = tf.constant([1.0])
    x += 1
    assert float(x[0]) == 2 and float(y[0]) == 1
    array = np.ones(2)
    array += tf.constant([1.0, 2.0], tf.float64)
    np.testing.assert_array_equal(np.asarray(array), [2, 3])
    array = np.zeros(2)
    array[0], array[1:] = tf.constant(5.0), tf.constant([6.0])
    assert array.tolist() == [5, 6]


# ---- text

TEXTS: list[tuple[Any, str, str]] = [
    (
        tf.constant([1.0, 2.0]),
        "tf.Tensor([1. 2.], shape=(2,), dtype=float32)",
        "<tf.Tensor: shape=(2,), dtype=float32, numpy=array([1., 2.], dtype=float32)>",
    ),
    (
        A,
        "tf.Tensor(\n[[1. 2.]\n [3. 4.]], shape=(2, 2), dtype=float32)",
        "<tf.Tensor: shape=(2, 2), dtype=float32, numpy=\n"
        "array([[1., 2.],\n       [3., 4.]], dtype=float32)>",
    ),
    (
        tf.constant(2.0),
        "tf.Tensor(2.0, shape=(), dtype=float32)",
        "<tf.Tensor: shape=(), dtype=float32, numpy=2.0>",
    ),
    (
        tf.constant(3),
        "tf.Tensor(3, shape=(), dtype=int32)",
        "<tf.Tensor: shape=(), dtype=int32, numpy=3>",
    ),
    (
        tf.constant(True),
        "tf.Tensor(True, shape=(), dtype=bool)",
        "<tf.Tensor: shape=(), dtype=bool, numpy=True>",
    ),
    (
        tf.constant("é"),
        "tf.Tensor(b'\\xc3\\xa9', shape=(), dtype=string)",
        "<tf.Tensor: shape=(), dtype=string, numpy=b'\\xc3\\xa9'>",
    ),
    (
        tf.constant(["a", "b"]),
        "tf.Tensor([b'a' b'b'], shape=(2,), dtype=string)",
        "<tf.Tensor: shape=(2,), dtype=string, numpy=array([b'a', b'b'], dtype=object)>",
    ),
    (
        tf.constant([1.0, 2.0], tf.bfloat16),
        "tf.Tensor([1 2], shape=(2,), dtype=bfloat16)",
        "<tf.Tensor: shape=(2,), dtype=bfloat16, numpy=array([1, 2], dtype=bfloat16)>",
    ),
    (
        tf.constant(1.5, tf.bfloat16),
        "tf.Tensor(1.5, shape=(), dtype=bfloat16)",
        "<tf.Tensor: shape=(), dtype=bfloat16, numpy=1.5>",
    ),
    (
        tf.zeros([0, 3]),
        "tf.Tensor([], shape=(0, 3), dtype=float32)",
        "<tf.Tensor: shape=(0, 3), dtype=float32, numpy=array([], shape=(0, 3), dtype=float32)>",
    ),
    (
        tf.Variable([1.0, 2.0], name="v"),
        "<tf.Variable 'v:0' shape=(2,) dtype=float32, numpy=array([1., 2.], dtype=float32)>",
        "<tf.Variable 'v:0' shape=(2,) dtype=float32, numpy=array([1., 2.], dtype=float32)>",
    ),
    (
        tf.Variable(1, name="v"),
        "<tf.Variable 'v:0' shape=() dtype=int32, numpy=1>",
        "<tf.Variable 'v:0' shape=() dtype=int32, numpy=1>",
    ),
]


@pytest.mark.parametrize("number", range(len(TEXTS)))
def test_text(number: int) -> None:
    value, plain, full = TEXTS[number]
    assert str(value) == plain and repr(value) == full and f"{value!s}" == plain


def test_print(capsys: Any) -> None:
    print(tf.matmul([[2.0]], [[2.0]]))
    assert capsys.readouterr().out == "tf.Tensor([[4.]], shape=(1, 1), dtype=float32)\n"


def test_big_tensors_print_short():
    assert len(repr(tf.zeros([1000, 1000]))) < 1000 and "..." in str(tf.zeros([2000]))


def test_formatting():
    assert f"{tf.constant(2.0):.2f} {tf.constant(3):03d} {tf.constant(2.0)}" == "2.00 003 2.0"
    assert f"{tf.constant([1.0, 2.0])}" == "[1. 2.]"
    assert "%.1f %d %s" % (tf.constant(2.5), tf.constant(3), tf.constant(1)) == (
        "2.5 3 tf.Tensor(1, shape=(), dtype=int32)"
    )
    with pytest.raises(TypeError):
        f"{tf.constant([1.0, 2.0]):.2f}"


# ---- copies, references, attributes


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda d: d.name)
def test_pickle_and_copies(dtype: Any) -> None:
    for x in (
        sample(dtype),
        sample(dtype)[0],
        sample(dtype)[:0],
        tf.reshape(sample(dtype), [3, 1]),
    ):
        for other in (pickle.loads(pickle.dumps(x)), copy.deepcopy(x), copy.copy(x)):
            assert (other.dtype, other.shape) == (x.dtype, x.shape)
            np.testing.assert_array_equal(other.numpy(), x.numpy())


def test_pickle_and_deepcopy_of_modules():
    class Inner(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.w = tf.Variable([1.0], name="w")
            self.shared = self.w
            self.constant = tf.constant(3)

    globals()["Inner"] = Inner
    Inner.__qualname__ = "Inner"
    old = Inner()
    for new in (copy.deepcopy(old), pickle.loads(pickle.dumps(old))):
        assert new.w is not old.w and new.w is new.shared and new.w.name == "w:0"
        new.w.assign([5.0])
        assert old.w.numpy().tolist() == [1] and int(new.constant) == 3


def test_weak_references():
    x = tf.constant([1.0])
    gone: list[int] = []
    reference = weakref.ref(x, lambda _: gone.append(1))
    assert reference() is x
    del x
    gc.collect()
    assert reference() is None and gone == [1]


def test_missing_attributes():
    for name in ("foo", "astype", "T", "reshape", "size"):
        with pytest.raises(AttributeError, match=f"'{name}'"):
            getattr(A, name)
        assert not hasattr(A, name)
    with pytest.raises(AttributeError, match="numpy"):
        A.astype
    with pytest.raises(TypeError):
        tf.Tensor()
    with pytest.raises(TypeError, match="immutable"):
        A[0] = 1.0
    with pytest.raises((AttributeError, TypeError)):
        A.dtype = tf.int32


def test_strings_are_added():
    a, v = tf.constant(["a", "c"]), tf.Variable("v")
    for got, want in [
        (a + "b", [b"ab", b"cb"]),
        ("b" + a, [b"ba", b"bc"]),
        (b"b" + a, [b"ba", b"bc"]),
        (a + tf.constant([["x"], ["yy"]]), [[b"ax", b"cx"], [b"ayy", b"cyy"]]),
        (a + ["", "z"], [b"a", b"cz"]),
        (np.array(["x", "y"]) + a, [b"xa", b"yc"]),
        (v + "w", b"vw"),
        (tf.add(a, "!"), [b"a!", b"c!"]),
        (tf.zeros([0], tf.string) + "b", []),
    ]:
        shown = got.numpy()
        assert (shown.tolist() if isinstance(shown, np.ndarray) else shown) == want
    long = tf.constant(["x" * 100]) + "y" * 100
    del a
    assert long.numpy()[0] == b"x" * 100 + b"y" * 100
    join = tf.raw_ops.StringJoin
    assert join(inputs=[["a", "b"], "x"], separator="-").numpy().tolist() == [b"a-x", b"b-x"]
    assert join(inputs=[]).numpy() == b""
    with pytest.raises(tf.errors.InvalidArgumentError, match="same shape"):
        join(inputs=[["a", "b"], ["x"]])
    with pytest.raises((TypeError, ValueError)):
        v + 1
    with pytest.raises(tf.errors.InvalidArgumentError, match="do not broadcast"):
        tf.constant(["a", "c"]) + ["a", "b", "c"]


def test_what_graphs_have_is_missing():
    x, v = tf.constant([1.0, 2.0]), tf.Variable([1.0, 2.0])
    for name in ("name", "op", "graph", "value_index"):
        assert not hasattr(x, name)
        with pytest.raises(AttributeError, match=f"Tensor.{name} is undefined when eager"):
            getattr(x, name)
    for name in ("op", "graph"):
        assert not hasattr(v, name)
    for call in (x.consumers, x.eval):
        with pytest.raises(NotImplementedError, match="eager"):
            call()
    for call in (v.eval, v.to_proto, lambda: v.create, lambda: v.initial_value):
        with pytest.raises(RuntimeError, match="eager"):
            call()
    with pytest.raises(NotImplementedError):
        tf.Variable.from_proto(None)
    with pytest.raises(RuntimeError, match="GPU:0"):
        x.gpu()
    assert v.initializer is None and x.cpu() is x and not x.is_packed


def test_names_that_libraries_read():
    x, v = tf.ones([2, 3]), tf.Variable(tf.ones([2, 3]))
    assert x._shape_tuple() == v._shape_tuple() == (2, 3)
    assert x._shape_as_list() == v._shape_as_list() == [2, 3]
    assert (x._rank(), x._num_elements(), x._datatype_enum()) == (2, 6, 1)
    assert v._dtype is tf.float32 and v._unique_id != tf.Variable(1.0)._unique_id
    assert v.read_value_no_copy().numpy().tolist() == v.numpy().tolist()
    for thing in (x, v):
        with pytest.warns(DeprecationWarning):
            assert thing.experimental_ref() == thing.ref()
