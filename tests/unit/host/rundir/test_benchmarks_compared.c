/* tests/unit/host/rundir/test_benchmarks_compared.c */
#include "host/rundir/benchmarks_compared.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "host/report/categories_file.h"
#include "tests/support/store_folder.h"
#include "tests/support/test.h"

#define TOY SL_TEST_DATA "/models/toy_cnn_f32_xnnpack/run.etdump"

enum { PATH_ROOM = 128 };

static void make(char path[PATH_ROOM], const char *folder, const char *text)
{
    char file[PATH_ROOM + 32];
    snprintf(path, PATH_ROOM, "%s/%s", store_folder, folder);
    mkdir(path, 0700);
    snprintf(file, sizeof(file), "%s/benchmark.json", path);
    if (text)
        assert_int_equal(sl_buf_write_file(file, text, strlen(text)), 0);
}

static void make_benchmark(char path[PATH_ROOM], const char *folder, const char *name, double ns,
                           int times)
{
    char text[2048];
    int len = snprintf(text, sizeof(text),
                       "{\"schema\":\"sme2lab.benchmark/1\",\"tool\":\"bencher\",\"name\":\"%s\","
                       "\"median_ns\":%g,\"times_ns\":[",
                       name, ns);
    for (int i = 0; i < times; i++)
        len += snprintf(text + len, sizeof(text) - (size_t)len, "%s%g", i > 0 ? "," : "",
                        ns * (1 + 0.001 * ((i * 3) % 5)));
    snprintf(text + len, sizeof(text) - (size_t)len, "]}");
    make(path, folder, text);
}

static int compare(const char *a, const char *b, struct sl_benchmarks_compared *out,
                   struct sl_diag *diag)
{
    struct sl_categories categories;
    *diag = (struct sl_diag){.what = ""};
    assert_int_equal(sl_categories_load(NULL, &categories, diag), 0);
    const struct sl_benchmarks_request request = {
        .paths = {a, b},
        .categories = &categories,
        .options = {.seed = 1, .iterations = 500, .noise_floor = NAN}};
    int rc = sl_benchmarks_compare(&request, out, diag);
    sl_categories_fini(&categories);
    return rc;
}

STORE_TEST(benchmarks_of_one_name_are_compared_and_of_two_are_not)
{
    char slow[PATH_ROOM], fast[PATH_ROOM], other[PATH_ROOM], alone[PATH_ROOM];
    struct sl_benchmarks_compared found;
    struct sl_diag diag;
    make_benchmark(slow, "slow", "a/8", 200, 30);
    make_benchmark(fast, "fast", "a/8", 100, 30);
    make_benchmark(other, "other", "b", 100, 30);
    make_benchmark(alone, "alone", "a/8", 100, 0);
    assert_true(sl_is_benchmark_run(slow));
    assert_false(sl_is_benchmark_run(store_folder));
    assert_int_equal(compare(slow, fast, &found, &diag), 0);
    assert_int_equal(found.comparison.verdict, SL_VERDICT_FASTER);
    assert_string_equal(found.names[0], "a/8");
    sl_comparison_fini(&found.comparison);
    assert_int_equal(compare(slow, other, &found, &diag), 0);
    assert_int_equal(found.comparison.verdict, SL_VERDICT_INCOMPARABLE);
    sl_comparison_fini(&found.comparison);
    assert_int_equal(compare(slow, alone, &found, &diag), 0);
    assert_int_equal(found.comparison.verdict, SL_VERDICT_INCONCLUSIVE);
    sl_comparison_fini(&found.comparison);
}

STORE_TEST(an_etdump_is_the_other_side_by_its_name)
{
    char benchmark[PATH_ROOM];
    struct sl_benchmarks_compared found;
    struct sl_diag diag;
    make_benchmark(benchmark, "own", "run", 5e9, 30);
    assert_int_equal(compare(benchmark, TOY, &found, &diag), 0);
    assert_string_equal(found.names[1], "run");
    assert_true(found.comparison.ratio > 100);
    assert_true(found.comparison.verdict != SL_VERDICT_INCOMPARABLE);
    sl_comparison_fini(&found.comparison);
}

STORE_TEST(a_comparison_that_finds_no_memory_says_so)
{
    char slow[PATH_ROOM], fast[PATH_ROOM];
    struct sl_benchmarks_compared found;
    struct sl_diag diag;
    struct sl_categories categories;
    int rc = -ENOMEM;
    make_benchmark(slow, "slow", "a", 200, 30);
    make_benchmark(fast, "fast", "a", 100, 30);
    assert_int_equal(sl_categories_load(NULL, &categories, &diag), 0);
    const struct sl_benchmarks_request request = {
        .paths = {slow, fast},
        .categories = &categories,
        .options = {.seed = 1, .iterations = 100, .noise_floor = NAN}};
    for (unsigned nth = 1; rc != 0; nth++) {
        diag = (struct sl_diag){.what = ""};
        sl_mem_fail_nth(nth);
        rc = sl_benchmarks_compare(&request, &found, &diag);
        assert_int_equal(diag.what[0] == '\0', rc == 0);
    }
    sl_mem_fail_nth(0);
    sl_comparison_fini(&found.comparison);
    sl_categories_fini(&categories);
}

STORE_TEST(what_holds_no_benchmark_is_refused_with_its_place)
{
    char good[PATH_ROOM], bad[PATH_ROOM];
    struct sl_benchmarks_compared found;
    struct sl_diag diag;
    make_benchmark(good, "good", "a", 1, 6);
    make(bad, "bad", "{");
    assert_int_equal(compare(good, bad, &found, &diag), SL_E_FORMAT);
    assert_non_null(strstr(diag.where, "bad/benchmark.json"));
    make_benchmark(bad, "bad", "a", 0, 2);
    assert_int_equal(compare(good, bad, &found, &diag), SL_E_FORMAT);
    assert_non_null(strstr(diag.what, "not one benchmark"));
    make_benchmark(bad, "bad", "a", 1e17, 1); /* longer than can be compared */
    assert_int_equal(compare(good, bad, &found, &diag), SL_E_FORMAT);
    assert_non_null(strstr(diag.where, "bad/benchmark.json"));
    make_benchmark(bad, "bad", "a", 4e-4, 2); /* shorter */
    assert_int_equal(compare(good, bad, &found, &diag), SL_E_FORMAT);
    make(bad, "empty", NULL);
    assert_true(compare(good, bad, &found, &diag) < 0);
    assert_true(compare(bad, good, &found, &diag) < 0);
}
