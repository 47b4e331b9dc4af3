"""Which files of the repository the checks look at."""

import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def files(*suffixes):
    """Repository paths of all files, committed or about to be, that end in one of the suffixes (all, if none given)."""
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True,
                            capture_output=True).stdout.decode()
    present = (path for path in sorted(set(listed.split("\0"))) if path and os.path.isfile(os.path.join(ROOT, path)))
    return [path for path in present if not suffixes or path.endswith(suffixes)]


def code():
    """The C files among them: .c, .h and templates, which are the .inc files that say #pragma once (kernels/README.md)."""
    templates = (path for path in files(".inc") if not path.endswith("_asm.inc"))
    return files(".c", ".h") + [path for path in templates if "\n#pragma once\n" in text(path)]


def text(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def report(problems, right):
    """Prints the problems, or the one line that says all is right; returns the exit code."""
    for problem in problems:
        print(problem)
    print(f"{os.path.basename(sys.argv[0])}: " + (f"{len(problems)} problems" if problems else right))
    return 1 if problems else 0
