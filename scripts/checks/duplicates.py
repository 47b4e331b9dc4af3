"""No six lines in a row that stand in two places: what is said twice gets one function, table or file."""

import re
import sys

import sources

WINDOW = 6
# Lines too common to be a copy of anything: includes, lines that hold no word, the passing on of an
# error, and the fields of an initializer, which are data.
BORING = re.compile(r"^(#\s*include\b.*|import .*|from .* import .*|[^A-Za-z0-9]*|//.*|return;|break;|else|(u?int\w*|size_t|float) \w+;|\.\w+ = [\w.>()-]+,|if \(rc (!=|<) 0\)|return rc;)$")


def lines_of(path):
    """(line number, text with single spaces) of each line that counts; comments between code do not."""
    content = re.sub(r"/\*.*?\*/", lambda m: "\n" * m.group().count("\n"), sources.text(path), flags=re.S)
    for number, line in enumerate(content.split("\n"), 1):
        line = " ".join(line.split())
        if not BORING.match(line):
            yield number, line


def main():
    seen, problems, total = {}, [], 0
    for path in sources.code() + sources.files(".py"):  # not .S: an unrolled loop repeats itself
        if path.startswith("tests/data/"):
            continue
        lines = list(lines_of(path))
        total += len(lines)
        reported_to = 0
        for i in range(len(lines) - WINDOW + 1):
            key = "\n".join(text for _, text in lines[i:i + WINDOW])
            first = seen.setdefault(key, (path, lines[i][0], i))
            same_run = first[0] == path and i - first[2] < WINDOW
            if first[:2] == (path, lines[i][0]) or same_run or i < reported_to:
                continue
            reported_to = i + WINDOW
            problems.append(f"{path}:{lines[i][0]}: these {WINDOW} lines stand at {first[0]}:{first[1]} as well: {lines[i][1]}")
    return sources.report(problems, f"{total} lines of code, no {WINDOW} of them in a row twice")


if __name__ == "__main__":
    sys.exit(main())
