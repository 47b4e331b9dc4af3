"""How fast a file goes onto a phone: bench.py's part `adb`. Side by side with the stock adb client, onto the same adbd of scripts/lab, the
clients by turns, run by run, so that a busy machine hits all alike; medians. The file is what models are made of, 64 MiB of them. Both go
to the adbd itself: the stock client and `ours` through one adb server, `ours without the server` in the laboratory's network."""

import hashlib
import json
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

import host

ROOT = pathlib.Path(__file__).resolve().parents[2]
LAB = ROOT / "scripts/lab"
PUSH, BLOB = ROOT / "build/host/bench/adb_push", ROOT / "build/host/bench/adb_blob"
ADB = ROOT / "build/adb"
LIBRARIES = ADB / "usr/lib/x86_64-linux-gnu"
STOCK = ADB / "usr/lib/android-sdk/platform-tools/adb"
SERIAL, TO = "127.0.0.1:5601", "/data/local/tmp/bench"
BYTES, ROUNDS, SLOW_ROUNDS = 64 << 20, 9, 3
CABLE = "320mbit"  # 40 MB/s: what a phone on USB 2 takes
GOALS = {"as it is": 1.0, "compressed": 1.2}  # times the stock client's throughput
TICKS = os.sysconf("SC_CLK_TCK")


def model_bytes():
    found = sorted((path for parent in filter(None, (os.environ.get("SL_FIXTURES"), ROOT / "tests/data/models"))
                    for path in pathlib.Path(parent).glob("*/model.pte")), key=lambda path: -path.stat().st_size)
    content = b""
    for path in found * (BYTES // max(1, sum(path.stat().st_size for path in found)) + 1):
        content += path.read_bytes()
        if len(content) >= BYTES:
            break
    return content[:BYTES]


class Lab:
    """One emulated phone, its adb server, and how both are reached."""

    def __init__(self, folder):
        self.folder, self.own = folder, {**os.environ, "LAB_DIR": str(folder)}
        self.env = {**self.own, "ADB_SERVER_SOCKET": f"localfilesystem:{folder}/adb.sock",
                    "LD_LIBRARY_PATH": f"{LIBRARIES}/android:{LIBRARIES}:{ADB / 'lib/x86_64-linux-gnu'}"}

    def lab(self, *words, check=True):
        return subprocess.run([LAB, *words], env=self.own, capture_output=True, stdin=subprocess.DEVNULL, text=True, check=check)

    def pid_of(self, word):
        for folder in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                words = (folder / "cmdline").read_bytes()
                if word.encode() in words and str(self.folder).encode() in words:
                    return int(folder.name)
            except OSError:
                continue
        raise RuntimeError(f"no process has {word} among its words")

    def server_seconds(self):
        words = pathlib.Path(f"/proc/{self.server}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(words[11]) + int(words[12])) / TICKS

    def __enter__(self):
        self.lab("up", "1")
        self.server = self.pid_of("nodaemon")
        outer = int((self.folder / "pid").read_text())
        first = pathlib.Path(f"/proc/{outer}/task/{outer}/children").read_text().split()[0]
        self.enter = ["nsenter", "--target", first, "--user", "--net", "--preserve-credentials"]  # where adbd is at 127.0.0.1 itself
        return self

    def __exit__(self, *_):
        self.lab("down", check=False)


def run(lab, words):
    """(seconds of the wall, seconds of the client's and the server's CPU)"""
    before, start = lab.server_seconds(), time.monotonic()
    client = subprocess.Popen([str(word) for word in words], env=lab.env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(client.pid, 0)
    taken = time.monotonic() - start
    client.returncode = os.waitstatus_to_exitcode(status)
    if client.returncode:
        raise SystemExit(f"bench: {words[0]} exits {client.returncode}")
    return taken, usage.ru_utime + usage.ru_stime + lab.server_seconds() - before


def clients(lab, file, way):
    end = ["plain"] if way == "as it is" else []
    return {"stock": [STOCK, "-s", SERIAL, "push", *(["-Z"] if end else ["-z", "any"]), file, TO],
            "ours": [PUSH, file, TO, f"adb:{SERIAL}", *end],
            "ours without the server": [*lab.enter, PUSH, file, TO, f"tcp:{SERIAL}", *end]}


def side_by_side(lab, file, way, rounds):
    """By client: medians of seconds, of CPU seconds, and of the rounds' ratios to the stock client."""
    calls = clients(lab, file, way)
    found = {name: [] for name in calls}
    for _ in range(rounds):
        for name, words in calls.items():
            found[name].append(run(lab, words))
    return {name: (statistics.median(wall for wall, _ in values), statistics.mean(cpu for _, cpu in values),
                   statistics.median(stock[0] / mine[0] for stock, mine in zip(found["stock"], values))) for name, values in found.items()}


def rate(seconds):
    return round(BYTES / seconds / 1e6)


def rows_of(found, what, goal=None):
    for name in ("ours", "ours without the server"):
        wall, cpu, ratio = found[name]
        words = f"64 MiB {what}, {name}: median {rate(wall)} MB/s beside the stock client's {rate(found['stock'][0])}", round(ratio, 2), "x"
        yield (host.row(*words, goal, "goal: times the stock client's throughput, round by round", least=True) if goal else
               host.noted(*words, 1.0, "the stock client, round by round: the link is the narrowest place"))
        yield host.noted("  CPU of client and server, mean", round(cpu * 1e3), "ms", round(found["stock"][1] * 1e3), "the stock client and the server")


def on_the_link(lab):
    told = subprocess.run([*lab.enter, "tc", "-s", "-j", "qdisc", "show", "dev", "lo"], check=True, capture_output=True, text=True)
    return json.loads(told.stdout)[0]["bytes"]


def bytes_sent(lab, file, way):
    """What goes over the link for the file, both ways, as times of the stock client's: a busy machine does not change it."""
    sent = {}
    for name, words in clients(lab, file, way).items():
        before = on_the_link(lab)
        run(lab, words)
        sent[name] = on_the_link(lab) - before
    for name in ("ours", "ours without the server"):
        yield host.row(f"  bytes on the link, {way}, {name}: {sent[name] / 1e6:.2f} MB beside the stock client's {sent['stock'] / 1e6:.2f}",
                       round(sent[name] / sent["stock"], 3), "x", 1.01, "goal: times the stock client's")


def over_a_cable(lab, file):
    """The same where the link is the narrowest place, as it is with a phone."""
    subprocess.run([*lab.enter, "tc", "qdisc", "add", "dev", "lo", "root", "tbf", "rate", CABLE, "burst", "256k", "latency", "50ms"], check=True)
    try:
        for way in GOALS:
            yield from rows_of(side_by_side(lab, file, way, SLOW_ROUNDS), f"{way} over {CABLE}")
            yield from bytes_sent(lab, file, way)
    finally:
        subprocess.run([*lab.enter, "tc", "qdisc", "del", "dev", "lo", "root"], check=True)


def session(lab, agent, rounds):
    """Models go over the agent's session, resumed where they were and checked there: (all of it, the agent's check alone), medians."""
    store, workdir, there = lab.folder / "store", lab.folder / f"work-{agent.parent.parent.name}", lab.folder / "device1/data/sme2lab/blobs"
    store.mkdir(exist_ok=True)
    env, walls, checks = {**lab.env, "SME2LAB_AGENT": str(agent)}, [], []
    for number in range(2 * rounds):
        content = model_bytes()[:-16] + os.urandom(16)
        name = hashlib.sha256(content).hexdigest()
        (store / name).write_bytes(content)
        if number % 2 and walls:  # all is there already, and the agent only checks it
            (there / f"{name}.part").write_bytes(content)
        taken = int(subprocess.run([BLOB, store, name, f"adb:{SERIAL}", workdir], env=env, check=True, capture_output=True, text=True,
                                   stdin=subprocess.DEVNULL).stdout) / 1e9
        (checks if number % 2 else walls).append(taken)
        (store / name).unlink()
        (there / name).unlink()
    return statistics.median(walls), statistics.median(checks)


def measure(lab):
    file = lab.folder / "file"
    file.write_bytes(model_bytes())
    for way, goal in GOALS.items():
        found = side_by_side(lab, file, way, ROUNDS)
        yield from rows_of(found, way, goal)
    got = (lab.folder / "device1/data/bench").read_bytes()
    assert got == file.read_bytes(), "what came onto the device is another file"
    (lab.folder / "device1/data/bench").unlink()
    yield from over_a_cable(lab, file)
    for name, agent, rounds in (("native", host.NATIVE_AGENT, SLOW_ROUNDS), ("emulated", ROOT / "build/agent-aarch64/bin/sme2lab-agent", 1)):
        whole, check = session(lab, agent, rounds)
        yield host.noted(f"64 MiB as a model to a {name} agent: transfer alone", rate(whole - check), "MB/s", rate(found["stock"][0]), "the stock client, compressed")
        yield host.noted("  with the agent's SHA-256 and fsync", rate(whole), "MB/s", rate(found["stock"][0]), "the same, which checks nothing")


def bench():
    with tempfile.TemporaryDirectory(prefix="sl-lab-") as name:
        lab = Lab(pathlib.Path(name))
        if lab.lab("check", check=False).returncode != 0:
            return
        with lab:
            yield from measure(lab)


PARTS = {"adb": bench}
