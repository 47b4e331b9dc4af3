"""A model that looks at its numbers to decide what to do."""

import torch

from ..model_base import EagerModelBase


class Branching(torch.nn.Module):
    def forward(self, x):
        if x.sum() > 0:
            return x * 2
        return x - 1


class BranchingModel(EagerModelBase):
    def get_eager_model(self):
        return Branching()

    def get_example_inputs(self):
        return (torch.ones(4),)
