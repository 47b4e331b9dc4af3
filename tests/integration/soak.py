"""Thousands of small jobs on one daemon: descriptors, memory and files must not grow beyond what runs store.

soak.py [JOBS [SECONDS [here]]]: run through scripts/test --long soak; with SECONDS it ends by then and says how many jobs it
ran. Two emulated devices run the toy CNN, really, from submission to report; with `here` this machine's own agent does on a
clock of ordinals, without reports, in a fraction of the time. Every JOBS / 100 jobs the daemon and its agents are looked at. Exit 1 with the
reasons when something grows.
"""

import json
import os
import pathlib
import sys
import tempfile
import time

import lab
from daemon import NATIVE_AGENT, SME2LABD, Daemon
from faults.laboratory import ORDINAL_LAB

DEVICES = 2
OPEN_AT_ONCE = 8  # jobs
LOOKS = 100
TOY = lab.MODELS / "toy_cnn_f32_xnnpack"
# Limits: what may grow with each job, after the first quarter has filled the caches and the ring of kept events.
RESIDENT_BYTES_A_JOB = 256
STORE_BYTES_A_JOB = 2048
STORE_CACHE_BYTES = 2 << 20  # of the store's pages that SQLite keeps in the daemon's memory at most
WRITE_AHEAD_BYTES = 16 << 20  # folded into the store each 1,000 pages
FILES_OF_RUN = 64


def family(pid):
    """The daemon and its agents; agents are its children."""
    pids = [pid]
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        pids += map(int, (task / "children").read_text().split())
    return pids


def resident_bytes(pid):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().split("\n"):
        if line.startswith("VmRSS"):
            return int(line.split()[1]) * 1024
    return 0


def files_below(folder, leave_out):
    count = 0
    for at, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if os.path.join(at, name) != str(leave_out)]
        count += len(files) + len(folders)
    return count


def look(daemon, done):
    """Taken while nothing runs."""
    pids = family(daemon.process.pid)
    return {"jobs": done, "descriptors": [len(os.listdir(f"/proc/{pid}/fd")) for pid in pids],
            "threads": len(os.listdir(f"/proc/{pids[0]}/task")),
            "resident": [resident_bytes(pid) for pid in pids],
            "store": (daemon.state / "store.sqlite").stat().st_size,
            "log": (daemon.state / "store.sqlite-wal").stat().st_size,
            "files": files_below(daemon.state, daemon.state / "runs")}


def run_jobs(daemon, job, count):
    waiting, failed = [], 0
    for _ in range(count):
        status, _, body = daemon.submit(job)
        if status != 201:
            raise AssertionError(f"{status} {body!r}")
        waiting.append(json.loads(body)["id"])
        if len(waiting) == OPEN_AT_ONCE:
            failed += daemon.wait(waiting.pop(0))["state"] != "done"
    return failed + sum(daemon.wait(each)["state"] != "done" for each in waiting)


def slope(looks, of):
    """Least squares: by how much it grows with each job."""
    xs, ys = [each["jobs"] for each in looks], [of(each) for each in looks]
    x, y = sum(xs) / len(xs), sum(ys) / len(ys)
    return sum((a - x) * (b - y) for a, b in zip(xs, ys)) / sum((a - x) ** 2 for a in xs)


def judge(looks, state, jobs):
    """The sentences that say what grew."""
    settled = looks[len(looks) // 4:]
    first, last = settled[0], settled[-1]
    for key in ("descriptors", "threads", "files"):
        if last[key] != first[key]:
            yield f"{key}: {first[key]} after {first['jobs']} jobs, {last[key]} after {last['jobs']}"
    for i in range(len(first["resident"])):
        def beside_the_cache(each, i=i):
            return each["resident"][i] - (min(each["store"], STORE_CACHE_BYTES) if i == 0 else 0)

        grows = slope(settled, beside_the_cache)
        print(f"resident of process {i}: {last['resident'][i] >> 10} KiB, {grows:+.0f} bytes a job beside the store's cache")
        if grows > RESIDENT_BYTES_A_JOB:
            yield f"resident memory of process {i} grows by {grows:.0f} bytes a job, more than {RESIDENT_BYTES_A_JOB}"
    grows = slope(settled, lambda each: each["store"])
    print(f"store: {last['store']} bytes, {grows:+.0f} bytes a job")
    if grows > STORE_BYTES_A_JOB:
        yield f"the store grows by {grows:.0f} bytes a job, more than {STORE_BYTES_A_JOB}"
    if last["log"] > WRITE_AHEAD_BYTES:
        yield f"the write-ahead log has {last['log']} bytes, more than {WRITE_AHEAD_BYTES}"
    kept = files_below(state / "runs", None) / jobs
    print(f"files: {last['files']} outside runs/, {kept:.1f} a run in it")
    if kept > FILES_OF_RUN:
        yield f"a run has {kept:.1f} files and folders, more than {FILES_OF_RUN}"


def main():
    jobs = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    limit = float(sys.argv[2]) if len(sys.argv) > 2 else float("inf")
    here = sys.argv[3:] == ["here"]
    program, kind = (ORDINAL_LAB, "local") if here else (SME2LABD, "emulated")
    lab.need(lab.AGENT, lab.EMULATOR, NATIVE_AGENT, program)
    devices = [{"name": f"{kind}-{i}", "kind": kind, "svl": 512} for i in range(DEVICES)]
    step, looks, began = max(1, jobs // LOOKS), [], time.monotonic()
    with tempfile.TemporaryDirectory(prefix="sme2lab-soak-") as scratch:
        with Daemon(pathlib.Path(scratch) / "state", {"devices": devices}, program=program) as daemon:
            job = {"model": daemon.put_blob(TOY / "model.pte"), "model_name": "toy.pte",
                   "inputs": [daemon.put_blob(TOY / "input-0.bin")], "runs": 1, "warmup": 0}
            failed = 0
            for done in range(step, jobs + 1, step):
                failed += run_jobs(daemon, job, step)
                time.sleep(0.3)  # what the last ones left is put away
                looks.append(look(daemon, done))
                print(f"{done} jobs, {time.monotonic() - began:.0f} s: {json.dumps(looks[-1])}", flush=True)
                if time.monotonic() - began > limit:
                    break
            jobs = done
            wrong = list(judge(looks, daemon.state, jobs))
        if daemon.process.returncode != 0 or "handles_left_open" in daemon.log_text():
            wrong.append(f"the daemon ended with {daemon.process.returncode}")
    if failed:
        wrong.append(f"{failed} of {jobs} jobs did not end well")
    for sentence in wrong:
        print(f"soak: {sentence}", file=sys.stderr)
    print(f"soak: {jobs} jobs in {time.monotonic() - began:.0f} s: {'nothing grows' if not wrong else 'see above'}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
