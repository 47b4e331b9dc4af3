"""scripts/export before PyTorch comes in: help at once, words refused, nothing installed without being asked."""

import os
import re
import subprocess
import time

import lab

EXPORT = lab.ROOT / "scripts/export/sme2lab-export"


class Words(lab.Scratch):
    def export(self, *words):
        environment = {**os.environ, "SME2LAB_EXPORT_VENV": str(self.scratch / "none")}
        return subprocess.run([EXPORT, *map(str, words)], env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)

    def test_help_comes_at_once_and_describes_every_option(self):
        quickest = 60
        for _ in range(3):  # on a machine that does other things too
            begin = time.monotonic()
            done = self.export("--help")
            quickest = min(quickest, time.monotonic() - begin)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertLess(quickest, 1)
        page = done.stdout.split("\noptions:\n")[1]
        for option in re.findall(r"^  (--[a-z-]+)(?: .*)?$", page, re.M):
            described = re.search(rf"^  {option}(?: [^ ]+)?(?:  +|\n {{10,}})(\w.*)$", page, re.M)
            self.assertTrue(described, option)
        self.assertIn("--python FILE", page)

    def test_the_list_needs_no_pytorch(self):
        done = self.export("--list")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("mobilenet_v2 ", done.stdout)

    def test_wrong_words_are_refused_before_anything_is_looked_for(self):
        for words in ((), ("--model", "toy"), ("--model", "toy", "--outdir", "o", "--dtype", "fp8"), ("--model", "toy", "--outdir", "o", "--name", "a/b")):
            self.assertEqual(self.export(*words).returncode, 2, words)

    def test_nothing_is_installed_without_being_asked(self):
        probe = subprocess.run(["python3", "-c", "import executorch, torch"], capture_output=True)
        if probe.returncode == 0:
            self.skipTest("this Python has ExecuTorch")
        done = self.export("--model", "toy", "--outdir", self.scratch / "o")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--python FILE", done.stderr)
        self.assertIn("1.6 GB", done.stderr)
        self.assertEqual(list(self.scratch.iterdir()), [])

    def test_a_python_without_executorch_says_so(self):
        bare = self.scratch / "python"
        bare.write_text(f"#!/bin/sh\nexec python3 -S \"$@\"\n")  # without site-packages
        bare.chmod(0o755)
        done = self.export("--model", "toy", "--outdir", self.scratch / "o", "--python", bare)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertRegex(done.stderr, "has no (torch|executorch)")
        self.assertEqual(self.export("--model", "toy", "--outdir", "o", "--python", self.scratch / "nowhere").returncode, 2)


if __name__ == "__main__":
    lab.main()
