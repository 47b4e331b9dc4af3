"""Pairing for wireless debugging: the stock adb and ours, each with the same service (tests/support/pair_peer.c), which shares no code
with ours."""

import json
import os
import pty
import subprocess
import time
import unittest

import lab

PEER = lab.HOST / "tests/pair_peer"
ADB = lab.ROOT / "build/adb"
LIBRARIES = ADB / "usr/lib/x86_64-linux-gnu"
STOCK = ADB / "usr/lib/android-sdk/platform-tools/adb"


class Peer:
    def __init__(self, code, *lie):
        self.process = subprocess.Popen([PEER, LIBRARIES / "android/libcrypto.so.0", code, *lie], stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True)
        self.address = f"127.0.0.1:{int(self.process.stdout.readline())}"

    def end(self):
        said, _ = self.process.communicate(timeout=60)
        return self.process.returncode, said


class Pairing(lab.Scratch):
    def setUp(self):
        super().setUp()
        lab.need(PEER, lab.SME2LAB)
        (self.scratch / "home").mkdir()
        self.env = {"HOME": str(self.scratch / "home")}

    def pair(self, address, code, *words):
        return subprocess.run([lab.SME2LAB, *words, "device", "pair", address], env=os.environ | self.env, input=code, capture_output=True,
                              text=True, timeout=60)

    def test_a_phone_that_shows_the_code_knows_the_key_that_adb_would_show_it(self):
        peer = Peer("123456")
        done = self.pair(peer.address, "123456\n", "--json")
        status, said = peer.end()
        self.assertEqual((done.returncode, status), (0, 0), done.stderr)
        self.assertEqual(json.loads(done.stdout)["address"], peer.address)
        key = (self.scratch / "home/.android/adbkey.pub").read_text().strip()
        self.assertTrue(said.startswith(f"kind 0: {key}"), said)
        self.assertNotIn("\x1b", done.stdout)

    def test_another_code_pairs_with_nobody(self):
        peer = Peer("123456")
        done = self.pair(peer.address, "654321\n")
        status, said = peer.end()
        self.assertEqual((status, said), (1, ""))
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("another code", done.stderr)

    def test_the_code_is_asked_for_on_a_terminal(self):
        peer = Peer("123456")
        main, side = pty.openpty()
        done = subprocess.Popen([lab.SME2LAB, "device", "pair", peer.address], env=os.environ | self.env, stdin=side, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)
        os.write(main, b"123456\n")
        out, err = done.communicate(timeout=60)
        os.close(main)
        os.close(side)
        self.assertEqual((done.returncode, peer.end()[0]), (0, 0), err)
        self.assertIn("The code that the phone shows: ", err)
        self.assertIn("Paired with adb-PEER", out)

    def test_without_a_code_or_an_address_nothing_is_tried(self):
        for words, code in ((["127.0.0.1:1"], ""), (["phone"], "1\n"), (["127.0.0.1:1"], "1" * 70 + "\n")):
            done = self.pair(words[0], code)
            self.assertEqual(done.returncode, 2, done.stderr)

    def test_the_stock_adb_pairs_with_the_same_service(self):
        lab.need(STOCK)
        socket = f"localfilesystem:{self.scratch}/adb.sock"
        env = {"PATH": os.environ["PATH"], "ADB_USB": "0", "ADB_EMU": "0", "ADB_MDNS": "0",
               "LD_LIBRARY_PATH": f"{LIBRARIES}/android:{LIBRARIES}", **self.env}
        server = subprocess.Popen([STOCK, "-L", socket, "server", "nodaemon"], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(lambda: (server.kill(), server.wait()))
        limit = time.monotonic() + 20
        while not (self.scratch / "adb.sock").exists() and time.monotonic() < limit:
            time.sleep(0.05)
        peer = Peer("123456")
        done = subprocess.run([STOCK, "-L", socket, "pair", peer.address, "123456"], env=env, capture_output=True, text=True, timeout=60)
        self.assertEqual(peer.end()[0], 0, done.stdout + done.stderr)
        self.assertIn("Successfully paired", done.stdout)


if __name__ == "__main__":
    lab.main()
