"""`precision_percent` and `budget_seconds`: runs in the emulator that stop by themselves, and say why; a daemon that is killed
between two looks."""

import itertools
import json
import unittest

import lab
from daemon import Daemon, UnixConnection

MODEL = lab.MODELS / "llm_cache_portable"
MATH = lab.MODELS / "kitchen_math_portable"
STEADY = lab.MODELS / "dynamic_shape_f32_xnnpack"  # an execution takes far longer than another process has the CPU for


def setUpModule():
    lab.need(lab.SME2LAB, lab.AGENT, lab.EMULATOR)


class Looks(lab.Scratch):
    def measure(self, *words, model=MODEL, device="emulated"):
        self.out = self.scratch / "out"
        done = lab.sme2lab("run", model / "model.pte", "--device", device, "--out", self.out, "--json", *words)
        self.assertIn(done.returncode, (0, 4), done.stderr)
        self.comparison = json.loads(done.stdout)["comparison"]
        return self.comparison["stopping"]

    def check_valid(self):
        valid = lab.sme2lab("validate", self.out)
        self.assertEqual(valid.returncode, 0, valid.stdout + valid.stderr)

    def test_a_wide_goal_is_reached_at_a_first_look(self):
        stopping = self.measure("--precision", 100, model=STEADY)
        pairs, looks = stopping["pairs"], [look["pairs"] for look in stopping["looks"]]
        self.assertEqual((stopping["stopped_by"], stopping["budget_seconds"]), ("precision", 120))
        self.assertIn(looks, ([20], [20, 30]))  # a machine that other work shakes needs the second
        self.assertEqual((looks[-1], self.comparison["looks"]), (pairs, len(looks)))
        self.assertTrue(pairs - pairs // 3 <= self.comparison["blocks"] <= pairs)  # what a busy machine makes cold is set aside
        self.assertIn(f"stopped by precision after {pairs} pairs", " ".join(self.comparison["reasons"]))
        self.assertIn("## Looks at the pairs", (self.out / "report.md").read_text())
        self.assertIn("Looks at the pairs", (self.out / "report.html").read_text())
        self.check_valid()

    def test_a_goal_that_is_never_reached_ends_with_the_runs_that_were_asked_for(self):
        stopping = self.measure("--precision", 0.01, "--runs", 50)
        self.assertEqual((stopping["stopped_by"], stopping["pairs"], stopping["max_pairs"]), ("pairs", 50, 50))
        self.assertEqual([look["pairs"] for look in stopping["looks"]], [20, 30, 45, 50])
        confidences = [look["confidence"] for look in stopping["looks"]]
        self.assertEqual(confidences[:3], sorted(confidences[:3]))
        self.assertGreater(confidences[0], self.comparison["confidence"])
        self.check_valid()

    def test_a_budget_ends_a_run_wherever_it_is(self):
        stopping = self.measure("--budget", 0.4)
        self.assertEqual((stopping["stopped_by"], stopping["looks"]), ("budget", []))
        self.assertEqual(self.comparison["looks"], 0)
        self.assertTrue(1 <= stopping["pairs"] < stopping["max_pairs"], stopping)
        outputs = json.loads((self.out / "analysis_summary.json").read_text())["output_agreement"]
        self.assertTrue(all(one["agree"] for one in outputs.values()))
        self.check_valid()

    def test_a_change_of_what_a_look_saw_is_found(self):
        self.measure("--precision", 100, model=STEADY)
        path = self.out / "analysis_summary.json"
        summary = json.loads(path.read_text())
        summary["comparison"]["stopping"]["looks"][0]["half_width_percent"] *= 1.0000001
        path.write_text(json.dumps(summary))
        self.damaged.add(self.out)
        found = lab.sme2lab("validate", self.out)
        self.assertEqual(found.returncode, 1)
        self.assertIn("half_width_percent", found.stdout + found.stderr)

    def test_counted_runs_have_nothing_to_look_for(self):
        stopping = self.measure("--precision", 1, "--budget", 3, device="counted")
        self.assertEqual((stopping["stopped_by"], stopping["pairs"], stopping["looks"]), ("exact", 2, []))
        self.assertIn("counted exactly", " ".join(self.comparison["reasons"]))
        self.check_valid()

    def test_what_cannot_be_is_refused_before_anything_runs(self):
        for words, said in ((("--precision", 1, "--runs", 19), "never come to it"), (("--precision", 0), "out of its range"),
                            (("--precision", "nan"), "does not take"), (("--budget", 1800), "does not fit"),
                            (("--budget", -1), "out of its range"),
                            (("--threshold", -1), "out of its range")):
            with self.subTest(words):
                done = lab.sme2lab("run", MODEL / "model.pte", "--device", "emulated", "--out", self.scratch / "no", *words)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(said, done.stderr)
                self.assertFalse((self.scratch / "no").exists())


class Restart(lab.Scratch):
    def test_a_daemon_that_is_killed_between_looks_goes_on_with_them(self):
        config = {"devices": [{"name": "emulated", "kind": "emulated"}]}
        with Daemon(self.scratch / "state", config) as daemon:
            status, _, body = daemon.submit({"model": daemon.put_blob(MATH / "model.pte"), "device": "emulated", "warmup": 0,
                                             "precision_percent": 0.01, "runs": 225, "seed": 7})
            self.assertEqual(status, 201, body)
            job = json.loads(body)["id"]
            before = next(event for event in self.progress(daemon, job) if event["pair"] >= 22)
            daemon.kill()
            daemon.start()
            events = list(self.progress(daemon, job, {"Last-Event-ID": "1"}))  # all that this daemon told, before we came too
            record = daemon.wait(job, 200)
            self.assertEqual(record["state"], "done", record)
            summary = daemon.get(f"/api/v1/runs/{record['run']}/files/analysis_summary.json")
            manifest = daemon.get(f"/api/v1/runs/{record['run']}/files/manifest.json")
        self.assertIsNone(manifest["wall_ns"])  # the daemon that knew when it began is dead
        stopping = summary["comparison"]["stopping"]
        self.assertEqual((stopping["stopped_by"], stopping["pairs"]), ("pairs", 225))
        self.assertEqual([look["pairs"] for look in stopping["looks"]], [20, 30, 45, 67, 100, 150, 225])
        widths = [float(f"{look['half_width_percent']:.4g}") for look in stopping["looks"]]
        self.assertEqual(before["precision_percent"], 0.01)
        later = [event["half_width_percent"] for event in events if "half_width_percent" in event]
        self.assertIn(before.get("half_width_percent"), widths)  # what was told while it ran is what the files have
        looked = iter(widths)  # two looks may be equally wide, and a quick one may pass between two events
        told = [width for width, _ in itertools.groupby(later)]
        self.assertTrue(all(width in looked for width in told), f"told {told}, looked {widths}")
        self.assertIn(widths[5], later)

    def progress(self, daemon, job, headers=None):
        """The progress events of a job as they come."""
        connection = UnixConnection(daemon.socket, 200)
        connection.request("GET", f"/api/v1/jobs/{job}/events", headers=headers or {})
        answer = connection.getresponse()
        try:
            for line in answer:
                if line.startswith(b"data: ") and b'"pairs"' in line:
                    yield json.loads(line[6:])
        finally:
            connection.close()


if __name__ == "__main__":
    lab.main()
