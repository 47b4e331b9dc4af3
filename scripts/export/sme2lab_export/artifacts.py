"""The files of an export: model.pte, input-<i>.bin, expected-<i>.bin, model.json."""

import hashlib
import importlib.metadata
import json
import os

import torch


def raw(tensor):
    """Bytes in memory order, which for a channels-last tensor is N,H,W,C."""
    last = tensor.dim() == 4 and not tensor.is_contiguous() and tensor.is_contiguous(memory_format=torch.channels_last)
    return (tensor.permute(0, 2, 3, 1) if last else tensor).detach().contiguous().numpy().tobytes()


def flat(outputs):
    return [outputs] if isinstance(outputs, torch.Tensor) else list(outputs)


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


def write_all(outdir, pte, inputs, expected, facts):
    os.makedirs(outdir, exist_ok=True)
    write(os.path.join(outdir, "model.pte"), pte)
    described = {
        "schema": "sme2lab.model/1", **facts,
        "pte": {"file": "model.pte", "bytes": len(pte), "sha256": hashlib.sha256(pte).hexdigest()},
        "inputs": write_tensors(outdir, "input", inputs),
        "outputs": write_tensors(outdir, "expected", expected),
        "versions": {name: importlib.metadata.version(name) for name in ("executorch", "torch")},
    }
    write(os.path.join(outdir, "model.json"), json.dumps(described, indent=2).encode() + b"\n")
