"""int8 with fixed scales, int8 with scales found at run time, int4 in groups: what XNNPACK runs quantised."""

import torch
from torch import nn
from torch.export import export

from sme2lab_export.errors import ExportError

GROUP = 32


def by_graph(model, inputs, kwargs, shapes, calibration, dynamic):
    """PyTorch's export-based quantisation with XNNPACK's quantiser; weights by channel."""
    from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import XNNPACKQuantizer, get_symmetric_quantization_config
    from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e
    config = get_symmetric_quantization_config(is_per_channel=True, is_dynamic=dynamic)
    graph = export(model, inputs, kwargs=kwargs, dynamic_shapes=shapes, strict=False).module()
    prepared = prepare_pt2e(graph, XNNPACKQuantizer().set_global(config))
    for sample in calibration:
        prepared(*sample, **(kwargs or {}))
    return convert_pt2e(prepared)


def by_module(model):
    """int4 weights in groups of 32 for every linear layer whose inputs come in whole groups."""
    from torchao.quantization.granularity import PerGroup
    from torchao.quantization.quant_api import Int8DynamicActivationIntxWeightConfig, quantize_
    # The projection behind nn.MultiheadAttention is a linear layer by name alone: the module computes with its weight, which must stay a tensor.
    fits = lambda module, _name: (isinstance(module, nn.Linear) and not isinstance(module, nn.modules.linear.NonDynamicallyQuantizableLinear)
                                  and module.in_features % GROUP == 0)
    if not any(fits(module, "") for module in model.modules()):
        raise ExportError(f"--quantize int4-groupwise: the model has no linear layer with a multiple of {GROUP} inputs")
    quantize_(model, Int8DynamicActivationIntxWeightConfig(weight_dtype=torch.int4, weight_granularity=PerGroup(GROUP)), filter_fn=fits)
    return model


def quantise(kind, model, inputs, kwargs, shapes, calibration):
    """The model to export; `calibration` is a list of inputs."""
    with torch.no_grad():
        if kind == "int4-groupwise":
            return by_module(model)
        return by_graph(model, inputs, kwargs, shapes, calibration, kind == "int8-dynamic")
