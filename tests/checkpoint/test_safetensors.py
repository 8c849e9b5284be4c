"""Files of safetensors, read and written by the package itself and by PyTorch."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import agog as tf
from agog.train import safetensors as st

package = pytest.importorskip("safetensors.numpy", reason="safetensors is not installed")

DTYPES = (
    "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 bfloat16 float32 float64 "
    "complex64"
).split()


@pytest.mark.parametrize("shape", [(), (0, 3), (2, 3)])
def test_round_trip(tmp_path: Path, shape: tuple[int, ...]) -> None:
    values = {name: tf.cast(tf.ones(shape), name) for name in DTYPES}
    st.save(values, tmp_path / "m", {"made by": "a test"})
    again = st.load(tmp_path / "m")
    assert set(again) == set(values)
    for name, value in values.items():
        assert again[name].dtype is value.dtype and again[name].shape == value.shape
        assert np.array_equal(again[name].numpy(), value.numpy())
    assert [path.name for path in tmp_path.iterdir()] == ["m"]


def model(value: float) -> tf.Module:
    module, inner = tf.Module(), tf.Module()
    module.layers = [inner]
    inner.w = tf.Variable([value, value])
    module.b = tf.Variable(value)
    return module


def test_a_module_by_paths(tmp_path: Path) -> None:
    st.save(model(3.0), tmp_path / "m")
    assert sorted(package.load_file(tmp_path / "m")) == ["b", "layers.0.w"]
    other = model(0.0)
    report = st.restore(other, tmp_path / "m", strict=True)
    assert report.is_complete and other.layers[0].w.numpy().tolist() == [3.0, 3.0]


def test_report_and_strictness(tmp_path: Path) -> None:
    package.save_file({"b": np.array(1.0), "z": np.zeros(2)}, tmp_path / "m")
    module = model(5.0)
    with pytest.raises(tf.errors.InvalidArgumentError, match="expected dtype float32"):
        st.restore(module, tmp_path / "m")
    report = st.restore(module, tmp_path / "m", strict=False)
    assert [value.name for value in report.missing] == ["layers.0.w"]
    assert [value.name for value in report.unused] == ["z"]
    assert [mismatch.key for mismatch in report.mismatched] == ["b"]
    with pytest.raises(tf.errors.FailedPreconditionError, match="nothing was restored"):
        st.restore(module, tmp_path / "m", strict=True)
    assert float(module.b) == 5.0


def test_errors(tmp_path: Path) -> None:
    with pytest.raises(tf.errors.NotFoundError, match="none"):
        st.load(tmp_path / "none")
    with pytest.raises(tf.errors.InvalidArgumentError, match="s: safetensors has no dtype string"):
        st.save({"s": tf.constant("x")}, tmp_path / "m")
    st.save({"x": tf.range(100)}, tmp_path / "m")
    whole = (tmp_path / "m").read_bytes()
    for length in (0, 5, 20, len(whole) - 1):
        (tmp_path / "m").write_bytes(whole[:length])
        with pytest.raises((tf.errors.DataLossError, tf.errors.OpError), match="m"):
            st.load(tmp_path / "m")
    with pytest.raises(tf.errors.NotFoundError):
        st.save({"x": tf.range(3)}, tmp_path / "no folder" / "m")


@pytest.mark.peers
def test_pytorch(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    torch_files = pytest.importorskip("safetensors.torch")
    torch_files.save_file({"b": torch.tensor(2.0), "layers.0.w": torch.ones(2)}, tmp_path / "m")
    module = model(0.0)
    st.restore(module, tmp_path / "m", strict=True)
    assert float(module.b) == 2.0
    half = tf.cast([1.5], "bfloat16")
    st.save({"half": half}, tmp_path / "h")
    assert torch_files.load_file(tmp_path / "h")["half"].dtype == torch.bfloat16
