"""What a second thread brings: bench.py's part `threads`. Portable kernels of this machine's own agent; the least of many executions."""

import os
import re
import subprocess
import tempfile

import host

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
AGENT = os.path.join(ROOT, "build/agent-native/bin/sme2lab-agent")
CONVOLUTIONS = ("mobilenet_v2_f32_xnnpack", "toy_cnn_f32_xnnpack", "unet_int8_xnnpack", "unet_f16_xnnpack", "resnet18_f16_xnnpack", "repvit_f32_xnnpack")
GOAL = 1.8  # times as fast on two processors
ROUNDS, EXECUTIONS = 4, 8
ITERATION = re.compile(r"Iteration \d+ of \d+: ([0-9.]+) ms")


def least_ns(model, threads):
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([AGENT, "run", f"--model_path={model}", f"--cpu_threads={threads}", f"--num_executions={EXECUTIONS}",
                               "--print_output=none"], cwd=folder, check=True, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    return min(float(ms) for ms in ITERATION.findall(done.stderr)) * 1e6


def bench():
    if os.cpu_count() < 2:
        return
    for name in CONVOLUTIONS:
        parents = filter(None, (os.environ.get("SL_FIXTURES"), os.path.join(ROOT, "tests/data/models")))
        found = [path for path in (os.path.join(parent, name, "model.pte") for parent in parents) if os.path.exists(path)]
        if not found:
            continue
        times = {1: [], 2: []}
        for _ in range(ROUNDS):  # by turns, so that what else the machine does meets both
            for threads, all_of in times.items():
                all_of.append(least_ns(found[0], threads))
        serial, both = min(times[1]), min(times[2])
        yield host.row(f"{name}, two threads: {serial / both:.2f} x one", round(both), "ns", round(serial / GOAL), f"goal: {GOAL} x one thread's {round(serial):,}")


PARTS = {"threads": bench}
