"""The daemon over TLS, with certificates of an authority of the test's own: our client, Python's, hostile ones, and a renewal."""

import hashlib
import json
import random
import socket
import ssl
import subprocess
import time

import certificates
import http_storm
import lab
from daemon import SME2LABD, Daemon

BODY_BYTES = 3 << 20
SILENCE_SECONDS = 20  # the daemon waits five for a handshake and a head
COUNTED = {"devices": [{"name": "here", "kind": "counted"}], "agents_on_demand": True}


def setUpModule():
    lab.need(SME2LABD, lab.AGENT, lab.EMULATOR)


class Tls(lab.Scratch):
    def setUp(self):
        super().setUp()
        self.authority = certificates.authority(self.scratch)
        self.files = certificates.certificate(self.scratch)
        state = self.scratch / "state"
        state.mkdir()
        with socket.create_server(("0.0.0.0", 0)) as free:
            self.port = free.getsockname()[1]
        self.config = COUNTED | {"tls": self.files, "listen": [f"unix:{state}/sme2labd.sock", f"tls:0.0.0.0:{self.port}"]}
        self.daemon = Daemon(state, self.config)

    def start(self):
        self.enterContext(self.daemon)
        made = self.daemon.request("POST", "/api/v1/tokens", json.dumps({"name": "ann", "role": "admin"}),
                                   {"Content-Type": "application/json"})
        self.token = json.loads(made[2])["token"]

    def connect(self, context=None):
        context = context or ssl.create_default_context(cafile=self.authority)
        sock = context.wrap_socket(socket.create_connection(("127.0.0.1", self.port), 60), server_hostname="localhost")
        self.addCleanup(sock.close)
        return sock

    def bare(self):
        sock = socket.create_connection(("127.0.0.1", self.port), SILENCE_SECONDS)
        self.addCleanup(sock.close)
        return sock


class Clients(Tls):
    def test_our_command_line_trusts_whom_it_is_told_to(self):
        self.start()
        file = self.scratch / "token"
        file.write_text(self.token)
        ask = ["--token-file", file, "devices"]
        done = lab.sme2lab("--server", f"https://localhost:{self.port}", "--cacert", self.authority, *ask)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("here", done.stdout)
        done = lab.sme2lab("--server", f"tls:127.0.0.1:{self.port}", *ask, env={"SME2LAB_CACERT": str(self.authority)})
        self.assertEqual(done.returncode, 0, done.stderr)
        for server, words, said in ((f"https://localhost:{self.port}", [], "is not trusted"),
                                    (f"https://127.0.0.2:{self.port}", ["--cacert", self.authority], "is not trusted"),
                                    (f"https://localhost:{self.port}", ["--cacert", "/nowhere"], "cannot be read"),
                                    (f"https://localhost:{self.port}", ["--cacert", file], "certificate"),
                                    (f"http://localhost:{self.port}", [], "ask for https://")):
            done = lab.sme2lab("--server", server, *words, *ask)
            self.assertNotEqual(done.returncode, 0, said)
            self.assertIn(said, done.stderr)

    def test_pipelines_uploads_and_downloads_are_what_they_are_in_the_clear(self):
        self.start()
        body = random.Random(7).randbytes(BODY_BYTES)
        path = b"/api/v1/blobs/" + hashlib.sha256(body).hexdigest().encode()
        allowed = b"Authorization: Bearer " + self.token.encode() + b"\r\n"
        sock = self.connect()
        sent = http_storm.plain(b"GET", b"/healthz") * 3 + http_storm.plain(b"PUT", path, allowed, body)
        sent += http_storm.plain(b"GET", b"/healthz", b"Connection: close\r\n")
        draw = random.Random(8)
        while sent:
            size = draw.randint(1, 1 << 17)
            sock.sendall(sent[:size])
            sent = sent[size:]
        answers = http_storm.Answers(sock)
        self.assertEqual([answers.next(False) for _ in range(5)], [200, 200, 200, 201, 200])
        self.assertEqual(sock.recv(1), b"")  # with a close_notify: Python raises without one
        self.assertEqual(self.daemon.request("HEAD", path.decode())[1]["content-length"], str(BODY_BYTES))
        with self.connect() as reader:
            reader.sendall(http_storm.plain(b"GET", b"/api/v1/openapi.yaml", allowed))
            self.assertEqual(http_storm.Answers(reader).next(False), 200)
        self.assertEqual(self.daemon.terminate(), 0)

    def test_hands_that_are_not_shaken_in_time_or_otherwise_are_let_go(self):
        self.start()
        silent, began = self.bare(), time.monotonic()
        slow = self.bare()
        slow.sendall(b"\x16\x03\x01\x02\x00\x01")
        for _ in range(3):
            time.sleep(1)
            slow.sendall(b"\x00")
        self.assertEqual(silent.recv(1), b"")
        self.assertEqual(slow.recv(1), b"")
        self.assertLess(time.monotonic() - began, SILENCE_SECONDS)
        plain = self.bare()
        plain.sendall(http_storm.plain(b"GET", b"/healthz"))
        self.assertEqual(http_storm.Answers(plain).next(False), 400)
        noise = self.bare()
        noise.sendall(b"\x16\x03\x01\x00\x05hello")
        noise.recv(100)  # an alert
        self.assertEqual(noise.recv(1), b"")
        old = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        old.set_ciphers("DEFAULT@SECLEVEL=0")
        old.minimum_version = old.maximum_version = ssl.TLSVersion.TLSv1_1
        self.assertRaises(ssl.SSLError, self.connect, old)
        self.assertIn("TLS could not be agreed on", self.daemon.log_text())
        with self.connect() as sock:
            sock.sendall(http_storm.plain(b"GET", b"/healthz"))
            self.assertEqual(http_storm.Answers(sock).next(False), 200)

    def test_a_client_that_does_not_read_bothers_nobody(self):
        self.start()
        deaf = self.connect()
        deaf.sendall(http_storm.plain(b"GET", b"/api/v1/openapi.yaml", b"Authorization: Bearer " + self.token.encode() + b"\r\n") * 50)
        with self.connect() as sock:
            for _ in range(20):
                sock.sendall(http_storm.plain(b"GET", b"/healthz"))
                self.assertEqual(http_storm.Answers(sock).next(False), 200)


class Renewal(Tls):
    def test_a_new_certificate_serves_new_connections_and_open_ones_go_on(self):
        self.start()
        open_one = self.connect()
        before = open_one.getpeercert()["serialNumber"]
        renewed = certificates.certificate(self.scratch, "next")
        (self.scratch / "next.pem").rename(self.files["certificate"])
        self.assertEqual(self.connect().getpeercert()["serialNumber"], before)  # the key is the old one still
        (self.scratch / "next.key").rename(self.files["key"])
        self.assertNotEqual(self.connect().getpeercert()["serialNumber"], before)
        self.assertNotEqual(renewed, self.files)
        open_one.sendall(http_storm.plain(b"GET", b"/healthz"))
        self.assertEqual(http_storm.Answers(open_one).next(False), 200)
        self.assertIn("event=certificate_refused", self.daemon.log_text())
        self.assertIn("event=certificate_renewed", self.daemon.log_text())

    def test_what_cannot_serve_is_refused_before_anything_starts(self):
        other = certificates.certificate(self.scratch, "other")
        locked = certificates.certificate(self.scratch, "locked", passphrase="secret")
        expired = certificates.certificate(self.scratch, "old", days=-1)
        cases = [({"certificate": self.files["certificate"], "key": other["key"]}, "not that of the certificate"), (locked, "passphrase"),
                 ({"certificate": "/nowhere", "key": other["key"]}, "cannot be read"), (expired, "expired")]
        path = self.scratch / "wrong.json"
        path.write_text(json.dumps(COUNTED))
        done = subprocess.run([SME2LABD, "--check-config", "--config", path, "--listen", "tls:0.0.0.0:8443"], capture_output=True, text=True, timeout=60)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("no certificate", done.stderr)
        for files, said in cases:
            path.write_text(json.dumps(self.config | {"tls": files}))
            for words in (["--check-config"], *([["--state", self.scratch / "state"]] if files != expired else [])):
                done = subprocess.run([SME2LABD, *words, "--config", path], capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
                self.assertNotEqual(done.returncode, 0, said)
                self.assertIn(said, done.stderr)

    def test_an_expired_certificate_keeps_nobody_from_the_unix_socket(self):
        files = certificates.certificate(self.scratch, "old", days=-1)
        self.daemon = Daemon(self.daemon.state, self.config | {"tls": files})
        self.start()
        self.assertEqual(self.daemon.request("GET", "/healthz")[0], 200)
        self.assertIn("event=certificate_not_valid", self.daemon.log_text())
        self.assertRaises(ssl.SSLError, self.connect)
        certificates.certificate(self.scratch, "old")
        self.assertTrue(self.connect().getpeercert())


del Tls  # its cases are those of the classes above

if __name__ == "__main__":
    lab.main()
