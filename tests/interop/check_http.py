"""Schemathesis at the daemon's HTTP: what it serves is what proto/openapi.yaml says; a short run of scripts/test --long http."""

import os

import http_schema
import programs

PYTHON = os.path.join(programs.ROOT, "build/http/venv/bin/python")
CASES = 300


def check(lab):
    http_schema.check(PYTHON, CASES, lab.seed, lab.say, http_schema.THREE_WAYS)
