/* tests/fuzz/fuzz_policy_file.c: a device's table of what runs in streaming mode; one that parses
 * names families as the agent takes them. */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "common/base/error.h"
#include "host/config/policy_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sl_policy_file file;
    struct sl_diag diag = {0};
    if (sl_policy_file_parse((struct sl_bytes){data, size}, "fuzz", &file, &diag) < 0)
        return 0;
    size_t len = strlen(file.streaming_off);
    assert(len > 0 && len < sizeof(file.streaming_off));
    assert(file.streaming_off[0] != ',' && file.streaming_off[len - 1] != ',');
    assert(strlen(file.fingerprint) > 0);
    return 0;
}
