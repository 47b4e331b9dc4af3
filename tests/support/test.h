/* tests/support/test.h: what every unit test begins with: cmocka with what it needs before it, and
 * tests that register themselves.
 *
 *     TEST(sum_of_nothing_is_zero)
 *     {
 *         assert_int_equal(sum(NULL, 0), 0);
 *     }
 *
 * They run in the order in which they stand. main() is in test_main.c. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* 1 in a build with AddressSanitizer, which does less of what takes long and is given more time. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SL_SANITIZED 1
#endif
#endif
#ifndef SL_SANITIZED
#define SL_SANITIZED 0
#endif

/* For TEST and TEST_GROUP alone. */
void sl_test_add(struct CMUnitTest test);
void sl_test_fixture(CMFixtureFunction set_up, CMFixtureFunction tear_down);

/* A test with what is done before and after it, each NULL or a function of `void **state`; the test
 * may use
 * `*state` as `set_up` left it. */
#define TEST_WITH(name, set_up, tear_down)                                                         \
    static void name(void **state);                                                                \
    __attribute__((constructor)) static void add_##name(void)                                      \
    {                                                                                              \
        sl_test_add((struct CMUnitTest){#name, name, set_up, tear_down, NULL});                    \
    }                                                                                              \
    static void name(__attribute__((unused)) void **state)

#define TEST(name) TEST_WITH(name, NULL, NULL)

/* Steps that are done once before all tests of the program, and once after them. */
#define TEST_GROUP(set_up, tear_down)                                                              \
    __attribute__((constructor)) static void add_group(void)                                       \
    {                                                                                              \
        sl_test_fixture(set_up, tear_down);                                                        \
    }                                                                                              \
    _Static_assert(1, "takes the semicolon")
