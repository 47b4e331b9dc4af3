/* tests/fuzz/fuzz_pairs.c: any bytes as a CSV of paired latencies. */
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"
#include "host/report/pairs_csv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sl_pairs_file file;
    struct sl_diag diag = {.what = ""};
    if (sl_pairs_parse((struct sl_bytes){data, size}, "fuzz.csv", &file, &diag) == 0)
        sl_pairs_file_fini(&file);
    return 0;
}
