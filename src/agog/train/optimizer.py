"""The base of the optimizers: gradients of a loss, slots per variable, one step."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import agog
from agog._core import public
from agog.checkpoint.trackable import Trackable
from agog.train import rows
from agog.train.schedules import LearningRateSchedule

GradsAndVars = Iterable[tuple[Any, Any]]


class Optimizer(Trackable):
    """Base of all optimizers: a subclass says how one variable follows its gradient.

    A subclass overrides `_resource_apply_dense(grad, var)`, and where it needs them `_slot_names`
    (variables kept beside each variable; `_slot_value` says what they begin with, zeros by
    default), `_resource_apply_sparse(grad, var, indices)` for gradients of some rows, `_prepare()`
    and `_finish()`, which run before and after each step.

    A setting such as the learning rate is a number, a variable, a callable without arguments, or a
    schedule of `agog.optimizers.schedules`, which gets the number of steps that were made.

    >>> class SignDescent(agog.train.Optimizer):
    ...     def __init__(self, step):
    ...         super().__init__(use_locking=False, name="SignDescent")
    ...         self.step = step
    ...     def _resource_apply_dense(self, grad, var):
    ...         var.assign_sub(self.step * agog.sign(grad))
    >>> w = agog.Variable([1.0, -2.0])
    >>> SignDescent(0.5).minimize(lambda: agog.reduce_sum(w * w))
    >>> print(w.numpy())
    [ 0.5 -1.5]
    """

    GATE_NONE = 0
    GATE_OP = 1
    GATE_GRAPH = 2

    _slot_names: tuple[tuple[str, str], ...] = ()  # (name of the slot, suffix of its variable)

    @public
    def __init__(
        self, use_locking: bool, name: str, use_own_namescope_for_non_slot_vars: bool = False
    ) -> None:
        if not name:
            raise ValueError("Must specify the optimizer name")
        self._name = name
        self._use_locking = use_locking
        self._slots: dict[int, tuple[Any, tuple[Any, ...]]] = {}  # id(var) -> (var, its slots)
        self._hyper: dict[str, Any] = {}
        self._dynamic: tuple[str, ...] = ()
        self._by_dtype: dict[Any, tuple[Any, ...]] = {}
        self._arguments: dict[int, tuple[Any, ...]] = {}  # id(var) -> what `_arguments_of` gives
        self._iterations: Any = None  # a variable, once a schedule asks for it

    @public
    def get_name(self) -> str:
        """The name given to this optimizer."""
        return self._name

    @public
    def minimize(
        self,
        loss: Callable[[], Any],
        global_step: Any = None,
        var_list: Any = None,
        gate_gradients: int = GATE_OP,
        aggregation_method: Any = None,
        colocate_gradients_with_ops: bool = False,
        name: str | None = None,
        grad_loss: Any = None,
    ) -> None:
        """One step against the gradient of `loss()`.

        `loss` is called once under a tape. `var_list` says what to train; without it, every
        trainable variable that the loss reads. `global_step`, a variable, grows by one.

        >>> w = agog.Variable(3.0)
        >>> agog.train.GradientDescentOptimizer(0.25).minimize(lambda: w * w)
        >>> float(w)
        1.5
        """
        pairs = self.compute_gradients(loss, var_list=var_list, grad_loss=grad_loss)
        if all(grad is None for grad, _ in pairs):
            raise ValueError(_no_gradients([var for _, var in pairs], loss))
        self.apply_gradients(pairs, global_step=global_step, name=name)

    @public
    def compute_gradients(
        self,
        loss: Callable[[], Any],
        var_list: Any = None,
        gate_gradients: int = GATE_OP,
        aggregation_method: Any = None,
        colocate_gradients_with_ops: bool = False,
        grad_loss: Any = None,
    ) -> list[tuple[Any, Any]]:
        """The pairs (gradient, variable) of `loss()`; the gradient is None where there is none.

        >>> w = agog.Variable(3.0)
        >>> pairs = agog.train.GradientDescentOptimizer(0.1).compute_gradients(lambda: w * w)
        >>> [(float(grad), var is w) for grad, var in pairs]
        [(6.0, True)]
        """
        if not callable(loss):
            raise RuntimeError(
                "`loss` should be a function without arguments when eager execution is enabled, "
                f"got {type(loss).__name__}"
            )
        if gate_gradients not in (self.GATE_NONE, self.GATE_OP, self.GATE_GRAPH):
            raise ValueError(f"gate_gradients must be 0, 1 or 2, got {gate_gradients!r}")
        with agog.GradientTape() as tape:
            if var_list is not None:
                var_list = agog.nest.flatten(var_list)
                tape.watch(var_list)
            value = loss()
        variables = list(tape.watched_variables() if var_list is None else var_list)
        return list(zip(tape.gradient(value, variables, grad_loss), variables, strict=True))

    @public
    def apply_gradients(
        self,
        grads_and_vars: GradsAndVars,
        global_step: Any = None,
        name: str | None = None,
        skip_gradients_aggregation: bool = False,
    ) -> None:
        """Change each variable by its gradient; a pair whose gradient is None is passed over.

        A gradient may be an IndexedSlices: then the rows that it names change. Rows that are
        named several times get the sum of their gradients, in one step.

        >>> w = agog.Variable([1.0, 2.0])
        >>> agog.train.GradientDescentOptimizer(0.5).apply_gradients([([1.0, 1.0], w)])
        >>> print(w.numpy())
        [0.5 1.5]
        """
        given = tuple(grads_and_vars)
        pairs = [pair for pair in given if pair[0] is not None]
        if not pairs:
            raise ValueError(_no_gradients([v for _, v in given]) if given else _NO_VARIABLES)
        self._create_slots([var for _, var in pairs])
        self._prepare()
        self._apply_whole([pair for pair in pairs if not hasattr(pair[0], "indices")])
        for grad, var in pairs:
            if hasattr(grad, "indices"):
                self._apply_rows(grad, var)
        self._finish()
        if self._iterations is not None:
            self._iterations.assign_add(1)
        if global_step is not None:
            global_step.assign_add(1)

    @public
    def get_slot(self, var: Any, name: str) -> Any:
        """The variable that this optimizer keeps beside `var` under `name`, or None.

        >>> opt, w = agog.train.MomentumOptimizer(0.1, 0.9), agog.Variable(3.0)
        >>> opt.minimize(lambda: w * w)
        >>> float(opt.get_slot(w, "momentum"))
        6.0
        """
        entry = self._slots.get(id(var))
        names = [known for known, _ in self._slot_names]
        return entry[1][names.index(name)] if entry and name in names else None

    @public
    def get_slot_names(self) -> list[str]:
        """The names that `get_slot` knows.

        >>> agog.train.AdamOptimizer().get_slot_names()
        ['m', 'v']
        """
        return sorted(name for name, _ in self._slot_names)

    @public
    def variables(self) -> list[Any]:
        """All variables that this optimizer made so far, by name."""
        made = [slot for _, slots in self._slots.values() for slot in slots]
        if self._iterations is not None:
            made.append(self._iterations)
        return sorted([*made, *self._own_variables()], key=lambda var: var.name)

    def checkpoint_children(self) -> dict[str, Any]:
        """What a checkpoint saves beside the slots: variables that belong to no other one."""
        counted = [] if self._iterations is None else [self._iterations]
        return {_last_name(var): var for var in [*counted, *self._own_variables()]}

    # What checkpoints use.

    def _slot_variables(self) -> Iterator[tuple[Any, str, Any]]:
        """Each variable, the name of a slot and the slot."""
        for var, slots in self._slots.values():
            for (name, _), slot in zip(self._slot_names, slots, strict=True):
                yield var, name, slot

    def _slot_for(self, var: Any, name: str) -> Any:
        """The slot beside a variable, made now if need be; None where there is no such name."""
        if name not in self.get_slot_names():
            return None
        self._create_slots([var])
        return self.get_slot(var, name)

    def _create_own_variables(self) -> None:
        """Makes the variables of `checkpoint_children`, which a checkpoint has values for."""
        self._create_slots([])

    @property
    def iterations(self) -> Any:
        """The number of steps, as a variable that schedules read; made when it is first read.

        >>> rate = agog.optimizers.schedules.ExponentialDecay(1.0, decay_steps=1, decay_rate=0.5)
        >>> opt, w = agog.train.GradientDescentOptimizer(rate), agog.Variable(3.0)
        >>> for _ in range(2):
        ...     opt.apply_gradients([(1.0, w)])
        >>> float(w), int(opt.iterations)
        (1.5, 2)
        """
        if self._iterations is None:
            self._iterations = agog.Variable(
                0, dtype=agog.int64, trainable=False, name=f"{self._name}/iterations"
            )
        return self._iterations

    @property
    def learning_rate(self) -> Any:
        """What was given as the learning rate; setting it counts from the next step on."""
        if "learning_rate" not in self._hyper:
            raise AttributeError(f"{type(self).__name__} has no learning rate")
        return self._hyper["learning_rate"]

    @learning_rate.setter
    def learning_rate(self, value: Any) -> None:
        self._set_hyper(**{**self._hyper, "learning_rate": value})
        self._by_dtype.clear()
        self._arguments.clear()

    # What a subclass may override.

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        for var in var_list:
            if id(var) not in self._slots:
                self._make_slots(var)

    def _prepare(self) -> None:
        """Forget the tensors of settings that may have changed since the last step."""
        if self._dynamic:
            self._by_dtype.clear()
            self._arguments.clear()

    def _apply_whole(self, pairs: Sequence[tuple[Any, Any]]) -> None:
        """The steps of all pairs with a gradient of the whole variable."""
        for grad, var in pairs:
            self._resource_apply_dense(grad, var)

    def _resource_apply_dense(self, grad: Any, var: Any) -> None:
        raise NotImplementedError(f"{type(self).__name__} must define _resource_apply_dense")

    def _resource_apply_sparse(self, grad: Any, var: Any, indices: Any) -> None:
        """The step for the rows `indices`, none of them named twice, with gradients `grad`."""
        raise agog.errors.UnimplementedError(
            None,
            None,
            f"{type(self).__name__} has no step for gradients of rows (IndexedSlices); turn the "
            f"gradient of '{var.name}' into a tensor first: agog.convert_to_tensor(gradient)",
        )

    def _slot_value(self, var: Any, name: str) -> Any:
        """What the slot `name` of `var` begins with."""
        return agog.zeros(var.shape, var.dtype)

    def _slot_label(self, name: str, end: str) -> str:
        """The last part of the name of a slot's variable."""
        return f"{self._name}{end}"

    def _finish(self) -> None:
        pass

    def _own_variables(self) -> list[Any]:
        return []

    # What a subclass may use.

    def _set_hyper(self, **settings: Any) -> None:
        """Keep the settings; a callable or a variable is read again at every step."""
        self._hyper = settings
        self._dynamic = tuple(
            name for name, value in settings.items() if callable(value) or hasattr(value, "handle")
        )
        if any(isinstance(value, LearningRateSchedule) for value in settings.values()):
            self.iterations  # noqa: B018 - makes it

    def _hyper_tensors(self, dtype: Any) -> tuple[Any, ...]:
        """The settings as tensors of `dtype`, in the order of `_set_hyper`."""
        found = self._by_dtype.get(dtype)
        if found is None:
            found = tuple(self._setting(value, dtype) for value in self._hyper.values())
            self._by_dtype[dtype] = found
        return found

    def _arguments_of(self, var: Any) -> tuple[Any, ...]:
        """The handles of the variable and of its slots, then the settings in its dtype."""
        found = self._arguments.get(id(var))
        if found is None:
            slots = self._slots[id(var)][1]
            handles = [each.handle for each in (var, *slots)]
            found = self._arguments[id(var)] = (*handles, *self._hyper_tensors(var.dtype))
        return found

    def _make_slots(self, var: Any) -> None:
        if not hasattr(var, "handle"):
            raise TypeError(f"an optimizer changes variables only, got {type(var).__name__}")
        stem = var.name.partition(":")[0]
        slots = tuple(
            agog.Variable(
                self._slot_value(var, name),
                trainable=False,
                name=f"{stem}/{self._slot_label(name, end)}",
            )
            for name, end in self._slot_names
        )
        self._slots[id(var)] = (var, slots)

    def _setting(self, value: Any, dtype: Any) -> Any:
        """A number, callable or variable as a tensor of `dtype`.

        A Python number becomes float32 first, as in TensorFlow: a float64 variable then trains
        with the same rounded rate in both.
        """
        if isinstance(value, LearningRateSchedule):
            value = value(self.iterations.value())
        elif callable(value):
            value = value()
        return agog.cast(agog.convert_to_tensor(value), dtype)

    def _apply_rows(self, grad: Any, var: Any) -> None:
        values, indices = rows.summed(grad.values, grad.indices)
        self._resource_apply_sparse(values, var, indices)

    # Copies: slots are found by the identity of their variable, which a copy changes.

    def __getstate__(self) -> dict[str, Any]:
        state = vars(self).copy()
        state["_slots"] = list(self._slots.values())
        state["_by_dtype"], state["_arguments"] = {}, {}
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._slots = {id(var): (var, slots) for var, slots in state["_slots"]}


_NO_VARIABLES = "No variables provided: apply_gradients needs (gradient, variable) pairs"


def _last_name(var: Any) -> str:
    """The name of a variable without its scopes."""
    return str(var.name).rpartition("/")[2].partition(":")[0]


def _no_gradients(variables: Sequence[Any], loss: Any = None) -> str:
    names = ", ".join(getattr(var, "name", repr(var)) for var in variables)
    of_loss = "" if loss is None else f" of the loss {loss!r}"
    if not variables:
        return f"No gradients provided for any variable: no trainable variable was read{of_loss}"
    return (
        f"No gradients provided for any variable{of_loss}: every gradient is None, "
        f"for the variables [{names}]"
    )
