"""Phones on a real USB bus, the suite of `scripts/lab usb`: it runs as the only program of the machine that scripts/lab_usb.py boots. Each
phone is a gadget of the kernel, on the devices' end of dummy_hcd, with Debian's adbd behind it (FunctionFS); on the hosts' end are libusb and
the daemon, or a stock adb server. The agent is this machine's own, but for the last check: it is sent, started, asked and given jobs as any is, but has no
SME2, and says so in each job's log. The aarch64 one is emulated twice here, some thirty seconds for each process."""

import hashlib
import importlib.machinery
import importlib.util
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import unittest

import lab
import test_usb
from daemon import Daemon
from faults.laboratory import TOY, wait_until

PATIENCE_SECONDS = 180  # all of it is emulated
SME2_SECONDS = 900  # emulated twice
GADGETS = pathlib.Path("/sys/kernel/config/usb_gadget")
PUSH = lab.HOST / "bench/adb_push"
FOLDER = pathlib.Path("/tmp/phones")
SIZES = [1, 16384, 32768, 65536, 262144, (1 << 20) - 1, 1 << 20, (1 << 20) + 1]

loader = importlib.machinery.SourceFileLoader("lab_devices", str(lab.ROOT / "scripts/lab"))
devices = importlib.util.module_from_spec(importlib.util.spec_from_loader("lab_devices", loader))
loader.exec_module(devices)

# FunctionFS is where adbd looks for it, in a namespace of the phone's own.
START = """
mount --make-rprivate /
mkdir -p /dev/usb-ffs/adb
mount -t functionfs adb$NUMBER /dev/usb-ffs/adb
""" + devices.DEVICE.replace("ADBD_PORT=$PORT", "")


class Phone:
    """Its agent outlives its adbd, which is started anew with each cable: Debian's does not come back from a loss by itself."""

    def __init__(self, number):
        self.number, self.serial, self.folder = number, f"RIG{number}", FOLDER / str(number)
        self.gadget, self.udc = GADGETS / f"phone{number}", f"dummy_udc.{number}"
        for name in ("root", "data"):
            (self.folder / name).mkdir(parents=True)
        self.adbd = None

    def write(self, path, text):
        """In one call of the system: a buffer that fails to be written is tried again when its file is closed, and that may succeed."""
        path = self.gadget / path
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path, "wb", buffering=0) as file:
            file.write(text.encode())

    def make_gadget(self):
        self.gadget.mkdir()
        for path, text in (("idVendor", "0x18d1"), ("idProduct", "0x4ee7"), ("strings/0x409/serialnumber", self.serial),
                           ("strings/0x409/product", "Rig Phone"), ("configs/c.1/strings/0x409/configuration", "adb")):
            self.write(path, text)
        function = self.gadget / f"functions/ffs.adb{self.number}"
        function.mkdir()
        (self.gadget / "configs/c.1" / function.name).symlink_to(function)

    def remove_gadget(self):
        (self.gadget / f"configs/c.1/ffs.adb{self.number}").unlink()
        for name in ("configs/c.1/strings/0x409", "configs/c.1", f"functions/ffs.adb{self.number}", "strings/0x409", "."):
            (self.gadget / name).rmdir()

    def start_adbd(self):
        tools = lab.BUILD / "adb"
        env = {"PATH": devices.path(), "ROOT": str(self.folder / "root"), "DATA": str(self.folder / "data"), "TOOLS": str(tools), "CPU": "max,sme512=on",
               "NUMBER": str(self.number), "PROPERTIES": devices.prop_lines(self.number), "LIBRARIES": ":".join(f"/adb/{name}" for name in devices.LIBRARIES)}
        with open(self.folder / "adbd.log", "ab") as log:
            self.adbd = subprocess.Popen(["unshare", "--mount", "sh", "-c", START], env=env, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def plug(self):
        """The cable goes in. A function that adbd has not described yet cannot be bound."""
        self.make_gadget()
        self.start_adbd()
        wait_until(self.binds, PATIENCE_SECONDS, "adbd's description of the function")
        wait_until(self.listed, PATIENCE_SECONDS, "the phone on the bus")

    def binds(self):
        try:
            self.write("UDC", self.udc)
            return True
        except OSError:
            return False

    def listed(self):
        return any((path / "serial").exists() for path in self.ports())

    def ports(self):
        """Each host controller of dummy_hcd has one port, of two buses where it is a fast one."""
        return pathlib.Path(f"/sys/devices/platform/dummy_hcd.{self.number}").glob("usb*/*-1")

    def adbds_in(self, space):
        found = []
        for folder in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if os.readlink(folder / "ns/mnt") == space and devices.is_adbd((folder / "cmdline").read_bytes().split(b"\0")):
                    found.append(int(folder.name))
            except OSError:
                pass  # it has ended
        return found

    def unplug(self):
        """adbd is a child of the shell that starts it anew. One left behind, or started in the last moment, would hold the function."""
        self.write("UDC", "\n")
        space = os.readlink(f"/proc/{self.adbd.pid}/ns/mnt")
        self.adbd.kill()
        self.adbd.wait()
        for pid in self.adbds_in(space):
            os.kill(pid, signal.SIGKILL)
        wait_until(lambda: not self.adbds_in(space), PATIENCE_SECONDS, "adbd's end")
        self.remove_gadget()

    def data(self, name):
        return self.folder / "data" / name


phones = []


def setUpModule():
    subprocess.run(["mount", "-t", "binfmt_misc", "binfmt_misc", "/proc/sys/fs/binfmt_misc"], check=True)
    pathlib.Path("/proc/sys/fs/binfmt_misc/register").write_text(f"{devices.BINFMT}{devices.EMULATOR}:F")
    phones.extend(Phone(number) for number in range(2))
    for phone in phones:
        phone.plug()


class Bus(lab.Scratch):
    device = test_usb.PluggedIn.device

    def setUp(self):
        """Debian's adbd does not survive a reset of its port, or an owner that ends in the middle: each test has phones just plugged in."""
        super().setUp()
        for phone in phones:
            phone.unplug()
            phone.plug()

    def begin(self, config, server=lab.NO_ADB, agent=lab.NATIVE / "bin/sme2lab-agent"):
        daemon = Daemon(self.scratch / "state", config, env={"SME2LAB_AGENT": str(agent), "ADB_SERVER_SOCKET": server})
        daemon.start()
        self.addCleanup(daemon.__exit__)
        return daemon

    def submit(self, daemon, device, input_path=TOY / "input-0.bin"):
        job = {"model": daemon.put_blob(TOY / "model.pte"), "inputs": [daemon.put_blob(input_path)], "device": device, "runs": 1}
        status, _, body = daemon.submit(job)
        self.assertEqual(status, 201, body)
        return json.loads(body)["id"]

    def must_be_answered(self, daemon, job, most_attempts=1):
        """All that the job needs came onto the phone, its process started there, and its words came back."""
        record = daemon.wait(job, PATIENCE_SECONDS)
        self.assertEqual(record["cause"], "result", daemon.log_text())
        self.assertLessEqual(record["attempts"], most_attempts, daemon.log_text())
        logs = "".join(path.read_text(errors="replace") for path in (self.scratch / "state/runs").rglob("streams/log"))
        self.assertIn("needs SME2", logs)

    def file(self, size):
        path = self.scratch / f"file{size}"
        path.write_bytes(random.Random(size).randbytes(size))
        return path

    def push(self, phone, path, *words):
        return subprocess.run([PUSH, path, "/data/local/tmp/pushed", f"usb:{phone.serial}", *words], capture_output=True, text=True, timeout=PATIENCE_SECONDS)

    def check_push(self, phone, path, *words):
        done = self.push(phone, path, *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(hashlib.sha256(phone.data("pushed").read_bytes()).digest(), hashlib.sha256(path.read_bytes()).digest(), path)

    def test_a_files_of_every_size_come_whole(self):
        for size in SIZES:
            for words in ((), ("plain",)):
                with self.subTest(size=size, words=words):
                    self.check_push(phones[0], self.file(size), *words)

    def test_b_two_phones_are_sent_files_at_once(self):
        paths = [self.file(4 << 20), self.file(3 << 20)]
        calls = [subprocess.Popen([PUSH, path, "/data/local/tmp/pushed", f"usb:{phone.serial}", "plain"], stdout=subprocess.DEVNULL)
                 for phone, path in zip(phones, paths)]
        self.assertEqual([call.wait(PATIENCE_SECONDS) for call in calls], [0, 0])
        for phone, path in zip(phones, paths):
            self.assertEqual(phone.data("pushed").read_bytes(), path.read_bytes())

    def test_c_a_cable_that_comes_out_ends_a_push_with_a_reason(self):
        path, pushed = self.file(48 << 20), phones[0].data("pushed")
        pushed.unlink(missing_ok=True)
        call = subprocess.Popen([PUSH, path, "/data/local/tmp/pushed", f"usb:{phones[0].serial}", "plain"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        wait_until(lambda: pushed.exists() and pushed.stat().st_size > 1 << 20, PATIENCE_SECONDS, "the file's beginning")
        phones[0].unplug()
        _, said = call.communicate(timeout=PATIENCE_SECONDS)
        self.assertEqual(call.returncode, 1)
        self.assertRegex(said, "adb_push: .+")
        phones[0].plug()
        self.check_push(phones[0], self.file(1 << 20))

    def test_d_two_phones_are_found_sent_an_agent_and_given_jobs(self):
        daemon = self.begin({"adb": True})
        for phone in phones:
            wait_until(lambda: self.device(daemon, phone.serial), PATIENCE_SECONDS, phone.serial)
        for job in [self.submit(daemon, phone.serial) for phone in phones]:
            self.must_be_answered(daemon, job)
        for phone in phones:
            self.assertEqual(self.device(daemon, phone.serial)["model"], "Rig Phone")
            self.assertEqual(len(list(phone.data("sme2lab/bin").iterdir())), 1)

    def test_e_a_jobs_file_goes_on_where_the_cable_came_out(self):
        path = self.file(24 << 20)
        part = phones[0].data("sme2lab/blobs") / f"{hashlib.sha256(path.read_bytes()).hexdigest()}.part"
        daemon = self.begin({"devices": [{"name": "phone", "link": f"adb-usb:{phones[0].serial}"}]})
        job = self.submit(daemon, "phone", path)
        wait_until(lambda: part.exists() and part.stat().st_size > 1 << 20, PATIENCE_SECONDS, "the file's beginning")
        phones[0].unplug()
        wait_until(lambda: self.device(daemon, "phone")["state"] == "offline", PATIENCE_SECONDS, "the loss")
        there = part.stat()
        self.assertLess(there.st_size, 24 << 20)
        phones[0].plug()
        self.must_be_answered(daemon, job, most_attempts=2)  # a second where the loss outlasts the link's patience
        self.assertEqual(part.with_suffix("").stat().st_ino, there.st_ino, "it was begun anew")

    def stock(self, *words, check=True):
        tools = lab.BUILD / "adb"
        env = {"PATH": devices.path(), "HOME": str(self.scratch), "ADB_MDNS": "0", "ADB_EMU": "0",
               "LD_LIBRARY_PATH": ":".join(str(tools / name) for name in devices.LIBRARIES)}
        return subprocess.run([tools / devices.PLATFORM_TOOLS / "adb", *words], env=env, capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=check).stdout

    def start_stock(self, count):
        self.addCleanup(self.stock, "kill-server", check=False)
        wait_until(lambda: self.stock("devices").count("\tdevice") == count, PATIENCE_SECONDS, f"{count} phones of the stock server")

    def test_f_a_stock_server_and_we_wait_for_each_other(self):
        """A phone whose owner ended is plugged in anew, as Debian's adbd may not survive that."""
        self.start_stock(2)
        daemon = self.begin({"devices": [{"name": "phone", "link": f"adb-usb:{phones[1].serial}"}]})
        wait_until(lambda: "another program holds" in daemon.log_text(), PATIENCE_SECONDS, "the words")
        self.stock("kill-server")
        for phone in phones:
            phone.unplug()
            phone.plug()
        self.must_be_answered(daemon, self.submit(daemon, "phone"))
        self.start_stock(1)
        self.assertIn(phones[0].serial, self.stock("devices"))

    def test_g_two_phones_of_one_serial_are_told_apart(self):
        for phone in phones:
            phone.unplug()
            shutil.rmtree(phone.data("sme2lab"), ignore_errors=True)
        for phone in phones:
            self.addCleanup(setattr, phone, "serial", phone.serial)
            phone.serial = "TWIN"
            phone.plug()
        self.start_stock(2)
        daemon = self.begin({"adb": True}, server="tcp:127.0.0.1:5037")
        names = [f"usb-{next(phone.ports()).name}" for phone in phones]
        for name in names:
            wait_until(lambda: self.device(daemon, name), PATIENCE_SECONDS, name)
        for name, expected in zip(names, ([True, False], [True, True])):
            self.must_be_answered(daemon, self.submit(daemon, name))
            self.assertEqual([any(phone.data("sme2lab/blobs").glob("*")) for phone in phones], expected)

    def test_h_a_model_is_measured_with_sme2(self):
        """The aarch64 agent in the emulator, in the emulated machine."""
        daemon = self.begin({"devices": [{"name": "phone", "link": f"adb-usb:{phones[0].serial}"}]}, agent=lab.AGENT)
        record = daemon.wait(self.submit(daemon, "phone"), SME2_SECONDS)
        self.assertEqual((record["state"], record["attempts"]), ("done", 1), daemon.log_text())
        phone = self.device(daemon, "phone")
        self.assertEqual((phone["sme2"], phone["svl_bits"]), (True, 512))


if __name__ == "__main__":
    result = unittest.main(exit=False, verbosity=2, argv=[sys.argv[0], *(f"Bus.{word}" if "." not in word else word for word in sys.argv[1:])]).result
    sys.exit(not result.wasSuccessful())
