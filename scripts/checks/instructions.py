"""No instruction is in the agent that a CPU may lack but where a file's name says so; nothing is SVE but what streaming mode has.

Functions of kernels/pack say in their names that they pack: counted runs tell packing apart by it.

    instructions.py BUILD    BUILD: a build of the agent for aarch64, Linux or macOS
"""

import os
import re
import subprocess
import sys

import sources

# By whether it is a build for macOS: the least of Apple silicon, which has no SVE, is an M1.
LEAST = (("--mattr=+v8a,+fp-armv8,+neon",), ("--mcpu=apple-m1",))
# What kernels/CMakeLists.txt lets a file use, by its name; the first that fits. An instruction of SVE that streaming mode lacks
# is unknown to +sme2 alone.
ALLOWED = (
    (r"_sme2[a-z0-9_]*\.(c|S)\.o$", "+sme2"),
    (r"_neon_dot\.c\.o$", "+dotprod"),
    (r"_neon_i8mm\.c\.o$", "+i8mm"),
    (r"_neon_bf16\.c\.o$", "+bf16"),
    (r"_neon_fp16\.c\.o$", "+fullfp16"),
    (r"depthwise_pixels_f16_neon_asm\.S\.o$", "+fullfp16"),  # called by depthwise_pixels_f16_neon_fp16.c alone
    (r"/sha256_blocks\.c\.o$", "+sha2"),  # asks the CPU first
    (r"/crc32c_words\.c\.o$", "+crc"),  # asks the CPU first
    (r"peak_neon_asm\.S\.o$", "+dotprod,+i8mm,+bf16,+fullfp16"),  # peak.inc says what each loop needs
)


def allowed(path):
    return next((more for pattern, more in ALLOWED if re.search(pattern, path)), "")


def objects(build):
    for folder, folders, names in os.walk(build):
        folders[:] = [name for name in folders if name != "tests"]
        yield from (os.path.join(folder, name) for name in names if name.endswith(".o"))


def unknown(least, more, paths):
    """One line for each file with instructions outside its set, and how many instructions there were in all."""
    done = subprocess.run(["llvm-objdump-19", "-d", "--no-show-raw-insn", *least, *(["--mattr=" + more] if more else []), *paths],
                          capture_output=True, text=True, check=True)
    problems, path, total = {}, None, 0
    for line in done.stdout.splitlines():
        if "\tfile format " in line:
            path = line.split(":\t")[0]
        elif re.match(r"\s*[0-9a-f]+:\s", line):
            total += 1
            if "<unknown>" in line:
                problems.setdefault(path, []).append(line.split(":")[0].strip())
    return [f"{path}: {len(places)} instructions outside {more or 'base Armv8-A'}, the first at {places[0]}"
            for path, places in problems.items()], total


def unnamed(paths):
    """A line for each function of kernels/pack whose name lacks the word."""
    done = subprocess.run(["llvm-nm-19", "--defined-only", "-A", *paths], capture_output=True, text=True, check=True)
    functions = re.findall(r"^(.*): [0-9a-f]+ [tT] ([A-Za-z_]\w*)$", done.stdout, re.M)
    return [f"{path}: {name} has no word 'pack' in its name" for path, name in functions if "pack" not in name.split("_")], len(functions)


def main():
    macos = "macos" in os.path.basename(os.path.normpath(sys.argv[1]))
    groups, least = {}, LEAST[macos]
    for path in objects(sys.argv[1]):
        groups.setdefault(allowed(path), []).append(path)
    problems, total = [], 0
    for more, paths in groups.items():
        found, count = unknown(least, more, sorted(paths))
        problems += found
        total += count
    found, functions = unnamed([path for path in objects(sys.argv[1]) if "sl_kernels.dir/pack/" in path])
    problems += found if not macos else []  # nothing counts instructions there
    if functions == 0:
        problems.append(f"{sys.argv[1]}: no object of kernels/pack")
    if not {"", "+sme2", "+fullfp16"} <= set(groups):
        problems.append(f"{sys.argv[1]}: objects of SME2, of FP16 and of neither are not all there: is it a build of the agent for aarch64?")
    return sources.report(problems, f"{total} instructions in {sum(map(len, groups.values()))} objects, none that its file's name does not allow")


if __name__ == "__main__":
    sys.exit(main())
