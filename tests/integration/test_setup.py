"""`scripts/setup --executorch`: with a wheel that is not the expected one it refuses before anything is fetched, installed or changed; with the right one it
is done in half a minute."""

import hashlib
import os
import re
import shutil
import subprocess
import sys

import lab

sys.path.insert(0, str(lab.ROOT / "scripts"))
import quicken_emulator  # noqa: E402

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
        self.assertEqual((re.findall("^executorch_sha256=([0-9a-f]{64})$", script, re.M), WHEEL.split("-")[1] in script), ([SHA256], True))

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


class Timed(lab.Scratch):
    """The script with the wheel at hand. It works on this tree's build folder under a layer that is thrown away, from which all of ExecuTorch was removed. The
    two packages of the sysroot are made again of their files, so nothing is downloaded."""

    BUILD = lab.ROOT / "build"
    OF_PACKAGES = ("usr/include/c++", "usr/include/aarch64-linux-gnu/c++", "usr/lib/gcc/aarch64-linux-gnu/12/libstdc++*",
                   "usr/lib/aarch64-linux-gnu/libstdc++*")  # libstdc++6, libstdc++-12-dev
    REMOVED = ("executorch/ready", "executorch/wheel", f"executorch/{WHEEL}", *(f"sysroot/{path}" for path in OF_PACKAGES), "agent-aarch64/executorch",
               "agent-aarch64/agent/executorch", "agent-aarch64/tests/*executorch*", "agent-aarch64/CMakeFiles/*/CMakeCXX*")
    SECONDS = 30  # of processor time: what it takes at most on a machine that does nothing else

    def setUp(self):
        super().setUp()
        if not (self.BUILD / "agent-aarch64/executorch/sme2lab-agent-executorch").exists():
            self.skipTest("no ExecuTorch here: scripts/setup --executorch")
        self.apart = ["unshare", "--mount", *([] if os.geteuid() == 0 else ["--map-root-user"])]
        self.layer = f"lowerdir={self.BUILD},upperdir={self.folder('upper')},workdir={self.folder('work')}"
        if self.layered("true").returncode != 0:
            self.skipTest("this user may not lay a folder over another")

    def folder(self, *names):
        path = self.scratch.joinpath(*names)
        path.mkdir(parents=True, exist_ok=True)
        return path

    def layered(self, command, **more):
        return subprocess.run([*self.apart, "sh", "-ec", f"mount -t overlay overlay -o {self.layer} '{self.BUILD}'\ncd '{self.BUILD}'\n{command}"],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=500, **more)

    def put_package(self):
        """One with what is in the sysroot of both, and an apt-get that gives it."""
        package, programs = self.folder("package"), self.folder("programs")
        control = self.folder("package/DEBIAN") / "control"
        control.write_text("Package: libstdc++\nVersion: 12\nArchitecture: arm64\nMaintainer: nobody <nobody@localhost>\nDescription: C++\n")
        for pattern in self.OF_PACKAGES:
            for path in (self.BUILD / "sysroot").glob(pattern):
                target = package / path.relative_to(self.BUILD / "sysroot")
                target.parent.mkdir(parents=True, exist_ok=True)
                subprocess.run(["cp", "-a", path, target], check=True)
        subprocess.run(["dpkg-deb", "--root-owner-group", "-Zgzip", "--build", package, self.scratch / "libstdc++.deb"], check=True, capture_output=True)
        (programs / "apt-get").write_text(f"#!/bin/sh\necho \"$@\" >>{self.scratch}/asked\ncp {self.scratch}/libstdc++.deb .\n")
        (programs / "apt-get").chmod(0o755)
        return programs

    def test_with_the_wheel_there_it_takes_less_than_half_a_minute(self):
        shutil.copy(self.BUILD / "executorch" / WHEEL, self.scratch)
        removal = self.layered(f"rm -rf {' '.join(self.REMOVED)}\n! ls {' '.join(self.REMOVED)} 2>/dev/null")
        self.assertEqual(removal.returncode, 0, removal.stderr)
        environment = {**os.environ, "PATH": f"{self.put_package()}:{os.environ['PATH']}", "CCACHE_DISABLE": "1"}
        before = os.times()
        done = self.layered(f"../scripts/setup --executorch {self.scratch}/{WHEEL}\n"
                            "tools/qemu-aarch64 -L agent-aarch64/executorch agent-aarch64/executorch/sme2lab-agent-executorch version", env=environment)
        after = os.times()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"setup: complete in \d+ s\nsme2lab-agent-executorch \S+\n\Z")
        self.assertEqual((self.scratch / "asked").read_text(), "download -qq libstdc++-12-dev:arm64 libstdc++6:arm64\n")
        self.assertTrue((self.scratch / "upper/agent-aarch64/executorch/sme2lab-agent-executorch").exists(), "built anew")
        self.assertTrue((self.scratch / "upper/executorch/wheel/executorch/lib/libexecutorch.so").exists(), "unpacked anew")
        seconds = sum(after[2:4]) - sum(before[2:4])
        print(f"{seconds:.1f} s of processor time", flush=True)
        self.assertLess(seconds, self.SECONDS)


class Emulator(lab.Scratch):
    """Its multiply-adds clear what makes them slow."""

    def quicken(self, path):
        done = subprocess.run([sys.executable, lab.ROOT / "scripts/quicken_emulator.py", path], capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def test_the_one_that_was_fetched_is_quick(self):
        lab.need(lab.EMULATOR)
        data = lab.EMULATOR.read_bytes()
        self.assertEqual(quicken_emulator.quickened(data), (data, []))

    def test_each_function_is_changed_once_and_nothing_moves(self):
        path, codes = self.scratch / "emulator", [code + quicken_emulator.PADDING for code in quicken_emulator.FUNCTIONS.values()]
        path.write_bytes(b"ELF" + codes[0] + b"between" + codes[1] + b"end")
        path.chmod(0o755)
        self.assertEqual(self.quicken(path), "")
        changed = path.read_bytes()
        self.assertEqual(len(changed), len(b"ELFbetweenend") + sum(map(len, codes)))
        self.assertEqual([changed.count(quicken_emulator.VZEROUPPER + code) for code in quicken_emulator.FUNCTIONS.values()], [1, 1])
        self.assertEqual(self.quicken(path), "")
        self.assertEqual((path.read_bytes(), path.stat().st_mode & 0o777), (changed, 0o755))

    def test_an_emulator_that_is_another_stays_as_it_is(self):
        path, code = self.scratch / "emulator", quicken_emulator.FUNCTIONS["fma"] + quicken_emulator.PADDING
        for content in (b"ELF", 2 * code):
            path.write_bytes(content)
            self.assertIn("has no fmaf and no fma as it is known here", self.quicken(path))
            self.assertEqual(path.read_bytes(), content)


if __name__ == "__main__":
    lab.main()
