"""Experiments whose configuration names an external executor_runner (`runner_path`). The stand-in for one is our own agent, which takes
executor_runner's flags: called by that name in the emulator, and through a script that starts the emulator where the device is local."""

import csv
import http.client
import json
import os
import pathlib
import re
import signal
import subprocess
import time

import lab
from daemon import SME2LABD, Daemon

SMALL = lab.MODELS / "dynamic_sequence_f32_xnnpack" / "model.pte"
MODEL = lab.MODELS / "toy_cnn_f32_xnnpack" / "model.pte"
INPUT = MODEL.parent / "input-0.bin"


def setUpModule():
    lab.need(lab.SME2LAB, SME2LABD, lab.AGENT, lab.EMULATOR)


def side(experiment, threads=1):
    return {"experiment": experiment, "threads": threads}


class ExternalRunner(lab.Scratch):
    def script(self, name, text):
        path = self.scratch / name
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
        return path

    def emulated(self, name, cpu="max,sme512=on", before=""):
        return self.script(name, f'{before}\nexec {lab.EMULATOR} -cpu {cpu} {lab.AGENT} run "$@"')

    def run_(self, experiments, *options, pairs=(), **more):
        self.out = self.scratch / "out"
        config = self.scratch / "c.json"
        config.write_text(json.dumps({"model": str(MODEL), "device": "local", "runs": 5, "warmup": 1, "output_root": str(self.out),
                                      "inputs": [str(INPUT)], "experiments": experiments,
                                      **({"analysis": {"compare_pairs": list(pairs)}} if pairs else {}), **more}))
        return lab.sme2lab("run", config, *options)

    def import_(self):
        return json.loads((self.out / "import.json").read_text())

    def summary(self):
        return json.loads((self.out / "model_pipeline_summary.json").read_text())["runs"]

    def test_two_runners_and_numbers_of_threads_are_measured_and_compared_as_declared(self):
        off, on = self.emulated("off", "max,sme=off"), self.emulated("on")
        done = self.run_([{"name": "off", "runner_path": str(off), "threads": [1, 2]}, {"name": "on", "quiet_runner": str(on), "threads": [1, 2]}],
                         pairs=[{"baseline": side("off"), "candidate": side("on"), "label": "one thread"},
                                {"baseline": side("on"), "candidate": side("on", 2)}])
        self.assertIn(done.returncode, (0, 3, 4), done.stderr)
        self.assertEqual([(r["experiment"], r["threads"], r["status"], r["runs"], r["warmup"]) for r in self.summary()],
                         [("off", 1, "ok", 5, 5), ("off", 2, "ok", 5, 5), ("on", 1, "ok", 5, 5), ("on", 2, "ok", 5, 5)])
        self.assertEqual(sorted(p.name for p in self.out.glob("*_robust_comparison.json")),
                         ["off_t1_vs_on_t1_robust_comparison.json", "on_t1_vs_on_t2_robust_comparison.json"])
        log = (self.out / "on/model_on_t2_latency.log").read_text()
        self.assertEqual(log.count("Model executed successfully 2 time(s)"), 5)  # a warm-up and a measured one
        self.assertIn("num threads = 2", log)
        run = self.import_()["runs"][3]
        total = sum(float(ms) for ms in re.findall(r"Model executed successfully 2 time\(s\) in ([0-9.]+) ms", log))
        self.assertAlmostEqual(total, run["runner_total_ms"], places=5)
        self.assertIn(f"Execution Total Runner: {run['runner_total_ms']:.6f} ms\n", log.split("PERFORMANCE SUMMARY")[1])
        self.assertIn("CPU Threads: 2\n", log)
        self.assertEqual(list(self.out.glob("*/*_process*")), [])
        self.assertEqual([[r["order"] for r in one["rounds"]] for one in self.import_()["runs"]],
                         [[3, 4, 11, 12, 19], [0, 7, 8, 15, 16], [2, 5, 10, 13, 18], [1, 6, 9, 14, 17]])
        page = (self.out / "combined_report.md").read_text()
        self.assertRegex(page, r"\| 1 \| one thread \|.*\n.*\| 1 and 2 \| on_t2 \|")
        self.assertIn("off against on: ", done.stdout)
        self.assertIn("on_t1 against on_t2: ", done.stdout)
        self.assertEqual(lab.sme2lab("report", self.out, "-o", self.scratch / "again", "--format", "md").returncode, 0)
        self.assertEqual((self.scratch / "again/combined_report.md").read_text(), page)
        self.assertEqual(lab.sme2lab("compare", self.out / "off/model_off_t1.etdump", self.out / "on/model_on_t1.etdump").returncode in (0, 3, 4), True)
        (self.out / "on/model_on_t2_robust_stats.json").unlink()
        (self.out / "combined_report.md").write_text("changed")
        again = self.run_([{"name": "on", "runner_path": str(on)}], "--analysis-only")
        self.assertIn(again.returncode, (0, 3, 4), again.stderr)
        self.assertEqual((self.out / "combined_report.md").read_text(), page)
        self.assertEqual(lab.sme2lab("validate", self.out).returncode, 0)
        again = self.run_([{"name": "on", "runner_path": str(on)}])
        self.assertEqual(again.returncode, 2)
        self.assertIn("results of another run", again.stderr)

    def test_twenty_processes_of_each_runner_make_pairs_and_warm_up_stays_out(self):
        off, on = self.emulated("off", "max,sme=off"), self.emulated("on")
        done = self.run_([{"name": "off", "runner_path": str(off)}, {"name": "on", "runner_path": str(on)}],
                         pairs=[{"baseline": side("off"), "candidate": side("on")}], runs=21, warmup=2, model=str(SMALL), inputs=[])
        self.assertIn(done.returncode, (0, 3, 4), done.stderr)
        self.assertEqual([[r["executions"] for r in one["rounds"]] for one in self.import_()["runs"]], [[4] + [3] * 19] * 2)
        self.assertEqual([(r["runs"], r["warmup"]) for r in self.summary()], [(21, 40)] * 2)
        report = lab.sme2lab("report", self.out, "-o", self.scratch / "again", "--format", "json")
        self.assertEqual(report.returncode, 0, report.stderr)
        found = json.loads((self.scratch / "again/report.json").read_text())
        self.assertEqual((found["method"], found["blocks"], found["output_agreement"]["agree"]), ("paired-block-bootstrap", 20, True))
        self.assertLess(found["output_agreement"]["max_rel"], 1e-6)
        one = json.loads(lab.sme2lab("analyze", self.out / "on/model_on_t1.etdump", "--json").stdout)
        self.assertEqual((one["latency"]["n"], len(one["runs"])), (21, 61))  # of the file alone, too
        self.assertEqual(lab.sme2lab("validate", self.out).returncode, 0)

    def test_outputs_that_differ_make_the_verdict_wrong(self):
        on = self.emulated("on")
        spoil = self.script("spoil", f'{on} "$@" || exit 1\nfor f in "$@"; do case $f in --output_file=*) head -c 40 /dev/zero > "${{f#*=}}-0.bin";; esac; done')
        done = self.run_([{"name": "on", "runner_path": str(on)}, {"name": "spoil", "runner_path": str(spoil)}],
                         pairs=[{"baseline": side("on"), "candidate": side("spoil")}], runs=2, warmup=0)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("on against spoil: wrong", done.stdout)
        self.assertIn("the outputs differ by", (self.out / "report.md").read_text())
        self.assertEqual(lab.sme2lab("validate", self.out).returncode, 0)

    def test_of_a_runner_that_writes_no_outputs_none_are_compared(self):
        on = self.emulated("on")
        old = self.script("old", f'case "$*" in *--output_file*) echo "ERROR: unknown command line flag \'output_file\'" >&2; exit 1;; esac\nexec {on} "$@"')
        done = self.run_([{"name": "on", "runner_path": str(on)}, {"name": "old", "runner_path": str(old)}],
                         pairs=[{"baseline": side("on"), "candidate": side("old")}], runs=2, warmup=0)
        self.assertIn(done.returncode, (0, 3, 4), done.stderr)
        self.assertEqual(["outputs" in run for run in self.import_()["runs"]], [True, False])

    def test_in_the_emulator_a_runner_runs_with_extra_arguments_and_its_times_show_nothing(self):
        runner = self.scratch / "executor_runner"
        runner.symlink_to(lab.AGENT)
        done = self.run_([{"name": "off", "runner_path": str(runner), "extra_args": ["--isa=nosme2"]}, {"name": "on", "runner_path": str(runner)}],
                         pairs=[{"baseline": side("off"), "candidate": side("on")}], device="emulated", svl=256)
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("off against on: unfit", done.stdout)
        self.assertIn("times of an emulated CPU mean nothing", (self.out / "report.md").read_text())
        self.assertEqual((self.import_()["device"], self.import_()["cpu"]), ("emulated", "max,sme256=on"))
        self.assertEqual(lab.sme2lab("compare", self.out, "--json").returncode != 0, True)

    def test_a_runner_that_fails_is_a_result_with_its_last_lines(self):
        on = self.emulated("on")
        crash = self.script("crash", "for i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo line $i >&2; done; kill -SEGV $$")
        silent = self.script("silent", "exit 0")
        done = self.run_([{"name": "crash", "runner_path": str(crash)}, {"name": "silent", "runner_path": str(silent), "warmup": 0},
                          {"name": "flag", "runner_path": str(on), "extra_args": ["--nonsense=1"]}, {"name": "on", "runner_path": str(on)}],
                         pairs=[{"baseline": side("crash"), "candidate": side("on")}])
        self.assertEqual(done.returncode, 1)
        crashed, quiet, flag = self.import_()["failures"]
        self.assertEqual((crashed["process"], crashed["exit_code"], crashed["why"]), (1, -1, "signal 11 ended the runner"))
        self.assertEqual(crashed["last_lines"].split("\n"), [f"line {i}" for i in range(3, 13)])
        self.assertIn("line 12", done.stderr)
        self.assertIn("line 1\n", (self.out / crashed["log"]).read_text())
        self.assertIn("left no ETDump", quiet["why"])
        self.assertEqual(flag["last_lines"], "ERROR: unknown command line flag 'nonsense'")
        self.assertEqual([(r["experiment"], r["status"]) for r in self.summary()],
                         [("on", "ok"), ("crash", "failed"), ("silent", "failed"), ("flag", "failed")])
        self.assertEqual(self.import_()["pairs"], [])

    def test_a_runner_stays_on_the_cpus_that_are_named(self):
        on = self.emulated("on", before='grep Cpus_allowed_list /proc/self/status >&2')
        cpu = max(os.sched_getaffinity(0))
        done = self.run_([{"name": "mask", "runner_path": str(on), "cpu_affinity": f"{1 << cpu:x}"},
                          {"name": "list", "runner_path": str(on), "cpu_affinity": f"{cpu}-{cpu}"}])
        self.assertEqual(done.returncode, 0, done.stderr)
        for name in ("mask", "list"):
            self.assertIn(f"Cpus_allowed_list:\t{cpu}\n", (self.out / f"{name}/model_{name}_t1_latency.log").read_text())
        done = self.run_([{"name": "mask", "runner_path": str(on), "cpu_affinity": "1"}], "--force", device="emulated")
        self.assertEqual(done.returncode, 2)

    def test_a_runner_that_hangs_ends_with_its_time(self):
        hang = self.script("hang", "sleep 60")
        done = self.run_([{"name": "hang", "runner_path": str(hang)}], "--timeout", "1")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(self.import_()["failures"][0]["why"], "the runner did not end in time")

    def test_after_an_interrupt_the_job_goes_on_until_it_is_cancelled(self):
        begun = self.scratch / "begun"
        hang = self.script("hang", f"echo $$ >{begun}.new; mv {begun}.new {begun}; sleep 600")
        config = self.scratch / "c.json"
        config.write_text(json.dumps({"model": str(SMALL), "device": "local", "experiments": [{"name": "hang", "runner_path": str(hang)}]}))
        program = subprocess.Popen([lab.SME2LAB, "run", config, "--out", self.scratch / "out"], text=True,
                                   env={**os.environ, "SME2LAB_STATE": str(lab.STATE)}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.until(begun.exists)
        program.send_signal(signal.SIGINT)
        _, said = program.communicate(timeout=60)
        self.assertEqual(program.returncode, 130)
        job = re.search(r"job (\d+) goes on", said).group(1)
        runner = int(begun.read_text())
        os.kill(runner, 0)  # it is still there
        self.assertEqual(lab.sme2lab("cancel", job, "--server", "private").returncode, 0)
        self.until(lambda: not pathlib.Path(f"/proc/{runner}").exists())
        self.assertEqual(lab.sme2lab("wait", job, "--server", "private").returncode, 130)

    def test_what_a_cancelled_job_has_measured_is_a_run(self):
        first, hangs = self.scratch / "first", self.scratch / "hangs"
        script = self.emulated("one", before=f"mkdir {first} || {{ touch {hangs}; exec sleep 600; }}")
        config = self.scratch / "c.json"
        config.write_text(json.dumps({"model": str(SMALL), "device": "local", "runs": 1, "warmup": 0,
                                      "experiments": [{"name": name, "runner_path": str(script)} for name in ("a", "b")]}))
        job = lab.sme2lab("submit", config, "--server", "private").stdout.strip()
        self.until(hangs.exists)
        self.assertEqual(lab.sme2lab("cancel", job, "--server", "private").returncode, 0)
        self.assertEqual(lab.sme2lab("wait", job, "--server", "private").returncode, 130)
        shown = json.loads(lab.sme2lab("show", "--job", job, "--json", "--server", "private").stdout)
        self.assertEqual(shown["state"], "cancelled")
        run = json.loads(lab.sme2lab("show", shown["run"], "--json", "--server", "private").stdout)
        self.assertEqual(run["run"]["job"], int(job))
        self.assertIn("import.json", [file["path"] for file in run["files"]])
        text = lab.sme2lab("show", shown["run"], "--file", "import.json", "--server", "private").stdout
        self.assertEqual(len(json.loads(text)["runs"]), 1)

    def until(self, is_so):
        limit = time.monotonic() + 120
        while not is_so() and time.monotonic() < limit:
            time.sleep(0.05)
        self.assertTrue(is_so())

    def test_submitted_runners_are_a_job_like_others(self):
        on = self.emulated("on")
        config = self.scratch / "c.json"
        config.write_text(json.dumps({"model": str(SMALL), "device": "local", "runs": 1, "warmup": 0, "experiments": [{"name": "on", "runner_path": str(on)}]}))
        done = lab.sme2lab("submit", config, "--server", "private")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(lab.sme2lab("wait", done.stdout.strip(), "--server", "private").returncode, 0)
        self.out = self.scratch / "out"
        self.assertEqual(lab.sme2lab("watch", done.stdout.strip(), "--out", self.out, "--server", "private").returncode, 0)
        self.assertEqual([run["experiment"] for run in self.import_()["runs"]], ["on"])

    def test_the_mode_xnntrace_keeps_the_log_and_makes_the_tables_of_kernels(self):
        line = "Note (XNNPACK): Using {} microkernel '{}'. (f, x.c:1)"
        off = self.emulated("off", "max,sme=off", "echo \"" + line.format("igemm", "xnn_f32_igemm_minmax_ukernel_6x8__asm_aarch64_neonfma") + '"')
        on = self.emulated("on", before="echo \"" + line.format("igemm", "xnn_pf32_igemm_minmax_ukernel_32x32__neonsme2") + '"')
        done = self.run_([{"name": "off", "runner_path": str(off), "mode": "xnntrace"}, {"name": "on", "runner_path": str(on), "mode": "xnntrace"},
                          {"name": "plain", "runner_path": str(on)}],
                         pairs=[{"baseline": side("off"), "candidate": side("on")}], runs=1, warmup=0)
        self.assertEqual(done.returncode, 0, done.stderr)  # no times, no verdict
        self.assertEqual(list(self.out.glob("*_comparison.*")), [])
        with open(self.out / "on/model_on_t1_kernels.csv", newline="", encoding="utf-8") as file:
            kernel, = csv.DictReader(file)
        self.assertEqual((kernel["kernel_name"], kernel["has_sme2"]), ("xnn_pf32_igemm_minmax_ukernel_32x32__neonsme2", "True"))
        self.assertTrue((self.out / "on/model_on_t1_xnntrace.log").is_file())
        self.assertIn("neonsme2 | yes |  | SME2 | XNNPACK |", (self.out / "kernel_view_gemm.md").read_text())
        page = (self.out / "model_pipeline_summary.md").read_text()
        timing, traces = page.split("## XNNTrace Results")
        self.assertIn("| plain | 1 | 1 | 0 |", timing)
        self.assertNotIn("| on | 1 |", timing)
        self.assertIn("| on | 1 | on/model_on_t1_xnntrace.log |", traces)
        self.assertEqual([r["mode"] for r in self.summary()], ["xnntrace", "xnntrace", "timing"])

    def test_what_cannot_be_is_refused_before_anything_runs(self):
        on = self.emulated("on")
        for experiment, more, words in (
                ({"runner_path": str(self.scratch / "none")}, {}, "cannot be executed"),
                ({"runner_path": str(self.scratch)}, {}, "cannot be executed (Is a directory)"),
                ({"runner_path": str(on)}, {"device": "counted"}, "no marks to count at"),
                ({"runner_path": str(on)}, {"device": "phone"}, "There is no device named phone"),
                ({"runner_path": str(on), "inputs": ["none.bin"]}, {}, "The input file cannot be read")):
            done = self.run_([{"name": "on", **experiment}], **more)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(words, done.stderr)
            self.assertFalse(self.out.exists())


class OverHttp(lab.Scratch):
    def ask(self, daemon, job, headers, path="/api/v1/jobs"):
        port = int(re.findall(r"event=listening address=tcp:\S+ port=(\d+)", daemon.log_text())[-1])
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self.addCleanup(connection.close)
        connection.request("POST", path, json.dumps(job), {"Content-Type": "application/json", **headers})
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())

    def daemon(self, **more):
        state = self.scratch / "state"
        config = {"listen": [f"unix:{state}/sme2labd.sock", "tcp:127.0.0.1:0"], "devices": [{"name": "e", "kind": "emulated", "svl": 256}], **more}
        return Daemon(state, config)

    def body(self, daemon):
        runner = self.scratch / "executor_runner"
        runner.symlink_to(lab.AGENT)
        files = {str(SMALL): daemon.put_blob(SMALL), str(runner): daemon.put_blob(runner)}
        return {"task": "runners", "model": files[str(SMALL)], "files": files,
                "configuration": {"model": str(SMALL), "runs": 1, "warmup": 0, "experiments": [{"name": "on", "runner_path": str(runner)}]}}

    def test_programs_from_tcp_are_refused_and_from_the_socket_run(self):
        with self.daemon() as daemon:
            status, _, token = daemon.request("POST", "/api/v1/tokens", json.dumps({"name": "t", "role": "submit"}), {"Content-Type": "application/json"})
            self.assertEqual(status, 201, token)
            bearer, body = {"Authorization": "Bearer " + json.loads(token)["token"]}, self.body(daemon)
            status, problem = self.ask(daemon, body, bearer)
            self.assertEqual((status, problem["type"]), (403, "urn:sme2lab:problem:runners-refused"))
            _, _, token = daemon.request("POST", "/api/v1/tokens", json.dumps({"name": "c", "scopes": "submit,runner-code"}),
                                         {"Content-Type": "application/json"})
            self.assertEqual(self.ask(daemon, body, {"Authorization": "Bearer " + json.loads(token)["token"]})[0], 201)
            status, _, answer = daemon.submit(body)
            self.assertEqual(status, 201, answer)
            job = daemon.wait(json.loads(answer)["id"])
            self.assertEqual(job["state"], "done", job)
            names = [file["path"] for file in daemon.get(f"/api/v1/runs/{job['run']}/files")["files"]]
            self.assertIn("on/model_on_t1.etdump", names)
            body["files"].popitem()
            self.assertEqual(daemon.submit(body)[0], 422)

    def test_a_daemon_may_be_told_to_take_them(self):
        with self.daemon(allow_runners=True) as daemon:
            _, _, token = daemon.request("POST", "/api/v1/tokens", json.dumps({"name": "t", "role": "submit"}), {"Content-Type": "application/json"})
            status, answer = self.ask(daemon, self.body(daemon), {"Authorization": "Bearer " + json.loads(token)["token"]})
            self.assertEqual(status, 201, answer)
            self.assertEqual(daemon.wait(answer["id"])["state"], "done")


if __name__ == "__main__":
    lab.main()
