"""Counts are exact: equal in every process, whatever the layout of its memory, its environment, its directories.

SL_REPEATS runs of each program (2 unless said; `scripts/test --long repeats` takes 20): those of tests/data and, beyond the short
run, of SL_FIXTURES, smallest first; SL_ONLY names some of them, with commas."""

import collections
import os
import pathlib
import random
import subprocess
import unittest

import lab

PROBE = lab.BUILD / "agent-aarch64/tests/count_probe"
REPEATS = int(os.environ.get("SL_REPEATS", "2"))
# A short run of operators without a delegate, and of XNNPACK's in floats, dynamic and static int8.
SHARE = ("control_flow_portable", "kitchen_more_portable", "toy_cnn_bundled", "kitchen_math_portable", "kitchen_shape_portable",
         "delegate_ops_f32_xnnpack", "linear_qd8_qb4w_xnnpack", "quant_ops_int8_xnnpack")
# Writes down how the lab starts the emulator, and is it.
WRAPPER = """#!/bin/sh
case " $* " in *" -D "*) printf '%s\\n' "$@" >{words} ;; esac
exec {emulator} "$@"
"""


def setUpModule():
    lab.need(lab.SME2LAB, lab.AGENT, lab.EMULATOR, PROBE)


def input_files(folder):
    return sorted(folder.glob("input-*.bin"), key=lambda path: int(path.stem.split("-")[1]))


def programs():
    """The program's file by its folder's name."""
    found = {path.parent.name: path for folder in (os.environ.get("SL_FIXTURES"), lab.MODELS) if folder
             for file in ("*/model.bpte", "*/model.pte") for path in pathlib.Path(folder).glob(file)}
    only = os.environ.get("SL_ONLY") or (",".join(SHARE) if REPEATS == 2 else "")
    names = only.split(",") if only else sorted(found, key=lambda name: found[name].stat().st_size)
    return {name: found[name] for name in names}


class Repeats(lab.Scratch):
    def measure(self, program, nth, draw):
        """Every event's instructions, from a daemon of its own in a place of its own."""
        place = self.scratch / f"{nth}{'x' * draw.randrange(20)}"
        for name in ("tmp", "state"):
            (place / name).mkdir(parents=True)
        environment = {"PATH": os.environ["PATH"], "TMPDIR": str(place / "tmp"), "SME2LAB_STATE": str(place / "state"),
                       "SME2LAB_RUNTIME": "own", "PADDING": "y" * draw.randrange(9000)}
        words = ["run", program, "--device", "counted", "--runs", 2, "--warmup", 1, "--out", place / "out"]
        if (inputs := input_files(program.parent)) and program.suffix == ".pte":  # a bundled program has its own
            words += ["--inputs", ",".join(map(str, inputs))]
        if (program.parent / "weights.ptd").exists():
            words += ["--data-path", program.parent / "weights.ptd"]
        try:
            done = subprocess.run([lab.SME2LAB, *map(str, words)], env=environment, cwd=draw.choice(["/", place, lab.ROOT]),
                                  capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=600 * REPEATS)  # a large program alone takes minutes, more beside others
        finally:
            lab.end_private_daemons(place / "state")
        self.assertIn(done.returncode, (0, 3), done.stdout + done.stderr)  # 4: its repeats within the run differ
        events = lab.read_trace((place / "out/model_run_t1.sltrace").read_bytes())
        return [(e["variant"], e["name"], e["kernel"], e["shape"], e["end"] - e["start"]) for e in events]

    def test_events_count_the_same_in_every_process(self):
        self.assertGreater(len(programs()), 0)
        for index, (name, program) in enumerate(programs().items()):
            with self.subTest(name):
                draw = random.Random(name)
                first, *others = (self.measure(program, f"{index}-{nth}", draw) for nth in range(REPEATS))
                self.assertGreater(len(first), 0)
                moved = collections.Counter(pair for other in others for pair in zip(first, other) if pair[0] != pair[1])
                self.assertEqual(moved, {})
                self.assertEqual({len(other) for other in others}, {len(first)})
                if REPEATS > 2:
                    print(f"{name}: {REPEATS} runs of {len(first)} events", flush=True)

    def test_the_guests_memory_lies_in_the_same_places(self):
        wrapper, words = self.scratch / "emulator", self.scratch / "words"
        wrapper.write_text(WRAPPER.format(words=words, emulator=lab.EMULATOR))
        wrapper.chmod(0o755)
        state = self.scratch / "state"
        folder = lab.MODELS / "kitchen_shape_portable"
        done = lab.sme2lab("run", folder / "model.pte", "--device", "counted", "--runs", 1, "--warmup", 0, "--out", self.scratch / "out",
                           env={"SME2LAB_EMULATOR": str(wrapper), "SME2LAB_STATE": str(state)})
        lab.end_private_daemons(state)
        self.assertIn(done.returncode, (0, 3, 4), done.stderr)
        prefix = words.read_text().split("\n")
        prefix = prefix[:prefix.index(str(lab.AGENT))]
        prefix[prefix.index("-D") + 1] = "/dev/null"
        places = {subprocess.run([lab.EMULATOR, *prefix, PROBE, "places"], env={}, check=True, capture_output=True, text=True).stdout
                  for _ in range(8)}
        self.assertEqual(len(places), 1, places)


if __name__ == "__main__":
    lab.main()
