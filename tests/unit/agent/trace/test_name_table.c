/* tests/unit/agent/trace/test_name_table.c */
#include "agent/trace/name_table.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "common/base/mem.h"
#include "tests/support/test.h"

TEST(thousand_names_keep_their_ids_while_the_table_grows)
{
    struct sl_name_table table = {0};
    char text[16];
    bool is_new;
    for (int round = 0; round < 2; round++) {
        for (int i = 1; i <= 1000; i++) {
            size_t len = (size_t)snprintf(text, sizeof(text), "name %d", i);
            assert_int_equal(sl_name_table_intern(&table, text, len, &is_new), i);
            assert_int_equal(is_new, round == 0);
        }
    }
    assert_int_equal(sl_name_table_intern(&table, "", 0, &is_new), 1001);
    assert_int_equal(sl_name_table_intern(&table, "name 1", 5, &is_new), 1002); /* by length */
    sl_name_table_fini(&table);
}

TEST(failed_allocation_leaves_the_table_usable)
{
    struct sl_name_table table = {0};
    bool is_new;
    for (unsigned nth = 1; nth <= 2; nth++) {
        sl_mem_fail_nth(nth);
        assert_int_equal(sl_name_table_intern(&table, "a", 1, &is_new), -ENOMEM);
    }
    sl_mem_fail_nth(0);
    assert_int_equal(sl_name_table_intern(&table, "a", 1, &is_new), 1);
    sl_name_table_fini(&table);
}
