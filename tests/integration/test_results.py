"""What is done with a run afterwards: compared, validated and reported, offline."""

import csv
import hashlib
import html.parser
import json
import os
import pathlib
import random
import re
import shutil
import tempfile
import unittest
import zipfile
from xml.etree import ElementTree

import lab

MOBILENET = lab.MODELS / "mobilenet_v2_f32_xnnpack"


def setUpModule():
    lab.need(lab.SME2LAB, lab.AGENT, lab.EMULATOR)


class Results(unittest.TestCase):
    words = ()  # of the run besides

    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="sme2lab-test-"))
        cls.run_ = lab.Run("toy_cnn_f32_xnnpack", cls.folder / "run", *cls.words)

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
        for row in result["categories"]:
            parts = [part for part in result["parts"] if part["category"] == row["name"]]
            for key in ("baseline_insns", "candidate_insns", "delta_insns") if parts else ():
                self.assertEqual(sum(part[key] for part in parts), row[key], (row["name"], key))
        self.assertEqual([(part["category"], part["name"]) for part in result["parts"]],
                         [("CONV", "dense"), ("CONV", "packing inside"), ("CONV", "depthwise"), ("GEMM", "fully connected"), ("Data Movement", "layout"),
                          ("Data Movement", "copy"), ("Other", "pool")])

    def test_a_terminal_gets_blocks_that_fit_it_and_a_pipe_gets_plain_text(self):
        piped = lab.sme2lab("compare", self.run_.out, env={"LC_ALL": "C.UTF-8", "TERM": "xterm"}).stdout
        self.assertTrue(piped.isascii() and "##.." in piped)
        for locale, mark, other in (("C.UTF-8", "█", "##"), ("C", "##", "█")):
            text = self.on_a_terminal(72, locale, "compare", self.run_.out, "--full", "--color", "never")
            self.assertIn(mark, text)
            self.assertNotIn(other, text)
            self.assertLessEqual(max(map(len, text.splitlines())), 72)

    def test_a_comparison_is_ten_lines_and_full_on_demand(self):
        brief, full = (lab.sme2lab("compare", self.run_.out, *words).stdout.splitlines() for words in ((), ("--full",)))
        self.assertLessEqual(len(brief), 12, brief)
        self.assertGreater(len(full), 40)
        self.assertEqual(brief[-1], full[-1])
        self.assertIn("--full", "".join(brief))
        self.assertEqual(lab.sme2lab("compare", self.run_.out, "-q").stdout.splitlines(), brief[-1:])

    def test_two_builds_say_which_arm_is_compared(self):
        said = " ".join(lab.sme2lab("compare", self.run_.out, self.copy()).stdout.split())
        self.assertTrue(said.endswith(", SME2 on: executes the same number of instructions at SVL 512"), said)
        self.assertIn(" SME2 off: executes the same number of instructions at SVL 512", said)

    def test_the_model_says_which_operators_of_a_foreign_recording_sme2_is_for(self):
        sides = (MOBILENET / "aarch64-nosme.etdump", MOBILENET / "aarch64-sme2.etdump", "--factor", "sme2")
        named, planned = (self.compare(*sides, *words)[1] for words in ((), ("--model", MOBILENET / "model.pte")))
        labels = lambda result: {side: result[side]["label"] for side in ("baseline", "candidate")}
        self.assertEqual((labels(named), labels(planned)), ({"baseline": "name", "candidate": "name"}, {"baseline": "origin", "candidate": "origin"}))
        parts = {(part["category"], part["name"]) for part in planned["parts"]}
        self.assertIn(("CONV", "pointwise"), parts)  # XNNPACK calls them fully connected
        self.assertEqual(lab.sme2lab("compare", *sides, "--data-path", "x").returncode, 2)

    def on_a_terminal(self, columns, locale, *words):
        code, text = lab.on_a_terminal(columns, [lab.SME2LAB, *words], {**os.environ, "LC_ALL": locale, "TERM": "xterm"})
        self.assertEqual(code, 0)
        return text

    def test_its_two_etdumps_give_the_same(self):
        paths = [self.run_.out / r["etdump"] for r in self.run_.manifest["results"]]
        code, result = self.compare(*paths)
        self.assertEqual((code, result["method"]), (0, "exact"))
        self.assertEqual(result["ratio"], self.run_.result["comparison"]["ratio"])
        self.assertEqual(result["factor"], {"name": "sme2", "baseline": "off", "candidate": "on"})
        code, result = self.compare(*reversed(paths))
        self.assertEqual((code, result["verdict"]), (3, "more-instructions"))

    def test_a_slow_down_within_the_threshold_is_no_regression(self):
        paths = [self.run_.out / r["etdump"] for r in reversed(self.run_.manifest["results"])]
        self.assertEqual(self.compare(*paths, "--threshold", 5000)[0], 0)

    def test_an_operator_that_rounds_wrongly_is_wrong_whatever_comes_out(self):
        run = self.copy()
        manifest = json.loads((run / "manifest.json").read_text())
        row = {"name": "Convolution (NHWC, QC8) IGEMM #2", "chain": 0, "instruction": 1, "node": 3, "kernel": "sl_conv_sme2",
               "reference": "sl_conv_scalar", "distance": 3.0, "max_abs": 0.3}
        for kind, distance, verdict in (("steps", 1.0, "fewer-instructions"), ("steps", 3.0, "wrong"), ("rounded", 0.02, "wrong")):
            manifest["operators"][1]["farther"] = [{**row, "kind": kind, "distance": distance}]
            (run / "manifest.json").write_text(json.dumps(manifest))
            code, result = self.compare(run)
            self.assertEqual((code, result["verdict"]), (1 if verdict == "wrong" else 0, verdict))
            if verdict == "wrong":
                self.assertIn("first wrong operator, on: Convolution (NHWC, QC8) IGEMM #2", " ".join(result["reasons"]))

    def test_another_model_is_named_and_incomparable(self):
        other = self.copy()
        self.edit(other / "manifest.json", '"model_sha256":"', '"model_sha256":"0')
        code, result = self.compare(self.run_.out, other)
        self.assertEqual((code, result["verdict"]), (4, "incomparable"))
        self.assertIn("model differs", " ".join(result["reasons"]))
        self.assertEqual(self.compare(self.run_.out, other, "--factor", "model")[1]["verdict"], "equal")

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

    def test_an_off_arm_that_used_sme_is_named(self):
        """Two arms of a build whose SME1 was left on: operators have packed names in both."""
        code, result = self.compare(MOBILENET / "aarch64-sme2.etdump", MOBILENET / "aarch64-sme2.etdump", "--factor", "sme2")
        self.assertEqual(code, 4)
        self.assertTrue(any("off arm is no baseline without SME" in reason for reason in result["reasons"]))
        self.assertTrue(result["sme_in_off_arm"] and all("PF32" in row["operator"] for row in result["sme_in_off_arm"]))
        self.assertEqual({row["evidence"] for row in result["sme2_proof"]}, {"not proven"})

    def test_names_prove_what_was_packed_and_a_log_names_the_kernel(self):
        log = self.scratch / "candidate.log"
        log.write_text("Note (XNNPACK): Using igemm microkernel 'xnn_pf32_igemm_minmax_ukernel_32x32__neonsme2'. (f, x.c:1)\n")
        code, result = self.compare(MOBILENET / "aarch64-nosme.etdump", MOBILENET / "aarch64-sme2.etdump", "--factor", "sme2", "--log", log)
        proof = {row["operator"]: row["evidence"] for row in result["sme2_proof"]}
        self.assertEqual((code, proof["Convolution (NHWC, PF32) IGEMM"]), (4, "executed"))
        self.assertEqual({name for name, evidence in proof.items() if evidence == "executed"}, {name for name in proof if "PF32" in name})
        kernels = {row["operator"]: row["kernel"] for row in result["sme2_proof"]}
        self.assertEqual(kernels["Convolution (NHWC, PF32) IGEMM"], "xnn_pf32_igemm_minmax_ukernel_32x32__neonsme2")
        self.assertEqual(result["sme_in_off_arm"], [])

    def test_equal_runs_of_one_variant_have_no_noise(self):
        code, result = self.compare(self.run_.out, "--calibrate")
        self.assertEqual((code, result["verdict"], result["noise_floor"], result["ratio"]), (0, "equal", 0, 1))
        self.assertEqual(lab.sme2lab("compare", MOBILENET / "run.etdump", MOBILENET / "run.etdump", "--calibrate").returncode, 2)

    def test_runs_that_are_equal_to_the_byte_are_two_runs(self):
        words = (self.run_.out, self.copy())
        self.assertIn("estimated on", lab.sme2lab("compare", words[0], "--full").stdout)
        said = lab.sme2lab("compare", *words, "--full").stdout
        self.assertNotIn("estimated on", said)  # from off to on: of neither run against the other
        self.assertIn("outputs: agree; largest difference 0,", said)
        self.assertNotIn("estimate", self.compare(*words)[1])

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
        self.assertEqual(len(said), 3, said)
        self.assertTrue(any("analysis_summary.json#/manifest_sha256" in d for d in said), said)
        self.assertTrue(any("analysis_summary.json#/comparison/candidate/median_insns" in d for d in said), said)
        self.assertTrue(any(str(median - 1) in d for d in said), said)

    def test_every_member_of_the_manifest_is_looked_at(self):
        """Each value changed in turn, with the manifest's hash made to fit: what follows from other files is found out all the same.
        The rest is what was only recorded; nothing else holds it, and its change is told by the hash alone."""
        folder = self.copy()
        manifest, summary = folder / "manifest.json", folder / "analysis_summary.json"
        right, whole = manifest.read_text(), summary.read_text()
        hashed = json.loads(whole)["manifest_sha256"]
        self.assertEqual(hashed, hashlib.sha256(right.encode()).hexdigest())

        def write(document):
            text = json.dumps(document, separators=(",", ":"))
            manifest.write_text(text)
            summary.write_text(whole.replace(hashed, hashlib.sha256(text.encode()).hexdigest()))

        def places(value, path=()):
            if isinstance(value, dict):
                for key in value:
                    yield from places(value[key], (*path, key))
            elif isinstance(value, list) and value:
                yield from places(value[0], (*path, 0))
            else:
                yield path

        def set_at(path, change):
            document = json.loads(right)
            at = document
            for step in path[:-1]:
                at = at[step]
            at[path[-1]] = change(at[path[-1]])
            write(document)
            return lab.sme2lab("validate", "-q", folder).returncode in (1, 2)

        def another(value):
            if value is None or isinstance(value, list):
                return {"strange": 1}
            return not value if isinstance(value, bool) else value + 1 if isinstance(value, (int, float)) else value + "x"

        every = list(places(json.loads(right)))
        unseen = {path: "/".join(str(step) for step in path) for path in every if not set_at(path, another)}
        recorded = {"sme2lab_version", "command", "model", "model_bytes", "agent", "wall_ns", "inputs/0/file", "inputs/0/bytes", "device/cpu",
                    "device/emulator", "device/emulator_version", "counted_insns", "uncounted_insns", "executed/0/vector_macs",
                    "executed/0/outer_products", "executed/0/smstarts", "estimates/0/profile", "estimates/0/profile_sha256", "estimates/0/title"}
        estimated = re.compile(r"estimates/0/(operators/0/)?((off|on)/(confidence|unclassified)|operator)$")
        unseen = {path: name for path, name in unseen.items() if not estimated.match(name)}
        self.assertLessEqual({name for name in unseen.values() if not name.startswith(("device/probe/", "agent_report/", "operators/"))}, recorded)
        for path in every:  # of another type they are found
            if "/".join(map(str, path)) in recorded:
                self.assertTrue(set_at(path, lambda value: {"strange": 1}), path)

    def test_members_that_no_manifest_has_and_missing_ones_are_named(self):
        folder = self.copy()
        path = folder / "manifest.json"
        right = json.loads(path.read_text())
        for key in right:
            path.write_text(json.dumps({k: v for k, v in right.items() if k != key}))
            done = lab.sme2lab("validate", folder)
            self.assertIn(done.returncode, (1, 2), key)
            self.assertTrue(f"#/{key}: says nothing" in done.stdout or key in ("schema", "results"), (key, done.stdout))
        for where in ("", "device", "schedule", "agent_report", "policy", "executorch"):
            document = json.loads(json.dumps(right))
            (document[where] if where else document)["strange"] = 1
            path.write_text(json.dumps(document))
            self.assertTrue(any("/strange: says 1; recomputed it is nothing" in d for d in self.differences(folder)), where)
        path.write_text(json.dumps(right).replace('"labels"', '"mode": "clean", "labels"', 1))
        self.assertTrue(any("#/mode: says" in d for d in self.differences(folder)))

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

    def test_another_governor_or_other_cpus_are_confounds(self):
        for key, change in (("power", lambda m: m["device"]["probe"]["clusters"][0].update(governor="powersave")),
                            ("cpus", lambda m: m.update(cpu_affinity="big"))):
            folders = [self.copy(), self.scratch / f"{key}-other"]
            shutil.copytree(folders[0], folders[1])
            for folder, governor in zip(folders, ("performance", "performance")):
                manifest = json.loads((folder / "manifest.json").read_text())
                manifest["device"]["probe"]["clusters"][0]["governor"] = governor
                if folder == folders[1]:
                    change(manifest)
                (folder / "manifest.json").write_text(json.dumps(manifest))
            done = lab.sme2lab("compare", *folders, "--json")
            result = json.loads(done.stdout)
            self.assertEqual((done.returncode, result["verdict"]), (4, "incomparable"))
            self.assertTrue(any(f"{key} differs" in reason for reason in result["reasons"]), result["reasons"])
            self.assertEqual(lab.sme2lab("compare", *folders, "--factor", key).returncode, 0)
            shutil.rmtree(folders[0])

    def test_an_etdump_of_another_run_is_found_out(self):
        folder = self.copy()
        shutil.copy(MOBILENET / "run.etdump", folder / self.run_.manifest["results"][0]["etdump"])
        self.assertTrue(any("hash" in d for d in self.differences(folder)))

    def test_a_wrong_directory_is_an_error(self):
        for folder in (self.scratch, self.scratch / "none", lab.MODELS):
            done = lab.sme2lab("validate", "--json", folder)
            self.assertEqual((done.returncode, json.loads(done.stdout)["error"]["code"]), (2, "usage"))


class NoOutside(html.parser.HTMLParser):
    """Fails on whatever would make a page need another file or the network; a script of its own only adds to it."""

    def __init__(self):
        super().__init__()
        self.tags, self.open = [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        assert tag not in ("link", "img", "iframe", "object", "embed"), tag
        assert not {"src", "href", "srcset"} & {name for name, _ in attrs}, attrs
        if tag not in ("meta", "wbr"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag


class Headroom(Results):
    words = ("--policy", "all")  # the best kernels by instructions

    def headroom(self, *words):
        done = lab.sme2lab("analyze", "--json", *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)["headroom"]

    def etdump(self, level):
        return next(self.run_.out / r["etdump"] for r in self.run_.manifest["results"] if r["sme2"] == level)

    def test_a_counted_run_stands_beside_the_best_kernel_for_each_shape(self):
        room = self.headroom(self.etdump("off"), "--headroom")
        self.assertEqual(room["kernels_unit"], "instructions")
        self.assertIn("an emulator has none", room["roofline"])
        conv = [row for row in room["operators"] if row["origin"] == "Conv2d"]
        self.assertEqual(len(conv), 3)
        for row in conv:
            self.assertIn("_sme2_mopa", row["best_kernel"])
            self.assertGreater(row["gain_insns"], 0.8 * row["now_insns"])
            self.assertLessEqual(row["least_mac_insns"], row["best_insns"])
        gains = sum(row["gain_insns"] or 0 for row in room["operators"])
        self.assertAlmostEqual(room["now_insns"] - gains, room["reachable_insns"])
        # With SME2 the runtime runs what was measured, but for what it does around the kernels.
        on = self.headroom(self.etdump("on"), "--headroom")
        self.assertAlmostEqual(on["reachable_insns"] / room["reachable_insns"], 1, delta=0.05)
        self.assertLess(on["now_insns"] / on["reachable_insns"], 1.05)

    def test_a_timed_run_of_executor_runner_takes_rows_from_its_device(self):
        toy = lab.MODELS / "toy_cnn_f32_xnnpack"
        words = (toy / "aarch64-sme2.etdump", "--model", toy / "model.pte")
        counted = self.headroom(*words, "--headroom")
        self.assertEqual((counted["kernels_unit"], counted["reachable_ns"]), ("instructions", None))
        self.assertIn("--kernel-rows", counted["note"])
        rows = self.scratch / "rows"
        with rows.open("w") as out:
            for row in counted["operators"]:
                if row["bench"]:
                    out.write(json.dumps({"family": "any", "type": "f32", "shape": row["bench"], "kernel": "sl_any_neon", "m": 1,
                                          "n": 1, "k": 1, "stage": "whole", "ns": 1000}) + "\n")
        timed = self.headroom(*words, "--kernel-rows", rows)
        self.assertEqual(timed["kernels_unit"], "ns")
        for row in timed["operators"]:
            if row["bench"]:
                self.assertEqual(row["best_ns"], 1000 * row["times"])
                self.assertAlmostEqual(row["gain_ns"], max(row["now_ns"] - row["best_ns"], 0))
        rows.write_text("not rows\n")
        self.assertEqual(lab.sme2lab("analyze", *words, "--kernel-rows", rows).returncode, 2)

    def test_the_report_has_it_and_what_operators_cost_against_their_work(self):
        done = lab.sme2lab("report", self.run_.out, "-o", self.scratch / "r", "--headroom", "--format", "md,html,svg")
        self.assertEqual(done.returncode, 0, done.stderr)
        text = (self.scratch / "r/report.md").read_text()
        self.assertIn("## Headroom", text)
        self.assertIn("with our best kernel for every operator", text)
        self.assertIn("| 1x64x64x3 \\* 16x3x3x3 -\\> 1x64x64x16 | 1.769 M |", text)
        self.assertIn('id="headroom"', (self.scratch / "r/report.html").read_text())
        marks = (self.scratch / "r/report_scatter.svg").read_text().count("<g><title>")
        self.assertEqual(marks, 2 * 5)  # five operators with products, of both sides

    def test_it_is_of_one_comparison(self):
        other = self.copy()
        done = lab.sme2lab("report", self.run_.out, other, "-o", self.scratch / "r", "--headroom")
        self.assertEqual(done.returncode, 2)
        self.assertIn("one comparison", done.stderr)


class Report(Results):
    def report(self, *words):
        done = lab.sme2lab("report", *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.scratch / "r"

    def test_the_run_wrote_its_report_and_names_it(self):
        for key, name in (("report", "report.md"), ("report_html", "report.html")):
            self.assertEqual(pathlib.Path(self.run_.result["files"][key]), self.run_.out / name)
        text = (self.run_.out / "report.md").read_text()
        for words in ("**fewer-instructions: our kernels (not ExecuTorch's), ", "(not speed)", "executed instructions", "Emulated", "## Operator category breakdown", "## Next step",
                      "## How to reproduce", self.run_.manifest["model_sha256"], "executed |",
                      "MACs/instruction, SME2 off | MACs/instruction, SME2 on |"):
            self.assertIn(words, text)
        self.assertNotIn("| Mode |", text)  # "timing" is no word for a run that was counted

    def test_the_page_needs_nothing_from_outside_and_closes_what_it_opens(self):
        page = (self.run_.out / "report.html").read_text()
        parser = NoOutside()
        parser.feed(page)
        self.assertEqual(parser.open, [])
        self.assertEqual(parser.tags.count("svg"), 5)
        self.assertGreaterEqual(parser.tags.count("table"), 6)
        self.assertNotIn("nan", re.findall(r">([^<]*)<", page.lower()))
        self.assertFalse(re.findall(r"https?://(?!www\.w3\.org/2000/svg)", page))

    def test_the_table_of_categories_is_that_of_the_comparison(self):
        text = (self.run_.out / "report.md").read_text()
        for category in self.run_.result["comparison"]["categories"]:
            row = f"| {category['name']} | {category['baseline_insns']:,} |"
            shown = category["baseline_insns"] + category["candidate_insns"] > 0
            (self.assertIn if shown else self.assertNotIn)(row, text)

    def test_every_format_is_well_formed(self):
        folder = self.report(self.run_.out, "-o", self.scratch / "r", "--format", "md,html,svg,junit,json,csv")
        self.assertEqual((folder / "report.md").read_text(), (self.run_.out / "report.md").read_text())
        self.assertEqual(json.loads((folder / "report.json").read_text()), self.run_.result["comparison"])
        for name in ("categories", "waterfall", "runs"):
            self.assertTrue(ElementTree.parse(folder / f"report_{name}.svg").getroot().tag.endswith("svg"))
        suite = ElementTree.parse(folder / "report.junit.xml").getroot()[0]
        self.assertEqual((suite.get("tests"), suite.get("failures")), ("3", "0"))
        self.assertEqual(len(suite), 3)
        rows = list(csv.DictReader((folder / "report.csv").read_text().splitlines()))
        wanted = {c["name"]: c["candidate_insns"] for c in self.run_.result["comparison"]["categories"]}
        self.assertEqual({r["category"]: float(r["sme2-on_insns"]) for r in rows}, wanted)

    def test_nothing_else_is_overwritten_without_force(self):
        folder = self.report(self.run_.out, "-o", self.scratch / "r")
        self.report(self.run_.out, "-o", folder)  # the same bytes: nothing to lose
        (folder / "report.md").write_text("mine")
        done = lab.sme2lab("report", self.run_.out, "-o", folder)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--force", done.stderr)
        self.assertEqual((folder / "report.md").read_text(), "mine")
        self.report(self.run_.out, "-o", folder, "--force")
        self.assertNotEqual((folder / "report.md").read_text(), "mine")

    def test_what_cannot_be_reported_is_an_error(self):
        for words in ([], [self.scratch], [self.run_.out, "--format", "pdf"], [self.run_.out, "--format", "md,,html"]):
            self.assertEqual(lab.sme2lab("report", *words).returncode, 2)

    def test_texts_of_the_manifest_are_no_markup(self):
        folder = self.copy()
        self.edit(folder / "manifest.json", '"model":"', '"model":"a/<script>|')
        self.report(folder, "--force")
        page = (folder / "report.html").read_text()
        self.assertEqual(page.count("<script"), 1)  # the page's own
        self.assertIn("&lt;script&gt;", page)


class SourceLines(unittest.TestCase):
    """A model outside delegates whose ETRecord says that its convolutions and norms came from one line, all else from another."""

    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="sme2lab-test-"))
        model = lab.MODELS / "toy_cnn_f32_portable" / "model.pte"
        operators = json.loads(lab.sme2lab("inspect", model, "--json").stdout)["methods"][0]["operators"]
        cls.record = cls.folder / "model.etrecord"
        nodes = [cls.node(one["instruction"], one["kind"]) for one in operators]
        with zipfile.ZipFile(cls.record, "w") as file:
            file.writestr("ETRECORD_V0", "")
            file.writestr("debug_handle_map", json.dumps({"forward": {str(one["instruction"]): one["instruction"] for one in operators}}))
            file.writestr("delegate_map", json.dumps({"forward": {}}))
            file.writestr("edge_dialect_exported_program/forward", json.dumps({"graph_module": {"graph": {"nodes": nodes}}}))
        cls.run_ = lab.Run("toy_cnn_f32_portable", cls.folder / "run", "--etrecord", cls.record)
        cls.heavy = sum("convolution" in one["kind"] or "batch_norm" in one["kind"] for one in operators)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    @staticmethod
    def node(handle, kind):
        heavy = "convolution" in kind or "batch_norm" in kind
        stack = (f'File "/src/net.py", line {12 if heavy else 20}, in forward\n    {"x = self.block(x)" if heavy else "return f(x) + g(x)"}\n'
                 '  File "/lib/torch/nn/functional.py", line 5, in f\n    return y\n')
        return {"name": f"n{handle}", "target": "executorch.exir.dialects.edge.ops." + kind.replace("::", "."),
                "metadata": {"debug_handle": str(handle), "stack_trace": stack}}

    def test_the_run_names_the_line_that_costs_most(self):
        words = f"block in net.py:12: {self.heavy} operators outside of any delegate, "
        for name in ("report_lines.md", "report_lines.html"):
            self.assertIn(words, (self.run_.out / name).read_text())
        self.assertIn("| net.py:12 | block |", (self.run_.out / "report_lines.md").read_text())

    def test_a_report_names_it_too_and_without_a_record_the_whole_program(self):
        out = self.folder / "again"
        done = lab.sme2lab("report", self.run_.out, "-o", out, "--etrecord", self.record, "--format", "md,json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((out / "report.md").read_text(), (self.run_.out / "report_lines.md").read_text())
        steps = json.loads((out / "report.json").read_text())["next_steps"]
        self.assertEqual(steps[0]["rule"], "source-line")
        saves = [-1 if one["saves"] is None else one["saves"] for one in steps]  # what saves no instructions is last
        self.assertEqual(saves, sorted(saves, reverse=True))
        done = lab.sme2lab("report", self.run_.out, "-o", out, "--force")
        self.assertIn("Delegate the program: none of its 8 operators is in a delegate", (out / "report.md").read_text())

    def test_a_record_that_is_none_is_refused_before_anything_is_measured(self):
        done = lab.sme2lab("run", lab.MODELS / "toy_cnn_f32_portable" / "model.pte", "--device", "counted", "--out", self.folder / "no",
                           "--etrecord", __file__)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("ETRecord", done.stderr + done.stdout)
        self.assertFalse((self.folder / "no" / "manifest.json").exists())


del Results  # its cases are those of the classes above

if __name__ == "__main__":
    lab.main()
