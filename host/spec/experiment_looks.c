/* host/spec/experiment_looks.c: measuring until a precision is reached or a time is over. */
#include "common/base/error.h"
#include "host/spec/experiment.h"
#include "host/spec/json_doc.h"

enum {
    MIN_RUNS = SL_EXPERIMENT_FIRST_LOOK,
    PRECISE_RUNS = SL_EXPERIMENT_PRECISE_PAIRS,
    PRECISE_SECONDS = SL_EXPERIMENT_PRECISE_SECONDS,
    TIMED_RUNS = 5000, /* at most, with a budget alone */
    COUNTED_RUNS = 2,
    PLAIN_RUNS = 20,
    MAX_SECONDS = 24 * 3600,
};

int sl_experiment_read_looks(const struct sl_json_at *object, double *out_precision,
                             double *out_budget, struct sl_diag *diag)
{
    struct sl_json_at precision = sl_json_member(object, "precision_percent"),
                      budget = sl_json_member(object, "budget_seconds");
    int rc = sl_json_get_real(&precision, 0.01, 100, out_precision, diag);
    return rc < 0 ? rc : sl_json_get_real(&budget, 0.1, MAX_SECONDS, out_budget, diag);
}

int sl_experiment_check_looks(const struct sl_experiment_looks *looks, const char *where,
                              struct sl_diag *diag)
{
    if (looks->precision_percent > 0 && looks->runs < MIN_RUNS) {
        sl_diag_hint(diag, "say %d runs or more, or leave them out for at most %d", MIN_RUNS,
                     PRECISE_RUNS);
        return sl_diag_set(
            diag, SL_E_FORMAT, where,
            "A precision is first looked at after %d pairs; %u runs never come to it", MIN_RUNS,
            looks->runs);
    }
    uint32_t pairs, budget_ms;
    sl_experiment_limits(looks, false, &pairs, &budget_ms);
    if (looks->timeout_seconds == 0 || budget_ms / 1000 < looks->timeout_seconds)
        return 0;
    sl_diag_hint(diag, "take a timeout that leaves time for loading as well, or a smaller budget");
    return sl_diag_set(diag, SL_E_FORMAT, where,
                       "A budget of %u s does not fit into a timeout of %u s", budget_ms / 1000,
                       looks->timeout_seconds);
}

void sl_experiment_limits(const struct sl_experiment_looks *looks, bool counted,
                          uint32_t *out_pairs, uint32_t *out_budget_ms)
{
    bool precise = looks->precision_percent > 0 && !counted;
    bool timed = (looks->budget_seconds > 0 || precise) && !counted;
    double seconds = looks->budget_seconds > 0 ? looks->budget_seconds : (double)PRECISE_SECONDS;
    *out_pairs = looks->runs != UINT32_MAX ? looks->runs
                 : counted                 ? COUNTED_RUNS
                 : precise                 ? PRECISE_RUNS
                 : timed                   ? TIMED_RUNS
                                           : PLAIN_RUNS;
    *out_budget_ms = timed ? (uint32_t)(seconds * 1000) : 0;
}
