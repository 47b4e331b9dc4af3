"""Weights and inputs from a seed, of a size that keeps numbers near one at every depth: half precision and int8 then work as in trained networks."""

import math

import torch
from torch import nn


def generator(seed):
    return torch.Generator().manual_seed(seed)


def noise(*shape, seed=1):
    return torch.randn(*shape, generator=generator(seed))


def picture(size, seed=1):
    """1x3xSIZExSIZE: a few soft blobs and a little noise, normalised: what a camera's image looks like to a network."""
    g = generator(seed)
    axis = torch.linspace(-1, 1, size)
    image = torch.zeros(3, size, size)
    for _ in range(8):
        x, y, width = (torch.rand(3, generator=g) * 2 - 1).tolist()
        blob = torch.exp(-((axis[:, None] - y) ** 2 + (axis[None, :] - x) ** 2) / (0.05 + width * width))
        image += torch.randn(3, 1, 1, generator=g) * blob
    return (image + 0.1 * torch.randn(3, size, size, generator=g)).unsqueeze(0)


def fill(model, seed=0):
    """Draws all weights anew; returns the model, ready for inference. Running statistics of norms stay 0 and 1."""
    g = generator(seed)
    with torch.no_grad():
        for module in model.modules():
            if isinstance(module, (nn.Conv2d, nn.Linear)):
                gain = 2.0 if isinstance(module, nn.Conv2d) else 1.0
                module.weight.normal_(0, math.sqrt(gain / module.weight[0].numel()), generator=g)
                if module.bias is not None:
                    module.bias.normal_(0, 0.05, generator=g)
            elif isinstance(module, nn.BatchNorm2d):
                module.weight.copy_(0.8 + 0.4 * torch.rand(module.weight.shape, generator=g))
                module.bias.normal_(0, 0.1, generator=g)
            elif isinstance(module, nn.Embedding):
                module.weight.normal_(0, 1, generator=g)
    return model.eval()


def measure(model, batch):
    """Gives batch norms the statistics of what really reaches them."""
    norms = [module for module in model.modules() if isinstance(module, nn.BatchNorm2d)]
    for norm in norms:
        norm.momentum = None  # the average of what was seen, not a moving one
    model.train()
    with torch.no_grad():
        model(batch)
    return model.eval()


def vision(network, size, seed=0):
    """A network with batch norms, filled and measured on four pictures."""
    return measure(fill(network, seed), torch.cat([picture(size, seed=10 + i) for i in range(4)]))
