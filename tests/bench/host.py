"""The daemon's figures: events a second, overhead of a job, requests, idleness. Each part yields rows for bench.py."""

import contextlib
import glob
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/integration"))

from daemon import Daemon, UnixConnection  # noqa: E402

HOST_BENCH, AGENT_BENCH = ROOT / "build/host/bench", ROOT / "build/agent-native/bench"
NATIVE_AGENT, EMULATOR = ROOT / "build/agent-native/bin/sme2lab-agent", ROOT / "build/tools/qemu-aarch64"
TOY = ROOT / "tests/data/models/toy_cnn_f32_xnnpack"
STREAM_EXECUTIONS = 2000  # of 1,000 events
RUNS = 100_000
JOBS = 9
IDLE_SECONDS = 10
PING_MS = 5000  # common/net/channel.h
RUN_LISTS = ["/api/v1/runs", "/api/v1/runs?model=model_3_f32_xnnpack", "/api/v1/runs?device=counted-2", "/api/v1/runs?cursor=50000"]


def output_of(*command):
    done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"bench: {' '.join(map(str, command))} exits {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def row(what, measured, unit, reference, source, least=False):
    met = reference is None or (measured >= reference if least else measured <= reference)
    ratio = measured / reference if reference else None
    return {"what": what, "measured": measured, "unit": unit, "reference": reference, "source": source, "ratio": ratio, "met": met, "least": least}


def noted(what, measured, unit, reference, source):
    """Beside a reference that is no goal."""
    return {**row(what, measured, unit, reference, source), "met": True}


def dd_seconds(folder, size):
    """What dd needs to write so many bytes and sync them: the least of three."""
    times = []
    for _ in range(3):
        began = time.perf_counter()
        output_of("dd", "if=/dev/zero", f"of={folder}/dd", "bs=1M", f"count={size >> 20}", "conv=fsync")
        times.append(time.perf_counter() - began)
    return min(times)


def bench_stream():
    """From the recorder's ring through spool, socket and ingest to a synced file."""
    with tempfile.TemporaryDirectory(prefix="sme2lab-bench-") as folder:
        result = json.loads(output_of(HOST_BENCH / "bench_stream", AGENT_BENCH / "fast_agent", folder, STREAM_EXECUTIONS))
        reference = dd_seconds(folder, result["bytes"])
    yield row("events from ring to synced file", result["events_per_s"], "events/s", 1_000_000, "goal", least=True)
    yield row("events lost", result["lost"], "events", 0, "goal")
    yield noted(f"the same, {result['bytes']:,} bytes", result["seconds"], "s", round(reference, 3), "dd conv=fsync")
    result = json.loads(output_of(AGENT_BENCH / "bench_streaming", "--json"))
    yield row(f"measured thread's time for {result['events']} events streamed, toy CNN", result["percent"], "%", result["goal_percent"], "goal")


def first_inference_ms():
    """From the agent's exec until it says that the first execution is done."""
    began = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="sme2lab-bench-") as folder:
        words = [NATIVE_AGENT, "run", f"--model_path={TOY}/model.pte", f"--inputs={TOY}/input-0.bin", f"--etdump_path={folder}/e"]
        process = subprocess.Popen([str(w) for w in words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        taken = None
        for line in process.stderr:
            if b"Iteration 1 of 1" in line:
                taken = time.perf_counter() - began
        if process.wait() or taken is None:
            sys.exit("bench: the native agent does not run the toy CNN")
    return taken * 1e3


class NotedDaemon(Daemon):
    """A daemon with one emulated device whose emulator notes when each of its processes began and ended."""

    def __init__(self, folder):
        self.tools = folder / "tools"
        super().__init__(folder / "state", {"devices": [{"name": "emulated", "kind": "emulated", "svl": 512}]},
                         env={"SME2LAB_EMULATOR": str(self.tools / "emulator")})
        self.tools.mkdir()
        shutil.copy(HOST_BENCH / "noting_emulator", self.tools / "emulator")
        os.symlink(EMULATOR, self.tools / "real")

    def processes(self, since_ns):
        """What the emulator's processes since then took, in ns, one after the other as they are."""
        lines = (self.tools / "times").read_text().split("\n")
        spans = [tuple(map(int, line.split())) for line in lines if line]
        return [ended - began for began, ended in spans if began >= since_ns]


def follow(daemon, job):
    """The job's number, and when it was submitted and its event stream ended, in ns."""
    began = time.monotonic_ns()
    status, _, body = daemon.submit(job)
    if status != 201:
        sys.exit(f"bench: submission: {status} {body!r}")
    number = json.loads(body)["id"]
    connection = UnixConnection(daemon.socket, 120)
    connection.request("GET", f"/api/v1/jobs/{number}/events")
    connection.getresponse().read()
    ended = time.monotonic_ns()
    connection.close()
    return number, began, ended


def job_overhead_ms(daemon, job):
    """Wall clock from submission to the end of the event stream, without the job's processes."""
    _, began, ended = follow(daemon, job)
    spans = daemon.processes(began)
    if len(spans) < 2:
        sys.exit(f"bench: a job had {len(spans)} processes, not the measured one and that of the portable kernels")
    return (ended - began - sum(spans)) / 1e6


def bench_job():
    times = [first_inference_ms() for _ in range(JOBS)]
    yield row("agent's start to first inference, toy CNN, native", round(statistics.median(times), 2), "ms", 50, "goal, median")
    with tempfile.TemporaryDirectory(prefix="sme2lab-bench-") as folder, NotedDaemon(pathlib.Path(folder)) as daemon:
        job = {"model": daemon.put_blob(TOY / "model.pte"), "model_name": "toy.pte", "inputs": [daemon.put_blob(TOY / "input-0.bin")],
               "runs": 1, "warmup": 0}
        times = [job_overhead_ms(daemon, job) for _ in range(JOBS)][1:]  # with the first one the device is probed
    yield row("a job beyond its two processes", round(statistics.median(times), 1), "ms", 50, "goal, median")


def load(daemon, seconds, connections, rate, body, *paths):
    return json.loads(output_of(HOST_BENCH / "load_http", daemon.socket, seconds, connections, rate, body, *paths))


@contextlib.contextmanager
def large_store(devices):
    """A daemon on 100,000 runs, and what its start took, in seconds."""
    with tempfile.TemporaryDirectory(prefix="sme2lab-bench-") as folder:
        state = pathlib.Path(folder) / "state"
        state.mkdir()
        output_of(HOST_BENCH / "make_store", state / "store.sqlite", RUNS)
        daemon = Daemon(state, {"devices": devices})
        began = time.perf_counter()
        with daemon:
            yield daemon, time.perf_counter() - began


def bench_http():
    with large_store([]) as (daemon, _):
        job = daemon.state / "job.json"
        job.write_text(json.dumps({"model": "0" * 64}))
        reads = load(daemon, 4, 16, 2000, "-", *RUN_LISTS)
        most = load(daemon, 2, 16, 0, "-", *RUN_LISTS)
        one = load(daemon, 2, 1, 0, job, "/api/v1/jobs")
        many = load(daemon, 2, 16, 0, job, "/api/v1/jobs")
    failed = sum(result["failures"] for result in (reads, most, one, many))
    yield row("lists of runs at 100,000 runs, 50 rows each", reads["rate"], "reads/s", 1990, "goal: 2,000 offered", least=True)
    yield row("  their p99", reads["p99_ms"], "ms", 20, "goal, from when each was due")
    yield noted("  the most, 16 connections", most["rate"], "reads/s", 2000, "goal of the rate above")
    yield row("submissions, each synced before its answer, one at a time", one["rate"], "jobs/s", 200, "goal", least=True)
    yield row("  16 at a time, synced in groups", many["rate"], "jobs/s", 200, "goal", least=True)
    yield row("  failed requests", failed, "requests", 0, "goal")


def switches(pid):
    """Voluntary context switches of all threads so far: how often one of them slept and was woken."""
    total = 0
    for path in glob.glob(f"/proc/{pid}/task/*/status"):
        with open(path, encoding="utf-8") as file:
            total += sum(int(line.split()[1]) for line in file if line.startswith("voluntary"))
    return total


def resident_mib(pid):
    with open(f"/proc/{pid}/status", encoding="utf-8") as file:
        return next(int(line.split()[1]) / 1024 for line in file if line.startswith("VmRSS"))


def bench_idle():
    with large_store([]) as (daemon, start_s):
        load(daemon, 1, 4, 500, "-", *RUN_LISTS)  # it has been used before it idles
        time.sleep(1)
        before = switches(daemon.process.pid)
        time.sleep(IDLE_SECONDS)
        woken, resident = switches(daemon.process.pid) - before, resident_mib(daemon.process.pid)
    yield row("start to ready with 100,000 runs", round(start_s, 3), "s", 1, "goal")
    yield row("resident, idle, after reads", round(resident, 1), "MiB", 20, "goal")
    yield row(f"wake-ups in {IDLE_SECONDS} s, no device", woken, "wake-ups", 0, "goal: none but its timers', and it has none")
    with large_store([{"name": "emulated", "kind": "emulated", "svl": 512}]) as (daemon, _):
        time.sleep(2)
        before = switches(daemon.process.pid)
        time.sleep(IDLE_SECONDS)
        woken = switches(daemon.process.pid) - before
    beats = 4 * (IDLE_SECONDS * 1000 // PING_MS + 1)
    yield row(f"wake-ups in {IDLE_SECONDS} s, one device", woken, "wake-ups", beats, "goal: the link's timer and pings, both ways, each 5 s")


PARTS = {"stream": bench_stream, "job": bench_job, "http": bench_http, "idle": bench_idle}
