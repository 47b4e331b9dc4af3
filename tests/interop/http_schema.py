"""Schemathesis at a daemon: does it serve what proto/openapi.yaml says?
    http_schema.py PYTHON [CASES [SEED]]     PYTHON has Schemathesis; 5,000 cases and a drawn seed unless said otherwise
All phases, over TCP, over TLS and over the Unix socket, with and without a token; scripts/interop takes three of these ways. Standard library only."""

import contextlib
import http.client
import json
import os
import pathlib
import re
import secrets
import socket
import subprocess
import sys
import tempfile
import threading

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/integration"))

import certificates  # noqa: E402
from daemon import Daemon  # noqa: E402

SCHEMA = ROOT / "proto/openapi.yaml"
WAYS = ("tcp with a token", "tcp without", "tls with a token", "tls without", "unix with a token", "unix without")
THREE_WAYS = ("tcp with a token", "tls without", "unix without")  # a seed gives the same requests each way
# What fits the schema may be refused where more is asked than a schema can say: that a blob is there, that bytes have a digest and follow
# those that are there, that a name of 63 characters has 63 bytes. What is too large is 413.
SETTINGS = """
[[operations]]
include-name = ["POST /api/v1/jobs", "POST /api/v1/tokens", "POST /api/v1/devices", "POST /api/v1/devices/{name}/{verb}", "POST /api/v1/query",
                "POST /api/v1/devices/{name}/results/{id}", "POST /api/v1/devices/{name}/clean",
                "POST /api/v1/runs", "POST /api/v1/runs/{id}/labels"]
checks.positive_data_acceptance.expected-statuses = ["2xx", "401", "403", "404", "409", "413", "422", "429", "503", "507"]

[[operations]]
include-name = ["GET /api/v1/combined", "GET /combined"]
checks.positive_data_acceptance.expected-statuses = ["2xx", "400", "401", "403", "404"]  # two runs, not one twice

[[operations]]
include-name = ["GET /api/v1/runs", "GET /runs", "POST /api/v1/groups"]
checks.positive_data_acceptance.expected-statuses = ["2xx", "400", "401", "403", "404"]  # lengths are of bytes, those of a schema of characters

[[operations]]
include-name = "PUT /api/v1/blobs/{sha256}"
checks.positive_data_acceptance.expected-statuses = ["2xx", "400", "401", "403", "409", "413", "422", "507"]
checks.negative_data_rejection.expected-statuses = ["400", "401", "403", "404", "409", "413", "415", "422"]

[[operations]]
include-name = "GET /api/v1/jobs/{id}/result"
checks.ensure_resource_availability.enabled = false  # a job that was just made has none yet
"""
SECURITY = ("security: [{bearer: []}]\n", "      security: []\n", "      security: [{bearer: []}, {basic: []}]\n", "  securitySchemes: {bearer: {type: http, scheme: bearer}, basic: {type: http, scheme: basic}}\n")


def pump(source, sink):
    """Bytes from one socket to the other, to the end of both."""
    with contextlib.suppress(OSError):
        while data := source.recv(1 << 16):
            sink.sendall(data)
    with contextlib.suppress(OSError):
        sink.shutdown(socket.SHUT_WR)


class Relay:
    """A port of TCP before a Unix socket: Schemathesis speaks TCP alone."""

    def __init__(self, path):
        self.path = str(path)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                client = self.listener.accept()[0]
                threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        with client, socket.socket(socket.AF_UNIX) as server:
            server.connect(self.path)
            back = threading.Thread(target=pump, args=(server, client), daemon=True)
            back.start()
            pump(client, server)
            back.join()


def open_schema(folder):
    """What the Unix socket serves: who may open it may do everything."""
    text = SCHEMA.read_text()
    for line in SECURITY:
        if line not in text:
            raise AssertionError(f"the schema has no {line!r}")
        text = text.replace(line, "")
    path = folder / "open.yaml"
    path.write_text(text)
    return path


def run(python, schema, url, token, cases, seed, out, authority=None):
    """How many cases one way of asking had; raises with what was found."""
    settings = out.with_name("schemathesis.toml")
    settings.write_text(SETTINGS)
    words = [python, "-m", "schemathesis.cli", "--config-file", str(settings), "run", str(schema), "--url", url,
             "--exclude-checks", "use_after_free",  # DELETE cancels jobs and groups, which stay to be read
             "--exclude-path", "/api/v1/events",  # its stream has no end
             "--max-examples", str(max(1, cases // 30)), "--seed", str(seed), "--continue-on-failure", "--no-color",
             "--report", "json", "--report-json-path", str(out), "--suppress-health-check", "all", "--request-timeout", "60",
             "--warnings", "off"]
    if authority:
        words += ["--tls-verify", str(authority)]
    if token:
        words += ["--header", f"Authorization: Bearer {token}"]
    done = subprocess.run(words, capture_output=True, text=True, stdin=subprocess.DEVNULL, cwd=out.parent)
    tested = re.search(r"(\d+) generated|Test cases:\s*\n?\s*(\d+)", done.stdout)
    if done.returncode != 0 or not tested:
        raise AssertionError(done.stdout[-20000:] + done.stderr[-3000:])
    return int(tested.group(1) or tested.group(2))


def end_held(daemon, over):
    """Cancels jobs that may not begin for hours: what watches one would wait as long."""
    while not over.wait(1):
        with contextlib.suppress(OSError, ValueError, KeyError, http.client.HTTPException):
            for job in json.loads(daemon.request("GET", "/api/v1/jobs?state=queued")[2])["jobs"]:
                if job["begin_ms"]:
                    daemon.request("DELETE", f"/api/v1/jobs/{job['id']}")


def check(python, cases, seed, say=print, ways=WAYS):
    with tempfile.TemporaryDirectory(prefix="sme2lab-schema-") as folder:
        folder = pathlib.Path(folder)
        state = folder / "state"
        state.mkdir()
        with socket.create_server(("127.0.0.1", 0)) as free, socket.create_server(("127.0.0.1", 0)) as other:
            port, secure = free.getsockname()[1], other.getsockname()[1]
        authority = certificates.authority(folder)
        config = {"listen": [f"unix:{state}/sme2labd.sock", f"tcp:127.0.0.1:{port}", f"tls:127.0.0.1:{secure}"],
                  "tls": certificates.certificate(folder), "devices": [{"name": "here", "kind": "counted"}], "agents_on_demand": True}
        over = threading.Event()
        with Daemon(state, config) as daemon, contextlib.ExitStack() as leaving:
            threading.Thread(target=end_held, args=(daemon, over), daemon=True).start()
            leaving.callback(over.set)
            relay = Relay(daemon.socket)
            for way in ways:
                body = json.dumps({"name": "schema", "role": "admin"})
                made = daemon.request("POST", "/api/v1/tokens", body, {"Content-Type": "application/json"})
                token = json.loads(made[2])["token"] if "with a token" in way else None
                schema = open_schema(folder) if way.startswith("unix") else SCHEMA
                url = {"tcp": f"http://127.0.0.1:{port}", "tls": f"https://127.0.0.1:{secure}", "unix": f"http://127.0.0.1:{relay.port}"}[way.split()[0]]
                try:
                    ran = run(python, schema, url, token, cases, seed, folder / "report.json", authority if way.startswith("tls") else None)
                except AssertionError as found:  # why a daemon went away stands in its log alone
                    raise AssertionError(f"{way}: {found}\nthe daemon's log:\n{daemon.log_text()[-6000:]}") from found
                say(f"{way}: {ran} cases, nothing found")
            if daemon.process.poll() is not None or "Sanitizer" in daemon.log_text():
                raise AssertionError(daemon.log_text()[-6000:])


if __name__ == "__main__":
    asked = [int(word) for word in sys.argv[2:]]
    check(os.path.abspath(sys.argv[1]), asked[0] if asked else 5000, asked[1] if len(asked) > 1 else secrets.randbelow(10**6))
