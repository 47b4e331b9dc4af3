/* tests/fuzz/fuzz_selector.c: which devices a job takes: what a text may say, and what it is
 * compared with. */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "common/base/error.h"
#include "host/spec/selector.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct sl_device_record devices[] = {
    {.name = "phone",
     .kind = SL_DEVICE_ADB,
     .tags = "a,bench",
     .soc = "SM8850",
     .system = "Android 16",
     .sme2 = SL_MAYBE_YES,
     .svl_bits = 512,
     .memory_bytes = UINT64_C(8) << 30},
    {.name = "board", .kind = SL_DEVICE_TCP, .sme2 = SL_MAYBE_NO},
    {.name = "new", .kind = SL_DEVICE_ADB},
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char text[SL_SELECTOR_BYTES] = "";
    struct sl_selector selector;
    struct sl_diag diag = {0};
    enum { COUNT = sizeof(devices) / sizeof(devices[0]) };
    memcpy(text, data, size < sizeof(text) ? size : sizeof(text) - 1);
    int rc = sl_selector_read(text, &selector, &diag);
    if (rc < 0) {
        assert(rc == SL_E_FORMAT && diag.what[0]);
        return 0;
    }
    int best = SL_MAYBE_NO;
    for (size_t i = 0; i < COUNT; i++) {
        int fits = sl_selector_fits(&selector, &devices[i]);
        assert(fits >= SL_MAYBE_UNKNOWN && fits <= SL_MAYBE_YES);
        best = fits == SL_MAYBE_NO ? best : fits;
    }
    rc = sl_selector_find(&selector, text, devices, COUNT, &diag);
    assert(rc == (best == SL_MAYBE_NO ? SL_E_NOT_FOUND : 0));
    return 0;
}
