"""`sme2lab estimate`: a log and a window become times with a band, by named silicon; what is bad is refused in words."""

import json
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import lab

FROM, LOOP, TO = 0x1000, 0x1004, 0x2000
LISTED = {FROM: ["d503477f"], LOOP: ["80812000", "80812001", "80812002", "80812003", "f1000421", "54ffff61"], 0x101C: ["d503467f"], TO: ["d65f03c0"]}


def log_of(*addresses):
    """A log of the emulator in which these blocks run one after the other."""
    lines, seen = [], set()
    for at in addresses:
        if at not in seen:
            seen.add(at)
            lines += ["----------------", "IN: f", *(f"0x{at + 4 * i:08x}:  {word}  x" for i, word in enumerate(LISTED[at])), ""]
        lines.append(f"Trace 0: 0x7f{at:06x} [0/{at:016x}/0/0] f")
    return "\n".join(lines) + "\n"


def setUpModule():
    lab.need(lab.SME2LAB)


class Estimate(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def estimate(self, text, *words):
        path = self.folder / "log"
        path.write_text(text)
        return subprocess.run([lab.SME2LAB, "estimate", path, *words], capture_output=True, text=True)

    def answer(self, text, *words):
        done = self.estimate(text, *words, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_a_loop_of_products_takes_its_cycles(self):
        found = self.answer(log_of(TO, FROM, *[LOOP] * 10_000, 0x101C, TO), "--from", hex(FROM), "--to", hex(TO), "--silicon", "apple-m4")
        estimate = found["estimates"][0]
        self.assertEqual((found["passes"], found["instructions"], found["unclassified"]), (1, 60_002, 0))
        self.assertEqual(found["classes"]["outer_f32"], 40_000)
        self.assertEqual(estimate["bound"], "outer product")
        self.assertAlmostEqual(estimate["ports_ns"]["outer_product"], 40_000 / 3.92, delta=1)  # one a cycle of 3.92 GHz
        self.assertTrue(estimate["low_ns"] < 40_000 / 3.92 < estimate["high_ns"])
        self.assertAlmostEqual(sum(estimate["spent_ns"].values()), estimate["mid_ns"], places=3)

    def test_passes_are_averaged_and_profiles_stand_side_by_side(self):
        once = [FROM, LOOP, LOOP, 0x101C, TO]
        one = self.answer(log_of(*once), "--from", hex(FROM), "--to", hex(TO))
        three = self.answer(log_of(*once * 3), "--from", hex(FROM), "--to", hex(TO))
        self.assertEqual(three["passes"], 3)
        self.assertEqual([e["profile"] for e in three["estimates"]], ["apple-m4", "arm-c1-ultra"])
        for a, b in zip(one["estimates"], three["estimates"]):
            self.assertAlmostEqual(a["mid_ns"], b["mid_ns"], places=6)

    def test_the_text_says_that_it_is_estimated(self):
        done = self.estimate(log_of(FROM, LOOP, 0x101C, TO), "--silicon", "arm-neoverse-v3")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("estimated", done.stdout)
        self.assertIn("cannot execute this", done.stdout)

    def test_memory_takes_its_time(self):
        text = log_of(FROM, LOOP, 0x101C, TO)
        without = self.answer(text, "--silicon", "apple-m4")["estimates"][0]
        there = self.answer(text, "--silicon", "apple-m4", "--memory", "145000000")["estimates"][0]
        self.assertAlmostEqual(there["mid_ns"] - without["mid_ns"], 1e6, delta=1)
        self.assertEqual(there["bound"], "memory")

    def test_bad_input_is_refused_in_words(self):
        text = log_of(FROM, LOOP, 0x101C, TO)
        bad = self.folder / "bad.json"
        bad.write_text((lab.ROOT / "configs/silicon/apple-m4.json").read_text().replace('"value": 3.92', '"value": -1', 1))
        for words, said in ((("--silicon", "apple-m9"), "apple-m9"), (("--from", "0x1000"), "together"), (("--from", "x", "--to", "0x2000"), "no address"),
                            (("--from", "0x7000", "--to", "0x8000"), "0x7000"), (("--silicon", str(bad)), "/figures/"), (("--memory", "much"), "much")):
            done = self.estimate(text, *words)
            self.assertEqual(done.returncode, 2, (words, done.stderr))
            self.assertIn(said, done.stderr)
        self.assertEqual(self.estimate("Trace 0: 0x1 [broken\n").returncode, 2)
        self.assertEqual(self.estimate("").returncode, 2)


if __name__ == "__main__":
    unittest.main()
