"""sme2lab's programs as a user starts them."""

import json
import os
import subprocess
from dataclasses import dataclass

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
EMULATOR = os.path.join(ROOT, "build/tools/qemu-aarch64")
SME2LAB = os.path.join(ROOT, "build/host/bin/sme2lab")
SVL512 = "max,sme512=on"
LONGEST_SECONDS = 900  # of a program in the emulator, on a machine that others use too


def agent(cpu):
    """The agent's command line: in the emulator as that CPU, or on this machine where `cpu` is None."""
    if cpu is None:
        return [os.path.join(ROOT, "build/agent-native/bin/sme2lab-agent")]
    return [EMULATOR, "-cpu", cpu, os.path.join(ROOT, "build/agent-aarch64/bin/sme2lab-agent")]


@dataclass
class Run:
    code: int
    errors: str
    etdump: str
    trace: str
    output_base: str

    def output(self, i):
        with open(f"{self.output_base}-{i}.bin", "rb") as file:
            return file.read()


def run_agent(cpu, model, out, inputs=(), isa=None, executions=1, more=()):
    """One `sme2lab-agent run`, by every SME2 kernel there is where they are allowed; its files go to the directory `out`."""
    os.makedirs(out, exist_ok=True)
    etdump, trace, base = (os.path.join(out, name) for name in ("run.etdump", "run.sltrace", "output"))
    command = agent(cpu) + ["run", f"--model_path={model}", f"--output_file={base}", f"--etdump_path={etdump}", f"--trace_path={trace}",
                            f"--num_executions={executions}", "--cpu_threads=1", "--policy=none", "--print_output=none", *more]
    if inputs:
        command.append("--inputs=" + ",".join(inputs))
    if isa:
        command.append(f"--isa={isa}")
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=LONGEST_SECONDS)
    return Run(done.returncode, done.stderr, etdump, trace, base)


def sme2lab(*arguments, accepted=(0,)):
    """The command line's standard output; fails unless it exits as accepted."""
    done = subprocess.run([SME2LAB, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LONGEST_SECONDS)
    assert done.returncode in accepted, f"sme2lab {' '.join(arguments)} exits {done.returncode}: {done.stderr.strip() or done.stdout.strip()}"
    return done.stdout


def sme2lab_json(*arguments):
    return json.loads(sme2lab(*arguments))
