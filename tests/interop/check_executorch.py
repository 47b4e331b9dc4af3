"""ExecuTorch's own aarch64 libraries, SME2 off and on in one process: answers and events of its executor_runner, and ours beside them."""

import json
import os
import subprocess
from collections import Counter

import agreement
import fixtures
import programs
import sltrace

FOLDER = os.path.join(programs.ROOT, "build/agent-aarch64/executorch")
VARIANTS = {"off": "nosme", "on": "sme2"}
SME_TYPES = ("PF32", "PF16", "PQS8")  # what XNNPACK calls operators that run KleidiAI's SME kernels
SMALL = ["toy_cnn_f32_xnnpack", "toy_cnn_int8_xnnpack", "transformer_dynq_xnnpack", "unet_int8_xnnpack", "toy_cnn_f32_portable", "external_weights_xnnpack"]
OPERATOR_ROUNDING = 2e-2  # of the peak: other builds of ExecuTorch's own operators, after quantisation


def second_agent():
    return [programs.EMULATOR, "-cpu", programs.SVL512, os.path.join(FOLDER, "ld-linux-aarch64.so.1"), "--library-path", FOLDER,
            os.path.join(FOLDER, "sme2lab-agent-executorch"), "run"]


def folders(lab):
    """Folders with the real executor_runner's ETDumps of both variants."""
    found = [os.path.join(fixtures.DATA, name) for name in SMALL]
    if lab.every:
        root = os.environ.get("SL_FIXTURES", fixtures.DATA)
        found = [os.path.join(root, name) for name in sorted(os.listdir(root))]
    return [folder for folder in found if all(os.path.exists(os.path.join(folder, f"aarch64-{v}.etdump")) for v in VARIANTS.values())]


def numbered(folder, stem):
    names = [name for name in os.listdir(folder) if name.startswith(f"{stem}-") and name[len(stem) + 1:-4].isdigit() and name.endswith(".bin")]
    return sorted(names, key=lambda name: int(name[len(stem) + 1:-4]))


def execute(command, folder, out, more=()):
    """One run of an agent with both variants on the inputs and the program of a folder; gives the folder of its outputs and its trace."""
    os.makedirs(out, exist_ok=True)
    words = [f"--model_path={folder}/model.pte", f"--output_file={out}/output", f"--etdump_path={out}/run.etdump", f"--trace_path={out}/run.sltrace",
             "--variants=off,on", "--num_executions=1", "--warmup=1", "--cpu_threads=1", "--policy=none", "--print_output=none", *more]
    inputs = [os.path.join(folder, name) for name in numbered(folder, "input")]
    words += ["--inputs=" + ",".join(inputs)] if inputs else []
    words += [f"--data_path={folder}/weights.ptd"] if os.path.exists(os.path.join(folder, "weights.ptd")) else []
    done = subprocess.run(command + words, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=programs.LONGEST_SECONDS)
    assert done.returncode == 0, f"{folder}: {os.path.basename(command[-2])} exits {done.returncode}: {done.stderr.strip()[-300:]}"
    return out


def names_of_etdump(path):
    analysis = programs.sme2lab_json("analyze", "--json", path)
    count = Counter()  # a trace that names kernels has a row for each of an operator's
    for operator in analysis["operators"]:
        count[operator["name"]] += operator["instances"]
    return set(count.items())


def events_of_trace(out, number):
    """In the order they ended, of the last execution."""
    return [block for block in sltrace.read(f"{out}/run.sltrace").of(number) if block.name == "Execute"][-1].events


def names_of_trace(out, number):
    return [event.name for event in events_of_trace(out, number)]


def kind_of(folder, i):
    with open(os.path.join(folder, "facts.json"), encoding="utf-8") as file:
        return json.load(file)["outputs"][i]["dtype"]


def check_outputs(folder, out, variant, delegated):
    """Bit for bit where all is delegated; ExecuTorch's own operators are of another build here. Returns how many are equal, and of how many."""
    equal, names = 0, numbered(folder, f"aarch64-{VARIANTS[variant]}")
    for i, name in enumerate(names):
        with open(os.path.join(folder, name), "rb") as want, open(f"{out}/output_sme2-{variant}-{i}.bin", "rb") as got:
            want, got = want.read(), got.read()
        equal += want == got
        assert not delegated or want == got, f"{folder}: output {i} with SME2 {variant} is not executor_runner's"
        if want != got and os.path.exists(os.path.join(folder, "facts.json")):
            apart = agreement.distance(want, got, kind_of(folder, i))
            assert apart <= OPERATOR_ROUNDING, f"{folder}: output {i} with SME2 {variant} is {apart:.1e} of the peak from executor_runner's"
    return equal, len(names)


def check_folder(lab, folder):
    name = os.path.basename(folder)
    theirs = execute(second_agent(), folder, os.path.join(lab.out, "executorch", name))
    ours = execute(programs.agent(programs.SVL512) + ["run"], folder, os.path.join(lab.out, "executorch", f"{name}-ours"))
    said = []
    for number, (variant, word) in enumerate(VARIANTS.items()):
        events = names_of_trace(theirs, number)
        delegated = not any(event.startswith("native_call_") for event in events)
        want, got = (names_of_etdump(path) for path in (f"{folder}/aarch64-{word}.etdump", f"{theirs}/run_sme2-{variant}.etdump"))
        assert want == got, f"{name}, SME2 {variant}: operators differ from executor_runner's: {sorted(want ^ got)[:4]}"
        assert events == names_of_trace(ours, number), f"{name}, SME2 {variant}: our own runtime's events differ"
        assert variant == "on" or not any(kind in event for event in events for kind in SME_TYPES), f"{name}: SME2 off has an operator of SME"
        equal, outputs = check_outputs(folder, theirs, variant, delegated)
        said.append(f"{variant}: {len(events)} events, {equal} of {outputs} outputs bit for bit")
    lab.say(f"{name}: {'; '.join(said)}")


def check(lab):
    found = folders(lab)
    assert found, "no program here has ETDumps of an aarch64 executor_runner"
    for folder in found:
        check_folder(lab, folder)
