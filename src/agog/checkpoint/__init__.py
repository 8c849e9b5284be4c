"""Checkpoints: the values of objects in files, in TensorFlow's own format."""
