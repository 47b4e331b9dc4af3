"""Estimated time of whole models by what chooses their kernels: scripts/bench policy.

A model is counted with all on SME2, by the default, and by the table that the first count estimated for each silicon. Everything printed is an
estimate of what was executed: nothing is added up from promises."""

import json
import os
import shutil
import statistics
import subprocess
import sys

import models

OUT = os.path.join(models.ROOT, "build/bench/policy")
PROFILES = ("apple-m4", "arm-c1-ultra")
LARGEST = 10  # programs, by the bytes of their file
GOAL = 0.85  # estimated policy over all on SME2, geometric mean
SAME = 1.001  # sums of another order, and the code between operators of another plan


def largest(count=LARGEST):
    """The names of the largest programs that are there."""
    sizes = {}
    for name in models.EXECUTOR_RUNNER:
        folder = models.folder_of(name)
        if folder and "/" not in name:
            sizes[name] = os.path.getsize(models.program_in(folder))
    return sorted(sizes, key=lambda name: -sizes[name])[:count]


def estimates_of(name, out, state, policy):
    """{profile: its estimate}, of a run with that policy."""
    shutil.rmtree(out, ignore_errors=True)
    command = [models.SME2LAB, "--server", "private", "run", *models.command_of(name, models.folder_of(name)), "--device", "counted", "--runtime", "own",
               "--runs", "1", "--warmup", "1", "--silicon", ",".join(PROFILES), "--out", out, "--json", *(["--policy", policy] if policy else [])]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, env={**os.environ, "SME2LAB_STATE": state})
    if done.returncode not in (0, 1, 3) or not done.stdout.startswith("{"):  # 1: outputs of halves that agree less; 3: slower
        raise RuntimeError(f"{' '.join(command)} exits {done.returncode}: {(done.stderr or done.stdout).strip()}")
    with open(os.path.join(out, "manifest.json"), encoding="utf-8") as file:
        return {one["profile"]: one for one in json.load(file)["estimates"]}


def rows_of(name, state):
    """One row a profile."""
    folder = os.path.join(OUT, name)
    sme2 = estimates_of(name, os.path.join(folder, "all"), state, "all")
    default = estimates_of(name, os.path.join(folder, "default"), state, None)
    for profile in PROFILES:
        table = os.path.join(folder, "all", f"policy_{profile}.json")
        chosen = estimates_of(name, os.path.join(folder, profile), state, table)
        yield {"program": name, "profile": profile, "neon_ns": sme2[profile]["off"]["mid_ns"], "sme2_ns": sme2[profile]["on"]["mid_ns"],
               "default_ns": default[profile]["on"]["mid_ns"], "estimated_ns": chosen[profile]["on"]["mid_ns"],
               "default_loses": default[profile]["on"]["low_ns"] > default[profile]["off"]["high_ns"]}


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
        yield {"what": f"programs slower by the estimated policy than all NEON or all SME2 on {profile}", "measured": len(past), "unit": "programs",
               "reference": 0, "ratio": None, "met": not past, "source": ", ".join(past) or "goal"}
        past = [row["program"] for row in own if row["default_loses"]]
        yield {"what": f"programs slower by the default policy than all NEON on {profile}, beyond the band", "measured": len(past), "unit": "programs",
               "reference": 0, "ratio": None, "met": not past, "source": ", ".join(past) or "goal"}


HEAD = f"  {'program':34} {'silicon':14} {'all NEON':>11} {'all SME2':>11} {'default':>11} {'estimated':>11}  of all SME2  of the best  us"


def line_of(row):
    times = [row[key] for key in ("neon_ns", "sme2_ns", "default_ns", "estimated_ns")]
    return (f"  {row['program']:34} {row['profile']:14} " + " ".join(f"{ns / 1e3:>11,.1f}" for ns in times) +
            f"  {times[3] / times[1]:>11.3f}  {times[3] / min(times[:2]):>11.3f}")


def bench(options):
    """(rows, goals); prints as it goes unless --json."""
    unknown = [name for name in options.only if name not in models.EXECUTOR_RUNNER or not models.folder_of(name)]
    if unknown:
        sys.exit(f"bench: no program '{unknown[0]}' is here")
    if not options.json:
        print(f"\npolicy: estimated us of one inference with SME2 on, by what chooses the kernels\n{HEAD}", flush=True)
    rows = []
    for row in models.in_turn(options.only or largest(), options.jobs, OUT, rows_of):
        rows.append(row)
        if not options.json:
            print(line_of(row), flush=True)
    goals = list(goals_of(rows))
    if not options.json:
        for goal in goals:
            print(f"  {'ok  ' if goal['met'] else 'PAST'} {goal['what']}: {goal['measured']} {goal['unit']} ({goal['source']} {goal['reference']})")
    return rows, goals
