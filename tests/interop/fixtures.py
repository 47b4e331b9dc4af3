"""Exported programs: the four of tests/data, and the larger set that $SL_FIXTURES may name."""

import json
import os

from programs import ROOT

SUPPORTED = ["toy_cnn_f32_xnnpack", "toy_cnn_f32_portable", "mobilenet_v2_f32_xnnpack", "dynamic_shape_f32_xnnpack"]
DATA = os.path.join(ROOT, "tests/data/models")


class Fixture:
    def __init__(self, folder):
        self.folder = folder
        self.name = os.path.basename(folder)
        self.model = os.path.join(folder, "model.pte")
        with open(os.path.join(folder, "facts.json"), encoding="utf-8") as file:
            self.facts = json.load(file)

    def path(self, name):
        return os.path.join(self.folder, name)

    def inputs(self):
        return [self.path(item["file"]) for item in self.facts["inputs"]]

    def runtime_output(self, i):
        """Bytes of output i on the real runtime."""
        with open(self.path(f"runtime-{i}.bin"), "rb") as file:
            return file.read()


def supported():
    return [Fixture(os.path.join(DATA, name)) for name in SUPPORTED]


def larger():
    """All of $SL_FIXTURES, or nothing where it is not set."""
    root = os.environ.get("SL_FIXTURES")
    if not root or not os.path.isdir(root):
        return []
    folders = (os.path.join(root, name) for name in sorted(os.listdir(root)))
    return [Fixture(folder) for folder in folders if os.path.isfile(os.path.join(folder, "model.pte"))]
