"""Questions to a device's agent as jobs: what the command line asks, HTTP alone asks too, and every device answers."""

import json

import lab
from daemon import NATIVE_AGENT, SME2LABD, Daemon

TOY = lab.MODELS / "toy_cnn_f32_xnnpack"
CONFIG = {"devices": [{"name": "counted", "kind": "counted", "svl": 256}, {"name": "emulated", "kind": "emulated", "svl": 256}],
          "agents_on_demand": True}
BENCH = {"task": "bench", "arguments": ["--bench", "matmul:32x32x32", "--engine", "sme2"]}


def setUpModule():
    lab.need(SME2LABD, NATIVE_AGENT, lab.AGENT, lab.EMULATOR, lab.SME2LAB)


class Tasks(lab.Scratch):
    def setUp(self):
        super().setUp()
        self.daemon = Daemon(self.scratch / "state", CONFIG)
        self.enterContext(self.daemon)

    def submit(self, **job):
        status, _, body = self.daemon.submit(job)
        self.assertEqual(status, 201, body)
        return json.loads(body)["id"]

    def ask(self, **job):
        record = self.daemon.wait(self.submit(**job))
        self.assertEqual((record["state"], record["run"]), ("done", None), record)
        return self.daemon.get(f"/api/v1/jobs/{record['id']}/result")

    def test_every_question_is_answered_on_every_device(self):
        model = self.daemon.put_blob(TOY / "model.pte")
        for device in ("counted", "emulated"):
            probe = self.ask(task="probe", device=device)
            self.assertEqual((probe["schema"], probe["task"], probe["device"]["name"]), ("sme2lab.task/1", "probe", device))
            self.assertEqual(probe["answers"][0]["svl_bytes"], 32)
            kernels, = self.ask(task="kernels", device=device)["answers"]
            self.assertTrue(any("_sme2_mopa" in row["kernel"] for row in kernels["kernels"] if row["met"]))
            plan, = self.ask(task="plan", model=model, device=device)["answers"]
            self.assertEqual((plan["schema"], plan["methods"][0]["problem"]), ("sme2lab.plan/1", None))

    def test_what_is_measured_is_counted_or_timed_as_the_device_does(self):
        counted, timed = self.ask(device="counted", **BENCH), self.ask(device="emulated", **BENCH)
        self.assertEqual([row["stage"] for row in counted["answers"]], [row["stage"] for row in timed["answers"]])
        self.assertEqual(len(counted["counts"]), len(counted["answers"]))
        self.assertTrue(all(row["all"] > row["outer"] + row["vector_mac"] for row in counted["counts"]))
        self.assertTrue(any(row["outer"] > 0 for row in counted["counts"]))
        self.assertNotIn("counts", timed)
        self.assertTrue(all(row["ns"] > 0 for row in timed["answers"]))

    def test_what_the_agent_refuses_is_the_senders_and_says_why(self):
        record = self.daemon.wait(self.submit(task="bench", device="counted", arguments=["--bench", "soup"]))
        self.assertEqual((record["state"], record["cause"]), ("failed", "user"))
        result = self.daemon.get(f"/api/v1/jobs/{record['id']}/result")
        self.assertEqual(result["process"]["exit_code"], 2)
        self.assertIn("not a shape that can be benched: 'soup'", result["said"])

    def test_bodies_and_results_that_cannot_be_are_refused(self):
        for body in ({"task": "serve"}, {"task": "plan"}, {"task": "probe", "arguments": ["--json"]}, {"arguments": ["x"]}):
            self.assertIn(self.daemon.submit(body)[0], (400, 422), body)
        self.assertEqual(self.daemon.request("GET", "/api/v1/jobs/999/result")[0], 404)
        job = self.submit(task="probe", device="counted")
        self.daemon.wait(job)
        self.assertEqual(self.daemon.request("HEAD", f"/api/v1/jobs/{job}/result")[0], 200)
        self.assertEqual(self.daemon.request("POST", f"/api/v1/jobs/{job}/result", "{}")[0], 405)
        self.assertEqual(self.daemon.get("/api/v1/runs")["runs"], [])

    def test_a_task_is_cancelled_like_a_run_and_the_device_goes_on(self):
        job = self.submit(task="bench", device="counted", arguments=["--each", "all", "--engine", "any"])
        status, _, _ = self.daemon.request("DELETE", f"/api/v1/jobs/{job}")
        self.assertEqual(status, 200)
        self.assertEqual(self.daemon.wait(job)["state"], "cancelled")
        self.ask(task="probe", device="counted")

    def test_a_daemon_that_is_killed_answers_after_a_restart(self):
        job = self.submit(device="counted", **BENCH)
        self.daemon.kill()
        self.daemon.start()
        self.assertEqual(self.daemon.wait(job)["state"], "done")
        self.assertEqual(len(self.daemon.get(f"/api/v1/jobs/{job}/result")["counts"]), 5)


if __name__ == "__main__":
    lab.main()
