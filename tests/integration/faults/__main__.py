"""python3 -m faults [--cases N] [--seed N] [--only KIND] [--each] [--workers N] [--budget SECONDS]: the fault
suite.

Seeds count up from --seed; each is a case of its own, so `--only KIND --cases 1 --seed N` is that case again. --each takes
the kinds in turn. Exit code 1 when a case did not hold, 77 where the programs are not built.
"""

import argparse
import collections
import os
import pathlib
import sys
import threading
import time
import traceback

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from faults import cases, laboratory  # noqa: E402

MISSED_SHARE = 0.1  # of the cases may end before their fault


class Campaign:
    def __init__(self, options):
        self.options = options
        self.lock = threading.Lock()
        self.next = options.seed
        self.end = time.monotonic() + options.budget if options.budget else float("inf")
        self.counts, self.missed = collections.Counter(), collections.Counter()
        self.failures, self.operators = [], collections.Counter()

    def draw(self):
        with self.lock:
            if self.next - self.options.seed == self.options.cases or time.monotonic() > self.end:
                return None
            self.next += 1
            return self.next - 1

    def work(self):
        lab, undisturbed, names = None, None, list(cases.KINDS)
        while (seed := self.draw()) is not None:
            kind = self.options.only or (names[seed % len(names)] if self.options.each else cases.kind_of(seed))
            try:
                lab = lab or laboratory.Laboratory()
                undisturbed = undisturbed or {key: cases.run_undisturbed(lab, *key) for key in self.needed()}
                self.one(lab, seed, kind, undisturbed)
            except Exception:  # whatever it is, it is this case's failure
                self.tell_failure(lab, seed, kind)
                if lab:
                    lab.close()
                lab = None
        if lab:
            lab.close()

    def needed(self):
        kinds = [self.options.only] if self.options.only else list(cases.KINDS)
        return {("counted" if kind.startswith("counted") else "here", cases.runs_of(kind)) for kind in kinds}

    def one(self, lab, seed, kind, undisturbed):
        start = time.monotonic()
        case = cases.Case(lab, seed, kind)
        record = case.run(undisturbed)
        cases.settle(lab)
        with self.lock:
            self.counts[kind] += 1
            self.missed[kind] += case.missed
            if hasattr(case, "last_operator"):
                self.operators[case.last_operator or "between operators"] += 1
        if self.options.verbose:
            print(f"{kind} seed {seed}: {record['state']}, attempts {record['attempts']}, "
                  f"{time.monotonic() - start:.2f} s{', missed' if case.missed else ''}", flush=True)

    def tell_failure(self, lab, seed, kind):
        with self.lock:
            self.failures.append((kind, seed))
        print(f"FAILED {kind} seed {seed} (--only {kind} --cases 1 --seed {seed})\n{traceback.format_exc()}", flush=True)
        if lab:
            print(lab.daemon.log_text()[-1500:], flush=True)

    def summary(self):
        done, missed = sum(self.counts.values()), sum(self.missed.values())
        print(f"faults: {done} of {done + len(self.failures)} cases held, {missed} ended before their fault")
        for kind in sorted(self.counts):
            print(f"  {kind}: {self.counts[kind]}" + (f", {self.missed[kind]} of them missed" if self.missed[kind] else ""))
        for name, count in self.operators.most_common(5):
            print(f"  killed in {name}: {count}")
        for kind, seed in self.failures:
            print(f"  failed: --only {kind} --cases 1 --seed {seed}")
        return 1 if self.failures or missed > max(2, done * MISSED_SHARE) or not done else 0


def main():
    parser = argparse.ArgumentParser(prog="faults")
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=list(cases.KINDS))
    parser.add_argument("--each", action="store_true", help="the kinds in turn, in place of their shares")
    parser.add_argument("--workers", type=int, default=min(2, os.cpu_count() or 1))
    parser.add_argument("--budget", type=float, help="no case begins after so many seconds")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    needed = [laboratory.ORDINAL_LAB, laboratory.NATIVE_AGENT, laboratory.lab.AGENT, laboratory.lab.EMULATOR]
    for program in needed:
        if not os.access(program, os.X_OK):
            print(f"{program} is missing; scripts/setup makes it")
            return laboratory.lab.SKIPPED
    campaign = Campaign(options)
    print(f"faults: {options.cases} cases from seed {options.seed}", flush=True)
    workers = [threading.Thread(target=campaign.work) for _ in range(options.workers)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return campaign.summary()


if __name__ == "__main__":
    sys.exit(main())
