/* tests/unit/host/store/test_pq_call.c: what needs no server; test_postgres.c has the rest. */
#include "host/store/pq_call.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <libpq-fe.h>

#include "common/base/error.h"
#include "host/store/database.h"
#include "host/store/pq.h"
#include "tests/support/test.h"

static void bind(struct sl_pq_call *call, int at, struct sl_value value)
{
    assert_int_equal(sl_pq_call_bind(call, at, &value), 0);
}

TEST(values_are_text_and_what_is_no_utf8_is_a_question_mark)
{
    struct sl_pq_call call = {.sql = "SELECT ?"};
    struct sl_value value = {.kind = SL_VALUE_INTEGER, .integer = INT64_MIN};
    bind(&call, 1, value);
    assert_string_equal(call.parameters[0].text, "-9223372036854775808");
    bind(&call, 1, (struct sl_value){.kind = SL_VALUE_TEXT, .text = "a\xff\xc3\xa9"});
    assert_string_equal(call.parameters[0].text, "a?\xc3\xa9");
    bind(&call, 3, (struct sl_value){.kind = SL_VALUE_NULL});
    assert_int_equal(call.count, 3);
    assert_int_equal(call.parameters[1].type, SL_PQ_TEXT); /* it is not used */
    assert_int_equal(call.parameters[2].type, 0);
    assert_int_equal(sl_pq_call_bytes(&call), 4);
    assert_int_equal(sl_pq_call_bind(&call, 0, &value), SL_E_LIMIT);
    assert_int_equal(sl_pq_call_bind(&call, SL_PQ_MAX_PARAMETERS + 1, &value), SL_E_LIMIT);
    sl_pq_call_fini(&call);
}

TEST(calls_of_one_text_and_the_same_types_have_one_shape)
{
    struct sl_pq_call a = {.sql = "INSERT INTO t (a, b) VALUES (?, ?) RETURNING id"}, b = a;
    struct sl_pq_shape shape;
    char sql[SL_PQ_MAX_SQL_BYTES];
    bind(&a, 1, (struct sl_value){.kind = SL_VALUE_TEXT, .text = "x"});
    bind(&a, 2, (struct sl_value){.kind = SL_VALUE_NULL});
    bind(&b, 1, (struct sl_value){.kind = SL_VALUE_TEXT, .text = "y"});
    sl_pq_call_shape(&a, &shape);
    assert_false(sl_pq_call_has_shape(&b, &shape));
    bind(&b, 2, (struct sl_value){.kind = SL_VALUE_NULL});
    assert_true(sl_pq_call_has_shape(&b, &shape));
    bind(&b, 2, (struct sl_value){.kind = SL_VALUE_REAL, .real = 1});
    assert_false(sl_pq_call_has_shape(&b, &shape));
    assert_int_equal(sl_pq_call_sql(&a, false, sql), 0);
    assert_string_equal(sql, "INSERT INTO t (a, b) VALUES ($1, $2) RETURNING id");
    assert_int_equal(sl_pq_call_sql(&a, true, sql), 0);
    assert_non_null(strstr(sql, "SELECT p1, NULL FROM unnest($1::text[])"));
    sl_pq_call_fini(&a);
    sl_pq_call_fini(&b);
}

static PGresult *numbers(const char *const *texts, int count)
{
    static char name[] = "id";
    PGresAttDesc column = {.name = name, .typid = SL_PQ_INT8};
    PGresult *result = PQmakeEmptyPGresult(NULL, PGRES_TUPLES_OK);
    assert_true(PQsetResultAttrs(result, 1, &column));
    for (int i = 0; i < count; i++) {
        char text[32];
        int len = snprintf(text, sizeof(text), "%s", texts[i]);
        assert_true(PQsetvalue(result, i, 0, text, len));
    }
    return result;
}

TEST(each_row_gets_the_number_that_it_was_written_with)
{
    static const char *const texts[] = {"10", "9", "11"};
    PGresult *whole = numbers(texts, 3), *each[3] = {NULL};
    assert_int_equal(sl_pq_split_numbers(whole, 2, each), -EIO);
    assert_int_equal(sl_pq_split_numbers(whole, 0, each), -EIO);
    assert_int_equal(sl_pq_split_numbers(whole, 3, each), 0);
    static const char *const wanted[] = {"9", "10", "11"};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(PQntuples(each[i]), 1);
        assert_string_equal(PQgetvalue(each[i], 0, 0), wanted[i]);
        PQclear(each[i]);
    }
    PQclear(whole);
}
