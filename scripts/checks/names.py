"""No two things of one name: a struct, union or enum is defined once, and so is a function that other files see. The agent's two runtimes
keep one contract, so agent/executorch may define once what agent/runtime does; a module's files for several systems or CPUs define the same."""

import os
import re
import sys

import sources

COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
TAG = re.compile(r"^(struct|union|enum) (sl_\w+) \{", re.M)
FUNCTION = re.compile(r"^(?!static\b|typedef\b)[A-Za-z_][\w \t*]*?\b(sl_\w+)\([^;{}]*\)\s*^\{", re.M)
ROOTS = ("agent/", "common/", "host/", "kernels/")
KIN = re.compile(r"_(?:linux|darwin|aarch64|x86|generic|scalar)$")
RUNTIMES = ("agent/runtime/", "agent/executorch/")


def module(path):
    """A file's module: the same for its files for other systems."""
    return KIN.sub("", os.path.splitext(path)[0])


def is_of_one_thing(paths):
    """One module defines it, or one of each runtime."""
    homes = {module(path) for path in paths}
    return len(homes) == 1 or (all(path.startswith(RUNTIMES) for path in paths)
                               and all(sum(home.startswith(runtime) for home in homes) == 1 for runtime in RUNTIMES))


def main():
    homes, problems = {}, []
    for path in sources.files(".c", ".h", ".inc"):
        if path.startswith(ROOTS):
            code = COMMENT.sub("", sources.text(path))
            found = [f"{kind} {name}" for kind, name in TAG.findall(code)] + [f"{name}()" for name in FUNCTION.findall(code)]
            for name in found:
                homes.setdefault(name, []).append(path)
    for name, paths in sorted(homes.items()):
        if not is_of_one_thing(paths):
            problems.append(f"{paths[-1]}:1: {name} is defined in {' and in '.join(paths)}")
    return sources.report(problems, f"{len(homes)} names, each of one thing")


if __name__ == "__main__":
    sys.exit(main())
