"""The agent's file for macOS: one for Apple silicon, signed as far as a linker signs, that needs nothing but the system's own library.

    agent_macos.py FILE
"""

import re
import subprocess
import sys

import sources


def main():
    path = sys.argv[1]
    said = subprocess.run(["llvm-objdump-19", "--macho", "--all-headers", "--dylibs-used", path], capture_output=True, text=True, check=True).stdout
    problems = []
    if not re.search(r"\bARM64\b.*\bEXECUTE\b", said):
        problems.append(f"{path}: is no program for Apple silicon")
    if "LC_CODE_SIGNATURE" not in said:
        problems.append(f"{path}: has no signature, without which macOS on Apple silicon ends it")
    used = re.findall(r"^\t(\S+) \(compatibility", said, re.M)
    if used != ["/usr/lib/libSystem.B.dylib"]:
        problems.append(f"{path}: needs {', '.join(used) or 'no library'}, not libSystem.B.dylib alone")
    return sources.report(problems, f"{path}: for Apple silicon, signed, needs libSystem alone")


if __name__ == "__main__":
    sys.exit(main())
