#!/usr/bin/env python3
"""agent_run.py AGENT DATA: `sme2lab-agent run` as executor_runner's users know it.

Texts and their order are those of the real runner's transcripts; where it aborts, ours exits with 1.
"""
import json
import os
import re
import resource
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest

AGENT, DATA = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
MODEL = os.path.join(DATA, "models/toy_cnn_f32_xnnpack/model.pte")
INPUT = os.path.join(DATA, "models/toy_cnn_f32_xnnpack/input-0.bin")
DYNAMIC = os.path.join(DATA, "models/dynamic_shape_f32_xnnpack")
LINE = re.compile(r"^([DIEF]) (\d\d):(\d\d):(\d\d)\.(\d{6}) executorch:([^:]+):(\d+)\] (.*)$")
RECORD_BYTES, HEADER, NAME, META, BLOCK, EVENT, CRC, END = 64, 1, 2, 3, 4, 5, 7, 8
NONE = 0xFFFFFFFF


def records(stream):
    """The records of an .sltrace stream, CRC records left out."""
    for at in range(0, len(stream), RECORD_BYTES):
        record = stream[at:at + RECORD_BYTES]
        if record[0] != CRC:
            yield record


class RunCase(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = self.temporary.name

    def tearDown(self):
        self.temporary.cleanup()

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, data):
        with open(self.path(name), "wb") as file:
            file.write(data)
        return name

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def run_agent(self, *flags, model=MODEL, **options):
        words = [AGENT, "run", *([f"--model_path={model}"] if model else []), *flags]
        done = subprocess.run(words, cwd=self.folder, capture_output=True, timeout=120, **options)
        self.lines = [LINE.match(line) for line in done.stderr.decode().splitlines()]
        self.stderr = done.stderr.decode()
        self.stdout = done.stdout.decode()
        return done.returncode

    def messages(self, level="DIEF"):
        return [line[8] for line in self.lines if line and line[1] in level]

    def places(self):
        return [f"{line[6]}:{line[7]}" for line in self.lines if line]


class Flags(RunCase):
    def test_unknown_flag(self):
        self.assertEqual(self.run_agent("--nosuchflag=1"), 1)
        self.assertEqual(self.stderr, "ERROR: unknown command line flag 'nosuchflag'\n")

    def test_negative_number_for_an_unsigned_flag(self):
        self.assertEqual(self.run_agent("--num_executions=-1"), 1)
        self.assertEqual(self.stderr,
                         "ERROR: illegal value '-1' specified for uint32 flag 'num_executions'\n")

    def test_value_may_be_the_next_word(self):
        self.assertEqual(self.run_agent("-num_executions", "2", "--print_output", "none"), 0)
        self.assertIn("Iteration 2 of 2: ", self.stderr)

    def test_version_and_help_go_to_stdout(self):
        self.assertEqual(self.run_agent("--version"), 0)
        self.assertEqual(self.stdout, "executor_runner\n")
        self.assertEqual(self.run_agent("--helpshort"), 1)
        self.assertIn("--model_path", self.stdout)
        self.assertEqual(self.stderr, "")

    def test_extra_words(self):
        self.assertEqual(self.run_agent("extra", "args"), 1)
        self.assertEqual(self.messages("E"), ["Extra commandline args: extra args"])

    def test_unknown_print_mode(self):
        self.assertEqual(self.run_agent("--print_output=foo"), 1)
        self.assertEqual(self.messages("E"),
                         ["Unknown --print_output mode 'foo'. Expected 'none', 'summary', or 'all'."])

    def test_what_is_not_done_is_refused_in_one_sentence(self):
        for flag in ("--clock=cycles", "--variants=off",
                     "--isa=nonsense", "--input-shapes=1xx3", "--variants=off,off"):
            self.assertEqual(self.run_agent(flag), 1, flag)
            self.assertEqual(len(self.messages("EF")), 1, self.stderr)


class ExternalData(RunCase):
    def test_weights_come_from_the_data_file_in_the_real_words(self):
        for name, keys in (("external_weights_xnnpack", 2), ("external_weights_portable", 8)):
            folder = os.path.join(DATA, "models", name)
            self.assertEqual(self.run_agent(f"--data_path={folder}/weights.ptd", f"--inputs={folder}/input-0.bin", "--print_output=none",
                                            "--output_file=out", model=f"{folder}/model.pte"), 0, self.stderr)
            text = self.messages("I")
            at = text.index("Loading tensor data from .ptd file.")
            self.assertEqual(text[at + 1], f"PTD file {folder}/weights.ptd is loaded.")
            self.assertRegex(text[at + 2], r"^PTD data map created with \d+ keys\.$")
            self.assertEqual(text[at + 3], f"Model file {folder}/model.pte is loaded.")
            with open(os.path.join(folder, "runtime-0.bin"), "rb") as file:
                expected = struct.unpack("<10f", file.read()[:40])
            for have, want in zip(struct.unpack("<10f", self.read("out-0.bin")[:40]), expected):
                self.assertAlmostEqual(have, want, places=4)

    def test_without_the_data_file_loading_fails_with_the_real_code(self):
        folder = os.path.join(DATA, "models/external_weights_xnnpack")
        self.assertEqual(self.run_agent(model=f"{folder}/model.pte"), 1)
        self.assertEqual(self.messages("F"), ["In function main(), assert failed (method.ok()): Loading of method forward failed with "
                                              "status 0x20"])
        self.assertEqual(self.run_agent("--data_path=nofile.ptd", model=f"{folder}/model.pte"), 1)
        self.assertEqual(self.messages("EF"), [
            "Failed to open nofile.ptd: No such file or directory (2)",
            "In function main(), assert failed (ptd_loader_result.ok()): FileDataLoader::from() failed for PTD file: 0x22"])

    def test_damaged_and_foreign_data_files_are_refused(self):
        folder = os.path.join(DATA, "models/external_weights_portable")
        with open(os.path.join(folder, "weights.ptd"), "rb") as file:
            data = file.read()
        for damaged in (b"", data[:40], data[:500], data[:8] + b"\xff" * 40 + data[48:]):
            self.write("bad.ptd", damaged)
            self.assertEqual(self.run_agent("--data_path=bad.ptd", model=f"{folder}/model.pte"), 1)
        self.assertEqual(self.run_agent(f"--data_path={DATA}/models/external_weights_xnnpack/weights.ptd", model=f"{folder}/model.pte"), 1)
        self.assertIn("status 0x20", self.messages("F")[0])


class Bundled(RunCase):
    BUNDLE = os.path.join(DATA, "models/toy_cnn_bundled/model.bpte")
    STATS = ["=== Error stats for testset 0 ===", " mean_absolute_error: X", " max_absolute_error:  X", " mean_relative_error: X",
             " max_relative_error:  X"]

    def ends(self):
        """The messages behind the ETDump's, numbers made equal."""
        text = self.messages()
        at = next(i for i, message in enumerate(text) if message.startswith("ETDump written"))
        return [re.sub(r"error:( +)\d\.\d{6}$", r"error:\1X", message) for message in text[at + 1:]]

    def test_outputs_near_the_bundles_pass_in_the_real_words(self):
        self.assertEqual(self.run_agent("--print_output=none", "--inputs=nofile.bin", model=self.BUNDLE), 0, self.stderr)
        self.assertNotIn("Loading inputs from input file(s).", self.messages())  # the bundle's own replace them
        self.assertEqual(self.ends(), self.STATS + ["Model output match expected BundleIO bpte ref data.",
                                                    "TEST: BundleIO index[0] Test_result: PASS"])

    def test_outputs_that_differ_exit_with_1(self):
        self.assertEqual(self.run_agent("--print_output=none", "--bundleio_rtol=0", "--bundleio_atol=0", model=self.BUNDLE), 1)
        self.assertEqual(self.ends(), self.STATS + [
            "Method's output data mismatched the expected one.",
            "Model output don't match expected BundleIO bpte ref data. rtol=0.000000 atol=0.000000",
            "TEST: BundleIO index[0] Test_result: FAIL", "Bundle verification failed with status 0x20"])

    def test_a_damaged_bundle_cannot_be_parsed(self):
        with open(self.BUNDLE, "rb") as file:
            data = file.read()
        self.write("cut.bpte", data[:3000])
        self.assertEqual(self.run_agent(model="cut.bpte"), 1)
        self.assertEqual(self.messages("E")[-1], "Failed to parse model file cut.bpte")


class PlainValues(RunCase):
    """Inputs and outputs that are numbers, truth values, text or None; a method of constants has no instructions."""
    FOLDER = os.path.join(DATA, "plain_values")
    PROGRAM = os.path.join(FOLDER, "model.pte")

    def inputs(self, **others):
        """The four files of the method forward, some of them others."""
        return ",".join(self.write(f"other-{i}.bin", others[f"i{i}"]) if f"i{i}" in others else os.path.join(self.FOLDER, f"input-{i}.bin")
                        for i in range(4))

    def refused(self, words, **others):
        self.assertEqual(self.run_agent(f"--inputs={self.inputs(**others)}", model=self.PROGRAM), 1)
        self.assertEqual(self.messages("E"), [words])
        self.assertEqual(self.messages("F"), ["In function main(), assert failed (res.ok()): Could not prepare inputs: 0x12"])

    def test_outputs_that_are_no_tensors_are_printed_and_get_no_file(self):
        self.write("none.bin", b"")
        tensor = os.path.join(self.FOLDER, "input-0.bin")
        self.assertEqual(self.run_agent(f"--inputs={tensor},none.bin", "--method_name=mixed", "--output_file=out", model=self.PROGRAM), 0)
        self.assertEqual(self.stdout, "OutputX 0: tensor(sizes=[2, 2], [2., -1., 1.5, 5.])\n"
                                      "OutputX 1: None\nOutputX 2: 3\nOutputX 3: 2.5\nOutputX 4: True\n")
        self.assertEqual([name for name in sorted(os.listdir(self.folder)) if name.startswith("out")], ["out-0.bin"])

    def test_methods_of_constants_run(self):
        for method, printed in (("get_name", 'OutputX 0: "a \\"quoted\\\\ name"\n'), ("get_length", "OutputX 0: -128\n"),
                                ("get_sizes", "OutputX 0: 1\nOutputX 1: 2\n")):
            self.assertEqual(self.run_agent(f"--method_name={method}", "--num_executions=2", model=self.PROGRAM), 0, self.stderr)
            self.assertEqual(self.stdout, printed)

    def test_numbers_must_be_those_that_were_traced_in_the_real_words(self):
        same = "-th input of method should have the same value as the input_evalue, but g"
        self.assertEqual(self.run_agent(f"--inputs={self.inputs(i2=struct.pack('<d', 0.500001))}", "--output_file=out", model=self.PROGRAM), 0)
        with open(os.path.join(self.FOLDER, "runtime-0.bin"), "rb") as file:
            self.assertEqual(self.read("out-0.bin"), file.read())
        self.refused(f"The 1{same}ot 3 and 4", i1=struct.pack("<q", 4))
        self.refused(f"The 2{same}et 0.750000 and 0.500000", i2=struct.pack("<d", 0.75))
        self.refused(f"The 2{same}et nan and 0.500000", i2=struct.pack("<d", float("nan")))
        self.refused(f"The 3{same}ot 1 and 0", i3=b"\0")
        self.refused("input 1 is a number of 8 bytes, not 4", i1=b"\3\0\0\0")

    def test_bundles_bring_their_numbers_along(self):
        bundle = os.path.join(self.FOLDER, "model.bpte")
        self.assertEqual(self.run_agent(model=bundle), 0, self.stderr)
        self.assertEqual(self.messages()[-1], "TEST: BundleIO index[0] Test_result: PASS")
        self.assertEqual(self.run_agent(model=os.path.join(self.FOLDER, "other-number.bpte")), 1)
        self.assertEqual(self.messages("F"),
                         ["In function main(), assert failed (status == Error::Ok): LoadBundledInput failed with status 0x10"])


class ServerMode(RunCase):
    def test_each_line_is_an_inference_with_inputs_read_again(self):
        with open(INPUT, "rb") as file:
            self.write("in.bin", file.read())
        server = subprocess.Popen([AGENT, "run", f"--model_path={MODEL}", "--inputs=in.bin", "--server_mode", "--output_file=srv",
                                   "--cpu_threads=1"], cwd=self.folder, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        outputs = []
        for _ in range(2):
            server.stdin.write("go\n")
            server.stdin.flush()
            while "SERVER MODE DONE" not in server.stderr.readline():
                self.assertIsNone(server.poll())
            outputs.append(self.read("srv-0.bin"))
            self.write("in.bin", bytes(49152))
        server.stdin.close()
        self.assertEqual((server.wait(timeout=60), server.stderr.read()), (0, ""))
        server.stderr.close()
        self.assertNotEqual(*outputs)
        self.assertFalse(os.path.exists(self.path("model.etdump")))

    def test_lines_are_those_of_the_real_runner(self):
        self.assertEqual(self.run_agent("--server_mode", "--output_file=srv", f"--inputs={INPUT}", "--cpu_threads=1", input=b"a\nb"), 0)
        text = self.messages()
        self.assertEqual(text[text.index("Running in server mode; waiting for stdin triggers."):], [
            "Running in server mode; waiting for stdin triggers.", "1 outputs: ", "Writing output to file: srv-0.bin", "SERVER MODE DONE",
            "Writing output to file: srv-0.bin", "SERVER MODE DONE"])

    def test_without_a_place_for_outputs_it_fails_as_the_real_one(self):
        self.assertEqual(self.run_agent("--server_mode"), 1)
        self.assertEqual(self.messages("F"), ["In function main(), assert failed (!FLAGS_output_file.empty()): --output_file must be set "
                                              "in --server_mode so outputs can be retrieved."])


class Memory(RunCase):
    def test_a_program_that_asks_for_more_than_allowed_is_refused_at_load(self):
        for limit in (1000, 60000):  # below the planned buffer; below that and the packed weights
            self.assertEqual(self.run_agent(f"--max-memory={limit}"), 1)
            self.assertIn("memory", " ".join(self.messages("E")))
            self.assertIn("status 0x21", self.messages("F")[0])
            self.assertNotIn("Iteration", self.stderr)
        self.assertEqual(self.run_agent("--max-memory=4000000", "--print_output=none"), 0, self.stderr)


class WeightCache(RunCase):
    def run_cached(self, name, *flags):
        self.assertEqual(self.run_agent("--weight-cache=cache", "--variants=off,portable", "--num_executions=1", f"--output_file={name}",
                                        f"--inputs={INPUT}", "--print_output=none", "--json", *flags), 0, self.stderr)
        said = [message for message in self.messages() if message.startswith("Weight cache: ")]
        packed = [variant["packed_bytes"] for variant in json.loads(self.stdout)["variants"]]
        return said, packed, [self.read(f"{name}_sme2-off-0.bin"), self.read(f"{name}_portable-0.bin")]

    def test_later_runs_take_weights_from_files_and_compute_the_same(self):
        cold, warm = self.run_cached("cold"), self.run_cached("warm")
        self.assertRegex(cold[0][0], r"^Weight cache: \d+ packed weights were written to cache\.$")
        self.assertRegex(warm[0][-1], r"^Weight cache: \d+ packed weights were taken from cache\.$")
        self.assertEqual(cold[1:], warm[1:])
        self.assertGreater(min(warm[1]), 0)

    def test_a_limit_counts_weights_of_files_too(self):
        self.run_cached("cold")
        self.assertEqual(self.run_agent("--weight-cache=cache", "--max-memory=60000"), 1)
        self.assertIn("status 0x21", self.messages("F")[0])

    def test_weights_that_are_more_than_the_cache_may_hold_are_not_kept(self):
        said = self.run_cached("cold", "--weight-cache-max=1000")[0]
        self.assertRegex(said[0], r"^Weight cache: .*\.weights cannot be written: ")
        self.assertEqual([name for name in os.listdir(self.path("cache")) if not name.endswith(".note")], [])

    def test_the_file_that_was_not_used_for_longest_goes(self):
        packed = self.run_cached("cold")[1]
        other = os.path.join(DATA, "models/toy_cnn_f32_portable/model.pte")
        said = self.run_cached("other", f"--weight-cache-max={max(packed) + 10000}", f"--model_path={other}")[0]
        self.assertTrue(any(line.endswith("not used for longest were removed.") for line in said), said)
        self.assertRegex(self.run_cached("cold")[0][0], "written")

    def test_a_full_disk_is_said_once_and_the_run_goes_on(self):
        def limit():  # the disk is full after 4,000,000 bytes of a file
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (4000000, 4000000))
        self.assertEqual(self.run_agent("--weight-cache=cache", "--print_output=none", "--num_executions=0", preexec_fn=limit,
                                        model=os.path.join(DATA, "models/mobilenet_v2_f32_xnnpack/model.pte")), 0, self.stderr)
        self.assertEqual(len(self.messages("E")), 1, self.stderr)
        self.assertRegex(self.messages("E")[0], r"^Weight cache: .*\.weights cannot be written: File too large$")
        self.assertEqual([name for name in os.listdir(self.path("cache")) if not name.endswith(".note")], [])

    def test_a_place_that_cannot_be_used_is_said_once_and_the_run_goes_on(self):
        self.assertEqual(self.run_agent("--weight-cache=/nonexistent/cache", "--print_output=none"), 0)
        self.assertEqual(self.messages("E"), ["Weight cache: /nonexistent/cache cannot be used: No such file or directory"])


class Lines(RunCase):
    def test_normal_run(self):
        self.assertEqual(self.run_agent(f"--inputs={INPUT}", "--num_executions=2", "--output_file=out",
                                        "--cpu_threads=1"), 0)
        self.assertNotIn(None, self.lines)
        text = re.sub(r"\d+\.\d{6} ms", "T ms", "\n".join(self.messages()))
        self.assertEqual(text.splitlines(), [
            "Resetting threadpool with num threads = 1", "Resetting threadpool to 1 threads.",
            "Loading inputs from input file(s).", f"Model file {MODEL} is loaded.", "Using method forward",
            "Setting up CPU planned buffer 0, size 49264.", "Model loaded in T ms.", "Iteration 1 of 2: T ms",
            "Iteration 2 of 2: T ms", "Model executed successfully 2 time(s) in T ms.", "1 outputs: ",
            "Writing output to file: out-0.bin", "ETDump written to file 'model.etdump'."])
        self.assertRegex(self.stdout, r"^OutputX 0: tensor\(sizes=\[1, 10\], \[-0\.26676\d*, 0\.190295, ")
        self.assertEqual(len(self.read("out-0.bin")), 40)
        self.assertEqual(self.read("model.etdump")[8:12], b"ED00")

    def test_outputs_are_the_same_on_any_number_of_threads(self):
        outputs = set()
        for threads in (1, 2, 3, 7):
            self.assertEqual(self.run_agent(f"--inputs={INPUT}", f"--cpu_threads={threads}", "--output_file=out",
                                            "--print_output=none", "--json"), 0, self.stderr)
            self.assertIn(f"Resetting threadpool to {threads} threads.", self.messages("I"))
            self.assertEqual(json.loads(self.stdout)["threads"], threads)
            outputs.add(self.read("out-0.bin"))
        self.assertEqual(len(outputs), 1)

    def test_threads_stay_on_the_cpus_that_are_named(self):
        cpus = sorted(os.sched_getaffinity(0))
        self.assertEqual(self.run_agent(f"--affinity={cpus[0]}", "--cpu_threads=2", "--sme-threads=1",
                                        "--print_output=none", "--json"), 0, self.stderr)
        said = json.loads(self.stdout)
        self.assertEqual((said["threads"], said["sme_threads"], said["affinity"]), (2, 1, str(cpus[0])))
        self.assertEqual(self.run_agent("--affinity=huge"), 1)
        self.assertEqual(len(self.messages("EF")), 1, self.stderr)

    def test_counted_runs_have_one_thread(self):
        self.assertEqual(self.run_agent("--clock=marks", "--cpu_threads=2"), 1)
        self.assertEqual(self.messages("E"), ["--cpu_threads=2 is not for --clock marks: instructions are counted on "
                                              "one thread; say --cpu_threads=1"])

    def test_no_execution_gives_outputs_as_allocated(self):
        self.assertEqual(self.run_agent("--num_executions=0"), 0)
        self.assertEqual(self.stdout, "OutputX 0: tensor(sizes=[1, 10], "
                                      "[0., 0., 0., 0., 0., 0., 0., 0., 0., 0.])\n")
        self.assertIn("Model executed successfully 0 time(s) in 0.000000 ms.", self.messages())

    def test_a_nan_in_an_output_is_said(self):
        with open(INPUT, "rb") as file:
            self.write("nan.bin", b"\x00\x00\xc0\x7f" + file.read()[4:])
        self.assertEqual(self.run_agent("--inputs=nan.bin", "--print_output=none"), 0)
        self.assertEqual(self.messages("E"), ["Output 0: 10 of 10 values are NaN"])

    def test_all_elements(self):
        self.assertEqual(self.run_agent("--print_output=all"), 0)
        self.assertRegex(self.stdout.splitlines()[0], r"^Output\[0\]\[0\]: \(float\) -1\.53649\d$")
        self.assertEqual(len(self.stdout.splitlines()), 10)


class Failures(RunCase):
    def failing(self, *flags, model=MODEL, last_error=None, last_fatal=None):
        self.assertEqual(self.run_agent(*flags, model=model), 1)
        if last_error:
            self.assertIn(last_error, self.messages("E"))
        fatal = self.messages("F")
        self.assertEqual(fatal, [f"In function main(), assert failed {last_fatal}"] if last_fatal else [])

    def test_missing_model(self):
        self.failing(model="nofile.pte", last_error="Failed to open nofile.pte: No such file or directory (2)",
                     last_fatal="(file_loader.ok()): FileDataLoader::from() failed: 0x22")

    def test_damaged_models(self):
        with open(MODEL, "rb") as file:
            whole = file.read()
        for name, data in (("trunc.pte", whole[:5000]), ("empty.pte", b""), ("bad.pte", b"garbage file")):
            self.failing(model=self.write(name, data), last_error=f"Failed to parse model file {name}")
        self.failing(model="trunc.pte",
                     last_error="File size is too small. Expected file size from extended header is 105768, "
                                "actual file size from data loader is 5000")

    def test_input_of_wrong_size(self):
        self.write("short.bin", b"\0" * 1000)
        self.failing("--inputs=short.bin", last_error="input size (1000) and tensor size (49152) mismatch!",
                     last_fatal="(res.ok()): Could not prepare inputs: 0x12")
        self.assertIn("short.bin: input 0 takes 49152 bytes, the file has 1000", self.messages("E"))

    def test_wrong_number_of_inputs(self):
        self.failing(f"--inputs={INPUT},{INPUT}",
                     last_error="Wrong number of inputs allocated compared to method  1 ? 2",
                     last_fatal="(res.ok()): Could not prepare inputs: 0x12")

    def test_missing_input(self):
        self.failing("--inputs=nofile.bin", last_error="Failed to open input file: nofile.bin",
                     last_fatal="(load_status == Error::Ok): Could not load inputs: 0x22")

    def test_unknown_method(self):
        self.failing("--method_name=nope", last_error="No method named 'nope' in program",
                     last_fatal="(method_meta.ok()): Failed to get method_meta for nope: 0x12")

    def test_output_that_cannot_be_written(self):
        self.failing("--output_file=/nonexistent/o",
                     last_fatal="(out_file != nullptr): Failed to open output file: /nonexistent/o-0.bin")

    def test_etdump_that_cannot_be_written(self):
        self.failing("--etdump_path=/nonexistent/x.etdump",
                     last_error="Failed to open ETDump file at /nonexistent/x.etdump.",
                     last_fatal="(status == Error::Ok): Failed to save ETDump file.")


class Own(RunCase):
    def blocks(self, stream):
        return [(record[1], struct.unpack_from("<H", record, 2)[0], *struct.unpack_from("<II", record, 8))
                for record in records(stream) if record[0] == BLOCK]

    def test_pairs_alternate_and_switches_are_warmed_up(self):
        self.assertEqual(self.run_agent("--variants=off,portable", "--num_executions=3", "--trace_path=t.sltrace",
                                        "--output_file=o", "--json", "--print_output=none"), 0)
        result = json.loads(self.stdout)
        names = [variant["name"] for variant in result["variants"]]
        self.assertEqual(names, ["off", "portable"])
        self.assertEqual(result["unit"], "ns")
        orders = [[names.index(name) for name in pair] for pair in result["schedule"]]
        self.assertEqual(orders[0], orders[1][::-1])
        self.assertEqual(orders[0], orders[2])
        blocks = [block for block in self.blocks(self.read("t.sltrace")) if block[2] != NONE]
        self.assertEqual([(b[1], b[3]) for b in blocks if not b[0]],
                         [(v, pair) for pair, order in enumerate(orders) for v in order])
        last = None
        for warmup, variant, _, pair in blocks:
            self.assertEqual(pair == NONE, bool(warmup))
            if variant != last:
                self.assertTrue(warmup, blocks)
            last = variant
        for name in ("model_sme2-off.etdump", "model_portable.etdump", "o_sme2-off-0.bin", "o_portable-0.bin"):
            self.assertTrue(os.path.exists(self.path(name)), name)

    def test_seed_decides_the_first_order(self):
        firsts = set()
        for seed in range(8):
            self.run_agent("--variants=off,portable", "--num_executions=1", f"--seed={seed}", "--json",
                           "--print_output=none")
            firsts.add(json.loads(self.stdout)["schedule"][0][0])
        self.assertEqual(firsts, {"off", "portable"})

    def test_smaller_shape_of_a_dynamic_model(self):
        case = os.path.join(DYNAMIC, "case-n1")
        model = os.path.join(DYNAMIC, "model.pte")
        self.assertEqual(self.run_agent(f"--inputs={case}/input-0.bin", "--input-shapes=1x3x32x32",
                                        "--output_file=o", model=model), 0)
        with open(os.path.join(case, "expected-0.bin"), "rb") as file:
            expected = file.read()
        got = self.read("o-0.bin")
        self.assertEqual(len(got), len(expected))
        count = len(got) // 4
        peak = max(abs(x) for x in struct.unpack(f"<{count}f", expected))
        for a, b in zip(struct.unpack(f"<{count}f", got), struct.unpack(f"<{count}f", expected)):
            self.assertLessEqual(abs(a - b), 1e-4 * peak)

    def test_marks_leave_the_etdump_to_the_host(self):
        self.assertEqual(self.run_agent("--clock=marks", "--trace_path=t.sltrace", "--json",
                                        "--print_output=none"), 0)
        self.assertFalse(os.path.exists(self.path("model.etdump")))
        self.assertIsNone(json.loads(self.stdout)["variants"][0]["etdump"])
        kinds = [record[0] for record in records(self.read("t.sltrace"))]
        self.assertEqual((kinds[0], kinds[-1]), (HEADER, END))
        ordinals = sorted(mark for record in records(self.read("t.sltrace")) if record[0] == EVENT
                          for mark in struct.unpack_from("<QQ", record, 16))
        self.assertEqual(ordinals, list(range(len(ordinals))))

    def test_facts_stand_in_the_trace(self):
        self.assertEqual(self.run_agent("--isa=portable", "--trace_path=t.sltrace", "--print_output=none"), 0)
        names, facts = {}, {}
        for record in records(self.read("t.sltrace")):
            name = struct.unpack_from("<I", record, 4)[0]
            if record[0] == NAME:
                names[name] = names.get(name, b"") + record[16:].rstrip(b"\0")
            if record[0] == META:
                integer, text = struct.unpack_from("<qI", record, 8)
                facts[names[name].decode()] = names[text].decode() if text else integer
        for key, value in (("model", "model.pte"), ("method", "forward"), ("unit", "ns"), ("seed", 1),
                           ("variant.0.name", "portable"), ("variant.0.isa", "portable"), ("iterations", 1)):
            self.assertEqual(facts[key], value)
        for key in ("agent.version", "svl_bytes", "warmup", "variant.0.packed_bytes", "peak_rss_bytes"):
            self.assertIn(key, facts)
        self.assertAlmostEqual(facts["zero_unix_us"], facts["zero_unix_us.end"], delta=1e6)  # nobody sets the clock that far
        self.assertAlmostEqual(facts["zero_unix_us"] / 1e6, time.time(), delta=600)

    def test_hung_reading_is_ended_by_the_watchdog(self):
        os.mkfifo(self.path("never"))
        keeper = os.open(self.path("never"), os.O_RDWR)  # so that opening it for reading succeeds
        try:
            self.assertEqual(self.run_agent("--inputs=never", "--timeout=1"), 1)
        finally:
            os.close(keeper)
        self.assertIn("took longer than 1 s (--timeout)", self.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
