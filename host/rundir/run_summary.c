/* host/rundir/run_summary.c: the result of a run as JSON, and analysis_summary.json. */
#include <stdio.h>
#include <string.h>

#include "common/base/error.h"
#include "common/base/json.h"
#include "host/device/launch.h"
#include "host/report/analysis_json.h"
#include "host/report/comparison.h"
#include "host/rundir/armkit.h"
#include "host/rundir/report_files.h"
#include "host/rundir/run.h"
#include "host/rundir/run_parts.h"
#include "host/spec/experiment.h"

#define MAX_SUMMARY_BYTES ((size_t)1 << 29)

static void put_file(struct sl_json *json, const struct sl_run *run, const char *key,
                     const char *path)
{
    char shown[SL_RUN_PATH_BYTES];
    sl_json_text(json, key, sl_run_shown(run, path, shown));
}

static void put_report(struct sl_json *json, const struct sl_run *run, const char *key,
                       const char *ending)
{
    char path[SL_RUN_PATH_BYTES], suffix[SL_RUN_SUFFIX_BYTES];
    snprintf(path, sizeof(path), "%.900s/report%s%s", run->out_dir, sl_run_suffix(run, suffix),
             ending);
    put_file(json, run, key, path);
}

static void put_files(struct sl_json *json, const struct sl_run *run)
{
    char path[SL_RUN_PATH_BYTES];
    sl_json_open_object(json, "files");
    sl_json_text(json, "directory", run->shown_dir ? run->shown_dir : run->out_dir);
    for (int i = 0; i < SL_RUN_VARIANTS; i++) {
        snprintf(path, sizeof(path), "etdump_sme2_%s", sl_run_variant_names[i]);
        put_file(json, run, path, run->variants[i].etdump_path);
    }
    snprintf(path, sizeof(path), "%.900s.sltrace", run->raw_base);
    put_file(json, run, "trace", path);
    snprintf(path, sizeof(path), "%.900s_latency.log", run->raw_base);
    put_file(json, run, "log", path);
    put_report(json, run, "report", ".md");
    put_report(json, run, "report_html", ".html");
    sl_json_close_object(json);
}

struct sl_comparison_report sl_run_comparison_report(const struct sl_run *run)
{
    return (struct sl_comparison_report){
        .comparison = &run->comparison,
        .baseline = &run->variants[SL_RUN_OFF].analysis,
        .candidate = &run->variants[SL_RUN_ON].analysis,
        .factor = "sme2",
        .baseline_level = "off",
        .candidate_level = "on",
        .agreement = &run->off_on,
        .emulated = run->device->traits.emulated,
    };
}

/* What users of Arm's profiling kit read of this file. */
static int put_kit(struct sl_json *json, const struct sl_run *run)
{
    struct sl_armkit_named named[SL_RUN_VARIANTS];
    size_t len = strlen(run->out_dir);
    for (int i = 0; i < SL_RUN_VARIANTS; i++) {
        const char *path = run->variants[i].etdump_path;
        named[i] = (struct sl_armkit_named){
            &run->variants[i].analysis, run->variants[i].experiment,
            strncmp(path, run->out_dir, len) == 0 && path[len] == '/' ? path + len + 1 : path};
    }
    return sl_armkit_summary(json, named);
}

/* Of the manifest, which is written before: what it recorded can be told from what it was made to
 * say later. */
static int put_manifest_hash(struct sl_json *json, const struct sl_run *run)
{
    struct sl_buf bytes;
    char path[SL_RUN_PATH_BYTES], hash[SL_SHA256_HEX_SIZE], suffix[SL_RUN_SUFFIX_BYTES];
    snprintf(path, sizeof(path), "%.900s/manifest%s.json", run->out_dir,
             sl_run_suffix(run, suffix));
    int rc = sl_buf_read_file(path, MAX_SUMMARY_BYTES, &bytes);
    if (rc < 0)
        return rc;
    sl_sha256_hex(bytes.data, bytes.size, hash);
    sl_buf_fini(&bytes);
    sl_json_text(json, "manifest_sha256", hash);
    return 0;
}

int sl_run_json(const struct sl_run *run, struct sl_json *json)
{
    int rc = 0;
    sl_json_open_object(json, NULL);
    sl_json_text(json, "schema", "sme2lab.run/1");
    sl_json_text(json, "model", run->shown_model ? run->shown_model : run->plan->model);
    sl_json_text(json, "experiment", run->experiment->name);
    sl_json_text(json, "device", run->plan->device);
    sl_json_text(json, "verdict", sl_verdict_name(run->comparison.verdict));
    sl_json_i64(json, "exit_code", sl_run_exit_code(run));
    sl_json_f64(json, "threshold_percent", run->plan->threshold_percent);
    struct sl_comparison_report report = sl_run_comparison_report(run);
    rc = sl_comparison_json(json, "comparison", &report);
    sl_json_open_object(json, "output_agreement");
    sl_run_put_agreement(json, "on_vs_off", &run->off_on);
    sl_run_put_agreement(json, "off_vs_portable", &run->off_portable);
    sl_run_put_agreement(json, "on_vs_portable", &run->on_portable);
    sl_json_close_object(json);
    sl_json_open_array(json, "analyses");
    for (int i = 0; i < SL_RUN_VARIANTS && rc == 0; i++)
        rc = sl_analysis_json(json, NULL, &run->variants[i].analysis);
    sl_json_close_array(json);
    if (rc == 0)
        rc = put_kit(json, run);
    put_files(json, run);
    if (rc == 0)
        rc = put_manifest_hash(json, run);
    sl_json_close_object(json);
    return rc < 0 ? rc : json->error;
}

int sl_run_summary(const struct sl_run *run, struct sl_diag *diag)
{
    struct sl_buf text;
    struct sl_json json;
    char path[SL_RUN_PATH_BYTES], suffix[SL_RUN_SUFFIX_BYTES];
    snprintf(path, sizeof(path), "%.900s/analysis_summary%s.json", run->out_dir,
             sl_run_suffix(run, suffix));
    sl_buf_init(&text, MAX_SUMMARY_BYTES);
    sl_json_init(&json, &text);
    int rc = sl_run_json(run, &json);
    if (rc == 0)
        rc = sl_run_write(path, &text, diag);
    else
        sl_diag_set(diag, rc, path, "The summary cannot be made (%s)", sl_strerror(rc));
    sl_buf_fini(&text);
    if (rc == 0)
        rc = sl_run_log(run, diag);
    if (rc == 0)
        rc = sl_armkit_write(run->out_dir, run->categories, diag);
    if (rc == 0)
        rc = sl_report_write_run(run->out_dir, run->experiment->name, run->categories, diag);
    return rc;
}
