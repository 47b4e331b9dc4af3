"""Each fuzz corpus, replayed, does no harm and reaches at least 90 % of the lines of its parser.

    coverage.py BUILD    BUILD: a build of the fuzz targets with SL_COVERAGE, such as that of preset asan
"""

import concurrent.futures
import glob
import os
import re
import subprocess
import sys

import sources

WALL = 90.0

# Fuzz target: the files that take its bytes apart. A target that is not here is an error; files that are not there yet are not.
PARSERS = {
    "pte": ["common/format/pte.c", "common/format/flatbuf_layout.c"],
    "xnngraph": ["common/format/xnngraph.c"],
    "bundle": ["common/format/bundle.c", "common/format/tensor_shape.c"],
    "ptd": ["common/format/ptd.c", "common/format/tensor_shape.c"],
    "etdump": ["common/format/etdump.c", "common/format/etdump_join.c"],
    "sltrace": ["common/format/sltrace.c"],
    "frame": ["common/net/frame.c"],
    "blob_put": ["host/device/blob_put.c"],
    "adb": ["host/device/adb/smart_socket.c", "host/device/adb/shell_packet.c", "host/device/adb/sync_record.c", "host/device/adb/listing.c"],
    "file_stream": ["host/ingest/file_stream.c"],
    "assembler": ["host/ingest/assembler.c"],
    "message": ["common/net/message.c"],
    "assembler": ["host/ingest/assembler.c"],
    "ring": ["agent/trace/ring.c"],
    "program": ["common/format/flatbuf.c", "common/format/flatbuf_table.c", "agent/runtime/xnn/nodes.c", "agent/runtime/xnn/layout.c", "agent/runtime/step_window.c"],  # the bytes are pte's and xnngraph's; these take what they say
    "weight_file": ["agent/runtime/weights/weight_file.c"],
    "blob_store": ["agent/serve/blob_store.c"],
    "gflags": ["agent/run/gflags.c"],
    "probe": ["agent/probe/sysfs.c", "agent/probe/dumpsys.c"],
    "gunzip": ["agent/probe/gunzip.c"],
    "count_log": ["host/device/count_log.c", "host/device/log_line.c"],
    "elf_marks": ["host/device/elf_marks.c"],
    "plan": ["host/spec/plan.c", "host/spec/json_doc.c", "host/spec/param.c"],
    "runners_report": ["host/rundir/runners_report.c"],
    "job_body": ["host/spec/job_body.c", "host/spec/moment.c"],
    "categories": ["host/report/categories_file.c"],
    "http": ["host/http/token_wish.c", "host/http/router.c", "host/http/range.c"],
    "host_config": ["host/spec/host_config.c", "host/spec/plugin_config.c"],
    "plugin_file": ["host/rundir/plugin_file.c"],
    "run_list": ["host/peer/run_list.c"],
    "plugin_lines": ["host/plugin/line.c", "host/plugin/record.c"],
    "policy_file": ["host/spec/policy_file.c", "host/spec/noise_file.c", "host/cli/peaks_file.c"],
    "selector": ["host/spec/selector.c"],
    "sse": ["host/cli/sse.c"],
    "pairs": ["host/report/pairs_csv.c"],
    "workload": ["host/analysis/workload.c"],
    "runner_log": ["host/report/runner_log.c"],
    "kernel_anchors": ["host/report/kernel_anchors.c"],
    "silicon": ["host/report/silicon_file.c"],
    "run_archive": ["host/rundir/archive_list.c", "host/rundir/archive_unpack.c"],
    "baseline": ["host/report/baseline.c", "host/spec/json_read.c"],
    "kernel_log": ["host/report/kernel_log.c", "host/analysis/kernel_name.c"],
    "etrecord": ["common/format/zip_store.c", "host/report/etrecord.c"],
    "benchmark_file": ["host/report/benchmark_file.c"],
    "attribution": ["host/analysis/nesting.c", "host/analysis/attribution.c"],
}


# Functions in those files that write, create, or open what the parsers are then given: no outside bytes reach them.
AROUND = {
    "common/net/frame.c": ["sl_frame_append", "sl_frame_header"],
    "host/ingest/file_stream.c": ["write_file", "sl_file_stream_unpack"],
    "host/spec/host_config.c": ["sl_host_config_read"],
    "host/spec/plugin_config.c": ["sl_plugin_when_name"],
    "host/rundir/plugin_file.c": ["sl_plugin_file_open"],
    "agent/probe/sysfs.c": ["sl_sysfs_line", "sl_sysfs_number", "sl_sysfs_indices", "read_text", "by_value"],
    "host/spec/noise_file.c": ["sl_noise_file_find", "find_in"],
    "host/cli/peaks_file.c": ["sl_peaks_file_find"],
    "common/format/flatbuf.c": ["no_room"],  # words two failures of the pool
    "host/report/categories_file.c": ["sl_categories_load"],
    "host/report/kernel_anchors.c": ["sl_kernel_anchors_load"],
    "host/report/silicon_file.c": ["sl_silicon_load", "load_file", "find_measured", "sl_silicon_built_in", "sl_silicon_describe"],
    "host/spec/param.c": ["sl_param_digests", "sl_param_set_label", "sl_params_record", "sl_param_fits_record", "is_choice", "is_labels"],
    "host/spec/plan.c": ["sl_plan_is_of_both", "sl_plan_shares", "sl_plan_order", "sl_plan_rounds", "append", "sl_plan_check_device"],  # asked of what was read
    "host/spec/policy_file.c": ["sl_device_fingerprint", "sl_device_file_path"],
    "agent/runtime/weights/weight_file.c": ["sl_weight_file_put_entry", "sl_weight_file_put_head", "sl_weight_note_put", "put_content"],
    "host/device/blob_put.c": ["do_place", "after_place", "on_stall", "pump", "sl_blob_put_start", "sl_blob_put_writable", "open_next", "offer"],
    "host/device/adb/smart_socket.c": ["sl_adb_request"],
    "host/device/adb/shell_packet.c": ["sl_adb_packet_append"],
    "host/device/adb/sync_record.c": ["put", "sl_adb_sync_send", "sl_adb_sync_send_packed", "sl_adb_sync_data", "sl_adb_sync_done"],
    "agent/serve/blob_store.c": ["sl_blob_store_new", "sl_blob_store_release", "refuse_code", "sync_folder"],
    "agent/trace/ring.c": ["sl_ring_new", "sl_ring_fd", "open_memory", "open_unlinked", "seal_size", "sl_ring_set_current", "sleep_on", "wake"],
}
# The same as in tests/fuzz/CMakeLists.txt.
MUTATED = re.compile("delegate_ops|kitchen|dynamic_shape|quant_ops|qb4w|llm_cache|argmax")
# A line of llvm-cov's table of functions: name, regions (count, missed, share), lines (count, missed).
FUNCTION = re.compile(r"^(\S+) +\d+ +\d+ +\S+% +(\d+) +(\d+) ")


def mutate(build):
    """Runs the programs that ctest gives mutate_program; returns the profile."""
    program = os.path.join(build, "tests/mutate_program")
    models = sorted(path for path in glob.glob(os.path.join(sources.ROOT, "tests/data/models/*/model.pte")) if MUTATED.search(path))
    subprocess.run([program, "2000x", "1", program + ".found", *models], check=True, stdout=subprocess.DEVNULL,
                   env={**os.environ, "LLVM_PROFILE_FILE": program + ".profraw"})
    return program + ".profraw"


def run_corpus(build, module):
    """Runs the target over its corpus; returns the profile."""
    program = os.path.join(build, "tests", f"fuzz_{module}")
    raw = program + ".profraw"
    subprocess.run([program, os.path.join(sources.ROOT, "tests/fuzz/corpus", module)], check=True, stdout=subprocess.DEVNULL,
                   env={**os.environ, "LLVM_PROFILE_FILE": raw})
    return raw


def merge(build, module, profiles):
    """The program of a target and the merged profile of what there is for it; `profiles` by module, each replayed once."""
    program = os.path.join(build, "tests", f"fuzz_{module}")
    also = {"program": ("mutated", "pte", "xnngraph", "etdump"),  # programs that lie; the reader of FlatBuffers is that of three formats more
            "plan": ("job_body",)}  # the table of parameters reads bodies of jobs too
    raws = [profiles[name] for name in (module, *also.get(module, ()))]
    merged = program + ".profdata"
    subprocess.run(["llvm-profdata-19", "merge", "-sparse", *raws, "-o", merged], check=True)
    return program, merged


def lines_reached(program, profile, path):
    """(lines, lines reached) of the functions of a file, but for those of AROUND; (0, 0) if the file is not in the program."""
    table = subprocess.run(["llvm-cov-19", "report", "-show-functions", f"-instr-profile={profile}", program, path], cwd=sources.ROOT,
                           capture_output=True, text=True).stdout
    lines = missed = 0
    for name, count, not_reached in (match.groups() for match in map(FUNCTION.match, table.splitlines()) if match):
        if name != "TOTAL" and name.rpartition(":")[2] not in AROUND.get(path, []):
            lines, missed = lines + int(count), missed + int(not_reached)
    return lines, lines - missed


def parser_files(module):
    found = [os.path.relpath(path, sources.ROOT) for pattern in PARSERS[module] for path in glob.glob(os.path.join(sources.ROOT, pattern))]
    return sorted(set(found))


def main():
    build = os.path.abspath(sys.argv[1])
    problems, measured = [], []
    modules = [os.path.basename(source)[len("fuzz_"):-len(".c")] for source in sorted(glob.glob(os.path.join(sources.ROOT, "tests/fuzz/fuzz_*.c")))]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        mutated = pool.submit(mutate, build)
        profiles = dict(zip(modules, pool.map(lambda module: run_corpus(build, module), modules)))
        profiles["mutated"] = mutated.result()
    for module in modules:
        if module not in PARSERS:
            problems.append(f"tests/fuzz/fuzz_{module}.c:1: coverage.py does not know which files it fuzzes")
            continue
        program, profile = merge(build, module, profiles)
        reached = {path: lines_reached(program, profile, path) for path in parser_files(module)}
        reached = {path: counts for path, counts in reached.items() if counts[0]}
        if not reached:
            problems.append(f"tests/fuzz/fuzz_{module}.c:1: none of {PARSERS[module]} is in it")
        for path, (lines, covered) in reached.items():
            share = 100.0 * covered / lines
            measured.append(path)
            print(f"  {share:5.1f} % of {lines:4} lines  {path}  (corpus {module})")
            if share < WALL:
                problems.append(f"{path}:1: the corpus {module} reaches {share:.1f} % of its lines; at least {WALL:.0f} % are asked for")
    return sources.report(problems, f"{len(measured)} parsers, each reached to {WALL:.0f} % or more")


if __name__ == "__main__":
    sys.exit(main())
