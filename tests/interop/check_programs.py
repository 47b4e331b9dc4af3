"""Our reader of programs against ExecuTorch's own: what it supports it runs right, what it does not it names, and nothing crashes."""

import os
import re

from executorch.exir._serialize._program import deserialize_pte_binary

import agreement
import fixtures
import programs

MISSING = re.compile(r"Missing operator: \[(\d+)\] (\S+)")


def operators(path):
    """The first method's operator table, as ExecuTorch reads it."""
    with open(path, "rb") as file:
        plan = deserialize_pte_binary(file.read()).program.execution_plan[0]
    return [op.name + ("." + op.overload if op.overload else "") for op in plan.operators]


def check_refused(fixture, run):
    """Exit 1 with words: the operators it lacks by their place in ExecuTorch's table, or the delegate's node or type it lacks."""
    assert run.code == 1, f"{fixture.name}: exit {run.code}: {run.errors.strip()[-300:]}"
    assert " executorch:" in run.errors, f"{fixture.name}: no line of the runtime: {run.errors.strip()[-300:]}"
    missing = MISSING.findall(run.errors)
    table = operators(fixture.model) if missing else []
    for index, name in missing:
        assert table[int(index)] == name, f"{fixture.name}: operator {index} is {table[int(index)]}, not {name}"
    return f"refused: {len(missing)} operators missing" if missing else "refused: " + run.errors.strip().split("\n")[0].split("] ", 1)[-1][:100]


def check_runs(fixture, run):
    farthest = max(agreement.check(fixture.runtime_output(i), run.output(i), f"{fixture.name}, output {i}")
                   for i, output in enumerate(fixture.facts["outputs"]) if output["dtype"] == "float32")
    return f"runs, {farthest:.1e} of the peak from the real runtime"


def check(lab):
    must_run = set(fixtures.SUPPORTED)
    every = fixtures.larger()
    if not every:
        lab.say("SL_FIXTURES names no directory: the larger programs are skipped, the four of tests/data are not")
        every = fixtures.supported()
    for fixture in every:
        run = programs.run_agent(None, fixture.model, os.path.join(lab.out, "programs", fixture.name), fixture.inputs())
        assert run.code == 0 or fixture.name not in must_run, f"{fixture.name}: exit {run.code}: {run.errors.strip()[-300:]}"
        runs = run.code == 0 and fixture.facts["outputs"]
        lab.say(f"{fixture.name}: " + (check_runs(fixture, run) if runs else check_refused(fixture, run)))
