"""One command of a CI job: submit --wait with its gate, JUnit, comment, code quality and annotations."""

import json
import xml.etree.ElementTree

import lab

TOY = lab.MODELS / "toy_cnn_f32_xnnpack/model.pte"


def setUpModule():
    lab.need(lab.SME2LAB, lab.AGENT, lab.EMULATOR)


class OneCommand(lab.Scratch):
    def setUp(self):
        super().setUp()
        self.files = [self.scratch / name for name in ("out.xml", "out.md", "out.json")]

    def submit(self, model, *words, out="out", actions="true"):
        junit, comment, quality = self.files
        return lab.sme2lab("submit", model, "--wait", "--device", "counted", "--name", "toy", "--out", self.scratch / out, "--junit", junit,
                           "--comment", comment, "--codequality", quality, *words, env={"GITHUB_ACTIONS": actions})

    def read(self):
        junit, comment, quality = self.files
        return xml.etree.ElementTree.parse(junit).getroot(), comment.read_text(), json.loads(quality.read_text())

    def test_it_waits_passes_its_gate_and_is_held_to_a_baseline(self):
        done = self.submit(TOY, "--fail-on", "more-instructions:3%,wrong")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("fewer instructions", done.stdout)
        suites, comment, quality = self.read()
        self.assertEqual([case.get("name") for case in suites.iter("testcase")], ["verdict", "outputs agree", "SME2 executed"])
        self.assertEqual((list(suites.iter("failure")), quality), ([], []))
        self.assertTrue(comment.startswith("Passed: `--fail-on more-instructions:3%,wrong`\n"), comment)
        self.assertNotIn("::", done.stderr)
        # Nothing can be told of another device: that fails for who asks about the baseline alone.
        narrow = ("--svl", "128", "--baseline", self.scratch / "out")
        done = self.submit(TOY, *narrow, "--fail-on", "regression:1%", out="held")
        self.assertEqual(done.returncode, 4, done.stderr)
        suites, comment, quality = self.read()
        self.assertEqual([case.get("name") for case in suites.iter("testcase") if case.find("failure") is not None], ["baseline"])
        self.assertIn("**Not passed**", comment)
        self.assertEqual([(entry["severity"], entry["location"]["path"]) for entry in quality], [("minor", str(TOY))])
        self.assertIn("::warning title=sme2lab::toy, baseline: held to", done.stderr)
        done = self.submit(TOY, *narrow, "--fail-on", "wrong", out="free", actions="")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_model_that_cannot_run_is_an_error_in_every_file(self):
        (self.scratch / "broken.pte").write_bytes(TOY.read_bytes()[:2000])
        done = self.submit(self.scratch / "broken.pte", "--fail-on", "more-instructions:3%")
        self.assertIn(done.returncode, (1, 2), done.stderr)
        suites, comment, quality = self.read()
        self.assertEqual(len(list(suites.iter("error"))), 1)
        self.assertIn(", run: ", comment)
        self.assertEqual(quality[0]["severity"], "major")
        self.assertIn("::error title=sme2lab::", done.stderr)

    def test_who_does_not_wait_is_told_what_needs_it(self):
        done = lab.sme2lab("submit", TOY, "--junit", self.files[0])
        self.assertEqual(done.returncode, 2)
        self.assertIn("say --wait too", done.stderr)
        done = self.submit(TOY, "--fail-on", "slow:3%")
        self.assertEqual(done.returncode, 2)
        self.assertIn("'slow' is nothing that can fail", done.stderr)


if __name__ == "__main__":
    lab.main()
