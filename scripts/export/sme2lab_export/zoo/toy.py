"""toy: the smallest convolutional network in which something of everything runs."""

import torch
from torch import nn

from sme2lab_export.zoo import seeded


class ToyCnn(nn.Module):
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
    def get_eager_model(self):
        return seeded.fill(ToyCnn())

    def get_example_inputs(self):
        return (seeded.picture(64),)
