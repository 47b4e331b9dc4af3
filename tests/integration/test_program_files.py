"""Programs that are more than one .pte: external weights (.ptd), bundled programs (.bpte), several methods."""

import hashlib
import json
import struct
import unittest

import lab
from daemon import NATIVE_AGENT, SME2LABD, Daemon

WEIGHTS = lab.MODELS / "external_weights_xnnpack"
PORTABLE = lab.MODELS / "external_weights_portable"
BUNDLED = lab.MODELS / "toy_cnn_bundled/model.bpte"
TOY = lab.MODELS / "toy_cnn_f32_xnnpack"


def setUpModule():
    lab.need(SME2LABD, NATIVE_AGENT, lab.AGENT, lab.EMULATOR, lab.SME2LAB)


def numbers(path):
    data = path.read_bytes()
    return struct.unpack(f"<{len(data) // 4}f", data)


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def run(*words):
    return lab.sme2lab("run", *words, "--device", "counted", "--runs", 1, "--warmup", 0, "--json")


class ProgramFiles(lab.Scratch):
    def assert_near(self, ours, theirs):
        want = numbers(theirs)
        self.assertLess(max(abs(a - b) for a, b in zip(numbers(ours), want, strict=True)), 1e-4 * max(map(abs, want)))

    def run_with_data(self, folder, data, out):
        done = run(folder / "model.pte", "--data-path", data, "--inputs", folder / "input-0.bin", "--out", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads((out / "manifest.json").read_text())

    def test_external_weights_come_from_their_file_and_stand_in_the_manifest(self):
        for folder in (WEIGHTS, PORTABLE):
            out = self.scratch / folder.name
            manifest = self.run_with_data(folder, folder / "weights.ptd", out)
            self.assertEqual(manifest["data"], {"file": str(folder / "weights.ptd"), "sha256": sha256(folder / "weights.ptd")})
            self.assertEqual(manifest["model_sha256"], sha256(folder / "model.pte"))
            for variant in ("sme2-on", "sme2-off", "portable"):
                self.assert_near(out / f"model_run_t1_{variant}-0.bin", folder / "runtime-0.bin")

    def test_other_weights_are_another_model_to_a_comparison(self):
        other = bytearray((PORTABLE / "weights.ptd").read_bytes())
        first = self.run_with_data(PORTABLE, PORTABLE / "weights.ptd", self.scratch / "first")
        at = other.rfind(b"\0\0\0\0\0\0\0\0")  # padding between tensors: same numbers, another file
        other[at + 3] = 1
        changed = self.scratch / "other.ptd"
        changed.write_bytes(other)
        second = self.run_with_data(PORTABLE, changed, self.scratch / "second")
        self.assertEqual(first["model_sha256"], second["model_sha256"])
        same = lab.sme2lab("compare", self.scratch / "first", self.scratch / "first", "--json")
        done = lab.sme2lab("compare", self.scratch / "first", self.scratch / "second", "--json")
        self.assertNotIn("model differs", same.stdout)
        self.assertEqual(done.returncode, 4, done.stdout)
        self.assertIn("confounded: model differs", done.stdout)

    def test_missing_weights_are_named_and_so_is_the_option(self):
        for folder in (WEIGHTS, PORTABLE):
            done = run(folder / "model.pte", "--out", self.scratch / "none")
            self.assertEqual(done.returncode, 1)
            self.assertIn("external data file (.ptd)", done.stderr)
            self.assertIn("--data_path", done.stderr)
        done = run(WEIGHTS / "model.pte", "--data-path", self.scratch / "no.ptd", "--out", self.scratch / "none")
        self.assertEqual(done.returncode, 2)
        self.assertIn("no.ptd", done.stderr)

    def test_a_bundled_program_runs_on_its_own_inputs(self):
        out = self.scratch / "bundled"
        done = run(BUNDLED, "--out", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("Test_result: PASS", (out / "model_run_t1_latency.log").read_text())
        for variant in ("sme2-on", "sme2-off", "portable"):
            self.assert_near(out / f"model_run_t1_{variant}-0.bin", TOY / "runtime-0.bin")

    def test_inspect_reads_both_and_asks_the_agent(self):
        for words in ((BUNDLED,), (WEIGHTS / "model.pte", "--data-path", WEIGHTS / "weights.ptd")):
            done = lab.sme2lab("inspect", *words, "--json")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertTrue(json.loads(done.stdout)["methods"])

    def test_a_submission_names_the_weights_by_their_digest(self):
        with Daemon(self.scratch / "state") as daemon:
            job = {"model": daemon.put_blob(WEIGHTS / "model.pte"), "data": daemon.put_blob(WEIGHTS / "weights.ptd"),
                   "inputs": [daemon.put_blob(WEIGHTS / "input-0.bin")], "runs": 1, "warmup": 0}
            records = []
            for body in (job, {**job, "data": daemon.put_blob(WEIGHTS / "input-0.bin")}):
                status, _, answer = daemon.submit(body)
                self.assertEqual(status, 201, answer)
                records.append(daemon.wait(json.loads(answer)["id"]))
            self.assertEqual(records[0]["state"], "done", records[0])
            self.assertEqual(records[1]["state"], "failed", records[1])  # an input is no .ptd
            stored = daemon.get(f"/api/v1/runs/{records[0]['run']}")
            self.assertNotEqual(stored["model_sha256"], sha256(WEIGHTS / "model.pte"))
            status, _, answer = daemon.submit({**job, "data": "no digest"})
            self.assertIn(status, (400, 422))
            self.assertIn(b"SHA-256", answer)


if __name__ == "__main__":
    lab.main()
