"""What counting ExecuTorch's own runtime costs for an executed instruction, beside ours, and what a stamp costs on a clock:
bench.py's part `executorch`."""

import json
import os
import subprocess
import tempfile

import host

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDER = os.path.join(ROOT, "build/agent-aarch64/executorch")
MODEL = os.path.join(ROOT, "tests/data/models/toy_cnn_f32_xnnpack/model.pte")
EMULATOR = os.path.join(ROOT, "build/tools/qemu-aarch64")
COUNT = os.path.join(ROOT, "build/host/tests/count_total")
AGENTS = {"own": [os.path.join(ROOT, "build/agent-aarch64/bin/sme2lab-agent")], "executorch": ["-L", FOLDER, os.path.join(FOLDER, "sme2lab-agent-executorch")]}
GOAL = 1.3
STAMP_NS = 100
FEW = 2
MANY = {"own": 40, "executorch": 8}  # ours executes fewer instructions


def counted(runtime, pairs):
    """(executed instructions, seconds of CPU) of emulator and counter."""
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, "log")
        os.mkfifo(log)
        before = os.times()
        emulator = subprocess.Popen([EMULATOR, "-cpu", "max,sme512=on", "-seed", "1", "-d", "in_asm,exec,nochain", "-D", log, *AGENTS[runtime], "run", f"--model_path={MODEL}",
                                     "--variants=off,on", f"--num_executions={pairs}", "--warmup=1", "--clock=marks", "--cpu_threads=1", "--print_output=none"],
                                    stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        said = subprocess.run([COUNT, AGENTS[runtime][-1], log], capture_output=True, text=True)
        if emulator.wait() or said.returncode:
            raise SystemExit(f"bench: the counted run of {runtime} failed: {said.stderr}")
        after = os.times()
    numbers = list(map(int, said.stdout.split()))
    return numbers[0] + numbers[1], sum(after[2:4]) - sum(before[2:4])


TIMES = 3  # other load only adds


def cost_ns(runtime):
    """For an instruction of an execution, at best; loading is left out."""
    return min(cost_once_ns(runtime) for _ in range(TIMES))


def cost_once_ns(runtime):
    few, many = counted(runtime, FEW), counted(runtime, MANY[runtime])
    return (many[1] - few[1]) * 1e9 / (many[0] - few[0])


def bench_stamps():
    found = json.loads(host.output_of(os.path.join(ROOT, "build/agent-native/bench/bench_stamps")))
    yield host.row("a stamp at an operator's boundary, beyond the delegate's own clock reading", found["stamp_ns"], "ns", STAMP_NS, "goal")


def bench():
    yield from bench_stamps()
    if not os.path.exists(AGENTS["executorch"][-1]):
        return
    own, theirs = cost_ns("own"), cost_ns("executorch")
    yield host.row("counting an instruction of ExecuTorch's runtime", round(theirs, 1), "ns of CPU", round(GOAL * own, 1), f"goal: {GOAL} x ours, {own:.1f}")
