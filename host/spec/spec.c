/* host/spec/spec.c */
#include "host/spec/spec.h"

#include <stdio.h>
#include <string.h>

#include "common/base/error.h"
#include "common/base/mem.h"
#include "host/spec/json_doc.h"
#include "host/spec/path_stem.h"

enum {
    TIMED_RUNS = 5000, /* at most, with a budget alone */
    COUNTED_RUNS = 2,
    PLAIN_RUNS = 100,
    COUNTED_WARMUP = 1,
    TIMED_WARMUP = 10,
};

void sl_spec_fini(struct sl_spec *spec)
{
    sl_json_doc_free(spec->document);
    spec->document = NULL;
    sl_free(spec->plan);
    spec->plan = NULL;
}

bool sl_spec_name_ok(const char *text)
{
    return strlen(text) < SL_NAME_BYTES && text[0] && text[0] != '.' &&
           strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") ==
               strlen(text);
}

bool sl_spec_task_runs(int task)
{
    return task == SL_TASK_RUN || task == SL_TASK_RUNNERS;
}

bool sl_spec_task_measures(int task)
{
    return task == SL_TASK_BENCH || task == SL_TASK_PEAKS;
}

void sl_spec_fill(struct sl_spec *spec, bool counted)
{
    bool open = spec->precision_percent > 0 || spec->budget_seconds > 0;
    if (spec->runs == SL_SPEC_UNSET && !open)
        spec->runs = counted ? COUNTED_RUNS : PLAIN_RUNS;
    if (spec->warmup == SL_SPEC_UNSET)
        spec->warmup = counted ? COUNTED_WARMUP : TIMED_WARMUP;
}

int sl_spec_check_looks(const struct sl_spec *spec, const char *where, struct sl_diag *diag)
{
    if (spec->precision_percent > 0 && spec->runs < SL_SPEC_FIRST_LOOK) {
        sl_diag_hint(diag, "say %d runs or more, or leave them out for at most %d",
                     SL_SPEC_FIRST_LOOK, SL_SPEC_PRECISE_PAIRS);
        return sl_diag_set(
            diag, SL_E_FORMAT, where ? where : "/precision_percent",
            "A precision is first looked at after %d pairs; %u runs never come to it",
            SL_SPEC_FIRST_LOOK, spec->runs);
    }
    uint32_t pairs, budget_ms;
    sl_spec_limits(spec, false, &pairs, &budget_ms);
    if (spec->timeout_seconds == 0 || budget_ms / 1000 < spec->timeout_seconds)
        return 0;
    sl_diag_hint(diag, "take a timeout that leaves time for loading as well, or a smaller budget");
    return sl_diag_set(diag, SL_E_FORMAT, where ? where : "/budget_seconds",
                       "A budget of %u s does not fit into a timeout of %u s", budget_ms / 1000,
                       spec->timeout_seconds);
}

bool sl_spec_has_looks(const struct sl_spec *spec, bool counted)
{
    return spec->precision_percent > 0 && !counted;
}

int sl_spec_check_counted(const struct sl_spec *spec, struct sl_diag *diag)
{
    if (spec->concurrency[0] > 1) {
        sl_diag_hint(diag, "take 'concurrency' out, or choose a device that measures time");
        return sl_diag_set(diag, SL_E_UNSUPPORTED, "/concurrency",
                           "What %u processes do to each other is time: no instruction is more",
                           spec->concurrency[0]);
    }
    if (spec->threads[0] > 1) {
        sl_diag_hint(diag, "say 1 thread, or choose a device that measures time");
        return sl_diag_set(diag, SL_E_UNSUPPORTED, "/threads",
                           "Instructions are counted on one thread, not on %u", spec->threads[0]);
    }
    return 0;
}

void sl_spec_limits(const struct sl_spec *spec, bool counted, uint32_t *out_pairs,
                    uint32_t *out_budget_ms)
{
    bool precise = sl_spec_has_looks(spec, counted);
    bool timed = (spec->budget_seconds > 0 || precise) && !counted;
    double seconds =
        spec->budget_seconds > 0 ? spec->budget_seconds : (double)SL_SPEC_PRECISE_SECONDS;
    *out_pairs = spec->runs != SL_SPEC_UNSET ? spec->runs
                 : counted                   ? COUNTED_RUNS
                 : precise                   ? SL_SPEC_PRECISE_PAIRS
                 : timed                     ? TIMED_RUNS
                                             : PLAIN_RUNS;
    *out_budget_ms = timed ? (uint32_t)(seconds * 1000) : 0;
}

const char *sl_spec_runtime_name(const struct sl_spec *spec)
{
    return spec->task == SL_TASK_RUNNERS               ? "runners"
           : spec->runtime[0] == SL_RUNTIME_EXECUTORCH ? "executorch"
                                                       : "own";
}

const char *sl_spec_model_file(const struct sl_spec *spec)
{
    return spec->model ? spec->model : spec->model_name;
}

void sl_spec_model_title(const struct sl_spec *spec, char *out, size_t size)
{
    if (spec->title)
        snprintf(out, size, "%s", spec->title);
    else
        sl_path_title(sl_spec_model_file(spec), out, size);
}
