"""`sme2lab baseline`: counts kept in a file, and later runs held against it."""

import json
import unittest

import lab

MODEL = lab.MODELS / "toy_cnn_f32_xnnpack"


class Baseline(lab.Scratch):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        lab.need(lab.AGENT, lab.EMULATOR)

    def setUp(self):
        super().setUp()
        self.run_directory, self.file = self.scratch / "run", self.scratch / "counts.json"
        done = lab.sme2lab("run", MODEL / "model.pte", "--device", "counted", "--runs", "2", "--name", "toy", "--out", self.run_directory)
        self.assertEqual(done.returncode, 0, done.stderr)

    def check(self, *words):
        return lab.sme2lab("baseline", "check", self.file, self.run_directory, *words)

    def change(self, edit):
        kept = json.loads(self.file.read_text())
        edit(kept["arms"])
        self.file.write_text(json.dumps(kept))

    def test_a_run_is_kept_and_later_ones_are_held_against_it(self):
        done = lab.sme2lab("baseline", "write", self.file, self.run_directory)
        self.assertEqual(done.returncode, 0, done.stderr)
        first = self.file.read_bytes()
        lab.sme2lab("baseline", "write", self.file, self.run_directory)
        self.assertEqual(self.file.read_bytes(), first)
        arms = json.loads(first)["arms"]
        self.assertEqual([(arm["model"], arm["sme2"]) for arm in arms], [("toy", "off"), ("toy", "on")])
        for arm in arms:
            self.assertEqual(sum(arm["operators"].values()), arm["instructions"])
            self.assertEqual([one["profile"] for one in arm["estimates"]], ["apple-m4", "arm-c1-ultra"])
        summary = json.loads((self.run_directory / "analysis_summary.json").read_text())["comparison"]
        self.assertEqual([arm["instructions"] for arm in arms], [summary[side]["median_insns"] for side in ("baseline", "candidate")])
        done = self.check("--json")
        found = json.loads(done.stdout)
        self.assertEqual((done.returncode, found["schema"], found["higher"], found["missing"]), (0, "sme2lab.baseline_check/1", 0, 0), done.stdout)
        self.assertEqual({one["outcome"] for one in found["figures"]}, {"equal"})
        self.assertEqual(len(found["figures"]), 6)

        def dearer(kept):  # as if today's kernel were the dearer one
            name = max(arms[1]["operators"], key=arms[1]["operators"].get)
            kept[1]["operators"][name] -= 1000
            kept[1]["instructions"] -= 1000
            self.name = name

        self.change(dearer)
        done = self.check()
        self.assertEqual(done.returncode, 3, done.stdout)
        self.assertIn(f"{self.name} +1000", done.stdout)
        self.assertEqual(self.check("--threshold", "50").returncode, 0)

        def another(kept):
            kept[0]["model"] = "other"

        self.change(another)
        done = self.check("--threshold", "50")
        self.assertEqual(done.returncode, 4, done.stdout)
        self.assertIn("other", done.stdout)

    def test_what_is_no_baseline_is_refused_with_its_place(self):
        self.file.write_text('{"schema": "sme2lab.baseline/1", "arms": [{"model": 7}]}')
        done = self.check()
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("/arms/0", done.stderr)
        self.file.unlink()
        done = self.check()
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("baseline write", done.stderr)


if __name__ == "__main__":
    unittest.main()
