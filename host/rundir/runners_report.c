/* host/rundir/runners_report.c */
#include "host/rundir/runners_report.h"

#include <errno.h>

#include "common/base/error.h"
#include "common/base/mem.h"
#include "host/spec/json_doc.h"
#include "host/spec/json_read.h"
#include "host/spec/plan.h"

enum { MAX_EXECUTIONS = 10000000, MAX_OUTPUT_BYTES = 16 << 20 };
#define MAX_WALL_NS 1e18

static void read_row(const struct sl_json_at *at, size_t arms, struct sl_runners_row *out)
{
    const struct {
        const char *key;
        uint32_t high, *out;
    } numbers[] = {{"arm", (uint32_t)arms - 1, &out->arm},
                   {"order", SL_PLAN_MAX * SL_PLAN_ROUNDS, &out->order},
                   {"executions", MAX_EXECUTIONS, &out->executions},
                   {"exit_code", 255, &out->exit_code},
                   {"signal", 128, &out->signal},
                   {"stderr_bytes", MAX_OUTPUT_BYTES, &out->stderr_bytes}};
    const struct {
        const char *key;
        bool *out;
    } flags[] = {
        {"timed_out", &out->timed_out}, {"etdump", &out->etdump}, {"outputs", &out->outputs}};
    sl_json_need_members(at, SL_JSON_DOC_MAX_VALUES, "members");
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        sl_json_get_integer(sl_json_member(at, numbers[i].key), 0, numbers[i].high, numbers[i].out);
    for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
        sl_json_get_bool(sl_json_member(at, flags[i].key), flags[i].out);
    sl_json_get_real(sl_json_member(at, "wall_ns"), 0, MAX_WALL_NS, &out->wall_ns);
    out->problem = sl_json_get_text(sl_json_member(at, "problem"));
    if (out->executions == 0)
        sl_json_refuse(at, "It has no 'executions'");
}

/* No process of an experiment comes after one that failed, and there are at most as many as were
 * asked for. */
static int check_rows(const struct sl_runners_report *report, struct sl_diag *diag)
{
    uint32_t done[SL_PLAN_MAX] = {0};
    bool failed[SL_PLAN_MAX] = {false};
    for (size_t i = 0; i < report->count; i++) {
        const struct sl_runners_row *row = &report->rows[i];
        if (failed[row->arm] || done[row->arm] == SL_PLAN_ROUNDS)
            return sl_diag_set(diag, SL_E_FORMAT, "runners.json",
                               "Experiment %u has more processes than there can be", row->arm);
        done[row->arm]++;
        failed[row->arm] = !row->etdump;
    }
    return 0;
}

int sl_runners_report_parse(struct sl_bytes text, size_t arms, struct sl_runners_report *out,
                            struct sl_diag *diag)
{
    struct sl_runners_report report = {.rows = NULL};
    int rc = sl_json_doc_parse(text, "runners.json", &report.document, diag);
    if (rc < 0)
        return rc;
    struct sl_json_reader reader = {.diag = diag};
    struct sl_json_at root = sl_json_root(&reader, report.document);
    size_t count = sl_json_need_array(&root, SL_PLAN_MAX * SL_PLAN_ROUNDS, "processes");
    report.rows = count > 0 ? sl_calloc(count, sizeof(*report.rows)) : NULL;
    if (count > 0 && !report.rows)
        sl_json_stop(&root, -ENOMEM);
    for (struct sl_json_at at = sl_json_first(&root); sl_json_more(&at); sl_json_next(&at))
        read_row(&at, arms, &report.rows[report.count++]);
    rc = reader.error;
    if (rc == 0)
        rc = check_rows(&report, diag);
    if (rc < 0) {
        sl_runners_report_fini(&report);
        return rc;
    }
    *out = report;
    return 0;
}

void sl_runners_report_fini(struct sl_runners_report *report)
{
    sl_free(report->rows);
    sl_json_doc_free(report->document);
    *report = (struct sl_runners_report){.rows = NULL};
}
