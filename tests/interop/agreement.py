"""How far two outputs lie apart."""

import numpy

TOLERANCES = {"float32": 1e-4, "float16": 2e-2}  # of the peak of what is expected; other types must be equal


def distance(want, got, kind="float32"):
    """Largest difference over the largest expected magnitude, of tensors as bytes."""
    want, got = (numpy.frombuffer(data, dtype=kind).astype(numpy.float64) for data in (want, got))
    assert want.size == got.size, f"{got.size} elements instead of {want.size}"
    odd = ~numpy.isfinite(want)
    assert numpy.array_equal(want[odd], got[odd], equal_nan=True), "infinities or NaN stand elsewhere"
    want, got = want[~odd], got[~odd]
    peak = float(numpy.abs(want).max(initial=0)) or 1.0
    assert numpy.isfinite(got).all(), "an output is not finite"
    return float(numpy.abs(want - got).max(initial=0)) / peak


def check(want, got, what, kind="float32"):
    if kind not in TOLERANCES:
        assert want == got, f"{what}: outputs of type {kind} differ"
        return 0.0
    apart = distance(want, got, kind)
    assert apart <= TOLERANCES[kind], f"{what}: {apart:.2e} of the peak away, allowed are {TOLERANCES[kind]:.0e}"
    return apart
