"""A shuffled batch of 32 MNIST digits, each through a Python function (a flip and a shift)."""

from batches import _case
from digits import BATCH, digits, endless

WHAT = "the same, each digit through a Python function"
UNIT = "us"
LIMITS = {"torch": 1}


def _tensorflow_style(tf, calls):
    x, y = digits()

    def change(image, label):
        return 1.0 - image * 0.5, label

    dataset = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(10_000)
    dataset = dataset.map(change, num_parallel_calls=calls)
    dataset = dataset.batch(BATCH).prefetch(tf.data.AUTOTUNE)

    def total(dataset):
        return sum(int(tf.reduce_sum(labels)) for _, labels in dataset)

    return _case(dataset, iter(dataset.repeat()), total)


def agog():
    import agog as tf

    return _tensorflow_style(tf, None)


def tf():
    import tensorflow as tf

    return _tensorflow_style(tf, None)


def torch():
    import torch as th

    images, labels = map(th.tensor, digits())

    class Changed(th.utils.data.Dataset):
        def __len__(self):
            return len(labels)

        def __getitem__(self, i):
            return 1.0 - images[i] * 0.5, labels[i]

    loader = th.utils.data.DataLoader(Changed(), batch_size=BATCH, shuffle=True)

    def total(loader):
        return sum(int(found.sum()) for _, found in loader)

    return _case(loader, endless(loader), total)
