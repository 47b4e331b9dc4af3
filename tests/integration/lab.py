"""What the integration tests share: the programs, the sample models, and a reader of .sltrace. Standard library only."""

import atexit
import json
import os
import pathlib
import pty
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"
HOST = BUILD / os.environ.get("SL_HOST_PRESET", "host")  # or asan, whose daemon and agent are sanitized
NATIVE = BUILD / os.environ.get("SL_NATIVE_PRESET", "agent-native")  # or asan, tsan
SME2LAB = pathlib.Path(os.environ.get("SL_SME2LAB", HOST / "bin/sme2lab"))
AGENT = BUILD / "agent-aarch64/bin/sme2lab-agent"
EMULATOR = BUILD / "tools/qemu-aarch64"
MODELS = ROOT / "tests/data/models"
STATE = pathlib.Path(tempfile.mkdtemp(prefix="sl-state-"))  # of the private daemon of this module's runs
os.environ["SME2LAB_RUNTIME"] = "own"  # what a run is of that names none; test_runtime.py is of both
SKIPPED = 77  # ctest: the exit code of a test that could not run here


@atexit.register
def end_private_daemons(state=STATE):
    for lock in state.glob("private/*/lock"):
        try:
            os.kill(int(lock.read_text()), signal.SIGTERM)
        except (OSError, ValueError):
            pass
    limit = time.monotonic() + 10
    while any(state.glob("private/*/sme2labd.sock")) and time.monotonic() < limit:
        time.sleep(0.05)
    shutil.rmtree(state, ignore_errors=True)


def need(*programs):
    """Skips the module's tests where a program is not built."""
    for program in programs:
        if not os.access(program, os.X_OK):
            raise unittest.SkipTest(f"{program.relative_to(ROOT)} is missing; scripts/setup makes it")


def in_a_namespace():
    """True in a process that may mount; starts this program again as one where the system allows it."""
    if os.environ.get("SL_MAY_MOUNT"):
        return True
    if subprocess.run(["unshare", "-rm", "mount", "-t", "tmpfs", "tmpfs", "/mnt"], capture_output=True).returncode != 0:
        return False
    os.execvpe("unshare", ["unshare", "-rm", sys.executable, *sys.argv], {**os.environ, "SL_MAY_MOUNT": "1"})


def main():
    """unittest.main(), with ctest's exit code for a module that was skipped as a whole."""
    program = unittest.main(module="__main__", exit=False, verbosity=2)
    result = program.result
    if result.wasSuccessful() and result.testsRun == len(result.skipped):
        raise SystemExit(SKIPPED)
    raise SystemExit(not result.wasSuccessful())


def sme2lab(*words, env=None, timeout=170):
    """Runs the program; its own build's agent and emulator unless `env` says otherwise. Every run directory that comes of it must
    hold up to `validate`, which computes each of its numbers again."""
    done = call(*words, env=env, timeout=timeout)
    made = made_directory([str(word) for word in words])
    if made and done.returncode in (0, 3, 4):
        must_be_valid(made)
    return done


found_valid = {}  # run directories of this test, with their files at that time


def must_be_valid(folder):
    """`validate` is asked once: again only if a file was added, removed or written since."""
    folder = pathlib.Path(folder)
    files = {path: (status.st_ino, status.st_size, status.st_ctime_ns) for path in folder.rglob("*") for status in [path.lstat()]}
    if found_valid.get(folder) == files:
        return
    checked = call("validate", folder)
    if checked.returncode != 0:
        raise AssertionError(f"{folder} is not valid: {checked.stdout}{checked.stderr}")
    found_valid[folder] = files


def run_directories(root):
    """All below `root`, however they came there."""
    root = pathlib.Path(root)
    imports = [path for path in root.rglob("import.json") if json.loads(path.read_text())["runs"]]  # of failures alone there is nothing
    return sorted({path.parent for path in [*root.rglob("manifest*.json"), *imports]})


NO_ADB = "localfilesystem:/nonexistent/adb.sock"  # a test that wants phones names its own server


def made_directory(words):
    """The run directory that these words make; None if none is there."""
    if not words or words[0] not in ("run", "import", "watch", "wait"):
        return None
    at = next((i for i, word in enumerate(words) if word in ("--out", "-o")), len(words))
    folder = pathlib.Path(words[at + 1]) if at + 1 < len(words) else None
    return folder if folder and folder.is_dir() and (any(folder.glob("manifest*.json")) or (folder / "import.json").exists()) else None


def call(*words, env=None, timeout=170):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("SME2LAB_")}
    environment |= {"SME2LAB_STATE": str(STATE), "SME2LAB_RUNTIME": "own"}
    environment.setdefault("ADB_SERVER_SOCKET", NO_ADB)
    environment.update(env or {})
    return subprocess.run([SME2LAB, *map(str, words)], env=environment, timeout=timeout,
                          capture_output=True, text=True, stdin=subprocess.DEVNULL)


def on_a_terminal(columns, words, env, **more):
    """Exit code of the words, and what they wrote to a terminal of so many columns."""
    controller, terminal = pty.openpty()
    termios.tcsetwinsize(terminal, (50, columns))
    process = subprocess.Popen([str(word) for word in words], stdin=subprocess.DEVNULL, stdout=terminal, env=env, **more)

    # A terminal that its last writer closes may lose what is still on its way, so we hold it open and mark the end ourselves.
    def mark_the_end():
        try:
            process.wait(600)
        finally:
            os.write(terminal, b"\0")

    waiter = threading.Thread(target=mark_the_end)
    waiter.start()
    text = b""
    while not text.endswith(b"\0"):
        text += os.read(controller, 65536)
    waiter.join()
    os.close(terminal)
    os.close(controller)
    return process.returncode, text[:-1].decode()


# Put before a program's words, this ends the program with the thread that started it, also when the test is killed.
ENDS_WITH_TEST = ["setpriv", "--pdeathsig", "TERM", "--"]


class Scratch(unittest.TestCase):
    """A test case with a directory of its own in `self.scratch`. Each run directory that a test leaves there holds up to `validate`,
    but for those in `self.damaged`."""

    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="sme2lab-test-")
        self.addCleanup(holder.cleanup)
        self.scratch = pathlib.Path(holder.name)
        self.damaged = set()
        self.addCleanup(self.validate_all)

    def limit_time(self, seconds):
        """The test fails then, and its clean-ups end its programs: ctest's own limit would leave them behind."""
        def stop(*_):
            raise AssertionError(f"the test takes longer than {seconds} s")

        signal.signal(signal.SIGALRM, stop)
        signal.alarm(seconds)
        self.addCleanup(signal.alarm, 0)

    def validate_all(self):
        for folder in run_directories(self.scratch):
            if folder not in self.damaged:
                must_be_valid(folder)


class Run:
    """One `sme2lab run` of a sample model, with all that it left."""

    def __init__(self, model, out, *words):
        folder = MODELS / model
        self.out = pathlib.Path(out)
        self.done = sme2lab("run", folder / "model.pte", "--inputs", folder / "input-0.bin",
                            "--device", "counted", "--out", out, "--json", *words)
        if not self.done.stdout:
            raise AssertionError(f"no JSON; stderr: {self.done.stderr}")
        self.result = json.loads(self.done.stdout)
        if "error" in self.result:
            raise AssertionError(self.done.stderr)
        self.manifest = json.loads((self.out / "manifest.json").read_text())

    def analysis(self, variant):
        return self.result["analyses"][("off", "on").index(variant)]

    def executed(self, variant):
        """The method's executions of a variant, warm-up first."""
        return [row for row in self.manifest["executed"] if row["variant"] == variant]

    def trace(self):
        return read_trace((self.out / "model_run_t1.sltrace").read_bytes())


NO_NODE = 0xffffffff  # of an event: the whole call


def read_trace(data):
    """The EVENT records of an .sltrace as dictionaries."""
    names, operands, events = {0: ""}, {0: []}, []
    for at in range(0, len(data), 64):
        kind, _, variant, name = struct.unpack_from("<BBHI", data, at)
        if kind == 2:
            total, offset = struct.unpack_from("<HH", data, at + 8)
            names[name] = names.get(name, b"") + data[at + 16:at + 16 + min(48, total - offset)]
        elif kind == 9:
            rank, *dims = struct.unpack_from("<9I", data, at + 24)
            operands.setdefault(name, []).append("x".join(map(str, dims[:rank])))
        elif kind == 5:
            chain, instruction, start, end, kernel, origin, node, shape, order, event, packing = struct.unpack_from(
                "<iiQQIIIIIIQ", data, at + 8)
            place = f"{chain}.{instruction}" + ("" if node == NO_NODE else f".{node}")
            events.append({"variant": variant, "name": name, "start": start, "end": end, "kernel": kernel,
                           "origin": origin, "shape": shape, "event": event, "packing": packing, "place": place})
    for event in events:
        for key in ("name", "kernel", "origin"):
            text = names[event[key]]
            event[key] = text.decode() if isinstance(text, bytes) else text
        shapes = operands[event["shape"]]
        event["shape"] = " * ".join(shapes[:-1]) + " -> " + shapes[-1] if shapes else ""
    return events
