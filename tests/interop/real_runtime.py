"""The unmodified ExecuTorch runtime of the Python package: x86-64 (or the host's), XNNPACK included."""

import os
import pickle
import tempfile

import torch

import executorch.extension.llm.custom_ops.custom_ops  # noqa: F401  registers its operators
import executorch.kernels.quantized  # noqa: F401  and these theirs
from executorch.extension.pybindings.portable_lib import _load_for_executorch_from_buffer
from executorch.runtime import Runtime

from sme2lab_export import artifacts


def execute(pte, inputs, etdump=None, runs=1):
    """Outputs of the last of `runs` executions; writes their ETDump."""
    module = _load_for_executorch_from_buffer(pte, enable_etdump=etdump is not None)
    for _ in range(runs):
        outputs = [o.clone() if isinstance(o, torch.Tensor) else torch.tensor(o) for o in module.run_method("forward", tuple(inputs))]
    if etdump:
        module.write_etdump_result_to_file(etdump)
    return outputs


def execute_by_program(path, etdump, runs=2):
    """The ETDump of `executorch.runtime`, as users write it: every method in turn, its inputs ones."""
    program = Runtime.get().load_program(path, enable_etdump=True)
    for name in sorted(program.method_names):
        method = program.load_method(name)
        inputs = [torch.ones(method.metadata.input_tensor_meta(i).sizes()) for i in range(method.metadata.num_inputs())]
        for _ in range(runs):
            method.execute(inputs)
    program.write_etdump_result_to_file(etdump, etdump + ".debug")


def execute_each(program, inputs):
    """What the methods call0, call1, ... give: their outputs' bytes, the words of a refusal, or None where it ended its process."""
    results = []
    while len(results) < len(inputs):
        results += in_another_process(program, inputs, len(results))
        if len(results) < len(inputs):
            results.append(None)
    return results


def in_another_process(program, inputs, first):
    """From the first method on, as far as the process lives."""
    with tempfile.TemporaryFile(buffering=0) as file:
        child = os.fork()
        if child == 0:
            execute_into(file, program, inputs, first)
        os.waitpid(child, 0)
        file.seek(0)
        found = []
        while True:
            try:
                found.append(pickle.load(file))
            except EOFError:
                return found


def execute_into(file, program, inputs, first):
    """In a child: writes each result as it comes, and ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    torch.set_num_threads(1)  # OpenMP's other threads stayed in the parent, and a loop would wait for them for ever
    module = _load_for_executorch_from_buffer(program)
    for i in range(first, len(inputs)):
        try:
            result = [artifacts.raw(output) for output in module.run_method(f"call{i}", tuple(inputs[i]))]
        except RuntimeError as refusal:
            result = str(refusal)
        pickle.dump(result, file)
    os._exit(0)
