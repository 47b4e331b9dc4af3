/* tests/fuzz/fuzz_run_list.c: what another host says of a run's files. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/error.h"
#include "host/peer/run_list.h"
#include "host/spec/path_stem.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sl_diag diag = {.what = ""};
    struct sl_run_list list;
    int rc = sl_run_list_read((struct sl_bytes){data, size}, &list, &diag);
    if (rc < 0 && (!diag.what[0] || list.count != 0 || list.files))
        abort(); /* a refusal says why, and leaves nothing */
    uint64_t bytes = 0;
    for (size_t i = 0; i < list.count; i++) {
        if (!sl_path_is_artifact(list.files[i].path) || strlen(list.files[i].sha256) != 64)
            abort(); /* nothing may be written beside the folder */
        bytes += list.files[i].bytes;
    }
    if (bytes != list.bytes || bytes > SL_RUN_LIST_MAX_BYTES)
        abort();
    sl_run_list_fini(&list);
    return 0;
}
