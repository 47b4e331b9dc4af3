"""Phones on USB ports, without an adb server: umockdev's bus, whose handler keeps to the rules of USB, before the real adbd of
scripts/lab."""

import json
import os
import re

import lab
import test_adb
from daemon import Daemon
from faults.laboratory import TOY, wait_until

USB = lab.HOST / "tests/usb_lab"
PATIENCE_SECONDS = 60


def setUpModule():
    lab.need(USB)
    test_adb.setUpModule()


def behind(number):
    return "tcp:" + (test_adb.folder / f"device{number}/address").read_text()


class PluggedIn(lab.Scratch):
    def begin(self, config, *serials):
        """A daemon on a machine with these phones; the n-th is at port n. It may have no device that it starts a process for: umockdev
        takes a lock in open(), and a child of fork() would wait for a thread that it does not have."""
        self.control = self.scratch / "control"
        os.mkfifo(self.control)
        daemon = Daemon(self.scratch / "state", config, env={"SME2LAB_AGENT": str(lab.AGENT), "SME2LAB_EMULATOR": str(lab.EMULATOR),
                                                             "ADB_SERVER_SOCKET": lab.NO_ADB, "LD_PRELOAD": "libumockdev-preload.so.0"})
        phones = [f"{serial}={behind(number + 1)}" for number, serial in enumerate(serials)]
        daemon.words = [USB, self.control, *phones, "--", *daemon.words]
        daemon.start()
        self.addCleanup(self.end, daemon)
        return daemon

    def end(self, daemon):
        daemon.__exit__(None)
        self.assertEqual(daemon.process.returncode, 0, daemon.log_text())  # 99: the rules of USB were broken

    def tell(self, line):
        with open(self.control, "w") as control:
            control.write(line + "\n")

    def run_toy(self, daemon, device, runs=2):
        return daemon.wait(self.submit(daemon, device, runs))

    def submit(self, daemon, device, runs=2):
        job = {"model": daemon.put_blob(TOY / "model.pte"), "inputs": [daemon.put_blob(TOY / "input-0.bin")], "device": device, "runs": runs}
        status, _, body = daemon.submit(job)
        self.assertEqual(status, 201, body)
        return json.loads(body)["id"]

    def device(self, daemon, name):
        found = [device for device in daemon.get("/api/v1/devices")["devices"] if device["name"] == name]
        return found[0] if found else None

    def children(self, pid):
        with open(f"/proc/{pid}/task/{pid}/children") as words:
            return words.read().split()

    def target(self, folder, fd):
        try:
            return os.readlink(f"{folder}/{fd}")
        except FileNotFoundError:
            return ""

    def test_phones_that_are_plugged_in_are_found_and_measured(self):
        daemon = self.begin({"adb": True, "devices": [{"name": "away", "link": "adb-usb:PHONE3"}]}, "PHONE1", "PHONE2")
        for name in ("PHONE1", "PHONE2"):
            wait_until(lambda: self.device(daemon, name), PATIENCE_SECONDS, name)
            record = self.run_toy(daemon, name)
            self.assertEqual((record["state"], record["attempts"]), ("done", 1), daemon.log_text())
        self.assertEqual(self.device(daemon, "PHONE1")["model"], "Rig Phone")

    def test_a_cable_that_comes_out_in_the_middle_of_a_run_costs_nothing(self):
        daemon = self.begin({"devices": [{"name": "phone", "link": "adb-usb:PHONE1"}]}, "PHONE1")
        job = self.submit(daemon, "phone", runs=8)
        wait_until(lambda: list(test_adb.data(1).glob("jobs/*/trace")), PATIENCE_SECONDS, "the run")
        self.tell("unplug 1")
        wait_until(lambda: self.device(daemon, "phone")["state"] == "offline", PATIENCE_SECONDS, "the loss")
        self.tell("plug 1")
        record = daemon.wait(job)
        self.assertEqual((record["state"], record["attempts"]), ("done", 1), daemon.log_text())

    def test_a_twin_that_is_plugged_in_during_a_job_changes_nothing_for_it_and_is_measured_itself(self):
        daemon = self.begin({"adb": True, "devices": [{"name": "away", "link": "adb-usb:PHONE3"}]}, "PHONE1", "-PHONE1")
        wait_until(lambda: self.device(daemon, "PHONE1"), PATIENCE_SECONDS, "the phone")
        job = self.submit(daemon, "PHONE1", runs=8)
        wait_until(lambda: list(test_adb.data(1).glob("jobs/*/trace")), PATIENCE_SECONDS, "the run")
        self.tell("plug 2")
        twin = wait_until(lambda: self.device(daemon, "usb-1-2"), PATIENCE_SECONDS, "the twin")["name"]
        self.assertEqual(daemon.get(f"/api/v1/jobs/{job}")["state"], "running")
        records = [daemon.wait(job), self.run_toy(daemon, twin), self.run_toy(daemon, "PHONE1")]
        self.assertEqual([(record["state"], record["attempts"]) for record in records], [("done", 1)] * 3, daemon.log_text())
        phones = [daemon.get(f"/api/v1/runs/{record['run']}/files/manifest.json")["device"]["probe"]["phone"] for record in records]
        self.assertEqual([phones[0] == phones[1], phones[0] == phones[2]], [False, True])
        self.tell("unplug 2")
        wait_until(lambda: self.device(daemon, twin)["state"] == "offline", PATIENCE_SECONDS, "the twin's leave")
        self.assertEqual(self.run_toy(daemon, "PHONE1")["state"], "done", daemon.log_text())

    def test_a_phone_that_is_reserved_is_let_go_and_had_back_when_its_time_is_over(self):
        daemon = self.begin({"devices": [{"name": "phone", "link": "adb-usb:PHONE1"}], "recovery": {"pause_seconds": 1}}, "PHONE1")

        def opened():
            folders = [f"/proc/{pid}/fd" for pid in (daemon.process.pid, *self.children(daemon.process.pid))]
            return [at for folder in folders for fd in os.listdir(folder) if "bus/usb" in (at := self.target(folder, fd))]

        self.assertEqual(self.run_toy(daemon, "phone")["state"], "done", daemon.log_text())
        self.assertTrue(opened())
        status, _, body = daemon.request("POST", "/api/v1/devices/phone/reserve", json.dumps({"seconds": 8, "who": "Ann"}),
                                         {"Content-Type": "application/json"})
        self.assertEqual((status, json.loads(body)["link"]), (200, "adb-usb:PHONE1"))
        wait_until(lambda: not opened(), PATIENCE_SECONDS, "the port's release")
        self.tell("hold 1")  # the person's adb server
        job = self.submit(daemon, "phone")
        self.tell("unplug 1\nplug 1")
        self.assertEqual((self.device(daemon, "phone")["state"], opened()), ("reserved", []))
        self.tell("free 1")
        record = daemon.wait(job)
        self.assertEqual((record["state"], record["attempts"]), ("done", 1), daemon.log_text())
        self.assertNotIn("event=recovery", daemon.log_text())

    def test_a_phone_that_another_program_holds_says_so_and_its_port_is_reset_once_it_is_free(self):
        daemon = self.begin({"devices": [{"name": "phone", "link": "adb-usb:PHONE1"}], "recovery": {"pause_seconds": 1}}, "PHONE1")
        self.assertEqual(self.run_toy(daemon, "phone")["state"], "done", daemon.log_text())
        self.tell("hold 1\nunplug 1\nplug 1")
        wait_until(lambda: "another program holds" in daemon.log_text(), PATIENCE_SECONDS, "the words")
        wait_until(lambda: re.search(rb'recovery_steps_total{step="usb-reset"} 1', daemon.request("GET", "/metrics")[2]), PATIENCE_SECONDS, "the step")
        self.tell("free 1")
        self.assertEqual(self.run_toy(daemon, "phone")["state"], "done", daemon.log_text())


if __name__ == "__main__":
    lab.main()
