"""Files of safetensors: the values of a module, or named tensors, for and from other frameworks.

They need the package: `pip install agog[safetensors]`. A value of a module is named by the way to
it, with dots: `layers.0.w`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agog._core import Tensor, VariableBase, convert, public
from agog.errors import DataLossError, FailedPreconditionError, InvalidArgumentError
from agog.io.paths import os_errors

if TYPE_CHECKING:
    from agog.checkpoint.report import RestoreReport


@public
def save(objects: Any, path: Any, metadata: Mapping[str, str] | None = None) -> None:
    """Writes the variables of a module, or the tensors of a dict, into one file.

    The file appears whole or not at all. InvalidArgumentError for dtypes that the format lacks.

    >>> import tempfile
    >>> path = f"{tempfile.mkdtemp()}/model.safetensors"
    >>> agog.train.safetensors.save({"a": agog.constant([1.0, 2.0])}, path)
    >>> agog.train.safetensors.load(path)["a"].numpy().tolist()
    [1.0, 2.0]
    """
    from agog.checkpoint.files import remove_leftovers, written_by_others

    numpy_api = _package().numpy
    arrays = {name: _array(name, value) for name, value in _named(objects).items()}
    target = Path(os.fspath(path))
    with os_errors(target):
        remove_leftovers(target.parent)
        with written_by_others(target) as temporary:
            numpy_api.save_file(arrays, temporary, dict(metadata) if metadata else None)


@public
def load(path: Any) -> dict[str, Tensor]:
    """All tensors of a file by name; NotFoundError without it, DataLossError if it is damaged.

    >>> agog.train.safetensors.load("/no/such/file")
    Traceback (most recent call last):
    ...
    agog.errors.NotFoundError: /no/such/file; No such file or directory
    """

    package = _package()
    with os_errors(path):
        with open(path, "rb"):  # the package's own errors have no numbers
            pass
        try:
            with package.safe_open(os.fspath(path), "numpy") as file:
                names = list(file.keys())
                return {name: convert(file.get_tensor(name)) for name in names}
        except package.SafetensorError as error:
            raise DataLossError(None, None, f"{path}: {error}") from None


@public
def restore(objects: Any, path: Any, strict: bool | None = None) -> RestoreReport:
    """Gives the variables of a module or a dict the values of a file; returns a report.

    `strict` means what it means for `Checkpoint.restore`: a value of another dtype or shape raises,
    unless it is False; if it is True whatever has no counterpart raises, too. Where something is
    raised nothing was changed.

    >>> import tempfile
    >>> path = f"{tempfile.mkdtemp()}/model.safetensors"
    >>> agog.train.safetensors.save({"a": agog.constant(2.0)}, path)
    >>> v = agog.Variable(0.0)
    >>> print(agog.train.safetensors.restore({"a": v}, path).restored, float(v))
    ['a'] 2.0
    """
    from agog.checkpoint.report import Mismatch, RestoreReport, Value, raise_mismatches

    report = RestoreReport(os.fspath(path))
    stored, pairs = load(path), []
    for name, variable in _named(objects).items():
        if name not in stored:
            report.missing.append(Value.here(name, variable))
            continue
        value = stored[name]
        if value.dtype is variable.dtype and variable.shape.is_compatible_with(value.shape):
            pairs.append((variable, value))
            report.restored.append(name)
        else:
            mismatch = Mismatch(Value.here(name, value), Value.here(name, variable))
            report.mismatched.append(mismatch)
    done = {*report.restored, *(each.key for each in report.mismatched)}
    report.unused = [Value.here(name, value) for name, value in stored.items() if name not in done]
    if report.mismatched and strict is None:
        raise_mismatches(report.path, report.mismatched)
    if strict and not report.is_complete:
        raise FailedPreconditionError(None, None, f"nothing was restored\n{report}")
    for variable, value in pairs:
        variable.assign(value)
    return report


def _named(objects: Any) -> dict[str, Any]:
    """Tensors and variables by name."""
    if isinstance(objects, Mapping):
        return dict(objects)
    from agog.checkpoint.object_graph import survey

    found = survey(objects, slots=False)
    values = [each for each in found if isinstance(each.value, VariableBase)]
    return {each.path.replace("/", "."): each.value for each in values}


def _array(name: str, value: Any) -> Any:
    import numpy as np

    tensor = convert(value)
    if tensor.dtype.name in ("string", "resource", "variant", "complex128"):
        raise InvalidArgumentError(
            None, None, f"{name}: safetensors has no dtype {tensor.dtype.name}"
        )
    return np.ascontiguousarray(np.asarray(tensor)).reshape(tensor.shape.as_list())


def _package() -> Any:
    try:
        import safetensors.numpy  # type: ignore[import-not-found, unused-ignore]
    except ImportError as error:
        raise ImportError(
            f"agog.train.safetensors needs the package ({error}): pip install 'agog[safetensors]'"
        ) from error
    return safetensors
