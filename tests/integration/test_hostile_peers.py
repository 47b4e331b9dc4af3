"""Hostile peers on the agent's socket, the daemon's device link and its HTTP socket: one log line each, the connection
closed, and nothing else disturbed."""

import contextlib
import re
import socket
import struct
import threading
import time
import unittest

import lab
import wire
from daemon import NATIVE_AGENT
from faults import cases, laboratory
from wire import AGENT, CANCEL, CHUNK, HELLO, HOST, JOB, PROOF, REFUSAL, RESULT, RESUME, STATE, Peer

HANDSHAKE_SECONDS = 5
PATIENCE_SECONDS = 30  # for a line in a log, on however busy a machine
FAILED, BUSY = 2, 8  # outcomes


def setUpModule():
    lab.need(laboratory.ORDINAL_LAB, NATIVE_AGENT, lab.AGENT, lab.EMULATOR)


class Hostile(unittest.TestCase):
    def setUp(self):
        self.lab = laboratory.Laboratory(hostile="bad")
        self.addCleanup(self.lab.close)

    def secret(self, device):
        path = self.lab.state / "agents" / device / "agent"
        return path.read_bytes()[12:44] if path.exists() else None


class ToAgents(Hostile):
    """Strangers at an agent that streams a job to its daemon meanwhile."""

    def stranger(self, secret=b"\0" * 32, role=HOST):
        path, peers = self.lab.state / "agents/here/agent.sock", []

        def reached():  # a socket has its name a moment before it listens
            with contextlib.suppress(FileNotFoundError, ConnectionRefusedError):
                peers.append(Peer.connect(path, role, secret))
            return bool(peers)

        laboratory.wait_until(reached, PATIENCE_SECONDS, "the agent")
        return peers[0]

    def lines(self):
        text = (self.lab.state / "agents/here/agent.log").read_text()
        return re.findall(r"event=peer_refused reason=\"(.*)\"", text)

    def attack(self, expected, send, role=HOST):
        """One stranger; `send` gets it. The agent closes, and says so in one line with those words."""
        before = len(self.lines())
        peer = self.stranger(role=role)
        try:
            send(peer)
        except (BrokenPipeError, ConnectionResetError):
            pass  # it was faster than we
        self.assertTrue(peer.is_closed(), expected)
        peer.close()
        laboratory.wait_until(lambda: len(self.lines()) > before, PATIENCE_SECONDS, expected)
        time.sleep(0.02)
        told = self.lines()[before:]
        self.assertEqual(len(told), 1, told)
        self.assertIn(expected, told[0])

    def frames(self):
        yield "limit", lambda p: p.send(struct.pack("<II", 0x7FFFFFFF, 0))
        yield "limit", lambda p: p.send(b"\0" * 8)
        yield "limit", lambda p: p.send(b"GET / HTTP/1.1\r\n\r\n")
        yield "", lambda p: p.send(struct.pack("<II", PATIENCE_SECONDS, 0) + b"hello")
        yield "", lambda p: p.send(wire.frame(b"\xff" * 64))
        yield "the peer closed", lambda p: (p.send(p.hello()[:20]), p.sock.shutdown(socket.SHUT_WR))

    def handshakes(self):
        yield "protocol 99 to 99", lambda p: p.send(p.hello(99, 99))
        yield "hello", lambda p: p.send(p.hello(nonce=b"short"))
        yield "hello", lambda p: p.send(p.hello() + p.hello())
        yield "before it proved itself", lambda p: p.send(p.hello() + wire.envelope(JOB, {1: 1, 2: "model"}))
        yield "secret", lambda p: p.send(p.hello() + wire.envelope(PROOF, {1: b"\0" * 32, 2: wire.VERSION}))
        yield "secret", lambda p: (p.send(p.hello()), p.send(wire.envelope(PROOF, {1: p.expect(PROOF)[1], 2: wire.VERSION})))

    def replay(self, peer):
        """The proof of another connection, with its nonce."""
        before = len(self.lines())
        other = self.stranger(self.secret("here"))
        other.send(other.hello())
        proof = other.proof(HOST, other.expect(HELLO)[3])
        other.close()
        laboratory.wait_until(lambda: len(self.lines()) > before, PATIENCE_SECONDS, "the first one's end")
        peer.send(peer.hello(nonce=other.nonce) + wire.envelope(PROOF, {1: proof, 2: wire.VERSION}))

    def test_strangers_are_refused_in_one_line_and_disturb_no_job(self):
        undisturbed = cases.run_undisturbed(self.lab, "here", cases.LONG_RUNS)
        job = self.lab.submit("here", cases.LONG_RUNS)
        for expected, send in [*self.frames(), *self.handshakes()]:
            with self.subTest(expected):
                self.attack(expected, send)
        self.attack("hello", lambda p: p.send(p.hello()), role=AGENT)
        record = self.lab.daemon.wait(job)
        self.assertEqual((record["state"], record["attempts"]), ("done", 1))
        self.assertEqual(laboratory.digest(self.lab.etdumps(record)), undisturbed["digest"])
        self.assertNotIn("link_down device=here", self.lab.daemon.log_text())

    def test_a_stranger_hears_versions_and_a_nonce_and_nothing_of_the_device(self):
        peer = self.stranger()
        peer.send(peer.hello())
        body, fields = peer.receive()
        self.assertEqual(body, HELLO)
        self.assertLessEqual(set(fields), {1, 2, 3, 4, 5, 7})  # device.proto's Hello: versions, nonce, role, software, sealed
        self.assertTrue(fields[5].startswith(b"sme2lab-agent "), fields[5])
        peer.send(wire.envelope(PROOF, {1: b"\0" * 32, 2: wire.VERSION}))
        rest = dict(iter(peer.receive, None))
        self.assertLessEqual(set(rest), {PROOF, REFUSAL})
        self.assertIn(b"secret", rest[REFUSAL][1])
        peer.close()

    def test_a_replayed_proof_is_refused(self):
        peer = self.stranger()
        self.replay(peer)
        self.assertTrue(peer.is_closed())
        peer.close()
        laboratory.wait_until(lambda: "secret" in self.lines()[-1], PATIENCE_SECONDS, "the refusal")

    def test_silent_and_slow_strangers_are_closed_in_time_and_shut_nobody_out(self):
        start = time.monotonic()
        silent = [self.stranger() for _ in range(12)]  # more than the agent keeps
        slow = self.stranger()
        self.lab.proxies["here"].drop_all()  # the daemon has to come in again, past them
        record = self.lab.daemon.wait(self.lab.submit("here", 10))
        self.assertEqual(record["state"], "done")
        late = any("in time" in reason for reason in self.lines())
        self.assertFalse(late and time.monotonic() - start < HANDSHAKE_SECONDS)  # they were all there still, unless the job took so long
        start = time.monotonic()
        try:
            for byte in slow.hello():
                slow.send(bytes([byte]))
                time.sleep(0.1)
        except (BrokenPipeError, ConnectionResetError):
            pass
        self.assertTrue(all(peer.is_closed() for peer in [*silent, slow]))
        self.assertLess(time.monotonic() - start, 4 * HANDSHAKE_SECONDS)
        reasons = self.lines()
        self.assertTrue(any("did not prove itself in time" in reason for reason in reasons))
        self.assertTrue(any("too many unproven" in reason for reason in reasons))
        for peer in [*silent, slow]:
            peer.close()


class ToDaemons(Hostile):
    """An agent that lies to its daemon, which has another device to serve meanwhile."""

    def setUp(self):
        super().setUp()
        self.listener = self.lab.listener
        self.addCleanup(self.listener.close)

    def lines(self):
        return re.findall(r"event=link_down device=bad failures=\d+ reason=\"(.*)\"", self.lab.daemon.log_text())

    def agent(self):
        """The next connection of the daemon, not yet greeted."""
        self.listener.settimeout(20)
        sock = self.listener.accept()[0]
        return Peer(sock, AGENT, laboratory.wait_until(lambda: self.secret("bad"), 10, "the agent's record"))

    def proven(self):
        peer = self.agent().shake_hands()
        peer.expect(RESUME)
        return peer

    def lie(self, expected, send):
        before = len(self.lines())
        peer = self.agent()
        try:
            send(peer)
        except (BrokenPipeError, ConnectionResetError):
            pass
        self.assertTrue(peer.is_closed(), expected)
        peer.close()
        laboratory.wait_until(lambda: len(self.lines()) > before, PATIENCE_SECONDS, expected)
        told = self.lines()[before:]
        self.assertEqual(len(told), 1, told)
        self.assertIn(expected, told[0])
        self.proven().close()  # an orderly one in between: the daemon's patience begins anew
        laboratory.wait_until(lambda: len(self.lines()) > before + 1, PATIENCE_SECONDS, "the orderly end")

    def test_lying_agents_are_refused_in_one_line_and_disturb_no_other_device(self):
        undisturbed = cases.run_undisturbed(self.lab, "here", cases.LONG_RUNS)
        while True:  # what waited meanwhile has been given up
            try:
                last = self.proven()
                break
            except (AssertionError, OSError):
                pass
        before = len(self.lines())
        last.close()
        laboratory.wait_until(lambda: len(self.lines()) > before, PATIENCE_SECONDS, "the orderly end")
        job = self.lab.submit("here", cases.LONG_RUNS)
        self.lie("limit", lambda p: p.send(struct.pack("<II", 1 << 30, 0)))
        self.lie("protocol 7 to 9", lambda p: p.send(p.hello(7, 9)))
        self.lie("secret", lambda p: p.send(p.hello() + wire.envelope(PROOF, {1: b"\1" * 32, 2: wire.VERSION})))
        self.lie("before it proved itself", lambda p: p.send(p.hello() + wire.envelope(RESULT, {1: 1, 2: 1})))
        self.lie("the peer refused: no", lambda p: p.send(wire.envelope(wire.REFUSAL, {1: "no"})))
        self.lie("the peer closed", lambda p: (p.send(p.hello()[:9]), p.sock.shutdown(socket.SHUT_WR)))
        self.lie("", lambda p: (p.shake_hands(), p.send(b"\0" * 64)))
        self.lie("", lambda p: (p.shake_hands(), p.send(wire.frame(b"\xff" * 32))))
        record = self.lab.daemon.wait(job)
        self.assertEqual((record["state"], record["attempts"]), ("done", 1))
        self.assertEqual(laboratory.digest(self.lab.etdumps(record)), undisturbed["digest"])

    def run_lies(self, tell):
        """A job on the lying agent: `tell` gets each connection that has been given the job, and its number there."""
        job = self.lab.submit("bad", 1)
        threading.Thread(target=self.serve_lies, args=(tell,), daemon=True).start()
        return self.lab.daemon.wait(job, 60)

    def serve_lies(self, tell):
        while True:
            try:
                peer = self.proven()
                while message := peer.receive():
                    if message[0] == JOB:
                        tell(peer, wire.run_of(*message))
                peer.close()
            except socket.timeout:
                return
            except (OSError, AssertionError):
                if self.listener.fileno() < 0:
                    return

    def test_a_gap_in_a_stream_fails_the_job_by_name_and_no_other(self):
        record = self.run_lies(lambda p, number: p.send(wire.about(CHUNK, number, {2: 1, 3: 4096, 4: b"x" * 64})))
        self.assertEqual((record["state"], record["cause"]), ("failed", "lab"))
        self.assertIn("left out a part of a stream", record["detail"])
        self.assertEqual(self.lab.daemon.wait(self.lab.submit("here", 10))["state"], "done")

    def test_an_agent_that_is_busy_with_a_job_of_nobodys_is_told_to_stop_it(self):
        """As after a daemon's death: what blocks an agent without a byte of a stream would block its device for good."""
        told, nobodys = [], (5, 3 << 48 | 77)

        def tell(peer, number):
            if nobodys not in told:
                peer.send(wire.about(RESULT, number, {2: BUSY}) + wire.about(STATE, nobodys, {2: 4}))
                told.append(wire.run_of(CANCEL, peer.expect(CANCEL)))
            else:
                peer.send(wire.about(RESULT, number, {2: FAILED, 6: "made up"}))
        record = self.run_lies(tell)
        self.assertEqual(told, [nobodys])
        self.assertEqual(record["state"], "failed", record)

    def test_more_than_was_declared_fails_the_job_by_name(self):
        def tell(peer, number):
            peer.send(wire.about(CHUNK, number, {2: 1, 4: b"x" * 64}) + wire.about(RESULT, number, {2: 1, 7: 8}))
        record = self.run_lies(tell)
        self.assertEqual((record["state"], record["cause"]), ("failed", "lab"))
        self.assertIn("less of a stream than it sent", record["detail"])

    def test_a_trace_that_is_none_fails_the_job_by_name(self):
        def tell(peer, number):
            peer.send(wire.about(CHUNK, number, {2: 9, 4: b"of a stream that is none"}))
            peer.send(wire.about(CHUNK, (number[0], 1 << 60), {2: 1, 3: 1 << 62, 4: b"of a job that is none"}))
            peer.send(wire.about(CHUNK, number, {2: 1, 4: b"x" * 64}))
            peer.send(wire.about(RESULT, number, {2: 1, 7: 64}) * 3)
        record = self.run_lies(tell)
        self.assertEqual(record["state"], "failed", record)
        self.assertNotEqual(record["detail"], "")


class ToHttp(Hostile):
    def lines(self):
        return re.findall(r"event=http_peer_refused (status=\d+ path=\".*\" reason=\".*\")", self.lab.daemon.log_text())

    def attack(self, data, answer, told):
        """One peer that sends this and no more. It gets the answer, and the log one line with those words."""
        before = len(self.lines())
        with socket.socket(socket.AF_UNIX) as sock:
            sock.connect(str(self.lab.daemon.socket))
            sock.settimeout(10)
            with contextlib.suppress(OSError):  # closed in the midst of it
                sock.sendall(data)
                if not answer:
                    sock.shutdown(socket.SHUT_WR)
            got = b""
            with contextlib.suppress(ConnectionResetError):
                while more := sock.recv(4096):
                    got += more
        self.assertIn(answer, got)
        self.assertEqual(self.lab.daemon.request("GET", "/healthz")[0], 200)
        laboratory.wait_until(lambda: len(self.lines()) > before, PATIENCE_SECONDS, data[:60])
        self.assertEqual(len(self.lines()), before + 1, self.lines())
        self.assertIn(told, self.lines()[-1])

    def test_garbage_gets_a_problem_document_and_one_line_and_leaves_the_others_served(self):
        job = b"POST /api/v1/jobs HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
        unreadable, unended = "no request that can be read", "did not come to an end"
        for data, answer, told in (
                (b"", b"", unreadable), (b"\0" * 4096, b"problem:bad-request", unreadable),
                (b"\x16\x03\x01\x02\x00\x01", b"problem:bad-request", unreadable),
                (b"BREW /healthz HTTP/1.1\r\nHost: a\r\n\r\n", b"problem:unknown-method", "BREW is not known here"),
                (b"GET / HTTP/1.1\r\nX: " + b"y" * (1 << 20), b"", unreadable),
                (b"POST /api/v1/jobs HTTP/1.1\r\n", b"", unreadable),
                (job + b"Content-Length: 100\r\n\r\n{", b"", unended),
                (job + b"Content-Length: 99999999999999999999\r\n\r\n", b"problem:bad-header", "is not a number"),
                (job + b"Transfer-Encoding: gzip\r\n\r\n", b"problem:not-implemented", "the only transfer coding"),
                (job + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}0\r\n\r\n", b"problem:bad-request", "not in chunks")):
            with self.subTest(data[:60]):
                self.attack(data, answer, told)

    def test_silent_peers_leave_the_others_served(self):
        silent = []
        for _ in range(20):
            silent.append(socket.socket(socket.AF_UNIX))
            silent[-1].connect(str(self.lab.daemon.socket))
        for _ in range(50):
            self.assertEqual(self.lab.daemon.request("GET", "/api/v1/jobs")[0], 200)
        for sock in silent:
            sock.close()


del Hostile  # its cases are those of the classes above

if __name__ == "__main__":
    lab.main()
