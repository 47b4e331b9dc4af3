/* tests/unit/host/report/test_csv_json.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/buf.h"
#include "host/report/csv_json.h"

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

static void rows_become_objects_with_texts_and_numbers(void **state)
{
    (void)state;
    expect("model_id,name,count,total_ms\ntoy,Add,2,0.500000\ntoy,Mul,1,7\n",
           "[{\"model_id\":\"toy\",\"name\":\"Add\",\"count\":2,\"total_ms\":0.500000},"
           "{\"model_id\":\"toy\",\"name\":\"Mul\",\"count\":1,\"total_ms\":7}]\n");
}

static void quotes_commas_and_guards_against_formulas_are_undone(void **state)
{
    (void)state;
    expect("name,count,block\n\"Convolution (NHWC, \"\"F32\"\")\",1,b\n =1+1,2,\n",
           "[{\"name\":\"Convolution (NHWC, \\\"F32\\\")\",\"count\":1,\"block\":\"b\"},"
           "{\"name\":\"=1+1\",\"count\":2,\"block\":\"\"}]\n");
}

static void table_without_rows_is_an_empty_array(void **state)
{
    (void)state;
    expect("name,count\n", "[]\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_become_objects_with_texts_and_numbers),
        cmocka_unit_test(quotes_commas_and_guards_against_formulas_are_undone),
        cmocka_unit_test(table_without_rows_is_an_empty_array),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
