"""The formulas of tests/bench/kernels/goals.py: what they come to, and random products, counted, against them, so that nothing is tuned to
a list of shapes.

`python3 tests/integration/test_kernel_goals.py Goals.test_f32` runs one type; SL_GOALS=N draws N shapes and
SL_GOALS_SEED=S other ones."""

import math
import os
import re
import sys
import unittest

import lab

sys.path.insert(0, str(lab.ROOT / "tests/bench/kernels"))
import goals  # noqa: E402

COUNT = int(os.environ.get("SL_GOALS", "6"))
SEED = int(os.environ.get("SL_GOALS_SEED", "20"))


def setUpModule():
    lab.need(lab.SME2LAB, lab.AGENT, lab.EMULATOR)


def row_bytes(row):
    """The size of k elements as they are packed."""
    size = {"f32": 4, "f16": 2, "bf16": 2}.get(row["type"], 1)
    return row["k"] * (1 if "matmul_q" in row["family"] else size)


def panels(row):
    return math.ceil(row["n"] / 32)


def tiles(row):
    return math.ceil(row["m"] / 16)


# What may cost more than its goal: which rows, how many instructions more, and why.
EXCEPTIONS = (
    ("a short row costs its load and its place in a panel, whatever it is long",
     lambda r: r["stage"] == "rhs_pack" and row_bytes(r) <= 88,
     lambda r: 130 + (46 if "matmul_q" in r["family"] or r["type"] == "qs8" else 34) * panels(r)),
    ("rows of a last panel that is not whole are looked up one by one",
     lambda r: r["stage"] == "rhs_pack" and r["n"] % 32 and row_bytes(r) <= 160, lambda r: 90),
    ("up to one panel, the call itself",
     lambda r: r["stage"] == "rhs_pack" and r["n"] <= 32, lambda r: 60),
    ("a panel of [k][n] begins with its biases and ends with rows that are no eight, however many there are",
     lambda r: r["stage"] == "rhs_pack_kn", lambda r: 60 + 55 * panels(r)),
    ("short rows of the left operand",
     lambda r: r["stage"] == "lhs_pack" and row_bytes(r) <= 72 and "matmul_q" not in r["family"],
     lambda r: 30 + 12 * tiles(r)),
    ("a last tile that is not full finds the distances of its rows again",
     lambda r: r["stage"] == "lhs_pack" and r["m"] % 16 and "matmul_q" not in r["family"], lambda r: 60),
    ("parameters of 16 rows take 47 instructions, however few columns the rows have",
     lambda r: r["stage"] == "lhs_pack" and "matmul_q" in r["family"] and r["k"] <= 64,
     lambda r: 120 + 190 * tiles(r)),
    ("sums of each group are scaled and added up, and a block's results stored: 120 a group and 240",
     lambda r: r["stage"] == "kernel" and r["family"] == "matmul_q4_g32" and r["k"] <= 64,
     lambda r: 100 + (0.6 if r["k"] <= 32 else 0.1) * r["goal"]),
    ("a row or column of blocks that is one tile wide shares its loads with none",
     lambda r: r["stage"] == "kernel" and "_mopa" in r["kernel"] and
     (min(r["m"] % 32, r["n"] % 32) <= 17 or min(r["m"], r["n"]) <= 32),
     lambda r: 25 + (0.16 if "matmul_q" in r["family"] else 0.08) * r["goal"]),
    ("of one vector of columns in NEON, every row's elements are loaded for four products",
     lambda r: r["engine"] == "neon" and "_mla" in r["kernel"] and
     r["n"] <= (8 if r["type"] == "f16" else 4), lambda r: 0.1 * r["goal"]),
    ("by SMMLA the left operand is put into pairs of rows first, which many columns share; k are whole sixteens and"
     " columns whole fours", lambda r: "_i8mm" in r["kernel"] and r["n"] > 16,
     lambda r: 0.05 * r["goal"] + 0.2 * r["m"] * r["k"]),
    ("of so few columns the left operand and the requantisation are most of it",
     lambda r: "_i8mm" in r["kernel"] and r["n"] <= 16, lambda r: 1.2 * r["goal"]),
    ("GELU of -inf in NEON is a NaN by two instructions a vector",
     lambda r: r["engine"] == "neon" and "_gelu_" in r["kernel"], lambda r: 0.07 * r["goal"]),
    ("a single row: the call, and groups of columns that do not fill four vectors",
     lambda r: r["m"] == 1, lambda r: 200 + 0.7 * r["goal"]),
)


MOPA, GEMV, NEON = "sl_x_2vlx2vl_sme2_mopa", "sl_x_1x16vl_sme2_mla", "sl_x_5x16_neon_mla"


def goal(family, kernel, stage, m, n, k, type_="f32", svl=512, least=0, shape="any"):
    engine = "sme2" if "_sme2" in kernel else "neon" if "_neon" in kernel else "portable"
    return goals.goal_of({"family": family, "kernel": kernel, "stage": stage, "m": m, "n": n, "k": k, "type": type_, "engine": engine,
                          "min_mac_instructions": least, "shape": shape}, svl)


class Formulas(unittest.TestCase):
    def test_products_round_up_to_whole_blocks(self):
        block = {"family": "matmul", "kernel": MOPA, "m": 100, "n": 192, "k": 384}
        self.assertEqual(goal(**block, stage="kernel"), 48660 + 24 * 140 + 60)  # 4 x 6 blocks of 32 x 32: 36,864 outer products
        # At 1024 bits 2 x 3 of 64 x 64, read out by rows of twice the length.
        self.assertEqual(goal(**block, stage="kernel", svl=1024), 12165 + 6 * 280 + 60)
        self.assertEqual(goal(**block, stage="kernel", svl=256), 7 * 12 * (4 * 384 * 132 + 14000) // 100 + 60)
        self.assertEqual(goal(**block, stage="lhs_pack"), 112 * 384 * 19 // 100 + 150)
        self.assertIsNone(goal(**block, stage="lhs_pack", svl=256))
        for stage in ("rhs_pack", "rhs_pack_kn"):
            self.assertEqual(goal(**block, stage=stage), 192 * 384 // 5 + 200)
        self.assertIsNone(goal(**block, stage="whole"))

    def test_other_types_take_more_k_an_instruction(self):
        for type_, kernel, m, n, k, least, expected in (
                ("f16", MOPA, 49, 960, 160, 19200, 60 * (4 * 80 * 132 + 18000) // 100 + 60),
                ("bf16", MOPA, 49, 960, 160, 19200, 60 * (4 * 80 * 132 + 14000) // 100 + 60),
                ("qs8", MOPA, 49, 960, 160, 9600, int(60 * (1.32 * 4 * 40 + 300) + 60)),
                ("f16", GEMV, 1, 1024, 1024, 8192, 8192 * 27 // 10 + 200),
                ("f16", NEON, 256, 256, 256, 2097152, 2097152 // 100 * 129 + 67),
                ("f16", NEON, 128, 128, 128, 262144, 343408),
                ("qs8", "sl_x_neon_dot", 256, 256, 256, 1048576, 1426063),
                ("bf16", "sl_x_neon_mmla", 49, 960, 160, 480000, 7 * 80 * (30 * 40 + 110)),
                ("bf16", NEON, 128, 128, 128, 524288, None)):
            with self.subTest(type=type_, kernel=kernel):
                self.assertEqual(goal("matmul", kernel, "kernel", m, n, k, type_, least=least), expected)
        self.assertIsNone(goal("matmul_q4_g64", MOPA, "kernel", 64, 64, 64))

    def test_elements_are_outputs_or_inputs_of_a_reduction(self):
        self.assertEqual(goal("reduce", "sl_reduce_mean_f32_sme2", "whole", 1, 512, 49), 512 * 49 * 8 // 100)
        self.assertIsNone(goal("reduce", "sl_reduce_mean_f32_sme2", "whole", 1, 512, 49, svl=1024))
        self.assertEqual(goal("pool", "sl_pool_max_f32_neon", "whole", 100, 64, 4), 16000)
        self.assertEqual(goal("binary", "sl_binary_add_f32_sme2", "clamped", 1, 1000, 1), 140)
        self.assertEqual(goal("binary", "sl_binary_add_f16_sme2", "clamped", 1, 1000, 1, "f16"), 70)
        self.assertIsNone(goal("binary", "sl_binary_add_f32_neon", "clamped", 1, 1000, 1))

    def test_windows_that_are_dilated_or_in_groups_have_none(self):
        self.assertEqual(goal("conv", MOPA, "whole", 196, 64, 576), 55000)
        window = ("depthwise", "sl_depthwise_f32_sme2", "whole", 784, 100, 25)
        self.assertEqual(goal(*window), 784 * 100 * 60 * 25 // 900)
        for shape in ("depthwise:28x28x50-5x5-s1-p2-m2", "depthwise:28x28x100-5x5-s1-p4-d2", "conv:8x8x8-8-3x3-s1-p1-g2"):
            self.assertIsNone(goal(*window, shape=shape))

    def test_a_seed_draws_the_same_everywhere(self):
        self.assertEqual(goals.drawn(("conv",), "f32", 1, 1), ["conv:19x19x67-113-5x5-s2-p2x2-d1-g1"])
        for family in goals.DRAWN:
            first = goals.drawn((family,), "f32", 9, 4)
            self.assertEqual(first, goals.drawn((family,), "f32", 9, 4))
            self.assertNotEqual(first, goals.drawn((family,), "f32", 9, 5))
        for shape in goals.drawn(("gemv",), "q4_g64", 9, 4):
            self.assertEqual(int(shape.rpartition("x")[2]) % 64, 0)

    def test_every_listed_shape_is_of_one_type(self):
        types = {goals.type_of(shape) for shape in goals.SHAPES["goals"] + goals.SHAPES["others"]}
        self.assertEqual(types, {"f32", "f16", "bf16", "qs8", "qd8", "q4", "q4_g32", "q4_g64", "q4_g128", "convert"})
        self.assertEqual(sum(len(goals.listed((), type_)) for type_ in types), len(goals.SHAPES["goals"]))
        self.assertEqual(goals.listed(("conv",), "qs8")[:2], ["qs8/conv:28x28x64-128-3x3-s1-p1", "qs8/conv:14x14x64-64-3x3-s1-p1"])
        self.assertEqual(goals.listed(("batch",), "qd8"), ["batch_qd8:12x197x197x64"])


class Goals(unittest.TestCase):
    def check(self, type_, engine="sme2"):
        shapes = goals.drawn((), type_, COUNT, SEED)
        rows = [row for row in goals.measure(shapes, type_, engine) if row["goal"] is not None]
        for row in rows:
            allowed = max([more(row) for _, fits, more in EXCEPTIONS if fits(row)], default=0)
            with self.subTest(**{key: row[key] for key in ("type", "kernel", "stage", "m", "n", "k")}):
                self.assertLessEqual(row["instructions"], row["goal"] + allowed)
        return rows

    def check_sme2(self, type_):
        rows = self.check(type_)
        self.assertGreaterEqual(len([row for row in rows if row["met"]]), 0.7 * len(rows))
        self.assertGreaterEqual(len(rows), 2 * COUNT)

    def test_f32(self):
        self.check_sme2("f32")

    def test_f16(self):
        self.check_sme2("f16")

    def test_bf16(self):
        self.check_sme2("bf16")

    def test_f32_and_f16_in_neon(self):
        for type_ in ("f32", "f16"):
            self.assertTrue(self.check(type_, "neon"))

    def test_static_int8_in_neon(self):
        rows = self.check("qs8", "neon")
        self.assertTrue(any("_i8mm" in row["kernel"] for row in rows))

    def test_dynamic_int8_in_neon(self):
        rows = self.check("qd8", "neon")
        self.assertTrue(any("_i8mm" in row["kernel"] for row in rows))

    def test_bf16_in_neon(self):
        rows = self.check("bf16", "neon")
        self.assertTrue(any("_mmla" in row["kernel"] for row in rows))

    def test_static_int8(self):
        self.check_sme2("qs8")

    def test_dynamic_int8(self):
        self.check_sme2("qd8")

    def test_int4(self):
        self.check("q4")

    def test_int4_in_groups(self):
        self.check("q4_g32")


def blocks(count, size):
    return math.ceil(count / size)


def numbers(row):
    return [int(number) for number in re.findall(r"\d+", row["shape"].split(":")[1])]


def allowed_depthwise(row):
    """Vectors of channels are whole ones, or at stride 1 (int8 at 2 too) four vectors of a row; a column or row more than
    a vector's worth of the image costs its own; a call that pads copies the image."""
    height, width, channels, side, _, stride, pad = numbers(row)
    lanes = {"f32": 16, "f16": 32, "qs8": 64}[row["type"]]
    out = (width + 2 * pad - side) // stride + 1
    fill = blocks(channels, lanes) * lanes / channels
    if stride == 1 or row["type"] == "qs8":
        fill = min(fill, blocks(out * channels, 4 * lanes) * 4 * lanes / (out * channels))
    strided = {"f32": 1.25, "f16": 1.45, "qs8": 1.4}[row["type"]]
    if stride == 2 and side == 3 and channels == lanes and row["type"] != "qs8":
        strided = 0.9  # four pixels a load
    return row["goal"] * fill * (1.3 if stride == 1 else strided) + 200 + 30 * height


def allowed_transpose(row):
    """Blocks of rows by columns: 7 for four rows, 7 for four columns, and itself."""
    tall, wide = (64, 32) if row["type"] == "f16" else (32, 32)
    down, across = blocks(row["m"], tall), blocks(row["n"], wide)
    return 60 + 60 * down * across + 2 * (row["m"] + 3) * across + 2 * (row["n"] + 3) * down


def allowed_reduce(row):
    """A mean's call, and columns in whole quads of vectors; rows of halves cost a deviation, or a factor, of their own."""
    if "_mean_" in row["kernel"]:
        quad, each = (64, 3) if row["type"] == "f32" else (256, 6)
        return 270 + (each * row["k"] + 60) * blocks(row["n"], quad)
    if "_norm_" in row["kernel"] and row["type"] == "f16":
        return row["goal"] + row["m"] * 65 + 100
    return row["goal"] * (1.05 if row["type"] == "f32" else 1.25) + row["m"] * (30 if row["type"] == "f32" else 90)


LAYERS = {
    "depthwise": allowed_depthwise,
    "transpose": allowed_transpose,
    "reduce": allowed_reduce,
    # 12 more a row and four windows of few channels, which TBL sorts; below four windows a row one by one
    "pool": lambda r: 250 + r["goal"] * 1.3 + 14 * r["m"] if r["n"] < 64 else 250 + 1.3 * r["goal"] + 6 * r["m"],
    "unary": lambda r: 150 + r["goal"] * (1.15 if r["type"] == "f16" else 1),
    "binary": lambda r: 290 + 1.15 * r["goal"],
}


class Layers(unittest.TestCase):
    """Layers of any shape, few channels and short rows too: the formulas, or what whole vectors make of them."""

    def check(self, type_, *families):
        drawn = goals.measure(goals.drawn(families, type_, COUNT, SEED), type_)
        self.assertEqual(len({row["shape"] for row in drawn}), COUNT * len(families))
        rows = [row for row in drawn if row["goal"] is not None]
        self.assertGreaterEqual(len(rows), COUNT * len(families) // 3)
        for row in rows:
            with self.subTest(shape=row["shape"], kernel=row["kernel"], goal=row["goal"]):
                self.assertLessEqual(row["instructions"], max(row["goal"], LAYERS[row["family"]](row)))

    def test_f32(self):
        self.check("f32", *LAYERS)

    def test_f16(self):
        self.check("f16", *LAYERS)

    def test_depthwise_of_int8(self):
        self.check("qs8", "depthwise")


class Lengths(unittest.TestCase):
    """The formulas at the other vector lengths: a block's results cost in proportion to its rows' length."""

    def check(self, svl):
        types = ("matmul", "f16/matmul", "bf16/matmul", "qs8/matmul", "matmul_qd8")
        shapes = [f"{t}:{s}" for t in types for s in ("128x128x128", "256x256x64")]
        rows = [row for row in goals.measure(shapes, svl=svl) if row["stage"] == "kernel"]
        self.assertEqual(len(rows), 2 * len(types))
        for row in rows:
            with self.subTest(svl=svl, **{key: row[key] for key in ("kernel", "m", "n", "k")}):
                self.assertLessEqual(row["instructions"], row["goal"])
                if row["anchor"]:
                    self.assertLessEqual(row["instructions"], row["anchor"]["instructions"])

    def test_vectors_of_128_bits(self):
        self.check(128)

    def test_vectors_of_256_bits(self):
        self.check(256)

    def test_vectors_of_1024_bits(self):
        self.check(1024)

    def test_vectors_of_2048_bits(self):
        self.check(2048)


if __name__ == "__main__":
    lab.main()
