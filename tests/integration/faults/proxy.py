"""The link between daemon and agent, seen frame by frame and cut where a test says."""

import os
import selectors
import socket
import struct
import threading
import time

HEADER_BYTES = 8
LOOK_BYTES = 40  # of a payload: an Ack is shorter
CHUNK, ACK, RESULT = 0x4A, 0x52, 0x5A  # first byte of an Envelope with that body (proto/envelope.proto)
BACKEND_SECONDS = 2  # for an agent that has just been started, on a busy machine
SWALLOW_SECONDS = 1  # for what the agent sends next, on a busy machine


def fields(payload):
    """The varint fields that begin an Envelope's body, by number, as far as they are here."""
    at, found = 1, {}

    def varint():
        nonlocal at
        value = shift = 0
        while at < len(payload):
            value |= (payload[at] & 0x7F) << shift
            shift, at = shift + 7, at + 1
            if payload[at - 1] < 0x80:
                break
        return value

    varint()  # the body's length
    while at < len(payload) and payload[at] & 7 == 0:
        number = payload[at] >> 3
        at += 1
        found[number] = varint()
    if at < len(payload) and payload[at] == 0x22:  # the bytes of a chunk: how many
        at += 1
        found["size"] = varint()
    return found


class Stream:
    """One direction of one connection; bytes are passed on as they come, but never past where it is cut."""

    def __init__(self, source, sink, name):
        self.source, self.sink, self.name = source, sink, name
        self.head = b""
        self.left = 0  # of the frame under way

    def walk(self, data, on_frame):
        """Pieces of `data` in order; on_frame(first bytes of the payload) is asked before a frame's first piece."""
        while data:
            if self.left == 0:
                known = len(self.head) >= HEADER_BYTES
                size = struct.unpack_from("<I", self.head)[0] if known else 0
                need = HEADER_BYTES + min(size, LOOK_BYTES) - len(self.head)
                self.head, data = self.head + data[:need], data[need:]
                if len(self.head) < HEADER_BYTES + min(size, LOOK_BYTES) or not known:
                    continue
                on_frame(self.head[HEADER_BYTES:])
                piece, self.left = self.head, size - min(size, LOOK_BYTES)
                self.head = b""
            else:
                piece, data = data[:self.left], data[self.left:]
                self.left -= len(piece)
            yield piece


class Link:
    """One accepted connection of the daemon, with its own to the agent."""

    def __init__(self, front, back):
        self.up, self.down = Stream(back, front, "up"), Stream(front, back, "down")
        self.swallowing = self.lost = False
        self.cut_now = False  # another thread asks for it
        self.swallowed = 0.0

    def close(self):
        for stream in (self.up, self.down):
            stream.source.close()


class Proxy(threading.Thread):
    """Listens where the daemon looks for the agent, and connects to where the agent really listens.

    A fault is armed with arm(): it happens once, when its moment has come, on this thread, before the bytes that
    brought the moment are passed on. `happened` is then set.
    """

    def __init__(self, path, backend):
        super().__init__(daemon=True)
        self.path, self.backend = str(path), str(backend)
        if os.path.exists(self.path):
            os.unlink(self.path)
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.path)
        self.listener.listen(8)
        self.selector = selectors.DefaultSelector()
        self.selector.register(self.listener, selectors.EVENT_READ, None)
        self.links = []
        self.acks = self.chunks = self.again = 0
        self.ends = {}  # of what the agent sent, by job and stream
        self.moment, self.numbers = None, ()
        self.happened = threading.Event()
        self.lock = threading.Lock()
        self.ending = False

    def arm(self, moment, numbers):
        """Nothing happens before a byte of a stream of a run with one of these numbers has been acknowledged."""
        with self.lock:
            self.numbers = numbers
            self.acks = self.chunks = 0
            self.happened.clear()
            self.moment = moment

    def stop(self):
        self.ending = True
        self.join(5)
        for link in self.links:
            link.close()
        self.listener.close()

    def run(self):
        while not self.ending:
            for key, _ in self.selector.select(0.02):
                if key.data is None:
                    self.accept()
                elif key.data[0] in self.links:
                    self.pass_on(*key.data)
            for link in list(self.links):
                if link.cut_now or link.swallowing and time.monotonic() - link.swallowed > SWALLOW_SECONDS:
                    self.drop(link)

    def accept(self):
        front, _ = self.listener.accept()
        back = socket.socket(socket.AF_UNIX)
        limit = time.monotonic() + BACKEND_SECONDS
        while True:
            try:
                back.connect(self.backend)
                break
            except OSError:
                if time.monotonic() > limit or self.ending or not waits_still(front):
                    front.close()
                    back.close()
                    return
                time.sleep(0.01)
        link = Link(front, back)
        self.links.append(link)
        for stream in (link.up, link.down):
            self.selector.register(stream.source, selectors.EVENT_READ, (link, stream))

    def drop(self, link):
        if link in self.links:
            self.links.remove(link)
            for stream in (link.up, link.down):
                self.selector.unregister(stream.source)
            link.close()
            if link.swallowing:
                self.happened.set()

    def drop_all(self):
        """From another thread: every link breaks soon."""
        for link in list(self.links):
            link.cut_now = True

    def pass_on(self, link, stream):
        try:
            data = stream.source.recv(1 << 18)
            if not data:
                self.drop(link)
                return
            for piece in stream.walk(data, lambda payload: self.see(link, stream, payload)):
                self.send(link, stream, piece)
                if link not in self.links:
                    return
        except OSError:
            self.drop(link)

    def see(self, link, stream, payload):
        with self.lock:
            if payload[0] not in (ACK, CHUNK, RESULT):
                return
            found = fields(payload)
            if stream.name == "down":
                self.acks += 2 in found and found.get(1) in self.numbers
            else:
                self.note(found if payload[0] == CHUNK else {1: found[1]})
                self.chunks += self.acks > 0
                link.lost = link.lost or link.swallowing  # it must come again
            if self.moment and self.acks and self.moment.due(self):
                moment, self.moment = self.moment, None
                moment.act(link)
                self.happened.set()

    def note(self, found):
        """Counts what the agent sends a second time."""
        key, start = (found[1], found.get(2)), found.get(3, 0)
        self.again += key in self.ends and start < self.ends[key]
        self.ends[key] = max(self.ends.get(key, 0), start + found.get("size", 1))

    def send(self, link, stream, piece):
        if link.swallowing:
            if link.lost:
                self.drop(link)
            return
        with self.lock:
            moment = self.moment
            cut = moment.cut(stream.name, len(piece)) if moment and self.acks else None
            if cut is not None:
                self.moment = None
                link.swallowing, link.swallowed = True, time.monotonic()
                piece = piece[:cut]
        if piece:
            stream.sink.sendall(piece)


def waits_still(front):
    """False when the peer has gone."""
    try:
        return front.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) != b""
    except BlockingIOError:
        return True
    except OSError:
        return False


class Cut:
    """The link breaks after so many more bytes of one direction; what the agent sends next is lost with it."""

    def __init__(self, direction, after_bytes):
        self.direction, self.left = direction, after_bytes

    def due(self, _):
        return False

    def cut(self, direction, size):
        if direction != self.direction:
            return None
        if size <= self.left:
            self.left -= size
            return None
        return self.left


class AtChunk:
    """Something happens as the agent's n-th chunk since the first acknowledgement is under way; the link then breaks
    (`cuts`) or not."""

    def __init__(self, chunk, action, drop=None):
        self.chunk, self.action, self.drop = chunk, action, drop

    def due(self, proxy):
        return proxy.chunks >= self.chunk

    def act(self, link):
        self.action()
        if self.drop:
            self.drop(link)

    def cut(self, _direction, _size):
        return None
