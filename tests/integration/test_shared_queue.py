"""Two real daemons on one real PostgreSQL: their jobs end once, whoever is killed: a daemon, its connections, the server.

    test_shared_queue.py             a few kills, as the gate does
    test_shared_queue.py KILLS       so many (scripts/test --long shared-queue), with a ledger at the end"""

import random
import signal
import sys
import time

import lab
from daemon import NATIVE_AGENT, SME2LABD, Daemon

sys.path.insert(0, str(lab.ROOT / "tests/support"))
import postgres  # noqa: E402

TOY = lab.MODELS / "toy_cnn_f32_xnnpack"
GATE_KILLS, LEASE_SECONDS = 4, 2
kills = GATE_KILLS


def setUpModule():
    lab.need(SME2LABD, NATIVE_AGENT, lab.AGENT, lab.EMULATOR)


class TestSharedQueue(lab.Scratch):
    def setUp(self):
        super().setUp()
        if not postgres.programs():
            self.skipTest(postgres.MISSING)
        self.server = postgres.Server()
        self.addCleanup(self.server.close)
        self.random = random.Random(7)
        self.daemons = [self.daemon(name) for name in ("a", "b")]
        self.blobs = {}
        for daemon in self.daemons:
            self.enterContext(daemon)
            self.blobs = {"model": daemon.put_blob(TOY / "model.pte")}

    def daemon(self, name):
        folder = self.scratch / name
        folder.mkdir()
        config = {"store": self.server.url(), "lease_seconds": LEASE_SECONDS, "devices": [{"name": name, "kind": "emulated"}]}
        return Daemon(folder / "state", config)

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
        limit = time.monotonic() + seconds
        while self.count("SELECT count(*) FROM jobs WHERE state < 2") > 0:
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


if __name__ == "__main__":
    if len(sys.argv) == 2 and sys.argv[1].isdigit():
        kills = int(sys.argv.pop())
    lab.main()
