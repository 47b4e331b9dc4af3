"""What loading costs, and the runtime's own code between operators: bench.py's parts `load` and `framework`.

Executed instructions of Program::load to the end of load_method, against the real runtime's.

A program is opened once and compiled for each variant: a variant's load is both. Where the real runtime's was not counted alone, it is what
was counted from its start on without the start itself, which grows with the inputs that are read before (START).
"""

import glob
import json
import os
import pathlib
import sys
import tempfile

import host

sys.path.insert(0, str(host.ROOT / "tests/integration"))

import lab  # noqa: E402

COUNT = host.HOST_BENCH / "count_agent"
SVL = 512
GOAL = 0.5  # of the real runtime's
OWN_PER_CALL, OWN_SHARE = 300, 0.02  # instructions between operators, of one and of all
FRAMEWORK = ("mobilenet_v2_f32_xnnpack", "toy_cnn_f32_xnnpack", "transformer_dynq_xnnpack", "kitchen_math_portable", "kitchen_nn_portable")
START, START_PER_INPUT_BYTE = 1_950_000, 0.265  # its instructions from start to Program::load, from the rows that have both

# Executed instructions of ExecuTorch's executor_runner (1.5, XNNPACK with KleidiAI), SVL 512: (start and load, load alone or None), SME2 on and off.
EXECUTOR_RUNNER = {
    "delegate_ops_f16_xnnpack": ((4_342_717, None), (4_356_165, None)),
    "delegate_ops_f32_xnnpack": ((4_656_150, None), (4_631_924, None)),
    "dynamic_sequence_f32_xnnpack": ((2_579_379, None), (2_569_130, None)),
    "dynamic_shape_f32_xnnpack": ((2_212_762, None), (2_196_961, None)),
    "external_weights_xnnpack": ((2_185_073, None), (2_170_406, None)),
    "kitchen_math_portable": ((3_615_141, None), (3_610_555, None)),
    "kitchen_nn_portable": ((3_325_920, None), (3_321_524, None)),
    "kitchen_shape_portable": ((3_001_752, None), (3_002_613, None)),
    "linear_qd8_qb4w_xnnpack": ((4_229_574, None), (4_219_267, None)),
    "minilm_dynq_xnnpack": ((160_145_544, 158_189_902), (131_135_043, 129_183_782)),
    "mobilenet_v2_f32_xnnpack": ((4_561_682, 2_454_321), (5_589_634, 3_490_867)),
    "mobilenet_v2_int8_xnnpack": ((27_032_071, 24_933_756), (36_196_286, 34_097_879)),
    "mobilenet_v3_small_f32_xnnpack": ((5_692_577, 3_585_487), (7_033_912, 4_926_684)),
    "quant_ops_int8_xnnpack": ((3_177_528, None), (3_268_073, None)),
    "repvit_f32_xnnpack": ((6_564_214, 4_412_498), (7_590_309, 5_443_562)),
    "resnet18_f16_xnnpack": ((133_502_075, 131_468_143), (187_429_672, 185_397_869)),
    "toy_cnn_bundled": ((3_169_247, None), (3_180_316, None)),
    "toy_cnn_channels_last_f32_xnnpack": ((3_194_649, None), (3_205_095, None)),
    "toy_cnn_f16_portable": ((2_303_667, None), (2_299_097, None)),
    "toy_cnn_f16_xnnpack": ((3_263_813, 1_314_063), (3_701_523, 1_753_163)),
    "toy_cnn_f32_portable": ((2_314_196, 352_439), (2_307_525, 352_439)),
    "toy_cnn_f32_xnnpack": ((3_169_159, 1_210_077), (3_180_412, 1_225_517)),
    "toy_cnn_int8_xnnpack": ((2_367_831, 405_769), (2_434_729, 476_716)),
    "transformer_dynq_xnnpack": ((22_932_833, 20_960_527), (19_285_375, 17_325_210)),
    "transformer_f32_xnnpack": ((3_913_803, 1_946_713), (4_637_203, 2_676_727)),
    "transformer_sdpa_f32_xnnpack": ((3_564_686, None), (3_758_754, None)),
    "unet_f16_xnnpack": ((27_153_585, None), (35_821_634, None)),
    "unet_int8_xnnpack": ((6_881_902, 4_878_379), (8_610_928, 6_611_931)),
}


def folders():
    """Every program with its folder: those below $SL_FIXTURES, then those of tests/data."""
    for name in EXECUTOR_RUNNER:
        for parent in filter(None, (os.environ.get("SL_FIXTURES"), lab.MODELS)):
            folder = pathlib.Path(parent) / name
            if (folder / "model.pte").exists():
                yield name, folder
                break


def reference(name, folder, variant):
    whole, load = EXECUTOR_RUNNER[name][("on", "off").index(variant)]
    inputs = sum(os.path.getsize(path) for path in glob.glob(str(folder / "input-*.bin")))
    return load or round(whole - START - START_PER_INPUT_BYTE * inputs)


def counted(folder, *words, pcs=None):
    """(events, counted instructions before each mark) of a run of both variants."""
    with tempfile.TemporaryDirectory() as scratch:
        data = [f"--data_path={folder}/weights.ptd"] if (folder / "weights.ptd").exists() else []
        trace = pathlib.Path(scratch, "trace")
        marks = json.loads(host.output_of(COUNT, "--svl", SVL, *(["--pcs", pcs] if pcs else []), "run", f"--model_path={folder}/model.pte", *data,
                                          "--variants=off,on", "--policy=none", "--clock=marks", "--warmup=0", "--print_output=none", f"--trace_path={trace}",
                                          *words))["marks"]
        return lab.read_trace(trace.read_bytes()), marks


def count(folder, *words):
    """Instructions of loading by variant: a counted run without an execution."""
    events, marks = counted(folder, "--num_executions=0", *words)
    spans = {(event["name"], event["variant"]): marks[event["end"]] - marks[event["start"]] for event in events}
    opening = spans["Program::load", 0]
    return {variant: opening + spans["Program::load_method", v] for v, variant in enumerate(("off", "on"))}


def cold_and_warm(folder):
    with tempfile.TemporaryDirectory() as cache:
        for _ in range(2):  # the second finds files, but may read them; the third knows them
            count(folder, f"--weight-cache={cache}")
        return count(folder), count(folder, f"--weight-cache={cache}")


def load_rows(name, folder):
    cold, warm = cold_and_warm(folder)
    for variant in ("on", "off"):
        theirs = reference(name, folder, variant)
        alone = EXECUTOR_RUNNER[name][variant == "off"][1]
        source = f"executor_runner{'' if alone else ', start deducted'}, goal {GOAL:.2f}"
        yield {**host.row(f"{name}, SME2 {variant}", cold[variant], "instructions", theirs, source), "met": cold[variant] <= GOAL * theirs}
        yield host.noted(f"{name}, SME2 {variant}, warm cache", warm[variant], "instructions", theirs, "executor_runner")


def bench():
    for name, folder in folders():
        yield from load_rows(name, folder)


SHELLS = ("Method::execute", "OPERATOR_CALL", "DELEGATE_CALL", "MOVE_CALL", "JF_CALL", "FREE_CALL")


def framework(folder):
    """The last execution of each variant: (all instructions, those between operators, operators)."""
    events, marks = counted(folder, "--num_executions=2")
    found = {}
    for v, variant in enumerate(("off", "on")):
        last = max((event for event in events if event["name"] == "Method::execute" and event["variant"] == v), key=lambda event: event["start"])
        inside = [event for event in events if event["variant"] == v and event["name"] not in SHELLS and last["start"] < event["start"] < last["end"]]
        whole = marks[last["end"]] - marks[last["start"]]
        found[variant] = whole, whole - sum(marks[event["end"]] - marks[event["start"]] for event in inside), len(inside)
    return found


def bench_framework():
    for name in FRAMEWORK:
        folder = dict(folders()).get(name)
        for variant, (whole, own, operators) in framework(folder).items() if folder else ():
            yield host.row(f"{name}, SME2 {variant}, an operator call", round(own / operators, 1), "instructions", OWN_PER_CALL, "goal")
            if name.startswith("mobilenet"):
                yield host.row(f"{name}, SME2 {variant}, between operators", own, "instructions", round(OWN_SHARE * whole), f"goal: 2 % of {whole:,}")


def print_table(only):
    """Markdown, of agent/runtime/weights/README.md, for the programs named or all: python3 tests/bench/load.py [NAME]..."""
    print("| program | SME2 on | ratio | warm | ratio | SME2 off | ratio | warm | ratio |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|")
    for name, folder in folders():
        if only and name not in only:
            continue
        loads = cold_and_warm(folder)
        cells = [f"{load[v]:,} | {load[v] / reference(name, folder, v):.3f}" for v in ("on", "off") for load in loads]
        print(f"| `{name}` | {' | '.join(cells)} |", flush=True)


PARTS = {"load": bench, "framework": bench_framework}

if __name__ == "__main__":
    print_table(sys.argv[1:])
