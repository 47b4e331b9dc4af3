"""What to do when an export fails: the cause behind PyTorch's and ExecuTorch's many words."""

CAUSES = (
    ("dynamic control flow", ("GuardOnDataDependentSymNode", "data-dependent", "DataDependent", "Could not guard on"),
     "the network decides by the values of a tensor (an `if`, `while`, `.item()`, `nonzero()`): compute both sides and choose with torch.where, "
     "use torch.cond, or export the part before and the part behind as models of their own"),
    ("shape constraints", ("Constraints violated", "ConstraintViolation", "specialized", "Suggested fixes", "not in range"),
     "get_dynamic_shapes() promises sizes that the network does not keep: take the suggested fix in the message, bound the dimension by "
     "Dim(name, min=, max=), or leave the method out for fixed shapes"),
    ("a branch in a delegated program", ("was not decomposed or delegated",),
     "ExecuTorch lowers nothing inside torch.cond or map to XNNPACK: export with --backend portable, or compute both sides and choose "
     "with torch.where"),
    ("a loop that ExecuTorch does not run", ("Unsupported control flow operator",),
     "ExecuTorch runs torch.cond, map and scan, no torch.while_loop: write a loop of a fixed number of turns, or export its body and repeat the call"),
    ("a branch that cannot be traced", ("_higher_order_ops", "cond's output", "torch.cond"),
     "PyTorch does not trace what stands in a branch or a loop's body (convolutions with sizes left open are of that kind): leave only small "
     "arithmetic there, compute both sides and choose with torch.where, or export the parts as models of their own"),
    ("Python that cannot be traced", (".numpy()", "Unsupported", "graph break", "torch._dynamo", "torch.jit", "ScriptModule"),
     "the network uses Python or TorchScript that torch.export cannot follow: remove torch.jit decorations, prints, numpy and third-party calls "
     "from forward()"),
    ("unsupported operator", ("Missing out variants", "not found in the operator", "not Core ATen", "is not supported", "SpecViolationError",
                              "RequireOut", "not registered", "runtime has no", "WithEffects"),
     "an operator has no form that ExecuTorch can run: write it with operators that have one (the message names it), or register your own"),
    ("inputs that do not fit", ("fails on its example inputs", "missing a required argument", "takes", "positional argument", "mat1 and mat2", "size mismatch",
                                "expected input", "must match"),
     "get_example_inputs() does not give what forward() takes: compare their order, number, types and shapes"),
    ("memory", ("out of memory", "MemoryError", "bad_alloc", "can't allocate"),
     "the machine's memory is short: export with smaller example inputs, or on a larger machine"),
)


def of(error):
    """(name of the cause, what to do) for an exception or its words, or None."""
    text = error if isinstance(error, str) else f"{type(error).__name__}: {error}"
    for name, marks, what in CAUSES:
        if any(mark in text for mark in marks):
            return name, what
    return None
