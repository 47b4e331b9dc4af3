"""Each fuzz corpus, replayed, reaches at least 90 % of the lines of its parser.

    coverage.py BUILD    BUILD: a build of the fuzz targets with -fprofile-instr-generate -fcoverage-mapping
"""

import glob
import json
import os
import subprocess
import sys

import sources

WALL = 90.0

# Fuzz target: the files that take its bytes apart. A target that is not here is an error; files that are not there yet are not.
PARSERS = {
    "pte": ["common/format/flatbuf.c", "common/format/pte.c", "common/format/pte_*.c"],
    "xnngraph": ["common/format/xnngraph.c", "common/format/xnngraph_*.c"],
    "etdump": ["common/format/etdump.c", "common/format/etdump_reader.c", "common/format/etdump_parse*.c"],
    "sltrace": ["common/format/sltrace.c", "common/format/sltrace_*.c"],
    "ring": ["agent/trace/ring.c"],
    "program": ["agent/runtime/program.c"],
    "probe": ["agent/probe/*_parse.c", "agent/probe/parse*.c"],
    "count_log": ["host/device/count_log.c", "host/device/count_log_*.c"],
    "experiment": ["host/config/experiment.c", "host/config/experiment_*.c"],
    "categories": ["host/analysis/categories.c", "host/analysis/rules.c", "host/config/categories.c"],
}


def replay(build, module):
    """Runs the target over its corpus; returns {repository path: (lines, lines reached)} of all files in it."""
    program = os.path.join(build, "tests", f"fuzz_{module}")
    raw, merged = program + ".profraw", program + ".profdata"
    subprocess.run([program, os.path.join(sources.ROOT, "tests/fuzz/corpus", module)], check=True, stdout=subprocess.DEVNULL,
                   env={**os.environ, "LLVM_PROFILE_FILE": raw})
    subprocess.run(["llvm-profdata-19", "merge", "-sparse", raw, "-o", merged], check=True)
    exported = subprocess.run(["llvm-cov-19", "export", "-summary-only", f"-instr-profile={merged}", program], check=True, capture_output=True)
    reached = {}
    for file in json.loads(exported.stdout)["data"][0]["files"]:
        lines = file["summary"]["lines"]
        reached[os.path.relpath(os.path.join(sources.ROOT, file["filename"]), sources.ROOT)] = (lines["count"], lines["covered"])
    return reached


def parser_files(module):
    found = [os.path.relpath(path, sources.ROOT) for pattern in PARSERS[module] for path in glob.glob(os.path.join(sources.ROOT, pattern))]
    return sorted(set(found))


def main():
    build = os.path.abspath(sys.argv[1])
    problems, measured = [], []
    for source in sorted(glob.glob(os.path.join(sources.ROOT, "tests/fuzz/fuzz_*.c"))):
        module = os.path.basename(source)[len("fuzz_"):-len(".c")]
        if module not in PARSERS:
            problems.append(f"tests/fuzz/fuzz_{module}.c:1: coverage.py does not know which files it fuzzes")
            continue
        reached = replay(build, module)
        files = [path for path in parser_files(module) if path in reached]
        if not files:
            problems.append(f"tests/fuzz/fuzz_{module}.c:1: none of {PARSERS[module]} is in it")
        for path in files:
            lines, covered = reached[path]
            share = 100.0 * covered / lines
            measured.append(path)
            print(f"  {share:5.1f} % of {lines:4} lines  {path}  (corpus {module})")
            if share < WALL:
                problems.append(f"{path}:1: the corpus {module} reaches {share:.1f} % of its lines; at least {WALL:.0f} % are asked for")
    return sources.report(problems, f"{len(measured)} parsers, each reached to {WALL:.0f} % or more")


if __name__ == "__main__":
    sys.exit(main())
