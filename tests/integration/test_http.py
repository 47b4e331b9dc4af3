"""The daemon's HTTP from the outside: what clients send that is allowed, seldom or hostile."""

import hashlib
import json
import os
import pathlib
import random
import socket
import stat
import subprocess
import time

import http_storm
import lab
from daemon import SME2LABD, Daemon

STORM_REQUESTS = 3000
COUNTED = {"devices": [{"name": "here", "kind": "counted"}], "agents_on_demand": True}


def setUpModule():
    lab.need(SME2LABD, lab.AGENT, lab.EMULATOR)


class Http(lab.Scratch):
    def daemon(self, **config):
        state = self.scratch / "state"
        state.mkdir()
        daemon = Daemon(state, COUNTED | config)
        self.enterContext(daemon)
        return daemon

    def connect(self, daemon):
        sock = socket.socket(socket.AF_UNIX)
        sock.settimeout(60)
        sock.connect(str(daemon.socket))
        self.addCleanup(sock.close)
        return sock


class Pipelines(Http):
    def test_two_requests_with_a_body_in_one_write_are_answered_and_the_daemon_ends_when_told(self):
        daemon = self.daemon()
        with self.connect(daemon) as sock:
            sock.sendall(b"GET /healthz HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc" * 2)
            answers = http_storm.Answers(sock)
            self.assertEqual([answers.next(False), answers.next(False)], [200, 200])
        self.assertEqual(daemon.terminate(), 0)

    def test_an_upload_behind_another_request_arrives_as_it_was_sent(self):
        daemon = self.daemon()
        for seed in range(40):
            body = random.Random(seed).randbytes(70000)
            path = b"/api/v1/blobs/" + hashlib.sha256(body).hexdigest().encode()
            with self.connect(daemon) as sock:
                sock.sendall(http_storm.plain(b"GET", b"/api/v1/jobs") + http_storm.plain(b"PUT", path, b"", body))
                answers = http_storm.Answers(sock)
                self.assertEqual([answers.next(False), answers.next(False)], [200, 201])

    def test_a_storm_of_requests_is_answered_one_by_one(self):
        sent = http_storm.storm(self.scratch / "state", STORM_REQUESTS, random.randrange(1 << 30))
        self.assertGreaterEqual(sent, STORM_REQUESTS)


class Numbers(Http):
    def test_the_log_has_a_write_with_the_numbers_of_its_request_and_job(self):
        daemon = self.daemon()
        model = daemon.put_blob(lab.MODELS / "toy_cnn_f32_xnnpack/model.pte")
        _, first, made = daemon.submit({"model": model})
        job = json.loads(made)["id"]
        status, later, _ = daemon.request("DELETE", f"/api/v1/jobs/{job}")
        _, read, _ = daemon.request("GET", f"/api/v1/jobs/{job}")
        numbers = [int(headers["request-id"]) for headers in (first, later, read)]
        self.assertEqual(numbers, sorted(set(numbers)))
        lines = (f"request={numbers[0]} who=uid:{os.getuid()} method=POST path=/api/v1/jobs status=201 job={job}\n",
                 f"request={numbers[1]} who=uid:{os.getuid()} method=DELETE path=/api/v1/jobs/{job} status={status} job={job}\n")
        limit = time.monotonic() + 20
        while not all(line in daemon.log_text() for line in lines):
            self.assertLess(time.monotonic(), limit, daemon.log_text())
            time.sleep(0.05)
        self.assertNotIn(f"request={numbers[2]} ", daemon.log_text())  # reads change nothing


class Addresses(Http):
    def refused(self, *listen, config=None):
        """What a daemon says that cannot listen there; nothing that it started is left."""
        state = self.scratch / "refused"
        words = [SME2LABD, "--state", state, *(word for address in listen for word in ("--listen", address))]
        (self.scratch / "refused.json").write_text(json.dumps(COUNTED | {"agents_on_demand": False} | (config or {})))
        done = subprocess.run([*words, "--config", self.scratch / "refused.json"], capture_output=True, text=True, timeout=60,
                              stdin=subprocess.DEVNULL)
        self.assertNotEqual(done.returncode, 0)
        limit = time.monotonic() + 20
        while left := [path for path in pathlib.Path("/proc").glob("[0-9]*/cmdline") if str(state) in command_of(path)]:
            self.assertLess(time.monotonic(), limit, left)
            time.sleep(0.05)
        return done.stderr

    def test_an_address_that_cannot_be_had_leaves_no_agent_behind(self):
        self.assertIn("other machines may not reach", self.refused("tcp:0.0.0.0:0"))
        with socket.create_server(("127.0.0.1", 0)) as taken:
            said = self.refused(f"tcp:127.0.0.1:{taken.getsockname()[1]}")
        self.assertIn("nobody can listen there", said)
        self.assertIn("stop the program that has this port", said)

    def test_a_file_at_the_sockets_path_is_kept(self):
        path = self.scratch / "precious"
        path.write_text("kept")
        self.assertIn("a file that is no socket", self.refused(f"unix:{path}"))
        self.assertEqual(path.read_text(), "kept")

    def test_the_folder_of_a_socket_is_made(self):
        """/run is empty after a boot."""
        daemon = self.daemon(listen=[f"unix:{self.scratch}/state/sme2labd.sock", f"unix:{self.scratch}/run/other.sock"])
        mask = os.umask(0)
        os.umask(mask)
        self.assertEqual(stat.S_IMODE((self.scratch / "run").stat().st_mode), 0o755 & ~mask)
        self.assertEqual(stat.S_IMODE((self.scratch / "run/other.sock").stat().st_mode), 0o600)
        self.assertIn(f"address=unix:{self.scratch}/run/other.sock", daemon.log_text())
        self.assertIn("No such file or directory", self.refused(f"unix:{self.scratch}/no/where/s.sock"))

    def test_allow_remote_listens_where_it_says(self):
        with socket.create_server(("0.0.0.0", 0)) as free:
            port = free.getsockname()[1]
        daemon = self.daemon(allow_remote=True, listen=[f"unix:{self.scratch}/state/sme2labd.sock", f"tcp:0.0.0.0:{port}"])
        self.assertIn(f"address=tcp:0.0.0.0:{port}", daemon.log_text())
        with socket.create_connection(("127.0.0.1", port), 60) as sock:
            sock.sendall(http_storm.plain(b"GET", b"/healthz") + http_storm.plain(b"GET", b"/api/v1/jobs"))
            answers = http_storm.Answers(sock)
            self.assertEqual([answers.next(False), answers.next(False)], [200, 401])


def command_of(path):
    try:
        return path.read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


del Http  # its cases are those of the classes above

if __name__ == "__main__":
    lab.main()
