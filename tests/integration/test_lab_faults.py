"""What people are told when an emulated phone (scripts/lab) is ill, and that it works again when it is well: warm, drained, unauthorised,
its disk full, slow. By turns behind the adb server and without one."""

import json
import subprocess
import unittest

import lab
import phone_lab
from daemon import Daemon
from faults.laboratory import TOY, wait_until

PATIENCE_S = 90


class Ill(lab.Scratch):
    @classmethod
    def setUpClass(cls):
        lab.need(lab.AGENT, lab.EMULATOR)
        reason = phone_lab.why_not()
        if reason:
            raise unittest.SkipTest(reason)
        cls.phones = phone_lab.PhoneLab(2)
        cls.phones.__enter__()
        cls.addClassCleanup(cls.phones.__exit__)

    def begin(self):
        """A daemon with phone1 behind the server and phone2 without it."""
        links = [{"name": f"phone{n}", "link": self.phones.link(n, served=n == 1)} for n in (1, 2)]
        self.daemon = Daemon(self.scratch / "state", {"devices": links},
                             env={"SME2LAB_AGENT": str(lab.AGENT), "SME2LAB_EMULATOR": str(lab.EMULATOR), "HOME": str(self.scratch),
                                  "ADB_SERVER_SOCKET": self.phones.server()})
        self.daemon.start()
        self.addCleanup(self.daemon.__exit__, None)

    def fault(self, number, kind, end):
        self.addCleanup(self.phones.fault, number, end)
        self.phones.fault(number, kind)

    def device(self, name):
        return self.daemon.get(f"/api/v1/devices/{name}")

    def await_device(self, name, what, **members):
        return wait_until(lambda: (lambda is_now: is_now if all(is_now[key] == value for key, value in members.items()) else None)(self.device(name)),
                          PATIENCE_S, f"{name} to be {what}")

    def say(self, *words):
        done = subprocess.run([lab.HOST / "bin/sme2lab", *words, "--server", f"unix:{self.daemon.socket}"], capture_output=True, text=True,
                              timeout=60, env=self.daemon.env)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def submit(self, name, runs=2):
        job = {"model": self.daemon.put_blob(TOY / "model.pte"), "inputs": [self.daemon.put_blob(TOY / "input-0.bin")], "device": name, "runs": runs}
        status, _, body = self.daemon.submit(job)
        self.assertEqual(status, 201, body)
        return json.loads(body)["id"]

    def measure(self, name):
        record = self.daemon.wait(self.submit(name))
        self.assertEqual((record["state"], record["attempts"]), ("done", 1), self.daemon.log_text())

    def test_warmth_and_battery_are_shown_everywhere_and_read_anew_by_a_probe(self):
        self.begin()
        well = self.await_device("phone1", "looked at", temperature_celsius=31, battery_percent=83, power_saver=False)
        self.assertEqual(well["warmest"], "skin")
        self.assertGreater(well["looked_ms"], 0)
        self.fault(1, "hot", "cool")
        self.fault(1, "drained", "charged")
        self.say("device", "probe", "phone1")
        self.await_device("phone1", "hot and drained", temperature_celsius=95, battery_percent=5, power_saver=True)
        shown = self.say("device", "show", "phone1")
        self.assertRegex(shown, r"warmth +95 degrees Celsius \(skin\), 20")
        self.assertRegex(shown, r"battery +5 %\n +saver +on: ")
        table = self.say("devices").splitlines()
        self.assertRegex(table[0], r"SVL +TEMP +BATTERY")
        self.assertRegex(table[1], r"phone1 .*yes +512 +95 +5 ")
        metrics = self.daemon.request("GET", "/metrics")[2].decode()
        self.assertIn('sme2lab_device_temperature_celsius{device="phone1"} 95\n', metrics)
        self.assertIn('sme2lab_device_battery_ratio{device="phone1"} 0.05\n', metrics)
        self.assertRegex(self.daemon.request("GET", "/")[2].decode(), r">95<.*>5<")

    def test_a_phone_is_looked_at_after_its_job_and_not_beside_it(self):
        self.begin()
        self.await_device("phone2", "looked at", temperature_celsius=31)
        job = self.submit("phone2", runs=12)
        wait_until(lambda: self.device("phone2")["state"] == "busy", PATIENCE_S, "the job")
        self.fault(2, "hot", "cool")
        before = self.device("phone2")["looked_ms"]
        while self.daemon.get(f"/api/v1/jobs/{job}")["state"] == "running" and self.device("phone2")["looked_ms"] == before:
            pass
        self.assertEqual(self.daemon.wait(job)["state"], "done")
        after = self.await_device("phone2", "looked at anew", temperature_celsius=95)
        self.assertGreaterEqual(after["looked_ms"], self.daemon.get(f"/api/v1/jobs/{job}")["ended_ms"] - 1)

    def test_an_unauthorised_phone_says_so_and_how_to_mend_it_and_is_back_when_it_is_allowed(self):
        self.begin()
        for number in (1, 2):
            name = f"phone{number}"
            self.await_device(name, "there", state="ready")
            self.fault(number, "unauthorised", "authorised")
            told = self.await_device(name, "unauthorised", state="unauthorised")
            self.assertIn("allow", told["detail"].lower(), told)
            job = self.submit(name)
            self.assertEqual(self.daemon.get(f"/api/v1/jobs/{job}")["state"], "queued", "it waits, and burns no attempt")
            self.phones.fault(number, "authorised")
            record = self.daemon.wait(job)
            self.assertEqual((record["state"], record["attempts"]), ("done", 1), self.daemon.log_text())

    def test_a_full_disk_is_named_and_blames_the_lab_and_a_free_one_works_again(self):
        self.begin()
        for number in (1, 2):
            name = f"phone{number}"
            self.measure(name)
            self.fault(number, "full-disk", "free-disk")
            record = self.daemon.wait(self.submit(name))
            self.assertEqual((record["state"], record["cause"]), ("failed", "lab"), record)
            self.assertRegex(record["detail"], "[Nn]o space|disk|room", record)
            self.phones.fault(number, "free-disk")
            self.measure(name)

    def test_a_slow_phone_is_measured_all_the_same(self):
        self.begin()
        for number in (1, 2):
            name = f"phone{number}"
            self.await_device(name, "there", state="ready")
            self.fault(number, "slow", "fast")
            self.measure(name)
            self.phones.fault(number, "fast")


if __name__ == "__main__":
    unittest.main()
