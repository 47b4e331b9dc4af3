/* host/report/measured_silicon.c */
#include "host/report/measured_silicon.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "host/analysis/silicon.h"
#include "host/report/silicon_file.h"
#include "host/spec/json_doc.h"
#include "host/spec/json_value.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define NOISE 0.05 /* of two loops that are subtracted */
#define BYTES_A_KB 1024.0

enum { WORDS_BYTES = 400 };

enum how {
    UNIT_CYCLES, /* at unit.clock */
    CORE_CYCLES, /* at core.clock */
    CORE_RATE,   /* registers a cycle of core.clock */
    TIME,        /* ns */
};

/* The figure that a loop measures; of several for one the best counts. `registers` are of one
 * instruction where the figure is by registers. */
struct rule {
    const char *figure, *peak;
    enum how how;
    double registers;
};

static const struct rule rules[] = {
    {"cycles.outer_f32", "sl_peak_mopa_f32_sme2", UNIT_CYCLES, 1},
    {"cycles.outer_f16", "sl_peak_mopa_f16_sme2", UNIT_CYCLES, 1},
    {"cycles.outer_i8", "sl_peak_mopa_s8_sme2", UNIT_CYCLES, 1},
    {"cycles.outer_i16", "sl_peak_mopa_s16_sme2", UNIT_CYCLES, 1},
    {"latency.outer_f32", "sl_peak_mopa1_f32_sme2", UNIT_CYCLES, 1},
    {"latency.outer_f16", "sl_peak_mopa1_f16_sme2", UNIT_CYCLES, 1},
    {"latency.outer_i8", "sl_peak_mopa1_s8_sme2", UNIT_CYCLES, 1},
    {"latency.outer_i16", "sl_peak_mopa1_s16_sme2", UNIT_CYCLES, 1},
    {"cycles.za_mac_1", "sl_peak_mla1_s8_sme2", UNIT_CYCLES, 1},
    {"cycles.za_mac_2", "sl_peak_mla2_f32_sme2", UNIT_CYCLES, 1},
    {"cycles.za_mac_4", "sl_peak_mla_f32_sme2", UNIT_CYCLES, 1},
    {"cycles.za_dot16_1", "sl_peak_dot1_f16_sme2", UNIT_CYCLES, 1},
    {"cycles.za_dot16_2", "sl_peak_dot2_f16_sme2", UNIT_CYCLES, 1},
    {"cycles.za_dot16_4", "sl_peak_dot4_f16_sme2", UNIT_CYCLES, 1},
    {"latency.za_mac_1", "sl_peak_mla1_one_s8_sme2", UNIT_CYCLES, 1},
    {"latency.za_mac_2", "sl_peak_mla2_one_f32_sme2", UNIT_CYCLES, 1},
    {"latency.za_mac_4", "sl_peak_mla4_one_f32_sme2", UNIT_CYCLES, 1},
    {"latency.za_dot16_1", "sl_peak_dot1_one_f16_sme2", UNIT_CYCLES, 1},
    {"latency.za_dot16_2", "sl_peak_dot2_one_f16_sme2", UNIT_CYCLES, 1},
    {"latency.za_dot16_4", "sl_peak_dot4_one_f16_sme2", UNIT_CYCLES, 1},
    {"cycles.za_move", "sl_peak_za_move_sme2", UNIT_CYCLES, 1},
    {"cycles.za_zero", "sl_peak_za_zero_sme2", UNIT_CYCLES, 1},
    {"cycles.z_1", "sl_peak_z_add_sme2", UNIT_CYCLES, 1},
    {"cycles.z_2", "sl_peak_z2_add_sme2", UNIT_CYCLES, 1},
    {"cycles.z_4", "sl_peak_z4_add_sme2", UNIT_CYCLES, 1},
    {"cycles.z_mac", "sl_peak_z_mac_sme2", UNIT_CYCLES, 1},
    {"cycles.z_dot16", "sl_peak_z_dot16_sme2", UNIT_CYCLES, 1},
    {"latency.z_mac", "sl_peak_z_mac_one_sme2", UNIT_CYCLES, 1},
    {"latency.z_dot16", "sl_peak_z_dot16_one_sme2", UNIT_CYCLES, 1},
    {"cycles.z_divide", "sl_peak_z_divide_sme2", UNIT_CYCLES, 1},
    {"cycles.z_sqrt", "sl_peak_z_sqrt_sme2", UNIT_CYCLES, 1},
    {"cycles.z_reduce", "sl_peak_z_reduce_sme2", UNIT_CYCLES, 1},
    {"cycles.z_load_1", "sl_peak_load1_sme2", UNIT_CYCLES, 1},
    {"cycles.z_load_2", "sl_peak_load2_sme2", UNIT_CYCLES, 1},
    {"cycles.z_load_4", "sl_peak_load4_sme2", UNIT_CYCLES, 1},
    {"cycles.z_store", "sl_peak_store1_sme2", UNIT_CYCLES, 1},
    {"cycles.z_store", "sl_peak_store2_sme2", UNIT_CYCLES, 2},
    {"cycles.z_store", "sl_peak_store4_sme2", UNIT_CYCLES, 4},
    {"cycles.za_load", "sl_peak_za_load_sme2", UNIT_CYCLES, 1},
    {"cycles.za_store", "sl_peak_za_store_sme2", UNIT_CYCLES, 1},
    {"unit.session", "sl_peak_enter_za_sme2", TIME, 1},
    {"core.float", "sl_peak_mla_f32_neon", CORE_RATE, 1},
    {"core.load", "sl_peak_load2_neon", CORE_RATE, 2},
    {"core.store", "sl_peak_store2_neon", CORE_RATE, 2},
    {"latency.neon_mac", "sl_peak_mla1_f32_neon", CORE_CYCLES, 1},
};

/* A walk through a footprint says what the level that serves it moves; a larger one of the same
 * level counts. */
static const struct walk {
    const char *side, *peak;
    double bytes;
} walks[] = {
    {"core", "sl_peak_read_64k_neon", 65536},  {"core", "sl_peak_read_1m_neon", 1048576},
    {"core", "sl_peak_read_neon", INFINITY},   {"unit", "sl_peak_read_64k_sme2", 65536},
    {"unit", "sl_peak_read_1m_sme2", 1048576}, {"unit", "sl_peak_read_sme2", INFINITY},
};

struct making {
    const struct sl_measured_silicon *of;
    struct sl_silicon base;
    cJSON *document; /* owned; the base, then what was measured in its place */
    struct sl_diag *diag;
    int error;
};

static const struct sl_silicon_loop *find_loop(const struct sl_measured_silicon *of,
                                               const char *peak)
{
    for (size_t i = 0; i < of->count; i++) {
        if (strcmp(of->loops[i].peak, peak) == 0)
            return &of->loops[i];
    }
    return NULL;
}

const char *sl_measured_silicon_base(bool apple, const struct sl_silicon_loop *loops, size_t count)
{
    const struct sl_measured_silicon of = {.loops = loops, .count = count};
    if (!find_loop(&of, "sl_peak_mopa_f32_sme2"))
        return "arm-x925";
    return apple ? "apple-m4" : "arm-c1-ultra";
}

static void refuse(struct making *m, const char *peak, const char *figure, double value,
                   const char *unit, double least, double most)
{
    if (m->error < 0)
        return;
    sl_diag_hint(m->diag, "measure again, with nothing else running; the roofline is kept");
    m->error = sl_diag_set(m->diag, SL_E_FORMAT, peak,
                           "It says %s is %.4g %s, which cannot be: %.4g to %.4g are taken", figure,
                           value, unit, least, most);
}

/* Four digits are more than a measurement holds. */
static double rounded(double value)
{
    char text[32];
    snprintf(text, sizeof(text), "%.4g", value);
    return strtod(text, NULL);
}

static void put_words(struct making *m, cJSON *object, const char *key, const char *words)
{
    cJSON *text = cJSON_CreateString(words);
    if (text && cJSON_ReplaceItemInObjectCaseSensitive(object, key, text))
        return;
    cJSON_Delete(text);
    m->error = m->error < 0 ? m->error : -ENOMEM;
}

static void put_measured(struct making *m, cJSON *object, double value)
{
    char source[WORDS_BYTES];
    snprintf(source, sizeof(source), "measured on %s by kernels bench --peaks", m->of->fingerprint);
    cJSON_SetNumberValue(cJSON_GetObjectItemCaseSensitive(object, "value"), value);
    put_words(m, object, "confidence", "M");
    put_words(m, object, "source", source);
}

static void put_figure(struct making *m, const char *peak, cJSON *object, double value)
{
    struct sl_figure_description is;
    const char *figure = sl_value_text(object, "name", "");
    if (!sl_silicon_describe(figure, &is))
        return;
    if (!isfinite(value) || value < is.least || value > is.most)
        refuse(m, peak, figure, value, is.unit, is.least, is.most);
    else
        put_measured(m, object, rounded(value));
}

static double value_of(const struct making *m, const struct rule *rule, double ns)
{
    double core = m->base.figures[SL_FIGURE_CORE_CLOCK].value;
    double unit = m->base.figures[SL_FIGURE_UNIT_CLOCK].value;
    switch (rule->how) {
    case UNIT_CYCLES:
        return ns * unit / rule->registers;
    case CORE_CYCLES:
        return ns * core;
    case CORE_RATE:
        return rule->registers / (ns * core);
    default:
        return ns;
    }
}

/* Replaces what the rules say of one figure of the base; a loop that took no time says nothing. */
static void measure_figure(struct making *m, cJSON *object)
{
    const char *figure = sl_value_text(object, "name", ""), *peak = NULL;
    double best = 0;
    for (size_t i = 0; i < COUNT(rules); i++) {
        const struct sl_silicon_loop *loop = find_loop(m->of, rules[i].peak);
        if (!loop || strcmp(rules[i].figure, figure) != 0)
            continue;
        double value = value_of(m, &rules[i], loop->ns);
        if (!(loop->ns > 0) || !isfinite(loop->ns))
            refuse(m, loop->peak, figure, loop->ns, "ns an instruction", 0, INFINITY);
        best = peak ? fmin(best, value) : value;
        peak = loop->peak;
    }
    if (peak)
        put_figure(m, peak, object, best);
}

/* Two loops do the same; in one the unit reads what the core has just written. */
static void measure_hand_over(struct making *m, cJSON *object)
{
    const struct sl_silicon_loop *over = find_loop(m->of, "sl_peak_hand_over_sme2");
    const struct sl_silicon_loop *apart = find_loop(m->of, "sl_peak_hand_apart_sme2");
    if (!over || !apart || strcmp(sl_value_text(object, "name", ""), "unit.hand_over") != 0)
        return;
    double more_ns = over->ns - apart->ns;
    if (fabs(more_ns) < NOISE * apart->ns)
        more_ns = fmax(more_ns, 0);
    put_figure(m, over->peak, object, more_ns / over->bytes * BYTES_A_KB);
}

/* Figures of measured time hold at whatever clock: the base's range of it widens no band. */
static void fix_clock(struct making *m, cJSON *object)
{
    const char *figure = sl_value_text(object, "name", "");
    if (strncmp(figure, "unit.clock_", strlen("unit.clock_")) != 0 ||
        !find_loop(m->of, "sl_peak_mopa_f32_sme2"))
        return;
    cJSON_SetNumberValue(cJSON_GetObjectItemCaseSensitive(object, "value"),
                         m->base.figures[SL_FIGURE_UNIT_CLOCK].value);
    put_words(m, object, "source", "as unit.clock: cycles are measured time at that clock");
}

/* Says that the figure is the base's. */
static void name_source(struct making *m, cJSON *object)
{
    char words[WORDS_BYTES];
    snprintf(words, sizeof(words), "from %s: %s", m->of->base, sl_value_text(object, "source", ""));
    put_words(m, object, "source", words);
}

static cJSON *find_level(cJSON *memory, const char *side, double bytes)
{
    cJSON *level;
    cJSON_ArrayForEach(level, memory)
    {
        if (strcmp(sl_value_text(level, "side", ""), side) == 0 &&
            sl_value_number(level, "bytes", INFINITY) >= bytes)
            return level;
    }
    return NULL;
}

static void measure_levels(struct making *m, cJSON *memory)
{
    for (size_t i = 0; i < COUNT(walks); i++) {
        const struct sl_silicon_loop *loop = find_loop(m->of, walks[i].peak);
        cJSON *level = loop ? find_level(memory, walks[i].side, walks[i].bytes) : NULL;
        if (!level)
            continue;
        double gb_per_s = loop->bytes / loop->ns;
        if (!isfinite(gb_per_s) || gb_per_s < SL_SILICON_LEAST_GB_PER_S ||
            gb_per_s > SL_SILICON_MOST_GB_PER_S)
            refuse(m, loop->peak, "memory", gb_per_s, "GB/s", SL_SILICON_LEAST_GB_PER_S,
                   SL_SILICON_MOST_GB_PER_S);
        else
            put_measured(m, level, rounded(gb_per_s));
    }
}

/* Puts one entry on each line, as the shipped profiles have it. */
static void put_lines(struct sl_json *json, const cJSON *root, const char *key)
{
    const cJSON *object, *member;
    sl_json_open_array(json, key);
    cJSON_ArrayForEach(object, sl_value(root, key))
    {
        if (json->error == 0)
            json->error = sl_buf_append(json->out, "\n ", 2);
        sl_json_open_object(json, NULL);
        cJSON_ArrayForEach(member, object)
        {
            if (cJSON_IsNumber(member))
                sl_json_f64(json, member->string, member->valuedouble);
            else if (cJSON_IsBool(member))
                sl_json_bool(json, member->string, cJSON_IsTrue(member));
            else
                sl_json_text(json, member->string, cJSON_GetStringValue(member));
        }
        sl_json_close_object(json);
    }
    sl_json_close_array(json);
}

static int write_profile(const struct making *m, struct sl_buf *out)
{
    char title[sizeof(m->base.title)], name[SL_SILICON_NAME_BYTES];
    struct sl_json json;
    snprintf(name, sizeof(name), SL_SILICON_MEASURED "%s", m->of->fingerprint);
    snprintf(title, sizeof(title), "Measured by kernels bench --peaks, the rest from %s",
             m->of->base);
    sl_json_init(&json, out);
    sl_json_open_object(&json, NULL);
    sl_json_text(&json, "schema", "sme2lab.silicon/1");
    sl_json_text(&json, "name", name);
    sl_json_text(&json, "title", title);
    put_lines(&json, m->document, "figures");
    put_lines(&json, m->document, "memory");
    sl_json_close_object(&json);
    return json.error ? json.error : sl_buf_append(out, "\n", 1);
}

static int check_base(const struct making *m)
{
    if (m->of->count == 0)
        return sl_diag_set(m->diag, SL_E_UNSUPPORTED, "kernels/peak",
                           "This processor has none of the loops");
    if (m->base.has_unit || !find_loop(m->of, "sl_peak_mopa_f32_sme2"))
        return 0;
    sl_diag_hint(m->diag, "take apple-m4 or arm-c1-ultra");
    return sl_diag_set(m->diag, SL_E_UNSUPPORTED, "--silicon",
                       "%s has no unit for streaming code, but the device has", m->of->base);
}

int sl_measured_silicon_write(const struct sl_measured_silicon *of, struct sl_buf *out,
                              struct sl_diag *diag)
{
    struct making m = {.of = of, .diag = diag};
    struct sl_silicon made;
    struct sl_bytes text;
    cJSON *object;
    int rc = sl_silicon_source(of->base, &text, diag);
    if (rc == 0)
        rc = sl_silicon_parse(text, of->base, &m.base, diag);
    if (rc == 0)
        rc = check_base(&m);
    if (rc == 0)
        rc = sl_json_doc_parse(text, of->base, &m.document, diag);
    if (rc < 0)
        return rc;
    cJSON *figures = cJSON_GetObjectItemCaseSensitive(m.document, "figures");
    cJSON *memory = cJSON_GetObjectItemCaseSensitive(m.document, "memory");
    cJSON_ArrayForEach(object, memory) name_source(&m, object);
    measure_levels(&m, memory);
    cJSON_ArrayForEach(object, figures)
    {
        name_source(&m, object);
        measure_figure(&m, object);
        measure_hand_over(&m, object);
        fix_clock(&m, object);
    }
    size_t before = out->size;
    rc = m.error ? m.error : write_profile(&m, out);
    if (rc == 0) /* what no reader takes must not be kept */
        rc = sl_silicon_parse((struct sl_bytes){out->data + before, out->size - before},
                              "the measured profile", &made, diag);
    sl_json_doc_free(m.document);
    return rc;
}
