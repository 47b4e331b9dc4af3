"""sme2lab-agent-executorch by itself, on libraries that are not the wheel's: renamed symbols, missing, damaged and crashing ones, a user's own."""

import json
import os
import pathlib
import re
import shutil
import struct
import subprocess

import executorch_agent
import lab
from executorch_agent import FOLDER

AGENT = executorch_agent.AGENT.name
TOY = lab.MODELS / "toy_cnn_f32_xnnpack"
FIXTURES = pathlib.Path(os.environ.get("SL_FIXTURES", lab.MODELS))
SMALL = lab.MODELS / "dynamic_sequence_f32_xnnpack" / "model.pte"
DELEGATE = "libexecutorch_backend_xnnpack.so"
EXECUTORCH = (DELEGATE, "libexecutorch_threadpool.so", "libexecutorch_kernels_optimized.so")  # what asks cpuinfo
SWITCHES = ("cpuinfo_isa", "xnn_init_generation")  # what changes a process's variant
SUBMIT_TRACE = "_ZN10executorch8backends7xnnpack8delegate9profiling11XNNProfiler12submit_traceEv"
PRODUCT = "kai_run_matmul_clamp_f32_f32p2vlx1_f32p2vlx1biasf32_sme2_mopa"
UNDEFINED_INSTRUCTION = bytes(4)
RETURN = bytes.fromhex("c0035fd6")
SIGILL = 4
SMSTART = re.compile(rb"^0x[0-9a-f]+: +d5034[357]7f", re.M)
CLOCK = 16  # instructions that a reading of the delegate's clock costs where it is no stamp
APART = "a process of its own"
CLANG = shutil.which("clang-19")


def setUpModule():
    lab.need(lab.SME2LAB, lab.AGENT, lab.EMULATOR, FOLDER / AGENT)


def of_same_hash(name):
    """Another name that the dynamic linker's table finds at the same place: nobody who asks for `name` does."""
    return name[:-2] + chr(ord(name[-2]) + 1) + chr(ord(name[-1]) - 33)


def symbol_of(elf, symbol):
    """The sections of a library's file, and where the entry of a symbol stands; None: it has no such symbol."""
    headers, count = struct.unpack_from("<Q", elf, 40)[0], struct.unpack_from("<H", elf, 60)[0]
    sections = [struct.unpack_from("<IIQQQQIIQQ", elf, headers + 64 * i) for i in range(count)]
    table = next(s for s in sections if s[1] == 11)  # SHT_DYNSYM
    names = sections[table[6]][4]
    for at in range(table[4], table[4] + table[5], 24):
        name = names + struct.unpack_from("<I", elf, at)[0]
        if elf[name:name + len(symbol) + 1] == symbol.encode() + b"\0":
            return sections, at
    return sections, None


def file_offset(elf, symbol):
    """Where in a library's file the code of an exported symbol stands."""
    sections, at = symbol_of(elf, symbol)
    section, value = struct.unpack_from("<HQ", elf, at + 6)
    return value - sections[section][3] + sections[section][4]


def inputs_of(model):
    return ",".join(map(str, executorch_agent.numbered(model)))


def floats(path):
    content = path.read_bytes()
    return struct.unpack(f"<{len(content) // 4}f", content)


class Libraries(lab.Scratch):
    def setUp(self):
        super().setUp()
        self.folder = self.scratch / "libraries"

    def copy(self):
        shutil.copytree(FOLDER, self.folder, symlinks=True)

    def change(self, name, *pairs):
        path = self.folder / name
        content = path.read_bytes()
        for old, new in pairs:
            self.assertEqual((content.count(old) > 0, len(old)), (True, len(new)), old)
            content = content.replace(old, new)
        path.write_bytes(content)

    def rename(self, library, symbol):
        self.change(library, (b"\0" + symbol.encode() + b"\0", b"\0" + of_same_hash(symbol).encode() + b"\0"))

    def begin_with(self, symbol, instruction):
        path = self.folder / DELEGATE
        content = bytearray(path.read_bytes())
        at = file_offset(content, symbol)
        content[at:at + 4] = instruction
        path.write_bytes(content)

    def shorten(self, library, symbol):
        """The library asks for the symbol without its first letter. False: it asks for none of that name."""
        path = self.folder / library
        content = bytearray(path.read_bytes())
        _, at = symbol_of(content, symbol)
        if at is not None:
            struct.pack_into("<I", content, at, struct.unpack_from("<I", content, at)[0] + 1)
            path.write_bytes(content)
        return at is not None

    def crash_in(self, symbol):
        self.begin_with(symbol, UNDEFINED_INSTRUCTION)

    def run_agent(self, *words, folder=None, model=TOY / "model.pte", cpu="max,sme512=on", variants=("--variants=off,on",), emulator=()):
        folder = folder or self.folder
        command = [lab.EMULATOR, "-cpu", cpu, *emulator, folder / "ld-linux-aarch64.so.1", "--library-path", folder, folder / AGENT, "run", f"--model_path={model}",
                   *variants, "--num_executions=1", "--warmup=1", "--cpu_threads=1", "--print_output=none", f"--output_file={self.scratch}/output",
                   f"--etdump_path={self.scratch}/run.etdump", f"--trace_path={self.scratch}/run.sltrace", *words]
        return subprocess.run(list(map(str, command)), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                              timeout=170)

    def must_fail(self, said, words=(), **how):
        done = self.run_agent(*words, **how)
        self.assertNotEqual(done.returncode, 0)
        self.assertRegex(done.stdout, said)

    def must_give_the_fixtures_outputs(self, done, model=TOY):
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertNotIn("say --data_path", done.stdout)
        for variant, word in (("off", "nosme"), ("on", "sme2")):
            self.assertEqual((self.scratch / f"output_sme2-{variant}-0.bin").read_bytes(), (model / f"aarch64-{word}-0.bin").read_bytes(), variant)

    def in_one_process_and_in_two(self, *words, **how):
        """Runs the agent twice: on libraries that can have both variants in a process, and on some that cannot."""
        if not self.folder.exists():
            self.copy()
            shutil.copy(FOLDER / DELEGATE, self.folder / "whole")
        shutil.copy(self.folder / "whole", self.folder / DELEGATE)
        for apart in (False, True):
            if apart:
                self.rename(DELEGATE, "xnn_init_generation")
            done = self.run_agent(*words, **how)
            self.assertEqual((done.returncode, APART in done.stdout), (0, apart), done.stdout)
            yield done

    def counted(self, *words, runtime="executorch", model=TOY, folder=None):
        """A counted run of the host on these libraries."""
        state = self.scratch / "state"
        self.addCleanup(lab.end_private_daemons, state)
        return lab.sme2lab("run", model / "model.pte", "--inputs", inputs_of(model), "--device", "counted", "--runtime", runtime, "-o", self.scratch / "out", *words,
                           env={"SME2LAB_EXECUTORCH": str(folder or self.folder), "SME2LAB_STATE": str(state)})


class TwoProcesses(Libraries):
    def processes(self):
        """What the trace says of them."""
        for fact in ("one for each variant", "one for both variants"):
            if fact.encode() in (self.scratch / "run.sltrace").read_bytes():
                return fact
        return None

    def test_where_a_process_has_one_variant_each_gets_one_and_counts_stay(self):
        self.copy()
        self.rename(DELEGATE, "xnn_init_generation")
        done = self.run_agent(f"--inputs={TOY}/input-0.bin")
        self.must_give_the_fixtures_outputs(done)
        self.assertIn(APART, done.stdout)
        counted = self.counted()
        self.assertEqual(counted.returncode, 0, counted.stderr)
        self.assertIn("ExecuTorch, sme2 on against off: executes 2.82", counted.stdout)
        self.assertRegex((self.scratch / "out/report.md").read_text(), r"\| Runtime \| ExecuTorch 1\.5\.1 \(\w+\), a process for each variant \|")
        for variant, executed in (("off", r"36035\d\d"), ("on", r"12754\d\d")):
            etdump = next((self.scratch / f"out/run_executorch_sme2-{variant}").glob("*.etdump"))
            runs = json.loads(lab.sme2lab("analyze", "--json", etdump).stdout)["runs"]
            self.assertEqual(len({run["e2e_insns"] for run in runs[1:]}), 1, "repeats are equal")
            self.assertRegex(str(runs[1]["e2e_insns"]), f"^{executed}$")

    def test_every_execution_begins_with_the_state_of_the_first_here_and_there(self):
        model = lab.MODELS / "control_flow_portable"  # its fifth output is a counter that it keeps
        for done in self.in_one_process_and_in_two(f"--inputs={inputs_of(model)}", "--num_executions=2", model=model / "model.pte"):
            for variant in ("off", "on"):
                self.assertEqual((self.scratch / f"output_sme2-{variant}-4.bin").read_bytes(), struct.pack("<q", 10), f"{variant}: {done.stdout}")

    def test_a_missing_symbol_is_the_reason_that_is_said(self):
        for symbol in SWITCHES:
            self.copy()
            for library in EXECUTORCH:
                if symbol.encode() in (self.folder / library).read_bytes():
                    self.rename(library, symbol)
            done = self.run_agent(f"--inputs={TOY}/input-0.bin")
            self.must_give_the_fixtures_outputs(done)
            self.assertRegex(done.stdout, rf"{APART}: these libraries have no {symbol}\n")
            self.assertEqual(self.processes(), "one for each variant", symbol)
            shutil.rmtree(self.folder)

    def test_libraries_with_both_symbols_have_both_variants_in_one_process(self):
        done = self.run_agent(f"--inputs={TOY}/input-0.bin", folder=FOLDER)
        self.must_give_the_fixtures_outputs(done)
        self.assertNotIn(APART, done.stdout)
        self.assertEqual(self.processes(), "one for both variants")

    def test_the_other_order_takes_two_processes(self):
        done = self.run_agent(f"--inputs={TOY}/input-0.bin", "--variants=on,off", folder=FOLDER)
        self.must_give_the_fixtures_outputs(done)
        self.assertRegex(done.stdout, f"{APART}: they have no way back to a variant without SME\n")

    def test_a_crash_in_the_other_process_is_the_runs(self):
        self.copy()
        self.rename(DELEGATE, "xnn_init_generation")
        self.crash_in(PRODUCT)
        self.assertEqual(abs(self.run_agent().returncode), SIGILL)


class Counts(Libraries):
    def test_repeats_of_operators_that_allocate_are_equal(self):
        done = self.counted(model=SMALL.parent, folder=FOLDER)  # batch matrix products: with glibc's malloc they differed by 347 instructions
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertNotIn("unfit", done.stdout)

    def insns(self, cpu, *words):
        """What each execution after the warm-up executes, and the outputs."""
        marks, events = executorch_agent.count(self.scratch, TOY, "--num_executions=3", *words, cpu=cpu)
        whole = [event for event in events if event["name"] == "Method::execute"]
        return [marks[event["end"]][0] - marks[event["start"]][0] for event in whole[1:]], (self.scratch / "output-0.bin").read_bytes()

    def test_with_sme_hidden_as_much_is_executed_as_on_a_cpu_without_it(self):
        lab.need(executorch_agent.TOTAL)
        without, hidden = self.insns("max,sme=off"), self.insns("max,sme512=on", "--isa=neon,fp16,dotprod,i8mm,bf16,sve")
        self.assertEqual((len(without[0]), len(set(without[0]))), (3, 1), without[0])
        self.assertGreater(without[0][0], 3_600_000)
        self.assertEqual(hidden, without, "to the instruction, and to the bit")
        self.assertLess(self.insns("max,sme512=on")[0][0], without[0][0] // 2)

    def arm(self, mode, model):
        """Instructions of an execution, and how many events it recorded, for each variant."""
        inputs = list(map(str, inputs_of(model).split(",")))
        config = {"model": str(model / "model.pte"), "inputs": inputs, "device": "counted", "runs": 1, "warmup": 1, "experiments": [{"name": mode, "mode": mode}]}
        (self.scratch / f"{mode}.json").write_text(json.dumps(config))
        done = lab.sme2lab("run", self.scratch / f"{mode}.json", "--runtime", "executorch", "-o", self.scratch / mode, "--force", "--json")
        self.assertIn(done.returncode, (0, 3), done.stderr)
        analyses = json.loads(done.stdout)["analyses"]
        return [(analysis["runs"][-1]["e2e_insns"], sum(operator["instances"] for operator in analysis["operators"])) for analysis in analyses]

    def test_operator_marks_add_no_instruction(self):
        """Nor does the tracer: an execution without marks has it too, and pays for the delegate's own readings of the clock, which are stamps with marks."""
        for model, stamps in ((TOY, 12), (lab.MODELS / "control_flow_portable", 0)):  # 11 operators in one delegate; none
            for (without, whole), (marked, events) in zip(self.arm("clean", model), self.arm("timing", model)):
                self.assertEqual((whole, events > 10), (1, True), model.name)
                self.assertEqual(without - marked, CLOCK * stamps, model.name)

    def test_packing_and_the_rest_are_the_operators_whole(self):
        for model in ("toy_cnn_f32_xnnpack", "toy_cnn_f16_xnnpack", "toy_cnn_int8_xnnpack"):
            run = lab.Run(model, self.scratch / model, "--runtime", "executorch")
            for variant in ("off", "on"):
                analysis = run.analysis(variant)
                convolutions = [o for o in analysis["operators"] if o["category"] == "CONV"]
                parts = {p["name"]: p["mean_insns"] for p in analysis["parts"] if p["category"] == "CONV"}
                whole = [r["categories_insns"]["CONV"] for r in analysis["runs"] if not r["warmup"]]
                packing = sum(o["packing_insns"] for o in convolutions)
                self.assertEqual(sum(parts.values()) * len(whole), sum(whole), (model, variant))
                self.assertEqual(parts.get("packing inside", 0) * len(whole), packing, (model, variant))
                self.assertEqual(packing > 0, variant == "on", (model, variant))
                self.assertTrue(all(0 <= o["packing_insns"] <= o["total_insns"] for o in analysis["operators"]))
            products = [o for o in run.analysis("on")["operators"] if "_mopa" in (o["kernel"] or "")]
            self.assertTrue(products and all(0 < o["packing_insns"] < o["total_insns"] for o in products), (model, products))


class Streaming(Libraries):
    """SMSTART in the whole process, of which the emulator lists each instruction before it executes it."""

    def starts_streaming(self, isa, model):
        log = self.scratch / "in_asm"
        done = self.run_agent(f"--inputs={inputs_of(model)}", folder=FOLDER, model=model / "model.pte", variants=(f"--isa={isa}",),
                              emulator=("-d", "in_asm", "-D", log))
        self.assertEqual(done.returncode, 0, done.stdout)
        return bool(SMSTART.search(log.read_bytes()))

    def test_without_sme_nothing_starts_streaming_mode_and_with_sme2_a_product_does(self):
        for model in (TOY, lab.MODELS / "toy_cnn_f16_xnnpack", lab.MODELS / "toy_cnn_int8_xnnpack"):
            self.assertEqual([self.starts_streaming(isa, model) for isa in ("nosme2", "sme2")], [False, True], model.name)

    def test_where_nothing_is_delegated_nothing_starts_it_with_sme2_either(self):
        self.assertFalse(self.starts_streaming("sme2", lab.MODELS / "kitchen_nn_portable"))


class Features(Libraries):
    """--isa: instructions of a feature are executed where the mask has it, and none where it has not. No program here has bf16 weights, and XNNPACK has no kernel
    of SVE alone: of these two UsersOperators tells what the libraries see."""

    # In the emulator's list of what it translated: which bits have which value.
    INSTRUCTIONS = {"i8mm": [(0xffe0fc00, 0x4e80a400)], "dotprod": [(0xbfe0fc00, 0x0e809400), (0xbfc0f400, 0x0f80e000)],
                    "fp16": [(0xbfe0fc00, 0x0e400c00), (0xbfc0f400, 0x0f001000)], "sme": [(0xfffffbff, 0xd503437f)]}
    LINE = re.compile(rb"^0x[0-9a-f]+: +([0-9a-f]{8})", re.M)
    INT8, HALVES = lab.MODELS / "toy_cnn_int8_xnnpack", lab.MODELS / "toy_cnn_f16_xnnpack"

    def execute(self, model, *isa):
        """The features of which it executes instructions."""
        log = self.scratch / "in_asm"
        done = self.run_agent(f"--inputs={inputs_of(model)}", folder=FOLDER, model=model / "model.pte", variants=("--isa=" + ",".join(["neon", *isa]),),
                              emulator=("-d", "in_asm", "-D", log))
        self.assertEqual(done.returncode, 0, done.stdout)
        words = {int(word, 16) for word in self.LINE.findall(log.read_bytes())}
        return {name for name, kinds in self.INSTRUCTIONS.items() if any(word & bits == value for word in words for bits, value in kinds)}

    def kernels(self):
        return {event["kernel"] for event in lab.read_trace((self.scratch / "run.sltrace").read_bytes()) if "_matmul_" in event["kernel"]}

    def test_what_is_hidden_is_not_executed_and_what_is_not_is(self):
        every = ["fp16", "dotprod", "i8mm", "bf16", "sve"]
        for model, isa, executed in ((self.INT8, every, {"i8mm"}), (self.INT8, ["fp16", "dotprod", "bf16", "sve"], {"dotprod"}), (self.INT8, ["fp16", "bf16", "sve"], set()),
                                     (self.HALVES, every, {"fp16"}), (self.HALVES, every[1:], set())):
            self.assertEqual(self.execute(model, *isa), executed, f"{model.name}, {isa}")

    def test_with_sme2_hidden_the_kernels_are_those_of_sme(self):
        for more, name in ((["sme"], "_sme_"), (["sme", "sme2"], "_sme2_")):
            self.assertIn("sme", self.execute(TOY, "fp16", "dotprod", "i8mm", "bf16", "sve", *more))
            self.assertEqual({name in kernel for kernel in self.kernels()}, {True}, self.kernels())


class BadLibraries(Libraries):
    def test_a_missing_symbol_is_named(self):
        self.copy()
        self.rename(DELEGATE, SUBMIT_TRACE)
        self.must_fail("no XNNProfiler to time operators by")

    def test_a_missing_way_to_read_the_cpus_features_is_named(self):
        self.copy()
        for library in EXECUTORCH:
            self.rename(library, "cpuinfo_initialize")
        self.must_fail("these libraries have no cpuinfo_initialize")

    def test_a_symbol_that_one_library_asks_of_another_is_named(self):
        self.copy()
        self.rename("libexecutorch_threadpool.so", "cpuinfo_isa")
        self.must_fail("undefined symbol: cpuinfo_isa")

    def test_a_missing_library_is_named(self):
        self.copy()
        (self.folder / DELEGATE).unlink()
        self.must_fail(f"{DELEGATE}: cannot open shared object file")

    def test_a_damaged_library_is_named(self):
        self.copy()
        (self.folder / DELEGATE).write_bytes(b"no library" * 5000)
        self.must_fail(f"{DELEGATE}: invalid ELF header")

    def test_a_library_for_a_newer_libc_says_so(self):
        self.copy()
        self.change(DELEGATE, (b"\0GLIBC_2.17\0", b"\0GLIBC_2.97\0"))
        self.must_fail("version `GLIBC_2.97' not found")

    def test_a_crash_has_its_signal_and_its_operator(self):
        self.copy()
        self.crash_in(PRODUCT)
        done = self.counted()
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn(f"signal {SIGILL}", done.stdout + done.stderr)
        self.assertIn("DELEGATE_CALL, after 1 of its operators", done.stdout + done.stderr)  # a transposition, then the product

    def test_an_operator_of_sme_in_the_baseline_is_a_failed_run(self):
        self.copy()
        self.change(DELEGATE, (b"Convolution (NHWC, F32)", b"Convolution (NHW, PF32)"))
        self.must_fail("the variant without SME executed Convolution .NHW, PF32.* this is no baseline")


class WrongOutputs(Libraries):
    def test_outputs_of_all_four_are_compared_and_what_is_wrong_fails_the_run(self):
        self.copy()
        self.begin_with(PRODUCT, RETURN)  # SME2's product computes nothing
        done = self.counted("--expected", TOY / "aarch64-sme2-0.bin", "--json", runtime="executorch,own")
        self.assertEqual(done.returncode, 1, done.stderr)
        outputs = json.loads(done.stdout)["outputs"][0]
        agree = {(pair["output"], pair["reference"]): pair["agree"] for pair in outputs["pairs"]}
        self.assertFalse(outputs["agree"])
        self.assertEqual(len(agree), 14, "each of the four with each other, with the portable kernels and with what is expected")
        self.assertEqual({pair for pair, fine in agree.items() if not fine}, {pair for pair in agree if "executorch_on" in pair})
        report = (self.scratch / "out/combined_report.md").read_text()
        self.assertRegex(report, r"ExecuTorch, SME2 on \| ours, SME2 on \|.*\| NO \|")
        self.assertRegex(report, r"ours, SME2 on \| expected \|.*\| yes \|")


class Programs(Libraries):
    def test_a_damaged_program_is_refused_in_the_runtimes_words(self):
        model = self.scratch / "damaged.pte"
        model.write_bytes(bytes(4096))
        self.must_fail("'' != expected 'ET12'|identifier", folder=FOLDER, model=model)

    def test_another_delegate_is_named(self):
        model = self.scratch / "other.pte"
        model.write_bytes((TOY / "model.pte").read_bytes().replace(b"XnnpackBackend", b"XnnpackBackenX"))
        self.must_fail(r"Backend XnnpackBackenX is not registered[\s\S]*status 0x20", folder=FOLDER, model=model)

    def test_external_data_that_is_not_given_is_asked_for(self):
        self.must_fail("no data named '.+' is here: say --data_path[\\s\\S]*Loading of method forward failed", folder=FOLDER,
                       model=lab.MODELS / "external_weights_xnnpack/model.pte")

    def test_external_data_is_taken_from_its_file(self):
        model = lab.MODELS / "external_weights_xnnpack"
        for done in self.in_one_process_and_in_two(f"--inputs={inputs_of(model)}", f"--data_path={model}/weights.ptd", model=model / "model.pte"):
            self.must_give_the_fixtures_outputs(done, model)

    def test_damaged_external_data_is_refused(self):
        (self.scratch / "weights.ptd").write_bytes(bytes(4096))
        self.must_fail("Failed to parse FlatTensor header[\\s\\S]*weights.ptd is no tensor data file that can be used", folder=FOLDER, words=(f"--data_path={self.scratch}/weights.ptd",),
                       model=lab.MODELS / "external_weights_xnnpack/model.pte")

    def test_each_method_gives_its_own_outputs(self):
        model = FIXTURES / "multi_method"
        if not model.exists():
            self.skipTest("multi_method is in SL_FIXTURES only")
        for method in ("encode", "decode"):
            for done in self.in_one_process_and_in_two(f"--inputs={inputs_of(model / method)}", f"--method_name={method}", model=model / "model.pte"):
                self.must_give_the_fixtures_outputs(done, model / method)
        self.must_fail("nope", folder=FOLDER, model=model / "model.pte", words=("--method_name=nope",))

    def test_shapes_that_change_give_the_outputs_of_their_size(self):
        model = lab.MODELS / "dynamic_shape_f32_xnnpack"  # made for batches of 1 to 8
        for batch in (5, 1):
            case = model / f"case-n{batch}"
            expected = floats(case / "expected-0.bin")
            for done in self.in_one_process_and_in_two(f"--inputs={case}/input-0.bin", f"--input-shapes={batch}x3x32x32", model=model / "model.pte"):
                for variant in ("off", "on"):
                    got = floats(self.scratch / f"output_sme2-{variant}-0.bin")
                    self.assertEqual(len(got), len(expected), f"{variant}, {batch}")
                    apart = max(abs(a - b) for a, b in zip(got, expected))
                    self.assertLessEqual(apart, 2e-6 * max(map(abs, expected)), f"{variant}, {batch}")
        self.must_fail("dimension 0 of input 0 is 9, and the program allows 0 to 8", folder=FOLDER, model=model / "model.pte", words=("--input-shapes=9x3x32x32",))

    def test_a_bundled_program_is_held_to_what_it_expects(self):
        done = self.run_agent(folder=FOLDER, model=lab.MODELS / "toy_cnn_bundled/model.bpte")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertRegex(done.stdout, "Model verified successfully|Model executed successfully")

    def test_threads_with_cpus_of_their_own_give_the_same_outputs(self):
        cpus = sorted(os.sched_getaffinity(0))[:2]
        done = self.run_agent(f"--inputs={TOY}/input-0.bin", "--cpu_threads=2", "--affinity=" + ",".join(map(str, cpus)), folder=FOLDER)
        self.must_give_the_fixtures_outputs(done)


class BuiltHere(Libraries):
    """With a library of the test's own."""

    def setUp(self):
        super().setUp()
        if not CLANG:
            self.skipTest("no clang-19 to build a library with")

    def build(self, text, name="libmine.so"):
        self.copy()
        source = self.scratch / "mine.c"
        source.write_text(text)
        sysroot = pathlib.Path(lab.BUILD / "sysroot")
        subprocess.run([CLANG, "--target=aarch64-linux-gnu", f"--sysroot={sysroot}", "-fuse-ld=lld", "-shared", "-fPIC", "-nostartfiles", "-o", self.folder / name, source],
                       check=True)


class WrongMask(BuiltHere):
    """Libraries that see the CPU as it is, whatever the variant may use: no figure comes of them."""

    def setUp(self):
        super().setUp()
        self.build("#include <fcntl.h>\n#include <unistd.h>\n"
                   "unsigned long etauxval(unsigned long type);\nunsigned long etauxval(unsigned long type)\n"
                   "{\n    unsigned long pair[2], found = 0;\n    int fd = open(\"/proc/self/auxv\", O_RDONLY);\n"
                   "    while (read(fd, pair, sizeof(pair)) == sizeof(pair))\n        if (pair[0] == type)\n            found = pair[1];\n"
                   "    close(fd);\n    return found;\n}\n", "libexecutorch_kernels_quantized.so")  # of which the toy needs nothing
        asked = [library for library in EXECUTORCH if self.shorten(library, "getauxval")]
        self.assertEqual(asked, ["libexecutorch_threadpool.so"])

    def must_give_no_figure(self, said):
        done = self.counted("--json")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(json.loads(done.stdout)["error"]["message"], said)
        self.assertNotIn("insns", done.stdout)

    def test_a_variant_without_sme_that_runs_sme_by_name_is_a_failed_run(self):
        self.must_give_no_figure(r"the variant without SME executed .*PF32.*, which is SME's: this is no baseline")

    def test_one_that_runs_it_under_other_names_is_one_too(self):
        self.change(DELEGATE, (b"PF32", b"QF32"))
        self.must_give_no_figure(r"executed SMSTART \d+ times, and that variant may not use SME")


class UsersOperators(BuiltHere):
    def test_libraries_see_the_features_that_the_mask_has_and_no_others(self):
        self.build('#include <stdio.h>\n#include <sys/auxv.h>\n'
                   '__attribute__((destructor)) static void end(void) { fprintf(stderr, "sees %lx %lx\\n", getauxval(AT_HWCAP), getauxval(AT_HWCAP2)); }\n')
        names = {"fp16": (1 << 10, 0), "dotprod": (1 << 20, 0), "i8mm": (0, 1 << 13), "bf16": (0, 1 << 14), "sve": (1 << 22, 1 << 1), "sme": (0, 1 << 23), "sme2": (0, 1 << 37)}
        for hidden in names:
            kept = [name for name in names if name != hidden and (name, hidden) != ("sme2", "sme")]
            done = self.run_agent("--isa=" + ",".join(["neon", *kept]), model=SMALL, variants=())
            self.assertEqual(done.returncode, 0, done.stdout)
            seen = [int(word, 16) for word in re.search("sees ([0-9a-f]+) ([0-9a-f]+)", done.stdout).groups()]
            self.assertEqual([name for name, bits in names.items() if any(bit & word for bit, word in zip(bits, seen))], [name for name in names if name in kept], hidden)

    def test_libraries_beside_executorchs_are_loaded(self):
        self.build('#include <unistd.h>\n__attribute__((constructor)) static void begin(void) { (void)!write(2, "mine is loaded\\n", 15); }\n')
        done = self.run_agent(f"--inputs={TOY}/input-0.bin")
        self.must_give_the_fixtures_outputs(done)
        self.assertIn("mine is loaded", done.stdout)
        self.assertIn("Loaded 1 libraries of custom operators", done.stdout)


if __name__ == "__main__":
    lab.main()
