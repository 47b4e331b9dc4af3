"""Executed instructions of one steady inference of each program, and its outputs, against the real runtime's: bench.py's part `models`.

Two programs at once, each by a daemon of its own; a row is there as soon as it is counted."""

import concurrent.futures
import glob
import json
import math
import os
import queue
import re
import shutil
import struct
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
OUT = os.path.join(ROOT, "build/bench/models")
SME2LAB = os.path.join(ROOT, "build/host/bin/sme2lab")
DATA = os.path.join(ROOT, "tests/data/models")
README = os.path.join(ROOT, "agent/runtime/README.md")

# Executed instructions of one steady inference, SVL 512, SME2 on and off: what ExecuTorch's executor_runner (1.5, XNNPACK with KleidiAI)
# needs; None where nobody counted it.
EXECUTOR_RUNNER = {
    "delegate_ops_f16_xnnpack": (1_503_389, 1_491_301),
    "delegate_ops_f32_xnnpack": (1_436_843, 1_518_229),
    "dynamic_sequence_f32_xnnpack": (706_097, 1_281_851),
    "dynamic_shape_f32_xnnpack": (2_195_916, 2_812_379),
    "external_weights_portable": None,
    "external_weights_xnnpack": (556_491, 1_205_349),
    "kitchen_math_portable": (505_882, 505_882),
    "kitchen_nn_portable": (2_290_178, 2_290_178),
    "kitchen_shape_portable": (279_438, 279_438),
    "linear_qd8_qb4w_xnnpack": (353_157, 353_157),
    "minilm_dynq_xnnpack": (32_345_851, 75_328_590),
    "mobilenet_v2_f32_xnnpack": (17_421_855, 44_560_780),
    "mobilenet_v2_int8_xnnpack": (23_650_274, 47_082_053),
    "mobilenet_v3_small_f32_xnnpack": (12_156_817, 27_429_294),
    "multi_method/decode": None,
    "multi_method/encode": None,
    "quant_ops_int8_xnnpack": (739_847, 651_427),
    "repvit_f32_xnnpack": (51_102_332, 204_653_316),
    "resnet18_f16_xnnpack": (16_770_745, 94_519_369),
    "toy_cnn_bundled": (1_214_145, 3_594_291),
    "toy_cnn_channels_last_f32_xnnpack": (1_177_222, 3_556_811),
    "toy_cnn_f16_portable": (204_290_237, 204_290_237),
    "toy_cnn_f16_xnnpack": (1_138_890, 1_984_331),
    "toy_cnn_f32_portable": (152_234_079, 152_234_079),
    "toy_cnn_f32_xnnpack": (1_214_488, 3_593_948),
    "toy_cnn_int8_xnnpack": (1_089_418, 1_517_936),
    "transformer_dynq_xnnpack": (12_256_654, 22_671_339),
    "transformer_f32_xnnpack": (9_825_417, 52_999_933),
    "transformer_sdpa_f32_xnnpack": (6_092_776, 15_309_551),
    "unet_f16_xnnpack": (32_129_534, 130_402_075),
    "unet_int8_xnnpack": (28_390_086, 63_607_441),
}
# Goals as shares of that, (on, off). With SME2 off it is 0.90 where three quarters or more of what the real runtime needs are matrix products
# (of linear_qd8_qb4w 86 %, of toy_cnn_int8 and unet_int8 81 %, of repvit 79 %), else 0.80 (of mobilenet_v2_f32 71 %, of minilm 64 %).
DENSE = {"linear_qd8_qb4w_xnnpack", "repvit_f32_xnnpack", "resnet18_f16_xnnpack", "toy_cnn_bundled", "toy_cnn_channels_last_f32_xnnpack",
         "toy_cnn_f16_xnnpack", "toy_cnn_f32_xnnpack", "toy_cnn_int8_xnnpack", "transformer_f32_xnnpack", "unet_f16_xnnpack", "unet_int8_xnnpack"}
QUARTER = {"toy_cnn_f32_xnnpack", "mobilenet_v2_f32_xnnpack", "repvit_f32_xnnpack", "transformer_f32_xnnpack"}
OWN_CODE_GOAL = 0.02  # of MobileNet v2's instructions

# The engines with their part of an output's name, and whose outputs each is compared with: the first that is there.
ENGINES = {"SME2": ("sme2-on", ("aarch64-sme2", "runtime")), "NEON": ("sme2-off", ("aarch64-nosme", "runtime")), "portable": ("portable", ("runtime",))}
NEAREST = ("aarch64-sme2", "aarch64-nosme", "runtime", "expected")  # of these for half precision, and for the portable kernels
FORMATS = {"float32": "f", "float16": "e", "float64": "d", "int64": "q", "int32": "i", "int16": "h", "int8": "b", "uint8": "B", "bool": "B"}


def goals_of(name):
    if name.endswith("_portable"):
        return (0.25, 0.25) if name in ("kitchen_math_portable", "kitchen_shape_portable") else (0.1, 0.1)
    return 0.25 if name in QUARTER else 0.30, 0.90 if name in DENSE else 0.80


def folder_of(name):
    """The program's own folder, where it is: below $SL_FIXTURES, or in tests/data."""
    for parent in filter(None, (os.environ.get("SL_FIXTURES"), DATA)):
        folder = os.path.join(parent, name.split("/")[0])
        if program_in(folder):
            return folder
    return None


def program_in(folder):
    return next((path for path in (os.path.join(folder, file) for file in ("model.bpte", "model.pte")) if os.path.exists(path)), None)


def by_index(pattern):
    return sorted(glob.glob(pattern), key=lambda path: int(path.rsplit("-", 1)[1][:-4]))


def command_of(name, folder):
    """What `sme2lab` is told to run the program with."""
    program, method = program_in(folder), name.partition("/")[2]
    inputs = by_index(os.path.join(folder, method, "input-*.bin"))
    words = [program]
    if inputs and not program.endswith(".bpte"):
        words += ["--inputs", ",".join(inputs)]
    if method:
        words += ["--method", method]
    if os.path.exists(os.path.join(folder, "weights.ptd")):
        words += ["--data-path", os.path.join(folder, "weights.ptd")]
    return words


def numbers(path, dtype):
    with open(path, "rb") as file:
        data = file.read()
    size = struct.calcsize(FORMATS[dtype])
    return struct.unpack(f"<{len(data) // size}{FORMATS[dtype]}", data[: len(data) // size * size])


def apart(have, want):
    """The largest difference over the largest magnitude; infinite where one has a number and the other does not."""
    if len(have) != len(want):
        return math.inf
    if have == want:
        return 0.0
    peak = max((abs(x) for x in want if math.isfinite(x)), default=0)
    most = max((abs(x - y) if math.isfinite(x) and math.isfinite(y) else math.inf for x, y in zip(have, want) if x != y and (x == x or y == y)), default=0)
    return most / peak if most and peak else math.inf if most else 0.0


def worst_difference(name, folder, out, engine):
    """The largest of all outputs, from what the real runtime gave on that engine; None where there is no output to compare with."""
    infix, theirs = ENGINES[engine]
    facts = os.path.join(folder, "facts.json")
    types = [o["dtype"] for o in json.load(open(facts, encoding="utf-8"))["outputs"]] if os.path.exists(facts) else []
    worst = None
    for path in by_index(os.path.join(out, f"*_{infix}-*.bin")):
        i = int(path.rsplit("-", 1)[1][:-4])
        dtype = types[i] if i < len(types) else "float16" if "_f16_" in folder else "float32"
        nearest = dtype == "float16" or engine == "portable"
        places = (os.path.join(folder, name.partition("/")[2], f"{prefix}-{i}.bin") for prefix in (NEAREST if nearest else theirs))
        known = [place for place in places if os.path.exists(place)]
        have = numbers(path, dtype) if known else ()
        found = [apart(have, numbers(place, dtype)) for place in (known if nearest else known[:1])]
        worst = max([min(found)] + ([worst] if worst is not None else [])) if found else worst
    return worst


def count(name, folder, state):
    """The result of one counted run on all SME2 kernels there are: a warm-up and a measured execution of each variant, then the portable kernels."""
    out = os.path.join(OUT, name)
    shutil.rmtree(out, ignore_errors=True)
    command = [SME2LAB, "--server", "private", "run", *command_of(name, folder), "--device", "counted", "--runtime", "own", "--policy", "all", "--runs", "1",
               "--warmup", "1", "--out", out, "--json"]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, env={**os.environ, "SME2LAB_STATE": state})
    # 1: outputs that agree less than f32's do, which the tests of the runtime judge by their type; 3: slower with SME2
    result = json.loads(done.stdout) if done.returncode in (0, 1, 3) and done.stdout.startswith("{") else {}
    if "comparison" not in result:
        raise RuntimeError(f"{' '.join(command)} exits {done.returncode}: {(done.stderr or done.stdout).strip()}")
    return out, result


def rows_of(name, state):
    folder, theirs = folder_of(name), EXECUTOR_RUNNER[name]
    out, result = count(name, folder, state)
    differences = [worst_difference(name, folder, out, engine) for engine in ENGINES]
    rows = []
    for i, (variant, side) in enumerate((("on", "candidate"), ("off", "baseline"))):
        total, goal = result["comparison"][side]["median_insns"], goals_of(name)[i]
        reference = theirs[i] if theirs else None
        rows.append({"what": f"{name}, SME2 {variant}", "program": name, "measured": total, "unit": "instructions", "reference": reference,
                     "source": f"executor_runner, goal {goal:.2f}" if theirs else "nobody counted executor_runner's",
                     "ratio": total / reference if theirs else None, "met": not theirs or total <= goal * reference, "goal": goal, "differences": differences})
        if name == "mobilenet_v2_f32_xnnpack":
            own = next(c[f"{side}_insns"] for c in result["comparison"]["categories"] if c["name"] == "Framework")
            allowed = round(OWN_CODE_GOAL * total)
            rows.append({"what": f"{name}, SME2 {variant}, own code between operators", "measured": own, "unit": "instructions", "reference": allowed,
                         "source": "goal: 2 %", "ratio": own / allowed, "met": own <= allowed})
    return rows


def in_turn(names, jobs, folder, rows_of_one):
    """Yields the rows of each program when it is done; those that run at once have daemons of their own below the folder."""
    states = queue.SimpleQueue()
    for i in range(jobs):
        states.put(os.path.join(folder, f"state-{i}"))

    def one(name):
        state = states.get()
        try:
            return list(rows_of_one(name, state))
        finally:
            states.put(state)

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        begun = [pool.submit(one, name) for name in names]
        try:
            for done in concurrent.futures.as_completed(begun):
                yield from done.result()
        except RuntimeError as error:
            pool.shutdown(cancel_futures=True)
            sys.exit(f"bench: {error}")


def bench(only=(), jobs=2):
    """Yields the rows of each program when it is done, the longest first."""
    unknown = [name for name in only if name not in EXECUTOR_RUNNER]
    if unknown:
        sys.exit(f"bench: no program '{unknown[0]}'; there are: {', '.join(EXECUTOR_RUNNER)}")
    names = [name for name in EXECUTOR_RUNNER if folder_of(name) and (not only or name in only)]
    names.sort(key=lambda name: -(EXECUTOR_RUNNER[name] or (0, 0))[1])
    yield from in_turn(names, jobs, OUT, rows_of)


HEAD = ["| program | SME2 on | ratio | goal | SME2 off | ratio | goal | largest difference |", "|---|--:|--:|--:|--:|--:|--:|---|"]


def line_of(on, off):
    """A program's line of the table: its counts, and the differences of SME2, NEON and the portable kernels."""
    cells = []
    for r in (on, off):
        known = r["reference"] is not None
        cells.append(f"{r['measured']:,} | {r['ratio']:.3f} | {r['goal']:.2f}{'' if r['met'] else ' missed'}" if known else f"{r['measured']:,} | | ")
    differences = ", ".join("none given" if d is None else f"{d:.1g}" for d in on["differences"])
    return f"| `{on['program']}` | {cells[0]} | {cells[1]} | {differences} |"


def table(rows):
    """Lines by program, of those rows that have differences."""
    by_name = {}
    for r in rows:
        if "program" in r:
            by_name.setdefault(r["program"], []).append(r)
    return {name: line_of(*pair) for name, pair in by_name.items() if len(pair) == 2}


def write_readme(lines):
    """Puts the lines into the runtime's table: programs that were counted now replace their line, others keep theirs."""
    with open(README, encoding="utf-8") as file:
        text = file.read().split("\n")
    begin = text.index(HEAD[0]) + 2
    end = next(i for i in range(begin, len(text) + 1) if i == len(text) or not text[i].startswith("|"))
    kept = {re.match(r"\| `([^`]+)`", line).group(1): line for line in text[begin:end]}
    kept.update(lines)
    text[begin:end] = [kept[name] for name in sorted(kept)]
    with open(README, "w", encoding="utf-8") as file:
        file.write("\n".join(text))
