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
            ("no SVE", "max,sve=off,sme512=on", "sme2", False), ("portable", programs.SVL512, "portable", True), ("native", None, "portable", True)]


class RandomNet(nn.Module):
    """Two convolutions, a depthwise one, a residual sum and a linear layer, of sizes drawn from `rng`."""

    def __init__(self, rng):
        super().__init__()
        self.channels = rng.randint(1, 5)
        self.height, self.width = rng.randint(9, 33), rng.randint(9, 33)
        self.batch = rng.choice([1, 1, 2])
        first, second, classes = rng.randint(3, 40), rng.randint(3, 70), rng.randint(2, 50)
        kernel, stride = rng.choice([1, 3, 5]), rng.choice([1, 2])
        self.first = nn.Conv2d(self.channels, first, kernel, stride, padding=rng.randint(0, kernel // 2))
        self.depthwise = nn.Conv2d(first, first, 3, rng.choice([1, 2]), padding=1, groups=first, bias=rng.random() < 0.5)
        self.second = nn.Conv2d(first, second, rng.choice([1, 3]), padding=1)
        self.residual = nn.Conv2d(second, second, 1)
        self.head = nn.Linear(second, classes)

    def forward(self, x):
        x = torch.relu(self.first(x))
        x = torch.relu(self.depthwise(x))
        x = self.second(x)
        x = x + self.residual(x)
        return self.head(x.mean((2, 3)))

    def words(self):
        return (f"{self.batch}x{self.channels}x{self.height}x{self.width}, convolutions to {self.first.out_channels} ({self.first.kernel_size[0]}x, stride "
                f"{self.first.stride[0]}) and {self.second.out_channels} channels, {self.head.out_features} classes")


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
