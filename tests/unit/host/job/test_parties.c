/* tests/unit/host/job/test_parties.c */
#include "host/job/parties.h"

#include <stdio.h>

#include "common/base/mem.h"
#include "tests/support/test.h"

static struct sl_parties parties;

TEST(each_submitter_is_one_party_a_priority)
{
    struct sl_party *ann = sl_parties_find(&parties, "ann", 0);
    ann->served = 7;
    assert_ptr_equal(sl_parties_find(&parties, "ann", 0), ann);
    assert_ptr_not_equal(sl_parties_find(&parties, "ann", 1), ann);
    assert_ptr_not_equal(sl_parties_find(&parties, "bob", 0), ann);
    assert_int_equal(parties.count, 3);
    sl_parties_fini(&parties);
    assert_int_equal(parties.count, 0);
}

TEST(those_without_jobs_go_when_there_are_many_and_those_with_jobs_stay)
{
    char name[SL_NAME_BYTES], share = 0;
    struct sl_party *busy = sl_parties_find(&parties, "busy", 5);
    busy->shares = (struct sl_share *)(void *)&share;
    for (int i = 0; i < 3 * SL_PARTIES_KEPT; i++) {
        snprintf(name, sizeof(name), "u%d", i);
        assert_non_null(sl_parties_find(&parties, name, i % 7));
        assert_in_range(parties.count, 1, SL_PARTIES_KEPT + 2);
    }
    assert_ptr_equal(sl_parties_find(&parties, "busy", 5), busy);
    sl_parties_fini(&parties);
}

TEST(without_memory_there_is_no_new_party)
{
    sl_mem_fail_nth(1);
    assert_null(sl_parties_find(&parties, "ann", 0));
    sl_mem_fail_nth(0);
    assert_int_equal(parties.count, 0);
}
