"""Source files with logic of their own that no unit test reaches. A file has logic when it branches: three `if`, `for`, `while`, `switch`
or `?` at least. Of a module's files for several systems it is the one for Linux: nothing here runs *_darwin.c. A main.c is in no library
and calls what the libraries have: whole programs are tested in tests/integration.

    untested.py           by name: a test is named after the file or includes its header, or tested_by.txt says which test it has
    untested.py BUILD     measured: of every such file the unit tests reach at least 60 % of the lines, and the test that
                          tested_by.txt names reaches some of them; BUILD has the profiles of all unit tests (preset asan)
    untested.py BUILD --write    writes into tested_by.txt what the profiles show, and what is short of it into untested.txt

untested.txt has the files that are short of it, and says why of those that stay. It may only shrink."""

import concurrent.futures
import glob
import json
import os
import re
import subprocess
import sys

import sources

LEAST_BRANCHES, LEAST_REACH, SPARE = 3, 60.0, 10.0  # what hangs on the clock, or on programs that are not here, differs from run to run
ROOTS = ("agent/", "common/", "host/")
BRANCH = re.compile(r"\b(?:if|for|while|switch)\b|\?")
COMMENT = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:[^"\\]|\\.)*"', re.DOTALL)
INCLUDE = re.compile(r'^#include "([^"]+)\.h"$', re.MULTILINE)
DEBT, ELSEWHERE = "scripts/checks/untested.txt", "scripts/checks/tested_by.txt"


def with_logic():
    """All files that a unit test should reach."""
    return [path for path in sources.files(".c") if path.startswith(ROOTS) and not path.endswith(("_darwin.c", "/main.c"))
            and len(BRANCH.findall(COMMENT.sub("", sources.text(path)))) >= LEAST_BRANCHES]


def named():
    """Sources that have a test by their name, without their suffix."""
    found = set()
    for path in sources.files(".c"):
        if path.startswith("tests/unit/"):
            folder, name = os.path.split(path.removeprefix("tests/unit/"))
            found.add(f"{folder}/{name.removeprefix('test_').removesuffix('.c')}")
            found |= set(INCLUDE.findall(sources.text(path)))
    return found


def is_named(path, known):
    return path.removesuffix(".c").removesuffix("_linux") in known


def source_of(test):
    folder, noun = os.path.split(test)
    return f"tests/unit/{folder}/test_{noun}.c"


def elsewhere():
    """file: the test that tested_by.txt names for it."""
    return dict(line.split() for line in sources.text(ELSEWHERE).splitlines() if line and not line.startswith("#"))


def owed():
    """The files of untested.txt, without its comments."""
    return [line for line in sources.text(DEBT).splitlines() if line and not line.startswith("#")]


def by_name():
    known, tests, debt = named(), elsewhere(), owed()
    files = with_logic()
    problems = [f"{path}:1: has logic and no unit test: write one, or say in {ELSEWHERE} which test reaches it"
                for path in files if path not in tests and path not in debt and not is_named(path, known)]
    problems += [f"{ELSEWHERE}:1: {path} is no file with logic" for path in tests if path not in files]
    problems += [f"{ELSEWHERE}:1: {source_of(test)} is no file" for test in sorted(set(tests.values())) if not os.path.exists(os.path.join(sources.ROOT, source_of(test)))]
    problems += [f"{DEBT}:1: {path} is no file with logic" for path in debt if path not in files]
    return sources.report(problems, f"{len(files)} files with logic; {len(tests)} have a test of another name, {len(debt)} have none that reaches enough")


def reached(objects, raws):
    """path: (lines, of these reached by what left the profiles)."""
    profile = raws[0] + ".profdata"
    subprocess.run(["llvm-profdata-19", "merge", "-sparse", *raws, "-o", profile], check=True)
    command = ["llvm-cov-19", "export", "-summary-only", f"-instr-profile={profile}", objects[0]]
    for other in objects[1:]:
        command += ["-object", other]
    report = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout)
    os.remove(profile)
    lines = {file["filename"].removeprefix(sources.ROOT).lstrip("/"): file["summary"]["lines"] for file in report["data"][0]["files"]}
    return {path: (row["count"], row["covered"]) for path, row in lines.items()}


def share(rows, path):
    lines, covered = rows.get(path, (0, 0))
    return 100.0 * covered / lines if lines else 0.0


def profiles(build):
    """test: (program, its profiles), for each unit test that left any."""
    found = {}
    for raw in sorted(glob.glob(os.path.join(build, "profiles/*.profraw"))):
        flat = os.path.basename(raw).rsplit("-", 1)[0]
        folder, noun = flat.split("_test_", 1)
        program = os.path.join(build, "tests", flat)
        if os.path.exists(program):
            found.setdefault(f"{folder.replace('_', '/')}/{noun}", (program, []))[1].append(raw)
    return found


def measure(build):
    """(by all tests together, {test: by it alone})"""
    tests = profiles(build)
    together = reached([program for program, _ in tests.values()], [raw for _, raws in tests.values() for raw in raws])
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        alone = dict(zip(tests, pool.map(lambda test: reached([tests[test][0]], tests[test][1]), tests)))
    return together, alone


def write(together, alone):
    """The test that reaches most of a file is the one that is named for it."""
    known, debt, lines = named(), [], []
    for path in with_logic():
        best = max(alone, key=lambda test: share(alone[test], path))
        if share(together, path) < LEAST_REACH + SPARE:
            debt.append(path)
        elif not is_named(path, known):
            lines.append((path, best, share(alone[best], path)))
    head = [line for line in sources.text(DEBT).splitlines() if line.startswith("#")]
    with open(os.path.join(sources.ROOT, DEBT), "w", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in head + debt)
    with open(os.path.join(sources.ROOT, ELSEWHERE), "w", encoding="utf-8") as file:
        file.write("# Files whose unit test has another name than theirs: the test that reaches most of their lines (untested.py BUILD --write).\n")
        file.writelines(f"{path} {test}\n" for path, test, _ in lines)


def by_measure(build, rewrite):
    together, alone = measure(build)
    if rewrite:
        write(together, alone)
    tests, debt, problems = elsewhere(), owed(), []
    for path in with_logic():
        whole = share(together, path)
        if whole < LEAST_REACH and path not in debt:
            problems.append(f"{path}:1: the unit tests reach {whole:.1f} % of its lines; at least {LEAST_REACH:.0f} % are asked for")
        elif whole >= LEAST_REACH + SPARE and path in debt:
            print(f"  {DEBT}: the unit tests reach {whole:.1f} % of {path}: its line may go (--write)")
        if path in tests and share(alone.get(tests[path], {}), path) == 0:
            problems.append(f"{ELSEWHERE}:1: {tests[path]} reaches nothing of {path}")
    return sources.report(problems, f"of {len(with_logic()) - len(debt)} files with logic the unit tests reach {LEAST_REACH:.0f} % or more, of {len(debt)} less")


def main(words):
    return by_measure(os.path.abspath(words[0]), words[1:] == ["--write"]) if words else by_name()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
