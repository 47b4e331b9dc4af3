"""What is done to a job while it runs, and what must hold of it afterwards. Each case is drawn from its seed."""

import http.client
import json
import random
import signal
import time

from faults.laboratory import digest, records, wait_until
from faults.proxy import AtChunk, Cut

RUNS, MORE_RUNS, LONG_RUNS, COUNTED_RUNS = 160, 450, 1000, 1
STOP_SECONDS = 2
LAST_CHUNK, LAST_UP_BYTE, LAST_DOWN_BYTE = 40, 100_000, 60  # since the first acknowledgement; a job has more of each

# kind: (share of the cases, what happens, in this order)
KINDS = {
    "cut-up": (20, ["cut-up"]),
    "cut-down": (16, ["cut-down"]),
    "kill-host": (18, ["kill-host"]),
    "kill-host-anytime": (5, ["kill-host-anytime"]),
    "kill-agent": (10, ["kill-agent"]),
    "kill-agent-anytime": (4, ["kill-agent-anytime"]),
    "kill-inference": (9, ["kill-inference"]),
    "cuts": (4, ["cut-up", "cut-down", "cut-up"]),
    "cut-and-kill-host": (4, ["cut-up", "kill-host"]),
    "kill-host-twice": (2, ["kill-host", "kill-host"]),
    "kill-host-and-agent": (2, ["kill-both"]),
    "cut-and-kill-inference": (1, ["cut-up", "kill-inference"]),
    "stop-host": (1, ["stop-host", "cut-up"]),
    "stop-agent": (1, ["stop-agent", "cut-up"]),
    "counted-kill-host": (1, ["kill-host-anytime"]),
    "counted-cut": (1, ["cut-anytime"]),
    "counted-kill-agent": (1, ["kill-agent-anytime"]),
}
BREAKS_LINK = {"cut-up", "cut-down", "kill-host", "kill-agent", "kill-both"}
KILLS_AGENT = {"kill-agent", "kill-agent-anytime", "kill-both"}
MAY_RUN_AGAIN = KILLS_AGENT | {"kill-host-anytime"}


def kind_of(seed):
    names = list(KINDS)
    return random.Random(seed).choices(names, [KINDS[name][0] for name in names])[0]


def runs_of(kind):
    return (COUNTED_RUNS if kind.startswith("counted") else LONG_RUNS if kind == "stop-host"
            else MORE_RUNS if len(KINDS[kind][1]) > 1 else RUNS)


class Case:
    """One job on one laboratory; run() raises AssertionError with what does not hold."""

    def __init__(self, laboratory, seed, kind):
        self.lab, self.seed, self.kind = laboratory, seed, kind
        self.draw = random.Random(f"{seed}/{kind}")
        self.faults = KINDS[kind][1]
        self.device = "counted" if kind.startswith("counted") else "here"
        self.proxy = laboratory.proxies[self.device]
        self.missed = False  # the job ended before the fault could happen

    def run(self, undisturbed):
        runs = runs_of(self.kind)
        self.again = self.proxy.again
        self.acknowledged = True
        self.job = self.lab.submit(self.device, runs)
        self.numbers = self.lab.run_numbers(self.job)
        for fault in self.faults:
            getattr(self, fault.replace("-", "_"))()
        record = self.lab.daemon.wait(self.job)
        self.check(record, undisturbed[(self.device, runs)])
        return record

    # --- what happens ---

    def ended(self):
        try:
            return self.lab.daemon.get(f"/api/v1/jobs/{self.job}")["state"] in ("done", "failed")
        except (OSError, http.client.HTTPException):
            return False  # killed just now

    def happens(self, moment):
        """Waits until it has happened; a job that ends first makes a case that shows nothing."""
        self.proxy.arm(moment, self.numbers)
        limit = time.monotonic() + 60
        while not self.proxy.happened.wait(0.1):
            if time.monotonic() > limit:
                raise AssertionError("the fault does not come to happen")
            if self.lab.daemon.process.poll() is None and self.ended():
                self.missed = True
                return

    def cut_up(self):
        self.happens(Cut("up", self.draw.randrange(LAST_UP_BYTE)))

    def cut_down(self):
        self.happens(Cut("down", self.draw.randrange(LAST_DOWN_BYTE)))

    def at_chunk(self, action):
        self.happens(AtChunk(self.draw.randrange(1, LAST_CHUNK), action, self.proxy.drop))

    def kill_host(self):
        self.at_chunk(self.lab.daemon.process.kill)
        if not self.missed:
            self.lab.daemon.process.wait()
            self.lab.daemon.start()

    def kill_agent(self):
        self.at_chunk(lambda: self.lab.signal(self.lab.agent_pid(self.device), signal.SIGKILL))

    def kill_both(self):
        def kill():
            self.lab.signal(self.lab.agent_pid(self.device), signal.SIGKILL)
            self.lab.daemon.process.kill()
        self.at_chunk(kill)
        if not self.missed:
            self.lab.daemon.process.wait()
            self.lab.daemon.start()

    def kill_inference(self):
        self.happens(AtChunk(self.draw.randrange(1, LAST_CHUNK),
                             lambda: self.lab.signal(self.lab.inference_pid(self.device), signal.SIGKILL)))

    def anytime(self):
        """Any instant of the job, from its submission on."""
        time.sleep(self.draw.random() * (1.2 if self.device == "counted" else 0.45))

    def kill_host_anytime(self):
        self.anytime()
        self.lab.daemon.kill()
        self.lab.daemon.start()

    def kill_agent_anytime(self):
        self.anytime()
        self.lab.signal(self.lab.agent_pid(self.device), signal.SIGKILL)

    def cut_anytime(self):
        self.anytime()
        self.proxy.drop_all()

    def stop(self, pid):
        """Stopped once it is under way, for two seconds."""
        self.happens(AtChunk(self.draw.randrange(1, LAST_CHUNK), lambda: self.lab.signal(pid, signal.SIGSTOP)))
        time.sleep(STOP_SECONDS)
        self.lab.signal(pid, signal.SIGCONT)

    def stop_host(self):
        self.stop(self.lab.daemon.process.pid)

    def stop_agent(self):
        self.stop(self.lab.agent_pid(self.device))

    # --- what must hold ---

    def check(self, record, undisturbed):
        told = f"{self.kind} seed {self.seed}: {record}"
        if "kill-inference" in self.faults and record["state"] == "failed":
            self.check_crash(record, undisturbed, told)
        elif record["state"] != "done":
            raise AssertionError(told)
        elif digest(self.lab.etdumps(record)) != undisturbed["digest"]:
            raise AssertionError(f"{told}: other bytes: {digest(self.lab.etdumps(record))} {undisturbed['digest']}")
        self.check_attempts(record, told)
        if not self.missed and BREAKS_LINK & set(self.faults) and self.proxy.again == self.again:
            raise AssertionError(f"{told}: nothing was sent again")
        self.check_resumes(told)

    def check_attempts(self, record, told):
        """Only a dead agent makes a job run again, and a daemon that dies before it has begun; the job says so."""
        rerun = MAY_RUN_AGAIN & set(self.faults)
        if record["attempts"] > (2 if rerun else 1):
            raise AssertionError(f"{told}: it was run again")
        if record["attempts"] > 1 and "run again" not in record["detail"]:
            raise AssertionError(f"{told}: it does not say why it was run again")

    def check_resumes(self, told):
        """What a living agent says of each new link: something was acknowledged before, and something comes again."""
        if self.missed or not BREAKS_LINK & set(self.faults):
            return
        resumes = self.lab.resumes(self.device, self.numbers)
        if not any(acked > 0 for acked, _ in resumes):
            raise AssertionError(f"{told}: nothing had been acknowledged: {resumes}")
        if not KILLS_AGENT & set(self.faults) and not any(acked > 0 and again > 0 for acked, again in resumes):
            raise AssertionError(f"{told}: nothing comes again: {resumes}")

    def check_crash(self, record, undisturbed, told):
        """The result says what is missing: the signal, the operator, and all events until then are there."""
        if record["cause"] != "result" or "signal 9" not in record["detail"] or not record["run"]:
            raise AssertionError(told)
        files = self.lab.files(record)
        result = json.loads(files["result.json"])["measured"]
        if result["outcome"] != "crashed" or result["signal"] != 9 or result["trace_complete"]:
            raise AssertionError(f"{told}: {result}")
        if len(files["streams/trace.sltrace"]) != result["trace_bytes"] or result["dropped_bytes"] != 0:
            raise AssertionError(f"{told}: {result}, {len(files['streams/trace.sltrace'])} bytes are here")
        here, whole = records(files["trace.sltrace"]), undisturbed["records"]
        if not here or here != whole[:len(here)] or len(here) == len(whole):
            raise AssertionError(f"{told}: {len(here)} records are not the beginning of {len(whole)}")
        self.last_operator = result["last_operator"]


def run_undisturbed(laboratory, device, runs):
    record = laboratory.daemon.wait(laboratory.submit(device, runs))
    if record["state"] != "done":
        raise AssertionError(f"the undisturbed run: {record} " + laboratory.daemon.log_text()[-2000:])
    files = laboratory.files(record)
    return {"digest": digest(laboratory.etdumps(record)), "records": records(files["trace.sltrace"])}


def settle(laboratory):
    """Between cases: daemon and agents are there, and nothing runs."""
    wait_until(lambda: not laboratory.daemon.get("/api/v1/jobs?state=running")["jobs"], 60, "a job goes on")
