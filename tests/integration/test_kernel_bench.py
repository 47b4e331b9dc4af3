"""Every kernel of every list can be benched: by its name, by a shape of its family, drawn at random."""

import json
import re
import subprocess
import sys
import unittest

import lab

sys.path.insert(0, str(lab.ROOT / "tests/bench/kernels"))
import goals  # noqa: E402

FAMILIES = ("matmul", "conv", "depthwise", "pool", "unary", "binary", "reduce", "layout", "convert")


def setUpModule():
    lab.need(lab.SME2LAB, lab.AGENT, lab.EMULATOR)


def agent(*words, cpu="max,sme512=on"):
    done = subprocess.run([lab.EMULATOR, "-cpu", cpu, lab.AGENT, "kernels", *words], capture_output=True, text=True, timeout=170)
    assert done.returncode == 0, done.stderr
    return done.stdout


def bench(*words):
    done = lab.sme2lab("kernels", "bench", *map(str, words), "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["rows"]


class Kernels(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.kernels = json.loads(agent("--list", "--json"))["kernels"]

    def test_every_list_is_listed(self):
        named = set()
        for path in (lab.ROOT / "kernels").glob("*/*.inc"):
            if path.stem != "peak":  # `kernels bench --peaks` runs these
                named |= set(re.findall(r"^SL_[A-Z0-9_]+\((sl_\w+)\)", path.read_text(), re.MULTILINE))
        self.assertGreater(len(named), 300)
        self.assertEqual({kernel["kernel"] for kernel in self.kernels}, named)

    def test_every_kernel_runs_on_its_usual_shape(self):
        rows = []
        for engine in ("sme2", "neon"):  # unit/agent/bench runs the portable ones
            rows += map(json.loads, agent("--each", "all", "--engine", engine, "--clock", "marks").splitlines())
        missing = {kernel["kernel"] for kernel in self.kernels if "_scalar" not in kernel["kernel"]} - {row["kernel"] for row in rows}
        self.assertEqual(missing, set())

    def test_without_sme_the_others_run(self):
        rows = [json.loads(row) for row in agent("--each", "depthwise", "--engine", "neon", "--clock", "marks", cpu="max,sme=off").splitlines()]
        wanted = {kernel["kernel"] for kernel in self.kernels if kernel["family"] == "depthwise" and "_neon" in kernel["kernel"]}
        self.assertEqual({row["kernel"] for row in rows}, wanted)

    def test_families_that_are_not_there_are_refused(self):
        done = lab.sme2lab("kernels", "bench", "--each", "soup")
        self.assertEqual(done.returncode, 2)
        self.assertIn("No family of kernels is called 'soup'", done.stderr)
        for words in (("--each", "--type", "f16"), ("--each", "--tune")):
            self.assertEqual(lab.sme2lab("kernels", "bench", *words).returncode, 2)


class Anchors(unittest.TestCase):
    def test_rows_are_set_beside_what_a_file_says(self):
        plain = bench("64x64x64")
        self.assertFalse(any("anchor" in row or "goal" in row or "met" in row for row in plain))
        rows = bench("64x64x64", "--anchors", goals.ANCHORS)
        kernel = next(row for row in rows if row["stage"] == "kernel")
        self.assertEqual((kernel["anchor"]["instructions"], kernel["goal"], kernel["met"]), (2237, None, None))
        self.assertEqual([{key: row[key] for key in plain[0]} for row in rows], plain)
        text = lab.sme2lab("kernels", "bench", "64x64x64", "--anchors", goals.ANCHORS).stdout
        self.assertIn("x anchor", text)
        self.assertNotIn("x anchor", lab.sme2lab("kernels", "bench", "64x64x64").stdout)

    def test_what_is_no_file_of_anchors_is_refused(self):
        for path, said in ((lab.ROOT / "README.md", "The file is not JSON from here on"), ("/nowhere", "where: /nowhere")):
            done = lab.sme2lab("kernels", "bench", "64x64x64", "--anchors", path)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(said, done.stderr)

    def test_shapes_without_a_kernel_are_left_out_on_request(self):
        self.assertNotEqual(lab.sme2lab("kernels", "bench", "repeat:16384x4").returncode, 0)
        self.assertEqual(bench("repeat:16384x4", "--skip-absent"), [])


class Counts(unittest.TestCase):
    def test_a_kernel_by_its_name(self):
        for kernel, shape in (("sl_argmax_f32_f32_1x16_neon", "argmax:56x56x64-2x2"),
                              ("sl_matmul_f16_f16_f16p16vlx2_1x16vl_sme2_dot", "f16/matmul:1x1024x1024"),
                              ("sl_unary_leaky_relu_f16_f16_1x1_scalar", "f16/unary:leaky_relu-65536")):
            rows = bench(kernel)
            self.assertEqual({(row["kernel"], row["shape"]) for row in rows}, {(kernel, shape)})
            self.assertTrue(all(row["instructions"] > 100 for row in rows))

    def test_functions_say_how_far_off_their_results_are(self):
        for engine, most in (("sme2", 4), ("neon", 3.9), ("portable", 0.6)):
            rows = bench("--engine", engine, "unary:gelu-64", "f16/unary:gelu-64", "unary:abs-64")
            self.assertEqual([row["most_ulp"] for row in rows], [most, 0.51, None])

    def test_each_kernel_of_a_family(self):
        rows = bench("--each", "layout", "--engine", "sme2")
        self.assertEqual(len(rows), 6)  # transposes and resizes, of three sizes each
        self.assertTrue(all(0.01 < row["per_element"] < 40 for row in rows), rows)

    def test_a_family_without_goals(self):
        for type_, family, count in (("f16", "deconv", 3), ("qs8", "resize", 1), ("qd8", "batch", 1), ("convert", "quantise", 1)):
            rows = goals.measure(goals.listed((family,), type_), type_)
            self.assertEqual(len({row["shape"] for row in rows}), count)
            self.assertTrue(all(row["goal"] is None for row in rows))

    def test_a_dilated_window_costs_what_a_dense_one_does(self):
        dense, dilated = (bench(f"conv:14x14x64-64-3x3-s1-{tail}")[-1] for tail in ("p1", "p2-d2"))
        self.assertEqual(dense["min_mac_instructions"], dilated["min_mac_instructions"])
        self.assertLess(dilated["instructions"], 1.25 * dense["instructions"])

    def test_pairs_of_matrices_cost_as_much_as_each_alone(self):
        alone = {row["stage"]: row["instructions"] for row in bench("64x64x64")}
        pairs = {words: bench(f"{words}:4x64x64x64")[0]["instructions"] for words in ("batch", "batch_nk")}
        self.assertLess(pairs["batch"], 4 * (alone["rhs_pack_kn"] + alone["whole"]) + 100)
        self.assertLess(pairs["batch_nk"], 4 * (alone["rhs_pack"] + alone["whole"]) + 100)


class Drawn(unittest.TestCase):
    """What is drawn runs, whatever it is: every family, every type that has it, both engines."""

    TYPES = {
        "f32": ("conv", "deconv", "argmax", "resize", "permute", "repeat", "gemv", "batch"),
        "f16": ("conv", "deconv", "resize", "permute", "gemv", "batch"),
        "qs8": ("conv", "deconv", "pool", "reduce", "resize", "transpose", "permute", "unary", "binary", "gemv"),
        "qd8": ("gemv", "batch"),
        "q4_g64": ("gemv",),
        "bf16": ("gemv",),
        "convert": ("convert", "quantise"),
    }

    def test_every_type(self):
        for type_, families in self.TYPES.items():
            drawn = [family for family in families if family != "repeat"]  # SME2 has no kernel of it
            rows = bench("--type", type_, *goals.drawn(drawn, type_, 1, 11))
            self.assertEqual(len({row["shape"] for row in rows}), len(drawn))
        self.assertTrue(bench("--engine", "neon", *goals.drawn(("repeat", "argmax", "resize", "batch"), "f32", 1, 11)))


if __name__ == "__main__":
    lab.main()
