/* tests/unit/host/report/test_benchmark_file.c */
#include "host/report/benchmark_file.h"

#include <errno.h>
#include <string.h>

#include "common/base/error.h"
#include "common/base/mem.h"
#include "tests/support/test.h"

static int parse(const char *text, struct sl_benchmark_file *out, struct sl_diag *diag)
{
    memset(diag, 0, sizeof(*diag));
    return sl_benchmark_file_parse((struct sl_bytes){(const uint8_t *)text, strlen(text)}, "b.json",
                                   out, diag);
}

#define ROW(name, time, unit)                                                                      \
    "{\"name\":\"" name "\",\"run_name\":\"" name                                                  \
    "\",\"run_type\":\"iteration\",\"real_time\":" time ",\"cpu_time\":1,\"time_unit\":\"" unit    \
    "\"}"
#define AGGREGATE(name, kind, time)                                                                \
    "{\"name\":\"" name "_" kind "\",\"run_name\":\"" name                                         \
    "\",\"run_type\":\"aggregate\",\"aggregate_name\":\"" kind "\",\"real_time\":" time            \
    ",\"time_unit\":\"ns\"}"

static const char google[] =
    "{\"context\":{\"date\":\"2026-11-28T01:02:03+01:00\",\"host_name\":\"box\",\"executable\":"
    "\"./b/gemm\",\"caches\":[]},\"benchmarks\":[" ROW("BM_a/8", "3", "us") "," ROW(
        "BM_b", "2.5",
        "ms") "," ROW("BM_a/8", "1",
                      "us") "," ROW("BM_a/8", "2",
                                    "us") "," AGGREGATE("BM_a/8", "mean",
                                                        "9") "," AGGREGATE("BM_a/8", "median",
                                                                           "9") "," AGGREGATE("BM_"
                                                                                              "c",
                                                                                              "medi"
                                                                                              "an",
                                                                                              "7") "]}";

TEST(repetitions_of_google_benchmark_are_one_row_with_their_median)
{
    struct sl_benchmark_file file;
    struct sl_diag diag;
    assert_int_equal(parse(google, &file, &diag), 0);
    assert_string_equal(file.tool, "google/benchmark");
    assert_string_equal(file.host, "box");
    assert_string_equal(file.program, "./b/gemm");
    assert_int_equal(file.began_ms, 1795824123000); /* 2026-11-28T00:02:03Z */
    assert_int_equal(file.count, 3);
    assert_int_equal(file.left_out, 0);
    assert_string_equal(file.rows[0].name, "BM_a/8");
    assert_int_equal(file.rows[0].count, 3);
    assert_true(file.rows[0].median_ns == 2000); /* of the repetitions, not the aggregate */
    assert_true(file.rows[0].times_ns[0] == 3000);
    assert_true(file.rows[1].median_ns == 2.5e6);
    assert_string_equal(file.rows[2].name, "BM_c");
    assert_int_equal(file.rows[2].count, 0);
    assert_true(file.rows[2].median_ns == 7);
    sl_benchmark_file_fini(&file);
}

TEST(what_failed_or_told_no_time_is_counted_and_left_out)
{
    struct sl_benchmark_file file;
    struct sl_diag diag;
    assert_int_equal(parse("{\"benchmarks\":[{\"name\":\"a\",\"real_time\":1,\"error_occurred\":"
                           "true},{\"name\":\"b\",\"cpu_coefficient\":1},{\"name\":\"c\","
                           "\"real_time\":4}]}",
                           &file, &diag),
                     0);
    assert_int_equal(file.left_out, 2);
    assert_int_equal(file.count, 1);
    assert_null(file.host);
    assert_int_equal(file.began_ms, 0);
    assert_true(file.rows[0].median_ns == 4);
    sl_benchmark_file_fini(&file);
}

TEST(of_benchers_measures_the_latency_is_taken)
{
    struct sl_benchmark_file file;
    struct sl_diag diag;
    assert_int_equal(parse("{\"a::b\":{\"latency\":{\"value\":88.5,\"lower_value\":87,"
                           "\"upper_value\":90}},\"c\":{\"throughput\":{\"value\":3}}}",
                           &file, &diag),
                     0);
    assert_string_equal(file.tool, "bencher");
    assert_int_equal(file.count, 1);
    assert_int_equal(file.left_out, 1);
    assert_string_equal(file.rows[0].name, "a::b");
    assert_true(file.rows[0].median_ns == 88.5);
    sl_benchmark_file_fini(&file);
}

#define KEPT(name, median, times)                                                                  \
    "{\"schema\":\"sme2lab.benchmark/1\",\"tool\":\"bencher\",\"name\":" name                        \
    ",\"host\":null,\"median_ns\":" median ",\"times_ns\":" times "}"

TEST(what_an_import_keeps_of_one_is_read_again)
{
    struct sl_benchmark_file file;
    struct sl_diag diag;
    assert_int_equal(parse(KEPT("\"a\"", "7", "[3,0.5,0,4]"), &file, &diag), 0);
    assert_string_equal(file.tool, "bencher");
    assert_int_equal(file.count, 1);
    assert_int_equal(file.rows[0].count, 3);
    assert_true(file.rows[0].times_ns[1] == 0.5 && file.rows[0].median_ns == 3);
    sl_benchmark_file_fini(&file);
    assert_int_equal(parse(KEPT("\"a\"", "7", "[]"), &file, &diag), 0);
    assert_null(file.rows[0].times_ns);
    assert_true(file.rows[0].median_ns == 7);
    sl_benchmark_file_fini(&file);
    assert_int_equal(parse(KEPT("\"a\"", "0", "[0]"), &file, &diag), 0);
    assert_int_equal(file.count, 0);
    assert_int_equal(file.left_out, 1);
    sl_benchmark_file_fini(&file);
    assert_int_equal(parse(KEPT("\"a\"", "4e-4", "[4e-4]"), &file, &diag), 0);
    assert_int_equal(file.count, 0);
    sl_benchmark_file_fini(&file);
    assert_int_equal(parse(KEPT("\"a\"", "7", "[2e15]"), &file, &diag), SL_E_FORMAT);
    assert_int_equal(parse(KEPT("3", "7", "[]"), &file, &diag), SL_E_FORMAT);
    assert_int_equal(parse(KEPT("\"a\"", "7", "[-1]"), &file, &diag), SL_E_FORMAT);
    assert_int_equal(parse(KEPT("\"a\"", "7", "{}"), &file, &diag), SL_E_FORMAT);
    assert_int_equal(parse(KEPT("\"a\"", "null", "[]"), &file, &diag), SL_E_FORMAT);
}

TEST(what_is_neither_is_refused_with_its_place)
{
    static const struct {
        const char *text, *where;
    } bad[] = {
        {"[]", ""},
        {"{\"benchmarks\":[3]}", "/benchmarks/0"},
        {"{\"benchmarks\":[{\"real_time\":1}]}", "/benchmarks/0/name"},
        {"{\"benchmarks\":[" ROW("a", "1", "weeks") "]}", "/benchmarks/0/time_unit"},
        {"{\"benchmarks\":[" ROW("a", "\"1\"", "ns") "]}", "/benchmarks/0/real_time"},
        {"{\"benchmarks\":[" ROW("a", "-1", "ns") "]}", "/benchmarks/0/real_time"},
        {"{\"a\":{\"latency\":{}}}", "/a/latency/value"},
        {"{\"a\":3}", "/a"},
    };
    struct sl_benchmark_file file;
    struct sl_diag diag;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_int_equal(parse(bad[i].text, &file, &diag), SL_E_FORMAT);
        assert_non_null(strstr(diag.where, bad[i].where));
    }
}

TEST(parsing_survives_each_failed_allocation)
{
    int rc = -ENOMEM;
    for (unsigned nth = 1; rc == -ENOMEM; nth++) {
        struct sl_benchmark_file file = {.tool = NULL};
        struct sl_diag diag = {.what = ""};
        sl_mem_fail_nth(nth);
        rc = parse(google, &file, &diag);
        if (rc == 0)
            sl_benchmark_file_fini(&file);
    }
    sl_mem_fail_nth(0);
    assert_int_equal(rc, 0);
}
