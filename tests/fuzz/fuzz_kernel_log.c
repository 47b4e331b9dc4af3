/* tests/fuzz/fuzz_kernel_log.c */
#include "common/base/buf.h"
#include "common/base/error.h"
#include "host/analysis/attribution.h"
#include "host/report/kernel_log.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct sl_operator op = {
        .name = "Fully Connected (NC, QP8, F32, QC4W) GEMM", .name_len = 41, .xnnpack = true};
    struct sl_diag diag;
    struct sl_kernel_log log;
    struct sl_buf out;
    if (sl_kernel_log_parse((struct sl_bytes){data, size}, &log, &diag) == 0) {
        sl_buf_init(&out, 1 << 20);
        sl_kernel_log_find(&log, &op);
        sl_kernel_log_csv(&out, &log, "m");
        sl_kernel_log_view(&out, &log, &log, size % 2);
        sl_buf_fini(&out);
        sl_kernel_log_fini(&log);
    }
    return 0;
}
