"""Every demo in a short form: what it prints, the pictures it writes, and how it refuses."""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

import numpy as np
import pytest

import agog
from agog import cli
from agog.demos import DEMOS, char_lstm, curves, display, resnet50, text, transformer, vae


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

    yield ran
    agog.random.set_seed(None)  # the demos set one; other tests want theirs from chance


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


# What they reach as they are, which takes minutes.


def full(run, name: str, pattern: str) -> float:
    status, out, err = run(name, "--quiet")
    assert (status, err) == (0, "")
    return float(re.match(pattern, out)[1])


@pytest.mark.slow
def test_mnist_cnn_reaches_98_percent(run):
    assert full(run, "mnist-cnn", r"test accuracy (\S+)%") >= 98


@pytest.mark.slow
@pytest.mark.parametrize(("name", "bits"), [("char-lstm", 2.75), ("transformer", 2.85)])
def test_sonnets_are_learned(name, bits, run):
    assert full(run, name, r"(\S+) bits per character") < bits


@pytest.mark.slow
def test_vae_reaches_its_bound(run):
    assert full(run, "vae", r"test ELBO (\S+) nats") > -116


# Text, character by character.

SHORT = ["--steps", "40", "--batch", "8", "--length", "16", "--quiet"]
BITS = re.compile(r"(\d\.\d{3}) bits per character of text held out after 40 steps in \S+ s\n")


@pytest.fixture
def rhyme(tmp_path: Path) -> str:
    path = tmp_path / "rhyme.txt"
    path.write_text("row, row, row your boat, gently down the stream.\n" * 40)
    return str(path)


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("char-lstm", ["--units", "32", "--learning-rate", "0.03"]),
        ("transformer", ["--width", "32", "--depth", "1", "--learning-rate", "0.01"]),
    ],
)
def test_text_is_learned_and_the_seed_decides(name, args, run, rhyme):
    first = BITS.fullmatch(run(name, *SHORT, *args, "--text", rhyme)[1])
    again = BITS.fullmatch(run(name, *SHORT, *args, "--text", rhyme)[1])
    other = BITS.fullmatch(run(name, *SHORT, *args, "--text", rhyme, "--seed", "2")[1])
    assert float(first[1]) < 3.0  # the entropy of its single letters is 4.03 bits
    assert first[1] == again[1] != other[1]


@pytest.mark.parametrize("name", ["char-lstm", "transformer"])
def test_text_is_written(name, run, rhyme):
    args = ["--steps", "2", "--length", "8", "--text", rhyme, "--start", "row", "--characters", "9"]
    status, out, err = run(name, *args)
    assert (status, err) == (0, "")
    assert out.startswith("1,764 characters to train, 196 held out, 20 different; ")
    written = out.partition(" s\n\n")[2].removesuffix("\n")
    assert len(written) == 12
    assert written.startswith("row")


def test_reading_character_by_character_is_reading_at_once():
    numbers = [3, 1, 4, 1, 5]
    models = (
        char_lstm.CharLSTM(alphabet=7, units=8, dropout=0.5),
        transformer.Transformer(7, length=5, width=8, heads=2, depth=2, dropout=0.5),
    )
    for model in models:
        at_once = model(agog.constant([numbers]))[0].numpy()
        read = model.reader()
        np.testing.assert_allclose(at_once, [read(n).numpy() for n in numbers], atol=1e-6)


def test_written_cell_is_the_layer():
    cell = char_lstm.Cell(inputs=3, units=4)
    layer = agog.layers.LSTMCell(4)
    x, state = agog.random.normal([2, 3]), (agog.random.normal([2, 4]), agog.random.normal([2, 4]))
    layer(x, list(state))
    enter, new, forget, leave = np.split(cell.kernel.numpy(), 4, axis=1)
    kernel = np.concatenate([enter, forget, new, leave], 1)  # the layer's order
    bias = np.zeros(16, "float32")
    bias[4:8] = 1
    layer.set_weights([kernel[:3], kernel[3:], bias])
    _, (output, memory) = layer(x, list(state))
    got = cell(x, state)
    np.testing.assert_allclose(got[0], output, atol=1e-6)
    np.testing.assert_allclose(got[1], memory, atol=1e-6)


def test_bits_of_a_model_that_knows_nothing(rhyme):
    given = argparse.Namespace(text=rhyme, length=8, batch=2, seed=1)
    source = text.Text(given)

    def even(characters, training=False):
        return agog.zeros([*characters.shape, len(source.alphabet)])

    assert source.bits_per_character(even) == pytest.approx(np.log2(len(source.alphabet)))
    windows = next(source.batches())[0].numpy()
    assert windows.shape == (2, 9)
    written = "".join(source.alphabet[n] for n in windows[0])
    assert written in Path(rhyme).read_text()


def test_sonnets_have_fourteen_lines():
    poems = agog.datasets.sonnets().strip().split("\n\n")
    assert len(poems) == 71
    assert {len(poem.splitlines()) for poem in poems} == {14}


# Digits drawn.


def test_vae_learns_and_writes_its_picture(run, few_digits, tmp_path):
    picture = tmp_path / "digits.png"
    args = ["--data", few_digits, "--epochs", "10", "--quiet", "--output", str(picture)]
    status, out, _ = run("vae", *args)
    assert status == 0
    bound = re.match(r"test ELBO (\S+) nats per digit after 50 steps", out)[1]
    assert float(bound) > -300  # -784 log 2 = -543 is what it starts with
    pixels = agog.io.decode_png(picture.read_bytes()).numpy()
    assert pixels.shape == (320, 320, 1)
    (_, _), (images, _) = agog.datasets.mnist(few_digits)
    np.testing.assert_array_equal(pixels[2:30, 34:62, 0], images[1])


def test_elbo_of_a_decoder_that_knows_the_digits():
    class Known(vae.VAE):
        def encode(self, pixels):
            return agog.fill([1, 2], 1.0), agog.zeros([1, 2])

        def decode(self, codes):
            return agog.fill([1, 784], 100.0)

    # No error where all pixels are ink; the divergence of N(1, 1) from N(0, 1) is 1/2 for each.
    assert float(Known(latent=2)(agog.ones([1, 784]))[0]) == pytest.approx(-1.0)


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
        ("char-lstm", ["--units", "3"], "--units: must be at least 4, got 3"),
        ("char-lstm", ["--dropout", "1"], "--dropout: must be in [0, 1), got 1"),
        ("char-lstm", ["--start", ""], "--start: must not be empty"),
        ("char-lstm", ["--start", "\u00e9"], "no character of --start"),
        ("char-lstm", ["--text", "/nowhere"], "/nowhere: No such file or directory"),
        ("char-lstm", ["--length", "5000"], "--length 5000 needs more than 50,000"),
        ("transformer", ["--heads", "3"], "--width 128 cannot be split among --heads 3"),
        ("vae", ["--output", "/nowhere/x.png"], "there is no folder /nowhere"),
        ("resnet50", ["--batch", "0"], "--batch: must be at least 1"),
    ],
)
def test_bad_options_are_status_2(run, name, args, text):
    status, out, err = run(name, *args)
    assert (status, out) == (2, "")
    assert text in err.splitlines()[-1]
