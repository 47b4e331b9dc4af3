"""No two things of one name: a struct, union or enum is defined once, and so is a function that other files see. The agent's two runtimes
keep one contract, so agent/executorch may define what agent/runtime does; a module's files for several systems or CPUs define the same."""

import os
import re
import sys

import sources

COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
TAG = re.compile(r"^(struct|union|enum) (sl_\w+) \{", re.M)
FUNCTION = re.compile(r"^(?!static\b|typedef\b)[A-Za-z_][\w \t*]*?\b(sl_\w+)\([^;{}]*\)\s*^\{", re.M)
ROOTS = ("agent/", "common/", "host/", "kernels/")
KIN = re.compile(r"_(?:linux|darwin|aarch64|x86|generic|scalar)$")
TWO_RUNTIMES = {"agent/runtime", "agent/executorch"}


def kin(path):
    """What a file may share its names with: the files of its module for other systems, and the other runtime."""
    folder = "/".join(path.split("/")[:2])
    return "a runtime" if folder in TWO_RUNTIMES else KIN.sub("", os.path.splitext(path)[0])


def main():
    homes, problems = {}, []
    for path in sources.files(".c", ".h", ".inc"):
        if path.startswith(ROOTS):
            code = COMMENT.sub("", sources.text(path))
            found = [f"{kind} {name}" for kind, name in TAG.findall(code)] + [f"{name}()" for name in FUNCTION.findall(code)]
            for name in found:
                homes.setdefault(name, []).append(path)
    for name, paths in sorted(homes.items()):
        if len({kin(path) for path in paths}) > 1:
            problems.append(f"{paths[-1]}:1: {name} is defined in {' and in '.join(paths)}")
    return sources.report(problems, f"{len(homes)} names, each of one thing")


if __name__ == "__main__":
    sys.exit(main())
