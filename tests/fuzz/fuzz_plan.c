/* Fuzz target of host/spec/plan: a configuration that parses explains itself as one that
 * parses too, and what `sme2lab run` does with it next names what it refuses. Bytes that are no
 * configuration are read as the list of --threads. */
#include <stdint.h>
#include <stdlib.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "host/spec/json_doc.h"
#include "host/spec/param.h"
#include "host/spec/plan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_list(const uint8_t *data, size_t size)
{
    struct sl_spec spec;
    struct sl_diag diag = {0};
    char *text = sl_strndup((const char *)data, size);
    if (!text)
        return;
    sl_spec_init(&spec);
    for (size_t i = 0; i < sl_param_count; i++)
        if (sl_params[i].type == SL_PARAM_COUNTS &&
            sl_param_parse_counts(&sl_params[i], text, &spec, &diag) < 0 && !diag.what[0])
            abort();
    sl_free(text);
}

static void go_on(struct sl_plan *plan)
{
    struct sl_diag diag = {0};
    for (size_t i = 0; i < plan->count; i++) {
        if (sl_spec_check_looks(&plan->specs[i], plan->specs[i].name, &diag) < 0 && !diag.what[0])
            abort();
    }
    int rc = sl_plan_spread(plan, &diag);
    if (rc < 0 ? !diag.what[0] : plan->count > SL_PLAN_MAX)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sl_plan plan, again;
    struct sl_diag diag = {0};
    struct sl_buf text;
    if (sl_plan_parse((struct sl_bytes){data, size}, "fuzz", &plan, &diag) < 0) {
        read_list(data, size);
        return 0;
    }
    sl_buf_init(&text, 16 * SL_JSON_DOC_MAX_BYTES);
    if (sl_plan_explain(&plan, &text) < 0)
        abort();
    if (text.size <= SL_JSON_DOC_MAX_BYTES) {
        if (sl_plan_parse((struct sl_bytes){text.data, text.size}, "explained", &again, &diag) < 0)
            abort();
        sl_plan_fini(&again);
    }
    sl_buf_fini(&text);
    go_on(&plan);
    sl_plan_fini(&plan);
    return 0;
}
