#!/usr/bin/env python3
"""agent_binary.py SOURCE_ROOT: what must hold of build/agent-aarch64/bin/sme2lab-agent as a file.

Uses build/tools/qemu-aarch64 and the LLVM tools; fails, and says so, when the file is not there.
"""
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

MAX_BYTES = 4_000_000
PAGE_BYTES = 16384
MARK_STEP = 16
# MSR SVCRSM|SVCRZA|SVCRSMZA, #1
SMSTART = re.compile(rb"^0x[0-9a-f]+: +d5034[357]7f", re.M)

ROOT = os.path.abspath(sys.argv[1])
AGENT = os.path.join(ROOT, "build/agent-aarch64/bin/sme2lab-agent")
QEMU = os.path.join(ROOT, "build/tools/qemu-aarch64")
MODEL = os.path.join(ROOT, "tests/data/models/toy_cnn_f32_xnnpack")


def tool(name):
    return shutil.which(name + "-19") or shutil.which(name) or name + "-19"


def emulate(folder, *arguments, options=()):
    command = [QEMU, "-cpu", "max,sme512=on", *options, AGENT, *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, timeout=300)


def run_model(folder, *flags, options=()):
    return emulate(folder, "run", f"--model_path={MODEL}/model.pte", f"--inputs={MODEL}/input-0.bin",
                   "--print_output=none", *flags, options=options)


class Binary(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not os.path.exists(AGENT):
            raise AssertionError(f"{AGENT} is not built; cmake --preset agent-aarch64, then build it")
        cls.folder = tempfile.TemporaryDirectory()
        cls.headers = subprocess.run([tool("llvm-readelf"), "-hlSd", "-W", AGENT], check=True,
                                     capture_output=True, text=True).stdout

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_file_is_small_and_has_the_names_of_functions(self):
        self.assertLessEqual(os.path.getsize(AGENT), MAX_BYTES)
        self.assertNotIn(" .debug_", self.headers)
        self.assertIn(" .symtab", self.headers)

    def test_lines_of_the_source_are_found_beside_it(self):
        names = subprocess.run([tool("llvm-nm"), "--defined-only", AGENT], check=True, capture_output=True, text=True).stdout
        main = re.search(r"^([0-9a-f]+) T main$", names, re.M)[1]
        place = subprocess.run([tool("llvm-symbolizer"), f"--obj={AGENT}", f"0x{main}"], check=True, capture_output=True, text=True).stdout
        self.assertRegex(place, r"^main\n\S*/agent/main\.c:\d+")

    def test_file_is_static_with_fixed_addresses(self):
        self.assertRegex(self.headers, r"Type:\s+EXEC")
        self.assertRegex(self.headers, r"Machine:\s+AArch64")
        self.assertNotIn("INTERP", self.headers)
        self.assertNotIn("(NEEDED)", self.headers)

    def test_segments_suit_16_kib_pages(self):
        loads = [line.split() for line in self.headers.splitlines() if line.split()[:1] == ["LOAD"]]
        self.assertTrue(loads)
        for load in loads:
            self.assertEqual(int(load[-1], 16) % PAGE_BYTES, 0, load)
            self.assertEqual(int(load[1], 16) % PAGE_BYTES, int(load[2], 16) % PAGE_BYTES, load)

    def test_marks_are_found(self):
        section = re.search(r"\bsl_marks\s+PROGBITS\s+([0-9a-f]+)\s+[0-9a-f]+\s+([0-9a-f]+)", self.headers)
        self.assertIsNotNone(section)
        self.assertEqual(int(section[1], 16) % MARK_STEP, 0)
        self.assertGreater(int(section[2], 16), 5 * MARK_STEP)
        self.assertLessEqual(int(section[2], 16), 6 * MARK_STEP)

    def opened(self, trace):
        return re.findall(r'open(?:at)?\((?:AT_FDCWD,)?"([^"]*)"', trace)

    def test_nothing_under_etc_or_usr_is_opened(self):
        for arguments in (["probe"], ["version"], ["run", f"--model_path={MODEL}/model.pte", "--variants=off,on",
                                                   "--num_executions=1", "--print_output=none"]):
            done = emulate(self.folder.name, *arguments, options=("-strace",))
            self.assertEqual(done.returncode, 0, done.stderr[-2000:])
            for path in self.opened(done.stderr.decode(errors="replace")):
                self.assertFalse(path.startswith(("/etc", "/usr")) and path != "/etc/machine-id", path)  # whose board it is

    def test_counted_run_has_no_threads_timers_or_signals(self):
        done = run_model(self.folder.name, "--variants=off,on", "--clock=marks", options=("-strace",))
        self.assertEqual(done.returncode, 0, done.stderr[-2000:])
        trace = done.stderr.decode(errors="replace")
        for call in ("clone", "clone3", "timer_create", "setitimer", "rt_sigaction", "nanosleep", "clock_nanosleep"):
            self.assertNotRegex(trace, rf"\b{call}\(")

    def test_counted_runs_are_alike_to_the_byte(self):
        traces = []
        for name in ("a.sltrace", "b.sltrace"):
            done = run_model(self.folder.name, "--variants=off,on", "--clock=marks", f"--trace_path={name}")
            self.assertEqual(done.returncode, 0, done.stderr[-2000:])
            with open(os.path.join(self.folder.name, name), "rb") as file:
                traces.append(file.read())
        self.assertEqual(traces[0], traces[1])
        self.assertEqual(traces[0][:8][0], 1)  # a HEADER

    def test_streaming_mode_is_entered_only_with_sme2(self):
        for isa, expected in (("sme2", True), ("nosme2", False)):
            log = os.path.join(self.folder.name, "in_asm")
            done = run_model(self.folder.name, f"--isa={isa}", options=("-d", "in_asm", "-D", log))
            self.assertEqual(done.returncode, 0, done.stderr[-2000:])
            with open(log, "rb") as file:
                self.assertEqual(bool(SMSTART.search(file.read())), expected, isa)

    def test_a_run_takes_each_vector_length_that_the_cpu_has(self):
        every = ("-cpu", "max")
        outputs = {}
        for bits in (0, 128, 256, 512, 1024, 2048):
            done = run_model(self.folder.name, f"--svl={bits}", "--json", "--isa=sme2", "--output_file=svl", "--cpu_threads=2", options=every)
            self.assertEqual(done.returncode, 0, done.stderr[-2000:])
            with open(os.path.join(self.folder.name, "svl-0.bin"), "rb") as file:
                outputs[json.loads(done.stdout)["svl_bytes"] * 8] = struct.unpack("<10f", file.read())
        self.assertEqual(sorted(outputs), [128, 256, 512, 1024, 2048])
        for values in outputs.values():
            self.assertTrue(all(abs(a - b) < 1e-4 for a, b in zip(values, outputs[128])), outputs)
        for bits, options, says in ((96, every, b"say one of 128, 256, 512, 1024, 2048"), (256, (), b"say one of 512"),
                                    (256, ("-cpu", "max,sme=off"), b"no streaming vectors")):
            done = run_model(self.folder.name, f"--svl={bits}", options=options)
            self.assertEqual(done.returncode, 1)
            self.assertIn(says, done.stderr)

    def test_probe_says_what_the_cpu_has(self):
        done = emulate(self.folder.name, "probe", "--json")
        self.assertEqual(done.returncode, 0)
        self.assertIn(b'"sme2"', done.stdout)
        self.assertIn(b'"svl_bytes":64', done.stdout)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
