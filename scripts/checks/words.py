"""Words that say a thing is not done, paths that exist on one machine only, names that say nothing, comments in riddles."""

import os
import re
import sys

import sources

# Written in halves, or this file would find itself.
UNFINISHED = ["TO" "DO", "FIX" "ME", "X" "XX", "HA" "CK", "st" "ub", "place" "holder", "for" " now", "not " "yet implemented", "work" "around"]
MACHINE = [r"/ro" r"ot/", r"/ho" r"me/[a-z]", r"/Us" r"ers/", r"/wo" r"rk/", r"/tmp/w" r"t/"]
EMPTY_NAMES = {"util", "utils", "misc", "helper", "helpers", "manager", "common_utils", "stuff"}

# A comment says its subject first: "Only timed runs have a noise floor", not "Of times alone: ...".
RIDDLE = re.compile(r"(?:/\*\*?|//|^ *\*) (?:What|Where|Whether|Whoever|Of)\b")
COMMENTED = (".c", ".cpp", ".h", ".inc", ".proto", ".S")
# In Python a docstring may begin with "What": it stands below the name of what it tells of.
SCRIPT_RIDDLE = re.compile(r'(?:"""|(?:^|\s)# )(?:Whether|Whoever|Of)\b')

PATTERN = re.compile(r"\b(?:" + "|".join(map(re.escape, UNFINISHED)) + r")\b|" + "|".join(MACHINE))
# Third-party text and recorded data speak as they speak.
SKIPPED = ("tests/data/", "tests/fuzz/corpus/", "LICENSE")


def is_script(path, content):
    return path.endswith((".py", ".sh")) or content.startswith("#!")


def main():
    problems, looked = [], 0
    for path in sources.files():
        if path.startswith(SKIPPED):
            continue
        looked += 1
        parts = path.split("/")
        for part in parts[:-1] + [os.path.splitext(parts[-1])[0]]:
            if part.lower() in EMPTY_NAMES:
                problems.append(f"{path}:1: the name '{part}' says nothing")
        try:
            content = sources.text(path)
        except UnicodeDecodeError:
            problems.append(f"{path}:1: not UTF-8 text, and not below tests/data")
            continue
        for number, line in enumerate(content.split("\n"), 1):
            found = PATTERN.search(line)
            if found:
                problems.append(f"{path}:{number}: '{found.group()}'")
            riddle = RIDDLE if path.endswith(COMMENTED) else SCRIPT_RIDDLE if is_script(path, content) else None
            if riddle and riddle.search(line):
                problems.append(f"{path}:{number}: a comment that begins with a riddle: name its subject first")
    return sources.report(problems, f"{looked} files without unfinished work or paths of one machine")


if __name__ == "__main__":
    sys.exit(main())
