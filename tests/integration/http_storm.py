"""Requests that are pipelined, cut, reordered and slow, at a daemon that must answer each as HTTP says.
    http_storm.py [REQUESTS]     one million unless said otherwise; with SL_HOST_PRESET=asan at a sanitized daemon
Standard library only."""

import contextlib
import hashlib
import json
import os
import pathlib
import random
import socket
import subprocess
import sys
import tempfile
import time

from daemon import Daemon

WORKERS = 4
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


class Worker:
    def __init__(self, daemon, seed, tcp):
        self.daemon, self.tcp = daemon, tcp
        self.draw = random.Random(seed)
        self.sent = 0

    def connect(self):
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

    def run(self, requests):
        while self.sent < requests:
            self.connection()


def work(state, tcp, seed, requests):
    """One worker, in a process of its own: the seed repeats it."""
    daemon = Daemon(state)
    worker = Worker(daemon, seed, tcp)
    worker.run(requests)
    print(worker.sent)


def storm(state, requests, seed):
    """All workers at one daemon, half of them over TCP. Returns how many requests; raises when an answer was wrong or late, the
    daemon did not end on SIGTERM, or a sanitizer spoke."""
    pathlib.Path(state).mkdir()
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    tcp = listener.getsockname()[1]
    listener.close()
    config = {"listen": [f"unix:{state}/sme2labd.sock", f"tcp:127.0.0.1:{tcp}"], "devices": [{"name": "here", "kind": "counted"}], "agents_on_demand": True}
    daemon = Daemon(state, config, env={"ASAN_OPTIONS": "detect_stack_use_after_return=1"})
    daemon.start()
    try:
        workers = [subprocess.Popen([sys.executable, __file__, "--work", str(state), str(tcp if i % 2 else 0), f"{seed}.{i}",
                                     str(requests // WORKERS)], stdout=subprocess.PIPE, text=True) for i in range(WORKERS)]
        sent = sum(int(worker.communicate()[0] or 0) for worker in workers)
        if any(worker.returncode for worker in workers):
            raise AssertionError(f"a worker failed; seed {seed}; the daemon's log ends: {daemon.log_text()[-3000:]}")
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
        work(pathlib.Path(sys.argv[2]), int(sys.argv[3]), sys.argv[4], int(sys.argv[5]))
        return
    requests = int(sys.argv[1]) if len(sys.argv) > 1 else 1000000
    seed = random.randrange(1 << 30)
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="sme2lab-storm-") as folder:
        sent = storm(pathlib.Path(folder) / "state", requests, seed)
    print(f"storm: {sent} requests in {time.monotonic() - began:.0f} s, each answered as it should be; seed {seed}")


if __name__ == "__main__":
    main()
