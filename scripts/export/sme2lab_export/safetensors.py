"""Reads .safetensors: eight bytes of length, a JSON table, the tensors' bytes."""

import json

import torch

from sme2lab_export.errors import ExportError

TYPES = {"F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16, "I64": torch.int64, "I32": torch.int32, "I8": torch.int8,
         "U8": torch.uint8, "BOOL": torch.bool}


def read(path):
    """All tensors by name."""
    with open(path, "rb") as file:
        data = bytearray(file.read())
    length = int.from_bytes(data[:8], "little")
    if len(data) < 8 or length > len(data) - 8:
        raise ExportError(f"{path} is no .safetensors file, or not a whole one")
    tensors = {}
    for name, about in json.loads(data[8:8 + length]).items():
        if name == "__metadata__":
            continue
        begin, end = about["data_offsets"]
        if about["dtype"] not in TYPES or not 0 <= begin <= end <= len(data) - 8 - length:
            raise ExportError(f"{path}: tensor {name} is of a type or at a place that cannot be")
        tensors[name] = torch.frombuffer(data, dtype=TYPES[about["dtype"]], count=-1 if end == begin else
                                         (end - begin) // TYPES[about["dtype"]].itemsize, offset=8 + length + begin).view(about["shape"])
    return tensors
