"""The daemon's HTTP from the outside: what clients send that is allowed, seldom or hostile."""

import hashlib
import random
import socket

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


del Http  # its cases are those of the classes above

if __name__ == "__main__":
    lab.main()
