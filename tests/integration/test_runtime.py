"""`run --runtime`: ExecuTorch's own libraries and our runtime on the counted device, one beside the other."""

import json
import os
import shutil

import lab

FOLDER = lab.ROOT / "build/agent-aarch64/executorch"
MODEL = lab.MODELS / "toy_cnn_f32_xnnpack" / "model.pte"
INPUT = MODEL.parent / "input-0.bin"
# Operators without a product of matrices run the same code with SME2 and without.
WITHOUT_PRODUCT = ("Max Pooling", "Transpose", "DWConv", "Mean", "Static Reshape")


def setUpModule():
    lab.need(lab.SME2LAB, lab.AGENT, lab.EMULATOR)


class MissingRuntime(lab.Scratch):
    def test_without_its_libraries_the_message_says_how_to_get_them(self):
        state = self.scratch / "state"  # a daemon of its own, which looks in that folder
        self.addCleanup(lab.end_private_daemons, state)
        done = lab.sme2lab("run", MODEL, "--device", "counted", "--runtime", "executorch", "-o", self.scratch / "out",
                           env={"SME2LAB_EXECUTORCH": str(self.scratch), "SME2LAB_STATE": str(state)})
        self.assertIn(done.returncode, (1, 2, 5), done.stderr)
        self.assertIn("executorch", done.stderr.lower())
        self.assertNotIn("more instructions", done.stdout)

    def test_unknown_runtimes_are_refused_with_the_known_ones(self):
        done = lab.sme2lab("run", MODEL, "--runtime", "tflite")
        self.assertEqual(done.returncode, 2)
        self.assertIn("own,executorch", done.stderr)


class WithExecuTorch(lab.Scratch):
    def setUp(self):
        super().setUp()
        if not (FOLDER / "sme2lab-agent-executorch").exists():
            self.skipTest("no ExecuTorch here: scripts/setup --executorch")


class OwnLibraries(WithExecuTorch):
    """`--runtime DIR`."""

    def run_on(self, runtime, *words):
        state = self.scratch / "state"
        self.addCleanup(lab.end_private_daemons, state)
        return lab.sme2lab("run", MODEL, "--inputs", INPUT, "--device", "counted", "--runtime", runtime, "-o", self.scratch / "out", "--force", *words,
                           env={"SME2LAB_STATE": str(state)})

    def test_libraries_of_a_directory_take_the_places_of_the_wheels(self):
        own = self.scratch / "libraries"
        own.mkdir()
        shutil.copy(FOLDER / "libexecutorch_backend_xnnpack.so", own)
        done = self.run_on(f"{own}/")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("ExecuTorch, sme2 on against off: executes 2.8", done.stdout)
        manifest = json.loads((self.scratch / "out/manifest.json").read_text())
        self.assertIn(f"libraries of {own}", manifest["agent_report"]["runtime"])
        folder, = (self.scratch / "state/runtimes").iterdir()
        before = {file.name: file.lstat().st_mtime_ns for file in folder.iterdir()}
        (own / "libexecutorch_backend_xnnpack.so").write_bytes(b"no library" * 5000)
        broken = self.run_on(f"{own}/")
        self.assertEqual(broken.returncode, 1, broken.stdout)
        self.assertIn("invalid ELF header", broken.stdout + broken.stderr)
        self.assertEqual({file.name: file.lstat().st_mtime_ns for file in folder.iterdir()}, before)  # a run that is under way keeps its files
        self.assertEqual(len(list((self.scratch / "state/runtimes").iterdir())), 2)

    def test_what_is_no_such_directory_is_refused(self):
        for runtime, said in ((f"{self.scratch}/nowhere", "no directory"), (f"{self.scratch}/", "no library"), (f"executorch,{self.scratch}/", "not both"),
                              (f"{self.scratch}/,{self.scratch}/", "One directory")):
            done = self.run_on(runtime)
            self.assertEqual(done.returncode, 2, runtime)
            self.assertIn(said, done.stderr)
        done = self.run_on(f"{self.scratch}/", "--server", "unix:/nowhere")
        self.assertEqual(done.returncode, 2)
        self.assertIn("SME2LAB_EXECUTORCH", done.stderr)


class TwoRuntimes(WithExecuTorch):

    def manifest(self, experiment):
        return json.loads((self.out / f"manifest_{experiment}.json").read_text())

    def comparison(self, experiment):
        return json.loads((self.out / f"analysis_summary_{experiment}.json").read_text())

    def test_both_give_four_traces_and_each_says_whose_it_is(self):
        self.out = self.scratch / "out"
        done = lab.sme2lab("run", MODEL, "--inputs", INPUT, "--device", "counted", "--runtime", "executorch,own", "-o", self.out)
        self.assertEqual(done.returncode, 0, done.stderr)
        for experiment in ("run_executorch", "run"):
            for variant in ("off", "on"):
                self.assertTrue(list((self.out / f"{experiment}_sme2-{variant}").glob("*.etdump")), f"{experiment} {variant}")
        self.assertIn("ExecuTorch, sme2 on against off: executes 2.8", done.stdout)
        self.assertEqual(done.stdout.count("fewer instructions at SVL 512 (not speed)"), 2)
        self.assertLess(done.stdout.index("ExecuTorch, sme2"), done.stdout.rindex("sme2 on against off: executes 15."))
        self.assertEqual(self.manifest("run_executorch")["runtime"], "executorch")
        self.assertNotIn("runtime", self.manifest("run"))
        combined = (self.out / "combined_report.md").read_text()
        self.assertIn("What is left in ExecuTorch", combined)
        table = done.stdout[done.stdout.index("what is left"):]
        self.assertRegex(table, r"\ntoy_cnn_f32_xnnpack, end to end +3\.604 M +1\.275 M +2\.600 M +166\.1 k +1\.109 M\n")
        self.assertRegex(table, r"Convolution .* IGEMM .*\n +kai_run_matmul_clamp_f32_f32p2vlx1_f32p2vlx1biasf32_sme2_mopa; ours sl_")
        self.check_outputs()
        self.check_operators()
        self.check_kernels()

    def check_outputs(self):
        """Bit for bit what executor_runner gives on this CPU."""
        for variant, word in (("off", "nosme"), ("on", "sme2")):
            got = next(self.out.glob(f"*run_executorch*_sme2-{variant}-0.bin")).read_bytes()
            self.assertEqual(got, (MODEL.parent / f"aarch64-{word}-0.bin").read_bytes(), variant)

    def check_kernels(self):
        """KleidiAI's functions by their exported names; naming them costs the measured executions nothing."""
        on = (next((self.out / "run_executorch_sme2-on").glob("*_kernels.csv"))).read_text()
        off = (next((self.out / "run_executorch_sme2-off").glob("*_kernels.csv"))).read_text()
        self.assertIn("kai_run_matmul_clamp_f32_f32p2vlx1_f32p2vlx1biasf32_sme2_mopa,CONV", on)
        self.assertIn(",sme2,False,True", on)
        self.assertNotIn("sme", off.split("\n", 1)[1])
        manifest = self.manifest("run_executorch")
        self.assertRegex(manifest["agent_report"]["runtime"], r"^ExecuTorch 1\.5\.1 \([0-9a-f]{8}\)$")
        self.assertIn(f"| Runtime | {manifest['agent_report']['runtime']} |", (self.out / "report_run_executorch.md").read_text())
        self.assertEqual([v["packed_bytes"] for v in manifest["agent_report"]["variants"]], [None, None])

    def check_operators(self):
        operators = {}
        for variant in ("off", "on"):
            etdump = next((self.out / f"run_executorch_sme2-{variant}").glob("*.etdump"))
            analysis = json.loads(lab.sme2lab("analyze", "--json", etdump).stdout)
            operators[variant] = {o["name"]: o["self"]["median_insns"] for o in analysis["operators"]}
            self.assertEqual(len({run["e2e_insns"] for run in analysis["runs"][1:]}), 1, "repeats after the warm-up are equal")
        for name, count in operators["off"].items():
            self.assertNotIn("PF32", name)
            if any(word in name for word in WITHOUT_PRODUCT):
                self.assertEqual(operators["on"].get(name), count, name)


if __name__ == "__main__":
    lab.main()
