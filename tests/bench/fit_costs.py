"""Fits host/inspect/cost.inc: what each kernel executes as a function of its shape, from `sme2lab kernels bench`.

    python3 tests/bench/fit_costs.py [--check]    needs a built tree and numpy; --check only prints how far the table is off
"""

import argparse
import itertools
import json
import math
import os
import pathlib
import re
import subprocess

import numpy

ROOT = pathlib.Path(__file__).resolve().parents[2]
SME2LAB = pathlib.Path(os.environ.get("SL_SME2LAB", ROOT / "build/host/bin/sme2lab"))
TABLE = ROOT / "host/inspect/cost.inc"
WORST = 0.4  # relative error on the fitted shapes beyond which a kernel gets no formula
VECTOR = 16  # elements of 32 bits in a vector of the emulated CPU, SVL 512

PRODUCTS = ["8x16x64", "64x64x64", "100x192x96", "49x160x320", "196x64x128", "7x7x33", "33x48x256"]
ROWS = ["1x64x64", "1x256x320", "1x1000x512", "1x33x100", "1x640x128"]
WINDOWS = ["28x28x16-32-3x3-s1-p1", "14x14x32-64-3x3-s1-p1", "16x16x3-16-3x3-s2-p1", "10x10x24-40-1x1-s2-p0", "12x12x16-8-5x5-s1-p2",
           "7x7x64-96-3x3-s1-p1", "40x40x3-16-3x3-s1-p1", "28x28x24-24-3x3-s1-p1",
           "56x56x32-32-3x3-s2-p1", "20x20x64-64-3x3-s1-p1"]
THIN = ["28x28x64-{0}", "14x14x96-{0}", "7x7x320-{0}", "15x13x32-{0}", "28x28x16-{0}"]
FEW = ["28x28x24", "56x56x24", "64x64x40", "28x28x8", "40x40x6", "112x112x8"]
ELEMENTS = re.compile(r"_depthwise_.*_\dx\d+vl_sme2")  # rows of elements, whatever channels they are of
COUNTS = ["256", "4096", "20000", "65536", "1000"]
POOLS = ["28x28x16-2x2-s2-p0", "14x14x64-2x2-s2-p0", "14x14x64-3x3-s1-p1", "7x7x96-3x3-s2-p1", "30x30x8-3x3-s1-p1"]
FOLDS = ["64x128x1", "8x1024x1", "200x64x1", "96x96x1", "16x49x1"]
MEANS = ["1x49x512", "1x64x64", "1x196x96", "1x49x1280"]
PLANES = ["64x64", "196x96", "49x512", "3x4096"]


def shapes_of(family, kernel):
    """What `kernels bench` takes for this kernel."""
    quant = "qs8/" if re.search(r"_qs8_qs8", kernel) and family not in ("convert", "layout") else ""
    if family == "matmul":
        kind = "matmul_qd8:" if "_qd8_qs8_" in kernel else "matmul_q4:" if "_qd8_q4_" in kernel else quant + "matmul:"
        return [kind + shape for shape in (ROWS if re.search(r"_1x\d+", kernel) else PRODUCTS)]
    if family == "conv":
        return [f"{quant}conv:{shape}" for shape in WINDOWS]
    if family == "depthwise" and ELEMENTS.search(kernel):
        return [f"{quant}depthwise:{shape}-3x3-s1-p1" for shape in FEW]
    if family == "depthwise":
        fixed = re.search(r"_(\d)x\1s(\d)_", kernel)
        window = f"{fixed[1]}x{fixed[1]}-s{fixed[2]}-p{int(fixed[1]) // 2}" if fixed else "3x3-s1-p1"
        return [f"{quant}depthwise:{shape.format(window)}" for shape in THIN]
    if family == "pool":
        return [f"{quant}pool:{'max' if '_max_' in kernel else 'average'}-{shape}" for shape in POOLS]
    if family == "layout":
        return [f"transpose:{shape}" for shape in PLANES]
    operation = re.match(r"sl_(?:unary|binary|reduce|convert)_(.*?)_(?:f32_f32|qs8_qs8|\d|neon|sme2|scalar)", kernel) or ["", "mean"]
    if "_rows_" in kernel:
        return []  # not measured alone
    if family == "convert":
        operation = re.match(r"sl_convert_(\w+?_\w+?)_", kernel)
        return [f"convert:{'_'.join(operation[1].split('_'))}-{count}" for count in COUNTS]
    if family == "reduce":
        return [f"{quant}reduce:{operation[1]}-{shape}" for shape in (MEANS if "mean" in kernel else FOLDS)]
    return [f"{quant}{family}:{operation[1]}-{count}" for count in COUNTS]


def block_of(kernel):
    """(rows, columns, whether these are vectors) of the output that a kernel finishes at once."""
    if ELEMENTS.search(kernel):
        return 1, 4, False
    if "_sme2" in kernel:
        found = re.search(r"_(\d+)(?:vl)?x(\d+)vl_", kernel)
        return (int(found[1]), int(found[2]), True) if found else (1, 1, True)
    found = re.search(r"_(\d+)x(\d+)(?:_3x3)?_(?:neon|scalar)", kernel)
    return (int(found[1]), int(found[2]), False) if found else (1, 4, False)


def features(row, block):
    """As sl_cost_of() counts them; the first three are of whole blocks."""
    rows, columns, vectors = block
    unit, lanes = (VECTOR, VECTOR) if vectors else (1, 4)
    strips = math.ceil(row["m"] / (rows * unit if rows > 1 else 1))
    blocks = strips * math.ceil(row["n"] / (columns * unit))
    lines = row["m"] * row["taps"] * math.ceil(row["k"] / row["taps"] / lanes)
    return [1, blocks * row["k"], blocks, strips * math.ceil(row["n"] / lanes) * row["k"], lines, row["m"] * row["taps"]]


def taps_of(shape):
    """The window's height."""
    window = re.search(r"conv:.*-(\d+)x\d+-s", shape)
    return int(window[1]) if window else 1


def fit(rows, block):
    """Coefficients, none negative, that minimise the relative error: the best over all sets of at most four features."""
    count = numpy.array([row["instructions"] for row in rows], dtype=float)
    table = numpy.array([features(row, block) for row in rows], dtype=float) / count[:, None]
    best = None
    for size in range(1, 5):
        for chosen in itertools.combinations(range(6), size):
            part, *_ = numpy.linalg.lstsq(table[:, chosen], numpy.ones(len(rows)), rcond=None)
            if (part < 0).any():
                continue
            error = numpy.abs(table[:, chosen] @ part - 1).max()
            if best is None or error < best[0] * 0.98:
                whole = numpy.zeros(6)
                whole[list(chosen)] = part
                best = (error, whole)
    return best


def measure(kernel, shapes):
    if not shapes:
        return None, "no shapes"
    done = subprocess.run([SME2LAB, "kernels", "bench", kernel, *shapes, "--json"], capture_output=True, text=True, check=False)
    if done.returncode:
        return None, done.stderr.strip().splitlines()[0] if done.stderr else "?"
    rows = [row for row in json.loads(done.stdout)["rows"] if row["stage"] == "whole" and row["kernel"] == kernel]
    for row, shape in zip(rows, shapes):
        row["taps"] = taps_of(shape)
    return rows if len(rows) == len(shapes) else None, "not every shape was measured"


def listed():
    agent = json.loads(subprocess.run([SME2LAB, "kernels", "--json"], capture_output=True, text=True, check=True).stdout)
    slow = re.compile(r"sl_(matmul|conv)_.*_scalar$")  # nothing that has NEON takes these
    return sorted((k["kernel"], k["family"]) for k in agent["kernels"] if k["met"] and not slow.match(k["kernel"]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    lines = ["/* host/inspect/cost.inc: SL_COST(kernel, rows, columns, vectors, fixed, step, block, lane, line, gather), by name.",
             " * Made by tests/bench/fit_costs.py from counted instructions at 512-bit streaming vectors. */"]
    for kernel, family in listed():
        rows, problem = measure(kernel, shapes_of(family, kernel))
        if not rows:
            print(f"{kernel}: not measured: {problem}")
            continue
        block = block_of(kernel)
        error, found = fit(rows, block)
        print(f"{kernel}: off by at most {100 * error:.1f} % on {len(rows)} shapes")
        if error > WORST:
            continue  # no formula is better than a bad one
        figures = ", ".join(f"{value:.5g}" for value in found)
        lines.append(f"SL_COST({kernel}, {block[0]}, {block[1]}, {'true' if block[2] else 'false'}, {figures})")
    if not check:
        TABLE.write_text("\n".join(lines) + "\n")
        subprocess.run(["clang-format-19", "-i", TABLE], check=False)


if __name__ == "__main__":
    main()
