"""Every folder has its README, JSON files parse, shell scripts parse, links in documents lead to files, and the commands in code blocks marked `sh check` work.

    documents.py [--no-commands]    the commands need a built tree; --no-commands leaves them out
"""

import json
import os
import re
import shutil
import subprocess
import sys

import sources

BLOCK = re.compile(r"^```sh check\n(.*?)^```", re.M | re.S)
LINK = re.compile(r"\[[^\]]+\]\(([^)#:]+)(?:#[^)]*)?\)")
LONGEST_SECONDS = 300


def check_json():
    for path in sources.files(".json"):
        if path.startswith("tests/fuzz/corpus/"):
            continue
        try:
            json.loads(sources.text(path))
        except ValueError as error:
            yield f"{path}:1: {error}"


def shell_scripts():
    for path in sources.files():
        if path.startswith(("scripts/", ".ci/")) or path.endswith(".sh"):
            with open(os.path.join(sources.ROOT, path), "rb") as file:
                first = file.readline()
            if first.startswith(b"#!") and b"sh" in first:
                yield path


def check_shell():
    for path in shell_scripts():
        commands = [["bash", "-n", path]]
        if shutil.which("shellcheck"):
            commands.append(["shellcheck", "-S", "warning", path])
        for command in commands:
            done = subprocess.run(command, cwd=sources.ROOT, capture_output=True, text=True)
            if done.returncode:
                yield f"{path}:1: {' '.join(command)}: {(done.stderr or done.stdout).strip()}"
        if not os.access(os.path.join(sources.ROOT, path), os.X_OK):
            yield f"{path}:1: a script that cannot be executed"


def check_folders():
    """tests/unit mirrors the sources, tests/data and the corpora say at their top what they hold."""
    told_above = ("tests/unit", "tests/data", "tests/fuzz/corpus", ".ci")
    folders = {os.path.dirname(path) for path in sources.files()}
    for folder in sorted(folders):
        if not folder.startswith(told_above) and not os.path.exists(os.path.join(sources.ROOT, folder, "README.md")):
            yield f"{folder or '.'}: no README.md"


def check_links(path, content):
    for match in LINK.finditer(content):
        target = os.path.normpath(os.path.join(os.path.dirname(path), match.group(1)))
        if not os.path.exists(os.path.join(sources.ROOT, target)):
            yield f"{path}:{content.count(chr(10), 0, match.start()) + 1}: no {target}"


def check_commands(path, content):
    for match in BLOCK.finditer(content):
        where = f"{path}:{content.count(chr(10), 0, match.start()) + 1}"
        try:
            done = subprocess.run(["bash", "-euo", "pipefail", "-c", match.group(1)], cwd=sources.ROOT, stdin=subprocess.DEVNULL,
                                  capture_output=True, text=True, timeout=LONGEST_SECONDS)
        except subprocess.TimeoutExpired:
            yield f"{where}: the commands did not end in {LONGEST_SECONDS} s"
            continue
        if done.returncode:
            yield f"{where}: the commands exit {done.returncode}: {(done.stderr or done.stdout).strip()[-500:]}"


def main():
    problems = list(check_folders()) + list(check_json()) + list(check_shell())
    documents, blocks = sources.files(".md"), 0
    for path in documents:
        content = sources.text(path)
        problems += check_links(path, content)
        if "--no-commands" not in sys.argv[1:]:
            blocks += len(BLOCK.findall(content))
            problems += check_commands(path, content)
    return sources.report(problems, f"{len(documents)} documents, {blocks} blocks of commands run, JSON and shell parse")


if __name__ == "__main__":
    sys.exit(main())
