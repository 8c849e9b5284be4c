"""Objects for which a restored checkpoint has more values than they have parts: they wait.

When an attribute is set on one of them, the value goes on into it. `Trackable` has a `__setattr__`
for this only while something waits. Lists and dicts cannot tell of new elements, so those that
wait are replaced by lists and dicts that do, where nobody else holds them; others are looked at
again when a status is asked and when a checkpoint is saved.
"""

from __future__ import annotations

import sys
import threading
import weakref
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from agog.checkpoint.trackable import Trackable, all_children, child_at, is_container, is_trackable

if TYPE_CHECKING:
    from agog.checkpoint.restoration import Restoration

# id of an object -> (weak reference to it, the restorations that wait for its parts, newest last)
_waiting: dict[int, tuple[Any, list[Restoration]]] = {}
_lock = threading.RLock()


def settle(restoration: Restoration, pairs: Iterable[tuple[Any, int]]) -> None:
    """Notes which of these objects still wait for parts after a step, and which do no longer."""
    with _lock:
        for value, number in pairs:
            if isinstance(value, Trackable):
                _note(value, restoration, bool(restoration.lacking(number)))
            _watch_containers(value, number, restoration)
        _install()


def resume_all() -> None:
    """Looks everywhere for parts that came without a sign."""
    for restoration in {id(r): r for _, found in list(_waiting.values()) for r in found}.values():
        restoration.resume()


def can_grow(value: Any) -> bool:
    """Whether an object may get parts that it does not have yet."""
    return isinstance(value, Trackable) and not hasattr(value, "_slot_variables")


def is_waiting(value: Any) -> bool:
    """Whether some checkpoint has values left for parts of this object."""
    return id(value) in _waiting


def _note(value: Any, restoration: Restoration, waits: bool) -> None:
    key = id(value)
    _, found = _waiting.get(key, (None, []))
    others = [each for each in found if each is not restoration]
    if waits:
        _waiting[key] = (weakref.ref(value, lambda _: _forget(key)), [*others, restoration])
    elif others:
        _waiting[key] = (_waiting[key][0], others)
    else:
        _waiting.pop(key, None)


def _forget(key: int) -> None:
    with _lock:
        _waiting.pop(key, None)
        _install()


def _install() -> None:
    """The hook is there exactly while something waits."""
    installed = "__setattr__" in vars(Trackable)
    if _waiting and not installed:
        type.__setattr__(Trackable, "__setattr__", _set_and_restore)
    elif installed and not _waiting:
        type.__delattr__(Trackable, "__setattr__")


def _set_and_restore(self: Any, name: str, value: Any) -> None:
    super(Trackable, self).__setattr__(name, value)
    entry = _waiting.get(id(self))
    if entry is None or not (is_container(value) or is_trackable(value)):
        return
    for restoration in reversed(entry[1]):
        number = restoration.number_of(self)
        if number is None:
            continue
        child = restoration.lacking(number).get(name)
        if child is not None:
            restoration.resume([(value, child)])
            del value  # or a list would seem to have another holder
            settle(restoration, [(self, number)])
            return


# ---- lists and dicts


def _watch_containers(value: Any, number: int, restoration: Restoration) -> None:
    """Below one object: replaces containers that wait by ones that tell of new elements."""
    todo = [(value, number)]
    seen: set[int] = set()
    while todo:
        parent, parent_number = todo.pop()
        if id(parent) in seen:
            continue
        seen.add(id(parent))
        wanted = restoration.lacking(parent_number)
        nested = [(n, part) for n, part in all_children(parent) if n in wanted]
        names = [name for name, part in nested if is_container(part)]
        nested.clear()
        for name in names:
            container = _replaced(parent, name, restoration, wanted[name])
            todo.append((container, wanted[name]))


def _replaced(parent: Any, name: str, restoration: Restoration, number: int) -> Any:
    """The container in a part of `parent`, in a form that tells of new elements if possible."""
    storage, key = child_at(parent, name)
    if storage is None:
        return dict(all_children(parent))[name]
    kinds: dict[Any, Any] = {list: WaitingList, dict: WaitingDict}
    kind = kinds.get(type(storage[key]))
    # 2: the storage, and the argument. Somebody who holds the list would not see its successor.
    if kind is not None and sys.getrefcount(storage[key]) == 2:
        storage[key] = kind(storage[key])
    if isinstance(storage[key], WaitingList | WaitingDict):
        storage[key]._restoration = (restoration, number)
    return storage[key]


class _Waiting:
    """What lists and dicts have in common that tell of new elements."""

    _restoration: tuple[Restoration, int] | None = None

    def _changed(self) -> None:
        if self._restoration is None:
            return
        restoration, number = self._restoration
        restoration.resume([(self, number)])
        if not restoration.lacking(number):
            self._restoration = None
            settle(restoration, restoration.bound_objects())


class WaitingList(_Waiting, list):  # type: ignore[type-arg]
    """A list whose elements a checkpoint may still have values for."""

    def append(self, value: Any) -> None:
        """Appends, and restores what was appended."""
        super().append(value)
        self._changed()

    def extend(self, values: Any) -> None:
        """Appends several, and restores them."""
        super().extend(values)
        self._changed()

    def insert(self, index: Any, value: Any) -> None:
        """Inserts, and restores what was inserted."""
        super().insert(index, value)
        self._changed()

    def __setitem__(self, index: Any, value: Any) -> None:
        super().__setitem__(index, value)
        self._changed()

    def __iadd__(self, values: Any) -> Any:  # type: ignore[misc]
        self.extend(values)
        return self

    def __reduce__(self) -> Any:
        return list, (list(self),)


class WaitingDict(_Waiting, dict):  # type: ignore[type-arg]
    """A dict whose values a checkpoint may still have values for."""

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__(key, value)
        self._changed()

    def update(self, *args: Any, **kwargs: Any) -> None:
        """Takes over items, and restores them."""
        super().update(*args, **kwargs)
        self._changed()

    def setdefault(self, key: Any, default: Any = None) -> Any:
        """The value under a key, which is `default` from now on if there was none."""
        value = super().setdefault(key, default)
        self._changed()
        return value

    def __ior__(self, other: Any) -> Any:  # type: ignore[misc]
        self.update(other)
        return self

    def __reduce__(self) -> Any:
        return dict, (dict(self),)
