/* host/rundir/summary.c */
#include "host/rundir/summary.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "common/base/error.h"
#include "common/base/json.h"
#include "common/base/path.h"
#include "host/analysis/verdict.h"
#include "host/report/analysis_json.h"
#include "host/report/comparison.h"
#include "host/rundir/armkit.h"
#include "host/rundir/compared.h"
#include "host/rundir/output_type.h"
#include "host/rundir/verdict_exit.h"
#include "host/spec/json_value.h"

#define MAX_SUMMARY_BYTES ((size_t)1 << 29)
enum { SHOWN_BYTES = 2 * SL_RUNDIR_PATH_BYTES };

static void put_verdict(struct sl_json *json, const struct sl_summary *s)
{
    const struct cJSON *manifest = s->compared->sides[0].directory.manifest;
    const struct sl_comparison *comparison = &s->compared->comparison;
    sl_json_text(json, "schema", "sme2lab.run/1");
    sl_json_text(json, "model", sl_value_text(manifest, "model", NULL));
    sl_json_text(json, "experiment", sl_value_text(manifest, "experiment", NULL));
    sl_json_text(json, "device", sl_value_text(sl_value(manifest, "device"), "kind", NULL));
    sl_json_text(json, "verdict", sl_verdict_name(comparison));
    sl_json_i64(json, "exit_code", sl_verdict_exit_code(comparison, s->threshold_percent));
    sl_json_f64(json, "threshold_percent", s->threshold_percent);
}

static void put_agreements(struct sl_json *json, const struct sl_summary *s)
{
    sl_json_open_object(json, "output_agreement");
    for (size_t i = 0; i < SL_RUNDIR_AGREEMENTS; i++) {
        const struct sl_agreement *one = s->agreements[i];
        if (!one)
            continue;
        sl_json_open_object(json, sl_rundir_agreement_names[i]);
        sl_comparison_agreement_json(json, one);
        sl_json_close_object(json);
    }
    sl_json_close_object(json);
}

/* Writes the path of the run's file `name`, below the directory under its shown name. */
static const char *shown(const struct sl_summary *s, const char *name, char out[SHOWN_BYTES])
{
    snprintf(out, SHOWN_BYTES, "%.1000s/%.1000s", s->shown_dir ? s->shown_dir : "",
             name ? name : "");
    return out;
}

static void put_files(struct sl_json *json, const struct sl_summary *s)
{
    const struct sl_rundir *directory = &s->compared->sides[0].directory;
    const char *log = sl_value_text(sl_rundir_result(directory, 0), "log", NULL);
    size_t tail = strlen("_latency.log"), len = log ? strlen(log) : 0;
    char name[SHOWN_BYTES], path[SHOWN_BYTES];
    sl_json_open_object(json, "files");
    sl_json_text(json, "directory", s->shown_dir);
    for (int level = 0; level < 2; level++) {
        const struct cJSON *result = sl_rundir_result(directory, level);
        snprintf(name, sizeof(name), "etdump_sme2_%s", sl_rundir_levels[level]);
        sl_json_text(json, name, shown(s, sl_value_text(result, "etdump", NULL), path));
    }
    snprintf(name, sizeof(name), "%.*s.sltrace", (int)(len > tail ? len - tail : 0),
             log ? log : "");
    sl_json_text(json, "trace", shown(s, name, path));
    sl_json_text(json, "log", shown(s, log, path));
    snprintf(name, sizeof(name), "report%s.md", directory->suffix);
    sl_json_text(json, "report", shown(s, name, path));
    snprintf(name, sizeof(name), "report%s.html", directory->suffix);
    sl_json_text(json, "report_html", shown(s, name, path));
    sl_json_close_object(json);
}

/* The analyses are of the files as the run called them. */
static int put_analyses(struct sl_json *json, const struct sl_summary *s)
{
    struct sl_armkit_named named[2];
    int rc = sl_comparison_json(json, "comparison", &s->compared->report);
    put_agreements(json, s);
    sl_json_open_array(json, "analyses");
    for (int level = 0; level < 2 && rc == 0; level++) {
        const struct sl_compared_side *side = &s->compared->sides[level];
        named[level] = (struct sl_armkit_named){
            &side->file.analysis,
            sl_value_text(sl_rundir_result(&side->directory, level), "experiment", NULL),
            sl_value_text(sl_rundir_result(&side->directory, level), "etdump", NULL)};
        rc = sl_analysis_json(json, NULL, named[level].analysis);
    }
    sl_json_close_array(json);
    return rc < 0 ? rc : sl_armkit_summary(json, named);
}

int sl_summary_put(struct sl_json *json, const struct sl_summary *summary)
{
    struct sl_compared_side *sides = summary->compared->sides;
    char paths[2][SHOWN_BYTES];
    const char *files[2];
    for (int level = 0; level < 2; level++) {
        const struct cJSON *result = sl_rundir_result(&sides[level].directory, level);
        files[level] = sides[level].file.analysis.file;
        sides[level].file.analysis.file =
            shown(summary, sl_value_text(result, "etdump", NULL), paths[level]);
    }
    sl_json_open_object(json, NULL);
    put_verdict(json, summary);
    int rc = put_analyses(json, summary);
    put_files(json, summary);
    sl_json_text(json, "manifest_sha256", summary->manifest_sha256);
    sl_json_close_object(json);
    for (int level = 0; level < 2; level++)
        sides[level].file.analysis.file = files[level];
    return rc < 0 ? rc : json->error;
}

int sl_summary_write(const struct sl_summary *summary, struct sl_diag *diag)
{
    const struct sl_rundir *directory = &summary->compared->sides[0].directory;
    char path[SL_RUNDIR_PATH_BYTES + SL_RUNDIR_NAME_BYTES + 32];
    struct sl_buf text;
    struct sl_json json;
    sl_path_join(path, sizeof(path), directory->path, "analysis_summary%s.json", directory->suffix);
    sl_buf_init(&text, MAX_SUMMARY_BYTES);
    sl_json_init(&json, &text);
    int rc = sl_summary_put(&json, summary);
    if (rc == 0)
        rc = sl_buf_write_file(path, text.data, text.size);
    sl_buf_fini(&text);
    return rc < 0
               ? sl_diag_set(diag, rc, path, "The summary cannot be written (%s)", sl_strerror(rc))
               : 0;
}

int sl_summary_compare_outputs(const struct sl_rundir *directory, int pair, sl_summary_read_fn read,
                               void *user, struct sl_agreement *out)
{
    static const struct {
        const char *reference, *compared;
    } pairs[SL_RUNDIR_AGREEMENTS] = {[SL_ON_VS_OFF] = {"on", "off"},
                                     [SL_OFF_VS_PORTABLE] = {"portable", "off"},
                                     [SL_ON_VS_PORTABLE] = {"portable", "on"},
                                     [SL_OFF_VS_EXPECTED] = {"expected", "off"},
                                     [SL_ON_VS_EXPECTED] = {"expected", "on"}};
    bool recorded = pair < SL_OFF_VS_EXPECTED;
    const cJSON *output, *outputs = sl_value(directory->manifest, "outputs");
    sl_agreement_init(out);
    out->asked = sl_value_number(directory->manifest, "tolerance", 0);
    cJSON_ArrayForEach(output, outputs)
    {
        double type = sl_value_number(output, "scalar_type", -1);
        struct sl_buf first, second;
        if (!(type >= 0 && type < 256))
            continue;
        if (pair >= SL_OFF_VS_EXPECTED && !sl_value_text(output, "expected", NULL))
            continue;
        recorded = true;
        int rc = read(user, sl_value_text(output, pairs[pair].reference, NULL), &first);
        if (rc < 0)
            return rc;
        rc = read(user, sl_value_text(output, pairs[pair].compared, NULL), &second);
        if (rc == 0) {
            const struct sl_output_type of = sl_output_type_read(output, (int)type);
            sl_agreement_add(out, &of, (struct sl_bytes){first.data, first.size},
                             (struct sl_bytes){second.data, second.size});
            sl_buf_fini(&second);
        }
        sl_buf_fini(&first);
        if (rc < 0)
            return rc;
    }
    return recorded ? 0 : SL_SUMMARY_NOT_RECORDED;
}
