"""Our reader of programs against ExecuTorch's own: what it supports it runs right, what it does not it names, and nothing crashes."""

import os
import re

from executorch.exir._serialize._program import deserialize_pte_binary

import agreement
import fixtures
import programs

MISSING = re.compile(r"Missing operator: \[(\d+)\] (\S+)")
ERROR = re.compile(r"^E \S+ executorch:\S+\] (.*)$", re.M)


def operators(path):
    """The first method's operator table, as ExecuTorch reads it."""
    with open(path, "rb") as file:
        plan = deserialize_pte_binary(file.read()).program.execution_plan[0]
    return [op.name + ("." + op.overload if op.overload else "") for op in plan.operators]


def check_refused(fixture, run):
    """Exit 1 with words: the operators it lacks by their place in ExecuTorch's table, or the delegate's node or type it lacks."""
    assert run.code == 1, f"{fixture.name}: exit {run.code}: {run.errors.strip()[-300:]}"
    words = ERROR.findall(run.errors)
    assert words, f"{fixture.name}: no error line of the runtime: {run.errors.strip()[-300:]}"
    missing = MISSING.findall(run.errors)
    table = operators(fixture.model) if missing else []
    for index, name in missing:
        assert table[int(index)] == name, f"{fixture.name}: operator {index} is {table[int(index)]}, not {name}"
    return f"refused: {len(missing)} operators missing, the first {missing[0][1]}" if missing else "refused: " + words[-1][:150]


def check_runs(fixture, method, run):
    farthest = max(agreement.check(want, run.output(i), f"{fixture.name} {method}, output {i}", kind)
                   for i, (kind, want) in fixture.runtime_outputs(method).items())
    return f"runs, {farthest:.1e} of the peak from the real runtime"


def check_fixture(lab, fixture, method):
    out = os.path.join(lab.out, "programs", fixture.name, method)
    data = [f"--data_path={fixture.path('weights.ptd')}"] if os.path.exists(fixture.path("weights.ptd")) else []
    run = programs.run_agent(None, fixture.model, out, fixture.inputs(method), more=data + ([f"--method_name={method}"] if method else []))
    assert run.code == 0 or fixture.name not in fixtures.SUPPORTED, f"{fixture.name}: exit {run.code}: {run.errors.strip()[-300:]}"
    found = check_runs(fixture, method, run) if run.code == 0 else check_refused(fixture, run)
    lab.say(f"{fixture.name}{method and ' ' + method}: {found}")


def check(lab):
    every = fixtures.larger()
    if not every:
        lab.say("SL_FIXTURES names no directory: the larger programs are skipped, the four of tests/data are not")
        every = fixtures.supported()
    for fixture in every:
        for method in fixture.methods():
            check_fixture(lab, fixture, method)
