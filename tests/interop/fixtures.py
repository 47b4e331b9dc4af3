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

    def inputs(self, method=""):
        """Input files of the only method, or of the one whose files lie in a folder of its name."""
        described = self.facts["other_cases"][method]["inputs"] if method else self.facts["inputs"]
        return [self.path(os.path.join(method, f"input-{i}.bin")) for i in range(len(described))]

    def methods(self):
        """Names of the methods where there are several, else one empty name."""
        several = [method["name"] for method in self.facts["methods"]]
        return several if len(several) > 1 else [""]

    def runtime_outputs(self, method=""):
        """(type, bytes) of each output on the real runtime, by its number."""
        described = self.facts["other_cases"][method]["outputs"] if method else self.facts["outputs"]
        outputs = {}
        for i, output in enumerate(described):
            with open(self.path(os.path.join(method, f"runtime-{i}.bin")), "rb") as file:
                outputs[i] = ("float32" if method else output["dtype"], file.read())
        return outputs


def supported():
    return [Fixture(os.path.join(DATA, name)) for name in SUPPORTED]


def larger():
    """All of $SL_FIXTURES, or nothing where it is not set."""
    root = os.environ.get("SL_FIXTURES")
    if not root or not os.path.isdir(root):
        return []
    folders = (os.path.join(root, name) for name in sorted(os.listdir(root)))
    return [Fixture(folder) for folder in folders if os.path.isfile(os.path.join(folder, "model.pte"))]
