"""What a user gets wrong, and what breaks: exit codes, messages with place and fix, nothing left running."""

import json
import os
import signal
import subprocess
import unittest

import lab
from daemon import await_follower, private_sockets

TOY = lab.MODELS / "toy_cnn_f32_xnnpack"


def setUpModule():
    lab.need(lab.SME2LAB)


class Failures(lab.Scratch):
    def refused(self, code, *words, says=(), env=None):
        """Runs, expects the exit code, and each of `says` on stderr and the JSON error on stdout."""
        done = lab.sme2lab(*words, env=env)
        self.assertEqual(done.returncode, code, done.stderr)
        for text in says:
            self.assertIn(text, done.stderr)
        done = lab.sme2lab(*words, "--json", env=env)
        self.assertEqual(done.returncode, code)
        error = json.loads(done.stdout)["error"]
        self.assertEqual(set(error), {"code", "message", "where", "hint"})
        self.assertTrue(error["message"])
        return error

    def config(self, text):
        path = self.scratch / "config.json"
        path.write_text(text)
        return path

    def test_unknown_verb_names_the_nearest(self):
        error = self.refused(2, "analize", says=["did you mean 'sme2lab analyze'"])
        self.assertEqual(error["code"], "usage")

    def test_what_another_run_left_is_written_over_by_force_alone(self):
        model = lab.MODELS / "llm_cache_portable/model.pte"
        words = ("run", model, "--device", "counted", "--out", self.scratch / "o", "-q")
        self.assertEqual(lab.sme2lab(*words).returncode, 0)
        before = (self.scratch / "o/manifest.json").read_bytes()
        self.refused(2, *words, says=["results of another run", "--force"])
        self.assertEqual((self.scratch / "o/manifest.json").read_bytes(), before)
        self.assertEqual(lab.sme2lab(*words, "--force").returncode, 0)
        etdump = next((self.scratch / "o/run_sme2-on").glob("*.etdump"))
        analyze = ("analyze", etdump, "--csv", self.scratch / "csv", "--perfetto", self.scratch / "trace")
        for _ in range(2):  # the same bytes again are no other file
            self.assertEqual(lab.sme2lab(*analyze).returncode, 0)
        for path in (next((self.scratch / "csv").glob("*_kernels.csv")), self.scratch / "trace"):
            kept = path.read_bytes()
            path.write_text("mine")
            self.refused(2, *analyze, says=["another file of that name", "--force"])
            self.assertEqual(path.read_text(), "mine")
            path.write_bytes(kept)
        path.write_text("mine")
        self.assertEqual(lab.sme2lab(*analyze, "--force").returncode, 0)

    def test_a_line_of_pairs_with_a_field_too_many_is_refused(self):
        pairs = self.scratch / "pairs.csv"
        pairs.write_text("baseline_ns,candidate_ns\n1,2\n1,2,3\n")
        self.refused(2, "compare", "--pairs", pairs, says=["more fields than the head", "line 3"])

    def test_an_export_of_nothing_names_what_is_missing(self):
        self.refused(2, "export", says=["Name the runs to export"])

    def test_verbs_of_the_daemon_name_the_daemon_they_do_not_find(self):
        for verb in ("jobs", "devices", "runs", "history"):
            self.refused(5, verb, "--server", "unix:/nowhere/sme2labd.sock", says=["daemon"])

    def test_unknown_option_names_the_nearest(self):
        self.refused(2, "run", "m.pte", "--thread", "1", says=["did you mean --threads"])

    def test_unknown_key_has_pointer_and_nearest(self):
        path = self.config('{"model": "m.pte", "experiments": [{"name": "a", "treads": [1]}]}')
        error = self.refused(2, "run", path, says=["/experiments/0/treads", "did you mean 'threads'"])
        self.assertIn(str(path), error["where"])

    def test_configuration_that_is_not_json_has_line_and_column(self):
        self.refused(2, "run", self.config('{"model": "m.pte",\n "runs" 3}'), says=["config.json:2:9"])

    def test_lists_of_threads_that_cannot_be_are_refused(self):
        path = self.config('{"model": "m.pte", "experiments": [{"name": "a", "threads": [1, 1]}]}')
        self.refused(2, "run", path, says=["/experiments/0/threads/1", "twice"])
        self.refused(2, "run", "m.pte", "--threads", "1,0", says=["--threads 1,2,4"])
        self.refused(2, "run", "m.pte", "--svl", "100", says=["take 128, 256, 512, 1024 or 2048"])

    def test_instructions_are_not_counted_on_several_threads(self):
        lab.need(lab.AGENT, lab.EMULATOR)
        self.refused(2, "run", TOY / "model.pte", "--device", "counted", "--threads", "2", "--out", self.scratch / "o",
                     says=["counted on one thread"])

    def test_missing_model_is_a_usage_error(self):
        lab.need(lab.AGENT, lab.EMULATOR)
        self.refused(2, "run", self.scratch / "none.pte", "--out", self.scratch / "o", says=["none.pte", "cannot be read"])

    def test_damaged_model_fails_with_its_place(self):
        lab.need(lab.AGENT, lab.EMULATOR)
        model = (TOY / "model.pte").read_bytes()
        damaged = self.scratch / "damaged.pte"
        for cut in (b"", model[:100], model[:len(model) // 2], b"\xff" * 4096):
            damaged.write_bytes(cut)
            self.refused(2, "run", damaged, "--out", self.scratch / "o", says=["damaged.pte"])

    def test_input_of_the_wrong_size_fails_with_the_agents_words(self):
        lab.need(lab.AGENT, lab.EMULATOR)
        short = self.scratch / "short.bin"
        short.write_bytes(b"\0" * 100)
        self.refused(1, "run", TOY / "model.pte", "--inputs", short, "--out", self.scratch / "o",
                  says=["cannot run", "short.bin", "49152"])

    def test_missing_input_is_a_usage_error(self):
        self.refused(2, "run", TOY / "model.pte", "--inputs", self.scratch / "none.bin", "--device", "counted",
                     "--out", self.scratch / "o", says=["none.bin", "cannot be read"])

    def test_missing_emulator_names_the_fix(self):
        error = self.refused(5, "run", TOY / "model.pte", "--device", "counted",
                          env={"SME2LAB_EMULATOR": str(self.scratch / "none")}, says=["SME2LAB_EMULATOR"])
        self.assertEqual(error["code"], "lab")

    def test_old_emulator_names_scripts_setup(self):
        old = self.scratch / "qemu-aarch64"
        old.write_text("#!/bin/sh\necho qemu-aarch64 version 7.2.1\n")
        old.chmod(0o755)
        self.refused(5, "run", TOY / "model.pte", "--device", "counted", env={"SME2LAB_EMULATOR": str(old)},
                  says=["7.2.1", "scripts/setup"])

    def test_agent_that_hangs_is_ended_at_the_timeout(self):
        lab.need(lab.AGENT, lab.EMULATOR)
        # The emulator takes longer than that for one inference of MobileNet v2.
        self.refused(1, "run", lab.MODELS / "mobilenet_v2_f32_xnnpack/model.pte", "--timeout", "1",
                  "--out", self.scratch / "o", says=["hung"])

    def test_cpu_without_sme_is_told_with_the_fix(self):
        lab.need(lab.AGENT, lab.EMULATOR)
        self.refused(1, "run", TOY / "model.pte", "--cpu", "max,sme=off", "--device", "counted", "--out", self.scratch / "o",
                     says=["needs SME2", "sme512=on"])

    def test_times_of_an_emulated_cpu_are_unfit_on_two_threads_too(self):
        lab.need(lab.AGENT, lab.EMULATOR)
        done = lab.sme2lab("run", TOY / "model.pte", "--device", "emulated", "--runs", "2", "--warmup", "1", "--threads", "2",
                           "--out", self.scratch / "o", "--json")
        self.assertEqual(done.returncode, 4, done.stderr)
        result = json.loads(done.stdout)
        self.assertEqual(result["verdict"], "unfit")
        self.assertTrue(result["comparison"]["emulated"])
        self.assertIn("e2e_ns", result["analyses"][0]["runs"][0])
        manifest = json.loads((self.scratch / "o/manifest.json").read_text())
        self.assertEqual([one["threads"] for one in manifest["results"]], [2, 2])
        self.assertEqual(len(list(self.scratch.glob("o/*/*_t2.etdump"))), 2)

    def test_interrupt_ends_the_run_with_130(self):
        lab.need(lab.AGENT, lab.EMULATOR)
        words = [lab.SME2LAB, "run", lab.MODELS / "mobilenet_v2_f32_xnnpack/model.pte", "--device", "counted",
                 "--cancel-on-interrupt", "--out", self.scratch / "o"]
        run = subprocess.Popen(words, env={**os.environ, "SME2LAB_STATE": str(lab.STATE)}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        await_follower(private_sockets)
        run.send_signal(signal.SIGINT)
        _, said = run.communicate(timeout=120)
        self.assertEqual(run.returncode, 130, said)
        self.assertIn("Interrupted", said)

    def test_output_directory_that_cannot_be_is_named(self):
        lab.need(lab.AGENT, lab.EMULATOR)
        blocked = self.scratch / "file"
        blocked.write_text("")
        self.refused(2, "run", TOY / "model.pte", "--out", blocked / "below", says=["file"])

    def test_a_home_that_cannot_be_written_is_named(self):
        (self.scratch / "file").write_text("")
        home = {"HOME": f"{self.scratch}/file", "SME2LAB_STATE": "", "XDG_STATE_HOME": ""}
        self.refused(2, "submit", TOY / "model.pte", says=[f"{self.scratch}/file", "SME2LAB_STATE"], env=home)

    def test_temporary_directories_are_removed(self):
        lab.need(lab.AGENT, lab.EMULATOR)
        place = self.scratch / "tmp"
        place.mkdir()
        lab.sme2lab("run", TOY / "model.pte", "--timeout", "1", "--out", self.scratch / "o", env={"TMPDIR": str(place)})
        self.assertEqual(os.listdir(place), [])


if __name__ == "__main__":
    unittest.TestCase.maxDiff = None
    lab.main()
