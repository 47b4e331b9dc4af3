/* host/report/runtime_outputs.c */
#include "host/report/runtime_outputs.h"

#include <stdio.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/json.h"
#include "host/report/comparison.h"
#include "host/report/report.h"
#include "host/report/runtime_gap.h"
#include "host/report/table.h"
#include "host/report/text.h"

/* Whose outputs; NAMES are for people, KEYS for programs. */
enum { THEIRS_OFF, THEIRS_ON, OURS_OFF, OURS_ON, PORTABLE, EXPECTED, SOURCES };
static const char *const names[SOURCES] = {"ExecuTorch, SME2 off", "ExecuTorch, SME2 on",
                                           "ours, SME2 off",       "ours, SME2 on",
                                           "portable kernels",     "expected"};
static const char *const keys[SOURCES] = {"executorch_off", "executorch_on", "own_off",
                                          "own_on",         "portable",      "expected"};

enum { MAX_PAIRS = 14 };

struct pair {
    int output, reference;
    const struct sl_agreement *agreement;
};

struct pairs {
    struct pair list[MAX_PAIRS];
    size_t count;
};

/* NULL: not compared. */
static void add(struct pairs *pairs, int output, int reference, const struct sl_agreement *one)
{
    if (one)
        pairs->list[pairs->count++] = (struct pair){output, reference, one};
}

static void add_run(struct pairs *pairs, int off, const struct sl_report *run)
{
    add(pairs, off, EXPECTED, run->off_expected);
    add(pairs, off + 1, EXPECTED, run->on_expected);
    add(pairs, off + 1, off, run->comparison->agreement);
    add(pairs, off, PORTABLE, run->off_portable);
    add(pairs, off + 1, PORTABLE, run->on_portable);
}

/* False where the report at `index` is not ExecuTorch's, or nothing was compared. */
static bool find_pairs(const struct sl_report *reports, size_t count, size_t index,
                       struct pairs *out)
{
    const struct sl_report *theirs = &reports[index];
    const struct sl_report *ours = sl_runtime_gap_ours(reports, count, index);
    *out = (struct pairs){.count = 0};
    if (!ours || !theirs->outputs)
        return false;
    for (int level = 0; level < 4; level++)
        add(out, THEIRS_OFF + level / 2, OURS_OFF + level % 2,
            &theirs->outputs->pairs[level / 2][level % 2]);
    add_run(out, THEIRS_OFF, theirs);
    add_run(out, OURS_OFF, ours);
    return true;
}

static const struct pair *worst_of(const struct pairs *pairs)
{
    const struct pair *worst = &pairs->list[0];
    for (size_t i = 1; i < pairs->count; i++) {
        const struct sl_agreement *a = pairs->list[i].agreement, *b = worst->agreement;
        if (a->agree != b->agree ? !a->agree : a->max_rel > b->max_rel)
            worst = &pairs->list[i];
    }
    return worst;
}

size_t sl_runtime_outputs_count(const struct sl_report *reports, size_t count)
{
    struct pairs pairs;
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        found += find_pairs(reports, count, i, &pairs);
    return found;
}

bool sl_runtime_outputs_agree(const struct sl_report *reports, size_t count)
{
    struct pairs pairs;
    bool agree = true;
    for (size_t i = 0; i < count; i++)
        agree =
            agree && (!find_pairs(reports, count, i, &pairs) || worst_of(&pairs)->agreement->agree);
    return agree;
}

void sl_runtime_outputs_table(const struct sl_report *reports, size_t count, struct sl_table *out)
{
    static const char *const heads[] = {"Model",    "Output",   "Reference", ">Largest",
                                        ">Of peak", ">At most", "Agree",     NULL};
    struct pairs pairs;
    sl_table_init(out, "outputs", "Outputs of both runtimes", heads);
    snprintf(out->note, sizeof(out->note),
             "Largest difference of an output from its reference, and as a part of the "
             "reference's peak.");
    for (size_t i = 0; i < count; i++) {
        if (!find_pairs(reports, count, i, &pairs))
            continue;
        for (size_t k = 0; k < pairs.count; k++) {
            const struct pair *pair = &pairs.list[k];
            sl_table_put(out, reports[i].model);
            sl_table_text(out, names[pair->output]);
            sl_table_text(out, names[pair->reference]);
            sl_table_printf(out, "%.3g", pair->agreement->max_abs);
            sl_table_printf(out, "%.3g", pair->agreement->max_rel);
            sl_table_printf(out, "%.0e", pair->agreement->tolerance);
            sl_table_text(out, pair->agreement->agree ? "yes" : "NO");
        }
    }
}

int sl_runtime_outputs_words(struct sl_buf *out, const struct sl_report *reports, size_t count)
{
    char model[SL_TEXT_SIZE], more[SL_AGREEMENT_TEXT_BYTES];
    struct pairs pairs;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < count; i++) {
        if (!find_pairs(reports, count, i, &pairs))
            continue;
        const struct pair *worst = worst_of(&pairs);
        const struct sl_agreement *a = worst->agreement;
        const char *path = reports[i].model ? reports[i].model : "model";
        rc = sl_buf_printf(out,
                           "outputs of both, %s: %s; %s against %s %s %.2g of the peak "
                           "(up to %.0e)%s\n",
                           sl_text_copy(model, path, strlen(path)), a->agree ? "agree" : "DISAGREE",
                           names[worst->output], names[worst->reference],
                           a->agree ? "most:" : "differ by", a->max_rel, a->tolerance,
                           sl_agreement_more_text(a, more));
    }
    return rc;
}

void sl_runtime_outputs_json(struct sl_json *json, const struct sl_report *reports, size_t count)
{
    struct pairs pairs;
    sl_json_open_array(json, "outputs");
    for (size_t i = 0; i < count; i++) {
        if (!find_pairs(reports, count, i, &pairs))
            continue;
        sl_json_open_object(json, NULL);
        sl_json_text(json, "model", reports[i].model);
        sl_json_text(json, "threads", reports[i].threads);
        sl_json_bool(json, "agree", worst_of(&pairs)->agreement->agree);
        sl_json_open_array(json, "pairs");
        for (size_t k = 0; k < pairs.count; k++) {
            sl_json_open_object(json, NULL);
            sl_json_text(json, "output", keys[pairs.list[k].output]);
            sl_json_text(json, "reference", keys[pairs.list[k].reference]);
            sl_comparison_agreement_json(json, pairs.list[k].agreement);
            sl_json_close_object(json);
        }
        sl_json_close_array(json);
        sl_json_close_object(json);
    }
    sl_json_close_array(json);
}
