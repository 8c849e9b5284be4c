"""A shuffled batch of 32 MNIST digits: slices, shuffle, batch, prefetch."""

from case import Case
from digits import BATCH, digits, endless

WHAT = "next shuffled batch of 32 digits"
UNIT = "us"
LIMITS = {"torch": 1 / 5, "tf": 1}


def _case(dataset, iterator, total):
    return Case("next(batches)", {"batches": iterator}, lambda: [total(dataset)])


def _tensorflow_style(tf):
    x, y = digits()
    dataset = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(10_000)
    dataset = dataset.batch(BATCH).prefetch(tf.data.AUTOTUNE)

    def total(dataset):
        return sum(int(tf.reduce_sum(labels)) for _, labels in dataset)

    return _case(dataset, iter(dataset.repeat()), total)


def agog():
    import agog as tf

    return _tensorflow_style(tf)


def tf():
    import tensorflow as tf

    return _tensorflow_style(tf)


def torch():
    import torch as th

    data = th.utils.data.TensorDataset(*map(th.tensor, digits()))
    loader = th.utils.data.DataLoader(data, batch_size=BATCH, shuffle=True)

    def total(loader):
        return sum(int(labels.sum()) for _, labels in loader)

    return _case(loader, endless(loader), total)
