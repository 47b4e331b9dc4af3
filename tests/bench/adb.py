"""How fast a file goes onto a phone: bench.py's part `adb`. Side by side with the stock adb client, through the same server onto the same
adbd of scripts/lab, by turns; the least of several. The file is what models are made of, 64 MiB of them."""

import os
import pathlib
import subprocess
import tempfile
import time

import host

ROOT = pathlib.Path(__file__).resolve().parents[2]
LAB = ROOT / "scripts/lab"
PUSH = ROOT / "build/host/bench/adb_push"
ADB = ROOT / "build/adb"
LIBRARIES = ADB / "usr/lib/x86_64-linux-gnu"
STOCK = ADB / "usr/lib/android-sdk/platform-tools/adb"
SERIAL, TO = "127.0.0.1:5601", "/data/local/tmp/bench"
BYTES, ROUNDS = 64 << 20, 5
GOALS = {"as it is": 1.0, "compressed": 1.2}  # times the stock client's throughput


def model_bytes():
    found = sorted((path for parent in filter(None, (os.environ.get("SL_FIXTURES"), ROOT / "tests/data/models"))
                    for path in pathlib.Path(parent).glob("*/model.pte")), key=lambda path: -path.stat().st_size)
    content = b""
    for path in found * (BYTES // max(1, sum(path.stat().st_size for path in found)) + 1):
        content += path.read_bytes()
        if len(content) >= BYTES:
            break
    return content[:BYTES]


def seconds(words, env):
    start = time.monotonic()
    subprocess.run([str(word) for word in words], env=env, check=True, capture_output=True, stdin=subprocess.DEVNULL)
    return time.monotonic() - start


def measure(folder, env):
    file = folder / "file"
    file.write_bytes(model_bytes())
    address = (folder / "device1/address").read_text()
    stock = {"as it is": [STOCK, "-s", SERIAL, "push", "-Z", file, TO], "compressed": [STOCK, "-s", SERIAL, "push", "-z", "any", file, TO]}
    for way, words in stock.items():
        end = ["plain"] if way == "as it is" else []
        all_of = {"stock": words, "ours": [PUSH, file, TO, f"adb:{SERIAL}", *end], "ours without the server": [PUSH, file, TO, f"tcp:{address}", *end]}
        times = {name: [] for name in all_of}
        for _ in range(ROUNDS):
            for name, call in all_of.items():
                times[name].append(seconds(call, env))
        least = {name: min(values) for name, values in times.items()}
        for name in ("ours", "ours without the server"):
            rate = round(len(file.read_bytes()) / least[name] / 1e6)
            goal = round(GOALS[way] * BYTES / least["stock"] / 1e6)
            yield host.row(f"64 MiB {way}, {name}: {least['stock'] / least[name]:.2f} x the stock client", rate, "MB/s", goal,
                           f"goal: {GOALS[way]} x the stock client's {round(BYTES / least['stock'] / 1e6)}", least=True)
    got = (folder / "device1/data/bench").read_bytes()
    assert got == file.read_bytes(), "what came onto the device is another file"


def bench():
    with tempfile.TemporaryDirectory(prefix="sl-lab-") as name:
        folder = pathlib.Path(name)
        env = {**os.environ, "LAB_DIR": name, "ADB_SERVER_SOCKET": f"localfilesystem:{name}/adb.sock",
               "LD_LIBRARY_PATH": f"{LIBRARIES}/android:{LIBRARIES}:{ADB / 'lib/x86_64-linux-gnu'}"}
        own = {**os.environ, "LAB_DIR": name}
        if subprocess.run([LAB, "check"], env=own, capture_output=True).returncode != 0:
            return
        subprocess.run([LAB, "up", "1"], env=own, check=True, capture_output=True)
        try:
            yield from measure(folder, env)
        finally:
            subprocess.run([LAB, "down"], env=own, capture_output=True)


PARTS = {"adb": bench}
