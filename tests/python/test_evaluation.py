"""Losses and metrics beside their numbers: shapes they refuse, weights, copies, 2017's names."""

from __future__ import annotations

import copy
import inspect
import pickle
from typing import Any

import numpy as np
import pytest

import agog as tf
from tests.spec.evaluation_cases import LOSS_CLASSES, METRICS, N

tfe = tf.contrib.eager


@pytest.mark.parametrize("name", ["mse", "mae", "huber", "binary_crossentropy", "hinge", "kld"])
def test_shapes_that_merely_broadcast_are_refused(name: str) -> None:
    loss = getattr(tf.losses, name)
    for one, two in (((3, 2), (3,)), ((1, 2), (3, 2)), ((3, 1), (3, 2)), ((2, 3, 1), (2, 2))):
        with pytest.raises(ValueError, match="same shape, got"):
            loss(np.zeros(one, np.float32), np.ones(two, np.float32))
    assert loss(np.zeros(3, np.float32), np.ones((3, 1), np.float32)).shape == (3,)
    assert loss(np.zeros((3, 1), np.float32), np.ones(3, np.float32)).shape == (3,)


@pytest.mark.parametrize("name", LOSS_CLASSES)
def test_weights_of_another_rank_are_refused(name: str) -> None:
    true, given, kwargs = LOSS_CLASSES[name]
    with pytest.raises(ValueError, match="sample_weight of shape"):
        getattr(tf.losses, name)(**kwargs)(N[true], N[given], sample_weight=np.ones((6, 4, 2)))


def test_integer_labels_and_lists() -> None:
    assert float(tf.losses.MeanSquaredError()([[1], [2]], [[1], [4]])) == 2.0
    assert float(tf.losses.SparseCategoricalCrossentropy()([0], [[1.0, 0.0]])) < 1e-6


def test_a_label_out_of_range_is_an_error() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="5"):
        tf.losses.sparse_categorical_crossentropy([5], [[0.5, 0.5]])


def test_reductions_of_both_generations() -> None:
    y_true, y_pred = [[1.0], [2.0]], [[0.0], [0.0]]
    kinds = tf.losses.Reduction
    found = [
        float(tf.losses.MeanSquaredError(reduction=kind)(y_true, y_pred))
        for kind in (kinds.AUTO, kinds.SUM, kinds.SUM_OVER_BATCH_SIZE, kinds.MEAN, "sum")
    ]
    assert found == [2.5, 5.0, 2.5, 2.5, 5.0]
    assert tf.losses.MeanSquaredError(reduction=kinds.NONE)(y_true, y_pred).shape == (2,)
    with pytest.raises(ValueError, match="reduction must be one of .*'total'"):
        tf.losses.MeanSquaredError(reduction="total")


def test_a_scalar_weight_leaves_the_weighted_mean() -> None:
    loss = tf.losses.MeanSquaredError(reduction="mean_with_sample_weight")
    assert float(loss([[1.0], [2.0]], [[0.0], [0.0]], sample_weight=7.0)) == 2.5


def test_pairwise_errors() -> None:
    labels = np.array([[1.0, 2.0, 3.0], [0.0, -1.0, 4.0]], np.float32)
    predictions = np.array([[2.0, 1.0, 3.5], [1.0, 3.0, 3.0]], np.float32)
    by_hand = []
    for d in predictions - labels:
        by_hand.append(np.mean([(d[i] - d[j]) ** 2 for i in range(3) for j in range(3) if i != j]))
    got = tf.losses.mean_pairwise_squared_error(labels, predictions)
    assert float(got) == pytest.approx(np.mean(by_hand), rel=1e-6)
    got = tf.losses.mean_pairwise_squared_error(labels, predictions, weights=[[0.0], [2.0]])
    assert float(got) == pytest.approx(2 * by_hand[1], rel=1e-6)


@pytest.mark.parametrize("name", METRICS)
def test_metrics_copy_and_pickle(name: str) -> None:
    kind, true, given, kwargs = METRICS[name]
    metric = getattr(tf.metrics, kind)(**kwargs)
    metric.update_state(N[true], N[given])
    before = metric.result().numpy()
    for other in (copy.deepcopy(metric), pickle.loads(pickle.dumps(metric))):
        np.testing.assert_array_equal(other.result().numpy(), before)
        other.reset_state()
    np.testing.assert_array_equal(metric.result().numpy(), before)


def test_metrics_are_modules() -> None:
    class Trainer(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.loss, self.auc = tf.metrics.Mean("train loss"), tf.metrics.AUC()

    trainer = Trainer()
    assert len(trainer.variables) == 6
    assert trainer.trainable_variables == ()
    assert trainer.loss.name == "train loss"
    assert float(trainer.loss(3.0)) == 3.0


def test_metrics_record_nothing() -> None:
    x = tf.constant(2.0)
    mean = tf.metrics.Mean()
    with tf.GradientTape() as tape:
        tape.watch(x)
        mean.update_state(x * x)
        y = x * x
    assert float(tape.gradient(y, x)) == 4.0


def test_many_updates_count_exactly() -> None:
    recall = tf.metrics.Recall()
    rng = np.random.default_rng(2)
    truth, scores = rng.uniform(size=(40, 25)) < 0.5, rng.uniform(size=(40, 25))
    for t, s in zip(truth, scores, strict=True):
        recall.update_state(t, s)
    assert float(recall.result()) == pytest.approx((truth & (scores > 0.5)).sum() / truth.sum())


@pytest.mark.parametrize("curve", ["ROC", "PR"])
def test_auc_of_good_and_useless_scores(curve: str) -> None:
    rng = np.random.default_rng(3)
    truth = rng.uniform(size=5000) < 0.3
    perfect, useless = tf.metrics.AUC(curve=curve), tf.metrics.AUC(curve=curve)
    perfect.update_state(truth, np.where(truth, 0.9, 0.1))
    useless.update_state(truth, rng.uniform(size=5000))
    assert float(perfect.result()) == pytest.approx(1.0, abs=1e-6)
    assert float(useless.result()) == pytest.approx(0.5 if curve == "ROC" else 0.3, abs=0.03)


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: tf.metrics.AUC(curve="LIFT"), "curve must be one of .*'LIFT'"),
        (lambda: tf.metrics.AUC(num_thresholds=1), "num_thresholds must be above 1"),
        (lambda: tf.metrics.Precision(1.5), r"range \[0, 1\], got 1.5"),
        (lambda: tf.metrics.PrecisionAtRecall(2.0), r"recall must be in the range \[0, 1\]"),
        (lambda: tf.metrics.IoU(2, [2]), r"\[0, 2\), got \[2\]"),
        (lambda: tf.metrics.Mean().update_state(np.ones((2, 3)), np.ones(3)), "does not fit"),
        (lambda: tf.metrics.Accuracy().update_state([1, 2], [1, 2, 3]), "same shape"),
        (lambda: tfe.metrics.Accuracy()([1, 2], [[1], [2]]), "same shape"),
        (
            lambda: tf.metrics.SparseCategoricalAccuracy().update_state([[1, 2]], [[0.1, 0.2]]),
            "without its last axis",
        ),
    ],
)
def test_refusals(make: Any, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        make()


def test_regions_refuse_numbers_that_are_no_class() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"predictions .* \[0, 2\)"):
        tf.metrics.MeanIoU(2).update_state([0, 1], [0, 2])


def test_metrics_of_2017_give_their_arguments_back() -> None:
    mean = tfe.metrics.Mean()
    assert mean(3.0) == 3.0
    assert mean(5.0, weights=3.0) == (5.0, 3.0)
    assert (float(mean.result()), mean.result().dtype) == (4.5, tf.float64)
    mean.init_variables()
    assert float(mean.result()) == 0.0
    accuracy = tfe.metrics.Accuracy()
    assert accuracy([1, 2], [1, 3]) == ([1, 2], [1, 3])
    accuracy([1, 1], [1, 1], weights=[3.0, 1.0])
    assert float(accuracy.result()) == pytest.approx(5 / 6)


@pytest.mark.parametrize(
    ("kind", "signature"),
    [
        ("AUC", "num_thresholds=200, curve='ROC', summation_method='interpolation', name=None, "
         "dtype=None, thresholds=None, multi_label=False, num_labels=None, label_weights=None, "
         "from_logits=False"),
        ("Precision", "thresholds=None, top_k=None, class_id=None, name=None, dtype=None"),
        ("TopKCategoricalAccuracy", "k=5, name='top_k_categorical_accuracy', dtype=None"),
        ("SparseTopKCategoricalAccuracy", "k=5, name='sparse_top_k_categorical_accuracy', "
         "dtype=None, from_sorted_ids=False"),
        ("BinaryAccuracy", "name='binary_accuracy', dtype=None, threshold=0.5"),
        ("Mean", "name='mean', dtype=None"),
        ("MeanIoU", "num_classes, name=None, dtype=None, ignore_class=None, sparse_y_true=True, "
         "sparse_y_pred=True, axis=-1"),
    ],
)  # fmt: skip
def test_signatures_are_tensorflows(kind: str, signature: str) -> None:
    parameters = inspect.signature(getattr(tf.metrics, kind)).parameters.values()
    bare = ", ".join(str(p.replace(annotation=inspect.Parameter.empty)) for p in parameters)
    assert bare == signature
