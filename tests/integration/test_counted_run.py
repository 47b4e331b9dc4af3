"""A counted run of the toy CNN, end to end: exact, repeatable, and proof of what was executed."""

import csv
import hashlib
import json
import math
import pathlib
import re
import shutil
import tempfile
import unittest

import lab



def setUpModule():
    lab.need(lab.SME2LAB, lab.AGENT, lab.EMULATOR)


def outer_products(shape, tile):
    """FMOPAs that a product needs: one for each tile of the output, step of the depth, and bias.

    `shape` is "input * weights -> output", with the output's last dimension the columns."""
    weights, output = re.fullmatch(r"\S+ \* (\S+) -> (\S+)", shape).groups()
    weights = list(map(int, weights.split("x")))
    output = list(map(int, output.split("x")))
    columns = output[-1]
    rows = math.prod(output[:-1])
    depth = math.prod(weights) // columns
    return math.ceil(rows / tile) * math.ceil(columns / tile) * (depth + 1)


class CountedRun(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="sme2lab-test-")
        cls.run_ = lab.Run("toy_cnn_f32_xnnpack", cls.folder + "/first")

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def test_verdict_is_fewer_instructions_with_exit_code_0(self):
        self.assertEqual(self.run_.done.returncode, 0, self.run_.done.stderr)
        self.assertEqual(self.run_.result["verdict"], "fewer-instructions")
        self.assertEqual(self.run_.result["comparison"]["method"], "exact")
        self.assertEqual(self.run_.done.stderr, "")

    def test_outputs_that_are_no_numbers_are_said_to_be(self):
        first = (lab.MODELS / "toy_cnn_f32_xnnpack/input-0.bin").read_bytes()
        (pathlib.Path(self.folder) / "nan.bin").write_bytes(b"\x00\x00\xc0\x7f" + first[4:])
        done = lab.sme2lab("run", lab.MODELS / "toy_cnn_f32_xnnpack/model.pte", "--inputs", self.folder + "/nan.bin", "--device", "counted",
                           "--runs", "1", "--warmup", "0", "--out", self.folder + "/nan")
        self.assertIn("outputs: agree; largest difference 0, 0 of the peak (up to 0.0001); 10 values are NaN or infinite\n", done.stdout)
        for name in ("report.md", "report.html"):
            self.assertEqual((pathlib.Path(self.folder) / "nan" / name).read_text().count("10 values are NaN or infinite"), 3)
        self.assertEqual(lab.sme2lab("validate", self.folder + "/nan").returncode, 0)

    def test_a_gain_that_falls_is_a_regression_though_on_still_wins(self):
        narrow = lab.Run("toy_cnn_f32_xnnpack", self.folder + "/narrow", "--svl", "128")
        self.assertEqual(narrow.done.returncode, 0, narrow.done.stderr)
        words = ("compare", self.run_.out, narrow.out, "--factor", "device", "--variant", "off")
        done = lab.sme2lab(*words, "--json")
        found = json.loads(done.stdout)
        self.assertEqual((done.returncode, found["verdict"]), (3, "equal"))
        self.assertEqual((found["arms"]["other"], found["arms"]["verdict"]), ("on", "more-instructions"))
        gain = found["arms"]["gain"]
        self.assertEqual((gain["before"], gain["after"]), (self.run_.result["comparison"]["ratio"], narrow.result["comparison"]["ratio"]))
        self.assertLess(gain["ratio"], 0.8)
        self.assertTrue(found["output_agreement"]["agree"])
        self.assertIn("what SME2 gains: ", lab.sme2lab(*words).stdout)
        self.assertEqual(lab.sme2lab(*words, "--threshold", "900").returncode, 0)
        self.assertEqual(lab.sme2lab("compare", self.run_.out, narrow.out, "--variant", "off").returncode, 4)

    def test_a_run_is_held_to_its_baseline_on_each_arm_and_on_the_gain(self):
        again = lab.Run("toy_cnn_f32_xnnpack", self.folder + "/again")
        model = [lab.MODELS / "toy_cnn_f32_xnnpack" / name for name in ("model.pte", "input-0.bin")]
        words = ("run", model[0], "--inputs", model[1], "--device", "counted", "--baseline", again.out)
        done = lab.sme2lab(*words, "--threshold", "1", "--out", self.folder + "/held")
        self.assertEqual(done.returncode, 0, done.stderr)
        _, _, gate = done.stdout.partition(f"against the baseline {again.out}\n")
        self.assertRegex(gate, r"what SME2 gains: .* now \(\+0\.0 %\)")
        self.assertIn("gate: passed", gate)
        done = lab.sme2lab(*words, "--svl", "128", "--out", self.folder + "/held-128")
        self.assertEqual(done.returncode, 4, done.stderr)  # of another device nothing can be told
        self.assertIn("device differs", done.stdout)
        done = lab.sme2lab(*words, "--json", "--out", self.folder + "/held-json")
        schemas = [json.loads(line).get("schema") for line in done.stdout.splitlines()]
        self.assertEqual(schemas, ["sme2lab.run/1", "sme2lab.comparison/1"], done.stdout)
        self.assertEqual(lab.sme2lab(*words[:-1], self.folder, "--out", self.folder + "/none").returncode, 2)
        done = lab.sme2lab(*words, "--processes", "2", "--out", self.folder + "/none")
        self.assertEqual(done.returncode, 2)
        self.assertIn("judges one process", done.stderr)
        self.assertFalse((pathlib.Path(self.folder) / "none").exists())

    def test_categories_sum_to_end_to_end_in_every_run(self):
        for analysis in self.run_.result["analyses"]:
            self.assertEqual(analysis["time_unit"], "instructions")
            self.assertGreaterEqual(len(analysis["runs"]), 3)
            for run in analysis["runs"]:
                self.assertEqual(sum(run["categories_insns"].values()), run["e2e_insns"])

    def test_measured_runs_are_equal_to_the_instruction(self):
        for analysis in self.run_.result["analyses"]:
            measured = [run for run in analysis["runs"] if not run["warmup"]]
            self.assertEqual(len(measured), 2)
            self.assertEqual(measured[0]["e2e_insns"], measured[1]["e2e_insns"])
            self.assertEqual(measured[0]["categories_insns"], measured[1]["categories_insns"])

    def test_another_process_elsewhere_counts_the_same(self):
        again = lab.Run("toy_cnn_f32_xnnpack", self.folder + "/a-directory-with-a-longer-name/second")
        self.assertEqual([run["e2e_insns"] for a in again.result["analyses"] for run in a["runs"]],
                         [run["e2e_insns"] for a in self.run_.result["analyses"] for run in a["runs"]])

    def test_on_executes_the_outer_products_that_the_shapes_predict(self):
        tile = self.run_.manifest["agent_report"]["svl_bytes"] // 4
        steady = self.run_.executed("on")[-1]
        events = [e for e in self.run_.trace() if e["variant"] == 1 and "mopa" in e["kernel"]]
        per_run = events[:len(events) // len(self.run_.executed("on"))]
        self.assertGreaterEqual(len(per_run), 3)  # the convolutions; a single row needs none
        self.assertEqual(steady["outer_products"], sum(outer_products(e["shape"], tile) for e in per_run))

    def test_packing_and_the_rest_are_the_operators_whole(self):
        runs = [self.run_, *(lab.Run(f"toy_cnn_{kind}_xnnpack", f"{self.folder}/{kind}") for kind in ("f16", "int8"))]
        for run in runs:
            on = run.analysis("on")
            for name in ("CONV", "GEMM"):
                whole = [r["categories_insns"][name] for r in on["runs"] if not r["warmup"]]
                parts = {p["name"]: p["mean_insns"] for p in on["parts"] if p["category"] == name}
                packing = sum(o["packing_insns"] for o in on["operators"] if o["category"] == name)
                self.assertEqual(sum(parts.values()) * len(whole), sum(whole))
                self.assertEqual(parts.get("packing inside", 0) * len(whole), packing)
            for operator in on["operators"]:
                self.assertTrue(0 <= operator["packing_insns"] <= operator["total_insns"], operator)
            products = [o for o in on["operators"] if "2vlx2vl" in (o["kernel"] or "")]
            self.assertTrue(products and all(0 < o["packing_insns"] < o["total_insns"] for o in products), products)
            # An operator's event holds it, and the execution's holds all of them.
            events = [e for e in run.trace() if e["variant"] == 1]
            inside = [e["packing"] for e in events if e["event"] == 2]
            executions = [e["packing"] for e in events if e["name"] == "Method::execute"]
            self.assertEqual(sum(inside), sum(executions))
            self.assertEqual(len(set(executions)), 1)
            self.assertGreater(executions[0], 0)
        step = next(s for s in self.run_.result["comparison"]["next_steps"] if s["rule"] == "packing")
        self.assertGreater(step["value"], 0.3)
        self.assertIn("Packing inside: instructions that lay operands out", (self.run_.out / "report.md").read_text())

    def test_off_executes_no_smstart_and_no_outer_product(self):
        for execution in self.run_.executed("off"):
            self.assertEqual(execution["smstarts"], 0)
            self.assertEqual(execution["outer_products"], 0)
            self.assertGreater(execution["vector_macs"], 0)

    def test_outputs_of_off_on_and_portable_agree(self):
        for agreement in self.run_.result["output_agreement"].values():
            self.assertTrue(agreement["agree"])
            self.assertLessEqual(agreement["max_rel"], 1e-4)

    def test_schedule_alternates_and_stands_in_the_manifest(self):
        executions = self.run_.manifest["schedule"]["executions"]
        pairs = {}
        for execution in executions:
            if not execution["warmup"]:
                pairs.setdefault(execution["pair"], []).append(execution["variant"])
        self.assertEqual(len(pairs), 2)
        self.assertEqual(pairs[0], pairs[1][::-1])

    def test_manifest_has_the_hashes_of_what_went_in(self):
        model = (lab.MODELS / "toy_cnn_f32_xnnpack/model.pte").read_bytes()
        given = (lab.MODELS / "toy_cnn_f32_xnnpack/input-0.bin").read_bytes()
        manifest = self.run_.manifest
        self.assertEqual(manifest["model_sha256"], hashlib.sha256(model).hexdigest())
        self.assertEqual(manifest["inputs"][0]["sha256"], hashlib.sha256(given).hexdigest())
        self.assertEqual(manifest["agent_sha256"], hashlib.sha256(lab.AGENT.read_bytes()).hexdigest())
        self.assertEqual(manifest["time_unit"], "instructions")
        self.assertEqual(manifest["device"]["emulator_version"].split(".")[0].isdigit(), True)
        self.assertIn("sme2", manifest["device"]["probe"]["isa"])
        for result in manifest["results"]:
            etdump = (self.run_.out / result["etdump"]).read_bytes()
            self.assertEqual(result["etdump_sha256"], hashlib.sha256(etdump).hexdigest())

    def test_timeline_names_its_unit(self):
        path = self.run_.out / "run_sme2-on/model_run_sme2-on_t1_exec_all_runs_timeline.csv"
        with path.open(newline="") as file:
            rows = list(csv.DictReader(file))
        methods = [row for row in rows if row["name"] == "Method::execute"]
        self.assertEqual([int(row["duration_insns"]) for row in methods],
                         [run["e2e_insns"] for run in self.run_.analysis("on")["runs"]])

    def test_analyze_finds_the_same_in_the_etdump(self):
        etdump = self.run_.out / "run_sme2-on/model_run_sme2-on_t1.etdump"
        again = json.loads(lab.sme2lab("analyze", "--json", etdump).stdout)
        again = again[0] if isinstance(again, list) else again
        self.assertEqual(again["runs"], self.run_.analysis("on")["runs"])
        self.assertEqual(again["label"], "origin")

    def test_other_vector_lengths_predict_their_outer_products_too(self):
        for bits in (128, 2048):
            run = lab.Run("toy_cnn_f32_xnnpack", f"{self.folder}/svl{bits}", "--svl", bits, "--runs", 1, "--warmup", 0)
            self.assertEqual(run.done.returncode, 0, run.done.stderr)
            events = [e for e in run.trace() if e["variant"] == 1 and "mopa" in e["kernel"]]
            self.assertEqual(sum(row["outer_products"] for row in run.executed("on")),
                             sum(outer_products(e["shape"], bits // 32) for e in events))

    def test_several_vector_lengths_are_a_run_each_on_the_device_that_has_it(self):
        out = pathlib.Path(self.folder) / "sweep"
        done = lab.sme2lab("run", lab.MODELS / "toy_cnn_f32_xnnpack/model.pte", "--device", "counted", "--svl", "128,256",
                           "--runs", 1, "--warmup", 0, "--out", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        for bits in (128, 256):
            manifest = json.loads((out / f"manifest_run_svl{bits}.json").read_text())
            self.assertEqual(manifest["agent_report"]["svl_bytes"], bits // 8)
            self.assertIn(f"fewer instructions at SVL {bits} (not speed)", done.stdout)

    def test_without_sve_outside_streaming_mode_outputs_agree(self):
        run = lab.Run("toy_cnn_f32_xnnpack", self.folder + "/nosve", "--cpu", "max,sve=off,sme512=on",
                      "--runs", 1, "--warmup", 0)
        self.assertEqual(run.done.returncode, 0, run.done.stderr)
        self.assertEqual(run.executed("on")[-1]["outer_products"], self.run_.executed("on")[-1]["outer_products"])


if __name__ == "__main__":
    lab.main()
