"""`sme2lab report --format junit` by the schema of JUnit XML, and its counts by its cases."""

import os

from lxml import etree

import programs
import reports

SCHEMA = os.path.join(programs.ROOT, "tests/interop/junit.xsd")


def check_counts(suite, path):
    cases = suite.findall("testcase")
    for key, kind in (("tests", None), ("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        found = len(cases) if kind is None else sum(case.find(kind) is not None for case in cases)
        assert int(suite.get(key)) == found, f"{path}: suite {suite.get('name')} says {suite.get(key)} {key}, it has {found}"


def check(lab):
    schema = etree.XMLSchema(etree.parse(SCHEMA))
    out = os.path.join(lab.out, "junit")
    os.makedirs(out)
    cases = 0
    for name, words in lab.once("reports", reports.make).items():
        programs.sme2lab("report", *words, "--format", "junit", "-o", os.path.join(out, name))
        for file in os.listdir(os.path.join(out, name)):
            tree = etree.parse(os.path.join(out, name, file))
            assert schema.validate(tree), f"{name}/{file}: {schema.error_log.last_error}"
            for suite in tree.getroot():
                check_counts(suite, f"{name}/{file}")
                cases += len(suite.findall("testcase"))
    broken = etree.fromstring(b'<testsuites><testsuite name="s" tests="1" failures="0" errors="0"><testcase name="x"/></testsuite></testsuites>')
    assert not schema.validate(broken), "the schema takes a case without its class"
    lab.say(f"{cases} cases valid")
