"""The spec table: one row per op, independent of the C++ rows and of the package under test.

A row says what an op must do; the files in `tests/ops` each check one property over all rows.
"""

from __future__ import annotations

import itertools
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import ml_dtypes
import numpy as np

FLOATS = ("float16", "bfloat16", "float32", "float64")
COMPLEX = ("complex64", "complex128")
SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
INTS = SIGNED + UNSIGNED
ALL_DTYPES = ("bool", *INTS, *FLOATS, *COMPLEX)
BOOLS = (False, True)

BROADCAST_SHAPES: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...] = (
    ((), ()),
    ((), (3,)),
    ((3,), ()),
    ((1,), (4,)),
    ((4,), (1,)),
    ((2, 3), (3,)),
    ((3,), (2, 3)),
    ((2, 1), (1, 3)),
    ((2, 1, 4), (3, 1)),
    ((1, 3, 1), (2, 1, 2)),
    ((2, 3, 4), (2, 1, 4)),
    ((1,), (0,)),
    ((0,), ()),
    ((3, 0, 2), (1, 1, 2)),
    ((1, 0, 2), (3, 1, 1)),
    ((1, 1, 1, 2), (3, 2)),
)


def numpy_dtype(name: str) -> np.dtype:
    """NumPy's dtype of a TensorFlow dtype name."""
    return np.dtype(ml_dtypes.bfloat16) if name == "bfloat16" else np.dtype(name)


def kind_of(name: str) -> str:
    """'b' bool, 'i' signed, 'u' unsigned, 'f' floating (bfloat16 too), 'c' complex."""
    return "f" if name == "bfloat16" else np.dtype(name).kind


@dataclass(frozen=True)
class Case:
    """One call: inputs in the op's order (lists for list inputs) and attrs by name."""

    id: str
    args: tuple[Any, ...]
    attrs: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Call:
    """A call that must fail: arguments with their dtypes already chosen."""

    id: str
    args: tuple[Any, ...]
    attrs: dict[str, Any]
    error: str
    text: str


def case(id: str, *args: Any, **attrs: Any) -> Case:
    return Case(id, args, attrs)


def bad(id: str, args: Sequence[Any], error: str, text: str, **attrs: Any) -> Call:
    """`error` is the name of a class in `errors` (or a builtin), `text` is part of our message."""
    return Call(id, tuple(args), attrs, error, text)


class Sampler:
    """Random inputs of one dtype, seeded by op and dtype names."""

    def __init__(self, op: str, dtype: str, salt: str = "") -> None:
        self.dtype = dtype
        self.kind = kind_of(dtype)
        self.rng = np.random.default_rng(zlib.crc32(f"{op}-{dtype}-{salt}".encode()))

    def cast(self, values: Any) -> np.ndarray:
        return np.asarray(values).astype(numpy_dtype(self.dtype))

    def __call__(
        self,
        *shape: int,
        lo: float = -2.0,
        hi: float = 2.0,
        ints: tuple[int, int] | None = None,
    ) -> np.ndarray:
        """Values in [lo, hi) for floats and complex parts; small or `ints` integers."""
        if self.kind == "b":
            return self.rng.integers(0, 2, shape).astype(bool)
        if self.kind in "iu":
            low, high = ints or (-7, 8)
            if self.kind == "u":
                low = max(low, 0)
            return self.cast(self.rng.integers(low, high, shape))
        values = self.rng.uniform(lo, hi, shape)
        if self.kind == "c":
            values = values + 1j * self.rng.uniform(lo, hi, shape)
        return self.cast(values)

    def distinct(self, *shape: int) -> np.ndarray:
        """Values without ties, far enough apart for differences."""
        count = int(np.prod(shape))
        steps = self.rng.permutation(count).reshape(shape)
        if self.kind == "b":
            return steps % 2 == 0
        if self.kind in "iu":
            return self.cast(steps % 100)
        return self.cast((steps - count // 2) * 0.25 + 0.125)

    def index(self, high: int, *shape: int) -> np.ndarray:
        return self.rng.integers(0, high, shape).astype(np.int64)

    def bits(self, count: int) -> np.ndarray:
        """Random bit patterns without NaN and infinity: every exponent is equally likely."""
        dtype = numpy_dtype(self.dtype)
        if self.kind == "b":
            return self.rng.integers(0, 2, count).astype(bool)
        words = self.rng.integers(0, 2**32, (count, max(dtype.itemsize, 4) // 4), dtype=np.uint32)
        values = words.view(np.uint8)[:, : dtype.itemsize].copy().view(dtype).reshape(-1)
        if self.kind != "f":
            return values
        finite = np.isfinite(values.astype(np.float64))
        return values[finite]


def special_values(dtype: str) -> np.ndarray:
    """Zeros, ones, halves, limits, subnormals, infinities and NaN; limits of integers."""
    kind = kind_of(dtype)
    np_dtype = numpy_dtype(dtype)
    if kind == "b":
        return np.array([False, True])
    if kind in "iu":
        info = np.iinfo(np_dtype)
        values = {info.min, info.min + 1, 0, 1, 2, 3, 7, info.max // 2, info.max - 1, info.max}
        if kind == "i":
            values |= {-1, -2, -3, -7}
        return np.array(sorted(values), np_dtype)
    info = ml_dtypes.finfo(np_dtype)
    tiny, least = float(info.tiny), float(info.smallest_subnormal)
    eps, top = float(info.eps), float(info.max)
    positive = [0.0, least, tiny - least, tiny, eps, 0.25, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 7.0]
    positive += [1 + eps, 10.0, top, np.inf]
    values = positive + [-value for value in positive] + [np.nan]
    return np.array(values, np.float64).astype(np_dtype)


@dataclass(frozen=True, kw_only=True)
class Spec:
    """What one op must do. Tolerances and exclusions live here, never in a test."""

    name: str
    family: str = ""
    form: str = "general"  # unary, binary, general, law
    ref: Callable[..., Any] | None = None
    widen: bool = True  # the reference takes float64; else the dtype itself
    # Sampling.
    domain: Any = (-2.0, 2.0)  # one (lo, hi), or one per input
    ints: Any = None  # the same for integers; None samples small and whole range
    valid: Callable[..., Any] | None = None  # element mask of inputs where `ref` is defined
    wild: bool = True  # elementwise: sample random bit patterns and special values, too
    attrs: dict[str, tuple[Any, ...]] = field(default_factory=dict)
    cases: Callable[[Sampler], list[Case]] | None = None
    edge: Callable[[Sampler], list[Case]] | None = None  # rank 0 and zero sizes
    edge_why: str = ""  # the reason for having none
    arity: int = 0
    main: str = "T"  # the type variable that is swept
    # Dtypes that TensorFlow has and this row leaves out, each with its reason.
    without: dict[str, str] = field(default_factory=dict)
    # Accuracy: steps from the correctly rounded result, by dtype.
    ulp: float = 1
    ulps: dict[str, float] = field(default_factory=dict)
    scale: Callable[..., Any] | None = None  # magnitude whose ulp is the unit
    zero_sign: bool = True  # signed zeros must match the reference
    flush: bool = False  # results below the smallest normal may be flushed
    # Gradients: "yes", "none" (tape gives None), "zero" (tape gives zeros), "skip".
    grad: str = "yes"
    grad_why: str = ""  # the reason for "skip" or for order 1 only
    grad_order: int = 2
    grad_inputs: tuple[int, ...] | None = None
    grad_domain: Any = None
    grad_cases: Callable[[Sampler], list[Case]] | None = None
    grad_tol: float = 1e-5
    grad_ulp: float = 16
    grad_complex: bool = True
    grad_dtype: str = "float64"
    grad_outputs_without: tuple[int, ...] = ()  # float outputs that have no gradient
    kink: Callable[..., Any] | None = None  # distance from the nearest kink
    broadcasts: bool = False
    errors: tuple[Call, ...] = ()
    optional: bool = False  # the registry may do without: agog may reach state another way
    positional: bool = True  # output element i depends on input elements i only

    def __repr__(self) -> str:
        return self.name

    def limit(self, dtype: str) -> float:
        return self.ulps.get(dtype, self.ulp)

    def of_input(self, what: Any, index: int) -> Any:
        """The entry of a per-input setting that may also be one for all."""
        if what is not None and isinstance(what[0], tuple):
            return what[index]
        return what

    def attr_sets(self) -> Iterator[dict[str, Any]]:
        for values in itertools.product(*self.attrs.values()):
            yield dict(zip(self.attrs, values, strict=True))


ROWS: dict[str, Spec] = {}


def spec(name: str, family: str, **fields: Any) -> Spec:
    """Add a row; a second row of one name is an error."""
    if name in ROWS:
        raise ValueError(f"two spec rows named {name}")
    row = Spec(name=name, family=family, **fields)
    if row.grad == "skip" and not row.grad_why:
        raise ValueError(f"{name}: leaving out the gradient check needs a reason")
    if row.grad_order < 2 and not row.grad_why:
        raise ValueError(f"{name}: leaving out order two needs a reason")
    ROWS[name] = row
    return row


def family(module_name: str) -> Callable[..., Spec]:
    """`spec` bound to the family named like the module."""
    short = module_name.rsplit(".", 1)[-1]

    def add(name: str, **fields: Any) -> Spec:
        return spec(name, short, **fields)

    return add


def unary(add: Callable[..., Spec], name: str, ref: Callable[..., Any], **fields: Any) -> Spec:
    return add(name, form="unary", arity=1, ref=ref, **fields)


def binary(add: Callable[..., Spec], name: str, ref: Callable[..., Any], **fields: Any) -> Spec:
    fields.setdefault("broadcasts", True)
    return add(name, form="binary", arity=2, ref=ref, **fields)
