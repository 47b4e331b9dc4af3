"""What users of Arm's profiling kit look for in a run directory. A test named ad_NN is the regression test of that defect of the kit."""

import csv
import json
import pathlib
import shutil
import tempfile
import unittest

import lab

PER_ETDUMP = ["exec_all_runs_timeline.csv", "exec_run0_timeline.csv", "exec_ops_stats.csv", "robust_stats.json", "category_summary.csv",
              "operator_details.csv", "e2e_latency.csv", "other_top_ops.csv", "kernels.csv", "schema.json"]


def setUpModule():
    lab.need(lab.SME2LAB, lab.AGENT, lab.EMULATOR)


def rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


class KitFiles(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="sme2lab-test-"))
        cls.run_ = lab.Run("toy_cnn_f32_xnnpack", cls.folder / "run")
        cls.out = cls.run_.out

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def base(self, variant):
        return self.out / f"run_sme2-{variant}" / f"model_run_sme2-{variant}_t1"

    def copy(self):
        copied = pathlib.Path(tempfile.mkdtemp(dir=self.folder)) / "copy"
        shutil.copytree(self.out, copied)
        return copied

    def test_every_file_of_every_variant_is_there(self):
        for variant in ("off", "on"):
            for name in PER_ETDUMP:
                self.assertTrue(pathlib.Path(f"{self.base(variant)}_{name}").is_file(), name)
        pair = self.out / "run_sme2-off_t1_vs_run_sme2-on_t1_robust_comparison.json"
        speedup = json.loads(pair.read_text())["speedup"]
        self.assertEqual(speedup["median_based"], self.run_.result["comparison"]["ratio"])

    def test_summary_has_the_kits_keys_and_the_figures_of_the_analyses(self):
        summary = json.loads((self.out / "model_pipeline_summary.json").read_text())
        self.assertEqual(set(summary), {"model", "generated_at", "output_root", "runs"})
        for run, variant in zip(summary["runs"], ("off", "on")):
            self.assertEqual(set(run), {"experiment", "threads", "mode", "status", "paths", "metrics", "runs", "warmup"})
            latency = self.run_.analysis(variant)["latency"]
            self.assertEqual((run["metrics"]["median_insns"], run["runs"], run["status"]), (latency["median_insns"], latency["n"], "ok"))
            self.assertTrue((self.out / run["metrics"]["robust_stats_path"]).is_file())
            self.assertTrue((self.out / run["paths"]["etdump"]).is_file())
        page = (self.out / "model_pipeline_summary.md").read_text()
        self.assertIn("| Experiment | Threads | Runs | Warmup | Median (instructions) |", page)
        totals = json.loads((self.out / "analysis_summary.json").read_text())["category_totals_insns"]
        for variant in ("off", "on"):
            sums = rows(f"{self.base(variant)}_category_summary.csv")
            self.assertEqual({row["category"]: float(row["total_insns"]) for row in sums}, totals[f"run_sme2-{variant}"])

    def test_ad_01_pairs_are_declared_with_their_threads_not_guessed_from_names(self):
        other = self.copy()
        text = (other / "manifest.json").read_text()
        (other / "manifest.json").write_text(text.replace('"threads":1', '"threads":4'))
        done = lab.sme2lab("compare", self.out, other, "--variant", "on", "--json")
        self.assertEqual((done.returncode, json.loads(done.stdout)["verdict"]), (4, "incomparable"))
        self.assertEqual(sorted(p.name for p in self.out.glob("*_vs_*.json")),
                         ["run_sme2-off_t1_vs_run_sme2-on_t1_robust_comparison.json"])

    def test_ad_07_warm_up_is_in_the_process_and_in_no_figure(self):
        stats = json.loads(pathlib.Path(f"{self.base('on')}_robust_stats.json").read_text())
        runs = self.run_.analysis("on")["runs"]
        self.assertTrue(runs[0]["warmup"])
        self.assertEqual(stats["run_indices"], [run["run"] for run in runs if not run["warmup"]])
        self.assertEqual(stats["latencies_insns"], [run["e2e_insns"] for run in runs if not run["warmup"]])

    def test_ad_08_operators_are_of_measured_runs_and_run_0_says_it_is_cold(self):
        details = {row["operator"]: int(row["event_count"]) for row in rows(f"{self.base('on')}_operator_details.csv")}
        self.assertEqual(details["Method::execute"], self.run_.analysis("on")["latency"]["n"])
        schema = json.loads(pathlib.Path(f"{self.base('on')}_schema.json").read_text())
        self.assertIn("cold", schema["_exec_run0_timeline.csv"]["*"])
        self.assertEqual({row["run_index"] for row in rows(f"{self.base('on')}_exec_run0_timeline.csv")}, {"0"})

    def test_ad_12_the_timelines_shares_of_a_run_add_up_to_100(self):
        timeline = rows(f"{self.base('on')}_exec_all_runs_timeline.csv")
        for run in {row["run_index"] for row in timeline}:
            self.assertAlmostEqual(sum(float(row["pct_total"]) for row in timeline if row["run_index"] == run), 100, places=2)

    def test_ad_36_a_run_without_its_etdump_is_not_ok(self):
        broken = self.copy()
        (broken / self.run_.manifest["results"][1]["etdump"]).unlink()
        self.assertEqual(lab.sme2lab("validate", broken).returncode, 1)
        self.assertEqual(lab.sme2lab("report", broken, "-o", broken / "again").returncode, 2)

    def test_ad_37_bad_counts_and_names_are_refused_and_nothing_is_overwritten(self):
        config = self.folder / "config.json"
        config.write_text(json.dumps({"model": str(lab.MODELS / "toy_cnn_f32_xnnpack/model.pte"), "output_root": str(self.out),
                                      "experiments": [{"name": "run", "factor": {"sme2": ["off", "on"]}}]}))
        before = (self.out / "model_pipeline_summary.json").read_bytes()
        self.assertEqual(lab.sme2lab("run", config, "--only", "rnu").returncode, 2)
        self.assertEqual(lab.sme2lab("run", config, "--runs", "-5").returncode, 2)
        self.assertEqual((self.out / "model_pipeline_summary.json").read_bytes(), before)

    def test_ad_38_manifest_and_metrics_are_written_and_valid(self):
        metrics = json.loads((self.out / "metrics.json").read_text())["results"]
        keys = {"runs", "threads", "latency_insns", "median_insns", "min_insns", "max_insns", "etdump", "log", "etdump_rel", "log_rel"}
        self.assertEqual([set(result["metrics"]) for result in metrics], [keys, keys])
        self.assertEqual([result["experiment"] for result in metrics], ["run_sme2-off", "run_sme2-on"])
        self.assertEqual([result["metrics"] for result in self.run_.manifest["results"]], [result["metrics"] for result in metrics])
        self.assertEqual(set(self.run_.manifest["executorch"]), {"present", "sha", "dirty"})
        self.assertEqual(self.run_.manifest["model"], json.loads((self.out / "model_pipeline_summary.json").read_text())["model"])
        self.assertEqual(lab.sme2lab("validate", self.out).returncode, 0)

    def test_the_kernel_view_has_what_was_executed_and_validate_finds_a_changed_figure_of_the_manifest(self):
        view = (self.out / "kernel_view_gemm.md").read_text()
        self.assertIn("| Kernel Name | SME2-On | SME2-Off | Architecture | Delegation |", view)
        self.assertIn("executed", view)
        self.assertRegex(view, r"\| sl_conv_\S+_sme2_mopa \| yes \|  \| SME2 \| XNNPACK \|")
        self.assertRegex(view, r"\| sl_conv_\S+_neon_mla \|  \| yes \| NEON \| XNNPACK \|")
        broken = self.copy()
        text = (broken / "manifest.json").read_text()
        median = f'"median_insns":{self.run_.manifest["results"][0]["metrics"]["median_insns"]}'
        self.assertIn(median, text)
        (broken / "manifest.json").write_text(text.replace(median, median + "1", 1))
        done = lab.sme2lab("validate", broken)
        self.assertEqual(done.returncode, 1)
        self.assertIn("/results/0/metrics/median_insns", done.stdout)

    def test_ad_39_a_report_on_the_parent_directory_is_an_error_not_an_empty_table(self):
        done = lab.sme2lab("report", self.folder, "-o", self.folder / "report")
        self.assertEqual(done.returncode, 2)
        self.assertIn("no run directory", done.stderr)
        self.assertFalse((self.folder / "report").exists())

    def test_the_log_ends_with_the_kits_block_of_each_variant(self):
        log = (self.out / self.run_.manifest["results"][0]["log"]).read_text()
        blocks = log.split("===== PERFORMANCE SUMMARY =====\n")[1:]
        self.assertEqual(len(blocks), 2)
        for block, variant, result in zip(blocks, ("off", "on"), self.run_.manifest["results"]):
            told = dict(line.split(": ", 1) for line in block.strip().splitlines())
            self.assertEqual(list(told), ["Experiment", "Model", "Warmup Iterations", "Execution Iterations", "Execution Total Wall",
                                          "Execution Total Runner", "Avg Wall/Run", "Avg Runner/Run", "CPU Threads", "Quiet Runner",
                                          "Model Size", "ETDump Path"])
            latency = self.run_.analysis(variant)["latency"]
            self.assertEqual(told["Experiment"], result["experiment"])
            self.assertEqual(told["Avg Runner/Run"], f"{latency['mean_insns']:.0f} instructions")
            self.assertEqual(told["Model Size"], f"{self.run_.manifest['model_bytes']} bytes")
            self.assertTrue(told["ETDump Path"].endswith(result["etdump"]))

    def test_analysis_only_makes_the_same_files_again_without_measuring(self):
        broken = self.copy()
        for name in ("report.md", "kernel_view_gemm.md", "run_sme2-on/model_run_sme2-on_t1_kernels.csv"):
            (broken / name).unlink()
        summary = broken / "analysis_summary.json"
        summary.write_text(summary.read_text().replace('"verdict":"fewer-instructions"', '"verdict":"slower"'))
        model = lab.MODELS / "toy_cnn_f32_xnnpack/model.pte"
        done = lab.sme2lab("run", model, "--out", broken, "--analysis-only", "--json", env={"SME2LAB_AGENT": "/nowhere"})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout)["comparison"], self.run_.result["comparison"])
        for path in (p for p in self.out.rglob("*") if p.is_file()):
            self.assertEqual((broken / path.relative_to(self.out)).read_bytes(), path.read_bytes(), path)
        self.assertEqual(lab.sme2lab("run", model, "--analysis-only").returncode, 2)
        self.assertEqual(lab.sme2lab("run", model, "--analysis-only", "--out", self.folder / "none").returncode, 2)

    def test_every_number_of_every_file_is_validated(self):
        for path in sorted(self.out.rglob("*")):
            if path.suffix not in (".csv", ".json") or path.name in ("manifest.json", "analysis_summary.json", "result.json"):
                continue
            broken = self.copy() / path.relative_to(self.out)
            text = broken.read_text()
            at = max(i for i, c in enumerate(text) if c.isdigit()) if any(c.isdigit() for c in text) else len(text) - 2
            broken.write_text(text[:at] + ("7" if text[at] != "7" else "8") + text[at + 1:])
            done = lab.sme2lab("validate", broken.parents[len(path.relative_to(self.out).parts) - 1])
            self.assertEqual(done.returncode, 1, path)
            self.assertIn(path.name, done.stdout)


class Import(lab.Scratch):
    """Directories as the kit leaves them: EXPERIMENT/STEM_EXPERIMENT_tN.etdump; and executor_runner's, one ETDump each."""

    def kit(self):
        folder = self.scratch / "kit"
        for name, source in (("base", "aarch64-nosme"), ("sme2", "aarch64-sme2")):
            (folder / name).mkdir(parents=True)
            shutil.copy(lab.MODELS / f"toy_cnn_f32_xnnpack/{source}.etdump", folder / name / f"toy_{name}_t4.etdump")
            (folder / name / f"toy_{name}_t4_latency.log").write_text("log\n")
        return folder

    def test_a_kits_directory_becomes_one_of_ours_and_validates(self):
        out = self.scratch / "out"
        done = lab.sme2lab("import", self.kit(), "-o", out, "--model", "toy", "--pair", "base=sme2")
        self.assertEqual(done.returncode, 0, done.stderr)
        runs = json.loads((out / "toy_pipeline_summary.json").read_text())["runs"]
        self.assertEqual([(run["experiment"], run["threads"], run["runs"]) for run in runs], [("base", 4, 3), ("sme2", 4, 3)])
        self.assertEqual((out / runs[0]["paths"]["log"]).read_text(), "log\n")
        speedup = json.loads((out / "base_t4_vs_sme2_t4_robust_comparison.json").read_text())["speedup"]["median_based"]
        self.assertAlmostEqual(speedup, runs[0]["metrics"]["median_ms"] / runs[1]["metrics"]["median_ms"])
        summary = json.loads((out / "analysis_summary.json").read_text())
        self.assertEqual(list(summary), ["run_dir", "etrecord", "etdump_count", "category_totals_ms", "per_etdump", "csv_files"])
        self.assertEqual((summary["etdump_count"], sorted(summary["category_totals_ms"])), (2, ["base_t4", "sme2_t4"]))
        self.assertTrue(all((out / name).is_file() for name in summary["csv_files"]))
        self.assertEqual(lab.sme2lab("validate", out).returncode, 0)
        table = out / "sme2/toy_sme2_t4_robust_stats.json"
        table.write_text(table.read_text().replace('"count":3', '"count":4', 1))
        self.damaged.add(out)
        done = lab.sme2lab("validate", out)
        self.assertEqual(done.returncode, 1)
        self.assertIn("robust_stats.json", done.stdout)

    def test_the_logs_of_xnnpack_are_imported_with_their_kernels(self):
        folder, out = self.kit(), self.scratch / "out"
        line = "Note (XNNPACK): Using {} microkernel '{}'. (f, x.c:1)\n"
        (folder / "base/toy_base_t4_xnntrace.log").write_text(line.format("igemm", "xnn_f32_igemm_minmax_ukernel_6x8__asm_aarch64_neonfma"))
        (folder / "sme2/toy_sme2_t4_xnntrace.log").write_text(line.format("igemm", "xnn_pf32_igemm_minmax_ukernel_32x32__neonsme2") * 2)
        self.assertEqual(lab.sme2lab("import", folder, "-o", out, "--model", "toy", "--pair", "base=sme2").returncode, 0)
        kernel, = rows(out / "sme2/toy_sme2_t4_kernels.csv")
        self.assertEqual((kernel["kernel_name"], kernel["count"], kernel["dtype"], kernel["has_sme"], kernel["has_sme2"]),
                         ("xnn_pf32_igemm_minmax_ukernel_32x32__neonsme2", "2", "pf32", "False", "True"))
        view = (out / "kernel_view_gemm.md").read_text()
        self.assertIn("That it ran is not proven", view)
        self.assertIn("| xnn_pf32_igemm_minmax_ukernel_32x32__neonsme2 | yes |  | SME2 | XNNPACK |", view)
        self.assertIn("| xnn_f32_igemm_minmax_ukernel_6x8__asm_aarch64_neonfma |  | yes | NEON | XNNPACK |", view)
        self.assertIn("| sme2 | 4 | sme2/toy_sme2_t4_xnntrace.log |", (out / "toy_pipeline_summary.md").read_text())

    def test_logs_that_are_experiments_of_their_own_and_the_pairs_of_a_configuration_are_imported(self):
        folder, out, config = self.kit(), self.scratch / "out", self.scratch / "kit.json"
        line = "Note (XNNPACK): Using {} microkernel '{}'. (f, x.c:1)\n"
        for name, kernel in (("base", "xnn_f32_igemm_minmax_ukernel_6x8__asm_aarch64_neonfma"), ("sme2", "xnn_pf32_igemm_minmax_ukernel_32x32__neonsme2")):
            (folder / f"{name}_xnntrace").mkdir()
            (folder / f"{name}_xnntrace/toy_{name}_xnntrace_t4_xnntrace.log").write_text(line.format("igemm", kernel))
        experiments = [{"name": f"{name}{mode}", "runner_path": "r", "threads": [4], "mode": "xnntrace" if mode else "timing"}
                       for name in ("base", "sme2") for mode in ("", "_xnntrace")]
        pairs = [{"baseline": {"experiment": "base" + mode, "threads": 4}, "candidate": {"experiment": "sme2" + mode, "threads": 4}}
                 for mode in ("", "_xnntrace")]
        config.write_text(json.dumps({"model": "toy.pte", "experiments": experiments, "analysis": {"compare_pairs": pairs}}))
        done = lab.sme2lab("import", folder, "-o", out, "--model", "toy", "--config", config)
        self.assertEqual(done.returncode, 0, done.stderr)
        kernel, = rows(out / "sme2_xnntrace/toy_sme2_xnntrace_t4_kernels.csv")
        self.assertEqual((kernel["kernel_name"], kernel["has_sme2"]), ("xnn_pf32_igemm_minmax_ukernel_32x32__neonsme2", "True"))
        self.assertIn("| xnn_pf32_igemm_minmax_ukernel_32x32__neonsme2 | yes |  | SME2 | XNNPACK |", (out / "kernel_view_gemm.md").read_text())
        runs = json.loads((out / "toy_pipeline_summary.json").read_text())["runs"]
        self.assertEqual([(run["experiment"], run["mode"], run["status"]) for run in runs],
                         [("base", "timing", "ok"), ("sme2", "timing", "ok"), ("base_xnntrace", "xnntrace", "ok"), ("sme2_xnntrace", "xnntrace", "ok")])
        self.assertTrue((out / "base_t4_vs_sme2_t4_comparison.csv").is_file())
        self.assertEqual(json.loads(lab.sme2lab("compare", out, "--json").stdout)["method"], "block-bootstrap")
        config.write_text(json.dumps({"model": "toy.pte"}))
        done = lab.sme2lab("import", folder, "-o", self.scratch / "none", "--config", config)
        self.assertEqual((done.returncode, (self.scratch / "none").exists()), (2, False))
        self.assertIn("compare_pairs", done.stderr)

    def test_nothing_is_overwritten_and_nothing_is_paired_by_its_name(self):
        folder, out = self.kit(), self.scratch / "out"
        self.assertEqual(lab.sme2lab("import", folder, "-o", out).returncode, 0)
        self.assertEqual(list(out.glob("*_vs_*")), [])
        self.assertEqual(lab.sme2lab("import", folder, "-o", out).returncode, 2)
        self.assertEqual(lab.sme2lab("import", self.scratch / "none", "-o", self.scratch / "new").returncode, 2)

    def test_ad_33_a_damaged_etdump_is_no_result(self):
        folder, out = self.kit(), self.scratch / "out"
        broken = folder / "sme2/toy_sme2_t4.etdump"
        broken.write_bytes(broken.read_bytes()[:-100])
        self.assertEqual(lab.sme2lab("import", folder, "-o", out).returncode, 2)
        self.assertEqual(list(self.scratch.glob("out*")), [])
        done = lab.sme2lab("analyze", broken, "--json")
        self.assertEqual(done.returncode, 0)
        self.assertIn("the file is damaged: 100 bytes are missing", " ".join(json.loads(done.stdout)["warnings"]))
        self.assertEqual(lab.sme2lab("analyze", broken, "--strict").returncode, 2)
        broken.write_bytes(broken.read_bytes()[:-1000])  # not one event is left
        done = lab.sme2lab("analyze", broken, "--json")
        self.assertEqual((done.returncode, json.loads(done.stdout)["error"]["code"]), (2, "usage"))

    def test_an_imported_pair_is_reported_and_several_side_by_side(self):
        kit, out = self.kit(), self.scratch / "out"
        self.assertEqual(lab.sme2lab("import", kit, "-o", out, "--model", "toy", "--pair", "base=sme2").returncode, 0)
        done = lab.sme2lab("compare", out, "--json")
        found = json.loads(done.stdout)
        self.assertEqual((done.returncode, found["method"], found["baseline"]["runs"] > 0), (4, "block-bootstrap", True), done.stderr)
        self.assertIn("sme2 against base: ", lab.sme2lab("compare", out).stdout.splitlines()[-1])
        by_start = self.scratch / "by-start"
        self.assertEqual(lab.sme2lab("import", kit, "-o", by_start, "--pair", "ba=sm").returncode, 0)
        self.assertEqual(json.loads((by_start / "import.json").read_text())["pair"], {"baseline": "base", "candidate": "sme2"})
        wrong = lab.sme2lab("import", kit, "-o", self.scratch / "wrong", "--pair", "off=sme2")
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("No experiment is called 'off' or begins so", wrong.stderr)
        done = lab.sme2lab("report", out, "--format", "md,html,perfetto,junit,comment")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue((out / "report.md").read_text().startswith("# base against sme2: toy"))
        self.assertGreater((out / "report_candidate.perfetto-trace").stat().st_size, 1000)
        self.assertLessEqual(len((out / "report.comment.md").read_text().splitlines()), 25)
        for name in ("base", "sme2"):
            shutil.copy(kit / name / f"toy_{name}_t4.etdump", kit / name / f"toy_{name}_t1.etdump")
        threads = self.scratch / "threads"
        self.assertEqual(lab.sme2lab("import", kit, "-o", threads, "--pair", "base=sme2").returncode, 0)
        both = self.scratch / "both"
        done = lab.sme2lab("report", out, threads, "-o", both, "--format", "md,html,json,csv,junit,svg")
        self.assertEqual(done.returncode, 0, done.stderr)
        table = rows(both / "combined_report.csv")
        self.assertEqual(sorted((row["model"], row["threads"]) for row in table), [("imported", "1"), ("imported", "4"), ("toy", "4")])
        made = json.loads((both / "combined_report.json").read_text())["comparisons"]
        self.assertEqual([float(row["ratio"]) for row in table], [one["comparison"]["ratio"] for one in made])
        self.assertEqual(lab.sme2lab("report", out, threads, "-o", both, "--format", "comment").returncode, 2)

    def test_one_run_of_an_etdump_has_its_own_timeline_and_nothing_else_is_overwritten(self):
        etdump, out = lab.MODELS / "toy_cnn_f32_xnnpack/run.etdump", self.scratch / "csv"
        self.assertEqual(lab.sme2lab("analyze", etdump, "--csv", out, "--run", 3).returncode, 0)
        self.assertEqual({row["run_index"] for row in rows(out / "run_exec_run3_timeline.csv")}, {"3"})
        self.assertFalse((out / "run_exec_run0_timeline.csv").exists())
        self.assertEqual(lab.sme2lab("analyze", etdump, "--csv", out, "--run", 3).returncode, 0)  # the same bytes
        done = lab.sme2lab("analyze", etdump, "--csv", out)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--force", done.stderr)
        self.assertEqual(lab.sme2lab("analyze", etdump, "--csv", out, "--force").returncode, 0)
        (self.scratch / "mine").write_text("mine")
        self.assertEqual(lab.sme2lab("analyze", etdump, "--perfetto", self.scratch / "mine").returncode, 2)
        self.assertEqual((self.scratch / "mine").read_text(), "mine")

    def test_warm_up_that_is_stated_is_in_no_figure_of_any_verb(self):
        toy = lab.MODELS / "toy_cnn_f32_xnnpack"
        sides = [toy / f"aarch64-{name}.etdump" for name in ("nosme", "sme2")]
        steady = []
        for side in sides:
            every = json.loads(lab.sme2lab("analyze", side, "--warmup", 0, "--json").stdout)
            found = json.loads(lab.sme2lab("analyze", side, "--warmup", 1, "--json").stdout)
            runs = [run["e2e_ns"] for run in every["runs"]][1:]
            self.assertEqual((every["latency"]["n"], found["latency"]["n"]), (len(runs) + 1, len(runs)))
            self.assertEqual(sum(row["total_ns"] for row in found["operators"]), sum(runs))  # the table is of the same runs
            self.assertIn("first run ", lab.sme2lab("analyze", side, "--warmup", 1).stdout)
            self.assertIn("below 20", lab.sme2lab("analyze", side).stdout)
            steady.append(runs)
        found = json.loads(lab.sme2lab("compare", *sides, "--warmup", 1, "--json").stdout)
        for level, runs in zip(("baseline", "candidate"), steady):
            self.assertEqual((found[level]["runs"], found[level]["cold_runs"]), (len(runs), 1))
            self.assertAlmostEqual(found["end_to_end"][f"{level}_ns"], sum(runs) / len(runs))
            self.assertAlmostEqual(sum(row[f"{level}_ns"] for row in found["categories"]), sum(runs) / len(runs), places=3)
        self.assertIn("20 or more are better", " ".join(found["reasons"]))
        out = self.scratch / "out"
        for side, name in zip(sides, ("base", "sme2")):
            (self.scratch / f"kit/{name}").mkdir(parents=True)
            shutil.copy(side, self.scratch / f"kit/{name}/toy_{name}_t4.etdump")
        done = lab.sme2lab("import", self.scratch / "kit", "-o", out, "--pair", "base=sme2", "--warmup", 1)
        self.assertEqual(done.returncode, 0, done.stderr)
        again = json.loads(lab.sme2lab("compare", out, "--json").stdout)
        self.assertEqual((again["ratio"], again["categories"]), (found["ratio"], found["categories"]))
        self.assertEqual([json.loads((out / f"{name}/toy_{name}_t4_robust_stats.json").read_text())["count"] for name in ("base", "sme2")],
                         [len(runs) for runs in steady])

    def test_parts_that_users_name_add_up_to_the_five_categories(self):
        rules = json.loads((lab.ROOT / "configs/categories.json").read_text())
        rules["rules"].insert(0, {"category": "Other", "part": "my pooling", "words": ["max pooling"]})
        (self.scratch / "mine.json").write_text(json.dumps(rules))
        etdump = lab.MODELS / "toy_cnn_f32_xnnpack/aarch64-sme2.etdump"
        found = json.loads(lab.sme2lab("analyze", etdump, "--categories", self.scratch / "mine.json", "--warmup", 0, "--json").stdout)
        mine = next(part for part in found["parts"] if part["name"] == "my pooling")
        self.assertEqual(mine["category"], "Other")
        total = sum(run["categories_ns"]["Other"] for run in found["runs"]) / len(found["runs"])
        self.assertAlmostEqual(sum(part["mean_ns"] for part in found["parts"] if part["category"] == "Other"), total, places=3)
        self.assertGreater(mine["mean_ns"], 0)

    def test_af_31_and_32_with_json_have_their_rows_as_json_beside_them(self):
        etdump, out = lab.MODELS / "toy_cnn_f32_xnnpack/run.etdump", self.scratch / "json"
        self.assertEqual(lab.sme2lab("analyze", etdump, "--csv", out, "--json").returncode, 0)
        texts = {"model_id", "name", "type", "delegate_backend", "block"}
        for table in ("exec_all_runs_timeline", "exec_run0_timeline", "exec_ops_stats"):
            written = rows(out / f"run_{table}.csv")
            self.assertTrue(written)
            wanted = [{key: value if key in texts else float(value) for key, value in row.items()} for row in written]
            self.assertEqual(json.loads((out / f"run_{table}.json").read_text()), wanted)
        self.assertFalse((out / "run_category_summary.json").exists())

    def test_a_foreign_etdump_is_labelled_by_the_models_nodes(self):
        folder = lab.MODELS / "mobilenet_v2_f32_xnnpack"
        for arm in ("sme2", "nosme"):
            done = lab.sme2lab("analyze", folder / f"aarch64-{arm}.etdump", "--model", folder / "model.pte", "--json")
            self.assertEqual(done.returncode, 0, done.stderr)
            found = json.loads(done.stdout)
            self.assertEqual((found["label"], found["warnings"]), ("origin", []))
            gemm = {row["origin"]: row for row in found["operators"] if row["name"].startswith("Fully Connected")}
            self.assertEqual({origin: row["category"] for origin, row in gemm.items()}, {"Conv2d": "CONV", "FullyConnected": "GEMM"})
            self.assertEqual((gemm["Conv2d"]["category_by_name"], gemm["Conv2d"]["instances"]), ("GEMM", 34))
        other = lab.MODELS / "toy_cnn_f32_xnnpack/model.pte"
        done = lab.sme2lab("analyze", folder / "aarch64-sme2.etdump", "--model", other, "--json")
        self.assertIn("is it the model that ran?", json.loads(done.stdout)["warnings"][0])

    def test_ad_39_a_directory_above_runs_gives_no_empty_table(self):
        self.assertEqual(lab.sme2lab("import", self.kit(), "-o", self.scratch / "run", "--pair", "base=sme2").returncode, 0)
        done = lab.sme2lab("report", self.scratch)
        self.assertEqual((done.returncode, list(self.scratch.glob("*report*"))), (2, []))


if __name__ == "__main__":
    lab.main()
