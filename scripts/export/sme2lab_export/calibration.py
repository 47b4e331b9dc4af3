"""Calibration data from a folder. Each sample is one of

* a picture (.png, .jpg, .jpeg): scaled to the model's input, normalised as ImageNet's are, for models with one input of 1x3xHxW;
* a tensor: .npy, .pt (a tensor, or a tuple of all inputs), or .bin with the raw bytes of the only input;
* a folder with input-0.bin, input-1.bin ..., as this tool writes them.
"""

import os

import numpy
import torch

from sme2lab_export import packages
from sme2lab_export.errors import ExportError

PICTURES = (".png", ".jpg", ".jpeg")
MEAN, DEVIATION = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


def picture(path, like):
    packages.folder("pillow", "12.2.0", "PIL", "7 MB")
    from PIL import Image
    if like.dim() != 4 or like.shape[:2] != (1, 3):
        raise ExportError(f"{path}: pictures calibrate inputs of 1x3xHxW, not of {'x'.join(map(str, like.shape))}")
    height, width = like.shape[2:]
    with Image.open(path) as image:
        pixels = numpy.asarray(image.convert("RGB").resize((width, height), Image.Resampling.BILINEAR), dtype=numpy.float32) / 255
    normal = (pixels - numpy.array(MEAN, numpy.float32)) / numpy.array(DEVIATION, numpy.float32)
    return torch.from_numpy(normal).permute(2, 0, 1).unsqueeze(0).contiguous()


def raw(path, like):
    with open(path, "rb") as file:
        data = bytearray(file.read())
    if len(data) != like.numel() * like.element_size():
        raise ExportError(f"{path} has {len(data)} bytes; the model's input has {like.numel() * like.element_size()}")
    return torch.frombuffer(data, dtype=like.dtype).view(like.shape)


def read(path, inputs):
    """The inputs that one entry of the folder holds, or None for one that is no sample."""
    ending = os.path.splitext(path)[1].lower()
    if os.path.isdir(path):
        return tuple(raw(os.path.join(path, f"input-{i}.bin"), like) for i, like in enumerate(inputs))
    if ending in PICTURES:
        return (picture(path, inputs[0]),)
    if ending == ".npy":
        return (torch.from_numpy(numpy.load(path, allow_pickle=False)),)
    if ending == ".pt":
        found = torch.load(path, weights_only=True)
        return tuple(found) if isinstance(found, (tuple, list)) else (found,)
    return (raw(path, inputs[0]),) if ending == ".bin" else None


def check(path, sample, inputs, varies):
    facts = lambda tensors: [(t.dtype, t.dim() if varies else tuple(t.shape)) for t in tensors]
    if facts(sample) != facts(inputs):
        said = lambda tensors: ", ".join(f"{str(t.dtype)[6:]} {'x'.join(map(str, t.shape))}" for t in tensors)
        raise ExportError(f"{path} holds {said(sample)}; the model takes {said(inputs)}")
    return sample


def samples(folder, inputs, varies):
    """All samples of the folder, by name. `varies`: the model has dynamic shapes."""
    if not os.path.isdir(folder):
        raise ExportError(f"--calibrate {folder}: no such folder")
    found = []
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        sample = read(path, inputs)
        if sample is not None:
            found.append(check(path, sample, inputs, varies))
    if not found:
        raise ExportError(f"--calibrate {folder}: no pictures, .npy, .pt, .bin files or folders of input-<i>.bin in it")
    return found
