"""Source files with logic of their own that have no unit test at the mirrored path. The numbers in untested.txt, one a folder, may only
fall: --write lowers them to what is there. A file has logic when it branches: three `if`, `for`, `while`, `switch` or `?` at least. A test covers the file that it is named
after, and every one whose header it includes; of a module's files for several systems the one for Linux. *_darwin.c has none: nothing
here runs it."""

import os
import re
import sys

import sources

LEAST = 3
ROOTS = ("agent/", "common/", "host/")
BRANCH = re.compile(r"\b(?:if|for|while|switch)\b|\?")
COMMENT = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:[^"\\]|\\.)*"', re.DOTALL)
INCLUDE = re.compile(r'^#include "([^"]+)\.h"$', re.MULTILINE)
LIST = "scripts/checks/untested.txt"


def has_logic(text):
    return len(BRANCH.findall(COMMENT.sub("", text))) >= LEAST


def tested():
    """What has a test: sources without their suffix."""
    found = set()
    for path in sources.files(".c"):
        if path.startswith("tests/unit/"):
            folder, name = os.path.split(path.removeprefix("tests/unit/"))
            found.add(f"{folder}/{name.removeprefix('test_').removesuffix('.c')}")
            found |= set(INCLUDE.findall(sources.text(path)))
    return found


def untested():
    """By folder, the files with logic that no test is named after or includes."""
    known, rows = tested(), {}
    for path in sources.files(".c"):
        module = path.removesuffix(".c").removesuffix("_linux")
        if path.startswith(ROOTS) and module not in known and not path.endswith("_darwin.c") and has_logic(sources.text(path)):
            rows.setdefault(os.path.dirname(path), []).append(path)
    return rows


def main(words):
    rows = untested()
    if words == ["--list"]:
        print("\n".join(path for folder in sorted(rows) for path in rows[folder]))
        return 0
    allowed = {folder: int(count) for folder, count in (line.split() for line in sources.text(LIST).splitlines())}
    if words == ["--write"]:
        with open(os.path.join(sources.ROOT, LIST), "w", encoding="utf-8") as file:
            file.writelines(f"{folder} {min(may, len(rows[folder]))}\n" for folder, may in sorted(allowed.items()) if folder in rows)
        return 0
    problems = []
    for folder in sorted(rows.keys() | allowed.keys()):
        have, may = len(rows.get(folder, [])), allowed.get(folder, 0)
        if have > may:
            problems.append(f"{LIST}:1: {folder} has {have} files with logic and no unit test, {may} are allowed: {', '.join(rows[folder])}")
    total = sum(map(len, rows.values()))
    return sources.report(problems, f"{total} files with logic have no unit test ({sum(allowed.values())} allowed; --list names them)")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
