"""mobilenet_v2, mobilenet_v3_small: as published (arXiv 1801.04381 table 2, 1905.02244 table 2)."""

from torch import nn

from sme2lab_export.zoo import seeded
from sme2lab_export.zoo.blocks import Inverted, conv


class V2(nn.Module):
    ROWS = ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1))

    def __init__(self):
        super().__init__()
        layers, channels = [conv(3, 32, 3, 2, activation=nn.ReLU6)], 32
        for expansion, outputs, repeats, stride in self.ROWS:
            for i in range(repeats):
                layers.append(Inverted(channels, channels * expansion, outputs, 3, stride if i == 0 else 1, nn.ReLU6))
                channels = outputs
        self.body = nn.Sequential(*layers, conv(channels, 1280, 1, activation=nn.ReLU6))
        self.head = nn.Linear(1280, 1000)

    def forward(self, x):
        return self.head(self.body(x).mean((2, 3)))


class V3Small(nn.Module):
    ROWS = ((3, 16, 16, True, nn.ReLU, 2), (3, 72, 24, False, nn.ReLU, 2), (3, 88, 24, False, nn.ReLU, 1),
            (5, 96, 40, True, nn.Hardswish, 2), (5, 240, 40, True, nn.Hardswish, 1), (5, 240, 40, True, nn.Hardswish, 1),
            (5, 120, 48, True, nn.Hardswish, 1), (5, 144, 48, True, nn.Hardswish, 1), (5, 288, 96, True, nn.Hardswish, 2),
            (5, 576, 96, True, nn.Hardswish, 1), (5, 576, 96, True, nn.Hardswish, 1))

    def __init__(self):
        super().__init__()
        layers, channels = [conv(3, 16, 3, 2, activation=nn.Hardswish)], 16
        for kernel, width, outputs, gated, activation, stride in self.ROWS:
            layers.append(Inverted(channels, width, outputs, kernel, stride, activation, gated))
            channels = outputs
        self.body = nn.Sequential(*layers, conv(channels, 576, 1, activation=nn.Hardswish), nn.AdaptiveAvgPool2d(1))
        self.head = nn.Sequential(nn.Linear(576, 1024), nn.Hardswish(), nn.Linear(1024, 1000))

    def forward(self, x):
        return self.head(self.body(x).flatten(1))


class MobileNetV2:
    def get_eager_model(self):
        return seeded.vision(V2(), 224)

    def get_example_inputs(self):
        return (seeded.picture(224),)


class MobileNetV3Small(MobileNetV2):
    def get_eager_model(self):
        return seeded.vision(V3Small(), 224)
