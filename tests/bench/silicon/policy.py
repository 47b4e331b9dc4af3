"""Estimated time of whole models by what chooses their kernels: scripts/bench policy.

A program is counted once, all on SME2 beside all on NEON: of each operator that gives what either engine takes, of the whole what the code between
them does. What a policy would take is the sum of its choices from that, with what the unit waits for where the core wrote an operand. The kernels of
the default are those that an uncounted run executed. --executed counts each policy's own run instead, four times as long: the integration test holds
both to the same."""

import functools
import json
import os
import shutil
import statistics
import subprocess
import sys

import models

sys.path.insert(0, os.path.join(models.ROOT, "tests/integration"))
import lab  # noqa: E402

OUT = os.path.join(models.ROOT, "build/bench/policy")
PROFILES = ("apple-m4", "arm-c1-ultra")
LARGEST = 10  # programs, by the bytes of their file
GOAL = 0.85  # estimated policy over all on SME2, geometric mean
SAME = 1.001  # sums of another order, and the code between operators of another plan
APART = 1e-6  # what was added up from what was executed, relative


def largest(count=LARGEST):
    """The names of the largest programs that are there."""
    sizes = {}
    for name in models.EXECUTOR_RUNNER:
        folder = models.folder_of(name)
        if folder and "/" not in name:
            sizes[name] = os.path.getsize(models.program_in(folder))
    return sorted(sizes, key=lambda name: -sizes[name])[:count]


def estimates_of(name, out, state, policy):
    """{profile: its estimate}, of a counted run with that policy."""
    shutil.rmtree(out, ignore_errors=True)
    command = [models.SME2LAB, "--server", "private", "run", *models.command_of(name, models.folder_of(name)), "--device", "counted", "--runtime", "own",
               "--runs", "1", "--warmup", "1", "--silicon", ",".join(PROFILES), "--out", out, "--json", *(["--policy", policy] if policy else [])]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, env={**os.environ, "SME2LAB_STATE": state})
    if done.returncode not in (0, 1, 3) or not done.stdout.startswith("{"):  # 1: outputs of halves that agree less; 3: slower
        raise RuntimeError(f"{' '.join(command)} exits {done.returncode}: {(done.stderr or done.stdout).strip()}")
    with open(os.path.join(out, "manifest.json"), encoding="utf-8") as file:
        return {one["profile"]: one for one in json.load(file)["estimates"]}


AGENT_WORDS = {"--inputs": "--inputs", "--method": "--method_name", "--data-path": "--data_path"}


def streamed_by_default(name, out):
    """Places of the operators that the default executes in streaming mode: one execution in the emulator that is not counted."""
    shutil.rmtree(out, ignore_errors=True)
    os.makedirs(out)
    program, *words = models.command_of(name, models.folder_of(name))
    flags = [part for word, value in zip(words[::2], words[1::2]) for part in (AGENT_WORDS[word], value)]
    trace = os.path.join(out, "trace.sltrace")
    command = [str(lab.EMULATOR), "-cpu", "max,sme512=on", str(lab.AGENT), "run", "--model_path", program, *flags, "--policy", "default", "--cpu_threads", "1",
               "--print_output", "none", "--etdump_path", os.path.join(out, "model.etdump"), "--trace_path", trace]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} exits {done.returncode}: {done.stderr.strip()[-500:]}")
    with open(trace, "rb") as file:
        return {event["place"] for event in lab.read_trace(file.read()) if "_sme2" in event["kernel"]}


def sum_of(table, on_unit):
    """ns of all operators of an estimated table where `on_unit` says of one that has both kernels which it takes."""
    ns, core_wrote = 0.0, True
    for row in table["operators"]:
        both = "other_engine_adds_ns" in row
        unit = on_unit(row) if both else row["streams"]
        ns += row["on_ns"] if unit else row["off_ns"] if both else row.get("on_ns", row.get("off_ns"))
        ns += row["waits_ns"] if unit and core_wrote else 0
        core_wrote = not unit
    return ns


def least_with(table, pinned, on_unit):
    """ns of the best placement of all operators with the row `pinned` on that engine."""
    least = {False: 0.0, True: float("inf")}  # by the engine of the last operator
    for row in table["operators"]:
        both = "other_engine_adds_ns" in row
        engines = (on_unit,) if row is pinned else (False, True) if both else (row["streams"],)
        now = {False: float("inf"), True: float("inf")}
        for unit in engines:
            own = (row["on_ns"] if unit else row["off_ns"]) if both else row.get("on_ns", row.get("off_ns"))
            now[unit] = own + min(least[False] + (row["waits_ns"] if unit else 0), least[True])
        least = now
    return min(least.values())


def slower_alone(table):
    """Operators that stream though their NEON kernel is faster: (all, those where NEON would not add to the sum of the whole)."""
    own = [row for row in table["operators"] if row["streams"] and row.get("off_ns", row["on_ns"]) < row["on_ns"] and "other_engine_adds_ns" in row]
    return len(own), len([row for row in own if least_with(table, row, False) <= table["estimated"]["chosen_ns"]])


@functools.cache
def all_on_sme2(name, state):
    """The directory of the run with everything on SME2, and its estimates: made once, as counts are the same each time."""
    out = os.path.join(OUT, name, "all")
    return out, estimates_of(name, out, state, "all")


def rows_of(name, state, executed=False):
    """One row a profile."""
    folder = os.path.join(OUT, name)
    everything, sme2 = all_on_sme2(name, state)
    default = estimates_of(name, os.path.join(folder, "default"), state, None) if executed else streamed_by_default(name, os.path.join(folder, "default"))
    for profile in PROFILES:
        path = os.path.join(everything, f"policy_{profile}.json")
        with open(path, encoding="utf-8") as file:
            table = json.load(file)
        sums, neon_ns, sme2_ns = table["estimated"], sme2[profile]["off"]["mid_ns"], sme2[profile]["on"]["mid_ns"]
        if executed:
            default_ns = default[profile]["on"]["mid_ns"]
            estimated_ns = estimates_of(name, os.path.join(folder, profile), state, path)[profile]["on"]["mid_ns"]
        else:
            between_ns = sme2_ns - sums["all_sme2_ns"]  # code that is no operator's
            default_ns = between_ns + sum_of(table, lambda row: row["place"] in default)
            estimated_ns = between_ns + sums["chosen_ns"]
        slower, without_gain = slower_alone(table)
        yield {"program": name, "profile": profile, "neon_ns": neon_ns, "neon_high_ns": sme2[profile]["off"]["high_ns"], "sme2_ns": sme2_ns, "default_ns": default_ns, "estimated_ns": estimated_ns,
               "how": "executed" if executed else "summed", "slower_alone": slower, "slower_without_gain": without_gain}


def goals_of(rows):
    """What the table must hold, as the rows of other parts."""
    for profile in PROFILES:
        own = [row for row in rows if row["profile"] == profile]
        if not own:
            continue
        for key, goal, what in (("estimated_ns", GOAL, "estimated policy"), ("default_ns", 1.0, "default policy")):
            mean = statistics.geometric_mean(row[key] / row["sme2_ns"] for row in own)
            yield {"what": f"{what} over all SME2 on {profile}, geometric mean of {len(own)}", "measured": round(mean, 3), "unit": "times", "reference": goal,
                   "ratio": mean / goal, "met": mean <= goal, "source": "goal"}
        past = [row["program"] for row in own if row["estimated_ns"] > SAME * min(row["neon_ns"], row["sme2_ns"])]
        yield {"what": f"programs slower by the estimated policy than all NEON or all SME2 on {profile}, {own[0]['how']}", "measured": len(past), "unit": "programs",
               "reference": 0, "ratio": None, "met": not past, "source": ", ".join(past) or "goal"}
        for most, ends in ((lambda row: SAME * row["neon_ns"], "all NEON"), (lambda row: row["neon_high_ns"], "the band of all NEON")):
            past = [row["program"] for row in own if row["default_ns"] > most(row)]
            yield {"what": f"programs slower by the default policy than {ends} on {profile}, {own[0]['how']}", "measured": len(past), "unit": "programs",
                   "reference": 0, "ratio": None, "met": not past, "source": ", ".join(past) or "goal"}
        without_gain = sum(row["slower_without_gain"] for row in own)
        yield {"what": f"operators, of {sum(row['slower_alone'] for row in own)} that stream though slower alone on {profile}, that NEON would not add to",
               "measured": without_gain, "unit": "operators", "reference": 0, "ratio": None, "met": not without_gain, "source": "goal"}


HEAD = f"  {'program':34} {'silicon':14} {'all NEON':>11} {'all SME2':>11} {'default':>11} {'estimated':>11}  of all SME2  of the best  us"


def line_of(row):
    times = [row[key] for key in ("neon_ns", "sme2_ns", "default_ns", "estimated_ns")]
    return (f"  {row['program']:34} {row['profile']:14} " + " ".join(f"{ns / 1e3:>11,.1f}" for ns in times) +
            f"  {times[3] / times[1]:>11.3f}  {times[3] / min(times[:2]):>11.3f}")


def table_of(rows):
    """Markdown, as configs/silicon/README.md has it: each program's profiles below one another."""
    yield "| program | silicon | all NEON | all SME2 | default | estimated policy |"
    yield "|---|---|--:|--:|--:|--:|"
    for i, row in enumerate(rows):
        name = f"`{row['program']}`" if i == 0 or rows[i - 1]["program"] != row["program"] else ""
        times = " | ".join(f"{row[key] / 1e3:,.1f}" for key in ("neon_ns", "sme2_ns", "default_ns", "estimated_ns"))
        yield f"| {name}{' ' if name else ''}| {row['profile']} | {times} |"


def bench(options):
    """(rows, goals); prints as it goes unless --json."""
    unknown = [name for name in options.only if name not in models.EXECUTOR_RUNNER or not models.folder_of(name)]
    if unknown:
        sys.exit(f"bench: no program '{unknown[0]}' is here")
    if not options.json:
        print(f"\npolicy: estimated us of one inference with SME2 on, by what chooses the kernels, {'executed' if options.executed else 'summed'}\n{HEAD}", flush=True)
    rows = []
    for row in models.in_turn(options.only or largest(), options.jobs, OUT, functools.partial(rows_of, executed=options.executed)):
        rows.append(row)
        if not options.json:
            print(line_of(row), flush=True)
    goals = list(goals_of(rows))
    if options.table:
        print("", *table_of(rows), sep="\n")
    if not options.json:
        for goal in goals:
            print(f"  {'ok  ' if goal['met'] else 'PAST'} {goal['what']}: {goal['measured']} {goal['unit']} ({goal['source']} {goal['reference']})")
    return rows, goals
