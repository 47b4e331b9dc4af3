/* tests/support/test_main.c: runs the tests that registered themselves; a program without any
 * fails. */
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>

#define TESTS_MAX 128

static struct {
    struct CMUnitTest tests[TESTS_MAX];
    size_t count;
    CMFixtureFunction set_up, tear_down;
} group;

void sl_test_add(struct CMUnitTest test)
{
    if (group.count == TESTS_MAX)
        abort();
    group.tests[group.count++] = test;
}

void sl_test_fixture(CMFixtureFunction set_up, CMFixtureFunction tear_down)
{
    group.set_up = set_up;
    group.tear_down = tear_down;
}

int main(void)
{
    if (group.count == 0) {
        fprintf(stderr, "this program has no TEST()\n");
        return 1;
    }
    return _cmocka_run_group_tests("tests", group.tests, group.count, group.set_up,
                                   group.tear_down);
}
