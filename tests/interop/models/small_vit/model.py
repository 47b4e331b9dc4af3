"""A vision transformer of one layer: several delegates with portable operators between them."""

from sme2lab_export.zoo import seeded
from sme2lab_export.zoo.vit import Network


class SmallVitModel:
    def get_eager_model(self):
        return seeded.fill(Network(size=32, patch=8, width=48, heads=3, layers=1))

    def get_example_inputs(self):
        return (seeded.picture(32),)
