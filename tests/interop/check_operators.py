"""Every portable operator of the tables in every type: our outputs against the real runtime's, bit for bit, floats to rounding; and how each is called in a
trace, with or without `native_call_` before it."""

import os
from collections import Counter

import numpy
import torch

from sme2lab_export import artifacts

import handmade
import inspector
import operators
import programs
import real_runtime

ROUNDING = {torch.float32: 2e-6, torch.float64: 1e-12, torch.float16: 2e-3, torch.bfloat16: 1.6e-2}
CANCELLED = 0.05  # below it, results are differences of larger numbers, and their rounding
BATCH = 400
# Besides the native agent: the CPU to emulate and the kernels allowed, for the types that have kernels.
EMULATED = [("SME2", programs.SVL512, "sme2"), ("no SME", "max,sme=off", "neon")]
EMULATED_TYPES = ("f32", "f16", "bf16")


def parts(dtype):
    """The type of a complex number's two; another type as it is."""
    return {torch.complex32: torch.float16, torch.complex64: torch.float32, torch.complex128: torch.float64}.get(dtype, dtype)


def numbers(data, dtype):
    if dtype == torch.bfloat16:
        return (numpy.frombuffer(data, numpy.uint16).astype(numpy.uint32) << 16).view(numpy.float32).astype(numpy.float64)
    kind = str(dtype).removeprefix("torch.")
    found = numpy.frombuffer(data, kind)
    return found.astype(numpy.float64) if dtype.is_floating_point else found


def difference(want, got, dtype, whole):
    """None, or words: the first element that differs. Sums, `whole`, are held to their tensor's peak, by four roundings."""
    if len(want) != len(got):
        return f"{len(got)} bytes instead of {len(want)}"
    dtype = parts(dtype)
    want, got = numbers(want, dtype), numbers(got, dtype)
    wrong = want != got
    if dtype.is_floating_point:
        with numpy.errstate(all="ignore"):
            finite = numpy.isfinite(want)
            scale = numpy.maximum(numpy.abs(want), numpy.abs(want[finite]).max(initial=0) if whole else CANCELLED)
            near = finite & (numpy.abs(want - got) <= ROUNDING[dtype] * (4 if whole else 1) * scale)
        wrong &= ~near & ~(numpy.isnan(want) & numpy.isnan(got))
    at = numpy.flatnonzero(wrong)
    return None if at.size == 0 else f"{at.size} of {want.size} elements, the first {at[0]}: {got[at[0]]} instead of {want[at[0]]}"


def in_order(tensor, out):
    """Its bytes in the memory order of the output."""
    return artifacts.raw(tensor.to(memory_format=torch.channels_last if out.channels_last else torch.contiguous_format))


class Batch:
    """Calls in files: one program with a method for each, which the real runtime has executed, and what came of them."""

    def __init__(self, lab, family, kind, calls):
        self.folder = os.path.join(lab.out, "operators", f"{family.__name__}-{kind}")
        self.family, self.calls, self.counts = family, calls, Counter()
        self.model = os.path.join(self.folder, "each.pte")
        os.makedirs(self.folder, exist_ok=True)
        program, self.inputs = handmade.each(calls)
        artifacts.write(self.model, program)
        self.real = real_runtime.execute_each(program, self.inputs)

    def run(self, model, inputs, cpu=None, isa="portable", more=()):
        files = []
        for i, tensor in enumerate(inputs):
            files.append(os.path.join(self.folder, f"input-{i}.bin"))
            artifacts.write(files[-1], artifacts.raw(tensor))
        return programs.run_agent(cpu, model, self.folder, files, isa=isa, more=more)

    def by_pytorch(self, call):
        """True if PyTorch is the reference: where the real runtime takes NHWC for NCHW."""
        by_order = self.family not in operators.BY_MEMORY and call.name not in operators.AS_IT_LIES
        return by_order and any(handmade.lies_channels_last(t) for t in call.tensors)

    def compare(self, call, want, got, where):
        for i, out in enumerate(call.outputs):
            found = difference(want[i], got[i], out.dtype, self.family in operators.SUMS)
            assert found is None, f"{call.name}, {call.words}, output {i} ({out.dtype}), {where}: {found}"

    def check_together(self, where, cpu=None, isa="portable"):
        """All calls that the real runtime made, in one method. False where the agent does not take them all."""
        good = [i for i, result in enumerate(self.real) if isinstance(result, list) and not self.by_pytorch(self.calls[i])]
        if not good:
            return True
        model = os.path.join(self.folder, "together.pte")
        program, inputs = handmade.together([self.calls[i] for i in good])
        artifacts.write(model, program)
        run = self.run(model, inputs, cpu, isa)
        if run.code != 0:
            return False
        at = 0
        for i in good:
            count = len(self.calls[i].outputs)
            self.compare(self.calls[i], self.real[i], [run.output(at + k) for k in range(count)], where)
            at += count
        self.counts["as the real runtime"] += len(good)
        return True

    def check_alone(self, i):
        """A call whose reference is PyTorch, or which is refused, or which was not among the others."""
        call, real = self.calls[i], self.real[i]
        run = self.run(self.model, self.inputs[i], more=[f"--method_name=call{i}"])
        assert run.code in (0, 1), f"{call.name}, {call.words}: exit {run.code}: {run.errors.strip()[-300:]}"
        if isinstance(real, list) and not self.by_pytorch(call):
            assert run.code == 0, f"{call.name}, {call.words}: the real runtime takes it, we refuse: {run.errors.strip()[-300:]}"
        if real is None or run.code == 1:
            self.counts["that end the real runtime" if real is None else "that we refuse and it refuses or takes for NCHW"] += 1
            return
        got = [run.output(k) for k in range(len(call.outputs))]
        if isinstance(real, list) and not self.by_pytorch(call):
            self.compare(call, real, got, "alone")
            self.counts["as the real runtime"] += 1
            return
        try:
            want = [in_order(t, out) for t, out in zip(operators.pytorch(call), call.outputs)]
        except (RuntimeError, NotImplementedError):
            self.counts["that only we take"] += 1
            return
        self.compare(call, want, got, "which the real runtime does not take, by PyTorch")
        self.counts["as PyTorch, which the real runtime refuses or takes for NCHW"] += 1

    def check(self, emulated):
        together = self.check_together("native")
        for i, call in enumerate(self.calls):
            if not together or not isinstance(self.real[i], list) or self.by_pytorch(call):
                self.check_alone(i)
        for where, cpu, isa in EMULATED if emulated else ():
            assert self.check_together(where, cpu, isa), f"{self.family.__name__}: refused on {where}"


def check_names(lab, family, calls):
    """One of each operator in a program: the real runtime's events and ours, name for name."""
    folder = os.path.join(lab.out, "operators", f"{family.__name__}-names")
    os.makedirs(folder, exist_ok=True)
    model, etdump = os.path.join(folder, "model.pte"), os.path.join(folder, "real.etdump")
    program, inputs = handmade.together(calls)
    artifacts.write(model, program)
    artifacts.write_tensors(folder, "input", inputs)
    real_runtime.execute(program, inputs, etdump)
    run = programs.run_agent(None, model, folder, [os.path.join(folder, f"input-{i}.bin") for i in range(len(inputs))])
    assert run.code == 0, f"{family.__name__}: one of each operator: exit {run.code}: {run.errors.strip()[-300:]}"
    want, got = ([row.name for row in inspector.rows(path) if row.block == "Execute"] for path in (etdump, run.etdump))
    assert want == got, f"{family.__name__}: events are called {sorted(set(got) - set(want))} instead of {sorted(set(want) - set(got))}"


def check(lab):
    for family in operators.FAMILIES:
        counts, names, named = Counter(), set(), {}
        rng = torch.Generator().manual_seed(lab.seed)
        for kind in operators.TYPES:
            calls = [call for call in family(rng, kind) if call is not None]
            names |= {call.name for call in calls}
            for start in range(0, len(calls), BATCH):
                batch = Batch(lab, family, kind, calls[start : start + BATCH])
                batch.check(lab.every and kind in EMULATED_TYPES)
                counts += batch.counts
                named |= {call.name: call for call, real in zip(batch.calls, batch.real) if isinstance(real, list) and not batch.by_pytorch(call)}
        check_names(lab, family, list(named.values()))
        lab.say(f"{family.__name__}: {len(names)} operators, {len(named)} event names as the real runtime's: " + ", ".join(f"{count} {what}" for what, count in counts.most_common()))
