/* tests/fuzz/fuzz_file_stream.c: the files that a run left, as an agent sends them. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "host/ingest/file_stream.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Touches every byte of what it is given; a name must be one that is safe below a folder. */
static int see_file(void *user, const char *name, struct sl_bytes content)
{
    uint32_t *sum = user;
    if (name[0] == '\0' || name[0] == '.' || strchr(name, '/'))
        abort();
    for (size_t i = 0; i < content.size; i++)
        *sum = *sum * 31 + content.data[i];
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint32_t sum = 0;
    sl_file_stream_walk((struct sl_bytes){data, size}, see_file, &sum, NULL);
    return 0;
}
