/* host/report/silicon_file.c */
#include "host/report/silicon_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "common/base/digest.h"
#include "common/base/error.h"
#include "host/analysis/silicon.h"
#include "host/spec/json_doc.h"
#include "host/spec/json_read.h"
#include "host/spec/paths.h"
#include "host/spec/policy_file.h"

/* configs/silicon/NAME.json, put in by the build (host/CMakeLists.txt); ends with a NULL name. */
struct sl_silicon_source {
    const char *name;
    const unsigned char *bytes;
    const unsigned long *size;
};
extern const struct sl_silicon_source sl_silicon_sources[];

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { MOST_CYCLES = 1000, MOST_FIGURES = 1000, SOURCE_BYTES = 400 };

/* The source is for people: it is only looked at. */
static void read_confidence(const struct sl_json_at *object, char *out)
{
    char source[SOURCE_BYTES];
    struct sl_json_at at = sl_json_member(object, "confidence");
    const char *text = sl_json_get_text(at);
    if (text && (strlen(text) != 1 || !strchr("MVFI", text[0])))
        sl_json_refuse(&at, "one of M (measured), V (the vendor's), F (fitted), I (inferred) is "
                            "expected");
    sl_json_copy_text(sl_json_member(object, "source"), source, sizeof(source));
    *out = text ? text[0] : '\0';
}

static void need_unit(const struct sl_json_at *object, const char *unit)
{
    struct sl_json_at at = sl_json_member(object, "unit");
    const char *text = sl_json_get_text(at);
    if (text && strcmp(text, unit) != 0)
        sl_json_refuse(&at, "this figure is in %s, not in %.32s", unit, text);
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

/* Returns where the figure `name` goes, with its unit and range; NULL: there is no such figure. */
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

bool sl_silicon_describe(const char *name, struct sl_figure_description *out)
{
    struct sl_silicon nobody = {.has_unit = false};
    return place_of(&nobody, name, out) != NULL;
}

static void read_figure(const struct sl_json_at *object, struct sl_silicon *silicon)
{
    static const char *const keys[] = {"name", "value", "unit", "confidence", "source"};
    struct sl_figure_description is;
    struct sl_json_at at = sl_json_member(object, "name");
    sl_json_need_object(object, keys, COUNT(keys), COUNT(keys));
    const char *name = sl_json_get_text(at);
    struct sl_silicon_figure *place = name ? place_of(silicon, name, &is) : NULL;
    if (!place || place->confidence) {
        sl_json_refuse(
            &at, place ? "the figure \"%.64s\" is there twice" : "there is no figure \"%.64s\"",
            name ? name : "");
        return;
    }
    sl_json_get_real(sl_json_member(object, "value"), is.least, is.most, &place->value);
    need_unit(object, is.unit);
    read_confidence(object, &place->confidence);
}

static void read_level(const struct sl_json_at *object, struct sl_silicon *silicon)
{
    static const char *const keys[] = {"side",   "value", "unit", "confidence",
                                       "source", "bytes", "waits"};
    struct sl_silicon_level level = {.bytes = INFINITY};
    struct sl_json_at at_side = sl_json_member(object, "side");
    struct sl_json_at at_bytes = sl_json_member(object, "bytes");
    sl_json_need_object(object, keys, COUNT(keys), COUNT(keys) - 2);
    const char *side = sl_json_get_text(at_side);
    if (side && strcmp(side, "core") != 0 && strcmp(side, "unit") != 0)
        sl_json_refuse(&at_side, "core or unit is expected");
    sl_json_get_real(at_bytes, 1, 1e15, &level.bytes);
    sl_json_get_bool(sl_json_member(object, "waits"), &level.waits);
    sl_json_get_real(sl_json_member(object, "value"), SL_SILICON_LEAST_GB_PER_S,
                     SL_SILICON_MOST_GB_PER_S, &level.gb_per_s);
    need_unit(object, "GB/s");
    read_confidence(object, &level.confidence);
    bool unit = side && side[0] == 'u';
    struct sl_silicon_level *levels = unit ? silicon->unit_levels : silicon->core_levels;
    size_t *count = unit ? &silicon->unit_level_count : &silicon->core_level_count;
    if (*count == SL_SILICON_MAX_LEVELS)
        sl_json_refuse(object, "there are more than %d levels", SL_SILICON_MAX_LEVELS);
    else if (*count > 0 && !(levels[*count - 1].bytes < level.bytes))
        sl_json_refuse(&at_bytes, "levels stand in order of their bytes");
    else
        levels[(*count)++] = level;
}

/* A silicon with a unit needs all of the unit's figures. */
static void check_complete(const struct sl_json_at *figures, struct sl_silicon *silicon)
{
    for (int w = 0; w < SL_WORK_COUNT; w++)
        silicon->has_unit = silicon->has_unit || silicon->cycles[w].confidence;
    for (int id = 0; id < SL_FIGURE_COUNT; id++)
        silicon->has_unit = silicon->has_unit ||
                            (sl_figure_describe(id)->of_unit && silicon->figures[id].confidence);
    for (int id = 0; id < SL_FIGURE_COUNT; id++) {
        if (!silicon->figures[id].confidence &&
            (silicon->has_unit || !sl_figure_describe(id)->of_unit))
            sl_json_refuse(figures, "the figure \"%s\" is missing", sl_figure_describe(id)->name);
    }
    for (int w = 0; w < SL_WORK_COUNT; w++) {
        if (silicon->has_unit && sl_work_has_cycles(w) && !silicon->cycles[w].confidence)
            sl_json_refuse(figures, "the figure \"cycles.%s\" is missing", sl_work_name(w));
        if ((silicon->has_unit || w == SL_WORK_NEON_MAC) && sl_work_has_latency(w) &&
            !silicon->latency[w].confidence)
            sl_json_refuse(figures, "the figure \"latency.%s\" is missing", sl_work_name(w));
    }
    double low = silicon->figures[SL_FIGURE_UNIT_CLOCK_LOW].value;
    double high = silicon->figures[SL_FIGURE_UNIT_CLOCK_HIGH].value;
    double clock = silicon->figures[SL_FIGURE_UNIT_CLOCK].value;
    if (low > clock || clock > high)
        sl_json_refuse(figures, "unit.clock lies outside its low and high");
}

static void read_root(const struct sl_json_at *root, struct sl_silicon *out)
{
    static const char *const keys[] = {"schema", "name", "title", "figures", "memory"};
    struct sl_json_at schema = sl_json_member(root, "schema");
    struct sl_json_at figures = sl_json_member(root, "figures");
    struct sl_json_at memory = sl_json_member(root, "memory");
    sl_json_need_object(root, keys, COUNT(keys), COUNT(keys));
    if (!sl_json_is_text(schema, "sme2lab.silicon/1"))
        sl_json_refuse(&schema, "\"sme2lab.silicon/1\" is expected");
    sl_json_copy_text(sl_json_member(root, "name"), out->name, sizeof(out->name));
    sl_json_copy_text(sl_json_member(root, "title"), out->title, sizeof(out->title));
    sl_json_need_array(&figures, MOST_FIGURES, "figures");
    for (struct sl_json_at at = sl_json_first(&figures); sl_json_more(&at); sl_json_next(&at))
        read_figure(&at, out);
    check_complete(&figures, out);
    sl_json_need_array(&memory, 2 * SL_SILICON_MAX_LEVELS, "levels");
    for (struct sl_json_at at = sl_json_first(&memory); sl_json_more(&at); sl_json_next(&at))
        read_level(&at, out);
    if (out->core_level_count == 0 || (out->has_unit && out->unit_level_count == 0))
        sl_json_refuse(&memory, "a side has no level");
}

int sl_silicon_parse(struct sl_bytes json, const char *file, struct sl_silicon *out,
                     struct sl_diag *diag)
{
    struct cJSON *document = NULL;
    struct sl_silicon made = {.has_unit = false};
    int rc = sl_json_doc_parse(json, file, &document, diag);
    if (rc < 0)
        return rc;
    struct sl_json_reader reader = {.diag = diag};
    struct sl_json_at root = sl_json_root(&reader, document);
    read_root(&root, &made);
    sl_json_doc_free(document);
    if (reader.error < 0) {
        sl_json_name_file(file, diag);
        return reader.error;
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

/* Finds the profile that was measured under this name: a name leads nowhere else. */
static bool find_measured(const char *name, char out[SL_PATH_BYTES])
{
    static const char may[] = "abcdefghijklmnopqrstuvwxyz0123456789-";
    char state[SL_PATH_BYTES];
    size_t prefix = strlen(SL_SILICON_MEASURED);
    if (strncmp(name, SL_SILICON_MEASURED, prefix) != 0 || name[prefix] == '\0' ||
        name[strspn(name, may)] != '\0')
        return false;
    return sl_paths_state(state, NULL) == 0 &&
           sl_device_file_path(state, name + prefix, SL_SILICON_FILE, out) == 0 &&
           access(out, R_OK) == 0;
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

int sl_silicon_source(const char *name, struct sl_bytes *out, struct sl_diag *diag)
{
    const struct sl_silicon_source *found = find_built_in(name);
    if (!found)
        return unknown_name(name, diag);
    *out = (struct sl_bytes){found->bytes, *found->size};
    return 0;
}

int sl_silicon_load(const char *name, struct sl_silicon *out, struct sl_diag *diag)
{
    size_t len = strlen(name);
    if (strchr(name, '/') || (len > 5 && strcmp(name + len - 5, ".json") == 0))
        return load_file(name, out, diag);
    struct sl_bytes text;
    char path[SL_PATH_BYTES];
    if (find_measured(name, path))
        return load_file(path, out, diag);
    int rc = sl_silicon_source(name, &text, diag);
    return rc < 0 ? rc : sl_silicon_parse(text, name, out, diag);
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
    char name[SL_SILICON_NAME_BYTES], path[SL_PATH_BYTES];
    int rc = 0;
    while (rc == 0 && sl_silicon_next_name(&names, name))
        rc = find_built_in(name) || find_measured(name, path) ? 0 : unknown_name(name, diag);
    return rc;
}
