/* tests/unit/host/store/test_findings.c */
#include "host/store/findings.h"

#include <errno.h>

#include "common/base/mem.h"
#include "tests/support/test.h"

TEST(what_has_no_place_is_counted)
{
    struct sl_findings list = {.rows = NULL};
    for (uint64_t i = 1; i <= SL_STORE_MAX_FINDINGS + 3; i++)
        assert_int_equal(sl_findings_add(&list, &(struct sl_store_finding){.run = i}), 0);
    assert_int_equal(list.count, SL_STORE_MAX_FINDINGS);
    assert_int_equal(list.more, 3);
    assert_int_equal(list.rows[0].run, 1);
    assert_int_equal(list.rows[list.count - 1].run, SL_STORE_MAX_FINDINGS);
    sl_findings_fini(&list);
}

TEST(without_memory_a_list_stays_as_it_was)
{
    struct sl_findings list = {.rows = NULL};
    sl_mem_fail_nth(1);
    assert_int_equal(sl_findings_add(&list, &(struct sl_store_finding){.run = 1}), -ENOMEM);
    sl_mem_fail_nth(0);
    assert_int_equal(list.count, 0);
    sl_findings_fini(&list);
}
