"""A daemon of the test's own, in a scratch directory, and HTTP to it over its Unix socket. Standard library only."""

import hashlib
import http.client
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import time

from lab import AGENT, HOST, NATIVE, NO_ADB, STATE, must_be_valid, run_directories

SME2LABD = HOST / "bin/sme2labd"
NATIVE_AGENT = NATIVE / "bin/sme2lab-agent"


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path, timeout):
        super().__init__("localhost", timeout=timeout)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(str(self.path))


def await_follower(places):
    """Until somebody follows a job's events on a daemon whose socket `places` (called) names: only then can he be hurt in that."""
    limit = time.monotonic() + 60
    while time.monotonic() < limit:
        for path in places():
            connection = UnixConnection(path, 60)
            try:
                connection.request("GET", "/metrics")
                if re.search(rb"(?m)^sme2lab_http_streams [1-9]", connection.getresponse().read()):
                    return
            except OSError:
                pass  # it is not there yet
            finally:
                connection.close()
        time.sleep(0.02)
    raise AssertionError("nobody follows a job")


def private_sockets():
    """Those of the daemons that this module's runs start for themselves."""
    return list(STATE.glob("private/*/sme2labd.sock"))


class Daemon:
    """Started on entering, drained on leaving; `kill` and `start` in between are a crash and what follows."""

    def __init__(self, state, config=None, program=SME2LABD, env=None):
        self.state = pathlib.Path(state)
        self.socket = self.state / "sme2labd.sock"
        self.words = [program, "--state", self.state]
        own = {"SME2LAB_AGENT": str(AGENT), "SME2LAB_NATIVE_AGENT": str(NATIVE_AGENT)} if HOST.name != "host" else {}
        self.env = {k: v for k, v in os.environ.items() if not k.startswith("SME2LAB_")} | own | (env or {})
        self.env.setdefault("ADB_SERVER_SOCKET", NO_ADB)
        if config is not None:
            path = self.state.parent / "host.json"
            path.write_text(json.dumps(config))
            self.words += ["--config", path]
        self.process = None
        self.damaged = set()  # run directories that need not be valid

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, kind=None, *_):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(60)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        for folder in run_directories(self.state / "runs") if kind is None else ():
            if folder not in self.damaged:
                must_be_valid(folder)

    def start(self, path="/readyz"):
        with open(self.state.parent / "daemon.log", "ab") as log:
            self.process = subprocess.Popen([str(w) for w in self.words], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                            env=self.env)
        limit = time.monotonic() + 30
        while time.monotonic() < limit:
            if self.process.poll() is not None:
                raise AssertionError("the daemon ended: " + self.log_text())
            try:
                if self.request("GET", path)[0] == 200:
                    return
            except OSError:
                pass
            time.sleep(0.02)
        raise AssertionError("the daemon does not get ready: " + self.log_text())

    def kill(self):
        self.process.kill()
        self.process.wait()

    def terminate(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(90)

    def log_text(self):
        return (self.state.parent / "daemon.log").read_text(errors="replace")

    def request(self, method, path, body=None, headers=None, timeout=60):
        """Status, headers, body as bytes."""
        connection = UnixConnection(self.socket, timeout)
        try:
            connection.request(method, path, body, headers or {})
            answer = connection.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read()
        finally:
            connection.close()

    def get(self, path):
        status, _, body = self.request("GET", path)
        if status != 200:
            raise AssertionError(f"GET {path}: {status} {body!r}")
        return json.loads(body)

    def put_blob(self, path):
        data = pathlib.Path(path).read_bytes()
        digest = hashlib.sha256(data).hexdigest()
        status, _, body = self.request("PUT", f"/api/v1/blobs/{digest}", data)
        if status not in (200, 201, 204):
            raise AssertionError(f"PUT blob: {status} {body!r}")
        return digest

    def submit(self, job, key=None):
        headers = {"Content-Type": "application/json"}
        if key:
            headers["Idempotency-Key"] = key
        return self.request("POST", "/api/v1/jobs", json.dumps(job), headers)

    def wait(self, job, timeout=120):
        """The job's record once it has ended."""
        limit = time.monotonic() + timeout
        while time.monotonic() < limit:
            record = self.get(f"/api/v1/jobs/{job}")
            if record["state"] in ("done", "failed", "cancelled"):
                return record
            time.sleep(0.05)
        raise AssertionError(f"job {job} does not end: {record} " + self.log_text()[-2000:])
