/* host/cli/kernels_tune.c */
#include "host/cli/kernels_tune.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "common/base/mem.h"
#include "common/base/say.h"
#include "host/cli/cli.h"
#include "host/cli/device_identity.h"
#include "host/cli/kernels_measure.h"
#include "host/cli/task.h"
#include "host/spec/json_value.h"
#include "host/spec/spec.h"

enum {
    MAX_FAMILIES = SL_POLICY_FILE_MAX_FAMILIES,
    MAX_ROWS = 32, /* of a family */
    MAX_ARGS = 40,
    MAX_TEXT_BYTES = 1 << 20,
};

/* The shapes that measure each family: layers of models, small ones too. */
static const struct {
    const char *family, *shape;
} shapes[] = {
    {"matmul", "matmul:64x64x64"},
    {"matmul", "matmul:196x128x256"},
    {"matmul", "matmul:784x128x64"},
    {"matmul", "f16/matmul:196x128x256"},
    {"gemv", "matmul:1x256x256"},
    {"gemv", "matmul:1x1024x1024"},
    {"conv", "conv:14x14x64-64-3x3-s1-p1"},
    {"conv", "conv:28x28x32-64-3x3-s2-p1"},
    {"conv", "f16/conv:14x14x64-64-3x3-s1-p1"},
    {"depthwise", "depthwise:14x14x512-3x3-s1-p1"},
    {"depthwise", "depthwise:28x28x128-3x3-s2-p1"},
    {"depthwise", "depthwise:28x28x128-5x5-s1-p2"},
    {"pool", "pool:max-56x56x64-2x2-s2-p0"},
    {"pool", "pool:average-14x14x64-3x3-s1-p1"},
    {"unary", "unary:clamp-65536"},
    {"unary", "unary:hardswish-65536"},
    {"unary", "unary:gelu-65536"},
    {"unary", "f16/unary:gelu-65536"},
    {"binary", "binary:add-65536"},
    {"binary", "binary:multiply-65536"},
    {"binary", "f16/binary:add-65536"},
    {"reduce", "reduce:softmax-64x1024x1"},
    {"reduce", "reduce:layer_norm-64x1024x1"},
    {"reduce", "reduce:mean-1x49x512"},
    {"layout", "transpose:256x256"},
    {"layout", "transpose:64x784"},
    {"layout", "f16/transpose:256x256"},
    {"convert", "convert:f32_qs8-65536"},
    {"convert", "convert:qs8_f32-65536"},
    {"convert", "convert:f32_f16-65536"},
    {"matmul_int8", "qs8/matmul:64x64x128"},
    {"matmul_int8", "qs8/matmul:196x128x256"},
    {"matmul_int8", "matmul_qd8:196x128x256"},
    {"matmul_int8", "matmul_q4:128x128x128"},
    {"gemv_int8", "qs8/matmul:1x256x256"},
    {"gemv_int8", "matmul_qd8:1x512x512"},
    {"gemv_int8", "matmul_q4:1x256x256"},
    {"conv_int8", "qs8/conv:14x14x64-64-3x3-s1-p1"},
    {"depthwise_int8", "qs8/depthwise:14x14x512-3x3-s1-p1"},
    {"pool_int8", "qs8/pool:max-56x56x64-2x2-s2-p0"},
    {"unary_int8", "qs8/unary:clamp-65536"},
    {"binary_int8", "qs8/binary:add-65536"},
    {"reduce_int8", "qs8/reduce:mean-1x49x512"},
    {"matmul_small", "matmul:8x8x8"},
    {"matmul_small", "matmul:1x64x64"},
    {"matmul_small", "matmul:64x4x64"},
    {"matmul_small", "f16/matmul:16x16x16"},
    {"matmul_small", "f16/matmul:1x512x512"},
    {"matmul_int8_small", "qs8/matmul:16x16x16"},
    {"matmul_int8_small", "matmul_qd8:4x64x64"},
    {"matmul_int8_small", "qs8/matmul:784x96x24"},
    {"matmul_int8_small", "matmul_q4:1x64x64"},
    {"conv_small", "conv:4x4x16-16-1x1-s1-p0"},
    {"conv_small", "f16/conv:1x1x64-64-1x1-s1-p0"},
    {"conv_int8_small", "qs8/conv:4x4x16-16-1x1-s1-p0"},
    {"depthwise_f16", "f16/depthwise:14x14x512-3x3-s1-p1"},
    {"depthwise_f16", "f16/depthwise:28x28x128-5x5-s1-p2"},
};

/* A shape as streaming mode has it, and without. */
struct pair {
    const char *shape;
    struct sl_kernel_row with, without;
};

struct family {
    char name[32];
    bool default_streams, streams, measured;
    double ratio; /* geometric mean of without / with */
    struct pair pairs[MAX_ROWS];
    size_t count;
};

struct tuning {
    struct sl_task_device *device;
    struct sl_device_identity identity;
    struct family *families; /* owned */
    size_t count;
    unsigned svl_bits;
};

static bool is_counted(const struct tuning *t)
{
    return t->device->traits.counted;
}

static uint64_t cost_of(const struct sl_kernel_row *row)
{
    return row->counted ? row->instructions : row->ns;
}

/* One engine on every shape of the family; the stages that are a whole operator. */
static int measure_engine(const struct tuning *t, struct family *f, const char *engine, bool with,
                          struct sl_diag *diag)
{
    const char *args[MAX_ARGS] = {"--engine", engine};
    size_t n = 2, count = 0, whole = 0;
    struct sl_kernel_row *rows = sl_calloc(SL_KERNELS_MAX_ROWS, sizeof(*rows));
    if (!rows)
        return -ENOMEM;
    f->count = 0;
    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
        if (strcmp(shapes[i].family, f->name) != 0)
            continue;
        args[n++] = "--bench";
        args[n++] = shapes[i].shape;
        f->pairs[f->count++].shape = shapes[i].shape;
    }
    int rc = f->count > 0 ? sl_kernels_measure(t->device, args, rows, &count, diag) : 0;
    for (size_t i = 0; rc == 0 && i < count; i++) {
        if (strcmp(rows[i].stage, "whole") != 0 || whole == f->count)
            continue;
        *(with ? &f->pairs[whole].with : &f->pairs[whole].without) = rows[i];
        whole++;
    }
    sl_free(rows);
    if (rc == 0 && whole != f->count)
        rc = sl_diag_set(diag, SL_E_MISMATCH, f->name, "%zu shapes were measured, not %zu", whole,
                         f->count);
    return rc;
}

/* Shapes without a kernel for streaming mode say nothing; without any the default stays. */
static void choose(struct family *f)
{
    double sum = 0;
    size_t compared = 0;
    for (size_t i = 0; i < f->count; i++) {
        const struct pair *p = &f->pairs[i];
        if (strcmp(p->with.kernel, p->without.kernel) == 0 || cost_of(&p->with) == 0 ||
            cost_of(&p->without) == 0)
            continue;
        sum += log((double)cost_of(&p->without) / (double)cost_of(&p->with));
        compared++;
    }
    f->measured = compared > 0;
    f->ratio = f->measured ? exp(sum / (double)compared) : 0;
    f->streams = f->measured ? f->ratio >= 1 : f->default_streams;
}

/* The families and their defaults are the agent's. */
static int read_families(struct tuning *t, struct sl_diag *diag)
{
    const cJSON *item;
    cJSON *list = NULL;
    int rc = sl_kernels_ask(t->device, SL_TASK_KERNELS, &list, diag);
    if (rc < 0)
        return rc;
    cJSON_ArrayForEach(item, sl_value(list, "policy"))
    {
        const cJSON *name = sl_value(item, "family"), *streams = sl_value(item, "streams");
        struct family *f = &t->families[t->count];
        if (t->count == MAX_FAMILIES || !cJSON_IsString(name) || !cJSON_IsBool(streams) ||
            strlen(name->valuestring) >= sizeof(f->name))
            break;
        snprintf(f->name, sizeof(f->name), "%s", name->valuestring);
        f->default_streams = cJSON_IsTrue(streams);
        t->count++;
    }
    cJSON_Delete(list);
    return t->count > 0 ? 0
                        : sl_diag_set(diag, SL_E_FORMAT, "the agent's output",
                                      "There is no table of families in it");
}

static bool is_named(const char *name, const char *const *only, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(only[i], name) == 0)
            return true;
    return false;
}

static int check_names(const struct tuning *t, const char *const *only, size_t count,
                       struct sl_diag *diag)
{
    for (size_t i = 0; i < count; i++) {
        size_t at = 0;
        while (at < t->count && strcmp(t->families[at].name, only[i]) != 0)
            at++;
        if (at < t->count)
            continue;
        sl_diag_hint(diag, "'sme2lab kernels' lists the families");
        return sl_diag_set(diag, SL_E_UNSUPPORTED, "command line",
                           "'%.40s' is no family of kernels", only[i]);
    }
    return 0;
}

static int measure_families(struct tuning *t, const char *const *only, size_t only_count,
                            struct sl_diag *diag)
{
    int rc = check_names(t, only, only_count, diag);
    for (size_t i = 0; rc == 0 && i < t->count; i++) {
        if (only_count > 0 && !is_named(t->families[i].name, only, only_count)) {
            choose(&t->families[i]);
            continue;
        }
        rc = measure_engine(t, &t->families[i], "any", true, diag);
        if (rc == 0)
            rc = measure_engine(t, &t->families[i], "nosme2", false, diag);
        choose(&t->families[i]);
    }
    return rc;
}

static void put_family(const struct tuning *t, const struct family *f, struct sl_json *json)
{
    const char *with = is_counted(t) ? "streaming_insns" : "streaming_ns";
    const char *without = is_counted(t) ? "otherwise_insns" : "otherwise_ns";
    sl_json_open_object(json, NULL);
    sl_json_text(json, "family", f->name);
    sl_json_bool(json, "streams", f->streams);
    sl_json_bool(json, "measured", f->measured);
    if (f->measured)
        sl_json_f64(json, "ratio", f->ratio);
    else
        sl_json_null(json, "ratio");
    sl_json_open_array(json, "shapes");
    for (size_t i = 0; i < f->count; i++) {
        const struct pair *p = &f->pairs[i];
        sl_json_open_object(json, NULL);
        sl_json_text(json, "shape", p->shape);
        sl_json_text(json, "streaming_kernel", p->with.kernel);
        sl_json_text(json, "other_kernel", p->without.kernel);
        sl_json_u64(json, with, cost_of(&p->with));
        sl_json_u64(json, without, cost_of(&p->without));
        sl_json_close_object(json);
    }
    sl_json_close_array(json);
    sl_json_close_object(json);
}

/* The families that stay out, as they are now or by default. */
static void put_off(const struct tuning *t, const char *key, bool by_default, struct sl_json *json)
{
    sl_json_open_array(json, key);
    for (size_t i = 0; i < t->count; i++)
        if (!(by_default ? t->families[i].default_streams : t->families[i].streams))
            sl_json_text(json, NULL, t->families[i].name);
    sl_json_close_array(json);
}

static const char *note_of(const struct tuning *t)
{
    return is_counted(t) ? "an emulated CPU: this compares executed instructions, not time"
           : t->identity.emulated
               ? "nanoseconds of the emulator, which say nothing of a device: they are not kept"
               : "the best of some rounds in nanoseconds";
}

static int write_table(const struct tuning *t, struct sl_buf *out)
{
    struct sl_json json;
    sl_json_init(&json, out);
    sl_json_open_object(&json, NULL);
    sl_device_identity_put(&t->identity, t->device, "sme2lab.policy/1", t->svl_bits, &json);
    sl_json_text(&json, "note", note_of(t));
    put_off(t, "streaming_off", false, &json);
    put_off(t, "default", true, &json);
    sl_json_open_array(&json, "families");
    for (size_t i = 0; i < t->count; i++)
        put_family(t, &t->families[i], &json);
    sl_json_close_array(&json);
    sl_json_close_object(&json);
    return json.error ? json.error : sl_buf_append(out, "\n", 1);
}

static void print_text(const struct tuning *t, const char *path)
{
    sl_say(stdout, "%s (%s)\n%s\n\n%-15s %9s  %s\n", t->identity.fingerprint,
           sl_task_device_words(t->device), note_of(t), "family", "otherwise", "in streaming mode");
    for (size_t i = 0; i < t->count; i++) {
        const struct family *f = &t->families[i];
        if (f->measured)
            sl_say(stdout, "%-15s %8.2fx  %s\n", f->name, f->ratio, f->streams ? "yes" : "no");
        else
            sl_say(stdout, "%-15s %9s  %s\n", f->name, "-",
                   f->streams ? "yes, by default" : "no, by default");
    }
    if (path[0] != '\0')
        sl_say(stdout,
               "\nThe device's table is %s: runs on it use it, and say so in manifest.json.\n",
               path);
}

int sl_kernels_tune(const struct sl_cli *cli, struct sl_task_device *device, unsigned svl_bits,
                    const char *const *only, size_t only_count, struct sl_diag *diag)
{
    char path[SL_PATH_BYTES] = "";
    struct sl_buf text;
    struct tuning t = {.device = device, .svl_bits = svl_bits};
    t.families = sl_calloc(MAX_FAMILIES, sizeof(*t.families));
    sl_buf_init(&text, MAX_TEXT_BYTES);
    int rc = t.families ? sl_device_identity_read(device, &t.identity, diag) : -ENOMEM;
    if (rc == 0)
        rc = read_families(&t, diag);
    if (rc == 0)
        rc = measure_families(&t, only, only_count, diag);
    if (rc == 0)
        rc = write_table(&t, &text);
    if (rc == 0 && (is_counted(&t) || !t.identity.emulated))
        rc = sl_device_identity_keep(&t.identity, "policy.json", &text, path, diag);
    if (rc == 0 && cli->json)
        sl_say_page(stdout, &text);
    else if (rc == 0)
        print_text(&t, path);
    sl_buf_fini(&text);
    sl_free(t.families);
    return rc;
}
