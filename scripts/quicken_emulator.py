#!/usr/bin/env python3
"""quicken_emulator.py FILE: puts `vzeroupper` before the two multiply-add instructions of a static qemu-aarch64.

What QEMU compiles writes whole 256-bit registers; on CPUs where old and new vector instructions may not mix without a penalty (Intel's
since Ice Lake), each multiply-add of the C library after that takes 70 cycles twice. By the calling convention a function may clear
those upper halves, so nothing computed changes; how much faster that is, scripts/README.md says. The instructions that take room
are padding between functions. A file that has been changed is left alone; one where the place is not found too, and that is said."""

import os
import pathlib
import sys

VZEROUPPER = bytes.fromhex("c5f877")
PADDING, SHORTER = bytes.fromhex("662e0f1f840000000000"), bytes.fromhex("0f1f8000000000")  # of 10 and of 7 bytes
FUNCTIONS = {"fmaf": bytes.fromhex("c4e271a9c2c3"), "fma": bytes.fromhex("c4e2f1a9c2c3")}  # vfmadd213s[sd] %xmm2,%xmm1,%xmm0; ret


def quickened(data):
    """The program with both functions changed, and the names of those that are not there once."""
    missing = []
    for name, code in FUNCTIONS.items():
        before, after = code + PADDING, VZEROUPPER + code + SHORTER
        if data.count(before) == 1:
            data = data.replace(before, after)
        elif data.count(after) != 1:
            missing.append(name)
    return data, missing


def main(path):
    path = pathlib.Path(path)
    data = path.read_bytes()
    changed, missing = quickened(data)
    if changed != data:
        beside = path.with_name(path.name + ".new")  # a program that runs cannot be written
        beside.write_bytes(changed)
        beside.chmod(path.stat().st_mode)
        os.replace(beside, path)
    if missing:
        print(f"setup: {path} has no {' and no '.join(missing)} as it is known here: on some CPUs it is slower than need be")


if __name__ == "__main__":
    main(sys.argv[1])
