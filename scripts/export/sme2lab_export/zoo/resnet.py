"""resnet18: as published (arXiv 1512.03385)."""

import torch
from torch import nn

from sme2lab_export.zoo import seeded
from sme2lab_export.zoo.blocks import conv


class Block(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.body = nn.Sequential(conv(inputs, outputs, 3, stride, activation=nn.ReLU), conv(outputs, outputs))
        self.short = nn.Identity() if inputs == outputs else conv(inputs, outputs, 1, stride)

    def forward(self, x):
        return torch.relu(self.body(x) + self.short(x))


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        widths = (64, 64, 128, 256, 512)
        stages = [block for before, width in zip(widths, widths[1:])
                  for block in (Block(before, width, 1 if before == width else 2), Block(width, width, 1))]
        self.body = nn.Sequential(conv(3, 64, 7, 2, activation=nn.ReLU), nn.MaxPool2d(3, 2, 1), *stages, nn.AdaptiveAvgPool2d(1))
        self.head = nn.Linear(512, 1000)

    def forward(self, x):
        return self.head(self.body(x).flatten(1))


class ResNet18:
    def get_eager_model(self):
        return seeded.vision(Network(), 224)

    def get_example_inputs(self):
        return (seeded.picture(224),)
