"""A simulated lab at full load, with random faults and restarts, for minutes or hours: nothing grows, and every job that was taken is stored.

soak_farm.py [--minutes M] [--restarts N] [--seed N] [--json]: run through scripts/bench farm. The devices are this machine's own
agent on a clock of ordinals (tests/support/ordinal_lab.c). Faults: the agent or its inference process is killed, or stands still.
Each life of the daemon has four stretches; after each the lab rests and is looked at. The first stretch of a life is warm-up, and so is
the first life. A life ends under load, by turns by SIGTERM and by SIGKILL. Exit 1 with the reasons when something grows or is missing."""

import argparse
import json
import os
import pathlib
import random
import signal
import statistics
import sys
import tempfile
import threading
import time

import lab
from daemon import NATIVE_AGENT, Daemon
from faults.laboratory import ORDINAL_LAB, TOY, agent_pid, inference_pid
from soak import family, files_below, resident_bytes

DEVICES = 8
OPEN_AT_ONCE = 3 * DEVICES
STRETCHES = 4
STILL_S = 1.5  # that a process stands still at most
MOMENT_S = 1  # in which a device that is to be hurt begins its next job
PATIENCE_S = 180
SPREAD_BYTES = 2_000_000
AGENT_HANDLES = 2  # of an agent that this daemon started; one that outlived the daemon before has none of it
FAULTS = ("kill agent", "kill inference", "stop agent", "stop inference")


class Faults(threading.Thread):
    """Hurts a device now and then, while it may."""

    def __init__(self, state, seed, pause_s):
        super().__init__(daemon=True)
        self.state, self.random, self.pause_s = state, random.Random(seed), pause_s
        self.allowed, self.ended, self.counts = threading.Event(), threading.Event(), dict.fromkeys(FAULTS, 0)

    def run(self):
        while not self.ended.wait(self.random.uniform(0, 2 * self.pause_s)):
            if self.allowed.is_set():
                self.hurt(self.random.choice(FAULTS), f"device-{self.random.randrange(DEVICES)}")

    def hurt(self, fault, device):
        how, whom = fault.split()
        limit, find = time.monotonic() + MOMENT_S, agent_pid if whom == "agent" else inference_pid
        while not (pid := find(self.state, device)):
            if time.monotonic() > limit or not self.allowed.is_set():
                return
            time.sleep(0.002)
        try:
            os.kill(pid, signal.SIGKILL if how == "kill" else signal.SIGSTOP)
            self.counts[fault] += 1
            if how == "stop":
                time.sleep(self.random.uniform(0, STILL_S))
                os.kill(pid, signal.SIGCONT)
        except ProcessLookupError:
            pass  # it has ended meanwhile

    def rest(self):
        self.allowed.clear()
        time.sleep(STILL_S)  # who stands still goes on


class Soak:
    def __init__(self, options, root):
        devices = [{"name": f"device-{i}", "kind": "local"} for i in range(DEVICES)]
        self.daemon = Daemon(root / "state", {"devices": devices}, program=ORDINAL_LAB, env={"SME2LAB_NATIVE_AGENT": str(NATIVE_AGENT)})
        self.daemon.start()
        self.job = {"model": self.daemon.put_blob(TOY / "model.pte"), "inputs": [self.daemon.put_blob(TOY / "input-0.bin")], "runs": 1, "warmup": 0}
        self.options, self.open, self.submitted, self.looks, self.wrong = options, [], [], [], []
        self.faults = Faults(self.daemon.state, options.seed, options.pause)
        self.faults.start()

    # --- load ---

    def submit(self):
        """Until the daemon says that it has it: with its key it is one job, whatever was lost."""
        key, limit = f"soak-{len(self.submitted)}", time.monotonic() + PATIENCE_S
        while time.monotonic() < limit:
            try:
                status, _, body = self.daemon.submit(self.job, key=key)
            except OSError:
                status, body = 0, b""
            if status in (200, 201):
                self.submitted.append(json.loads(body)["id"])
                self.open.append(self.submitted[-1])
                return
            if status in (400, 404, 409, 422):
                break
            time.sleep(0.05)
        raise AssertionError(f"a job is not taken: {status} {body!r}")

    def is_open(self, job):
        return self.daemon.get(f"/api/v1/jobs/{job}")["state"] not in ("done", "failed", "cancelled")

    def load(self, seconds):
        limit = time.monotonic() + seconds
        self.faults.allowed.set()
        while time.monotonic() < limit:
            while len(self.open) < OPEN_AT_ONCE:
                self.submit()
            before = len(self.open)
            self.open = [job for job in self.open if self.is_open(job)]
            if len(self.open) == before:
                time.sleep(0.05)

    def drain(self):
        """Until no job is open and every device is ready."""
        self.faults.rest()
        limit = time.monotonic() + PATIENCE_S
        while self.open or any(device["state"] != "ready" for device in self.daemon.get("/api/v1/devices")["devices"]):
            if time.monotonic() > limit:
                raise AssertionError(f"{len(self.open)} jobs do not end, or a device does not come back: {self.daemon.get('/api/v1/devices')}")
            self.open = [job for job in self.open if self.is_open(job)]
            time.sleep(0.1)
        time.sleep(1)  # what the last ones left is put away

    def look(self, life, stretch):
        pid, state = self.daemon.process.pid, self.daemon.state
        agents = len(family(pid)) - 1
        found = {"life": life, "stretch": stretch, "jobs": len(self.submitted), "resident": resident_bytes(pid),
                 "handles": len(os.listdir(f"/proc/{pid}/fd")) + len(os.listdir(f"/proc/{pid}/task")) - AGENT_HANDLES * agents,
                 "files": files_below(state, state / "runs"), "warm": life > 0 and stretch > 0}
        self.looks.append(found)
        print(json.dumps(found), file=sys.stderr, flush=True)

    def restart(self, life):
        self.load(1)
        if life % 2:
            self.daemon.kill()
        elif self.daemon.terminate() != 0:
            self.wrong.append(f"the daemon ended with {self.daemon.process.returncode} in its life {life}")
        self.daemon.start()

    def go(self):
        stretch_s = 60 * self.options.minutes / (self.options.restarts + 1) / STRETCHES
        for life in range(self.options.restarts + 1):
            for stretch in range(STRETCHES):
                began = time.monotonic()
                self.load(max(1, stretch_s - STILL_S - 2))
                self.drain()
                self.look(life, stretch)
                time.sleep(max(0, stretch_s - (time.monotonic() - began)))
            if life < self.options.restarts:
                self.restart(life)
        self.faults.ended.set()
        self.faults.join()

    # --- the ledger ---

    def pages(self, what):
        cursor = ""
        while cursor is not None:
            page = self.daemon.get(f"/api/v1/{what}?limit=200{cursor and f'&cursor={cursor}'}")
            yield from page[what]
            cursor = page.get("next_cursor")

    def judge(self):
        stored = {job["id"]: job for job in self.pages("jobs")}
        done = {number for number, job in stored.items() if job["state"] == "done"}
        kept = {number for number, job in stored.items() if job["run"]}  # one whose process was killed has a run, too
        runs = [run["job"] for run in self.pages("runs")]
        whole = {int(end.parents[1].name.rsplit("-", 1)[1]) for end in self.daemon.state.glob("runs/*/*/streams/end.json")}
        warm = [each for each in self.looks if each["warm"]]
        resident = [each["resident"] for each in warm]
        open_ones = [number for number, job in stored.items() if job["state"] not in ("done", "failed")]
        if open_ones:
            self.wrong.append(f"{len(open_ones)} jobs have not ended, as {open_ones[0]}")
        blamed = [job for job in stored.values() if job["state"] == "failed" and not job["detail"]]
        if blamed:
            self.wrong.append(f"{len(blamed)} jobs failed without a word, as {blamed[0]['id']}")
        if not done:
            self.wrong.append("no job is done")
        if "handles_left_open" in self.daemon.log_text():
            self.wrong.append("a daemon left handles open")
        middle = statistics.median(resident)
        return {"minutes": self.options.minutes, "restarts": self.options.restarts, "faults": sum(self.faults.counts.values()),
                "kinds": self.faults.counts, "submitted": len(self.submitted), "done": len(done), "failed": len(stored) - len(done) - len(open_ones),
                "ledger_difference": len(set(self.submitted) ^ set(stored)) + len(self.submitted) - len(set(self.submitted)),
                "without_run": len(kept ^ set(runs)) + len(done - kept) + len(runs) - len(set(runs)) + len(done - whole),
                "memory_mb": middle / 1e6, "memory_spread_mb": max(abs(each - middle) for each in resident) / 1e6,
                "handles_spread": max(each["handles"] for each in warm) - min(each["handles"] for each in warm),
                "files_spread": max(each["files"] for each in warm) - min(each["files"] for each in warm), "wrong": self.wrong}


def is_well(found):
    return not (found["wrong"] or found["ledger_difference"] or found["without_run"] or found["handles_spread"] or found["files_spread"]
                or found["memory_spread_mb"] * 1e6 > SPREAD_BYTES)


def main():
    parser = argparse.ArgumentParser(prog="soak_farm.py", description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=5)
    parser.add_argument("--restarts", type=int, default=5)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--pause", type=float, default=1.0, metavar="SECONDS", help="between two faults, on average")
    parser.add_argument("--json", action="store_true", help="the last line is an object")
    options = parser.parse_args()
    if options.restarts < 1 or options.minutes <= 0:
        parser.error("--restarts is 1 or more, --minutes more than 0")
    for program in (ORDINAL_LAB, NATIVE_AGENT):
        if not os.access(program, os.X_OK):
            print(f"{program} is missing; scripts/setup makes it")
            return lab.SKIPPED
    with tempfile.TemporaryDirectory(prefix="sme2lab-soak-") as scratch:
        soak = Soak(options, pathlib.Path(scratch))
        try:
            soak.go()
            found = soak.judge()
        finally:
            soak.daemon.__exit__(AssertionError)
    for sentence in found["wrong"]:
        print(f"soak: {sentence}", file=sys.stderr)
    print(json.dumps(found) if options.json else "\n".join(f"{key}: {value}" for key, value in found.items()))
    return 0 if is_well(found) else 1


if __name__ == "__main__":
    sys.exit(main())
