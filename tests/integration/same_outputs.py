"""Compares what two builds of this project give: every file of run directories, every answer, report, page of help and exit code.

    same_outputs.py --before TREE --after TREE [--only GROUP]... [--expected FILE] [--keep DIR]
    same_outputs.py --before TREE          the same tree twice: what is not the same from run to run

A TREE is a checkout with its build/. Inputs and configurations are those of --before. Both work in a directory of the same path, one
after the other, so that no path or width differs; what may differ (alike.py) is times, identities, hashes of programs, lines of source.
Exit codes: 0 nothing differs but what --expected says; 1 something does; 2 usage.
"""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import alike
import lab
from daemon import Daemon

VERBS = ("run analyze compare report validate import inspect kernels submit jobs watch wait cancel devices runs show history logs token "
         "doctor completion version help").split()
GROUPS = {}


def group(function):
    GROUPS[function.__name__] = function
    return function


class Side:
    """One tree at work: `self.results` has the lines of each output by its name, group/case/what."""

    def __init__(self, tree, work, inputs):
        self.tree, self.work = pathlib.Path(tree).resolve(), work
        self.work.mkdir()
        (self.work / "tree").symlink_to(self.tree)
        (self.work / "tests").mkdir()
        (self.work / "tests/data").symlink_to(inputs / "tests/data")
        (self.work / "configs").symlink_to(inputs / "configs")
        (self.work / "tmp").mkdir()
        build = self.work / "tree/build"
        self.program, self.daemon, self.agent = (build / "host/bin" / n for n in ("sme2lab", "sme2labd", "../../agent-native/bin/sme2lab-agent"))
        self.env = {k: v for k, v in os.environ.items() if not k.startswith(("SME2LAB_", "LC_", "XDG_"))} | {
            "SME2LAB_STATE": str(self.work / "state"), "SME2LAB_RUNTIME": "own", "LC_ALL": "C.UTF-8", "TZ": "UTC", "TMPDIR": str(self.work / "tmp"), "COLUMNS": "100",
            "SME2LAB_AGENT": str(build / "agent-aarch64/bin/sme2lab-agent"), "SME2LAB_EMULATOR": str(build / "tools/qemu-aarch64"),
            "SME2LAB_NATIVE_AGENT": str(build / "agent-native/bin/sme2lab-agent")}
        self.places = {str(self.work / "tree"): "<tree>", str(self.tree): "<tree>", str(self.work): "<work>", str(inputs): "<inputs>"}
        self.results, self.timed, self.group = {}, False, ""

    def keep(self, name, data):
        name = alike.normal("", f"{self.group}/{name}", self.places)
        self.results[name] = alike.lines(name, data, self.places, self.timed)

    def call(self, name, *words, program=None, env=None):
        """Runs the program in the work directory and keeps exit code and both outputs."""
        done = subprocess.run([str(program or self.program), *map(str, words)], env=self.env | (env or {}), cwd=self.work,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=600)
        self.keep(f"{name}/exit code", str(done.returncode).encode())
        self.keep(f"{name}/stdout", done.stdout)
        self.keep(f"{name}/stderr", done.stderr)
        return done

    def both(self, name, *words, **more):
        """As text and as JSON."""
        self.call(name, *words, **more)
        return self.call(f"{name} --json", *words, "--json", **more)

    def files(self, name, folder):
        """Keeps every file below the folder."""
        for path in sorted(pathlib.Path(self.work / folder).rglob("*")):
            if path.is_file():
                self.keep(f"{name}/{path.relative_to(self.work / folder)}", path.read_bytes())

    def terminal(self, name, *words):
        """On a terminal of 100 columns."""
        code, text = lab.on_a_terminal(100, [self.program, *words], self.env | {"TERM": "xterm-256color"}, cwd=self.work)
        self.keep(f"{name}/terminal", f"{text}exit code {code}".encode())

    def model(self, name):
        return f"tests/data/models/{name}/model.pte"

    def measured(self, name, model="toy_cnn_f32_xnnpack", *words):
        """The directory of a counted run, made once a side whatever groups ask for it."""
        out = self.work / "out" / name
        if not out.is_dir():
            subprocess.run([self.program, "run", self.model(model), "--device", "counted", "--runs", "2", "--warmup", "1", "--out", out, "-q",
                            *words], env=self.env, cwd=self.work, stdin=subprocess.DEVNULL, capture_output=True, timeout=600)
        return out.relative_to(self.work)

    def end(self):
        lab.end_private_daemons(self.work / "state")


@group
def help(side):  # noqa: A001: the group's name
    """Every page of help, and what completes verbs."""
    side.call("none")
    for verb in VERBS:
        side.call(verb, verb, "--help")
        side.call(f"help {verb}", "help", verb)
    side.call("kernels bench", "kernels", "bench", "--help")
    for shell in ("bash", "zsh", "fish"):
        side.call(f"completion {shell}", "completion", shell)
    side.both("version", "version")
    side.call("sme2labd", "--help", program=side.daemon)
    for verb in ((), ("run",), ("serve",), ("probe",), ("kernels",), ("plan",)):
        side.call(" ".join(("agent", *verb)), *verb, "--help", program=side.agent)


@group
def errors(side):
    """What users get wrong: exit codes and sentences."""
    toy, folder = side.model("toy_cnn_f32_xnnpack"), side.work / "wrong"
    folder.mkdir()

    def config(name, text):
        (folder / name).write_text(text if isinstance(text, str) else json.dumps(text))
        return f"wrong/{name}"

    (folder / "short.bin").write_bytes(b"\0" * 100)
    (folder / "damaged.pte").write_bytes((side.work / toy).read_bytes()[:3000])
    (folder / "file").write_text("")
    (folder / "pairs.csv").write_text("baseline_ns,candidate_ns\n1,2\n1,2,3\n")
    experiments = {
        "unknown key": {"model": toy, "experiments": [{"name": "a", "treads": [1]}]}, "not json": '{"model": "m.pte",\n "runs" 3}',
        "wrong type": {"model": toy, "runs": "three"}, "out of range": {"model": toy, "svl": 100}, "threads twice": {"model": toy, "threads": [1, 1]},
        "no model": {"device": "counted"}, "two of a name": {"model": toy, "experiments": [{"name": "a"}, {"name": "a"}]},
        "negative": {"model": toy, "runs": -1}, "fraction": {"model": toy, "runs": 1.5}, "bad factor": {"model": toy, "factor": {"sme": ["off", "on"]}},
        "bad mode": {"model": toy, "mode": "quick"}, "bad label": {"model": toy, "labels": {"": "x"}}, "empty list": {"model": toy, "threads": []},
        "bad shapes": {"model": toy, "input_shapes": [[0]]}, "not an object": [1, 2], "unknown pair": {
            "model": toy, "experiments": [{"name": "a"}],
            "analysis": {"compare_pairs": [{"label": "x", "baseline": {"experiment": "b"}, "candidate": {"experiment": "a"}}]}},
    }
    for name, document in experiments.items():
        path = config(f"{name.replace(' ', '-')}.json", document)
        side.both(f"run, {name}", "run", path, "--out", "wrong/o")
        side.both(f"submit, {name}", "submit", path, "--explain")
    cases = {
        "unknown verb": ("analize",), "unknown option": ("run", "m.pte", "--thread", "1"), "option without value": ("run", "m.pte", "--runs"),
        "bad number": ("run", toy, "--runs", "x"), "too large a number": ("run", toy, "--runs", "99999999999999999999"),
        "bad svl": ("run", toy, "--svl", "100"), "bad threads": ("run", toy, "--threads", "1,0"), "bad precision": ("run", toy, "--precision", "0"),
        "bad shapes": ("run", toy, "--input-shapes", "1xax3"), "bad color": ("version", "--color", "red"), "two models": ("run", toy, toy),
        "no model": ("run",), "missing model": ("run", "none.pte", "--out", "wrong/o"), "directory as model": ("run", "wrong", "--out", "wrong/o"),
        "missing input": ("run", toy, "--inputs", "none.bin", "--device", "counted", "--out", "wrong/o"),
        "short input": ("run", toy, "--inputs", "wrong/short.bin", "--device", "counted", "--out", "wrong/o"),
        "damaged model": ("run", "wrong/damaged.pte", "--device", "counted", "--out", "wrong/o"),
        "unknown method": ("run", toy, "--method", "backward", "--device", "counted", "--out", "wrong/o"),
        "unknown device": ("run", toy, "--device", "phone", "--out", "wrong/o"),
        "counted threads": ("run", toy, "--device", "counted", "--threads", "2", "--out", "wrong/o"),
        "counted precision": ("run", toy, "--device", "counted", "--precision", "1", "--out", "wrong/o"),
        "no sme": ("run", toy, "--cpu", "max,sme=off", "--device", "counted", "--out", "wrong/o"),
        "blocked output": ("run", toy, "--device", "counted", "--out", "wrong/file/below"), "weights missing":
        ("run", side.model("external_weights_xnnpack"), "--device", "counted", "--out", "wrong/o"),
        "analyze nothing": ("analyze",), "analyze missing": ("analyze", "none.etdump"), "analyze damaged": ("analyze", toy),
        "analyze bad run": ("analyze", side.model("toy_cnn_f32_xnnpack").replace("model.pte", "run.etdump"), "--run", "99"),
        "compare nothing": ("compare",), "compare missing": ("compare", "none.etdump", "none.etdump"), "compare pairs": ("compare", "--pairs", "wrong/pairs.csv"),
        "compare bad factor": ("compare", "wrong", "--factor", "weather"), "report nothing": ("report",), "report empty": ("report", "wrong"),
        "report bad format": ("report", "wrong", "--format", "pdf"), "validate empty": ("validate", "wrong"), "validate missing": ("validate", "none"),
        "import nothing": ("import", "-o", "wrong/i"), "import empty": ("import", "wrong", "-o", "wrong/i"), "inspect missing": ("inspect", "none.pte"),
        "inspect damaged": ("inspect", "wrong/damaged.pte"), "kernels log missing": ("kernels", "--log", "none.log"),
        "kernels bad shape": ("kernels", "bench", "3x"), "kernels bad type": ("kernels", "bench", "8x8x8", "--type", "f8"),
        "show no number": ("show", "x"), "history bad": ("history", "toy"), "token bad": ("token", "give"), "completion bad": ("completion", "ksh"),
        "jobs bad state": ("jobs", "--state", "lost"), "runs bad since": ("runs", "--since", "yesterday"), "verb to come": ("device", "probe"),
        "no daemon": ("jobs", "--server", "unix:/nowhere/s.sock"), "bad server": ("jobs", "--server", "ftp://x"),
        "only unknown": ("run", "configs/examples/toy_cnn.json", "--only", "ty"),
    }
    for name, words in cases.items():
        side.both(name, *words)
    side.both("no emulator", "run", toy, "--device", "counted", env={"SME2LAB_EMULATOR": "/nowhere/qemu"})
    side.both("no agent", "run", toy, "--device", "counted", env={"SME2LAB_AGENT": "/nowhere/agent"})
    side.both("no daemon program", "run", toy, "--device", "counted", env={"SME2LAB_DAEMON": "/nowhere/sme2labd", "SME2LAB_STATE": str(folder / "state")})
    side.both("doctor without emulator", "doctor", env={"SME2LAB_EMULATOR": "/nowhere/qemu"})
    for name, document in {"unknown key": {"divices": []}, "bad kind": {"devices": [{"name": "a", "kind": "phone"}]}, "bad listen": {"listen": ["x"]},
                           "not json": "{", "right": {"devices": [{"name": "a", "kind": "counted", "svl": 256}]}}.items():
        side.call(f"sme2labd, {name}", "--check-config", "--config", config("host.json", document), program=side.daemon)


@group
def configs(side):
    """Each configuration resolved, and each parameter of the command line."""
    for path in sorted([*(side.work / "configs/templates").glob("*.json"), *(side.work / "configs/examples").glob("*.json")]):
        for verb in ("run", "submit"):
            side.call(f"{verb} {path.name}", verb, path.relative_to(side.work), "--explain")
    toy = side.model("toy_cnn_f32_xnnpack")
    for words in (["--device", "counted", "--svl", "256"], ["--device", "emulated", "--runs", "20", "--warmup", "3", "--threads", "1,2,4"],
                  ["--precision", "1.5", "--budget", "9"], ["--seed", "7", "--priority", "3", "--threshold", "2"], ["--weight-cache"],
                  ["--method", "forward", "--input-shapes", "1x3x32x32", "--inputs", toy], ["--timeout", "7", "--data-path", toy], ["--cpu", "max,sme=off"]):
        side.both(" ".join(words), "run", toy, *words, "--explain")
    everything = side.work / "everything.json"
    everything.write_text(json.dumps({
        "model": [toy, side.model("toy_cnn_int8_xnnpack")], "device": "counted", "svl": 1024, "confidence": 0.9, "threshold_percent": 3, "runs": 4,
        "warmup": 2, "labels": {"branch": "main"}, "priority": 2, "seed": 11, "timeout_s": 100, "method": "forward",
        "experiments": [{"name": "a", "factor": {"sme2": ["off", "on"]}, "inputs": [toy]}, {"name": "b", "num_runs": 3, "num_threads": 1, "mode": "clean"}]}))
    side.both("everything", "run", "everything.json", "--explain")


@group
def runs(side):
    """Run directories of counted runs, with all that they hold; then each validated and computed anew."""
    data = "tests/data/models"
    many = [("toy_cnn_f32_xnnpack", "--inputs", f"{data}/toy_cnn_f32_xnnpack/input-0.bin"), ("toy_cnn_int8_xnnpack",), ("toy_cnn_f16_xnnpack",),
            ("dynamic_sequence_f32_xnnpack",), ("dynamic_shape_f32_xnnpack", "--input-shapes", "2x3x32x32", "--svl", "256"),
            ("external_weights_xnnpack", "--data-path", f"{data}/external_weights_xnnpack/weights.ptd"), ("llm_cache_portable",),
            ("control_flow_portable", "--weight-cache", "--seed", "3"), ("toy_cnn_channels_last_f32_xnnpack", "--cpu", "max,sve=off,sme512=on")]
    for model, *words in many:
        out = f"run/{model}"
        side.call(model, "run", side.model(model), "--device", "counted", "--runs", "2", "--warmup", "1", "--out", out, *words)
        side.files(model, out)
        side.both(f"{model} validated", "validate", out)
    side.call("bundled", "run", f"{data}/toy_cnn_bundled/model.bpte", "--device", "counted", "--out", "run/bundled")
    side.files("bundled", "run/bundled")
    side.call("json", "run", side.model("toy_cnn_f32_xnnpack"), "--device", "counted", "--runs", "1", "--warmup", "0", "--out", "run/json", "--json")
    side.call("quiet", "run", side.model("toy_cnn_f32_xnnpack"), "--device", "counted", "--runs", "1", "--warmup", "0", "--out", "run/quiet", "-q")
    side.call("again", "run", side.model("toy_cnn_f32_xnnpack"), "--device", "counted", "--out", "run/quiet")
    side.call("forced", "run", side.model("toy_cnn_f32_xnnpack"), "--device", "counted", "--out", "run/quiet", "--force")
    (side.work / "run/json/report.md").unlink()
    side.call("computed anew", "run", side.model("toy_cnn_f32_xnnpack"), "--analysis-only", "--out", "run/json")
    side.files("computed anew", "run/json")


@group
def experiments(side):
    """Configurations with a factor, with several experiments, models and failures; one with a list of threads, in emulated time."""
    toy = "toy_cnn_f32_xnnpack"
    plans = {
        "factor": {"model": side.model(toy), "device": "counted", "inputs": [f"tests/data/models/{toy}/input-0.bin"], "labels": {"branch": "main"},
                   "experiments": [{"name": "toy", "factor": {"sme2": ["off", "on"]}, "runs": 2, "warmup": 1, "threads": [1]}]},
        "two arms": {"model": side.model(toy), "device": "counted", "runs": 2, "warmup": 1, "experiments": [
            {"name": "clean", "mode": "clean"}, {"name": "profiled", "mode": "timing"}]},
        "two models": {"model": [side.model(toy), side.model("toy_cnn_int8_xnnpack")], "device": "counted", "runs": 1, "warmup": 0},
        "one fails": {"model": side.model(toy), "device": "counted", "runs": 1, "warmup": 0, "experiments": [
            {"name": "good"}, {"name": "bad", "inputs": ["tests/data/models/toy_cnn_f32_xnnpack/runtime-0.bin"]}]},
    }
    threads = {"model": side.model("dynamic_sequence_f32_xnnpack"), "device": "emulated", "runs": 2, "warmup": 1,
               "experiments": [{"name": "sweep", "threads": [1, 2]}]}
    for name, plan in {**plans, "threads": threads}.items():
        side.timed = name == "threads"
        path, out = side.work / f"{name}.json".replace(" ", "-"), f"experiments/{name.replace(' ', '-')}"
        path.write_text(json.dumps(plan))
        side.call(name, "run", path.name, "--out", out, "--json")
        side.files(name, out)
        side.both(f"{name} validated", "validate", out)
        side.call(f"{name} reported", "report", out, "--format", "md,html,svg,perfetto,junit,json,csv,comment", "-o", f"{out}-reports")
        side.files(f"{name} reported", f"{out}-reports")
    side.timed = False
    side.call("one arm", "report", "experiments/two-arms", "--experiment", "clean", "--format", "json", "-o", "experiments/arm")
    side.files("one arm", "experiments/arm")


@group
def reports(side):
    """Each format of reports: of one run, of two, of an import, with headroom."""
    first, second = side.measured("first"), side.measured("int8", "toy_cnn_int8_xnnpack")
    every = "md,html,svg,perfetto,junit,json,csv,comment"
    for name, words in {"one": (first,), "two": (first, second), "threshold": (first, "--categories", "configs/categories.json"),
                        "headroom": (first, "--headroom", "--device", "counted")}.items():
        side.both(name, "report", *words, "--format", every, "-o", f"reports/{name}", "--force")
        side.files(name, f"reports/{name}")
    etdumps = sorted(path.relative_to(side.work) for path in (side.work / first).rglob("*.etdump"))
    side.both("import", "import", *etdumps, "-o", "imported", "--model", "toy", "--pair", "model_run_sme2-off=model_run_sme2-on")
    side.files("import", "imported")
    side.both("import validated", "validate", "imported")
    side.call("imported", "report", "imported", "--format", every, "-o", "reports/imported", "--model", side.model("toy_cnn_f32_xnnpack"))
    side.files("imported", "reports/imported")
    side.call("foreign", "import", "tests/data/models/mobilenet_v2_f32_xnnpack/run.etdump", "-o", "foreign")
    side.files("foreign", "foreign")
    damaged = side.work / "damaged"
    shutil.copytree(side.work / first, damaged)
    text = (damaged / "analysis_summary.json").read_text()
    (damaged / "analysis_summary.json").write_text(text.replace('"median_insns":', '"median_insns":1', 1))
    (damaged / "metrics.json").unlink()
    side.both("damaged", "validate", "damaged")


@group
def analyze(side):
    """ETDumps of our own and of others, in all modes."""
    ours = side.measured("first")
    side.both("ours", "analyze", ours)
    side.terminal("ours", "analyze", ours, "--tree")
    for path in sorted((side.work / "tests/data").glob("*/*/*.etdump")):
        name = str(path.relative_to(side.work / "tests/data"))
        side.both(name, "analyze", f"tests/data/{name}")
    for name in ("toy_cnn_f32_xnnpack", "unet_int8_xnnpack", "dynamic_shape_f32_xnnpack", "mobilenet_v2_f32_xnnpack"):
        etdump = next((side.work / f"tests/data/models/{name}").glob("*.etdump")).relative_to(side.work)
        for mode in ((), ("--tree",), ("--run", "0"), ("--inspector-tsv",), ("--strict",), ("--categories", "configs/categories.json")):
            title = " ".join((name, *mode))
            side.both(title, "analyze", etdump, *mode)
            side.both(f"{title} --model", "analyze", etdump, *mode, "--model", side.model(name))
        side.call(f"{name} --csv", "analyze", etdump, "--csv", f"analyze/{name}", "--json")
        side.call(f"{name} --perfetto", "analyze", etdump, "--perfetto", f"analyze/{name}/trace")
        side.files(f"{name} files", f"analyze/{name}")
    etdump = "tests/data/models/toy_cnn_f32_xnnpack/aarch64-sme2.etdump"
    side.both("headroom", "analyze", etdump, "--model", side.model("toy_cnn_f32_xnnpack"), "--headroom", "--device", "counted")
    side.both("etrecord", "analyze", etdump, "--etrecord", "tests/data/hand/small.etrecord")


@group
def compare(side):
    """Directories, ETDumps, pairs; what cannot be compared."""
    first, again, other = side.measured("first"), side.measured("again", "toy_cnn_f32_xnnpack", "--seed", "5"), side.measured("int8", "toy_cnn_int8_xnnpack")
    sides = sorted(path.relative_to(side.work) for path in (side.work / first).rglob("*.etdump"))
    mobilenet = [f"tests/data/models/mobilenet_v2_f32_xnnpack/aarch64-{one}.etdump" for one in ("nosme", "sme2")]
    pairs = side.work / "pairs.csv"
    rows = [f"{kind},{1000000 + (i * 7919) % 997 + (100000 if kind == 'slow' else 0)},{1000000 + (i * 104729) % 991}" for kind in ("slow", "same") for i in range(24)]
    pairs.write_text("\n".join(["experiment,baseline_ns,candidate_ns", *rows]))
    for name, words in {"one": (first,), "two": (first, again), "off": (first, again, "--variant", "off"), "models": (first, other),
                        "models on purpose": (first, other, "--factor", "model"), "etdumps": sides, "reversed": sides[::-1],
                        "threshold": (*sides[::-1], "--threshold", 5000), "calibrate": (first, "--calibrate"), "foreign": mobilenet,
                        "foreign sme2": (*mobilenet, "--factor", "sme2"), "units": (first, mobilenet[0]), "pairs": ("--pairs", "pairs.csv"),
                        "pairs seed": ("--pairs", "pairs.csv", "--seed", 9, "--iterations", 2000, "--confidence", 90, "--minimum-effect", 2,
                                       "--noise-floor", 1), "noise floor": (*mobilenet, "--noise-floor-of", mobilenet[0])}.items():
        side.both(name, "compare", *words)
        side.call(f"{name} in colour", "compare", *words, "--color", "always")
    side.terminal("one", "compare", first)


@group
def inspect(side):
    """What each sample model holds, with the agent's plan and without."""
    for path in sorted((side.work / "tests/data/models").glob("*/model.*pte")):
        name = path.parent.name
        weights = ["--data-path", f"tests/data/models/{name}/weights.ptd"] if (path.parent / "weights.ptd").exists() else []
        side.both(name, "inspect", path.relative_to(side.work), *weights)
        side.call(f"{name} without agent", "inspect", path.relative_to(side.work), "--no-agent")
    for suffix in ("svg", "dot"):
        side.call(f"graph {suffix}", "inspect", side.model("toy_cnn_int8_xnnpack"), "--graph", f"graph.{suffix}", "--svl", "256")
        side.keep(f"graph.{suffix}", (side.work / f"graph.{suffix}").read_bytes())
    side.terminal("toy", "inspect", side.model("toy_cnn_f32_xnnpack"))


@group
def kernels(side):
    """The kernels there are, and what some execute."""
    side.both("list", "kernels")
    (side.work / "xnnpack.log").write_text("Note (XNNPACK): Using igemm microkernel 'xnn_pf32_igemm_minmax_ukernel_32x32__neonsme2'. (f, x.c:1)\n")
    side.both("log", "kernels", "--log", "xnnpack.log")
    for words in (["32x32x32"], ["33x17x40", "--type", "qs8"], ["20x24x28", "--type", "f16", "--svl", "256"], ["--conv", "8x8x4-8-3x3-s1-p1"],
                  ["--depthwise", "8x8x8-3x3-s1-p1", "--engine", "neon"], ["--gemv", "64x64"], ["unary:relu-100", "pool:max-8x8x4-2x2-s2-p0"],
                  ["--each", "reduce", "layout"], ["--random", "2", "--seed", "3"]):
        side.both("bench " + " ".join(words), "kernels", "bench", *words, "--clock", "instructions")


def answers(side, daemon):
    """What HTTP answers, of finished jobs and of requests that cannot be."""
    run, series = 1, daemon.get("/api/v1/series")["series"][0]["id"]
    for path in ("healthz", "readyz", "metrics", "api/v1/openapi.yaml", "api/v1/jobs", "api/v1/jobs?limit=1", "api/v1/jobs?state=failed", "api/v1/jobs/1",
                 "api/v1/jobs/1/events", "api/v1/runs", "api/v1/runs?limit=1&model=model", f"api/v1/runs/{run}", f"api/v1/runs/{run}/files",
                 f"api/v1/runs/{run}/analysis", f"api/v1/runs/{run}/log", f"api/v1/runs/{run}/report.html", f"api/v1/runs/{run}/etdump",
                 f"api/v1/runs/{run}/trace.perfetto", f"api/v1/runs/{run}/files/manifest.json", "api/v1/series", f"api/v1/series/{series}/points",
                 f"api/v1/compare?baseline={run}&candidate={run}", f"api/v1/compare?baseline={run}&candidate=2&variant=off", "api/v1/devices",
                 "api/v1/tokens", "api/v1/jobs/99", "api/v1/runs/99", "api/v1/runs/x", "api/v1/jobs?state=lost", "api/v1/jobs?limit=0",
                 "api/v1/compare?baseline=1", f"api/v1/runs/{run}/files/../../x", "api/v1/nothing", "nothing"):
        status, headers, body = daemon.request("GET", "/" + path)
        side.keep(f"GET {path}/status", f"{status} {headers.get('content-type', headers.get('Content-Type'))}".encode())
        side.keep(f"GET {path}/body", body)
    toy = (side.work / side.model("toy_cnn_f32_xnnpack")).read_bytes()
    digest = daemon.put_blob(side.work / side.model("toy_cnn_f32_xnnpack"))
    for name, method, path, body in [
            ("empty", "POST", "jobs", b""), ("no json", "POST", "jobs", b"{"), ("unknown key", "POST", "jobs", b'{"modle":"x"}'),
            ("no model", "POST", "jobs", b'{"device":"counted"}'), ("bad hash", "POST", "jobs", b'{"model":{"sha256":"x"}}'),
            ("unknown blob", "POST", "jobs", json.dumps({"model": {"sha256": "0" * 64, "name": "m"}}).encode()),
            ("bad threads", "POST", "jobs", json.dumps({"model": {"sha256": digest, "name": "m"}, "threads": 0}).encode()),
            ("wrong blob", "PUT", f"blobs/{'1' * 64}", toy[:100]), ("no such job", "DELETE", "jobs/99", b""), ("done job", "DELETE", "jobs/1", b""),
            ("wrong method", "PATCH", "jobs", b""), ("bad token", "POST", "tokens", b'{"name":"x","role":"king"}'),
            ("bad device", "POST", "devices/none/quarantine", b""), ("large", "POST", "jobs", b"[" * 100000)]:
        status, headers, said = daemon.request(method, f"/api/v1/{path}", body, {"Content-Type": "application/json"})
        side.keep(f"{method} {name}/status", f"{status} {headers.get('content-type', headers.get('Content-Type'))}".encode())
        side.keep(f"{method} {name}/body", said)


@group
def daemon(side):
    """Jobs on a daemon with devices of its own: verbs, HTTP, and the run directories that it keeps."""
    place = side.work / "d"
    place.mkdir()
    one = Daemon(place / "state", {"devices": [{"name": "counted-256", "kind": "counted", "svl": 256}, {"name": "counted-512", "kind": "counted", "svl": 512}]},
                 program=side.daemon, env={k: v for k, v in side.env.items() if k.startswith("SME2LAB_") and k != "SME2LAB_STATE"})
    one.start()
    try:
        env = {"SME2LAB_SERVER": f"unix:{one.socket}"}
        toy = [side.model("toy_cnn_f32_xnnpack"), "--inputs", "tests/data/models/toy_cnn_f32_xnnpack/input-0.bin"]
        (side.work / "no-program.pte").write_bytes(b"no program at all" * 10)
        jobs = [("submit", *toy, "--device", "counted-256"), ("submit", *toy, "--device", "counted-256", "--seed", 5),
                ("submit", side.model("toy_cnn_int8_xnnpack"), "--device", "counted-512", "--runs", 1, "--warmup", 0), ("submit", "no-program.pte"),
                ("submit", "configs/examples/toy_cnn.json", "--json")]
        for number, words in enumerate(jobs, 1):
            side.call(f"submit {number}", *words, env=env)
            side.both(f"wait {number}", "wait", number, env=env)
            side.call(f"watch {number}", "watch", number, "--out", f"watched/{number}", env=env)
            side.files(f"watched {number}", f"watched/{number}")
        for words in (["jobs"], ["jobs", "--state", "failed"], ["runs"], ["runs", "--model", "model", "--device", "counted-256", "-n", "1"], ["show", "1"],
                      ["show", "99"], ["logs", "1"], ["history"], ["devices"], ["doctor"], ["compare", "1"], ["compare", "1", "2"], ["compare", "1", "99"],
                      ["report", "1", "--format", "md,comment", "-o", "stored"], ["report", "1", "2", "--format", "md,html,json", "-o", "stored2"],
                      ["cancel", "1"], ["cancel", "99"], ["wait", "1", "3", "4"], ["token", "list"], ["submit", side.model("toy_cnn_f32_xnnpack"), "--device", "nope"]):
            side.both(" ".join(words), *words, env=env)
        side.call("history of one", "history", one.get("/api/v1/series")["series"][0]["id"], env=env)
        side.call("show a file", "show", "1", "--file", "manifest.json", env=env)
        side.both("token add", "token", "add", "ci", "--role", "read", env=env)
        side.call("token revoke", "token", "revoke", "1", env=env)
        for folder in ("stored", "stored2"):
            side.files(folder, folder)
        answers(side, one)
    finally:
        one.terminate()
    for path in sorted((place / "state/runs").rglob("*")):
        kept = path.relative_to(place / "state")
        if path.is_file() and "streams" in kept.parts:  # chunks as they came
            side.keep(f"kept/{kept}", b"")
        elif path.is_file():
            side.keep(f"kept/{kept}", path.read_bytes())


@group
def agent(side):
    """The agent by itself, on this machine's own CPU: outputs, log, failures, plans."""
    for name in ("toy_cnn_f32_xnnpack", "toy_cnn_int8_xnnpack", "dynamic_shape_f32_xnnpack", "kitchen_math_portable", "transformer_dynq_xnnpack"):
        folder = side.work / "agent" / name
        folder.mkdir(parents=True)
        inputs = ",".join(f"tests/data/models/{name}/{path.name}" for path in sorted((side.work / f"tests/data/models/{name}").glob("input-*.bin")))
        side.call(name, "run", f"--model_path={side.model(name)}", f"--inputs={inputs}", f"--etdump_path={folder}/run.etdump",
                  f"--output_file={folder}/output", "--num_executions=2", "--print_output=all", program=side.agent)
        for path in sorted(folder.glob("output*")):
            side.keep(f"{name}/{path.name}", path.read_bytes())
        side.call(f"{name} plan", "plan", side.model(name), program=side.agent)
    for name, words in {"no model": ("run",), "missing model": ("run", "--model_path=none.pte"), "unknown flag": ("run", "--modle_path=x"),
                        "bad number": ("run", f"--model_path={side.model('toy_cnn_f32_xnnpack')}", "--num_executions=x"), "unknown verb": ("go",),
                        "version": ("version",), "kernels": ("kernels", "--list"), "serve without secret": ("serve",)}.items():
        side.call(name, *words, program=side.agent)


def outputs(tree, inputs, only, scratch, name):
    """All outputs of a tree; its files stay in scratch/name."""
    work = scratch / "work"
    side = Side(tree, work, inputs)
    began = time.monotonic()
    try:
        for title in only:
            side.group, start = title, time.monotonic()
            GROUPS[title](side)
            print(f"{name}: {title}, {sum(key.startswith(title + '/') for key in side.results)} outputs, {time.monotonic() - start:.0f} s", flush=True)
    finally:
        side.end()
        work.rename(scratch / name)
    print(f"{name}: {side.tree}, {len(side.results)} outputs in {time.monotonic() - began:.0f} s", flush=True)
    return side.results


def report(found, expected, shown):
    """Prints the differences, at most `shown` lines of each; how many nobody expected."""
    wrong = [one for one in found if one[1] is None]
    for name, reason, diff in found:
        if reason is None:
            print(f"\nDIFFERS {name}")
            print("\n".join("    " + line[:300] for line in diff[:shown]))
            if len(diff) > shown:
                print(f"    and {len(diff) - shown} lines more")
        else:
            print(f"expected {name}: {reason}")
    for entry in expected.unused():
        print(f"an expected difference that there is not: {entry}")
    return len(wrong)


def main(words=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--before", required=True, type=pathlib.Path)
    parser.add_argument("--after", type=pathlib.Path)
    parser.add_argument("--only", action="append", choices=sorted(GROUPS), metavar="GROUP", help=f"of {', '.join(sorted(GROUPS))}; may be repeated")
    parser.add_argument("--expected", type=alike.Expected.read, default=alike.Expected(), help="JSON: differences that are meant, each with its reason")
    parser.add_argument("--keep", type=pathlib.Path, help="leave the files of both there")
    parser.add_argument("--lines", type=int, default=30, help="of each difference, at most so many (30)")
    options = parser.parse_args(words)
    trees = (options.before, options.after or options.before)
    for tree in trees:
        if not os.access(tree / "build/host/bin/sme2lab", os.X_OK):
            parser.error(f"{tree} has no build/host/bin/sme2lab; scripts/setup makes it")
    holder = tempfile.TemporaryDirectory(prefix="sl-same-") if not options.keep else None
    scratch = pathlib.Path(holder.name) if holder else options.keep.resolve()
    scratch.mkdir(parents=True, exist_ok=True)
    only = options.only or list(GROUPS)
    before, after = (outputs(tree, options.before.resolve(), only, scratch, name) for tree, name in zip(trees, ("before", "after")))
    found = alike.compare(before, after, options.expected)
    wrong = report(found, options.expected, options.lines)
    print(f"\n{len(before.keys() | after.keys())} outputs compared: {wrong} differ, {len(found) - wrong} as expected")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
