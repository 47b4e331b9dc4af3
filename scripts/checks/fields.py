"""No fields restated by hand: six equal members in two structs, or six members copied one by one under their own names.

What belongs together is one struct that both hold. fields.txt names what stands today: two structs, or the function that
copies. It may only shrink (--shrink takes out what is gone)."""

import itertools
import os
import re
import sys

import sources

RATCHET = "scripts/checks/fields.txt"
LEAST = 6
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
STRUCT = re.compile(r"^struct (\w+) \{\n(.*?)^\};", re.M | re.S)
MEMBER = re.compile(r"^    (?! )((?:const |struct |enum |unsigned )*\w+[ *]+)([^;(){}]+);", re.M)
FUNCTION = re.compile(r"^[A-Za-z_][^;{}=#]*?\b(\w+)\([^;{}]*\)\s*^\{\n(.*?)^\}", re.M | re.S)
COPY = re.compile(r"(?:\.|->)(\w+) = &?[\w\[\].>-]*(?:\.|->)\1\s*[,;}]")


def members(body):
    """(type, name) of each member; `int a, b;` is two."""
    for kind, names in MEMBER.findall(body):
        for name in names.split(","):
            yield " ".join(kind.split()), name.strip()


def label(path, name):
    """Ours are unique, so they may move; a file's own names stand with the file."""
    return name if name.startswith("sl_") else f"{os.path.basename(path)}:{name}"


def restated():
    """what stands in fields.txt: (where, what is restated)"""
    structs, found = {}, {}
    for path in sources.files(".c", ".h", ".inc"):
        if path.startswith(("tests/", "scripts/")):
            continue
        code = COMMENT.sub("", sources.text(path))
        for name, body in STRUCT.findall(code):
            fields = set(members(body))
            if len(fields) >= LEAST:
                structs[label(path, name)] = (path, fields)
        for name, body in FUNCTION.findall(code):
            copies = COPY.findall(body)
            if len(copies) >= LEAST:
                found[label(path, name)] = (path, f"copies {', '.join(copies)}")
    for (a, (path, ours)), (b, (_, theirs)) in itertools.combinations(sorted(structs.items()), 2):
        both = sorted(name for _, name in ours & theirs)
        if len(both) >= LEAST:
            found[f"{a} {b}"] = (path, f"both have {', '.join(both)}")
    return found


def main():
    found = restated()
    old = [line for line in sources.text(RATCHET).split("\n") if line]
    if sys.argv[1:] == ["--shrink"]:
        old = [line for line in old if line in found]
        with open(os.path.join(sources.ROOT, RATCHET), "w", encoding="utf-8") as file:
            file.writelines(line + "\n" for line in old)
    problems = [f"{path}: {who}: {what}" for who, (path, what) in sorted(found.items()) if who not in old]
    problems += [f"{RATCHET}: gone, so take it out (python3 scripts/checks/fields.py --shrink): {line}" for line in old if line not in found]
    return sources.report(problems, f"no fields restated but the {len(old)} of old")


if __name__ == "__main__":
    sys.exit(main())
