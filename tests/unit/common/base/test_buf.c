/* tests/unit/common/base/test_buf.c */
#include "common/base/buf.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/error.h"
#include "common/base/mem.h"
#include "tests/support/unit.h"

TEST(bytes_past_the_limit_are_refused_whole)
{
    struct sl_buf buf;
    sl_buf_init(&buf, 8);
    assert_int_equal(sl_buf_append(&buf, "12345678", 8), 0);
    assert_int_equal(sl_buf_append(&buf, "9", 1), SL_E_LIMIT);
    assert_int_equal(buf.size, 8);
    assert_int_equal(buf.data[8], 0);
    assert_int_equal(sl_buf_append(&buf, NULL, 0), 0);
    assert_int_equal(sl_buf_printf(&buf, "%d", 1), SL_E_LIMIT);
    sl_buf_fini(&buf);
    assert_int_equal(buf.limit, 8);
    assert_null(buf.data);
}

TEST(text_grows_as_needed)
{
    struct sl_buf buf;
    uint8_t *at = NULL;
    sl_buf_init(&buf, 100000);
    for (int i = 0; i < 5000; i++)
        assert_int_equal(sl_buf_printf(&buf, "%04d", i), 0);
    assert_int_equal(buf.size, 20000);
    assert_memory_equal(buf.data + 4 * 4321, "4321", 4);
    assert_int_equal(sl_buf_extend(&buf, 3, &at), 0);
    memcpy(at, "abc", 3);
    assert_string_equal((char *)buf.data + 20000, "abc");
    sl_buf_fini(&buf);
}

TEST(append_survives_each_failed_allocation)
{
    int rc = -ENOMEM;
    for (unsigned nth = 1; rc == -ENOMEM; nth++) {
        struct sl_buf buf;
        sl_buf_init(&buf, 1000);
        sl_mem_fail_nth(nth);
        rc = sl_buf_append(&buf, "x", 1);
        if (rc == 0)
            rc = sl_buf_printf(&buf, "%200d", 1);
        sl_mem_fail_nth(0);
        sl_buf_fini(&buf);
    }
    assert_int_equal(rc, 0);
}

enum { WRITERS = 4, WRITES = 40, SHARED_BYTES = 100000 };

static void *write_often(void *path)
{
    static const char bytes[SHARED_BYTES];
    int rc = 0;
    for (int i = 0; i < WRITES && rc == 0; i++)
        rc = sl_buf_write_file(path, bytes, sizeof(bytes));
    return (void *)(intptr_t)rc;
}

TEST(writers_of_one_file_do_not_meet)
{
    char folder[] = "/tmp/sl_buf_XXXXXX", path[64];
    pthread_t writers[WRITERS];
    struct sl_buf buf;
    void *rc;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/file", folder);
    assert_null(write_often(path));
    for (int i = 0; i < WRITERS; i++)
        assert_int_equal(pthread_create(&writers[i], NULL, write_often, path), 0);
    for (int i = 0; i < WRITES; i++) {
        assert_int_equal(sl_buf_read_file(path, SHARED_BYTES, &buf), 0);
        assert_int_equal(buf.size, SHARED_BYTES);
        sl_buf_fini(&buf);
    }
    for (int i = 0; i < WRITERS; i++) {
        assert_int_equal(pthread_join(writers[i], &rc), 0);
        assert_null(rc);
    }
    unlink(path);
    assert_int_equal(rmdir(folder), 0);
}

TEST(file_that_is_written_in_pieces_comes_back_whole)
{
    enum { BYTES = (1 << 20) + 12345 };
    char folder[] = "/tmp/sl_buf_XXXXXX", path[64];
    struct sl_buf written, back;
    uint8_t *at;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/file", folder);
    sl_buf_init(&written, BYTES);
    assert_int_equal(sl_buf_extend(&written, BYTES, &at), 0);
    for (size_t i = 0; i < BYTES; i++)
        at[i] = (uint8_t)(i * 7 + i / 4096);
    assert_int_equal(sl_buf_write_file(path, written.data, written.size), 0);
    assert_int_equal(sl_buf_read_file(path, BYTES, &back), 0);
    assert_int_equal(back.size, BYTES);
    assert_memory_equal(back.data, written.data, BYTES);
    sl_buf_fini(&back);
    sl_buf_fini(&written);
    unlink(path);
    assert_int_equal(rmdir(folder), 0);
}

TEST(file_comes_back_as_written)
{
    char folder[] = "/tmp/sl_buf_XXXXXX", path[64];
    struct sl_buf buf;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/file", folder);
    assert_int_equal(sl_buf_write_file(path, "hello", 5), 0);
    assert_int_equal(sl_buf_read_file(path, 5, &buf), 0);
    assert_int_equal(buf.size, 5);
    assert_string_equal((char *)buf.data, "hello");
    sl_buf_fini(&buf);
    assert_int_equal(sl_buf_write_file(path, "", 0), 0);
    assert_int_equal(sl_buf_read_file(path, 5, &buf), 0);
    assert_string_equal((char *)buf.data, "");
    sl_buf_fini(&buf);
    assert_int_equal(sl_buf_write_file(path, "hello", 5), 0);
    assert_int_equal(sl_buf_read_file(path, 4, &buf), SL_E_LIMIT);
    assert_int_equal(sl_buf_read_file(folder, 100, &buf), -EISDIR);
    sl_mem_fail_nth(1);
    assert_int_equal(sl_buf_read_file(path, 100, &buf), -ENOMEM);
    sl_mem_fail_nth(0);
    unlink(path);
    assert_int_equal(sl_buf_read_file(path, 100, &buf), -ENOENT);
    snprintf(path, sizeof(path), "%s/none/file", folder);
    assert_int_equal(sl_buf_write_file(path, "x", 1), -ENOENT);
    assert_int_equal(rmdir(folder), 0); /* no temporary file is left */
}
