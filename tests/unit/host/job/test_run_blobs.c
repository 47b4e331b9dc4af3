/* tests/unit/host/job/test_run_blobs.c */
#include "host/job/run_blobs.h"

#include <stdint.h>
#include <string.h>

#include "common/base/error.h"
#include "host/device/runtime_files.h"
#include "host/spec/job_body.h"
#include "host/spec/spec.h"
#include "tests/support/test.h"

#define A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
#define C "cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc"

static void list(const char *body, const struct sl_runtime_files *runtime,
                 struct sl_job_run_blobs *out)
{
    struct sl_spec spec;
    struct sl_diag diag = {.what = ""};
    struct sl_bytes text = {(const uint8_t *)body, strlen(body)};
    if (sl_job_body_read(text, &spec, &diag) < 0)
        fail_msg("%s", diag.what);
    assert_int_equal(sl_job_run_blobs_list(&spec, runtime, out), 0);
    for (size_t i = 0; i < out->count; i++) /* the names are the spec's */
        assert_int_equal(strlen(out->names[i]), 64);
    sl_spec_fini(&spec);
}

TEST(each_file_of_a_run_is_named_once)
{
    static const struct sl_runtime_files none;
    struct sl_job_run_blobs blobs;
    list("{\"model\":\"" A "\",\"inputs\":[\"" B "\",\"" B "\"]}", &none, &blobs);
    assert_int_equal(blobs.count, 2);
}

TEST(files_that_only_the_host_compares_with_stay_here)
{
    static const struct sl_runtime_files none;
    struct sl_job_run_blobs blobs;
    list("{\"model\":\"" A "\",\"expected\":[\"" C "\"]}", &none, &blobs);
    assert_int_equal(blobs.count, 1);
}

TEST(those_of_a_runtime_come_first)
{
    struct sl_runtime_files runtime = {.count = 2};
    struct sl_job_run_blobs blobs;
    strcpy(runtime.sha256[0], B);
    strcpy(runtime.sha256[1], C);
    list("{\"model\":\"" A "\"}", &runtime, &blobs);
    assert_int_equal(blobs.count, 3);
    assert_string_equal(blobs.names[0], B);
    assert_string_equal(blobs.names[1], C);
}
