/* tests/support/unit.h: test.h, and files of tests/data. */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/bytes.h"
#include "tests/support/test.h"

/* A file below tests/data in a block of exactly its size, so that AddressSanitizer sees one byte
 * too many. Release `data` with free(). */
static inline struct sl_bytes sl_test_file(const char *name)
{
    char path[1024];
    snprintf(path, sizeof(path), "%s/%s", SL_TEST_DATA, name);
    FILE *file = fopen(path, "rb");
    if (!file)
        fail_msg("cannot open %s", path);
    fseek(file, 0, SEEK_END);
    size_t size = (size_t)ftell(file);
    rewind(file);
    uint8_t *data = malloc(size ? size : 1);
    assert_non_null(data);
    assert_int_equal(fread(data, 1, size, file), size);
    fclose(file);
    return (struct sl_bytes){data, size};
}

/* A copy of `size` bytes in a block of exactly that size. */
static inline uint8_t *sl_test_copy(const void *bytes, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1);
    assert_non_null(copy);
    if (size)
        memcpy(copy, bytes, size);
    return copy;
}
