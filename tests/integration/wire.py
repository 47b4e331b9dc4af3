"""The protocol between daemon and agent, as far as a test needs it to be a peer: frames, messages, proofs."""

import hashlib
import hmac
import os
import socket
import struct

VERSION = 4
HOST, AGENT = 1, 2
LABELS = {HOST: b"sme2lab host proof\n", AGENT: b"sme2lab agent proof\n"}
HELLO, PROOF, REFUSAL, PING, JOB, CANCEL, STATE, CHUNK, RESULT, RESUME = 1, 2, 3, 4, 6, 7, 8, 9, 11, 12  # Envelope's fields
HIGH = {JOB: 37, CANCEL: 2, STATE: 6, CHUNK: 5, RESULT: 13}  # the field with the upper half of a run's number


def crc_table():
    table = []
    for n in range(256):
        for _ in range(8):
            n = n >> 1 ^ (0x82F63B78 if n & 1 else 0)
        table.append(n)
    return table


TABLE = crc_table()


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = TABLE[(crc ^ byte) & 0xFF] ^ crc >> 8
    return crc ^ 0xFFFFFFFF


def frame(payload):
    length = struct.pack("<I", len(payload))
    return length + struct.pack("<I", crc32c(length + payload)) + payload


def varint(value):
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out) + bytes([value])


class Fixed(int):
    """A number of eight bytes in a message."""


def pack(fields):
    """A message: other numbers are varints, bytes and texts are length-delimited."""
    out = b""
    for number, value in fields.items():
        if isinstance(value, Fixed):
            out += varint(number << 3 | 1) + struct.pack("<Q", value)
        elif isinstance(value, int):
            out += varint(number << 3) + varint(value)
        else:
            data = value.encode() if isinstance(value, str) else value
            out += varint(number << 3 | 2) + varint(len(data)) + data
    return out


def envelope(body, fields):
    return frame(pack({body: pack(fields)}))


def about(body, run, fields):
    """The envelope of what is said about a run, whose number is given as its two halves, the upper first."""
    return envelope(body, {1: run[1], **fields, HIGH[body]: Fixed(run[0])})


def run_of(body, fields):
    return fields.get(HIGH[body], 0), fields[1]


def unpack(data):
    """The last value of each field."""
    at, found = 0, {}

    def take():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            value |= (byte & 0x7F) << shift
            at, shift = at + 1, shift + 7
            if byte < 0x80:
                return value

    while at < len(data):
        key = take()
        if key & 7 == 1:
            value, at = Fixed(struct.unpack_from("<Q", data, at)[0]), at + 8
        else:
            value = take()
        if key & 7 == 2:
            value, at = data[at:at + value], at + value
        found[key >> 3] = value
    return found


class Peer:
    """One side of a connection, polite until told otherwise."""

    def __init__(self, sock, role, secret):
        self.sock, self.role, self.secret = sock, role, secret
        self.nonce = os.urandom(32)
        self.pending = b""
        self.sock.settimeout(15)

    @classmethod
    def connect(cls, path, role=HOST, secret=b"\0" * 32):
        sock = socket.socket(socket.AF_UNIX)
        sock.connect(str(path))
        return cls(sock, role, secret)

    def send(self, data):
        self.sock.sendall(data)

    def hello(self, low=VERSION, high=VERSION, nonce=None):
        return envelope(HELLO, {1: low, 2: high, 3: nonce or self.nonce, 4: self.role, 5: "a test"})

    def receive(self):
        """The next message: its number in the envelope and its fields; None when the peer has closed."""
        while True:
            if len(self.pending) >= 8:
                size = struct.unpack_from("<I", self.pending)[0]
                if len(self.pending) >= 8 + size:
                    payload, self.pending = self.pending[8:8 + size], self.pending[8 + size:]
                    (body, data), = unpack(payload).items()
                    return body, unpack(data)
            try:
                data = self.sock.recv(1 << 16)
            except ConnectionResetError:
                data = b""
            if not data:
                return None
            self.pending += data

    def expect(self, body):
        while True:
            message = self.receive()
            if message is None:
                raise AssertionError("the peer closed")
            if message[0] == body:
                return message[1]

    def proof(self, role, theirs):
        nonces = (self.nonce, theirs) if self.role == HOST else (theirs, self.nonce)
        text = LABELS[role].ljust(32, b"\0") + struct.pack("<I", VERSION) + b"".join(nonces) + b"\0"  # not sealed
        return hmac.new(self.secret, text, hashlib.sha256).digest()

    def shake_hands(self):
        self.send(self.hello())
        theirs = self.expect(HELLO)[3]
        self.send(envelope(PROOF, {1: self.proof(self.role, theirs), 2: VERSION}))
        self.expect(PROOF)
        return self

    def is_closed(self):
        """Reads to the end; False when the peer leaves it open for too long."""
        try:
            while self.receive() is not None:
                pass
            return True
        except socket.timeout:
            return False

    def close(self):
        self.sock.close()
