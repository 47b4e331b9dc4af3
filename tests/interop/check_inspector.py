"""Our ETDump opens in ExecuTorch's Inspector and gives event for event what the trace recorded."""

import glob
import os
import subprocess
import sys

from executorch.devtools import Inspector

import fixtures
import inspector
import programs
import sltrace

EXECUTIONS = 3


def expected_blocks(trace):
    """What the Inspector must show: executions with equal events merge into one block, each event with a value a run."""
    merged = []
    for block in trace.of(0):
        names = [(event.name, event.delegated) for event in block.events]
        same = next((m for m in merged if m[0] == block.name and m[1] == names), None)
        if same is None:
            same = (block.name, names, [])
            merged.append(same)
        same[2].append(block.events)
    return merged


def compare(etdump, trace):
    """Number of values compared."""
    found, wanted, values = inspector.blocks(etdump), expected_blocks(trace), 0
    assert len(found) == len(wanted), f"{len(found)} blocks instead of {len(wanted)}"
    for rows, (name, names, runs) in zip(found, wanted):
        assert rows[0].block == name, f"block '{rows[0].block}' instead of '{name}'"
        assert [(row.name, row.delegated) for row in rows] == names, f"block {name}: other events than the trace's"
        for i, row in enumerate(rows):
            events = [run[i] for run in runs]
            assert row.starts == [event.start for event in events], f"{name}, {row.name}: starts {row.starts}"
            assert row.durations == [event.end - event.start for event in events], f"{name}, {row.name}: durations {row.durations}"
            values += 2 * len(events)
    return values


def check_counted(lab):
    """A counted run: the unit is said, warm-ups are outside the averages, no event stands for no operator, delegates have their name."""
    folder = os.path.join(lab.out, "inspector", "counted")
    words = [sys.executable, "-m", "sme2lab_export", "--model", "toy", "--outdir", folder, "--etrecord", "--no-trial"]
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=programs.LONGEST_SECONDS)
    assert done.returncode == 0, f"toy is not exported: {done.stderr.strip()[-300:]}"
    words = [os.path.join(programs.ROOT, "build/host/bin/sme2lab"), "run", f"{folder}/toy.pte", "--inputs", f"{folder}/input-0.bin", "--device", "counted",
             "--runtime", "own", "--runs", "2", "--warmup", "3", "--out", f"{folder}/run", "--force", "-q"]
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=programs.LONGEST_SECONDS,
                          env={**os.environ, "SME2LAB_STATE": os.path.join(folder, "state")})
    assert done.returncode == 0, f"toy does not run: {done.stderr.strip()[-300:]}"
    etdump = glob.glob(f"{folder}/run/run_sme2-on/*.etdump")[0]
    frame = Inspector(etdump_path=etdump, etrecord=f"{folder}/toy.etrecord").to_dataframe()
    first = frame.event_block_name[0]
    assert "unit is executed instructions" in first, f"the first block '{first}' does not say the unit"
    assert not [name for name in frame.event_name if "sme2lab" in name], "an event stands for no operator"
    values = {name: {len(raw) for raw in frame[frame.event_block_name == name].raw} for name in set(frame.event_block_name)}
    assert values == {first: {1}, "Warmup": {3}, "Execute": {2}}, f"values of a row by block: {values}"
    backends = set(frame[frame.is_delegated_op].delegate_backend_name)
    assert backends == {"XnnpackBackend"}, f"delegates' names: {backends}"
    lab.say(f"counted toy: {len(frame)} rows, warm-ups apart, the unit said, delegates named")


def check(lab):
    check_counted(lab)
    for fixture in fixtures.supported():
        for where, cpu in (("native", None), ("SME2 in the emulator", programs.SVL512)):
            if cpu is None and fixture.name.startswith("mobilenet"):
                continue
            out = os.path.join(lab.out, "inspector", f"{fixture.name}-{'native' if cpu is None else 'sme2'}")
            run = programs.run_agent(cpu, fixture.model, out, fixture.inputs(), executions=EXECUTIONS)
            assert run.code == 0, f"{fixture.name} {where}: exit {run.code}: {run.errors.strip()[-300:]}"
            trace = sltrace.read(run.trace)
            assert trace.ended and trace.unit == "ns", f"{fixture.name} {where}: the trace is {trace.unit}, ended {trace.ended}"
            executed = [block for block in trace.of(0) if block.name == "Execute"]
            assert len(executed) == EXECUTIONS, f"{fixture.name} {where}: {len(executed)} executions in the trace"
            lab.say(f"{fixture.name}, {where}: {len(executed[0].events)} events an execution, {compare(run.etdump, trace)} values equal")
