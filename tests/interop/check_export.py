"""scripts/export: models of its registry and of users, in every type, give what ExecuTorch gives; what fails says why."""

import contextlib
import io
import json
import os

import executorch
import numpy
import torch

from sme2lab_export import __main__ as command
from sme2lab_export import advice, agreement, artifacts, stepwise, trial
from sme2lab_export import options as words_of
from sme2lab_export.zoo import BUILT_IN, seeded
from sme2lab_export.zoo.recipes import Recipe

MODELS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "models")
THEIRS = os.path.join(list(executorch.__path__)[0], "examples/models/toy_model/model.py:LinearModule")  # of ExecuTorch's own examples
PAIRED = os.path.join(MODELS, "paired/model.py:PairedModel")
NUMBERS = os.path.join(MODELS, "numbers/model.py:NumbersModel")
SMALL_VIT = os.path.join(MODELS, "small_vit/model.py:SmallVitModel")
CASES = [("toy", []), ("toy", ["--backend", "portable"]), ("toy", ["--dtype", "fp16"]), ("toy", ["--dtype", "fp16", "--backend", "portable"]),
         ("toy", ["--quantize", "int8", "--calibrate", "CALIBRATION"]), ("toy", ["--quantize", "int8-dynamic"]),
         ("toy", ["--quantize", "int4-groupwise"]), ("toy", ["--etrecord", "--bundled"]), ("decoder", []), (PAIRED, []), (NUMBERS, []),
         (NUMBERS, ["--backend", "portable"]), (THEIRS, []), (f"{MODELS}/numbers/model.py:KeepingModel", [])]
VIT = ("vit", ["--quantize", "int8"])
LARGE = [name for name, model in BUILT_IN.items() if name not in ("toy", "decoder") and not issubclass(model, Recipe)]
ALWAYS = "mobilenet_v2"  # of them the one that is exported without --every: each takes a minute


def run(words):
    """(exit code, what it printed)."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        try:
            code = command.main(words)
        except SystemExit as end:
            code = end.code
    return code, said.getvalue()


def program(outdir):
    with open(os.path.join(outdir, "model.json"), encoding="utf-8") as file:
        return os.path.join(outdir, json.load(file)["pte"]["file"])


def calibration(lab):
    """A folder of three samples, in three of the forms that are read."""
    folder = os.path.join(lab.out, "calibration")
    os.makedirs(os.path.join(folder, "third"), exist_ok=True)
    first, second, third = (seeded.picture(64, seed=20 + i) for i in range(3))
    numpy.save(os.path.join(folder, "first.npy"), first.numpy())
    torch.save((second,), os.path.join(folder, "second.pt"))
    with open(os.path.join(folder, "third", "input-0.bin"), "wb") as file:
        file.write(third.numpy().tobytes())
    with open(os.path.join(folder, "notes.txt"), "w", encoding="utf-8") as file:
        file.write("no sample\n")
    return folder


def check_case(lab, number, model, words):
    what = f"{os.path.basename(model)} {' '.join(words)}".strip()
    outdir = os.path.join(lab.out, "export", str(number))
    words = [calibration(lab) if word == "CALIBRATION" else word for word in words]
    code, said = run(["--model", model, "--outdir", outdir, *words])
    assert code == 0, f"{what}: exit {code}: {said[-800:]}"
    with open(os.path.join(outdir, "model.json"), encoding="utf-8") as file:
        facts = json.load(file)
    found = facts["agreement"]
    assert found["agent_off"]["agrees"] and found["agent_on"]["agrees"], f"{what}: {found}"
    if "--calibrate" in words:
        assert facts["quantized"]["samples"] == 3, f"{what}: {facts['quantized']}"
    for name in [facts["pte"]["file"]] + [f"{facts['name']}.bpte"] * ("--bundled" in words) + [f"{facts['name']}.etrecord"] * ("--etrecord" in words):
        assert os.path.getsize(os.path.join(outdir, name)) > 0, f"{what}: no {name}"
    lab.say(f"{what}: {100 * facts['delegated_share']:.0f} % delegated, SME2 on {found['agent_on']['of_rms']:.1e} from ExecuTorch, off "
            f"{found['agent_off']['of_rms']:.1e}")


def check_names(lab):
    """Programs are called what their models are, and what was done to them; the list has every built-in model."""
    assert set(words_of.BUILT_IN) == set(BUILT_IN), "--list and the built-in models differ"
    base = ["--outdir", lab.out]
    cases = [(["--model", "toy"], "fp32", "toy"), (["--model", "toy", "--backend", "portable"], "fp16", "toy_fp16_portable"),
             (["--model", NUMBERS], "int8-dynamic", "numbers_int8_dynamic"), (["--model", "some/net.py:Net"], "fp32", "net"),
             (["--model", "toy", "--name", "mine"], "int8", "mine")]
    for words, kind, wanted in cases:
        found = words_of.name(words_of.parse(words + base), kind)
        assert found == wanted, f"{words} is called {found}, not {wanted}"
    lab.say(f"{len(cases)} programs called what they are")


def check_refused(lab):
    """Wrong words and models that cannot be exported: exit code and cause."""
    refused = [(["--model", "toys", "--outdir", lab.out], 2, "no built-in model 'toys'"),
               (["--model", f"{MODELS}/paired/model.py:Pair", "--outdir", lab.out], 2, "no class Pair"),
               (["--model", "toy", "--outdir", lab.out, "--quantize", "int8", "--backend", "portable"], 2, "--backend xnnpack"),
               (["--model", "toy", "--outdir", lab.out, "--calibrate", lab.out], 2, "--quantize int8"),
               (["--model", "toy", "--outdir", lab.out, "--quantize", "int8", "--calibrate", os.path.join(lab.out, "nowhere")], 2, "no such folder"),
               (["--model", f"{MODELS}/numbers/model.py:NoTupleModel", "--outdir", lab.out], 2, "not a tuple of all inputs"),
               (["--model", f"{MODELS}/numbers/model.py:UnfitModel", "--outdir", lab.out], 1, "cause: inputs that do not fit"),
               (["--model", f"{MODELS}/numbers/model.py:SortedModel", "--outdir", lab.out], 1, "its runtime has no aten::sort.values"),
               (["--model", f"{MODELS}/numbers/model.py:LoopingModel", "--outdir", lab.out], 1, "cause: a loop that ExecuTorch does not run"),
               (["--model", NUMBERS, "--outdir", os.path.join(lab.out, "refused"), "--bundled"], 2, "hold no None"),
               (["--model", "squeezesam", "--outdir", lab.out], 2, "--checkout DIR"),
               (["--model", f"{MODELS}/branching/model.py:BranchingModel", "--outdir", lab.out], 1, "cause: dynamic control flow")]
    for words, wanted, text in refused:
        code, said = run(words)
        assert code == wanted and text in said, f"{' '.join(words)}: exit {code}, not {wanted} with '{text}': {said[-500:]}"
    lab.say(f"{len(refused)} refused with the cause and the fix")


def check_rounding(lab):
    """An answer in halves as far from single precision as ExecuTorch's counts as agreeing; one farther, of another type or not finite does not."""
    exact = torch.linspace(-1, 1, 200)
    off = lambda by: [(exact * (1 + by)).half()]
    cases = [(off(-0.03), True), (off(0.05), True), (off(0.1), False), ([exact * 1.03], True), ([exact.int()], False), (off(float("nan")), False), ([], False)]
    for got, wanted in cases:
        assert agreement.agrees_but_for_rounding([exact], off(0.03), got) == wanted, f"{got[:1]}: not {wanted}"
    nowhere = [torch.full((200,), float("nan")).half()]
    assert not agreement.agrees_but_for_rounding([exact], nowhere, off(0.5)), "any answer agrees with one that is NaN throughout"
    assert agreement.agrees_where_reference_overflows("fp16", [exact], nowhere, off(0.001)), "a right answer is refused where ExecuTorch's overflows"
    assert not agreement.agrees_where_reference_overflows("fp16", [exact], nowhere, off(0.5)), "a wrong answer is taken where ExecuTorch's overflows"
    said = []
    found = trial.compare("fp16", "SME2 on", nowhere, [exact], nowhere, said.append)
    assert "proves nothing" in said[0] and "agrees" not in said[0], f"of NaN throughout: {said}, {found}"
    lab.say(f"{len(cases)} answers in halves told apart by their distance from single precision")


def check_steps(lab):
    """Instructions alone give what they give in the whole, in ExecuTorch bit for bit and in the agent to rounding; one that is wrong is named."""
    outdir = os.path.join(lab.out, "export", "steps")
    code, said = run(["--model", SMALL_VIT, "--outdir", outdir, "--quantize", "int8", "--no-trial"])
    assert code == 0, f"exit {code}: {said[-800:]}"
    with open(program(outdir), "rb") as file:
        pte = file.read()
    inputs = [artifacts.read(os.path.join(outdir, "input-0.bin"), torch.empty(1, 3, 32, 32))]
    parts, whole = list(stepwise.instructions(pte, inputs, trial.executorch)), trial.executorch(pte, inputs)
    assert len(parts) > 10 and torch.equal(parts[-1].outputs[0], whole[0]), f"{len(parts)} instructions do not make the whole"
    for variant, isa in trial.VARIANTS.items():
        apart, name = stepwise.farthest(parts, trial.alone(isa))
        assert apart <= stepwise.LIMIT, f"SME2 {variant}: {name} is {apart:.1e} from ExecuTorch on ExecuTorch's inputs"
        lab.say(f"{len(parts)} instructions of a small int8 ViT, each on ExecuTorch's inputs, SME2 {variant}: {apart:.1e} in rms at most ({name})")
    wrong = parts[3]
    lie = lambda pte, inputs, like: [t * 1.01 if pte == wrong.pte else t for t in like]
    assert stepwise.farthest(parts, lie)[1] == wrong.name, "a wrong instruction is not named"
    assert stepwise.farthest(parts, lambda pte, inputs, like: "it stops")[0] == float("inf"), "an instruction that does not run counts as near"


def shaken(parts_of, seed):
    """ExecuTorch's runtime, its layer norms' results moved by a last bit up, down or not at all."""
    draw = torch.Generator().manual_seed(seed)

    def run_shaken(pte, inputs):
        outputs = trial.executorch(pte, inputs)
        if "native_layer_norm" in parts_of[pte]:
            way = torch.randint(-1, 2, outputs[0].shape, generator=draw) * float("inf")
            outputs[0] = torch.where(way.isnan(), outputs[0], torch.nextafter(outputs[0], way))
        return outputs
    return run_shaken


def check_last_bits(lab, outdir):
    """How far ExecuTorch's own answer of the int8 ViT moves with the last bits of floats: as far as ours may be from it."""
    with open(program(outdir), "rb") as file:
        pte = file.read()
    inputs = [artifacts.read(os.path.join(outdir, "input-0.bin"), torch.empty(1, 3, 224, 224))]
    parts = list(stepwise.instructions(pte, inputs, trial.executorch))
    names = {part.pte: part.name for part in parts}
    moved = []
    for seed in range(8):
        *_, last = stepwise.instructions(pte, inputs, shaken(names, seed))
        moved.append(agreement.farthest(parts[-1].outputs, last.outputs)[1])
    assert max(moved) < 0.1, f"last bits of layer norms move ExecuTorch's answer by {max(moved):.1e}"
    lab.say(f"vit --quantize int8: ExecuTorch's own answer moves by {', '.join(f'{m:.1e}' for m in moved)} in rms with last bits of its layer norms")


def check_causes(lab):
    """Words of PyTorch's, as they were seen, and the cause that is told for them."""
    seen = [("TorchRuntimeError: RuntimeError when making fake tensor call Explanation: Dynamo failed to run FX node with fake tensors: got RuntimeError("
             "\"It seems one of cond's output stride is not a simple accumulative multiplication of sizes", "a branch that cannot be traced"),
            ("RuntimeError: .numpy() is not supported for tensor subclasses.", "Python that cannot be traced"),
            ("GuardOnDataDependentSymNode: Could not guard on data-dependent expression Eq(u0, 1)", "dynamic control flow"),
            ("RuntimeError: Operator torch._ops.higher_order.cond was not decomposed or delegated", "a branch in a delegated program"),
            ("UserError: Constraints violated (batch)!", "shape constraints")]
    for words, wanted in seen:
        assert (advice.of(words) or ("none",))[0] == wanted, f"{words}: {advice.of(words)}, not {wanted}"
    lab.say(f"{len(seen)} causes told by PyTorch's words")


def check(lab):
    assert ALWAYS in LARGE, f"{ALWAYS} is no large model"
    cases = CASES + [(name, []) for name in LARGE if lab.every or name == ALWAYS]
    if lab.every:
        cases += [VIT, ("decoder", ["--quantize", "int8-dynamic"]), ("mobilenet_v2", ["--dtype", "fp16"]), ("minilm", ["--quantize", "int8-dynamic"])]
    for number, (model, words) in enumerate(cases):
        check_case(lab, number, model, words)
        if (model, words) == VIT:
            check_last_bits(lab, os.path.join(lab.out, "export", str(number)))
    check_steps(lab)
    check_rounding(lab)
    check_causes(lab)
    check_names(lab)
    check_refused(lab)
