"""Reads a .sltrace stream (common/format/sltrace.h) without any of the project's code."""

import struct
from dataclasses import dataclass, field

RECORD_BYTES = 64
HEADER, NAME, META, BLOCK, EVENT, STALL, CRC, END = range(1, 9)
UNITS = {1: "ns", 2: "marks", 3: "instructions"}
DELEGATE = 2  # event kind: its name is the delegate's


@dataclass
class Event:
    name: str
    delegated: bool
    chain: int
    instruction: int
    start: int
    end: int
    kernel: str


@dataclass
class Block:
    name: str
    variant: int
    warmup: bool
    events: list = field(default_factory=list)


@dataclass
class Trace:
    unit: str
    blocks: list
    ended: bool

    def of(self, variant):
        return [block for block in self.blocks if block.variant == variant]


def read(path):
    with open(path, "rb") as file:
        data = file.read()
    assert len(data) % RECORD_BYTES == 0, f"{path}: {len(data)} bytes are not whole records"
    names, parts, blocks, open_blocks, unit, ended = {0: ""}, {}, [], {}, None, False
    for offset in range(0, len(data), RECORD_BYTES):
        kind, flags, variant, name = struct.unpack_from("<BBHI", data, offset)
        body = data[offset + 8:offset + RECORD_BYTES]
        if kind == HEADER:
            assert body[:8] == b"SLTRACE1", f"{path}: not a trace"
            unit = UNITS[struct.unpack_from("<I", body, 12)[0]]
        elif kind == NAME:
            total, at = struct.unpack_from("<HH", body)
            parts[name] = parts.get(name, b"") + body[8:8 + min(48, total - at)]
            if len(parts[name]) == total:
                names[name] = parts[name].decode()
        elif kind == BLOCK:
            block = open_blocks[variant] = Block(names[name], variant, bool(flags & 1))
            blocks.append(block)
        elif kind == EVENT:
            chain, instruction, start, end, kernel, _, _, _, _, event = struct.unpack_from("<iiQQ6I", body)
            open_blocks[variant].events.append(Event(names[name], event == DELEGATE, chain, instruction, start, end, names[kernel]))
        elif kind == END:
            ended = True
    return Trace(unit, blocks, ended)
