"""`sme2lab inspect`: what it says of the sample models, of programs that cannot run, and of damaged ones."""

import json
import pathlib
import random
import re
import shutil
import tempfile
import unittest
import xml.etree.ElementTree

import lab


def setUpModule():
    lab.need(lab.SME2LAB, lab.AGENT, lab.EMULATOR)


def model(name):
    return lab.MODELS / name / "model.pte"


class Inspect(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="sme2lab-test-"))

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def said(self, *words, code=0):
        done = lab.sme2lab("inspect", *words, "--json")
        self.assertEqual(done.returncode, code, done.stderr)
        return json.loads(done.stdout)

    def method(self, name, *words):
        return self.said(model(name), *words)["methods"][0]

    def test_inputs_outputs_memory_and_shares_of_a_mixed_model(self):
        method = self.method("mobilenet_v2_f32_xnnpack")
        self.assertEqual((method["inputs"][0]["shape"], method["inputs"][0]["dtype"]), ([1, 3, 224, 224], "Float"))
        self.assertEqual(method["outputs"][0]["shape"], [1, 1000])
        self.assertGreater(method["memory"]["planned_buffers_bytes"][0], 0)
        self.assertGreater(method["memory"]["packed_weights_on_bytes"], 0)
        summary = method["summary"]
        self.assertEqual(summary["operators"] - summary["delegated"], 1)
        self.assertEqual(summary["delegated_macs_share"], 1)
        self.assertGreater(summary["sme2_macs_share"], 0.99)
        self.assertEqual(sum(summary["sme2_by_reason"].values()), summary["operators"])

    def test_reasons_name_type_and_place(self):
        reasons = {node["kind"]: node["sme2"] for node in self.method("unet_int8_xnnpack")["operators"]}
        self.assertEqual(reasons["Conv2d"], "served")
        self.assertEqual(reasons["StaticReshape"], "moves")
        outside = {node["sme2"] for node in self.method("toy_cnn_f32_portable")["operators"]}
        self.assertIn("not delegated", outside)

    def shown(self, columns, path, *words):
        """What a terminal of so many columns gets, without colours."""
        code, text = lab.on_a_terminal(columns, [lab.SME2LAB, "inspect", path.name, *words], {"TERM": "xterm"}, cwd=path.parent)
        self.assertEqual(code, 0, text)
        return re.sub("\x1b\\[[0-9]*m", "", text).splitlines()

    def test_every_sample_model_fits_the_terminal(self):
        for path in sorted(lab.MODELS.glob("*/model.pte")):
            for columns in (60, 80, 140):
                lines = self.shown(columns, path, "--no-agent")
                self.assertLessEqual(max(map(len, lines)), columns, path)
                self.assertIn("Method forward", lines)

    def test_prediction_is_near_what_is_counted(self):
        name = "toy_cnn_f32_xnnpack"
        summary = self.method(name)["summary"]
        run = lab.Run(name, self.folder / name, "--policy", "all")  # a prediction knows of no policy
        for variant in ("off", "on"):
            counted = run.analysis(variant)["latency"]["median_insns"]
            ratio = summary[f"predicted_{variant}_insns"] / counted
            self.assertTrue(0.7 < ratio < 1.4, f"SME2 {variant}: {ratio:.2f} of the {counted} counted; tests/bench/fit_costs.py fits anew")

    def test_drawings_have_a_box_for_each_operator(self):
        for ending in ("svg", "dot"):
            path = self.folder / f"graph.{ending}"
            method = self.method("transformer_dynq_xnnpack", "--graph", path)
            text = path.read_text(encoding="utf-8")
            boxes = text.count("fillcolor=") if ending == "dot" else len(
                xml.etree.ElementTree.fromstring(text).findall(".//{http://www.w3.org/2000/svg}g/{http://www.w3.org/2000/svg}title"))
            self.assertEqual(boxes, len(method["operators"]))
        done = lab.sme2lab("inspect", model("toy_cnn_f32_xnnpack"), "--no-agent", "--graph", self.folder / "graph.pdf")
        self.assertEqual(done.returncode, 2)
        self.assertIn(".svg or .dot", done.stderr)

    def test_a_method_that_is_not_there_is_refused_with_one_that_is(self):
        done = lab.sme2lab("inspect", model("toy_cnn_f32_xnnpack"), "--method", "decode", "--no-agent")
        self.assertEqual(done.returncode, 2)
        self.assertIn("decode", done.stderr)
        self.assertIn("forward", done.stderr)

    def test_a_model_with_an_unknown_operator_is_shown_and_the_operator_named(self):
        path = self.folder / "unknown.pte"
        path.write_bytes(model("toy_cnn_f32_portable").read_bytes().replace(b"aten::relu", b"aten::relx"))
        method = self.said(path, code=1)["methods"][0]
        self.assertFalse(method["loads"])
        self.assertIn("aten::relx.out", method["problem"])
        self.assertEqual(method["summary"]["sme2_by_reason"], {"refused": method["summary"]["operators"]})

    def test_damaged_programs_give_one_clear_error(self):
        whole = model("toy_cnn_int8_xnnpack").read_bytes()
        chance = random.Random(6)
        path = self.folder / "damaged.pte"
        refused = 0
        for case in range(40):
            damaged = bytearray(whole[: len(whole) if case % 2 else chance.randrange(len(whole))])
            for _ in range(8):
                if damaged:
                    damaged[chance.randrange(min(len(damaged), 6000))] = chance.randrange(256)
            path.write_bytes(damaged)
            done = lab.sme2lab("inspect", path, "--no-agent")
            self.assertIn(done.returncode, (0, 2), done.stderr)
            if done.returncode:
                refused += 1
                self.assertIn("damaged.pte", done.stderr)
                self.assertEqual(done.stdout, "")
        self.assertGreater(refused, 20)
        done = lab.sme2lab("inspect", self.folder / "absent.pte")
        self.assertEqual(done.returncode, 2)
        self.assertIn("absent.pte", done.stderr)


if __name__ == "__main__":
    lab.main()
