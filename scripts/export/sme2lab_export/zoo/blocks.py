"""Layers that the convolutional networks share."""

from torch import nn


def conv(inputs, outputs, kernel=3, stride=1, groups=1, activation=None):
    """Convolution and batch norm, which the exporter folds into one, and an activation."""
    layers = [nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=False), nn.BatchNorm2d(outputs)]
    return nn.Sequential(*layers, *([activation()] if activation else []))


def multiple_of_8(channels):
    """The nearest multiple of 8 that is at least nine tenths of it: how MobileNets round."""
    rounded = max(8, int(channels + 4) // 8 * 8)
    return rounded + 8 if rounded < 0.9 * channels else rounded


class Gate(nn.Module):
    """Squeeze and excite: channels weighted by what the whole picture says of them."""

    def __init__(self, channels):
        super().__init__()
        squeezed = multiple_of_8(channels // 4)
        self.weigh = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(channels, squeezed, 1), nn.ReLU(),
                                   nn.Conv2d(squeezed, channels, 1), nn.Hardsigmoid())

    def forward(self, x):
        return x * self.weigh(x)


class Inverted(nn.Module):
    """MobileNets' block: widen by 1x1, filter depthwise, narrow by 1x1; a residual where shapes allow."""

    def __init__(self, inputs, width, outputs, kernel, stride, activation, gated=False):
        super().__init__()
        widen = [conv(inputs, width, 1, activation=activation)] if width != inputs else []
        gate = [Gate(width)] if gated else []
        self.body = nn.Sequential(*widen, conv(width, width, kernel, stride, width, activation), *gate, conv(width, outputs, 1))
        self.residual = stride == 1 and inputs == outputs

    def forward(self, x):
        return x + self.body(x) if self.residual else self.body(x)
