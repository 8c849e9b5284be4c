"""The check of an axis that Python code, not an op's shape rule, has to make."""

from __future__ import annotations

from agog.errors import InvalidArgumentError


def checked_axis(axis: int, rank: int) -> int:
    """`axis` counted from the front; InvalidArgumentError if a tensor of `rank` has none such."""
    if not -rank <= axis < rank:
        message = f"axis {axis} is out of range for a tensor of rank {rank}"
        raise InvalidArgumentError(None, None, message)
    return axis % rank


def with_last(axis: int, rank: int) -> list[int]:
    """The permutation that exchanges `axis` and the last one; its own inverse."""
    swap = list(range(rank))
    swap[axis], swap[-1] = swap[-1], swap[axis]
    return swap
