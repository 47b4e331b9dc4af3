/* tests/unit/host/spec/test_columns.c */
#include "host/spec/columns.h"

#include <stdbool.h>
#include <string.h>

#include "host/records.h"
#include "tests/support/test.h"

static const struct sl_columns *const records[] = {
    &sl_job_columns, &sl_attempt_columns, &sl_run_columns, &sl_token_columns, &sl_device_columns};
enum { RECORDS = sizeof(records) / sizeof(records[0]) };

static size_t at_place(const struct sl_columns *columns, int place)
{
    size_t count = 0;
    for (size_t i = 0; i < columns->count; i++)
        count += columns->all[i].place == place;
    return count;
}

TEST(a_table_has_one_column_in_each_of_its_places)
{
    for (size_t r = 0; r < RECORDS; r++) {
        int last = 0;
        for (size_t i = 0; i < records[r]->count; i++) {
            const struct sl_column *column = &records[r]->all[i];
            assert_int_equal(column->head != NULL, column->place > 0);
            last = column->place > last ? column->place : last;
        }
        assert_in_range(last, 5, 11);
        for (int place = 1; place <= last; place++)
            assert_int_equal(at_place(records[r], place), 1);
    }
}

TEST(a_column_lies_in_its_record_and_has_its_kinds_size)
{
    static const size_t sizes[] = {
        [SL_COLUMN_ID] = sizeof(uint64_t),  [SL_COLUMN_TIME] = sizeof(uint64_t),
        [SL_COLUMN_U32] = sizeof(uint32_t), [SL_COLUMN_INT] = sizeof(int),
        [SL_COLUMN_WORD] = sizeof(int),     [SL_COLUMN_FLAG] = sizeof(bool),
        [SL_COLUMN_REAL] = sizeof(double),  [SL_COLUMN_MAYBE] = sizeof(int)};
    for (size_t r = 0; r < RECORDS; r++) {
        for (size_t i = 0; i < records[r]->count; i++) {
            const struct sl_column *column = &records[r]->all[i];
            bool text = column->kind == SL_COLUMN_TEXT || column->kind == SL_COLUMN_NAME;
            assert_true(column->offset + column->size <= records[r]->record_bytes);
            assert_int_equal(column->word != NULL, column->kind == SL_COLUMN_WORD);
            if (!text)
                assert_int_equal(column->size, sizes[column->kind]);
        }
    }
}

TEST(what_is_a_secret_is_in_no_object)
{
    for (size_t i = 0; i < sl_token_columns.count; i++) {
        if (strcmp(sl_token_columns.all[i].name, "sha256") == 0)
            assert_int_equal(sl_token_columns.all[i].views, 0);
    }
    assert_string_equal(sl_token_columns.all[0].name, "id");
}
