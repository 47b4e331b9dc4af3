/* tests/fuzz/fuzz_workload.c: operands, origin, kernel and name of an operator, a line each. */
#include <string.h>

#include "host/analysis/workload.h"
#include "tests/support/operands.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char text[1024];
    char *words[4] = {text, NULL, NULL, NULL};
    struct sl_workload work;
    size_t len = size < sizeof(text) ? size : sizeof(text) - 1;
    memcpy(text, data, len);
    text[len] = '\0';
    for (int i = 1; i < 4 && words[i - 1]; i++) {
        words[i] = strchr(words[i - 1], '\n');
        if (words[i])
            *words[i]++ = '\0';
    }
    const char *name = words[3] ? words[3] : "";
    struct sl_operands operands = operands_of(words[0], words[1] ? words[1] : "");
    sl_workload_read(&operands, words[1], words[2], name, (uint32_t)strlen(name), &work);
    return sl_workload_least_neon(&work) == UINT64_MAX && work.bench[0] == '\n';
}
