"""Run directories to report on: one operator and many, counted and timed, of a name that is long and full of markup, imported, side by side."""

import os
import shutil

import programs

DATA = os.path.join(programs.ROOT, "tests/data")
LONG_NAME = "a_model_whose_name_is_as_long_as_exporters_make_them_" + "x" * 80 + "<&\"'>.pte"


def run(out, model, *words, accepted=(0, 3)):
    programs.sme2lab("run", model, "--runtime", "own", "--out", out, *words, accepted=accepted)
    return out


def imported(out, name):
    """The two arms that a real executor_runner left, as the kit lays them."""
    kit = out + "-kit"
    for arm, source in (("off", "aarch64-nosme"), ("on", "aarch64-sme2")):
        os.makedirs(os.path.join(kit, arm))
        shutil.copy(os.path.join(DATA, "models", name, source + ".etdump"), os.path.join(kit, arm, f"model_{arm}_t1.etdump"))
    programs.sme2lab("import", kit, "-o", out, "--pair", "off=on", "--model", LONG_NAME)
    return out


def make(out):
    """{name: directories that one report is of}."""
    shutil.rmtree(out, ignore_errors=True)
    os.makedirs(out)
    models = os.path.join(DATA, "models")
    small = run(os.path.join(out, "small"), os.path.join(DATA, "hand/add_mul.pte"), "--device", "counted")
    counted = run(os.path.join(out, "counted"), os.path.join(models, "toy_cnn_f32_xnnpack/model.pte"), "--device", "counted")
    # Times of an emulated CPU mean nothing, and the page says so; it has what only many timed runs have.
    timed = run(os.path.join(out, "timed"), os.path.join(DATA, "hand/add_mul.pte"), "--device", "emulated", "--runs", "60",
                "--warmup", "1", "--threads", "1,2", accepted=(0, 3, 4))
    foreign = imported(os.path.join(out, "foreign"), "mobilenet_v2_f32_xnnpack")
    return {"small": [small], "counted": [counted, "--headroom"], "timed": [timed, "--experiment", "run_t1"], "sweep": [timed], "foreign": [foreign],
            "many": [small, counted, timed, foreign]}
