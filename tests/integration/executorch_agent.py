"""sme2lab-agent-executorch in the emulator by itself, its instructions counted at its marks."""

import os
import subprocess

import lab

FOLDER = lab.ROOT / "build/agent-aarch64/executorch"
AGENT = FOLDER / "sme2lab-agent-executorch"
TOTAL = lab.BUILD / "host/tests/count_total"


def numbered(folder, stem="input"):
    """Files of a program's folder by their numbers."""
    return sorted(folder.glob(f"{stem}-*.bin"), key=lambda path: int(path.stem.rsplit("-", 1)[1]))


def count(scratch, model, *words, cpu="max,sme512=on", said="marks"):
    """What stands in count_total's line of each mark, and the events of the trace; the outputs are `scratch`/output-*.bin."""
    log, trace = scratch / "log", scratch / "run.sltrace"
    os.mkfifo(log)
    command = [lab.EMULATOR, "-cpu", cpu, "-seed", "1", "-d", "in_asm,exec,nochain", "-D", log, "-L", FOLDER, AGENT, "run", f"--model_path={model}/model.pte",
               "--inputs=" + ",".join(map(str, numbered(model))), "--warmup=1", "--clock=marks", "--cpu_threads=1", "--print_output=none",
               f"--output_file={scratch}/output", f"--trace_path={trace}", *words]
    with subprocess.Popen(list(map(str, command)), env={}, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as emulator:
        done = subprocess.run([TOTAL, AGENT, log, said], capture_output=True, text=True, timeout=500)
    log.unlink()
    if (emulator.returncode, done.returncode) != (0, 0):
        raise AssertionError(f"{model.name}: the agent exits {emulator.returncode}, the counter {done.returncode}: {done.stderr}")
    return [tuple(map(int, line.split())) for line in done.stdout.splitlines()[1:]], lab.read_trace(trace.read_bytes())
