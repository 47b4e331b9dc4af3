"""The dashboard as a browser meets it: every link leads somewhere, and the token is a password that only reads."""

import base64
import html.parser
import http.client
import json
import re

import lab
from daemon import SME2LABD, Daemon

TOY = lab.MODELS / "toy_cnn_f32_xnnpack"


def setUpModule():
    lab.need(SME2LABD, lab.AGENT, lab.EMULATOR)


class Page(html.parser.HTMLParser):
    """Links and texts of a page."""

    def __init__(self, text):
        super().__init__()
        self.links, self.words = [], ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.links += [value for name, value in attrs if tag == "a" and name == "href"]

    def handle_data(self, data):
        self.words += data


class TestDashboard(lab.Scratch):
    def setUp(self):
        super().setUp()
        self.daemon = Daemon(self.scratch / "state", {"listen": [f"unix:{self.scratch}/state/sme2labd.sock", "tcp:127.0.0.1:0"],
                                                      "devices": [{"name": "here", "kind": "counted"}], "agents_on_demand": True})
        self.daemon.__enter__()
        self.addCleanup(self.daemon.__exit__)
        self.port = int(re.findall(r"event=listening address=tcp:\S+ port=(\d+)", self.daemon.log_text())[-1])

    def token(self, scopes):
        status, _, body = self.daemon.request("POST", "/api/v1/tokens", json.dumps({"name": "me", "scopes": scopes}), {"Content-Type": "application/json"})
        self.assertEqual(status, 201, body)
        return json.loads(body)["token"]

    def measure(self, name, times):
        """The records of that many runs."""
        job = {"model": self.daemon.put_blob(TOY / "model.pte"), "model_name": name, "runs": 1}
        jobs = [self.daemon.wait(json.loads(self.daemon.submit(job)[2])["id"]) for _ in range(times)]
        self.assertEqual({job["state"] for job in jobs}, {"done"})
        return [self.daemon.get(f"/api/v1/runs/{job['run']}") for job in jobs]

    def page(self, path, token):
        answer, text = self.ask(path, token)
        self.assertEqual(answer.status, 200, path)
        return Page(text.decode())

    def ask(self, path, token, method="GET", body=None):
        client = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        headers = {"Authorization": "Basic " + base64.b64encode(f"me:{token}".encode()).decode()} if token else {}
        if body is not None:
            headers["Content-Type"] = "application/json"
        client.request(method, path, body=body, headers=headers)
        answer = client.getresponse()
        text = answer.read()
        client.close()
        return answer, text

    def test_every_link_from_the_front_page_leads_somewhere(self):
        token = self.token("read")
        self.measure("a <b>&c.pte", 2)
        seen, todo = {}, ["/"]
        while todo:
            path = todo.pop()
            answer, text = self.ask(path, token)
            self.assertEqual(answer.status, 200, path)
            seen[path] = answer
            if not path.startswith("/api/"):
                todo += [link for link in Page(text.decode()).links if link not in seen and link not in todo]
                self.assertNotIn("<b>", text.decode().split("<body>")[1], path)
        for path in ("/jobs", "/jobs/1", "/runs", "/runs/2", "/series", "/api/v1/runs/1/files/report.html", "/runs?model=a%20%3Cb%3E%26c"):
            self.assertIn(path, seen)
        report = seen["/api/v1/runs/1/files/report.html"]
        self.assertTrue(report.getheader("content-type").startswith("text/html"))
        self.assertIn("sandbox", report.getheader("content-security-policy"))
        self.assertEqual(sum(path.startswith("/series/") for path in seen), 1)

    def test_a_page_shows_what_the_lists_show(self):
        token = self.token("read")
        run = self.measure("net.pte", 3)[-1]
        words = self.page(f"/runs/{run['id']}", token).words
        for text in (run["verdict"], "net", f"{run['ratio']:.3f} (executed instructions, not speed)"):
            self.assertIn(text, words)
        self.assertIn("Nothing changed.", self.page(f"/series/{run['series']}", token).words)
        newest = self.page("/runs?limit=2", token)
        self.assertIn("/runs/3", newest.links)
        self.assertNotIn("/runs/1", newest.links)
        older = next(link for link in newest.links if "cursor=" in link)
        self.assertIn("/runs/1", self.page(older, token).links)
        self.assertIn("0 running, 0 queued", self.page("/", token).words)

    def test_the_password_only_reads(self):
        token = self.token("read,submit,admin")
        answer, _ = self.ask("/", None)
        self.assertEqual(answer.status, 401)
        self.assertTrue(any(value.startswith("Basic ") for value in answer.headers.get_all("www-authenticate")))
        self.assertEqual(self.ask("/", token[:-1])[0].status, 401)
        self.assertEqual(self.ask("/", token)[0].status, 200)
        self.assertEqual(self.ask("/api/v1/jobs", token)[0].status, 200)
        for method, path in (("POST", "/api/v1/jobs"), ("POST", "/api/v1/tokens"), ("DELETE", "/api/v1/runs/1")):
            answer, _ = self.ask(path, token, method, "{}" if method == "POST" else None)
            self.assertEqual(answer.status, 401, path)
            self.assertFalse(any(value.startswith("Basic ") for value in answer.headers.get_all("www-authenticate")))

    def test_what_is_not_there_is_said(self):
        token = self.token("read")
        for path, status in (("/runs/1", 404), ("/jobs/9", 404), ("/jobs/x", 404), ("/series/0123456789abcdef", 404), ("/series/x", 404),
                             ("/runs?cursor=x", 400), ("/jobs?state=odd", 400), ("/runs/1/2", 404)):
            self.assertEqual(self.ask(path, token)[0].status, status, path)


if __name__ == "__main__":
    lab.main()
