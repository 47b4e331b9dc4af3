"""Models by name or by file: a class with get_eager_model() and get_example_inputs(), as ExecuTorch's EagerModelBase has it."""

import importlib.util
import os
import sys

import torch
from torch import nn


class ExportError(Exception):
    """What the user can put right; its text is for the user."""


class ToyCnn(nn.Module):
    """Two convolutions, a depthwise one, pooling and a linear layer: every step in a tenth of a second."""

    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(3, 16, 3, padding=1)
        self.second = nn.Conv2d(16, 32, 3, padding=1)
        self.depthwise = nn.Conv2d(32, 32, 3, padding=1, groups=32)
        self.pool = nn.MaxPool2d(2)
        self.head = nn.Linear(32, 10)

    def forward(self, x):
        x = self.pool(torch.relu(self.first(x)))
        x = self.pool(torch.relu(self.second(x)))
        x = torch.relu(self.depthwise(x))
        return self.head(x.mean((2, 3)))


class Toy:
    """The built-in model `toy`; weights and inputs come from one seed."""

    seed = 0

    def get_eager_model(self):
        torch.manual_seed(self.seed)
        return ToyCnn()

    def get_example_inputs(self):
        return (torch.randn(1, 3, 64, 64, generator=torch.Generator().manual_seed(self.seed)),)


BUILT_IN = {"toy": Toy}


def find(name):
    """The model object for a built-in's name or `path/to/file.py:Class`."""
    if name in BUILT_IN:
        return BUILT_IN[name]()
    path, colon, class_name = name.rpartition(":")
    if not colon:
        raise ExportError(f"no built-in model '{name}' (there are: {', '.join(BUILT_IN)}); name a file as path/to/file.py:Class")
    if not os.path.isfile(path):
        raise ExportError(f"no file {path}")
    spec = importlib.util.spec_from_file_location("sme2lab_export_model", path)
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    spec.loader.exec_module(module)
    model = getattr(module, class_name, None)
    if model is None:
        raise ExportError(f"{path} has no class {class_name}")
    for method in ("get_eager_model", "get_example_inputs"):
        if not hasattr(model, method):
            raise ExportError(f"{path}: class {class_name} has no {method}(), which a model must have")
    return model()
