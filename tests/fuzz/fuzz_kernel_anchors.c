/* tests/fuzz/fuzz_kernel_anchors.c: any bytes as a file of anchors. */
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"
#include "host/report/kernel_anchors.h"
#include "host/report/kernel_bench.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct sl_kernel_row row = {
        .shape = "matmul:64x64x64", .kernel = "sl_x_sme2_mopa", .stage = "kernel"};
    struct sl_kernel_anchors anchors;
    struct sl_diag diag = {.what = ""};
    if (sl_kernel_anchors_parse((struct sl_bytes){data, size}, "f", &anchors, &diag) < 0)
        return 0;
    sl_kernel_anchors_find(&anchors, &row, 512);
    sl_kernel_anchors_fini(&anchors);
    return 0;
}
