"""One export from the class to the files and the trial."""

import os
import shlex
import sys

import torch

from sme2lab_export import advice, artifacts, calibration, find, lowering, quantise, trial
from sme2lab_export import options as command
from sme2lab_export.errors import ExportError


def say(line):
    print(line, flush=True)


def half(value):
    return value.half() if isinstance(value, torch.Tensor) and value.is_floating_point() else value


class Job:
    """One model on its way; `eager` is what is exported."""

    def __init__(self, options):
        self.options, self.model = options, find.find(options.model, options.checkout, options.weights)
        optional = lambda name: getattr(self.model, name)() if hasattr(self.model, name) else None
        self.eager = self.model.get_eager_model()
        if not isinstance(self.eager, torch.nn.Module):
            raise ExportError(f"get_eager_model() returned a {type(self.eager).__name__}, not a torch.nn.Module")
        self.eager.eval()
        torch.backends.mha.set_fastpath_enabled(False)  # nn.Transformer's fused operators are for eager mode alone and know no quantised weights
        self.inputs = self.model.get_example_inputs()
        if not isinstance(self.inputs, (tuple, list)):
            raise ExportError(f"get_example_inputs() returned a {type(self.inputs).__name__}, not a tuple of all inputs: a single one is written (x,)")
        self.inputs = tuple(self.inputs)
        self.kwargs, self.shapes = optional("get_example_kwarg_inputs") or None, optional("get_dynamic_shapes") or None
        if options.dtype == "fp16":
            self.eager = self.eager.half()
            self.inputs = tuple(half(value) for value in self.inputs)
            self.kwargs = self.kwargs and {name: half(value) for name, value in self.kwargs.items()}
        values = [*self.eager.state_dict().values(), *self.all_inputs()]
        self.narrow = any(isinstance(value, torch.Tensor) and value.dtype in (torch.float16, torch.bfloat16) for value in values)
        try:
            self.answer()
        except Exception as error:
            lines = str(error).strip().splitlines() or [""]
            raise RuntimeError(f"forward() fails on its example inputs in plain PyTorch already: {type(error).__name__}: {lines[0]}") from error

    @property
    def kind(self):
        return self.options.quantize or ("fp16" if self.narrow else "fp32")

    def all_inputs(self):
        """As the program takes them, one after the other."""
        return tuple(artifacts.flat((*self.inputs, *(self.kwargs or {}).values())))

    def quantise(self):
        options, found = self.options, [self.inputs]
        if options.calibrate:
            found = calibration.samples(options.calibrate, self.inputs, self.shapes is not None)
        elif options.quantize == "int8":
            say("no --calibrate: scales come from the example input alone, which is good for timing, not for answers")
        self.eager = quantise.quantise(options.quantize, self.eager, self.inputs, self.kwargs, self.shapes, found)
        return {"kind": options.quantize, "samples": len(found) if options.quantize == "int8" else None}

    def answer(self):
        with torch.no_grad():
            return artifacts.tensors(self.eager(*self.inputs, **(self.kwargs or {})))

    def exact(self):
        """The answer of these weights and inputs in single precision, for programs in half precision; else None. Turns the network into floats: call it last."""
        if self.kind != "fp16":
            return None
        wide = lambda value: value.float() if isinstance(value, torch.Tensor) and value.is_floating_point() else value
        with torch.no_grad():
            return artifacts.tensors(self.eager.float()(*map(wide, self.inputs), **{name: wide(value) for name, value in (self.kwargs or {}).items()}))

    def lower(self):
        options = self.options
        with torch.no_grad():
            return lowering.edge(self.eager, self.inputs, options.backend, self.kwargs, self.shapes, options.etrecord)


def write_extras(options, name, manager, inputs, expected):
    if options.bundled and any(value is None for value in inputs):
        raise ExportError("--bundled: ExecuTorch's bundles hold no None, which this model takes as an input")
    if options.etrecord:
        manager.get_etrecord().save(os.path.join(options.outdir, f"{name}.etrecord"))
    if options.bundled:
        artifacts.write(os.path.join(options.outdir, f"{name}.bpte"), lowering.bundle(manager, inputs, expected))


def export(options):
    """True if the result runs and agrees."""
    job = Job(options)
    quantised = job.quantise() if options.quantize else None
    expected, inputs = job.answer(), job.all_inputs()
    edge = job.lower()
    shares = lowering.share(edge)
    with torch.no_grad():  # buffers that the network writes to may need gradients
        manager = edge.to_executorch()
    pte = bytes(manager.buffer)
    delegated, portable = lowering.calls(pte)
    name = command.name(options, job.kind)
    facts = {"name": name, "model": options.model, "backend": options.backend, "dtype": options.dtype, "quantized": quantised,
             "delegate_calls": delegated, "portable_calls": portable, **shares}
    artifacts.write_all(options.outdir, name, pte, artifacts.tensors(inputs), expected, facts)
    write_extras(options, name, manager, inputs, expected)
    say(f"{options.outdir}/{name}.pte: {len(pte)} bytes, {delegated} delegate calls, {portable} portable operators, "
        f"{100 * facts['delegated_share']:.1f} % of the graph's operators delegated")
    agrees = True
    if not options.no_trial:
        found, agrees = trial.run(trial.Program(job.kind, options.outdir, f"{name}.pte", pte, inputs), expected, job.exact(), say)
        artifacts.add(options.outdir, {"agreement": found})
    if agrees:
        say_next(options, name, job, inputs)
    return agrees


def say_next(options, name, job, inputs):
    """The next two commands of the page, for this model."""
    file = lambda name: shlex.quote(os.path.join(options.outdir, name))
    files = ",".join(file(f"input-{i}.bin") for i in range(len(inputs)))
    shapes = f" --input-shapes '{trial.shapes(inputs)}'" if job.shapes else ""
    sme2lab = shlex.quote(trial.from_here("build/host/bin/sme2lab"))
    say(f"next: {sme2lab} inspect {file(f'{name}.pte')}\n"
        f"      {sme2lab} run {file(f'{name}.pte')} --inputs {files}{shapes}")


def explain(options, error):
    lines = str(error).strip().splitlines() or [""]
    print(f"sme2lab_export: {options.model} cannot be exported: {type(error).__name__}: {lines[0]}", file=sys.stderr)
    print("\n".join(lines[1:12]), file=sys.stderr)
    cause = advice.of(error)
    if cause:
        print(f"\ncause: {cause[0]}\nfix: {cause[1]}", file=sys.stderr)
    print("more: scripts/export/README.md, 'When export fails'; SME2LAB_EXPORT_TRACE=1 shows the whole trace", file=sys.stderr)
