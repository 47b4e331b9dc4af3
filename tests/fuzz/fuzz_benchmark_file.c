/* tests/fuzz/fuzz_benchmark_file.c: any bytes as results of another benchmark. */
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"
#include "host/report/benchmark_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sl_benchmark_file file;
    struct sl_diag diag = {.what = ""};
    if (sl_benchmark_file_parse((struct sl_bytes){data, size}, "fuzz", &file, &diag) < 0)
        return 0;
    for (size_t i = 0; i < file.count; i++) {
        if (!(file.rows[i].median_ns > 0) || file.rows[i].name[0] == '\0')
            __builtin_trap();
    }
    sl_benchmark_file_fini(&file);
    return 0;
}
