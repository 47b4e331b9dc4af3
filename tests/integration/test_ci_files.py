"""configs/ci: what a CI job does with a model that stays, one that grew, and one that cannot run; and the counts of our own samples."""

import json
import os
import re
import shutil
import subprocess
import unittest
import xml.etree.ElementTree

import lab

CI = lab.ROOT / "configs/ci"
SAMPLES = ("delegate_ops_f32_xnnpack", "linear_qd8_qb4w_xnnpack", "llm_cache_portable", "quant_ops_int8_xnnpack", "toy_cnn_f16_portable", "toy_cnn_f32_xnnpack")
COUNTS = lab.ROOT / "tests/data/sample-counts.json"


def setUpModule():
    lab.need(lab.SME2LAB, lab.AGENT, lab.EMULATOR)


class Check(lab.Scratch):
    def setUp(self):
        super().setUp()
        self.addCleanup(lab.end_private_daemons, self.scratch / "state")
        self.environment = {"PATH": os.environ["PATH"], "SME2LAB": str(lab.SME2LAB), "SME2LAB_STATE": str(self.scratch / "state"),
                            "SME2LAB_EMULATOR": str(lab.EMULATOR)}
        for name in ("toy_cnn_f32_xnnpack", "llm_cache_portable"):
            shutil.copy(lab.MODELS / name / "model.pte", self.scratch / f"{name}.pte")

    def script(self, words):
        """As the shell of the CI server runs it, in the repository's folder."""
        return subprocess.run(["bash", "-e", "-o", "pipefail", "-c", words], env=self.environment, cwd=self.scratch, capture_output=True, text=True)

    def test_the_action_passes_then_fails_and_names_what_grew(self):
        """The composite action's own lines."""
        action = (CI / "github/action.yml").read_text()
        words = re.search(r"run: \|\n((?: {8}.*\n)+)", action).group(1)
        self.environment |= {"GITHUB_ACTION_PATH": str(CI / "github"), "MODELS": "toy_cnn_f32_xnnpack.pte llm_cache_portable.pte",
                             "COUNTS": "counts.json", "OUT": "out", "THRESHOLD": "0", "GITHUB_ACTIONS": "true",
                             "GITHUB_STEP_SUMMARY": str(self.scratch / "summary.md")}
        done = self.script(words)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("counts.json is new", done.stdout)
        done = self.script(words)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertNotIn("::error", done.stdout)
        self.assertIn("toy_cnn_f32_xnnpack", (self.scratch / "summary.md").read_text())
        for report in (self.scratch / "out").glob("*.junit.xml"):
            xml.etree.ElementTree.parse(report)
        self.assertEqual(len(list((self.scratch / "out").glob("*.junit.xml"))), 1)
        kept = json.loads((self.scratch / "counts.json").read_text())
        for arm in kept["arms"]:
            if arm["model"] == "llm_cache_portable":
                arm["instructions"] -= 1
        (self.scratch / "counts.json").write_text(json.dumps(kept))
        done = self.script(words)
        self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
        self.assertIn("::error title=sme2lab::", done.stdout)
        self.environment["THRESHOLD"] = "1"
        self.assertEqual(self.script(words).returncode, 0)

    def test_gitlabs_job_reports_a_model_that_cannot_run(self):
        lines = re.findall(r"^    - (.*)$", (CI / "gitlab.yml").read_text(), re.MULTILINE)
        words = "\n".join(lines).replace("/usr/share/sme2lab/ci", str(CI))
        (self.scratch / "broken.pte").write_bytes(b"no program")
        self.environment |= {"COUNTS": "counts.json", "OUT": "out", "MODELS": "broken.pte"}
        done = self.script(words)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertIn("broken.pte", done.stderr)
        self.assertFalse((self.scratch / "counts.json").exists())

    def test_models_are_told_apart_by_their_names(self):
        for folder in ("a", "b"):
            (self.scratch / folder / "c").mkdir(parents=True)
            shutil.copy(self.scratch / "llm_cache_portable.pte", self.scratch / folder / "model.pte")
            shutil.copy(self.scratch / "llm_cache_portable.pte", self.scratch / folder / "c/net.pte")
        done = self.script(f"{CI}/check.sh counts.json out a/model.pte b/model.pte")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual({arm["model"] for arm in json.loads((self.scratch / "counts.json").read_text())["arms"]}, {"a", "b"})
        done = self.script(f"{CI}/check.sh counts.json out a/c/net.pte b/c/net.pte")
        self.assertEqual(done.returncode, 2)
        self.assertIn("two models are called net", done.stderr)

    def test_words_that_are_missing_are_told(self):
        done = self.script(f"{CI}/check.sh counts.json")
        self.assertEqual(done.returncode, 2)
        self.assertIn("check.sh COUNTS.json OUT MODEL.pte", done.stderr)


class Samples(lab.Scratch):
    """What our own samples execute may not grow unseen: SME2LAB_UPDATE=1 writes the file anew, and the change says why."""

    def test_no_sample_executes_more_than_it_did(self):
        self.addCleanup(lab.end_private_daemons, self.scratch / "state")
        environment = {"SME2LAB_STATE": str(self.scratch / "state")}
        places = []
        for name in SAMPLES:
            model = lab.MODELS / name
            places.append(self.scratch / name)
            done = lab.sme2lab("run", model / "model.pte", "--device", "counted", "--runtime", "own", "--name", name, "--out", places[-1], "-q", env=environment)
            self.assertIn(done.returncode, (0, 3), done.stderr)
        if os.environ.get("SME2LAB_UPDATE"):
            COUNTS.unlink(missing_ok=True)
            self.assertEqual(lab.sme2lab("baseline", "write", COUNTS, *places).returncode, 0)
        done = lab.sme2lab("baseline", "check", COUNTS, *places, "--threshold", "0.5")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
