"""No circles of modules: a header and its .c of one name are a module, and none leads back to itself through others.

A module leads to another where it includes the other's header, or where its code names a function or a table that the other's
.c defines: a header shared by several .c files hides nothing. circles.txt names the modules that still stand in a circle, by
top folder and file, so that a folder may be renamed. It may only shrink: a circle may hold no other module, and a module that
has left its circle is taken out (--shrink does it)."""

import os
import re
import sys

import sources

RATCHET = "scripts/checks/circles.txt"

COMMENT_OR_TEXT = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"", re.S)
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.M)
FUNCTION = re.compile(r"^(?!static\b|typedef\b)[A-Za-z_][\w \t*]*?\b(sl_\w+)\([^;{}]*\)\s*^\{", re.M)
TABLE = re.compile(r"^(?!static\b|extern\b|typedef\b)[A-Za-z_][\w \t*]*?\b(sl_\w+)(?:\[[^\]]*\])*\s*=", re.M)
DECLARATION = re.compile(r"^(?:extern\b[^;{}=#]*|[A-Za-z_][^;{}=#]*\)[^;{}()]*);", re.M)
NAME = re.compile(r"(?<!struct )(?<!enum )\bsl_\w+")


def module(path):
    """A list or template (.inc) stands for itself: header and .c of its name may both include it."""
    return path if path.endswith(".inc") else os.path.splitext(path)[0]


def label(name):
    return f"{name.split('/')[0]}/{os.path.basename(name)}"


def graph():
    """module: the modules it leads to."""
    paths = [path for path in sources.files(".c", ".h", ".inc") if not path.startswith("tests/")]
    known, code, home, leads = set(paths), {}, {}, {}
    for path in paths:
        content = sources.text(path)
        leads.setdefault(module(path), set()).update(module(name) for name in INCLUDE.findall(content) if name in known)
        code[path] = COMMENT_OR_TEXT.sub(" ", content)
        if path.endswith(".c"):
            home.update((name, module(path)) for name in FUNCTION.findall(code[path]) + TABLE.findall(code[path]))
    for path in paths:
        if path.endswith(".inc"):  # a list of kernels leads nowhere: the file that includes it says what it is for
            continue
        used = DECLARATION.sub(" ", code[path]) if path.endswith(".h") else code[path]
        leads[module(path)].update(home[name] for name in NAME.findall(used) if name in home)
    return leads


def circles(leads):
    """The strongly connected sets of more than one module (Tarjan)."""
    sys.setrecursionlimit(100000)
    number, low, stack, found = {}, {}, [], []

    def visit(node):
        number[node] = low[node] = len(number)
        stack.append(node)
        for other in sorted(leads[node]):
            if other not in number:
                visit(other)
            if other in stack:
                low[node] = min(low[node], low[other])
        if low[node] == number[node]:
            at = stack.index(node)
            if len(stack) - at > 1:
                found.append(sorted(stack[at:]))
            del stack[at:]

    for node in sorted(leads):
        if node not in number:
            visit(node)
    return found


def main():
    leads = graph()
    found = circles(leads)
    old = sources.text(RATCHET).split()
    inside = {label(member) for members in found for member in members}
    if sys.argv[1:] == ["--shrink"]:
        old = [name for name in old if name in inside]
        with open(os.path.join(sources.ROOT, RATCHET), "w", encoding="utf-8") as file:
            file.writelines(name + "\n" for name in old)
    problems = []
    for members in found:
        new = [name for name in members if label(name) not in old]
        if new:
            ties = [f"{a} -> {b}" for a in members for b in sorted(leads[a] & set(members) - {a}) if a in new or b in new]
            problems.append(f"{', '.join(new)}: new in a circle of {len(members)} modules; its ties: {'; '.join(ties[:12])}")
    problems += [f"{RATCHET}: {name} stands in no circle any more: python3 scripts/checks/circles.py --shrink" for name in old if name not in inside]
    return sources.report(problems, f"{len(leads)} modules; {len(found)} circles of {len(inside)} modules, none of them new")


if __name__ == "__main__":
    sys.exit(main())
