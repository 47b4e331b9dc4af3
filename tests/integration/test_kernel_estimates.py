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

    def test_silicon_that_cannot_be_estimated_is_refused(self):
        for words, why in ((("--silicon", "none"), "none"), (("--silicon", "apple-m4,apple-m5"), "one profile"),
                           (("--silicon", "apple-m4", "--clock", "ns"), "counted")):
            done = lab.sme2lab("kernels", "bench", "8x8x8", *words)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(why, done.stderr)


if __name__ == "__main__":
    lab.main()
