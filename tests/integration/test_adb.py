"""Phones behind an adb server: the real server and real adbd of scripts/lab, whose devices run the aarch64 agent in the emulator. What
cannot be had here is said by scripts/lab, and the tests are skipped by it."""

import array
import hashlib
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import unittest

import lab
from adb_gate import Gate, SealedGate
from daemon import Daemon
from faults.laboratory import TOY, wait_until

LAB = lab.ROOT / "scripts/lab"
PATIENCE_SECONDS = 60
FIRST, SECOND = "127.0.0.1:5601", "127.0.0.1:5602"
FIRST_NAME, SECOND_NAME = FIRST.replace(":", "-"), SECOND.replace(":", "-")
WORKDIR = "sme2lab"
folder = None


def call(*words):
    done = subprocess.run([str(LAB), *words], env=os.environ | {"LAB_DIR": str(folder)}, capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        raise AssertionError(f"scripts/lab {' '.join(words)}: {done.stdout}{done.stderr}")
    return done.stdout


def setUpModule():
    global folder
    lab.need(lab.AGENT, lab.EMULATOR)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="sl-lab-"))
    unittest.addModuleCleanup(shutil.rmtree, folder, ignore_errors=True)
    done = subprocess.run([str(LAB), "check"], env=os.environ | {"LAB_DIR": str(folder)}, capture_output=True, text=True)
    if done.returncode != 0:
        raise unittest.SkipTest(done.stdout.strip())
    call("up", "2")
    unittest.addModuleCleanup(call, "down")
    os.environ["ADB_SERVER_SOCKET"] = f"localfilesystem:{folder}/adb.sock"


def data(number):
    """What the device has below /data/local/tmp."""
    return folder / f"device{number}/data" / WORKDIR


def inference_process():
    """The process number of the one agent that is at work, which is executed with the verb `run`; None: it is not there yet."""
    for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().split(b"\0")
            if words[0] == bytes(lab.EMULATOR) and b"run" in words and str(folder).encode() in (path.parent / "mountinfo").read_bytes():
                return int(path.parent.name)
        except OSError:
            pass  # it has ended
    return None


class Phones(lab.Scratch):
    def begin(self, config=None, env=None):
        daemon = Daemon(self.scratch / "state", config or {"devices": [{"name": "phone", "link": f"adb:{FIRST}"}]},
                        env={"SME2LAB_AGENT": str(lab.AGENT), "SME2LAB_EMULATOR": str(lab.EMULATOR), **(env or {})})
        daemon.start()
        self.addCleanup(daemon.__exit__, None)
        return daemon

    def submit(self, daemon, device="phone", runs=2, **more):
        self.traces = set(data(1).glob("jobs/*/trace"))  # of a run before, if its end was not acknowledged
        job = {"model": daemon.put_blob(TOY / "model.pte"), "inputs": [daemon.put_blob(TOY / "input-0.bin")], "device": device, "runs": runs, **more}
        status, _, body = daemon.submit(job)
        self.assertEqual(status, 201, body)
        return json.loads(body)["id"]

    def await_trace(self):
        wait_until(lambda: set(data(1).glob("jobs/*/trace")) - self.traces, PATIENCE_SECONDS, "the run")

    def run_toy(self, daemon, **more):
        record = daemon.wait(self.submit(daemon, **more))
        self.assertEqual(record["state"], "done", daemon.log_text())
        return record


class OverTheServer(Phones):
    def test_a_model_is_measured_on_a_phone_and_everything_is_there_by_its_content(self):
        daemon = self.begin()
        record = self.run_toy(daemon)
        self.assertEqual(record["attempts"], 1)
        for name in ("model.pte", "input-0.bin"):
            blob = data(1) / "blobs" / hashlib.sha256((TOY / name).read_bytes()).hexdigest()
            self.assertEqual(blob.read_bytes(), (TOY / name).read_bytes())
        agent = hashlib.sha256(lab.AGENT.read_bytes()).hexdigest()
        self.assertEqual([path.name for path in (data(1) / "bin").iterdir()], [agent], "no half file is left")
        self.assertEqual(hashlib.sha256((data(1) / "bin" / agent).read_bytes()).hexdigest(), agent)

    def test_a_phones_series_is_its_own_whatever_its_name_and_another_of_the_name_has_another(self):
        series, phones = [], []
        for serial, name in ((FIRST, "phone"), (FIRST, "renamed"), (SECOND, "phone")):
            daemon = self.begin({"devices": [{"name": name, "link": f"adb:{serial}"}]})
            run = self.run_toy(daemon, device=name)["run"]
            series.append(daemon.get(f"/api/v1/runs/{run}")["series"])
            phones.append(daemon.get(f"/api/v1/runs/{run}/files/manifest.json")["device"]["probe"]["phone"])
            daemon.terminate()
        self.assertRegex(phones[0], "^[0-9a-f]{16}$")
        self.assertEqual(series[0], series[1])
        self.assertNotEqual(series[0], series[2])
        self.assertEqual([phones[0] == phones[1], phones[0] == phones[2]], [True, False])

    def test_a_phone_that_is_cleaned_has_its_agent_alone_and_is_sent_again_what_a_run_needs(self):
        daemon = self.begin()
        self.run_toy(daemon)
        blobs = data(1) / "blobs"
        count, size = sum(1 for _ in blobs.iterdir()), sum(path.stat().st_size for path in blobs.iterdir())
        self.assertGreaterEqual(count, 2)
        clean = [lab.HOST / "bin/sme2lab", "device", "clean", "phone", "--server", f"unix:{daemon.socket}"]
        for files, mebibytes in ((count, f"{size / (1 << 20):.1f}"), (0, "0.0")):
            done = subprocess.run(clean, capture_output=True, text=True, timeout=60, env=daemon.env)
            self.assertEqual((done.returncode, done.stdout), (0, f"{files} files removed, {mebibytes} MiB\n"), done.stderr)
            self.assertEqual(list(blobs.iterdir()), [])
        self.assertEqual(len(list((data(1) / "bin").iterdir())), 1, "the agent stays")
        self.assertEqual(self.run_toy(daemon)["attempts"], 1)

    def test_executorchs_own_libraries_are_sent_once_and_measured(self):
        libraries = lab.ROOT / "build/agent-aarch64/executorch"
        if not (libraries / "sme2lab-agent-executorch").exists():
            self.skipTest("no ExecuTorch here: scripts/setup --executorch")
        daemon = self.begin()
        record = self.run_toy(daemon, runtime="executorch")
        manifest = daemon.get(f"/api/v1/runs/{record['run']}/files/manifest.json")
        self.assertEqual(manifest["runtime"], "executorch")
        self.assertRegex(manifest["agent_report"]["runtime"], "^ExecuTorch ")
        blobs = data(1) / "blobs"
        digests = {hashlib.sha256(path.read_bytes()).hexdigest(): path.name for path in libraries.iterdir() if path.is_file()}
        self.assertGreaterEqual(len(digests), 13)
        self.assertEqual([name for digest, name in digests.items() if not (blobs / digest).exists()], [])
        for variant, word in (("off", "nosme"), ("on", "sme2")):
            output = next((self.scratch / "state").rglob(f"*_sme2-{variant}-0.bin"))
            self.assertEqual(output.read_bytes(), (TOY / f"aarch64-{word}-0.bin").read_bytes(), variant)
        inodes = {digest: (blobs / digest).stat().st_ino for digest in digests}
        self.run_toy(daemon, runtime="executorch")
        self.assertEqual({digest: (blobs / digest).stat().st_ino for digest in digests}, inodes, "nothing is sent twice")

    def test_agents_of_old_builds_leave_the_one_that_was_not_used_for_longest_first(self):
        (data(1) / "bin").mkdir(parents=True, exist_ok=True)
        agent = data(1) / "bin" / hashlib.sha256(lab.AGENT.read_bytes()).hexdigest()
        call("fault", FIRST, "kill-agent")
        agent.unlink(missing_ok=True)
        for age in range(1, 7):
            old = data(1) / "bin" / (str(age) * 64)
            old.write_bytes(b"an agent")
            os.utime(old, (1e9 - age, 1e9 - age))
        self.run_toy(self.begin())
        self.assertEqual(sorted(path.name[0] for path in agent.parent.iterdir() if path != agent), ["1", "2", "3"])
        self.assertTrue(agent.exists())

    def test_an_agent_that_is_gone_is_started_again(self):
        daemon = self.begin()
        self.run_toy(daemon)
        self.assertNotIn("event=agent_restarted", daemon.log_text())
        call("fault", FIRST, "kill-agent")
        self.run_toy(daemon)
        self.assertEqual(daemon.log_text().count("event=agent_restarted"), 1, daemon.log_text())

    def test_a_damaged_agent_is_replaced(self):
        daemon = self.begin()
        self.run_toy(daemon)
        daemon.terminate()
        agent = data(1) / "bin" / hashlib.sha256(lab.AGENT.read_bytes()).hexdigest()
        content = bytearray(agent.read_bytes())
        content[len(content) // 2] ^= 1
        agent.write_bytes(content)
        daemon.start()
        self.run_toy(daemon)
        self.assertEqual(hashlib.sha256(agent.read_bytes()).hexdigest(), agent.name)

    def test_an_agent_of_an_earlier_build_gives_way(self):
        daemon = self.begin()
        self.run_toy(daemon)
        daemon.kill()  # its agent stays
        newer = self.scratch / "agent"
        newer.write_bytes(lab.AGENT.read_bytes() + b"newer")
        newer.chmod(0o755)
        daemon.env["SME2LAB_AGENT"] = str(newer)
        daemon.start()
        record = self.run_toy(daemon)
        run = daemon.get(f"/api/v1/runs/{record['run']}/files/manifest.json")
        self.assertEqual(run["agent_sha256"], hashlib.sha256(newer.read_bytes()).hexdigest())

    def test_an_agent_outlives_its_daemon_and_goes_on_with_the_run(self):
        daemon = self.begin()
        job = self.submit(daemon, runs=8)
        self.await_trace()
        daemon.kill()
        daemon.start()
        record = daemon.wait(job)
        self.assertEqual((record["state"], record["attempts"]), ("done", 1), daemon.log_text())

    def test_a_crash_comes_back_with_what_the_phones_log_has_of_the_process(self):
        daemon = self.begin()
        job = self.submit(daemon, runs=8)
        os.kill(wait_until(inference_process, PATIENCE_SECONDS, "the run's process"), signal.SIGKILL)
        record = daemon.wait(job)
        self.assertEqual((record["state"], record["cause"]), ("failed", "result"), daemon.log_text())
        status, _, log = daemon.request("GET", f"/api/v1/runs/{record['run']}/files/streams/log")
        self.assertEqual(status, 200)
        self.assertRegex(log.decode(), r"--- logcat of this process ---\nI lab: a line of pid=\d+\n")

    def test_a_hot_phone_says_so_in_its_run(self):
        self.addCleanup(call, "fault", FIRST, "cool")
        call("fault", FIRST, "hot")
        daemon = self.begin()
        run = self.run_toy(daemon)["run"]
        manifest = json.loads(daemon.request("GET", f"/api/v1/runs/{run}/files/manifest.json")[2])
        zones = manifest["device"]["probe"]["thermal_zones"]
        self.assertEqual([(zone["type"], zone["millidegrees"]) for zone in zones], [("skin", 95000)])

    def test_a_daemon_that_ends_in_peace_takes_its_agent_with_it(self):
        daemon = self.begin()
        self.run_toy(daemon)
        lock = int((data(1) / "lock").read_text())
        daemon.terminate()
        self.assertGreater(lock, 1)
        again = self.begin()  # another state would meet the first one's lock
        self.run_toy(again)


def direct(number):
    """The link to a device of the lab without the server."""
    return "adb-tcp:" + (folder / f"device{number}/address").read_text()


class WithoutTheServer(Phones):
    def test_a_job_over_either_link_gives_the_same_files_but_for_times(self):
        daemon = self.begin({"devices": [{"name": "phone", "link": f"adb:{FIRST}"}, {"name": "direct", "link": direct(2)}]})
        runs = [self.run_toy(daemon, device=name) for name in ("phone", "direct")]
        self.assertEqual([run["attempts"] for run in runs], [1, 1], daemon.log_text())
        names, others = [sorted(file["path"] for file in daemon.get(f"/api/v1/runs/{run['run']}/files")["files"]) for run in runs]
        self.assertEqual(names, others)
        counted = [name for name in names if name.endswith((".bin", "_kernels.csv", "_schema.json"))]
        self.assertGreaterEqual(len(counted), 10)
        for name in counted:
            first, second = [daemon.request("GET", f"/api/v1/runs/{run['run']}/files/{name}")[2] for run in runs]
            if name.endswith(".csv"):  # the slowest kernel is first
                first, second = sorted(first.splitlines()), sorted(second.splitlines())
            self.assertEqual(first, second, name)
        agent = hashlib.sha256(lab.AGENT.read_bytes()).hexdigest()
        self.assertEqual(hashlib.sha256((data(2) / "bin" / agent).read_bytes()).hexdigest(), agent)

    def test_one_that_is_reserved_is_let_go_for_a_person_with_a_shell_and_had_back(self):
        daemon = self.begin({"devices": [{"name": "phone", "link": direct(1)}], "recovery": {"pause_seconds": 1}})
        server, address = ("--server", f"unix:{daemon.socket}"), direct(1).removeprefix("adb-tcp:")

        def device():
            return daemon.get("/api/v1/devices/phone")

        def connections():
            """Those of the daemon to the phone's adbd."""
            port = f":{int(address.split(':')[1]):04X}"
            process = pathlib.Path(f"/proc/{daemon.process.pid}")
            inodes = {f"socket:[{words[9]}]" for words in map(str.split, (process / "net/tcp").read_text().splitlines()) if words[2].endswith(port)}
            return [fd for fd in os.listdir(process / "fd") if os.path.lexists(process / "fd" / fd) and os.readlink(process / "fd" / fd) in inodes]

        wait_until(lambda: device()["state"] == "ready", PATIENCE_SECONDS, "the phone")
        self.assertTrue(connections())
        said = lab.sme2lab("device", "reserve", "phone", "--for", "10m", "--who", "Ann", *server).stdout
        self.assertRegex(said, rf"phone is reserved: .*\n  shell    adb connect {address} && adb -s {address} shell\n")
        wait_until(lambda: not connections(), PATIENCE_SECONDS, "the end of the link")
        job = self.submit(daemon)
        program = self.scratch / "bin/adb"
        program.parent.mkdir()
        tools = lab.BUILD / "adb/usr/lib"
        libraries = ":".join(str(lab.BUILD / "adb" / name) for name in ("usr/lib/x86_64-linux-gnu/android", "usr/lib/x86_64-linux-gnu", "lib/x86_64-linux-gnu"))
        program.write_text(f"#!/bin/sh\nexport LD_LIBRARY_PATH={libraries}\nexec {tools}/android-sdk/platform-tools/adb \"$@\"\n")
        program.chmod(0o755)
        own = f"localfilesystem:{self.scratch}/adb.sock"  # the laboratory's server does not reach this address
        adb_server = subprocess.Popen([program, "-L", own, "server", "nodaemon"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(adb_server.wait)
        self.addCleanup(adb_server.kill)
        wait_until((self.scratch / "adb.sock").exists, PATIENCE_SECONDS, "the person's adb server")
        words = [lab.HOST / "bin/sme2lab", "device", "reserve", "phone", "--shell", "-q", *server]
        shell_env = os.environ | {"PATH": f"{program.parent}:{os.environ['PATH']}", "ADB_SERVER_SOCKET": own}
        shell = subprocess.run(words, input="ls /data/local/tmp\nexit 7\n", capture_output=True, text=True, timeout=120, env=shell_env)
        self.assertIn(WORKDIR, shell.stdout.split(), shell.stderr)
        self.assertEqual(shell.returncode, 7)
        missing = subprocess.run(words, capture_output=True, text=True, timeout=120, env=os.environ | {"PATH": str(self.scratch)})
        self.assertEqual(missing.returncode, 5)
        self.assertIn("There is no program adb", missing.stderr)
        self.assertEqual((device()["state"], device()["cause"], connections()), ("reserved", "none", []))
        lab.sme2lab("device", "release", "phone", *server)
        self.await_trace()
        busy = subprocess.run(words, input="exit 3\n", capture_output=True, text=True, timeout=120, env=shell_env)
        self.assertEqual(busy.returncode, 3, busy.stderr)
        lab.sme2lab("device", "release", "phone", *server)
        record = daemon.wait(job)
        self.assertEqual((record["state"], record["attempts"]), ("done", 1), daemon.log_text())
        daemon.request("POST", "/api/v1/devices/phone/reserve", json.dumps({"seconds": 2}), {"Content-Type": "application/json"})
        daemon.kill()
        daemon.start()  # what is reserved is not opened
        self.assertEqual(device()["state"], "reserved")
        self.assertEqual(connections(), [])
        self.assertEqual(daemon.wait(self.submit(daemon))["state"], "done", daemon.log_text())
        self.assertNotIn("event=recovery", daemon.log_text())

    def test_a_cut_in_the_middle_of_a_run_costs_nothing(self):
        daemon = self.begin({"devices": [{"name": "phone", "link": direct(1)}]})
        self.addCleanup(call, "fault", FIRST, "connect")
        job = self.submit(daemon, runs=8)
        self.await_trace()
        call("fault", FIRST, "disconnect")
        wait_until(lambda: "adb_wire_down" in daemon.log_text(), PATIENCE_SECONDS, "the loss")
        call("fault", FIRST, "connect")
        record = daemon.wait(job)
        self.assertEqual((record["state"], record["attempts"]), ("done", 1), daemon.log_text())
        self.assertNotIn("event=agent_restarted", daemon.log_text())

    def detach(self, daemon, job):
        """Unplugged in the middle of the job's run, until the daemon says so."""
        self.addCleanup(call, "fault", FIRST, "connect")
        self.await_trace()
        call("fault", FIRST, "disconnect")
        wait_until(lambda: daemon.get(f"/api/v1/jobs/{job}")["state"] == "detached", PATIENCE_SECONDS, "the daemon to notice")

    def test_a_run_whose_link_is_gone_is_detached_and_collected_by_a_later_daemon(self):
        daemon = self.begin({"devices": [{"name": "phone", "link": direct(1)}]})
        job = self.submit(daemon, runs=8)
        self.detach(daemon, job)
        wait_until(lambda: list(data(1).glob("jobs/*/result*")), PATIENCE_SECONDS, "the run's end on the device")
        daemon.kill()
        daemon.start()
        self.assertIn(daemon.get(f"/api/v1/jobs/{job}")["state"], ("running", "detached"))
        call("fault", FIRST, "connect")
        record = daemon.wait(job)
        self.assertEqual((record["state"], record["attempts"]), ("done", 1), daemon.log_text())
        self.assertIn("event=run_detached", daemon.log_text())

    def test_a_detached_job_is_cancelled_at_once_and_forgotten_by_the_device_when_it_is_back(self):
        daemon = self.begin({"devices": [{"name": "phone", "link": direct(1)}]})
        job = self.submit(daemon, runs=8)
        self.detach(daemon, job)
        self.assertEqual(daemon.request("DELETE", f"/api/v1/jobs/{job}")[0], 200)
        self.assertEqual(daemon.wait(job, 10)["state"], "cancelled")
        call("fault", FIRST, "connect")
        self.run_toy(daemon)

    def test_an_agent_that_is_gone_is_started_again(self):
        daemon = self.begin({"devices": [{"name": "phone", "link": direct(1)}]})
        self.run_toy(daemon)
        call("fault", FIRST, "kill-agent")
        self.run_toy(daemon)

    def test_a_device_that_asks_for_a_key_is_shown_adbs_own_once_and_signed_for_later(self):
        gate = Gate((folder / "device1/address").read_text())
        self.addCleanup(gate.close)
        daemon = self.begin({"devices": [{"name": "phone", "link": gate.link}]}, {"HOME": str(self.scratch)})
        job = self.submit(daemon)
        wait_until(lambda: gate.shown, PATIENCE_SECONDS, "the key")
        gate.accept()
        self.assertEqual(daemon.wait(job)["state"], "done", daemon.log_text())
        self.assertEqual((len(gate.shown), gate.signed), (1, 0))
        key = self.scratch / ".android/adbkey"
        self.assertEqual(key.stat().st_mode & 0o777, 0o600)
        tools = lab.BUILD / "adb"
        libraries = ":".join(str(tools / name) for name in ("usr/lib/x86_64-linux-gnu/android", "usr/lib/x86_64-linux-gnu", "lib/x86_64-linux-gnu"))
        stock = subprocess.run([tools / "usr/lib/android-sdk/platform-tools/adb", "pubkey", key], capture_output=True, text=True, check=True,
                               env={"HOME": str(self.scratch), "LD_LIBRARY_PATH": libraries})
        self.assertEqual(gate.shown[0].split()[0], stock.stdout.split()[0], "adb itself reads the same key")
        daemon.terminate()
        daemon.start()
        self.run_toy(daemon)
        self.assertEqual((len(gate.shown), gate.errors), (1, []))
        self.assertGreaterEqual(gate.signed, 1)

    def test_a_device_with_wireless_debugging_is_spoken_to_in_tls_alone(self):
        gate = SealedGate((folder / "device1/address").read_text(), self.scratch)
        self.addCleanup(gate.close)
        daemon = self.begin({"devices": [{"name": "phone", "link": gate.link}]}, {"HOME": str(self.scratch)})
        self.run_toy(daemon)
        self.assertEqual(gate.errors, [])
        self.assertGreater(len(gate.tapped), 0)
        for word in (b"shell,v2", b"localabstract", b"CNXN", b"WRTE"):
            self.assertNotIn(word, gate.tapped)


class Found(Phones):
    """Phones that nobody configured."""

    def devices(self, daemon):
        return {device["name"]: device for device in daemon.get("/api/v1/devices")["devices"]}

    def state(self, daemon, name):
        return self.devices(daemon).get(name, {}).get("state")

    def test_each_is_a_device_by_its_serial_with_its_model_and_android(self):
        daemon = self.begin({"adb": True, "devices": []})
        self.assertEqual(sorted(self.devices(daemon)), [FIRST_NAME, SECOND_NAME], "there from the start")
        wait_until(lambda: self.state(daemon, SECOND_NAME) == "ready", PATIENCE_SECONDS, "the link to its agent")
        wait_until(lambda: self.devices(daemon)[SECOND_NAME]["sme2"] is not None, PATIENCE_SECONDS, "what its agent says")
        second = self.devices(daemon)[SECOND_NAME]
        self.assertEqual((second["kind"], second["state"], second["model"], second["system"]),
                         ("adb", "ready", "Lab Phone B2 (LAB2000)", "Android 14"))
        self.assertEqual((second["soc"], second["sme2"], second["no_sme2"]), ("LAB2000", True, None), "as its agent says")
        self.assertIn(str(second["svl_bits"]), second["svl_lengths"].split(","))
        self.run_toy(daemon, device=SECOND_NAME)

    def test_one_that_is_unplugged_keeps_its_jobs_waiting_and_burns_no_attempt(self):
        daemon = self.begin({"adb": True, "devices": []})
        self.addCleanup(call, "fault", FIRST, "connect")
        call("fault", FIRST, "disconnect")
        wait_until(lambda: self.state(daemon, FIRST_NAME) == "offline", PATIENCE_SECONDS, "the loss")
        self.assertIn("plug it in", self.devices(daemon)[FIRST_NAME]["detail"])
        job = self.submit(daemon, device=FIRST_NAME)
        self.run_toy(daemon, device=SECOND_NAME)  # the other is not held up
        self.assertEqual(daemon.get(f"/api/v1/jobs/{job}")["state"], "queued")
        call("fault", FIRST, "connect")
        record = daemon.wait(job)
        self.assertEqual((record["state"], record["attempts"]), ("done", 1), daemon.log_text())

    def test_a_cut_in_the_middle_of_a_run_costs_nothing(self):
        daemon = self.begin({"adb": True, "devices": []})
        self.addCleanup(call, "fault", FIRST, "connect")
        job = self.submit(daemon, device=FIRST_NAME, runs=8)
        self.await_trace()
        call("fault", FIRST, "disconnect")
        wait_until(lambda: self.state(daemon, FIRST_NAME) == "offline", PATIENCE_SECONDS, "the loss")
        call("fault", FIRST, "connect")
        record = daemon.wait(job)
        self.assertEqual((record["state"], record["attempts"]), ("done", 1), daemon.log_text())

    def test_one_that_cannot_be_opened_for_want_of_an_agent_is_known_and_followed_all_the_same(self):
        daemon = self.begin({"adb": True, "devices": []}, env={"SME2LAB_AGENT": str(self.scratch / "none")})
        self.addCleanup(call, "fault", FIRST, "connect")

        def phone():
            return self.devices(daemon)[FIRST_NAME]
        wait_until(lambda: phone()["cause"] == "cannot-open" and phone()["model"], PATIENCE_SECONDS, "the model")
        call("fault", FIRST, "disconnect")
        wait_until(lambda: phone()["cause"] == "unplugged", PATIENCE_SECONDS, "the loss")
        call("fault", FIRST, "connect")
        wait_until(lambda: phone()["cause"] == "cannot-open", PATIENCE_SECONDS, "its return")

    def test_the_death_of_the_server_and_of_the_device_are_survived(self):
        daemon = self.begin({"adb": True, "devices": []})
        self.run_toy(daemon, device=FIRST_NAME)
        call("fault", FIRST, "kill-server")
        wait_until(lambda: self.state(daemon, FIRST_NAME) == "offline", PATIENCE_SECONDS, "the loss")
        self.run_toy(daemon, device=FIRST_NAME)
        call("fault", FIRST, "reboot")  # agent and all
        wait_until(lambda: self.state(daemon, FIRST_NAME) == "offline", PATIENCE_SECONDS, "the loss")
        self.run_toy(daemon, device=FIRST_NAME)


class Life(Phones):
    """A device that cannot be used gets no job, says why, and is brought back."""

    def device(self, daemon, name):
        return next(device for device in daemon.get("/api/v1/devices")["devices"] if device["name"] == name)

    def test_one_that_cannot_be_opened_or_reached_stops_neither_the_daemon_nor_the_others(self):
        gone = socket.create_server(("127.0.0.1", 0))
        port = gone.getsockname()[1]
        gone.close()
        hook = self.scratch / "hook"
        hook.write_text(f"#!/bin/sh\necho \"$1\" >>{self.scratch}/hooked\n")
        hook.chmod(0o755)
        daemon = self.begin({"devices": [{"name": "phone", "link": f"adb:{FIRST}"}, {"name": "dead", "link": f"adb-tcp:127.0.0.1:{port}"},
                                         {"name": "far", "link": "tcp:192.0.2.1:7070", "secret_file": str(self.scratch / "none")}],
                             "recovery": {"hook": [str(hook)], "pause_seconds": 1}})
        self.assertEqual(self.device(daemon, "far")["cause"], "cannot-open")
        self.assertIn("tried again", self.device(daemon, "far")["detail"])
        wait_until(lambda: self.device(daemon, "dead")["cause"] == "unreachable", PATIENCE_SECONDS, "the loss")
        job = self.submit(daemon, device="dead")
        self.run_toy(daemon)
        hooked = self.scratch / "hooked"
        words = wait_until(lambda: hooked.exists() and hooked.read_text().split(), PATIENCE_SECONDS, "the hook")
        self.assertEqual(words[0], "dead")
        record = daemon.get(f"/api/v1/jobs/{job}")
        self.assertEqual((record["state"], record["attempts"]), ("queued", 0))
        metrics = daemon.request("GET", "/metrics")[2].decode()
        self.assertRegex(metrics, r'recovery_steps_total{step="hook"} [1-9]')
        self.assertRegex(metrics, r'sme2lab_devices{state="offline"} 2')


class CommandLine(Phones):
    def test_the_one_phone_there_is_measured_with_nothing_else_to_say(self):
        self.addCleanup(call, "fault", SECOND, "connect")
        call("fault", SECOND, "disconnect")
        env = {"SME2LAB_STATE": str(self.scratch / "private"), "ADB_SERVER_SOCKET": os.environ["ADB_SERVER_SOCKET"]}
        self.addCleanup(lab.end_private_daemons, self.scratch / "private")
        done = lab.sme2lab("run", TOY / "model.pte", "--runs", "2", "--out", self.scratch / "out", env=env)
        self.assertIn(done.returncode, (0, 4), done.stderr)  # times of an emulated CPU are unfit
        self.assertIn(f"on the phone {FIRST_NAME}", done.stdout.splitlines()[0])
        manifest = json.loads((self.scratch / "out/manifest.json").read_text())
        self.assertEqual(manifest["device"]["kind"], "adb")
        self.assertRegex(manifest["agent"], "^/data/local/tmp/sme2lab/bin/")

    def test_two_builds_of_a_users_executor_runner_are_measured_on_a_phone_and_compared(self):
        """The stand-in for a build is our agent, which takes executor_runner's flags; on the phone it is started by itself, as an NDK's would be."""
        env = {"SME2LAB_STATE": str(self.scratch / "private"), "ADB_SERVER_SOCKET": os.environ["ADB_SERVER_SOCKET"]}
        self.addCleanup(lab.end_private_daemons, self.scratch / "private")
        builds = {name: self.scratch / name / "executor_runner" for name in ("sme2-off", "sme2-on")}
        for name, path in builds.items():
            path.parent.mkdir()
            path.write_bytes(lab.AGENT.read_bytes() + name.encode())
            path.chmod(0o755)
        config = self.scratch / "c.json"
        config.write_text(json.dumps({
            "model": str(TOY / "model.pte"), "inputs": [str(TOY / "input-0.bin")], "device": SECOND_NAME, "runs": 2, "warmup": 1,
            "experiments": [{"name": "off", "runner_path": str(builds["sme2-off"]), "extra_args": ["--isa=nosme2"], "cpu_affinity": "1"},
                            {"name": "on", "runner_path": str(builds["sme2-on"])}],
            "analysis": {"compare_pairs": [{"baseline": {"experiment": "off", "threads": 1}, "candidate": {"experiment": "on", "threads": 1}}]}}))
        out = self.scratch / "out"
        done = lab.sme2lab("run", config, "--out", out, env=env)
        self.assertIn(done.returncode, (0, 3, 4), done.stderr)  # two processes of each decide nothing
        found = json.loads((out / "import.json").read_text())
        self.assertEqual([(run["experiment"], [r["executions"] for r in run["rounds"]]) for run in found["runs"]], [("off", [2, 2]), ("on", [2, 2])])
        self.assertEqual((found["failures"], found["device"]), ([], "adb"))
        self.assertIn("off against on: ", done.stdout)
        for name, path in builds.items():
            self.assertTrue((data(2) / "blobs" / hashlib.sha256(path.read_bytes()).hexdigest()).exists(), f"{name} was sent to the phone")
        for word, variant in (("nosme", "off"), ("sme2", "on")):
            numbers = [array.array("f", path.read_bytes()) for path in (out / variant / f"model_{variant}_t1-0.bin", TOY / f"aarch64-{word}-0.bin")]
            self.assertLess(max(abs(a - b) for a, b in zip(*numbers)), 1e-6 * max(map(abs, numbers[1])), variant)
        self.assertEqual(lab.sme2lab("validate", out).returncode, 0)

    def test_a_runner_has_its_libraries_and_its_environment_on_the_phone(self):
        """The stand-in starts our agent where its library is found beside it, in ../lib and by the loader's variable, and says its own variable."""
        env = {"SME2LAB_STATE": str(self.scratch / "private"), "ADB_SERVER_SOCKET": os.environ["ADB_SERVER_SOCKET"]}
        self.addCleanup(lab.end_private_daemons, self.scratch / "private")
        build = self.scratch / "build"
        (build / "bin").mkdir(parents=True)
        (build / "lib").mkdir()
        shutil.copy(lab.AGENT, build / "lib/libinference.so.1")
        (build / "bin/libbeside.so").write_bytes(b"beside")
        runner = build / "bin/executor_runner"
        runner.write_text("""#!/bin/sh
here=$(dirname "$0")
[ "$(cat "$here/libbeside.so")" = beside ] || exit 41
case $LD_LIBRARY_PATH in "$here:/vendor/lib64") ;; *) exit 42;; esac
echo "said $SAID" >&2
exec "$here/../lib/libinference.so.1" run "$@"
""")
        runner.chmod(0o755)
        config = self.scratch / "c.json"
        config.write_text(json.dumps({
            "model": str(TOY / "model.pte"), "inputs": [str(TOY / "input-0.bin")], "device": SECOND_NAME, "runs": 1, "warmup": 0,
            "experiments": [{"name": "mine", "runner_path": str(runner), "runner_environment": ["SAID=a b", "LD_LIBRARY_PATH=/vendor/lib64"]}]}))
        out = self.scratch / "out"
        done = lab.sme2lab("run", config, "--out", out, env=env)
        self.assertEqual(json.loads((out / "import.json").read_text())["failures"], [], done.stderr)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("said a b", (out / "mine/model_mine_t1_latency.log").read_text())

    def test_doctor_lists_the_phones_and_says_what_to_do_without_a_server(self):
        server = os.environ["ADB_SERVER_SOCKET"]
        found = lab.sme2lab("doctor", env={"ADB_SERVER_SOCKET": server}).stdout
        self.assertRegex(found, rf"ok +phone +{FIRST} is ready")
        found = lab.sme2lab("doctor", env={"ADB_SERVER_SOCKET": server + ".none"}).stdout
        self.assertRegex(found, r"note +adb +.*no adb server is running")
        self.assertIn("adb start-server", found)


if __name__ == "__main__":
    lab.main()
