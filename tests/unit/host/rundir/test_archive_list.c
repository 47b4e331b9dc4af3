#include "host/rundir/archive_list.h"

#include <string.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "tests/support/test.h"

#define SHA "0123456789012345678901234567890123456789012345678901234567890123"
#define FILE_OF(path) "{\"path\":\"" path "\",\"bytes\":3,\"sha256\":\"" SHA "\"}"
#define RUN_OF(name, file) "{\"name\":\"" name "\",\"run\":7,\"files\":[" file "]}"
#define LIST_OF(runs) "{\"schema\":\"sme2lab.export/1\",\"runs\":[" runs "]}"

static int read_list(const char *text, struct sl_archive *out)
{
    struct sl_diag diag = {.what = ""};
    *out = (struct sl_archive){.runs = NULL};
    return sl_archive_list_read((struct sl_bytes){(const uint8_t *)text, strlen(text)}, out, &diag);
}

TEST(a_list_is_read_as_it_is_written)
{
    static const char text[] = LIST_OF(RUN_OF("run-7", FILE_OF("streams/a")));
    struct sl_archive archive;
    struct sl_buf again;
    assert_int_equal(read_list(text, &archive), 0);
    assert_int_equal(archive.count, 1);
    assert_int_equal(archive.runs[0].run, 7);
    assert_string_equal(archive.runs[0].files[0].path, "streams/a");
    assert_int_equal(archive.runs[0].files[0].bytes, 3);
    sl_buf_init(&again, 1000);
    assert_int_equal(sl_archive_list_write(&archive, &again), 0);
    assert_string_equal((const char *)again.data, text);
    sl_buf_fini(&again);
    sl_archive_fini(&archive);
}

TEST(names_that_lead_elsewhere_and_lists_of_others_are_refused)
{
    static const char *const texts[] = {
        LIST_OF(RUN_OF("..", "")),
        LIST_OF(RUN_OF("a/b", "")),
        LIST_OF(RUN_OF("", "")),
        LIST_OF(RUN_OF("a", FILE_OF("../b"))),
        LIST_OF(RUN_OF("a", FILE_OF("/b"))),
        LIST_OF(RUN_OF("a", FILE_OF("b/./c"))),
        LIST_OF(RUN_OF("a", "") "," RUN_OF("a", "")),
        LIST_OF(RUN_OF("a", "{\"path\":\"b\",\"bytes\":3,\"sha256\":\"12\"}")),
        LIST_OF(RUN_OF("a", "{\"path\":\"b\",\"bytes\":-3,\"sha256\":\"" SHA "\"}")),
        "{\"schema\":\"sme2lab.export/2\",\"runs\":[]}",
        "{\"runs\":[]}",
        "[]",
        "",
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct sl_archive archive;
        assert_int_equal(read_list(texts[i], &archive), SL_E_FORMAT);
        sl_archive_fini(&archive);
    }
}
