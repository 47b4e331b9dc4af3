/* host/rundir/runners_report.c */
#include "host/rundir/runners_report.h"

#include <errno.h>

#include "common/base/error.h"
#include "common/base/mem.h"
#include "host/spec/json_doc.h"
#include "host/spec/plan.h"

enum { MAX_EXECUTIONS = 10000000, MAX_OUTPUT_BYTES = 16 << 20 };
#define MAX_WALL_NS 1e18

static int read_row(const struct sl_json_at *at, size_t arms, struct sl_runners_row *out,
                    struct sl_diag *diag)
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
    struct sl_json_at wall = sl_json_member(at, "wall_ns"), problem = sl_json_member(at, "problem");
    int rc = sl_json_need_object(at, diag);
    for (size_t i = 0; rc == 0 && i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        struct sl_json_at member = sl_json_member(at, numbers[i].key);
        rc = sl_json_get_integer(&member, 0, numbers[i].high, numbers[i].out, diag);
    }
    for (size_t i = 0; rc == 0 && i < sizeof(flags) / sizeof(flags[0]); i++) {
        struct sl_json_at member = sl_json_member(at, flags[i].key);
        rc = sl_json_get_bool(&member, flags[i].out, diag);
    }
    if (rc == 0)
        rc = sl_json_get_real(&wall, 0, MAX_WALL_NS, &out->wall_ns, diag);
    if (rc == 0)
        rc = sl_json_get_text(&problem, &out->problem, diag);
    return rc == 0 && out->executions == 0 ? sl_json_refuse(at, diag, "It has no 'executions'")
                                           : rc;
}

/* Of an experiment no process comes after one that failed, and there are as many as were asked for
 * at most. */
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
    struct sl_json_at root = sl_json_root(report.document);
    size_t count = sl_json_size(&root);
    rc = sl_json_need_array(&root, diag);
    if (rc == 0 && count > SL_PLAN_MAX * SL_PLAN_ROUNDS)
        rc = sl_json_refuse(&root, diag, "These are too many processes");
    if (rc == 0 && count > 0) {
        report.rows = sl_calloc(count, sizeof(*report.rows));
        rc = report.rows ? 0 : -ENOMEM;
    }
    for (size_t i = 0; rc == 0 && i < count; i++) {
        struct sl_json_at item = sl_json_item(&root, i);
        rc = read_row(&item, arms, &report.rows[report.count++], diag);
    }
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
