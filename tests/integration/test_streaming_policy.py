"""What runs in streaming mode is a table that a device can have of its own; what a device can do at most."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

import lab

sys.path[:0] = [str(lab.ROOT / "tests/bench"), str(lab.ROOT / "tests/bench/silicon")]
import policy  # noqa: E402


def setUpModule():
    lab.need(lab.SME2LAB, lab.AGENT, lab.EMULATOR)


def asked(test, state, *words):
    done = lab.sme2lab("kernels", "bench", *words, "--json", env={"SME2LAB_STATE": str(state)})
    test.assertEqual(done.returncode, 0, done.stderr)
    return json.loads(done.stdout)


class Peaks(lab.Scratch):
    def test_emulator_has_no_roofline_and_no_times(self):
        peaks = asked(self, self.scratch, "--peaks")
        self.assertIsNone(peaks["roofline"])
        self.assertIn("emulator", peaks["reason"])
        self.assertFalse([key for loop in peaks["loops"] for key in loop if key == "ns" or key.endswith("_ns")])
        self.assertFalse(list(self.scratch.rglob("peaks.json")))

    def test_every_loop_executes_what_it_claims_at_every_vector_length(self):
        for svl in (128, 512, 2048):
            loops = asked(self, self.scratch, "--peaks", "--svl", svl)["loops"]
            by_name = {loop["peak"]: loop for loop in loops}
            for type_ in ("f32", "f16", "bf16", "s16", "s8"):
                mopa = by_name[f"sl_peak_mopa_{type_}_sme2"]
                self.assertEqual(mopa["executed_measured"], 16 * mopa["turns"])
            for loop in loops:
                self.assertEqual(loop["executed_insns"], loop["insns_a_turn"] * loop["turns"], loop)
                if loop["kind"] in ("outer", "multiply_add", "mode", "hand_over"):
                    self.assertEqual(loop["executed_measured"], loop["measured_a_turn"] * loop["turns"], loop)
            self.assertEqual({loop["kind"] for loop in loops}, {"outer", "multiply_add", "vector", "near", "level", "memory", "mode", "hand_over"})

    def test_a_profile_kept_for_a_device_is_taken_by_its_name(self):
        kept = self.scratch / "devices/0123456789abcdef/silicon.json"
        profile = json.loads((lab.ROOT / "configs/silicon/apple-m4.json").read_text())
        profile["name"] = "measured-0123456789abcdef"
        next(f for f in profile["figures"] if f["name"] == "unit.session")["value"] = 5009.1  # µs longer than the M4's
        refused = lab.sme2lab("kernels", "bench", "16x16x16", "--silicon", profile["name"], env={"SME2LAB_STATE": str(self.scratch)})
        self.assertIn("There is no silicon profile 'measured-0123456789abcdef'", refused.stderr)
        kept.parent.mkdir(parents=True)
        kept.write_text(json.dumps(profile))
        by = {name: asked(self, self.scratch, "16x16x16", "--silicon", name) for name in ("apple-m4", profile["name"])}
        ns = {name: next(row for row in bench["rows"] if row["stage"] == "kernel")["estimate"]["mid_ns"] for name, bench in by.items()}
        self.assertAlmostEqual(ns[profile["name"]], ns["apple-m4"] + 5000, delta=1)

    def test_workers_run_the_loops_side_by_side(self):
        """The threads themselves, in the emulator, which does not know that nobody reads its times."""
        done = subprocess.run([lab.EMULATOR, "-cpu", "max,sme=off", lab.AGENT, "kernels", "--peaks", "--workers", "2"],
                              capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual({row["workers"] for row in rows}, {1, 2})
        self.assertFalse([row for row in rows if row["ns"] <= 0 or "sme2" in row["peak"]])


class WallClock(lab.Scratch):
    def test_time_of_the_emulator_is_labelled_and_has_no_share_of_a_peak(self):
        timed = asked(self, self.scratch, "64x64x64", "binary:add-4096", "--clock", "ns")
        self.assertEqual((timed["clock"], timed["emulated"]), ("ns", True))
        self.assertIn("emulator", timed["roofline"])
        for row in timed["rows"]:
            self.assertGreater(row["ns"], 0)
            self.assertIsNone(row["instructions"])
            self.assertIsNone(row["share_of_peak"])
            product = row["family"] == "matmul" and "pack" not in row["stage"]
            self.assertEqual(row["gflops"] is not None, product, row)
        text = lab.sme2lab("kernels", "bench", "64x64x64", "--clock", "ns")
        self.assertIn("nanoseconds of the emulator", text.stdout)
        self.assertIn("share of peak", text.stdout)

    def test_threads_are_timed_side_by_side_and_have_no_share_of_one_cores_peak(self):
        timed = asked(self, self.scratch, "64x64x64", "--clock", "ns", "--threads", "2")
        self.assertEqual((timed["threads"], timed["clock"], timed["emulated"]), (2, "ns", True))
        self.assertIn("one core", timed["roofline"])
        self.assertEqual([row["stage"] for row in timed["rows"]],
                         ["rhs_pack_kn", "rhs_pack", "lhs_pack", "kernel", "whole"])
        for row in timed["rows"]:
            self.assertIsNone(row["share_of_peak"])
            self.assertGreater(row["ns"], 0)
        whole = timed["rows"][-1]
        self.assertAlmostEqual(whole["gflops"], 2 * 2 * 64**3 / whole["ns"], places=9)

    def test_counted_threads_are_refused_with_the_reason(self):
        for words, why in ((("64x64x64", "--clock", "instructions"), "only time shows"),
                           (("--peaks",), "1 to all cores"), (("--tune",), "one thread")):
            done = lab.sme2lab("kernels", "bench", "--threads", "2", *words)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(why, done.stderr.replace("\n", " "))
        self.assertEqual(lab.sme2lab("kernels", "bench", "64x64x64", "--threads", "65").returncode, 2)

    def test_tuning_by_the_emulators_time_compares_ns_and_keeps_nothing(self):
        table = asked(self, self.scratch, "--tune", "layout", "--clock", "ns")
        self.assertEqual(table["unit"], "ns")
        self.assertIn("not kept", table["note"])
        layout = next(f for f in table["families"] if f["family"] == "layout")
        self.assertEqual(layout["streams"], layout["ratio"] >= 1)
        for shape in layout["shapes"]:
            self.assertGreater(min(shape["streaming_ns"], shape["otherwise_ns"]), 0)
        self.assertFalse(list(self.scratch.rglob("policy.json")))

    def test_a_clock_that_is_none_is_refused(self):
        self.assertEqual(lab.sme2lab("kernels", "bench", "--clock", "hours").returncode, 2)


class Policy(lab.Scratch):
    tuned = None  # what --tune said, once for all tests

    def tune(self):
        first = not Policy.tuned
        Policy.tuned = Policy.tuned or asked(self, lab.STATE, "--tune", "layout")
        path = lab.STATE / "devices" / Policy.tuned["fingerprint"] / "policy.json"
        if first:
            self.assertEqual(json.loads(path.read_text()), Policy.tuned)
        self.addCleanup(path.unlink, missing_ok=True)
        return dict(Policy.tuned), path

    def test_emulator_tunes_by_instructions_and_says_so(self):
        table, _ = self.tune()
        self.assertEqual(table["unit"], "instructions")
        self.assertIn("not time", table["note"])
        self.assertTrue(table["fingerprint"].startswith("emulated-"))
        layout = next(f for f in table["families"] if f["family"] == "layout")
        self.assertTrue(layout["measured"] and layout["streams"] and layout["ratio"] > 1)
        for shape in layout["shapes"]:
            self.assertIn("_sme2", shape["streaming_kernel"])
            self.assertNotIn("_sme2", shape["other_kernel"])
            self.assertGreater(shape["otherwise_insns"], shape["streaming_insns"])
        self.assertFalse([f for f in table["families"] if f["family"] != "layout" and f["measured"]])
        self.assertEqual(table["streaming_off"], [name for name in table["default"] if name != "layout"])

    def test_run_without_a_table_keeps_to_the_default_and_says_so(self):
        run = lab.Run("toy_cnn_f32_xnnpack", self.scratch / "default")
        said = {v["name"]: v["streaming_off"] for v in run.manifest["agent_report"]["variants"]}
        self.assertEqual(run.manifest["policy"], {"source": "default", "streaming_off": said["on"].split(","), "table": None})
        self.assertLessEqual({"depthwise", "pool", "unary", "binary", "reduce", "layout", "convert", "matmul_small"}, set(run.manifest["policy"]["streaming_off"]))
        on = [e["kernel"] for e in run.trace() if e["variant"] == 1 and e["kernel"]]
        for kernel in on:  # its only product has one row of ten columns: small
            self.assertEqual("_sme2" in kernel, kernel.startswith("sl_conv"), kernel)
        self.assertTrue([kernel for kernel in on if kernel.startswith("sl_matmul")])
        summary = json.loads((run.out / "analysis_summary.json").read_text())["comparison"]
        states = {row["kernel"]: row["evidence"] for row in summary["sme2_proof"]}
        self.assertEqual({state for kernel, state in states.items() if "_sme2" in kernel}, {"executed"})
        self.assertEqual({state for kernel, state in states.items() if "_sme2" not in kernel}, {"SME2 could, but the policy keeps its family on NEON"})
        self.assertFalse(list(run.out.glob("policy_*.json")), "of one engine alone no table can be estimated")
        self.assertEqual(lab.sme2lab("report", run.out, "-o", self.scratch / "r", "--format", "junit").returncode, 0)
        page, = (self.scratch / "r").glob("*.xml")
        kept = len([kernel for kernel in states if "_sme2" not in kernel])
        self.assertIn(f"every operator with an SME2 kernel ran it, but for {kept} that the policy keeps on NEON", page.read_text())

    def test_what_the_policy_keeps_on_neon_did_not_lose_its_kernel(self):
        every = lab.Run("toy_cnn_f32_xnnpack", self.scratch / "all", "--policy", "all")
        default = lab.Run("toy_cnn_f32_xnnpack", self.scratch / "default")
        done = lab.sme2lab("compare", every.out, default.out, "--json")
        compared = json.loads(done.stdout)
        self.assertEqual((compared["sme2_lost"], compared["sme2_gained"]), (0, 0))
        self.assertGreater(json.loads(lab.sme2lab("compare", default.out, every.out, "--json").stdout)["sme2_gained"], 0)

    def test_run_uses_the_table_of_its_device_and_records_it(self):
        table, path = self.tune()
        table["streaming_off"] = ["conv"]
        path.write_text(json.dumps(table))
        run = lab.Run("toy_cnn_f32_xnnpack", self.scratch / "tuned")
        self.assertEqual(run.done.returncode, 0, run.done.stderr)
        self.assertEqual(run.manifest["policy"]["source"], "device")
        self.assertEqual(run.manifest["policy"]["streaming_off"], ["conv"])
        self.assertEqual(run.manifest["policy"]["table"], table)
        said = {v["name"]: v["streaming_off"] for v in run.manifest["agent_report"]["variants"]}
        self.assertEqual(said, {"off": None, "on": "conv"})
        on = [e["kernel"] for e in run.trace() if e["variant"] == 1 and e["kernel"]]
        self.assertTrue([k for k in on if k.startswith("sl_conv")])
        self.assertFalse([k for k in on if k.startswith("sl_conv") and "_sme2" in k])
        self.assertTrue([k for k in on if "_sme2" in k])

    def test_table_that_is_none_fails_the_job_with_its_place(self):
        table, path = self.tune()
        path.write_text(json.dumps({**table, "streaming_off": "conv"}))
        run = lab.sme2lab("run", lab.MODELS / "toy_cnn_f32_xnnpack/model.pte", "--device", "counted",
                          "--out", self.scratch / "bad")
        self.assertNotEqual(run.returncode, 0)
        self.assertIn("/streaming_off", run.stdout + run.stderr)


class Estimated(lab.Scratch):
    """Operators go where an estimate of named silicon says that they take less."""

    MODEL = "toy_cnn_f32_xnnpack"

    @classmethod
    def setUpClass(cls):
        """The run of a model with everything on SME2 is counted once for all tests."""
        holder = tempfile.TemporaryDirectory(prefix="sme2lab-test-")
        cls.addClassCleanup(holder.cleanup)
        cls.state = f"{holder.name}/state"
        cls.addClassCleanup(lab.end_private_daemons, pathlib.Path(cls.state))
        policy.OUT = f"{holder.name}/bench"

    def policy_of(self, run, profile):
        return json.loads((run.out / f"policy_{profile}.json").read_text())

    def test_a_table_of_a_counted_run_is_what_the_next_run_executes(self):
        plain = lab.Run(self.MODEL, self.scratch / "plain", "--runtime", "own", "--policy", "all")
        table = self.policy_of(plain, "arm-c1-ultra")
        self.assertEqual((table["schema"], table["source"], table["profile"]), ("sme2lab.policy/1", "estimated", "arm-c1-ultra"))
        kept = [row for row in table["operators"] if not row["streams"] and "sme2" in row["kernel_on"]]
        streams = [row for row in table["operators"] if row["streams"]]
        self.assertTrue(kept and streams, "the model is to have some of both on a C1")
        for row in table["operators"]:
            self.assertTrue(row["why"])
        sums = table["estimated"]
        self.assertLessEqual(sums["chosen_ns"], min(sums["all_neon_ns"], sums["all_sme2_ns"]) + 1e-6)
        run = lab.Run(self.MODEL, self.scratch / "policy", "--runtime", "own", "--policy", "estimated:arm-c1-ultra")
        self.assertEqual(run.done.returncode, 0, run.done.stderr)
        self.assertEqual(run.manifest["policy"]["source"], "estimated")
        self.assertEqual(run.manifest["policy"]["table"], table)
        ran = {e["name"]: e["kernel"] for e in run.trace() if e["variant"] == 1 and e["kernel"]}
        for row in kept:
            self.assertNotIn("_sme2", ran[row["operator"]], row)
        for row in streams:
            self.assertIn("_sme2", ran[row["operator"]], row)
        summary = json.loads((run.out / "analysis_summary.json").read_text())["comparison"]
        states = {row["operator"]: row["evidence"] for row in summary["sme2_proof"]}
        self.assertIn("SME2 could, but NEON is faster here", states.values())
        self.assertIn("executed", states.values())
        # What the run executed takes, by the same estimate, what the table promised.
        def on_of(one):
            return next(e for e in one.manifest["estimates"] if e["profile"] == "arm-c1-ultra")["on"]["mid_ns"]
        self.assertLessEqual(on_of(run), on_of(plain) + 1e-6)
        lab.must_be_valid(run.out)

    def test_everything_streams_by_all_and_the_manifest_says_so(self):
        run = lab.Run(self.MODEL, self.scratch / "all", "--runtime", "own", "--policy", "all")
        self.assertEqual(run.done.returncode, 0, run.done.stderr)
        self.assertEqual((run.manifest["policy"]["source"], run.manifest["policy"]["streaming_off"]), ("all", []))
        self.assertEqual({v["name"]: v["streaming_off"] for v in run.manifest["agent_report"]["variants"]}, {"off": None, "on": "none"})
        for row in self.policy_of(run, "apple-m4")["operators"]:
            self.assertIn("sme2", row["kernel_on"], "both engines are estimated")
        lab.must_be_valid(run.out)

    def test_whole_models_are_never_slower_than_on_either_engine(self):
        """scripts/bench policy, of two small programs."""
        programs = (self.MODEL, "transformer_dynq_xnnpack")
        rows = [row for name in programs for row in policy.rows_of(name, self.state)]
        executed = [row for name in programs for row in policy.rows_of(name, self.state, executed=True)]
        for folder in lab.run_directories(pathlib.Path(policy.OUT)):
            lab.must_be_valid(folder)
        self.assertEqual({row["profile"] for row in rows}, set(policy.PROFILES))
        for row, ran in zip(rows, executed):
            self.assertLessEqual(row["estimated_ns"], min(row["neon_ns"], row["sme2_ns"], row["default_ns"]) + 1e-6, row)
            self.assertLessEqual(ran["estimated_ns"], policy.SAME * min(ran["neon_ns"], ran["sme2_ns"], ran["default_ns"]), ran)
            for key in ("neon_ns", "sme2_ns", "default_ns", "estimated_ns"):  # what was added up is what such a run takes
                self.assertAlmostEqual(row[key] / ran[key], 1, delta=policy.APART, msg=f"{key}: {row} {ran}")
        goals = {goal["what"].split(" over ")[0]: goal for goal in policy.goals_of(rows)}
        self.assertTrue(goals["estimated policy"]["met"], goals)

    def test_an_operator_is_slower_alone_only_where_its_run_gains_by_it(self):
        """Each table anew: no choice that differs in one operator, or in a run of them, has a lesser sum."""
        for model in (self.MODEL, "transformer_dynq_xnnpack", "toy_cnn_int8_xnnpack"):
            out, _ = policy.all_on_sme2(model, self.state)
            for profile in policy.PROFILES:
                table = json.loads(pathlib.Path(out, f"policy_{profile}.json").read_text())
                rows, sums = table["operators"], table["estimated"]
                chosen = [row["streams"] for row in rows]

                def sum_with(begin, end):
                    """The sum of the whole, with the operators from `begin` to before `end` on the other engine."""
                    turned = {id(row) for row in rows[begin:end]}
                    return policy.sum_of(table, lambda row: row["streams"] != (id(row) in turned))

                self.assertAlmostEqual(sum_with(0, 0), sums["chosen_ns"], delta=1e-6)
                self.assertAlmostEqual(policy.sum_of(table, lambda row: False), sums["all_neon_ns"], delta=1e-6)
                self.assertAlmostEqual(policy.sum_of(table, lambda row: True), sums["all_sme2_ns"], delta=1e-6)
                for i, row in enumerate(rows):
                    if "other_engine_adds_ns" not in row:
                        continue
                    with self.subTest(model=model, profile=profile, operator=row["place"]):
                        least = min(sum_with(begin, end) for begin in range(max(0, i - 3), i + 1) for end in range(i + 1, i + 5)) - sums["chosen_ns"]
                        self.assertGreaterEqual(least, row["other_engine_adds_ns"] - 1e-6)
                        adds = policy.least_with(table, row, not chosen[i]) - sums["chosen_ns"]
                        self.assertAlmostEqual(row["other_engine_adds_ns"], adds, delta=1e-6)
                        alone = row["on_ns"] - row["off_ns"] if chosen[i] else row["off_ns"] - row["on_ns"]
                        self.assertEqual("alone" in row["why"], alone > 0, row)

    def test_an_interrupted_estimate_leaves_no_folder_and_no_job(self):
        state = self.scratch / "state"
        self.addCleanup(lab.end_private_daemons, state)
        program = subprocess.Popen([lab.SME2LAB, "run", lab.MODELS / "mobilenet_v2_f32_xnnpack/model.pte", "--device", "counted", "--runtime", "own",
                                    "--policy", "estimated:apple-m4", "--out", self.scratch / "out"],
                                   env={**os.environ, "SME2LAB_STATE": str(state)}, stderr=subprocess.PIPE, text=True)
        limit = time.monotonic() + 60
        while not list(state.glob("private/*/runs/*/*")) and time.monotonic() < limit:
            time.sleep(0.05)
        self.assertTrue(list(state.glob("policies/new.*")))
        program.send_signal(signal.SIGINT)
        said = program.communicate(timeout=60)[1]
        self.assertEqual(program.returncode, 130, said)
        self.assertIn("is cancelled", said)
        self.assertEqual([path.name for path in (state / "policies").iterdir()], ["all.json"])  # a table, the same for every model

    def test_a_policy_that_is_none_is_refused(self):
        model = lab.MODELS / self.MODEL / "model.pte"
        for word, why in (("estimated:none", "none"), ("estimated:arm-x925", "no unit"), ("missing.json", "policy")):
            done = lab.sme2lab("run", model, "--device", "counted", "--policy", word, "--out", self.scratch / "bad")
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(why, done.stderr)
        table = self.scratch / "table.json"
        table.write_text(json.dumps({"schema": "sme2lab.policy/1", "source": "estimated", "profile": "m", "unit": "ns", "streaming_off": [],
                                     "operators_off": "x"}))
        done = lab.sme2lab("run", model, "--device", "counted", "--runtime", "own", "--policy", table, "--out", self.scratch / "bad")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("/operators_off", done.stdout + done.stderr)


if __name__ == "__main__":
    lab.main()
