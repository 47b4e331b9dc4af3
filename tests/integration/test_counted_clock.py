"""The counted clock against the emulator's own one-instruction-per-block count, and its slope."""

import subprocess
import unittest

import lab

PROBE = lab.BUILD / "agent-aarch64/tests/count_probe"
TOTAL = lab.BUILD / "host/tests/count_total"


def setUpModule():
    lab.need(lab.EMULATOR, PROBE, TOTAL)


class CountedClock(lab.Scratch):
    def emulate(self, log, *words):
        subprocess.run([lab.EMULATOR, "-cpu", "max,sme512=on", "-seed", "1", *words[:-1], "-D", log, PROBE, words[-1]],
                       env={}, check=True, capture_output=True, timeout=60)

    def count(self, steps):
        """counted, uncounted, marks, and counted between the first and the last mark."""
        log = self.scratch / "blocks.log"
        self.emulate(log, "-d", "in_asm,exec,nochain", str(steps))
        done = subprocess.run([TOTAL, PROBE, log], check=True, capture_output=True, text=True, timeout=60)
        return list(map(int, done.stdout.split()))

    def test_marked_plus_unmarked_equal_one_instruction_per_block(self):
        log = self.scratch / "single.log"
        self.emulate(log, "-one-insn-per-tb", "-d", "exec,nochain", "20")
        with log.open("rb") as file:
            executed = sum(line.startswith(b"Trace ") for line in file)
        counted, uncounted, marks, _ = self.count(20)
        self.assertEqual(counted + uncounted, executed)
        self.assertEqual(marks, 40)
        self.assertGreater(uncounted, 40 * 7)

    def test_twice_the_executions_move_the_count_by_twice_the_slope(self):
        counts = {steps: self.count(steps) for steps in (10, 20, 40)}
        slope = counts[20][0] - counts[10][0]
        self.assertGreater(slope, 10 * 1000)
        self.assertEqual(counts[40][0] - counts[20][0], 2 * slope)
        self.assertEqual(counts[40][3] - counts[20][3], 2 * (counts[20][3] - counts[10][3]))

    def test_a_repeat_counts_the_same(self):
        self.assertEqual(self.count(15), self.count(15))


if __name__ == "__main__":
    lab.main()
