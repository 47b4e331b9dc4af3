/* host/rundir/kit_summary.c */
#include "host/rundir/kit_summary.h"

#include <stdio.h>
#include <string.h>

#include "common/format/sltrace.h"
#include "host/report/analysis.h"
#include "host/report/kit_files.h"
#include "host/rundir/armkit.h"

#define MAX_LIST_BYTES ((size_t)1 << 28)
enum { TOTALS, ETDUMPS, FILES };

void sl_armkit_summary_init(struct sl_armkit_summary *summary)
{
    *summary = (struct sl_armkit_summary){.count = 0};
    for (int i = 0; i < SL_ARMKIT_SUMMARY_LISTS; i++) {
        sl_buf_init(&summary->texts[i], MAX_LIST_BYTES);
        sl_json_init(&summary->lists[i], &summary->texts[i]);
    }
    sl_json_open_object(&summary->lists[TOTALS], NULL);
    sl_json_open_array(&summary->lists[ETDUMPS], NULL);
    sl_json_open_array(&summary->lists[FILES], NULL);
}

static void put_categories(struct sl_json *json, const char *key,
                           const struct sl_analysis *analysis)
{
    const struct sl_attribution *a = &analysis->attribution;
    sl_json_open_object(json, key);
    for (int c = 0; c < SL_CATEGORY_COUNT; c++) {
        double sum = 0;
        for (size_t i = 0; i < a->run_count; i++)
            sum += a->runs[i].warmup ? 0.0 : (double)a->runs[i].categories[c];
        sl_json_f64(json, sl_category_name(c), sl_kit_figure(analysis, sum));
    }
    sl_json_close_object(json);
}

static void put_etdump(struct sl_json *json, const struct sl_analysis *analysis, const char *etdump,
                       const char *base)
{
    char text[SL_ARMKIT_NAME_BYTES + 40];
    const struct sl_attribution *a = &analysis->attribution;
    uint64_t events = 0;
    for (size_t i = 0; i < a->operator_count; i++)
        events += a->operators[i].count;
    sl_json_open_object(json, NULL);
    sl_json_text(json, "etdump", etdump);
    put_categories(json, a->unit == SL_TRACE_INSTRUCTIONS ? "categories_insns" : "categories_ms",
                   analysis);
    sl_json_u64(json, "rows", events);
    snprintf(text, sizeof(text), "%s_exec_all_runs_timeline.csv", base);
    sl_json_text(json, "csv_timeline", text);
    snprintf(text, sizeof(text), "%s_exec_ops_stats.csv", base);
    sl_json_text(json, "csv_stats", text);
    sl_json_close_object(json);
}

void sl_armkit_summary_add(struct sl_armkit_summary *summary, const struct sl_analysis *analysis,
                           const char *name, const char *etdump)
{
    char base[SL_ARMKIT_NAME_BYTES], text[SL_ARMKIT_NAME_BYTES + 40];
    snprintf(base, sizeof(base), "%s", etdump);
    char *ending = strrchr(base, '.');
    if (ending && strcmp(ending, ".etdump") == 0)
        *ending = '\0';
    if (summary->count++ == 0)
        summary->counted = analysis->attribution.unit == SL_TRACE_INSTRUCTIONS;
    put_categories(&summary->lists[TOTALS], name, analysis);
    put_etdump(&summary->lists[ETDUMPS], analysis, etdump, base);
    for (const struct sl_kit_file *file = sl_kit_files; file->ending; file++) {
        snprintf(text, sizeof(text), "%s%s", base, file->ending);
        if (strcmp(file->ending + strlen(file->ending) - 4, ".csv") == 0)
            sl_json_text(&summary->lists[FILES], NULL, text);
    }
}

int sl_armkit_summary_put(struct sl_armkit_summary *summary, struct sl_json *json)
{
    const char *const keys[] = {summary->counted ? "category_totals_insns" : "category_totals_ms",
                                "per_etdump", "csv_files"};
    sl_json_close_object(&summary->lists[TOTALS]);
    sl_json_close_array(&summary->lists[ETDUMPS]);
    sl_json_close_array(&summary->lists[FILES]);
    sl_json_text(json, "run_dir", ".");
    sl_json_null(json, "etrecord");
    sl_json_u64(json, "etdump_count", summary->count);
    for (int i = 0; i < SL_ARMKIT_SUMMARY_LISTS; i++) {
        int rc = summary->lists[i].error;
        if (rc == 0)
            rc = sl_buf_append(&summary->texts[i], "", 1);
        if (rc < 0)
            return rc;
        sl_json_raw(json, keys[i], (const char *)summary->texts[i].data);
    }
    return json->error;
}

void sl_armkit_summary_fini(struct sl_armkit_summary *summary)
{
    for (int i = 0; i < SL_ARMKIT_SUMMARY_LISTS; i++)
        sl_buf_fini(&summary->texts[i]);
}
