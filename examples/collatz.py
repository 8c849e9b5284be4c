"""Python's own control flow drives the computation: the Collatz sequence from 12."""

import agog as tf

a = tf.constant(12)
counter = 0
while not tf.equal(a, 1):
    if tf.equal(a % 2, 0):  # noqa: SIM108
        a = a / 2
    else:
        a = 3 * a + 1
    print(a)
    counter += 1
print("steps:", counter)
