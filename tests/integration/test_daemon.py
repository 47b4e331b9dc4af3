"""sme2labd from the outside: a submitted model becomes a stored run; crashes of daemon and agent lose nothing."""

import contextlib
import hashlib
import json
import os
import pathlib
import signal
import struct
import subprocess
import time
import unittest

import lab
from daemon import NATIVE_AGENT, SME2LABD, Daemon

TOY = lab.MODELS / "toy_cnn_f32_xnnpack"


def setUpModule():
    lab.need(SME2LABD, NATIVE_AGENT, lab.AGENT, lab.EMULATOR)


def submit_toy(daemon, **more):
    job = {"model": daemon.put_blob(TOY / "model.pte"), "model_name": "toy.pte", "inputs": [daemon.put_blob(TOY / "input-0.bin")]}
    status, headers, body = daemon.submit({**job, **more})
    if status != 201:
        raise AssertionError(f"{status} {body!r}")
    return json.loads(body)["id"]


def counted(*names):
    """A configuration with these devices."""
    return {"devices": [{"name": name, "kind": "counted", "svl": 256} for name in names]}


def run_files(daemon, record):
    """What was stored of a job's run, as HTTP gives it: its ETDumps by name, and its summary."""
    base = f"/api/v1/runs/{record['run']}"
    paths = [entry["path"] for entry in daemon.get(f"{base}/files")["files"]]
    etdumps = {path.rsplit("/", 1)[-1]: daemon.request("GET", f"{base}/files/{path}")[2] for path in paths if path.endswith(".etdump")}
    return etdumps, daemon.get(f"{base}/analysis")


class TestDaemon(lab.Scratch):
    def test_a_submitted_model_becomes_a_stored_run(self):
        with Daemon(self.scratch / "state") as daemon:
            record = daemon.wait(submit_toy(daemon))
            self.assertEqual(record["state"], "done", record)
            etdumps, summary = run_files(daemon, record)
            self.assertEqual(sorted(etdumps), ["toy_run_sme2-off_t1.etdump", "toy_run_sme2-on_t1.etdump"])
            self.assertEqual(summary["verdict"], "fewer-instructions")
            self.assertTrue(all(run["categories_insns"] for run in summary["analyses"][0]["runs"]))
            self.assertEqual(daemon.terminate(), 0)

    def test_a_file_that_is_gone_is_the_labs_failure(self):
        with Daemon(self.scratch / "state", counted("one")) as daemon:
            submit_toy(daemon, runs=4)  # the other one waits meanwhile
            blob = self.scratch / "state/blobs" / daemon.put_blob(lab.MODELS / "llm_cache_portable/model.pte")
            job = json.loads(daemon.submit({"model": blob.name})[2])["id"]
            blob.unlink()
            record = daemon.wait(job)
            self.assertEqual((record["state"], record["cause"], record["attempts"]), ("failed", "lab", 3))
            self.assertRegex(record["detail"], "blob cannot be read")

    def test_curl_alone_submits_waits_and_fetches(self):
        def curl(*words):
            done = subprocess.run(["curl", "-sS", "--fail-with-body", "--unix-socket", str(daemon.socket), *map(str, words[:-1]),
                                   f"http://lab/api/v1/{words[-1]}"], capture_output=True, timeout=120, check=False)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            return done.stdout

        with Daemon(self.scratch / "state") as daemon:
            sums = [hashlib.sha256(path.read_bytes()).hexdigest() for path in (TOY / "model.pte", TOY / "input-0.bin")]
            for path, digest in zip((TOY / "model.pte", TOY / "input-0.bin"), sums):
                curl("-T", path, f"blobs/{digest}")
            body = json.dumps({"model": sums[0], "model_name": "toy.pte", "inputs": sums[1:], "runs": 6})  # some seconds
            job = json.loads(curl("-H", "Content-Type: application/json", "-d", body, "jobs"))["id"]
            events = curl(f"jobs/{job}/events").decode()  # ends with the job
            self.assertIn("event: progress", events)
            self.assertIn("event: log", events)
            record = json.loads(curl(f"jobs/{job}"))
            self.assertEqual(record["state"], "done", record)
            self.assertEqual(json.loads(curl(f"runs/{record['run']}/analysis"))["verdict"], "fewer-instructions")
            self.assertIn(b"SME2", curl(f"runs/{record['run']}/report.html"))
            name = next(entry["path"] for entry in json.loads(curl(f"runs/{record['run']}/files"))["files"]
                        if entry["path"].endswith("sme2-on_t1.etdump"))
            self.assertEqual(curl(f"runs/{record['run']}/files/{name}")[8:12], b"ED00")

    def test_every_execution_costs_what_it_costs_the_command_line(self):
        direct = lab.Run("toy_cnn_f32_xnnpack", self.scratch / "direct")
        with Daemon(self.scratch / "state") as daemon:
            _, summary = run_files(daemon, daemon.wait(submit_toy(daemon)))
        for i, variant in enumerate(("off", "on")):
            costs = [[run["e2e_insns"], run["categories_insns"]] for run in summary["analyses"][i]["runs"]]
            self.assertEqual(costs, [[run["e2e_insns"], run["categories_insns"]] for run in direct.analysis(variant)["runs"]])

    def test_a_daemon_that_is_killed_finishes_its_job_after_a_restart(self):
        with Daemon(self.scratch / "state") as daemon:
            undisturbed, _ = run_files(daemon, daemon.wait(submit_toy(daemon)))
            for pause in (0, 0.1, 0.3, 0.8):
                job = submit_toy(daemon)
                time.sleep(pause)
                daemon.kill()
                daemon.start()
                record = daemon.wait(job)
                self.assertEqual(record["state"], "done", record)
                again, _ = run_files(daemon, record)
                self.assertEqual(again, undisturbed)

    def test_runs_are_compared_where_they_lie(self):
        with Daemon(self.scratch / "state") as daemon:
            model = daemon.put_blob(lab.MODELS / "llm_cache_portable/model.pte")
            jobs = [json.loads(daemon.submit({"model": model, "device": "counted-512", "runs": n})[2])["id"] for n in (2, 3)]
            runs = [daemon.wait(job)["run"] for job in jobs]
            summary = daemon.get(f"/api/v1/runs/{runs[0]}/files/analysis_summary.json")["comparison"]
            same = daemon.get(f"/api/v1/compare?baseline={runs[0]}&candidate={runs[0]}")
            both = daemon.get(f"/api/v1/compare?baseline={runs[0]}&candidate={runs[1]}&variant=off")
            traces = {words: daemon.request("GET", f"/api/v1/runs/{runs[0]}/trace.perfetto{words}") for words in ("", "?variant=on", "?variant=off")}
            self.assertEqual([daemon.request("GET", "/api/v1/runs/" + path)[0]
                              for path in (f"{runs[0]}/trace.perfetto?variant=x", "999/trace.perfetto", "x/trace.perfetto")], [400, 404, 404])
            by_cli = [json.loads(lab.sme2lab("compare", *words, "--json", "--server", f"unix:{daemon.socket}").stdout)
                      for words in ((runs[0],), (*runs, "--variant", "off"))]
            series = daemon.get("/api/v1/series")["series"]  # the number of runs does not tell them apart
            other = json.loads(daemon.submit({"model": model, "device": "counted-512", "mode": "clean", "runs": 2})[2])["id"]
            other = daemon.wait(other)["run"]
            listed = daemon.get("/api/v1/series")["series"]
            points = daemon.get(f"/api/v1/series/{series[0]['id']}/points")["points"]
            first = daemon.get(f"/api/v1/series/{series[0]['id']}/points?limit=1")
            self.assertEqual(daemon.get("/api/v1/series/0000000000000000/points")["points"], [])
            self.assertEqual(daemon.request("GET", "/api/v1/series/x/points")[0], 404)
            for query, status in ((f"baseline={runs[0]}", 400), (f"baseline=0&candidate={runs[0]}", 400),
                                  (f"baseline={runs[0]}&candidate=9999", 404), (f"baseline=x&candidate={runs[0]}", 400),
                                  (f"baseline={runs[0]}&candidate={runs[1]}&variant=both", 400),
                                  (f"baseline={runs[0]}&candidate={runs[0]}&variant=both", 400),
                                  (f"baseline={runs[0]}&candidate={runs[0]}&variant=on", 200)):
                answer = daemon.request("GET", "/api/v1/compare?" + query)
                self.assertEqual(answer[0], status, (query, answer))
                self.assertNotIn(str(self.scratch), answer[2].decode())
        self.assertEqual(([one["newest"]["id"] for one in series], [one["newest"]["id"] for one in listed]),
                         ([runs[1]], [other, runs[1]]))
        self.assertEqual([point["run"] for point in points], [runs[1], runs[0]])
        self.assertEqual((points[0]["ratio"], points[0]["verdict"]), (summary["ratio"], summary["verdict"]))
        self.assertEqual(([point["run"] for point in first["points"]], first["next_cursor"]), ([runs[1]], runs[1]))
        self.assertEqual((same["schema"], same["ratio"], same["verdict"]),
                         ("sme2lab.comparison/1", summary["ratio"], summary["verdict"]))
        self.assertEqual((same["baseline"]["level"], same["baseline"]["file"]), ("off", f"runs/{runs[0]}"))
        self.assertEqual((both["ratio"], both["verdict"], both["factor"]["name"]), (1, "equal", "run"))
        self.assertNotIn(str(self.scratch), json.dumps(both))
        self.assertEqual(by_cli, [same, both])
        self.assertEqual([answer[0] for answer in traces.values()], [200, 200, 200])
        self.assertEqual(traces[""][2], traces["?variant=on"][2])
        self.assertNotEqual(traces["?variant=off"][2], traces["?variant=on"][2])
        for answer in traces.values():  # field 1 of a Trace: packets
            self.assertEqual((answer[2][:1], b"Method::execute" in answer[2]), (b"\n", True))

    def test_a_damaged_model_is_a_result_and_a_missing_blob_an_error(self):
        broken = self.scratch / "broken.pte"
        broken.write_bytes((TOY / "model.pte").read_bytes()[:5000])
        with Daemon(self.scratch / "state") as daemon:
            status, _, body = daemon.submit({"model": daemon.put_blob(broken), "model_name": "broken.pte"})
            self.assertEqual(status, 201)
            record = daemon.wait(json.loads(body)["id"])
            self.assertEqual((record["state"], record["cause"]), ("failed", "result"), record)
            self.assertEqual(daemon.get(f"/api/v1/runs/{record['run']}")["model"], "broken")
            status, _, body = daemon.submit({"model": "not a digest"})
            self.assertEqual(status, 422, body)
            self.assertIn("SHA-256", body.decode())
            for job in ({"model": "0" * 64}, {"model": daemon.put_blob(broken), "inputs": ["0" * 64]}):
                status, _, body = daemon.submit(job)
                self.assertEqual((status, json.loads(body)["type"]), (422, "urn:sme2lab:problem:unknown-name"), body)

    def test_sighup_opens_the_log_anew_and_nothing_is_lost(self):
        log, moved = self.scratch / "own.log", self.scratch / "own.log.moved"
        with Daemon(self.scratch / "state", {"log_file": str(log)}) as daemon:
            log.rename(moved)
            daemon.process.send_signal(signal.SIGHUP)
            limit = time.monotonic() + 20
            while not log.exists() or "log_reopened" not in log.read_text():
                self.assertLess(time.monotonic(), limit)
                time.sleep(0.02)
            self.assertEqual(daemon.wait(submit_toy(daemon))["state"], "done")
            self.assertIn("event=listening", moved.read_text())
            self.assertIn("event=job", log.read_text())

    def reload(self, daemon, config, word):
        """Writes the configuration and asks for it, until the log has that word once more: the devices then."""
        told = daemon.log_text().count(word)
        (self.scratch / "host.json").write_text(config if isinstance(config, str) else json.dumps(config))
        daemon.process.send_signal(signal.SIGHUP)
        self.wait_for(lambda: daemon.log_text().count(word) > told, daemon)
        return self.devices(daemon)

    def wait_for(self, condition, daemon):
        limit = time.monotonic() + 60
        while not condition():
            self.assertLess(time.monotonic(), limit, daemon.log_text())
            time.sleep(0.02)

    def devices(self, daemon):
        return [device["name"] for device in daemon.get("/api/v1/devices")["devices"]]

    def test_sighup_takes_devices_in_and_lets_them_go_after_their_job(self):
        with Daemon(self.scratch / "state", counted("a")) as daemon:
            on_a = submit_toy(daemon, device="a", runs=8)  # some seconds
            self.wait_for(lambda: daemon.get(f"/api/v1/jobs/{on_a}")["state"] != "queued", daemon)
            self.assertEqual(self.reload(daemon, counted("b") | {"log_max_mib": 7}, "event=reloaded"), ["a", "b"])
            self.assertIn("key=log_max_mib reason=\"takes effect at the next start\"", daemon.log_text())
            on_b = submit_toy(daemon, device="b")
            self.assertEqual(daemon.wait(on_a)["state"], "done")
            self.assertEqual(self.devices(daemon), ["b"])
            self.assertEqual(daemon.submit({"model": "0" * 64, "device": "a"})[0], 422)
            self.assertEqual(daemon.wait(on_b)["device"], "b")
            self.assertEqual(self.reload(daemon, '{"devices": [{"name": "c", "kind": "phone"}]}', "event=reload_refused"), ["b"])
            self.assertIn("/devices/0/kind", daemon.log_text())
            self.assertEqual(self.reload(daemon, counted("a", "b"), "event=reloaded"), ["a", "b"])
            self.assertEqual(daemon.wait(submit_toy(daemon, device="a"))["state"], "done")
            self.assertEqual(daemon.terminate(), 0)
            self.assertNotIn("handles_left_open", daemon.log_text())

    def test_a_device_that_comes_back_while_it_leaves_is_taken_when_it_has_left(self):
        record = self.scratch / "state/agents/a/agent"
        with Daemon(self.scratch / "state", counted("a")) as daemon:
            self.wait_for(lambda: record.exists() and len(record.read_bytes()) >= 12, daemon)
            agent = struct.unpack_from("<i", record.read_bytes(), 8)[0]
            os.kill(agent, signal.SIGSTOP)  # it takes its time to end
            self.assertEqual(self.reload(daemon, counted("b"), "event=reloaded"), ["b"])
            self.assertEqual(self.reload(daemon, counted("a", "b"), "event=device_waits device=a"), ["b"])
            reloaded = daemon.log_text().count("event=reloaded")
            with contextlib.suppress(ProcessLookupError):  # it has had its grace
                os.kill(agent, signal.SIGCONT)
            self.wait_for(lambda: daemon.log_text().count("event=reloaded") > reloaded, daemon)
            self.assertEqual(self.devices(daemon), ["a", "b"])
            self.assertEqual(daemon.wait(submit_toy(daemon, device="a"))["state"], "done")

    def test_the_agent_of_a_killed_daemon_is_taken_over_or_ends_by_itself(self):
        record = self.scratch / "state/agents/a/agent"
        pid = lambda: struct.unpack_from("<i", record.read_bytes(), 8)[0]
        with Daemon(self.scratch / "state", counted("a")) as daemon:
            self.assertEqual(daemon.wait(submit_toy(daemon))["state"], "done")
            agent = pid()
            daemon.kill()
            words = pathlib.Path(f"/proc/{agent}/cmdline").read_bytes().decode().split("\0")
            self.assertLessEqual(int(words[words.index("--idle-exit") + 1]), 600)
            daemon.start()
            self.assertEqual(daemon.wait(submit_toy(daemon))["state"], "done")
            self.assertEqual(pid(), agent)
            daemon.kill()
            os.kill(agent, signal.SIGKILL)  # as if its time had come
            daemon.start()
            self.assertEqual(daemon.wait(submit_toy(daemon))["state"], "done")
            self.assertNotEqual(pid(), agent)

    def test_check_config_says_right_or_where_it_is_wrong(self):
        config = self.scratch / "host.json"
        for text, code, word in (('{"devices": [{"name": "a", "kind": "counted"}]}', 0, "1 device"),
                                 ('{"devices": [{"name": "a", "kind": "phone"}]}', 2, "/devices/0/kind"),
                                 ('{"lisen": []}', 2, "listen"), ("{", 2, "host.json:1")):
            config.write_text(text)
            done = subprocess.run([SME2LABD, "--check-config", "--config", config], capture_output=True, text=True, timeout=20)
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertIn(word, done.stdout + done.stderr)
        self.assertFalse((self.scratch / "state").exists())

    def test_sigterm_finishes_what_runs_and_then_ends(self):
        with Daemon(self.scratch / "state") as daemon:
            job = submit_toy(daemon)
            while daemon.get(f"/api/v1/jobs/{job}")["state"] == "queued":
                pass
            self.assertEqual(daemon.terminate(), 0, daemon.log_text())
            daemon.start()
            self.assertEqual(daemon.get(f"/api/v1/jobs/{job}")["state"], "done")

    def test_a_second_sigterm_ends_at_once_and_the_next_daemon_goes_on(self):
        with Daemon(self.scratch / "state") as daemon:
            job = submit_toy(daemon)
            while daemon.get(f"/api/v1/jobs/{job}")["state"] == "queued":
                pass
            daemon.process.send_signal(signal.SIGTERM)
            while (ready := daemon.request("GET", "/readyz"))[0] == 200:
                pass
            self.assertEqual((ready[0], json.loads(ready[2])["type"]), (503, "urn:sme2lab:problem:shutting-down"))
            self.assertEqual(daemon.get("/healthz")["status"], "alive")
            daemon.terminate()
            daemon.start()
            self.assertEqual(daemon.wait(job)["state"], "done")


if __name__ == "__main__":
    lab.main()
