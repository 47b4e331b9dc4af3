/* tests/fuzz/fuzz_runner_log.c */
#include <assert.h>
#include <math.h>

#include "host/report/runner_log.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sl_runner_log log;
    sl_runner_log_read((struct sl_bytes){data, size}, &log);
    assert(isfinite(log.total_ms) && log.total_ms >= 0);
    assert(isfinite(log.loaded_ms) && log.loaded_ms >= 0);
    assert(log.has_total || log.executions == 0);
    return 0;
}
