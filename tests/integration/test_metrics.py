"""What Prometheus reads of the daemon, and that the example dashboard and alert rules ask for nothing else."""

import json
import re

import certificates
import lab
from daemon import SME2LABD, Daemon
from faults.laboratory import TOY

GRAFANA = lab.ROOT / "configs" / "grafana"


def setUpModule():
    lab.need(SME2LABD, lab.AGENT, lab.EMULATOR)


class Metrics(lab.Scratch):
    def read(self, daemon):
        status, headers, body = daemon.request("GET", "/metrics")
        self.assertEqual((status, headers["content-type"].split(";")[0]), (200, "application/openmetrics-text"))
        text = body.decode()
        self.assertTrue(text.endswith("# EOF\n"))
        return {name: float(value) for name, value in re.findall(r'(?m)^(\w+(?:\{[^}]*\})?) ([-+0-9.e]+)$', text)}

    def test_every_series_of_dashboard_and_rules_is_told_and_all_are_shown(self):
        certificates.authority(self.scratch)
        config = {"devices": [{"name": "first", "kind": "counted"}],
                  "plugins": [{"name": "quiet", "command": ["/bin/cat"], "when": ["device_lost"]}], "tls": certificates.certificate(self.scratch, days=30)}
        with Daemon(self.scratch / "state", config) as daemon:
            seen = self.read(daemon)
            heads = daemon.request("GET", "/metrics")[2].decode()
        told = {name.split("{")[0] for name in seen}
        told |= set(re.findall(r"(?m)^# TYPE (sme2lab_device_\w+) gauge$", heads))  # a device may have no battery
        self.assertAlmostEqual(seen["sme2lab_certificate_left_seconds"] / 86400, 30, delta=1)
        asked = {file: set(re.findall(r"sme2lab_\w+", (GRAFANA / file).read_text())) for file in ("dashboard.json", "alerts.yml")}
        for file, names in asked.items():
            self.assertGreater(len(names), 5)
            self.assertEqual(names - told, set(), file)
        shown = {name for name in told if not name.endswith(("_sum", "_count"))}
        self.assertEqual(shown - asked["dashboard.json"], set(), "no panel shows it")
        panels = json.loads((GRAFANA / "dashboard.json").read_text())["panels"]
        self.assertEqual(len({panel["id"] for panel in panels}), len(panels))

    def test_a_job_that_waits_and_a_device_that_is_out_are_seen(self):
        with Daemon(self.scratch / "state", {"devices": [{"name": "first", "kind": "counted"}]}) as daemon:
            self.assertEqual(daemon.request("POST", "/api/v1/devices/first/quarantine", "{}", {"Content-Type": "application/json"})[0], 200)
            model = daemon.put_blob(TOY / "model.pte")
            self.assertEqual(daemon.submit({"model": model, "device": "first"})[0], 201)
            seen = self.read(daemon)
        self.assertEqual(seen['sme2lab_device_works{device="first"}'], 0)
        self.assertEqual(seen['sme2lab_devices{state="quarantined"}'], 1)
        self.assertEqual(seen['sme2lab_jobs{state="queued"}'], 1)
        self.assertGreaterEqual(seen["sme2lab_job_longest_wait_seconds"], 0)
        self.assertLess(0, seen["sme2lab_disk_free_bytes"])
        self.assertLessEqual(seen["sme2lab_disk_free_bytes"], seen["sme2lab_disk_bytes"])

    def test_latencies_are_told_as_histograms(self):
        with Daemon(self.scratch / "state", {"devices": [{"name": "first", "kind": "counted"}]}) as daemon:
            model = daemon.put_blob(TOY / "model.pte")
            job = json.loads(daemon.submit({"model": model, "device": "first", "runs": 1, "warmup": 0})[2])["id"]
            self.assertEqual(daemon.wait(job)["state"], "done")
            seen = self.read(daemon)
        for name in ("loop_turn", "store_request", "store_transaction", "ingest_lag"):
            buckets = [seen[key] for key in seen if key.startswith(f"sme2lab_{name}_seconds_bucket")]
            self.assertEqual(len(buckets), 15, name)
            self.assertEqual(buckets, sorted(buckets), name)
            self.assertEqual(buckets[-1], seen[f"sme2lab_{name}_seconds_count"], name)
            self.assertGreater(buckets[-1], 0, name)
            self.assertGreater(seen[f"sme2lab_{name}_seconds_sum"], 0, name)
        self.assertGreaterEqual(seen["sme2lab_store_request_seconds_sum"], seen["sme2lab_store_transaction_seconds_sum"] / 2)
        self.assertTrue(any(key.startswith("sme2lab_link_errors_total{cause=") for key in seen))


if __name__ == "__main__":
    lab.main()
