"""Runs the checks against the real ExecuTorch: interop.py [--seed N] [--models N] [--only NAME]...

Each prints what it compared; the first difference ends a check and names both sides. Exit 1 if any differed.
"""

import argparse
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
          "programs": check_programs, "executorch": check_executorch, "export": check_export, "weights": check_weights, "junit": check_junit, "pages": check_pages, "http": check_http}


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
    parser.add_argument("--every", action="store_true", help="export large models of the registry in half precision and int8 too")
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


def main():
    options = parse()
    lab = Lab(secrets.randbelow(10**6) if options.seed is None else options.seed, options.models, options.every)
    shutil.rmtree(lab.out, ignore_errors=True)
    os.makedirs(lab.out)
    print(f"seed {lab.seed}; repeat with scripts/interop --seed {lab.seed}", flush=True)
    results = [run(name, lab) for name in options.only or CHECKS]
    print(f"interop: {sum(results)} of {len(results)} checks right, seed {lab.seed}")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
