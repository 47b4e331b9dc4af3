"""ExecuTorch's own libraries execute as many instructions as was measured and published, the libraries alone to the instruction: models small enough for
every change, or all nine (SL_PUBLISHED=all, by `scripts/test --long published`)."""

import json
import os
import pathlib

import executorch_agent
import lab

FIXTURES = pathlib.Path(os.environ.get("SL_FIXTURES", lab.MODELS))
ALL = os.environ.get("SL_PUBLISHED") == "all"
RUNS = 2 if ALL else 1
WITHIN = 0.005
# A steady inference of ExecuTorch 1.5.1's aarch64 wheel, one thread, SVL 512: (off, on).
PUBLISHED = {
    "kitchen_nn_portable": (2_909_973, 2_909_973),
    "toy_cnn_f32_xnnpack": (3_603_619, 1_275_480),
    "toy_cnn_f16_xnnpack": (1_968_769, 1_176_387),
    "toy_cnn_int8_xnnpack": (1_711_099, 1_114_178),
    "transformer_dynq_xnnpack": (22_675_559, 12_707_429),
    "transformer_f32_xnnpack": (53_328_735, 10_160_111),
    "mobilenet_v3_small_f32_xnnpack": (27_561_137, 12_436_620),
    "mobilenet_v2_f32_xnnpack": (45_144_132, 18_203_929),
    "mobilenet_v2_int8_xnnpack": (54_014_048, 24_882_535),
}
# The others are transformers, whose operators allocate: what was published has glibc's allocator in it, whose cost depends on what came before.
EXACT = ("kitchen_nn_portable", "toy_cnn_f32_xnnpack", "toy_cnn_f16_xnnpack", "toy_cnn_int8_xnnpack", "mobilenet_v3_small_f32_xnnpack", "mobilenet_v2_f32_xnnpack",
         "mobilenet_v2_int8_xnnpack")
DELEGATES = 2  # the kind of an event that a delegate told of
SMALL = ("kitchen_nn_portable", "toy_cnn_f16_xnnpack", "toy_cnn_int8_xnnpack")  # test_runtime.py runs toy_cnn_f32_xnnpack


def setUpModule():
    lab.need(lab.SME2LAB, lab.AGENT, lab.EMULATOR, executorch_agent.AGENT, executorch_agent.TOTAL)


def find(name):
    """The folder of a program; None: it is not here."""
    return next((root / name for root in (lab.MODELS, FIXTURES) if (root / name / "model.pte").exists()), None)


class Published(lab.Scratch):
    def measure(self, folder):
        """What the host's counted run of ExecuTorch says of each variant."""
        done = lab.sme2lab("run", folder / "model.pte", "--inputs", ",".join(map(str, executorch_agent.numbered(folder))), "--device", "counted", "--runtime", "executorch",
                           "--runs", str(RUNS), "--warmup", "1", "-o", self.scratch / folder.name, "--json", timeout=550)
        self.assertIn(done.returncode, (0, 3), done.stderr)  # 3: as much with SME2 as without, where nothing is delegated
        steady = [[run["e2e_insns"] for run in analysis["runs"] if not run["warmup"]] for analysis in json.loads(done.stdout)["analyses"]]
        manifest, = (self.scratch / folder.name).glob("manifest*.json")
        return steady, json.loads(manifest.read_text())["executed"]

    def hold(self, name, folder):
        steady, executed = self.measure(folder)
        said = []
        for variant, counts, published in zip(("off", "on"), steady, PUBLISHED[name]):
            self.assertEqual((len(counts), len(set(counts))), (RUNS, 1), f"{name}, SME2 {variant}: repeats are equal")
            said.append(f"{variant} {counts[0]} ({100 * (counts[0] / published - 1):+.3f} %)")
            self.assertLessEqual(abs(counts[0] - published), WITHIN * published, f"{name}, SME2 {variant}: {counts[0]} for {published}")
        self.hold_streaming(name, executed)
        print(f"{name}: {', '.join(said)}", flush=True)

    def hold_streaming(self, name, executed):
        """SME2 off starts no streaming mode, in no execution; on does where there is a product to delegate."""
        starts = {variant: {e["smstarts"] for e in executed if e["variant"] == variant} for variant in ("off", "on")}
        self.assertEqual(starts["off"], {0}, name)
        self.assertEqual(min(starts["on"]) > 0, name.endswith("_xnnpack"), name)

    def test_counts_are_those_that_were_published(self):
        for name in PUBLISHED if ALL else SMALL:
            with self.subTest(name):
                folder = find(name)
                if folder is None:
                    self.skipTest(f"{name} is in SL_FIXTURES only")
                self.hold(name, folder)


class ToTheInstruction(lab.Scratch):
    """The libraries execute exactly what was published. Inside Method::execute the program that runs them has code of its own too: it takes stamps where the
    libraries ask for the time and tell of events. That of the program which measured what was published is not ours; each of its functions has one path, whose
    length stands here. Of ours, count_total tells what lies in our program's file."""

    STAMP = 26  # clock_gettime() at the end of each operator: 17 up to its mark and 9 behind it
    BEGIN, END, RESET = 16, 7 + 5, 11  # start_profiling(), end_profiling() with 7 before its mark, MallocMemoryAllocator::reset() out of the libraries' headers
    METHOD = 7 + RESET
    CALL = 2 * (BEGIN + END) + RESET  # OPERATOR_CALL and the operator in it
    DELEGATE = BEGIN + END + RESET + STAMP + 5 + 32  # a stamp before the first operator, submit_trace(), and a time that XNNPACK asks for through libstdc++

    def own_of_the_published(self, events, method):
        inside = [event["name"] for event in events if method["start"] < event["start"] and event["end"] < method["end"] and event["event"] != DELEGATES]
        delegates, calls = inside.count("DELEGATE_CALL"), inside.count("OPERATOR_CALL")
        self.assertEqual(len(inside), delegates + 2 * calls, inside)
        stamps = (method["end"] - method["start"] - 1) // 2 - len(inside)  # each has two marks, as has an event
        return self.METHOD + self.CALL * calls + self.DELEGATE * delegates + self.STAMP * (stamps - delegates)

    def test_all_but_the_measuring_programs_own_code(self):
        for name in EXACT if ALL else EXACT[:2]:
            for isa, published in zip(("nosme2", "sme2"), PUBLISHED[name]):
                with self.subTest(f"{name}, {isa}"):
                    marks, events = executorch_agent.count(self.scratch, find(name), "--num_executions=1", f"--isa={isa}", said="own")
                    method = [event for event in events if event["name"] == "Method::execute"][-1]
                    counted, own = (marks[method["end"]][k] - marks[method["start"]][k] for k in (0, 1))
                    theirs = self.own_of_the_published(events, method)
                    self.assertEqual(counted - own, published - theirs, f"{counted} of which {own} are our own, {published} of which {theirs} were")
                    print(f"{name}, {isa}: the libraries executed {counted - own}, our program {own} and that of the published count {theirs}", flush=True)


if __name__ == "__main__":
    lab.main()
