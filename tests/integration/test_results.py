"""What is done with a run afterwards: compared, validated and reported, offline."""

import json
import pathlib
import random
import shutil
import tempfile
import unittest

import lab

MOBILENET = lab.MODELS / "mobilenet_v2_f32_xnnpack"


def setUpModule():
    lab.need(lab.SME2LAB, lab.AGENT, lab.EMULATOR)


class Results(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="sme2lab-test-"))
        cls.run_ = lab.Run("toy_cnn_f32_xnnpack", cls.folder / "run")

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="sme2lab-test-")
        self.addCleanup(holder.cleanup)
        self.scratch = pathlib.Path(holder.name)

    def copy(self):
        copied = self.scratch / "copy"
        shutil.copytree(self.run_.out, copied)
        return copied

    def edit(self, path, old, new):
        text = path.read_text()
        self.assertIn(old, text)
        path.write_text(text.replace(old, new, 1))

    def compare(self, *words):
        done = lab.sme2lab("compare", "--json", *words)
        return done.returncode, json.loads(done.stdout)


class Compare(Results):
    def test_a_directory_gives_the_comparison_of_its_run(self):
        code, result = self.compare(self.run_.out)
        self.assertEqual(code, 0)
        self.assertEqual(result, self.run_.result["comparison"])

    def test_its_two_etdumps_give_the_same(self):
        paths = [self.run_.out / r["etdump"] for r in self.run_.manifest["results"]]
        code, result = self.compare(*paths)
        self.assertEqual((code, result["method"]), (0, "exact"))
        self.assertEqual(result["ratio"], self.run_.result["comparison"]["ratio"])
        self.assertEqual(result["factor"], {"name": "sme2", "baseline": "off", "candidate": "on"})
        code, result = self.compare(*reversed(paths))
        self.assertEqual((code, result["verdict"]), (3, "slower"))

    def test_a_slow_down_within_the_threshold_is_no_regression(self):
        paths = [self.run_.out / r["etdump"] for r in reversed(self.run_.manifest["results"])]
        self.assertEqual(self.compare(*paths, "--threshold", 5000)[0], 0)

    def test_another_model_is_named_and_incomparable(self):
        other = self.copy()
        self.edit(other / "manifest.json", '"model_sha256":"', '"model_sha256":"0')
        code, result = self.compare(self.run_.out, other)
        self.assertEqual((code, result["verdict"]), (4, "incomparable"))
        self.assertIn("model differs", " ".join(result["reasons"]))
        self.assertEqual(self.compare(self.run_.out, other, "--factor", "model")[1]["verdict"], "equivalent")

    def test_other_threads_are_named_and_incomparable(self):
        other = self.copy()
        text = (other / "manifest.json").read_text()
        (other / "manifest.json").write_text(text.replace('"threads":1', '"threads":4'))
        code, result = self.compare(self.run_.out, other)
        self.assertEqual((code, result["verdict"]), (4, "incomparable"))
        self.assertIn("threads differs: 1 against 4", " ".join(result["reasons"]))

    def test_foreign_files_are_unpaired_and_it_is_said(self):
        code, result = self.compare(MOBILENET / "aarch64-nosme.etdump", MOBILENET / "aarch64-sme2.etdump")
        self.assertEqual((code, result["method"], result["verdict"]), (4, "block-bootstrap", "inconclusive"))
        self.assertTrue(any(reason.startswith("unpaired") for reason in result["reasons"]))

    def test_two_units_are_incomparable(self):
        code, result = self.compare(self.run_.out, MOBILENET / "run.etdump")
        self.assertEqual((code, result["verdict"]), (4, "incomparable"))

    def test_pairs_give_one_comparison_an_experiment(self):
        draw = random.Random(5)
        path = self.scratch / "pairs.csv"
        rows = [f"{name},{ratio * draw.gauss(1e6, 2e3)},{draw.gauss(1e6, 2e3)}"
                for name, ratio in (("faster", 1.1), ("slower", 0.9), ("equivalent", 1)) for _ in range(24)]
        path.write_text("\n".join(["experiment,baseline_ns,candidate_ns", *rows]))
        code, results = self.compare("--pairs", path, "--seed", 9)
        self.assertEqual(code, 3)
        self.assertEqual([r["verdict"] for r in results], [r["experiment"] for r in results])
        self.assertTrue(all(r["seed"] == 9 and r["interval"] and r["sign_interval"] for r in results))

    def test_what_cannot_be_read_is_an_error(self):
        for words in ([], [self.scratch], [self.scratch / "none.etdump", self.run_.out], ["--pairs", self.scratch / "none.csv"]):
            code, result = self.compare(*words)
            self.assertEqual((code, result["error"]["code"]), (2, "usage"))


class Validate(Results):
    def differences(self, directory):
        done = lab.sme2lab("validate", "--json", directory)
        result = json.loads(done.stdout)
        self.assertEqual(done.returncode, 0 if result["valid"] else 1)
        return [f"{d['where']}: {d['what']}" for d in result["differences"]]

    def test_a_run_is_valid_where_it_is_and_moved(self):
        self.assertEqual(self.differences(self.run_.out), [])
        self.assertEqual(self.differences(self.copy()), [])

    def test_each_changed_number_is_named(self):
        folder = self.copy()
        median = self.run_.result["comparison"]["candidate"]["median_insns"]
        self.edit(folder / "analysis_summary.json", f'"median_insns":{median}', f'"median_insns":{median + 1}')
        self.edit(folder / "manifest.json", f'"insns":{median}', f'"insns":{median - 1}')
        said = self.differences(folder)
        self.assertEqual(len(said), 2, said)
        self.assertTrue(any("analysis_summary.json#/comparison/candidate/median_insns" in d for d in said), said)
        self.assertTrue(any(str(median - 1) in d for d in said), said)

    def test_each_file_of_a_run_is_missed(self):
        files = [p for p in sorted(self.run_.out.rglob("*")) if p.is_file() and p.name != "manifest.json"
                 and not p.name.endswith("portable.log")]
        for path in files:
            name = str(path.relative_to(self.run_.out))
            folder = self.copy()
            (folder / name).unlink()
            said = self.differences(folder)
            self.assertTrue(said, f"{name} was not missed")
            shutil.rmtree(folder)

    def test_an_etdump_of_another_run_is_found_out(self):
        folder = self.copy()
        shutil.copy(MOBILENET / "run.etdump", folder / self.run_.manifest["results"][0]["etdump"])
        self.assertTrue(any("hash" in d for d in self.differences(folder)))

    def test_a_wrong_directory_is_an_error(self):
        for folder in (self.scratch, self.scratch / "none", lab.MODELS):
            done = lab.sme2lab("validate", "--json", folder)
            self.assertEqual((done.returncode, json.loads(done.stdout)["error"]["code"]), (2, "usage"))


del Results  # its cases are those of the classes above

if __name__ == "__main__":
    lab.main()
