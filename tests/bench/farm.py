"""What a lab of months and many people asks of its daemon: bench.py's parts `lists` and `watchers`, at a million stored runs and with 500 who watch."""

import json
import pathlib
import resource
import selectors
import socket
import statistics
import tempfile
import time

import host
from daemon import Daemon

RUNS = 1_000_000
RUN_LISTS = [path.replace("50000", "500000") for path in host.RUN_LISTS]
LISTS_A_SECOND, SECONDS = 500, 4
WATCHERS, CHANGES = 500, 9


def bench_lists():
    with tempfile.TemporaryDirectory(prefix="sme2lab-bench-") as folder:
        state = pathlib.Path(folder) / "state"
        state.mkdir()
        host.output_of(host.HOST_BENCH / "make_store", state / "store.sqlite", RUNS)
        daemon = Daemon(state, {"devices": []})
        began = time.perf_counter()
        with daemon:
            start_s = time.perf_counter() - began
            reads = host.load(daemon, SECONDS, 16, LISTS_A_SECOND, "-", *RUN_LISTS)
    yield host.row(f"start to ready with {RUNS:,} runs", round(start_s, 3), "s", 1, "goal")
    yield host.row(f"lists of runs at {RUNS:,} runs, {LISTS_A_SECOND} a second: p99", reads["p99_ms"], "ms", 5, "goal, from when each was due")
    yield host.row("  failed requests", reads["failures"], "requests", 0, "goal")


def watch(door):
    """Somebody who follows all that happens in the lab."""
    watcher = socket.socket(socket.AF_UNIX)
    watcher.connect(str(door))
    watcher.sendall(b"GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n")
    head = watcher.recv(4096)
    if not head.startswith(b"HTTP/1.1 200"):
        raise SystemExit(f"bench: a watcher is refused: {head!r}")
    return watcher


def told_last_ms(daemon, selector, job):
    """From a submission until the last of the watchers was told of the job."""
    waiting = set(selector.get_map())
    began = time.perf_counter()
    status, _, body = daemon.submit(job)
    if status != 201:
        raise SystemExit(f"bench: submission: {status} {body!r}")
    mark, told = b'"job":%d,' % json.loads(body)["id"], {}
    while waiting:
        for key, _ in selector.select(10) or ([] if time.perf_counter() - began < 10 else [(None, None)]):
            if key is None:
                raise SystemExit(f"bench: {len(waiting)} watchers were told nothing")
            told[key.fd] = told.get(key.fd, b"") + key.fileobj.recv(65536)
            if mark in told[key.fd]:
                waiting.discard(key.fd)
    return (time.perf_counter() - began) * 1e3


def watched(daemon):
    with daemon:
        job = {"model": daemon.put_blob(host.TOY / "model.pte")}
        selector = selectors.DefaultSelector()
        for _ in range(WATCHERS):
            selector.register(watch(daemon.socket), selectors.EVENT_READ)
        times = [told_last_ms(daemon, selector, job) for _ in range(CHANGES)]
        for key in list(selector.get_map().values()):
            key.fileobj.close()
    yield host.row(f"from a submission until the last of {WATCHERS} watchers at one door is told of it", round(statistics.median(times), 1), "ms", 50, "goal, median")


def bench_watchers():
    resource.setrlimit(resource.RLIMIT_NOFILE, (4096, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    with tempfile.TemporaryDirectory(prefix="sme2lab-bench-") as folder:
        yield from watched(Daemon(pathlib.Path(folder) / "state", {"devices": []}))


PARTS = {"lists": bench_lists, "watchers": bench_watchers}
