"""configs/experiment.schema.json takes what `sme2lab run` takes: every template, every example, and each configuration that the reader
takes or refuses for one value of one key."""

import json
import os
import re
import subprocess
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SME2LAB = os.path.join(ROOT, "build/host/bin/sme2lab")
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": (int, float), "number": (int, float)}
# Rules for values of one type, which say nothing of others.
RULES = {str: ("minLength", "maxLength", "pattern"), list: ("minItems", "maxItems", "uniqueItems", "items"),
         dict: ("minProperties", "maxProperties", "required", "properties", "additionalProperties")}


def is_a(value, name):
    if isinstance(value, bool) and name != "boolean":
        return False
    return isinstance(value, TYPES[name]) and (name != "integer" or float(value).is_integer())


def fits(value, rule, root):
    """JSON Schema as far as the schema goes; a word that it does not know is an error of this test."""
    if "$ref" in rule:
        rule, path = root, rule["$ref"]
        for step in path.split("/")[1:]:
            rule = rule[step]
    checks = {
        "type": lambda r: any(is_a(value, one) for one in ([r] if isinstance(r, str) else r)),
        "enum": lambda r: value in r,
        "const": lambda r: value == r,
        "oneOf": lambda r: sum(fits(value, one, root) for one in r) == 1,
        "minimum": lambda r: value >= r,
        "maximum": lambda r: value <= r,
        "minLength": lambda r: len(value) >= r,
        "maxLength": lambda r: len(value.encode()) <= r,
        "pattern": lambda r: re.search(r, value) is not None,
        "minItems": lambda r: len(value) >= r,
        "maxItems": lambda r: len(value) <= r,
        "uniqueItems": lambda r: len({json.dumps(one) for one in value}) == len(value),
        "items": lambda r: all(fits(one, r, root) for one in value),
        "minProperties": lambda r: len(value) >= r,
        "maxProperties": lambda r: len(value) <= r,
        "required": lambda r: all(key in value for key in r),
        "properties": lambda r: all(fits(one, r[key], root) for key, one in value.items() if key in r),
        "additionalProperties": lambda r: all(r is not False and fits(one, r, root) for key, one in value.items()
                                              if key not in rule.get("properties", {})),
    }
    said = {"$schema", "$comment", "$defs", "title", "description", "default"}
    other = {word for kind, words in RULES.items() if not isinstance(value, kind) for word in words}
    return all(checks[word](rule[word]) for word in sorted(rule, key=lambda word: word != "type") if word not in said | other)


def reader_takes(configuration):
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(configuration, file)
        file.flush()
        done = subprocess.run([SME2LAB, "run", file.name, "--explain", "--timeout", "0"], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert done.returncode in (0, 2), done.stderr
    return done.returncode == 0


class Schema(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with open(os.path.join(ROOT, "configs/experiment.schema.json"), encoding="utf-8") as file:
            cls.schema = json.load(file)

    def fits(self, configuration):
        return fits(configuration, self.schema, self.schema)

    def test_every_template_and_example_fits(self):
        found = [os.path.join(ROOT, "configs", folder, name) for folder in ("templates", "examples")
                 for name in os.listdir(os.path.join(ROOT, "configs", folder)) if name.endswith(".json")]
        self.assertGreater(len(found), 8)
        for path in found:
            with open(path, encoding="utf-8") as file:
                self.assertTrue(self.fits(json.load(file)), path)

    def values(self, rule):
        """Values at and beyond the limits of a parameter, and of no type that it has."""
        if "oneOf" in rule:
            return [value for one in rule["oneOf"] for value in self.values(one)] + [[1, 1]]
        if "enum" in rule:
            return rule["enum"] + ["large"]
        kind = rule["type"]
        if isinstance(kind, list):  # a text or conditions; the reader alone knows which conditions there are
            return self.values(rule | {"type": kind[0]}) + [{"sme2": True, "svl": ">=256"}, {}, {"soc": None}, {"soc": []}]
        if kind in ("integer", "number"):
            low, high = rule["minimum"], rule["maximum"]
            return [low, high, low - 1, high + 1, low + 0.5 if kind == "integer" else low, "x", None]
        if kind == "string":
            longest = rule.get("maxLength", 60)
            return ["0", "", 1, "1" * longest] + (["1" * (longest + 1)] if "maxLength" in rule else [])
        if kind == "array":
            most = rule["maxItems"]
            return [[], ["1"], [""], [1], ["1"] * most, ["1"] * (most + 1), "1"]
        if "const" in rule.get("properties", {}).get("sme2", {}):
            return [{"sme2": ["off", "on"]}, {"sme2": ["on"]}, {"sme2": 1}, {"sme": []}, []]
        return {"boolean": [True, False, 1], "object": [{}, {"k": "v" * 255}, {"k": "v" * 256}, {"k": ""}, {"k": 1}, []]}[kind]

    def test_the_reader_and_the_schema_agree_on_every_value(self):
        experiment = self.schema["$defs"]["experiment"]["properties"]
        count = 0
        for key, rule in self.schema["properties"].items():
            if key in ("model", "experiments", "analysis"):
                continue
            for value in self.values(rule):
                configuration = {"model": "m.pte", key: value}
                count += 1
                self.assertEqual(self.fits(configuration), reader_takes(configuration), (key, value))
        for key, rule in experiment.items():
            if key in ("runner_path", "quiet_runner", "runner_environment"):  # the schema does not say NAME=VALUE
                continue
            for value in self.values(rule):
                configuration = {"model": "m.pte", "experiments": [{"name": "a", key: value}]}
                if key in ("extra_args", "runner_libraries") or (key == "mode" and value == "xnntrace"):
                    configuration["experiments"][0]["runner_path"] = "r"
                count += 1
                self.assertEqual(self.fits(configuration), reader_takes(configuration), (key, value))
        self.assertGreater(count, 150)

    def test_unknown_keys_and_missing_ones_fit_neither(self):
        for configuration in ({}, {"model": "m", "modle": 1}, {"model": "m", "experiments": [{}]}, {"model": []},
                              {"model": "m", "experiments": [{"name": "a", "cpu": "max"}]}):
            self.assertFalse(self.fits(configuration), configuration)
            self.assertFalse(reader_takes(configuration), configuration)


if __name__ == "__main__":
    unittest.main()
