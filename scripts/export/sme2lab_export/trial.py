"""Runs a fresh program in ExecuTorch's own runtime and in sme2lab's agent, and says how far their answers lie apart."""

import os
import pathlib
import subprocess
import tempfile

import torch

from sme2lab_export import agreement, artifacts

ROOT = pathlib.Path(__file__).resolve().parents[3]
EMULATOR = ROOT / "build/tools/qemu-aarch64"
AGENT = ROOT / "build/agent-aarch64/bin/sme2lab-agent"
LONGEST_SECONDS = 1200
VARIANTS = {"off": "nosme2", "on": "sme2"}


def executorch(pte, inputs):
    """Outputs of the runtime in ExecuTorch's Python package, its XNNPACK and quantised kernels included."""
    import executorch.kernels.quantized  # noqa: F401  registers the operators
    from executorch.extension.pybindings.portable_lib import _load_for_executorch_from_buffer
    outputs = _load_for_executorch_from_buffer(pte).run_method("forward", tuple(inputs))
    return [o.clone() if isinstance(o, torch.Tensor) else torch.tensor(o) for o in outputs]


def missing():
    """What the agent cannot run without here, or None."""
    return next((path for path in (EMULATOR, AGENT) if not os.access(path, os.X_OK)), None)


def agent(outdir, count, isa, like):
    """Outputs of the agent in the emulator, on a CPU with SME2; or the last line that it said."""
    with tempfile.TemporaryDirectory() as scratch:
        inputs = ",".join(os.path.join(outdir, f"input-{i}.bin") for i in range(count))
        command = [EMULATOR, "-cpu", "max,sme512=on", AGENT, "run", f"--model_path={outdir}/model.pte", f"--inputs={inputs}", f"--isa={isa}",
                   f"--output_file={scratch}/out", f"--etdump_path={scratch}/e", "--print_output=none"]
        try:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
                                  timeout=LONGEST_SECONDS, check=False)
        except subprocess.TimeoutExpired:
            return f"no end after {LONGEST_SECONDS} s"
        if done.returncode:
            return (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
        return [artifacts.read(f"{scratch}/out-{i}.bin", tensor) for i, tensor in enumerate(like)]


def compare(kind, name, want, got, say):
    """One line; what model.json says of it."""
    if isinstance(got, str):
        say(f"  {name}: does not run: {got}")
        return {"runs": False, "why": got, "agrees": False}
    apart = agreement.farthest(want, got)
    good = agreement.agrees(kind, apart)
    say(f"  {name}: {'agrees' if good else 'DIFFERS'}, {apart[0]:.1e} of the peak, {apart[1]:.1e} in the root mean square")
    finite = lambda value: value if value < float("inf") else None
    return {"runs": True, "agrees": good, "of_peak": finite(apart[0]), "of_rms": finite(apart[1])}


def run(kind, outdir, pte, inputs, expected, say):
    """Prints the agreement. Returns what model.json says of it, and whether all that ran agrees."""
    try:
        reference = executorch(pte, inputs)
    except RuntimeError as error:
        say(f"ExecuTorch does not run it: {str(error).strip().splitlines()[0]}")
        return {"executorch": {"runs": False, "why": str(error)[:500]}}, False
    apart = agreement.farthest(expected, reference)
    say(f"ExecuTorch's runtime against eager PyTorch: {apart[0]:.1e} of the peak, {apart[1]:.1e} in the root mean square")
    found = {"executorch": {"runs": True, "from_eager_of_peak": apart[0], "from_eager_of_rms": apart[1]}}
    lacking = missing()
    if lacking:
        say(f"sme2lab's agent was not run: {lacking.relative_to(ROOT)} is missing; scripts/setup makes it")
        return found, True
    say("sme2lab's agent in the emulator against ExecuTorch's runtime:")
    for variant, isa in VARIANTS.items():
        got = agent(outdir, len(inputs), isa, reference)
        found[f"agent_{variant}"] = compare(kind, f"SME2 {variant}", reference, got, say)
    return found, all(found[f"agent_{variant}"]["agrees"] for variant in VARIANTS)
