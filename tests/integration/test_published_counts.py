"""ExecuTorch's own libraries execute as many instructions as was measured and published: models small enough for every change, or all nine
(SL_PUBLISHED=all, by `scripts/test --long published`)."""

import json
import os
import pathlib

import lab

FOLDER = lab.ROOT / "build/agent-aarch64/executorch"
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
SMALL = ("kitchen_nn_portable", "toy_cnn_f16_xnnpack", "toy_cnn_int8_xnnpack")  # test_runtime.py runs toy_cnn_f32_xnnpack


def setUpModule():
    lab.need(lab.SME2LAB, lab.AGENT, lab.EMULATOR, FOLDER / "sme2lab-agent-executorch")


def find(name):
    """The folder of a program; None: it is not here."""
    return next((root / name for root in (lab.MODELS, FIXTURES) if (root / name / "model.pte").exists()), None)


def numbered(folder):
    return sorted(folder.glob("input-*.bin"), key=lambda path: int(path.stem.split("-")[1]))


class Published(lab.Scratch):
    def measure(self, folder):
        """What the host's counted run of ExecuTorch says of each variant."""
        done = lab.sme2lab("run", folder / "model.pte", "--inputs", ",".join(map(str, numbered(folder))), "--device", "counted", "--runtime", "executorch",
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


if __name__ == "__main__":
    lab.main()
