"""How far outputs lie apart, and how far they may."""

import math

import torch

# By kind of program: the largest difference over the largest expected magnitude, and norm of the difference over the norm expected.
LIMITS = {"fp32": (1e-4, 1e-4), "fp16": (2e-2, 5e-3), "int8": (1.0, 2e-2), "int8-dynamic": (1.0, 3e-2), "int4-groupwise": (1.0, 3e-2)}


def distance(want, got):
    """(of the peak, of the norm); both infinite where shapes, types or what is not finite differ; 0 or infinite for other than floats."""
    if want.shape != got.shape or want.dtype != got.dtype:
        return math.inf, math.inf
    if not want.is_floating_point():
        apart = 0.0 if torch.equal(want, got) else math.inf
        return apart, apart
    want, got = want.double(), got.double()
    odd = ~torch.isfinite(want)
    if not torch.equal(odd, ~torch.isfinite(got)) or not torch.equal(want[odd].nan_to_num(), got[odd].nan_to_num()):
        return math.inf, math.inf
    difference = torch.where(odd, 0.0, want - got)
    peak, norm = torch.where(odd, 0.0, want).abs().max().item() if want.numel() else 0.0, torch.where(odd, 0.0, want).norm().item()
    if not want.numel():
        return 0.0, 0.0
    return difference.abs().max().item() / (peak or 1.0), difference.norm().item() / (norm or 1.0)


def farthest(want, got):
    """The worst of all outputs."""
    if len(want) != len(got):
        return math.inf, math.inf
    pairs = [distance(w, g) for w, g in zip(want, got)]
    return max((p for p, _ in pairs), default=0.0), max((n for _, n in pairs), default=0.0)


def agrees(kind, apart):
    return apart[0] <= LIMITS[kind][0] and apart[1] <= LIMITS[kind][1]


# In a deep network of halves ExecuTorch's own roundings can be larger than the limits. Then an answer counts that is at most this many times
# as far from the answer in single precision as ExecuTorch's is: Arm's half instructions round each sum, x86 adds in single precision.
NOISE = 2.0


def widened(outputs):
    return [o.float() if o.dtype in (torch.float16, torch.bfloat16) else o for o in outputs]


def agrees_but_for_rounding(exact, want, got):
    """True if `got` is about as near to `exact`, the same weights and inputs computed in single precision, as `want` is."""
    limit, apart = farthest(exact, widened(want)), farthest(exact, widened(got))
    return math.isfinite(limit[1]) and math.isfinite(apart[1]) and apart[0] <= NOISE * limit[0] and apart[1] <= NOISE * limit[1]


def some_finite(outputs):
    """True if any value can be compared: equal NaN and infinities prove nothing."""
    return any(o.numel() == 0 or not o.is_floating_point() or bool(torch.isfinite(o).any()) for o in outputs)


def agrees_where_reference_overflows(kind, exact, want, got):
    """True if `want` has NaN or infinities that `exact` lacks, and `got` is near `exact`: half instructions overflow elsewhere than x86's."""
    overflows = math.isinf(farthest(exact, widened(want))[1])
    return overflows and agrees(kind, farthest(exact, widened(got)))
