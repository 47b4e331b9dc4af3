"""A daemon, its agents and the links between them, for the fault tests: started, hurt, and looked at."""

import contextlib
import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import sqlite3
import struct
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import lab  # noqa: E402
from daemon import NATIVE_AGENT, Daemon  # noqa: E402

from faults.proxy import Proxy  # noqa: E402

ORDINAL_LAB = lab.HOST / "tests/ordinal_lab"
TOY = lab.MODELS / "toy_cnn_f32_xnnpack"
CRC, END = 7, 8  # kinds of records
DEVICES = ("here", "counted")
ATTEMPTS = 8
COMPARISON = 1 << 62  # of a run's number: it is that of the comparison with the portable kernels
AGENT_SCRIPT = """#!/bin/sh
# sme2lab-agent serve --listen ADDRESS --workdir DIR, listening beside the address that it names.
echo "listening unix:$5/sock"
[ ! -e "$5/hostile" ] || exec sleep 1000 # somebody else listens there
exec {agent} serve --listen "unix:$5/agent.sock" --workdir "$5" >/dev/null
"""


class Laboratory:
    """Device "here" is this machine on a clock of ordinals, "counted" the emulator; a proxy is on each link."""

    def __init__(self, shim=None, hostile=None, root=None):
        self.root = pathlib.Path(root or tempfile.mkdtemp(prefix="slf-"))
        self.state = self.root / "state"
        script = self.root / "agent.sh"
        script.write_text(AGENT_SCRIPT.format(agent=NATIVE_AGENT))
        script.chmod(0o755)
        self.proxies = {}
        for name in DEVICES:
            folder = self.state / "agents" / name
            folder.mkdir(parents=True, mode=0o700)
            self.proxies[name] = Proxy(folder / "sock", folder / "agent.sock")
            self.proxies[name].start()
        config = {"devices": [{"name": "here", "kind": "local"}, {"name": "counted", "kind": "counted", "svl": 256}]}
        if hostile:  # a device whose agent is played by the test
            (self.state / "agents" / hostile).mkdir(parents=True, mode=0o700)
            (self.state / "agents" / hostile / "hostile").touch()
            config["devices"].append({"name": hostile, "kind": "local"})
            self.listener = self.listen_as(hostile)
        self.daemon = Daemon(self.state, config, program=ORDINAL_LAB,
                             env={"SME2LAB_NATIVE_AGENT": str(script), "SME2LAB_AGENT": str(lab.AGENT),
                                  "SME2LAB_EMULATOR": str(lab.EMULATOR), **(shim or {})})
        self.daemon.start()
        self.blobs = {name: self.daemon.put_blob(TOY / name) for name in ("model.pte", "input-0.bin")}

    def close(self):
        try:
            self.daemon.__exit__()
        finally:
            for proxy in self.proxies.values():
                proxy.stop()
            for name in DEVICES:
                pid = self.agent_pid(name)
                if pid:
                    os.kill(pid, signal.SIGKILL)
            shutil.rmtree(self.root, ignore_errors=True)

    def listen_as(self, device):
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(str(self.state / "agents" / device / "sock"))
        listener.listen(8)
        return listener

    def submit(self, device, runs):
        job = {"model": self.blobs["model.pte"], "inputs": [self.blobs["input-0.bin"]], "device": device, "runs": runs}
        status, _, body = self.daemon.submit(job)
        if status != 201:
            raise AssertionError(f"{status} {body!r}")
        return json.loads(body)["id"]

    def run_numbers(self, job):
        """The lower halves of the numbers that the job's runs have on the wire (proto/README.md), whichever attempt they are of."""
        with contextlib.closing(sqlite3.connect(self.state / "store.sqlite")) as store:
            (identity,), = store.execute("SELECT id FROM store_identity")
            (submitted_ms,), = store.execute("SELECT submitted_ms FROM jobs WHERE id = ?", [job])
        digests = (hashlib.sha256(f"{identity} {job} {submitted_ms} {attempt}".encode()).hexdigest() for attempt in range(1, ATTEMPTS + 1))
        runs = {int(text[16:32], 16) & ~COMPARISON for text in digests}
        return runs | {run | COMPARISON for run in runs}

    # --- processes ---

    def agent_pid(self, device):
        return agent_pid(self.state, device)

    def inference_pid(self, device):
        return inference_pid(self.state, device)

    def signal(self, pid, number):
        """False when there was nobody to send it to."""
        try:
            os.kill(pid, number)
            return True
        except (TypeError, ProcessLookupError):
            return False

    # --- what is left of a run ---

    def files(self, record):
        base = f"/api/v1/runs/{record['run']}"
        return {entry["path"]: self.daemon.request("GET", f"{base}/files/{entry['path']}")[2]
                for entry in self.daemon.get(f"{base}/files")["files"]}

    def etdumps(self, record):
        """By name, which has no number in it that differs from run to run."""
        return {path.rsplit("/", 1)[-1]: data for path, data in self.files(record).items() if path.endswith(".etdump")}

    def resumes(self, device, numbers):
        """What the agent said of the runs with these numbers each time a daemon came: (acknowledged bytes, bytes sent again)."""
        text = (self.state / "agents" / device / "agent.log").read_text(errors="replace")
        said = re.findall(r"event=job_resumed job=[0-9a-f]{16}([0-9a-f]{16}) acknowledged_bytes=(\d+) sent_again_bytes=(\d+) result_again=(\d)", text)
        return [(int(acked), int(again) + int(result)) for half, acked, again, result in said
                if int(half, 16) in numbers]


def agent_pid(state, device):
    """The serving agent, None while there is none."""
    try:
        record = (state / "agents" / device / "agent").read_bytes()
        pid = struct.unpack_from("<i", record, 8)[0]
        words = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes()
    except (OSError, struct.error):
        return None
    return pid if str(state).encode() in words and b"serve" in words else None


def inference_pid(state, device):
    pid = agent_pid(state, device)
    try:
        children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return None
    return int(children[0]) if children else None


def records(stream):
    """The records of a trace without what depends on when it was drained."""
    return [stream[at:at + 64] for at in range(0, len(stream) - 63, 64) if stream[at] not in (CRC, END)]


def digest(etdumps):
    return {name: hashlib.sha256(data).hexdigest()[:16] + f"/{len(data)}" for name, data in etdumps.items()}


def wait_until(condition, seconds, what):
    limit = time.monotonic() + seconds
    while time.monotonic() < limit:
        value = condition()
        if value:
            return value
        time.sleep(0.005)
    raise AssertionError(f"{what}: not within {seconds} s")
