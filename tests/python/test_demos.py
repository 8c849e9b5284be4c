"""Every demo in a short form: what it prints, the pictures it writes, and how it refuses."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import numpy as np
import pytest

import agog
from agog import cli
from agog.demos import DEMOS, curves, display, resnet50


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]):
    """Runs a demo in this process; gives its status, output and errors."""

    def ran(*args: str) -> tuple[int, str, str]:
        try:
            status = cli.main(["demo", *args])
        except SystemExit as stop:  # raised by argparse
            status = int(stop.code or 0)
        shown = capsys.readouterr()
        return status, shown.out, shown.err

    return ran


@pytest.fixture
def few_digits(tmp_path: Path) -> str:
    (x, y), (x_test, y_test) = agog.datasets.mnist()
    path = tmp_path / "few.npz"
    np.savez(path, x_train=x[:320], y_train=y[:320], x_test=x_test[:50], y_test=y_test[:50])
    return str(path)


def test_the_list_has_a_line_for_each(run):
    status, out, _ = run("--list")
    assert status == 0
    assert [line.split()[0] for line in out.splitlines()] == list(DEMOS)


@pytest.mark.parametrize("name", DEMOS)
def test_help_of_each(name, run):
    status, out, _ = run(name, "--help")
    assert status == 0
    assert out.startswith(f"usage: agog demo {name} ")
    for option in ("--seed", "--plain", "--quiet"):
        assert option in out
    for line in out.splitlines():
        assert len(line) <= 80


def test_linear_regression_finds_the_line(run):
    status, out, err = run("linear-regression", "--quiet")
    assert (status, err) == (0, "")
    weight, bias = map(float, re.match(r"found y = (\S+) x \+ (\S+) after", out).groups())
    assert abs(weight - 3) < 0.1
    assert abs(bias - 2) < 0.1


def test_mnist_cnn_learns(run, few_digits):
    status, out, _ = run(
        "mnist-cnn", "--data", few_digits, "--epochs", "8", "--filters", "8", "--quiet"
    )
    assert status == 0
    accuracy, steps = re.match(r"test accuracy (\S+)% after (\d+) steps", out).groups()
    assert float(accuracy) > 60
    assert steps == "40"


def test_resnet50_has_the_known_size_and_learns_a_batch():
    model = resnet50.ResNet50()
    update = resnet50.TrainingStep(model)
    images = np.random.default_rng(0).normal(size=[4, 32, 32, 3]).astype("float32")
    labels = np.array([0, 1, 2, 3], "int32")
    first, *_, last = (float(update(images, labels)) for _ in range(5))
    assert last < first - 1
    assert resnet50.count(model.trainable_variables) == 25_557_032
    assert resnet50.count(model.non_trainable_variables) == 53_120
    assert len({variable.name for variable in model.variables}) == len(model.variables) == 267


def test_resnet50_reports_both_ways(run):
    args = ["--batch", "2", "--size", "32", "--steps", "1", "--classes", "10", "--quiet"]
    status, out, err = run("resnet50", *args)
    assert (status, err) == (0, "")
    first, forward, training = out.splitlines()
    assert first == "ResNet-50: 23,528,522 parameters to train and 53,120 moving averages"
    assert re.fullmatch(r"forward: \d+\.\d\d images/s of 32x32, 2 at once", forward)
    assert re.fullmatch(r"training: \d+\.\d\d images/s of 32x32, 2 at once", training)


# Pictures of learning curves.


def test_plot_writes_a_panel_for_loss_and_accuracy(run, few_digits, tmp_path):
    image = tmp_path / "curves.png"
    args = ["mnist", "--data", few_digits, "--epochs", "3", "--quiet", "--plot", str(image)]
    assert run(*args)[0] == 0
    pixels = agog.io.decode_png(image.read_bytes()).numpy()
    assert pixels.shape == (600, 800, 3)
    blue = (pixels == (0x1F, 0x5F, 0xA8)).all(-1)
    assert blue[:300].any()
    assert blue[300:].any()


def test_curves_go_where_the_values_are(tmp_path):
    image = tmp_path / "curves.png"
    curves.write(str(image), [4.0, 3.0, 2.0, 1.0], {"accuracy": [(2, 0.25), (4, 0.75)]})
    pixels = agog.io.decode_png(image.read_bytes()).numpy()
    down, across = np.nonzero((pixels == (0x1F, 0x5F, 0xA8)).all(-1))
    falling, rising = down < 300, down >= 300
    assert np.corrcoef(across[falling], down[falling])[0, 1] > 0.9  # pixels count from the top
    assert np.corrcoef(across[rising], down[rising])[0, 1] < -0.9


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0, 1, [0, 0.2, 0.4, 0.6, 0.8, 1]),
        (0, 1584, [0, 500, 1000, 1500]),
        (0.013, 0.017, [0.013, 0.014, 0.015, 0.016, 0.017]),
        (-3, 2, [-3, -2, -1, 0, 1, 2]),
    ],
)
def test_ticks_are_round(low, high, expected):
    np.testing.assert_allclose(curves.ticks(low, high), expected, atol=1e-12)


def test_curves_of_one_step_and_of_constants(tmp_path):
    for losses in ([0.0], [2.0, 2.0, 2.0], [1.0, float("nan"), float("inf"), 1.0]):
        curves.write(str(tmp_path / "flat.png"), losses, {"x": [(1, 0.5)]})
    with pytest.raises(curves.DemoError, match="no loss is finite"):
        curves.write(str(tmp_path / "none.png"), [float("nan")], {})


def test_progress_remembers_losses_and_measures():
    show = display.Progress()
    show.step(agog.constant(3.0))
    show.measured("accuracy", 0.5)
    show.step(agog.constant(1.0))
    assert show.mean_loss() == 2.0
    show.measured("accuracy", 0.75)
    assert show.losses == [3.0, 1.0]
    assert show.measures == {"accuracy": [(1, 0.5), (2, 0.75)]}


# What is refused, with one line and status 2.


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("curves.jpg", "--plot must name a .png file, got 'curves.jpg'"),
        ("/nowhere/curves.png", "there is no folder /nowhere to write a file to"),
    ],
)
def test_plot_that_cannot_be_written_is_refused_before_training(run, path, text):
    status, out, err = run("mnist", "--plot", path)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("agog demo: error: ")
    assert text in err


def test_plot_without_pillow_is_refused(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "PIL", None)
    status, out, err = run("linear-regression", "--plot", "curves.png")
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert "pip install agog[image]" in err


@pytest.mark.parametrize(
    ("name", "args", "text"),
    [
        ("linear-regression", ["--steps", "0"], "--steps: must be at least 1"),
        ("mnist-cnn", ["--learning-rate", "-1"], "must be a positive number"),
        ("mnist-cnn", ["--data", "/nowhere"], "/nowhere: no such file or folder"),
    ],
)
def test_bad_options_are_status_2(run, name, args, text):
    status, out, err = run(name, *args)
    assert (status, out) == (2, "")
    assert text in err.splitlines()[-1]
