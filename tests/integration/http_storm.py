"""Requests that are pipelined, cut, reordered and slow, at a daemon that must answer each as HTTP says: over a Unix socket, TCP and TLS,
where hands are shaken wrongly, in half, slowly and never as well.
    http_storm.py [REQUESTS]     one million unless said otherwise; with SL_HOST_PRESET=asan at a sanitized daemon
Standard library only."""

import contextlib
import hashlib
import json
import os
import pathlib
import random
import re
import socket
import ssl
import subprocess
import sys
import tempfile
import time

import certificates
from daemon import Daemon
from lab import HOST as BUILD

WAYS = ("unix", "tcp", "tls", "unix", "tcp", "tls")  # of the workers
WARM = 4  # of so many parts the first fills caches and tables; it must not grow after that
GROWTH_BYTES = 4 << 20  # what the allocator may keep more
HELD = 200  # connections of one worker that begin no request
SPOILED = 0.3  # share of the handshakes
PATIENCE_SECONDS = 60  # for an answer, on however busy a machine
BLOB_BYTES = 70000  # more than the daemon reads at once
CUT, SLOW, BLOB = 0.1, 0.03, 0.01  # shares of the connections, and of the requests
HOST = b"Host: storm\r\n"
JSON = b"Content-Type: application/json\r\n"
CHUNKS = b"Transfer-Encoding: chunked\r\n"


def plain(method, path, headers=b"", body=b""):
    length = b"Content-Length: %d\r\n" % len(body) if body or method in (b"POST", b"PUT") else b""
    return method + b" " + path + b" HTTP/1.1\r\n" + HOST + headers + length + b"\r\n" + body


def in_chunks(method, path, headers, body, draw):
    """The body in pieces of any size."""
    out = method + b" " + path + b" HTTP/1.1\r\n" + HOST + headers + CHUNKS + b"\r\n"
    while body:
        size = draw.randint(1, max(1, len(body)))
        out += b"%x%s\r\n" % (size, draw.choice((b"", b";a=b"))) + body[:size] + b"\r\n"
        body = body[size:]
    return out + b"0\r\n" + draw.choice((b"", b"X-Trailer: 1\r\n")) + b"\r\n"


# What keeps the connection, by the status that it gets, over a Unix socket; TCP is the same without a token but for 401.
KEPT = [
    (200, plain(b"GET", b"/healthz")),
    (200, plain(b"GET", b"/healthz", body=b"abc")),
    (200, plain(b"HEAD", b"/healthz")),
    (200, plain(b"GET", b"/api/v1/jobs")),
    (200, plain(b"GET", b"/api/v1/jobs?limit=3", body=b"x" * 3000)),
    (200, plain(b"GET", b"/api/v1/openapi.yaml")),
    (200, plain(b"GET", b"/metrics")),
    (200, plain(b"GET", b"http://storm/readyz")),
    (400, plain(b"GET", b"/api/v1/jobs?limit=0")),
    (400, plain(b"GET", b"/%zz")),
    (404, plain(b"GET", b"/nowhere", body=b"abc")),
    (404, plain(b"HEAD", b"/api/v1/jobs/999999")),
    (404, plain(b"DELETE", b"/api/v1/jobs/999999", body=b"{}")),
    (405, plain(b"OPTIONS", b"/api/v1/jobs")),
    (405, plain(b"POST", b"/healthz", body=b"abc")),
    (414, plain(b"GET", b"/" + b"a" * 2000)),
    (415, plain(b"POST", b"/api/v1/jobs", body=b"abc")),
    (422, plain(b"POST", b"/api/v1/jobs", JSON, b"{}")),
    (422, plain(b"POST", b"/api/v1/jobs", JSON + b"Expect: 100-continue\r\n", b"[]")),
    (422, plain(b"PUT", b"/api/v1/blobs/abc", body=b"x" * 20000)),
]
OPEN_TO_ALL = ("/healthz", "/nowhere", "/%zz", "OPTIONS", "/" + "a" * 2000)  # parts of requests that TCP answers without a token
# What is the last of its connection.
LAST = [
    (400, b"\0garbage\r\n\r\n"),
    (400, b"GET /healthz HTTP/1.1\r\n\r\n"),
    (400, b"POST /api/v1/jobs HTTP/1.1\r\n" + HOST + JSON + CHUNKS + b"\r\n2\r\n{}XX"),
    (400, b"POST /api/v1/jobs HTTP/1.1\r\n" + HOST + b"Content-Length: 1\r\n" + CHUNKS + b"\r\n"),
    (417, plain(b"GET", b"/healthz", b"Expect: more\r\n")),
    (431, b"GET /healthz HTTP/1.1\r\nA: " + b"a" * 9000),
    (501, plain(b"BREW", b"/healthz")),
    (505, b"GET / HTTP/3.0\r\n\r\n"),
    (200, plain(b"GET", b"/healthz", b"Connection: close\r\n")),
]


class Answers:
    """Reads one answer after the other off a socket: status, and whether the connection goes on."""

    def __init__(self, sock):
        self.sock, self.buffer = sock, b""

    def more(self):
        data = self.sock.recv(1 << 16)
        if not data:
            raise ConnectionError(f"closed after {self.buffer[:200]!r}")
        self.buffer += data

    def next(self, is_head):
        while (end := self.buffer.find(b"\r\n\r\n")) < 0:
            self.more()
        head, self.buffer = self.buffer[:end], self.buffer[end + 4:]
        status = int(head[9:12])
        if status == 100:
            return self.next(is_head)
        at = head.find(b"\r\ncontent-length: ")
        length = int(head[at + 18:].split(b"\r\n", 1)[0]) if at >= 0 and not is_head else 0
        while len(self.buffer) < length:
            self.more()
        body, self.buffer = self.buffer[:length], self.buffer[length:]
        if status >= 400 and not is_head and json.loads(body)["status"] != status:
            raise AssertionError(f"{status} with {body!r}")
        return status


class Hands:
    """Handshakes of one worker, from all addresses of a network: one address may begin few of them in a second."""

    def __init__(self, authority, port, draw):
        self.port, self.draw = port, draw
        self.network, self.count = draw.randint(1, 254), 0
        self.held = []  # open, and never used again
        self.contexts = [ssl.create_default_context(cafile=authority) for _ in range(2)]
        self.contexts[1].maximum_version = ssl.TLSVersion.TLSv1_2
        self.sessions = [None, None]

    def bare(self):
        self.count += 1
        source = f"127.{self.network}.{self.count // 250 % 250}.{self.count % 250 + 1}"
        return socket.create_connection(("127.0.0.1", self.port), PATIENCE_SECONDS, source_address=(source, 0))

    def shaken(self):
        which = self.draw.randrange(2)
        session = self.sessions[which] if self.draw.random() < 0.5 else None
        return self.contexts[which].wrap_socket(self.bare(), server_hostname="localhost", session=session)

    def remember(self, sock):
        self.sessions[self.contexts.index(sock.context)] = sock.session

    def hello(self):
        """A client's first bytes, as they should be."""
        there = ssl.MemoryBIO()
        hands = self.draw.choice(self.contexts).wrap_bio(ssl.MemoryBIO(), there, server_hostname="localhost")
        with contextlib.suppress(ssl.SSLWantReadError):
            hands.do_handshake()
        return there.read()

    def spoil(self):
        """Makes a handshake that fails: cut, bent, noise, behind noise, or followed by some; slow or at once."""
        hello = bytearray(self.hello())
        noise = self.draw.randbytes(self.draw.randint(1, 3000))
        way = self.draw.randrange(5)
        if way == 0:
            hello = hello[:self.draw.randint(0, len(hello))]
        elif way == 1:
            hello[self.draw.randrange(len(hello))] ^= 1 << self.draw.randrange(8)
        elif way == 2:
            hello = b"\x16\x03\x01" + len(noise).to_bytes(2, "big") + noise
        else:
            hello = hello + noise if way == 3 else noise + hello
        sock = self.bare()
        with contextlib.suppress(OSError):  # it may be let go before it has said all
            if self.draw.random() < SLOW:
                for at in range(0, 40, 2):
                    sock.sendall(hello[at:at + 2])
                    time.sleep(self.draw.random() * 0.004)
                hello = hello[40:]
            sock.sendall(hello)
            if self.draw.random() < 0.5:
                self.held.append(sock)
                if len(self.held) > HELD:
                    self.held.pop(self.draw.randrange(HELD)).close()
                return
            sock.shutdown(socket.SHUT_WR)
        with sock, contextlib.suppress(ConnectionResetError, BrokenPipeError):
            while sock.recv(1 << 16):  # it is told, and let go: a silence is TimeoutError
                pass


class Worker:
    def __init__(self, daemon, seed, way, port):
        self.daemon, self.tcp = daemon, port
        self.draw = random.Random(seed)
        self.hands = Hands(daemon.state / "ca.pem", port, self.draw) if way == "tls" else None
        self.sent = 0

    def connect(self):
        if self.hands:
            return self.hands.shaken()
        if self.tcp:
            return socket.create_connection(("127.0.0.1", self.tcp), PATIENCE_SECONDS)
        sock = socket.socket(socket.AF_UNIX)
        sock.settimeout(PATIENCE_SECONDS)
        sock.connect(str(self.daemon.socket))
        return sock

    def blob(self):
        """A correct upload that nobody has made yet."""
        body = self.draw.randbytes(BLOB_BYTES)
        digest = hashlib.sha256(body).hexdigest()
        path = b"/api/v1/blobs/" + digest.encode()
        if self.draw.random() < 0.5:
            return 201, in_chunks(b"PUT", path, b"", body, self.draw), digest
        return 201, plain(b"PUT", path, b"", body), digest

    def script(self):
        """(status, request, blob) in the order of sending; little enough for the sockets' buffers."""
        wishes, size = [], 0
        for _ in range(self.draw.choice((1, 2, 3, 10, 40, 80))):
            wish = self.blob() if not self.tcp and self.draw.random() < BLOB else (*self.draw.choice(KEPT), None)
            if self.tcp and b"Expect" in wish[1]:
                continue  # refused before its body came, the connection ends: nobody knows whether the body still comes
            if self.tcp and not any(part in wish[1][:2100].decode(errors="replace") for part in OPEN_TO_ALL):
                wish = (401, *wish[1:])
            if size + len(wish[1]) < 150000:
                wishes.append(wish)
                size += len(wish[1])
        if not wishes or self.draw.random() < 0.2:
            last = self.draw.choice(LAST)
            wishes.append((401 if self.tcp and b"XX" in last[1] else last[0], last[1], None))
        return wishes

    def send(self, sock, data):
        if self.draw.random() >= SLOW:
            sock.sendall(data)
            return
        for _ in range(20):
            size = self.draw.randint(1, 400)
            sock.sendall(data[:size])
            data = data[size:]
            time.sleep(self.draw.random() * 0.004)
        sock.sendall(data)

    def connection(self):
        wishes = self.script()
        data = b"".join(wish[1] for wish in wishes)
        cut = self.draw.randint(1, len(data)) if self.draw.random() < CUT else None
        with self.connect() as sock:
            with contextlib.suppress(BrokenPipeError, ConnectionResetError) if cut else contextlib.nullcontext():
                self.send(sock, data[:cut])
            if cut:  # it leaves; some are answered, into nothing
                self.sent += len(wishes)
                return
            answers = Answers(sock)
            for i, (status, request, digest) in enumerate(wishes):
                try:
                    got = answers.next(request.startswith(b"HEAD"))
                except OSError as failure:
                    raise AssertionError(f"{request[:200]!r}, number {i} of {len(wishes)}: {failure}") from failure
                if got != status:
                    raise AssertionError(f"{request[:200]!r} is answered {got}, not {status}, as number {i} of {len(wishes)}")
                if digest:
                    os.unlink(self.daemon.state / "blobs" / digest)
                self.sent += 1
            if self.hands:
                self.hands.remember(sock)

    def run(self, requests):
        while self.sent < requests:
            if self.hands and self.draw.random() < SPOILED:
                self.hands.spoil()
            else:
                self.connection()


def work(state, way, port, seed, requests):
    """One worker, in a process of its own: the seed repeats it."""
    daemon = Daemon(state)
    worker = Worker(daemon, seed, way, port)
    worker.run(requests)
    print(worker.sent)


def run_workers(daemon, ports, requests, seed):
    workers = [subprocess.Popen([sys.executable, __file__, "--work", str(daemon.state), way, str(ports.get(way, 0)), f"{seed}.{i}",
                                 str(max(1, requests // len(WAYS)))], stdout=subprocess.PIPE, text=True) for i, way in enumerate(WAYS)]
    sent = sum(int(worker.communicate()[0] or 0) for worker in workers)
    if any(worker.returncode for worker in workers):
        raise AssertionError(f"a worker failed; seed {seed}; the daemon's log ends: {daemon.log_text()[-3000:]}")
    return sent


def descriptors(place):
    time.sleep(0.05)
    return len(os.listdir(place / "fd"))


def look(daemon):
    """Bytes in memory and open descriptors, once its clients are gone."""
    limit = time.monotonic() + PATIENCE_SECONDS
    place = pathlib.Path(f"/proc/{daemon.process.pid}")
    while int(re.search(rb"(?m)^sme2lab_http_connections (\d+)", daemon.request("GET", "/metrics")[2]).group(1)) > 1:
        if time.monotonic() > limit:
            raise AssertionError("connections of clients that have gone stay open")
        time.sleep(0.1)
    resident = int(re.search(r"VmRSS:\s+(\d+)", (place / "status").read_text()).group(1)) << 10
    return resident, min(descriptors(place) for _ in range(20))  # that of the question is closed a moment later


def must_not_grow(before, after):
    if after[1] > before[1]:
        raise AssertionError(f"{before[1]} open descriptors became {after[1]}")
    if BUILD.name == "host" and after[0] > before[0] + GROWTH_BYTES:  # a sanitizer keeps what was freed
        raise AssertionError(f"{before[0]} bytes in memory became {after[0]}")


def storm(state, requests, seed):
    """All workers at one daemon. Returns how many requests; raises when an answer was wrong or late, the daemon grew, it did not end
    on SIGTERM, or a sanitizer spoke."""
    state = pathlib.Path(state)
    state.mkdir()
    certificates.authority(state)
    with socket.create_server(("127.0.0.1", 0)) as free, socket.create_server(("127.0.0.1", 0)) as other:
        ports = {"tcp": free.getsockname()[1], "tls": other.getsockname()[1]}
    config = {"listen": [f"unix:{state}/sme2labd.sock", *(f"{way}:127.0.0.1:{port}" for way, port in ports.items())],
              "tls": certificates.certificate(state), "devices": [{"name": "here", "kind": "counted"}], "agents_on_demand": True}
    daemon = Daemon(state, config, env={"ASAN_OPTIONS": "detect_stack_use_after_return=1"})
    daemon.start()
    try:
        sent = run_workers(daemon, ports, requests // WARM, f"{seed}.warm")
        before = look(daemon)
        sent += run_workers(daemon, ports, requests - requests // WARM, seed)
        must_not_grow(before, look(daemon))
        if daemon.request("GET", "/healthz")[0] != 200:
            raise AssertionError("the daemon does not answer after the storm")
        began = time.monotonic()
        code = daemon.terminate()
        if code != 0 or time.monotonic() - began > 30:
            raise AssertionError(f"the daemon ended with {code} after {time.monotonic() - began:.0f} s: {daemon.log_text()[-3000:]}")
    finally:
        if daemon.process.poll() is None:
            daemon.kill()
    if "Sanitizer" in daemon.log_text() or "runtime error" in daemon.log_text():
        raise AssertionError(daemon.log_text()[-6000:])
    return sent


def main():
    if sys.argv[1:2] == ["--work"]:
        work(pathlib.Path(sys.argv[2]), sys.argv[3], int(sys.argv[4]), sys.argv[5], int(sys.argv[6]))
        return
    requests = int(sys.argv[1]) if len(sys.argv) > 1 else 1000000
    seed = random.randrange(1 << 30)
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="sme2lab-storm-") as folder:
        sent = storm(pathlib.Path(folder) / "state", requests, seed)
    print(f"storm: {sent} requests in {time.monotonic() - began:.0f} s, each answered as it should be; seed {seed}")


if __name__ == "__main__":
    main()
