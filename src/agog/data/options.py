"""How a pipeline is run: order, threads, debugging."""

from __future__ import annotations

from typing import Any

from agog._core import public

AUTOTUNE = -1


class _Settings:
    """Attributes that are listed, None until they are set; others raise AttributeError."""

    _names: tuple[str, ...] = ()

    def __init__(self) -> None:
        for name in self._names:
            object.__setattr__(self, name, None)

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self._names:
            raise AttributeError(
                f"Cannot set the property {name} on {type(self).__name__}: it has "
                f"{', '.join(self._names)}"
            )
        object.__setattr__(self, name, value)

    def _merged(self, other: Any) -> Any:
        """A copy in which what `other` sets counts."""
        result = type(self)()
        for name in self._names:
            mine, theirs = getattr(self, name), getattr(other, name)
            if isinstance(mine, _Settings):
                object.__setattr__(result, name, mine._merged(theirs))
            else:
                object.__setattr__(result, name, mine if theirs is None else theirs)
        return result

    def _values(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in self._names)

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self._values() == other._values()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        known = [f"{name}={getattr(self, name)!r}" for name in self._names]
        return f"{type(self).__name__}({', '.join(known)})"


class ThreadingOptions(_Settings):
    """`private_threadpool_size`: the most threads that a parallel stage gets."""

    max_intra_op_parallelism: int | None
    private_threadpool_size: int | None
    _names = ("max_intra_op_parallelism", "private_threadpool_size")


class AutotuneOptions(_Settings):
    """Accepted and without effect: a stage with AUTOTUNE gets one thread for each CPU."""

    _names = (
        "autotune_algorithm",
        "cpu_budget",
        "enabled",
        "initial_parallelism",
        "min_parallelism",
        "ram_budget",
    )


class OptimizationOptions(_Settings):
    """Accepted and without effect: there is no graph of the pipeline to rewrite."""

    _names = (
        "apply_default_optimizations",
        "filter_fusion",
        "filter_parallelization",
        "inject_prefetch",
        "map_and_batch_fusion",
        "map_and_filter_fusion",
        "map_fusion",
        "map_parallelization",
        "noop_elimination",
        "parallel_batch",
        "seq_interleave_prefetch",
        "shuffle_and_repeat_fusion",
    )


class DistributeOptions(_Settings):
    """Accepted and without effect: one process reads a dataset."""

    _names = ("auto_shard_policy", "num_devices")


class Options(_Settings):
    """Options of a dataset; those of inputs count where a later one sets nothing else.

    `deterministic=False` lets parallel stages give elements as they are ready, and
    `threading.private_threadpool_size` limits their threads. What else TensorFlow has is accepted
    and changes nothing.

    >>> options = agog.data.Options()
    >>> options.deterministic = False
    >>> agog.data.Dataset.range(3).with_options(options).options().deterministic
    False
    """

    _names = (
        "autotune",
        "dataset_name",
        "deterministic",
        "experimental_distribute",
        "experimental_external_state_policy",
        "experimental_optimization",
        "experimental_slack",
        "experimental_symbolic_checkpoint",
        "experimental_warm_start",
        "framework_type",
        "threading",
    )
    autotune: AutotuneOptions
    dataset_name: str | None
    deterministic: bool | None
    experimental_distribute: DistributeOptions
    experimental_optimization: OptimizationOptions
    threading: ThreadingOptions

    @public
    def __init__(self) -> None:
        super().__init__()
        parts = {
            "autotune": AutotuneOptions(),
            "experimental_distribute": DistributeOptions(),
            "experimental_optimization": OptimizationOptions(),
            "threading": ThreadingOptions(),
        }
        for name, part in parts.items():
            object.__setattr__(self, name, part)

    @property
    def experimental_threading(self) -> ThreadingOptions:
        """The old name of `threading`."""
        return self.threading

    @property
    def experimental_deterministic(self) -> bool | None:
        """The old name of `deterministic`."""
        return self.deterministic

    @public
    def __setattr__(self, name: str, value: Any) -> None:
        aliases = {
            "experimental_deterministic": "deterministic",
            "experimental_threading": "threading",
        }
        super().__setattr__(aliases.get(name, name), value)

    @public
    def merge(self, options: Options) -> Options:
        """These options, except for what `options` sets."""
        return self._merged(options)


class _Mode:
    """Whether pipelines run in the calling thread only, so that debuggers see everything."""

    debug = False


@public
def enable_debug_mode() -> None:
    """Runs every stage in the thread that asks for elements, one after another, from now on.

    Map functions already get tensors with values and stop at breakpoints; this keeps them out of
    worker threads, too.
    """
    _Mode.debug = True


@public
def toggle_debug_mode(debug_mode: bool) -> None:
    """Switches the debug mode of `enable_debug_mode` on or off."""
    _Mode.debug = debug_mode


def is_debugging() -> bool:
    """Whether the debug mode is on."""
    return _Mode.debug
