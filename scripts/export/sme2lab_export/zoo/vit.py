"""vit: a vision transformer of the size called tiny, six layers deep."""

import torch
from torch import nn

from sme2lab_export.zoo import seeded
from sme2lab_export.zoo.attention import Layer


class Network(nn.Module):
    def __init__(self, size=224, patch=16, width=192, heads=3, layers=6):
        super().__init__()
        self.patches = nn.Conv2d(3, width, patch, patch)
        self.first = nn.Parameter(seeded.noise(1, 1, width, seed=2))
        self.places = nn.Parameter(0.5 * seeded.noise(1, (size // patch) ** 2 + 1, width, seed=3))
        self.layers = nn.Sequential(*(Layer(width, heads) for _ in range(layers)))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, 1000)

    def forward(self, x):
        tokens = self.patches(x).flatten(2).transpose(1, 2)
        tokens = torch.cat((self.first.expand(x.shape[0], -1, -1), tokens), 1) + self.places
        return self.head(self.norm(self.layers(tokens))[:, 0])


class VisionTransformer:
    def get_eager_model(self):
        return seeded.fill(Network())

    def get_example_inputs(self):
        return (seeded.picture(224),)
