"""`sme2lab run` and the daemon that it starts for itself: shared, outlived, killed, come back to; several experiments; what is
left where a part of them fails."""

import json
import os
import pathlib
import signal
import subprocess
import tempfile
import time
import unittest

import lab
from daemon import NATIVE_AGENT, SME2LABD, await_follower, private_sockets

TOY = lab.MODELS / "toy_cnn_f32_xnnpack"
MOBILENET = lab.MODELS / "mobilenet_v2_f32_xnnpack"
QUICK = ("--device", "counted", "--runs", "1", "--warmup", "0")


def setUpModule():
    lab.need(lab.SME2LAB, SME2LABD, NATIVE_AGENT, lab.AGENT, lab.EMULATOR)


def start(*words):
    return subprocess.Popen([lab.SME2LAB, *map(str, words)], env={**os.environ, "SME2LAB_STATE": str(lab.STATE)},
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def daemons():
    """Process ids of the private daemons of this module."""
    found = []
    for lock in lab.STATE.glob("private/*/lock"):
        try:
            os.kill(int(lock.read_text()), 0)
            found.append(int(lock.read_text()))
        except (OSError, ValueError):
            pass
    return found


def newest_job():
    listed = lab.sme2lab("jobs", "--json")
    jobs = json.loads(listed.stdout).get("jobs", []) if listed.returncode == 0 else []
    return jobs[0] if jobs else {"id": 0, "state": "none"}


def wait_until(condition, seconds=60):
    limit = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > limit:
            raise AssertionError("it does not come to pass")
        time.sleep(0.05)


class Private(lab.Scratch):
    def test_a_weight_cache_stays_on_the_device_from_run_to_run(self):
        said = []
        for i in range(2):
            out = self.scratch / str(i)
            done = lab.sme2lab("run", TOY / "model.pte", *QUICK, "--weight-cache", "--out", out)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertTrue(json.loads((out / "manifest.json").read_text())["weight_cache"])
            said.append([line.split("Weight cache: ")[1].split(" to ")[0].split(" from ")[0] for log in out.glob("*_latency.log")
                         for line in log.read_text().splitlines() if "Weight cache: " in line])
        self.assertEqual(said, [["5 packed weights were written"] * 2, ["5 packed weights were taken"] * 2])

    def test_several_at_once_share_one_daemon(self):
        runs = [start("run", TOY / "model.pte", *QUICK, "--out", self.scratch / str(i), "--json") for i in range(3)]
        ends = [run.communicate(timeout=120) for run in runs]
        self.assertEqual([run.returncode for run in runs], [0, 0, 0], ends)
        self.assertEqual(len(daemons()), 1)
        results = [json.loads(out) for out, _ in ends]
        self.assertEqual(len({result["comparison"]["ratio"] for result in results}), 1)
        for i, result in enumerate(results):
            self.assertEqual(result["files"]["directory"], str(self.scratch / str(i)))
            self.assertTrue(pathlib.Path(result["files"]["trace"]).is_file())

    def test_an_interrupted_run_goes_on_and_watch_brings_its_files(self):
        before = newest_job()["id"]
        run = start("run", TOY / "model.pte", "--device", "counted", "--runs", "20", "--out", self.scratch / "o")
        wait_until(lambda: newest_job()["id"] > before)
        await_follower(private_sockets)
        run.send_signal(signal.SIGINT)
        _, said = run.communicate(timeout=120)
        job = newest_job()["id"]
        self.assertEqual(run.returncode, 130, said)
        self.assertIn(f"sme2lab watch {job} --out {self.scratch}/o", said)
        self.assertNotIn(newest_job()["state"], ("cancelled", "failed"))
        watched = lab.sme2lab("watch", job, "--out", self.scratch / "o")
        self.assertEqual(watched.returncode, 0, watched.stderr)
        self.assertEqual(lab.sme2lab("validate", self.scratch / "o").returncode, 0)

    def test_a_run_outlives_the_daemon_that_is_killed_under_it(self):
        before = newest_job()["id"]
        run = start("run", TOY / "model.pte", "--device", "counted", "--runs", "10", "--out", self.scratch / "o", "--json")
        wait_until(lambda: newest_job()["id"] > before and newest_job()["state"] == "running")
        killed = daemons()
        for process in killed:
            os.kill(process, signal.SIGKILL)
        out, said = run.communicate(timeout=150)
        self.assertEqual(run.returncode, 0, said)
        self.assertEqual(json.loads(out)["verdict"], "fewer-instructions")
        self.assertNotEqual(daemons(), killed)

    def test_without_a_daemon_program_it_says_what_is_missing(self):
        done = lab.sme2lab("run", TOY / "model.pte", "--device", "counted", env={"SME2LAB_DAEMON": "/nowhere/sme2labd"})
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertIn("SME2LAB_DAEMON", done.stderr)

    def test_why_its_daemon_does_not_start_is_said(self):
        state = self.scratch / "state"
        words = ("run", TOY / "model.pte", *QUICK, "--runtime", "own", "--out", self.scratch / "o", "--force")
        self.addCleanup(lab.end_private_daemons, state)
        self.assertEqual(lab.sme2lab(*words, env={"SME2LAB_STATE": str(state)}).returncode, 0)
        for lock in state.glob("private/*/lock"):
            os.kill(int(lock.read_text()), signal.SIGKILL)
        for database in state.glob("private/*/store.sqlite"):
            database.write_bytes(b"\xa5" * 4096)
            database.with_name("store.sqlite-wal").unlink(missing_ok=True)
        done = lab.sme2lab(*words, env={"SME2LAB_STATE": str(state)})
        self.assertEqual(done.returncode, 5, done.stderr)
        for said in ("file is not a database", "--rebuild", f"{state}/private/"):
            self.assertIn(said, done.stderr)
        found = json.loads(lab.sme2lab("doctor", "--json", env={"SME2LAB_STATE": str(state)}).stdout)["findings"]
        row = next(row for row in found if row["name"] == "daemon")
        self.assertEqual(row["level"], "missing")
        self.assertIn("file is not a database", row["text"])

    def test_a_named_daemon_that_is_not_there_is_not_replaced(self):
        done = lab.sme2lab("run", TOY / "model.pte", "--server", "unix:/nowhere/s.sock", "--out", self.scratch / "o")
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertIn("/nowhere/s.sock", done.stderr)


class Experiments(lab.Scratch):
    def config(self, **keys):
        path = self.scratch / "config.json"
        path.write_text(json.dumps({"device": "counted", "runs": 1, "warmup": 0, **keys}))
        return path

    def test_partial_failure_keeps_the_rest_and_the_exit_code_says_so(self):
        bad = self.scratch / "bad.bin"
        bad.write_bytes(b"\0" * 8)
        config = self.config(model=str(TOY / "model.pte"), experiments=[
            {"name": "good"}, {"name": "bad", "inputs": [str(bad)]}, {"name": "late", "seed": 4}])
        done = lab.sme2lab("run", config, "--out", self.scratch / "o", "--json")
        self.assertEqual(done.returncode, 1, done.stderr)
        good, failed, late = json.loads(done.stdout)
        self.assertEqual((good["verdict"], late["verdict"]), ("fewer-instructions", "fewer-instructions"))
        self.assertEqual((failed["experiment"], failed["error"]["code"], failed["exit_code"]), ("bad", "failed", 1))
        self.assertIn("bad.bin", failed["error"]["message"])
        for name in ("manifest_good.json", "report_late.md", "good_sme2-on/model_good_sme2-on_t1.etdump", "model_bad_t1_latency.log"):
            self.assertTrue((self.scratch / "o" / name).is_file(), name)

    def test_a_list_of_models_is_a_matrix_that_explain_shows_and_run_runs(self):
        other = self.scratch / "other.pte"
        other.write_bytes((TOY / "model.pte").read_bytes())
        config = self.config(model=[str(TOY / "model.pte"), str(other)], labels={"branch": "main"})
        for verb in ("run", "submit"):
            plan = json.loads(lab.sme2lab(verb, config, "--explain").stdout)
            self.assertEqual([e["name"] for e in plan["experiments"]], ["model_run", "other_run"])
        done = lab.sme2lab("run", config, "--out", self.scratch / "o", "--json", "--only", "other_run")
        self.assertEqual(done.returncode, 0, done.stderr)
        manifest = json.loads((self.scratch / "o/manifest.json").read_text())
        self.assertEqual((manifest["model"], manifest["labels"]), (str(other), {"branch": "main"}))
        self.assertIn("--only other_run", manifest["command"])

    def test_only_with_an_unknown_name_is_an_error(self):
        config = self.config(model=str(TOY / "model.pte"), experiments=[{"name": "first"}])
        for verb in ("run", "submit"):
            done = lab.sme2lab(verb, config, "--only", "frist")
            self.assertEqual(done.returncode, 2)
            self.assertIn("'first'", done.stderr)


if __name__ == "__main__":
    lab.main()
