"""same_outputs.py finds what differs and nothing else: the rules of alike.py, and the program on a tree that says one word otherwise."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import alike
import lab

PLACES = {"/checkout/tree": "<tree>"}
ENTRY = {"where": "^runs/", "lines": "ratio", "reason": "the ratio has more digits"}


def lines(text, name="runs/a/report.md", timed=False):
    return alike.lines(name, text.encode() if isinstance(text, str) else text, PLACES, timed)


class Rules(unittest.TestCase):
    def alike(self, one, other, **more):
        self.assertEqual(lines(one, **more), lines(other, **more))

    def unlike(self, one, other, **more):
        self.assertNotEqual(lines(one, **more), lines(other, **more))

    def test_moments_paths_and_identities_are_alike(self):
        self.alike("Started 2026-11-23T02:31:59Z", "Started 2027-01-02T12:00:00.125Z")
        self.alike('{"wall_ns":522,"agent_sha256":"ab","runs":1}', '{"wall_ns":6,"agent_sha256":"cd","runs":1}')
        self.alike("I 00:00:00.025571 executorch:load.c:171] in 48.240546 ms", "I 00:00:01.000001 executorch:plan.c:9] in 4.000000 ms")
        self.assertEqual(lines("in /checkout/tree/build"), lines("in <tree>/build"))

    def test_counts_keys_order_and_lines_of_other_sources_are_not(self):
        self.unlike('{"e2e_insns":522}', '{"e2e_insns":523}')
        self.unlike('{"a":1,"b":2}', '{"b":2,"a":1}')
        self.unlike('{"a":1}', '{"a":1.0}')
        self.unlike('{"a":"x y"}', '{"a":"x  y"}')
        self.unlike("executorch:executor_runner.cpp:341] x", "executorch:executor_runner.cpp:342] x")
        self.unlike("15.671930120278844", "15.671930120278845")

    def test_one_changed_byte_of_a_binary_file_is_seen(self):
        self.unlike(b"\0\1\2\3", b"\0\1\2\4", name="runs/a/x.etdump")
        self.unlike(b"\0\1\2\3", b"\0\1\2", name="runs/a/x.etdump")

    def test_files_of_a_run_are_listed_in_no_order(self):
        self.alike('{"files":[{"path":"a","bytes":1},{"path":"b","bytes":2}]}', '{"files":[{"path":"b","bytes":2},{"path":"a","bytes":3}]}')
        self.unlike('{"files":[{"path":"a","bytes":1}]}', '{"files":[{"path":"b","bytes":1}]}')

    def test_a_line_of_json_is_broken_without_loss(self):
        text = '{"a":[1,{"b":"x, {y}"}],"c":"q\\"}"}'
        self.assertEqual("".join(alike.broken(text).splitlines()), text)
        self.assertIn('"b":"x, {y}"', alike.broken(text).splitlines())

    def test_of_a_measurement_in_time_the_shape_counts(self):
        self.alike('{"a":[{"ns":1},{"ns":2.5}]}', '{"a":[{"ns":7}]}', timed=True, name="x.json")
        self.unlike('{"a":[{"ns":1}]}', '{"a":[{"ms":1}]}', timed=True, name="x.json")
        self.unlike('{"a":1}', '{"a":"1"}', timed=True, name="x.json")
        self.alike("a,b\n1,2\n", "a,b\n3,4\n5,6\n", timed=True, name="x.csv")
        self.unlike("a,b\n1,2\n", "a,c\n1,2\n", timed=True, name="x.csv")
        self.unlike("# One\ntext 1\n", "# Two\ntext 1\n", timed=True, name="x.md")


class Differences(unittest.TestCase):
    def test_what_is_only_on_one_side_differs(self):
        found = alike.compare({"a": ["1"], "b": ["2"]}, {"b": ["2"], "c": ["3"]})
        self.assertEqual([(name, reason) for name, reason, _ in found], [("a", None), ("c", None)])

    def test_an_expected_difference_has_its_reason_and_only_in_its_lines(self):
        before = {"runs/a": ["ratio 1.2", "runs 3"]}
        expected = alike.Expected([ENTRY])
        self.assertEqual(alike.compare(before, {"runs/a": ["ratio 1.25", "runs 3"]}, expected)[0][1], ENTRY["reason"])
        self.assertIsNone(alike.compare(before, {"runs/a": ["ratio 1.25", "runs 4"]}, expected)[0][1])
        self.assertIsNone(alike.compare({"b": ["ratio 1"]}, {"b": ["ratio 2"]}, expected)[0][1])

    def test_a_mask_lets_differ_the_masked_part_alone(self):
        expected = alike.Expected([{"where": "csv$", "mask": r"(?<=,)\d+$", "reason": "the last column moved"}])
        self.assertEqual(alike.compare({"a.csv": ["x,1,2"]}, {"a.csv": ["x,1,3"]}, expected)[0][1], "the last column moved")
        self.assertIsNone(alike.compare({"a.csv": ["x,1,2"]}, {"a.csv": ["x,2,3"]}, expected)[0][1])

    def test_moved_lines_may_stand_elsewhere_and_be_no_others(self):
        expected = alike.Expected([{"where": "json$", "moved": True, "reason": "another order"}])
        self.assertEqual(alike.compare({"a.json": ['"a":1,', '"b":2']}, {"a.json": ['"b":2,', '"a":1']}, expected)[0][1], "another order")
        self.assertIsNone(alike.compare({"a.json": ['"a":1,', '"b":2']}, {"a.json": ['"b":2,', '"a":3']}, expected)[0][1])

    def test_several_entries_together_give_all_their_reasons(self):
        expected = alike.Expected([{"where": "a", "mask": r"\d", "reason": "one"}, {"where": "a", "lines": "^new", "reason": "two"}])
        self.assertEqual(alike.compare({"a": ["n 1"]}, {"a": ["n 2", "new"]}, expected)[0][1], "one; two")
        self.assertIsNone(alike.compare({"a": ["n 1"]}, {"a": ["n 2", "other"]}, expected)[0][1])
        self.assertIsNone(alike.compare({"a": ["1"]}, {}, alike.Expected([{"where": "a", "mask": r"\d", "reason": "one"}]))[0][1])

    def test_expected_differences_that_are_not_there_are_told(self):
        expected = alike.Expected([ENTRY])
        self.assertEqual(alike.compare({"runs/a": ["1"]}, {"runs/a": ["1"]}, expected), [])
        self.assertEqual(expected.unused(), [ENTRY])

    def test_an_expected_difference_without_a_reason_is_refused(self):
        for entry in ({"where": "x"}, {"where": "x", "reason": ""}, {"reason": "x"}, {"where": "x", "reason": "y", "line": "z"},
                      {"where": "x", "reason": "y", "lines": "z", "mask": "z"}):
            with self.assertRaises(ValueError):
                alike.Expected([entry])


class Program(lab.Scratch):
    def other_tree(self, script):
        """A tree whose command line is this script before the real one."""
        tree = self.scratch / "tree"
        (tree / "build/host/bin").mkdir(parents=True)
        for name in ("agent-native", "agent-aarch64", "tools"):
            (tree / "build" / name).symlink_to(lab.BUILD / name)
        (tree / "build/host/bin/sme2labd").symlink_to(lab.HOST / "bin/sme2labd")
        program = tree / "build/host/bin/sme2lab"
        program.write_text(f"#!/bin/sh\n{script}\nexec {lab.SME2LAB} \"$@\"\n")
        program.chmod(0o755)
        return tree

    def compared(self, *words):
        program = pathlib.Path(__file__).with_name("same_outputs.py")
        done = subprocess.run([sys.executable, program, "--before", lab.ROOT, "--only", "configs", *map(str, words)], capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=170)
        return done.returncode, done.stdout + done.stderr

    def test_a_tree_is_like_itself_and_unlike_one_that_says_one_word_more(self):
        lab.need(lab.SME2LAB)
        code, said = self.compared()
        self.assertEqual(code, 0, said)
        self.assertRegex(said, r"(?m)^[1-9]\d+ outputs compared: 0 differ")
        tree = self.other_tree('[ "$1" = submit ] && echo and more >&2')
        code, said = self.compared("--after", tree)
        self.assertEqual(code, 1, said)
        self.assertIn("DIFFERS configs/submit counted.json/stderr", said)
        self.assertNotIn("DIFFERS configs/run counted.json", said)
        expected = self.scratch / "expected.json"
        expected.write_text(json.dumps([{"where": "^configs/submit .*/stderr", "lines": "^and more$", "reason": "submit says more"}]))
        code, said = self.compared("--after", tree, "--expected", expected)
        self.assertEqual(code, 0, said)
        self.assertIn("submit says more", said)

    def test_without_a_build_it_says_what_makes_one(self):
        self.assertEqual(self.compared("--after", self.scratch)[0], 2)


if __name__ == "__main__":
    lab.main()
