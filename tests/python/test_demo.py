"""The data set, the command line and the demo that trains on it."""

import gzip
import os
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import agog
from agog.demos import digits as common
from agog.demos import display
from agog.demos import mnist as demo
from tests.sanitized import unless_sanitized


def run(*args, timeout=120, **environment):
    """The command `agog` in a process of its own, without a terminal."""
    return subprocess.run(
        [sys.executable, "-m", "agog.cli", *args],
        capture_output=True,
        text=True,
        timeout=timeout,
        env={**os.environ, "COLUMNS": "80", **environment},
    )


def idx(array):
    head = bytes((0, 0, 8, array.ndim)) + b"".join(n.to_bytes(4, "big") for n in array.shape)
    return head + array.tobytes()


@pytest.fixture
def digits():
    (x, y), (x_test, y_test) = agog.datasets.mnist()
    return (x[:200], y[:200]), (x_test[:50], y_test[:50])


@pytest.fixture
def folder(tmp_path, digits):
    for name, (x, y) in zip(("train", "t10k"), digits):
        (tmp_path / f"{name}-images-idx3-ubyte").write_bytes(idx(x))
        (tmp_path / f"{name}-labels-idx1-ubyte").write_bytes(idx(y))
    return tmp_path


@pytest.fixture
def archive(tmp_path, digits):
    (x, y), (x_test, y_test) = digits
    path = tmp_path / "mnist.npz"
    np.savez_compressed(path, x_train=x, y_train=y, x_test=x_test, y_test=y_test)
    return path


def assert_equal(got, expected):
    for got_part, expected_part in zip(got, expected):
        for a, b in zip(got_part, expected_part):
            assert a.dtype == np.uint8
            np.testing.assert_array_equal(a, b)


def test_packaged_digits():
    (x, y), (x_test, y_test) = agog.datasets.mnist()
    assert x.shape == (8500, 28, 28)
    assert y.shape == (8500,)
    assert x_test.shape == (1500, 28, 28)
    assert y_test.shape == (1500,)
    assert {a.dtype for a in (x, y, x_test, y_test)} == {np.dtype("uint8")}
    assert np.bincount(np.concatenate([y, y_test])).tolist() == [
        1001, 1127, 991, 1032, 980, 863, 1014, 1070, 944, 978,
    ]  # fmt: skip
    assert (int(y[0]), int(y_test[-1])) == (2, 5)


def test_npz(archive, digits):
    assert_equal(agog.datasets.mnist(archive), digits)
    assert_equal(agog.datasets.mnist(str(archive)), digits)


def test_idx_folder(folder, digits):
    assert_equal(agog.datasets.mnist(folder), digits)


def test_idx_folder_gzipped_and_with_dots(folder, digits):
    for path in list(folder.iterdir()):
        path.with_name(path.name.replace("-idx", ".idx") + ".gz").write_bytes(
            gzip.compress(path.read_bytes())
        )
        path.unlink()
    assert_equal(agog.datasets.mnist(folder), digits)


IMAGES = "train-images-idx3-ubyte"


@pytest.mark.parametrize(
    ("name", "change", "text"),
    [
        (IMAGES, lambda data: data[:-1], "truncated.*156800 bytes.*has 156799"),
        (IMAGES, lambda data: data + b"x", "too long"),
        (IMAGES, lambda data: data[:7], "not an idx file of images"),
        (IMAGES, lambda data: b"", "starts with the bytes none"),
        (IMAGES, lambda data: b"\0\0\x0d\3" + data[4:], "bytes 00 00 0d 03, expected 00 00 08 03"),
        ("train-labels-idx1-ubyte", lambda data: idx(np.zeros(199, "u1")), "labels must be 200"),
        ("t10k-labels-idx1-ubyte", lambda data: idx(np.full(50, 10, "u1")), "must be 0 to 9"),
        (IMAGES, lambda data: idx(np.zeros((200, 8, 8), "u1")), "images must be uint8"),
    ],
)
def test_broken_idx_files(folder, name, change, text):
    path = folder / name
    path.write_bytes(change(path.read_bytes()))
    with pytest.raises(ValueError, match=text) as error:
        agog.datasets.mnist(folder)
    assert "\n" not in str(error.value)


def test_truncated_gzip(folder):
    path = folder / IMAGES
    packed = gzip.compress(path.read_bytes())
    path.unlink()
    (folder / (IMAGES + ".gz")).write_bytes(packed[:-100])
    with pytest.raises(ValueError, match="truncated or not gzip"):
        agog.datasets.mnist(folder)


def test_missing_files(tmp_path, folder):
    with pytest.raises(FileNotFoundError, match="no such file or folder"):
        agog.datasets.mnist(tmp_path / "nothing.npz")
    (folder / IMAGES).unlink()
    with pytest.raises(FileNotFoundError, match=IMAGES):
        agog.datasets.mnist(folder)


def test_broken_npz(archive, tmp_path):
    whole = archive.read_bytes()
    for data in (b"", b"PK", whole[: len(whole) // 2], b"x" * 100):
        archive.write_bytes(data)
        with pytest.raises(ValueError, match="not a readable npz file"):
            agog.datasets.mnist(archive)
    np.savez(tmp_path / "other.npz", x_train=np.zeros(1))
    with pytest.raises(ValueError, match="the array y_train is missing"):
        agog.datasets.mnist(tmp_path / "other.npz")
    np.savez(tmp_path / "objects.npz", x_train=np.array([{}], dtype=object), y_train=0, x_test=0,
             y_test=0)  # fmt: skip
    with pytest.raises(ValueError, match="not a readable npz file"):
        agog.datasets.mnist(tmp_path / "objects.npz")


def test_damaged_npz_member(archive):
    data = bytearray(archive.read_bytes())
    data[200:260] = bytes(60)
    archive.write_bytes(bytes(data))
    with pytest.raises(ValueError, match="not a readable npz file"):
        agog.datasets.mnist(archive)


def test_shifts_keep_the_ink():
    images = np.zeros((500, 28, 28), "uint8")
    images[:, 10, 20] = 7
    moved = common.shifted(images, np.random.default_rng(0))
    _, down, right = np.nonzero(moved)
    assert len(down) == 500
    assert set(down) == {9, 10, 11}
    assert set(right) == {19, 20, 21}
    assert len(set(zip(down.tolist(), right.tolist()))) == 9


def test_shifts_do_not_wrap():
    images = np.zeros((300, 28, 28), "uint8")
    images[:, 0, 0] = 7
    moved = common.shifted(images, np.random.default_rng(0))
    assert moved[:, 2:, :].sum() == 0
    assert moved[:, :, 2:].sum() == 0


def test_model_is_callable_before_training():
    assert tuple(demo.MNISTModel()(agog.zeros([1, 1, 784])).shape) == (1, 1, 10)


def test_pictures(monkeypatch):
    image = np.zeros((28, 28), "uint8")
    image[4, 4], image[5, 5] = 255, 255
    monkeypatch.setattr(display, "colour_wanted", lambda: True)
    text = display.digits(np.array([image, image]), np.array([3, 4]), np.array([3, 9]))
    lines = text.splitlines()
    assert len(lines) == 12
    assert "\u2584" in lines[0]
    assert lines[-1].split() == ["3", "\x1b[31m", "9,", "but", "is", "4", "\x1b[0m"]
    assert text.count("\x1b[31m") == 12


def test_no_colour(monkeypatch):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert display.colour_wanted()
    monkeypatch.setenv("NO_COLOR", "1")
    assert not display.colour_wanted()


def test_version():
    done = run("--version")
    assert (done.returncode, done.stdout) == (0, f"agog {agog.__version__}\n")


def test_help():
    assert "demo" in run().stdout
    done = run("demo", "--help")
    assert done.returncode == 0
    for option in "--data --epochs --batch --hidden --learning-rate --optimizer --seed".split():
        assert option in done.stdout


@pytest.mark.parametrize(
    ("args", "text"),
    [
        (["demo", "mnits"], "no demo 'mnits'; did you mean mnist or mnist-cnn? demos: "),
        (["demo", "--data", "/nowhere/mnist.npz"], "/nowhere/mnist.npz: no such file or folder"),
        (["demo", "--epochs", "0"], "argument --epochs: must be at least 1, got 0"),
        (["demo", "--hidden", "many"], "argument --hidden"),
        (["demo", "--learning-rate", "nan"], "must be a positive number"),
        (["dance"], "dance"),
    ],
)
def test_wrong_use_is_status_2(args, text):
    done = run(*args)
    assert done.returncode == 2
    assert done.stdout == ""
    assert text in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr


def test_broken_data_is_one_line(archive):
    archive.write_bytes(archive.read_bytes()[:1000])
    done = run("demo", "--data", str(archive))
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert str(archive) in done.stderr


def test_small_run_through_a_pipe(folder):
    done = run("demo", "mnist", "--data", str(folder), "--epochs", "3", "--hidden", "8")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert "\x1b" not in done.stdout
    lines = done.stdout.splitlines()
    assert lines[0].startswith("200 digits to train, 50 to test; 784-8-10, adam")
    assert [bool(re.match(r"epoch  \d/3  loss \d+\.\d{4}  test accuracy", s)) for s in lines[1:4]]
    assert re.match(r"test accuracy \d+\.\d\d% after 9 steps in", lines[4])
    assert "test digits:" in lines
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize("optimizer", demo.OPTIMIZERS)
def test_every_optimizer_learns_alike_from_one_seed(optimizer, archive):
    args = ["demo", "--data", str(archive), "--epochs", "12", "--quiet", "--optimizer", optimizer]
    first, second = run(*args, "--seed", "3"), run(*args, "--seed", "3")
    (accuracy,) = re.findall(r"test accuracy (\S+)%", first.stdout)
    assert float(accuracy) > 40
    assert re.sub("in .*", "", first.stdout) == re.sub("in .*", "", second.stdout)


def test_batch_larger_than_the_data(archive):
    done = run("demo", "--data", str(archive), "--epochs", "1", "--batch", "5000", "--quiet")
    assert "after 1 steps" in done.stdout


def test_ascii_terminal(archive):
    done = run("demo", "--data", str(archive), "--epochs", "1", PYTHONIOENCODING="ascii")
    assert done.returncode == 0, done.stderr
    assert "#" in done.stdout


def test_interrupt_is_status_130():
    process = subprocess.Popen(
        [sys.executable, "-m", "agog.cli", "demo", "--epochs", "100000"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A shell has what it starts in the background ignore Ctrl-C, and its children with it.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    while "epoch" not in (line := process.stdout.readline()) or "epochs" in line:
        assert line, process.stderr.read()
    time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert errors.strip() == "interrupted"


def test_closed_pipe_is_no_error():
    command = f"{sys.executable} -m agog.cli demo --epochs 3 | head -n 1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=120)
    assert done.stdout.startswith("8,500 digits")
    assert done.stderr == ""


def test_bar_on_a_terminal(archive):
    pty = pytest.importorskip("pty")
    parent, child = pty.openpty()
    args = [sys.executable, "-m", "agog.cli", "demo", "--data", str(archive), "--epochs", "40"]
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100", "LINES": "30"}
    process = subprocess.Popen(args, stdout=child, stderr=child, env=environment)
    os.close(child)
    shown = b""
    while True:
        try:
            data = os.read(parent, 4096)
        except OSError:  # the other end is closed
            break
        if not data:
            break
        shown += data
    os.close(parent)
    assert process.wait(timeout=30) == 0
    text = shown.decode()
    assert re.search(r"steps/s.*loss", text)
    assert "epoch 40/40" in text


# It takes 4 s on two free cores; benchmarks time, tests do not.
@unless_sanitized("everything takes several times as long")
def test_the_demo_reaches_97_percent():
    done = run("demo")
    assert done.returncode == 0, done.stderr
    (accuracy,) = re.findall(r"^test accuracy (\S+)%", done.stdout, re.MULTILINE)
    assert float(accuracy) >= 97.0
    assert len(re.findall(r"^epoch", done.stdout, re.MULTILINE)) == 30
