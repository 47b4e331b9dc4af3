"""Runs the checks against the real ExecuTorch: interop.py [--seed N] [--models N] [--jobs N] [--only NAME]...

Each prints what it compared; the first difference ends a check and names both sides. Exit 1 if any differed. Several checks run side by
side, each in a process of its own, and print when they end.
"""

import argparse
import multiprocessing
import multiprocessing.connection
import os
import secrets
import shutil
import sys
import time
import traceback

import sme2lab_export.quiet  # noqa: F401  first of all
import check_categories
import check_executorch
import check_export
import check_exported
import check_http
import check_inspector
import check_junit
import check_operators
import check_pages
import check_perfetto
import check_programs
import check_random
import check_tsv
import check_weights
import programs

CHECKS = {"inspector": check_inspector, "tsv": check_tsv, "perfetto": check_perfetto, "categories": check_categories, "random": check_random, "operators": check_operators,
          "programs": check_programs, "executorch": check_executorch, "exported": check_exported, "export": check_export, "weights": check_weights, "junit": check_junit, "pages": check_pages, "http": check_http}
# The longest begin first. Checks of one line share what one of them makes, so they run one after the other.
TURNS = [("export",), ("executorch",), ("operators",), ("exported",), ("junit", "pages"), ("random",), ("http",), ("inspector",), ("weights",), ("programs",), ("tsv",),
         ("categories",), ("perfetto",)]


class Lab:
    """What every check gets: where files go, the seed, how many random models, whether to take long, and a voice."""

    def __init__(self, seed, models, every):
        self.out = os.path.join(programs.ROOT, "build/interop/out")
        self.seed, self.models, self.every = seed, models, every
        self.made = {}

    def once(self, name, make):
        """What make(folder) returns, made by the first check that asks."""
        if name not in self.made:
            self.made[name] = make(os.path.join(self.out, name))
        return self.made[name]

    def say(self, line):
        print(f"  {line}", flush=True)


def parse():
    parser = argparse.ArgumentParser(prog="scripts/interop")
    parser.add_argument("--seed", type=int, help="of the random models; drawn and printed unless given")
    parser.add_argument("--models", type=int, default=3, help="how many random models")
    parser.add_argument("--jobs", type=int, default=2, help="how many checks run side by side")
    parser.add_argument("--every", action="store_true", help="more of three checks: export: every large model, and one in half precision and three in int8; operators: in the emulator too; executorch: all of $SL_FIXTURES")
    parser.add_argument("--only", action="append", choices=CHECKS, help="these checks only")
    return parser.parse_args()


def run(name, lab):
    """True if the check found everything equal."""
    print(f"== {name}: {CHECKS[name].__doc__.splitlines()[0]}", flush=True)
    began = time.monotonic()
    try:
        CHECKS[name].check(lab)
    except AssertionError as difference:
        print(f"WRONG  {name}: {difference}", flush=True)
        return False
    except Exception:
        traceback.print_exc()
        print(f"WRONG  {name}: the check itself failed", flush=True)
        return False
    print(f"right  {name} ({time.monotonic() - began:.0f} s)", flush=True)
    return True


def run_apart(names, lab, log):
    """Runs the checks in this process, which is a child of its own; what they print goes to `log`. Exits with how many differed."""
    with open(log, "wb") as file:
        for descriptor in (1, 2):
            os.dup2(file.fileno(), descriptor)
    results = [run(name, lab) for name in names]
    sys.stdout.flush()
    sys.exit(results.count(False))


def run_side_by_side(names, lab, jobs):
    """How many of the checks were right; each turn's output is printed when it ends."""
    assert sorted(sum(TURNS, ())) == sorted(CHECKS), "each check stands in TURNS once"
    context = multiprocessing.get_context("fork")
    waiting = [turn for turn in ([name for name in turn if name in names] for turn in TURNS) if turn]
    running, right = {}, 0
    while waiting or running:
        while waiting and len(running) < jobs:
            turn = waiting.pop(0)
            log = os.path.join(lab.out, f"{turn[0]}.log")
            child = context.Process(target=run_apart, args=(turn, lab, log))
            child.start()
            running[child.sentinel] = (child, turn, log)
        for sentinel in multiprocessing.connection.wait(list(running)):
            child, turn, log = running.pop(sentinel)
            child.join()
            with open(log, errors="replace") as file:
                print(file.read(), end="", flush=True)
            if 0 <= child.exitcode <= len(turn):
                right += len(turn) - child.exitcode
            else:
                print(f"WRONG  {', '.join(turn)}: the check's process ended with {child.exitcode}", flush=True)
    return right


def main():
    options = parse()
    lab = Lab(secrets.randbelow(10**6) if options.seed is None else options.seed, options.models, options.every)
    shutil.rmtree(lab.out, ignore_errors=True)
    os.makedirs(lab.out)
    print(f"seed {lab.seed}; repeat with scripts/interop --seed {lab.seed}", flush=True)
    names = list(dict.fromkeys(options.only or CHECKS))
    began = time.monotonic()
    right = run(names[0], lab) if len(names) == 1 else run_side_by_side(names, lab, options.jobs)
    print(f"interop: {right:d} of {len(names)} checks right in {time.monotonic() - began:.0f} s, seed {lab.seed}")
    return 0 if right == len(names) else 1


if __name__ == "__main__":
    sys.exit(main())
