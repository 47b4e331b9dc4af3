"""Plug-ins: real programs beside the daemon that measure, hang, flood, die and switch power, on a counted device."""

import http.server
import json
import re
import shutil
import signal
import threading
import time
import unittest

import lab
from daemon import SME2LABD, Daemon
from faults.laboratory import TOY

# An energy meter: one figure at the begin, outside the run, and one at the end.
ENERGY = """while read -r l; do id=${l#*\\"id\\":}; id=${id%%,*}; """ \
         """echo '{"metric":"energy","unit":"J","value":4}'; echo "{\\"id\\":$id,\\"ok\\":true}"; done"""
SAMPLES = lab.ROOT / "configs" / "plugins"


def setUpModule():
    lab.need(SME2LABD, lab.AGENT, lab.EMULATOR)


def python(name, *words):
    return ["/usr/bin/python3", str(SAMPLES / name), *map(str, words)]


def script(text):
    return ["/bin/sh", "-c", text]


class Plugins(lab.Scratch):
    def config(self, *plugins):
        return {"devices": [{"name": "first", "kind": "counted", "tags": ["bench"]}], "plugins": list(plugins)}

    def run_once(self, daemon, **job):
        """A run to its end; what its plug-ins said, None: there were none."""
        model = daemon.put_blob(TOY / "model.pte")
        status, _, body = daemon.submit({"model": model, "model_name": "toy", "device": "first", "runs": 1, "warmup": 0, **job})
        self.assertEqual(status, 201, body)
        record = daemon.wait(json.loads(body)["id"])
        self.assertEqual(record["state"], "done", record)
        return self.said(daemon, record["id"])

    def said(self, daemon, job):
        """plugins.json as it lies in the run's directory; None: there is none."""
        directory, = daemon.state.glob(f"runs/*/*-{job}")
        file = directory / "plugins.json"
        return json.loads(file.read_text()) if file.exists() else None

    def metrics(self, daemon):
        text = daemon.request("GET", "/metrics")[2].decode()
        return {name: float(value) for name, value in re.findall(r'(?m)^(sme2lab_plugin\w+\{[^}]*\}) ([0-9.]+)$', text)}

    def test_a_meter_is_heard_and_others_that_hang_flood_and_die_harm_nobody(self):
        sensor = self.scratch / "power1_input"
        sensor.write_text("1930000\n")
        config = self.config(
            {"name": "meter", "command": python("power_sysfs.py", sensor, 1e6, 20), "when": ["run"], "devices": "tag=bench"},
            {"name": "hangs", "command": ["/bin/sleep", "600"], "when": ["run"], "seconds": 1},
            {"name": "floods", "command": script("""while :; do echo '{"metric":"x","value":1}'; echo nonsense; done"""),
             "when": ["run"], "seconds": 1},
            {"name": "dies", "command": script("read -r line; exit 3"), "when": ["run"], "seconds": 1},
            {"name": "absent", "command": ["/nowhere/plugin"], "when": ["run"], "seconds": 1},
            {"name": "elsewhere", "command": ["/bin/cat"], "when": ["run"], "devices": "tag=none"})
        with Daemon(self.scratch / "state", config) as daemon:
            said = self.run_once(daemon)
            seen = self.metrics(daemon)
            log = daemon.log_text()
            self.run_once(daemon)
        self.summed_up(said)
        self.assertFalse(said["resumed"])
        plugins = {plugin["name"]: plugin for plugin in said["plugins"]}
        self.assertEqual(set(plugins), {"meter", "hangs", "floods", "dies", "absent"})
        meter = plugins["meter"]
        self.assertEqual((meter["failures"], meter["left_out"]), (0, 0))
        power = meter["metrics"][0]
        self.assertEqual((power["name"], power["unit"], set(power["values"])), ("power", "W", {1.93}))
        self.assertGreater(len(power["values"]), 10)
        self.assertEqual(len(power["values"]), len(power["at_ms"]))
        self.assertEqual(power["at_ms"], sorted(power["at_ms"]))
        self.assertLess(meter["began_ms"], power["at_ms"][-1])
        whats = {name: {one["what"] for one in plugin["first_failures"]} for name, plugin in plugins.items()}
        self.assertEqual(whats["hangs"], {"late"})
        self.assertIn("bad-line", whats["floods"])
        self.assertIn("died", whats["dies"])
        self.assertIn("not-running", whats["absent"])
        self.assertGreater(plugins["floods"]["failures"], 1000)
        self.assertEqual(len(plugins["floods"]["first_failures"]), 16)
        self.assertEqual(seen['sme2lab_plugin_up{plugin="meter"}'], 1)
        self.assertEqual(seen['sme2lab_plugin_up{plugin="absent"}'], 0)
        self.assertEqual(seen['sme2lab_plugin_samples_total{plugin="meter"}'], len(power["values"]))
        self.assertEqual(seen['sme2lab_plugin_failures_total{plugin="hangs",failure="late"}'], 2)
        self.assertGreater(seen['sme2lab_plugin_failures_total{plugin="floods",failure="flood"}'], 0)
        self.assertIn("event=plugin_failed plugin=dies failure=died", log)
        self.assertLess(log.count("event=plugin_failed"), 20)  # a kind is said once a minute

    def summed_up(self, said):
        """What manifest, reports and comparison show is what the file says, and a file that was changed is found out."""
        directory, = (self.scratch / "state").glob("runs/*/*-1")
        summary = json.loads((directory / "manifest.json").read_text())["plugins"]
        meter = summary["list"][[one["name"] for one in summary["list"]].index("meter")]
        power, raw = meter["metrics"][0], said["plugins"][0]
        inside = [at for at in raw["metrics"][0]["at_ms"] if raw["began_ms"] <= at <= raw["ended_ms"]]
        self.assertEqual((power["samples"], power["outside"]), (len(inside), len(raw["metrics"][0]["at_ms"]) - len(inside)))
        self.assertGreater(power["outside"], 0)  # while the others were waited for
        self.assertAlmostEqual(power["seconds"], (inside[-1] - inside[0]) / 1000)
        self.assertAlmostEqual(power["joules"], 1.93 * power["seconds"], places=6)
        for page in ("report.md", "report.html"):
            self.assertIn("Measured by plug-ins", (directory / page).read_text())
        other, = (self.scratch / "state").glob("runs/*/*-2")
        lists = [json.loads((one / "manifest.json").read_text())["plugins"]["list"] for one in (directory, other)]
        done = lab.call("compare", directory, other, "--json")
        self.assertEqual([one["list"] for one in json.loads(done.stdout)["plugins"]], lists, done.stderr)
        self.assertIn("Measured by plug-ins", lab.call("compare", directory, other, "--full").stdout)
        file = directory / "plugins.json"
        text = file.read_text()
        for changed in (text.replace("1.93", "1.92", 1), "{", text.replace('"began_ms":1', '"began_ms":2', 1)):
            file.write_text(changed)
            self.assertEqual(lab.call("validate", directory).returncode, 1)
        file.unlink()
        self.assertIn("plugins.json", lab.call("validate", directory).stdout)
        file.write_text(text)
        lab.must_be_valid(directory)

    def test_a_run_waits_for_its_plug_ins_no_longer_than_their_limits(self):
        def took(*plugins):
            with Daemon(self.scratch / f"state{len(plugins)}", self.config(*plugins)) as daemon:
                self.run_once(daemon)  # what is done once is done
                begin = time.monotonic()
                said = self.run_once(daemon)
                return time.monotonic() - begin, said

        alone, nothing = took()
        self.assertIsNone(nothing)
        beside, said = took({"name": "hangs", "command": ["/bin/sleep", "600"], "when": ["run"], "seconds": 2})
        self.assertEqual(said["plugins"][0]["failures"], 2)
        self.assertGreater(beside, 2)
        self.assertLess(beside, alone + 2 + 2 + 3)

    def test_a_run_that_is_resumed_is_measured_on_and_says_so(self):
        config = self.config({"name": "meter", "command": script(ENERGY), "when": ["run"]})
        config["devices"] = [{"name": "first", "kind": "emulated"}]
        with Daemon(self.scratch / "state", config) as daemon:
            model = daemon.put_blob(TOY / "model.pte")
            _, _, body = daemon.submit({"model": model, "device": "first", "runs": 4, "warmup": 0})
            job = json.loads(body)["id"]
            limit = time.monotonic() + 60
            while not list((self.scratch / "state").glob("runs/*/*/streams")) and time.monotonic() < limit:
                time.sleep(0.05)
            time.sleep(0.5)
            daemon.kill()
            daemon.start()
            record = daemon.wait(job)
            self.assertEqual(record["state"], "done", record)
            said = self.said(daemon, job)
        self.assertTrue(said["resumed"])
        self.assertEqual(said["plugins"][0]["failures"], 0)
        self.assertEqual(set(said["plugins"][0]["metrics"][0]["values"]), {4})

    def test_what_is_measured_of_off_and_on_is_told_apart_on_a_device_with_the_daemons_clock(self):
        sensor = self.scratch / "power1_input"
        sensor.write_text("2000000\n")
        config = self.config({"name": "fast", "command": python("power_sysfs.py", sensor, 1e6, 20), "when": ["run"]},
                             {"name": "total", "command": script(ENERGY), "when": ["run"]})
        config["devices"].append({"name": "emulated", "kind": "emulated"})
        with Daemon(self.scratch / "state", config) as daemon:
            said = self.run_once(daemon, device="emulated", runs=4)
            self.run_once(daemon)
            directory, = daemon.state.glob("runs/*/*-1")
            counted, = daemon.state.glob("runs/*/*-2")
        metrics = [one["metrics"][0] for one in json.loads((directory / "manifest.json").read_text())["plugins"]["list"]]
        for metric in metrics:
            self.assertEqual(metric["off"]["samples"] + metric["on"]["samples"] + metric["unattributed"], metric["samples"])
        fast, total = metrics
        for level in ("off", "on"):
            self.assertGreater(fast[level]["samples"], 5, fast)
            self.assertEqual(fast[level]["mean"], 2)
            self.assertEqual(total[level], {"samples": 0, "mean": None})
        self.assertGreater(fast["unattributed"], 0)  # what lies at a change of variant
        self.assertGreater(total["unattributed"], 0)  # both variants' together
        self.assertEqual(len(said["plugins"]), 2)
        self.assertIn("Off, on, neither", (directory / "report.md").read_text())
        self.assertNotIn("unattributed", (counted / "manifest.json").read_text())  # no time, no turns
        self.assertIn("are not told apart", (counted / "report.md").read_text())
        lab.must_be_valid(directory)
        lab.must_be_valid(counted)
        file = directory / "manifest.json"
        text = file.read_text()
        file.write_text(text.replace(f'"unattributed":{fast["unattributed"]}', '"unattributed":0'))
        self.assertIn("unattributed: says 0", lab.call("validate", directory).stdout)
        file.write_text(text)

    def test_failed_jobs_are_told_and_lost_devices_have_their_power_switched(self):
        heard, switched = self.scratch / "heard", self.scratch / "switched"
        config = self.config({"name": "tell", "command": script(f"exec cat >>{heard}"), "when": ["job_failed", "device_lost"]},
                             {"name": "hub", "command": python("power_command.py", "/bin/sh", "-c", f"echo $1 >>{switched}", "hub"),
                              "when": ["power_cycle"], "devices": "tag=hub"})
        config["recovery"] = {"pause_seconds": 1}
        config["devices"] += [{"name": name, "link": "tcp:127.0.0.1:1", "secret_file": str(self.secret()), "tags": tags}
                              for name, tags in (("board", ["hub"]), ("spare", []))]

        def steps(device):
            return re.findall(rf"event=recovery device={device} step=(\w+)", daemon.log_text())

        with Daemon(self.scratch / "state", config) as daemon:
            _, _, body = daemon.submit({"model": daemon.put_blob(__file__), "device": "first", "runs": 1, "warmup": 0})
            job = json.loads(body)["id"]
            self.assertEqual(daemon.wait(job)["state"], "failed")
            self.wait_for(switched.exists)
            self.wait_for(lambda: "event=power_cycled" in daemon.log_text())
            events = [json.loads(line) for line in heard.read_text().splitlines()]
            tried = steps("board").index("hook") + 1
            self.wait_for(lambda: len(steps("spare")) >= tried - 1)
            time.sleep(5)  # the pause before such a step is 4.5 s at most
            self.assertNotIn("hook", steps("spare"))
            log = daemon.log_text()
        self.assertEqual(switched.read_text().split()[0], "board")
        failed = [event for event in events if event["event"] == "job_failed"]
        self.assertEqual([(event["v"], event["job"], event["device"]["name"]) for event in failed], [(1, job, "first")])
        lost = [event for event in events if event["event"] == "device_lost"]
        self.assertEqual(({event["device"]["name"] for event in lost}, lost[0]["device"]["link"]), ({"board", "spare"}, "tcp:127.0.0.1:1"))
        self.assertIn("event=power_cycled plugin=hub device=board ok=true", log)

    @unittest.skipUnless(shutil.which("curl"), "curl is not installed")
    def test_a_webhook_gets_the_event_and_a_changed_configuration_waits_for_the_next_start(self):
        posted = []

        class Hook(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                posted.append((self.headers["Content-Type"], json.loads(self.rfile.read(int(self.headers["Content-Length"])))))
                self.send_response(500 if len(posted) > 1 else 204)
                self.end_headers()

            def log_message(self, *_):
                pass

        with http.server.HTTPServer(("127.0.0.1", 0), Hook) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            config = self.config({"name": "hook", "when": ["job_failed"],
                                  "command": ["/bin/sh", str(SAMPLES / "notify_webhook.sh"), f"http://127.0.0.1:{server.server_port}/"]})
            with Daemon(self.scratch / "state", config) as daemon:
                for _ in range(2):
                    _, _, body = daemon.submit({"model": daemon.put_blob(__file__), "device": "first", "runs": 1, "warmup": 0})
                    self.assertEqual(daemon.wait(json.loads(body)["id"])["state"], "failed")
                self.wait_for(lambda: len(posted) == 2 and "event=plugin_said plugin=hook" in daemon.log_text())
                (self.scratch / "host.json").write_text(json.dumps({**config, "plugins": []}))
                daemon.process.send_signal(signal.SIGHUP)
                self.wait_for(lambda: "key=plugins reason=" in daemon.log_text())
            server.shutdown()
        self.assertEqual([(kind, event["event"], event["job"]) for kind, event in posted],
                         [("application/json", "job_failed", 1), ("application/json", "job_failed", 2)])

    def wait_for(self, seen):
        limit = time.monotonic() + 60
        while not seen() and time.monotonic() < limit:
            time.sleep(0.05)
        self.assertTrue(seen())

    def secret(self):
        path = self.scratch / "secret"
        path.write_text("0123456789abcdef" * 4)
        path.chmod(0o600)
        return path


if __name__ == "__main__":
    lab.main()
