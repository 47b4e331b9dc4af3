"""From an eager model to the bytes of a program: export, lower to XNNPACK or to portable operators, count what was delegated."""

import torch
from torch.export import export
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.exir import EdgeCompileConfig, to_edge_transform_and_lower
from executorch.exir._serialize._program import deserialize_pte_binary
from executorch.exir.schema import DelegateCall, KernelCall

PARTITIONERS = {"xnnpack": lambda: [XnnpackPartitioner()], "portable": lambda: []}


def edge(model, inputs, backend, kwargs=None, dynamic_shapes=None, etrecord=False):
    """ExecuTorch's edge program, with what the backend takes already in delegates."""
    if not isinstance(model, torch.fx.GraphModule):  # a quantised graph is ready, and refuses eval()
        model.eval()
    program = export(model, tuple(inputs), kwargs=kwargs, dynamic_shapes=dynamic_shapes, strict=False)
    return to_edge_transform_and_lower(program, partitioner=PARTITIONERS[backend](), generate_etrecord=etrecord,
                                       compile_config=EdgeCompileConfig(_check_ir_validity=False))


def lower(model, inputs, backend, kwargs=None, dynamic_shapes=None, etrecord=False):
    """ExecuTorch's program manager; its `buffer` is the program."""
    with torch.no_grad():
        return edge(model, inputs, backend, kwargs, dynamic_shapes, etrecord).to_executorch()


def share(edge_program):
    """How much of the graph's operators is delegated."""
    from executorch.devtools.backend_debug import get_delegation_info
    info = get_delegation_info(edge_program.exported_program().graph_module)
    inside, outside = info.num_delegated_nodes, info.num_non_delegated_nodes
    return {"delegated_operators": inside, "portable_operators": outside,
            "delegated_share": inside / (inside + outside) if inside + outside else 0.0}


def calls(pte):
    """(calls into delegates, calls of portable operators) of the first method."""
    instructions = deserialize_pte_binary(pte).program.execution_plan[0].chains[0].instructions
    count = lambda kind: sum(isinstance(step.instr_args, kind) for step in instructions)
    return count(DelegateCall), count(KernelCall)


def bundle(manager, inputs, expected):
    """The program with its inputs and what it should answer, in one file."""
    from executorch.devtools import BundledProgram
    from executorch.devtools.bundled_program.config import MethodTestCase, MethodTestSuite
    from executorch.devtools.bundled_program.serialize import serialize_from_bundled_program_to_flatbuffer
    case = MethodTestCase(inputs=list(inputs), expected_outputs=list(expected))
    return serialize_from_bundled_program_to_flatbuffer(BundledProgram(manager, [MethodTestSuite("forward", [case])]))
