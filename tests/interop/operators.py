"""The portable operators as tables: what each is called with, over which types and shapes.

A row is an operator's name and the arguments after its tensors; `calls` makes them meet types and shapes. What PyTorch itself does not take
is left out: no exporter writes it. A result's type and shape are PyTorch's.
"""

import torch

import handmade

TYPES = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16, "f64": torch.float64, "i64": torch.int64, "i32": torch.int32,
         "i16": torch.int16, "i8": torch.int8, "u8": torch.uint8, "bool": torch.bool}
FLOATS = ("f32", "f16", "bf16", "f64")
NHWC = torch.channels_last

# One tensor, then these.
UNARY = {f"aten::{name}.out": [()] for name in (
    "abs acos acosh asin asinh atan atanh bitwise_not ceil cos cosh erf exp expm1 floor isinf isnan log log10 log1p log2 logical_not neg "
    "reciprocal relu round rsqrt sigmoid sign sin sinh sqrt tan tanh trunc").split()} | {
    "aten::gelu.out": [("none",), ("tanh",)], "aten::leaky_relu.out": [(0.1,)], "aten::elu.out": [(0.7, 1.3, 0.9), (1.0, 1, 1)],
    "aten::hardtanh.out": [(-2, 3), (0, 6)], "aten::clamp.out": [(-2, 3), (0.5, None), (None, 2), (300, 40000), (3, 1)]}
# Two tensors, of any two types, then these.
BINARY = {f"aten::{name}": [()] for name in (
    "atan2.out bitwise_and.Tensor_out bitwise_left_shift.Tensor_out bitwise_or.Tensor_out bitwise_right_shift.Tensor_out "
    "bitwise_xor.Tensor_out div.out eq.Tensor_out fmod.Tensor_out ge.Tensor_out gt.Tensor_out le.Tensor_out logical_and.out logical_or.out "
    "logical_xor.out lt.Tensor_out maximum.out minimum.out mul.out ne.Tensor_out pow.Tensor_Tensor_out remainder.Tensor_out").split()} | {
    "aten::add.out": [(1,), (2,)], "aten::sub.out": [(1,), (2,)], "aten::div.out_mode": [(None,), ("floor",), ("trunc",)]}
# A tensor and a number, then these.
NUMBER = {f"aten::{name}": [()] for name in (
    "bitwise_and.Scalar_out bitwise_left_shift.Tensor_Scalar_out bitwise_or.Scalar_out bitwise_right_shift.Tensor_Scalar_out "
    "bitwise_xor.Scalar_out div.Scalar_out eq.Scalar_out fmod.Scalar_out ge.Scalar_out gt.Scalar_out le.Scalar_out lt.Scalar_out "
    "mul.Scalar_out ne.Scalar_out pow.Tensor_Scalar_out remainder.Scalar_out").split()} | {
    "aten::add.Scalar_out": [(1,), (2,)], "aten::sub.Scalar_out": [(1,)], "aten::div.Scalar_mode_out": [("floor",), ("trunc",)]}
NUMBERS = (2, -3, 1.5, True, 300)
# One tensor; D stands for one of its dimensions, twice where it has several.
D = object()
REDUCTIONS = {"aten::sum.IntList_out": [([D], False, None), ([], True, None), ([D], True, torch.int64), ([D], False, torch.float32)],
              "aten::mean.out": [([D], False, None), ([], True, None), ([D], True, torch.float64)],
              "aten::amax.out": [([D], False), ([], True)], "aten::amin.out": [([D], True), ([], False)],
              "aten::argmax.out": [(D, False), (None, False)], "aten::argmin.out": [(D, True), (None, False)],
              "aten::max.dim_max": [(D, False)], "aten::min.dim_min": [(D, True)], "aten::max.unary_out": [()], "aten::min.unary_out": [()],
              "aten::any.out": [(D, False)], "aten::any.dims_out": [([D], True), ([], False)], "aten::any.all_out": [()],
              "aten::prod.int_out": [(D, False, None), (D, True, torch.float32)], "aten::prod.out": [(None,)],
              "aten::var.correction_out": [([D], 1, False), ([D], 0, True), (None, 2, False)],
              "aten::cumsum.out": [(D, None), (D, torch.int64), (D, torch.float32)]}
MOVES = {"aten::select_copy.int_out": [(D, 0), (D, -1)], "aten::slice_copy.Tensor_out": [(D, 1, 3, 1), (D, -2, None, 1), (D, 0, 100, 2), (D, 3, 1, 1)],
         "aten::flip.out": [([D],)], "aten::unsqueeze_copy.out": [(D,)], "aten::squeeze_copy.dim_out": [(D,)], "aten::squeeze_copy.dims_out": [([D],)],
         "aten::transpose_copy.int_out": [(D, -1)], "aten::t_copy.out": [()], "aten::view_copy.out": [([-1],), ([1, -1, 1],)],
         "aten::repeat.out": [([2, 1, 3, 1],)], "aten::as_strided_copy.out": [([2, 2], [1, 2], 1)],
         "aten::constant_pad_nd.out": [([1, 2], 0), ([-1, 1, 2, 0], 1.5)], "aten::detach_copy.out": [()], "aten::fill.Scalar_out": [(3,)]}
# Copied as it lies, whatever its order: the real runtime is the reference for NHWC too.
AS_IT_LIES = ("aten::unsqueeze_copy.out",)
# What an integer becomes of a number outside its range is left to the compiler.
UNSPECIFIED = ("pow", "fmod", "floor", "ceil", "trunc", "div")


def plain(rng, kind, *sizes, least=None):
    """Small numbers, with ties; none below `least`."""
    dtype = TYPES[kind]
    if dtype.is_floating_point:
        numbers = torch.randn(sizes, generator=rng) * 3
        return (numbers if least is None else numbers.abs() + 0.3).to(dtype)
    if dtype == torch.bool:
        return torch.rand(sizes, generator=rng) > 0.4
    return torch.randint((0 if kind == "u8" else -9) if least is None else least, 10, sizes, generator=rng).to(dtype)


def edges(kind):
    """NaN, infinities, zeros of both signs, the largest and the smallest; ends of integers."""
    dtype = TYPES[kind]
    if dtype == torch.bool:
        return torch.tensor([False, True])
    if not dtype.is_floating_point:
        ends = torch.iinfo(dtype)
        return torch.tensor([ends.min, ends.min + 1, 0, 1, 2, 3, 7, 10, 31, 63, ends.max - 1, ends.max] + [-1, -2, -7][: 3 * (ends.min < 0)]).to(dtype)
    ends = torch.finfo(dtype)
    return torch.tensor([torch.nan, torch.inf, -torch.inf, 0.0, -0.0, ends.max, ends.min, ends.tiny, -ends.tiny / 4, 1, -1, 0.5, -0.5, 1.5,
                         2.5, -2.5, 3.7, -7.2, 88.8, -104], dtype=torch.float64).to(dtype)


def one_tensor(rng, kind):
    """Every class of shape."""
    return [plain(rng, kind, 2, 3, 5), plain(rng, kind), plain(rng, kind, 2, 0, 3), plain(rng, kind, 2, 3, 4, 5).to(memory_format=NHWC),
            plain(rng, kind, 2, 70), edges(kind)]


def two_tensors(rng, kind, other):
    """A broadcast of any two types; every class of shape where they are one."""
    pairs = [(plain(rng, kind, 3, 1, 4), plain(rng, other, 2, 1, least=1))]
    if kind == other:
        image, channel = plain(rng, kind, 2, 3, 4, 5), plain(rng, kind, 2, 3, 4, 5, least=1)
        pairs += [(plain(rng, kind), plain(rng, kind, 3, 4, least=1)), (plain(rng, kind, 2, 0), plain(rng, kind, 2, 1)), (plain(rng, kind), plain(rng, kind, least=1)),
                  (image.to(memory_format=NHWC), channel.to(memory_format=NHWC))]
        pairs += [(edges(kind)[:, None].contiguous(), edges(kind)[None].contiguous())]
    return pairs


def functional(name):
    """PyTorch's operator that returns what the named one writes, and the names of its arguments."""
    space, _, rest = name.partition("::")
    packet, _, overload = rest.partition(".")
    packet = getattr(getattr(torch.ops, space), packet)
    wanted = [(str(a.type), a.name) for a in getattr(packet, overload)._schema.arguments if not a.is_out]
    for each in packet.overloads():
        schema = getattr(packet, each)._schema
        if not any(a.is_out for a in schema.arguments) and [str(a.type) for a in schema.arguments] == [kind for kind, _ in wanted]:
            return getattr(packet, each), [a.name for a in schema.arguments]
    return packet, [argument for _, argument in wanted]


def pytorch(call, device="cpu"):
    """What PyTorch makes of a call; on the device "meta" only types and shapes."""
    def there(a):
        return a.to(device) if isinstance(a, torch.Tensor) else [there(i) for i in a] if isinstance(a, (list, tuple)) else a

    operator, names = functional(call.name)
    got = operator(**{name: there(a) for name, a in zip(names, call.arguments)})
    return list(got) if isinstance(got, (list, tuple)) else [got]


def made(name, arguments, words):
    """The call with its outputs, or None where PyTorch does not take it."""
    call = handmade.Call(name, arguments, [], words)
    nhwc = any(handmade.lies_channels_last(t) for t in call.tensors)
    for device in ("meta", "cpu"):
        try:
            call.outputs = [handmade.Out(t.dtype, list(t.shape), nhwc and t.dim() == 4) for t in pytorch(call, device)]
            return call
        except (RuntimeError, IndexError, TypeError, ValueError, NotImplementedError):
            continue
    return None


def said(*tensors):
    names = {dtype: name for name, dtype in TYPES.items()}
    return " and ".join(f"{names[t.dtype]} [{'x'.join(map(str, t.shape))}]" + (" NHWC" if handmade.lies_channels_last(t) else "") for t in tensors)


def is_unspecified(name, tensors, number=1):
    """True if integers may come of numbers outside their range."""
    whole = not any(t.dtype.is_floating_point for t in tensors) and not isinstance(number, float)
    far = any(t.numel() and t.double().abs().max() > 9 for t in tensors)
    zero = len(tensors) > 1 and not tensors[1].all()
    return whole and name.split("::")[1].split(".")[0] in UNSPECIFIED and (far or zero or number not in (1, 2, True))


def with_dims(rest, tensor):
    """The arguments with the first and with the last dimension of a tensor for D."""
    def put(a, dim):
        return dim if a is D else [dim if i is D else i for i in a] if isinstance(a, list) else a
    uses = any(a is D or isinstance(a, list) and D in a for a in rest)
    return [[put(a, dim) for a in rest] for dim in ((0, -1) if uses and tensor.dim() > 1 else (0,))]


def unary(rng, kind):
    for x in one_tensor(rng, kind):
        for name, rows in UNARY.items():
            for rest in rows:
                if not is_unspecified(name, [x]):
                    yield made(name, [x, *rest], f"{said(x)} {rest or ''}")


def binary(rng, kind):
    for other in TYPES:
        for x, y in two_tensors(rng, kind, other):
            for name, rows in BINARY.items():
                for rest in rows:
                    if not is_unspecified(name, [x, y]) and (x.dim() or rest != (2,)):  # the wheel's faster add scales a number that is first
                        yield made(name, [x, y, *rest], f"{said(x, y)} {rest or ''}")


def numbers(rng, kind):
    for x in (plain(rng, kind, 2, 3), plain(rng, kind), plain(rng, kind, 0, 2), edges(kind)):
        for number in NUMBERS:
            for name, rows in NUMBER.items():
                for rest in rows:
                    if not is_unspecified(name, [x], number):
                        yield made(name, [x, number, *rest], f"{said(x)}, {number} {rest or ''}")


def reductions(rng, kind):
    for x in one_tensor(rng, kind):
        for name, rows in REDUCTIONS.items():
            for rest in (each for row in rows for each in with_dims(row, x)):
                # The real runtime rounds products of halves at each factor; the wheel's faster sum is one of floats.
                rounded = "prod" in name and kind in ("f16", "bf16") or name.startswith("aten::sum") and (kind == "f64" or kind in ("i64", "i32") and x.dim() == 1)
                if not rounded and (torch.int64 not in rest or x.double().isfinite().all()):
                    yield made(name, [x, *rest], f"{said(x)} {rest or ''}")
    for k, largest in ((1, True), (3, False), (6, True)):
        x = torch.randperm(6, generator=rng).to(TYPES[kind]) if kind != "bool" else plain(rng, kind, 1)
        yield made("aten::topk.values", [x, min(k, x.numel()), 0, largest, True], f"{said(x)} {k}")
    for count, k, largest, ordered in ((24, 6, True, True), (24, 6, False, False), (130, 2, True, True), (90, 80, False, True)) if kind != "bool" else ():
        x = torch.tensor([(7 * i * i + 3 * i) % 5 for i in range(count)]).to(TYPES[kind])  # most are equal: their order counts
        yield made("aten::topk.values", [x, k, 0, largest, ordered], f"{said(x)} {k}")


def moves(rng, kind):
    for x in one_tensor(rng, kind)[:5]:
        for name, rows in MOVES.items():
            for rest in (each for row in rows for each in with_dims(row, x)):
                yield made(name, [x, *rest], f"{said(x)} {rest or ''}")
        yield made("aten::permute_copy.out", [x, list(range(x.dim()))[::-1]], said(x))
        yield made("aten::expand_copy.out", [x, [3] + [-1] * x.dim(), False], said(x))
        for n in (1, 2, 5):
            yield parts("aten::split_copy.Tensor_out", [x, n, 0], x.split(n) if x.dim() else ())
        yield parts("aten::unbind_copy.int_out", [x, 0], x.unbind() if x.dim() else ())
        yield parts("aten::split_with_sizes_copy.out", [x, [1, 0, 1], 0], x.split([1, 0, 1]) if x.dim() and len(x) == 2 else ())
    for other in TYPES:
        x, y, mask = plain(rng, kind, 2, 3), plain(rng, other, 2, 3), plain(rng, "bool", 2, 1)
        if kind == other or x.itemsize != y.itemsize:  # where the real runtime copies the bits
            yield made("aten::cat.out", [[x, y], 1], said(x, y))
        yield made("aten::stack.out", [[x, y], 0], said(x, y))
        yield made("aten::copy.out", [x, y[0].clone(), False], said(x, y))
        yield made("aten::copy.out", [x, plain(rng, other), False], said(x, y))
        yield made("aten::where.self_out", [mask, x, y], said(x, y))
        for source in (x, y.reshape(()) if y.numel() == 1 else plain(rng, kind), plain(rng, kind, 0, 2)):
            converted = handmade.Call("dim_order_ops::_to_dim_order_copy.out", [source, False, list(range(source.dim()))],
                                      [handmade.Out(TYPES[other], list(source.shape))], f"{said(source)} to {other}")
            yield converted
    for value in (3, 1.5, True):
        yield made("aten::masked_fill.Scalar_out", [plain(rng, kind, 2, 3), plain(rng, "bool", 3), value], f"{kind} {value}")
        yield handmade.Call("aten::full.out", [[2, 3], value], [handmade.Out(TYPES[kind], [2, 3])], f"{kind} {value}")
        yield handmade.Call("aten::scalar_tensor.out", [value], [handmade.Out(TYPES[kind], [])], f"{kind} {value}")
    for start, end, step in ((1, 9, 2), (0.5, 3, 0.5), (2, 2, 1), (3, -4, -2)):
        if kind not in ("bool", "u8"):
            count = max(0, -int((start - end) // step))
            yield handmade.Call("aten::arange.start_out", [start, end, step], [handmade.Out(TYPES[kind], [count])], f"{kind} {start} {end} {step}")


def parts(name, arguments, outputs):
    """A call that writes a list of tensors; None of none."""
    nhwc = handmade.lies_channels_last(arguments[0])
    outs = [handmade.Out(t.dtype, list(t.shape), nhwc and t.dim() == 4) for t in outputs]
    return handmade.Call(name, arguments, outs, f"{said(arguments[0])} {arguments[1:]}", as_list=True) if outs else None


def places(rng, kind):
    x, row, number = plain(rng, kind, 3, 4, 5), plain(rng, kind, 6), plain(rng, kind)
    for index in (torch.int64, torch.int32):
        for at in (torch.tensor([2, 0, 1], dtype=index), torch.tensor([[0, 1], [2, 0]], dtype=index), torch.tensor(1, dtype=index), torch.zeros(0, dtype=index)):
            yield made("aten::embedding.out", [plain(rng, kind, 3, 5), at, -1, False, False], said(at))
            yield made("aten::index_select.out", [x, 1, at], said(x, at))
            for indices in ((at,), (None, at), (at, at), (at, None, at), (at, at, at)):
                yield made("aten::index.Tensor_out", [x, indices], f"{said(x, at)} {len(indices)}")
                for adds in (False, True):
                    yield made("aten::index_put.out", [x, indices, plain(rng, kind), adds], f"{said(x, at)} {len(indices)} {adds}")
    for mask in ((plain(rng, "bool", 3),), (plain(rng, "bool", 3, 4),), (None, plain(rng, "bool", 4)), (plain(rng, "bool", 3, 4, 5),), (torch.zeros(3, dtype=torch.bool),)):
        yield made("aten::index.Tensor_out", [x, mask], f"{said(x)} masked")
        for adds in (False, True):
            yield made("aten::index_put.out", [x, mask, plain(rng, kind), adds], f"{said(x)} masked {adds}")
    at = torch.tensor([0, 2, 1, 1, 0, 2]).reshape(2, 3, 1)
    for whole, dim, index in ((x, 0, at), (x, 1, at), (x, -1, at), (row, 0, torch.tensor([5, 5, 0])), (number, 0, torch.tensor(0)), (x, 0, at[:0])):
        source = plain(rng, kind, *index.shape)
        yield made("aten::gather.out", [whole, dim, index, False], said(whole, index))
        yield made("aten::scatter.src_out", [whole, dim, index, source], said(whole, index))
        yield made("aten::scatter.value_out", [whole, dim, index, 2], said(whole, index))
        yield made("aten::scatter_add.out", [whole, dim, index, source], said(whole, index))
    for other in TYPES:
        if kind != "bool":  # into which the real runtime cuts floats
            yield made("aten::select_scatter.out", [x, plain(rng, other, 3, 5), 1, -1], f"{said(x)} {other}")
            yield made("aten::slice_scatter.out", [x, plain(rng, other, 3, 2, 5), 1, 1, 4, 2], f"{said(x)} {other}")


def quantisation(rng, kind):
    """Floats into each integer and back."""
    if kind not in FLOATS:
        return
    for x in (plain(rng, kind, 3, 4), plain(rng, kind), plain(rng, kind, 0, 3)):
        for to in ("u8", "i8", "i16", "i32"):
            low, high = torch.iinfo(TYPES[to]).min, torch.iinfo(TYPES[to]).max
            for scale, zero in ((0.5, 3), (0.1, 0)):
                yield handmade.Call("quantized_decomposed::quantize_per_tensor.out", [x, scale, zero, low, high, TYPES[to]],
                                    [handmade.Out(TYPES[to], list(x.shape))], f"{said(x)} to {to} by {scale}")
                q = plain(rng, to, *x.shape)
                yield handmade.Call("quantized_decomposed::dequantize_per_tensor.out", [q, scale, zero, low, high, TYPES[to], x.dtype],
                                    [handmade.Out(x.dtype, list(x.shape))], f"{said(q)} to {kind} by {scale}")
            if x.dim():
                scales, zeros = torch.rand(x.shape[1], generator=rng, dtype=torch.float64) + 0.01, torch.arange(x.shape[1])
                yield handmade.Call("quantized_decomposed::quantize_per_channel.out", [x, scales, zeros, 1, low, high, TYPES[to]],
                                    [handmade.Out(TYPES[to], list(x.shape))], f"{said(x)} to {to} by channel")
        if kind == "f32":
            for y in (x, x * 0, x * 1e-6):
                yield handmade.Call("quantized_decomposed::choose_qparams.Tensor_out", [y, -128, 127, 1e-7, torch.int8],
                                    [handmade.Out(torch.float64, [1]), handmade.Out(torch.int64, [1])], said(x))


def complex_numbers(rng, kind):
    """Spectra of every kind of length, there and back; parts and mirror images."""
    if kind not in ("f16", "f32", "f64"):
        return
    dtype = TYPES[kind]
    of = {"f16": torch.complex32, "f32": torch.complex64, "f64": torch.complex128}[kind]
    for sizes in ((2, 3), (4, 0), (), (3, 300)):
        x = torch.complex(plain(rng, "f32", *sizes), plain(rng, "f32", *sizes)).to(of)
        yield handmade.Call("aten::_conj_physical.out", [x], [handmade.Out(of, list(sizes))], f"{kind} {sizes}")
        for to in ("f16", "f32", "f64"):
            yield handmade.Call("aten::view_as_real_copy.out", [x], [handmade.Out(TYPES[to], [*sizes, 2])], f"{kind} {sizes} as {to}")
    if kind == "f16":
        return
    for length in (1, 2, 3, 4, 5, 8, 12, 30, 49, 64, 97, 400, 512):
        for mode in (0, 1, 2):
            half = length // 2 + 1
            yield handmade.Call("aten::_fft_r2c.out", [plain(rng, kind, 2, length), [1], mode, True], [handmade.Out(of, [2, half])], f"{kind} {length} by {mode}")
            x = torch.complex(plain(rng, kind, 2, half), plain(rng, kind, 2, half))
            yield handmade.Call("aten::_fft_c2r.out", [x, [1], mode, length], [handmade.Out(dtype, [2, length])], f"{kind} {length} by {mode}")
    for dims, sizes, half in (([0], [6, 5], [4, 5]), ([0, 1], [6, 5], [6, 3]), ([2, 0, 1], [4, 6, 5], [4, 4, 5]), ([1, 2], [4, 6, 5], [4, 6, 3])):
        yield handmade.Call("aten::_fft_r2c.out", [plain(rng, kind, *sizes), dims, 1, True], [handmade.Out(of, half)], f"{kind} {sizes} along {dims}")
        x = torch.complex(plain(rng, kind, *half), plain(rng, kind, *half))
        yield handmade.Call("aten::_fft_c2r.out", [x, dims, 2, sizes[dims[-1]]], [handmade.Out(dtype, sizes)], f"{kind} {sizes} along {dims}")


def language(rng, kind):
    """The extension for language models (namespace llama)."""
    if kind in ("f32", "f16", "i8"):
        for batches, tokens, places in ((1, 4, [[2, 0, 3, 1]]), (2, 6, [[5, 3, 1, 0, 2, 4], [0, 1, 2, 3, 4, 5]])):
            value = plain(rng, kind, batches, tokens, 2, 3)
            yield handmade.Call("llama::update_cache_with_indices.out", [value, handmade.WRITTEN, 0, torch.tensor(places)],
                                [handmade.Out(TYPES[kind], [batches, tokens, 2, 3])], f"{kind} {places}")
    if kind in ("f32", "f16"):  # the wheel's doubles are a table of its own
        for sizes in ((1,), (3, 2), (2, 2, 64), (2, 28), (3, 112), (1, 0)):
            yield handmade.Call("llama::fast_hadamard_transform.out", [plain(rng, kind, *sizes)], [handmade.Out(TYPES[kind], list(sizes))], f"{kind} {sizes}")
    if kind != "f32":
        return
    for heads_first in (False, True):
        for heads, shared, queries, start, causal in ((2, 2, 3, 0, False), (4, 2, 1, 5, True), (2, 1, 4, 3, True), (2, 2, 2, 2, False)):
            sizes = [[2, queries, heads, 16], [2, 9, shared, 16], [2, 9, shared, 16]]
            sizes = [[b, h, s, d] if heads_first else [b, s, h, d] for b, s, h, d in sizes]
            rows = [torch.randint(-128, 128, s, generator=rng).to(torch.int8) for s in sizes]
            zeros = [torch.randint(-9, 9, [*s[:3], 1], generator=rng).to(torch.int8) for s in sizes]
            scales = [torch.rand([*s[:3], 1], generator=rng) / 30 for s in sizes]
            each = [t for pair in zip(zeros, scales) for t in pair]
            yield handmade.Call("llama::custom_quantized_sdpa.out", [*rows, start, None, 0.0, causal, None, *each, heads_first],
                                [handmade.Out(TYPES[kind], sizes[0])], f"{sizes} from {start}, {causal}")
    for batches, heads, groups, tokens, keys, values in ((1, 1, 1, 1, 4, 4), (2, 2, 3, 5, 8, 6), (1, 2, 1, 70, 16, 32)):
        for gates in ((), (keys,)):
            query, key = plain(rng, kind, batches, heads * groups, tokens, keys) / 9, plain(rng, kind, batches, heads, tokens, keys) / 9
            value, state = plain(rng, kind, batches, heads, tokens, values), plain(rng, kind, batches, heads, keys, values)
            decay, beta = torch.rand(batches, heads, tokens, *gates, generator=rng), torch.rand(batches, heads, tokens, generator=rng)
            for name in ("gated_delta_rule", "channelwise_gated_delta_rule"):
                yield handmade.Call(f"llama::{name}.out", [query, key, value, decay, beta, state],
                                    [handmade.Out(TYPES[kind], [*query.shape[:3], values]), handmade.Out(TYPES[kind], list(state.shape))],
                                    f"{list(query.shape)} {list(value.shape)} {len(gates)}")


def packed_by_torchao(numbers, scales, group, bits):
    """One expert's weights [outputs][depth] as torchao packs them: 8 outputs at a time, in blocks of 16 of each, then scales and sums of a group."""
    outputs, depth = numbers.shape
    parts = [torch.tensor([6712, 1, bits, 0, 0, 8, 16, 2, *[0] * 8], dtype=torch.int32).view(torch.uint8)]
    for first in range(0, outputs, 8):
        for g in range(depth // group):
            of_group = numbers[first : first + 8, g * group : (g + 1) * group]
            blocks = of_group.reshape(8, group // 16, 2, 8).permute(1, 2, 0, 3).reshape(-1, 2, 16)  # 32 numbers in two halves
            if bits == 4:
                blocks = (blocks[:, 0] + 8) | ((blocks[:, 1] + 8) << 4)
            parts.append(blocks.reshape(-1).to(torch.int16).bitwise_and(255).to(torch.uint8))
            parts.append(scales[first : first + 8, g].contiguous().view(torch.uint8))
            parts.append(of_group.sum(1).to(torch.int32).view(torch.uint8))
    return torch.cat(parts)


def experts(rng, kind):
    """Mixtures of experts of the same extension."""
    if kind != "f32":
        return
    for tokens, count, chosen, dim, hidden, group, bits in ((1, 4, 2, 32, 32, 32, 4), (8, 4, 2, 32, 48, 16, 4), (5, 8, 3, 64, 32, 32, 8), (3, 2, 2, 32, 64, 32, 4)):
        packed = []
        for outputs, depth in ((2 * hidden, dim), (dim, hidden)):
            low, high = -(1 << bits - 1), (1 << bits - 1)
            each = [packed_by_torchao(torch.randint(low, high, [outputs, depth], generator=rng), torch.rand([outputs, depth // group], generator=rng) / high / 4,
                                      group, bits) for _ in range(count)]
            packed.append(torch.stack(each))
        for scoring, biases in (("sigmoid", count), ("sigmoid", 0), ("softmax", 0)):
            yield handmade.Call("llama::quantized_moe_ffn.out", [plain(rng, kind, tokens, dim), plain(rng, kind, count, dim) / 9, torch.randn(biases, generator=rng),
                                                                 *packed, chosen, count, hidden, dim, group, bits, scoring, 2.5],
                                [handmade.Out(TYPES[kind], [tokens, dim])], f"{tokens} {count} {chosen} {dim} {hidden} {group} {bits} {scoring} {biases}")


# What walks an NHWC tensor by its memory; the real runtime's others take it for NCHW, and their numbers for PyTorch's.
BY_MEMORY = (unary, binary, numbers)
FAMILIES = (unary, binary, numbers, reductions, moves, places, quantisation, complex_numbers, language, experts)
# Whose results are sums.
SUMS = (reductions, complex_numbers, language, experts)
