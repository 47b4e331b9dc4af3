"""What each test of ctest's last run took, slowest first, beside what tests/costs.txt says. A test of 3 seconds or more that has no line
there, and a line that no test has, are named. Reads Testing/Temporary/LastTest.log of the folder given. Exit code: 1 when a line is wrong."""

import pathlib
import re
import sys

import sources

LEAST, SHOWN = 3, 20
BEGINS = re.compile(r"^\d+/\d+ Test(?:ing)?: (\S+)$", re.MULTILINE)
TOOK = re.compile(r"^Test time = +([0-9.]+) sec$", re.MULTILINE)


def taken(log):
    """(seconds, name) of each test in a LastTest.log, slowest first."""
    parts = BEGINS.split(log)[1:]
    times = {name: TOOK.search(text) for name, text in zip(parts[::2], parts[1::2])}
    return sorted(((float(found.group(1)), name) for name, found in times.items() if found), reverse=True)


def stated(text):
    """What tests/costs.txt says, by name."""
    lines = (line.rsplit(" ", 1) for line in text.splitlines() if line and not line.startswith("#"))
    return {name: float(seconds) for name, seconds in lines}


def main(folder):
    log = pathlib.Path(folder, "Testing/Temporary/LastTest.log")
    if not log.exists():
        print(f"costs.py: {log} is missing: scripts/test has not run here")
        return 2
    rows, costs = taken(log.read_text(errors="replace")), stated(pathlib.Path(sources.ROOT, "tests/costs.txt").read_text())
    for seconds, name in rows[:SHOWN]:
        print(f"{seconds:8.1f} s  {name}  (stated: {costs.get(name, 'none')})")
    unnamed = [name for seconds, name in rows if seconds >= 3 * LEAST and name not in costs]  # wall time, with the machine's other work
    print(f"costs.py: {len(rows)} tests, {sum(seconds for seconds, _ in rows):.0f} s in all; of long ones {len(unnamed)} have no line in tests/costs.txt"
          + "".join(f"\n  {name}" for name in unnamed))
    return 1 if unnamed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
