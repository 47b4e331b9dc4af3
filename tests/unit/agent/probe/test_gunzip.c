/* tests/unit/agent/probe/test_gunzip.c: the files of tests/fuzz/corpus/gunzip, which zlib and gzip
 * wrote. */
#include "agent/probe/gunzip.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "tests/support/test.h"

#define CORPUS SL_TEST_DATA "/../fuzz/corpus/gunzip/"

static int unpack(const char *name, size_t limit, struct sl_buf *out)
{
    struct sl_buf file;
    char path[512];
    snprintf(path, sizeof(path), CORPUS "%s", name);
    assert_int_equal(sl_buf_read_file(path, 1 << 20, &file), 0);
    sl_buf_init(out, limit);
    int rc = sl_gunzip((struct sl_bytes){file.data, file.size}, out);
    sl_buf_fini(&file);
    return rc;
}

TEST(each_kind_of_block_gives_what_was_packed)
{
    static const char *const names[] = {"stored", "fixed", "dynamic", "head"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct sl_buf out;
        assert_int_equal(unpack(names[i], 1 << 20, &out), 0);
        assert_int_equal(out.size, 3000);
        for (size_t k = 0; k < out.size; k++)
            assert_int_equal(out.data[k], (size_t)"CONFIG_ARM64_SME=y\n"[k % 19] + k / 19 % 7);
        sl_buf_fini(&out);
    }
}

TEST(a_single_changed_bit_is_never_taken_for_the_content)
{
    struct sl_buf file, out;
    assert_int_equal(sl_buf_read_file(CORPUS "dynamic", 1 << 20, &file), 0);
    for (size_t bit = 80; bit < 8 * file.size; bit++) { /* behind the head */
        file.data[bit / 8] ^= (uint8_t)(1U << bit % 8);
        sl_buf_init(&out, 1 << 16);
        int rc = sl_gunzip((struct sl_bytes){file.data, file.size}, &out);
        if (rc == 0) { /* one of those that fill the last byte */
            assert_int_equal(bit / 8, file.size - 9);
            assert_int_equal(out.size, 3000);
        }
        sl_buf_fini(&out);
        file.data[bit / 8] ^= (uint8_t)(1U << bit % 8);
    }
    sl_buf_fini(&file);
}

TEST(a_cut_file_is_refused_and_limits_hold)
{
    struct sl_buf file, out;
    assert_int_equal(sl_buf_read_file(CORPUS "fixed", 1 << 20, &file), 0);
    for (size_t size = 0; size < file.size; size++) {
        uint8_t *exact = malloc(size + 1); /* so that a sanitizer sees a step too far */
        assert_non_null(exact);
        memcpy(exact, file.data, size);
        sl_buf_init(&out, 1 << 16);
        assert_int_equal(sl_gunzip((struct sl_bytes){exact, size}, &out), SL_E_FORMAT);
        sl_buf_fini(&out);
        free(exact);
    }
    sl_buf_fini(&file);
    assert_int_equal(unpack("fixed", 2999, &out), SL_E_LIMIT);
    sl_buf_fini(&out);
    assert_int_equal(unpack("stored", 10, &out), SL_E_LIMIT);
    sl_buf_fini(&out);
    assert_int_equal(sl_buf_read_file(CORPUS "dynamic", 1 << 20, &file), 0);
    sl_buf_init(&out, 1 << 16);
    sl_mem_fail_nth(1);
    assert_int_equal(sl_gunzip((struct sl_bytes){file.data, file.size}, &out), -ENOMEM);
    sl_mem_fail_nth(0);
    sl_buf_fini(&out);
    sl_buf_fini(&file);
}
