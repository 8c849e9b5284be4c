"""agog.contrib.eager, agog.Module, agog.layers.Dense and agog.losses.

Numbers were checked against TensorFlow 2.21 (its eager backprop functions, tf.Module and
tf.compat.v1.losses).
"""

import inspect
import math

import numpy as np
import pytest

import agog as tf
import agog.contrib.eager as tfe


def floats(tensors):
    return [None if t is None else float(t) for t in tensors]


def product(x, y, k=1.0):
    return x * x * y * k


NAMES_OF_2017 = [
    "GradientTape",
    "Iterator",
    "Network",
    "Variable",
    "custom_gradient",
    "enable_eager_execution",
    "executing_eagerly",
    "gradients_function",
    "implicit_gradients",
    "implicit_value_and_gradients",
    "in_eager_mode",
    "list_devices",
    "num_gpus",
    "value_and_gradients_function",
]


def test_the_2017_names_are_there():
    for name in NAMES_OF_2017:
        assert name in tfe.__all__
        assert hasattr(tfe, name)
    assert tfe.Variable is tf.Variable
    assert tfe.GradientTape is tf.GradientTape
    assert tfe.custom_gradient is tf.custom_gradient


def test_eager_mode_is_always_on():
    assert tfe.enable_eager_execution() is None
    assert tfe.executing_eagerly()
    assert tfe.in_eager_mode()
    assert not tfe.in_graph_mode()
    assert tfe.num_gpus() == 0
    assert len(tfe.list_devices()) == 1


@pytest.mark.parametrize(
    ("params", "expected"),
    [
        (None, [12.0, 4.0]),
        (["y"], [4.0]),
        ([1, 0], [4.0, 12.0]),
        ([-1], [4.0]),
        (["y", "x"], [4.0, 12.0]),
        ([0, 0], [12.0, 12.0]),
    ],
)
def test_gradients_function(params, expected):
    assert floats(tfe.gradients_function(product, params)(2.0, 3.0)) == expected


def test_all_given_arguments_count():
    assert floats(tfe.gradients_function(product)(2.0, 3.0, 4.0)) == [48.0, 16.0, 12.0]


def test_value_comes_too():
    value, grads = tfe.value_and_gradients_function(product)(2.0, 3.0)
    assert (float(value), floats(grads)) == (12.0, [12.0, 4.0])


def test_dy_weighs_the_output():
    assert floats(tfe.gradients_function(product)(2.0, 3.0, dy=tf.constant(10.0))) == [120.0, 40.0]


@pytest.mark.parametrize(("order", "expected"), [(1, 32.0), (2, 48.0), (3, 48.0), (4, 24.0)])
def test_any_order(order, expected):
    def derivative(f):
        return lambda x: tfe.gradients_function(f)(x)[0]

    f = lambda x: x * x * x * x  # noqa: E731
    for _ in range(order):
        f = derivative(f)
    assert float(f(2.0)) == expected


def test_one_tensor_as_two_arguments():
    x = tf.constant(3.0)
    assert floats(tfe.gradients_function(lambda a, b: a * a * b)(x, x)) == [18.0, 9.0]


def test_an_unused_argument_has_no_gradient():
    assert floats(tfe.gradients_function(lambda x, y: x * 2.0)(1.0, 1.0)) == [2.0, None]


def test_a_tuple_of_outputs_is_summed():
    assert floats(tfe.gradients_function(lambda x: (x * x, x))(2.0)) == [5.0]


def test_arrays_and_lists_become_tensors():
    (grad,) = tfe.gradients_function(lambda x: tf.reduce_sum(x * x))([1.0, 2.0])
    assert grad.numpy().tolist() == [2.0, 4.0]


def test_closed_over_tensor_reaches_the_outer_tape():
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        (slope,) = tfe.gradients_function(lambda y: y * y * x)(2.0)
    assert float(tape.gradient(slope, x)) == 4.0


@pytest.mark.parametrize(
    ("f", "params", "args", "error", "text"),
    [
        (product, ["q"], (1.0, 1.0), ValueError, "no argument 'q'"),
        (product, [5], (1.0, 1.0), IndexError, "argument 5, but 2 were given"),
        (product, [0, "y"], (1.0, 1.0), ValueError, "all names or all positions"),
        (lambda x: None, None, (1.0,), ValueError, "returned None"),
    ],
)
def test_gradients_function_refuses(f, params, args, error, text):
    with pytest.raises(error, match=text):
        tfe.gradients_function(f, params)(*args)


def test_keywords_are_refused():
    with pytest.raises(ValueError, match="by position, got the keywords y"):
        tfe.gradients_function(product)(1.0, y=2.0)


def test_implicit_gradients():
    v, w = tf.Variable(2.0, name="v"), tf.Variable(3.0, name="w")
    frozen = tf.Variable(4.0, trainable=False)

    def f(x, scale=1.0):
        return (w * x + v * v) * frozen * scale

    pairs = tfe.implicit_gradients(f)(3.0)
    assert {var.name: float(grad) for grad, var in pairs} == {"v:0": 16.0, "w:0": 12.0}
    value, pairs = tfe.implicit_value_and_gradients(f)(3.0, scale=0.5)
    assert float(value) == 26.0
    assert all(var is v or var is w for _, var in pairs)


def test_a_read_variable_without_influence():
    v, w = tf.Variable(2.0), tf.Variable(3.0)
    pairs = tfe.implicit_gradients(lambda x: (v * x, w * 2.0)[1])(1.0)
    assert [None if g is None else float(g) for g, var in pairs if var is v] == [None]


def test_implicit_gradients_refuse():
    with pytest.raises(ValueError, match="read no trainable variable"):
        tfe.implicit_gradients(lambda x: x)(1.0)
    v = tf.Variable(2.0)
    with pytest.raises(ValueError, match="returned None"):
        tfe.implicit_gradients(lambda x: (v * x, None)[1])(1.0)


def test_training_as_in_2017():
    tf.random.set_seed(1)
    w = tfe.Variable(5.0, name="weight")
    data = [(float(x), 3.0 * x) for x in range(-5, 6)]
    gradients = tfe.implicit_gradients(lambda x, y: tf.square(w * x - y))
    optimizer = tf.train.GradientDescentOptimizer(0.02)
    for _ in range(5):
        for x, y in tfe.Iterator(data):
            optimizer.apply_gradients(gradients(x, y))
    assert float(w) == pytest.approx(3.0, abs=1e-3)


def test_iterator():
    iterator = tfe.Iterator([(1.0, {"a": np.arange(2)}), (2.0, {"a": np.arange(3)})])
    x, parts = iterator.next()
    assert (float(x), parts["a"].numpy().tolist()) == (1.0, [0, 1])
    assert float(next(iterator)[0]) == 2.0
    with pytest.raises(StopIteration):
        iterator.next()
    with pytest.raises(tf.errors.OutOfRangeError):
        iterator.get_next()
    assert floats(tfe.Iterator(np.float32([1, 2]))) == [1.0, 2.0]


class Net(tfe.Network):
    def __init__(self, name=None):
        super().__init__(name)
        self.last = self.track_layer(tf.layers.Dense(2, name="last"))
        self.first = self.track_layer(tf.layers.Dense(3, activation="relu", name="first"))

    def call(self, x, twice=False):
        y = self.last(self.first(x))
        return 2.0 * y if twice else y


def test_network():
    net = Net()
    assert net.name == "net"
    assert net.variables == ()
    x = tf.ones([4, 5])
    assert net(x).shape == (4, 2)
    np.testing.assert_allclose(net(x, twice=True).numpy(), 2 * net(x).numpy())
    assert [v.name for v in net.trainable_variables] == [
        "net/last/bias:0", "net/last/kernel:0", "net/first/bias:0", "net/first/kernel:0",
    ]  # fmt: skip
    assert [layer.name for layer in net.layers] == ["last", "first"]
    assert net.get_layer("first") is net.first
    assert net.get_layer(index=0) is net.last
    with pytest.raises(ValueError, match="there are: last, first"):
        net.get_layer("middle")
    with pytest.raises(NotImplementedError, match="Network must define call"):
        tfe.Network()(x)


def test_sequential():
    net = tfe.Sequential([tf.layers.Dense(3), tf.nn.relu])
    net.add(tf.layers.Dense(2))
    assert net(tf.ones([4, 5])).shape == (4, 2)
    assert len(net.variables) == 4


def test_dense_is_a_matrix_product():
    x = np.random.default_rng(0).normal(size=(2, 3, 4)).astype("float32")
    layer = tf.layers.Dense(5)
    got = layer(x)
    assert got.shape == (2, 3, 5)
    layer.bias.assign(np.arange(5, dtype="float32"))
    expected = x @ layer.kernel.numpy() + np.arange(5)
    np.testing.assert_allclose(layer(x).numpy(), expected, rtol=1e-5, atol=1e-6)
    bound = math.sqrt(6 / 9)
    assert np.abs(layer.kernel.numpy()).max() <= bound
    assert np.abs(layer.kernel.numpy()).std() > 0.1 * bound


def test_dense_options():
    layer = tf.layers.Dense(2, use_bias=False, kernel_initializer=lambda s, d: tf.ones(s, d))
    assert layer(np.ones((1, 3))).numpy().tolist() == [[3.0, 3.0]]
    assert layer.bias is None
    assert layer.kernel.dtype == tf.float64
    assert tf.layers.Dense(2)(tf.zeros([0, 3])).shape == (0, 2)


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: tf.layers.Dense(0), "units must be at least 1"),
        (lambda: tf.layers.Dense(1, activation="reloo"), "reloo"),
        (lambda: tf.layers.Dense(1, kernel_initializer="xavier"), "glorot_uniform.*'xavier'"),
        (lambda: tf.layers.Dense(1)(tf.ones([3])), r"got shape \[3\]"),
        (lambda: tf.layers.Dense(1)(tf.constant([[1]])), "floating point, got int32"),
    ],
)
def test_dense_refuses(make, text):
    with pytest.raises(ValueError, match=text):
        make()


class Linear(tf.Module):
    def __init__(self, n, name=None):
        super().__init__(name)
        self.w = tf.Variable(float(n), name=f"w{n}")
        self.b = tf.Variable(float(n), name=f"b{n}", trainable=n % 2 == 0)


class HTTPNet2Model(tf.Module):
    def __init__(self):
        super().__init__()
        deep = {"q": Linear(3), "a": tf.Variable(9.0, name="in_dict")}
        self.z = [Linear(1), (Linear(2), deep)]
        self.a = Linear(4)
        self.a.sub, self.a.back = Linear(5), self
        self.m, self.again, self.x = tf.Variable(1.0, name="own"), self.z, self.a.sub
        self.nothing = None
        self.z.append(self.z)


def test_module_order_is_tensorflows():
    model = HTTPNet2Model()
    names = [v.name[:-2] for v in model.variables]
    expected = ["in_dict", "own"] if names[0] == "in_dict" else ["own", "in_dict"]
    expected += ["b4", "w4", "b1", "w1", "b2", "w2", "b3", "w3", "b5", "w5"]
    assert names == expected
    assert [v.name[:-2] for v in model.non_trainable_variables] == ["b1", "b3", "b5"]
    assert len(model.trainable_variables) == 9
    assert [module.w.name for module in model.submodules] == [
        "w4:0",
        "w1:0",
        "w2:0",
        "w3:0",
        "w5:0",
    ]


@pytest.mark.parametrize(
    ("class_name", "name"),
    [
        ("HTTPServer", "http_server"),
        ("MyModel", "my_model"),
        ("A", "a"),
        ("Net2D", "net2_d"),
        ("My_Thing", "my__thing"),
    ],
)
def test_module_names(class_name, name):
    assert type(class_name, (tf.Module,), {})().name == name
    assert tf.Module(name="other").name == "other"
    with pytest.raises(ValueError, match="identifier"):
        tf.Module(name="not a name")


Y, P = [[1.0, 0.0, 1.0], [0.0, 0.0, 1.0]], [[0.9, 0.2, 0.6], [0.3, 0.1, 0.7]]
GOLDEN_LOSSES = {
    "absolute_difference": 0.23333335,
    "mean_squared_error": 0.06666667,
    "huber_loss": 0.033333335,
    "log_loss": 0.27633986,
    "sigmoid_cross_entropy": 0.59645313,
    "hinge_loss": 0.73333335,
}


@pytest.mark.parametrize("name", GOLDEN_LOSSES)
def test_losses_equal_tensorflow(name):
    assert float(getattr(tf.losses, name)(Y, P)) == pytest.approx(GOLDEN_LOSSES[name], rel=1e-6)


def test_softmax_losses():
    logits = tf.constant([[2.0, 1.0, 0.0], [0.0, 0.0, 3.0]])
    onehot = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    expected = np.mean([math.log(1 + math.exp(-1) + math.exp(-2)), math.log(2 + math.exp(3))])
    for got in (
        tf.losses.softmax_cross_entropy(onehot, logits),
        tf.losses.sparse_softmax_cross_entropy([0, 1], logits),
        tf.losses.sparse_softmax_cross_entropy([[0], [1]], logits),
    ):
        assert float(got) == pytest.approx(expected, rel=1e-6)


def test_label_smoothing():
    logits = tf.constant([[2.0, 0.0]])
    smoothed = tf.losses.softmax_cross_entropy([[1.0, 0.0]], logits, label_smoothing=0.2)
    plain = tf.losses.softmax_cross_entropy([[0.9, 0.1]], logits)
    assert float(smoothed) == pytest.approx(float(plain), rel=1e-6)
    smoothed = tf.losses.sigmoid_cross_entropy([[1.0, 0.0]], logits, label_smoothing=0.2)
    plain = tf.losses.sigmoid_cross_entropy([[0.9, 0.1]], logits)
    assert float(smoothed) == pytest.approx(float(plain), rel=1e-6)


R = tf.losses.Reduction


@pytest.mark.parametrize(
    ("weights", "reduction", "expected"),
    [
        (1.0, R.SUM, 21.0),
        (2.0, R.MEAN, 3.5),
        (2.0, R.SUM_OVER_BATCH_SIZE, 7.0),
        (2.0, R.SUM_BY_NONZERO_WEIGHTS, 7.0),
        (0.0, R.SUM_BY_NONZERO_WEIGHTS, 0.0),
        (0.0, R.MEAN, 0.0),
        ([[1.0], [0.0]], R.SUM_BY_NONZERO_WEIGHTS, 2.0),
        ([[1.0], [3.0]], R.MEAN, 51.0 / 12.0),
        ([[1.0, 0.0, 2.0]], R.SUM_OVER_BATCH_SIZE, 23.0 / 6.0),
        ([[1.0, 0.0, 2.0]], R.SUM_BY_NONZERO_WEIGHTS, 23.0 / 4.0),
    ],
)
def test_weights_and_reductions(weights, reduction, expected):
    losses = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
    got = tf.losses.compute_weighted_loss(losses, weights, reduction=reduction)
    assert got.shape == ()
    assert float(got) == pytest.approx(expected)


def test_no_reduction_keeps_the_elements():
    got = tf.losses.absolute_difference(Y, P, weights=2.0, reduction=R.NONE)
    np.testing.assert_allclose(got.numpy(), 2 * np.abs(np.subtract(Y, P)), rtol=1e-6)


def test_no_elements():
    nothing = tf.zeros([0, 3])
    assert float(tf.losses.mean_squared_error(nothing, nothing)) == 0.0


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (
            lambda: tf.losses.mean_squared_error([1.0, 2.0], [[1.0], [2.0]]),
            r"same shape, got \[2\] and \[2, 1\]",
        ),
        (lambda: tf.losses.mean_squared_error(Y, P, weights=[1.0, 2.0]), "weights must be"),
        (lambda: tf.losses.mean_squared_error(Y, P, reduction="sum"), "reduction must be"),
        (lambda: tf.losses.cosine_distance(Y, P), "axis must be given"),
    ],
)
def test_losses_refuse(make, text):
    with pytest.raises(ValueError, match=text):
        make()


def test_gradient_through_a_loss():
    x = tf.constant([[1.0, 2.0]])
    (grad,) = tfe.gradients_function(lambda p: tf.losses.mean_squared_error([[0.0, 0.0]], p))(x)
    assert grad.numpy().tolist() == [[1.0, 2.0]]


COMMON = (
    "weights=1.0, scope=None, loss_collection='losses', reduction='weighted_sum_by_nonzero_weights'"
)


@pytest.mark.parametrize(
    ("name", "signature"),
    [
        ("mean_squared_error", f"labels, predictions, {COMMON}"),
        ("sparse_softmax_cross_entropy", f"labels, logits, {COMMON}"),
        (
            "softmax_cross_entropy",
            "onehot_labels, logits, "
            + COMMON.replace("weights=1.0", "weights=1.0, label_smoothing=0"),
        ),
    ],
)
def test_loss_signatures_are_tensorflows(name, signature):
    parameters = inspect.signature(getattr(tf.losses, name)).parameters.values()
    bare = ", ".join(str(p.replace(annotation=inspect.Parameter.empty)) for p in parameters)
    assert bare == signature
