"""Two delegates that share weights: ExecuTorch's answers without a weight cache, filling one and from it; what is shared is packed once."""

import os
import pathlib

import torch
from torch import nn

from sme2lab_export import agreement, artifacts, lowering, quantise

import programs
import real_runtime

WIDTH = 96
VARIANTS = [("sme2", programs.SVL512), ("nosme2", programs.SVL512), ("portable", None)]


class Twice(nn.Module):
    """A linear layer on both sides of an operator that XNNPACK does not take; or two layers of equal weights that do not know of each other."""

    def __init__(self, shared):
        super().__init__()
        torch.manual_seed(11)
        self.first = nn.Linear(WIDTH, WIDTH)
        self.second = self.first
        if not shared:
            self.second = nn.Linear(WIDTH, WIDTH)

    def forward(self, x):
        between = torch.cumsum(torch.relu(self.first(x)), 0) / len(x)
        return torch.relu(self.second(between))


def quantised(model, inputs, kind):
    return model if kind == "fp32" else quantise.by_graph(model, inputs, None, None, [inputs], kind == "int8-dynamic")


def make(lab, kind, shared):
    """(folder with the program, its input, ExecuTorch's outputs)."""
    folder = os.path.join(lab.out, "weights", f"{kind}-{'shared' if shared else 'apart'}")
    os.makedirs(folder, exist_ok=True)
    inputs = (torch.randn(7, WIDTH, generator=torch.Generator().manual_seed(12)),)
    pte = bytes(lowering.lower(quantised(Twice(shared).eval(), inputs, kind), inputs, "xnnpack").buffer)
    assert lowering.calls(pte)[0] == 2, f"{kind}: {lowering.calls(pte)[0]} delegate calls, not 2"
    artifacts.write(os.path.join(folder, "model.pte"), pte)
    artifacts.write_tensors(folder, "input", inputs)
    return folder, real_runtime.execute(pte, inputs)


def files_of(cache):
    """Names, bytes and identities of the weights there; notes of known contents come and go."""
    found = [(path.name, path.stat()) for path in sorted(pathlib.Path(cache).glob("*.weights"))]
    return [(name, about.st_size, about.st_ino) for name, about in found]


def check_case(program, kind, isa, cpu):
    """Returns how many bytes of weights the cache holds."""
    folder, want = program
    cache = os.path.join(folder, f"cache-{isa}")
    answers, caches = [], []
    for words in ([], [f"--weight-cache={cache}"], [f"--weight-cache={cache}"]):
        run = programs.run_agent(cpu, os.path.join(folder, "model.pte"), os.path.join(folder, "out"), [os.path.join(folder, "input-0.bin")], isa=isa, more=words)
        assert run.code == 0, f"{kind}, {isa}: exit {run.code}: {run.errors.strip()[-300:]}"
        answers.append(artifacts.read(f"{run.output_base}-0.bin", want[0]))
        caches.append(files_of(cache))
    apart = agreement.farthest(want, answers[:1])
    assert agreement.agrees(kind, apart), f"{kind}, {isa}: {apart[0]:.1e} of the peak, {apart[1]:.1e} in rms from ExecuTorch"
    assert all(torch.equal(answer, answers[0]) for answer in answers), f"{kind}, {isa}: with a weight cache the answer is another"
    assert caches[1] and caches[1] == caches[2], f"{kind}, {isa}: the cache is {caches[2]} after {caches[1]}"
    return sum(size for _, size, _ in caches[2])


def check(lab):
    for kind in ("fp32", "int8", "int8-dynamic"):
        made = [make(lab, kind, shared) for shared in (True, False)]
        for isa, cpu in VARIANTS:
            together, apart = (check_case(program, kind, isa, cpu) for program in made)
            most = apart if kind == "int8" else 0.75 * apart  # fixed scales of each layer's inputs are packed with its weights
            assert together <= most, f"{kind}, {isa}: {together} bytes of weights shared, {apart} of two layers"
            lab.say(f"{kind}, {isa}: cold, filling and warm equal; {together} bytes in the cache, {apart} for two layers that share nothing")
