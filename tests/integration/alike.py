"""Compares what two programs gave, times, identities and paths aside. Pure: bytes in, lines out; test_same_outputs.py tests it."""

import collections
import csv
import difflib
import hashlib
import io
import json
import pathlib
import re

# What differs between two runs of one program, and what it becomes: (names of the outputs, expression, replacement).
EVERY = ""
RULES = [
    (EVERY, r"\d{4}-\d\d-\d\dT\d\d:(?:<wbr>)?\d\d:(?:<wbr>)?\d\d(?:\.\d+)?Z", "<moment>"),
    (EVERY, r"\d{4}-\d\d-\d\d \d\d:\d\d(?::\d\d)?", "<moment>"),
    (EVERY, r"\b\d{8}T\d{6}Z", "<moment>"),
    (EVERY, r"\b\d{4}-\d\d-\d\d/\d{6}\.\d{3}-", "<moment>-"),
    # Wall times, sizes of files that hold them, hashes of files that hold them, and of programs.
    (EVERY, r'"(wall_ns|uncounted_insns|available_bytes|trace_bytes|log_bytes|output_bytes|(?:submitted|started|ended|created|expires|last_used|looked)_ms|'
            r'agent_sha256|manifest_sha256)":\s*("[^"]*"|[^,}\]\s]+)', r'"\1":<\1>'),
    (EVERY, r"private/[0-9a-f]{12}", "private/<daemon>"),
    (EVERY, r'("version":\s*"#\d+ [^"@]*)@?[^"]*"', r'\1<built>"'),
    # What the agent logs: clock, place in our source, durations.
    (EVERY, r"([DIEF]) \d\d:\d\d:\d\d\.\d{6} ", r"\1 <clock> "),
    (EVERY, r"executorch:\w+\.c:\d+\]", "executorch:<source>]"),
    (EVERY, r"\b\d+\.\d{6} (ms|s)\b", r"<time> \1"),
    (EVERY, r"\b(sme2lab-\w+)-[A-Za-z0-9]{6}/", r"\1-<temporary>/"),
    # The daemon's: what a job took, sizes of the files of a run, metrics, tokens.
    (r"^daemon/(jobs|show)", r" +\d+\.\d s\b", " <time> s"),
    (r"^daemon/show", r"(?m)^([\w./-]+) +\d+$", r"\1 <bytes>"),
    (r"^daemon/.*metrics", r"(?m)^([a-z_0-9]+(?:\{[^}]*\})?) [-+0-9.e]+$", r"\1 <value>"),
    (r"^daemon/.*token", r"[A-Za-z0-9_-]{32,}", "<token>"),
]
# A directory's files come in the order of the file system, and some hold times, so that their sizes vary.
FILE_LIST = re.compile(r'\{"path":("[^"]*"),"bytes":\d+\}(?:,\{"path":"[^"]*","bytes":\d+\})*')
NUMBER = re.compile(r"-?\b\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")


def sorted_files(match):
    return ",".join(sorted(re.findall(r'"path":("[^"]*")', match.group(0))))


def normal(name, text, places):
    """`text` without what two runs may differ in; `places` maps paths to what stands for them."""
    for path, word in places.items():
        text = text.replace(path, word)
    for names, expression, replacement in RULES:
        if re.search(names, name):
            text = re.sub(expression, replacement, text)
    return FILE_LIST.sub(sorted_files, text)


def broken(text):
    """One line of JSON, HTML or SVG in lines that a person can compare; nothing is lost or put in order."""
    if text.lstrip()[:1] in ("{", "["):
        return re.sub(r'"(?:[^"\\]|\\.)*"|[{}\[\],]',
                      lambda m: {"{": "{\n", "[": "[\n", ",": ",\n", "}": "\n}", "]": "\n]"}.get(m.group(0), m.group(0)), text)
    if text.lstrip()[:1] == "<":
        return text.replace("<", "\n<")
    return text


def paths_of(value, at=""):
    """Each key of a JSON document with its type; of a list the union of its elements."""
    if isinstance(value, dict):
        for key, one in value.items():
            yield from paths_of(one, f"{at}/{key}")
    elif isinstance(value, list):
        for one in value:
            yield from paths_of(one, f"{at}/*")
    else:
        kind = "number" if isinstance(value, (int, float)) and not isinstance(value, bool) else type(value).__name__
        yield f"{at}: {kind}"


def shape(name, text):
    """What stays of a measurement in time: keys and types, heads of tables, headings."""
    if name.endswith(".csv"):
        return [",".join(next(csv.reader(io.StringIO(text)), []))]
    if name.endswith((".md", ".log", ".html", ".svg")):
        return [NUMBER.sub("#", line) for line in text.splitlines() if line.startswith(("#", "| Experiment", "=====", "Experiment:"))]
    try:
        return sorted(set(paths_of(json.loads(text))))
    except ValueError:
        return []


def lines(name, data, places, timed=False):
    """The comparable lines of an output. Of a `timed` one only its shape counts: its figures are never twice the same."""
    try:
        text = data.decode()
        binary = "\0" in text
    except UnicodeDecodeError:
        binary = True
    if binary:
        return ["(binary)"] if timed else [f"{len(data)} bytes, sha256 {hashlib.sha256(data).hexdigest()}"]
    text = normal(name, text, places)
    return shape(name, text) if timed else broken(text).splitlines()


class Expected:
    """Differences that are meant, each with its reason, in a list of {"where": "regex of names", "reason": "...", and one of
    "lines": "regex"    lines that match may differ,
    "mask": "regex"     the parts of lines that match may differ, and nothing else of the line,
    "moved": true       lines may stand in another order,
    or none of them: all of the output may differ}. Every line that differs needs an entry."""

    def __init__(self, entries=()):
        self.entries = [dict(entry) for entry in entries]
        self.used = collections.Counter()
        for entry in self.entries:
            kinds = set(entry) - {"where", "reason"}
            if not entry.get("where") or not entry.get("reason") or len(kinds) > 1 or kinds - {"lines", "mask", "moved"}:
                raise ValueError(f"an expected difference has 'where', 'reason' and perhaps 'lines', 'mask' or 'moved': {entry}")

    @classmethod
    def read(cls, path):
        return cls(json.loads(pathlib.Path(path).read_text()))

    def reason(self, name, before, after):
        """Why an output of these lines before and these after may differ so; None where nothing says so."""
        here = [(number, entry) for number, entry in enumerate(self.entries) if re.search(entry["where"], name)]
        used, left = set(), differing(before, after)
        for number, entry in here:
            if "mask" in entry:
                before, after = ([re.sub(entry["mask"], "<expected>", line) for line in lines] for lines in (before, after))
            elif entry.get("moved"):
                before, after = (sorted(line.rstrip(",") for line in lines) for lines in (before, after))
            fewer = differing(before, after)
            if len(fewer) < len(left):
                used.add(number)
            left = fewer
        for line in left:
            fits = [number for number, entry in here if "mask" not in entry and "moved" not in entry and re.search(entry.get("lines", ""), line)]
            if not fits:
                return None
            used.add(fits[0])
        self.used.update(used)
        return "; ".join(self.entries[number]["reason"] for number in sorted(used))

    def unused(self):
        return [entry for number, entry in enumerate(self.entries) if not self.used[number]]


def unified(before, after):
    return list(difflib.unified_diff(before, after, "before", "after", lineterm="", n=2))[2:]


def differing(before, after):
    """The lines that only one of the two has."""
    return [line[1:] for line in unified(before, after) if line[:1] in "+-"]


def compare(before, after, expected=None):
    """The differences of two dictionaries from name to lines, as (name, reason or None, lines of a diff)."""
    expected = expected or Expected()
    found = []
    for name in sorted(before.keys() | after.keys()):
        if before.get(name) == after.get(name):
            continue
        if name not in before or name not in after:
            line = f"only {'after' if name in after else 'before'}: {name}"
            reason = expected.reason(name, [line] if name in before else [], [line] if name in after else [])
            found.append((name, reason, [f"{'+' if name in after else '-'} {line}"]))
        else:
            found.append((name, expected.reason(name, before[name], after[name]), unified(before[name], after[name])))
    return found
