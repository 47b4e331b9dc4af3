"""Attention and the layer around it, written as matrix products, which XNNPACK takes."""

import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value, self.out = (nn.Linear(width, width) for _ in range(4))

    def split(self, x):
        """Batch x tokens x width to batch x heads x tokens x the rest."""
        batch, tokens, width = x.shape
        return x.view(batch, tokens, self.heads, width // self.heads).transpose(1, 2)

    def forward(self, x, bias=None):
        query, key, value = self.split(self.query(x)), self.split(self.key(x)), self.split(self.value(x))
        scores = query @ key.transpose(2, 3) * key.shape[3] ** -0.5
        if bias is not None:
            scores = scores + bias
        mixed = torch.softmax(scores, -1) @ value
        return self.out(mixed.transpose(1, 2).flatten(2))


class Layer(nn.Module):
    """Norms before attention and before the two linear layers, residuals around both."""

    def __init__(self, width, heads):
        super().__init__()
        self.before_attention, self.before_wide = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attention = Attention(width, heads)
        self.wide = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x, bias=None):
        x = x + self.attention(self.before_attention(x), bias)
        return x + self.wide(self.before_wide(x))
