"""Work on other threads: outcomes instead of exceptions, and pools that end with their owner."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from time import perf_counter
from typing import TYPE_CHECKING, Any

from agog.errors import FailedPreconditionError

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

    from agog.data.stage import Clock

_VALUE, _ERROR, _END = range(3)


class Outcome:
    """What a call on another thread came to: a value, an error or the end of the input."""

    __slots__ = ("kind", "seconds", "value")

    def __init__(self, function: Callable[..., Any], args: tuple[Any, ...]) -> None:
        start = perf_counter()
        try:
            self.kind, self.value = _VALUE, function(*args)
        except StopIteration:
            self.kind, self.value = _END, None
        except BaseException as error:
            self.kind, self.value = _ERROR, error
        self.seconds = perf_counter() - start

    def get(self) -> Any:
        """The value; raises the error, or StopIteration at the end."""
        if self.kind == _VALUE:
            return self.value
        if self.kind == _END:
            raise StopIteration
        raise self.value

    @property
    def is_error(self) -> bool:
        """Whether the call raised an error."""
        return self.kind == _ERROR

    @property
    def is_end(self) -> bool:
        """Whether the input was at its end."""
        return self.kind == _END

    def element(self) -> Any:
        """The value, to be saved."""
        if self.kind == _ERROR:
            raise FailedPreconditionError(
                None,
                None,
                "the iterator cannot be saved while the error of an element waits to be raised: "
                f"{self.value}; ask for that element first",
            )
        return self.value


def done(value: Any) -> Outcome:
    """The outcome of a call that gave `value`."""
    return Outcome(lambda: value, ())


class Pool:
    """Threads of a stage. They end when it is closed or forgotten, after what they do now.

    The clock gets the waits, and the work of the threads unless it is that of other stages.
    """

    def __init__(
        self, owner: Any, threads: int, clock: Clock | None, owns_work: bool = True
    ) -> None:
        from concurrent.futures import ThreadPoolExecutor

        self._executor: ThreadPoolExecutor = ThreadPoolExecutor(threads, "agog-data")
        self._clock, self._owns_work = clock, owns_work
        shutdown = self._executor.shutdown
        self._end = weakref.finalize(owner, shutdown, wait=False, cancel_futures=True)

    def submit(self, function: Callable[..., Any], *args: Any) -> Future[Outcome]:
        """Has the function called on a thread of the pool."""
        return self._executor.submit(Outcome, function, args)

    def result(self, future: Future[Outcome]) -> Outcome:
        """The outcome, waited for."""
        start = perf_counter()
        outcome = future.result()
        if self._clock is not None:
            self._clock.waited += perf_counter() - start
            self._clock.thread_work += outcome.seconds if self._owns_work else 0.0
        return outcome

    def close(self) -> None:
        """Ends the threads."""
        self._end()
