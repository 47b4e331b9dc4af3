"""`sme2lab analyze --inspector-tsv` is byte for byte what ExecuTorch's Inspector saves: real files, made-up ones, with an ETRecord."""

import glob
import io
import json
import os
import random
import subprocess
import sys
import warnings

import executorch.devtools.etdump.schema_flatcc as schema
import numpy
import torch
from executorch.devtools import Inspector
from executorch.devtools.etdump.serialize import serialize_to_etdump_flatcc

import programs
import real_runtime

MADE_UP = 24
NAMES = ["native_call_add.out", "OPERATOR_CALL", "DELEGATE_CALL", "JF_CALL", "a\tb", 'quote " here', "", None]
IDS = ["Add (ND) #1", "Add (ND) #2", "Convert (NC) #1", "", None]
RECORD_RUNS = 150  # more than numpy adds up in one block


def their_table(etdump, record=None):
    """The Inspector's table, or None where it gives up."""
    text = io.StringIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            Inspector(etdump_path=etdump, etrecord=record).save_data_to_tsv(text)
        except Exception:  # whatever it is, there is no table to be equal to
            return None
    return text.getvalue().encode()


def our_table(etdump, record=None):
    command = [programs.SME2LAB, "analyze", "--inspector-tsv", etdump] + (["--etrecord", record] if record else [])
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=programs.LONGEST_SECONDS)
    return done.stdout if done.returncode == 0 else None


def compare(what, etdump, record=None):
    """Rows compared; -1 where the Inspector refuses the file, as we must."""
    theirs, ours = their_table(etdump, record), our_table(etdump, record)
    if theirs is None:
        assert ours is None, f"{what}: the Inspector refuses {etdump}, we print a table"
        return -1
    assert ours is not None, f"{what}: we refuse {etdump}, the Inspector prints a table"
    for number, (a, b) in enumerate(zip(ours.split(b"\n"), theirs.split(b"\n"))):
        assert a == b, f"{what} ({etdump}), line {number + 1}: ours {a[:300]!r}, the Inspector's {b[:300]!r}"
    assert ours == theirs, f"{what} ({etdump}): {len(ours)} bytes instead of {len(theirs)}"
    return theirs.count(b"\n") - 1


def value(draw, output):
    tensor = schema.Tensor(scalar_type="FLOAT", sizes=[2, 3], strides=[3, 1], offset=0)
    mark = schema.Bool(bool_val=True) if output else None
    if draw.random() < 0.5:
        return schema.Value("Tensor", tensor, None, None, None, None, None, mark)
    return schema.Value("Int", None, None, schema.Int(int_val=7), None, None, None, mark)


def event(draw, clock):
    """One event of any kind; few names and identifiers, so that signatures meet."""
    number = draw.choice([-1, -1, -1, 0, 5])
    text = draw.choice(IDS) if number == -1 and draw.random() < 0.5 else None
    instruction, chain = draw.choice([0, 1, 2, -1]), draw.choice([0, 0, 1])
    if draw.random() < 0.15:
        debug = schema.DebugEvent(draw.choice(["", "probe", None]), chain, instruction, number, text, value(draw, draw.random() < 0.4))
        return schema.Event(None, None, debug)
    start = clock + draw.randrange(1000)
    end = start + draw.choice([0, 1, 999, 1_000_000, draw.randrange(10**9)])
    if draw.random() < 0.05:
        start, end = (1 << 32) - 1 - draw.randrange(1000), draw.randrange(1000)
    name = None if text else draw.choice(NAMES)
    return schema.Event(schema.ProfileEvent(name, chain, instruction, number, text, None, start, end), None, None)


def write(path, runs):
    data = serialize_to_etdump_flatcc(schema.ETDumpFlatCC(version=0, run_data=runs))
    with open(path, "wb") as file:
        file.write(len(data).to_bytes(4, "little") + data)


def make_up(path, seed):
    """Runs of few shapes in any order: some merge, some differ by an event or by their bundled input."""
    draw = random.Random(seed)
    shapes = [[draw.randrange(10**6) for _ in range(draw.randrange(1, 12))] for _ in range(draw.randrange(1, 4))]
    runs = []
    for k in range(draw.choice([1, 2, 7, 9, 17, 140])):
        seeds = draw.choice(shapes)
        events = [event(random.Random(s), draw.choice([0, 10**6, 10**15]) if draw.random() < 0.5 else 10**9 * k) for s in seeds]
        runs.append(schema.RunData(draw.choice(["Execute", "Execute", "Default"]), draw.choice([-1, -1, 0]), None, events))
    write(path, runs)


def real_files():
    roots = [os.path.join(programs.ROOT, "tests/data"), os.environ.get("SL_FIXTURES", "")]
    for root in filter(None, roots):
        for name in ("run.etdump", "aarch64-*.etdump"):
            yield from sorted(glob.glob(os.path.join(root, "**", name), recursive=True))


def name_of(folder):
    with open(os.path.join(folder, "model.json"), encoding="utf-8") as file:
        return json.load(file)["name"]


def check_records(lab, out):
    """A model exported here and now, on the real runtime, with its ETRecord."""
    for backend in ("portable", "xnnpack"):
        folder = os.path.join(out, backend)
        command = [sys.executable, "-m", "sme2lab_export", "--model", "toy", "--backend", backend, "--outdir", folder, "--etrecord"]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=programs.LONGEST_SECONDS)
        assert done.returncode == 0, f"sme2lab_export --backend {backend}: {done.stderr.strip()[-300:]}"
        etdump, record = (os.path.join(folder, name) for name in ("run.etdump", f"{name_of(folder)}.etrecord"))
        image = torch.from_numpy(numpy.fromfile(os.path.join(folder, "input-0.bin"), dtype=numpy.float32).reshape(1, 3, 64, 64))
        with open(os.path.join(folder, f"{name_of(folder)}.pte"), "rb") as file:
            real_runtime.execute(file.read(), [image], etdump, RECORD_RUNS)
        rows = compare(f"toy, {backend}, with ETRecord", etdump, record)
        assert b"aten.convolution.default" in our_table(etdump, record), f"toy, {backend}: the ETRecord names no operator"
        lab.say(f"toy, {backend}, {RECORD_RUNS} executions with ETRecord: {rows} rows equal")


def check_joined(lab, out):
    """What several processes of an external runner wrote, joined to one file."""
    folder = os.path.join(out, "joined")
    os.makedirs(folder)
    runner, config = os.path.join(folder, "executor_runner"), os.path.join(folder, "config.json")
    os.symlink(programs.agent(programs.SVL512)[-1], runner)
    model = os.path.join(programs.ROOT, "tests/data/models/dynamic_sequence_f32_xnnpack/model.pte")
    with open(config, "w", encoding="utf-8") as file:
        json.dump({"model": model, "device": "emulated", "runs": 4, "warmup": 1, "experiments": [{"name": "joined", "runner_path": runner}]}, file)
    done = subprocess.run([programs.SME2LAB, "run", config, "--out", os.path.join(folder, "run")], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=programs.LONGEST_SECONDS)
    assert done.returncode == 0, f"an external runner: {done.stderr.strip()[-300:]}"
    etdump = os.path.join(folder, "run/joined/model_joined_t1.etdump")
    assert [len(block.events[-1].perf_data.raw) for block in Inspector(etdump_path=etdump).event_blocks] == [4, 8], "4 processes, 2 executions each"
    lab.say(f"4 processes' ETDumps joined: {compare('joined file', etdump)} rows equal")


def check(lab):
    out = os.path.join(lab.out, "tsv")
    os.makedirs(out)
    rows = [compare("real file", path) for path in real_files()]
    assert len(rows) > 20 and min(rows) > 0, f"only {len(rows)} real files"
    lab.say(f"{len(rows)} real ETDumps: {sum(rows)} rows equal")
    path = os.path.join(out, "made-up.etdump")
    equal = refused = 0
    for k in range(MADE_UP):
        make_up(path, lab.seed + k)
        found = compare(f"made-up file, seed {lab.seed + k}", path)
        equal, refused = equal + max(found, 0), refused + (found < 0)
    assert equal > 0, "the Inspector refused every made-up file"
    lab.say(f"{MADE_UP} made-up ETDumps: {equal} rows equal, {refused} refused by both")
    check_joined(lab, out)
    check_records(lab, out)
