"""A model is an object that can be called right away; training it is a loop over batches."""

import agog as tf
import agog.contrib.eager as tfe


class MNISTModel(tfe.Network):
    def __init__(self):
        super().__init__()
        self.layer1 = self.track_layer(tf.layers.Dense(units=10))
        self.layer2 = self.track_layer(tf.layers.Dense(units=10))

    def call(self, pixels):
        """Actually runs the model."""
        return self.layer2(self.layer1(pixels))


model = MNISTModel()
batch = tf.zeros([1, 1, 784])
result = model(batch)
print(result.shape)


def loss_function(model, x, y):
    return tf.losses.sparse_softmax_cross_entropy(labels=y, logits=model(x))


tf.random.set_seed(1)
(images, labels), _ = tf.datasets.mnist()
dataset = [
    (images[i : i + 100].reshape(100, 784).astype("float32") / 255, labels[i : i + 100].astype(int))
    for i in range(0, len(images), 100)
]
optimizer = tf.train.GradientDescentOptimizer(learning_rate=0.1)
value_and_gradients = tfe.implicit_value_and_gradients(loss_function)

losses = []
for x, y in tfe.Iterator(dataset):
    loss, gradients = value_and_gradients(model, x, y)
    optimizer.apply_gradients(gradients)
    losses.append(float(loss))
print("the loss fell:", losses[-1] < losses[0] / 2)
