"""A folder and a name are put together by sl_path_join() (common/base/path.h), which refuses what it would have to cut."""

import re
import sys

import sources

# What a run's files are called in its summary: words for a reader, not opened by this name.
SHOWN = {"host/rundir/summary.c"}
JOINED = re.compile(r'\bsnprintf\(\s*[^;"]*?,\s*"%(\.\d+)?s/(?!%g)|\bstrn?cat\([^;]*"/')


def main():
    problems, looked = [], 0
    for path in sources.files(".c", ".h"):
        if path.startswith(("host/", "agent/", "common/")) and path not in SHOWN:
            looked += 1
            content = sources.text(path)
            problems += [f"{path}:{content.count(chr(10), 0, found.start()) + 1}: a path put together by hand: sl_path_join()"
                         for found in JOINED.finditer(content)]
    return sources.report(problems, f"{looked} files put paths together by sl_path_join()")


if __name__ == "__main__":
    sys.exit(main())
