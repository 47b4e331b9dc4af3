/* tests/unit/host/report/test_csv_json.c */
#include <stdint.h>
#include <string.h>

#include "common/base/buf.h"
#include "host/report/csv_json.h"
#include "tests/support/test.h"

static void expect(const char *csv, const char *rows)
{
    struct sl_buf in, out;
    sl_buf_init(&in, 4096);
    sl_buf_init(&out, 4096);
    assert_int_equal(sl_buf_append(&in, csv, strlen(csv)), 0);
    assert_int_equal(sl_csv_json(&out, &in), 0);
    assert_int_equal(sl_buf_append(&out, "", 1), 0);
    assert_string_equal((const char *)out.data, rows);
    sl_buf_fini(&in);
    sl_buf_fini(&out);
}

TEST(rows_become_objects_with_texts_and_numbers)
{
    expect("model_id,name,count,total_ms\ntoy,Add,2,0.500000\ntoy,Mul,1,7\n",
           "[{\"model_id\":\"toy\",\"name\":\"Add\",\"count\":2,\"total_ms\":0.500000},"
           "{\"model_id\":\"toy\",\"name\":\"Mul\",\"count\":1,\"total_ms\":7}]\n");
}

TEST(quotes_commas_and_guards_against_formulas_are_undone)
{
    expect("name,count,block\n\"Convolution (NHWC, \"\"F32\"\")\",1,b\n =1+1,2,\n",
           "[{\"name\":\"Convolution (NHWC, \\\"F32\\\")\",\"count\":1,\"block\":\"b\"},"
           "{\"name\":\"=1+1\",\"count\":2,\"block\":\"\"}]\n");
}

TEST(table_without_rows_is_an_empty_array)
{
    expect("name,count\n", "[]\n");
}
