/* Fuzz target of host/spec/experiment: a configuration that parses explains itself as one that
 * parses too, and what `sme2lab run` does with it next names what it refuses. Bytes that are no
 * configuration are read as the list of --threads. */
#include <stdint.h>
#include <stdlib.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "host/spec/experiment.h"
#include "host/spec/json_doc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { TIMEOUT_S = 100 };

static void read_list(const uint8_t *data, size_t size)
{
    struct sl_experiment experiment = {.name = "fuzz"};
    struct sl_diag diag = {0};
    char *text = sl_strndup((const char *)data, size);
    if (!text)
        return;
    if (sl_experiment_parse_threads(text, &experiment, &diag) < 0 && !diag.what[0])
        abort();
    sl_free(text);
}

static void go_on(struct sl_experiment_plan *plan)
{
    struct sl_diag diag = {0};
    for (size_t i = 0; i < plan->count; i++) {
        const struct sl_experiment *one = &plan->experiments[i];
        const struct sl_experiment_looks looks = {one->precision_percent, one->budget_seconds,
                                                  one->runs, TIMEOUT_S};
        if (sl_experiment_check_looks(&looks, one->name, &diag) < 0 && !diag.what[0])
            abort();
    }
    int rc = sl_experiment_plan_expand_threads(plan, &diag);
    if (rc < 0 ? !diag.what[0] : plan->count > SL_EXPERIMENT_MAX)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sl_experiment_plan plan, again;
    struct sl_diag diag = {0};
    struct sl_buf text;
    if (sl_experiment_plan_parse((struct sl_bytes){data, size}, "fuzz", &plan, &diag) < 0) {
        read_list(data, size);
        return 0;
    }
    sl_buf_init(&text, 16 * SL_JSON_DOC_MAX_BYTES);
    if (sl_experiment_plan_explain(&plan, &text) < 0)
        abort();
    if (text.size <= SL_JSON_DOC_MAX_BYTES) {
        if (sl_experiment_plan_parse((struct sl_bytes){text.data, text.size}, "explained", &again,
                                     &diag) < 0)
            abort();
        sl_experiment_plan_fini(&again);
    }
    sl_buf_fini(&text);
    go_on(&plan);
    sl_experiment_plan_fini(&plan);
    return 0;
}
