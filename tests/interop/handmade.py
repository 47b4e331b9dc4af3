"""Programs of single operator calls, written with ExecuTorch's own schema, without an exporter: any operator, type, shape and memory order.

`Call` is one instruction; `program` gives each call a method of its own, or puts them all into one.
"""

from dataclasses import dataclass, field

import torch

from executorch.exir import schema
from executorch.exir._serialize._program import PTEFile, serialize_pte_binary
from executorch.exir.tensor import scalar_type_enum

ALIGNMENT = 64


@dataclass
class Out:
    """A tensor that an operator writes."""

    dtype: torch.dtype
    sizes: list
    channels_last: bool = False


WRITTEN = object()  # among a call's arguments: its first output, which it changes in place


@dataclass
class Call:
    """An operator with its arguments: numbers, strings, None, lists, types, tensors, and the outputs after them."""

    name: str
    arguments: list
    outputs: list
    words: str = ""
    as_list: bool = False  # the outputs are one argument, a list
    tensors: list = field(init=False)

    def __post_init__(self):
        self.tensors = [t for a in self.arguments for t in (a if isinstance(a, (list, tuple)) else [a]) if isinstance(t, torch.Tensor)]


def order(rank, channels_last):
    return [0, *range(2, rank), 1] if channels_last else list(range(rank))


def lies_channels_last(tensor):
    return tensor.dim() in (4, 5) and not tensor.is_contiguous() and tensor.dim_order() == tuple(order(tensor.dim(), True))


class Plan:
    """One method's values and instructions as they are added; every tensor has planned memory of its own."""

    def __init__(self):
        self.values, self.inputs, self.outputs, self.input_tensors, self.instructions, self.operators = [], [], [], [], [], []
        self.bytes, self.known = 0, {}

    def add(self, value):
        self.values.append(schema.EValue(value))
        return len(self.values) - 1

    def add_tensor(self, dtype, sizes, dim_order):
        count = 1
        for size in sizes:
            count *= size
        place = schema.AllocationDetails(1, self.bytes, 0)
        self.bytes += (count * dtype.itemsize + ALIGNMENT) // ALIGNMENT * ALIGNMENT
        return self.add(schema.Tensor(scalar_type=scalar_type_enum(dtype), storage_offset=0, sizes=list(sizes), dim_order=dim_order,
                                      requires_grad=False, layout=0, data_buffer_idx=0, allocation_info=place,
                                      shape_dynamism=schema.TensorShapeDynamism.DYNAMIC_BOUND))

    def add_input(self, tensor):
        if id(tensor) not in self.known:
            self.known[id(tensor)] = self.add_tensor(tensor.dtype, tensor.shape, order(tensor.dim(), lies_channels_last(tensor)))
            self.inputs.append(self.known[id(tensor)])
            self.input_tensors.append(tensor)
        return self.known[id(tensor)]

    def add_argument(self, a):
        if a is None:
            return self.add(schema.Null())
        if isinstance(a, torch.Tensor):
            return self.add_input(a)
        if isinstance(a, torch.dtype):
            return self.add(schema.Int(scalar_type_enum(a)))
        if isinstance(a, bool):
            return self.add(schema.Bool(a))
        if isinstance(a, int):
            return self.add(schema.Int(a))
        if isinstance(a, float):
            return self.add(schema.Double(a))
        if isinstance(a, str):
            return self.add(schema.String(a))
        if isinstance(a, tuple):  # tensors, perhaps with gaps
            return self.add(schema.OptionalTensorList([-1 if t is None else self.add_input(t) for t in a]))
        if a and isinstance(a[0], torch.Tensor):
            return self.add(schema.TensorList([self.add_input(t) for t in a]))
        if a and isinstance(a[0], float):
            return self.add(schema.DoubleList(a))
        return self.add(schema.IntList([self.add(schema.Int(i)) for i in a]))

    def add_call(self, call):
        outs = [self.add_tensor(o.dtype, o.sizes, order(len(o.sizes), o.channels_last)) for o in call.outputs]
        arguments = [outs[0] if a is WRITTEN else self.add_argument(a) for a in call.arguments]
        self.outputs += outs
        listed = self.add(schema.TensorList(outs)) if len(outs) != 1 or call.as_list else outs[0]
        arguments += [listed, listed] if call.as_list else [*outs, listed]
        name, _, overload = call.name.partition(".")
        if (name, overload) not in self.operators:
            self.operators.append((name, overload))
        self.instructions.append(schema.Instruction(schema.KernelCall(self.operators.index((name, overload)), arguments)))

    def finish(self, name):
        chain = schema.Chain(inputs=[], outputs=[], instructions=self.instructions, stacktrace=None)
        return schema.ExecutionPlan(name=name, container_meta_type=schema.ContainerMetadata("", ""), values=self.values, inputs=self.inputs,
                                    outputs=self.outputs, chains=[chain], operators=[schema.Operator(*o) for o in self.operators],
                                    delegates=[], non_const_buffer_sizes=[0, self.bytes])


def serialise(plans):
    program = schema.Program(version=0, execution_plan=plans, constant_buffer=[schema.Buffer(b"")], backend_delegate_data=[], segments=[],
                             constant_segment=schema.SubsegmentOffsets(0, []))
    return bytes(serialize_pte_binary(PTEFile(program=program)))


def each(calls):
    """A program with a method for each call, call0, call1, ...: its bytes and each method's inputs."""
    plans = [Plan() for _ in calls]
    for plan, call in zip(plans, calls):
        plan.add_call(call)
    return serialise([plan.finish(f"call{i}") for i, plan in enumerate(plans)]), [plan.input_tensors for plan in plans]


def together(calls):
    """A program whose one method makes all calls: its bytes and its inputs."""
    plan = Plan()
    for call in calls:
        plan.add_call(call)
    return serialise([plan.finish("forward")]), plan.input_tensors
