#!/usr/bin/env python3
"""Kernels counted beside their goals and beside other libraries' counts, as Markdown.

`goals.py [--type TYPE]` measures every shape that has a goal, with SME2 and then with NEON; `goals.py conv pool` all shapes of these
families; `goals.py --random 40 --seed 3 pool` drawn ones; `goals.py 100x192x384 unary:exp-9` these. A goal is what a kernel should not
exceed: the best of KleidiAI and XNNPACK, less what they leave to gain. Goals hold at vectors of 512 bits; the outer products of a plain
product have one at every length.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
ANCHORS = HERE / "anchors.json"
SHAPES = json.loads((HERE / "shapes.json").read_text(encoding="utf-8"))
SME2LAB = os.environ.get("SL_SME2LAB", ROOT / "build/host/bin/sme2lab")

# For an output, or an input where a reduction has fewer outputs; the first that fits counts: engine, family, part of the kernel's name.
# Halves are allowed half of it.
PER_ELEMENT = [
    ("sme2", "binary", "_add_", 0.14), ("sme2", "unary", "_clamp_", 0.08), ("sme2", "unary", "_hardswish_", 0.22),
    ("sme2", "unary", "_gelu_", 2.0), ("sme2", "unary", "_sigmoid_", 1.0), ("sme2", "unary", "_exp_", 0.9),
    ("sme2", "reduce", "_softmax_", 1.2), ("sme2", "reduce", "_norm_", 0.6), ("sme2", "reduce", "_mean_", 0.08),
    ("sme2", "reduce", "_max_", 0.06), ("sme2", "transpose", "", 0.19), ("neon", "binary", "_add_", 0.66),
    ("neon", "reduce", "_softmax_", 5.0), ("neon", "reduce", "_norm_", 2.5), ("neon", "transpose", "", 1.2)]
OF_FLOATS_ALONE = [("neon", "unary", "_gelu_", 8.0), ("sme2", "convert", "_f32_qs8_", 0.12), ("sme2", "convert", "_qs8_f32_", 0.12)]

# A whole convolution with SME2, by (type, m, n, k). The last is a first layer: half of its anchor.
CONVOLUTIONS = {
    ("f32", 784, 128, 576): 370000, ("f32", 196, 64, 576): 55000, ("f32", 12544, 32, 27): 870436,
    ("f16", 784, 128, 576): 200000, ("f16", 196, 64, 576): 30000, ("bf16", 784, 128, 576): 200000, ("bf16", 196, 64, 576): 30000,
    ("qs8", 784, 128, 576): 125000, ("qs8", 196, 64, 576): 19000}

# An output of a depthwise window of 3x3: with SME2 from 784 pixels on, below, and with NEON. XNNPACK's int8 takes 6.6.
DEPTHWISE = {"f32": (0.60, 0.75, 4.5), "f16": (0.30, 0.375, 2.25), "bf16": (0.30, 0.375, 2.25), "qs8": (0.8, 0.8, 0.8 * 6.6)}

# Products with SME2. Elements of k that an outer product takes; instructions an outer product, to begin and end a block of two by two
# vectors, and a call; an element of whole vectors of rows that the packs of the left and the right operand move.
PRODUCTS = {
    "f32": (1, 1.32, 140, 60, 0.19, 0.2), "f16": (2, 1.32, 180, 60, 0.10, 0.15), "bf16": (2, 1.32, 140, 60, 0.10, 0.15),
    "qs8": (4, 1.32, 300, 60, 0.06, 0.2), "matmul_qd8": (4, 1.5, 300, 0, 0.6, 0.2), "matmul_q4": (4, 2.99, 471, 0, 0.6, None),
    "matmul_q4_g32": (4, 15.15 / 2, 0, 0, 0.6, None), "matmul_q4_g64": (4, 0, 0, 0, 0.6, None), "matmul_q4_g128": (4, 0, 0, 0, 0.6, None)}

# Products with NEON, of 49 rows and 128 elements of k or more: instructions a multiply-accumulate, from 256 elements on and below.
NEON_PRODUCTS = {("f32", "_mla"): (1.22, 1.25), ("f16", "_mla"): (1.29, 1.31), ("int8", "_i8mm"): (1.75, 2.0), ("int8", "_dot"): (1.36, 1.48)}


def blocks(count, size):
    return -(-count // size)


def sme2_product(row, svl, form):
    depth, each, block, call, left, right = PRODUCTS[form]
    lanes, m, n, k = svl // 32, row["m"], row["n"], row["k"]
    outer = "_mopa" in row["kernel"]
    dynamic = form.startswith("matmul_q")
    if svl != 512 and not (row["stage"] == "kernel" and outer and not form.startswith("matmul_q4")):
        return 0
    if row["stage"] == "lhs_pack":
        return left * (blocks(m, lanes) * lanes * k) + 150
    if row["stage"] == "rhs_pack" or (row["stage"] == "rhs_pack_kn" and form in ("f32", "f16", "bf16")):
        return right * (blocks(n, lanes) * lanes * k) + 200 if right else 0
    if row["stage"] == "whole" and m == 1 and outer and not dynamic:  # a single row on the panels of many
        return 4.8 * (blocks(n, 4 * lanes) * blocks(k, depth)) + 200
    if row["stage"] != "kernel":
        return 0
    if outer:  # results are read out row by row, so that more than 16 words of a vector cost in proportion
        of_k = each * (blocks(k, 4) * 4 if dynamic else 4 * blocks(k, depth))
        return (of_k + block * max(1, svl / 512)) * (blocks(m, 2 * lanes) * blocks(n, 2 * lanes)) + call
    return 0 if form.startswith("matmul_q4") or (form == "f32" and m > 1) else 2.7 * row["min_mac_instructions"] + 200


def neon_product(row, form):
    if row["stage"] != "kernel":
        return 0
    if form == "bf16":  # 1.25 instructions a BFMMLA of whole blocks of 8x12, and 110 to begin and store each
        whole = blocks(row["m"], 8) * blocks(row["n"], 12)
        return (1.25 * 24 * blocks(row["k"], 4) + 110) * whole if "_mmla" in row["kernel"] and row["m"] >= 8 else 0
    if row["m"] < 49 or row["k"] < 128:
        return 0
    for (of, part), (long, short) in NEON_PRODUCTS.items():
        if of == {"qs8": "int8", "matmul_qd8": "int8"}.get(form, form) and (of != "int8" or part in row["kernel"]):
            return (long if row["k"] >= 256 else short) * row["min_mac_instructions"]
    return 0


def product(row, svl):
    form = row["type"] if row["family"] == "matmul" else row["family"]
    if row["engine"] == "sme2":
        return sme2_product(row, svl, form) if form in PRODUCTS else 0
    return neon_product(row, form) if row["engine"] == "neon" else 0


def per_element(row):
    half = 0.5 if row["type"] in ("f16", "bf16") else 1
    outputs = row["m"] * row["n"]
    if row["family"] == "pool":  # the largest of 2x2
        return half * (0.25 if row["engine"] == "sme2" else 2.5) * outputs if "_max_" in row["kernel"] and row["k"] == 4 else 0
    for engine, family, part, each in PER_ELEMENT + (OF_FLOATS_ALONE if half == 1 else []):
        if engine == row["engine"] and family == row["family"] and part in row["kernel"]:
            return half * each * outputs * row["k"]
    return 0


def goal_of(row, svl=512):
    """Instructions that the row of `kernels bench --json` should not exceed, or None. Dilated windows, those in groups and those with several
    outputs a channel have no goal."""
    sme2 = row["engine"] == "sme2"
    static_int8 = row["type"] == "qs8"
    if any(part in row["shape"] for part in ("-d", "-g", "-m")):
        return None
    if row["family"].startswith("matmul"):
        # Dynamic int8 has floats around it; of halves nothing is asked.
        known = row["family"] == "matmul" or row["type"] not in ("f16", "bf16", "qs8")
        return int(product(row, svl)) or None if known else None
    stages = ("whole", "clamped") if sme2 and not static_int8 else ("whole",)
    if row["engine"] == "portable" or (sme2 and svl != 512) or row["stage"] not in stages:
        return None
    if row["family"] == "conv":
        return CONVOLUTIONS.get((row["type"], row["m"], row["n"], row["k"])) if sme2 else None
    if row["family"] == "depthwise":
        large, small, neon = DEPTHWISE[row["type"]]
        each = neon if not sme2 else large if row["m"] >= 784 else small
        return int(each / 9 * (row["m"] * row["n"] * row["k"]))
    return None if static_int8 else int(per_element(row)) or None


class Random:
    """SplitMix64, so that a seed draws the same shapes everywhere."""

    def __init__(self, seed):
        self.state = seed

    def between(self, low, high):
        self.state = (self.state + 0x9E3779B97F4A7C15) % 2**64
        z = (self.state ^ (self.state >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2**64
        return low + (((z ^ (z >> 31)) >> 32) * (high - low + 1) >> 32)

    def pick(self, choices):
        return choices[self.between(0, len(choices) - 1)]

    def channels(self):
        """Half of them few, as the first layers of a model have."""
        return self.between(1, 64) if self.between(0, 1) else self.between(1, 512)


MOST_DIM, MOST_ELEMENTS = 256, 65536
UNARY = ("clamp", "hardswish", "gelu", "sigmoid", "exp", "tanh", "elu", "log", "sqrt", "rsqrt", "abs", "negate", "floor", "ceiling", "leaky_relu",
         "round", "truncate", "sign", "gelu_tanh", "reciprocal", "root", "inverse_root", "expm1", "log1p", "log2", "log10", "erf", "sinh", "cosh",
         "asinh", "acosh", "atanh", "asin", "acos", "atan")
BINARY = ("add", "add_clamped", "subtract", "multiply", "maximum", "minimum", "divide", "prelu", "equal", "unequal", "less", "atmost", "keep", "drop")
CONVERT = ("f16_f32", "f32_f16", "bf16_f32", "f32_bf16", "qs8_f32", "qs8_f16", "f32_qs8", "f16_qs8", "qs8_qs8")


def group(type_):
    """Elements of k that share a scale of int4 weights; 1 where none do."""
    return int(type_.rpartition("_g")[2]) if type_ and "_g" in type_ else 1


def draw_conv(r, _type):
    """Windows of 1, 3 and 5, one or two apart along an axis of one row or of many; a quarter of them in groups."""
    side = r.between(7, 28)
    high = side if r.between(0, 5) else 1
    wide = r.pick((1, 3, 3, 5))
    tall = wide if high > 1 else 1
    groups = r.pick((1, 1, 1, 2, 4, 8))
    dilation = 1 if r.between(0, 3) else 2
    stride, outputs, inputs = r.between(1, 2), groups * r.between(1, 128 // groups), groups * r.between(1, 128 // groups)
    pads = f"{tall // 2 * dilation}x{wide // 2 * dilation}"
    return f"{high}x{side}x{inputs}-{outputs}-{tall}x{wide}-s{stride}-p{pads}-d{dilation}-g{groups}"


def draw_deconv(r, _type):
    side, stride = r.between(4, 20), r.between(1, 2)
    kernel = r.between(stride, 4)
    pad, outputs, inputs = r.between(0, kernel // 2), r.between(1, 64), r.between(1, 64)
    return f"{side}x{side}x{inputs}-{outputs}-{kernel}x{kernel}-s{stride}-p{pad}"


def draw_depthwise(r, _type):
    """One in four of them dilated, or with several outputs a channel."""
    side, kernel, rare = r.between(7, 56), 3 if r.between(0, 2) else 5, r.between(0, 7)
    dilation, tail = 2 if rare == 1 else 1, {0: "-m2", 1: "-d2"}.get(rare, "")
    stride = r.between(1, 2)
    return f"{side}x{side}x{r.channels()}-{kernel}x{kernel}-s{stride}-p{kernel // 2 * dilation}{tail}"


def draw_pool(r, type_):
    """Half of them the largest of 2x2."""
    side, wide = 2 * r.between(3, 56), r.between(1, 128)
    if r.between(0, 1):
        return f"max-{side}x{side}x{wide}-2x2-s2-p0"
    average = r.between(0, 1) and type_ != "qs8"
    return f"{'average' if average else 'max'}-{side // 2}x{side // 2}x{wide}-3x3-s{r.between(1, 2)}-p1"


def draw_argmax(r, _type):
    kernel = r.between(2, 3)
    side = kernel * r.between(3, 28)
    return f"{side}x{side}x{r.between(1, 128)}-{kernel}x{kernel}"


def draw_resize(r, _type):
    wide, high, channels, columns, rows = r.between(4, 64), r.between(4, 64), r.between(1, 96), r.between(4, 40), r.between(4, 40)
    return f"{rows}x{columns}x{channels}-{high}x{wide}"


def draw_reduce(r, type_):
    op = 0 if type_ == "qs8" else r.between(0, 4)
    if op == 0:
        inner = r.between(1, 1024)
        return f"mean-1x{r.between(4, 784)}x{inner}"
    reduced = r.between(7, 1024)
    return f"{('softmax', 'layer_norm', 'rms_norm', 'max')[op - 1]}-{r.between(8, 256)}x{reduced}x1"


def draw_transpose(r, _type):
    columns = r.between(2, MOST_DIM)
    return f"{r.between(2, 1024)}x{columns}"


def draw_permute(r, _type):
    order, c, b, a = r.pick(("021", "102", "120", "201", "210")), r.between(1, 64), r.between(1, 64), r.between(1, 32)
    return f"{a}x{b}x{c}-{order}"


def draw_repeat(r, _type):
    times = r.between(1, 8)
    return f"{r.between(1, MOST_ELEMENTS // 4)}x{times}"


def draw_unary(r, type_):
    op = r.pick(("clamp", "table") if type_ == "qs8" else UNARY)
    return f"{op}-{r.between(1, MOST_ELEMENTS)}"


def draw_binary(r, type_):
    op = r.pick(("add", "multiply") if type_ == "qs8" else BINARY)
    return f"{op}-{r.between(1, MOST_ELEMENTS)}"


def draw_convert(r, _type):
    count = r.between(1, MOST_ELEMENTS)
    return f"{r.pick(CONVERT)}-{count}"


def draw_quantise(r, _type):
    columns = r.between(1, 1024)
    return f"{r.between(1, 256)}x{columns}"


def whole_groups(k, type_):
    return blocks(k, group(type_)) * group(type_)


def draw_gemv(r, type_):
    k = r.between(1, 8 * MOST_DIM)
    return f"1x{r.between(1, 4 * MOST_DIM)}x{whole_groups(k, type_)}"


def draw_batch(r, type_):
    """Pairs of matrices; the right ones as they come, or of floats the other way round."""
    turned = r.between(0, 1) and type_ != "qd8"
    k, n, m = (r.between(1, MOST_DIM // 2) for _ in range(3))
    return f"batch{'_nk' if turned else ''}:{r.between(1, 8)}x{m}x{n}x{k}"


DRAWN = {"conv": draw_conv, "deconv": draw_deconv, "depthwise": draw_depthwise, "pool": draw_pool, "argmax": draw_argmax, "resize": draw_resize,
         "reduce": draw_reduce, "transpose": draw_transpose, "permute": draw_permute, "repeat": draw_repeat, "unary": draw_unary,
         "binary": draw_binary, "convert": draw_convert, "quantise": draw_quantise, "gemv": draw_gemv, "batch": draw_batch}


def draw_layer(r, family, type_):
    """A layer of the family as --type TYPE takes it."""
    shape = DRAWN[family](r, type_)
    return shape if family == "batch" else f"{'matmul' if family == 'gemv' else family}:{shape}"


def draw_product(r, type_):
    m, n, k = (r.between(1, MOST_DIM) for _ in range(3))
    return f"{m}x{n}x{whole_groups(k, type_)}"


def drawn(families, type_, count, seed):
    """So many layers of each family, or products of none, as --type TYPE takes them."""
    r = Random(seed)
    draws = [(draw_layer, family) for family in families] or [(lambda r, _, type_: draw_product(r, type_), None)]
    return [one(r, family, type_) for one, family in draws for _ in range(count)]


def type_of(shape):
    """What --type this shape is of."""
    family, slash = shape.split(":")[0], shape.find("/")
    if slash > 0 and shape[:slash] != "f32":
        return shape[:slash]
    if family.startswith(("matmul_", "batch_q")):
        return family.partition("_")[2]
    return "convert" if family in ("convert", "quantise") else "f32"


def listed(words, type_):
    """The listed shapes of the type (None: of all), those with a goal first; of these families and with the others if any is named."""
    def names(word, family):
        return family in (word, f"{word}_{type_}") or (word == "batch" and family.startswith("batch_"))

    def fits(shape):
        family = shape.split(":")[0].rpartition("/")[2]
        return type_ in (None, type_of(shape)) and (not words or any(names(word, family) for word in words))
    return [shape for shape in SHAPES["goals"] + (SHAPES["others"] if words else []) if fits(shape)]


def measure(shapes, type_=None, engine="sme2", svl=512, kernel=None, skip_absent=False):
    """The rows of `kernels bench --json`, each with its goal and whether it is met."""
    words = [kernel] if kernel else ["--engine", engine]
    words += [*shapes, "--svl", str(svl), "--anchors", str(ANCHORS), "--json", *(["--type", type_] if type_ else []), *(["--skip-absent"] if skip_absent else [])]
    done = subprocess.run([str(SME2LAB), "kernels", "bench", *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"kernels bench {' '.join(words)} exits {done.returncode}: {done.stderr.strip()}")
    rows = json.loads(done.stdout)["rows"]
    for row in rows:
        row["goal"] = goal_of(row, svl)
        row["met"] = row["instructions"] <= row["goal"] if row["goal"] and row["instructions"] is not None else None
    return rows


def measure_goals(type_, svl):
    """Every listed shape with SME2 and with NEON, then the kernels that have a goal and are not the first of their list."""
    shapes = listed((), type_)
    for engine in ("sme2", "neon"):
        yield from measure(shapes, engine=engine, svl=svl, skip_absent=True)
    for kernel, shape in SHAPES["kernels"]:
        if not type_ or type_of(shape) == type_:
            yield from measure([shape], kernel=kernel, svl=svl)


def line_of(row):
    def number(value):
        return "" if value is None else f"{value:,}"
    anchor = row["anchor"]["instructions"] if row["anchor"] else None
    verdict = {None: "", True: "met", False: "PAST"}[row["met"]]
    what = f"{row['engine']} {row['shape']}"
    return f"| {what} | {row['stage']} | {number(row['instructions'])} | {number(anchor)} | {number(row['goal'])} | {verdict} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", metavar="FAMILY|SHAPE")
    parser.add_argument("--type", help="of shapes that name none; of every listed one: this type alone")
    parser.add_argument("--engine", default="sme2", choices=("sme2", "neon", "portable"))
    parser.add_argument("--svl", type=int, default=512, help="vectors of so many bits")
    parser.add_argument("--random", type=int, metavar="N", help="draw N products, or N layers of each FAMILY")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="the rows of `kernels bench` with goal and met")
    options = parser.parse_args()
    if options.random:
        rows = measure(drawn(options.words, options.type, options.random, options.seed), options.type, options.engine, options.svl)
    elif options.words:
        families = [word for word in options.words if word.isidentifier()]
        shapes = [word for word in options.words if word not in families] + (listed(families, options.type) if families else [])
        if not shapes:
            parser.error(f"no shape of {', '.join(families)} is listed in shapes.json for this type")
        rows = measure(shapes, options.type, options.engine, options.svl, skip_absent=bool(families))
    else:
        rows = list(measure_goals(options.type, options.svl))
    if options.json:
        print(json.dumps(rows))
        return 0
    print("| engine, shape | stage | ours | anchor | goal | |\n|---|---|--:|--:|--:|---|")
    for row in rows:
        print(line_of(row))
    return 0


if __name__ == "__main__":
    sys.exit(main())
