"""A program taken apart: each of its instructions alone, on the inputs it has when ExecuTorch runs the whole.

Fixed scales round every layer to 256 values. Where one value lies between two of them, the last bit of a float decides, and later layers
enlarge what it decided: two right runtimes may give a deep network's answers apart. Instruction by instruction they may not.
"""

import copy
import typing

import torch
from executorch.exir._serialize._program import deserialize_pte_binary, serialize_pte_binary
from executorch.exir.schema import DelegateCall, KernelCall, OptionalTensorList, Tensor, TensorList

from sme2lab_export import agreement

LIMIT = agreement.LIMITS["int8"][1] / 10  # of an instruction's outputs, in the root mean square


class Instruction(typing.NamedTuple):
    name: str
    pte: bytes
    inputs: list
    outputs: list  # as ExecuTorch computes them


class NotApart(Exception):
    """The program has state, control flow or inputs that are no tensors: instructions alone say nothing of it."""


def tensors_of(plan, args):
    """Indices of the tensors that an instruction reads or writes, lists' too, constants not."""
    for arg in args:
        value = plan.values[arg].val
        members = value.items if isinstance(value, (TensorList, OptionalTensorList)) else [arg]
        for index in members:
            tensor = plan.values[index].val if index >= 0 else None
            if isinstance(tensor, Tensor) and (tensor.allocation_info or not tensor.data_buffer_idx):
                yield index


def alone(file, position, reads, writes):
    """The program that has this one instruction, and the delegate it calls."""
    file = copy.deepcopy(file)
    plan = file.program.execution_plan[0]
    plan.chains[0].instructions = [plan.chains[0].instructions[position]]
    plan.inputs, plan.outputs = reads, writes
    call = plan.chains[0].instructions[0].instr_args
    plan.delegates = [plan.delegates[call.delegate_index]] if isinstance(call, DelegateCall) else []
    file.program.backend_delegate_data = [file.program.backend_delegate_data[d.processed.index] for d in plan.delegates]
    for delegate in plan.delegates:
        call.delegate_index = delegate.processed.index = 0
    return bytes(serialize_pte_binary(file, extract_delegate_segments=True))


def check(file, inputs):
    plan = file.program.execution_plan[0]
    states = any(isinstance(v.val, Tensor) and v.val.allocation_info and v.val.data_buffer_idx for v in plan.values)
    kinds = {type(i.instr_args) for chain in plan.chains for i in chain.instructions}
    if states or len(plan.chains) != 1 or not kinds <= {KernelCall, DelegateCall} or not all(isinstance(i, torch.Tensor) for i in inputs):
        raise NotApart


def instructions(pte, inputs, run):
    """Every Instruction in order; `run(pte, inputs)` is ExecuTorch."""
    file = deserialize_pte_binary(pte)
    check(file, inputs)
    plan = file.program.execution_plan[0]
    known = dict(zip(plan.inputs, inputs))
    for position, instruction in enumerate(plan.chains[0].instructions):
        call = instruction.instr_args
        operator = plan.operators[call.op_index] if isinstance(call, KernelCall) else None
        used = list(dict.fromkeys(tensors_of(plan, call.args)))
        reads, writes = [i for i in used if i in known], [i for i in used if i not in known]
        part = alone(file, position, reads, writes)
        given = [known[i] for i in reads]
        outputs = run(part, given)
        known.update(zip(writes, outputs))
        yield Instruction(f"{operator.name}.{operator.overload}" if operator else f"delegate {call.delegate_index}", part, given, outputs)


def numbers(tensors):
    """Quantised values count as numbers, not as indices, of which each must be equal."""
    return [t.float() if t.dtype in (torch.int8, torch.uint8) else t for t in tensors]


def farthest(parts, answer):
    """(of the norm, its name) of the instruction whose outputs are farthest from ExecuTorch's; `answer(pte, inputs, like)` is ours, or says why there is none."""
    worst = (0.0, "none")
    for part in parts:
        got = answer(part.pte, part.inputs, part.outputs)
        if isinstance(got, str):
            return float("inf"), f"{part.name}: {got}"
        worst = max(worst, (agreement.farthest(numbers(part.outputs), numbers(got))[1], part.name))
    return worst
