"""Operations run at once and return values: no graph, no session."""

import agog as tf

x = [[2.0]]
m = tf.matmul(x, x)
print(m)
print(f"hello, {m.numpy().tolist()}")
