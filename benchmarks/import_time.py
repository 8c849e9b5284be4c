"""Seconds to import the package in a fresh interpreter."""

WHAT = "`import agog`"
UNIT = "s"
LIMITS = {"agog": 0.20}
COLD = True
MAX_ROUNDS = 7


def _script(module):
    return (
        "import time; start = time.perf_counter(); "
        f"import {module}; print(time.perf_counter() - start)"
    )


def agog():
    return _script("agog")


def torch():
    return _script("torch")


def tf():
    return _script("tensorflow")


def jax():
    return _script("jax")
