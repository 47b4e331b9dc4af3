/* tests/fuzz/fuzz_baseline.c: any bytes as a baseline; what reads is written again as the same. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "host/report/baseline.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_twice(const struct sl_baseline *baseline)
{
    struct sl_baseline again;
    struct sl_buf first, second;
    sl_buf_init(&first, 1 << 24);
    sl_buf_init(&second, 1 << 24);
    if (sl_baseline_write(baseline, &first) == 0 &&
        sl_baseline_read((struct sl_bytes){first.data, first.size}, "again", &again, NULL) == 0) {
        if (sl_baseline_write(&again, &second) != 0 || second.size != first.size ||
            memcmp(first.data, second.data, first.size) != 0)
            abort();
        sl_baseline_fini(&again);
    }
    sl_buf_fini(&first);
    sl_buf_fini(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sl_baseline baseline;
    struct sl_baseline_change changes[SL_BASELINE_MAX_CHANGES];
    struct sl_diag diag = {.what = ""};
    if (sl_baseline_read((struct sl_bytes){data, size}, "fuzz", &baseline, &diag) < 0)
        return 0;
    for (size_t i = 0; i < baseline.count; i++) {
        const struct sl_baseline_arm *arm = &baseline.arms[i];
        if (sl_baseline_find(&baseline, arm) != arm)
            abort();
        size_t count = sl_baseline_compare(&baseline.arms[0], arm, changes);
        if (count == 0 || count > SL_BASELINE_MAX_CHANGES || (i == 0 && changes[0].operator_name))
            abort();
    }
    write_twice(&baseline);
    sl_baseline_fini(&baseline);
    return 0;
}
