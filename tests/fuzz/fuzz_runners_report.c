/* tests/fuzz/fuzz_runners_report.c */
#include <assert.h>

#include "host/rundir/runners_report.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sl_runners_report report;
    if (sl_runners_report_parse((struct sl_bytes){data, size}, 3, &report, NULL) < 0)
        return 0;
    for (size_t i = 0; i < report.count; i++)
        assert(report.rows[i].arm < 3 && report.rows[i].executions > 0);
    sl_runners_report_fini(&report);
    return 0;
}
