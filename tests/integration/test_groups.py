"""Groups of jobs: one object to submit to, list, wait for, report and cancel; whose they are."""

import http.client
import json
import re

import lab
from daemon import NATIVE_AGENT, SME2LABD, Daemon

TOY = lab.MODELS / "toy_cnn_f32_xnnpack"


def setUpModule():
    lab.need(lab.SME2LAB, SME2LABD, NATIVE_AGENT, lab.AGENT)


class TestGroups(lab.Scratch):
    def setUp(self):
        super().setUp()
        config = {"listen": [f"unix:{self.scratch}/state/sme2labd.sock", "tcp:127.0.0.1:0"],
                  "devices": [{"name": "counts", "kind": "counted", "svl": 256}, {"name": "clock", "kind": "emulated"}]}
        self.daemon = Daemon(self.scratch / "state", config)
        self.enterContext(self.daemon)

    def cli(self, *words):
        return lab.sme2lab("--server", f"unix:{self.daemon.socket}", *words, timeout=120)

    def submit(self, *words, device="counts", runs="1"):
        done = self.cli("submit", TOY / "model.pte", "--device", device, "--runs", runs, "--warmup", "0", *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.strip()

    def test_jobs_of_a_group_are_waited_for_listed_reported_and_fetched_together(self):
        group = self.submit("--group", "zoo")
        self.assertRegex(group, "^g[0-9]+$")
        self.assertEqual(self.submit("--group", group), group)
        waited = self.cli("wait", group, "--json")
        outcomes = json.loads(waited.stdout)
        self.assertEqual([outcome["state"] for outcome in outcomes], ["done", "done"], waited.stderr)
        listed = json.loads(self.cli("jobs", "--group", group, "--json").stdout)["jobs"]
        self.assertEqual([job["id"] for job in listed], [outcome["job"] for outcome in reversed(outcomes)])
        self.assertEqual({job["group_id"] for job in listed}, {int(group[1:])})
        told = self.daemon.get(f"/api/v1/groups/{group[1:]}")
        self.assertEqual((told["name"], told["done"], told["queued"], told["running"], told["failed"]), ("zoo", 2, 0, 0, 0))
        self.assertRegex(self.cli("groups").stdout, rf"(?m)^{group} +zoo +\S+ +\S+ \S+ +0 +0 +2 +0 +0$")
        self.cli("watch", group, "--out", self.scratch / "fetched")
        self.assertEqual(len(lab.run_directories(self.scratch / "fetched")), 2)
        done = self.cli("report", group, "--format", "md", "-o", self.scratch / "report")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue((self.scratch / "report/combined_report.md").exists())
        self.assertIn("had ended already", self.cli("cancel", group).stdout)

    def test_a_job_comes_after_a_group_and_not_after_one_that_did_not_end_well(self):
        group = self.submit("--group", "first", "--begin", "2s")
        self.submit("--group", group)
        then = int(self.submit("--after", group))
        self.submit("--group", group)  # it came later: nobody waits for it
        record = self.daemon.wait(then)
        self.assertEqual((record["state"], record["after_jobs"]), ("done", group), record)
        members = sorted(self.daemon.get(f"/api/v1/jobs?group={group[1:]}")["jobs"], key=lambda job: job["id"])[:2]
        self.assertEqual([job["state"] for job in members], ["done", "done"])
        self.assertGreaterEqual(record["started_ms"], max(job["ended_ms"] for job in members))
        self.assertEqual(self.daemon.wait(int(self.submit("--after", f"{then},{group}")))["state"], "done")
        long = self.submit("--group", "long", device="clock", runs="1000000")
        waits = int(self.submit("--after", long))
        self.daemon.kill()
        self.daemon.start()
        self.assertEqual(self.cli("cancel", long).returncode, 0)
        for job in (waits, int(self.submit("--after", long)), int(self.submit("--after", "g999"))):
            record = self.daemon.wait(job)
            self.assertEqual((record["state"], record["cause"]), ("cancelled", "dependency"), record)

    def test_several_experiments_are_a_group_that_is_cancelled_as_one(self):
        done = self.cli("submit", TOY / "model.pte", "--device", "clock", "--threads", "1,2,3", "--runs", "1000000", "--json")
        answer = json.loads(done.stdout)
        self.assertEqual(len(answer["jobs"]), 3)
        done = self.cli("cancel", f"g{answer['group']}")
        self.assertIn("3 of them", done.stdout)
        self.assertEqual([self.daemon.wait(job)["state"] for job in answer["jobs"]], ["cancelled"] * 3)
        self.assertEqual(self.daemon.get(f"/api/v1/groups/{answer['group']}")["cancelled"], 3)
        alone = json.loads(self.cli("submit", TOY / "model.pte", "--device", "counts", "--runs", "1", "--json").stdout)
        self.assertIsNone(alone["group"])
        self.cli("cancel", alone["jobs"][0])

    def test_a_group_is_its_makers_and_what_is_none_is_said(self):
        port = int(re.findall(r"event=listening address=tcp:\S+ port=(\d+)", self.daemon.log_text())[-1])
        tokens = {}
        for name, scopes in (("ann", "read,submit"), ("boss", "read,cancel-any")):
            body = self.daemon.request("POST", "/api/v1/tokens", json.dumps({"name": name, "scopes": scopes}), {"Content-Type": "application/json"})[2]
            tokens[name] = json.loads(body)["token"]

        def ask(name, method, path, body=None):
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
            connection.request(method, path, None if body is None else json.dumps(body),
                               {"Authorization": f"Bearer {tokens[name]}", "Content-Type": "application/json"})
            answer = connection.getresponse()
            status, text = answer.status, answer.read()
            connection.close()
            return status, json.loads(text)

        group = self.submit("--group", "mine", device="clock", runs="1000000")[1:]
        body = {"model": self.daemon.put_blob(TOY / "model.pte")}
        status, problem = ask("ann", "POST", f"/api/v1/jobs?group={group}", body)
        self.assertEqual((status, problem["type"]), (403, "urn:sme2lab:problem:not-yours"))
        self.assertEqual(ask("ann", "DELETE", f"/api/v1/groups/{group}")[0], 403)
        self.assertEqual(ask("boss", "DELETE", f"/api/v1/groups/{group}")[0], 200)
        for job in self.daemon.get(f"/api/v1/jobs?group={group}")["jobs"]:
            self.assertEqual(self.daemon.wait(job["id"])["state"], "cancelled")
        self.assertEqual(ask("ann", "POST", "/api/v1/jobs?group=77", body)[0], 422)
        for path in ("/api/v1/jobs?group=0", "/api/v1/jobs?group=x"):
            self.assertEqual(ask("ann", "GET", path)[0], 400)
            self.assertEqual(ask("ann", "POST", path, body)[0], 400)
        self.assertEqual(ask("ann", "GET", "/api/v1/groups/77")[0], 404)
        for path in ("/api/v1/groups", "/api/v1/groups?name=", "/api/v1/groups?name=" + "x" * 64):
            self.assertEqual(ask("ann", "POST", path, {})[0], 400)
        self.assertEqual(self.cli("wait", "g77").returncode, 2)
        self.assertEqual(self.cli("wait", "gx").returncode, 2)


if __name__ == "__main__":
    lab.main()
