"""Model files with awkward names go through every verb as others do."""

import json
import os
import pathlib
import re
import shutil
import subprocess
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

    def test_reports_and_lists_call_a_model_what_its_user_does(self):
        folder = self.scratch / "tiny"
        folder.mkdir()
        shutil.copy(MODEL, folder / "model.pte")
        for out, words, title in (("a", (), "tiny"), ("b", ("--name", "Tiny, f32"), "Tiny, f32"), ("c", ("--name", "es\x1b[31mcape"), "es")):
            self.call("run", folder / "model.pte", "--device", "counted", "--runs", 1, "--warmup", 0, "-o", self.scratch / out, *words)
            self.assertIn(f"on: {title}", (self.scratch / out / "report.md").read_text())
            self.assertIn(title, self.call("runs", "--limit", 1, "--server", "private").stdout)

    def test_nothing_that_is_printed_or_written_steers_a_terminal(self):
        def steers(data):
            text = data.decode()  # and it is UTF-8
            return re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text)

        model = os.fsencode(self.scratch) + b"/a\x1b[31mb\xff\xc2\x9b\xe2\x80\xaec.pte"
        shutil.copy(MODEL, model)
        out = os.fsencode(self.scratch) + b"/o\x1b[32m"
        quick = ("--device", "counted", "--runs", "1", "--warmup", "0")
        cases = [("run", model, *quick, "-o", out, "--full"), ("run", model, "-o", out), ("run", model, "--explain", "--label", "a=\x1b[1m"),
                 ("inspect", model), ("inspect", model, "--json"), ("validate", out), ("compare", out), ("report", out, "-o", out + b"/r"),
                 ("report", out, "--format", "csv,junit,md,json", "-o", out + b"/r2"), ("jobs",), ("runs",), ("show", "1"), ("logs", "1"), ("watch", "1"),
                 ("wait", "1", "--json"), ("run", b"none\x1b[1m.pte"), ("run", model, "--device", "x\x1b[1m", "-o", out + b"2"), ("\x1b[1mverb",),
                 ("run", "--\x1b[1m"), ("jobs", "--state", "\x1b[1m"), ("run", model, "--analysis-only", "-o", out), ("runs", "--filter", "\x1b")]
        environment = {**os.environ, "SME2LAB_STATE": str(self.scratch / "s")}
        for words in cases:
            done = subprocess.run([lab.SME2LAB, *words], env=environment, capture_output=True, stdin=subprocess.DEVNULL, timeout=170)
            for data in (done.stdout, done.stderr):
                self.assertFalse(steers(data), (words, data))
        lab.end_private_daemons(self.scratch / "s")
        for path in pathlib.Path(os.fsdecode(out)).rglob("*"):
            if path.suffix in (".csv", ".md", ".xml", ".json", ".html"):
                self.assertFalse(steers(path.read_bytes()), path)


if __name__ == "__main__":
    lab.main()
