"""python -m sme2lab_export --model NAME|file.py:Class --outdir DIR: exports a model and what it needs to be run and checked.

Exit codes: 0 done, 1 the model cannot be exported or its answers differ, 2 usage.
"""

import argparse
import os
import sys

import sme2lab_export.quiet  # noqa: F401  first of all
import torch

from sme2lab_export import advice, artifacts, calibration, find, lowering, quantise, trial
from sme2lab_export.errors import ExportError
from sme2lab_export.zoo import BUILT_IN


def parse(argv):
    parser = argparse.ArgumentParser(prog="sme2lab_export", description="PyTorch to .pte")
    parser.add_argument("--model", help="a built-in model or path/to/file.py:Class")
    parser.add_argument("--list", action="store_true", help="the built-in models")
    parser.add_argument("--backend", choices=sorted(lowering.PARTITIONERS), default="xnnpack")
    parser.add_argument("--dtype", choices=("fp32", "fp16"), default="fp32")
    parser.add_argument("--quantize", choices=quantise.KINDS, help="int8: fixed scales; the others find those of activations at run time")
    parser.add_argument("--calibrate", metavar="DIR", help="samples for --quantize int8: pictures, .npy, .pt, .bin")
    parser.add_argument("--bundled", action="store_true", help="also writes model.bpte: the program with inputs and expected outputs")
    parser.add_argument("--etrecord", action="store_true", help="also writes model.etrecord, for ExecuTorch's Inspector")
    parser.add_argument("--checkout", metavar="DIR", help="of a recipe: the model's own code")
    parser.add_argument("--weights", metavar="FILE", help="of a recipe: the model's weights")
    parser.add_argument("--no-trial", action="store_true", help="does not run the result")
    parser.add_argument("--outdir", metavar="DIR")
    options = parser.parse_args(argv)
    if not options.list and not (options.model and options.outdir):
        parser.error("--model and --outdir are needed")
    if options.quantize and (options.backend != "xnnpack" or options.dtype != "fp32"):
        parser.error("--quantize is for --backend xnnpack and --dtype fp32: XNNPACK's kernels compute in int8, portable ones do not")
    if options.calibrate and options.quantize != "int8":
        parser.error("--calibrate is for --quantize int8: nothing else has scales to find beforehand")
    return options


def say(line):
    print(line, flush=True)


def half(value):
    return value.half() if isinstance(value, torch.Tensor) and value.is_floating_point() else value


class Job:
    """One model on its way; `eager` is what is exported."""

    def __init__(self, options):
        self.options, self.model = options, find.find(options.model, options.checkout, options.weights)
        optional = lambda name: getattr(self.model, name)() if hasattr(self.model, name) else None
        self.eager = self.model.get_eager_model().eval()
        self.inputs = tuple(self.model.get_example_inputs())
        self.kwargs, self.shapes = optional("get_example_kwarg_inputs") or None, optional("get_dynamic_shapes") or None
        if options.dtype == "fp16":
            self.eager = self.eager.half()
            self.inputs = tuple(half(value) for value in self.inputs)
            self.kwargs = self.kwargs and {name: half(value) for name, value in self.kwargs.items()}

    @property
    def kind(self):
        return self.options.quantize or self.options.dtype

    def all_inputs(self):
        """As the program takes them, one tensor after the other."""
        return tuple(artifacts.flat((*self.inputs, *(self.kwargs or {}).values())))

    def quantise(self):
        options, found = self.options, [self.inputs]
        if options.calibrate:
            found = calibration.samples(options.calibrate, self.inputs)
        elif options.quantize == "int8":
            say("no --calibrate: scales come from the example input alone, which is good for timing, not for answers")
        self.eager = quantise.quantise(options.quantize, self.eager, self.inputs, self.kwargs, self.shapes, found)
        return {"kind": options.quantize, "samples": len(found) if options.quantize == "int8" else None}

    def answer(self):
        with torch.no_grad():
            return artifacts.flat(self.eager(*self.inputs, **(self.kwargs or {})))

    def exact(self):
        """The answer of these weights and inputs in single precision, for programs in half precision; else None. Turns the network into floats: call it last."""
        if self.kind != "fp16":
            return None
        wide = lambda value: value.float() if isinstance(value, torch.Tensor) and value.is_floating_point() else value
        with torch.no_grad():
            return artifacts.flat(self.eager.float()(*map(wide, self.inputs), **{name: wide(value) for name, value in (self.kwargs or {}).items()}))

    def lower(self):
        options = self.options
        with torch.no_grad():
            return lowering.edge(self.eager, self.inputs, options.backend, self.kwargs, self.shapes, options.etrecord)


def write_extras(options, manager, inputs, expected):
    if options.etrecord:
        manager.get_etrecord().save(os.path.join(options.outdir, "model.etrecord"))
    if options.bundled:
        artifacts.write(os.path.join(options.outdir, "model.bpte"), lowering.bundle(manager, inputs, expected))


def export(options):
    """True if the result runs and agrees."""
    job = Job(options)
    quantised = job.quantise() if options.quantize else None
    expected, inputs = job.answer(), job.all_inputs()
    edge = job.lower()
    shares = lowering.share(edge)
    manager = edge.to_executorch()
    pte = bytes(manager.buffer)
    delegated, portable = lowering.calls(pte)
    facts = {"model": options.model, "backend": options.backend, "dtype": options.dtype, "quantized": quantised,
             "delegate_calls": delegated, "portable_calls": portable, **shares}
    artifacts.write_all(options.outdir, pte, inputs, expected, facts)
    write_extras(options, manager, inputs, expected)
    say(f"{options.outdir}/model.pte: {len(pte)} bytes, {delegated} delegate calls, {portable} portable operators, "
        f"{100 * facts['delegated_share']:.1f} % of the graph's operators delegated")
    if options.no_trial:
        return True
    found, agrees = trial.run(trial.Program(job.kind, options.outdir, pte, inputs), expected, job.exact(), say)
    artifacts.add(options.outdir, {"agreement": found})
    return agrees


def explain(options, error):
    lines = str(error).strip().splitlines() or [""]
    print(f"sme2lab_export: {options.model} cannot be exported: {type(error).__name__}: {lines[0]}", file=sys.stderr)
    print("\n".join(lines[1:12]), file=sys.stderr)
    cause = advice.of(error)
    if cause:
        print(f"\ncause: {cause[0]}\nfix: {cause[1]}", file=sys.stderr)
    print("more: scripts/export/README.md, 'When export fails'; SME2LAB_EXPORT_TRACE=1 shows the whole trace", file=sys.stderr)


def main(argv=None):
    options = parse(argv)
    if options.list:
        for name, model in BUILT_IN.items():
            print(f"{name:18} {model.__doc__}")
        return 0
    try:
        return 0 if export(options) else 1
    except ExportError as error:
        print(f"sme2lab_export: {error}", file=sys.stderr)
        return 2
    except Exception as error:  # PyTorch and ExecuTorch raise many kinds; all mean the same here
        if os.environ.get("SME2LAB_EXPORT_TRACE"):
            raise
        explain(options, error)
        return 1


if __name__ == "__main__":
    sys.exit(main())
