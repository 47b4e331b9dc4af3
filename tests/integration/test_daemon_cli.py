"""The command line against a real daemon: submit, watch, wait, cancel, lists, tokens; the daemon killed while it is
watched. Instructions are counted, so that every answer is exact."""

import json
import os
import pathlib
import re
import signal
import sqlite3
import subprocess
import tempfile
import time
import unittest

import lab
from daemon import await_follower

DAEMON = lab.HOST / "bin/sme2labd"
NATIVE_AGENT = lab.NATIVE / "bin/sme2lab-agent"
TOY = lab.MODELS / "toy_cnn_f32_xnnpack"


def setUpModule():
    lab.need(lab.SME2LAB, DAEMON, lab.AGENT, NATIVE_AGENT, lab.EMULATOR)


class Daemon:
    """sme2labd with one counted device, on a Unix socket and a port of its own."""

    def __init__(self, scratch):
        self.state = scratch / "state"
        self.socket = scratch / "s.sock"
        self.config = scratch / "host.json"
        self.config.write_text(json.dumps({"listen": [f"unix:{self.socket}", "tcp:127.0.0.1:0"],
                                           "devices": [{"name": "counted-256", "kind": "counted", "svl": 256}]}))
        self.start()

    def start(self):
        self.log = open(self.state.with_suffix(".log"), "ab")
        self.process = subprocess.Popen([DAEMON, "--config", self.config, "--state", self.state.name], cwd=self.state.parent,
                                        stdin=subprocess.DEVNULL, stderr=self.log)
        for _ in range(100):
            if self.cli("jobs").returncode == 0:
                self.port = int(re.findall(r"event=listening address=tcp:\S+ port=(\d+)", self.journal())[-1])
                return
            time.sleep(0.1)
        raise AssertionError(self.journal())

    def stop(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        try:
            self.process.wait(60)
        finally:
            self.process.kill()
            self.process.wait()
            self.log.close()

    def journal(self):
        return self.state.with_suffix(".log").read_text()

    def cli(self, *words):
        return lab.sme2lab(*words, env={"SME2LAB_SERVER": f"unix:{self.socket}"})

    def submit(self, *words):
        done = self.cli("submit", TOY / "model.pte", "--inputs", TOY / "input-0.bin", "--device", "counted", *words)
        assert done.returncode == 0, done.stderr
        return int(done.stdout)


class CommandLine(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory(prefix="sme2lab-cli-")
        cls.addClassCleanup(holder.cleanup)
        cls.scratch = pathlib.Path(holder.name)
        cls.daemon = Daemon(cls.scratch)
        cls.addClassCleanup(cls.validate_all)  # after the daemon's end
        cls.addClassCleanup(lambda: cls.daemon.stop())
        cls.job = cls.daemon.submit()
        cls.waited = cls.daemon.cli("wait", cls.job, "--json")

    @classmethod
    def validate_all(cls):
        for folder in lab.run_directories(cls.scratch):
            lab.must_be_valid(folder)

    def listed(self, *words):
        return json.loads(self.daemon.cli(*words, "--json").stdout)

    def test_wait_ends_with_the_verdict(self):
        outcome = json.loads(self.waited.stdout)
        self.assertEqual((self.waited.returncode, outcome["state"], outcome["verdict"]), (0, "done", "fewer-instructions"))
        self.assertGreater(outcome["ratio"], 1)

    def test_the_run_can_be_found_shown_and_read(self):
        run = json.loads(self.waited.stdout)["run"]
        self.assertIn(run, [row["id"] for row in self.listed("runs", "--since", "1h", "--device", "counted-256")["runs"]])
        shown = self.listed("show", run)
        self.assertIn("manifest.json", [file["path"] for file in shown["files"]])
        manifest = json.loads(self.daemon.cli("show", run, "--file", "manifest.json").stdout)
        self.assertEqual(manifest["schema"], "sme2lab.manifest/1")
        self.assertIn("Model executed successfully", self.daemon.cli("logs", run).stdout)

    def test_runs_are_compared_and_reported_by_their_numbers(self):
        run = json.loads(self.waited.stdout)["run"]
        other = json.loads(self.daemon.cli("wait", self.daemon.submit("--seed", 5), "--json").stdout)["run"]
        own = self.daemon.cli("compare", run, "--json")
        self.assertEqual((own.returncode, json.loads(own.stdout)["verdict"]), (0, "fewer-instructions"), own.stderr)
        self.assertEqual(json.loads(own.stdout)["baseline"]["file"], f"runs/{run}")
        both = self.daemon.cli("compare", run, other, "--variant", "off", "--json")
        self.assertEqual((both.returncode, json.loads(both.stdout)["verdict"]), (0, "equal"), both.stderr)
        with tempfile.TemporaryDirectory() as folder:
            written = self.daemon.cli("report", run, "--format", "md,comment", "-o", folder, "--json")
            self.assertEqual(json.loads(written.stdout)["files"], ["report.md", "report.comment.md"], written.stderr)
            self.assertIn("**fewer-instructions:", (pathlib.Path(folder) / "report.md").read_text())
        with tempfile.TemporaryDirectory() as folder:
            missing = lab.sme2lab("compare", run, 999, "--server", f"unix:{self.daemon.socket}", env={"TMPDIR": folder})
            self.assertEqual((missing.returncode, list(pathlib.Path(folder).iterdir())), (2, []))
            self.assertIn("runs/999", missing.stderr)

    def test_a_series_of_runs_tells_where_its_ratio_changed(self):
        first = json.loads(self.waited.stdout)["run"]
        later = json.loads(self.daemon.cli("wait", self.daemon.submit("--seed", 9), "--json").stdout)["run"]
        listed, = [one for one in self.listed("history")["series"] if one["newest"]["id"] >= later]
        told = self.listed("history", listed["id"])
        self.assertEqual((told["schema"], told["method"], told["enough"], told["changes"]), ("sme2lab.history/1", "exact", True, []))
        runs = [point["run"] for point in told["points"]]
        self.assertEqual((runs, runs[0]), (sorted(runs), first))
        self.assertIn(later, runs)
        self.assertEqual(len({point["ratio"] for point in told["points"]}), 1)
        self.assertTrue(all(point["off"] / point["on"] == point["ratio"] for point in told["points"]))
        self.assertEqual((told["arms"]["off"]["changes"], told["arms"]["on"]["category"], told["regressed"]), ([], None, False))
        self.assertEqual(self.daemon.cli("history", listed["id"], "--threshold", 5).returncode, 0)
        text = self.daemon.cli("history", listed["id"])
        self.assertRegex(text.stdout, rf"(?m)^ +{first} +{runs[-1]} .* {len(runs)} +off/on +\d+\.\d{{4}} +-")
        self.assertEqual(self.daemon.cli("history", "0" * 16).returncode, 2)
        self.assertEqual(self.daemon.cli("history", "toy").returncode, 2)

    def test_kernels_and_headroom_are_measured_on_a_device_of_the_labs(self):
        done = self.daemon.cli("kernels", "bench", "32x32x32", "--device", "counted-256", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        there = json.loads(done.stdout)
        here = json.loads(lab.sme2lab("kernels", "bench", "32x32x32", "--svl", 256, "--json").stdout)
        self.assertEqual((there["svl"], there["rows"]), (256, here["rows"]))
        done = self.daemon.cli("kernels", "bench", "32x32x32", "--device", "counted-256", "--clock", "ns")
        self.assertEqual(done.returncode, 2)
        self.assertIn("counts instructions", done.stderr)
        done = self.daemon.cli("kernels", "bench", "32x32x32", "--device", "phone")
        self.assertEqual(done.returncode, 2)
        self.assertIn("no device named phone", done.stderr)
        etdump = TOY / "aarch64-sme2.etdump"
        words = ("analyze", etdump, "--model", TOY / "model.pte", "--headroom", "--json")
        done = self.daemon.cli(*words, "--device", "counted-256")
        self.assertEqual(done.returncode, 0, done.stderr)
        room = json.loads(done.stdout)["headroom"]
        self.assertIn("256 bits", room["measured_on"])
        self.assertTrue(all(row["best_insns"] for row in room["operators"]))

    def test_watch_tells_each_event_as_a_line_of_json(self):
        job = self.daemon.submit("--seed", 2, "--runs", 6)  # some seconds
        done = self.daemon.cli("watch", job, "--json")
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(lines[0]["event"], "job")
        told = [line["data"] for line in lines[:-1] if line["event"] == "progress"]
        self.assertTrue(any("percent" in data for data in told), told)
        expected = [data["expected_insns"] for data in told if data.get("expected_insns")]
        self.assertTrue(expected, told)  # from the warm-up on
        self.assertEqual(lines[-1]["state"], "done")

    def test_in_a_pipe_watch_says_only_how_it_ended(self):
        done = self.daemon.cli("watch", self.job)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, rf"^job {self.job} done: fewer-instructions")

    def test_an_interrupted_watch_leaves_the_job_running(self):
        job = self.daemon.submit("--seed", 3, "--runs", 100)
        watch = subprocess.Popen([lab.SME2LAB, "watch", str(job)], env={**os.environ, "SME2LAB_SERVER": f"unix:{self.daemon.socket}"},
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        await_follower(lambda: [self.daemon.socket])
        watch.send_signal(signal.SIGINT)
        _, errors = watch.communicate(timeout=120)
        self.assertEqual(watch.returncode, 130)
        self.assertIn(f"sme2lab watch {job}", errors)
        self.assertEqual(self.daemon.cli("cancel", job).returncode, 0)
        self.assertEqual(self.daemon.cli("wait", job).returncode, 130)

    def test_the_lab_is_watched_over_a_restart_of_its_daemon(self):
        """One line an event; what happened while nobody could listen is said to be missing."""
        for words in (("watch",), ("watch", self.job, "--lab"), ("watch", "--lab", "--out", self.scratch / "x")):
            self.assertEqual(self.daemon.cli(*words).returncode, 2, words)
        watch = subprocess.Popen([lab.SME2LAB, "watch", "--lab"], env={**os.environ, "SME2LAB_SERVER": f"unix:{self.daemon.socket}"},
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(watch.kill)
        await_follower(lambda: [self.daemon.socket])
        job = self.daemon.submit("--seed", 4)

        def line_with(text):
            for line in watch.stdout:
                if text in line:
                    return line
            return ""

        self.assertRegex(line_with(f"job {job}  running"), r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d  job \d+  running on counted-256$")
        self.assertRegex(line_with(f"job {job}  done"), r"done on counted-256, run \d+$")
        self.daemon.stop()
        self.daemon.start()
        self.assertIn("missed", line_with("missed"))
        job = self.daemon.submit("--seed", 5)
        self.assertIn("run ", line_with(f"job {job}  done"))
        watch.send_signal(signal.SIGINT)
        _, errors = watch.communicate(timeout=120)
        self.assertEqual(watch.returncode, 130)
        self.assertIn("trying again", errors)

    def test_a_model_that_cannot_run_is_the_models_failure(self):
        bad = self.scratch / "bad.pte"
        bad.write_bytes(b"no program at all" * 10)
        job = self.daemon.cli("submit", bad).stdout.strip()
        self.assertEqual(self.daemon.cli("wait", job).returncode, 1)

    def test_names_that_are_not_there_are_usage_errors(self):
        for words in (("show", 999999), ("cancel", 999999), ("jobs", "--state", "lost"),
                      ("submit", TOY / "model.pte", "--device", "nope"), ("submit", self.scratch / "none.pte")):
            done = self.daemon.cli(*words, "--json")
            self.assertEqual(done.returncode, 2, words)
            self.assertEqual(json.loads(done.stdout)["error"]["code"], "usage")

    def test_tcp_asks_for_a_token_with_the_role(self):
        tcp = ("--server", f"http://127.0.0.1:{self.daemon.port}")
        token = self.scratch / "token"
        token.write_text(self.daemon.cli("token", "add", "ci", "--role", "read").stdout)
        self.assertEqual(self.daemon.cli("jobs", *tcp).returncode, 5)
        self.assertEqual(self.daemon.cli("jobs", *tcp, "--token-file", token).returncode, 0)
        self.assertEqual(self.daemon.cli("submit", TOY / "model.pte", *tcp, "--token-file", token).returncode, 5)
        number = self.listed("token", "list")["tokens"][-1]["id"]
        self.assertEqual(self.daemon.cli("token", "revoke", number).returncode, 0)
        self.assertEqual(self.daemon.cli("jobs", *tcp, "--token-file", token).returncode, 5)

    def test_doctor_finds_the_daemon_and_its_device(self):
        found = {(row["name"], row["level"]) for row in self.listed("doctor")["findings"]}
        self.assertLessEqual({("daemon", "ok"), ("device", "ok"), ("agent", "ok")}, found)

    def test_wait_outlives_a_daemon_that_is_killed(self):
        job = self.daemon.submit("--seed", 4, "--runs", 6)
        watch = subprocess.Popen([lab.SME2LAB, "wait", str(job), "--json"], stdout=subprocess.PIPE, text=True,
                                 env={**os.environ, "SME2LAB_SERVER": f"unix:{self.daemon.socket}"})
        await_follower(lambda: [self.daemon.socket])
        self.daemon.stop(signal.SIGKILL)
        time.sleep(0.5)
        self.daemon.start()
        output, _ = watch.communicate(timeout=170)
        outcome = json.loads(output)
        self.assertEqual((watch.returncode, outcome["state"]), (0, "done"), self.daemon.journal())
        self.assertEqual(self.daemon.cli("wait", job).returncode, watch.returncode)  # what the new daemon says of it


class ChangedSeries(lab.Scratch):
    """Two runs whose kernels differ, as of two builds: counted, so each figure is exact."""

    def test_history_names_the_arm_the_category_and_the_operator_that_changed(self):
        daemon = Daemon(self.scratch)
        self.addCleanup(lambda: daemon.stop())
        first, last = (json.loads(daemon.cli("wait", daemon.submit(*words), "--json").stdout)["run"]
                       for words in (("--policy", "all"), ()))
        daemon.stop()
        with sqlite3.connect(daemon.state / "store.sqlite") as db:
            db.execute("UPDATE runs SET series = (SELECT series FROM runs WHERE id = ?) WHERE id = ?", (first, last))
        daemon.start()
        series, = [one["id"] for one in json.loads(daemon.cli("history", "--json").stdout)["series"] if one["newest"]["id"] == last]
        told = json.loads(daemon.cli("history", series, "--json").stdout)
        off, on = told["arms"]["off"], told["arms"]["on"]
        self.assertEqual((off["changes"], off["category"], len(on["changes"])), ([], None, 1))
        before, after = (json.loads(daemon.cli("compare", run, "--json").stdout) for run in (first, last))
        for member in ("categories", "operators"):
            costs = [{}, {}]
            for cost, of in zip(costs, (before, after)):
                for row in of[member]:
                    cost[row["name"]] = cost.get(row["name"], 0) + (row["candidate_insns"] or 0)
            name = max(costs[1], key=lambda name: abs(costs[1][name] - costs[0].get(name, 0)))
            change = f"{name} {100 * (costs[1][name] / costs[0][name] - 1):+.1f} %"
            self.assertEqual(on["category" if member == "categories" else "operator"], change)
        text = daemon.cli("history", series, "--threshold", "0.1")
        self.assertEqual(text.returncode, 3, text.stdout)
        self.assertIn(f"on, most of its last change: {on['category']}, {on['operator']}\n", text.stdout)
        self.assertIn("the ratio changed last because on costs more\n", text.stdout)
        self.assertIn("gate: not passed: an arm costs more", text.stdout)

class NoDaemon(lab.Scratch):
    def test_verbs_say_where_they_looked_and_what_to_start(self):
        (self.scratch / "store.sqlite").write_bytes(b"")  # there was a daemon
        done = lab.sme2lab("jobs", env={"SME2LAB_STATE": str(self.scratch)})
        self.assertEqual(done.returncode, 5)
        self.assertIn(f"unix:{self.scratch}/sme2labd.sock", done.stderr)
        self.assertIn("sme2labd", done.stderr)


if __name__ == "__main__":
    lab.main()
