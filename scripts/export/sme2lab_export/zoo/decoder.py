"""decoder: a small language model's decoder; the sequence may be shorter than the example's."""

import torch
from torch import nn
from torch.export import Dim

from sme2lab_export.zoo import seeded
from sme2lab_export.zoo.attention import Layer

LONGEST = 64
PLACES = 2 * LONGEST  # more than are used: a slice of all of a table would fix the length


class Network(nn.Module):
    def __init__(self, words=4096, width=192, heads=6, layers=4):
        super().__init__()
        self.words, self.places = nn.Embedding(words, width), nn.Embedding(PLACES, width)
        self.layers = nn.ModuleList(Layer(width, heads) for _ in range(layers))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, words, bias=False)
        self.register_buffer("future", torch.full((PLACES, PLACES), -1e4).triu(1))

    def forward(self, tokens):
        length = tokens.shape[1]
        x = self.words(tokens) + self.places.weight[:length]
        for layer in self.layers:
            x = layer(x, self.future[:length, :length])
        return self.head(self.norm(x))


class Decoder:
    def get_eager_model(self):
        return seeded.fill(Network())

    def get_example_inputs(self):
        return (torch.randint(0, 4096, (1, LONGEST), generator=seeded.generator(1)),)

    def get_dynamic_shapes(self):
        return ({1: Dim("length", min=2, max=LONGEST)},)
