"""`kernels bench --silicon`: what single kernels would take on named silicon, beside what was published of the same product."""

import json
import unittest

import lab


def setUpModule():
    lab.need(lab.SME2LAB, lab.AGENT, lab.EMULATOR)


def bench(*words):
    done = lab.sme2lab("kernels", "bench", *map(str, words), "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["rows"]


class Estimates(unittest.TestCase):
    def test_time_is_estimated_beside_instructions_and_published_timings(self):
        rows = bench("64x64x64", "unary:gelu-4096", "--silicon", "apple-m4")
        self.assertEqual({row["estimate"]["profile"] for row in rows}, {"apple-m4"})
        for row in rows:
            estimate = row["estimate"]
            self.assertEqual(set(estimate), {"profile", "low_ns", "mid_ns", "high_ns", "bound"})
            self.assertTrue(0 < estimate["low_ns"] <= estimate["mid_ns"] <= estimate["high_ns"], row)
        whole = next(row for row in rows if row["family"] == "matmul" and row["stage"] == "whole")
        self.assertEqual(whole["published"], {"code": "libxsmm", "ns": 2 * 64**3 / 1117})
        self.assertTrue(whole["estimate"]["low_ns"] / 2 < whole["published"]["ns"] < 2 * whole["estimate"]["high_ns"])
        self.assertIsNone(next(row for row in rows if row["family"] == "unary")["published"])
        neon = next(row for row in bench("64x64x64", "--engine", "neon", "--silicon", "apple-m4") if row["stage"] == "whole")
        self.assertGreater(neon["estimate"]["mid_ns"], 5 * whole["estimate"]["mid_ns"])
        text = lab.sme2lab("kernels", "bench", "64x64x64", "--silicon", "apple-m4").stdout
        self.assertIn("estimated on apple-m4: ", text)
        self.assertIn("libxsmm published 469 ns", text)
        self.assertNotIn("estimate", bench("8x8x8")[0])

    def test_what_the_default_streams_is_nowhere_slower_beyond_the_band_and_what_is_small_is_slower_somewhere(self):
        """The edges of the classes in kernels/cpu/small.h, from either side: what is small by the middle of the estimate, as windows by channels are."""
        stream = ("matmul:16x64x64", "matmul:1x128x128", "f16/matmul:8x64x64", "qs8/matmul:16x64x128", "qs8/matmul:196x96x96", "bf16/matmul:16x64x64", "matmul_qd8:16x64x128", "conv:7x7x16-32-1x1-s1-p0",
                  "qs8/conv:7x7x8-8-3x3-s1-p1")
        small = ("matmul:8x8x8", "matmul:64x2x64", "f16/matmul:1x64x256", "qs8/matmul:64x2x64", "qs8/matmul:196x96x64", "bf16/matmul:8x64x64", "bf16/matmul:64x8x64", "matmul_qd8:4x64x64", "conv:1x1x16-16-1x1-s1-p0",
                 "depthwise:28x28x64-3x3-s1-p1", "depthwise:28x28x16-3x3-s1-p2-d2", "f16/depthwise:56x56x8-3x3-s1-p1")
        beyond, by_middle = {}, {}
        for profile in ("apple-m4", "arm-c1-ultra"):
            on, off = ({row["shape"]: row["estimate"] for row in bench(*stream, *small, "--engine", engine, "--silicon", profile) if row["stage"] == "whole"}
                       for engine in ("sme2", "neon"))
            self.assertEqual(set(on), {*stream, *small})
            for shape in on:
                beyond.setdefault(shape, []).append(on[shape]["low_ns"] > off[shape]["high_ns"])
                by_middle.setdefault(shape, []).append(on[shape]["mid_ns"] > off[shape]["mid_ns"])
        self.assertFalse([shape for shape in stream if any(beyond[shape])])
        self.assertFalse([shape for shape in small if not any(by_middle[shape])])

    def test_float_products_with_one_vector_of_rows_or_columns_are_no_slower_by_the_middle(self):
        """Where fewer than four outer products are in flight, four of these are slower than NEON on a C1-Ultra."""
        narrow = ("matmul:100x16x64", "matmul:16x100x64", "f16/matmul:100x16x256", "f16/matmul:16x100x256", "conv:56x56x3-16-3x3-s2-p1", "conv:28x28x16-16-3x3-s1-p1",
                  "f16/conv:28x28x16-16-3x3-s1-p1")
        for profile in ("apple-m4", "arm-c1-ultra"):
            on, off = ({row["shape"]: row["estimate"]["mid_ns"] for row in bench(*narrow, "--engine", engine, "--silicon", profile) if row["stage"] == "whole"}
                       for engine in ("sme2", "neon"))
            self.assertEqual(set(on), set(narrow))
            self.assertEqual([shape for shape in narrow if on[shape] > off[shape]], [], profile)

    def test_functions_norms_and_resizes_end_on_neon(self):
        """configs/silicon/README.md, "Where SME2 ends on this silicon": the lines of its table, in small."""
        both = ("f16/binary:multiply-16384", "qs8/binary:add-16384", "f16/resize:8x8x64-16x16", "qs8/resize:8x8x64-16x16", "reduce:softmax-16x1024x1",
                "f16/reduce:softmax-16x1024x1", "reduce:layer_norm-16x1024x1", "f16/reduce:layer_norm-16x1024x1", "reduce:rms_norm-16x1024x1",
                "unary:gelu-16384")
        one = ("binary:multiply-16384", "resize:8x8x64-16x16", "f16/reduce:rms_norm-16x1024x1", "f16/unary:gelu-16384")  # an M4 gains by these
        for profile, slower in (("apple-m4", both), ("arm-c1-ultra", both + one)):
            on, off = ({row["shape"]: row["estimate"]["mid_ns"] for row in bench(*slower, "--engine", engine, "--silicon", profile) if row["stage"] == "whole"}
                       for engine in ("sme2", "neon"))
            self.assertEqual(set(on), set(slower))
            self.assertEqual([shape for shape in slower if on[shape] <= off[shape]], [], profile)

    def test_silicon_that_cannot_be_estimated_is_refused(self):
        for words, why in ((("--silicon", "none"), "none"), (("--silicon", "apple-m4,apple-m5"), "one profile"),
                           (("--silicon", "apple-m4", "--clock", "ns"), "counted")):
            done = lab.sme2lab("kernels", "bench", "8x8x8", *words)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(why, done.stderr)


if __name__ == "__main__":
    lab.main()
