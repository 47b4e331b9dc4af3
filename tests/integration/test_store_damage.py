"""A store whose files were damaged from outside: said in words, rows made again from the runs' directories, and no number of a lost job
is another's."""

import contextlib
import http.server
import json
import os
import sqlite3
import subprocess
import threading
import time

import lab
from daemon import NATIVE_AGENT, SME2LABD, Daemon

TOY = lab.MODELS / "toy_cnn_f32_xnnpack"


def setUpModule():
    lab.need(SME2LABD, NATIVE_AGENT, lab.AGENT, lab.EMULATOR)


def submit(daemon):
    return json.loads(daemon.submit({"model": daemon.put_blob(TOY / "model.pte"), "runs": 1})[2])["id"]


class TestStoreDamage(lab.Scratch):
    def test_a_cut_log_gives_no_number_twice(self):
        state = self.scratch / "state"
        with Daemon(state) as daemon:
            first = daemon.wait(submit(daemon))
            daemon.terminate()  # which moves all rows into the database
            daemon.start()
            second = daemon.wait(submit(daemon))
            daemon.kill()
            (state / "store.sqlite-wal").write_bytes(b"")
            daemon.start()
            self.assertIn("event=store_rows_lost jobs=1 runs=1", daemon.log_text())
            self.assertIn("event=rows_made_again runs=1", daemon.log_text())
            self.assertEqual(daemon.get(f"/api/v1/jobs/{second['id']}"), second)
            self.assertEqual([run["id"] for run in daemon.get("/api/v1/runs")["runs"]], [2, 1])
            third = daemon.wait(submit(daemon))
            self.assertEqual([job["id"] for job in (first, second, third)], [1, 2, 3])
            self.assertEqual([job["run"] for job in (first, second, third)], [1, 2, 3])

    def cli(self, daemon, *words):
        return lab.sme2lab("--server", f"unix:{daemon.socket}", *words)

    def await_true(self, is_so):
        limit = time.monotonic() + 60
        while not is_so():
            self.assertLess(time.monotonic(), limit)
            time.sleep(0.02)

    def doctor(self, daemon):
        rows = json.loads(self.cli(daemon, "--json", "doctor").stdout)["findings"]
        return next(row for row in rows if row["name"] == "store")

    def test_a_damaged_database_is_refused_with_words_and_made_again_when_asked(self):
        state = self.scratch / "state"
        with Daemon(state) as daemon:
            job = daemon.wait(submit(daemon))
            runs = daemon.get("/api/v1/runs")
            daemon.terminate()
            self.assertEqual(self.doctor(daemon)["level"], "ok")
            with open(state / "store.sqlite", "r+b") as database:
                database.seek(2 * 4096)
                database.write(b"\xa5" * 4096)
            with self.assertRaisesRegex(AssertionError, "(?s)the store is damaged.*--rebuild"):
                daemon.start()
            found = self.doctor(daemon)  # with nobody to ask
            self.assertEqual(found["level"], "missing")
            self.assertIn("the store is damaged", found["text"])
            self.assertIn("--rebuild", found["fix"])
            daemon.words.append("--rebuild")
            daemon.start()
            self.assertEqual(len(list(state.glob("store.sqlite.damaged-*"))), 1)
            self.assertEqual(daemon.get("/api/v1/runs"), runs)
            self.assertEqual(daemon.get(f"/api/v1/jobs/{job['id']}"), job)
            self.assertEqual(daemon.wait(submit(daemon))["id"], job["id"] + 1)
            daemon.terminate()
            daemon.start()  # a store that is well is left alone
            self.assertEqual(len(list(state.glob("store.sqlite.damaged-*"))), 1)

    def test_damage_under_a_running_daemon_is_said_and_gives_no_number_twice(self):
        state = self.scratch / "state"
        with Daemon(state) as daemon:
            job = daemon.wait(submit(daemon))
            model = daemon.put_blob(TOY / "model.pte")
            with contextlib.closing(sqlite3.connect(state / "store.sqlite")) as other:
                other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                other.execute("UPDATE runs SET id = id")  # so that the daemon reads pages anew
                other.commit()
                with open(state / "store.sqlite", "r+b") as database:
                    pages = database.seek(0, os.SEEK_END) - 4096
                    database.seek(4096)
                    database.write(b"\xa5" * pages)
                answers = {"jobs": daemon.request("GET", "/api/v1/jobs"), "submit": daemon.submit({"model": model, "runs": 1}),
                           "readyz": daemon.request("GET", "/readyz")}
                for name, (status, _, body) in answers.items():
                    self.assertEqual(status, 503, (name, body))  # it is not the request that is wrong
                    self.assertIn(b"the store cannot do its work: database disk image is malformed", body, name)
                    self.assertIn(b"--rebuild", body, name)
                self.assertEqual(daemon.request("GET", "/healthz")[0], 200)
                self.assertEqual(daemon.log_text().count("event=store_failing"), 1)
                found = self.doctor(daemon)
                self.assertEqual(found["level"], "missing")
                self.assertIn("malformed", found["text"])
                self.assertIn("--rebuild", found["fix"])
            daemon.terminate()
            daemon.words.append("--rebuild")
            daemon.start()
            self.assertEqual(daemon.request("GET", "/readyz")[0], 200)
            self.assertEqual(daemon.get(f"/api/v1/jobs/{job['id']}"), job)
            self.assertEqual(submit(daemon), job["id"] + 1)

    def test_a_damaged_page_of_a_large_database_is_said_by_a_daemon_that_serves(self):
        state = self.scratch / "state"
        with Daemon(state) as daemon:
            job = daemon.wait(submit(daemon))
            daemon.terminate()
            with contextlib.closing(sqlite3.connect(state / "store.sqlite")) as database:
                database.execute("CREATE TABLE ballast (bytes)")
                database.executemany("INSERT INTO ballast VALUES (zeroblob(?))", [(1 << 20,)] * 20)
                database.commit()
            daemon.start()
            self.await_true(lambda: "event=store_checked" in daemon.log_text())
            daemon.terminate()
            with open(state / "store.sqlite", "r+b") as database:
                database.seek(3000 * 4096)  # amid what nobody asks for
                database.write(b"\xa5" * 4)
            daemon.start("/healthz")
            self.await_true(lambda: daemon.request("GET", "/readyz")[0] == 503)
            body = daemon.request("GET", "/readyz")[2]
            self.assertIn(b"the store cannot do its work: the store is damaged", body)
            self.assertIn(b"--rebuild", body)
            self.assertEqual(daemon.log_text().count("event=store_failing"), 1)
            self.assertEqual(daemon.get(f"/api/v1/jobs/{job['id']}"), job)
            found = self.doctor(daemon)
            self.assertEqual(found["level"], "missing")
            self.assertIn("damaged", found["text"])
            daemon.terminate()
            daemon.words.append("--rebuild")
            daemon.start()
            self.assertEqual(len(list(state.glob("store.sqlite.damaged-*"))), 1)
            self.assertEqual(daemon.request("GET", "/readyz")[0], 200)
            self.assertEqual(daemon.get(f"/api/v1/jobs/{job['id']}"), job)

    def test_fsck_finds_what_was_lost_and_gc_frees_what_nothing_needs(self):
        state = self.scratch / "state"
        with Daemon(state) as daemon:
            job = daemon.wait(submit(daemon))
            runs = daemon.get("/api/v1/runs")
            self.assertIn("agree", self.cli(daemon, "fsck").stdout)
            daemon.terminate()
            with sqlite3.connect(state / "store.sqlite") as database:
                database.execute("DELETE FROM runs")
                database.execute("DELETE FROM jobs")
            database.close()
            attempt = state / "runs/2001-01-01/000000.000-77/streams"
            attempt.mkdir(parents=True)
            (attempt / "trace").write_bytes(b"12345")
            blob = state / "blobs" / ("5" * 64)
            blob.write_bytes(b"1234567")
            (state / "tasks").mkdir()
            answer = state / "tasks/76.json"
            answer.write_bytes(b"{}")
            for old in (attempt.parent, blob, answer, *state.glob("blobs/*")):
                os.utime(old, (1e9, 1e9))
            daemon.start()
            found = self.cli(daemon, "--json", "fsck")
            self.assertEqual(found.returncode, 5, found.stderr)
            kinds = [row["kind"] for row in json.loads(found.stdout)["findings"]]
            self.assertEqual(sorted(set(kinds)), ["dead-attempt", "lost-row", "task-answer", "unused-blob"])
            self.assertIn("lost", self.cli(daemon, "fsck").stdout)
            self.assertEqual(daemon.get("/api/v1/runs")["runs"], [])
            mended = self.cli(daemon, "fsck", "--mend")
            self.assertEqual(mended.returncode, 0, mended.stderr)
            self.assertIn("mended", mended.stdout)
            self.assertEqual(daemon.get("/api/v1/runs"), runs)
            self.assertEqual(daemon.get(f"/api/v1/jobs/{job['id']}"), job)
            would = json.loads(self.cli(daemon, "--json", "gc", "--older-than", "1d", "--dry-run").stdout)
            self.assertEqual((would["attempts"], would["blobs"]), (["runs/2001-01-01/000000.000-77"], ["5" * 64]))
            self.assertEqual(would["tasks"], ["tasks/76.json"])
            self.assertTrue(blob.exists() and attempt.exists() and answer.exists())
            done = self.cli(daemon, "gc", "--older-than", "1d")
            self.assertIn("1 directories of attempts without a run, 5 bytes, removed", done.stdout)
            self.assertIn("1 answers of tasks, 2 bytes, removed", done.stdout)
            self.assertIn("1 files that no job needs, 7 bytes, removed", done.stdout)
            self.assertFalse(blob.exists() or attempt.exists() or answer.exists())
            self.assertEqual(len(list(state.glob("blobs/*"))), 1)  # the run's model
            self.assertEqual(self.cli(daemon, "fsck").returncode, 0)

    def test_a_damaged_model_is_found_when_it_is_read_set_aside_and_uploaded_again(self):
        state = self.scratch / "state"
        with Daemon(state) as daemon:
            daemon.wait(submit(daemon))
            blob, = state.glob("blobs/*")
            whole = blob.read_bytes()
            self.assertIn(f"files of models and inputs read: 1, {len(whole)} bytes", self.cli(daemon, "fsck", "--data").stdout)
            blob.write_bytes(bytes([whole[0] ^ 1]) + whole[1:])
            self.assertEqual(self.cli(daemon, "fsck").returncode, 0)  # which reads none
            found = self.cli(daemon, "fsck", "--data")
            self.assertEqual(found.returncode, 5, found.stderr)
            self.assertRegex(found.stdout, rf"damaged-blob .* {len(whole)}  {blob.name[:40]}.*--mend sets it aside")
            self.assertEqual(list(state.glob("blobs/*")), [blob])
            mended = json.loads(self.cli(daemon, "--json", "fsck", "--data", "--mend").stdout)
            self.assertEqual((mended["schema"], mended["data"]), ("sme2lab.fsck/1", {"files": 1, "bytes": len(whole)}))
            self.assertEqual([(row["kind"], row["name"], row["mended"]) for row in mended["findings"]], [("damaged-blob", blob.name, True)])
            self.assertEqual([path.name for path in state.glob("blobs/*")], [f"{blob.name}.damaged"])
            self.assertEqual(daemon.wait(submit(daemon))["state"], "done")  # with the model uploaded again
            self.assertEqual(blob.read_bytes(), whole)
            self.assertEqual(self.cli(daemon, "fsck", "--data").returncode, 0)

    def test_what_lies_among_the_runs_and_is_none_is_named_and_left_to_a_person(self):
        state = self.scratch / "state"
        with Daemon(state) as daemon:
            daemon.wait(submit(daemon))
            day = next((state / "runs").iterdir())
            (state / "runs" / "old runs").mkdir()
            (day / "a\x1b[2J\n").write_bytes(b"12")
            found = self.cli(daemon, "fsck")
            self.assertEqual(found.returncode, 5, found.stderr)
            self.assertRegex(found.stdout, "(?m)^stray .* runs/old runs .*move or remove it$")
            self.assertNotRegex(found.stdout, "[\x1b]")
            mended = self.cli(daemon, "fsck", "--mend")
            self.assertEqual((mended.returncode, mended.stdout.count("stray")), (5, 2))
            (day / "a\x1b[2J\n").unlink()
            (state / "runs" / "old runs").rmdir()
            self.assertEqual(self.cli(daemon, "fsck").returncode, 0)

    def test_figures_that_an_earlier_version_did_not_store_are_not_lost(self):
        state = self.scratch / "state"
        with Daemon(state) as daemon:
            daemon.wait(submit(daemon))
            run = next((state / "runs").glob("*/*"))
            self.forget_figures(daemon, state)
            found = self.cli(daemon, "fsck")
            self.assertEqual(found.returncode, 0, found.stdout + found.stderr)
            self.assertRegex(found.stdout, "lost-figures.*--mend reads them")
            mended = self.cli(daemon, "fsck", "--mend")
            self.assertEqual((mended.returncode, "mended" in mended.stdout), (0, True), mended.stderr)
            self.assertIn("agree", self.cli(daemon, "fsck").stdout)
            self.forget_figures(daemon, state)
            summary = run / "analysis_summary.json"
            whole = summary.read_bytes()
            summary.write_bytes(b"{")
            mended = self.cli(daemon, "fsck", "--mend")
            summary.write_bytes(whole)
            self.assertEqual(mended.returncode, 5, mended.stdout)
            self.assertRegex(mended.stdout, "lost-figures.* lost")

    def forget_figures(self, daemon, state):
        daemon.terminate()
        with sqlite3.connect(state / "store.sqlite") as database:
            database.execute("DELETE FROM variants")
        database.close()
        daemon.start()

    def test_what_attempts_left_is_in_their_job(self):
        state = self.scratch / "state"
        with Daemon(state) as daemon:
            job = daemon.wait(submit(daemon))
            self.assertEqual(job["attempt_directories"], [])
            day = next((state / "runs").iterdir()).name
            (state / "runs" / day / "000000.000-1").mkdir()
            (state / "runs" / day / "000000.000-11").mkdir()
            self.assertEqual(daemon.get("/api/v1/jobs/1")["attempt_directories"], [f"runs/{day}/000000.000-1"])
            shown = self.cli(daemon, "show", "--job", 1)
            self.assertEqual(shown.returncode, 0, shown.stderr)
            self.assertIn(f"runs/{day}/000000.000-1\n", shown.stdout)
            self.assertEqual(json.loads(self.cli(daemon, "--json", "show", "--job", 1).stdout)["schema"], "sme2lab.job/1")

    def test_a_store_is_copied_while_a_daemon_works_and_put_back_when_none_does(self):
        state, copy = self.scratch / "state", self.scratch / "copy"

        def move(verb, state=state):
            return subprocess.run([SME2LABD, verb, copy, "--state", state], capture_output=True, text=True, timeout=60)

        with Daemon(state) as daemon:
            before = daemon.wait(submit(daemon))
            done = move("backup")
            self.assertEqual((done.returncode, "copied to" in done.stdout), (0, True), done.stderr)
            self.assertEqual(move("backup").returncode, 5)  # nothing is written over
            after = daemon.wait(submit(daemon))
            refused = move("restore")
            self.assertEqual(refused.returncode, 5, refused.stdout)
            daemon.terminate()
            done = move("restore")
            self.assertEqual((done.returncode, "restored from" in done.stdout), (0, True), done.stderr)
            self.assertTrue(os.path.exists(done.stdout.split("is kept in ")[1].strip()), done.stdout)
            daemon.start()
            self.assertEqual({run["id"] for run in daemon.get("/api/v1/runs")["runs"]}, {before["run"], after["run"]})
            self.assertEqual(daemon.get(f"/api/v1/jobs/{after['id']}")["state"], "done")
        self.assertEqual(move("restore", self.scratch / "new/state").returncode, 0)  # all else was lost
        with Daemon(self.scratch / "new/state") as daemon:
            self.assertEqual(daemon.get(f"/api/v1/jobs/{before['id']}")["state"], "done")
            self.assertIn("lost-files", self.cli(daemon, "fsck").stdout)
        self.assertEqual(subprocess.run([SME2LABD, "backup"], capture_output=True, timeout=60).returncode, 2)

    def test_each_attempt_is_kept_with_its_device_end_cause_and_log(self):
        state = self.scratch / "state"
        with Daemon(state) as daemon:
            job = daemon.wait(submit(daemon))
            run, = job["attempt_records"]
            self.assertEqual((run["number"], run["device"], run["cause"], run["run"], run["directory"], run["log"]),
                             (1, job["device"], "none", job["run"], None, f"/api/v1/runs/{job['run']}/log"))
            self.assertLessEqual(run["started_ms"], run["ended_ms"])
            directory = time.strftime("runs/%Y-%m-%d/%H%M%S.", time.gmtime(run["started_ms"] // 1000)) + f"{run['started_ms'] % 1000:03}-1"
            daemon.terminate()
            with sqlite3.connect(state / "store.sqlite") as database:  # as if an attempt had failed before this one
                database.execute("UPDATE attempts SET number = 2, started_ms = started_ms + 50")
                database.execute("INSERT INTO attempts SELECT job, 1, 'lost', started_ms - 50, started_ms, 3, 'link lost', 0, host FROM attempts")
            database.close()
            (state / directory / "streams").mkdir(parents=True)
            (state / directory / "streams" / "log").write_text("said before it fell\n")
            daemon.start()
            first, second = daemon.get("/api/v1/jobs/1")["attempt_records"]
            self.assertEqual((first["device"], first["cause"], first["detail"], first["run"], first["directory"]), ("lost", "lab", "link lost", None, directory))
            self.assertEqual((second["number"], second["run"], second["directory"]), (2, job["run"], None))
            self.assertEqual(daemon.request("GET", first["log"])[2], b"said before it fell\n")
            shown = self.cli(daemon, "show", "--job", 1).stdout
            self.assertRegex(shown, r"attempt 1 on lost, .*: lab: link lost; 'sme2lab logs 1 --attempt 1' has its log\n.*attempt 2 on .*; run 1\n")
            self.assertEqual(self.cli(daemon, "logs", 1, "--attempt", 1).stdout, "said before it fell\n")
            for path in ("/api/v1/jobs/1/attempts/2/log", "/api/v1/jobs/1/attempts/3/log", "/api/v1/jobs/2/attempts/1/log", "/api/v1/jobs/1/attempts/x/log"):
                self.assertEqual(daemon.request("GET", path)[0], 404, path)
            self.assertEqual(self.cli(daemon, "logs", 1, "--attempt", 2).returncode, 2)

    def test_a_file_of_a_run_steers_no_terminal_and_is_whole_in_a_pipe(self):
        state = self.scratch / "state"
        raw = b"a\x1b[2Jb\x9b\xff\0c\x1b[8md\n"
        with Daemon(state) as daemon:
            daemon.wait(submit(daemon))
            run = next((state / "runs").glob("*/*"))
            (run / "said.txt").write_bytes(raw)
            words = [lab.SME2LAB, "--server", f"unix:{daemon.socket}", "show", "1", "--file", "said.txt"]
            self.assertEqual(subprocess.run(words, capture_output=True, timeout=60).stdout, raw)
            self.assertEqual(lab.on_a_terminal(80, words, dict(os.environ)), (0, "a?[2Jb???c?[8md\r\n"))
            (run / "said.txt").unlink()


class Answers(lab.Scratch):
    """The command line at a daemon that answers what it is told."""

    def fsck(self, answer, *words, after=()):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_):
                pass

        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
            thread = threading.Thread(target=server.serve_forever)
            thread.start()
            try:
                return lab.sme2lab("--server", f"tcp:127.0.0.1:{server.server_port}", *words, "fsck", *after)
            finally:
                server.shutdown()
                thread.join()

    def test_findings_that_are_left_out_are_not_called_agreement(self):
        cut = b'{"findings":[{"kind":"unused-blob","name":"a","run":null,"job":null,"bytes":1,"mended":false}],"more":3}'
        for words in ((), ("--json",)):
            done = self.fsck(cut, *words)
            self.assertEqual(done.returncode, 5, done.stdout)
            self.assertIn("3 more findings are left out", done.stderr)
            self.assertIn("unused-blob", done.stdout)
        self.assertEqual(json.loads(done.stdout)["more"], 3)
        self.assertEqual(self.fsck(cut.replace(b'"more":3', b'"more":0')).returncode, 0)

    def test_an_answer_that_is_no_list_of_findings_is_not_called_agreement(self):
        for answer in (b"", b"{", b"[]", b"null", b"{}", b'{"findings":{},"more":0}', b'{"findings":[]}'):
            for words in ((), ("--json",)):
                done = self.fsck(answer, *words)
                self.assertEqual(done.returncode, 5, answer)
                self.assertIn("no list of findings", done.stderr)

    def test_an_answer_that_does_not_say_what_was_read_ends_the_reading(self):
        start = b'{"findings":[],"more":0'
        again = b'"%s"' % (b"1" * 64)  # the same step for ever
        for rest in (b"}", b',"files":1,"next":"x&y"}', b',"files":1,"next":%s}' % again, b',"files":1,"next":"%s"}' % (b"1" * 65)):
            done = self.fsck(start + rest, after=("--data",))
            self.assertEqual(done.returncode, 5, rest)
            self.assertIn("does not say what was read", done.stderr)
        self.assertEqual(self.fsck(start + b',"files":1,"next":null}', after=("--data",)).returncode, 0)


if __name__ == "__main__":
    lab.main()
