"""Losses and metrics, run by real TensorFlow and by agog.

Both have them in `tf.losses` and `tf.metrics`. A case gets `tf` and returns arrays in lists.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

CASES: dict[str, Callable[[Any], Any]] = {}


def _numbers() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(11)
    scores = rng.uniform(0.05, 1, (6, 4)).astype(np.float32)
    hot = np.eye(4, dtype=np.float32)[[0, 3, 1, 2, 3, 0]]
    return {
        "a": rng.uniform(0.1, 2, (6, 4)).astype(np.float32),
        "b": rng.uniform(0.1, 2, (6, 4)).astype(np.float32),
        "logits": rng.normal(size=(6, 4)).astype(np.float32) * 3,
        "p": scores / scores.sum(-1, keepdims=True),
        "hot": hot,
        "ids": np.array([0, 3, 1, 2, 3, 0]),
        "yes": (rng.uniform(size=(6, 4)) < 0.4).astype(np.float32),
        "signs": np.where(rng.uniform(size=(6, 4)) < 0.4, -1.0, 1.0).astype(np.float32),
        "w": np.array([1.0, 0.0, 2.0, 0.5, 1.0, 3.0], np.float32),
    }


N = _numbers()


def _function(name: str, true: str, given: str, **kwargs: Any) -> Callable[[Any], Any]:
    """Values and the gradient with respect to the predictions."""

    def case(tf: Any) -> Any:
        x = tf.constant(N[given])
        with tf.GradientTape() as tape:
            tape.watch(x)
            losses = getattr(tf.losses, name)(tf.constant(N[true]), x, **kwargs)
        return [losses.numpy(), tape.gradient(losses, x).numpy()]

    return case


FUNCTIONS: dict[str, tuple[str, str, str, dict[str, Any]]] = {
    "mse": ("mse", "a", "b", {}),
    "mae": ("mae", "a", "b", {}),
    "mape": ("mape", "a", "b", {}),
    "msle": ("msle", "a", "b", {}),
    "huber": ("huber", "a", "b", {"delta": 0.5}),
    "logcosh": ("logcosh", "a", "b", {}),
    "poisson": ("poisson", "a", "b", {}),
    "kld": ("kld", "p", "p", {}),
    "kld_other": ("kld", "hot", "p", {}),
    "cosine": ("cosine_similarity", "a", "b", {}),
    "cosine_axis": ("cosine_similarity", "a", "b", {"axis": 0}),
    "hinge": ("hinge", "signs", "logits", {}),
    "hinge_binary": ("hinge", "yes", "logits", {}),
    "squared_hinge": ("squared_hinge", "signs", "logits", {}),
    "categorical_hinge": ("categorical_hinge", "hot", "logits", {}),
    "binary": ("binary_crossentropy", "yes", "p", {}),
    "binary_logits": ("binary_crossentropy", "yes", "logits", {"from_logits": True}),
    "binary_smooth": ("binary_crossentropy", "yes", "p", {"label_smoothing": 0.2}),
    "focal": ("binary_focal_crossentropy", "yes", "p", {}),
    "focal_balanced": (
        "binary_focal_crossentropy",
        "yes",
        "logits",
        {"apply_class_balancing": True, "gamma": 1.5, "from_logits": True},
    ),
    "categorical": ("categorical_crossentropy", "hot", "p", {}),
    "categorical_unscaled": ("categorical_crossentropy", "hot", "a", {}),
    "categorical_logits": ("categorical_crossentropy", "hot", "logits", {"from_logits": True}),
    "categorical_smooth": ("categorical_crossentropy", "hot", "p", {"label_smoothing": 0.1}),
    "categorical_axis": ("categorical_crossentropy", "p", "p", {"axis": 0}),
    "categorical_focal": ("categorical_focal_crossentropy", "hot", "p", {}),
    "categorical_focal_logits": (
        "categorical_focal_crossentropy",
        "hot",
        "logits",
        {"from_logits": True, "alpha": 0.5},
    ),
    "sparse": ("sparse_categorical_crossentropy", "ids", "p", {}),
    "sparse_unscaled": ("sparse_categorical_crossentropy", "ids", "p", {}),
    "sparse_logits": ("sparse_categorical_crossentropy", "ids", "logits", {"from_logits": True}),
    "sparse_ignore": (
        "sparse_categorical_crossentropy",
        "ids",
        "logits",
        {"from_logits": True, "ignore_class": 3},
    ),
    "dice": ("dice", "yes", "p", {}),
    "dice_axis": ("dice", "yes", "p", {"axis": (1,)}),
}
CASES |= {
    f"loss {key}": _function(name, true, given, **kwargs)
    for key, (name, true, given, kwargs) in FUNCTIONS.items()
}

LOSS_CLASSES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "MeanSquaredError": ("a", "b", {}),
    "MeanAbsoluteError": ("a", "b", {}),
    "MeanAbsolutePercentageError": ("a", "b", {}),
    "MeanSquaredLogarithmicError": ("a", "b", {}),
    "LogCosh": ("a", "b", {}),
    "Poisson": ("a", "b", {}),
    "KLDivergence": ("p", "p", {}),
    "Hinge": ("signs", "logits", {}),
    "SquaredHinge": ("signs", "logits", {}),
    "CategoricalHinge": ("hot", "logits", {}),
    "Huber": ("a", "b", {"delta": 0.4}),
    "CosineSimilarity": ("a", "b", {}),
    "BinaryCrossentropy": ("yes", "p", {}),
    "BinaryFocalCrossentropy": ("yes", "p", {"gamma": 3.0}),
    "CategoricalCrossentropy": ("hot", "logits", {"from_logits": True}),
    "CategoricalFocalCrossentropy": ("hot", "p", {}),
    "SparseCategoricalCrossentropy": ("ids", "logits", {"from_logits": True}),
    "Dice": ("yes", "p", {}),
}


def _loss_class(name: str, true: str, given: str, kwargs: Any) -> Callable[[Any], Any]:
    def case(tf: Any) -> Any:
        found = []
        for reduction in ("sum_over_batch_size", "sum", "mean", "mean_with_sample_weight", "none"):
            loss = getattr(tf.losses, name)(reduction=reduction, **kwargs)
            pair = tf.constant(N[true]), tf.constant(N[given])
            found.append(loss(*pair).numpy())
            if reduction != "mean_with_sample_weight":  # Keras divides by one weight, not by all
                found.append(loss(*pair, sample_weight=0.5).numpy())
            if name != "Dice":
                found.append(loss(*pair, sample_weight=N["w"]).numpy())
                found.append(loss(*pair, sample_weight=N["w"][:, None]).numpy())
        return found

    return case


CASES |= {f"Loss {name}": _loss_class(name, *given) for name, given in LOSS_CLASSES.items()}

METRICS: dict[str, tuple[str, str, str, dict[str, Any]]] = {
    "Accuracy": ("Accuracy", "ids", "ids", {}),
    "BinaryAccuracy": ("BinaryAccuracy", "yes", "p", {}),
    "BinaryAccuracy_low": ("BinaryAccuracy", "yes", "p", {"threshold": 0.2}),
    "CategoricalAccuracy": ("CategoricalAccuracy", "hot", "p", {}),
    "SparseCategoricalAccuracy": ("SparseCategoricalAccuracy", "ids", "p", {}),
    "TopK": ("TopKCategoricalAccuracy", "hot", "p", {"k": 2}),
    "SparseTopK": ("SparseTopKCategoricalAccuracy", "ids", "p", {"k": 2}),
    "MeanSquaredError": ("MeanSquaredError", "a", "b", {}),
    "MeanAbsoluteError": ("MeanAbsoluteError", "a", "b", {}),
    "MeanAbsolutePercentageError": ("MeanAbsolutePercentageError", "a", "b", {}),
    "MeanSquaredLogarithmicError": ("MeanSquaredLogarithmicError", "a", "b", {}),
    "LogCoshError": ("LogCoshError", "a", "b", {}),
    "Poisson": ("Poisson", "a", "b", {}),
    "KLDivergence": ("KLDivergence", "hot", "p", {}),
    "Hinge": ("Hinge", "signs", "logits", {}),
    "SquaredHinge": ("SquaredHinge", "signs", "logits", {}),
    "CategoricalHinge": ("CategoricalHinge", "hot", "logits", {}),
    "CosineSimilarity": ("CosineSimilarity", "a", "b", {}),
    "BinaryCrossentropy": ("BinaryCrossentropy", "yes", "p", {"label_smoothing": 0.1}),
    "CategoricalCrossentropy": (
        "CategoricalCrossentropy",
        "hot",
        "logits",
        {"from_logits": True},
    ),
    "SparseCategoricalCrossentropy": ("SparseCategoricalCrossentropy", "ids", "p", {}),
    "RootMeanSquaredError": ("RootMeanSquaredError", "a", "b", {}),
    "TruePositives": ("TruePositives", "yes", "p", {"thresholds": 0.2}),
    "FalsePositives": ("FalsePositives", "yes", "p", {"thresholds": [0.1, 0.3]}),
    "TrueNegatives": ("TrueNegatives", "yes", "p", {"thresholds": [0.3, 0.1, 0.2]}),
    "FalseNegatives": ("FalseNegatives", "yes", "p", {}),
    "Precision": ("Precision", "yes", "p", {"thresholds": 0.2}),
    "Precision_several": ("Precision", "yes", "p", {"thresholds": [0.3, 0.1]}),
    "Precision_top": ("Precision", "yes", "p", {"top_k": 2}),
    "Precision_class": ("Precision", "yes", "p", {"class_id": 1, "thresholds": 0.1}),
    "Recall": ("Recall", "yes", "p", {"thresholds": 0.2}),
    "Recall_top_class": ("Recall", "yes", "p", {"top_k": 2, "class_id": 2}),
    "AUC": ("AUC", "yes", "p", {}),
    "AUC_minoring": ("AUC", "yes", "p", {"summation_method": "minoring"}),
    "AUC_majoring": ("AUC", "yes", "p", {"summation_method": "majoring", "num_thresholds": 7}),
    "AUC_PR": ("AUC", "yes", "p", {"curve": "PR"}),
    "AUC_PR_minoring": ("AUC", "yes", "p", {"curve": "PR", "summation_method": "minoring"}),
    "AUC_PR_few": ("AUC", "yes", "p", {"curve": "PR", "num_thresholds": 5}),
    "AUC_thresholds": ("AUC", "yes", "p", {"thresholds": [0.1, 0.2, 0.4]}),
    "AUC_logits": ("AUC", "yes", "logits", {"from_logits": True}),
    "SensitivityAtSpecificity": (
        "SensitivityAtSpecificity",
        "yes",
        "p",
        {"specificity": 0.6, "num_thresholds": 50},
    ),
    "SpecificityAtSensitivity": ("SpecificityAtSensitivity", "yes", "p", {"sensitivity": 0.6}),
    "PrecisionAtRecall": ("PrecisionAtRecall", "yes", "p", {"recall": 0.6}),
    "RecallAtPrecision": ("RecallAtPrecision", "yes", "p", {"precision": 0.4}),
}


def _metric(name: str, true: str, given: str, kwargs: Any) -> Callable[[Any], Any]:
    def case(tf: Any) -> Any:
        found = []
        metric = getattr(tf.metrics, name)(**kwargs)
        for weights in (None, N["w"], N["w"][::-1].copy()):
            y_true, y_pred = tf.constant(N[true]), tf.constant(N[given])
            if name == "Accuracy":
                y_pred = tf.constant(np.array([0, 3, 2, 2, 1, 0]))
            metric.update_state(y_true, y_pred, sample_weight=weights)
            found.append(np.asarray(metric.result()))
        metric.reset_state()
        found.append(np.asarray(metric.result()))
        return found

    return case


CASES |= {f"metric {key}": _metric(*given) for key, given in METRICS.items()}


def _streams(name: str) -> Callable[[Any], Any]:
    def case(tf: Any) -> Any:
        metric, found = getattr(tf.metrics, name)(), []
        a = N["a"]
        for values, weights in ((a, None), (a, N["w"]), (a, a), (a[:, :1], N["w"]), (a[0, 0], 2.0)):
            metric.update_state(values, sample_weight=weights)
            found.append(np.asarray(metric.result()))
        return found

    return case


CASES |= {f"metric {name}": _streams(name) for name in ("Mean", "Sum")}


def _multi_label(**kwargs: Any) -> Callable[[Any], Any]:
    def case(tf: Any) -> Any:
        metric = tf.metrics.AUC(multi_label=True, **kwargs)
        for weights in (None, N["w"]):
            metric.update_state(N["yes"], N["p"], sample_weight=weights)
        return [np.asarray(metric.result())]

    return case


CASES["metric AUC labels"] = _multi_label()
CASES["metric AUC labels PR"] = _multi_label(curve="PR", num_labels=4)
CASES["metric AUC labels weighed"] = _multi_label(label_weights=[1.0, 2.0, 0.0, 0.5])


def _regions(name: str, **kwargs: Any) -> Callable[[Any], Any]:
    def case(tf: Any) -> Any:
        metric = getattr(tf.metrics, name)(num_classes=5, **kwargs)
        scores = N["p"] if kwargs.get("sparse_y_pred") is False else np.array([0, 3, 2, 2, 1, 0])
        found = []
        for weights in (None, np.ceil(N["w"])):  # Keras casts weights to integers here
            metric.update_state(N["ids"], scores, sample_weight=weights)
            found.append(np.asarray(metric.result()))
        return found

    return case


CASES["metric MeanIoU"] = _regions("MeanIoU")
CASES["metric MeanIoU scores"] = _regions("MeanIoU", sparse_y_pred=False)
CASES["metric MeanIoU ignore"] = _regions("MeanIoU", ignore_class=3)
CASES["metric IoU"] = _regions("IoU", target_class_ids=[0, 4, 3])
