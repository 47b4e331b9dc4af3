/* host/report/runner_log.h: what executor_runner's log says of its executions. Logging may be
 * compiled out, and older releases print less: each line may be missing. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "common/base/bytes.h"

struct sl_runner_log {
    bool has_total;      /* "Model executed successfully N time(s) in X ms." */
    uint32_t executions; /* of it */
    double total_ms;     /* all of them together */
    bool has_loaded;     /* "Model loaded in X ms." */
    double loaded_ms;
};

/* Takes the last of either line, at the end of a log line; figures that are none are no line. */
void sl_runner_log_read(struct sl_bytes text, struct sl_runner_log *out);
