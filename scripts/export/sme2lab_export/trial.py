"""Runs a fresh program in ExecuTorch's own runtime and in sme2lab's agent, and says how far their answers lie apart."""

import os
import pathlib
import subprocess
import tempfile
import typing

import torch

from sme2lab_export import advice, agreement, artifacts, stepwise

ROOT = pathlib.Path(__file__).resolve().parents[3]
EMULATOR = ROOT / "build/tools/qemu-aarch64"
AGENT = ROOT / "build/agent-aarch64/bin/sme2lab-agent"
LONGEST_SECONDS = 1200
VARIANTS = {"off": "nosme2", "on": "sme2"}


def from_here(path):
    """A path of the repository, as a command in the user's working directory names it."""
    return path if pathlib.Path.cwd() == ROOT else str(ROOT / path)


def executorch(pte, inputs):
    """Outputs of the runtime in ExecuTorch's Python package, its XNNPACK and quantised kernels included."""
    import executorch.kernels.quantized  # noqa: F401  registers the operators
    from executorch.extension.pybindings.portable_lib import _load_for_executorch_from_buffer
    outputs = _load_for_executorch_from_buffer(pte).run_method("forward", tuple(inputs))
    return [o.clone() if isinstance(o, torch.Tensor) else artifacts.tensor(o) for o in outputs]


def unknown(pte):
    """The operators of a program for which ExecuTorch's runtime has no kernel."""
    from executorch.exir._serialize._program import deserialize_pte_binary
    from executorch.extension.pybindings.portable_lib import _get_operator_names
    known = set(_get_operator_names())
    used = {f"{o.name}.{o.overload}".rstrip(".") for plan in deserialize_pte_binary(pte).program.execution_plan for o in plan.operators}
    return sorted(used - known)


def missing():
    """What the agent cannot run without here, or None."""
    return next((path for path in (EMULATOR, AGENT) if not os.access(path, os.X_OK)), None)


def shapes(inputs):
    """The inputs' shapes as --input-shapes takes them: programs of dynamic shapes otherwise expect the largest. An empty place keeps a scalar's own."""
    return ";".join("x".join(map(str, value.shape)) if isinstance(value, torch.Tensor) else "" for value in inputs)


def why(said):
    """The error of the agent's log that names the cause: the last before the one with which it ends."""
    errors = [line.split("] ", 1)[-1] for line in said.splitlines() if line.startswith("E ")]
    errors = [error for error in errors if not error.startswith("Failed to parse model file")] or errors
    return (errors or said.strip().splitlines() or ["it said nothing"])[-1]


def agent(outdir, file, inputs, isa, like):
    """Outputs of the agent in the emulator, on a CPU with SME2; or the line in which it said why there are none."""
    with tempfile.TemporaryDirectory() as scratch:
        files = ",".join(f"input-{i}.bin" for i in range(len(inputs)))
        command = [EMULATOR, "-cpu", "max,sme512=on", AGENT, "run", f"--model_path={file}", f"--inputs={files}", f"--input-shapes={shapes(inputs)}",
                   f"--isa={isa}", f"--output_file={scratch}/out", f"--etdump_path={scratch}/e", "--print_output=none"]
        try:
            done = subprocess.run(command, cwd=outdir, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
                                  timeout=LONGEST_SECONDS, check=False)
        except subprocess.TimeoutExpired:
            return f"no end after {LONGEST_SECONDS} s"
        if done.returncode:
            return why(done.stderr)
        return [artifacts.read(f"{scratch}/out-{i}.bin", tensor) for i, tensor in enumerate(like)]


class Program(typing.NamedTuple):
    kind: str  # a key of agreement.LIMITS
    outdir: str
    file: str  # of the program, in there
    pte: bytes
    inputs: list


def finite(value):
    return value if value < float("inf") else None


def alone(isa):
    """The agent's answer to a program of one instruction, as stepwise.farthest() wants it."""
    def answer(pte, inputs, like):
        with tempfile.TemporaryDirectory() as folder:
            artifacts.write(f"{folder}/model.pte", pte)
            artifacts.write_tensors(folder, "input", inputs)
            return agent(folder, "model.pte", inputs, isa, like)
    return answer


def step_by_step(program, isa, say):
    """A program of fixed scales whose answer differs: does each instruction agree on the inputs it has in ExecuTorch? Model.json says so."""
    try:
        parts = list(stepwise.instructions(program.pte, program.inputs, executorch))
    except (stepwise.NotApart, RuntimeError):
        return {}
    apart, name = stepwise.farthest(parts, alone(isa))
    within = apart <= stepwise.LIMIT
    say(f"    instruction by instruction, on ExecuTorch's inputs: {'each agrees' if within else 'DIFFERS'}, {apart:.1e} in the root mean square at most"
        f" ({name}, of {len(parts)})" + ("; single roundings add up to the difference" if within else ""))
    return {"agrees": within, "only_rounding": within, "of_instruction_rms": finite(apart)}


def compare(kind, name, want, exact, got, say):
    """One line; what model.json says of it."""
    if isinstance(got, str):
        say(f"  {name}: does not run: {got}")
        return {"runs": False, "why": got, "agrees": False}
    apart = agreement.farthest(want, got)
    within = agreement.agrees(kind, apart)
    rounding = not within and exact is not None and agreement.agrees_but_for_rounding(exact, want, got)
    alone_finite = not within and exact is not None and agreement.agrees_where_reference_overflows(kind, exact, want, got)
    same = "agrees" if agreement.some_finite(want) else "the same NaN and infinities, which proves nothing"
    word = (same if within else "agrees but for the roundings of half precision" if rounding else
            "agrees with single precision, where ExecuTorch's values are NaN or infinite" if alone_finite else "DIFFERS")
    figures = f", {apart[0]:.1e} of the peak, {apart[1]:.1e} in the root mean square" if agreement.some_finite(want) and not alone_finite else ""
    say(f"  {name}: {word}{figures}")
    return {"runs": True, "agrees": within or rounding or alone_finite, "only_rounding": rounding, "of_peak": finite(apart[0]), "of_rms": finite(apart[1])}


def reference(program, expected, exact, say):
    """(ExecuTorch's outputs or None, what model.json says of them). `exact` is the answer in single precision where the program's is half, else None."""
    try:
        outputs = executorch(program.pte, program.inputs)
    except RuntimeError as error:
        lacking = unknown(program.pte)
        why_not = f"its runtime has no {', '.join(lacking)}" if lacking else str(error).strip().splitlines()[0]
        say(f"ExecuTorch does not run it: {why_not}")
        cause = advice.of(f"its runtime has no {lacking}") if lacking else None
        if cause:
            say(f"\ncause: {cause[0]}\nfix: {cause[1]}")
        return None, {"runs": False, "why": why_not[:500]}
    odd = sum(int((~torch.isfinite(o)).sum()) for o in outputs if o.is_floating_point())
    if odd:
        say(f"{odd} of the outputs' values are NaN or infinite in ExecuTorch's runtime: with these inputs and weights the answers say little")
    apart = agreement.farthest(expected, outputs)
    say(f"ExecuTorch's runtime against eager PyTorch: {apart[0]:.1e} of the peak, {apart[1]:.1e} in the root mean square")
    facts = {"runs": True, "not_finite": odd, "from_eager_of_peak": finite(apart[0]), "from_eager_of_rms": finite(apart[1])}
    if exact is not None:
        apart = agreement.farthest(exact, agreement.widened(outputs))
        say(f"ExecuTorch's runtime against single precision: {apart[0]:.1e} of the peak, {apart[1]:.1e} in the root mean square")
        facts |= {"from_single_of_peak": finite(apart[0]), "from_single_of_rms": finite(apart[1])}
    return outputs, facts


def run(program, expected, exact, say):
    """Prints the agreement. Returns what model.json says of it, and whether all that ran agrees."""
    outputs, facts = reference(program, expected, exact, say)
    found = {"executorch": facts}
    if outputs is None:
        return found, False
    lacking = missing()
    if lacking:
        say(f"sme2lab's agent was not run: {lacking.relative_to(ROOT)} is missing; scripts/setup makes it")
        return found, True
    say("sme2lab's agent in the emulator against ExecuTorch's runtime:")
    for variant, isa in VARIANTS.items():
        got = agent(program.outdir, program.file, program.inputs, isa, outputs)
        facts = compare(program.kind, f"SME2 {variant}", outputs, exact, got, say)
        if program.kind == "int8" and facts["runs"] and not facts["agrees"]:
            facts |= step_by_step(program, isa, say)
        found[f"agent_{variant}"] = facts
    return found, all(found[f"agent_{variant}"]["agrees"] for variant in VARIANTS)
