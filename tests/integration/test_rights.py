"""Who may do what over TCP: scopes, owners of jobs, quotas, and who did what."""

import http.client
import json
import re
import socket
import subprocess
import time

import lab
from daemon import NATIVE_AGENT, SME2LABD, Daemon

TOY = lab.MODELS / "toy_cnn_f32_xnnpack"


def setUpModule():
    lab.need(SME2LABD, NATIVE_AGENT, lab.AGENT)


class Served(lab.Scratch):
    """A daemon on TCP; `config` is what its configuration says besides."""
    config = {}

    def setUp(self):
        super().setUp()
        config = {"listen": [f"unix:{self.scratch}/state/sme2labd.sock", "tcp:127.0.0.1:0"]} | self.config
        self.daemon = Daemon(self.scratch / "state", config)
        self.enterContext(self.daemon)
        self.port = int(re.findall(r"event=listening address=tcp:\S+ port=(\d+)", self.daemon.log_text())[-1])

    def token(self, name, **wish):
        status, _, body = self.daemon.request("POST", "/api/v1/tokens", json.dumps({"name": name, **wish}), {"Content-Type": "application/json"})
        self.assertEqual(status, 201, body)
        return json.loads(body)["token"]

    def ask(self, token, method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, path, json.dumps(body) if body is not None else None,
                               {"Authorization": f"Bearer {token}", "Content-Type": "application/json"})
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read() or "null")
        finally:
            connection.close()


class TestRate(Served):
    config = {"requests_per_second": 5}

    def test_a_token_may_send_so_many_requests_in_a_second_and_no_other_pays_for_it(self):
        fast, slow = self.token("fast", scopes="read"), self.token("slow", scopes="read")
        answers = [self.ask(fast, "GET", "/api/v1/jobs") for _ in range(40)]
        self.assertEqual({status for status, _ in answers[:5]}, {200})
        refused = [body for status, body in answers if status == 429]
        self.assertGreater(len(refused), 0)
        self.assertRegex(refused[0]["detail"], r"^this token may send 5 requests in a second; the next in \d+ ms$")
        self.assertEqual(self.ask(slow, "GET", "/api/v1/jobs")[0], 200)
        self.assertEqual({self.daemon.request("GET", "/api/v1/jobs")[0] for _ in range(20)}, {200})  # the Unix socket has no limit
        time.sleep(1)
        self.assertEqual(self.ask(fast, "GET", "/api/v1/jobs")[0], 200)

    def test_our_command_line_waits_its_turn(self):
        file = self.scratch / "token"
        file.write_text(self.token("ann", scopes="read"))
        began = time.monotonic()
        for _ in range(12):
            done = lab.sme2lab("--server", f"tcp:127.0.0.1:{self.port}", "--token-file", file, "devices", timeout=60)
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreater(time.monotonic() - began, 1)


class TestAtOnce(Served):
    config = {"requests_at_once": 4}

    def watch(self, token):
        sock = socket.create_connection(("127.0.0.1", self.port), 60)
        self.addCleanup(sock.close)
        sock.sendall(f"GET /api/v1/events HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {token}\r\n\r\n".encode())
        return sock, sock.recv(4096).split(b"\r\n")

    def test_a_token_has_so_many_requests_under_way_and_no_other_pays_for_it(self):
        many, few = self.token("many", scopes="read"), self.token("few", scopes="read")
        watchers = [self.watch(many) for _ in range(4)]
        self.assertEqual([head[0] for _, head in watchers], [b"HTTP/1.1 200 OK"] * 4)
        head = self.watch(many)[1]
        self.assertEqual(head[0], b"HTTP/1.1 429 Too Many Requests")
        self.assertIn(b"retry-after: 1", head)
        status, problem = self.ask(many, "GET", "/api/v1/jobs")
        self.assertEqual((status, problem["type"]), (429, "urn:sme2lab:problem:too-many-requests"))
        self.assertEqual(problem["detail"], "4 requests of this token or user may be under way at once")
        self.assertEqual(self.ask(few, "GET", "/api/v1/jobs")[0], 200)
        self.assertEqual(self.daemon.request("GET", "/api/v1/jobs")[0], 200)
        file = self.scratch / "token"
        file.write_text(many)
        waiting = subprocess.Popen([lab.SME2LAB, "--server", f"tcp:127.0.0.1:{self.port}", "--token-file", file, "devices"], stdout=subprocess.DEVNULL)
        time.sleep(1)
        self.assertIsNone(waiting.poll())  # our command line waits its turn
        watchers[0][0].close()
        self.assertEqual(waiting.wait(60), 0)


class TestOrigins(Served):
    config = {"cors_origins": ["https://lab.example"]}

    def headers(self, method, origin, **more):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        self.addCleanup(connection.close)
        connection.request(method, "/api/v1/jobs", headers={"Origin": origin, **more})
        answer = connection.getresponse()
        answer.read()
        return answer.status, {name: value for name, value in answer.getheaders() if name.startswith("access-control-") or name == "vary"}

    def test_a_listed_origin_is_let_in_and_no_other(self):
        token = self.token("page", scopes="read")
        asks = {"Access-Control-Request-Method": "GET", "Access-Control-Request-Headers": "authorization"}
        status, said = self.headers("OPTIONS", "https://lab.example", **asks)
        self.assertEqual((status, said["access-control-allow-origin"], said["access-control-allow-methods"]), (204, "https://lab.example", "GET, HEAD, POST"))
        self.assertIn("authorization", said["access-control-allow-headers"])
        status, said = self.headers("GET", "https://lab.example", Authorization=f"Bearer {token}")
        self.assertEqual((status, said["access-control-allow-origin"], said["vary"]), (200, "https://lab.example", "origin"))
        self.assertEqual(self.headers("GET", "https://lab.example")[0], 401)
        self.assertEqual(self.headers("OPTIONS", "https://evil.example", **asks), (405, {"vary": "origin"}))
        self.assertEqual(self.headers("GET", "https://evil.example", Authorization=f"Bearer {token}"), (200, {"vary": "origin"}))


class TestRights(Served):
    def submit(self, token, **more):
        return self.ask(token, "POST", "/api/v1/jobs", {"model": self.blob, "runs": 1000000, **more})

    def test_jobs_are_their_owners_and_who_did_what_is_kept(self):
        self.blob = self.daemon.put_blob(TOY / "model.pte")
        ann, bob, boss = self.token("ann", role="submit", max_jobs=2), self.token("bob", role="submit"), self.token("boss", scopes="cancel-any")
        chief = self.token("chief", role="admin")
        status, job = self.submit(ann)
        self.assertEqual(status, 201)
        self.assertEqual(self.ask(ann, "GET", f"/api/v1/jobs/{job['id']}")[1]["owner"], "ann")
        self.assertEqual(self.submit(ann)[0], 201)
        status, problem = self.submit(ann)
        self.assertEqual((status, problem["type"]), (429, "urn:sme2lab:problem:quota"))
        status, problem = self.ask(bob, "DELETE", f"/api/v1/jobs/{job['id']}")
        self.assertEqual((status, problem["type"]), (403, "urn:sme2lab:problem:not-yours"))
        self.assertNotIn(self.daemon.get(f"/api/v1/jobs/{job['id']}")["state"], ("cancelled",))
        self.assertEqual(self.ask(ann, "DELETE", f"/api/v1/jobs/{job['id']}")[0], 200)
        self.assertEqual(self.daemon.wait(job["id"])["state"], "cancelled")
        self.assertEqual(self.submit(ann)[0], 201)
        self.assertEqual(self.ask(boss, "DELETE", f"/api/v1/jobs/{job['id'] + 1}")[0], 200)
        self.assertEqual(self.ask(boss, "GET", "/api/v1/jobs")[0], 403)
        status, mine = self.daemon.submit({"model": self.blob, "runs": 1000000})[::2]
        self.assertRegex(self.daemon.get(f"/api/v1/jobs/{json.loads(mine)['id']}")["owner"], "^uid:[0-9]+$")
        self.assertEqual(self.ask(chief, "POST", "/api/v1/tokens", {"name": "x", "scopes": "read,runner-code"})[0], 403)
        self.assertEqual(self.ask(chief, "POST", "/api/v1/tokens", {"name": "uid:0"})[0], 422)
        self.assertEqual(self.ask(ann, "POST", "/api/v1/query", {"sql": "SELECT * FROM audit"})[0], 422)
        path, answer = f"/api/v1/jobs/{job['id']}", {"rows": []}
        limit = time.monotonic() + 30  # a write is answered before it is noted
        while ["chief", "POST", "/api/v1/tokens", 422] not in answer["rows"] and time.monotonic() < limit:
            status, answer = self.ask(chief, "POST", "/api/v1/query", {"sql": "SELECT who, method, path, status FROM audit ORDER BY id"})
            self.assertEqual(status, 200, answer)
        for row in (["ann", "POST", "/api/v1/jobs", 201], ["ann", "POST", "/api/v1/jobs", 429], ["bob", "DELETE", path, 403],
                    ["ann", "DELETE", path, 200], ["chief", "POST", "/api/v1/tokens", 403]):
            self.assertIn(row, answer["rows"])
        self.assertFalse([row for row in answer["rows"] if row[1] == "GET" or row[2] == "/api/v1/query"])
        for job in self.daemon.get("/api/v1/jobs")["jobs"]:
            self.daemon.request("DELETE", f"/api/v1/jobs/{job['id']}")


if __name__ == "__main__":
    lab.main()
