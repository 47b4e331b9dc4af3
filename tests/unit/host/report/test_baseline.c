/* tests/unit/host/report/test_baseline.c */
#include "host/report/baseline.h"

#include <errno.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "tests/support/test.h"

#define ARM(sme2, insns, operators)                                                                \
    "{\"model\":\"toy\",\"experiment\":\"run\",\"runtime\":\"own\",\"threads\":1,\"svl_bits\":"    \
    "512,"                                                                                         \
    "\"sme2\":\"" sme2 "\",\"model_sha256\":\"ab\",\"instructions\":" #insns ",\"estimates\":["    \
    "{\"profile\":\"apple-m4\",\"profile_sha256\":\"cd\",\"mid_ns\":" #insns "}],"                 \
    "\"operators\":{" operators "}}"
#define DOC(arms) "{\"schema\":\"sme2lab.baseline/1\",\"arms\":[" arms "]}"

static int read_text(const char *text, struct sl_baseline *out, struct sl_diag *diag)
{
    return sl_baseline_read((struct sl_bytes){(const uint8_t *)text, strlen(text)}, "f.json", out,
                            diag);
}

static struct sl_baseline read_good(const char *text)
{
    struct sl_baseline baseline;
    struct sl_diag diag = {.what = ""};
    if (read_text(text, &baseline, &diag) != 0)
        fail_msg("%s: %s", diag.where, diag.what);
    return baseline;
}

TEST(what_is_read_is_written_in_order_and_as_it_was)
{
    struct sl_baseline first = read_good(DOC(ARM("on", 50, "\"b\":20,\"a\":30") "," //
                                             ARM("off", 100, "\"a\":100")));
    struct sl_buf text, again;
    sl_buf_init(&text, 1 << 16);
    sl_buf_init(&again, 1 << 16);
    assert_int_equal(first.count, 2);
    assert_false(first.arms[0].on);
    assert_string_equal(first.arms[1].operators[0].name, "a");
    assert_int_equal(sl_baseline_write(&first, &text), 0);
    struct sl_baseline second = read_good((const char *)text.data);
    assert_int_equal(sl_baseline_write(&second, &again), 0);
    assert_string_equal((const char *)text.data, (const char *)again.data);
    sl_baseline_fini(&first);
    sl_baseline_fini(&second);
    sl_buf_fini(&text);
    sl_buf_fini(&again);
}

static struct sl_baseline_change change_of(const char *before, const char *now, size_t *out_count)
{
    static struct sl_baseline was, is;
    struct sl_baseline_change changes[SL_BASELINE_MAX_CHANGES];
    sl_baseline_fini(&was);
    sl_baseline_fini(&is);
    was = read_good(before);
    is = read_good(now);
    const struct sl_baseline_arm *now_arm = sl_baseline_find(&is, &was.arms[0]);
    assert_non_null(now_arm);
    *out_count = sl_baseline_compare(&was.arms[0], now_arm, changes);
    return changes[0];
}

TEST(the_operator_that_grew_most_is_named)
{
    size_t count;
    struct sl_baseline_change change =
        change_of(DOC(ARM("on", 100, "\"a\":50,\"b\":40,\"c\":10")),
                  DOC(ARM("on", 110, "\"a\":40,\"b\":55,\"c\":15")), &count);
    assert_int_equal(count, 2); /* and the estimated time */
    assert_true(change.before == 100 && change.now == 110);
    assert_string_equal(change.operator_name, "b");
    assert_true(change.operator_before == 40 && change.operator_now == 55);
    change = change_of(DOC(ARM("on", 100, "\"a\":50,\"b\":50")),
                       DOC(ARM("on", 90, "\"a\":20,\"b\":50,\"new\":20")), &count);
    assert_string_equal(change.operator_name, "a");
    change = change_of(DOC(ARM("on", 100, "\"a\":100")), DOC(ARM("on", 105, "\"a\":95,\"new\":10")),
                       &count);
    assert_string_equal(change.operator_name, "new");
    assert_true(change.operator_before == 0);
    change = change_of(DOC(ARM("on", 100, "\"a\":100")), DOC(ARM("on", 100, "\"a\":100")), &count);
    assert_null(change.operator_name);
}

TEST(a_renamed_operator_is_seen_though_the_whole_is_equal)
{
    size_t count;
    struct sl_baseline_change change =
        change_of(DOC(ARM("on", 100, "\"a\":100")), DOC(ARM("on", 100, "\"b\":100")), &count);
    assert_true(change.before == change.now);
    assert_string_equal(change.operator_name, "b");
}

TEST(another_way_of_running_is_another_arm)
{
    struct sl_baseline baseline = read_good(DOC(ARM("off", 1, "")));
    struct sl_baseline_arm like = baseline.arms[0];
    like.svl_bits = 128;
    assert_null(sl_baseline_find(&baseline, &like));
    like = baseline.arms[0];
    like.on = true;
    assert_null(sl_baseline_find(&baseline, &like));
    sl_baseline_fini(&baseline);
}

TEST(refusals_name_the_file_and_the_place)
{
    static const struct {
        const char *text, *where, *what;
    } cases[] = {
        {"{\"schema\":\"x\",\"arms\":[]}", "f.json at /schema", "no baseline"},
        {DOC("7"), "f.json at /arms/0", ""},
        {DOC(ARM("half", 1, "")), "f.json at /arms/0/sme2", "\"on\""},
        {DOC(ARM("on", -1, "")), "f.json at /arms/0/instructions", ""},
        {DOC(ARM("on", 1.5, "")), "f.json at /arms/0/instructions", "whole"},
        {DOC(ARM("on", 1, "\"a\":null")), "f.json at /arms/0/operators/a", ""},
        {DOC(ARM("on", 1, "") "," ARM("on", 1, "")), "toy", "twice"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct sl_baseline baseline;
        struct sl_diag diag = {.what = ""};
        assert_true(read_text(cases[i].text, &baseline, &diag) < 0);
        if (!strstr(diag.where, cases[i].where) || !strstr(diag.what, cases[i].what))
            fail_msg("%zu: %s: %s", i, diag.where, diag.what);
    }
}

TEST(each_failed_allocation_is_reported)
{
    static const char text[] = DOC(ARM("on", 50, "\"b\":20") "," ARM("off", 100, "\"a\":100"));
    struct sl_baseline baseline;
    int rc = -ENOMEM;
    for (unsigned nth = 1; rc != 0; nth++) {
        sl_mem_fail_nth(nth);
        rc = read_text(text, &baseline, NULL);
        assert_true(rc == 0 || rc == -ENOMEM);
    }
    sl_mem_fail_nth(0);
    sl_baseline_fini(&baseline);
}
