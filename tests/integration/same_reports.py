"""Two builds of sme2lab print the same reports: same_reports.py OLD NEW DIR...

OLD and NEW are the programs; each DIR is what `sme2lab run` made, of any device. Analyses of every ETDump of tests/data, reports, comparisons and
validations of the directories, alone and together, must be the same in every format, to the byte. Prints what differs; exit 1 if anything does."""

import concurrent.futures
import difflib
import os
import pathlib
import subprocess
import sys
import tempfile

import lab

ROOT = pathlib.Path(__file__).resolve().parents[2]
TERMINALS = (0, 60, 101, 170)  # columns; 0: a pipe
FORMATS = "md,html,svg,perfetto,junit,json,csv,comment"


def cases(folders):
    """The words of each call; OUT stands for a folder of its own, whose files are compared too."""
    for path in sorted(ROOT.glob("tests/data/**/*.etdump")):
        for words in ([], ["--json"], ["--tree"], ["--inspector-tsv"],
                      ["--csv", "OUT", "--perfetto", "OUT/trace"]):
            yield ["analyze", path, *words]
        model = path.parent / "model.pte"
        if model.exists():
            yield ["analyze", path, "--model", model]
            yield ["analyze", path, "--model", model, "--json"]
        for record in path.parent.glob("*etrecord*"):
            yield ["analyze", path, "--etrecord", record]
    for path in sorted(ROOT.glob("tests/data/models/*/model.pte")):
        yield ["inspect", path]
        yield ["inspect", path, "--json"]
    for folder in folders:
        yield ["report", folder, "--format", FORMATS, "-o", "OUT"]
        yield ["validate", folder]
        yield ["validate", folder, "--json"]
        yield ["analyze", folder]
        for words in ([], ["--json"], ["--calibrate"]):
            yield ["compare", folder, *words]
    yield ["report", *folders, "--format", "md,html,junit,json,csv,svg", "-o", "OUT"]
    for other in folders[1:]:
        yield ["compare", folders[0], other]
        yield ["compare", folders[0], other, "--json"]
        yield ["report", folders[0], other, "--format", "md,html,json,csv", "-o", "OUT"]


def files_of(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(pathlib.Path(folder).rglob("*")) if path.is_file()}


def on_terminal(words, columns):
    """Exit code and what the program prints on a terminal of so many columns, in colours and block characters."""
    code, said = lab.on_a_terminal(columns, words, {**os.environ, "TERM": "xterm", "LC_ALL": "C.UTF-8"}, stderr=subprocess.STDOUT, cwd=ROOT)
    return code, said.encode(), b""


def in_pipe(words):
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, cwd=ROOT, check=False)
    return done.returncode, done.stdout, done.stderr


def call(program, words, columns):
    with tempfile.TemporaryDirectory(prefix="same-") as out:
        words = [program, *(str(word).replace("OUT", out) for word in words)]
        code, said, errors = on_terminal(words, columns) if columns else in_pipe(words)
        return {"exit code": str(code).encode(), "stdout": said.replace(out.encode(), b"OUT"),
                "stderr": errors.replace(out.encode(), b"OUT"), **files_of(out)}


def differences(old, new, words, columns):
    a, b = call(old, words, columns), call(new, words, columns)
    for name in sorted(a.keys() | b.keys()):
        left, right = (side.get(name, b"(no such file)") for side in (a, b))
        if left != right:
            lines = difflib.unified_diff(left.decode(errors="replace").split("\n"), right.decode(errors="replace").split("\n"), lineterm="", n=0)
            yield name, [line[:300] for line in lines][2:12]


def main():
    old, new, *folders = (str(pathlib.Path(word).resolve()) for word in sys.argv[1:])
    calls = [(words, columns) for words in cases(folders)
             for columns in (TERMINALS if words[0] in ("analyze", "compare", "inspect") and "--json" not in words else (0,))]
    found = 0
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        for (words, columns), differ in zip(calls, pool.map(lambda one: list(differences(old, new, *one)), calls)):
            for name, lines in differ:
                found += 1
                print(f"{' '.join(map(str, words))} ({columns} columns): {name}", *lines, sep="\n  ")
    print(f"{len(calls)} calls, {found} differences")
    return 1 if found else 0


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    sys.exit(main())
