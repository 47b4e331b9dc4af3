"""A phone whose owner has not answered yet: whoever comes over adb is asked for a key that the phone knows, and none is. Imported by
scripts/lab, whose adbd has no authentication of its own."""

import os
import socket
import struct
import threading

CNXN, AUTH, STLS = 0x4E584E43, 0x48545541, 0x534C5453
TOKEN, SIGNATURE, PUBLIC_KEY = 1, 2, 3


def read_exactly(peer, size):
    data = b""
    while len(data) < size:
        piece = peer.recv(size - len(data))
        if not piece:
            raise OSError("the peer ended")
        data += piece
    return data


def read_message(peer):
    """As (command, arg0, arg1, payload, sum as it came); the stock server sends no sums."""
    command, arg0, arg1, size, check, magic = struct.unpack("<6I", read_exactly(peer, 24))
    if magic != command ^ 0xFFFFFFFF:
        raise OSError(f"{command:08x} has a wrong magic")
    return command, arg0, arg1, read_exactly(peer, size), check


def pack(command, arg0, arg1, payload=b""):
    return struct.pack("<6I", command, arg0, arg1, len(payload), sum(payload), command ^ 0xFFFFFFFF) + payload


class Door:
    """Listens; meet() is called for each that comes, in a thread of its own."""

    def __init__(self, host, port):
        self.listener = socket.create_server((host, port))
        threading.Thread(target=self.serve, daemon=True).start()

    def close(self):
        self.listener.shutdown(socket.SHUT_RDWR)  # ends the accept() that is under way
        self.listener.close()

    def serve(self):
        while True:
            try:
                peer, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.meet, args=(peer,), daemon=True).start()


class Dialog(Door):
    """In adbd's place until it is closed, and all who came with it."""

    def __init__(self, port):
        self.peers = []
        super().__init__("", port)

    def close(self):
        super().close()
        for peer in self.peers:
            try:
                peer.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # it has gone

    def meet(self, peer):
        """A token for each signature; the key that is shown then waits for its owner."""
        self.peers.append(peer)
        try:
            while read_message(peer)[:2] != (AUTH, PUBLIC_KEY):
                peer.sendall(pack(AUTH, TOKEN, 0, os.urandom(20)))
            read_exactly(peer, 1)
        except OSError:
            pass  # it has gone, or the fault is over
        peer.close()
