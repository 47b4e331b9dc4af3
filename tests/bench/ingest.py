"""Ingest from 64 devices at once: bench.py's part `ingest`.

The devices are processes of this machine: each is a real agent whose inference process records events as fast as it can
(fast_agent.c). The daemon is tests/support/ordinal_lab.c, which is sme2labd but for what such devices are and for the artifacts
of their runs. Devices and daemon share the processors, so the events a second are those of both together.

Two figures: how fast events come into synced files, from the start of the first run until the last event of the last run is
synced, while runs that have ended are being finished; and how fast whole runs are made, until the last one is finished and
stored: its trace and both ETDumps synced, its job `done` for everybody who asks.
"""

import concurrent.futures
import contextlib
import json
import os
import pathlib
import sys
import tempfile
import time

import host
from daemon import Daemon
from soak import family

DEVICES = 64
PAIRS, EVENTS = 100, 1000  # of two executions; events of each
EVENT_KIND, RECORD_BYTES = 5, 64  # common/format/sltrace.h
GOAL_EVENTS, GOAL_MB, PATIENCE_S = 3_000_000, 256, 600
OWN, CHILDREN = (11, 12), (13, 14)  # user and system time, after the name
TICKS = os.sysconf("SC_CLK_TCK")


def cpu_s(stat, fields):
    """Seconds of processor time, of these fields of a stat file of /proc; 0: its process has ended meanwhile, and its parent's file has them."""
    try:
        words = pathlib.Path(stat).read_text().rsplit(")", 1)[1].split()
    except (FileNotFoundError, ProcessLookupError):
        return 0
    return sum(int(words[field]) for field in fields) / TICKS


def cpu_times(daemon):
    """(the daemon's loop, which takes what devices send; all of the daemon and its devices, with the processes that have ended)."""
    pid = daemon.process.pid
    whole = cpu_s(f"/proc/{pid}/stat", OWN) + sum(cpu_s(f"/proc/{agent}/stat", OWN + CHILDREN) for agent in family(pid)[1:])
    return cpu_s(f"/proc/{pid}/task/{pid}/stat", OWN), whole


def peak_mb(pid):
    with open(f"/proc/{pid}/status", encoding="utf-8") as file:
        return next(int(line.split()[1]) * 1024 / 1e6 for line in file if line.startswith("VmHWM"))


def events_in(trace):
    """Looks at a piece at a time: a trace is large."""
    count = 0
    with open(trace, "rb") as file:
        while piece := file.read(RECORD_BYTES << 14):
            count += piece[::RECORD_BYTES].count(EVENT_KIND)
    return count


def most_at_once(spans):
    edges = sorted([(began, 1) for began, _ in spans] + [(ended, -1) for _, ended in spans])
    now = most = 0
    for _, step in edges:
        now += step
        most = max(most, now)
    return most


def submit_all(daemon):
    job = {"model": daemon.put_blob(host.TOY / "model.pte"), "inputs": [daemon.put_blob(host.TOY / "input-0.bin")], "runs": PAIRS, "warmup": 0}

    def submit(i):
        status, _, body = daemon.submit(job | {"device": f"device-{i}"})
        if status != 201:
            sys.exit(f"bench: submission: {status} {body!r}")
        return json.loads(body)["id"]

    with concurrent.futures.ThreadPoolExecutor(DEVICES) as pool:  # else the first streams end before the last begin
        return list(pool.map(submit, range(DEVICES)))


def await_ready(daemon):
    limit = time.monotonic() + PATIENCE_S
    while any(device["state"] != "ready" for device in daemon.get("/api/v1/devices")["devices"]):
        if time.monotonic() > limit:
            sys.exit(f"bench: not all of {DEVICES} devices get ready: {daemon.log_text()[-1000:]}")
        time.sleep(0.1)


def measure(daemon):
    """(events that came, seconds until all were synced, until all runs were stored, peak of the daemon's memory in MB, seconds of
    CPU of its loop and of all, devices at once)."""
    await_ready(daemon)
    before = cpu_times(daemon)
    numbers = submit_all(daemon)
    records = [daemon.wait(number, PATIENCE_S) for number in numbers]
    stored = time.time()
    cpu = [after - first for after, first in zip(cpu_times(daemon), before)]
    wrong = [record for record in records if record["state"] != "done" or record["attempts"] != 1]
    if wrong:
        sys.exit(f"bench: a run of events did not end well: {wrong[0]}")
    folders = {int(folder.name.rsplit("-", 1)[1]): folder for folder in daemon.state.glob("runs/*/*")}
    spans = [(record["started_ms"] / 1e3, (folders[record["id"]] / "streams/synced").stat().st_mtime) for record in records]
    events = sum(events_in(folders[number] / "streams/trace.sltrace") for number in numbers)
    began = min(began for began, _ in spans)
    synced = max(ended for _, ended in spans)
    return events, synced - began, stored - began, peak_mb(daemon.process.pid), cpu, most_at_once(spans)


def bench():
    devices = [{"name": f"device-{i}", "kind": "local"} for i in range(DEVICES)]
    program = host.ROOT / "build/host/tests/ordinal_lab"
    wanted = DEVICES * PAIRS * 2 * EVENTS
    with tempfile.TemporaryDirectory(prefix="sme2lab-bench-") as folder, contextlib.ExitStack() as stack:
        daemon = Daemon(pathlib.Path(folder) / "state", {"devices": devices}, program=program,
                        env={"SME2LAB_NATIVE_AGENT": str(host.AGENT_BENCH / "fast_agent")})
        daemon.start()
        stack.callback(daemon.__exit__, AssertionError)  # traces of fast_agent are no runs of a model: they are not validated
        events, synced_s, stored_s, memory, cpu, at_once = measure(daemon)
    yield host.row(f"events a second from {DEVICES} devices to synced files, first start to last sync, ended runs being finished meanwhile", round(events / synced_s),
                   "events/s", GOAL_EVENTS, "goal", least=True)
    yield host.noted("  the same until the last run is finished and stored, ETDumps made", round(events / stored_s), "events/s", GOAL_EVENTS, "the same rate")
    yield host.row("  events lost", wanted - events, f"of {wanted:,}", 0, "goal")
    yield host.row("  devices that streamed at once", at_once, "devices", DEVICES, "goal", least=True)
    yield host.row("  daemon's memory, its peak", round(memory), "MB", GOAL_MB, "goal")
    loop_ns, all_ns = (seconds / events * 1e9 for seconds in cpu)
    yield host.noted("  daemon's loop: CPU for an event", round(loop_ns), "ns", round(1e9 / GOAL_EVENTS), "one processor at the goal's rate")
    yield host.noted("  daemon and devices: CPU for an event", round(all_ns), "ns", round(os.cpu_count() * 1e9 / GOAL_EVENTS),
                     f"this machine's {os.cpu_count()} processors at the goal's rate, with nothing else at work")


PARTS = {"ingest": bench}
