"""What the store keeps: labels and pins of stored runs, retention by the daemon's configuration, and a disk that stops the intake before it is full."""

import hashlib
import http.client
import json
import os
import pathlib
import re
import sqlite3
import subprocess
import tempfile
import time
import unittest

import lab
from daemon import NATIVE_AGENT, SME2LABD, Daemon

TOY = lab.MODELS / "toy_cnn_f32_xnnpack"
JSON = {"Content-Type": "application/json"}
DISK_MIB, RESERVE_MIB = 64, 24


def setUpModule():
    lab.need(lab.SME2LAB, SME2LABD, NATIVE_AGENT, lab.AGENT)


class Kept(lab.Scratch):
    """A daemon with a counted device; `config` is what its configuration says besides."""
    config = {}

    def setUp(self):
        super().setUp()
        config = {"listen": [f"unix:{self.scratch}/state/sme2labd.sock", "tcp:127.0.0.1:0"],
                  "devices": [{"name": "counts", "kind": "counted", "svl": 256}]} | self.config
        self.daemon = Daemon(self.scratch / "state", config)
        self.enterContext(self.daemon)

    def cli(self, *words, code=0):
        done = lab.sme2lab("--server", f"unix:{self.daemon.socket}", *words, timeout=120)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def measure(self, *words):
        """The number of a new run."""
        job = self.cli("submit", TOY / "model.pte", "--device", "counts", "--runs", "1", "--warmup", "0", *words).stdout.strip()
        return self.daemon.wait(job)["run"]

    def runs(self, query=""):
        return [run["id"] for run in self.daemon.get(f"/api/v1/runs{query}")["runs"]]


class Labels(Kept):
    def test_a_run_is_labelled_found_pinned_and_kept(self):
        first, second = self.measure("--label", "commit=abc"), self.measure()
        self.assertEqual(self.runs("?label=commit=abc"), [first])
        said = self.cli("label", first, "release=1.4", "commit=def", "--pin").stdout
        self.assertEqual(said, f"run {first} is pinned: gc and retention keep it\n  commit=def\n  release=1.4\n")
        self.assertEqual(self.runs("?label=commit=abc"), [])
        self.assertEqual(self.runs("?label=release=1.4"), [first])
        self.assertTrue(self.daemon.get(f"/api/v1/runs/{first}")["pinned"])
        self.assertEqual(json.loads(self.cli("label", first, "--json").stdout),
                         {"schema": "sme2lab.labels/1", "run": first, "pinned": True, "labels": {"commit": "def", "release": "1.4"}})
        self.assertIn("1.4", self.cli("query", f"SELECT value FROM labels WHERE run = {first} AND key = 'release'").stdout)
        done = self.cli("rm", first, code=2)
        self.assertIn("is pinned", done.stderr)
        tomorrow = time.strftime("%Y-%m-%d", time.gmtime(time.time() + 2 * 86400))
        self.assertIn("No run goes", self.cli("gc", "--older-than", tomorrow, "--keep", "0", "--keep-label", "x=y", "--model", "other").stdout)
        self.cli("label", second, "x=y")
        self.assertIn("No run goes", self.cli("gc", "--older-than", tomorrow, "--keep", "0", "--keep-label", "x=y").stdout)
        # A daemon that lost its rows makes them again of the runs' directories: labels and pins with them.
        self.daemon.terminate()
        for name in ("store.sqlite", "store.sqlite-wal", "store.sqlite-shm"):
            (self.daemon.state / name).unlink(missing_ok=True)
        self.daemon.start()
        self.assertEqual(self.daemon.get(f"/api/v1/runs/{first}/labels"), {"run": first, "pinned": True, "labels": {"commit": "def", "release": "1.4"}})
        self.cli("label", second, "x=")
        self.cli("gc", "--older-than", tomorrow, "--keep", "0")
        self.assertEqual(self.runs(), [first])
        self.cli("label", first, "--unpin", "release=")
        self.cli("rm", first)
        self.assertEqual(self.runs(), [])

    def test_gc_keeps_the_runs_of_a_series_that_began_last(self):
        newest, imported = self.measure(), self.measure()
        with sqlite3.connect(self.daemon.state / "store.sqlite") as store:
            store.execute("UPDATE runs SET started_ms = 1 WHERE id = ?", (imported,))
        self.cli("gc", "--older-than", time.strftime("%Y-%m-%d", time.gmtime(time.time() + 2 * 86400)), "--keep", "1")
        self.assertEqual(self.runs(), [newest])

    def test_what_is_no_label_is_said_and_a_run_is_its_submitters(self):
        run = self.measure()
        for words, text in (((run, "x"), "is no label"), ((run, "=x"), "is no label"), (("x",), "run"), ((run, "--pin", "--unpin"), "pinned or it is not")):
            self.assertIn(text, self.cli("label", *words, code=2).stderr)
        self.assertIn("no run 99", self.cli("label", 99, code=2).stderr)
        self.cli("label", run, "x=" + "y" * 256, code=2)
        port = int(re.findall(r"event=listening address=tcp:\S+ port=(\d+)", self.daemon.log_text())[-1])
        for scopes, status in (("read,submit", 403), ("read", 403), ("submit,admin", 200)):
            body = self.daemon.request("POST", "/api/v1/tokens", json.dumps({"name": scopes, "scopes": scopes}), JSON)[2]
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
            connection.request("POST", f"/api/v1/runs/{run}/labels", json.dumps({"labels": {"a": "b"}}),
                               JSON | {"Authorization": f"Bearer {json.loads(body)['token']}"})
            self.assertEqual(connection.getresponse().status, status, scopes)
            connection.close()


class Retention(Kept):
    config = {"retention": {"most_per_series": 1, "keep_labels": ["release"], "every_seconds": 1}}

    def test_old_runs_go_by_themselves_and_kept_ones_stay(self):
        first = self.measure()
        self.cli("label", first, "release=1")
        second = self.measure()
        third = self.measure()
        limit = time.monotonic() + 60
        while f"event=run_expired run={second}" not in self.daemon.log_text() and time.monotonic() < limit:
            time.sleep(0.1)
        self.assertEqual(self.runs(), [third, first])
        self.assertEqual(len(list(self.daemon.state.glob("runs/*/*"))), 2)
        self.assertEqual(list(self.daemon.state.glob("runs/removed/*")), [])
        self.assertIn(b"sme2lab_runs_expired_total 1\n", self.daemon.request("GET", "/metrics")[2])


class Disk(unittest.TestCase):
    """A small file system of its own, in a mount namespace of this process."""

    def test_the_intake_stops_before_the_disk_is_full_and_goes_on_after(self):
        root = pathlib.Path(tempfile.mkdtemp(prefix="slf-"))
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK_MIB}m", "tmpfs", str(root)], check=True)
        self.addCleanup(subprocess.run, ["umount", "-l", str(root)])
        daemon = Daemon(root / "state", {"devices": [{"name": "counts", "kind": "counted", "svl": 256}], "disk": {"reserve_mib": RESERVE_MIB}})
        with daemon:
            job = {"model": daemon.put_blob(TOY / "model.pte"), "device": "counts", "runs": 1, "warmup": 0}
            before = json.loads(daemon.submit(job)[2])["id"]
            self.assertEqual(daemon.wait(before)["state"], "done")
            with open(root / "ballast", "wb") as file:
                free = os.statvfs(root)
                os.posix_fallocate(file.fileno(), 0, free.f_bavail * free.f_frsize - (RESERVE_MIB << 20) + (1 << 20))
            status, _, said = daemon.submit(job)
            self.assertEqual(status, 507, said)
            problem = json.loads(said)
            self.assertEqual(problem["type"], "urn:sme2lab:problem:disk-full")
            self.assertRegex(problem["detail"], f"MiB of the disk are free, and {RESERVE_MIB} MiB are kept in reserve")
            self.assertIn("sme2lab gc", problem["hint"])
            body = b"x" * 1000
            self.assertEqual(daemon.request("PUT", "/api/v1/blobs/" + hashlib.sha256(body).hexdigest(), body)[0], 507)
            self.assertEqual(daemon.put_blob(TOY / "model.pte"), job["model"])  # it is there, and takes no room
            self.assertEqual(daemon.request("POST", "/api/v1/runs", json.dumps({"files": []}), JSON)[0], 507)
            status, _, said = daemon.request("GET", "/readyz")
            self.assertEqual((status, json.loads(said)["type"]), (503, "urn:sme2lab:problem:disk-full"))
            self.assertIn(b"sme2lab_intake_stopped 1\n", daemon.request("GET", "/metrics")[2])
            doctor = lab.sme2lab("--server", f"unix:{daemon.socket}", "doctor", "--json", timeout=120)
            found = next(row for row in json.loads(doctor.stdout)["findings"] if row["name"] == "store")
            self.assertEqual(found["level"], "missing")
            self.assertIn("kept in reserve", found["text"])
            self.assertIn("sme2lab gc", found["fix"])
            self.assertEqual(daemon.get("/api/v1/runs")["runs"][0]["job"], before)  # reading goes on
            (root / "ballast").unlink()
            self.assertEqual(daemon.request("GET", "/readyz")[0], 200)
            after = json.loads(daemon.submit(job)[2])["id"]
            self.assertEqual(daemon.wait(after)["state"], "done")
            self.assertIn("event=intake_stopped", daemon.log_text())
            self.assertIn("event=intake_goes_on", daemon.log_text())
            self.assertIn(b"sme2lab_intake_stopped 0\n", daemon.request("GET", "/metrics")[2])


if __name__ == "__main__":
    if not lab.in_a_namespace():
        Disk = unittest.skip("this system lets nobody mount in a namespace of his own")(Disk)
    lab.main()
