/* tests/fuzz/fuzz_ptd.c */
#include "common/base/error.h"
#include "common/format/ptd.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sl_diag diag;
    struct sl_ptd ptd;
    volatile unsigned sum = 0;
    if (sl_ptd_parse((struct sl_bytes){data, size}, &ptd, &diag) < 0)
        return 0;
    for (uint32_t i = 0; i < ptd.count; i++) {
        const struct sl_ptd_entry *entry = sl_ptd_find(&ptd, ptd.entries[i].key);
        for (size_t k = 0; k < entry->data.size; k++)
            sum += entry->data.data[k];
    }
    (void)sum;
    sl_ptd_fini(&ptd);
    return 0;
}
