"""Model files with awkward names go through every verb as others do."""

import json
import pathlib
import shutil
import unittest

import lab

MODEL = lab.ROOT / "tests/data/hand/add_mul.pte"
NAMES = ("with blank", "ha#sh", "que?stion", "per%cent", "per%41cent", "am&per", "plus+semi;colon", "new\nline", "es\x1b[31mcape",
         "tab\tx", "..dots", "v1..2", 'qu"ote', "ap'os", "back\\slash", "ünï", "bad\udcff", "-dash", " ", "=formula")


def setUpModule():
    lab.need(lab.SME2LAB, lab.AGENT, lab.EMULATOR)


class Names(lab.Scratch):
    def call(self, *words):
        done = lab.call(*words)
        self.assertIn(done.returncode, (0, 3, 4), f"{words}: {done.stderr}")
        self.assertNotIn("\x1b", done.stdout + done.stderr)
        return done

    def test_every_name_is_measured_reported_and_read_back(self):
        for nth, name in enumerate(NAMES):
            with self.subTest(name=name):
                folder = self.scratch / str(nth)
                folder.mkdir()
                model, out = folder / f"{name}.pte", folder / "out"
                shutil.copy(MODEL, model)
                self.call("inspect", model)
                said = json.loads(self.call("run", model, "--device", "counted", "--runs", 1, "--warmup", 0, "-o", out, "--json").stdout)
                self.assertEqual(pathlib.Path(said["files"]["directory"]), out)
                for path in [*out.rglob("*.csv"), *out.rglob("*.md"), *out.rglob("*.html")]:
                    self.assertNotIn("\x1b", path.read_bytes().decode("utf-8"), path.name)  # strict: nothing but UTF-8
                self.call("validate", out)
                self.call("report", out)
                for etdump in sorted(out.rglob("*.etdump")):
                    self.call("analyze", etdump)
                self.call("compare", *sorted(out.rglob("*.etdump")))

    def test_every_file_of_the_last_run_is_shown(self):
        model = self.scratch / "a b#c?d%e&f.pte"
        shutil.copy(MODEL, model)
        self.call("run", model, "--device", "counted", "--runs", 1, "--warmup", 0, "-o", self.scratch / "out")
        run = json.loads(self.call("runs", "--limit", 1, "--json", "--server", "private").stdout)["runs"][0]
        files = json.loads(self.call("show", run["id"], "--json", "--server", "private").stdout)["files"]
        named = [file["path"] for file in files if "a b#c?d%e&f" in file["path"]]
        self.assertGreater(len(named), 10)
        for path in named:
            if not path.endswith((".bin", ".etdump", ".sltrace")):
                self.call("show", run["id"], "--file", path, "--server", "private")
        self.call("logs", run["id"], "--server", "private")
        self.call("runs", "--model", "a b#c?d%e&f", "--server", "private")


if __name__ == "__main__":
    lab.main()
