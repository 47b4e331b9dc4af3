"""Inputs that are no tensors, and models with which something is wrong."""

import torch


class Numbers(torch.nn.Module):
    def forward(self, x, times, nothing, share, whole):
        assert nothing is None
        return x * times + share if whole else x


class NumbersModel:
    def get_eager_model(self):
        return Numbers()

    def get_example_inputs(self):
        return (torch.linspace(-1, 1, 12).view(3, 4), 3, None, 0.5, True)


class NoTupleModel(NumbersModel):
    def get_example_inputs(self):
        return torch.ones(3, 4)


class UnfitModel(NumbersModel):
    def get_eager_model(self):
        return torch.nn.Linear(4, 4)


class Sorted(torch.nn.Module):
    def forward(self, x):
        return torch.sort(x, -1)[0]


class SortedModel(NumbersModel):
    """PyTorch exports it, and no runtime has the operator."""

    def get_eager_model(self):
        return Sorted()

    def get_example_inputs(self):
        return (torch.ones(3, 4),)
