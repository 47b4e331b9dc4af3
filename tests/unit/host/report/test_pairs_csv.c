#include "host/report/pairs_csv.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "common/base/error.h"
#include "common/base/mem.h"
#include "tests/support/test.h"

static struct sl_diag diag;

static int parse(const char *text, struct sl_pairs_file *out)
{
    memset(&diag, 0, sizeof(diag));
    return sl_pairs_parse((struct sl_bytes){(const uint8_t *)text, strlen(text)}, "p.csv", out,
                          &diag);
}

TEST(columns_are_found_by_name_in_any_order)
{
    struct sl_pairs_file file;
    assert_int_equal(
        parse("note,candidate_ns,baseline_ns\r\nx,1,2\r\n\r\n\"a,b\",3e2, 4.5\n", &file), 0);
    assert_int_equal(file.pair_count, 2);
    assert_false(file.off_on);
    assert_true(file.pairs[0].baseline == 2 && file.pairs[0].candidate == 1);
    assert_true(file.pairs[1].baseline == 4.5 && file.pairs[1].candidate == 300);
    assert_int_equal(file.experiment_count, 1);
    assert_null(file.experiments[0].name);
    sl_pairs_file_fini(&file);
}

TEST(rows_of_an_experiment_come_together_in_their_order)
{
    struct sl_pairs_file file;
    assert_int_equal(parse("\xef\xbb\xbfoff_ns,on_ns,experiment\n1,2,\"a \"\"b\"\"\"\n3,4,c\n5,6,"
                           "\"a \"\"b\"\"\"\n",
                           &file),
                     0);
    assert_true(file.off_on);
    assert_int_equal(file.experiment_count, 2);
    assert_string_equal(file.experiments[0].name, "a \"b\"");
    assert_int_equal(file.experiments[0].count, 2);
    assert_true(file.pairs[1].baseline == 5);
    assert_string_equal(file.experiments[1].name, "c");
    assert_true(file.pairs[file.experiments[1].first].candidate == 4);
    sl_pairs_file_fini(&file);
}

TEST(processes_are_numbers)
{
    struct sl_pairs_file file;
    assert_int_equal(parse("process,off_ns,on_ns\n0,1,2\n12,3,4\n", &file), 0);
    assert_int_equal(file.pairs[0].process, 0);
    assert_int_equal(file.pairs[1].process, 12);
    sl_pairs_file_fini(&file);
    assert_int_equal(parse("process,off_ns,on_ns\n0,1,2\nx,3,4\n", &file), SL_E_FORMAT);
    assert_int_equal(parse("off_ns,on_ns,process\n1,2\n", &file), SL_E_FORMAT);
    assert_int_equal(parse("off_ns,on_ns,process\n1,2,1\n1,2,2\n1,2,1\n", &file), SL_E_FORMAT);
    assert_string_equal(diag.what, "the rows of a process do not stand together");
}

TEST(many_experiments_are_told_apart)
{
    static char text[1 << 16] = "off_ns,on_ns,experiment\n";
    for (int i = 0; i < 2000; i++)
        snprintf(text + strlen(text), 32, "1,2,%d\n", i % 1000);
    struct sl_pairs_file file;
    assert_int_equal(parse(text, &file), 0);
    assert_int_equal(file.experiment_count, 1000);
    for (size_t i = 0; i < 1000; i++)
        assert_int_equal(file.experiments[i].count, 2);
    sl_pairs_file_fini(&file);
}

TEST(what_is_no_pair_is_refused_with_its_line)
{
    static const struct {
        const char *text, *where;
    } cases[] = {
        {"", "line 1"},
        {"off_ns,on_ns\n", "line 2"},
        {"off_ns,candidate_ns\n1,2\n", "line 1"},
        {"off_ns,off_ns,on_ns\n1,2,3\n", "line 1"},
        {"off_ns,on_ns\n1,2\n3\n", "line 3"},
        {"off_ns,on_ns\n1,nan\n", "line 2"},
        {"off_ns,on_ns\n1,0\n", "line 2"},
        {"off_ns,on_ns\n1,-1\n", "line 2"},
        {"off_ns,on_ns\n1,1e999\n", "line 2"},
        {"off_ns,on_ns\n1,0x10\n", "line 2"},
        {"off_ns,on_ns\n1,\n", "line 2"},
        {"off_ns,on_ns,experiment\n1,2\n", "line 2"},
        {"off_ns,on_ns\n1,\"2\n", "line 2"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct sl_pairs_file file;
        assert_int_equal(parse(cases[i].text, &file), SL_E_FORMAT);
        assert_non_null(strstr(diag.where, cases[i].where));
        assert_non_null(strstr(diag.where, "p.csv"));
    }
}

TEST(parse_survives_each_failed_allocation)
{
    int rc = -ENOMEM;
    for (unsigned nth = 1; rc == -ENOMEM; nth++) {
        struct sl_pairs_file file = {.pairs = NULL};
        sl_mem_fail_nth(nth);
        rc = parse("off_ns,on_ns,experiment\n1,2,a\n3,4,b\n", &file);
        sl_mem_fail_nth(0);
        sl_pairs_file_fini(&file);
    }
    assert_int_equal(rc, 0);
}
