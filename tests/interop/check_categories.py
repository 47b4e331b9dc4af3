"""Category sums by name of `sme2lab analyze` equal those recomputed from the Inspector's data frame of the same ETDump."""

import glob
import json
import os
import re
import shutil

import fixtures
import inspector
import programs
import real_runtime

EXECUTE = "Method::execute"
OF_PYTHON = ("mobilenet_v2_f32_xnnpack", "toy_cnn_f32_portable")


def load_rules():
    with open(os.path.join(programs.ROOT, "configs/categories.json"), encoding="utf-8") as file:
        rules = json.load(file)
    phrases = [(rule["category"], word.split()) for rule in rules["rules"] for word in rule["words"]]
    return phrases, set(rules["framework"]), rules["fallback"]


def category(name, rules):
    """The first rule with a phrase whose words stand in a row in the name."""
    phrases, framework, fallback = rules
    bare = re.sub(r" #\d+$", "", name)
    if bare in framework:
        return "Framework"
    words = re.findall(r"[a-z0-9]+", bare.removeprefix("native_call_").lower())
    for found, phrase in phrases:
        if any(words[i:i + len(phrase)] == phrase for i in range(len(words) - len(phrase) + 1)):
            return found
    return fallback


def self_times(events):
    """(name, self, holds delegated events) of each event; events are (name, delegated, start, duration), children before parents.

    XNNPACK's own times are whole microseconds laid end to end and may stick out of their call: a DELEGATE_CALL holds the
    delegate's events before it whatever their times, and Method::execute everything.
    """
    pending, done = [], []
    for name, delegated, start, duration in events:
        children = 0
        holds = False
        while pending:
            child = pending[-1]
            inside = child[0] >= start and child[1] <= start + duration
            if not (inside or name == EXECUTE or (name == "DELEGATE_CALL" and child[2])):
                break
            pending.pop()
            children += child[1] - child[0]
            holds |= child[2]
        pending.append((start, start + duration, delegated))
        done.append((name, duration - children, holds))
    return done


def sums_of_runs(etdump):
    """(end to end, {category: sum}) of each execution, from the Inspector's data frame alone."""
    rules = load_rules()
    runs = []
    for rows in inspector.blocks(etdump):
        if not any(row.name == EXECUTE for row in rows):
            continue
        for k in range(len(rows[0].starts)):
            sums = {}
            end_to_end = sum(row.durations[k] for row in rows if row.name == EXECUTE)
            for name, self_time, holds in self_times([(row.name, row.delegated, row.starts[k], row.durations[k]) for row in rows]):
                found = "Framework" if name.startswith("native_call_") and holds else category(name, rules)
                sums[found] = sums.get(found, 0) + self_time
            runs.append((end_to_end, sums))
    return runs


def compare(lab, what, etdump):
    """`sme2lab analyze` of a copy that lies alone, so that it knows the names and nothing else."""
    alone = os.path.join(lab.out, "categories", what.replace("/", "-") + ".etdump")
    os.makedirs(os.path.dirname(alone), exist_ok=True)
    shutil.copyfile(etdump, alone)
    analysis = programs.sme2lab_json("analyze", "--json", alone)
    suffix = "_insns" if analysis["time_unit"] == "instructions" else "_ns"
    assert analysis["label"] == "name", f"{what}: a file alone is labelled by {analysis['label']}"
    wanted = sums_of_runs(alone)
    assert len(analysis["runs"]) == len(wanted), f"{what}: {len(analysis['runs'])} runs instead of {len(wanted)}"
    for run, (end_to_end, sums) in zip(analysis["runs"], wanted):
        assert run["e2e" + suffix] == end_to_end, f"{what}, run {run['run']}: {run['e2e' + suffix]} end to end instead of {end_to_end}"
        ours = run["categories" + suffix]
        for name in set(ours) | set(sums):
            assert ours.get(name, 0) == sums.get(name, 0), f"{what}, run {run['run']}: {name} is {ours.get(name, 0)} instead of {sums.get(name, 0)}"
        assert sum(ours.values()) == end_to_end, f"{what}, run {run['run']}: the categories do not sum to the end-to-end time"
    return len(wanted), analysis["time_unit"]


def check(lab):
    out = os.path.join(lab.out, "run")
    shutil.rmtree(out, ignore_errors=True)
    toy = fixtures.supported()[0]
    programs.sme2lab_json("run", toy.model, "--runtime", "own", "--inputs", ",".join(toy.inputs()), "--out", out, "--json")
    dumps = sorted(glob.glob(os.path.join(out, "**", "*.etdump"), recursive=True))
    assert len(dumps) == 2, f"sme2lab run left {len(dumps)} ETDumps instead of two"
    for dump in dumps:
        runs, unit = compare(lab, os.path.basename(dump)[:-len(".etdump")], dump)
        lab.say(f"{os.path.basename(dump)}: {runs} runs, every category equal ({unit})")
    for fixture in fixtures.supported():
        runs, _ = compare(lab, fixture.name, fixture.path("run.etdump"))
        lab.say(f"{fixture.name}, ETDump of the real runtime: {runs} runs, every category equal")
    for name in OF_PYTHON:
        etdump = os.path.join(lab.out, "categories", f"{name}-python.etdump")
        real_runtime.execute_by_program(os.path.join(fixtures.DATA, name, "model.pte"), etdump)
        runs, _ = compare(lab, f"{name}-of-python", etdump)
        lab.say(f"{name}, ETDump of executorch.runtime: {runs} runs, every category equal")
