/* tests/unit/host/ingest/test_file_stream.c */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "host/ingest/file_stream.h"
#include "proto/job.pb-c.h"
#include "tests/support/test.h"

static void append_file(struct sl_buf *stream, const char *name, const char *content, uint64_t size)
{
    uint8_t packed[512];
    Sme2lab__Proto__FileHeader header = SME2LAB__PROTO__FILE_HEADER__INIT;
    header.name = (char *)(uintptr_t)name;
    header.size = size;
    size_t len = sme2lab__proto__file_header__pack(&header, packed + 4);
    sl_store_u32(packed, (uint32_t)len);
    assert_int_equal(sl_buf_append(stream, packed, 4 + len), 0);
    assert_int_equal(sl_buf_append(stream, content, strlen(content)), 0);
}

static int count_file(void *user, const char *name, struct sl_bytes content)
{
    (void)name;
    (void)content;
    ++*(int *)user;
    return 0;
}

static int walk(const struct sl_buf *stream, int *out_count)
{
    struct sl_diag diag = {0};
    *out_count = 0;
    int rc = sl_file_stream_walk((struct sl_bytes){stream->data, stream->size}, count_file,
                                 out_count, &diag);
    assert_true(rc == 0 || diag.what[0]);
    return rc;
}

TEST(files_come_out_as_they_went_in)
{
    char folder[] = "/tmp/sl-files-XXXXXX", path[64], command[64];
    struct sl_buf stream, bytes;
    sl_buf_init(&stream, 4096);
    append_file(&stream, "output-0.bin", "abc", 3);
    append_file(&stream, "empty", "", 0);
    assert_non_null(mkdtemp(folder));
    assert_int_equal(
        sl_file_stream_unpack((struct sl_bytes){stream.data, stream.size}, folder, NULL), 0);
    snprintf(path, sizeof(path), "%s/output-0.bin", folder);
    assert_int_equal(sl_buf_read_file(path, 100, &bytes), 0);
    assert_int_equal(bytes.size, 3);
    assert_memory_equal(bytes.data, "abc", 3);
    sl_buf_fini(&bytes);
    snprintf(path, sizeof(path), "%s/empty", folder);
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    sl_buf_fini(&stream);
    snprintf(command, sizeof(command), "rm -rf %s", folder);
    assert_int_equal(system(command), 0);
}

TEST(names_that_lead_elsewhere_are_refused)
{
    static const char *const names[] = {"", ".", "..", ".hidden", "../up", "a/b", "/etc/x", "a\nb"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct sl_buf stream;
        int count;
        sl_buf_init(&stream, 4096);
        append_file(&stream, names[i], "x", 1);
        assert_int_equal(walk(&stream, &count), SL_E_FORMAT);
        assert_int_equal(count, 0);
        sl_buf_fini(&stream);
    }
}

TEST(a_stream_that_breaks_off_is_truncated_at_every_length)
{
    struct sl_buf stream;
    int count;
    sl_buf_init(&stream, 4096);
    append_file(&stream, "name", "content", 7);
    for (size_t whole = stream.size; stream.size > 1;) {
        stream.size--;
        assert_int_not_equal(walk(&stream, &count), 0);
        assert_int_equal(count, 0);
        assert_true(stream.size < whole);
    }
    sl_buf_fini(&stream);
}

TEST(a_size_beyond_the_stream_is_truncated)
{
    struct sl_buf stream;
    int count;
    sl_buf_init(&stream, 4096);
    append_file(&stream, "name", "content", UINT64_MAX);
    assert_int_equal(walk(&stream, &count), SL_E_TRUNCATED);
    sl_buf_fini(&stream);
}

TEST(a_header_beyond_its_limit_is_refused)
{
    uint8_t bytes[8] = {0xff, 0xff, 0, 0};
    int count = 0;
    assert_int_equal(
        sl_file_stream_walk((struct sl_bytes){bytes, sizeof(bytes)}, count_file, &count, NULL),
        SL_E_FORMAT);
}
