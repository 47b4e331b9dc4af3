"""The files of an export: NAME.pte, input-<i>.bin, expected-<i>.bin, model.json."""

import hashlib
import importlib.metadata
import json
import os

import torch
from torch.utils._pytree import tree_flatten


def raw(tensor):
    """Bytes in memory order, which for a channels-last tensor is N,H,W,C."""
    last = tensor.dim() == 4 and not tensor.is_contiguous() and tensor.is_contiguous(memory_format=torch.channels_last)
    return (tensor.permute(0, 2, 3, 1) if last else tensor).detach().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()


def read(path, like):
    """A tensor as raw() writes those of `like`'s type, shape and memory order; a number of bytes that does not fit makes it empty."""
    with open(path, "rb") as file:
        data = bytearray(file.read())
    if len(data) != like.numel() * like.element_size():
        return torch.empty(0, dtype=like.dtype)
    last = like.dim() == 4 and not like.is_contiguous() and like.is_contiguous(memory_format=torch.channels_last)
    shape = [like.shape[i] for i in (0, 2, 3, 1)] if last else like.shape
    tensor = torch.frombuffer(data, dtype=like.dtype).view(shape) if data else torch.empty(shape, dtype=like.dtype)
    return tensor.permute(0, 3, 1, 2) if last else tensor


def tensor(value):
    """A number, truth value or None as the runner's files have them: 8 bytes, 1 byte, none."""
    if isinstance(value, torch.Tensor):
        return value
    return torch.empty(0) if value is None else torch.tensor(value, dtype=torch.float64 if isinstance(value, float) else None)


def flat(values):
    """All that a network takes or returns, one after the other in ExecuTorch's order."""
    return [values] if isinstance(values, torch.Tensor) else tree_flatten(values)[0]


def tensors(values):
    return [tensor(value) for value in flat(values)]


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


def write_tensors(outdir, kind, tensors):
    """Writes <kind>-<i>.bin; returns what model.json says of them."""
    described = []
    for i, tensor in enumerate(tensors):
        name, data = f"{kind}-{i}.bin", raw(tensor)
        write(os.path.join(outdir, name), data)
        described.append({"file": name, "dtype": str(tensor.dtype).removeprefix("torch."), "shape": list(tensor.shape),
                          "sha256": hashlib.sha256(data).hexdigest()})
    return described


def write_all(outdir, name, pte, inputs, expected, facts):
    os.makedirs(outdir, exist_ok=True)
    write(os.path.join(outdir, f"{name}.pte"), pte)
    described = {
        "schema": "sme2lab.model/1", **facts,
        "pte": {"file": f"{name}.pte", "bytes": len(pte), "sha256": hashlib.sha256(pte).hexdigest()},
        "inputs": write_tensors(outdir, "input", inputs),
        "outputs": write_tensors(outdir, "expected", expected),
        "versions": {package: importlib.metadata.version(package) for package in ("executorch", "torch", "torchao")},
    }
    write(os.path.join(outdir, "model.json"), json.dumps(described, indent=2).encode() + b"\n")


def add(outdir, facts):
    """More facts for model.json."""
    path = os.path.join(outdir, "model.json")
    with open(path, encoding="utf-8") as file:
        described = json.load(file)
    write(path, json.dumps({**described, **facts}, indent=2).encode() + b"\n")
