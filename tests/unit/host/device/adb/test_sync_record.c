/* tests/unit/host/device/adb/test_sync_record.c: the file service by what real devices take. */
#include "host/device/adb/sync_record.h"

#include <string.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "tests/support/unit.h"

TEST(a_file_is_sent_as_recorded)
{
    static const char recorded[] = "SEND\x10\0\0\0/mnt/a.txt,33188"
                                   "DATA\x06\0\0\0hello\n"
                                   "DONE\x00\xf1\x53\x65";
    struct sl_buf out;
    sl_buf_init(&out, 256);
    assert_int_equal(sl_adb_sync_send(&out, "/mnt/a.txt", 0644), 0);
    assert_int_equal(sl_adb_sync_data(&out, 6), 0);
    assert_int_equal(sl_buf_append(&out, "hello\n", 6), 0);
    assert_int_equal(sl_adb_sync_done(&out, 0x6553f100), 0);
    assert_int_equal(out.size, sizeof(recorded) - 1);
    assert_memory_equal(out.data, recorded, out.size);
    sl_buf_fini(&out);
}

TEST(a_path_or_piece_that_no_device_takes_is_refused)
{
    char path[SL_ADB_SYNC_PATH_BYTES + 1];
    struct sl_buf out;
    sl_buf_init(&out, 1 << 20);
    memset(path, 'a', sizeof(path));
    path[sizeof(path) - 1] = '\0';
    assert_int_equal(sl_adb_sync_send(&out, path, 0644), SL_E_LIMIT);
    assert_int_equal(sl_adb_sync_data(&out, 0), SL_E_LIMIT);
    assert_int_equal(sl_adb_sync_data(&out, SL_ADB_SYNC_DATA_BYTES + 1), SL_E_LIMIT);
    assert_int_equal(out.size, 0);
    sl_buf_fini(&out);
}

static int take_cut(const char *bytes, size_t len, size_t step, struct sl_adb_sync_answer *answer)
{
    int rc = 0;
    *answer = (struct sl_adb_sync_answer){.have = 0};
    for (size_t at = 0; at < len && rc == 0; at += step)
        rc = sl_adb_sync_take(answer, (const uint8_t *)bytes + at,
                              step < len - at ? step : len - at);
    return rc;
}

TEST(an_answer_is_the_same_however_it_is_cut)
{
    static const char refused[] = "FAIL\x15\0\0\0read-only file\nsystem";
    struct sl_adb_sync_answer answer;
    for (size_t step = 1; step < sizeof(refused); step++) {
        assert_int_equal(take_cut("OKAY\0\0\0\0", 8, step, &answer), 1);
        assert_int_equal(take_cut(refused, sizeof(refused) - 1, step, &answer), SL_E_STATE);
        assert_string_equal(answer.reason, "read-only file.system");
    }
    assert_int_equal(take_cut("FAIL\0\0\0\0", 8, 8, &answer), SL_E_STATE);
    assert_int_equal(take_cut("FAIL\0\0\1\0", 8, 8, &answer), SL_E_FORMAT); /* 64 KiB of reason */
    assert_int_equal(take_cut("DENT\0\0\0\0", 8, 8, &answer), SL_E_FORMAT);
    assert_int_equal(take_cut("OKAY", 4, 4, &answer), 0);
}
