"""`run --runtime`: ExecuTorch's own libraries and our runtime on the counted device, one beside the other."""

import json
import os
import shutil
import struct

import lab
from daemon import Daemon

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
        with open(own / "libexecutorch_backend_xnnpack.so", "r+b") as library:
            library.seek(6)
            library.write(b"\x09")  # of a version of ELF that is none
        broken = self.run_on(f"{own}/")
        self.assertEqual(broken.returncode, 1, broken.stdout)
        self.assertIn("ELF file version ident does not match", broken.stdout + broken.stderr)
        self.assertEqual({file.name: file.lstat().st_mtime_ns for file in folder.iterdir()}, before)  # a run that is under way keeps its files
        self.assertEqual(len(list((self.scratch / "state/runtimes").iterdir())), 2)

    def test_what_is_no_such_directory_is_refused(self):
        for runtime, said in ((f"executorch,{self.scratch}/", "not both"), (f"{self.scratch}/,{self.scratch}/", "One directory")):
            done = self.run_on(runtime)
            self.assertEqual(done.returncode, 2, runtime)
            self.assertIn(said, done.stderr)
        done = self.run_on(f"{self.scratch}/", "--server", "unix:/nowhere")
        self.assertEqual(done.returncode, 2)
        self.assertIn("SME2LAB_EXECUTORCH", done.stderr)

    def test_each_folder_that_is_none_of_libraries_says_what_is_missing_and_how_to_get_it(self):
        empty, file, wheel, foreign, text = (self.scratch / name for name in ("empty", "file", "wheel", "foreign", "text"))
        file.write_bytes(b"x")
        for folder in (empty, wheel / "executorch/lib", foreign, text):
            folder.mkdir(parents=True)
        (wheel / "executorch/lib/libexecutorch.so").write_bytes(b"")
        (foreign / "libexecutorch.so").write_bytes(b"\x7fELF\2\1\1" + bytes(9) + struct.pack("<HH", 3, 62) + bytes(44))
        (text / "libexecutorch.so").write_text("INPUT(-lother)")
        for runtime, said in ((self.scratch / "nowhere", "No such file or directory"), (file, "This is a file"), (empty, "It has no library (*.so)"),
                              (wheel, "executorch/lib of an unpacked wheel"), (foreign, "libexecutorch.so is for x86-64, and the device executes aarch64"),
                              (text, "libexecutorch.so is no shared library")):
            for words in ((), ("--json",)):
                done = self.run_on(f"own,{runtime}/" if words else f"{runtime}/", *words)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(said, done.stderr)
                self.assertIn(str(runtime), done.stderr)
                self.assertIn("scripts/setup --executorch", done.stderr)
                if words:
                    error = json.loads(done.stdout)["error"]
                    self.assertEqual((error["code"], error["where"]), ("usage", f"{runtime}/"))
        self.assertFalse((self.scratch / "out").exists())
        self.assertFalse(list((self.scratch / "state").glob("runtimes/*")), "nothing is left of them")


class TwoRuntimes(WithExecuTorch):

    def manifest(self, experiment):
        ending = "" if experiment == "run" else f"_{experiment}"  # ours has the plain names
        return json.loads((self.out / f"manifest{ending}.json").read_text())

    def test_both_give_four_traces_and_each_says_whose_it_is(self):
        self.out = self.scratch / "out"
        done = lab.sme2lab("run", MODEL, "--inputs", INPUT, "--device", "counted", "--runtime", "executorch,own", "-o", self.out)
        self.assertEqual(done.returncode, 0, done.stderr)
        for experiment in ("run_executorch", "run"):
            for variant in ("off", "on"):
                self.assertTrue(list((self.out / f"{experiment}_sme2-{variant}").glob("*.etdump")), f"{experiment} {variant}")
        lines = done.stdout.splitlines()
        self.assertRegex(lines[-1], r"^ExecuTorch, sme2 on against off: 2\.8\d+x fewer instructions at SVL 512 \(not speed\); ours 10\.\d+x$")
        self.assertEqual(len(lines), 10, done.stdout)
        self.assertLessEqual(max(len(line) for line in lines if str(self.out) not in line), 100, done.stdout)
        self.assertEqual(lines[6], f"outputs agree; report: {self.out}/combined_report.html, or --full")
        self.assertTrue(lines[7].startswith("ExecuTorch, estimated time off / on: "), done.stdout)
        self.assertTrue(lines[8].startswith("next: ExecuTorch: "), done.stdout)
        self.assertEqual([done.stdout.count(words) for words in ("not time", "emulated", "exact")], [1, 1, 0], done.stdout)
        self.assertEqual(self.manifest("run_executorch")["runtime"], "executorch")
        self.assertNotIn("runtime", self.manifest("run"))
        combined = (self.out / "combined_report.md").read_text()
        self.assertIn("What is left in ExecuTorch", combined)
        self.assertRegex(done.stdout, r"\ntoy_cnn_f32_xnnpack, end to end +3\.604 M +1\.275 M +2\.605 M +243\.9 k +1\.031 M\n")
        self.assertIn("kai_run_matmul_clamp_f32_f32p2vlx1_f32p2vlx1biasf32_sme2_mopa", combined)
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


class Dashboard(WithExecuTorch):
    def test_a_run_leads_to_a_page_of_both_runtimes_operator_by_operator(self):
        with Daemon(self.scratch / "state") as daemon:
            blobs = {"model": daemon.put_blob(MODEL), "inputs": [daemon.put_blob(INPUT)], "device": "counted-512", "runs": 1}
            jobs = [json.loads(daemon.submit({**blobs, "runtime": [runtime]})[2])["id"] for runtime in ("own", "executorch")]
            own, theirs = (daemon.wait(job)["run"] for job in jobs)
            page = f"/combined?runs={theirs},{own}"
            for run, whose in ((own, "our own"), (theirs, "ExecuTorch")):
                text = daemon.request("GET", f"/runs/{run}")[2].decode()
                self.assertIn(page, text)
                self.assertIn(whose, text)
            status, _, body = daemon.request("GET", page)
            text = body.decode().replace("<wbr>", "")
            self.assertEqual(status, 200)
            for words in ("What is left in ExecuTorch", "Convolution (NHWC, PF32) IGEMM", "sl_conv_", "kai_run_matmul_", "<td>run_executorch</td>", "<td>run</td>"):
                self.assertIn(words, text)
            combined = daemon.get(f"/api/v1/combined?runs={theirs},{own}")
            self.assertNotIn(str(self.scratch), text + json.dumps(combined))
            self.assertEqual((combined["schema"], len(combined["comparisons"])), ("sme2lab.combined/1", 2))
            operator = combined["left"][0]["operators"][0]
            self.assertEqual(operator["name"], "Convolution (NHWC, PF32) IGEMM")
            self.assertTrue(combined["outputs"][0]["agree"])
            for query, expected in (("", 400), (f"?runs={own}", 400), (f"?runs={own},{own}", 400), (f"?runs={own},x", 400), (f"?runs={own},999", 404)):
                self.assertEqual(daemon.request("GET", "/combined" + query)[0], expected, query)


class OfPython(lab.Scratch):
    """An ETDump of two executions that `executorch.runtime`, the wheel's Python interface, wrote: MobileNet v2, of which the mean is not delegated."""

    ETDUMP = lab.ROOT / "tests/data/etdump/mobilenet_v2_f32_python/run.etdump"
    MOBILENET = lab.MODELS / "mobilenet_v2_f32_xnnpack"

    def test_its_operators_have_the_categories_of_their_origins(self):
        analysis = json.loads(lab.sme2lab("analyze", "--json", "--model", self.MOBILENET / "model.pte", self.ETDUMP).stdout)
        self.assertEqual((analysis["label"], analysis["time_unit"], len(analysis["runs"])), ("origin", "ns", 2))
        for run in analysis["runs"]:
            self.assertEqual(sum(run["categories_ns"].values()), run["e2e_ns"])
        self.assertEqual(analysis["unknown_operators"], [])
        by_category = {}
        for operator in analysis["operators"]:
            if operator["delegate"]:
                by_category[operator["category"]] = by_category.get(operator["category"], 0) + operator["instances"]
        self.assertEqual(by_category, {"CONV": 52, "GEMM": 1, "Data Movement": 2, "Elementwise": 10})
        self.assertEqual([o["category"] for o in analysis["operators"] if o["name"] == "native_call_mean.out"], ["Other"])

    def test_it_is_imported_and_compared_as_any(self):
        self.assertEqual(lab.sme2lab("import", self.ETDUMP, "-o", self.scratch / "imported").returncode, 0)
        done = lab.sme2lab("compare", self.ETDUMP, self.MOBILENET / "run.etdump", "--json")
        compared = json.loads(done.stdout)
        missing = [o["name"] for o in compared["operators"] if None in (o.get("baseline_ns"), o.get("candidate_ns"))]
        self.assertEqual((missing, len(compared["operators"]) > 5), ([], True), "its events are called as those of executor_runner")


class ByDefault(WithExecuTorch):
    """A model for which nobody names a runtime."""

    def run_model(self, model, *words, out="out", folder=FOLDER):
        state = self.scratch / f"state-{folder.name}"
        self.addCleanup(lab.end_private_daemons, state)
        return lab.sme2lab("run", model, "--device", "counted", "--runs", "1", "--warmup", "1", "-o", self.scratch / out, "--force", *words,
                           env={"SME2LAB_STATE": str(state), "SME2LAB_RUNTIME": "", "SME2LAB_EXECUTORCH": str(folder)})

    def test_one_object_has_ours_and_both_and_the_directory_is_ours_with_more_beside(self):
        done = self.run_model(MODEL, "--inputs", INPUT, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        said, out = json.loads(done.stdout), self.scratch / "out"
        self.assertEqual((said["schema"], said["experiment"]), ("sme2lab.run/1", "run"))
        self.assertEqual([run["experiment"] for run in said["runtimes"]], ["run_executorch", "run"])
        self.assertAlmostEqual(said["runtimes"][0]["comparison"]["ratio"], 2.8, 1)
        self.assertEqual(said["runtimes"][1], {k: v for k, v in said.items() if k in said["runtimes"][1]})
        self.assertEqual(said["runtimes"][1], json.loads((out / "analysis_summary.json").read_text()))
        self.assertTrue(said["outputs"][0]["agree"])
        self.assertEqual(len(said["outputs"][0]["pairs"]), 10, "each of the four with each other and with the portable kernels")
        self.assertEqual(said["left"][0]["operators"][0]["name"], "Convolution (NHWC, PF32) IGEMM")
        self.use_directory(out)

    def use_directory(self, out):
        """What takes the directory of one run takes it still: it is of ours."""
        alone = self.run_model(MODEL, "--inputs", INPUT, "--runtime", "own", out="alone")
        self.assertEqual(alone.returncode, 0, alone.stderr)
        compared = json.loads(lab.sme2lab("compare", self.scratch / "alone", out, "--json").stdout)
        self.assertEqual(compared["verdict"], "equal")
        self.assertEqual(lab.sme2lab("report", out, "--format", "perfetto,comment,json,csv", "-o", self.scratch / "pages").returncode, 0)
        names = {path.name for path in (self.scratch / "pages").iterdir()}
        self.assertLessEqual({"report.json", "report_run_executorch.json", "combined_report.json", "report.comment.md"}, names)
        file = self.scratch / "counts.json"
        self.assertEqual(lab.sme2lab("baseline", "write", file, self.scratch / "alone").returncode, 0)
        checked = lab.sme2lab("baseline", "check", file, out)
        self.assertEqual(checked.returncode, 0, checked.stdout)
        self.assertIn("2 arms that the file does not have", checked.stdout)

    def test_a_baseline_decides_what_is_measured(self):
        self.assertEqual(self.run_model(MODEL, "-q").returncode, 0)
        both = self.run_model(MODEL, "--baseline", self.scratch / "out", "-q", out="both")
        self.assertEqual(both.returncode, 0, both.stderr)
        self.assertEqual(both.stdout.count("executes the same number of instructions"), 2)
        for path in (self.scratch / "out").glob("*_run_executorch*.json"):
            path.unlink()
        self.damaged.add(self.scratch / "out")  # half of it is gone
        ours = self.run_model(MODEL, "--baseline", self.scratch / "out", "-q", out="ours")
        self.assertEqual((ours.returncode, ours.stdout.count("executes the same number of instructions")), (0, 1), ours.stderr)
        self.assertFalse(list((self.scratch / "ours").glob("*executorch*")))

    def test_a_baseline_of_executorch_alone_is_held_against_executorch(self):
        alone, both = (self.run_model(MODEL, "--runtime", runtime, "-q", out=out) for runtime, out in (("executorch", "alone"), ("executorch,own", "both")))
        self.assertEqual((alone.returncode, both.returncode), (0, 0), alone.stderr + both.stderr)
        for baseline, words in ((self.scratch / "alone", ()), ("1", ()), (self.scratch / "both", ("--runtime", "executorch"))):
            done = self.run_model(MODEL, "--baseline", baseline, "-q", *words)
            self.assertEqual((done.returncode, done.stdout.count("executes the same number of instructions")), (0, 1), done.stderr)
            self.assertEqual(json.loads((self.scratch / "out/manifest.json").read_text())["runtime"], "executorch")
        refused = self.run_model(MODEL, "--runtime", "own", "--baseline", self.scratch / "alone", out="refused")
        self.assertEqual(refused.returncode, 2, refused.stderr)
        self.assertIn("The baseline has no run on our runtime", refused.stderr)
        self.assertFalse((self.scratch / "refused").exists())

    def test_a_model_that_it_refuses_is_measured_on_ours(self):
        libraries = self.scratch / "libraries"
        shutil.copytree(FOLDER, libraries, symlinks=True)
        (libraries / "libexecutorch_backend_xnnpack.so").write_bytes(b"no library" * 5000)
        done = self.run_model(MODEL, "--json", folder=libraries)
        self.assertEqual(done.returncode, 0, done.stderr)
        said = json.loads(done.stdout)
        self.assertEqual(said["verdict"], "fewer-instructions")
        self.assertEqual((said["runtimes"][0]["exit_code"], said["runtimes"][1]["experiment"]), (1, "run"))
        self.assertIn("invalid ELF header", said["runtimes"][0]["error"]["message"])
        self.assertRegex(done.stderr, r"\AExecuTorch does not run this model, ours alone is measured: .*invalid ELF header.*\n\Z")
        named = self.run_model(MODEL, "--runtime", "executorch,own", "-q", folder=libraries)
        self.assertEqual(named.returncode, 1, "who names it wants it")

    def test_a_model_that_keeps_state_gives_the_outputs_of_its_first_execution(self):
        model = lab.MODELS / "control_flow_portable"
        done = self.run_model(model / "model.pte", "--inputs", f"{model}/input-0.bin,{model}/input-1.bin", "--json")
        self.assertEqual([outputs["agree"] for outputs in json.loads(done.stdout)["outputs"]], [True], done.stderr)

    def test_where_it_is_not_installed_ours_runs_alone(self):
        done = self.run_model(MODEL, "--json", folder=self.scratch)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("runtimes", json.loads(done.stdout))
        self.assertFalse(list((self.scratch / "out").glob("*executorch*")))


if __name__ == "__main__":
    lab.main()
