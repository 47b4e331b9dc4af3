"""Two real daemons on one real PostgreSQL: their jobs end once, whoever is killed: a daemon, its connections, the server.

    test_shared_queue.py             a few kills, as the gate does
    test_shared_queue.py KILLS [TEST]...  so many (scripts/test --long shared-queue), with a ledger at the end; or these tests alone

SL_LEASE_SECONDS: the daemons' leases, 2 unless said otherwise."""

import http.client
import json
import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time

import lab
import test_tcp_link as board
from daemon import NATIVE_AGENT, SME2LABD, Daemon

sys.path.insert(0, str(lab.ROOT / "tests/support"))
import postgres  # noqa: E402

TOY = lab.MODELS / "toy_cnn_f32_xnnpack"
GATE_KILLS, LEASE_SECONDS, LONG_LEASE_SECONDS, LOADED_LEASE_SECONDS = 4, int(os.environ.get("SL_LEASE_SECONDS", 2)), 6, 20
TEST_SECONDS = 300
kills = GATE_KILLS


def setUpModule():
    lab.need(SME2LABD, NATIVE_AGENT, lab.AGENT, lab.EMULATOR)


class Shared(lab.Scratch):
    def setUp(self):
        super().setUp()
        if not postgres.programs():
            self.skipTest(postgres.MISSING)
        self.server = postgres.Server()
        self.addCleanup(self.server.close)


class TestSharedQueue(Shared):
    def setUp(self):
        super().setUp()
        self.random = random.Random(7)
        self.daemons = [self.daemon(name) for name in ("a", "b")]
        self.blobs = {}
        for daemon in self.daemons:
            daemon.damaged = self.damaged
            self.enterContext(daemon)
            self.blobs = {"model": daemon.put_blob(TOY / "model.pte")}

    def daemon(self, name):
        folder = self.scratch / name
        folder.mkdir()
        config = {"store": self.server.url(), "lease_seconds": LEASE_SECONDS, "devices": [{"name": name, "kind": "emulated"}]}
        daemon = Daemon(folder / "state", config)
        daemon.words = [*lab.ENDS_WITH_TEST, *daemon.words]
        return daemon

    def submit(self, number):
        """Until somebody says that it is there: with its key it is one job, whatever was lost."""
        body = {"model": self.blobs["model"], "runs": 1, "warmup": 0}
        while True:
            try:
                status, _, answer = self.daemons[number % 2].submit(body, key=f"job-{number}")
            except OSError:
                status = 0
            if status in (200, 201):
                return
            if status in (400, 404, 409, 422):
                raise AssertionError(answer)
            time.sleep(0.1)
            self.revive()

    def revive(self):
        for daemon in self.daemons:
            if daemon.process.poll() is not None:
                daemon.start()

    def hurt(self):
        what = self.random.randrange(4)
        if what < 2:
            self.daemons[what].kill()
            time.sleep(self.random.choice((0, 1.5 * LEASE_SECONDS)))  # back at once, or after the other has taken over
            self.daemons[what].start()
        elif what == 2:
            self.server.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = 'sme2lab'",
                            user="postgres")
        else:
            self.server.stop(signal.SIGQUIT)
            time.sleep(self.random.random())
            self.server.start()

    def count(self, sql):
        return int(self.server.sql(sql)[0][0])

    def await_ends(self, submitted, seconds):
        """One job at least must end in each stretch of `seconds`: of many the last ends late."""
        left, limit = submitted + 1, 0
        while now := self.count("SELECT count(*) FROM jobs WHERE state < 2"):
            if now < left:
                left, limit = now, time.monotonic() + seconds
            self.assertLess(time.monotonic(), limit, self.server.sql("SELECT id, state, attempts, host, device, detail FROM jobs WHERE state < 2"))
            time.sleep(0.2)
        self.assertEqual(self.count("SELECT count(*) FROM jobs"), submitted)

    def test_every_job_ends_once_whoever_is_killed(self):
        submitted = 0
        for _ in range(kills):
            for _ in range(2):
                self.submit(submitted)
                submitted += 1
            time.sleep(self.random.random())
            self.hurt()
        self.await_ends(submitted, 120)
        done = self.count("SELECT count(*) FROM jobs WHERE state = 2")
        ledger = {"submitted": submitted, "done": done, "failed": self.count("SELECT count(*) FROM jobs WHERE state > 2"),
                  "attempts": self.count("SELECT count(*) FROM attempts"), "runs": self.count("SELECT count(*) FROM runs")}
        print("shared queue:", kills, "kills,", ", ".join(f"{value} {name}" for name, value in ledger.items()))
        self.assertEqual(self.count("SELECT count(*) FROM (SELECT job FROM runs GROUP BY job HAVING count(*) > 1) AS twice"), 0)
        self.assertEqual(self.count("SELECT count(*) FROM jobs WHERE state = 2 AND NOT EXISTS (SELECT 1 FROM runs WHERE runs.id = jobs.run)"), 0)
        self.assertEqual(self.count("SELECT count(*) FROM jobs WHERE state = 3 AND cause <> 3"), 0)  # what failed, the lab did, by name
        self.assertGreater(done, 0)  # one that is hurt in each of its attempts fails
        self.assertEqual(self.count("SELECT count(DISTINCT host) FROM attempts"), 2)
        kept = [f"/{directory}" for (directory,) in self.server.sql("SELECT directory FROM runs")]
        self.damaged.update(folder for folder in lab.run_directories(self.scratch) if not str(folder).endswith(tuple(kept)))
        self.assertLessEqual(len(self.damaged), ledger["attempts"] - ledger["runs"])  # attempts that were cut off: no row shows them

    def test_a_job_of_a_host_that_died_goes_to_the_other_within_its_lease(self):
        body = {"model": self.blobs["model"], "runs": 1000000, "device": "a"}
        answer = self.daemons[0].submit(body)
        self.assertEqual(answer[0], 201, answer[2])
        limit = time.monotonic() + 60
        while self.count("SELECT count(*) FROM jobs WHERE state = 1") == 0:
            self.assertLess(time.monotonic(), limit)
            time.sleep(0.05)
        seen = {host["name"]: host for host in self.daemons[1].get("/api/v1/hosts")["hosts"]}
        self.assertEqual(sorted((host["here"], host["alive"]) for host in seen.values()), [(False, True), (True, True)])
        while {device["name"] for device in self.daemons[1].get("/api/v1/devices")["devices"]} != {"a", "b"}:
            self.assertLess(time.monotonic(), limit)
            time.sleep(0.05)
        self.daemons[0].kill()
        since = time.monotonic()
        while self.count("SELECT count(*) FROM jobs WHERE state = 0 AND attempts = 1") == 0:
            self.assertLess(time.monotonic() - since, 20 * LEASE_SECONDS)
            time.sleep(0.05)
        print(f"shared queue: failover after {time.monotonic() - since:.1f} s with leases of {LEASE_SECONDS} s")
        self.assertIn("not heard of", self.server.sql("SELECT detail FROM jobs")[0][0])
        self.daemons[1].request("DELETE", "/api/v1/jobs/1")
        self.await_ends(1, 60)
        self.daemons[0].start()


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


class TestApartHosts(Shared):
    """State directories of their own: what a host lacks, it has from the other."""

    def setUp(self):
        super().setUp()
        self.limit_time(TEST_SECONDS)
        self.ports = {"a": free_port(), "b": free_port()}
        self.a, self.b = (self.enterContext(self.daemon(name)) for name in ("a", "b"))
        self.await_true(lambda: all(len([host for host in daemon.get("/api/v1/hosts")["hosts"] if host["alive"] and host["url"]]) == 2
                                    for daemon in (self.a, self.b)))
        time.sleep(LEASE_SECONDS)  # each has heard of the other by its own beat

    def daemon(self, name):
        """a says where it is reached in its configuration, b on its command line."""
        folder = self.scratch / name
        folder.mkdir()
        url = f"http://127.0.0.1:{self.ports[name]}"
        config = {"store": self.server.url(), "lease_seconds": LEASE_SECONDS, "devices": [{"name": name, "kind": "emulated"}],
                  "listen": [f"unix:{folder}/state/sme2labd.sock", f"tcp:127.0.0.1:{self.ports[name]}"]}
        daemon = Daemon(folder / "state", config | ({"peers": {"url": url}} if name == "a" else {}))
        daemon.words = [*lab.ENDS_WITH_TEST, *daemon.words, *(["--peer-url", url] if name == "b" else [])]
        return daemon

    def await_true(self, condition, seconds=60):
        limit = time.monotonic() + seconds
        while not condition():
            self.assertLess(time.monotonic(), limit)
            time.sleep(0.1)

    def run_on_b(self):
        """Sent to a, with a file that b has not got."""
        model = self.a.put_blob(TOY / "model.pte")
        status, _, answer = self.a.submit({"model": model, "runs": 1, "warmup": 0, "device": "b"})
        self.assertEqual(status, 201, answer)
        job = json.loads(answer)["id"]
        self.await_true(lambda: self.a.get(f"/api/v1/jobs/{job}")["state"] not in ("queued", "running"))
        done = self.a.get(f"/api/v1/jobs/{job}")
        self.assertEqual((done["state"], done["attempts"], done["device"]), ("done", 1, "b"), done)
        return model, done["run"]

    def test_a_job_has_its_files_and_everybody_its_results(self):
        model, run = self.run_on_b()
        self.assertEqual((self.b.state / "blobs" / model).read_bytes(), (TOY / "model.pte").read_bytes())
        self.assertFalse(list((self.a.state / "runs").glob("*/*")) if (self.a.state / "runs").exists() else [])
        files = self.b.get(f"/api/v1/runs/{run}/files")
        self.assertEqual(self.a.get(f"/api/v1/runs/{run}/files"), files)
        for file in files["files"]:
            path = f"/api/v1/runs/{run}/files/{file['path']}"
            direct, relayed = self.b.request("GET", path), self.a.request("GET", path)
            self.assertEqual((relayed[0], relayed[2]), (200, direct[2]), path)
            self.assertEqual(len(relayed[2]), file["bytes"])
            for name in ("etag", "content-type", "content-length", "accept-ranges"):
                self.assertEqual(relayed[1].get(name), direct[1].get(name), path)
        path = f"/api/v1/runs/{run}/files/trace.sltrace"
        whole, tag = self.b.request("GET", path)[2], self.b.request("HEAD", path)[1]["etag"]
        status, headers, part = self.a.request("GET", path, headers={"Range": "bytes=3-9"})
        self.assertEqual((status, part, headers["content-range"]), (206, whole[3:10], f"bytes 3-9/{len(whole)}"))
        self.assertEqual(self.a.request("GET", path, headers={"Range": f"bytes={len(whole)}-"})[0], 416)
        self.assertEqual(self.a.request("GET", path, headers={"If-None-Match": tag})[::2], (304, b""))
        status, headers, nothing = self.a.request("HEAD", path)
        self.assertEqual((status, headers["content-length"], nothing), (200, str(len(whole)), b""))
        for wrong in ("files/none", "files/../../../etc/passwd", "files/%2e%2e/x"):
            self.assertIn(self.a.request("GET", f"/api/v1/runs/{run}/{wrong}")[0], (400, 404), wrong)
        self.server.sql("UPDATE hosts SET url = 'http://127.0.0.1:1'")
        self.b.kill()
        self.await_true(lambda: self.a.request("GET", path)[0] == 503)
        problem = json.loads(self.a.request("GET", path)[2])
        self.assertIn("host-away", problem["type"])
        self.b.start()
        self.await_true(lambda: self.a.request("GET", path)[2] == whole)

    def test_runs_of_two_hosts_are_compared_where_it_is_asked(self):
        model, there = self.run_on_b()
        status, _, answer = self.a.submit({"model": model, "runs": 1, "warmup": 0, "device": "a"})
        self.assertEqual(status, 201, answer)
        here = self.a.wait(json.loads(answer)["id"])["run"]
        for path in (f"/api/v1/compare?baseline={here}&candidate={there}", f"/api/v1/compare?baseline={there}&candidate={there}",
                     f"/api/v1/combined?runs={there},{here}"):
            ours, theirs = self.a.get(path), self.b.get(path)
            self.assertEqual(ours, theirs, path)
            self.assertTrue(ours["schema"].startswith("sme2lab."), path)
            for daemon in (self.a, self.b):
                self.assertEqual(list(daemon.state.glob("imports/*")), [], path)

        def compare():
            words = [lab.SME2LAB, "compare", str(here), str(there), "--json", "--server", f"unix:{self.a.state}/sme2labd.sock"]
            return subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)

        path = f"/api/v1/compare?baseline={here}&candidate={there}"
        told = json.loads(compare().stdout)
        self.assertEqual(told, self.a.get(path))
        self.server.sql("UPDATE hosts SET url = 'http://127.0.0.1:1'")
        self.b.kill()
        self.await_true(lambda: self.a.request("GET", path)[0] == 503)
        problem = json.loads(self.a.request("GET", path)[2])
        self.assertIn("host-away", problem["type"])
        away = compare()
        self.assertNotEqual(away.returncode, 0)
        self.assertIn("he files are on host", away.stderr)
        self.b.start()

    def test_files_are_for_hosts_and_administrators_alone(self):
        model = self.a.put_blob(TOY / "model.pte")

        def ask(token):
            headers = {"Authorization": f"Bearer {token}"} if token else {}
            connection = http.client.HTTPConnection("127.0.0.1", self.ports["a"], timeout=60)
            self.addCleanup(connection.close)
            connection.request("GET", f"/api/v1/blobs/{model}", headers=headers)
            answer = connection.getresponse()
            return answer.status, answer.read()

        def token(scopes):
            body = json.dumps({"name": scopes, "scopes": scopes})
            return json.loads(self.a.request("POST", "/api/v1/tokens", body, {"Content-Type": "application/json"})[2])["token"]

        self.assertEqual([ask(None)[0], ask("sl_" + 64 * "0")[0], ask(token("read,submit"))[0]], [401, 401, 403])
        self.assertEqual(ask(token("admin")), (200, (TOY / "model.pte").read_bytes()))
        self.assertEqual(self.a.request("GET", "/api/v1/blobs/" + 64 * "0")[0], 404)
        self.assertEqual(self.a.request("GET", "/api/v1/blobs/x")[0], 422)

    def test_a_job_whose_file_nobody_has_fails_with_its_name_after_it_rested(self):
        model = self.a.put_blob(TOY / "model.pte")
        self.b.kill()
        status, _, answer = self.a.submit({"model": model, "runs": 1, "warmup": 0, "device": "b"})
        self.assertEqual(status, 201, answer)
        (self.a.state / "blobs" / model).unlink()
        self.b.start()
        self.await_true(lambda: self.a.get("/api/v1/jobs/1")["state"] == "failed", 120)
        failed = self.a.get("/api/v1/jobs/1")
        self.assertEqual((failed["cause"], failed["attempts"]), ("lab", 3), failed)
        begun = [int(row[0]) for row in self.server.sql("SELECT started_ms FROM attempts ORDER BY number")]
        self.assertGreaterEqual(begun[1] - begun[0], 2000)
        self.assertGreaterEqual(begun[2] - begun[1], 8000)


class TestAfterDeath(Shared):
    """What a host had measured when it died is had by another one, and not measured again."""

    def setUp(self):
        super().setUp()
        self.limit_time(TEST_SECONDS)

    def host(self, name, *devices, shared=None, lease=LEASE_SECONDS):
        folder = self.scratch / name
        (folder / "state").mkdir(parents=True)
        if shared:
            (folder / "state/runs").mkdir()
            subprocess.run(["mount", "--bind", shared, folder / "state/runs"], check=True)
            self.addCleanup(subprocess.run, ["umount", "-q", folder / "state/runs"], check=False)
        config = {"store": self.server.url(), "lease_seconds": lease, "devices": list(devices)}
        daemon = Daemon(folder / "state", config, program=board.ORDINAL_LAB, env={"SME2LAB_NATIVE_AGENT": str(NATIVE_AGENT)})
        daemon.words = [*lab.ENDS_WITH_TEST, *daemon.words]
        self.addCleanup(lambda: daemon.process and daemon.__exit__(ValueError))
        return daemon

    def await_true(self, condition, seconds=60):
        limit = time.monotonic() + seconds
        while not condition():
            self.assertLess(time.monotonic(), limit)
            time.sleep(0.02)

    def submit(self, daemon, device, runs):
        """On any device where it is None."""
        model = daemon.put_blob(TOY / "model.pte")
        status, _, answer = daemon.submit({"model": model, "runs": runs} | ({"device": device} if device else {}))
        self.assertEqual(status, 201, answer)
        return json.loads(answer)["id"]

    def attempts(self):
        return self.server.sql("SELECT number, host, cause, run, detail FROM attempts ORDER BY number")

    def test_another_host_collects_what_the_device_went_on_with(self):
        agent = board.Agent(self.scratch, NATIVE_AGENT)
        self.addCleanup(agent.close)
        device = board.board(agent.port, agent.secret)
        a, b = (self.host(name, device) for name in ("a", "b"))
        a.start()
        job = self.submit(a, "board", 1000)
        self.await_true(lambda: any(path.stat().st_size > 1024 for path in agent.workdir.glob("jobs/*/trace")))
        a.kill()
        b.start()
        b.put_blob(TOY / "model.pte")
        done = b.wait(job, 240)
        self.assertEqual((done["state"], done["attempts"]), ("done", 2), done)
        self.assertIn("not heard of", done["detail"])
        first, second = self.attempts()
        self.assertEqual((first[2], first[3], second[2]), ("3", "0", "0"), (first, second))
        self.assertIn("has no whole run", first[4])
        self.assertIn("event=result_collected", b.log_text())
        (run,) = b.get("/api/v1/runs")["runs"]
        (ran,) = self.scratch.glob("b/state/runs/*/*/trace.sltrace")
        self.assertEqual(json.loads((ran.parent / "streams/end.json").read_text())["attempt"], 2)
        submitted = int(self.server.sql("SELECT submitted_ms FROM jobs")[0][0])
        self.assertLess(run["started_ms"], int(self.server.sql("SELECT started_ms FROM attempts WHERE number = 2")[0][0]))
        self.assertGreaterEqual(run["started_ms"], submitted)
        self.await_true(lambda: not list((agent.workdir / "jobs").iterdir()))  # it had the one run, and may forget it

    def test_a_host_that_has_another_device_leaves_the_job_to_the_one_that_has_its_device(self):
        agent = board.Agent(self.scratch, NATIVE_AGENT)
        self.addCleanup(agent.close)
        device = board.board(agent.port, agent.secret)
        a, b = (self.host(name, device, lease=LOADED_LEASE_SECONDS) for name in ("a", "b"))
        c = self.host("c", {"name": "there", "kind": "local"}, lease=LOADED_LEASE_SECONDS)
        a.start()
        job = self.submit(a, None, 1000)
        self.await_true(lambda: any(path.stat().st_size > 1024 for path in agent.workdir.glob("jobs/*/trace")))
        c.start()
        c.put_blob(TOY / "model.pte")
        self.await_true(lambda: [device["state"] for device in c.get("/api/v1/devices")["devices"] if device["name"] == "there"] == ["ready"])
        a.kill()
        b.start()
        b.put_blob(TOY / "model.pte")
        left = "SELECT lease_until_ms - 1000 * extract(epoch FROM clock_timestamp()) FROM jobs WHERE state = 1"

        def left_seconds():
            return float(self.server.sql(left)[0][0]) / 1000

        self.assertGreater(left_seconds(), 2)  # else b was not started within the lease of a
        self.await_true(lambda: left_seconds() < 2)
        b.process.send_signal(signal.SIGSTOP)  # so c puts the job back, before b's last beat is a lease ago
        self.await_true(lambda: self.server.sql("SELECT 1 FROM attempts WHERE cause = 3"))
        b.process.send_signal(signal.SIGCONT)
        done = b.wait(job, 240)
        self.assertEqual((done["state"], done["attempts"], done["device"]), ("done", 2, "board"), done)
        self.assertIn("event=job_taken_over", c.log_text())
        self.assertIn("event=result_collected", b.log_text())

    def two_hosts(self, lease=LEASE_SECONDS):
        """Their directory of runs, the host that has a device, and one that has none."""
        if os.geteuid() != 0:
            self.skipTest("mounting a directory takes root")
        shared = self.scratch / "shared"
        shared.mkdir()
        a = self.host("a", {"name": "here", "kind": "local"}, shared=shared, lease=lease)
        return shared, a, self.host("b", shared=shared, lease=lease)

    def mend(self, daemon):
        return daemon.request("POST", "/api/v1/store/check", "{}", {"Content-Type": "application/json"})[0]

    def hold_runs(self):
        """No run is stored until this connection is ended."""
        with self.assertRaises(RuntimeError):
            self.server.sql("BEGIN; LOCK TABLE runs IN EXCLUSIVE MODE; SELECT pg_sleep(600)")

    def test_another_host_stores_the_whole_run_of_a_shared_directory(self):
        """A third one that has not got the directory leaves the job to it."""
        shared, a, b = self.two_hosts(LONG_LEASE_SECONDS)
        c = self.host("c", {"name": "there", "kind": "local"}, lease=LONG_LEASE_SECONDS)
        for daemon in (a, c, b):  # so their beats come in this order
            daemon.start()
        waits = threading.Thread(target=self.hold_runs)
        waits.start()
        self.await_true(lambda: self.server.sql("SELECT 1 FROM pg_locks WHERE mode = 'ExclusiveLock' AND relation = 'runs'::regclass AND granted"))
        job = self.submit(a, "here", 3)
        self.await_true(lambda: list(shared.glob("*/*/streams/end.json")))
        a.kill()
        self.server.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = 'sme2lab' "
                        "AND (wait_event_type = 'Lock' OR query LIKE '%pg_sleep%')", user="postgres")
        waits.join()
        self.assertEqual(self.server.sql("SELECT state, (SELECT count(*) FROM runs) FROM jobs"), [["1", "0"]])
        done = b.wait(job)
        self.assertEqual((done["state"], done["attempts"], done["device"]), ("done", 1, "here"), done)
        (attempt,) = self.attempts()
        self.assertEqual((attempt[2], attempt[3]), ("0", str(done["run"])), attempt)
        files = b.get(f"/api/v1/runs/{done['run']}/files")["files"]
        self.assertIn("trace.sltrace", [file["path"] for file in files])
        self.assertIn("event=run_taken_over", b.log_text())
        a.start()
        self.await_true(lambda: "event=job_lost_to_another_host" in a.log_text() or not list(self.scratch.glob("a/state/agents/here/open")))
        self.assertEqual(self.server.sql("SELECT state, attempts, (SELECT count(*) FROM runs) FROM jobs"), [["2", "1", "1"]])
        self.assertEqual(len([path for path in shared.glob("*/*-1")]), 1)

    def test_an_open_run_goes_on_after_a_start_that_was_refused_for_want_of_its_directory(self):
        shared = self.two_hosts()[0]
        agent = board.Agent(self.scratch, NATIVE_AGENT)
        self.addCleanup(agent.close)
        c = self.host("c", board.board(agent.port, agent.secret), shared=shared)
        c.start()
        job = self.submit(c, "board", 1000)
        self.await_true(lambda: any(path.stat().st_size > 1024 for path in agent.workdir.glob("jobs/*/trace")))
        c.kill()
        subprocess.run(["umount", c.state / "runs"], check=True)
        with self.assertRaisesRegex(AssertionError, "'runs' in it is not the directory that host"):
            c.start()
        self.assertTrue((c.state / "agents/board/open").exists())
        subprocess.run(["mount", "--bind", shared, c.state / "runs"], check=True)
        c.start()
        done = c.wait(job, 240)
        self.assertEqual((done["state"], done["attempts"]), ("done", 1), done)

    def test_no_job_begins_while_the_directory_of_runs_is_away(self):
        shared, a, _ = self.two_hosts()
        a.start()
        a.put_blob(TOY / "model.pte")
        subprocess.run(["umount", "--lazy", a.state / "runs"], check=True)
        job = self.submit(a, "here", 3)
        self.await_true(lambda: "no job begins until" in a.log_text())
        self.assertEqual(self.server.sql("SELECT state, attempts FROM jobs"), [["0", "0"]])
        self.assertEqual(list((a.state / "runs").iterdir()), [])
        subprocess.run(["mount", "--bind", shared, a.state / "runs"], check=True)
        done = a.wait(job)
        self.assertEqual((done["state"], done["attempts"]), ("done", 1), done)
        self.await_true(lambda: "event=state_directory_back" in a.log_text())
        self.assertTrue(list(shared.glob(f"*/*-{job}/trace.sltrace")))

    def test_a_run_under_way_writes_nothing_where_its_directory_was(self):
        """Its result stays on the device, and is collected when the directory is back. Without that of blobs alone the run ends, and is
        stored when it is back."""
        shared = self.two_hosts()[0]
        agent = board.Agent(self.scratch, NATIVE_AGENT)
        self.addCleanup(agent.close)
        c = self.host("c", board.board(agent.port, agent.secret), shared=shared)
        c.start()
        for name in ("runs", "blobs"):
            job = self.submit(c, "board", 1000)
            self.await_true(lambda: any(path.stat().st_size > 1024 for path in agent.workdir.glob("jobs/*/trace")))
            if name == "runs":
                subprocess.run(["umount", "--lazy", c.state / "runs"], check=True)
            else:
                subprocess.run(["mount", "-t", "tmpfs", "none", c.state / "blobs"], check=True)
                self.addCleanup(subprocess.run, ["umount", "-q", c.state / "blobs"], check=False)
            self.await_true(lambda: c.request("GET", "/readyz")[0] == 503)
            self.assertIn(f"{name}-gone", c.request("GET", "/readyz")[2].decode())
            ended = {"runs": lambda: self.server.sql(f"SELECT 1 FROM attempts WHERE job = {job} AND cause = 3"),
                     "blobs": lambda: list(shared.glob(f"*/*-{job}/streams/end.json"))}[name]
            self.await_true(ended, 240)
            self.assertEqual(c.request("PUT", f"/api/v1/blobs/{64 * '0'}", "x")[0], 503)
            self.assertEqual(list((c.state / name).iterdir()), [])
            if name == "runs":
                subprocess.run(["mount", "--bind", shared, c.state / "runs"], check=True)
            else:
                subprocess.run(["umount", c.state / "blobs"], check=True)
            done = c.wait(job, 240)
            self.assertEqual((done["state"], done["attempts"]), ("done", 2 if name == "runs" else 1), done)
            self.assertEqual(c.log_text().count("event=result_collected"), 1)
            self.await_true(lambda: not list((agent.workdir / "jobs").iterdir()))  # acknowledged at last

    def test_hosts_of_one_directory_keep_each_others_runs_and_do_not_begin_without_it(self):
        shared, a, b = self.two_hosts()
        a.start()
        b.start()
        self.await_true(lambda: len(b.get("/api/v1/hosts")["hosts"]) == 2)
        done = a.wait(self.submit(a, "here", 3))
        self.assertEqual(done["state"], "done", done)
        self.assertEqual([found for found in b.get("/api/v1/store/check")["findings"] if found["kind"] != "lost-figures"], [])
        owner = self.server.sql("SELECT host FROM runs")
        self.assertEqual(self.mend(b), 200)
        self.assertEqual(self.server.sql("SELECT host FROM runs"), owner)  # a lives, and keeps it
        self.assertEqual(b.request("DELETE", f"/api/v1/runs/{done['run']}")[0], 204)
        self.await_true(lambda: not list(shared.glob("*-*/*-1")))
        self.assertEqual(a.request("GET", f"/api/v1/runs/{done['run']}")[0], 404)
        b.terminate()
        subprocess.run(["umount", b.state / "runs"], check=True)
        with self.assertRaisesRegex(AssertionError, "'runs' in it is not the directory that host"):
            b.start()
        subprocess.run(["mount", "--bind", shared, b.state / "runs"], check=True)
        b.start()
        subprocess.run(["umount", "--lazy", b.state / "runs"], check=True)
        self.assertEqual(self.mend(b), 503)
        status, _, why = b.request("GET", "/readyz")
        self.assertEqual((status, json.loads(why)["type"]), (503, "urn:sme2lab:problem:runs-gone"))
        kept = a.wait(self.submit(a, "here", 3))["run"]
        status, _, why = b.request("DELETE", f"/api/v1/runs/{kept}")
        self.assertEqual((status, json.loads(why)["type"]), (503, "urn:sme2lab:problem:runs-gone"))
        self.assertIn("event=state_directory_gone", b.log_text())
        b.terminate()
        (shared / ".sme2lab").write_text(f"{32 * '0'} {16 * '0'}\n")
        a.terminate()
        with self.assertRaisesRegex(AssertionError, "the directory is another store's"):
            a.start()


if __name__ == "__main__":
    if len(sys.argv) >= 2 and sys.argv[1].isdigit():
        kills = int(sys.argv.pop(1))
    lab.main()
