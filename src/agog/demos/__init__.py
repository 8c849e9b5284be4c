"""Programs that show agog at work: `agog demo NAME`."""

DEMOS = {"mnist": "a two-layer network learns to read digits"}
