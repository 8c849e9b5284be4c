"""Programs written for TensorFlow: run with agog, and asked which names they use."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import agog
from agog.programs import names
from agog.programs.as_tensorflow import module_of


def command(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "agog.cli", *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(Path(agog.__file__).parents[1])},
    )


def script(folder: Path, text: str, name: str = "program.py") -> str:
    path = folder / name
    path.write_text(textwrap.dedent(text))
    return str(path)


EVERY_IMPORT = """
    import sys
    import tensorflow as tf
    import tensorflow.contrib.eager as tfe
    import tensorflow.compat.v1 as v1
    import tensorflow.compat.v2 as v2
    from tensorflow import math, nn
    from tensorflow.contrib import eager
    from tensorflow.nn import relu
    from tensorflow.errors import InvalidArgumentError
    import tensorflow.data, tensorflow.io.gfile

    import agog

    assert tf is agog and tfe is eager and nn.relu is relu and tensorflow.data is agog.data
    assert sys.modules["tensorflow.contrib.eager"] is agog.contrib.eager
    assert agog.nn.__spec__.name == "agog.nn" and agog.nn.__name__ == "agog.nn"
    tfe.enable_eager_execution()
    tf.enable_eager_execution()
    print(sys.argv[1:], float(tf.log(1.0)), v1.to_int32(2.5).numpy(), int(v2.add(1, 2)))
    print(v1.reduce_sum([[1, 2]], reduction_indices=1, keep_dims=True).numpy().tolist())
"""


def test_every_way_to_import(tmp_path):
    done = command("run", script(tmp_path, EVERY_IMPORT), "a", "--b")
    assert done.stderr == ""
    assert done.stdout == "['a', '--b'] 0.0 2 3\n[[3]]\n"


def test_neighbours_and_modules_are_found(tmp_path):
    script(tmp_path, "VALUE = 7", "neighbour.py")
    text = "import sys, neighbour; print(neighbour.VALUE, __name__); sys.exit(3)"
    done = command("run", script(tmp_path, text))
    assert (done.returncode, done.stdout) == (3, "7 __main__\n")
    done = command("run", "-m", "program", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (3, "7 __main__\n")


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("import tensorflow as tf\ntf.reduce_sun", "near names: reduce_sum"),
        ("import tensorflow as tf\ntf.math.erfcin(1.0)", "near names: erfcinv"),
        ("import tensorflow.dataa", "near names: data"),
        ("import tensorflow.python.framework.ops", "agog has no module tensorflow.python"),
        ("import tensorflow as tf\ntf.compat.v1.reduce_men", "near names: reduce_mean"),
        ("from tensorflow import nothing_like_it", "cannot import name 'nothing_like_it'"),
    ],
)
def test_missing_names_say_so(tmp_path, text, error):
    done = command("run", script(tmp_path, text))
    assert done.returncode == 1
    assert error in done.stderr.splitlines()[-1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [(["nowhere.py"], "nowhere.py: No such file"), (["-m"], "agog run -m module")],
)
def test_what_cannot_be_run(arguments, message):
    done = command("run", *arguments)
    assert done.returncode == 2
    assert done.stderr.startswith("agog run: error: ") and message in done.stderr
    assert done.stderr.count("\n") == 1


def test_the_real_one_is_left_alone(tmp_path):
    script(tmp_path, "", "tensorflow.py")
    text = "import tensorflow, agog; agog.install_as_tensorflow()"
    done = subprocess.run(
        [sys.executable, script(tmp_path, text)], capture_output=True, text=True, timeout=60
    )
    assert "TensorFlow has been imported already" in done.stderr.splitlines()[-1]


def test_modules_by_name():
    assert module_of("tensorflow.contrib.eager") is importlib.import_module("agog.contrib.eager")
    assert module_of("tensorflow.reduce_sum") is None


PROGRAM = """
    import tensorflow as tf
    import tensorflow.contrib.eager as tfe
    from tensorflow import nn
    from tensorflow.compat import v1
    import numpy as np

    def f(x):
        y = tf.nn.relu(x) + nn.relu(x) + tf.exotic.thing(x) + v1.placeholder_of(x)
        return tf.float32.name, tf.reduce_sun(np.sum(y)), tfe.Variable, tf.data.Dataset.range(3)
"""


def test_names_of_a_program(tmp_path):
    path = script(tmp_path, PROGRAM)
    found = {use.name: use.places for use in names.uses_in([Path(path)])}
    assert found["nn.relu"] == [(path, 9), (path, 9)]
    assert "float32" in found and "data.Dataset" in found and "contrib.eager.Variable" in found
    missing = [name for name in found if not names.is_there(name)]
    assert missing == ["compat.v1.placeholder_of", "exotic", "reduce_sun"]


def test_coverage_command(tmp_path):
    path = script(tmp_path, PROGRAM)
    done = command("coverage", str(tmp_path))
    assert done.returncode == 1
    assert f"NO  tf.reduce_sun  once, first {path}:10; near names: reduce_sum" in done.stdout
    assert "    tf.nn.relu  2 times" in done.stdout
    assert done.stdout.splitlines()[-1].endswith("TensorFlow names in 1 file(s)")
    whole = script(tmp_path, "import tensorflow as tf\nprint(tf.add(1, 2))", "whole.py")
    assert command("coverage", whole).returncode == 0


def test_coverage_of_what_is_no_program(tmp_path):
    for path in (str(tmp_path / "nowhere.py"), script(tmp_path, "if", "broken.py")):
        done = command("coverage", path)
        assert done.returncode == 2
        assert done.stderr.startswith("agog coverage: error: ") and done.stderr.count("\n") == 1


def test_every_moved_name_leads_somewhere():
    from agog.compat import v1

    for name in v1.MOVED:
        assert callable(v1.moved(name)), name
    for name in dir(v1):
        assert hasattr(v1, name), name


def test_old_and_new_argument_together_are_refused():
    v1 = agog.compat.v1
    with pytest.raises(ValueError, match="two names of one argument"):
        v1.reduce_sum([1.0], axis=0, reduction_indices=0)
    assert v1.squeeze([[1]], squeeze_dims=[0]).shape == [1]
    assert v1.div(-7.0, 2.0).numpy() == -3.5
    assert v1.argmax([1.0, 3.0, 2.0], dimension=0).numpy() == 1
    assert v1.argmin([1.0, 3.0, 2.0], 0, output_type=agog.int32).dtype is agog.int32


def test_global_step_counts():
    step = agog.train.get_or_create_global_step()
    assert agog.train.get_or_create_global_step() is step is agog.train.get_global_step()
    with pytest.raises(ValueError, match="global step already"):
        agog.train.create_global_step()
