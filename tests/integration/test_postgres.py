"""A store on a real PostgreSQL server: runs, questions and checks; servers and connections that go while a daemon works; refusals."""

import contextlib
import json
import random
import re
import signal
import socket
import subprocess
import sys
import threading
import time

import lab
from daemon import SME2LABD, Daemon

sys.path.insert(0, str(lab.ROOT / "tests/support"))

import postgres  # noqa: E402

TOY = lab.MODELS / "toy_cnn_f32_xnnpack"
COUNTED = {"devices": [{"name": "here", "kind": "counted"}], "agents_on_demand": True}


def setUpModule():
    lab.need(SME2LABD)
    if not postgres.programs():
        print(postgres.MISSING)
        sys.exit(77)


class Cutter:
    """Between a daemon and its server: connections that break when the answer to a commit is due."""

    def __init__(self, folder, server):
        self.folder, self.port = folder, server.port
        self.there = f"{server.root}/.s.PGSQL.{server.port}"
        self.cut, self.cuts = False, 0
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(f"{folder}/.s.PGSQL.{server.port}")
        self.listener.listen(16)
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                near = self.listener.accept()[0]
            except OSError:
                return
            far = socket.socket(socket.AF_UNIX)
            try:
                far.connect(self.there)
            except OSError:
                near.close()
                far.close()
                continue
            threading.Thread(target=self.carry, args=(near, far, True), daemon=True).start()
            threading.Thread(target=self.carry, args=(far, near, False), daemon=True).start()

    def carry(self, source, sink, to_server):
        try:
            while data := source.recv(65536):
                cut = to_server and self.cut and b"\0COMMIT\0" in data
                wait = random.choice((0, 0.01, 1)) if cut else 0  # before its answer, after it, or the daemon has another connection by then
                if cut:
                    self.cut = False
                    self.cuts += 1
                if wait == 1:
                    source.shutdown(socket.SHUT_RDWR)
                    time.sleep(wait)
                sink.sendall(data)
                if cut:
                    time.sleep(0.01 if wait else 0)
                    break
        except OSError:
            pass
        for end in (source, sink):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        source.close()  # the other thread closes the other end

    def close(self):
        self.listener.close()


class OnServer(lab.Scratch):
    """Each test's own server."""

    def setUp(self):
        super().setUp()
        self.server = postgres.Server(sync=False)
        self.addCleanup(self.server.close)

    def daemon(self, url, **more):
        return Daemon(self.scratch / "state", COUNTED | {"store": url} | more)

    def submit(self, daemon, model, label, key=None):
        """True if a job that waits for weeks was accepted."""
        status, _, body = daemon.submit({"model": model, "labels": {"n": label}, "begin": "9w"}, key)
        if status in (200, 201, 202):
            return True
        self.assertIn(status, (500, 503), body)
        return False

    def labels(self):
        """How often each label is there."""
        found = {}
        for (config,) in self.server.sql("SELECT config FROM jobs"):
            label = json.loads(config)["labels"]["n"]
            found[label] = found.get(label, 0) + 1
        return found

    def cli(self, daemon, *words):
        return lab.sme2lab("--server", f"unix:{daemon.socket}", *words)

    def rows(self, daemon, sql):
        done = self.cli(daemon, "query", sql, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)["rows"]

    def test_runs_questions_and_checks_are_those_of_a_file(self):
        url = self.server.url(user="guarded", password="secret")
        self.server.sql("GRANT ALL ON SCHEMA public TO guarded", user="postgres")
        with self.daemon(url) as daemon:
            job = {"model": daemon.put_blob(TOY / "model.pte"), "runs": 2, "labels": {"commit": "abc"}}
            record = daemon.wait(json.loads(daemon.submit(job)[2])["id"])
            self.assertEqual(record["state"], "done", record)
            analysis = daemon.get(f"/api/v1/runs/{record['run']}/analysis")
            self.assertEqual(self.rows(daemon, "SELECT variant, unit, median FROM variants ORDER BY variant"),
                             [["off", "instructions", analysis["comparison"]["baseline"]["median_insns"]],
                              ["on", "instructions", analysis["comparison"]["candidate"]["median_insns"]]])
            self.assertEqual(self.rows(daemon, "SELECT key, value FROM labels"), [["commit", "abc"]])
            self.assertEqual(self.rows(daemon, "SELECT number, device, cause, run FROM attempts"), [[1, "here", 0, record["run"]]])
            example = re.search(r"```sql\n(.*?)```", (lab.ROOT / "host/store/README.md").read_text(), re.S).group(1)
            self.assertEqual(self.rows(daemon, example), [])
            self.assertEqual([run["model"] for run in daemon.get("/api/v1/runs")["runs"]], ["model"])
            self.assertEqual(json.loads(self.cli(daemon, "fsck", "--json").stdout)["findings"], [])
            for sql in ("DELETE FROM runs", "SELECT 1; SELECT 2", "SELEC", "WITH d AS (DELETE FROM runs RETURNING id) SELECT * FROM d",
                        "SELECT 1) AS q(c0); DELETE FROM runs; --", "SELECT nextval('runs_id_seq')"):
                self.assertEqual(self.cli(daemon, "query", sql).returncode, 2, sql)
            self.assertEqual(daemon.request("POST", "/api/v1/query", json.dumps({"sql": "SELECT pg_sleep(60)"}), {"Content-Type": "application/json"})[0], 422)
            daemon.terminate()
            daemon.start()
            self.assertEqual(daemon.get(f"/api/v1/runs/{record['run']}")["model"], "model")
            daemon.terminate()
            self.server.sql("DELETE FROM runs", user="postgres")  # lost rows of this host and this database
            daemon.start()
            self.assertEqual(self.cli(daemon, "fsck", "--mend").returncode, 0)
            self.assertEqual(self.rows(daemon, "SELECT id, model FROM runs"), [[record["run"], "model"]])
            self.assertNotIn("secret", daemon.log_text())
            self.assertNotIn("secret", daemon.request("GET", "/metrics")[2].decode())

    def test_who_may_only_read_reads_as_a_user_of_their_own(self):
        with self.daemon(self.server.url(), store_reader=self.server.url(user="reader"), listen=["unix:" + str(self.scratch / "state/sme2labd.sock"), "tcp:127.0.0.1:0"]) as daemon:
            token = self.scratch / "token"
            token.write_text(self.cli(daemon, "token", "add", "eyes", "--role", "read").stdout)
            port = re.findall(r"event=listening address=tcp:\S+ port=(\d+)", daemon.log_text())[-1]

            def ask(sql):
                return lab.sme2lab("--server", f"http://127.0.0.1:{port}", "--token-file", token, "query", sql, "--json")

            self.assertEqual(json.loads(ask("SELECT count(*) FROM jobs").stdout)["rows"], [[0]])
            for private in ("SELECT * FROM tokens", "SELECT idempotency_key FROM jobs", "SELECT * FROM audit", "SELECT query_to_xml('SELECT * FROM tokens', true, true, '')"):
                self.assertEqual(ask(private).returncode, 2, private)
        config = self.scratch / "owner_reads.json"
        config.write_text(json.dumps({"store": self.server.url(), "store_reader": self.server.url()}))
        self.assertRegex(self.refusal("--config", config), "CREATE ROLE")

    def test_lost_servers_and_connections_lose_and_double_nothing(self):
        (self.scratch / "cut").mkdir()
        cutter = Cutter(self.scratch / "cut", self.server)
        self.addCleanup(cutter.close)
        url = self.server.url().replace(f"host={self.server.root}", f"host={self.scratch / 'cut'}")
        accepted, ending, faults = [], threading.Event(), 0
        with self.daemon(url) as daemon:
            model = daemon.put_blob(TOY / "model.pte")

            def keep_submitting(name, keyed):
                for number in range(100000):
                    label = f"{name}-{number}"
                    done = ending.is_set()
                    while not done:
                        done = self.submit(daemon, model, label, label if keyed else None)
                        if done:
                            accepted.append(label)
                        done = done or not keyed or ending.is_set()  # the same key once more: it is safe

            threads = [threading.Thread(target=keep_submitting, args=words) for words in (("keyed", True), ("plain", False))]
            for thread in threads:
                thread.start()
            limit = time.monotonic() + 12
            while time.monotonic() < limit:
                how = faults % 4
                if how == 0:
                    self.server.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'sme2labd'", user="postgres")
                elif how < 3:
                    cutter.cut = True
                else:
                    self.server.stop(signal.SIGQUIT if faults % 8 == 3 else signal.SIGINT)
                    self.server.start()
                faults += 1
                time.sleep(0.3)
            ending.set()
            for thread in threads:
                thread.join()
            self.assertEqual(daemon.request("GET", "/readyz")[0], 200)
        self.assertGreater(cutter.cuts, 0)
        self.assertGreater(len(accepted), 20)
        stored = self.labels()
        self.assertEqual([label for label in accepted if stored.get(label) != 1], [], "accepted, and not there")
        self.assertEqual([label for label, count in stored.items() if count > 1], [], "doubled")

    def refusal(self, *words, code=5):
        done = subprocess.run([SME2LABD, "--state", self.scratch / "state", *words], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertNotIn("secret", done.stdout + done.stderr)
        return done.stderr

    def test_what_cannot_be_opened_is_refused_with_what_to_do(self):
        url = self.server.url
        self.assertRegex(self.refusal("--store", url(user="guarded", password="wrongsecret")), "password")
        self.assertRegex(self.refusal("--store", url(database="other")), "createdb")
        self.assertRegex(self.refusal("--store", "postgresql://u:secret@/d?host=/nowhere"), "start the server")
        self.assertRegex(self.refusal("--store", "mysql://u:secret@h/d", code=2), "sqlite:PATH")
        self.assertRegex(self.refusal("--store", url(), "backup", "/tmp/x", code=2), "pg_dump")
        self.assertRegex(self.refusal("--store", url(), "restore", "/tmp/x", code=2), "pg_restore")
        self.assertRegex(self.refusal("--store", url(), "--rebuild", code=2), "pg_dump")
        self.assertEqual(self.refusal("--store", url(), "--check-store", code=0), "")
        self.server.sql("CREATE TABLE jobs (x INT)")
        self.assertRegex(self.refusal("--store", url()), "of its own")
        self.server.sql("DROP TABLE jobs; CREATE TABLE store_version (one BIGINT PRIMARY KEY, number BIGINT); INSERT INTO store_version VALUES (1, 999)")
        self.assertRegex(self.refusal("--store", url()), "newer sme2labd")


if __name__ == "__main__":
    lab.main()
