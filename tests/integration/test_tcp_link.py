"""Agents that were started by hand and serve over TCP: files delivered and verified over the link, cuts survived, strangers refused."""

import hashlib
import json
import os
import pathlib
import re
import socket
import subprocess
import threading
import time
import unittest

import lab
import wire
from daemon import NATIVE_AGENT, SME2LABD, Daemon
from faults.laboratory import ORDINAL_LAB, TOY, digest, wait_until

PATIENCE_SECONDS = 60
INPUTS = "input-0.bin"
CPU = "max,sme512=on"
SHIM = lab.BUILD / "host/tests/libset_clock.so"


def setUpModule():
    lab.need(ORDINAL_LAB, NATIVE_AGENT, lab.AGENT, lab.EMULATOR)


class Agent:
    """`sme2lab-agent serve --listen tcp:…` in a directory that the daemon never sees; `program` may be several words."""

    def __init__(self, root, *program, self_path=None, words=()):
        self.workdir = pathlib.Path(root) / "board"
        self.secret = pathlib.Path(root) / "board.secret"
        if not self.secret.exists():
            self.secret.write_text(os.urandom(32).hex() + "\n")
            self.secret.chmod(0o600)
        self.words = [*lab.ENDS_WITH_TEST, *program, "serve", "--workdir", self.workdir, "--secret-file", self.secret, *words]
        if self_path:
            self.words += ["--self", self_path]
        self.log = open(pathlib.Path(root) / "board.log", "ab")
        self.port = 0
        self.start()

    def start(self):
        self.process = subprocess.Popen([str(word) for word in [*self.words, "--listen", f"tcp:127.0.0.1:{self.port}"]],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self.log, text=True)
        line = self.process.stdout.readline()
        self.port = int(line.strip().rsplit(":", 1)[1])

    def stop(self):
        self.process.terminate()
        self.process.wait(30)
        self.process.stdout.close()

    def close(self):
        self.stop()
        self.log.close()

    def blob(self, name):
        return self.workdir / "blobs" / name


class Wire(threading.Thread):
    """Passes bytes between the daemon and an agent, counts them, and breaks the connection where it is told: `cut` is a direction
    ("down": to the agent) and how many more bytes of it pass."""

    def __init__(self, port):
        super().__init__(daemon=True)
        self.agent_port = port
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.passed = {"down": 0, "up": 0}
        self.cuts = 0
        self.cut = None
        self.delay_seconds = 0  # of each piece, either way
        self.flip = None  # how many more bytes upward until one is changed
        self.lock = threading.Lock()
        self.start()

    def run(self):
        while True:
            try:
                front, _ = self.listener.accept()
            except OSError:
                return  # closed
            try:
                back = socket.create_connection(("127.0.0.1", self.agent_port))
            except OSError:  # the agent is away
                front.close()
                continue
            for name, source, sink in (("down", front, back), ("up", back, front)):
                threading.Thread(target=self.carry, args=(name, source, sink), daemon=True).start()

    def carry(self, name, source, sink):
        try:
            while data := source.recv(1 << 14):
                time.sleep(self.delay_seconds)
                with self.lock:
                    self.passed[name] += len(data)
                    if self.cut and self.cut[0] == name:
                        if self.cut[1] < len(data):
                            sink.sendall(data[:self.cut[1]])
                            self.cut = None
                            self.cuts += 1
                            break
                        self.cut = (name, self.cut[1] - len(data))
                sink.sendall(data)
        except OSError:
            pass
        for end in (source, sink):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def close(self):
        self.listener.close()


def board(port, secret, **more):
    return {"name": "board", "link": f"tcp:127.0.0.1:{port}", "secret_file": str(secret), **more}


class Linked(lab.Scratch):
    """A laboratory whose device "here" is this machine and whose device "board" is behind a link; both are the native agent on
    a clock of ordinals, so that equal runs are equal to the byte."""

    def begin(self, *devices, program=ORDINAL_LAB):
        daemon = Daemon(self.scratch / "state", {"devices": list(devices)}, program=program,
                        env={"SME2LAB_NATIVE_AGENT": str(NATIVE_AGENT), "SME2LAB_AGENT": str(lab.AGENT),
                             "SME2LAB_EMULATOR": str(lab.EMULATOR)})
        daemon.start()
        self.addCleanup(daemon.__exit__, ValueError)  # run directories are looked at below
        return daemon

    def agent(self, *program, **more):
        agent = Agent(self.scratch, *(program or (NATIVE_AGENT,)), **more)
        self.addCleanup(agent.close)
        return agent

    def second(self, agent, program=ORDINAL_LAB, secret=None):
        """A daemon that knows nothing of what the first one did."""
        root = self.scratch / "second"
        root.mkdir()
        daemon = Daemon(root / "state", {"devices": [board(agent.port, secret or agent.secret), {"name": "here", "kind": "local"}]},
                        program=program, env={"SME2LAB_NATIVE_AGENT": str(NATIVE_AGENT), "SME2LAB_AGENT": str(lab.AGENT), "SME2LAB_EMULATOR": str(lab.EMULATOR)})
        daemon.start()
        self.addCleanup(daemon.__exit__, ValueError)
        return daemon

    def emulated_agent(self, cpu=CPU):
        """The aarch64 agent; what it spawns is emulated, too."""
        spawned = self.scratch / "agent.sh"
        spawned.write_text(f'#!/bin/sh\nexec {lab.EMULATOR} -cpu {cpu} -seed 1 {lab.AGENT} "$@"\n')
        spawned.chmod(0o755)
        return self.agent(lab.EMULATOR, "-cpu", cpu, lab.AGENT, self_path=spawned)

    def wire(self, agent):
        proxy = Wire(agent.port)
        self.addCleanup(proxy.close)
        return proxy

    def run_toy(self, daemon, device, runs=3, **more):
        job = {"model": daemon.put_blob(TOY / "model.pte"), "inputs": [daemon.put_blob(TOY / INPUTS)], "device": device, "runs": runs, **more}
        status, _, body = daemon.submit(job)
        self.assertEqual(status, 201, body)
        return json.loads(body)["id"]

    def files(self, daemon, record):
        base = f"/api/v1/runs/{record['run']}"
        return {entry["path"]: daemon.request("GET", f"{base}/files/{entry['path']}")[2]
                for entry in daemon.get(f"{base}/files")["files"]}

    def results(self, daemon, record):
        """ETDumps and outputs, which are equal in equal runs."""
        return {path: data for path, data in self.files(daemon, record).items()
                if path.endswith(".etdump") or path.startswith(("files/", "reference/files/"))}


class OverTcp(Linked):
    def test_a_run_over_the_link_is_that_of_this_machine_to_the_byte(self):
        agent = self.agent()
        daemon = self.begin({"name": "here", "kind": "local"}, board(agent.port, agent.secret))
        here, there = (daemon.wait(self.run_toy(daemon, name)) for name in ("here", "board"))
        self.assertEqual((here["state"], there["state"]), ("done", "done"), there)
        expected, found = self.results(daemon, here), self.results(daemon, there)
        self.assertGreaterEqual(len([path for path in expected if path.endswith(".etdump")]), 2)
        self.assertEqual(digest(found), digest(expected))
        for name in ("model.pte", INPUTS):
            data = (TOY / name).read_bytes()
            self.assertEqual(agent.blob(hashlib.sha256(data).hexdigest()).read_bytes(), data)
        lies = [path.name for path in (self.scratch / "state/agents/board").iterdir()]
        self.assertEqual(lies, ["settled"], "nothing of the agent's lies with the daemon, but its own list of what it is done with")

    def test_an_agent_that_is_killed_in_a_run_and_started_again_hands_over_what_it_had_and_runs_it_again(self):
        agent = self.agent()
        daemon = self.begin(board(agent.port, agent.secret))
        job = self.run_toy(daemon, "board", runs=400)
        wait_until(lambda: [path for path in agent.workdir.glob("jobs/*/trace") if path.stat().st_size > 1 << 16], PATIENCE_SECONDS, "the run")
        agent.process.kill()
        agent.process.wait(30)
        agent.process.stdout.close()
        agent.start()
        record = daemon.wait(job)
        self.assertEqual((record["state"], record["attempts"]), ("done", 2), daemon.log_text())
        self.assertIn("what it had recorded by then is here", record["detail"])
        said = re.search(r"event=job_resumed .*acknowledged_bytes=(\d+) sent_again_bytes=(\d+) ", (self.scratch / "board.log").read_text())
        self.assertGreater(int(said.group(1)) + int(said.group(2)), 0)

    def test_a_run_has_the_vector_length_that_it_asks_for(self):
        agent = self.emulated_agent("max")
        daemon = self.begin(board(agent.port, agent.secret), program=SME2LABD)
        series = set()
        for bits in (128, 1024):
            record = daemon.wait(self.run_toy(daemon, "board", svl=bits))
            self.assertEqual(record["state"], "done", record)
            manifest = json.loads(self.files(daemon, record)["manifest.json"])
            self.assertEqual((manifest["svl"], manifest["agent_report"]["svl_bytes"]), (bits, bits // 8))
            series.add(daemon.get(f"/api/v1/runs/{record['run']}")["series"])
        self.assertEqual(len(series), 2)
        done = lab.sme2lab("run", TOY / "model.pte", "--server", f"unix:{daemon.socket}", "--device", "board", "--svl", "192",
                           "--out", self.scratch / "none")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("say one of 128, 256, 512, 1024, 2048", done.stderr)

    def test_a_cut_in_the_middle_of_a_file_goes_on_where_it_was(self):
        agent = self.agent()
        proxy = self.wire(agent)
        daemon = self.begin(board(proxy.port, agent.secret))
        size = 8 << 20
        model = self.scratch / "random.pte"
        model.write_bytes(os.urandom(size))
        name = daemon.put_blob(model)
        proxy.cut = ("down", 5 << 20)
        status, _, body = daemon.submit({"model": name, "device": "board", "runs": 1})
        self.assertEqual(status, 201, body)
        wait_until(agent.blob(name).exists, PATIENCE_SECONDS, "the file")
        self.assertEqual(hashlib.sha256(agent.blob(name).read_bytes()).hexdigest(), name)
        self.assertEqual(proxy.cuts, 1)
        self.assertLess(proxy.passed["down"], size + (4 << 20), "it went on where it was")
        self.assertEqual([path.name for path in agent.blob(name).parent.glob("*.part")], [])
        record = daemon.wait(json.loads(body)["id"])
        self.assertEqual((record["state"], record["cause"]), ("failed", "result"), record)  # no program, but the device had it whole

    def test_an_agent_that_dies_in_the_middle_of_a_file_has_no_half_of_it(self):
        agent = self.agent()
        proxy = self.wire(agent)
        daemon = self.begin(board(proxy.port, agent.secret))
        model = self.scratch / "random.pte"
        model.write_bytes(os.urandom(8 << 20))
        name = daemon.put_blob(model)
        proxy.cut = ("down", 3 << 20)
        daemon.submit({"model": name, "device": "board", "runs": 1})
        wait_until(lambda: proxy.cuts == 1, PATIENCE_SECONDS, "the cut")
        agent.process.kill()
        agent.process.wait()
        self.assertFalse(agent.blob(name).exists())
        part = agent.blob(name + ".part")
        with open(part, "r+b") as file:  # what a crash of the device may leave
            file.write(b"damaged")
        agent.start()
        wait_until(agent.blob(name).exists, PATIENCE_SECONDS, "the file")
        self.assertEqual(hashlib.sha256(agent.blob(name).read_bytes()).hexdigest(), name)

    def test_a_cut_in_the_middle_of_a_run_loses_nothing(self):
        agent = self.agent()
        proxy = self.wire(agent)
        daemon = self.begin({"name": "here", "kind": "local"}, board(proxy.port, agent.secret))
        here = daemon.wait(self.run_toy(daemon, "here", runs=200))
        job = self.run_toy(daemon, "board", runs=200)
        wait_until(lambda: proxy.passed["up"] > 60_000, PATIENCE_SECONDS, "a part of the trace")
        proxy.cut = ("up", 20_000)
        wait_until(lambda: proxy.cuts == 1, PATIENCE_SECONDS, "the cut")
        there = daemon.wait(job)
        self.assertEqual(there["state"], "done", there)
        self.assertEqual(there["attempts"], 1)
        self.assertEqual(digest(self.results(daemon, there)), digest(self.results(daemon, here)))

    def test_a_file_beyond_the_bound_is_refused_and_old_ones_give_way(self):
        agent = self.agent(words=("--blob-mib", "1"))
        daemon = self.begin(board(agent.port, agent.secret))
        first = daemon.wait(self.run_toy(daemon, "board"))
        self.assertEqual(first["state"], "done", first)
        model = self.scratch / "random.pte"
        model.write_bytes(os.urandom(1_000_000))
        name = daemon.put_blob(model)
        status, _, body = daemon.submit({"model": name, "device": "board", "runs": 1})
        daemon.wait(json.loads(body)["id"])
        self.assertTrue(agent.blob(name).exists())
        self.assertLessEqual(sum(path.stat().st_size for path in agent.blob(name).parent.iterdir()), 1 << 20)
        model.write_bytes(os.urandom(1_100_000))
        status, _, body = daemon.submit({"model": daemon.put_blob(model), "device": "board", "runs": 1})
        record = daemon.wait(json.loads(body)["id"])
        self.assertEqual((record["state"], record["cause"]), ("failed", "lab"), record)
        self.assertIn("does not fit into the device's 1 MiB", record["detail"])


class Measured(Linked):
    """Plug-ins read by the daemon's clock, which is an hour ahead of the board's."""

    AHEAD_SECONDS = 3600

    def measured(self, port, secret):
        """What the manifest says of the plug-in's figures, and the run's directory."""
        ahead, sensor = self.scratch / "ahead", self.scratch / "power1_input"
        ahead.write_text(str(self.AHEAD_SECONDS))
        sensor.write_text("2000000\n")
        meter = ["/usr/bin/python3", str(lab.ROOT / "configs/plugins/power_sysfs.py"), str(sensor), "1e6", "10"]
        daemon = Daemon(self.scratch / "state", {"devices": [board(port, secret)],
                                                 "plugins": [{"name": "meter", "command": meter, "when": ["run"]}]},
                        env={"SME2LAB_AGENT": str(lab.AGENT), "SME2LAB_EMULATOR": str(lab.EMULATOR),
                             "LD_PRELOAD": str(SHIM), "SL_CLOCK_AHEAD": str(ahead)})
        with daemon:
            record = daemon.wait(self.run_toy(daemon, "board", runs=4))
            self.assertEqual(record["state"], "done", record)
            directory, = daemon.state.glob("runs/*/*-1")
        lab.must_be_valid(directory)
        return json.loads((directory / "manifest.json").read_text())["plugins"], directory

    def test_figures_of_off_and_on_are_told_apart_though_the_boards_clock_is_another(self):
        agent = self.emulated_agent()
        said, directory = self.measured(agent.port, agent.secret)
        clock, power = said["device_clock"], said["list"][0]["metrics"][0]
        self.assertLess(abs(clock["ahead_us"] + self.AHEAD_SECONDS * 1e6), 1e6)
        self.assertLess(abs(clock["ahead_us"] + self.AHEAD_SECONDS * 1e6), clock["uncertain_us"] + 1000)  # it is the same machine
        for level in ("off", "on"):
            self.assertGreater(power[level]["samples"], 2, said)
            self.assertEqual(power[level]["mean"], 2)
        self.assertEqual(power["off"]["samples"] + power["on"]["samples"] + power["unattributed"], power["samples"])
        self.assertIn("The device's clock was compared with the daemon's", (directory / "report.md").read_text())
        manifest = directory / "manifest.json"
        text = manifest.read_text()
        manifest.write_text(text.replace(f'"uncertain_us":{clock["uncertain_us"]}', '"uncertain_us":0'))
        self.assertIn("uncertain_us: says 0", lab.call("validate", directory).stdout)
        manifest.write_text(text)

    def test_a_slow_link_knows_the_boards_clock_less_well(self):
        agent = self.emulated_agent()
        proxy = self.wire(agent)
        proxy.delay_seconds = 0.05
        said, _ = self.measured(proxy.port, agent.secret)
        clock, power = said["device_clock"], said["list"][0]["metrics"][0]
        self.assertGreater(clock["uncertain_us"], 50_000)  # half of there and back
        self.assertLess(abs(clock["ahead_us"] + self.AHEAD_SECONDS * 1e6), clock["uncertain_us"])
        self.assertGreater(power["unattributed"], 0)


class Cleaned(Linked):
    def clean(self, daemon, name="board"):
        status, _, body = daemon.request("POST", f"/api/v1/devices/{name}/clean", b"")
        return status, json.loads(body)

    def test_files_go_results_stay_and_a_run_sends_again_what_it_needs(self):
        agent = self.agent()
        daemon = self.begin(board(agent.port, agent.secret))
        self.assertEqual(daemon.wait(self.run_toy(daemon, "board"))["state"], "done")
        blobs = agent.workdir / "blobs"
        (blobs / ("0" * 64 + ".part")).write_bytes(b"begun")
        broken = agent.workdir / "jobs/7"
        (broken / "out").mkdir(parents=True)
        (broken / "out/file").write_bytes(b"12345")
        aside = self.scratch / "aside"
        aside.write_bytes(b"not ours")
        (blobs / "link").symlink_to(aside)
        size = sum(path.lstat().st_size for path in blobs.iterdir()) + 5
        status, said = self.clean(daemon)
        self.assertEqual((status, said["name"], said["files"], said["bytes"]), (200, "board", 5, size), said)
        self.assertEqual(list(blobs.iterdir()), [])
        self.assertEqual(list((agent.workdir / "jobs").iterdir()), [])
        self.assertEqual(aside.read_bytes(), b"not ours")
        done = subprocess.run([lab.HOST / "bin/sme2lab", "device", "clean", "board", "--server", f"unix:{daemon.socket}"],
                              capture_output=True, text=True, timeout=60, env=daemon.env)
        self.assertEqual((done.returncode, done.stdout), (0, "0 files removed, 0.0 MiB\n"), done.stderr)
        self.assertEqual(daemon.wait(self.run_toy(daemon, "board"))["state"], "done")
        self.assertEqual(self.clean(daemon, "other")[0], 404)

    def test_a_device_with_a_job_is_not_cleaned_and_one_that_is_away_says_so(self):
        agent = self.agent()
        daemon = self.begin(board(agent.port, agent.secret))
        self.run_toy(daemon, "board", runs=100_000)
        wait_until(lambda: any(path.stat().st_size > 4096 for path in agent.workdir.glob("jobs/*/trace")), PATIENCE_SECONDS, "a part of the trace")
        self.assertEqual(self.clean(daemon)[0], 409)
        self.assertEqual(len(list((agent.workdir / "blobs").iterdir())), 2)
        daemon.kill()
        other = self.second(agent)  # which knows nothing of the job that goes on
        self.assertEqual(self.clean(other)[0], 409)
        agent.stop()
        wait_until(lambda: self.clean(other)[0] == 409, PATIENCE_SECONDS, "an agent that is away")


class Collected(Linked):
    """What a device keeps of a daemon that is gone is another one's to collect, or to let go."""

    def kept(self, daemon, outcome="done"):
        """The one result that the board keeps, once its process has ended so."""
        def look():
            found = daemon.get("/api/v1/devices/board/results")["results"]
            return found[0] if len(found) == 1 and found[0]["outcome"] == outcome and found[0]["model"] else None
        return wait_until(look, 3 * PATIENCE_SECONDS, "the result")

    def left(self, agent, runs, program=ORDINAL_LAB):
        """A daemon that knows nothing of the run that another one was killed in."""
        first = self.begin(board(agent.port, agent.secret), program=program)
        self.run_toy(first, "board", runs=runs)
        wait_until(lambda: any(path.stat().st_size > 1024 for path in agent.workdir.glob("jobs/*/trace")), PATIENCE_SECONDS, "a part of the trace")
        first.kill()
        return self.second(agent, program)

    def cli(self, daemon, *words):
        return subprocess.run([lab.HOST / "bin/sme2lab", "device", "results", "board", "--server", f"unix:{daemon.socket}", *map(str, words)],
                              capture_output=True, text=True, timeout=240, env=daemon.env)

    def test_another_daemon_collects_the_run_of_one_that_was_killed(self):
        agent = self.emulated_agent()
        daemon = self.left(agent, 10, lab.HOST / "bin/sme2labd")
        kept = self.kept(daemon)
        self.assertEqual((kept["model"], kept["host"], kept["collectable"]), ("model", socket.gethostname(), True))
        self.assertLess(abs(kept["started_ms"] / 1000 - time.time()), 600)
        listed = self.cli(daemon)
        self.assertEqual(listed.returncode, 0, listed.stderr)
        self.assertIn(kept["id"], listed.stdout)
        self.assertIn("event=results_kept device=board results=1", daemon.log_text())
        bare = self.cli(daemon, "--collect", kept["id"])
        self.assertEqual(bare.returncode, 2, bare.stderr)
        self.assertIn("is not here", bare.stderr)
        out = self.scratch / "out"
        done = self.cli(daemon, "--collect", kept["id"], "--file", TOY / "model.pte", "--file", TOY / INPUTS, "-o", out)
        self.assertIn(done.returncode, (0, 4), done.stdout + done.stderr)
        lab.must_be_valid(out)
        (run,) = daemon.get("/api/v1/runs")["runs"]
        self.assertEqual((run["device"], run["started_ms"]), ("board", kept["started_ms"]))
        wait_until(lambda: not daemon.get("/api/v1/devices/board/results")["results"], PATIENCE_SECONDS, "the agent's last word")
        self.assertEqual([path.name for path in (agent.workdir / "jobs").iterdir()], [])
        gone = self.cli(daemon, "--collect", kept["id"])
        self.assertEqual(gone.returncode, 2, gone.stderr)
        self.assertIn("keeps no result", gone.stderr)

    def test_what_nobody_wants_is_forgotten_and_one_that_runs_is_stopped(self):
        agent = self.agent()
        daemon = self.left(agent, 100_000)
        kept = self.kept(daemon, "running")
        self.assertEqual(self.cli(daemon, "--forget", kept["id"], "--collect", kept["id"]).returncode, 2)
        done = self.cli(daemon, "--forget", kept["id"])
        self.assertEqual(done.returncode, 0, done.stderr)
        wait_until(lambda: not list((agent.workdir / "jobs").iterdir()), PATIENCE_SECONDS, "the end of the job")
        self.assertEqual(daemon.get("/api/v1/devices/board/results")["results"], [])
        self.assertEqual(self.cli(daemon, "--forget", kept["id"]).returncode, 2)
        record = daemon.wait(self.run_toy(daemon, "board"))
        self.assertEqual(record["state"], "done", record)

    def test_a_collection_that_is_cut_goes_on_and_only_the_endpoint_collects(self):
        daemon = self.left(self.agent(), 400)
        kept = self.kept(daemon)
        for name in ("model.pte", INPUTS):
            daemon.put_blob(TOY / name)
        status, _, body = daemon.submit({"model": daemon.put_blob(TOY / "model.pte"), "kept": {"id": kept["id"], "started_ms": 0}})
        self.assertEqual(status, 422, body)
        self.assertIn(b"/kept", body)
        path = f"/api/v1/devices/board/results/{kept['id']}"
        self.assertEqual(daemon.request("POST", path.replace(kept["id"], "1"), b"")[0], 404)
        self.assertEqual(daemon.request("POST", path.replace("board", "other"), b"")[0], 404)
        status, _, body = daemon.request("POST", path, b"")
        self.assertEqual(status, 201, body)
        daemon.kill()
        daemon.start()
        record = daemon.wait(json.loads(body)["id"])
        self.assertEqual(record["state"], "done", record)
        here = daemon.wait(self.run_toy(daemon, "here", runs=400))
        self.assertEqual(digest(self.results(daemon, record)), digest(self.results(daemon, here)))


class Refused(Linked):
    def reason(self, daemon):
        """What the daemon says of its first try."""
        found = wait_until(lambda: re.search(r'event=link_down device=board failures=1 reason="(.*)"', daemon.log_text()), PATIENCE_SECONDS, "a try")
        return found[1]

    def test_a_wrong_secret_is_said(self):
        agent = self.agent()
        other = self.scratch / "other.secret"
        other.write_text("0" * 64)
        other.chmod(0o600)
        daemon = self.begin(board(agent.port, other))
        job = self.run_toy(daemon, "board")
        self.assertRegex(self.reason(daemon), "does not know this connection's secret: .* secret files differ")
        self.assertFalse((agent.workdir / "jobs").exists())
        other.write_text(agent.secret.read_text())  # mended: the next try reads it, and the job that waited runs
        record = daemon.wait(job)
        self.assertEqual(record["state"], "done", record)

    def test_a_secret_is_rotated_without_a_restart_and_expires(self):
        agent = self.agent()
        daemon = self.begin(board(agent.port, agent.secret))
        self.assertEqual(daemon.wait(self.run_toy(daemon, "board"))["state"], "done")
        started = agent.process.pid

        def renew(expires):
            """Both sides' file; the connection that is up ends, and the next one is by the new secret."""
            agent.secret.write_text(f"{os.urandom(32).hex()} {expires}\n")
            daemon.terminate()
            daemon.start()

        renew(int(time.time()) + 3600)
        self.assertEqual(daemon.wait(self.run_toy(daemon, "board"))["state"], "done")
        self.assertEqual((agent.process.pid, agent.process.poll()), (started, None))
        renew(int(time.time()) - 1)
        wait_until(lambda: "The secret has expired" in daemon.log_text(), PATIENCE_SECONDS, "the host's word of it")
        copy = self.scratch / "host.secret"  # a host whose clock or file says otherwise is refused by the agent
        copy.write_text(agent.secret.read_text().split()[0])
        copy.chmod(0o600)
        daemon.terminate()
        other = self.second(agent, secret=copy)
        wait_until(lambda: "event=link_down device=board" in other.log_text(), PATIENCE_SECONDS, "a try")
        self.assertIn("event=secret_unusable", (self.scratch / "board.log").read_text())

    def test_a_secret_that_others_may_read_is_not_taken(self):
        agent = self.agent()
        open_file = self.scratch / "open.secret"
        open_file.write_text(agent.secret.read_text())
        open_file.chmod(0o644)
        daemon = self.begin(board(agent.port, open_file))
        self.assertIn("Others than its owner may read the secret", self.reason(daemon))
        done = subprocess.run([NATIVE_AGENT, "serve", "--listen", "tcp:127.0.0.1:0", "--workdir", self.scratch / "w", "--secret-file", open_file],
                              capture_output=True, text=True, timeout=30)
        self.assertEqual(done.returncode, 2)
        self.assertIn("chmod 600", done.stderr)

    def test_an_agent_without_a_host_ends_by_itself(self):
        agent = Agent(self.scratch, NATIVE_AGENT, words=("--idle-exit", 1))
        self.addCleanup(agent.log.close)
        self.addCleanup(agent.process.stdout.close)
        self.assertEqual(agent.process.wait(PATIENCE_SECONDS), 0)
        for words in ((), ("x",), (0,), (-1,)):
            done = subprocess.run([NATIVE_AGENT, "serve", "--workdir", self.scratch / "w", "--listen", "tcp:127.0.0.1:0", "--idle-exit",
                                   *map(str, words)], capture_output=True, text=True, timeout=30, stdin=subprocess.DEVNULL)
            self.assertEqual(done.returncode, 2, words)

    def stranger(self, low, high):
        """An agent of another version, as far as its hello."""
        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)

        def serve():
            while True:
                try:
                    peer = wire.Peer(listener.accept()[0], wire.AGENT, b"\0" * 32)
                except OSError:
                    return
                peer.send(peer.hello(low, high))
                peer.is_closed()
                peer.close()

        threading.Thread(target=serve, daemon=True).start()
        secret = self.scratch / "some.secret"
        secret.write_text("0" * 64)
        secret.chmod(0o600)
        return board(listener.getsockname()[1], secret)

    def test_an_agent_of_another_version_is_said(self):
        daemon = self.begin(self.stranger(99, 99))
        self.assertIn("the agent (a test) speaks protocol 99 to 99, this daemon 4 to 4: update the daemon", self.reason(daemon))

    def test_an_agent_that_would_cut_a_runs_number_in_half_is_said(self):
        daemon = self.begin(self.stranger(3, 3))
        self.assertIn("the agent (a test) speaks protocol 3 to 3, this daemon 4 to 4: update the agent", self.reason(daemon))

    def test_what_leaves_this_machine_is_allowed_by_name_only(self):
        secret = self.scratch / "s"
        secret.write_text("0" * 64)
        secret.chmod(0o600)
        daemon = self.begin(board(7070, secret, link="tcp:192.0.2.1:7070"))
        said = wait_until(lambda: re.search(r".*not encrypted, and leaves this machine.*", daemon.log_text()), PATIENCE_SECONDS, "a refusal")
        self.assertIn('allow_unencrypted', said[0])
        serve = [NATIVE_AGENT, "serve", "--listen", "tcp:0.0.0.0:0", "--workdir", self.scratch / "w", "--secret-file", secret]
        done = subprocess.run(serve, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("--allow-unencrypted", done.stderr)
        allowed = subprocess.Popen([*serve, "--allow-unencrypted"], stdout=subprocess.PIPE, text=True)
        self.assertRegex(allowed.stdout.readline(), r"listening tcp:0\.0\.0\.0:\d+")
        allowed.terminate()
        allowed.wait(30)
        allowed.stdout.close()


class OnTheEmulator(Linked):
    """The aarch64 agent itself serves, under the emulator; what it spawns runs there too."""

    def test_its_run_is_that_of_the_emulated_device(self):
        agent = self.emulated_agent()
        daemon = self.begin({"name": "emulated", "kind": "emulated", "svl": 512}, board(agent.port, agent.secret),
                            program=SME2LABD)
        made = {}
        for name in ("emulated", "board"):
            record = daemon.wait(self.run_toy(daemon, name, warmup=0), 240)
            self.assertEqual(record["state"], "done", record)
            made[name] = self.files(daemon, record), json.loads(daemon.request("GET", f"/api/v1/runs/{record['run']}/files/manifest.json")[2])
        (expected, local), (found, linked) = made["emulated"], made["board"]
        outputs = {path for path in expected if path.endswith(".bin")}
        self.assertGreaterEqual(len(outputs), 3)
        self.assertEqual({path: found[path] for path in outputs}, {path: expected[path] for path in outputs})
        self.assertEqual(self.operators(found), self.operators(expected))
        self.assertTrue(self.operators(found))
        self.assertEqual((linked["device"]["kind"], linked["device"]["emulated"], linked["device"]["cpu"]), ("tcp", True, None))
        self.assertEqual(linked["device"]["probe"]["svl_bytes"], 64)
        self.assertEqual(linked["agent_sha256"], hashlib.sha256(lab.AGENT.read_bytes()).hexdigest())
        self.assertEqual(local["agent_sha256"], linked["agent_sha256"])
        listed = {device["name"]: device for device in daemon.get("/api/v1/devices")["devices"]}
        self.assertEqual((listed["board"]["kind"], listed["board"]["times_mean_something"]), ("tcp", False))
        for folder in lab.run_directories(self.scratch / "state/runs"):
            lab.must_be_valid(folder)

    @unittest.skipUnless(pathlib.Path("/etc/machine-id").exists(), "this machine has no /etc/machine-id")
    def test_a_board_that_is_renamed_keeps_its_series(self):
        agent, series = self.emulated_agent(), []
        for name in ("board", "shelf-3"):
            daemon = self.begin(board(agent.port, agent.secret) | {"name": name}, program=SME2LABD)
            record = daemon.wait(self.run_toy(daemon, name, warmup=0), 240)
            self.assertEqual(record["state"], "done", daemon.log_text())
            series.append(daemon.get(f"/api/v1/runs/{record['run']}")["series"])
            self.assertRegex(daemon.get(f"/api/v1/runs/{record['run']}/files/manifest.json")["device"]["probe"]["board_id"], "^[0-9a-f]{16}$")
            daemon.terminate()
        self.assertEqual(*series)

    def operators(self, files):
        """Operators and kernels in the order of their ends, off and on."""
        (trace,) = (data for path, data in files.items() if path.endswith("_t1.sltrace"))
        return [(event["variant"], event["name"], event["kernel"], event["shape"]) for event in lab.read_trace(trace)]


if __name__ == "__main__":
    lab.main()
