/* tests/fuzz/fuzz_gunzip.c: the bytes are /proc/config.gz. */
#include <stdlib.h>

#include "agent/probe/gunzip.h"
#include "common/base/buf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sl_buf out;
    sl_buf_init(&out, 1 << 16);
    int rc = sl_gunzip((struct sl_bytes){data, size}, &out);
    if (rc > 0 || out.size > 1 << 16)
        abort();
    sl_buf_fini(&out);
    return 0;
}
