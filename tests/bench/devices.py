"""Many phones on one daemon, and one phone's job: bench.py's part `devices`. The phones are scripts/lab's: real adbd, behind a real adb
server, aarch64 agents in the emulator. How many: SL_BENCH_PHONES (64) with an agent each, SL_BENCH_MANY (256) without."""

import contextlib
import http.client
import json
import os
import pathlib
import statistics
import sys
import tempfile
import threading
import time

import host

sys.path.insert(0, str(host.ROOT / "tests/integration"))

import lab  # noqa: E402
import phone_lab  # noqa: E402
from daemon import Daemon, UnixConnection  # noqa: E402

PHONES, MANY = int(os.environ.get("SL_BENCH_PHONES", 64)), int(os.environ.get("SL_BENCH_MANY", 256))
TRIED, JOBS, IDLE_S, SETTLE_S, PATIENCE_S = 8, 8, 20, 5, 900
LOOK_S = 0.0005  # at the agent's processes
BIG = lab.MODELS / "mobilenet_v2_f32_xnnpack"
GOAL_CPU_PERCENT, GOAL_MIB, GOAL_SEEN_MS, GOAL_JOB_MS, GOAL_CHECK_MS = 1, 64, 200, 300, 50


class Watch(threading.Thread):
    """Changes of devices as the daemon tells them: (seconds, name, state)."""

    def __init__(self, daemon):
        super().__init__(daemon=True)
        self.connection = UnixConnection(daemon.socket, None)
        self.connection.request("GET", "/api/v1/events")
        self.answer = self.connection.getresponse()
        self.seen = []

    def run(self):
        with contextlib.suppress(OSError, http.client.HTTPException):  # the daemon has ended
            for line in self.answer:
                if line.startswith(b"data: {\"device\""):
                    told = json.loads(line[6:])
                    if "state" in told:
                        self.seen.append((time.time(), told["device"], told["state"]))

    def after(self, since, name, state=None):
        """Milliseconds from then to the first change of that device, or its change to that state."""
        limit = time.monotonic() + 30
        while time.monotonic() < limit:
            for at, device, became in list(self.seen):
                if device == name and at > since and became != "busy" and state in (None, became):
                    return (at - since) * 1e3
            time.sleep(0.001)
        sys.exit(f"bench: the daemon does not tell of {name}")


def cpu_ns(pid):
    return sum(int(path.read_text().split()[0]) for path in pathlib.Path(f"/proc/{pid}/task").glob("*/schedstat"))


def idle(daemon, what):
    """Rows of a daemon that has nothing to do."""
    time.sleep(SETTLE_S)
    before, began = cpu_ns(daemon.process.pid), time.monotonic_ns()
    woken = host.switches(daemon.process.pid)
    time.sleep(IDLE_S)
    percent = 100 * (cpu_ns(daemon.process.pid) - before) / (time.monotonic_ns() - began)
    woken = (host.switches(daemon.process.pid) - woken) / IDLE_S
    yield host.row(f"{what}: idle CPU, of one core", round(percent, 3), "%", GOAL_CPU_PERCENT, "goal")
    yield host.row(f"{what}: resident", round(host.resident_mib(daemon.process.pid), 1), "MiB", GOAL_MIB, "goal")
    yield host.noted(f"{what}: wake-ups", round(woken, 1), "1/s", None, "no goal")


def await_states(daemon, count, states):
    limit = time.monotonic() + PATIENCE_S
    while True:
        found = [device for device in daemon.get("/api/v1/devices")["devices"] if device["state"] in states]
        if len(found) >= count:
            return found
        if time.monotonic() > limit:
            sys.exit(f"bench: only {len(found)} of {count} phones are {states}: {daemon.log_text()[-2000:]}")
        time.sleep(0.5)


def begin(folder, phones, config, agent=lab.AGENT):
    return Daemon(pathlib.Path(folder) / "state", config,
                  env={"SME2LAB_AGENT": str(agent), "SME2LAB_EMULATOR": str(lab.EMULATOR), "ADB_SERVER_SOCKET": phones.server()})


def changes_seen(daemon, phones):
    """Unplugged and plugged in again, behind the server: what the daemon needs to tell of it, the worst of some."""
    watch, lost, back = Watch(daemon), [], []
    watch.start()
    for number in range(1, TRIED + 1):
        name, since = phones.serial(number).replace(":", "-"), time.time()
        phones.unplug(number)
        lost.append(watch.after(since, name, "offline"))
        since = time.time()
        phones.plug(number)
        back.append(watch.after(since, name))
    what = f"{phones.count} phones, one of them"
    yield host.row(f"{what} unplugged: until told, the worst of {TRIED}", round(max(lost), 1), "ms", GOAL_SEEN_MS, "goal, with adb's own disconnect")
    yield host.row(f"{what} plugged in: until told, the worst of {TRIED}", round(max(back), 1), "ms", GOAL_SEEN_MS, "goal, with adb's own connect")


def direct_seen(phones):
    """Without the server: a phone's adbd dies."""
    with tempfile.TemporaryDirectory(prefix="sme2lab-bench-") as folder:
        links = [{"name": f"phone{n}", "link": phones.link(n, served=False)} for n in range(1, TRIED + 1)]
        with begin(folder, phones, {"devices": links}) as daemon:
            await_states(daemon, TRIED, ("ready",))
            watch, lost = Watch(daemon), []
            watch.start()
            for number in range(1, TRIED + 1):
                phones.fault(number, "kill-adbd")
                since = (phones.folder / f"device{number}").stat().st_mtime  # when the laboratory had done it
                lost.append(watch.after(since - 0.02, f"phone{number}") - 20)  # its death is told before that is noted
            yield host.row(f"{TRIED} phones without a server, one's adbd killed: until told, the worst", round(max(lost), 1), "ms", GOAL_SEEN_MS, "goal")


def bench_agents(phones):
    with tempfile.TemporaryDirectory(prefix="sme2lab-bench-") as folder, begin(folder, phones, {"adb": True}) as daemon:
        began = time.monotonic()
        await_states(daemon, phones.count, ("ready",))
        yield host.noted(f"{phones.count} phones and an agent on each: until all are ready", round(time.monotonic() - began, 1), "s", None, "no goal")
        yield from idle(daemon, f"{phones.count} phones with agents")
        yield from changes_seen(daemon, phones)


# --- one phone's job ---

def words_of(pid):
    with contextlib.suppress(OSError):
        return pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    return []


def is_agent(pid, verb):
    words = words_of(pid)
    return verb in words and any(b"sme2lab/bin/" in word for word in words)


class Agent(threading.Thread):
    """Notes when the inference processes of the one phone's agent began and ended, in ns, as they are seen. It has others between the
    jobs: Android's programs that tell how warm the phone is, and how full its battery."""

    def __init__(self, phones):
        super().__init__(daemon=True)
        self.pid = next(pid for pid in phones.processes() if is_agent(pid, b"serve"))
        self.spans, self.ending = [], False

    def children(self):
        found = ""
        for path in pathlib.Path(f"/proc/{self.pid}/task").glob("*/children"):
            with contextlib.suppress(OSError):
                found += path.read_text()
        return set(found.split())

    def run(self):
        running, measured = {}, set()
        while not self.ending:
            here, now = self.children(), time.monotonic_ns()
            for pid in here - running.keys():
                running[pid] = now
            measured |= {pid for pid in here - measured if is_agent(pid, b"run")}
            for pid in running.keys() - here:
                began = running.pop(pid)
                if pid in measured:
                    self.spans.append((began, now))
            time.sleep(LOOK_S)


def job_times(daemon, agent, job):
    """(ms beyond its processes, ms from submission to the first of them)."""
    agent.spans.clear()
    number, began, ended = host.follow(daemon, job)
    record = daemon.wait(number)
    if record["state"] != "done" or len(agent.spans) != 2:
        sys.exit(f"bench: a job had {len(agent.spans)} processes, not the measured one and that of the portable kernels: {record}")
    return (ended - began - sum(end - start for start, end in agent.spans)) / 1e6, (agent.spans[0][0] - began) / 1e6


def bench_job(phones):
    with tempfile.TemporaryDirectory(prefix="sme2lab-bench-") as folder:
        config = {"devices": [{"name": "phone", "link": phones.link(1, served=True)}]}
        with begin(folder, phones, config) as daemon:
            await_states(daemon, 1, ("ready",))
            agent = Agent(phones)
            agent.start()
            for what, model in (("toy CNN", host.TOY), (f"a model of {(BIG / 'model.pte').stat().st_size / 1e6:.1f} MB", BIG)):
                job = {"model": daemon.put_blob(model / "model.pte"), "inputs": [daemon.put_blob(model / "input-0.bin")],
                       "device": "phone", "runs": 1, "warmup": 0}
                times = [job_times(daemon, agent, job) for _ in range(JOBS + 1)][1:]  # with the first one the model is sent
                beyond, start = (statistics.median(column) for column in zip(*times))
                yield host.row(f"a phone's job beyond its two processes, {what}", round(beyond, 1), "ms", GOAL_JOB_MS, "goal, median")
                yield host.row(f"  from submission to its process, {what} already there", round(start, 1), "ms", GOAL_CHECK_MS,
                               "goal for the check that it is there, which is a part of it")
            agent.ending = True
            agent.join()


def bench_many():
    """Phones that take no agent, as one whose CPU is none of ours: listed, asked what they are, and away in quarantine or waiting."""
    with phone_lab.PhoneLab(MANY) as phones, tempfile.TemporaryDirectory(prefix="sme2lab-bench-") as folder:
        with begin(folder, phones, {"adb": True}, agent=pathlib.Path(folder) / "none") as daemon:
            await_states(daemon, MANY, ("offline",))
            yield from idle(daemon, f"{MANY} phones without agents")
            yield from changes_seen(daemon, phones)


def bench():
    reason = phone_lab.why_not()
    if reason:
        print(f"bench: devices: {reason}", file=sys.stderr)
        return
    with phone_lab.PhoneLab(1) as phones:
        yield from bench_job(phones)
    with phone_lab.PhoneLab(PHONES) as phones:
        yield from bench_agents(phones)
        yield from direct_seen(phones)
    yield from bench_many()


PARTS = {"devices": bench}
