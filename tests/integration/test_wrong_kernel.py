"""A build with one deliberately wrong kernel must get the verdict `wrong` and exit 1."""

import json
import os
import subprocess
import unittest

import lab

BUILD = lab.BUILD / "agent-aarch64-wrong"


def setUpModule():
    lab.need(lab.SME2LAB, lab.AGENT, lab.EMULATOR)


def build():
    """The agent with SL_WRONG_KERNEL, in a build directory of its own that is kept."""
    cmake = "/usr/bin/cmake" if os.access("/usr/bin/cmake", os.X_OK) else "cmake"
    for words in (["--preset", "agent-aarch64", "-B", BUILD, "-DSL_WRONG_KERNEL=ON", "-DSL_TESTS=OFF"],
                  ["--build", BUILD, "--target", "sme2lab-agent", "-j2"]):
        subprocess.run([cmake, *map(str, words)], cwd=lab.ROOT, check=True, capture_output=True, timeout=500)
    return BUILD / "bin/sme2lab-agent"


class WrongKernel(lab.Scratch):
    def test_wrong_kernel_gets_the_verdict_wrong(self):
        agent = build()
        model = lab.MODELS / "toy_cnn_f32_xnnpack"
        done = lab.sme2lab("run", model / "model.pte", "--inputs", model / "input-0.bin", "--device", "counted",
                           "--runs", 1, "--warmup", 0, "--out", self.scratch / "o", "--json",
                           env={"SME2LAB_AGENT": str(agent)})
        self.assertEqual(done.returncode, 1, done.stderr)
        result = json.loads(done.stdout)
        self.assertEqual(result["verdict"], "wrong")
        self.assertFalse(result["output_agreement"]["on_vs_portable"]["agree"])
        self.assertTrue(result["output_agreement"]["off_vs_portable"]["agree"])


if __name__ == "__main__":
    lab.main()
