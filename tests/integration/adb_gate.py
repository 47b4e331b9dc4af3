"""In front of a real adbd, which has no authentication here: asks for a key as Android does, and lets through who has a known one.
Standard library only."""

import base64
import contextlib
import os
import pathlib
import socket
import struct
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
import lab_dialog  # noqa: E402
from lab_dialog import AUTH, PUBLIC_KEY, SIGNATURE, STLS, TOKEN, pack  # noqa: E402

DIGEST_HEAD = bytes.fromhex("3021300906052b0e03021a05000414")


def read_message(peer):
    *message, check = lab_dialog.read_message(peer)
    if check != sum(message[3]):
        raise AssertionError(f"{message[0]:08x} has a wrong sum")
    return tuple(message)


def is_signed(token, signature, public_text):
    """By the owner of the key that was shown: computed from the structure that the device stores."""
    words, _, modulus = struct.unpack_from("<II256s", base64.b64decode(public_text.split()[0]))
    if words != 64:
        return False
    block = pow(int.from_bytes(signature, "big"), 65537, int.from_bytes(modulus, "little")).to_bytes(256, "big")
    end = DIGEST_HEAD + token
    return block == b"\x00\x01" + b"\xff" * (253 - len(end)) + b"\x00" + end


class Gate(lab_dialog.Door):
    """`shown`: the public keys; `accept()` is the tap on the dialog; `signed`: connections that came in by a known key."""

    def __init__(self, address):
        host, port = address.rsplit(":", 1)
        self.device = (host, int(port))
        self.shown, self.known, self.signed, self.errors = [], [], 0, []
        self.accepted = threading.Event()
        super().__init__("127.0.0.1", 0)
        self.link = "adb-tcp:127.0.0.1:%d" % self.listener.getsockname()[1]

    def accept(self):
        self.known += self.shown
        self.accepted.set()

    def meet(self, peer):
        try:
            hello = read_message(peer)
            self.ask(peer)
            with socket.create_connection(self.device) as device:
                device.sendall(pack(*hello))
                self.carry(peer, device)
        except OSError:
            pass
        except AssertionError as error:
            self.errors.append(error)
        peer.close()

    def carry(self, peer, device):
        both(peer, device)

    def ask(self, peer):
        """Returns once the peer may come in."""
        while True:
            token = os.urandom(20)
            peer.sendall(pack(AUTH, TOKEN, 0, token))
            command, kind, _, payload = read_message(peer)
            if (command, kind) == (AUTH, PUBLIC_KEY):
                self.shown.append(payload.rstrip(b"\0").decode())
                self.accepted.wait()
                return
            if (command, kind) != (AUTH, SIGNATURE):
                raise AssertionError(f"{command:08x} {kind} is no answer to a token")
            if any(is_signed(token, payload, key) for key in self.known):
                self.signed += 1
                return


class SealedGate(Gate):
    """Wireless debugging: TLS by OpenSSL's own server, which demands a certificate, between the peer and adbd. `folder` is for its key."""

    def __init__(self, address, folder):
        self.folder = folder
        self.tapped = b""  # what went by on the way
        self.count = 0
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=phone", "-keyout", folder / "phone.key",
                        "-out", folder / "phone.crt"], check=True, capture_output=True)
        super().__init__(address)

    def ask(self, peer):
        peer.sendall(pack(STLS, 0x01000000, 0))
        message = read_message(peer)
        if message != (STLS, 0x01000000, 0, b""):
            raise AssertionError(f"{message} is no answer to STLS")

    def carry(self, peer, device):
        self.count += 1
        path = self.folder / f"tls{self.count}"
        words = ["openssl", "s_server", "-quiet", "-unix", path, "-naccept", "1", "-tls1_3", "-Verify", "1", "-key", self.folder / "phone.key",
                 "-cert", self.folder / "phone.crt"]
        with subprocess.Popen(words, stdin=device, stdout=device, stderr=subprocess.DEVNULL) as server, socket.socket(socket.AF_UNIX) as sealed:
            while not path.exists() and server.poll() is None:
                time.sleep(0.01)
            sealed.connect(str(path))
            both(peer, sealed, self.tap)
            server.kill()

    def tap(self, data):
        self.tapped += data


def both(one, other, tap=None):
    back = threading.Thread(target=pump, args=(other, one), daemon=True)
    back.start()
    pump(one, other, tap)
    back.join()


def pump(source, sink, tap=None):
    with contextlib.suppress(OSError):
        while data := source.recv(1 << 16):
            if tap:
                tap(data)
            sink.sendall(data)
    for end in (source, sink):
        with contextlib.suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
