/* host/report/combined_findings.c: what sweeps, contention maps and clean arms say, a line each. */
#include <string.h>

#include "common/base/buf.h"
#include "host/analysis/comparison.h"
#include "host/analysis/contention.h"
#include "host/analysis/sweep.h"
#include "host/report/combined.h"
#include "host/report/comparison.h"
#include "host/report/report.h"
#include "host/report/runtime_gap.h"
#include "host/report/runtime_outputs.h"
#include "host/report/style.h"
#include "host/report/text.h"

enum { WORDS_BYTES = 2048 };

static int put_line(struct sl_buf *out, const char *kind, const struct sl_report *report,
                    const char *name, const char *words)
{
    char model[SL_TEXT_SIZE];
    const char *path = report->model ? report->model : "model";
    return sl_buf_printf(out, "%s, %s, %s: %s%s\n", kind, sl_text_copy(model, path, strlen(path)),
                         name, words,
                         report->comparison->emulated && report->comparison->comparison->iterations
                             ? " (times of an emulated CPU mean nothing)"
                             : "");
}

/* A verdict of several processes stands last, where the eye is. */
static int put_processes(struct sl_buf *out, const struct sl_combined *combined)
{
    char name[SL_COMBINED_NAME_BYTES], words[WORDS_BYTES];
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < combined->count; i++) {
        if (sl_combined_processes_words(combined, i, name, words, sizeof(words)) > 0)
            rc = put_line(out, "process to process", &combined->reports[i], name, words);
    }
    return rc;
}

int sl_combined_findings(struct sl_buf *out, const struct sl_style *style,
                         const struct sl_combined *combined)
{
    char name[SL_COMBINED_NAME_BYTES], words[WORDS_BYTES];
    struct sl_contention map;
    struct sl_sweep sweep;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < combined->count; i++) {
        const struct sl_report *report = &combined->reports[i];
        sl_combined_base(report, true, name);
        if (sl_combined_sweep(combined, i, &sweep)) {
            sl_combined_sweep_words(&sweep, words, sizeof(words));
            rc = put_line(out, "thread sweep", report, name, words);
        }
        if (rc == 0 && sl_combined_contention(combined, i, &map)) {
            sl_combined_base(report, false, name);
            sl_combined_contention_words(&map, words, sizeof(words));
            rc = put_line(out, "contention", report, name, words);
        }
        if (rc == 0 && sl_combined_cost_words(combined, i, words, sizeof(words)))
            rc = put_line(out, "cost of profiling", report, name, words);
    }
    if (rc == 0 && style)
        rc = sl_runtime_gap_show(out, style, combined->reports, combined->count);
    bool full = style && style->operators > 0;
    if (rc == 0 && (full || !sl_runtime_outputs_agree(combined->reports, combined->count)))
        rc = sl_runtime_outputs_words(out, combined->reports, combined->count);
    return rc < 0 ? rc : put_processes(out, combined);
}
