/* tests/unit/host/daemon/test_file_limit.c */
#include "host/daemon/file_limit.h"

#include <sys/resource.h>

#include "host/http/connection.h"
#include "tests/support/test.h"

static struct rlimit kept;

static int keep(void **state)
{
    (void)state;
    return getrlimit(RLIMIT_NOFILE, &kept);
}

static int give_back(void **state)
{
    (void)state;
    return setrlimit(RLIMIT_NOFILE, &kept);
}

static void set_limit(rlim_t files)
{
    struct rlimit limit = {.rlim_cur = files, .rlim_max = kept.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

static rlim_t limit_now(void)
{
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    return limit.rlim_cur;
}

TEST_WITH(a_lower_limit_is_raised_and_a_higher_one_stays, keep, give_back)
{
    set_limit(64);
    assert_int_equal(sl_file_limit_raise(100), 100);
    assert_int_equal(limit_now(), 100);
    assert_int_equal(sl_file_limit_raise(99), 100);
    assert_int_equal(limit_now(), 100);
}

TEST_WITH(what_the_system_does_not_give_is_not_had, keep, give_back)
{
    set_limit(64);
    assert_int_equal(sl_file_limit_raise(UINT64_MAX), kept.rlim_max);
    assert_int_equal(limit_now(), kept.rlim_max);
}

TEST_WITH(each_address_has_room_for_its_connections, keep, give_back)
{
    set_limit(64);
    sl_file_limit_for(1);
    assert_in_range(limit_now(), SL_HTTP_MAX_CONNECTIONS + 512, 2 * SL_HTTP_MAX_CONNECTIONS + 512);
    sl_file_limit_for(2);
    assert_true(limit_now() >= 2 * SL_HTTP_MAX_CONNECTIONS + 512);
}
