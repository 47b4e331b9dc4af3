/* Fuzz target of host/config/experiment: a configuration that parses explains itself as one that
 * parses too. */
#include <stdint.h>
#include <stdlib.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "host/config/experiment.h"
#include "host/config/json_doc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sl_experiment_plan plan, again;
    struct sl_diag diag = {0};
    struct sl_buf text;
    if (sl_experiment_plan_parse((struct sl_bytes){data, size}, "fuzz", &plan, &diag) < 0)
        return 0;
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
    sl_experiment_plan_fini(&plan);
    return 0;
}
