"""Sums of products written as an equation of axis labels."""

from __future__ import annotations

from functools import lru_cache
from math import prod
from typing import Any, NamedTuple

from agog import dtypes
from agog._core import Tensor, convert, handle, public
from agog.errors import InvalidArgumentError
from agog.linalg.products import matmul
from agog.types import TensorLike

_concat = handle("ConcatV2")
_diag_part = handle("MatrixDiagPartV3")
_prod = handle("Prod")
_reshape = handle("Reshape")
_shape = handle("Shape")
_sum = handle("Sum")
_transpose = handle("Transpose")

# The axes that an ellipsis stands for get labels of their own, the last one first.
_ELLIPSIS_LABELS = "⓪①②③④⑤⑥⑦⑧⑨"


class _Equation(NamedTuple):
    terms: tuple[str, ...]
    result: str


@public
def einsum(equation: str, *inputs: TensorLike, **kwargs: Any) -> Tensor:
    """Sum of products over the axis labels that the right side of `equation` leaves out.

    A label that repeats within one term takes the diagonal; "..." stands for axes that
    broadcast; without "->" the result has the labels that occur once, in alphabetical order.
    The keywords are `name` and `optimize`; whatever way of choosing the order of products the
    latter names, the pair with the smallest product comes first.

    >>> agog.einsum("ij,jk->ik", [[1, 2], [3, 4]], [[1], [1]]).numpy().tolist()
    [[3], [7]]
    >>> agog.einsum("ii", [[1, 2], [3, 4]]).numpy().item()
    5
    """
    kwargs.pop("optimize", None)
    kwargs.pop("name", None)
    if kwargs:
        raise TypeError(f"Invalid keyword arguments for einsum: {', '.join(kwargs)}")
    tensors = _converted(inputs)
    parsed = _parse(equation, tuple([x.ndim for x in tensors]))
    _check_sizes(equation, tensors, parsed.terms)
    terms = [_simplified(x, term) for x, term in zip(tensors, parsed.terms, strict=True)]
    while len(terms) > 1:
        i, j = (0, 1) if len(terms) == 2 else _smallest_pair(terms)
        second, first = terms.pop(j), terms.pop(i)
        terms.append(_product(first, second, parsed.result + "".join([t for _, t in terms])))
    return _arranged(*terms[0], parsed.result)


def _converted(inputs: tuple[TensorLike, ...]) -> list[Tensor]:
    hint = next((x.dtype for x in inputs if isinstance(x, Tensor)), None)
    tensors = []
    for value in inputs:
        tensors.append(convert(value, None, hint))
        hint = hint or tensors[0].dtype
    return tensors


@lru_cache(maxsize=1024)
def _parse(equation: str, ranks: tuple[int, ...]) -> _Equation:
    """The labels of every axis of the inputs and of the result."""
    left, arrow, right = equation.replace(" ", "").partition("->")
    written = left.split(",")
    if len(written) != len(ranks):
        raise ValueError(
            f"The equation {equation!r} is one of {len(written)} inputs, got {len(ranks)}"
        )
    spans = [_span(term, rank, equation) for term, rank in zip(written, ranks, strict=True)]
    widest = _ELLIPSIS_LABELS[: max(spans)][::-1]
    terms = tuple(
        term.replace("...", widest[len(widest) - span :])
        for term, span in zip(written, spans, strict=True)
    )
    if arrow:
        result = right.replace("...", widest)
    else:
        labels = "".join(written).replace(".", "")
        result = widest + "".join(sorted(x for x in set(labels) if labels.count(x) == 1))
    _check_result(equation, terms, result)
    return _Equation(terms, result)


def _span(term: str, rank: int, equation: str) -> int:
    """How many axes the ellipsis of a term stands for."""
    labels = term.replace("...", "", 1)
    if labels and not labels.isalpha():
        raise ValueError(f"The term {term!r} of {equation!r} is not made of letters and one '...'")
    span = rank - len(labels)
    if span < 0 or (span > 0 and "..." not in term):
        message = f"The term {term!r} of {equation!r} does not fit an input of rank {rank}"
        raise InvalidArgumentError(None, None, message)
    if span > len(_ELLIPSIS_LABELS):
        raise ValueError(f"The ellipsis of {term!r} in {equation!r} stands for too many axes")
    return span


def _check_result(equation: str, terms: tuple[str, ...], result: str) -> None:
    known = set("".join(terms))
    for label in result:
        if label not in known:
            raise ValueError(f"The label {label!r} of the result of {equation!r} is in no input")
        if result.count(label) > 1:
            raise ValueError(f"The label {label!r} repeats in the result of {equation!r}")


def _check_sizes(equation: str, tensors: list[Tensor], terms: tuple[str, ...]) -> None:
    """Raises InvalidArgumentError where one label has two lengths; "..." may have 1 beside n."""
    sizes: dict[str, int | None] = {}
    for x, term in zip(tensors, terms, strict=True):
        for label, size in zip(term, x.shape, strict=True):
            known = sizes.setdefault(label, size)
            if known == size or size is None:
                continue
            if known is None or (known == 1 and label in _ELLIPSIS_LABELS):
                sizes[label] = size
            elif not (size == 1 and label in _ELLIPSIS_LABELS):
                message = f"The label {label!r} of {equation!r} has the lengths {known} and {size}"
                raise InvalidArgumentError(None, None, message)


def _simplified(x: Tensor, term: str) -> tuple[Tensor, str]:
    """A term whose labels are all different: repeated ones became their diagonal."""
    for label in dict.fromkeys(term):
        while term.count(label) > 1:
            first = term.index(label)
            second = term.index(label, first + 1)
            others = [i for i in range(len(term)) if i not in (first, second)]
            x = _diag_part(_transpose(x, [*others, first, second]), 0, 0, "RIGHT_LEFT")
            term = "".join(term[i] for i in others) + label
    return x, term


def _smallest_pair(terms: list[tuple[Tensor, str]]) -> tuple[int, int]:
    """The two terms whose product has the fewest elements, unknown lengths counting as one."""
    best, pair = None, (0, 1)
    for i, (x, x_labels) in enumerate(terms):
        sizes = _sizes(x, x_labels)
        for j in range(i + 1, len(terms)):
            both = sizes | _sizes(*terms[j])
            elsewhere = {label for k, t in enumerate(terms) if k not in (i, j) for label in t[1]}
            cost = prod(both.values()), -len(both.keys() - elsewhere)
            if best is None or cost < best:
                best, pair = cost, (i, j)
    return pair


def _sizes(x: Tensor, labels: str) -> dict[str, int]:
    return {label: size or 1 for label, size in zip(labels, x.shape, strict=True)}


class _Pair(NamedTuple):
    """How to multiply two terms: sum over axes, reorder, merge axes to matrices, multiply."""

    x_sum: list[int]
    y_sum: list[int]
    x_order: list[int] | None
    y_order: list[int] | None
    x_swapped: bool
    y_swapped: bool
    batch: int
    rows: int
    inner: int
    columns: int
    labels: str


@lru_cache(maxsize=1024)
def _pair(x_labels: str, y_labels: str, needed: str) -> _Pair:
    """The plan for terms with these labels; `needed` are the labels of the result and the rest."""
    x_sum, x_labels = _split_off(x_labels, y_labels + needed)
    y_sum, y_labels = _split_off(y_labels, x_labels + needed)
    shared = [label for label in x_labels if label in y_labels]
    batch = "".join(label for label in shared if label in needed)
    inner = "".join(label for label in shared if label not in needed)
    rows = "".join(label for label in x_labels if label not in y_labels)
    columns = "".join(label for label in y_labels if label not in x_labels)
    x_swapped = bool(rows) and x_labels == batch + inner + rows
    y_swapped = bool(columns) and y_labels == batch + columns + inner
    x_order = None if x_swapped else _order(x_labels, batch + rows + inner)
    y_order = None if y_swapped else _order(y_labels, batch + inner + columns)
    counts = len(batch), len(rows), len(inner), len(columns)
    labels = batch + rows + columns
    return _Pair(x_sum, y_sum, x_order, y_order, x_swapped, y_swapped, *counts, labels)


def _split_off(labels: str, needed: str) -> tuple[list[int], str]:
    """The axes whose labels are not needed, and the other labels."""
    axes = [i for i, label in enumerate(labels) if label not in needed]
    return axes, "".join(label for label in labels if label in needed)


def _order(have: str, wanted: str) -> list[int] | None:
    return None if have == wanted else [have.index(label) for label in wanted]


def _product(
    first: tuple[Tensor, str], second: tuple[Tensor, str], needed: str
) -> tuple[Tensor, str]:
    """The product of two terms, summed over the labels that nothing else needs."""
    if needed and needed[-1] in first[1] and needed[-1] not in second[1]:
        first, second = second, first  # the last label of the result is then a column
    (x, x_labels), (y, y_labels) = first, second
    plan = _pair(x_labels, y_labels, needed)
    x = _sum(x, plan.x_sum, False) if plan.x_sum else x
    y = _sum(y, plan.y_sum, False) if plan.y_sum else y
    x = x if plan.x_order is None else _transpose(x, plan.x_order)
    y = y if plan.y_order is None else _transpose(y, plan.y_order)
    batch, rows, inner, columns = plan.batch, plan.rows, plan.inner, plan.columns
    if not inner:
        return _outer(x, y, batch, rows, columns), plan.labels
    x_first, y_first = inner if plan.x_swapped else rows, columns if plan.y_swapped else inner
    a, b = _merged(x, batch, x_first), _merged(y, batch, y_first)
    product = matmul(a, b, plan.x_swapped, plan.y_swapped)
    if rows != 1 or columns != 1:
        x_rows = batch + (inner if plan.x_swapped else 0)
        y_columns = batch + (0 if plan.y_swapped else inner)
        outer = (x, x_rows, x_rows + rows), (y, y_columns, y_columns + columns)
        product = _reshape(product, _dims((product, 0, batch), *outer))
    return product, plan.labels


def _dims(*spans: tuple[Tensor, int, int]) -> Any:
    """The lengths of some axes (from, to) of several tensors, as a list if they are known."""
    if all(x.shape.is_fully_defined() for x, _, _ in spans):
        return [size for x, begin, end in spans for size in x.shape.as_list()[begin:end]]
    return _concat([_shape(x, dtypes.int32)[begin:end] for x, begin, end in spans], 0)


def _outer(x: Tensor, y: Tensor, batch: int, rows: int, columns: int) -> Tensor:
    """The product without a sum: the axes of a batch go together, all others side by side."""
    if rows and columns:
        x = x[(..., *[None] * columns)]
        y = y[(*[slice(None)] * batch, *[None] * rows, ...)]
    elif rows:
        y = y[(..., *[None] * rows)]
    elif columns:
        x = x[(..., *[None] * columns)]
    return x * y


def _arranged(x: Tensor, have: str, wanted: str) -> Tensor:
    """`x` with its axes in the order wanted; summed over labels that are not wanted."""
    axes, have = _split_off(have, wanted)
    x = _sum(x, axes, False) if axes else x
    order = _order(have, wanted)
    return x if order is None else _transpose(x, order)


def _merged(x: Tensor, batch: int, rows: int) -> Tensor:
    """`x` as a batch of matrices: `rows` axes form the first one, the rest the second."""
    if rows == 1 and x.ndim == batch + 2:
        return x
    middle, end = batch + rows, x.ndim
    if x.shape.is_fully_defined():
        dims = x.shape.as_list()
        return _reshape(x, [*dims[:batch], prod(dims[batch:middle]), prod(dims[middle:])])
    dims = _shape(x, dtypes.int32)
    first, last = _prod(dims[batch:middle], [0], True), _prod(dims[middle:end], [0], True)
    return _reshape(x, _concat([dims[:batch], first, last], 0))
