/* tests/unit/host/report/test_record_table.c */
#include "host/report/record_table.h"

#include <string.h>

#include "host/records.h"
#include "host/report/style.h"
#include "host/report/table.h"
#include "host/spec/columns.h"
#include "tests/support/unit.h"

static bool put_name(struct sl_table *table, const void *record, const char *column)
{
    const struct sl_group_record *group = record;
    if (strcmp(column, "name") != 0)
        return false;
    sl_table_printf(table, "<%s>", group->name);
    return true;
}

static void check(struct sl_table *table, const char *expected)
{
    const struct sl_style style = {.width = 120};
    struct sl_buf out;
    sl_buf_init(&out, 1 << 16);
    assert_int_equal(sl_table_show(&out, &style, table), 0);
    assert_int_equal(sl_buf_append(&out, "", 1), 0);
    assert_string_equal((const char *)out.data, expected);
    sl_buf_fini(&out);
    sl_table_fini(table);
}

TEST(each_column_with_a_place_is_shown_by_its_kind)
{
    const struct sl_run_record runs[] = {
        {.id = 12,
         .model = "net",
         .device = "here",
         .device_kind = SL_DEVICE_COUNTED,
         .runtime = "own",
         .ratio = 2.5},
        {.id = 3, .verdict = "faster", .device_kind = SL_DEVICE_LOCAL},
    };
    struct sl_table table;
    sl_record_table(&table, "runs", &sl_run_columns, runs, 2, NULL);
    check(&table, "RUN  MODEL  DEVICE  KIND     RUNTIME  STARTED  OFF/ON  VERDICT\n"
                  " 12  net    here    counted  own      -         2.500  -\n"
                  "  3  -      -       local    -        -             -  faster\n");
}

TEST(a_cell_may_be_the_callers)
{
    const struct sl_group_record groups[] = {{.id = 1, .name = "zoo", .queued = 2, .failed = 1}};
    struct sl_table table;
    sl_record_table(&table, "groups", &sl_group_columns, groups, 1, put_name);
    check(&table, "GROUP  NAME   OWNER  MADE  QUEUED  RUNNING  DONE  FAILED  CANCELLED\n"
                  "1      <zoo>  -      -          2        0     0       1          0\n");
}
