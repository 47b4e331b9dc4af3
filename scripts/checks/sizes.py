"""Walls on size: a function of more than 60 lines and a .c of more than 900 are errors. A .c past 400 is named: it has to be
one cohesive thing; functions past 40 are counted."""

import sys

import sources

FUNCTION_GOAL, FUNCTION_WALL = 40, 60
FILE_GOAL, FILE_WALL = 400, 900


def functions(content):
    """(line number, lines) of each function: its brace opens and closes in column 0, as the house style has it."""
    start = None
    for number, line in enumerate(content.split("\n"), 1):
        if line == "{":
            start = number
        elif line == "}" and start is not None:
            yield start, number - start + 1
            start = None


def main():
    problems, long_functions, long_files, total = [], 0, [], 0
    for path in sources.code():
        content = sources.text(path)
        lines = content.count("\n")
        if path.endswith(".c"):
            if lines > FILE_GOAL:
                long_files.append(f"{path} {lines}")
            if lines > FILE_WALL:
                problems.append(f"{path}:1: {lines} lines; a source file ends at {FILE_WALL}")
        for start, length in functions(content):
            total += 1
            long_functions += length > FUNCTION_GOAL
            if length > FUNCTION_WALL:
                problems.append(f"{path}:{start}: a function of {length} lines; one ends at {FUNCTION_WALL}")
    print(f"longer than {FILE_GOAL} lines: {', '.join(long_files)}")
    return sources.report(problems, f"{total} functions, {long_functions} longer than {FUNCTION_GOAL} lines; {len(long_files)} sources longer than {FILE_GOAL}")


if __name__ == "__main__":
    sys.exit(main())
