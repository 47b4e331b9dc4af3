"""A state directory on a disk that fills up, and a wall clock that jumps a day: what runs waits or fails by name, what
was taken is whole, and the daemon goes on."""

import json
import os
import pathlib
import socket
import subprocess
import tempfile
import time
import unittest

import lab
from daemon import NATIVE_AGENT
from faults import cases, laboratory

SHIM = lab.BUILD / "host/tests/libset_clock.so"
DAY_SECONDS = 86400
DISK_MIB = 96


def setUpModule():
    lab.need(laboratory.ORDINAL_LAB, NATIVE_AGENT, lab.AGENT, lab.EMULATOR)


def await_begun(lab, job):
    """Until the trace of that job streams in."""
    def begun():
        return any(trace.stat().st_size for trace in lab.state.glob(f"runs/*/*-{job}/streams/trace.sltrace"))
    laboratory.wait_until(begun, 60, f"the begin of job {job}")


class Disk(unittest.TestCase):
    """A small file system of its own, in a mount namespace of this process."""

    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="slf-"))
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK_MIB}m", "tmpfs", str(self.root)], check=True)
        self.addCleanup(subprocess.run, ["umount", "-l", str(self.root)])
        self.lab = laboratory.Laboratory(root=self.root)
        self.addCleanup(self.lab.close)
        self.ballast = self.root / "ballast"

    def fill(self, leave_bytes):
        """Leaves so much of the disk free."""
        piece, size = 1 << 20, 0
        with open(self.ballast, "wb") as file:
            while piece >= 4096:
                free = os.statvfs(self.root)
                try:
                    if free.f_bavail * free.f_frsize < leave_bytes + piece:
                        raise OSError
                    os.posix_fallocate(file.fileno(), size, piece)  # others write as well
                    size += piece
                except OSError:
                    piece //= 2

    def empty(self):
        self.ballast.unlink()

    def put_refused(self, digest, body):
        """The answer to a body that is refused before it has come whole."""
        with socket.socket(socket.AF_UNIX) as sock:
            sock.settimeout(20)
            sock.connect(str(self.lab.daemon.socket))
            head = f"PUT /api/v1/blobs/{digest} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n"
            try:
                sock.sendall(head.encode() + body)
            except OSError:
                pass
            answer = b""
            while data := sock.recv(65536):
                answer += data
                if b"}" in data:
                    break
            return answer.decode()

    def half_written(self):
        """Temporary files that stay."""
        limit = time.monotonic() + 20
        while left := [name for _, _, names in os.walk(self.lab.state) for name in names if name.endswith(".tmp")]:
            if time.monotonic() > limit:
                break
            time.sleep(0.05)
        return left

    def healthy(self):
        self.assertEqual(self.lab.daemon.request("GET", "/healthz")[0], 200)

    def test_a_disk_that_fills_up_under_a_job_fails_it_by_name_and_the_next_one_is_whole(self):
        undisturbed = cases.run_undisturbed(self.lab, "here", cases.LONG_RUNS)
        for leave_bytes in (200 << 10, 0):
            job = self.lab.submit("here", cases.LONG_RUNS)
            await_begun(self.lab, job)
            self.fill(leave_bytes)
            time.sleep(2)  # nothing can be stored now, not even that it failed
            self.healthy()
            self.empty()
            record = self.lab.daemon.wait(job)
            self.assertRegex(record["detail"], "[Nn]o space|dropped")
            if record["state"] == "done":  # there was room again for its last attempt
                self.assertEqual(laboratory.digest(self.lab.etdumps(record)), undisturbed["digest"])
            else:
                self.assertEqual((record["state"], record["cause"]), ("failed", "lab"), record)
            self.assertEqual(self.half_written(), [])
        record = self.lab.daemon.wait(self.lab.submit("here", cases.LONG_RUNS))
        self.assertEqual(record["state"], "done", record)
        self.assertEqual(laboratory.digest(self.lab.etdumps(record)), undisturbed["digest"])

    def test_a_full_disk_takes_nothing_in_and_says_so(self):
        jobs = len(self.lab.daemon.get("/api/v1/jobs")["jobs"])
        self.fill(0)
        body = os.urandom(1 << 20)
        digest = laboratory.hashlib.sha256(body).hexdigest()
        said = self.put_refused(digest, body)
        self.assertRegex(said.split("\r\n")[0], "^HTTP/1.1 5")
        self.assertIn("space", said)
        model = self.lab.blobs["model.pte"]
        self.assertIn(self.lab.daemon.submit({"model": model, "device": "here", "runs": 1})[0], (503, 507))
        self.assertEqual(self.lab.daemon.request("GET", "/readyz")[0], 503)  # as long as nothing can be written
        self.assertIn("event=store_failing", self.lab.daemon.log_text())
        self.healthy()
        self.empty()
        self.lab.daemon.wait(self.lab.submit("here", 1))
        jobs += 1
        self.assertEqual(self.lab.daemon.request("GET", "/readyz")[0], 200)
        self.assertIn("event=store_works_again", self.lab.daemon.log_text())
        self.assertEqual(self.lab.daemon.request("HEAD", f"/api/v1/blobs/{digest}")[0], 404)
        self.assertEqual(len(self.lab.daemon.get("/api/v1/jobs")["jobs"]), jobs)
        self.assertEqual(self.half_written(), [])
        self.assertIn(self.lab.daemon.request("PUT", f"/api/v1/blobs/{digest}", body)[0], (200, 201, 204))

    def doctor(self):
        done = lab.call("--server", f"unix:{self.lab.daemon.socket}", "doctor", "--json")
        return next(row for row in json.loads(done.stdout)["findings"] if row["name"] == "store")

    def test_a_state_that_can_only_be_read_is_said_and_recovered_from(self):
        """For paths alone: no system remounts what a daemon has files open in. So a mount that can only be read is laid over the state."""
        self.lab.daemon.wait(self.lab.submit("here", 1))
        runs = self.lab.daemon.get("/api/v1/runs")
        body = os.urandom(1 << 16)
        digest = laboratory.hashlib.sha256(body).hexdigest()
        subprocess.run(["mount", "--bind", self.lab.state, self.lab.state], check=True)
        try:
            subprocess.run(["mount", "-o", "remount,bind,ro", self.lab.state], check=True)
            status, _, said = self.lab.daemon.submit({"model": self.lab.blobs["model.pte"], "device": "here", "runs": 1})
            self.assertEqual(status, 503, said)
            self.assertIn(b"ead-only file system", said)
            status, _, said = self.lab.daemon.request("GET", "/readyz")
            self.assertEqual(status, 503)
            self.assertIn(b"ead-only file system", said)
            self.assertRegex(self.lab.daemon.log_text(), "event=state_not_writable .*reason=.?Read-only file system")
            found = self.doctor()
            self.assertEqual(found["level"], "missing")
            self.assertIn("ead-only file system", found["text"])
            self.healthy()
            self.assertEqual(self.lab.daemon.get("/api/v1/runs"), runs)  # what is there can be read
            self.assertEqual(self.lab.daemon.request("PUT", f"/api/v1/blobs/{digest}", body)[0], 503)
        finally:
            subprocess.run(["umount", "-l", self.lab.state], check=True)
        self.assertEqual(self.lab.daemon.wait(self.lab.submit("here", 1))["state"], "done")
        self.assertEqual(self.lab.daemon.request("GET", "/readyz")[0], 200)
        self.assertIn("event=state_writable_again", self.lab.daemon.log_text())
        self.assertEqual(self.doctor()["level"], "ok")
        self.assertIn(self.lab.daemon.request("PUT", f"/api/v1/blobs/{digest}", body)[0], (200, 201, 204))

    def test_an_upload_that_fills_the_disk_is_in_nobodys_way(self):
        self.fill(2 << 20)
        body = os.urandom(6 << 20)
        self.put_refused(laboratory.hashlib.sha256(body).hexdigest(), body)
        self.assertEqual([name for name in os.listdir(pathlib.Path(self.lab.state) / "blobs") if name.endswith(".part")], [])
        self.lab.daemon.wait(self.lab.submit("here", 1))

    def test_a_daemon_that_is_killed_on_a_full_disk_goes_on_when_there_is_room(self):
        job = self.lab.submit("here", cases.LONG_RUNS)
        await_begun(self.lab, job)
        self.fill(0)
        time.sleep(0.3)
        self.lab.daemon.kill()
        self.empty()
        self.lab.daemon.start()
        record = self.lab.daemon.wait(job)
        self.assertTrue(record["state"] == "done" or record["detail"], record)
        self.assertEqual(self.lab.daemon.wait(self.lab.submit("here", 10))["state"], "done")


class Clock(unittest.TestCase):
    def setUp(self):
        lab.need(SHIM)
        holder = tempfile.NamedTemporaryFile("w", prefix="slf-clock-")
        self.addCleanup(holder.close)
        self.file = pathlib.Path(holder.name)
        self.set_ahead(0)
        self.lab = laboratory.Laboratory(shim={"LD_PRELOAD": str(SHIM), "SL_CLOCK_AHEAD": str(self.file)})
        self.addCleanup(self.lab.close)

    def set_ahead(self, seconds):
        self.file.write_text(str(seconds))

    def test_days_forward_and_back_lose_no_job_and_change_no_order(self):
        undisturbed = cases.run_undisturbed(self.lab, "here", cases.MORE_RUNS)
        jobs = [self.lab.submit("here", cases.MORE_RUNS)]
        for days in (1, -1, 30, 0):
            time.sleep(0.4)
            self.set_ahead(days * DAY_SECONDS)
            jobs.append(self.lab.submit("here", cases.MORE_RUNS))  # looks at the clock, whatever else happens
        records = [self.lab.daemon.wait(job) for job in jobs]
        for record in records:
            self.assertEqual((record["state"], record["attempts"]), ("done", 1), record)
            self.assertEqual(laboratory.digest(self.lab.etdumps(record)), undisturbed["digest"])
        runs = [record["run"] for record in records]
        self.assertEqual(runs, sorted(runs))
        listed = [run["id"] for run in self.lab.daemon.get("/api/v1/runs")["runs"]]
        self.assertEqual(listed, sorted(listed, reverse=listed[0] > listed[-1]))
        self.assertIn("event=clock_jumped", self.lab.daemon.log_text())

    def test_a_daemon_that_starts_on_another_day_goes_on_with_its_jobs(self):
        for days in (1, -2):
            job = self.lab.submit("here", cases.MORE_RUNS)
            await_begun(self.lab, job)
            self.lab.daemon.kill()
            self.set_ahead(days * DAY_SECONDS)
            self.lab.daemon.start()
            record = self.lab.daemon.wait(job)
            self.assertEqual((record["state"], record["attempts"]), ("done", 1), record)


if __name__ == "__main__":
    if not lab.in_a_namespace():
        Disk = unittest.skip("this system lets nobody mount in a namespace of his own")(Disk)
    lab.main()
