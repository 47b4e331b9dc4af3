"""The device's file is what `adb shell` can start: one static ELF, no interpreter, segments for 16 KiB pages, at most 4 MB with the names of functions.

    agent_file.py AGENT EMULATOR    AGENT: sme2lab-agent for aarch64; EMULATOR: qemu-aarch64
"""

import os
import re
import subprocess
import sys
import tempfile

import sources

LARGEST_BYTES = 4_000_000
PAGE = 16384


def output(*command, stream="stdout"):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace")
    return getattr(done, stream)


def check_segments(agent):
    headers = output("llvm-readelf-19", "-lhW", agent)
    if "INTERP" in headers or "DYNAMIC" in headers:
        yield "it is linked dynamically"
    if not re.search(r"Type:\s+EXEC", headers):
        yield "it is position independent: the counting marks would move"
    for match in re.finditer(r"^\s+LOAD\s+(\S+)\s+(\S+)\s.*\s(0x[0-9a-f]+)$", headers, re.M):
        offset, address, align = (int(text, 16) for text in match.groups())
        if align < PAGE or offset % PAGE != address % PAGE:
            yield f"the segment at {address:#x} is aligned to {align:#x}, not to {PAGE:#x}"


def check_size(agent):
    size = os.path.getsize(agent)
    print(f"  {size} bytes")
    if size > LARGEST_BYTES:
        yield f"{size} bytes; at most {LARGEST_BYTES}"


def check_opens(agent, emulator):
    """Runs the sample model under the emulator's system call trace."""
    data = os.path.join(sources.ROOT, "tests/data/models/toy_cnn_f32_xnnpack")
    with tempfile.TemporaryDirectory() as folder:
        trace = output(emulator, "-cpu", "max,sme512=on", "-strace", agent, "run", f"--model_path={data}/model.pte",
                       f"--inputs={data}/input-0.bin", f"--etdump_path={folder}/x.etdump", stream="stderr")
    opened = re.findall(r'open(?:at)?\((?:AT_FDCWD,)?"([^"]+)"', trace)
    if not any(path.endswith("model.pte") for path in opened):
        yield f"the emulator's trace shows no opening of the model: {trace.strip()[-300:]}"
    for path in opened:
        if path.startswith(("/etc/", "/usr/", "/lib")):
            yield f"it opens {path}"


def main():
    agent, emulator = map(os.path.abspath, sys.argv[1:3])
    problems = list(check_segments(agent)) + list(check_size(agent)) + list(check_opens(agent, emulator))
    return sources.report([f"{sys.argv[1]}: {problem}" for problem in problems], "static, not position independent, 16 KiB segments, opens nothing of the system's")


if __name__ == "__main__":
    sys.exit(main())
