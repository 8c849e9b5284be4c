"""Joins the compiled core and the Python side; runs once, before anything resolves an op."""

from __future__ import annotations

import os
import sys

from agog import _core, conversion, dtypes, errors
from agog.tensor_shape import TensorShape

_package = os.path.dirname(os.path.abspath(__file__))

_core.load_ops(_package)
# Where pip puts libdnnl.so.3, also when the package itself lies elsewhere.
_core.set_onednn_folder(os.path.join(sys.prefix, "lib"))
_core.set_package_dir(_package + os.sep)
_core.set_full_tracebacks(bool(os.environ.get("AGOG_FULL_TRACEBACK")))
_core.set_python_side(
    {
        "make_error": errors.from_code,
        "dtypes": dtypes.ALL,
        "as_dtype": dtypes.as_dtype,
        "make_shape": TensorShape._from_tuple,
        "convert_nested": conversion.convert_nested,
        "convert_other": conversion.convert_other,
    }
)

from agog import indexing, tensor  # noqa: E402 - these resolve ops
from agog.experimental import dlpack  # noqa: E402

_core.set_python_side({"getitem": indexing.getitem, "format": tensor.format_tensor})
tensor.install()
indexing.install()
dlpack.install()
