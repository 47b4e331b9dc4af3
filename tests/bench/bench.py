"""Benchmarks, as ratios against named references: bench.py [PART]... [--json]. Run through scripts/bench.

Each row: what, measured, reference, ratio (measured / reference), and whether it is within the goal. Exit 1 if a row is not.
Instructions are counted in the emulator at 512-bit streaming vectors and are the same on every machine; nanoseconds are this machine's.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import time

import devices
import executorch
import farm
import files
import host
import ingest
import load
import models
import store
import threads

for folder in ("kernels", "silicon"):
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), folder))
import adb
import estimate  # noqa: E402
import goals  # noqa: E402
import policy  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
OUT = os.path.join(ROOT, "build/bench")
SME2LAB = os.path.join(ROOT, "build/host/bin/sme2lab")
MODELS = os.path.join(ROOT, "tests/data/models")

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
    yield from bench_linear()
    read = json.loads(run(os.path.join(ROOT, "build/host/bench/bench_etdump")))
    allowed = max(read["bytes"], 2 * read["copy_ns"])  # 1 GB/s, or half as fast as memcpy, whichever takes longer
    yield row(f"decoding an ETDump of {read['bytes']} bytes", round(read["parse_ns"]), "ns", round(allowed), "goal: 1 GB/s or 0.5 memcpy, the easier")


def bench_linear():
    """The CPU that a byte costs from 1 to 1,000 MB: a size must not cost more a byte than the one before it, give or take a fifth."""
    last = None
    for megabytes in (1, 10, 100, 1000):
        path = os.path.join(OUT, f"{megabytes}MB.etdump")
        run(os.path.join(ROOT, "build/host/bench/make_etdump"), str(megabytes * 1_000_000), path)
        found = [timed(SME2LAB, "analyze", "--json", path) for _ in range(5 if megabytes < 100 else 1)]
        length, cpu_ms = os.path.getsize(path), min(cpu for _, _, cpu in found)
        os.remove(path)
        if last:
            yield row(f"CPU of {megabytes:,} MB", round(cpu_ms), "ms", round(1.2 * last * length), f"goal: linear, 1.2 times what a byte of {megabytes // 10} MB costs")
        if megabytes == 1000:
            yield row("its peak memory", max(peak for _, peak, _ in found), "bytes", round(1.5 * length), "goal: 1.5 times the file")
        last = cpu_ms / length


def bench_statistics():
    found = json.loads(run(os.path.join(ROOT, "build/host/bench/bench_statistics")))
    what = f"intervals: {found['resamples']} resamples of {found['pairs']} pairs, {found['operators']} operators"
    yield row(what, found["ms"], "ms", 1000, "goal")
    out = os.path.join(OUT, "report")
    shutil.rmtree(out, ignore_errors=True)
    # Times of an emulated CPU mean nothing, but their report takes as long as any.
    run(SME2LAB, "run", os.path.join(MODELS, "delegate_ops_f32_xnnpack/model.pte"), "--device", "emulated", "--runtime", "own", "--runs", "100", "--warmup", "2",
        "--out", out, accepted=(4,))
    command = (SME2LAB, "report", out, "--format", "md,html,svg,junit,json,csv", "--force")
    yield row("sme2lab report of 100 runs each, every format", round(min(timed(*command)[2] for _ in range(5)), 1), "ms of CPU", 300, "goal")


def bench_kernels():
    for shape in KERNEL_SHAPES:
        for measured in goals.measure([shape], "f32"):
            if measured["instructions"] is None or measured["goal"] is None:
                continue
            what = f"{shape} f32, {measured['stage']}"
            yield row(what, measured["instructions"], "instructions", measured["goal"], "goal")
            if measured["anchor"]:
                compared = row(what, measured["instructions"], "instructions", measured["anchor"]["instructions"], measured["anchor"]["kernel"])
                yield {**compared, "met": True}  # a reference to compare with, not a goal


QUIET_SHARE = 0.25  # of the processors: with more at work when it begins, the bench says so
PARTS = {"recorder": bench_recorder, "analyze": bench_analyze, "statistics": bench_statistics, **host.PARTS, **threads.PARTS, **adb.PARTS, **devices.PARTS, **store.PARTS, **farm.PARTS, **files.PARTS, **ingest.PARTS, **load.PARTS, "kernels": bench_kernels, "models": models.bench, "executorch": executorch.bench}
ASKED = ("estimate", "policy", "farm")  # needs other people's sources, or half an hour: run when named
LONG = ("kills", "soak", "year")  # of farm: run when named, or with it
GROUPS = {"host": list(host.PARTS), "analysis": ["analyze", "statistics"], "push": list(adb.PARTS)}


def ratio_of(r):
    return f"{r['ratio']:6.3f}" if r["ratio"] is not None else "     -"


def line_of(r, width=0):
    beside = f"{r['reference']:,} " if r["reference"] is not None else ""
    return f"  {'ok  ' if r['met'] else 'PAST'} {r['what']:{width}}  {r['measured']:>14,} {r['unit']:12} {ratio_of(r)} x {beside}({r['source']})"


def show(part, rows):
    print(f"\n{part}")
    width = max(len(r["what"]) for r in rows)
    for r in rows:
        print(line_of(r, width))


def run_models(options):
    """Says each row when it has it; the table and the README's get the program when both its rows are there."""
    rows, width = [], max(map(len, models.EXECUTOR_RUNNER)) + len(", SME2 off, own code between operators")
    if options.table:
        print("\n".join(models.HEAD))
    elif not options.json:
        print("\nmodels")
    for r in models.bench(options.only, options.jobs):
        before = models.table(rows)
        rows.append(r)
        new = {name: line for name, line in models.table(rows).items() if name not in before}
        if options.readme:
            models.write_readme(new)
        if options.table:
            print("".join(f"{line}\n" for line in new.values()), end="", flush=True)
        elif not options.json:
            print(line_of(r, width), flush=True)
    return sorted(rows, key=lambda r: r["what"])


def parse_options():
    parser = argparse.ArgumentParser(prog="scripts/bench", description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join([*PARTS, *ASKED, *GROUPS]))
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--table", action="store_true", help="the parts models and policy as Markdown")
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="of the part models, this program; of policy too; of estimate, this code or shape; of farm, this part; may be repeated")
    parser.add_argument("--executed", action="store_true", help="of the part policy, count each policy's own run instead of adding its choices up")
    parser.add_argument("--jobs", type=int, default=min(2, os.cpu_count()), metavar="N", help="of the parts models, policy and estimate, programs at once (2, where there are processors)")
    parser.add_argument("--silicon", default="apple-m4", metavar="NAME", help="of the part estimate, the profile")
    parser.add_argument("--kleidiai", metavar="DIR", help="of the part estimate, KleidiAI's source")
    parser.add_argument("--eigen", metavar="DIR", help="of the part estimate, Eigen's source")
    parser.add_argument("--readme", action="store_true", help="also put the part models into the table of agent/runtime/README.md")
    farm.add_options(parser)
    options = parser.parse_args()
    wrong = farm.check_options(options) if "farm" in options.parts else None
    if wrong:
        parser.error(wrong)
    for part in options.parts:
        if part not in PARTS and part not in ASKED and part not in GROUPS:
            parser.error(f"no part '{part}'; there are: {', '.join([*PARTS, *ASKED, *GROUPS])}")
    return options


def main():
    options = parse_options()
    results, published, policies, busy = {}, [], [], os.getloadavg()[0]
    if not options.json and not options.table and busy > QUIET_SHARE * os.cpu_count():
        print(f"others use this machine (load {busy:.1f} on {os.cpu_count()} processors): times belong to a quiet one, instructions do not mind")
    for part in [name for part in options.parts or [part for part in PARTS if part not in LONG] for name in GROUPS.get(part, [part])]:
        if part == "models":
            results[part] = run_models(options)
            continue
        if part == "estimate":
            published, results[part] = estimate.bench(options)
            continue
        if part == "farm":
            results[part] = farm.run(options)
            continue
        if part == "policy":
            policies, results[part] = policy.bench(options)
            continue
        results[part] = list(PARTS[part]())
        if not options.json:
            show(part, results[part])
    if options.json:
        print(json.dumps({"schema": "sme2lab.bench/1", "svl": 512, "load": busy, "processors": os.cpu_count(), "parts": results, "published": published, "policies": policies}, indent=1))
    return 0 if all(r["met"] for rows in results.values() for r in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
