"""Programs that show agog at work: `agog demo NAME`."""

# Name on the command line, which is the module's with dashes: what it does.
DEMOS = {
    "linear-regression": "the smallest complete program: fits a line to noisy points",
    "mnist": "a two-layer network learns to read digits",
    "mnist-cnn": "a convolutional network learns to read digits better",
    "char-lstm": "an LSTM cell written by hand learns to write sonnets",
    "transformer": "a small transformer learns to write sonnets, too",
    "vae": "a variational autoencoder learns to draw digits",
    "resnet50": "ResNet-50, forward and in training: images per second",
}


def listing() -> str:
    """The demos, a line each."""
    width = max(map(len, DEMOS))
    return "\n".join(f"  {name:{width}}  {what}" for name, what in DEMOS.items())
