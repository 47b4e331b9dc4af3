/* tests/fuzz/fuzz_etdump.c */
#include "common/base/error.h"
#include "common/format/etdump.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sl_diag diag;
    struct sl_etdump dump;
    if (sl_etdump_parse((struct sl_bytes){data, size}, &dump, &diag) == 0)
        sl_etdump_fini(&dump);
    return 0;
}
