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


class Keeping(torch.nn.Module):
    """Writes what a layer with weights gives into a buffer of its own."""

    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 4)
        self.register_buffer("kept", torch.zeros(5, 4))

    def forward(self, x, rows):
        self.kept[rows] = self.layer(x)
        return self.kept.softmax(-1)


class KeepingModel(NumbersModel):
    def get_eager_model(self):
        torch.manual_seed(3)
        return Keeping()

    def get_example_inputs(self):
        return torch.ones(2, 4), torch.arange(2)


class Looping(torch.nn.Module):
    def forward(self, x):
        return torch.while_loop(lambda y: y.sum() < 5, lambda y: (y * 2 + 1,), (x,))


class LoopingModel(SortedModel):
    def get_eager_model(self):
        return Looping()
