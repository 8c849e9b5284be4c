"""Random numbers of distributions with parameters: laws in tests/ops/test_distributions.py."""

from __future__ import annotations

from tests.spec.table import family

add = family(__name__)
_LAW = {"form": "law", "grad": "skip", "cases": lambda s: []}
_BY_LAW = "random numbers: see test_distributions"

for _name, _main in (
    ("RandomGamma", "T"),
    ("StatelessRandomGammaV2", "dtype"),
    ("StatelessRandomGammaV3", "dtype"),
    ("RandomPoissonV2", "R"),
    ("StatelessRandomPoisson", "Rtype"),
    ("StatelessRandomBinomial", "T"),
    ("StatefulUniform", "dtype"),
    ("StatefulStandardNormalV2", "dtype"),
    ("StatefulTruncatedNormal", "dtype"),
    ("StatefulUniformFullInt", "dtype"),
    ("StatefulUniformInt", "dtype"),
):
    add(_name, main=_main, grad_why=_BY_LAW, **_LAW)
