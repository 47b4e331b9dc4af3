"""The templates of configs/templates as they are, and what their analyses say of counted runs."""

import csv
import json
import pathlib
import shutil
import tempfile
import unittest

import lab

TEMPLATES = pathlib.Path(lab.ROOT) / "configs/templates"
MODEL = lab.MODELS / "dynamic_sequence_f32_xnnpack"


class Templates(lab.Scratch):
    def test_every_template_resolves(self):
        names = sorted(path.name for path in TEMPLATES.glob("*.json"))
        self.assertIn("clean_timing.json", names)
        for name in names:
            with self.subTest(name):
                done = lab.sme2lab("run", TEMPLATES / name, "--explain")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertTrue(json.loads(done.stdout)["experiments"])


class Recipes(unittest.TestCase):
    """clean_timing.json, counted, with calibration of what it left."""

    @classmethod
    def setUpClass(cls):
        lab.need(lab.AGENT, lab.EMULATOR)
        cls.out = pathlib.Path(tempfile.mkdtemp(prefix="sme2lab-test-"))
        cls.addClassCleanup(shutil.rmtree, cls.out)
        config = json.loads((TEMPLATES / "clean_timing.json").read_text())
        config |= {"model": str(MODEL / "model.pte"), "device": "counted", "runs": 2, "warmup": 1}
        (cls.out / "config.json").write_text(json.dumps(config))
        cls.done = lab.sme2lab("run", cls.out / "config.json", "--out", cls.out / "run")
        cls.page = (cls.out / "run/combined_report.md").read_text()  # the run's own
        done = lab.sme2lab("report", cls.out / "run", "--format", "json,md")
        assert done.returncode == 0, cls.done.stderr + done.stderr
        cls.combined = json.loads((cls.out / "run/combined_report.json").read_text())
        cls.arms = {row["experiment"]: row["comparison"] for row in cls.combined["comparisons"]}

    def test_the_clean_arm_records_whole_executions_alone(self):
        self.assertEqual([row["name"] for row in self.arms["clean"]["operators"]], ["Method::execute"])
        self.assertGreater(len(self.arms["profiled"]["operators"]), 4)
        self.assertEqual(self.arms["clean"]["next_step"]["rule"], "clean-arm")
        self.assertEqual(json.loads((self.out / "run/manifest_clean.json").read_text())["mode"], "clean")

    def test_the_cost_of_profiling_is_that_of_its_arms(self):
        costs = {row["side"]: row for row in self.combined["profiling_cost"]}
        self.assertEqual(set(costs), {"baseline", "candidate"})
        for side, row in costs.items():
            clean, profiled = (self.arms[name][side]["median_insns"] for name in ("clean", "profiled"))
            self.assertEqual((row["clean_median_insns"], row["profiled_median_insns"]), (clean, profiled))
            self.assertAlmostEqual(row["share"], profiled / clean - 1)
            self.assertTrue(0 <= row["share"] < 0.05, row)
        self.assertIn("## Cost of profiling", self.page)
        self.assertEqual((self.out / "run/combined_report.md").read_text(), self.page)
        self.assertRegex(self.done.stdout, r"cost of profiling, dynamic_sequence_f32_xnnpack, clean: SME2 off \d\.\d\d %, SME2 on \d\.\d\d %\n")
        self.assertEqual(self.combined["sweeps"], [])

    def test_both_arms_compute_the_same_outputs_and_are_valid(self):
        for name, arm in self.arms.items():
            self.assertTrue(arm["output_agreement"]["agree"], name)
        self.assertEqual(lab.sme2lab("validate", self.out / "run").returncode, 0)

    def test_equal_runs_of_an_arm_calibrate_to_no_noise(self):
        done = lab.sme2lab("compare", self.out / "run", "--experiment", "clean", "--calibrate", "--json")
        self.assertEqual((done.returncode, json.loads(done.stdout)["noise_floor"]), (0, 0))


class KernelLevel(lab.Scratch):
    """kernel_level.json, counted: which kernel ran for each operator, what it cost, and what ours would cost alone."""

    def test_each_operator_has_its_kernel_its_cost_and_what_is_left_to_gain(self):
        lab.need(lab.AGENT, lab.EMULATOR)
        toy = lab.MODELS / "toy_cnn_f32_xnnpack"
        config = json.loads((TEMPLATES / "kernel_level.json").read_text())
        config |= {"model": str(toy / "model.pte"), "inputs": [str(toy / "input-0.bin")], "device": "counted", "runs": 2, "warmup": 1, "policy": "all"}
        (self.scratch / "config.json").write_text(json.dumps(config))
        out = self.scratch / "run"
        done = lab.sme2lab("run", self.scratch / "config.json", "--out", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(out / "kernels_sme2-on/model_kernels_sme2-on_t1_kernels.csv", newline="", encoding="utf-8") as file:
            named = {row["kernel_name"]: row for row in csv.DictReader(file)}
        summary = json.loads((out / "analysis_summary.json").read_text())["comparison"]
        executed = {row["kernel"] for row in summary["sme2_proof"] if row["evidence"] == "executed"}
        self.assertEqual({name for name, row in named.items() if row["has_sme2"] == "True"}, executed)
        self.assertEqual(len(executed), 6)
        page = (out / "kernel_view_gemm.md").read_text()
        for name in named:
            self.assertIn(f"| {name} | yes |", page)
        self.assertEqual(lab.sme2lab("report", out, "--headroom", "--format", "md").returncode, 0)
        done = lab.sme2lab("analyze", out / "kernels_sme2-on/model_kernels_sme2-on_t1.etdump", "--headroom", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        room = json.loads(done.stdout)["headroom"]
        self.assertLessEqual(room["reachable_insns"], room["now_insns"])
        rows = [row for row in room["operators"] if row["best_insns"] is not None and not row["stands_in"]]
        self.assertEqual(len(rows), 9)
        for row in rows:  # the run took the kernels that are best alone, which clamp nothing there, and little around them
            self.assertTrue(0.97 * row["best_insns"] <= row["now_insns"] <= row["best_insns"] + max(1200, 0.04 * row["best_insns"]), row)
        self.assertIn("## Headroom", (out / "report_headroom.md").read_text())
        self.assertEqual(lab.sme2lab("validate", out).returncode, 0)


class Emulated(lab.Scratch):
    """Templates that measure time, from end to end on a small model: the times mean nothing, all else holds."""

    def measure(self, name, changes):
        lab.need(lab.AGENT, lab.EMULATOR)
        config = json.loads((TEMPLATES / name).read_text())
        config |= {"model": str(lab.MODELS / "llm_cache_portable/model.pte"), "device": "emulated", "warmup": 1}
        for experiment in config["experiments"]:
            experiment |= {key: value for key, value in changes.items() if key == "runs" or key in experiment}
        (self.scratch / "config.json").write_text(json.dumps(config))
        out = self.scratch / "run"
        done = lab.sme2lab("run", self.scratch / "config.json", "--out", out)
        self.said = done.stdout
        self.assertEqual(done.returncode, 4, done.stderr)  # unfit
        done = lab.sme2lab("report", out, "--format", "json,md,html")
        self.assertEqual(done.returncode, 0, done.stderr)
        done = lab.sme2lab("validate", out)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return out

    def test_contention_is_a_map_of_threads_and_processes(self):
        out = self.measure("contention.json", {"runs": 20, "threads": [1, 2], "concurrency": [1, 3]})
        combined = json.loads((out / "combined_report.json").read_text())
        maps = [one for one in combined["contention_maps"] if one["experiment"] == "map"]
        self.assertEqual([(cell["threads"], cell["concurrency"]) for cell in maps[0]["cells"]],
                         [(threads, processes) for threads in (1, 2) for processes in (1, 3)])
        self.assertIn("contention, llm_cache_portable, map: " + maps[0]["text"], self.said)
        self.assertIn("## Contention", (out / "combined_report.md").read_text())
        self.assertIn("<title>Contention: threads by processes", (out / "combined_report.html").read_text())
        manifest = json.loads((out / "manifest_map_t2_c3.json").read_text())
        self.assertEqual((manifest["concurrency"], [one["place"] for one in manifest["load"]]), (3, [1, 2]))
        for one in manifest["load"]:  # each went on at least as long as the measured one
            self.assertTrue(one["variant"] == "on" and one["threads"] == 2 and one["executions"] > 20, one)
        sides = [out / f"map_t1_c{n}_sme2-on/model_map_t1_c{n}_sme2-on_t1.etdump" for n in (1, 3)]
        found = lab.sme2lab("compare", *sides, "--json")
        self.assertIn("concurrency differs: 1 against 3", " ".join(json.loads(found.stdout)["reasons"]), found.stdout)

    def test_sustained_measures_for_its_budget_and_is_told_in_pieces(self):
        out = self.measure("sustained.json", {"budget_seconds": 1})
        summary = json.loads((out / "analysis_summary.json").read_text())
        self.assertEqual(summary["comparison"]["stopping"]["stopped_by"], "budget")
        self.assertIn("## Over time", (out / "report.md").read_text())
        self.assertEqual(len(summary["comparison"]["over_time"]["pieces"]), 10)

    def test_a_thread_sweep_says_where_it_crosses(self):
        out = self.measure("thread_sweep.json", {"runs": 20, "threads": [1, 2, 4]})
        combined = json.loads((out / "combined_report.json").read_text())
        self.assertEqual([point["threads"] for point in combined["sweeps"][0]["points"]], [1, 2, 4])
        self.assertIn("thread sweep, llm_cache_portable, sweep: " + combined["sweeps"][0]["text"], self.said)
        self.assertIn(combined["sweeps"][0]["crossing"], ("always-faster", "never-faster", "crosses"))

    def test_processes_repeat_an_experiment_and_are_judged_together(self):
        lab.need(lab.AGENT, lab.EMULATOR)
        model = lab.MODELS / "llm_cache_portable/model.pte"
        for device, runs, code, verdict in (("counted", 2, 0, "equal"), ("emulated", 6, 4, "unfit")):
            with self.subTest(device):
                out = self.scratch / device
                done = lab.sme2lab("run", model, "--device", device, "--processes", 3, "--runs", runs, "--warmup", 1, "--out", out)
                self.assertEqual(done.returncode, code, done.stderr)
                self.assertRegex(done.stdout, f"\nprocess to process, llm_cache_portable, run: {verdict} in 3 processes, ratio ")
                manifests = [json.loads((out / f"manifest_run_p{n}.json").read_text()) for n in (1, 2, 3)]
                self.assertEqual([(one["process"], one["processes"], one["schedule"]["seed"]) for one in manifests],
                                 [(n, 3, n) for n in (1, 2, 3)])
                done = lab.sme2lab("report", out, "--format", "json", "-o", self.scratch / f"{device}-report")
                self.assertEqual(done.returncode, 0, done.stderr)
                whole, = json.loads((self.scratch / f"{device}-report/combined_report.json").read_text())["processes"]
                self.assertEqual((whole["experiment"], whole["processes"]), ("run", 3))
                self.assertEqual((whole["comparison"]["method"], whole["comparison"]["verdict"], whole["comparison"]["blocks"]),
                                 ("exact" if device == "counted" else "processes", verdict, 3))
                self.assertIn("## Process to process", (out / "combined_report.md").read_text())
                compared = lab.sme2lab("compare", out, "--json")
                self.assertEqual(compared.returncode, code, compared.stderr)
                self.assertEqual({**json.loads(compared.stdout), "schema": None}, {**whole["comparison"], "schema": None})
                self.assertIn(" 3 processes", lab.sme2lab("compare", out).stdout)

    def test_calibration_gives_a_noise_floor_that_later_runs_are_judged_by(self):
        out = self.measure("calibration.json", {"runs": 60})  # 20 pairs, whatever is set aside as cold
        done = lab.sme2lab("compare", out, "--experiment", "calibration1", "--calibrate", "--json")
        first = json.loads(done.stdout)["noise_floor"]
        done = lab.sme2lab("compare", out, "--calibrate", "--keep", "--json")
        floors = [one["noise_floor"] for one in json.loads(done.stdout)]
        self.assertEqual((len(floors), floors[0]), (3, first))
        kept, = lab.STATE.glob("devices/emulated-*/noise.json")
        self.addCleanup(kept.unlink)
        self.assertEqual(json.loads(kept.read_text())["noise_floor"], max(floors))
        self.assertEqual([one["experiment"] for one in json.loads(kept.read_text())["calibrations"]], [f"calibration{i}" for i in (1, 2, 3)])
        config = json.loads((self.scratch / "config.json").read_text())
        config["experiments"] = [{"name": "later", "runs": 20}]
        (self.scratch / "later.json").write_text(json.dumps(config))
        done = lab.sme2lab("run", self.scratch / "later.json", "--out", self.scratch / "later")
        self.assertEqual(done.returncode, 4, done.stderr)
        later = json.loads((self.scratch / "later/analysis_summary.json").read_text())["comparison"]
        self.assertEqual((later["noise_floor"], later["minimum_effect"]), (max(floors), 0.01))
        self.assertEqual(json.loads((self.scratch / "later/manifest.json").read_text())["noise_floor"], max(floors))
        done = lab.sme2lab("compare", self.scratch / "later", "--calibrate", "--keep")
        self.assertEqual(done.returncode, 2)
        self.assertIn("at least 20 are needed", done.stderr)
        self.assertIn("60 runs are enough", done.stderr)

    def test_counted_runs_have_no_noise_to_keep(self):
        toy = lab.MODELS / "dynamic_sequence_f32_xnnpack/model.pte"
        self.assertEqual(lab.sme2lab("run", toy, "--device", "counted", "--out", self.scratch / "run").returncode, 0)
        done = lab.sme2lab("compare", self.scratch / "run", "--calibrate", "--keep")
        self.assertEqual(done.returncode, 2)
        self.assertIn("Counted runs are exact", done.stderr)


if __name__ == "__main__":
    lab.main()
