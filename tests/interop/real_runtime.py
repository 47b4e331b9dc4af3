"""The unmodified ExecuTorch runtime of the Python package: x86-64 (or the host's), XNNPACK included."""

import torch

from executorch.extension.pybindings.portable_lib import _load_for_executorch_from_buffer


def execute(pte, inputs, etdump=None, runs=1):
    """Outputs of the last of `runs` executions; writes their ETDump."""
    module = _load_for_executorch_from_buffer(pte, enable_etdump=etdump is not None)
    for _ in range(runs):
        outputs = [o.clone() if isinstance(o, torch.Tensor) else torch.tensor(o) for o in module.run_method("forward", tuple(inputs))]
    if etdump:
        module.write_etdump_result_to_file(etdump)
    return outputs
