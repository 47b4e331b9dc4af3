"""python3 -m faults.devices [--faults N] [--runs N] [--devices N] [--seed N]: what labs of phones live with, over a batch of runs.

Emulated phones (scripts/lab), by turns behind the adb server and reached without it; the faults, their victims and the pauses between
them are drawn from the seed. There are as many runs as asked for, and more while faults are left. At the end every run is complete, or
failed with a typed cause; what it has of its events is what an undisturbed run has, or its result says what is missing.
Exit code 1 when that does not hold, 77 where such phones cannot be had.
"""

import argparse
import collections
import json
import os
import pathlib
import random
import re
import shutil
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import lab  # noqa: E402
import phone_lab  # noqa: E402
from daemon import Daemon  # noqa: E402

from faults.laboratory import TOY, records, wait_until  # noqa: E402

SHARES = {"disconnect": 35, "kill-adbd": 20, "kill-server": 15, "kill-agent": 12, "kill-children": 10, "reboot": 8,
          "unauthorised": 4, "full-disk": 4, "slow": 4}
ENDS = {"disconnect": "connect", "unauthorised": "authorised", "full-disk": "free-disk", "slow": "fast"}  # of those that last
ENDS_AGENT = ("kill-agent", "kill-children", "reboot")
LASTS_S, LONG_S, LONG_SHARE = 2.0, 14.0, 0.05  # the long ones outlast the time after which a run is called detached
AHEAD = 2  # jobs of a phone, one of them waiting
PATIENCE_S = 420  # for the last job, when nothing disturbs any more
BACK_S = 90  # for the last phone: its link may be in its longest pause


def draw(seed, count, devices, mean_pause):
    """(pause, kind, device, seconds until it ends, if it lasts) of each fault."""
    chance = random.Random(seed)
    for _ in range(count):
        kind = chance.choices(list(SHARES), list(SHARES.values()))[0]
        lasts = LONG_S if chance.random() < LONG_SHARE else chance.uniform(0.1, LASTS_S)
        yield chance.uniform(0, 2 * mean_pause), kind, chance.randrange(1, devices + 1), lasts


class Batch:
    def __init__(self, options, phones):
        self.options, self.phones = options, phones
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="sl-faults-"))
        links = [{"name": self.name(n), "link": phones.link(n, served=n % 2)} for n in range(1, options.devices + 1)]
        self.daemon = Daemon(self.root / "state", {"devices": links},
                             env={"SME2LAB_AGENT": str(lab.AGENT), "SME2LAB_EMULATOR": str(lab.EMULATOR), "ADB_SERVER_SOCKET": phones.server()})
        self.daemon.start()
        self.model, self.input = self.daemon.put_blob(TOY / "model.pte"), self.daemon.put_blob(TOY / "input-0.bin")
        self.counts, self.menders, self.ending = collections.Counter(), [], threading.Event()
        self.faulty, self.wrong = None, []
        self.open, self.ended, self.states = {}, {}, collections.Counter()

    def close(self):
        self.ending.set()
        for thread in (self.faulty, *self.menders):
            if thread:
                thread.join()
        self.daemon.__exit__(AssertionError)  # run directories of the last seconds are not validated twice
        if not self.wrong:
            shutil.rmtree(self.root, ignore_errors=True)

    def name(self, number):
        return f"phone{number}-{'server' if number % 2 else 'direct'}"

    # --- faults ---

    def disturb(self):
        for pause, kind, number, lasts in draw(self.options.seed, self.options.faults, self.options.devices, self.options.pause):
            if self.ending.wait(pause):
                return
            self.phones.fault(number, kind, wait=False)
            self.counts[kind] += 1
            if self.options.verbose:
                print(f"{time.strftime('%T')} {kind} phone{number}" + (f" for {lasts:.1f} s" if kind in ENDS else ""), flush=True)
            if kind in ENDS:
                thread = threading.Thread(target=self.mend, args=(kind, number, lasts))
                self.menders.append(thread)
                thread.start()

    def mend(self, kind, number, lasts):
        """Nobody waits until the phone is back: the next fault may be on its way."""
        self.ending.wait(lasts)
        if kind == "disconnect":
            (self.phones.folder / f"device{number}/off").unlink(missing_ok=True)
        else:
            (self.phones.folder / f"device{number}" / ENDS[kind]).touch()

    # --- jobs ---

    def submit(self, number):
        job = {"model": self.model, "inputs": [self.input], "device": self.name(number), "runs": self.options.executions}
        status, _, body = self.daemon.submit(job)
        if status != 201:
            raise AssertionError(f"{status} {body!r}")
        self.open[json.loads(body)["id"]] = number

    def look(self):
        """Takes the jobs that have ended out of the open ones."""
        for job in list(self.open):
            record = self.daemon.get(f"/api/v1/jobs/{job}")
            if record["state"] in ("done", "failed", "cancelled"):
                del self.open[job]
                self.ended[job] = record
                self.check(job, record)

    def go(self):
        self.undisturbed = self.measure_undisturbed()
        self.faulty = threading.Thread(target=self.disturb)
        self.faulty.start()
        while self.faulty.is_alive() or len(self.ended) + len(self.open) < self.options.runs:
            busy = collections.Counter(self.open.values())
            for number in range(1, self.options.devices + 1):
                more = self.faulty.is_alive() or len(self.ended) + len(self.open) < self.options.runs
                if busy[number] < AHEAD and more:
                    self.submit(number)
            self.look()
            time.sleep(0.2)
        limit = time.monotonic() + PATIENCE_S
        while self.open and time.monotonic() < limit:
            self.look()
            time.sleep(0.2)
        limit = time.monotonic() + BACK_S
        self.away = self.phones_away()
        while self.away and time.monotonic() < limit:
            time.sleep(0.5)
            self.away = self.phones_away()
        for job in self.open:
            self.tell(job, f"does not end: {self.daemon.get(f'/api/v1/jobs/{job}')}")

    def phones_away(self):
        devices = self.daemon.get("/api/v1/devices")["devices"]
        return {device["name"]: device["cause"] for device in devices if device["state"] not in ("ready", "busy")}

    def measure_undisturbed(self):
        for number in (1, 2):
            self.submit(number)
        wait_until(lambda: self.look() or not self.open, PATIENCE_S, "the undisturbed runs")
        traces = [self.events(record["run"]) for record in self.ended.values()]
        self.ended.clear()
        if not traces[0] or traces[0] != traces[1]:
            raise AssertionError("two undisturbed runs differ: " + self.daemon.log_text()[-2000:])
        return traces[0]

    # --- what must hold ---

    def file(self, run, path):
        status, _, body = self.daemon.request("GET", f"/api/v1/runs/{run}/files/{path}")
        if status != 200:
            raise AssertionError(f"run {run} has no {path}: {status}")
        return body

    def events(self, run):
        """What happened in a run, in its order, without when."""
        return [event for event in lab.read_trace(b"".join(records(self.file(run, "trace.sltrace")))) if [event.pop(k) for k in ("start", "end")]]

    def tell(self, job, what):
        self.wrong.append(f"job {job} {what}")
        print(f"WRONG job {job} {what}", flush=True)

    def check(self, job, record):
        if not hasattr(self, "undisturbed"):
            return
        if self.options.verbose:
            print(f"{time.strftime('%T')} job {job} on {record['device']}: {record['state']}, attempts {record['attempts']} {record['detail']}", flush=True)
        if record["state"] == "done":
            if self.events(record["run"]) != self.undisturbed:
                self.tell(job, f"is done with other events: {record}")
        elif not record["detail"] or not (record["cause"] in ("lab", "deadline") or self.crashed(record)):
            self.tell(job, f"ended without the cause that it has: {record}")
        elif record["run"]:
            self.check_part(job, record)
        self.states[f"{record['state']}, cause {record['cause']}, attempts {record['attempts']}"] += 1

    def measured(self, record):
        return json.loads(self.file(record["run"], "result.json"))["measured"]

    def crashed(self, record):
        """The model is not to blame for what happens to its phone, unless what killed all of the phone's processes took the agent last."""
        return record["cause"] == "result" and record["run"] and self.measured(record)["outcome"] == "crashed"

    def check_part(self, job, record):
        """A run that failed: all that its result announces is here, and is the beginning of a whole run."""
        result, here = self.measured(record), self.events(record["run"])
        stream = len(self.file(record["run"], "streams/trace.sltrace"))
        if here != self.undisturbed[:len(here)] or result["trace_bytes"] != stream + result["dropped_bytes"] or (
                result["trace_complete"] and len(here) < len(self.undisturbed)):
            self.tell(job, f"lacks events that its result does not name: {len(here)} of {len(self.undisturbed)}, {stream} bytes, {result}")

    # --- the ledger ---

    def summary(self):
        log = self.daemon.log_text()
        print(f"device-faults: {sum(self.counts.values())} faults from seed {self.options.seed} over {len(self.ended) + len(self.open)} runs"
              f" on {self.options.devices} emulated phones")
        for kind in SHARES:
            print(f"  fault {kind}: {self.counts[kind]}")
        for state, count in sorted(self.states.items()):
            print(f"  runs {state}: {count}")
        details = collections.Counter(re.sub(r"\d+", "N", record["detail"]) for record in self.ended.values() if record["state"] != "done")
        for detail, count in details.most_common(8):
            print(f"  failed because: {detail} ({count})")
        print(f"  detached for a while: {log.count('event=run_detached')}, and collected: {log.count('event=run_attached')}")
        steps = collections.Counter(re.findall(r"event=recovery .*?step=([a-z-]+)", log))
        print("  recovery: " + (", ".join(f"{step} {count}" for step, count in sorted(steps.items())) or "none was needed"))
        restarted = log.count("event=agent_restarted")
        print(f"  agents known by another start: {restarted}")
        print(f"  phones that are not back: {self.away or 'none'}")
        print(f"  events lost and not declared, or runs without an end: {len(self.wrong)}")
        for line in self.wrong:
            print(f"    {line}")
        if self.wrong:
            print(f"  the daemon's log and its state are in {self.root}")
        enough = sum(self.counts.values()) == self.options.faults and self.states
        if not restarted and any(self.counts[kind] for kind in ENDS_AGENT):
            print(f"  no agent is known to have been started again, though {', '.join(ENDS_AGENT)} end it")
            return 1
        return 0 if enough and not self.wrong and not self.away else 1


def main(words=None):
    parser = argparse.ArgumentParser(prog="faults.devices")
    parser.add_argument("--faults", type=int, default=1000)
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--devices", type=int, default=4)
    parser.add_argument("--executions", type=int, default=12, help="of each variant: a dozen are some seconds of a phone in the emulator")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--pause", type=float, default=1.0, help="seconds between two faults, on average")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args(words)
    reason = phone_lab.why_not() or next((f"{p} is missing; scripts/setup makes it" for p in (lab.AGENT, lab.EMULATOR) if not os.access(p, os.X_OK)), None)
    if reason:
        print(reason)
        return lab.SKIPPED
    print(f"device-faults: {options.faults} faults from seed {options.seed}", flush=True)
    with phone_lab.PhoneLab(options.devices) as phones:
        batch = Batch(options, phones)
        try:
            batch.go()
            return batch.summary()
        finally:
            batch.close()


if __name__ == "__main__":
    sys.exit(main())
