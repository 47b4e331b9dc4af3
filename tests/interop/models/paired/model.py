"""A model with a keyword input and a batch that varies."""

import torch
from torch.export import Dim

from ..model_base import EagerModelBase


class Paired(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.left, self.right = torch.nn.Linear(24, 32), torch.nn.Linear(16, 32)

    def forward(self, x, other):
        return {"sum": torch.relu(self.left(x) + self.right(other)), "product": self.left(x) * self.right(other)}


class PairedModel(EagerModelBase):
    def get_eager_model(self):
        torch.manual_seed(3)
        return Paired()

    def get_example_inputs(self):
        return (torch.randn(5, 24, generator=torch.Generator().manual_seed(4)),)

    def get_example_kwarg_inputs(self):
        return {"other": torch.randn(5, 16, generator=torch.Generator().manual_seed(5))}

    def get_dynamic_shapes(self):
        batch = Dim("batch", min=1, max=8)
        return {"x": {0: batch}, "other": {0: batch}}
