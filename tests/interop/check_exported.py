"""Models exported anew, on ExecuTorch's own aarch64 libraries and on our runtime, SME2 off and on: what PyTorch computes, and the same events."""

import math
import os

import numpy
import torch
from torch import nn
from torch.export import Dim

from sme2lab_export import artifacts, lowering, quantise

import agreement
import check_executorch
import check_random
import programs

LONGEST = 24  # of a sequence
QUANTUM = 3e-2  # of the peak: a value that is rounded to the other of two int8, and what follows from it


class Block(nn.Module):
    """Attention over a sequence of any length, and a layer of two products behind it."""

    def __init__(self, width=48):
        super().__init__()
        self.query, self.key, self.value, self.out = (nn.Linear(width, width) for _ in range(4))
        self.norm, self.up, self.down = nn.LayerNorm(width), nn.Linear(width, 2 * width), nn.Linear(2 * width, width)

    def forward(self, x):
        share = torch.softmax(self.query(x) @ self.key(x).transpose(1, 2) / math.sqrt(x.shape[2]), -1)
        x = x + self.out(share @ self.value(x))
        return x + self.down(nn.functional.gelu(self.up(self.norm(x))))


class Layers(nn.Module):
    def __init__(self, width=64):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(width, 2 * width), nn.ReLU(), nn.Linear(2 * width, 37))

    def forward(self, x):
        return self.layers(x)


class Noise(nn.Module):
    """A product beside numbers that nobody can foretell."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(32, 16)

    def forward(self, x):
        return self.layer(x), torch.rand(40, 50), torch.randn(40, 50)


class Case:
    """A program in a folder of its own, inputs, and what is expected of its outputs. Its `more` are words for the agents."""

    def __init__(self, lab, name, pte, inputs, expected, more=(), tolerance=None):
        self.name, self.expected, self.more, self.tolerance = name, expected, more, tolerance
        self.folder = os.path.join(lab.out, "exported", name.replace(" ", "-"))
        os.makedirs(self.folder, exist_ok=True)
        artifacts.write(os.path.join(self.folder, "model.pte"), pte)
        artifacts.write_tensors(self.folder, "input", inputs)

    def check_output(self, i, got, what):
        """How far it is from what is expected, of the peak."""
        want = self.expected[i]
        if callable(want):
            want(numpy.frombuffer(got, numpy.float32), what)
            return 0.0
        if self.tolerance is None:
            return agreement.check(artifacts.raw(want), got, what)
        apart = agreement.distance(artifacts.raw(want), got)
        assert apart <= self.tolerance, f"{what}: {apart:.1e} of the peak away"
        return apart

    def run(self, lab):
        """Each runtime and variant; returns the largest distance and the number of events."""
        farthest, names = 0.0, {}
        for runtime, command in (("ExecuTorch", check_executorch.second_agent()), ("ours", programs.agent(programs.SVL512) + ["run"])):
            out = check_executorch.execute(command, self.folder, os.path.join(self.folder, runtime), self.more)
            for number, variant in enumerate(check_executorch.VARIANTS):
                what = f"seed {lab.seed}, {self.name}, {runtime}, SME2 {variant}"
                for i in range(len(self.expected)):
                    with open(f"{out}/output_sme2-{variant}-{i}.bin", "rb") as file:
                        farthest = max(farthest, self.check_output(i, file.read(), f"{what}, output {i}"))
                events = check_executorch.events_of_trace(out, number)
                names[runtime, variant] = [event.name for event in events]
                assert any("_sme2_" in event.kernel for event in events) == (variant == "on"), f"{what}: kernels {[event.kernel for event in events]}"
        for variant in check_executorch.VARIANTS:
            theirs, ours = names["ExecuTorch", variant], names["ours", variant]
            assert theirs == ours, f"seed {lab.seed}, {self.name}, SME2 {variant}: events\n  {ours}\ninstead of\n  {theirs}"
        return farthest, len(names["ExecuTorch", "on"])


def eager(model, *inputs):
    with torch.no_grad():
        outputs = model(*inputs)
    return list(outputs) if isinstance(outputs, tuple) else [outputs]


def of_random_shape(lab):
    net, x = check_random.make(lab.seed)
    yield Case(lab, "convolutions", bytes(lowering.lower(net, (x,), "xnnpack").buffer), [x], eager(net, x))


def of_changing_shape(lab):
    block, longest = Block().eval(), torch.randn(1, LONGEST, 48)
    pte = bytes(lowering.lower(block, (longest,), "xnnpack", dynamic_shapes=({1: Dim("length", min=2, max=LONGEST)},)).buffer)
    for length in (LONGEST, 2 + lab.seed % (LONGEST - 2)):
        x = torch.randn(1, length, 48)
        yield Case(lab, f"sequence of {length}", pte, [x], eager(block, x), [f"--input-shapes=1x{length}x48"])


def quantised(lab):
    for kind, make in (("int8", lambda: check_random.make(lab.seed)), ("int8-dynamic", lambda: (Layers().eval(), torch.randn(5, 64)))):
        net, x = make()
        graph = quantise.by_graph(net, (x,), None, None, [(x,)], kind == "int8-dynamic")
        yield Case(lab, kind, bytes(lowering.lower(graph, (x,), "xnnpack").buffer), [x], eager(graph, x), tolerance=QUANTUM)


def is_uniform(numbers, what):
    assert numbers.size == 2000 and numbers.min() >= 0 and numbers.max() < 1, f"{what}: not within 0 and 1"
    assert abs(numbers.mean() - 0.5) < 0.05 and len(set(numbers)) > 1900, f"{what}: not uniform"


def is_normal(numbers, what):
    assert numbers.size == 2000 and abs(numbers.mean()) < 0.15 and abs(numbers.std() - 1) < 0.15, f"{what}: not normal"


def with_noise(lab):
    net, x = Noise().eval(), torch.randn(3, 32)
    yield Case(lab, "noise", bytes(lowering.lower(net, (x,), "xnnpack").buffer), [x], [eager(net.layer, x)[0], is_uniform, is_normal])


def of_two_methods(lab):
    from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
    from executorch.exir import EdgeCompileConfig, to_edge_transform_and_lower
    methods = {"first": (Layers().eval(), torch.randn(4, 64)), "second": (Layers(40).eval(), torch.randn(2, 40))}
    exported = {name: torch.export.export(net, (x,)) for name, (net, x) in methods.items()}
    edge = to_edge_transform_and_lower(exported, partitioner=[XnnpackPartitioner()], compile_config=EdgeCompileConfig(_check_ir_validity=False))
    pte = bytes(edge.to_executorch().buffer)
    for name, (net, x) in methods.items():
        yield Case(lab, f"method {name}", pte, [x], eager(net, x), [f"--method_name={name}"])


def check(lab):
    torch.manual_seed(lab.seed)
    for make in (of_random_shape, of_changing_shape, quantised, with_noise, of_two_methods):
        for case in make(lab):
            farthest, events = case.run(lab)
            lab.say(f"{case.name}: {events} events, {farthest:.1e} of the peak from PyTorch at most, both runtimes, SME2 off and on")
