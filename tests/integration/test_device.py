"""What a person does with the devices of a lab: takes one out and back, reserves it, adds and removes one, over HTTP and by the command
line."""

import json
import time

import lab
from daemon import SME2LABD, Daemon
from faults.laboratory import TOY

SMALL = TOY.parent / "argmax_pooling_xnnpack"
CONFIG = {"devices": [{"name": "first", "kind": "counted"}, {"name": "second", "kind": "counted"}]}


def setUpModule():
    lab.need(SME2LABD, lab.AGENT, lab.EMULATOR)


class Devices(lab.Scratch):
    def setUp(self):
        super().setUp()
        state = self.scratch / "state"
        state.mkdir()
        self.daemon = Daemon(state, CONFIG)
        self.enterContext(self.daemon)
        self.await_state("first", "ready")

    def device(self, name):
        return next((device for device in self.daemon.get("/api/v1/devices")["devices"] if device["name"] == name), None)

    def await_state(self, name, *wanted):
        limit = time.monotonic() + 60
        while (self.device(name) or {}).get("state") not in wanted:
            self.assertLess(time.monotonic(), limit, self.daemon.log_text())
            time.sleep(0.05)

    def verb(self, *words, code=0):
        done = lab.sme2lab("device", *words, "--server", f"unix:{self.daemon.socket}")
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def post(self, path, body):
        status, _, text = self.daemon.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
        return status, json.loads(text)

    def submit(self, device, runs=1, model=TOY):
        job = {"model": self.daemon.put_blob(model / "model.pte"), "inputs": [self.daemon.put_blob(model / "input-0.bin")], "device": device, "runs": runs}
        status, _, body = self.daemon.submit(job)
        self.assertEqual(status, 201, body)
        return json.loads(body)["id"]

    def test_one_is_quarantined_for_a_reason_and_released(self):
        self.assertIn("first is quarantined: its battery swells", self.verb("quarantine", "first", "--reason", "its battery swells"))
        self.daemon.kill()
        self.daemon.start()
        self.assertIn("its battery swells", self.device("first")["detail"])
        self.verb("release", "first")
        self.await_state("first", "ready")
        self.assertIn("no device", self.verb("release", "third", code=2))

    def test_what_each_is_stands_in_its_record_the_list_and_doctor(self):
        self.verb("add", "third", "--kind", "counted", "--svl", "256")
        for name, svl in (("first", 512), ("third", 256)):
            limit = time.monotonic() + 60
            while self.device(name)["sme2"] is None:
                self.assertLess(time.monotonic(), limit, self.daemon.log_text())
                time.sleep(0.05)
            device = self.daemon.get(f"/api/v1/devices/{name}")
            self.assertEqual(device, self.device(name))
            self.assertEqual((device["sme2"], device["no_sme2"], device["svl_bits"], device["svl_lengths"]), (True, None, svl, str(svl)))
            self.assertGreater(device["memory_bytes"], 1 << 28)
            shown = self.verb("show", name)
            self.assertIn("SME2     yes", shown)
            self.assertIn(f"SVL      {svl} bits, of {svl}", shown)
            self.assertRegex(shown, r"memory   [0-9.]+ GiB")
        server = ("--server", f"unix:{self.daemon.socket}")
        self.assertRegex(lab.sme2lab("devices", *server).stdout, r"first +counted +ready +- +- +yes +512 ")
        self.assertIn("third (counted) is ready; SME2, SVL 256", lab.sme2lab("doctor", *server).stdout)
        self.assertIn("here is no device fourth", self.verb("show", "fourth", code=2))
        self.assertEqual(self.daemon.request("GET", "/api/v1/devices/fourth")[0], 404)

    def test_a_job_takes_a_device_by_what_it_is(self):
        server = ("--server", f"unix:{self.daemon.socket}")
        self.verb("add", "third", "--kind", "counted", "--svl", "256", "--tags", "bench,spare")
        self.assertIn("tags     bench,spare", self.verb("show", "third"))
        self.assertRegex(lab.sme2lab("devices", *server).stdout, r"third +counted +\w+ .* bench,spare ")
        job = self.submit("sme2,svl<512,tag=bench")  # accepted before the device has said what it is
        record = self.daemon.wait(job)
        self.assertEqual((record["selector"], record["device"], record["state"]), ("sme2,svl<512,tag=bench", "third", "done"), self.daemon.log_text())
        shown = lab.sme2lab("show", str(job), "--job", *server).stdout
        self.assertRegex(shown, r"wants +sme2,svl<512,tag=bench\n +device +third")
        for selector, code, words in (("sme2,tag=nowhere", 422, "the nearest, first, has no tag"), ("firts", 422, "did you mean first"),
                                      ("smee2=yes", 422, "did you mean sme2"), ("svl>=", 422, "is no condition")):
            status, _, body = self.daemon.submit({"model": self.daemon.put_blob(TOY / "model.pte"), "device": selector})
            self.assertEqual((status, words in body if isinstance(body, str) else words.encode() in body), (code, True), body)
        run = ("run", TOY / "model.pte", "--inputs", TOY / "input-0.bin", "--runs", "1", "--out", self.scratch / "out", *server)
        ran = lab.sme2lab(*run, "--device", "tag=spare,kind=counted")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertEqual(self.daemon.get("/api/v1/jobs")["jobs"][0]["device"], "third")
        refused = lab.sme2lab(*run, "--device", "sme2,tag=none", "--force")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("No device is sme2,tag=none; the nearest, first, has no tag", refused.stderr)

    def test_a_reserved_one_takes_no_job_until_its_time_is_over(self):
        self.assertIn("reserved for Ann", self.verb("reserve", "first", "--for", "5m", "--who", "Ann"))
        job = self.submit("first")
        self.daemon.kill()
        self.daemon.start()
        self.await_state("first", "reserved")
        self.assertEqual(self.daemon.get(f"/api/v1/jobs/{job}")["state"], "queued")
        self.assertEqual((self.device("first")["queued"], self.device("second")["queued"]), (1, None))
        self.assertIn("queue    1 (jobs that wait", self.verb("show", "first"))
        status, device = self.post("/api/v1/devices/first/reserve", {"who": "Ann", "seconds": 1})
        self.assertEqual((status, device["state"]), (200, "reserved"))
        record = self.daemon.wait(job)
        self.assertEqual((record["state"], record["attempts"]), ("done", 1), self.daemon.log_text())

    def test_a_job_that_no_device_takes_in_time_ends_at_its_deadline(self):
        server = ("--server", f"unix:{self.daemon.socket}")
        self.verb("reserve", "first", "--for", "5m")
        sent = lab.sme2lab("submit", TOY / "model.pte", "--inputs", TOY / "input-0.bin", "--device", "first", "--deadline", "2s", *server)
        self.assertEqual(sent.returncode, 0, sent.stderr)
        self.assertRegex(lab.sme2lab("show", sent.stdout.strip(), "--job", *server).stdout, r"deadline +20")
        waited = lab.sme2lab("wait", sent.stdout.strip(), *server)
        self.assertEqual(waited.returncode, 5, waited.stdout + waited.stderr)
        record = self.daemon.get(f"/api/v1/jobs/{sent.stdout.strip()}")
        self.assertEqual((record["state"], record["cause"], record["attempts"]), ("cancelled", "deadline", 0))
        self.assertIn("no device was free by its deadline", record["detail"])
        for deadline, words in (("2020-01-01T00:00Z", "has passed"), ("2hh", "is no time"), ("2026-02-30T00:00Z", "is no time")):
            status, _, body = self.daemon.submit({"model": self.daemon.put_blob(TOY / "model.pte"), "deadline": deadline})
            self.assertEqual((status, words.encode() in (body.encode() if isinstance(body, str) else body)), (422, True), body)

    def test_a_job_begins_after_another_and_no_sooner_than_it_may(self):
        server = ("--server", f"unix:{self.daemon.socket}")
        send = ("submit", TOY / "model.pte", "--inputs", TOY / "input-0.bin", "--device", "first", *server)
        sent = lab.sme2lab(*send, "--begin", "3s")
        self.assertEqual(sent.returncode, 0, sent.stderr)
        first = sent.stdout.strip()
        then = lab.sme2lab(*send, "--after", first).stdout.strip()
        told = lab.sme2lab("show", first, "--job", *server).stdout + lab.sme2lab("show", then, "--job", *server).stdout
        self.assertRegex(told, rf"begins +20(.|\n)*after +{first}\n")
        records = [self.daemon.wait(int(job)) for job in (first, then)]
        self.assertEqual([record["state"] for record in records], ["done", "done"], self.daemon.log_text())
        self.assertGreaterEqual(records[0]["started_ms"], records[0]["submitted_ms"] + 3000)
        self.assertGreaterEqual(records[1]["started_ms"], records[0]["ended_ms"])
        late = lab.sme2lab(*send, "--after", "99999", "--wait")
        self.assertEqual(late.returncode, 5, late.stdout + late.stderr)
        self.assertIn("job 99999, which it comes after, failed or is not there", late.stdout + late.stderr)
        refused = lab.sme2lab(*send, "--after", "7;8")
        self.assertEqual(refused.returncode, 2, refused.stderr)

    def test_one_is_added_for_later_daemons_too_and_removed(self):
        self.assertIn("third is", self.verb("add", "third", "--kind", "counted", "--svl", "256"))
        self.await_state("third", "ready")
        self.daemon.kill()
        self.daemon.start()
        self.await_state("third", "ready")
        self.assertEqual(self.device("third")["cpu"].count("sme256"), 1)
        self.verb("remove", "third")
        self.assertIsNone(self.device("third"))
        self.assertIn("was not added", self.verb("remove", "first", code=2))

    def test_a_timed_run_gives_a_noise_floor_which_later_runs_have(self):
        self.verb("add", "here", "--kind", "emulated")
        counted = self.daemon.wait(self.submit("first"))["run"]
        timed = self.daemon.wait(self.submit("here", 60, SMALL))["run"]
        said = self.verb("calibrate", "here", "--run", str(timed))
        self.assertRegex(said, r"^here: noise floor [0-9.]+ %, of \d+ pairs; kept for its later runs\n$")
        self.assertEqual(self.verb("calibrate", "here"), said)  # of its newest run, as a timer wants it
        status, found = self.post("/api/v1/devices/here/calibrate", {"run": timed})
        self.assertEqual(status, 200, found)
        self.assertGreaterEqual(found["pairs"], 8)
        later = self.daemon.wait(self.submit("here", 4, SMALL))["run"]
        manifest = json.loads(self.daemon.request("GET", f"/api/v1/runs/{later}/files/manifest.json")[2])
        self.assertEqual(manifest["noise_floor"], found["noise_floor"])
        self.assertIn("Counted runs are exact", self.verb("calibrate", "first", "--run", str(counted), code=2))
        self.assertIn(f"run {counted} is of the device first", self.verb("calibrate", "here", "--run", str(counted), code=2))
        self.assertIn("there is no run 99", self.verb("calibrate", "here", "--run", "99", code=2))
        self.assertIn("no run that shows its noise", self.verb("calibrate", "nobody", code=2))
        for name, body, status in (("nobody", {"run": timed}, 404), ("here", {}, 422), ("here", {"run": "1"}, 422), ("here", {"run": 1, "of": 2}, 422)):
            self.assertEqual(self.post(f"/api/v1/devices/{name}/calibrate", body)[0], status, body)

    def test_what_is_wrong_is_refused(self):
        for body, status in (({"name": "first", "kind": "counted"}, 409), ({"name": "../x", "kind": "counted"}, 422), ({"name": "x"}, 422),
                             ({"name": "x", "link": "tcp:127.0.0.1:7", "secret_file": "/etc/passwd"}, 422), ([], 422)):
            self.assertEqual(self.post("/api/v1/devices", body)[0], status, body)
        for verb, body, status in (("reserve", {"seconds": 0}, 422), ("reserve", {"who": "x" * 64}, 422), ("quarantine", {"why": ""}, 422),
                                   ("explode", {}, 404)):
            self.assertEqual(self.post(f"/api/v1/devices/first/{verb}", body)[0], status, body)
        self.assertEqual(self.device("first")["state"], "ready")
        self.verb("quarantine", "a/b", code=2)
        self.verb("explode", "first", code=2)


if __name__ == "__main__":
    lab.main()
