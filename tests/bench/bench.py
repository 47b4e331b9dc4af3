"""Benchmarks, as ratios against named references: bench.py [PART]... [--json]. Run through scripts/bench.

Each row: what, measured, reference, ratio (measured / reference), and whether it is within the goal. Exit 1 if a row is not.
Instructions are counted in the emulator at 512-bit streaming vectors and are the same on every machine; nanoseconds are this machine's.
"""

import argparse
import glob
import json
import math
import os
import shutil
import struct
import subprocess
import sys
import time

import host
import threads

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
OUT = os.path.join(ROOT, "build/bench")
SME2LAB = os.path.join(ROOT, "build/host/bin/sme2lab")
MODELS = os.path.join(ROOT, "tests/data/models")

# Executed instructions of one steady inference, SVL 512, SME2 on and off: what ExecuTorch's executor_runner (1.5, XNNPACK with KleidiAI) needs.
EXECUTOR_RUNNER = {
    "delegate_ops_f16_xnnpack": (1_503_389, 1_491_301),
    "delegate_ops_f32_xnnpack": (1_436_843, 1_518_229),
    "dynamic_sequence_f32_xnnpack": (706_097, 1_281_851),
    "dynamic_shape_f32_xnnpack": (2_195_916, 2_812_379),
    "external_weights_xnnpack": (556_491, 1_205_349),
    "kitchen_math_portable": (505_882, 505_882),
    "kitchen_nn_portable": (2_290_178, 2_290_178),
    "kitchen_shape_portable": (279_438, 279_438),
    "linear_qd8_qb4w_xnnpack": (353_157, 353_157),
    "minilm_dynq_xnnpack": (32_345_851, 75_328_590),
    "mobilenet_v2_f32_xnnpack": (17_421_855, 44_560_780),
    "mobilenet_v2_int8_xnnpack": (23_650_274, 47_082_053),
    "mobilenet_v3_small_f32_xnnpack": (12_156_817, 27_429_294),
    "quant_ops_int8_xnnpack": (739_847, 651_427),
    "repvit_f32_xnnpack": (51_102_332, 204_653_316),
    "resnet18_f16_xnnpack": (16_770_745, 94_519_369),
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
# Goals as shares of that, (on, off); the shares of matrix products say which goal holds with SME2 off.
DENSE = {"toy_cnn_f32_xnnpack", "toy_cnn_channels_last_f32_xnnpack", "resnet18_f16_xnnpack", "unet_f16_xnnpack", "unet_int8_xnnpack",
         "transformer_f32_xnnpack", "repvit_f32_xnnpack", "minilm_dynq_xnnpack", "transformer_dynq_xnnpack"}
QUARTER = {"toy_cnn_f32_xnnpack", "mobilenet_v2_f32_xnnpack", "repvit_f32_xnnpack", "transformer_f32_xnnpack"}


def goals_of(name):
    if name.endswith("_portable"):
        return (0.25, 0.25) if name in ("kitchen_math_portable", "kitchen_shape_portable") else (0.1, 0.1)
    return 0.25 if name in QUARTER else 0.30, 0.90 if name in DENSE else 0.80


OWN_CODE_GOAL = 0.02  # of MobileNet v2's instructions
KERNEL_SHAPES = ["64x64x64", "128x128x128", "256x256x256", "784x128x64", "196x512x256", "49x960x160"]


def run(*command, accepted=(0,)):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode not in accepted:
        sys.exit(f"bench: {' '.join(command)} exits {done.returncode}: {(done.stderr or done.stdout).strip()}")
    return done.stdout


def row(what, measured, unit, reference, source):
    return {"what": what, "measured": measured, "unit": unit, "reference": reference, "source": source,
            "ratio": measured / reference, "met": measured <= reference}


def bench_recorder():
    result = json.loads(run(os.path.join(ROOT, "build/agent-native/bench/bench_recorder"), "--json"))
    yield row("recorder, one event", result["event_ns"], "ns", result["goal_ns"], "goal")
    yield row("recorder, one event with tracing off", result["off_ns"], "ns", 2.0, "goal: a predictable branch each at begin and end")


def timed(*command):
    """(milliseconds, peak resident bytes, milliseconds of CPU) of a program."""
    began = time.perf_counter()
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit(f"bench: {' '.join(command)} exits {child.returncode}")
    return (time.perf_counter() - began) * 1e3, usage.ru_maxrss * 1024, (usage.ru_utime + usage.ru_stime) * 1e3


def bench_analyze():
    os.makedirs(OUT, exist_ok=True)
    for size, words, goal_ms in ((60_000, "60 kB", 20), (100_000_000, "100 MB", 1000)):
        path = os.path.join(OUT, f"{size}.etdump")
        run(os.path.join(ROOT, "build/host/bench/make_etdump"), str(size), path)
        found = [timed(SME2LAB, "analyze", "--json", path) for _ in range(7 if size < 1e6 else 3)]
        length = os.path.getsize(path)
        yield row(f"sme2lab analyze --json, ETDump of {length} bytes", round(min(ms for ms, _, _ in found), 2), "ms", goal_ms, f"goal for {words}")
        if size > 1e6:
            yield row("its peak memory", max(peak for _, peak, _ in found), "bytes", round(1.5 * length), "goal: 1.5 times the file")
        os.remove(path)
    read = json.loads(run(os.path.join(ROOT, "build/host/bench/bench_etdump")))
    allowed = max(read["bytes"], 2 * read["copy_ns"])  # 1 GB/s, or half as fast as memcpy, whichever takes longer
    yield row(f"decoding an ETDump of {read['bytes']} bytes", round(read["parse_ns"]), "ns", round(allowed), "goal: 1 GB/s or 0.5 memcpy, the easier")


def bench_statistics():
    found = json.loads(run(os.path.join(ROOT, "build/host/bench/bench_statistics")))
    what = f"intervals: {found['resamples']} resamples of {found['pairs']} pairs, {found['operators']} operators"
    yield row(what, found["ms"], "ms", 1000, "goal")
    out = os.path.join(OUT, "report")
    shutil.rmtree(out, ignore_errors=True)
    # Times of an emulated CPU mean nothing, but their report takes as long as any.
    run(SME2LAB, "run", os.path.join(MODELS, "delegate_ops_f32_xnnpack/model.pte"), "--device", "emulated", "--runs", "100", "--warmup", "2", "--out", out,
        accepted=(4,))
    command = (SME2LAB, "report", out, "--format", "md,html,svg,junit,json,csv", "--force")
    yield row("sme2lab report of 100 runs each, every format", round(min(timed(*command)[2] for _ in range(5)), 1), "ms of CPU", 300, "goal")


def bench_kernels():
    for shape in KERNEL_SHAPES:
        report = json.loads(run(SME2LAB, "kernels", "bench", shape, "--type", "f32", "--engine", "sme2", "--svl", "512", "--json"))
        for measured in report["rows"]:
            if measured["instructions"] is None or measured["goal"] is None:
                continue
            what = f"{shape} f32, {measured['stage']}"
            yield row(what, measured["instructions"], "instructions", measured["goal"], "goal")
            if measured["anchor"]:
                compared = row(what, measured["instructions"], "instructions", measured["anchor"]["instructions"], measured["anchor"]["kernel"])
                yield {**compared, "met": True}  # a reference to compare with, not a goal


def steady_run(etdump):
    """The last execution's (end to end, Framework) in instructions."""
    analysis = json.loads(run(SME2LAB, "analyze", "--json", etdump))
    last = analysis["runs"][-1]
    return last["e2e_insns"], last["categories_insns"].get("Framework", 0)


def folders():
    """Every program with its folder: those of tests/data, then those below $SL_FIXTURES."""
    found = {}
    for parent in filter(None, (os.environ.get("SL_FIXTURES"), MODELS)):
        for name in EXECUTOR_RUNNER:
            if os.path.exists(os.path.join(parent, name, "model.pte")):
                found[name] = os.path.join(parent, name)
    return {name: found[name] for name in EXECUTOR_RUNNER if name in found}


def numbers(path, half):
    """An output file's floats; empty for a size that is not theirs."""
    with open(path, "rb") as file:
        data = file.read()
    count = len(data) // (2 if half else 4)
    return struct.unpack(f"<{count}{'e' if half else 'f'}", data[: count * (2 if half else 4)])


def worst_difference(folder, out, engine):
    """Of all outputs that are floats: the largest difference over the largest magnitude, from what the real runtime gave on that engine."""
    facts = os.path.join(folder, "facts.json")
    types = [o["dtype"] for o in json.load(open(facts, encoding="utf-8"))["outputs"]] if os.path.exists(facts) else []
    worst = 0.0
    for path in glob.glob(os.path.join(out, f"*_{engine[0]}-*.bin")):
        i = int(path.rsplit("-", 1)[1][:-4])
        dtype = types[i] if i < len(types) else "float16" if "_f16_" in folder else "float32"
        theirs = next((p for p in (os.path.join(folder, f"{name}-{i}.bin") for name in engine[1]) if os.path.exists(p)), None)
        if theirs is None or dtype not in ("float32", "float16"):
            continue
        have, want = numbers(path, dtype == "float16"), numbers(theirs, dtype == "float16")
        peak = max((abs(x) for x in want if math.isfinite(x)), default=0)
        apart = max((abs(x - y) for x, y in zip(have, want) if math.isfinite(x) and math.isfinite(y)), default=0)
        worst = max(worst, apart / peak if apart else 0.0)
    return worst


ENGINES = {"SME2": ("sme2-on", ("aarch64-sme2", "runtime")), "NEON": ("sme2-off", ("aarch64-nosme", "runtime")), "portable": ("portable", ("runtime",))}


def table(rows):
    """Of the part models: Markdown for agent/runtime/README.md."""
    print("| program | SME2 on | of theirs | goal | SME2 off | of theirs | goal | largest difference: SME2, NEON, portable |")
    print("|---|--:|--:|--:|--:|--:|--:|---|")
    by_name = {}
    for r in rows:
        if "differences" in r:
            by_name.setdefault(r["what"].split(",")[0], []).append(r)
    for name, (on, off) in by_name.items():
        cells = [f"{r['measured']:,} | {r['ratio']:.3f} | {r['goal']:.2f}{'' if r['met'] else ' missed'}" for r in (on, off)]
        print(f"| `{name}` | {cells[0]} | {cells[1]} | {', '.join(f'{d:.1g}' for d in on['differences'])} |")


def bench_models():
    for name, folder in folders().items():
        if os.path.exists(os.path.join(folder, "weights.ptd")):
            continue  # its weights are in another file, which a counted run is not given
        out = os.path.join(OUT, name)
        shutil.rmtree(out, ignore_errors=True)
        inputs = sorted(glob.glob(os.path.join(folder, "input-*.bin")), key=lambda path: int(path.rsplit("-", 1)[1][:-4]))
        run(SME2LAB, "run", os.path.join(folder, "model.pte"), "--inputs", ",".join(inputs), "--device", "counted", "--out", out, "--json",
            accepted=(0, 1))  # 1: outputs that agree less than f32's do, which the tests of the runtime judge by their type
        for variant, theirs, goal in zip(("on", "off"), EXECUTOR_RUNNER[name], goals_of(name)):
            etdump = glob.glob(os.path.join(out, "**", f"*{variant}*.etdump"), recursive=True)[0]
            total, framework = steady_run(etdump)
            yield {**row(f"{name}, SME2 {variant}", total, "instructions", theirs, f"executor_runner, goal {goal:.2f}"), "met": total <= goal * theirs, "goal": goal,
                   "differences": [worst_difference(folder, out, engine) for engine in ENGINES.values()]}
            if name.startswith("mobilenet_v2_f32"):
                yield row(f"{name}, SME2 {variant}, own code between operators", framework, "instructions", round(OWN_CODE_GOAL * total), "goal: 2 %")


QUIET_SHARE = 0.25  # of the processors: with more at work when it begins, the bench says so
PARTS = {"recorder": bench_recorder, "analyze": bench_analyze, "statistics": bench_statistics, **host.PARTS, **threads.PARTS, "kernels": bench_kernels, "models": bench_models}
GROUPS = {"host": list(host.PARTS), "analysis": ["analyze", "statistics"]}


def ratio_of(r):
    return f"{r['ratio']:6.3f}" if r["ratio"] is not None else "     -"


def show(part, rows):
    print(f"\n{part}")
    width = max(len(r["what"]) for r in rows)
    for r in rows:
        mark = "ok  " if r["met"] else "PAST"
        print(f"  {mark} {r['what']:{width}}  {r['measured']:>14,} {r['unit']:12} {ratio_of(r)} x {r['reference']:,} ({r['source']})")


def main():
    parser = argparse.ArgumentParser(prog="scripts/bench", description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join([*PARTS, *GROUPS]))
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--table", action="store_true", help="the part models as Markdown")
    options = parser.parse_args()
    for part in options.parts:
        if part not in PARTS and part not in GROUPS:
            parser.error(f"no part '{part}'; there are: {', '.join([*PARTS, *GROUPS])}")
    results, busy = {}, os.getloadavg()[0]
    if not options.json and busy > QUIET_SHARE * os.cpu_count():
        print(f"others use this machine (load {busy:.1f} on {os.cpu_count()} processors): times belong to a quiet one, instructions do not mind")
    for part in [name for part in options.parts or PARTS for name in GROUPS.get(part, [part])]:
        results[part] = list(PARTS[part]())
        if options.table and part == "models":
            table(results[part])
        elif not options.json:
            show(part, results[part])
    if options.json:
        print(json.dumps({"schema": "sme2lab.bench/1", "svl": 512, "load": busy, "processors": os.cpu_count(), "parts": results}, indent=1))
    return 0 if all(r["met"] for rows in results.values() for r in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
