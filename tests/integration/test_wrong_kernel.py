"""What is wrong gets the verdict `wrong` and exit 1: a build with one deliberately wrong kernel, outputs that are not the expected
ones, and differences beyond the tolerance that was asked for."""

import json
import struct
import unittest

import lab

WRONG = lab.BUILD / "agent-aarch64/tests/wrong_kernel_agent"  # adds 1 to every bias of packed SME2 weights


def setUpModule():
    lab.need(lab.SME2LAB, lab.AGENT, lab.EMULATOR, WRONG)


class WrongKernel(lab.Scratch):
    def test_wrong_kernel_gets_the_verdict_wrong(self):
        model = lab.MODELS / "toy_cnn_f32_xnnpack"
        done = lab.sme2lab("run", model / "model.pte", "--inputs", model / "input-0.bin", "--device", "counted",
                           "--runs", 1, "--warmup", 0, "--out", self.scratch / "o", "--json",
                           env={"SME2LAB_AGENT": str(WRONG)})
        self.assertEqual(done.returncode, 1, done.stderr)
        result = json.loads(done.stdout)
        self.assertEqual(result["verdict"], "wrong")
        self.assertFalse(result["output_agreement"]["on_vs_portable"]["agree"])
        self.assertTrue(result["output_agreement"]["off_vs_portable"]["agree"])
        self.check_first_operator(result["comparison"])
        self.assertEqual(lab.sme2lab("validate", self.scratch / "o").returncode, 0)
        self.assertIn("first wrong operator, on: Convolution", (self.scratch / "o/report.md").read_text())

    def check_first_operator(self, comparison):
        """The first that has packed SME2 weights; those after it are given what it should have computed."""
        off, on = comparison["wrong"]["off"], comparison["wrong"]["on"]
        self.assertIsNone(off["first_operator"])
        self.assertGreater(on["compared"], 5)
        self.assertEqual(on["compared"], off["compared"])
        first = on["first_operator"]
        self.assertEqual((first["instruction"], first["node"], first["kind"], first["promised"]), (0, 1, "float", 1e-4))
        self.assertIn("_sme2_", first["kernel"])
        self.assertIn("_scalar", first["reference_kernel"])
        self.assertGreater(first["distance"], 0.01)
        self.assertAlmostEqual(first["max_abs"], 1, places=3)  # what the wrong kernel adds to every bias


class Expected(lab.Scratch):
    MODEL = lab.MODELS / "toy_cnn_int8_xnnpack"

    def run_with(self, name, *words):
        done = lab.sme2lab("run", self.MODEL / "model.pte", "--inputs", self.MODEL / "input-0.bin", "--device", "counted",
                           "--runs", 1, "--warmup", 0, "--out", self.scratch / name, "--json", *words)
        return done.returncode, json.loads(done.stdout)

    def test_right_outputs_are_expected_and_wrong_ones_are_not(self):
        right = (self.MODEL / "runtime-0.bin").read_bytes()
        numbers = list(struct.unpack(f"<{len(right) // 4}f", right))
        numbers[0] += 0.02 * max(map(abs, numbers))
        near = self.scratch / "near.bin"
        near.write_bytes(struct.pack(f"<{len(numbers)}f", *numbers))
        code, result = self.run_with("right", "--expected", self.MODEL / "runtime-0.bin")
        self.assertEqual((code, result["verdict"]), (0, "fewer-instructions"))
        self.assertEqual(result["output_agreement"]["on_vs_expected"]["max_abs"], 0)
        self.assertEqual(lab.sme2lab("validate", self.scratch / "right").returncode, 0)
        code, result = self.run_with("near", "--expected", near, "--tolerance", 0.01)
        self.assertEqual((code, result["verdict"]), (1, "wrong"))
        self.assertTrue(result["output_agreement"]["on_vs_portable"]["agree"])
        self.assertFalse(result["output_agreement"]["off_vs_expected"]["agree"])
        self.assertEqual(result["output_agreement"]["off_vs_expected"]["tolerance"], 0.01)
        self.assertIsNone(result["comparison"]["wrong"]["on"]["first_operator"])
        self.assertIn("no operator alone is wrong", " ".join(result["comparison"]["reasons"]))
        code, result = self.run_with("wide", "--expected", near, "--tolerance", 0.03)
        self.assertEqual((code, result["verdict"]), (0, "fewer-instructions"))

    def test_an_expected_file_of_another_size_is_wrong(self):
        code, result = self.run_with("size", "--expected", self.MODEL / "input-0.bin")
        self.assertEqual((code, result["verdict"]), (1, "wrong"))
        self.assertIn("another size", " ".join(result["comparison"]["reasons"]))


if __name__ == "__main__":
    lab.main()
