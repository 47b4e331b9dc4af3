"""The templates of configs/templates as they are, and what their analyses say of counted runs."""

import json
import pathlib
import shutil
import tempfile
import unittest

import lab

TEMPLATES = pathlib.Path(lab.ROOT) / "configs/templates"
MODEL = lab.MODELS / "dynamic_sequence_f32_xnnpack"


class Templates(lab.Scratch):
    def test_every_template_resolves(self):
        names = sorted(path.name for path in TEMPLATES.glob("*.json"))
        self.assertIn("clean_timing.json", names)
        for name in names:
            with self.subTest(name):
                done = lab.sme2lab("run", TEMPLATES / name, "--explain")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertTrue(json.loads(done.stdout)["experiments"])


class Recipes(unittest.TestCase):
    """clean_timing.json, counted, with calibration of what it left."""

    @classmethod
    def setUpClass(cls):
        lab.need(lab.AGENT, lab.EMULATOR)
        cls.out = pathlib.Path(tempfile.mkdtemp(prefix="sme2lab-test-"))
        cls.addClassCleanup(shutil.rmtree, cls.out)
        config = json.loads((TEMPLATES / "clean_timing.json").read_text())
        config |= {"model": str(MODEL / "model.pte"), "device": "counted", "runs": 2, "warmup": 1}
        (cls.out / "config.json").write_text(json.dumps(config))
        cls.done = lab.sme2lab("run", cls.out / "config.json", "--out", cls.out / "run")
        done = lab.sme2lab("report", cls.out / "run", "--format", "json,md")
        assert done.returncode == 0, cls.done.stderr + done.stderr
        cls.combined = json.loads((cls.out / "run/combined_report.json").read_text())
        cls.arms = {row["experiment"]: row["comparison"] for row in cls.combined["comparisons"]}

    def test_the_clean_arm_records_whole_executions_alone(self):
        self.assertEqual([row["name"] for row in self.arms["clean"]["operators"]], ["Method::execute"])
        self.assertGreater(len(self.arms["profiled"]["operators"]), 4)
        self.assertEqual(self.arms["clean"]["next_step"]["rule"], "clean-arm")
        self.assertEqual(json.loads((self.out / "run/manifest_clean.json").read_text())["mode"], "clean")

    def test_the_cost_of_profiling_is_that_of_its_arms(self):
        costs = {row["side"]: row for row in self.combined["profiling_cost"]}
        self.assertEqual(set(costs), {"baseline", "candidate"})
        for side, row in costs.items():
            clean, profiled = (self.arms[name][side]["median_insns"] for name in ("clean", "profiled"))
            self.assertEqual((row["clean_median_insns"], row["profiled_median_insns"]), (clean, profiled))
            self.assertAlmostEqual(row["share"], profiled / clean - 1)
            self.assertTrue(0 <= row["share"] < 0.05, row)
        self.assertIn("## Cost of profiling", (self.out / "run/combined_report.md").read_text())
        self.assertEqual(self.combined["sweeps"], [])

    def test_both_arms_compute_the_same_outputs_and_are_valid(self):
        for name, arm in self.arms.items():
            self.assertTrue(arm["output_agreement"]["agree"], name)
        self.assertEqual(lab.sme2lab("validate", self.out / "run").returncode, 0)

    def test_equal_runs_of_an_arm_calibrate_to_no_noise(self):
        done = lab.sme2lab("compare", self.out / "run", "--experiment", "clean", "--calibrate", "--json")
        self.assertEqual((done.returncode, json.loads(done.stdout)["noise_floor"]), (0, 0))


if __name__ == "__main__":
    lab.main()
