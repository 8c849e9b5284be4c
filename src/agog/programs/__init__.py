"""Programs written for TensorFlow: run with agog, or asked which names they use."""
