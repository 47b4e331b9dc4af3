"""python -m sme2lab_export --model NAME|file.py:Class --outdir DIR: exports a model and what it needs to be run and checked.

Exit codes: 0 done, 2 usage, 1 the model cannot be exported.
"""

import argparse
import os
import sys

import sme2lab_export.quiet  # noqa: F401  first of all
import torch

from sme2lab_export import artifacts, lowering, models

LATER = "this version exports fp32 programs as they are"


def parse(argv):
    parser = argparse.ArgumentParser(prog="sme2lab_export", description="PyTorch to .pte")
    parser.add_argument("--model", help="a built-in model or path/to/file.py:Class")
    parser.add_argument("--list", action="store_true", help="the built-in models")
    parser.add_argument("--backend", choices=sorted(lowering.PARTITIONERS), default="xnnpack")
    parser.add_argument("--dtype", default="fp32")
    parser.add_argument("--quantize")
    parser.add_argument("--calibrate")
    parser.add_argument("--bundled", action="store_true")
    parser.add_argument("--etrecord", action="store_true", help="also writes model.etrecord, for ExecuTorch's Inspector")
    parser.add_argument("--outdir")
    options = parser.parse_args(argv)
    for name, given in (("--dtype " + options.dtype, options.dtype != "fp32"), ("--quantize", options.quantize),
                        ("--calibrate", options.calibrate), ("--bundled", options.bundled)):
        if given:
            parser.error(f"{name} is not supported: {LATER}; leave the option out")
    if not options.list and not (options.model and options.outdir):
        parser.error("--model and --outdir are needed")
    return options


def export(options):
    model = models.find(options.model)
    inputs = tuple(model.get_example_inputs())
    optional = lambda name: getattr(model, name)() if hasattr(model, name) else None
    kwargs, shapes = optional("get_example_kwarg_inputs"), optional("get_dynamic_shapes")
    eager = model.get_eager_model().eval()
    with torch.no_grad():
        expected = artifacts.flat(eager(*inputs, **(kwargs or {})))
        manager = lowering.lower(eager, inputs, options.backend, kwargs, shapes, options.etrecord)
    pte = bytes(manager.buffer)
    delegated, portable = lowering.calls(pte)
    facts = {"model": options.model, "backend": options.backend, "dtype": options.dtype,
             "delegate_calls": delegated, "portable_calls": portable,
             "delegated_share": delegated / (delegated + portable) if delegated + portable else None}
    artifacts.write_all(options.outdir, pte, inputs + tuple((kwargs or {}).values()), expected, facts)
    if options.etrecord:
        manager.get_etrecord().save(os.path.join(options.outdir, "model.etrecord"))
    print(f"{options.outdir}/model.pte: {len(pte)} bytes, {delegated} delegate calls, {portable} portable operators")


def main(argv=None):
    options = parse(argv)
    if options.list:
        for name, model in models.BUILT_IN.items():
            print(f"{name:10} {model.__doc__}")
        return 0
    try:
        export(options)
    except models.ExportError as error:
        print(f"sme2lab_export: {error}", file=sys.stderr)
        return 2
    except Exception as error:  # PyTorch and ExecuTorch raise many kinds; all mean the same here
        print(f"sme2lab_export: {options.model} cannot be exported: {type(error).__name__}: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
