"""`tf.compat.v2`: the names of agog itself."""

from __future__ import annotations

from typing import Any

from agog.near_names import no_attribute


def __getattr__(name: str) -> Any:
    import agog

    if name not in dir(agog):
        raise no_attribute(__name__, name)
    return getattr(agog, name)


def __dir__() -> list[str]:
    import agog

    return [name for name in dir(agog) if not name.startswith("_")]


def enable_v2_behavior() -> None:
    """Does nothing: there is no other behaviour."""
