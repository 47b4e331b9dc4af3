"""Models of random shape: our outputs and event names against the real runtime's."""

import os
import random

import torch
from torch import nn

from sme2lab_export import artifacts, lowering

import agreement
import inspector
import programs
import real_runtime

# The CPU to emulate, the kernels allowed, and whether the events' names are those of the real runtime on this machine
# (with SME2 XNNPACK names its products otherwise).
VARIANTS = [("sme2", programs.SVL512, "sme2", False), ("off", programs.SVL512, "nosme2", True), ("no SME at all", "max,sme=off", "neon", True),
            ("no SVE", "max,sve=off,sme512=on", "sme2", False), ("SVL 128", "max,sme128=on", "sme2", False),
            ("SVL 2048", "max,sme2048=on", "sme2", False), ("portable", programs.SVL512, "portable", True), ("native", None, "portable", True)]


class RandomNet(nn.Module):
    """Two convolutions, a depthwise one, a residual sum, perhaps pooling, and a linear layer, of sizes drawn from `rng`."""

    def __init__(self, rng):
        super().__init__()
        self.channels = rng.randint(1, 9)
        self.height, self.width = rng.randint(12, 40), rng.randint(12, 40)
        self.batch = rng.choice([1, 1, 1, 2, 3])
        first, second, classes = rng.randint(3, 48), rng.randint(3, 80), rng.randint(2, 70)
        kernel = rng.choice([1, 2, 3, 5])
        self.first = nn.Conv2d(self.channels, first, kernel, rng.choice([1, 2]), padding=rng.randint(0, kernel // 2), bias=rng.random() < 0.7)
        wide = rng.choice([3, 3, 5])
        self.depthwise = nn.Conv2d(first, first, wide, rng.choice([1, 2]), padding=wide // 2, groups=first, bias=rng.random() < 0.5)
        self.second = nn.Conv2d(first, second, rng.choice([1, 3]), rng.choice([1, 1, 2]), padding=1, bias=rng.random() < 0.7)
        self.residual = nn.Conv2d(second, second, rng.choice([1, 3]), padding="same")
        self.pool = nn.MaxPool2d(2) if rng.random() < 0.5 else nn.Identity()
        self.first_activation, self.second_activation = (rng.choice([nn.ReLU(), nn.Identity()]) for _ in range(2))
        self.head = nn.Linear(second, classes, bias=rng.random() < 0.7)

    def forward(self, x):
        x = self.first_activation(self.first(x))
        x = torch.relu(self.depthwise(x))
        x = self.pool(self.second_activation(self.second(x)))
        x = x + self.residual(x)
        return self.head(x.mean((2, 3)))

    def words(self):
        convolutions = ", ".join(f"{c.out_channels} by {c.kernel_size[0]}x{c.kernel_size[0]}/{c.stride[0]}"
                                 for c in (self.first, self.depthwise, self.second, self.residual))
        return f"{self.batch}x{self.channels}x{self.height}x{self.width}, convolutions {convolutions}, {self.head.out_features} classes"


def make(seed):
    rng = random.Random(seed)
    torch.manual_seed(seed)
    net = RandomNet(rng).eval()
    return net, torch.randn(net.batch, net.channels, net.height, net.width)


def execute_names(etdump):
    """Event names of the executions, in the Inspector's order."""
    return [row.name for rows in inspector.blocks(etdump) if rows[0].block == "Execute" for row in rows]


def check_model(lab, seed, backend):
    net, x = make(seed)
    out = os.path.join(lab.out, "random", f"{seed}-{backend}")
    os.makedirs(out, exist_ok=True)
    with torch.no_grad():
        pte = bytes(lowering.lower(net, (x,), backend).buffer)
    model, source = os.path.join(out, "model.pte"), os.path.join(out, "input-0.bin")
    artifacts.write(model, pte)
    artifacts.write(source, artifacts.raw(x))
    real_dump = os.path.join(out, "real.etdump")
    want = artifacts.raw(real_runtime.execute(pte, (x,), real_dump)[0])
    wanted_names, farthest = execute_names(real_dump), 0.0
    for label, cpu, isa, same_names in VARIANTS:
        what = f"seed {seed}, {backend}, {label} ({net.words()})"
        run = programs.run_agent(cpu, model, os.path.join(out, label.replace(" ", "-")), [source], isa=isa)
        assert run.code == 0, f"{what}: exit {run.code}: {run.errors.strip()[-300:]}"
        farthest = max(farthest, agreement.check(want, run.output(0), what))
        names = execute_names(run.etdump)
        if same_names:
            assert names == wanted_names, f"{what}: events\n  {names}\ninstead of\n  {wanted_names}"
        assert len(names) == len(wanted_names), f"{what}: {len(names)} events instead of {len(wanted_names)}"
    lab.say(f"seed {seed}, {backend}: {net.words()}: {len(VARIANTS)} ways, {farthest:.1e} of the peak at most, names as the real runtime's")


def check(lab):
    for i in range(lab.models):
        for backend in ("xnnpack", "portable"):
            check_model(lab, lab.seed + i, backend)
