/* host/cli/cmd_kernels.c: `sme2lab kernels` and `sme2lab kernels bench`. */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "common/base/mem.h"
#include "common/base/say.h"
#include "host/analysis/reach.h"
#include "host/cli/cli.h"
#include "host/cli/exit_code.h"
#include "host/cli/kernel_shapes.h"
#include "host/cli/kernels_list.h"
#include "host/cli/kernels_log.h"
#include "host/cli/kernels_measure.h"
#include "host/cli/kernels_peaks.h"
#include "host/cli/kernels_tune.h"
#include "host/cli/options.h"
#include "host/cli/peaks_file.h"
#include "host/cli/task.h"
#include "host/device/launch.h"
#include "host/report/kernel_anchors.h"
#include "host/report/silicon_file.h"
#include "host/report/style.h"
#include "host/spec/spec.h"

enum {
    MAX_ROWS = SL_KERNELS_MAX_ROWS,
    MAX_OUTPUT_BYTES = 1 << 22,
    MAX_LIST_BYTES = 1 << 20,
};

enum { MOST_FIXED_ARGS = 8, MOST_THREADS = 64 };

struct bench {
    const struct sl_cli *cli;
    struct sl_task_device device;
    const char *engine, *clock; /* clock NULL: what the device has */
    const char *device_name;    /* NULL: this machine where it can, else the emulator */
    int64_t svl, threads;
    const char *silicon;      /* NULL: nothing is estimated */
    const char *anchors_path; /* NULL: nothing is set beside the rows */
    struct sl_kernel_shapes shapes;
    int64_t seed;
    bool tune, peaks, each, skip_absent;
    const char *families[SL_KERNEL_MAX_SHAPES]; /* of --tune and --each */
    size_t family_count;
    char seed_text[24], threads_text[24];
    const char *args[MOST_FIXED_ARGS + SL_KERNEL_BATCH_ARGS + 1];
    struct sl_kernel_row *rows;
    size_t row_count;
};

/* Adds the words that every launch has; returns how many. */
static size_t build_fixed_args(struct bench *b)
{
    size_t n = 0;
    b->args[n++] = "--seed";
    snprintf(b->seed_text, sizeof(b->seed_text), "%" PRId64, b->seed);
    b->args[n++] = b->seed_text;
    b->args[n++] = b->shapes.kernel ? "--kernel" : "--engine";
    b->args[n++] = b->shapes.kernel ? b->shapes.kernel : b->engine;
    if (b->threads > 1) {
        snprintf(b->threads_text, sizeof(b->threads_text), "%" PRId64, b->threads);
        b->args[n++] = "--workers";
        b->args[n++] = b->threads_text;
    }
    if (b->skip_absent)
        b->args[n++] = "--skip-absent";
    b->args[n] = NULL;
    assert(n <= MOST_FIXED_ARGS);
    return n;
}

static int measure(struct bench *b, struct sl_diag *diag)
{
    return sl_kernels_measure(&b->device, b->args, b->rows, &b->row_count, diag);
}

/* All shapes, by as many launches as that takes; a kernel alone is one. */
static int measure_all(struct bench *b, struct sl_diag *diag)
{
    size_t n = build_fixed_args(b);
    int rc = b->shapes.kernel && b->shapes.count == 0 ? measure(b, diag) : 0;
    for (size_t i = 0; rc == 0 && i < b->shapes.count;) {
        i = sl_kernel_shapes_batch(&b->shapes, i, b->args + n);
        rc = measure(b, diag);
    }
    return rc;
}

/* Every kernel of the families, or of all. */
static int measure_each(struct bench *b, struct sl_diag *diag)
{
    size_t n = build_fixed_args(b);
    int rc = 0;
    if (b->family_count == 0)
        b->families[b->family_count++] = "all";
    b->args[n] = "--each";
    b->args[n + 2] = NULL;
    for (size_t i = 0; rc == 0 && i < b->family_count; i++) {
        b->args[n + 1] = b->families[i];
        rc = measure(b, diag);
    }
    return rc;
}

static int print_rows(struct bench *b, const struct sl_kernel_anchors *anchors,
                      struct sl_diag *diag)
{
    struct sl_buf out;
    struct sl_json json;
    const struct sl_style style = {b->cli->width, b->cli->color, MAX_ROWS, b->cli->unicode};
    char roofline[96] = "";
    struct sl_reach_roof roof;
    struct sl_kernel_bench bench = {.rows = b->rows,
                                    .count = b->row_count,
                                    .svl = (unsigned)b->svl,
                                    .threads = (unsigned)b->threads,
                                    .emulated = b->device.traits.emulated,
                                    .anchors = anchors};
    if (b->threads > 1) {
        bench.roofline = "of one core, so no share is stated of what several threads do";
    } else if (!b->device.traits.counted) {
        bench.roofline = roofline;
        if (sl_peaks_file_find(&b->device, &roof, roofline, sizeof(roofline)))
            bench.roof = &roof;
    }
    sl_buf_init(&out, MAX_OUTPUT_BYTES);
    sl_json_init(&json, &out);
    int rc;
    if (b->cli->json) {
        rc = sl_kernel_bench_json(&json, &bench);
        if (rc == 0)
            rc = sl_buf_append(&out, "\n", 1);
    } else {
        rc = sl_kernel_bench_text(&out, &style, &bench);
    }
    if (rc == 0)
        sl_say_page(stdout, &out);
    sl_buf_fini(&out);
    return rc < 0 ? sl_diag_set(diag, rc, NULL, "%s", sl_strerror(rc)) : 0;
}

static int check_options(const struct bench *b, struct sl_diag *diag)
{
    if (b->tune + b->peaks + b->each > 1)
        return sl_diag_set(diag, SL_E_UNSUPPORTED, "command line",
                           "--tune, --peaks and --each are different measurements: ask for one at "
                           "a time");
    if (b->each && b->shapes.type) {
        sl_diag_hint(diag, "its kernels are of every type; name the families to have fewer");
        return sl_diag_set(diag, SL_E_UNSUPPORTED, "--type", "--each takes no type");
    }
    if (!sl_kernel_shapes_know_type(b->shapes.type)) {
        sl_diag_hint(diag, "take f32, f16, bf16, qs8, qd8, q4, q4_g32, q4_g64, q4_g128 or convert");
        return sl_diag_set(diag, SL_E_UNSUPPORTED, "--type",
                           "'%.32s' has no kernels in this version", b->shapes.type);
    }
    if (strcmp(b->engine, "sme2") != 0 && strcmp(b->engine, "neon") != 0 &&
        strcmp(b->engine, "portable") != 0 && !(b->each && strcmp(b->engine, "any") == 0)) {
        sl_diag_hint(diag, "take sme2, neon or portable");
        return sl_diag_set(diag, SL_E_UNSUPPORTED, "--engine", "'%.32s' is no engine", b->engine);
    }
    if (b->clock && strcmp(b->clock, "ns") != 0 && strcmp(b->clock, "instructions") != 0) {
        sl_diag_hint(diag, "take ns or instructions");
        return sl_diag_set(diag, SL_E_UNSUPPORTED, "--clock", "'%.32s' is no clock", b->clock);
    }
    return 0;
}

/* This machine where it has what is to be measured, and else the emulator, which counts unless it
 * is asked for its own, meaningless time. */
static int device_kind(const struct bench *b)
{
    bool here = false, timed = b->clock && strcmp(b->clock, "ns") == 0;
#if defined(__aarch64__)
    bool sme2 = b->shapes.kernel ? strstr(b->shapes.kernel, "_sme2") != NULL
                                 : strcmp(b->engine, "sme2") == 0 || strcmp(b->engine, "any") == 0;
    here = (!sme2 || sl_device_local_has_sme2()) && (!b->clock || timed);
#endif
    return here ? SL_DEVICE_LOCAL : timed && !b->peaks ? SL_DEVICE_EMULATED : SL_DEVICE_COUNTED;
}

/* Threads are timed: each executes what one alone does. */
static int check_threads(const struct bench *b, struct sl_diag *diag)
{
    if (b->threads < 1 || b->threads > MOST_THREADS)
        return sl_diag_set(diag, SL_E_UNSUPPORTED, "--threads", "take 1 to %d", MOST_THREADS);
    if (b->threads > 1 && (b->tune || b->peaks))
        return sl_diag_set(diag, SL_E_UNSUPPORTED, "--threads",
                           "--tune has one thread, and --peaks tries 1 to all cores by itself");
    if (b->threads > 1 && sl_device_kind_traits(device_kind(b)).counted) {
        sl_diag_hint(diag, "measure on the device, or say --clock ns for the emulator's own time, "
                           "which says nothing of one");
        return sl_diag_set(diag, SL_E_UNSUPPORTED, "--threads",
                           "each thread executes the instructions that one alone does: only time "
                           "shows how they share a core's units and memory");
    }
    return 0;
}

/* A device that was named has its clock. */
static int check_clock(const struct bench *b, struct sl_diag *diag)
{
    bool counted = b->device.traits.counted;
    if (!b->device_name || !b->clock || counted == (strcmp(b->clock, "instructions") == 0))
        return 0;
    return sl_diag_set(diag, SL_E_UNSUPPORTED, "--clock", "The device %.60s %s", b->device_name,
                       counted ? "counts instructions" : "measures time");
}

/* Time is estimated from counts alone, for one profile; where --peaks takes time it makes one of a
 * shipped one. */
static int check_silicon(struct bench *b, struct sl_diag *diag)
{
    if (!b->silicon)
        return 0;
    if (strchr(b->silicon, ','))
        return sl_diag_set(diag, SL_E_UNSUPPORTED, "--silicon", "Name one profile");
    if (b->peaks && !b->device.traits.counted) {
        struct sl_bytes base;
        return sl_silicon_source(b->silicon, &base, diag);
    }
    if (b->tune || b->peaks || !b->device.traits.counted) {
        sl_diag_hint(diag, "say --clock instructions");
        return sl_diag_set(diag, SL_E_UNSUPPORTED, "--silicon",
                           "Time is estimated where single kernels are counted");
    }
    b->device.silicon = b->silicon;
    return sl_silicon_check_names(b->silicon, diag);
}

static const char about_bench[] =
    "Counts what single kernels execute, stage by stage, next to the least number of\n"
    "multiply-accumulate instructions. A KERNEL alone is on a shape usual for it.\n"
    "FAMILY:SHAPE is\n"
    "  matmul:MxNxK        unary:OP-N   binary:OP-N   reduce:OP-OUTERxREDUCEDxINNER\n"
    "  conv:IHxIWxIC-OC-KHxKW-sS-pP[-dD][-gG], and deconv; S, P and D may be HxW\n"
    "  depthwise:IHxIWxC-KHxKW-sS-pP[-dD][-mM]       pool:OP-IHxIWxC-KHxKW-sS-pP[-dD]\n"
    "  batch:BxMxNxK, batch_nk of right operands [n][k], batch_qd8 of int8 ones\n"
    "  argmax:IHxIWxC-KHxKW   resize:IHxIWxC-OHxOW   transpose:ROWSxCOLUMNS\n"
    "  permute:AxBxC-201 (up to six)   repeat:ELEMENTSxTIMES   stride:ELEMENTSxSTEP\n"
    "  convert:OP-N   quantise:ROWSxCOLUMNS\n"
    "with OP as in the kernels' names, and of another type with f16/ or qs8/ before it.";

static int parse_bench(struct bench *b, int argc, char **argv, struct sl_diag *diag)
{
    const char *words[SL_KERNEL_MAX_SHAPES];
    size_t count = 0;
    const struct sl_option options[] = {
        {"--type", 0, SL_OPTION_TEXT, &b->shapes.type, "TYPE",
         "f32, f16, bf16, qs8 (static int8), qd8 (dynamic int8), q4, q4_g32, q4_g64, q4_g128 (its "
         "weights int4), convert"},
        {"--engine", 0, SL_OPTION_TEXT, &b->engine, "ENGINE",
         "sme2 (default, but of --each), neon or portable"},
        {"--clock", 0, SL_OPTION_TEXT, &b->clock, "CLOCK",
         "ns, or instructions counted in the emulator (where this machine cannot run the kernels)"},
        {"--device", 0, SL_OPTION_TEXT, &b->device_name, "SELECTOR",
         "local, emulated, counted, or a device of the lab's on this machine"},
        {"--threads", 0, SL_OPTION_COUNT, &b->threads, "N",
         "the same in N threads at once, each with operands of its own (1); with --clock ns"},
        {"--svl", 0, SL_OPTION_COUNT, &b->svl, "BITS",
         "streaming vector length of the emulated CPU (512)"},
        {"--conv", 0, SL_OPTION_TEXT, &b->shapes.conv, "SHAPE",
         "IHxIWxIC-OC-KHxKW-sS-pP[-dD][-gG]"},
        {"--depthwise", 0, SL_OPTION_TEXT, &b->shapes.depthwise, "SHAPE",
         "IHxIWxC-KHxKW-sS-pP[-dD][-mM]"},
        {"--gemv", 0, SL_OPTION_TEXT, &b->shapes.gemv, "NxK", "a product with one row"},
        {"--each", 0, SL_OPTION_FLAG, &b->each, NULL,
         "every kernel there is, of the families named or of all, on a shape usual for it"},
        {"--tune", 0, SL_OPTION_FLAG, &b->tune, NULL,
         "measure what is better off in streaming mode, and keep this device's own table of it"},
        {"--peaks", 0, SL_OPTION_FLAG, &b->peaks, NULL,
         "measure what this device can do at most, with 1 to all of its cores, and keep it, with a "
         "profile of its silicon for estimates"},
        {"--anchors", 0, SL_OPTION_TEXT, &b->anchors_path, "FILE",
         "JSON with instructions of other libraries' kernels, or goals, that are set beside ours"},
        {"--silicon", 0, SL_OPTION_TEXT, &b->silicon, "NAME",
         "where instructions are counted, also estimate the time on this silicon "
         "(configs/silicon); of --peaks: what its profile has where no loop measures"},
        {"--skip-absent", 0, SL_OPTION_FLAG, &b->skip_absent, NULL,
         "leave out shapes that the engine has no kernel for"},
        {"--seed", 0, SL_OPTION_COUNT, &b->seed, "S", "of the random values"},
    };
    const struct sl_usage usage = {
        .verb = "kernels bench",
        .synopsis = "[KERNEL|MxNxK|FAMILY:SHAPE...|--each [FAMILY...]|--tune [FAMILY...]|"
                    "--peaks] [option...]",
        .about = about_bench,
        .options = options,
        .option_count = sizeof(options) / sizeof(options[0]),
        .speaks_http = true};
    int rc = sl_options_parse(&usage, argc, argv, words, SL_KERNEL_MAX_SHAPES, &count, diag);
    b->engine = b->engine ? b->engine : b->each ? "any" : "sme2";
    if (rc == 0)
        rc = check_options(b, diag);
    if (rc == 0)
        rc = check_threads(b, diag);
    bool families = b->tune || b->each;
    for (size_t i = 0; rc == 0 && families && i < count; i++)
        b->families[b->family_count++] = words[i];
    return rc == 0 && !families ? sl_kernel_shapes_collect(&b->shapes, words, count, diag) : rc;
}

static int bench_shapes(struct bench *b, struct sl_diag *diag)
{
    struct sl_kernel_anchors anchors = {.count = 0};
    int rc = b->anchors_path ? sl_kernel_anchors_load(b->anchors_path, &anchors, diag) : 0;
    if (rc < 0)
        return rc;
    b->rows = sl_calloc(MAX_ROWS, sizeof(*b->rows));
    rc = !b->rows ? -ENOMEM : b->each ? measure_each(b, diag) : measure_all(b, diag);
    if (rc == 0)
        rc = print_rows(b, b->anchors_path ? &anchors : NULL, diag);
    sl_kernel_anchors_fini(&anchors);
    return rc;
}

static int bench_kernels(const struct sl_cli *cli, int argc, char **argv)
{
    struct sl_diag diag = {.what = ""};
    struct bench *b = sl_calloc(1, sizeof(*b));
    int rc = -ENOMEM;
    if (b) {
        *b = (struct bench){.cli = cli, .svl = 512, .threads = 1, .seed = 1};
        rc = parse_bench(b, argc, argv, &diag);
    }
    if (rc == 0)
        rc = sl_task_open(cli,
                          &(struct sl_task_wish){.device = b->device_name,
                                                 .kind = device_kind(b),
                                                 .svl = (unsigned)b->svl},
                          &b->device, &diag);
    if (rc == 0)
        rc = check_clock(b, &diag);
    if (rc == 0)
        rc = check_silicon(b, &diag);
    if (rc == 0)
        b->svl = b->device.svl;
    if (rc == 0)
        rc = b->tune    ? sl_kernels_tune(cli, &b->device, (unsigned)b->svl, b->families,
                                          b->family_count, &diag)
             : b->peaks ? sl_kernels_peaks(cli, &b->device, (unsigned)b->svl, b->silicon, &diag)
                        : bench_shapes(b, &diag);
    if (b) {
        sl_task_close(&b->device);
        sl_free(b->rows);
    }
    sl_free(b);
    if (rc < 0 && diag.what[0] == '\0')
        sl_diag_set(&diag, rc, NULL, "%s", sl_strerror(rc));
    return rc < 0 ? sl_cli_fail(cli, sl_exit_for_error(rc), &diag) : SL_EXIT_DONE;
}

static int print_list(const struct sl_cli *cli, const struct sl_task_device *device,
                      const cJSON *list)
{
    struct sl_buf text;
    char *json = cli->json ? cJSON_PrintUnformatted(list) : NULL;
    sl_buf_init(&text, MAX_LIST_BYTES);
    int rc = cli->json ? sl_buf_printf(&text, "%s\n", json ? json : "")
                       : sl_kernels_list_text(
                             &text, list, device->traits.emulated ? device->cpu : NULL, cli->width);
    if (rc == 0 && text.size > 0)
        sl_say_page(stdout, &text);
    sl_buf_fini(&text);
    cJSON_free(json);
    return rc;
}

static int list_kernels(const struct sl_cli *cli, int argc, char **argv)
{
    static const struct sl_usage usage = {
        .verb = "kernels",
        .synopsis = "[bench ...] [--log FILE ...] [option...]",
        .about = "Lists the kernels of the agent with the CPU features they need, as the device\n"
                 "(this machine, or the emulated CPU) meets them. 'sme2lab kernels bench --help'\n"
                 "tells how single kernels are measured, 'sme2lab kernels --log FILE' what a log\n"
                 "of XNNPACK shows.",
        .speaks_http = true};
    const struct sl_task_wish wish = {
        .kind = sl_device_local_has_sme2() ? SL_DEVICE_LOCAL : SL_DEVICE_EMULATED, .svl = 512};
    struct sl_diag diag = {.what = ""};
    struct sl_task_device device = {.name = ""};
    cJSON *list = NULL;
    size_t count = 0;
    int rc = sl_options_parse(&usage, argc, argv, NULL, 0, &count, &diag);
    if (rc > 0)
        return SL_EXIT_DONE;
    if (rc == 0)
        rc = sl_task_open(cli, &wish, &device, &diag);
    if (rc == 0)
        rc = sl_kernels_ask(&device, SL_TASK_KERNELS, &list, &diag);
    if (rc == 0)
        rc = print_list(cli, &device, list);
    cJSON_Delete(list);
    sl_task_close(&device);
    return rc < 0 ? sl_cli_fail(cli, sl_exit_for_error(rc), &diag) : SL_EXIT_DONE;
}

int sl_cmd_kernels(const struct sl_cli *cli, int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "bench") == 0)
        return bench_kernels(cli, argc - 1, argv + 1);
    if (sl_kernels_log_asked(argc, argv))
        return sl_kernels_log(cli, argc, argv);
    return list_kernels(cli, argc, argv);
}
