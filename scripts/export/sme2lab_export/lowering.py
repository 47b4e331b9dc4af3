"""From an eager model to the bytes of a program: export, lower to XNNPACK or to portable operators, count what was delegated."""

from torch.export import export
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.exir import EdgeCompileConfig, to_edge_transform_and_lower
from executorch.exir._serialize._program import deserialize_pte_binary
from executorch.exir.schema import DelegateCall, KernelCall

PARTITIONERS = {"xnnpack": lambda: [XnnpackPartitioner()], "portable": lambda: []}


def lower(model, inputs, backend, kwargs=None, dynamic_shapes=None, etrecord=False):
    """Returns ExecuTorch's program manager; its `buffer` is the program."""
    program = export(model.eval(), tuple(inputs), kwargs=kwargs, dynamic_shapes=dynamic_shapes, strict=False)
    edge = to_edge_transform_and_lower(program, partitioner=PARTITIONERS[backend](), generate_etrecord=etrecord,
                                       compile_config=EdgeCompileConfig(_check_ir_validity=False))
    return edge.to_executorch()


def calls(pte):
    """(calls into delegates, calls of portable operators) of the first method."""
    instructions = deserialize_pte_binary(pte).program.execution_plan[0].chains[0].instructions
    count = lambda kind: sum(isinstance(step.instr_args, kind) for step in instructions)
    return count(DelegateCall), count(KernelCall)
