"""edgetam, squeezesam: recipes for models whose code and weights are their owners': --checkout DIR has the code, --weights FILE the weights."""

import importlib
import os
import sys

import torch
from torch import nn

from sme2lab_export.errors import ExportError
from sme2lab_export.zoo import seeded


PACKAGES = {"PIL": "pillow", "cv2": "opencv-python-headless", "yaml": "pyyaml"}  # where the module has another name


class Recipe:
    """What a recipe is given on the command line."""

    url, commit = "", "main"

    def __init__(self, checkout=None, weights=None):
        self.checkout, self.weights = checkout, weights

    def module(self, name):
        """A module of the user's checkout."""
        if not self.checkout:
            raise ExportError(f"this model's code is not part of sme2lab: git clone {self.url} DIR, git -C DIR checkout "
                              f"{self.commit}, then say --checkout DIR (and --weights FILE; random weights without)")
        sys.path.insert(0, str(self.checkout))
        return self.attempt(importlib.import_module, name)

    def attempt(self, function, *words, **more):
        """Calls into the checkout; what it lacks is said plainly, however deep it was found."""
        try:
            return function(*words, **more)
        except Exception as error:
            missing = next((e.name for e in chain(error) if isinstance(e, ModuleNotFoundError) and e.name), None)
            if missing is None:
                raise
            if os.path.exists(os.path.join(self.checkout, missing.split(".")[0])) or missing.split(".")[0] == words[0].split(".")[0]:
                raise ExportError(f"{self.checkout} is no checkout of {self.url}: it has no {missing} (take commit {self.commit})") from error
            raise ExportError(f"the checkout needs the Python package '{missing}': "
                              f"{sys.executable} -m pip install --no-deps {PACKAGES.get(missing, missing)}") from error


def chain(error):
    """An exception and those that led to it."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


class SegmentPicture(nn.Module):
    """SqueezeSAM with the prompt drawn into channels 4 and 5, as its early fusion does, and without the sorting behind it."""

    def __init__(self, sam):
        super().__init__()
        self.encoder, self.decoder = sam.image_encoder, sam.mask_decoder
        self.register_buffer("prompt", torch.zeros(1, 1, sam.prompt_encoder.embed_dim), persistent=False)

    def forward(self, picture):
        return self.decoder.predict_masks(self.encoder(picture), self.prompt)


class SqueezeSam(Recipe):
    url, commit = "https://github.com/yformer/EfficientSAM", "adbb0fb8598683ea98e745ea4bc5a28c0ae39604"  # later ones left it out

    def get_eager_model(self):
        build = self.module("squeeze_sam.squeeze_sam").build_squeeze_sam
        torch.manual_seed(0)
        return SegmentPicture(build(self.weights)).eval()

    def get_example_inputs(self):
        prompt = torch.zeros(1, 2, 512, 512)
        prompt[:, 0] = 1
        prompt[:, 1, 250:260, 250:260] = 1
        return (torch.cat((seeded.picture(512), prompt), 1),)


class EncodePicture(nn.Module):
    """EdgeTAM's image encoder: where SME2 has work; a picture to its feature maps, finest first."""

    def __init__(self, tam):
        super().__init__()
        self.encoder = tam.image_encoder

    def forward(self, picture):
        return tuple(self.encoder(picture)["backbone_fpn"])


class EdgeTam(Recipe):
    url = "https://github.com/facebookresearch/EdgeTAM"

    def get_eager_model(self):
        build = self.module("sam2.build_sam").build_sam2
        backbones = self.module("sam2.modeling.backbones.timm")
        create = backbones.create_model  # asks timm to download weights that --weights has too
        backbones.create_model = lambda *words, **more: create(*words, **{**more, "pretrained": False})
        torch.manual_seed(0)
        return EncodePicture(self.attempt(build, "configs/edgetam.yaml", self.weights, device="cpu")).eval()

    def get_example_inputs(self):
        return (seeded.picture(1024),)
