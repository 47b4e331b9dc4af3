/* host/report/silicon_file.c */
#include "host/report/silicon_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/digest.h"
#include "common/base/error.h"
#include "host/analysis/silicon.h"
#include "host/spec/json_doc.h"

/* configs/silicon/NAME.json, put in by the build (host/CMakeLists.txt); ends with a NULL name. */
struct sl_silicon_source {
    const char *name;
    const unsigned char *bytes;
    const unsigned long *size;
};
extern const struct sl_silicon_source sl_silicon_sources[];

enum { MOST_CYCLES = 1000 };

/* A figure as the file has it. */
struct entry {
    const char *name, *unit, *side;
    double value, bytes;
    char confidence;
};

static int need_text(const struct sl_json_at *object, const char *key, size_t room,
                     const char **out, struct sl_diag *diag)
{
    struct sl_json_at at = sl_json_member(object, key);
    *out = NULL;
    int rc = sl_json_get_text(&at, out, diag);
    if (rc == 0 && (!*out || **out == '\0' || strlen(*out) >= room))
        rc = sl_json_refuse(&at, diag, "a text of 1 to %zu bytes is expected", room - 1);
    return rc;
}

/* A finite number above 0, or 0 where `least` allows it. */
static int need_value(const struct sl_json_at *object, const char *key, double least, double most,
                      double *out, struct sl_diag *diag)
{
    struct sl_json_at at = sl_json_member(object, key);
    double value = NAN;
    int rc = sl_json_get_real(&at, least, most, &value, diag);
    if (rc == 0 && isnan(value))
        rc = sl_json_refuse(&at, diag, "the figure has no value");
    if (rc == 0)
        *out = value;
    return rc;
}

static int need_confidence(const struct sl_json_at *object, char *out, struct sl_diag *diag)
{
    const char *text, *source;
    struct sl_json_at at = sl_json_member(object, "confidence");
    int rc = need_text(object, "confidence", 8, &text, diag);
    if (rc == 0 && (strlen(text) != 1 || !strchr("MVFI", text[0])))
        rc = sl_json_refuse(&at, diag,
                            "one of M (measured), V (the vendor's), F (fitted), I (inferred) is "
                            "expected");
    if (rc == 0)
        rc = need_text(object, "source", 400, &source, diag);
    if (rc == 0)
        *out = text[0];
    return rc;
}

static int need_unit(const struct sl_json_at *object, const char *unit, struct sl_diag *diag)
{
    const char *text;
    struct sl_json_at at = sl_json_member(object, "unit");
    int rc = need_text(object, "unit", 32, &text, diag);
    if (rc == 0 && strcmp(text, unit) != 0)
        rc = sl_json_refuse(&at, diag, "this figure is in %s, not in %s", unit, text);
    return rc;
}

/* The class that "cycles.outer_f32" or "latency.outer_f32" names, or -1. */
static int work_of(const char *name, const char *prefix, bool (*has)(int))
{
    size_t len = strlen(prefix);
    for (int w = 0; w < SL_WORK_COUNT && strncmp(name, prefix, len) == 0; w++) {
        if (has(w) && strcmp(name + len, sl_work_name(w)) == 0)
            return w;
    }
    return -1;
}

/* Where the figure `name` goes, with its unit and range; NULL: there is no such figure. */
static struct sl_silicon_figure *place_of(struct sl_silicon *silicon, const char *name,
                                          struct sl_figure_description *out)
{
    for (int id = 0; id < SL_FIGURE_COUNT; id++) {
        *out = *sl_figure_describe(id);
        if (strcmp(out->name, name) == 0)
            return &silicon->figures[id];
    }
    *out = (struct sl_figure_description){.name = name, .unit = "cycles", .most = MOST_CYCLES};
    int work = work_of(name, "cycles.", sl_work_has_cycles);
    if (work >= 0)
        return &silicon->cycles[work];
    work = work_of(name, "latency.", sl_work_has_latency);
    return work >= 0 ? &silicon->latency[work] : NULL;
}

static int read_figure(const struct sl_json_at *object, struct sl_silicon *silicon,
                       struct sl_diag *diag)
{
    static const char *const keys[] = {"name", "value", "unit", "confidence", "source"};
    const char *name;
    struct sl_figure_description is;
    struct sl_json_at at = sl_json_member(object, "name");
    int rc = sl_json_need_object(object, diag);
    if (rc == 0)
        rc = sl_json_check_keys(object, keys, sizeof(keys) / sizeof(keys[0]), diag);
    if (rc == 0)
        rc = need_text(object, "name", 64, &name, diag);
    if (rc < 0)
        return rc;
    struct sl_silicon_figure *place = place_of(silicon, name, &is);
    if (!place)
        return sl_json_refuse(&at, diag, "there is no figure \"%s\"", name);
    if (place->confidence)
        return sl_json_refuse(&at, diag, "the figure \"%s\" is there twice", name);
    rc = need_value(object, "value", is.least, is.most, &place->value, diag);
    if (rc == 0)
        rc = need_unit(object, is.unit, diag);
    return rc < 0 ? rc : need_confidence(object, &place->confidence, diag);
}

static int read_level(const struct sl_json_at *object, struct sl_silicon *silicon,
                      struct sl_diag *diag)
{
    static const char *const keys[] = {"side",  "bytes",      "value", "unit",
                                       "waits", "confidence", "source"};
    const char *side;
    struct sl_silicon_level level = {.bytes = INFINITY};
    struct sl_json_at at_side = sl_json_member(object, "side");
    struct sl_json_at at_bytes = sl_json_member(object, "bytes");
    struct sl_json_at at_waits = sl_json_member(object, "waits");
    int rc = sl_json_need_object(object, diag);
    if (rc == 0)
        rc = sl_json_check_keys(object, keys, sizeof(keys) / sizeof(keys[0]), diag);
    if (rc == 0)
        rc = need_text(object, "side", 8, &side, diag);
    if (rc == 0 && strcmp(side, "core") != 0 && strcmp(side, "unit") != 0)
        rc = sl_json_refuse(&at_side, diag, "core or unit is expected");
    if (rc == 0)
        rc = sl_json_get_real(&at_bytes, 1, 1e15, &level.bytes, diag);
    if (rc == 0)
        rc = sl_json_get_bool(&at_waits, &level.waits, diag);
    if (rc == 0)
        rc = need_value(object, "value", 0.01, 1e5, &level.gb_per_s, diag);
    if (rc == 0)
        rc = need_unit(object, "GB/s", diag);
    if (rc == 0)
        rc = need_confidence(object, &level.confidence, diag);
    if (rc < 0)
        return rc;
    bool unit = side[0] == 'u';
    struct sl_silicon_level *levels = unit ? silicon->unit_levels : silicon->core_levels;
    size_t *count = unit ? &silicon->unit_level_count : &silicon->core_level_count;
    if (*count == SL_SILICON_MAX_LEVELS)
        return sl_json_refuse(object, diag, "there are more than %d levels", SL_SILICON_MAX_LEVELS);
    if (*count > 0 && !(levels[*count - 1].bytes < level.bytes))
        return sl_json_refuse(&at_bytes, diag, "levels stand in order of their bytes");
    levels[(*count)++] = level;
    return 0;
}

/* Where there is a unit, all of its figures are. */
static int check_complete(const struct sl_json_at *figures, struct sl_silicon *silicon,
                          struct sl_diag *diag)
{
    for (int w = 0; w < SL_WORK_COUNT; w++)
        silicon->has_unit = silicon->has_unit || silicon->cycles[w].confidence;
    for (int id = 0; id < SL_FIGURE_COUNT; id++)
        silicon->has_unit = silicon->has_unit ||
                            (sl_figure_describe(id)->of_unit && silicon->figures[id].confidence);
    for (int id = 0; id < SL_FIGURE_COUNT; id++) {
        if (!silicon->figures[id].confidence &&
            (silicon->has_unit || !sl_figure_describe(id)->of_unit))
            return sl_json_refuse(figures, diag, "the figure \"%s\" is missing",
                                  sl_figure_describe(id)->name);
    }
    for (int w = 0; w < SL_WORK_COUNT; w++) {
        if (silicon->has_unit && sl_work_has_cycles(w) && !silicon->cycles[w].confidence)
            return sl_json_refuse(figures, diag, "the figure \"cycles.%s\" is missing",
                                  sl_work_name(w));
        if ((silicon->has_unit || w == SL_WORK_NEON_MAC) && sl_work_has_latency(w) &&
            !silicon->latency[w].confidence)
            return sl_json_refuse(figures, diag, "the figure \"latency.%s\" is missing",
                                  sl_work_name(w));
    }
    double low = silicon->figures[SL_FIGURE_UNIT_CLOCK_LOW].value;
    double high = silicon->figures[SL_FIGURE_UNIT_CLOCK_HIGH].value;
    double clock = silicon->figures[SL_FIGURE_UNIT_CLOCK].value;
    if (low > clock || clock > high)
        return sl_json_refuse(figures, diag, "unit.clock lies outside its low and high");
    return 0;
}

static int read_root(const struct sl_json_at *root, struct sl_silicon *out, struct sl_diag *diag)
{
    static const char *const keys[] = {"schema", "name", "title", "figures", "memory"};
    const char *schema, *name, *title;
    struct sl_json_at figures = sl_json_member(root, "figures");
    struct sl_json_at memory = sl_json_member(root, "memory");
    struct sl_json_at at_schema = sl_json_member(root, "schema");
    int rc = sl_json_need_object(root, diag);
    if (rc == 0)
        rc = sl_json_check_keys(root, keys, sizeof(keys) / sizeof(keys[0]), diag);
    if (rc == 0)
        rc = need_text(root, "schema", 64, &schema, diag);
    if (rc == 0 && strcmp(schema, "sme2lab.silicon/1") != 0)
        rc = sl_json_refuse(&at_schema, diag, "\"sme2lab.silicon/1\" is expected");
    if (rc == 0)
        rc = need_text(root, "name", sizeof(out->name), &name, diag);
    if (rc == 0)
        rc = need_text(root, "title", sizeof(out->title), &title, diag);
    if (rc == 0)
        rc = sl_json_need_array(&figures, diag);
    for (size_t i = 0; rc == 0 && i < sl_json_size(&figures); i++) {
        struct sl_json_at item = sl_json_item(&figures, i);
        rc = read_figure(&item, out, diag);
    }
    if (rc == 0)
        rc = check_complete(&figures, out, diag);
    if (rc == 0)
        rc = sl_json_need_array(&memory, diag);
    for (size_t i = 0; rc == 0 && i < sl_json_size(&memory); i++) {
        struct sl_json_at item = sl_json_item(&memory, i);
        rc = read_level(&item, out, diag);
    }
    if (rc == 0 && (out->core_level_count == 0 || (out->has_unit && out->unit_level_count == 0)))
        rc = sl_json_refuse(&memory, diag, "a side has no level");
    if (rc < 0)
        return rc;
    snprintf(out->name, sizeof(out->name), "%s", name);
    snprintf(out->title, sizeof(out->title), "%s", title);
    return 0;
}

int sl_silicon_parse(struct sl_bytes json, const char *file, struct sl_silicon *out,
                     struct sl_diag *diag)
{
    struct cJSON *document = NULL;
    struct sl_silicon made = {.has_unit = false};
    int rc = sl_json_doc_parse(json, file, &document, diag);
    if (rc < 0)
        return rc;
    struct sl_json_at root = sl_json_root(document);
    rc = read_root(&root, &made, diag);
    sl_json_doc_free(document);
    if (rc < 0) {
        sl_json_name_file(file, diag);
        return rc;
    }
    sl_sha256_hex(json.data, json.size, made.sha256);
    *out = made;
    return 0;
}

static int load_file(const char *path, struct sl_silicon *out, struct sl_diag *diag)
{
    struct sl_buf buf;
    int rc = sl_buf_read_file(path, SL_SILICON_MAX_BYTES, &buf);
    if (rc < 0)
        return sl_diag_set(diag, rc, path, "the silicon profile cannot be read: %s",
                           sl_strerror(rc));
    rc = sl_silicon_parse((struct sl_bytes){buf.data, buf.size}, path, out, diag);
    sl_buf_fini(&buf);
    return rc;
}

const char *sl_silicon_built_in(size_t index)
{
    return sl_silicon_sources[index].name;
}

static const struct sl_silicon_source *find_built_in(const char *name)
{
    for (const struct sl_silicon_source *at = sl_silicon_sources; at->name; at++) {
        if (strcmp(at->name, name) == 0)
            return at;
    }
    return NULL;
}

static int unknown_name(const char *name, struct sl_diag *diag)
{
    char known[160] = "";
    for (const struct sl_silicon_source *at = sl_silicon_sources; at->name; at++) {
        size_t used = strlen(known);
        snprintf(known + used, sizeof(known) - used, "%s%s", used ? ", " : "", at->name);
    }
    sl_diag_hint(diag, "there are %.150s", known);
    return sl_diag_set(diag, SL_E_NOT_FOUND, "--silicon", "there is no silicon profile '%.60s'",
                       name);
}

int sl_silicon_load(const char *name, struct sl_silicon *out, struct sl_diag *diag)
{
    size_t len = strlen(name);
    if (strchr(name, '/') || (len > 5 && strcmp(name + len - 5, ".json") == 0))
        return load_file(name, out, diag);
    const struct sl_silicon_source *found = find_built_in(name);
    if (!found)
        return unknown_name(name, diag);
    return sl_silicon_parse((struct sl_bytes){found->bytes, *found->size}, name, out, diag);
}

bool sl_silicon_next_name(const char **names, char out[SL_SILICON_NAME_BYTES])
{
    const char *from = *names ? *names : "apple-m4,arm-c1-ultra";
    size_t len = strcspn(from, ",");
    if (*from == '\0')
        return false;
    snprintf(out, SL_SILICON_NAME_BYTES, "%.*s", (int)(len < 1000 ? len : 1000), from);
    *names = from + len + (from[len] == ',');
    return true;
}

int sl_silicon_check_names(const char *names, struct sl_diag *diag)
{
    char name[SL_SILICON_NAME_BYTES];
    int rc = 0;
    while (rc == 0 && sl_silicon_next_name(&names, name))
        rc = find_built_in(name) ? 0 : unknown_name(name, diag);
    return rc;
}
