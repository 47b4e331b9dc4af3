"""The calibration rows of the estimate: reference code is built, counted in the emulator and set beside its published timing.

Needs the sources: KleidiAI and Eigen, in build/reference/NAME (cloned there where the network allows) or at --kleidiai and --eigen.
"""

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
OUT = os.path.join(ROOT, "build/reference")
SYSROOT = os.path.join(ROOT, "build/sysroot")
QEMU = os.path.join(ROOT, "build/tools/qemu-aarch64")
SME2LAB = os.path.join(ROOT, "build/host/bin/sme2lab")
BUILTINS = os.path.join(SYSROOT, "usr/lib/llvm-19/lib/clang/19/lib/linux/libclang_rt.builtins-aarch64.a")
FLAGS = ["--target=aarch64-linux-gnu", f"--sysroot={SYSROOT}", "-fuse-ld=lld-19", "-static", "-O3", "-DNDEBUG"]
MATMUL, PACK = "kai/ukernels/matmul/matmul_clamp_f32_f32p_f32p", "kai/ukernels/matmul/pack"
KERNELS = [f"{MATMUL}/kai_matmul_clamp_f32_f32p2vlx1_f32p2vlx1biasf32_sme2_mopa", f"{PACK}/kai_lhs_pack_f32p2vlx1_f32_sme",
           f"{PACK}/kai_rhs_pack_kxn_f32p2vlx1biasf32_f32_f32_sme"]
CODES = {
    "kleidiai": {"url": "https://github.com/ARM-software/kleidiai", "commit": "495f6524", "cpu": "max,sme512=on", "goal": 4.0, "engine": "SME2"},
    "eigen": {"url": "https://gitlab.com/libeigen/eigen", "commit": "12c9c14bc5d4c4ba28cf41102ea99b7f83f30d04", "cpu": "max,sme=off,sve=off", "goal": 8.0, "engine": "NEON"},
}
BLOCK = 32  # rows and columns of KleidiAI's block of four tiles at 512 bits
BAND_GOAL = 0.8
UNUSUAL = 16  # with fewer rows or columns, lines are stored in part: beyond what the estimate claims


def source_of(code, given):
    """The folder of a reference's source, or None with a sentence on standard error."""
    folder = given or os.path.join(OUT, code)
    if not os.path.isdir(folder):
        about = CODES[code]
        done = subprocess.run(["git", "clone", "-q", about["url"], folder], stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if done.returncode == 0:
            done = subprocess.run(["git", "-C", folder, "checkout", "-q", about["commit"]], capture_output=True, text=True)
        if done.returncode:
            print(f"estimate: {code} is not at {folder} and cannot be cloned from {about['url']}; --{code} DIR names a copy at {about['commit'][:8]}", file=sys.stderr)
            shutil.rmtree(folder, ignore_errors=True)
            return None
    at = subprocess.run(["git", "-C", folder, "rev-parse", "HEAD"], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if at.returncode or not at.stdout.startswith(CODES[code]["commit"]):
        print(f"estimate: {folder} is not {code} at {CODES[code]['commit'][:8]}, which was timed: its rows may be other code than what was published", file=sys.stderr)
    return folder


def build(code, folder):
    os.makedirs(OUT, exist_ok=True)
    program = os.path.join(OUT, f"reference_{code}")
    if code == "kleidiai":
        files = [os.path.join(folder, name + end) for name in KERNELS for end in (".c", "_asm.S")] + [os.path.join(folder, "kai/kai_common_sme_asm.S")]
        command = ["clang-19", *FLAGS, "-march=armv8.2-a+sve2+sme2", "-fno-tree-vectorize", "-fno-slp-vectorize", f"-I{folder}",
                   os.path.join(HERE, "reference_kleidiai.c"), *files, BUILTINS, "-o", program]
    else:
        command = ["clang++-19", *FLAGS, "-std=c++17", f"-I{folder}", os.path.join(HERE, "reference_eigen.cpp"), "-o", program]
    subprocess.run(command, check=True)
    return program


def addresses(program):
    listed = subprocess.run(["llvm-nm-19", program], capture_output=True, text=True, check=True).stdout.splitlines()
    found = {line.split()[-1]: "0x" + line.split()[0] for line in listed if line.endswith(("roi_begin", "roi_end"))}
    return found["roi_begin"], found["roi_end"]


def traffic(code, shape):
    """What moves, as BYTES:AMONG. Packed code reads both sides, writes them packed and reads them again; KleidiAI walks all of B's panels anew for
    each block of rows."""
    m, n, k = shape
    a, b, c = 4 * m * k, 4 * k * n, 4 * m * n
    if code != "kleidiai":
        return [(a + b + c, a + b + c)]
    rows = -(-m // BLOCK)
    packed_a, packed_b = 4 * rows * BLOCK * k, 4 * -(-n // BLOCK) * BLOCK * k
    once = a + b + 2 * (packed_a + packed_b) + c
    return [(once, a + b + packed_a + packed_b + c), ((rows - 1) * packed_b, packed_b + 4 * BLOCK * k)]


def count(row, program, silicon):
    """The JSON of `sme2lab estimate` for one row; the log goes through a FIFO and is never stored."""
    begin, end = addresses(program)
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, "log")
        os.mkfifo(log)
        emulated = subprocess.Popen([QEMU, "-cpu", CODES[row["code"]]["cpu"], "-d", "in_asm,exec,nochain", "-D", log, program, *map(str, row["shape"])])
        memory = [f"--memory={size}:{among}" for size, among in traffic(row["code"], row["shape"])]
        done = subprocess.run([SME2LAB, "estimate", log, "--silicon", silicon, "--from", begin, "--to", end, "--json", *memory], capture_output=True, text=True)
        if emulated.wait() or done.returncode:
            sys.exit(f"estimate: {row['code']} {row['shape']}: {done.stderr or 'the emulator failed'}")
    return json.loads(done.stdout)


def measure(row, program, silicon):
    m, n, k = row["shape"]
    answer = count(row, program, silicon)
    found = answer["estimates"][0]
    published = row["ns"] if "ns" in row else 2 * m * n * k / row["gflops"]
    return {**row, "published_ns": published, "estimate": {name: found[name] for name in ("profile", "low_ns", "mid_ns", "high_ns", "bound")},
            "error_percent": 100 * (found["mid_ns"] / published - 1), "in_band": found["low_ns"] <= published <= found["high_ns"],
            "instructions": answer["instructions"], "claimed": min(m, n) >= UNUSUAL or row["code"] == "eigen"}


def line_of(r):
    shape = "x".join(map(str, r["shape"]))
    e = r["estimate"]
    return (f"  {r['code']:9} {shape:15} {r['published_ns']:>12,.0f} {e['mid_ns']:>12,.0f} {r['error_percent']:>+7.1f} %  {e['low_ns']:>12,.0f} to {e['high_ns']:>12,.0f}  "
            f"{'in band ' if r['in_band'] else 'OUTSIDE '} {e['bound']}{'' if r['claimed'] else '  (N or M < 16: not in the mean)'}")


def summary(rows, silicon):
    """Mean error of each code, and the share of rows inside their band: each with its goal."""
    for code, about in CODES.items():
        errors = [abs(r["error_percent"]) for r in rows if r["code"] == code and r["claimed"]]
        if errors:
            yield {"what": f"mean error, {about['engine']} ({code}, {len(errors)} rows)", "measured": round(statistics.mean(errors), 2), "unit": "%", "goal": about["goal"],
                   "met": statistics.mean(errors) <= about["goal"]}
    if rows:
        inside = sum(r["in_band"] for r in rows) / len(rows)
        yield {"what": f"rows inside their printed band, of {len(rows)}", "measured": round(100 * inside, 1), "unit": "%", "goal": 100 * BAND_GOAL, "met": inside >= BAND_GOAL}


def bench(options):
    """(rows, goals); prints as it goes unless --json."""
    with open(os.path.join(ROOT, "configs/silicon/published/timings.json")) as file:
        wanted = [row for row in json.load(file)["rows"] if row["code"] in CODES and (not options.only or row["code"] in options.only or "x".join(map(str, row["shape"])) in options.only)]
    programs = {}
    for code in sorted({row["code"] for row in wanted}):
        folder = source_of(code, getattr(options, code))
        if folder:
            programs[code] = build(code, folder)
    missing = sorted({row["code"] for row in wanted} - set(programs))
    if not options.json:
        print(f"\nestimate, by {options.silicon}: published and estimated ns of one thread")
    rows = []
    with ThreadPoolExecutor(options.jobs) as pool:
        for done in pool.map(lambda row: measure(row, programs[row["code"]], options.silicon), [row for row in wanted if row["code"] in programs]):
            rows.append(done)
            if not options.json:
                print(line_of(done), flush=True)
    goals = list(summary(rows, options.silicon))
    goals += [{"what": f"{code}: its source is not there", "measured": 0, "unit": "rows", "goal": 1, "met": False} for code in missing]
    if not options.json:
        for goal in goals:
            print(f"  {'ok  ' if goal['met'] else 'PAST'} {goal['what']}: {goal['measured']} {goal['unit']} (goal {goal['goal']} {goal['unit']})")
    return rows, goals
