"""How far two outputs lie apart."""

import numpy

TOLERANCE = 1e-4  # of the peak of what is expected


def distance(want, got):
    """Largest difference over the largest expected magnitude, of f32 tensors as bytes."""
    want, got = (numpy.frombuffer(data, dtype=numpy.float32) for data in (want, got))
    assert want.size == got.size, f"{got.size} elements instead of {want.size}"
    assert numpy.isfinite(got).all(), "an output is not finite"
    peak = float(numpy.abs(want).max()) or 1.0
    return float(numpy.abs(want - got).max()) / peak


def check(want, got, what):
    apart = distance(want, got)
    assert apart <= TOLERANCE, f"{what}: {apart:.2e} of the peak away, allowed are {TOLERANCE:.0e}"
    return apart
