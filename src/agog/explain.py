"""Why a gradient is None: what `GradientTape.explain` reports."""

from __future__ import annotations

import dataclasses
from collections import deque
from collections.abc import Iterator
from typing import Any, NamedTuple

from agog import _core
from agog._core import VariableBase


@dataclasses.dataclass(frozen=True)
class Explanation:
    """What a tape knows about the way from a source to a target; printing it tells the story.

    `cause` is one word: "connected", "blocked" (an op on the way has no gradient), "assigned" (the
    way leads through an assignment), "python" (through Python or NumPy), "unrecorded" (an op ran
    while the tape did not record), "unwatched", "dtype", "used" (the tape gave its gradients
    already) or "independent". `op` and `place` name the op where the way ends and the user's line;
    lines are known while `agog.debugging.enable_gradient_lines` is on. `path` names the ops from
    the source on.
    """

    cause: str
    reason: str
    fix: str = ""
    op: str | None = None
    place: str | None = None
    path: tuple[str, ...] = ()

    @property
    def connected(self) -> bool:
        """Whether there is a gradient."""
        return self.cause == "connected"

    def __str__(self) -> str:
        heads = {"connected": "The gradient is not None", "used": "There is no answer any more"}
        lines = [f"{heads.get(self.cause, 'The gradient is None')}: {self.reason}."]
        if self.path:
            lines.append("  path:  source -> " + " -> ".join(self.path))
        if self.place:
            lines.append(f"  where: {self.place}")
        elif self.op is not None and not self.connected and not _core.records_lines():
            lines.append("  where: agog.debugging.enable_gradient_lines() makes lines known")
        if self.fix:
            lines.append(f"  fix:   {self.fix}")
        return "\n".join(lines)

    __repr__ = __str__


class _Record(NamedTuple):
    number: int
    op: str
    place: str | None
    blocked: bool
    inputs: list[tuple[int, int, bool]]
    outputs: list[int]


class _Step(NamedTuple):
    """One hop of the way back from the target: through input `input` of a record."""

    record: _Record
    input: int
    flows: bool
    assigned: str | None  # "" or the line, for a value that went through a variable


def _is_float(t: Any) -> bool:
    return bool(t.dtype.is_floating or t.dtype.is_complex)


def _identity(t: Any) -> int:
    return t.handle._id if isinstance(t, VariableBase) else t._id


def _label(t: Any) -> str:
    if isinstance(t, VariableBase):
        return f"variable '{getattr(t, 'name', '?')}'"
    return f"tensor of shape {t.shape} and dtype {t.dtype.name}"


_SOURCE = -1


def _path(steps: list[_Step]) -> tuple[str, ...]:
    ops = []
    for step in steps:
        ops += ["AssignVariableOp"] * (step.assigned is not None) + [step.record.op]
    return tuple(ops)


class _Lineage:
    """What the tape holds, for walks from a target back to a source."""

    def __init__(self, tape: Any) -> None:
        self.records = {row[0]: _Record(*row) for row in tape._lineage()}
        self.assigned, self.reads = tape._leaks()

    def way(self, target: int, source: int) -> list[_Step]:
        """The steps from the tensor `source` to record `target` that break least often; or none."""
        came: dict[int, tuple[int, _Step]] = {}
        cost = {target: 0}
        todo = deque([target])
        while todo and todo[0] != _SOURCE:
            index = todo.popleft()
            for step, before in self._steps(index, source):
                total = cost[index] + (not step.flows)
                if total < cost.get(before, total + 1):
                    cost[before], came[before] = total, (index, step)
                    (todo.appendleft if step.flows else todo.append)(before)
        return self._unwind(came, target) if todo else []

    def _unwind(self, came: dict[int, tuple[int, _Step]], target: int) -> list[_Step]:
        steps, index = [], _SOURCE
        while index != target:
            index, step = came[index]
            steps.append(step)
        return steps

    def _steps(self, index: int, source: int) -> Iterator[tuple[_Step, int]]:
        record = self.records[index]
        for i, (value, producer, differentiable) in enumerate(record.inputs):
            hops: list[tuple[int, int, bool, str | None]]
            hops = [(value, producer, differentiable and not record.blocked, None)]
            if value in self.assigned:
                maker, kept, place = self.assigned[value]
                hops.append((kept, maker, False, place or ""))
            for tensor, maker, flows, assigned in hops:
                before = _SOURCE if tensor == source else maker
                if before == _SOURCE and tensor != source:
                    continue
                if before == _SOURCE or before in self.records:
                    yield _Step(record, i, flows, assigned), before


def _dtype_reason(what: str, t: Any) -> str:
    return (
        f"the {what} has dtype {t.dtype.name}, and only floating and complex tensors have gradients"
    )


def _of_target_dtype(lineage: _Lineage, entry: Any, target: Any) -> Explanation:
    record = lineage.records.get(entry[0]) if entry else None
    made = f"; {record.op} made it" if record else ""
    return Explanation(
        "dtype",
        _dtype_reason("target", target) + made,
        "take the gradient of a floating tensor, before it is rounded, compared or cast",
        op=record.op if record else None,
        place=record.place if record else None,
    )


def _of_unwatched(tape: Any, lineage: _Lineage, entry: Any, source: Any) -> Explanation:
    if entry is not None:
        record = lineage.records.get(entry[0])
        made = f"it is the result of {record.op}, which passes no gradient on" if record else ""
        return Explanation(
            "unwatched",
            f"the tape does not follow the source: {made or 'no gradient flows back to it'}",
            "call tape.watch(source) before it is used",
            op=record.op if record else None,
            place=record.place if record else None,
        )
    if not isinstance(source, VariableBase):
        return Explanation(
            "unwatched",
            f"the source, a {_label(source)}, was never watched, so the tape holds it for a "
            "constant",
            "call tape.watch(source) before it is used; if it was a variable, an assignment like "
            "v = v + 1 made a tensor of it: use v.assign_add",
        )
    if not source.trainable:
        why = "is not trainable, so tapes do not watch it by themselves"
    elif not tape._watch_accessed:
        why = "was not watched, and this tape has watch_accessed_variables=False"
    else:
        why = "was not read while the tape recorded"
    return Explanation(
        "unwatched",
        f"the source, {_label(source)}, {why}",
        "call tape.watch(variable) before it is used, or compute the target from it inside the "
        "tape's with-block",
    )


def _of_unrecorded(target: int) -> Explanation | None:
    """With lines on, ops that ran while no tape recorded are known, too."""
    makers = {out: note for note in _core.unrecorded_ops() for out in note[3]}
    if target not in makers:
        return None
    path, todo, seen = [], [target], set()
    while todo:
        note = makers.get(todo.pop())
        if note is None or note[3][0] in seen:
            continue
        seen.add(note[3][0])
        path.append(note)
        todo += note[2]
    op, place, _, _ = path[-1]
    return Explanation(
        "unrecorded",
        f"{op} ran while the tape did not record: after its with-block, or in stop_recording()",
        "move the computation into the tape's with-block",
        op=op,
        place=place,
        path=tuple(note[0] for note in reversed(path)),
    )


def _of_unknown_target(tape: Any, lineage: _Lineage, target: Any) -> Explanation:
    """Nothing that the tape follows led to the target."""
    found = _of_unrecorded(_identity(target))
    if found is not None:
        return found
    if lineage.reads:
        op, place = lineage.reads[-1]
        what = f"the result of {op}" if op else "a watched tensor"
        return Explanation(
            "python",
            "nothing that the tape recorded led to the target, and Python or NumPy took the "
            f"values of {what}: what is computed from them is a constant",
            "use agog's functions in the place of NumPy's, numpy(), float() and item(), or give "
            "the step its own rule with agog.custom_gradient",
            op=op or None,
            place=place,
        )
    stopped = getattr(tape, "_has_stopped", False)
    maybe = "in the block of stop_recording()" if stopped else "outside the tape's with-block"
    return Explanation(
        "unrecorded" if stopped else "independent",
        "nothing that the tape recorded led to the target: it does not depend on the source, or "
        f"it was computed before the source was watched, {maybe} or in Python",
        "watch the source first, and compute the target from it inside the tape's with-block; "
        "agog.debugging.enable_gradient_lines() names ops that ran elsewhere",
    )


def _of_break(steps: list[_Step], at: int, more: str = "") -> Explanation:
    """The way exists, but no gradient flows along `steps[at]`."""
    step, path = steps[at], _path(steps)
    if step.assigned is not None:
        return Explanation(
            "assigned",
            "the way leads through an assignment to a variable, and assignments cut gradients",
            "use the tensor that was assigned, and not what the variable gives when it is read",
            op="AssignVariableOp",
            place=step.assigned or step.record.place,
            path=path,
        )
    op = step.record.op
    fix = (
        "leave out stop_gradient, if the gradient is wanted"
        if op == "StopGradient"
        else f"use a differentiable operation in the place of {op}, or give it a rule with "
        "agog.custom_gradient"
    )
    return Explanation(
        "blocked",
        f"{op} has no gradient with respect to its input {step.input}{more}",
        fix,
        op=op,
        place=step.record.place,
        path=path,
    )


def _of_way(tape: Any, steps: list[_Step], target: Any, source: Any) -> Explanation:
    """Every op on the way has a rule: only running the rules tells whether one gives nothing."""
    gradient, cuts = tape._cuts(target, source)
    path = _path(steps)
    if gradient is not None:
        how = "depends" if steps else "is the source, and so depends"
        return Explanation("connected", f"the target {how} on the source", path=path)
    places = {(record, i) for record, i in cuts}
    for at, step in enumerate(steps):
        if (step.record.number, step.input) in places:
            return _of_break(steps, at, ": its rule gave none")
    last = next((r for r in tape._lineage() if cuts and r[0] == cuts[-1][0]), None)
    return Explanation(
        "blocked",
        "the rules of the ops on the way gave no gradient",
        "look at the rules given with agog.custom_gradient",
        op=last[1] if last else None,
        place=last[2] if last else None,
        path=path,
    )


def explain(tape: Any, target: Any, source: Any) -> Explanation:
    """See `GradientTape.explain`."""
    lineage = _Lineage(tape)
    found, start = tape._entry(target), tape._entry(source)
    if not _is_float(source):
        fix = "cast the source to a floating dtype, watch that, and compute the target from it"
        return Explanation("dtype", _dtype_reason("source", source), fix)
    if not _is_float(target):
        return _of_target_dtype(lineage, found, target)
    if _identity(target) == _identity(source):
        return _of_way(tape, [], target, source)
    if start is None or not start[1]:
        return _of_unwatched(tape, lineage, start, source)
    if tape._used:
        return Explanation(
            "used",
            "the tape is not persistent and gave its gradients already, so it has forgotten what "
            "it recorded",
            "make it with persistent=True, or ask explain() before gradient()",
        )
    if found is None:
        return _of_unknown_target(tape, lineage, target)
    steps = lineage.way(found[0], _identity(source)) if found[0] in lineage.records else []
    if not steps:
        return _of_independence(lineage, source)
    broken = [at for at, step in enumerate(steps) if not step.flows]
    return _of_break(steps, broken[0]) if broken else _of_way(tape, steps, target, source)


def _of_independence(lineage: _Lineage, source: Any) -> Explanation:
    """The target came from other things that the tape follows."""
    more, fix = "", "compute the target from this source"
    op = place = None
    if lineage.reads:
        op, place = lineage.reads[-1]
        more = "; Python or NumPy took the values of " + (op or "a watched tensor")
        fix += ", without numpy(), float() or item() on the way"
    return Explanation(
        "python" if lineage.reads else "independent",
        f"the target was computed from other tensors, not from the {_label(source)}{more}",
        fix,
        op=op or None,
        place=place,
    )
