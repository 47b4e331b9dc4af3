/* host/cli/cmd_kernels.c: `sme2lab kernels` and `sme2lab kernels bench`. */
#include <cjson/cJSON.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "common/base/mem.h"
#include "host/analysis/random.h"
#include "host/cli/cli.h"
#include "host/cli/exit_code.h"
#include "host/cli/kernels_log.h"
#include "host/cli/options.h"
#include "host/device/count_log.h"
#include "host/device/launch.h"
#include "host/report/kernel_bench.h"
#include "host/report/style.h"

enum {
    MAX_SHAPES = 128,
    MAX_ROWS = MAX_SHAPES * 4,
    MAX_SHAPE_BYTES = 96,
    RANDOM_MAX_DIM = 256,
    TIMEOUT_MS = 600000,
    MAX_OUTPUT_BYTES = 1 << 22,
};

struct bench {
    const struct sl_cli *cli;
    struct sl_device device;
    const char *type, *engine, *conv, *depthwise, *gemv;
    const char *kernel; /* by name */
    int64_t svl, random, seed;
    bool all; /* goal_shapes with SME2, then with NEON */
    size_t shape_count;
    char shapes[MAX_SHAPES][MAX_SHAPE_BYTES];
    char seed_text[24];
    const char *args[2 * MAX_SHAPES + 16];
    struct sl_kernel_row *rows;
    size_t row_count;
};

/* Where there are goals: the shapes that other libraries were counted on, and one of each kind. */
static const char *const goal_shapes[] = {
    "matmul:64x64x64",
    "matmul:128x128x128",
    "matmul:100x192x384",
    "matmul:784x128x64",
    "matmul:49x960x160",
    "matmul:1x1024x1024",
    "conv:28x28x64-128-3x3-s1-p1",
    "conv:14x14x64-64-3x3-s1-p1",
    "depthwise:28x28x128-3x3-s1-p1",
    "depthwise:14x14x512-3x3-s1-p1",
    "depthwise:28x28x128-3x3-s2-p1",
    "depthwise:28x28x128-5x5-s1-p2",
    "unary:clamp-65536",
    "unary:hardswish-65536",
    "unary:gelu-65536",
    "unary:sigmoid-65536",
    "unary:exp-65536",
    "binary:add-65536",
    "binary:add_clamped-65536",
    "pool:max-56x56x64-2x2-s2-p0",
    "reduce:softmax-64x1024x1",
    "reduce:layer_norm-64x1024x1",
    "reduce:mean-1x49x512",
    "transpose:256x256",
    "matmul_qd8:64x64x64",
    "matmul_qd8:128x128x128",
    "matmul_qd8:100x192x384",
    "matmul_qd8:784x128x64",
    "matmul_qd8:49x960x160",
    "matmul_qd8:1x1024x1024",
    "matmul_q4:64x64x64",
    "matmul_q4:128x128x128",
    "matmul_q4:784x128x64",
    "matmul_q4:49x960x160",
    "matmul_q4:1x1024x1024",
    "matmul_q4_g32:64x64x64",
    "matmul_q4_g32:128x128x128",
    "matmul_q4_g32:784x128x64",
    "matmul_q4_g32:49x960x160",
    "matmul_q4_g32:1x1024x1024",
    "convert:f32_qs8-65536",
    "convert:qs8_f32-65536",
    "convert:f16_f32-65536",
    "convert:f32_f16-65536",
    "qs8/matmul:64x64x64",
    "qs8/matmul:128x128x128",
    "qs8/matmul:256x256x256",
    "qs8/matmul:100x192x384",
    "qs8/matmul:784x128x64",
    "qs8/matmul:49x960x160",
    "qs8/matmul:1x1024x1024",
    "qs8/conv:28x28x64-128-3x3-s1-p1",
    "qs8/conv:14x14x64-64-3x3-s1-p1",
    "qs8/depthwise:28x28x128-3x3-s1-p1",
    "qs8/depthwise:14x14x512-3x3-s1-p1",
    "qs8/depthwise:28x28x128-3x3-s2-p1",
    "qs8/depthwise:28x28x128-5x5-s1-p2",
    "qs8/unary:clamp-65536",
    "qs8/unary:table-65536",
    "qs8/binary:add-65536",
    "qs8/binary:multiply-65536",
    "qs8/pool:max-56x56x64-2x2-s2-p0",
    "qs8/reduce:mean-1x49x512",
    "f16/matmul:64x64x64",
    "f16/matmul:128x128x128",
    "f16/matmul:100x192x384",
    "f16/matmul:784x128x64",
    "f16/matmul:49x960x160",
    "f16/matmul:1x1024x1024",
    "f16/conv:28x28x64-128-3x3-s1-p1",
    "f16/conv:14x14x64-64-3x3-s1-p1",
    "f16/depthwise:28x28x128-3x3-s1-p1",
    "f16/depthwise:14x14x512-3x3-s1-p1",
    "f16/unary:clamp-65536",
    "f16/unary:hardswish-65536",
    "f16/unary:sigmoid-65536",
    "f16/unary:exp-65536",
    "f16/binary:add-65536",
    "f16/binary:add_clamped-65536",
    "f16/pool:max-56x56x64-2x2-s2-p0",
    "f16/reduce:softmax-64x1024x1",
    "f16/reduce:layer_norm-64x1024x1",
    "f16/reduce:mean-1x49x512",
    "f16/transpose:256x256",
    "bf16/matmul:64x64x64",
    "bf16/matmul:128x128x128",
    "bf16/matmul:784x128x64",
    "bf16/matmul:49x960x160",
    "bf16/matmul:1x1024x1024",
};

/* What --type takes: the family that shapes without one are of, and whose goals --all measures. */
static const struct type {
    const char *name, *family;
} types[] = {
    {"f32", "matmul:"},           {"qd8", "matmul_qd8:"},   {"q4", "matmul_q4:"},
    {"q4_g32", "matmul_q4_g32:"}, {"convert", "convert:"},  {"qs8", "qs8/matmul:"},
    {"f16", "f16/matmul:"},       {"bf16", "bf16/matmul:"},
};

enum { TYPES = sizeof(types) / sizeof(types[0]) };

static const char *family_of(const struct bench *b)
{
    for (size_t i = 0; b->type && i < TYPES; i++)
        if (strcmp(types[i].name, b->type) == 0)
            return types[i].family;
    return types[0].family;
}

/* Whether --all with this --type, or none, measures the shape; f32 is what no other type is. */
static bool is_of_type(const struct bench *b, const char *shape)
{
    const char *family = types[0].family;
    for (size_t i = 1; i < TYPES; i++)
        if (strncmp(shape, types[i].family, strcspn(types[i].family, "/:") + 1) == 0)
            family = types[i].family;
    return !b->type || strcmp(family, family_of(b)) == 0;
}

static int add_shape(struct bench *b, const char *prefix, const char *shape, const char *suffix,
                     struct sl_diag *diag)
{
    if (b->shape_count == MAX_SHAPES)
        return sl_diag_set(diag, SL_E_LIMIT, "command line", "more than %d shapes", MAX_SHAPES);
    int len = snprintf(b->shapes[b->shape_count], MAX_SHAPE_BYTES, "%s%s%s", prefix, shape, suffix);
    if (len < 0 || len >= MAX_SHAPE_BYTES)
        return sl_diag_set(diag, SL_E_UNSUPPORTED, "command line", "'%.40s...' is no shape", shape);
    b->shape_count++;
    return 0;
}

/* A layer of the type that --type says. */
static int add_layer(struct bench *b, const char *family, const char *shape, struct sl_diag *diag)
{
    const char *slash = strchr(family_of(b), '/');
    char prefix[MAX_SHAPE_BYTES];
    snprintf(prefix, sizeof(prefix), "%.*s%s", slash ? (int)(slash + 1 - family_of(b)) : 0,
             family_of(b), family);
    return add_shape(b, prefix, shape, "", diag);
}

/* N x K: a product with a single row. */
static int add_gemv(struct bench *b, struct sl_diag *diag)
{
    char prefix[MAX_SHAPE_BYTES];
    snprintf(prefix, sizeof(prefix), "%s1x", family_of(b));
    return b->gemv ? add_shape(b, prefix, b->gemv, "", diag) : 0;
}

static int add_random(struct bench *b, struct sl_diag *diag)
{
    struct sl_random random = {(uint64_t)b->seed};
    int rc = 0;
    for (int64_t i = 0; rc == 0 && i < b->random; i++) {
        char shape[48];
        size_t m = 1 + sl_random_below(&random, RANDOM_MAX_DIM);
        size_t n = 1 + sl_random_below(&random, RANDOM_MAX_DIM);
        size_t k = 1 + sl_random_below(&random, RANDOM_MAX_DIM);
        k = strstr(family_of(b), "_g32") ? (k + 31) / 32 * 32 : k;
        snprintf(shape, sizeof(shape), "%zux%zux%zu", m, n, k);
        rc = add_shape(b, family_of(b), shape, "", diag);
    }
    return rc;
}

/* Shapes in the order of the command line's words, then of the options. */
static int collect_shapes(struct bench *b, const char *const *words, size_t count,
                          struct sl_diag *diag)
{
    int rc = 0;
    for (size_t i = 0; b->all && rc == 0 && i < sizeof(goal_shapes) / sizeof(goal_shapes[0]); i++)
        rc = is_of_type(b, goal_shapes[i]) ? add_shape(b, "", goal_shapes[i], "", diag) : 0;
    for (size_t i = 0; rc == 0 && i < count; i++) {
        if (strncmp(words[i], "sl_", 3) == 0)
            b->kernel = words[i];
        else if (strchr(words[i], ':'))
            rc = add_shape(b, "", words[i], "", diag);
        else
            rc = add_shape(b, family_of(b), words[i], "", diag);
    }
    if (rc == 0 && b->conv)
        rc = add_layer(b, "conv:", b->conv, diag);
    if (rc == 0 && b->depthwise)
        rc = add_layer(b, "depthwise:", b->depthwise, diag);
    if (rc == 0)
        rc = add_gemv(b, diag);
    if (rc == 0)
        rc = add_random(b, diag);
    if (rc == 0 && b->shape_count == 0) {
        if (b->kernel && strncmp(b->kernel, "sl_conv", 7) == 0)
            return add_layer(b, "conv:", "28x28x64-128-3x3-s1-p1", diag);
        if (b->kernel && strncmp(b->kernel, "sl_depthwise", 12) == 0)
            return add_layer(b, "depthwise:", "28x28x128-3x3-s1-p1", diag);
        rc = add_shape(b, family_of(b),
                       b->kernel && strstr(b->kernel, "1x16vl") ? "1x1024x1024" : "128x128x128", "",
                       diag);
    }
    return rc;
}

static void build_args(struct bench *b)
{
    size_t n = 0;
    b->args[n++] = "kernels";
    b->args[n++] = "--clock";
    b->args[n++] = b->device.kind == SL_DEVICE_COUNTED ? "marks" : "ns";
    b->args[n++] = "--seed";
    snprintf(b->seed_text, sizeof(b->seed_text), "%" PRId64, b->seed);
    b->args[n++] = b->seed_text;
    if (b->all)
        b->args[n++] = "--skip-absent"; /* a type need not have every family in every engine */
    if (b->kernel) {
        b->args[n++] = "--kernel";
        b->args[n++] = b->kernel;
    } else {
        b->args[n++] = "--engine";
        b->args[n++] = b->engine;
    }
    for (size_t i = 0; i < b->shape_count; i++) {
        b->args[n++] = "--bench";
        b->args[n++] = b->shapes[i];
    }
    b->args[n] = NULL;
}

static bool take_text(const cJSON *object, const char *key, char *out, size_t size)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    if (!cJSON_IsString(item) || strlen(item->valuestring) >= size)
        return false;
    memcpy(out, item->valuestring, strlen(item->valuestring) + 1);
    return true;
}

static bool take_count(const cJSON *object, const char *key, uint64_t *out)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    if (!cJSON_IsNumber(item) || !(item->valuedouble >= 0 && item->valuedouble < 9e15))
        return false;
    *out = (uint64_t)item->valuedouble;
    return true;
}

static bool read_row(const char *line, size_t len, bool counted, struct sl_kernel_row *row)
{
    *row = (struct sl_kernel_row){.counted = counted};
    cJSON *object = cJSON_ParseWithLength(line, len);
    bool good = object && take_text(object, "family", row->family, sizeof(row->family)) &&
                take_text(object, "type", row->type, sizeof(row->type)) &&
                take_text(object, "kernel", row->kernel, sizeof(row->kernel)) &&
                take_text(object, "stage", row->stage, sizeof(row->stage)) &&
                take_count(object, "m", &row->m) && take_count(object, "n", &row->n) &&
                take_count(object, "k", &row->k) && (counted || take_count(object, "ns", &row->ns));
    cJSON_Delete(object);
    return good;
}

static int read_rows(struct bench *b, const struct sl_buf *out, struct sl_diag *diag)
{
    const char *at = (const char *)out->data;
    const char *end = at + out->size;
    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        if (!stop || b->row_count == MAX_ROWS ||
            !read_row(at, (size_t)(stop - at), b->device.kind == SL_DEVICE_COUNTED,
                      &b->rows[b->row_count]))
            return sl_diag_set(diag, SL_E_FORMAT, "the agent's output",
                               "row %zu is not what sme2lab-agent prints", b->row_count + 1);
        b->row_count++;
        at = stop + 1;
    }
    return 0;
}

/* Each row from `first` on is one pair of begin and end. */
static int join_counts(struct bench *b, size_t first, const struct sl_count_log *log,
                       struct sl_diag *diag)
{
    size_t count;
    struct sl_kernel_row *rows = b->rows + first;
    const struct sl_count_mark *marks = sl_count_log_marks(log, &count);
    if (count != 2 * (b->row_count - first))
        return sl_diag_set(diag, SL_E_MISMATCH, "the emulator's log",
                           "%zu marks for %zu measured stages", count, b->row_count - first);
    for (size_t i = 0; i < b->row_count - first; i++) {
        const struct sl_count_mark *begin = &marks[2 * i];
        const struct sl_count_mark *end = &marks[2 * i + 1];
        if (begin->is_end || !end->is_end)
            return sl_diag_set(diag, SL_E_MISMATCH, "the emulator's log", "marks do not alternate");
        rows[i].instructions = end->insns[SL_INSN_ANY] - begin->insns[SL_INSN_ANY];
        rows[i].mac_instructions = end->insns[SL_INSN_OUTER] - begin->insns[SL_INSN_OUTER] +
                                   end->insns[SL_INSN_VECTOR_MAC] -
                                   begin->insns[SL_INSN_VECTOR_MAC];
    }
    return 0;
}

/* What the agent said last, without its usage. */
static int agent_failed(const struct sl_child_result *result, struct sl_diag *diag)
{
    static const char prefix[] = "sme2lab-agent: kernels: ";
    char said[200] = "it said nothing";
    const char *text = (const char *)result->err.data;
    if (result->err.size > 0) {
        text += strncmp(text, prefix, strlen(prefix)) == 0 ? strlen(prefix) : 0;
        snprintf(said, sizeof(said), "%.*s", (int)strcspn(text, "\n"), text);
    }
    if (result->exit_code == 2) {
        sl_diag_hint(diag,
                     "'sme2lab kernels' lists the kernels, 'sme2lab kernels bench --help' how "
                     "shapes are written");
        return sl_diag_set(diag, SL_E_UNSUPPORTED, "command line", "%s", said);
    }
    return sl_diag_set(diag, result->timed_out ? SL_E_TIMEOUT : SL_E_CRASHED, "sme2lab-agent",
                       "the kernels could not be run: %s", said);
}

static int run_agent(const struct sl_device *device, const char *const *args,
                     struct sl_count_log *log, struct sl_child_result *out, struct sl_diag *diag)
{
    struct sl_launch launch = {.args = args, .timeout_ms = TIMEOUT_MS, .log = log};
    int rc = sl_device_launch(device, &launch, out, diag);
    if (rc < 0)
        return rc;
    if (out->exit_code != 0) {
        rc = agent_failed(out, diag);
        sl_child_fini(out);
    }
    return rc;
}

static int measure(struct bench *b, struct sl_diag *diag)
{
    struct sl_child_result result;
    struct sl_count_log *log = NULL;
    size_t first = b->row_count;
    int rc = 0;
    if (b->device.kind == SL_DEVICE_COUNTED)
        rc = sl_device_new_log(&b->device, &log, diag);
    if (rc == 0)
        rc = run_agent(&b->device, b->args, log, &result, diag);
    if (rc < 0) {
        sl_count_log_free(log);
        return rc;
    }
    rc = read_rows(b, &result.out, diag);
    if (rc == 0 && log)
        rc = join_counts(b, first, log, diag);
    sl_child_fini(&result);
    sl_count_log_free(log);
    return rc;
}

static int print_rows(const struct bench *b, struct sl_diag *diag)
{
    struct sl_buf out;
    struct sl_json json;
    const struct sl_style style = {b->cli->width, b->cli->color, MAX_ROWS};
    sl_buf_init(&out, MAX_OUTPUT_BYTES);
    sl_json_init(&json, &out);
    int rc;
    if (b->cli->json) {
        rc = sl_kernel_bench_json(&json, b->rows, b->row_count, (unsigned)b->svl);
        if (rc == 0)
            rc = sl_buf_append(&out, "\n", 1);
    } else {
        rc = sl_kernel_bench_text(&out, &style, b->rows, b->row_count, (unsigned)b->svl);
    }
    if (rc == 0)
        fwrite(out.data, 1, out.size, stdout);
    sl_buf_fini(&out);
    return rc < 0 ? sl_diag_set(diag, rc, NULL, "%s", sl_strerror(rc)) : 0;
}

static int check_options(const struct bench *b, struct sl_diag *diag)
{
    bool known = !b->type;
    for (size_t i = 0; i < TYPES; i++)
        known = known || strcmp(types[i].name, b->type) == 0;
    if (!known) {
        sl_diag_hint(diag, "take f32, f16, bf16, qs8, qd8, q4, q4_g32 or convert");
        return sl_diag_set(diag, SL_E_UNSUPPORTED, "--type",
                           "'%.32s' has no kernels in this version", b->type);
    }
    if (strcmp(b->engine, "sme2") != 0 && strcmp(b->engine, "neon") != 0 &&
        strcmp(b->engine, "portable") != 0) {
        sl_diag_hint(diag, "take sme2, neon or portable");
        return sl_diag_set(diag, SL_E_UNSUPPORTED, "--engine", "'%.32s' is no engine", b->engine);
    }
    return 0;
}

/* The counted device, but for a machine that has what is to be measured: there it is time. */
static int device_kind(const struct bench *b)
{
#if defined(__aarch64__)
    bool here = strcmp(b->engine, "sme2") != 0 || sl_device_local_has_sme2();
    return here ? SL_DEVICE_LOCAL : SL_DEVICE_COUNTED;
#else
    (void)b;
    return SL_DEVICE_COUNTED;
#endif
}

static int parse_bench(struct bench *b, int argc, char **argv, struct sl_diag *diag)
{
    const char *words[MAX_SHAPES];
    size_t count = 0;
    const struct sl_option options[] = {
        {"--type", 0, SL_OPTION_TEXT, &b->type, "TYPE",
         "f32, f16, bf16, qs8 (static int8), qd8 (dynamic int8), q4, q4_g32 (its weights int4), "
         "convert"},
        {"--engine", 0, SL_OPTION_TEXT, &b->engine, "ENGINE", "sme2 (default), neon or portable"},
        {"--svl", 0, SL_OPTION_COUNT, &b->svl, "BITS",
         "streaming vector length of the emulated CPU (512)"},
        {"--conv", 0, SL_OPTION_TEXT, &b->conv, "SHAPE", "IHxIWxIC-OC-KHxKW-sS-pP"},
        {"--depthwise", 0, SL_OPTION_TEXT, &b->depthwise, "SHAPE", "IHxIWxC-KHxKW-sS-pP"},
        {"--gemv", 0, SL_OPTION_TEXT, &b->gemv, "NxK", "a product with one row"},
        {"--all", 0, SL_OPTION_FLAG, &b->all, NULL,
         "every shape with a goal, with SME2 and then with NEON"},
        {"--random", 0, SL_OPTION_COUNT, &b->random, "N", "N random products up to 256"},
        {"--seed", 0, SL_OPTION_COUNT, &b->seed, "S", "of the random shapes and values"},
    };
    const struct sl_usage usage = {
        .verb = "kernels bench",
        .synopsis = "[KERNEL|MxNxK|FAMILY:SHAPE...] [option...]",
        .about =
            "Counts what single kernels execute, stage by stage, next to the least number of\n"
            "multiply-accumulate instructions and to what other libraries need. FAMILY:SHAPE is\n"
            "unary:OP-N, binary:OP-N, pool:OP-IHxIWxC-KHxKW-sS-pP, transpose:ROWSxCOLUMNS,\n"
            "reduce:OP-OUTERxREDUCEDxINNER or convert:OP-N, with OP as in the kernels' names.",
        .options = options,
        .option_count = sizeof(options) / sizeof(options[0])};
    int rc = sl_options_parse(&usage, argc, argv, words, MAX_SHAPES, &count, diag);
    if (rc == 0)
        rc = check_options(b, diag);
    return rc == 0 ? collect_shapes(b, words, count, diag) : rc;
}

static int bench_kernels(const struct sl_cli *cli, int argc, char **argv)
{
    struct sl_diag diag = {.what = ""};
    struct bench *b = sl_calloc(1, sizeof(*b));
    int rc = -ENOMEM;
    if (b) {
        *b = (struct bench){.cli = cli, .engine = "sme2", .svl = 512, .seed = 1};
        rc = parse_bench(b, argc, argv, &diag);
    }
    if (rc == 0)
        rc = sl_device_open(device_kind(b), (unsigned)b->svl, NULL, &b->device, &diag);
    if (rc == 0) {
        b->rows = sl_calloc(MAX_ROWS, sizeof(*b->rows));
        rc = b->rows ? 0 : -ENOMEM;
    }
    if (rc == 0) {
        build_args(b);
        rc = measure(b, &diag);
    }
    if (rc == 0 && b->all) {
        b->engine = "neon";
        build_args(b);
        rc = measure(b, &diag);
    }
    if (rc == 0)
        rc = print_rows(b, &diag);
    if (b)
        sl_free(b->rows);
    sl_free(b);
    if (rc < 0 && diag.what[0] == '\0')
        sl_diag_set(&diag, rc, NULL, "%s", sl_strerror(rc));
    return rc < 0 ? sl_cli_fail(cli, sl_exit_for_error(rc), &diag) : SL_EXIT_DONE;
}

/* What "here" means in the agent's list. */
static void print_where(const struct sl_device *device)
{
    puts("The agent's kernels; of each family the first that fits is taken.");
    if (device->kind == SL_DEVICE_LOCAL)
        puts("'Here' is this machine.\n");
    else
        printf("'Here' is the emulated CPU, -cpu %s.\n\n", device->cpu);
}

static int list_kernels(const struct sl_cli *cli, int argc, char **argv)
{
    static const struct sl_usage usage = {
        .verb = "kernels",
        .synopsis = "[bench ...] [--log FILE ...] [option...]",
        .about = "Lists the kernels of the agent with the CPU features they need, as the device\n"
                 "(this machine, or the emulated CPU) meets them. 'sme2lab kernels bench --help'\n"
                 "tells how single kernels are measured, 'sme2lab kernels --log FILE' what a log\n"
                 "of XNNPACK shows."};
    const char *const text_args[] = {"kernels", "--list", NULL};
    const char *const json_args[] = {"kernels", "--list", "--json", NULL};
    const struct bench any = {.engine = "sme2"};
    struct sl_diag diag = {.what = ""};
    struct sl_device device;
    struct sl_child_result result;
    size_t count = 0;
    int rc = sl_options_parse(&usage, argc, argv, NULL, 0, &count, &diag);
    if (rc > 0)
        return SL_EXIT_DONE;
    if (rc == 0)
        rc = sl_device_open(device_kind(&any) == SL_DEVICE_LOCAL ? SL_DEVICE_LOCAL
                                                                 : SL_DEVICE_EMULATED,
                            512, NULL, &device, &diag);
    if (rc == 0)
        rc = run_agent(&device, cli->json ? json_args : text_args, NULL, &result, &diag);
    if (rc < 0)
        return sl_cli_fail(cli, sl_exit_for_error(rc), &diag);
    if (!cli->json)
        print_where(&device);
    fwrite(result.out.data, 1, result.out.size, stdout);
    sl_child_fini(&result);
    return SL_EXIT_DONE;
}

int sl_cmd_kernels(const struct sl_cli *cli, int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "bench") == 0)
        return bench_kernels(cli, argc - 1, argv + 1);
    if (sl_kernels_log_asked(argc, argv))
        return sl_kernels_log(cli, argc, argv);
    return list_kernels(cli, argc, argv);
}
