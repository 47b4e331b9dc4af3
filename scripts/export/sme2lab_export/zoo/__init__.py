"""The built-in models by name."""

from sme2lab_export.zoo.decoder import Decoder
from sme2lab_export.zoo.minilm import MiniLm
from sme2lab_export.zoo.mobilenet import MobileNetV2, MobileNetV3Small
from sme2lab_export.zoo.recipes import EdgeTam, SqueezeSam
from sme2lab_export.zoo.resnet import ResNet18
from sme2lab_export.zoo.toy import Toy
from sme2lab_export.zoo.vit import VisionTransformer

BUILT_IN = {"toy": Toy, "mobilenet_v2": MobileNetV2, "mobilenet_v3_small": MobileNetV3Small, "resnet18": ResNet18,
            "vit": VisionTransformer, "decoder": Decoder, "minilm": MiniLm, "edgetam": EdgeTam, "squeezesam": SqueezeSam}
